//! Buttons where nothing can be pressed: lines with the command to type.

use std::borrow::Cow;

use clifford_channel::{Button, Press};

/// A text with its buttons below it, but for those that it shows itself.
pub(crate) fn below<'a>(text: &'a str, buttons: &[Button]) -> Cow<'a, str> {
    let lines: Vec<String> = buttons
        .iter()
        .filter(|button| button.press != Press::Form && !shows(text, button))
        .map(|button| format!("  /{}  {}", button.command, button.label))
        .collect();
    if lines.is_empty() {
        return Cow::Borrowed(text);
    }
    Cow::Owned(format!("{}\n\n{}", text.trim_end(), lines.join("\n")))
}

/// Whether a text says what to type: the command itself, or its name next to what stands on the button.
fn shows(text: &str, button: &Button) -> bool {
    let name = button.command.split(' ').next().unwrap_or_default();
    // A label may have been cut.
    let label = button.label.trim_end_matches('…');
    let holds = |command: &str| {
        let command = format!("/{command}");
        text.match_indices(&command).any(|(at, found)| {
            let next = text[at + found.len()..].chars().next();
            !next.is_some_and(|next| next.is_alphanumeric() || next == '-' || next == '_')
        })
    };
    // A command may name what it is about by its whole id and a code, of which the code alone is enough.
    let by_code = button
        .command
        .rsplit_once(':')
        .map(|(_, code)| format!("{name} {code}"));
    let has_code = by_code.is_some_and(|command| holds(&command));
    holds(&button.command) || has_code || (holds(name) && text.contains(label))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_the_text_does_not_show_is_added() {
        let rome = Button::new("Trip to Rome", "switch 2");
        let all = Button::new("Delete all of it", "forget all yes");
        let long = "A conversation about the many ways to Rome";
        let cut = Button::new(long, "switch 0192");
        let cases = [
            ("Hello.", vec![], "Hello.".to_owned()),
            (
                "Where to?\n",
                vec![rome.clone(), all.clone()],
                "Where to?\n\n  /switch 2  Trip to Rome\n  /forget all yes  Delete all of it".to_owned(),
            ),
            ("1. Trip to Rome\n\n/switch NAME", vec![rome.clone()], String::new()),
            ("Type /forget all yes.", vec![all.clone()], String::new()),
            (
                "/approve 33d7 or /deny 33d7, within a day.",
                vec![
                    Button::new("Approve", "approve 0192:33d7"),
                    Button::new("Deny", "deny 0192:33d7"),
                ],
                String::new(),
            ),
            (
                "Type /forget all.",
                vec![all],
                "Type /forget all.\n\n  /forget all yes  Delete all of it".to_owned(),
            ),
            (
                "1. Trip to Rome\n\n/switches",
                vec![rome],
                "1. Trip to Rome\n\n/switches\n\n  /switch 2  Trip to Rome".to_owned(),
            ),
            (&format!("1. {long}\n/switch NAME"), vec![cut], String::new()),
        ];
        for (text, buttons, expected) in cases {
            let expected = if expected.is_empty() { text } else { &expected };
            assert_eq!(below(text, &buttons), expected);
        }
    }
}
