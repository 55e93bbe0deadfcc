//! How what the user will read begins: JSON may be an action within an action, of which nobody knows before its end what
//! it says. It is not shown while it grows.

/// The beginning of a growing text.
#[derive(Debug, Default)]
pub(super) struct Opening {
    /// The text before its kind of beginning is known.
    held: String,
    /// Whether the text is shown, once that is known.
    is_shown: Option<bool>,
}

impl Opening {
    /// Takes the next piece, and returns what may be shown.
    pub(super) fn push(&mut self, piece: &str) -> String {
        match self.is_shown {
            Some(true) => return piece.to_owned(),
            Some(false) => return String::new(),
            None => self.held.push_str(piece),
        }
        self.is_shown = is_words(&self.held);
        let held = if self.is_shown.is_some() {
            std::mem::take(&mut self.held)
        } else {
            String::new()
        };
        if self.is_shown == Some(true) {
            held
        } else {
            String::new()
        }
    }

    /// The text starts over.
    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }

    /// The text is over: what is still held back are words.
    pub(super) fn end(&mut self) -> String {
        std::mem::take(&mut self.held)
    }
}

/// Whether a text begins with words, and not with a JSON object, be it in a fence; `None`: more must come first.
fn is_words(text: &str) -> Option<bool> {
    let text = text.trim_start();
    let inside = match text.strip_prefix("```") {
        Some(fenced) => fenced.split_once('\n')?.1.trim_start(),
        // A fence may still be on its way.
        None if "```".starts_with(text) => return None,
        None => text,
    };
    inside.chars().next().map(|first| first != '{')
}

#[cfg(test)]
mod tests {
    use super::Opening;

    fn shown(pieces: &[&str]) -> String {
        let mut opening = Opening::default();
        let mut text: String = pieces.iter().map(|piece| opening.push(piece)).collect();
        text.push_str(&opening.end());
        text
    }

    #[test]
    fn words_are_shown_and_json_is_not() {
        for (text, expected) in [
            ("Hello, {name}!", "Hello, {name}!"),
            (r#"{"type":"send_message","message":"Hello"}"#, ""),
            (" \n {\"city\":\"Paris\"}", ""),
            ("```json\n{\"type\":\"finish\"}\n```", ""),
            ("```sh\nls\n```", "```sh\nls\n```"),
            ("`a`", "`a`"),
            ("``", "``"),
            ("", ""),
        ] {
            assert_eq!(shown(&[text]), expected, "{text}");
            let pieces: Vec<String> = text.chars().map(String::from).collect();
            let pieces: Vec<&str> = pieces.iter().map(String::as_str).collect();
            assert_eq!(shown(&pieces), expected, "{text} in pieces");
        }
    }

    #[test]
    fn a_text_that_begins_anew_is_judged_anew() {
        let mut opening = Opening::default();
        assert_eq!(opening.push("{\"a\""), "");
        opening.clear();
        assert_eq!(opening.push("Hello"), "Hello");
    }
}
