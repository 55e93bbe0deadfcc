//! What may stand on a button, and the command that pressing it gives.

use clifford_markup::shortened;

use crate::{inbound::Command, outbound::Button};

impl Button {
    /// The most characters on a button.
    pub const LABEL: usize = 40;
    /// The most bytes of its command: what the strictest platform carries (Telegram: 64).
    pub const COMMAND: usize = 60;

    /// A button that gives a command, without its slash. What is too long for the label is cut.
    pub fn new(label: &str, command: impl Into<String>) -> Self {
        Self {
            label: shortened(label, Self::LABEL),
            command: command.into(),
        }
    }

    /// The same with a label that fits. `None`: no platform could carry it, or nothing stands on it.
    pub fn fitting(self) -> Option<Self> {
        let fits = self.command.len() <= Self::COMMAND && Self::pressed(&self.command).is_some();
        Some(Self::new(&self.label, self.command)).filter(|button| fits && !button.label.is_empty())
    }

    /// The name and argument of the command that a pressed button gives. `None`: it is no button of the bot's.
    pub fn pressed(command: &str) -> Option<(String, String)> {
        Command::split(&format!("/{command}"), None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_button_fits_or_is_none() {
        let long = "x".repeat(50);
        let cut = format!("{}…", "x".repeat(39));
        let cases = [
            ("Rome", "switch 5", Some("Rome")),
            (&long, "switch 5", Some(&cut)),
            (" \n", "switch 5", None),
            ("Rome", "", None),
            ("Rome", "not/a command", None),
            ("Rome", &format!("switch {}", "x".repeat(53)), Some("Rome")),
            ("Rome", &format!("switch {}", "x".repeat(54)), None),
        ];
        for (label, command, expected) in cases {
            let button = Button {
                label: label.to_owned(),
                command: command.to_owned(),
            };
            let expected = expected.map(|label| Button {
                label: label.to_owned(),
                command: command.to_owned(),
            });
            assert_eq!(button.fitting(), expected, "{label} {command}");
        }
    }

    #[test]
    fn a_press_is_its_command() {
        let pressed = |name: &str, argument: &str| Some((name.to_owned(), argument.to_owned()));
        let cases = [
            ("switch 0192", pressed("switch", "0192")),
            ("forget all yes", pressed("forget", "all yes")),
            ("close", pressed("close", "")),
            ("", None),
            ("/close", None),
            ("switch@other_bot 5", None),
            ("{\"id\": 1}", None),
        ];
        for (command, expected) in cases {
            assert_eq!(Button::pressed(command), expected, "{command}");
        }
    }
}
