//! The adapters that a configuration asks for, each built with its token and the menu of the bot's commands.

use std::{collections::BTreeMap, sync::Arc};

use clifford_channel::{Actor, Argument, Channel, ChannelError, MenuCommand, Platform, ShownTo};
use clifford_config::{Config, Secrets};
use clifford_core::commands::{COMMANDS, CommandName, CommandSpec};
use clifford_ingress::commands::completes;
use clifford_text::{Localized, Menu};

/// The platforms of the configuration.
#[derive(Default)]
pub(super) struct Adapters {
    /// Where it speaks.
    pub(super) channels: BTreeMap<Platform, Arc<dyn Channel>>,
    /// Where more can be done than that.
    pub(super) actors: BTreeMap<Platform, Arc<dyn Actor>>,
}

/// Builds the adapter of each platform that the configuration has and whose token is known.
///
/// # Errors
/// A platform's settings are wrong.
pub(super) fn build(config: &Config, secrets: &Secrets) -> Result<Adapters, ChannelError> {
    let mut adapters = Adapters::default();
    let menu = menu();
    for section in config.channels.enabled() {
        let platform = section.platform();
        if let Some(token) = secrets.token(platform) {
            let built = section.build(token, &menu)?;
            adapters.actors.extend(built.actor.map(|actor| (platform, actor)));
            adapters.channels.insert(platform, built.channel);
        }
    }
    Ok(adapters)
}

/// The platforms that bring their events by HTTP.
///
/// # Errors
/// This process is to be connected to one, and no process listens for what it brings.
pub(super) fn webhooks(
    channels: &BTreeMap<Platform, Arc<dyn Channel>>,
    config: &Config,
    connects: bool,
) -> Result<Vec<Arc<dyn Channel>>, ChannelError> {
    let with_one = channels.values().filter(|channel| channel.webhook().is_some());
    let found: Vec<_> = with_one.cloned().collect();
    match found.first() {
        Some(channel) if connects && !config.http.enabled => Err(ChannelError::Misconfigured(format!(
            "channels.{} is to bring its events by a webhook, and nothing listens for them: set http.enabled = true, \
             or have it polled",
            channel.platform()
        ))),
        _ => Ok(found),
    }
}

/// The bot's commands, as a platform's menu shows them.
fn menu() -> Vec<MenuCommand> {
    let command = |command: &CommandSpec| MenuCommand {
        name: command.name.to_string(),
        description: Localized::of(&command.description),
        arguments: if command.name == CommandName::Key {
            key_arguments()
        } else {
            let argument = command.argument.map(|(name, required)| Argument {
                name: name.to_owned(),
                description: Localized::of(&command.description),
                required,
                completes: completes(command.name),
                choices: Vec::new(),
            });
            argument.into_iter().collect()
        },
        private: command.is_private(),
        personal: command.is_personal(),
        shared: match (command.is_in_private_only(), command.is_for_managers()) {
            (true, _) => ShownTo::Nobody,
            (false, true) => ShownTo::Managers,
            (false, false) => ShownTo::Everybody,
        },
    };
    COMMANDS.iter().map(command).collect()
}

/// The arguments of `/key`, one by one.
fn key_arguments() -> Vec<Argument> {
    let argument = |name: &str, description: Menu, choices: &[&str]| Argument {
        name: name.to_owned(),
        description: Localized::of(&description),
        required: false,
        completes: false,
        choices: choices.iter().map(|&choice| choice.to_owned()).collect(),
    };
    vec![
        argument("action", Menu::KeyAction, &["set", "list", "remove"]),
        argument("provider", Menu::KeyProvider, &[]),
        argument("key", Menu::KeyValue, &[]),
    ]
}
