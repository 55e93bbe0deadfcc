//! The platforms that the shipped `clifford` can be on: one line each.

use std::{collections::BTreeMap, sync::Arc};

use clifford_channel::{Argument, Channel, ChannelError, MenuCommand, Platform, Platforms, Row, ShownTo};
use clifford_config::Config;
use clifford_core::commands::{COMMANDS, CommandSpec};
use clifford_discord::Discord;
use clifford_ingress::commands::completes;
use clifford_telegram::Telegram;
use clifford_text::{Localized, Menu};

/// The platforms, in the order in which they are shown.
pub const PLATFORMS: Platforms = Platforms::new(&[Row::of::<Telegram>(), Row::of::<Discord>()]);

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
pub(super) fn menu() -> Vec<MenuCommand> {
    let command = |command: &CommandSpec| MenuCommand {
        name: command.name.to_owned(),
        description: Localized::of(&command.description),
        arguments: if command.name == "key" {
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

#[cfg(test)]
mod tests {
    use std::{fs, path::Path};

    use super::PLATFORMS;

    #[test]
    fn each_platform_finds_its_token_in_a_package() {
        for file in ["packaging/environment", "packaging/compose.yaml"] {
            let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(file)).unwrap();
            let tokens = PLATFORMS.rows().map(|row| row.about.token_variable);
            let missing: Vec<_> = tokens.filter(|token| !text.contains(token)).collect();
            assert_eq!(missing, Vec::<&str>::new(), "not in {file}");
        }
    }
}
