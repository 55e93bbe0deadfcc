//! Buttons: the label, and the command that a press gives.

use clifford_markup::{is_turning, shortened};

use crate::{
    inbound::Command,
    outbound::{Button, ButtonStyle, Press},
};

/// The marks before the command of a button that does more than give it.
const IN_PLACE: &str = "=";
const FORM: &str = "?";

impl Button {
    /// The most characters on a button.
    pub const LABEL: usize = 40;
    /// The most bytes of its command: what the strictest platform carries (Telegram: 64).
    pub const COMMAND: usize = 60;

    /// A button that gives a command, without its slash. A label that is too long is cut, and none is turned around.
    pub fn new(label: &str, command: impl Into<String>) -> Self {
        let label: String = label.chars().filter(|c| !is_turning(*c)).collect();
        Self {
            label: shortened(&label, Self::LABEL),
            command: command.into(),
            style: ButtonStyle::Plain,
            press: Press::Answered,
            picks_roles: false,
        }
    }

    /// The same, whose answer takes the message's place.
    #[must_use]
    pub fn in_place(self) -> Self {
        Self {
            press: Press::InPlace,
            ..self
        }
    }

    /// The same, which asks for words.
    #[must_use]
    pub fn form(self) -> Self {
        Self {
            press: Press::Form,
            ..self
        }
    }

    /// The same, which asks for roles of the platform.
    #[must_use]
    pub fn picking_roles(self) -> Self {
        Self {
            press: Press::Form,
            picks_roles: true,
            ..self
        }
    }

    /// The text that a platform keeps behind the button and hands back when it is pressed.
    pub fn data(&self) -> String {
        let mark = match self.press {
            Press::Answered => "",
            Press::InPlace => IN_PLACE,
            Press::Form => FORM,
        };
        format!("{mark}{}", self.command)
    }

    /// The effect of pressing a button with this [text](Self::data), and its command.
    pub fn behind(data: &str) -> (Press, &str) {
        match (data.strip_prefix(IN_PLACE), data.strip_prefix(FORM)) {
            (Some(command), _) => (Press::InPlace, command),
            (None, Some(command)) => (Press::Form, command),
            (None, None) => (Press::Answered, data),
        }
    }

    /// The same in green.
    #[must_use]
    pub fn positive(self) -> Self {
        Self {
            style: ButtonStyle::Positive,
            ..self
        }
    }

    /// The same in red.
    #[must_use]
    pub fn negative(self) -> Self {
        Self {
            style: ButtonStyle::Negative,
            ..self
        }
    }

    /// The same with a label that fits. `None`: no platform could carry it, or nothing stands on it.
    pub fn fitting(self) -> Option<Self> {
        let fits = self.command.len() <= Self::COMMAND && Self::pressed(&self.command).is_some();
        let (style, press, picks_roles) = (self.style, self.press, self.picks_roles);
        let button = Self {
            style,
            press,
            picks_roles,
            ..Self::new(&self.label, self.command)
        };
        Some(button).filter(|button| fits && !button.label.is_empty())
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
            ("Remove: \u{202e}emoR\u{2066}", "switch 5", Some("Remove: emoR")),
            ("Rome", "", None),
            ("Rome", "not/a command", None),
            ("Rome", &format!("switch {}", "x".repeat(53)), Some("Rome")),
            ("Rome", &format!("switch {}", "x".repeat(54)), None),
        ];
        for (label, command, expected) in cases {
            let button = Button {
                label: label.to_owned(),
                command: command.to_owned(),
                style: ButtonStyle::Negative,
                press: Press::InPlace,
                picks_roles: false,
            };
            let expected = expected.map(|label| Button {
                label: label.to_owned(),
                command: command.to_owned(),
                style: ButtonStyle::Negative,
                press: Press::InPlace,
                picks_roles: false,
            });
            assert_eq!(button.fitting(), expected, "{label} {command}");
        }
    }

    #[test]
    fn what_stands_behind_a_button_says_what_a_press_does() {
        let button = Button::new("Steer", "settings when_busy steer");
        for (button, press, data) in [
            (button.clone(), Press::Answered, "settings when_busy steer"),
            (button.clone().in_place(), Press::InPlace, "=settings when_busy steer"),
            (button.form(), Press::Form, "?settings when_busy steer"),
        ] {
            assert_eq!(button.data(), data);
            assert_eq!(Button::behind(data), (press, "settings when_busy steer"));
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
