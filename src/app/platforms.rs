//! The platforms that the shipped `clifford` can be on: one line each.

use clifford_channel::{Argument, MenuCommand, Platforms, Row};
use clifford_core::commands::{COMMANDS, CommandSpec};
use clifford_discord::Discord;
use clifford_ingress::commands::completes;
use clifford_telegram::Telegram;

/// The platforms, in the order in which they are shown.
pub const PLATFORMS: Platforms = Platforms::new(&[Row::of::<Telegram>(), Row::of::<Discord>()]);

/// The bot's commands, as a platform's menu shows them.
pub(super) fn menu() -> Vec<MenuCommand> {
    let command = |command: &CommandSpec| MenuCommand {
        name: command.name.to_owned(),
        description: command.description.to_owned(),
        arguments: if command.name == "key" {
            key_arguments()
        } else {
            let argument = command.argument.map(|(name, required)| Argument {
                name: name.to_owned(),
                description: command.description.to_owned(),
                required,
                completes: completes(command.name),
                choices: Vec::new(),
            });
            argument.into_iter().collect()
        },
        private: command.is_private(),
    };
    COMMANDS.iter().map(command).collect()
}

/// What `/key` takes, each by itself.
fn key_arguments() -> Vec<Argument> {
    let argument = |name: &str, description: &str, choices: &[&str]| Argument {
        name: name.to_owned(),
        description: description.to_owned(),
        required: false,
        completes: false,
        choices: choices.iter().map(|&choice| choice.to_owned()).collect(),
    };
    vec![
        argument(
            "action",
            "What to do; without it, your keys are listed",
            &["set", "list", "remove"],
        ),
        argument("provider", "The provider that the key is for", &[]),
        argument("key", "The key, to set it", &[]),
    ]
}
