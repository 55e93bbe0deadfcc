//! What the model sees of its own run: a window over replies, results and notes, in order, never rewritten.

use clifford_llm::{Message, Role, estimate_tokens};

/// How much of the transcript is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WindowLimits {
    /// The most entries.
    pub entries: usize,
    /// The most tokens, by rule of thumb.
    pub tokens: u64,
    /// The most tokens of one entry; a longer one is cut in the middle.
    pub entry_tokens: u64,
}

impl Default for WindowLimits {
    fn default() -> Self {
        Self {
            entries: 50,
            tokens: 1200,
            entry_tokens: 4000,
        }
    }
}

/// The window. When it is over its limits it drops its oldest half at once, so that between two cuts each
/// prompt is a prefix of the next. What people said goes last.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Transcript {
    entries: Vec<Entry>,
    tokens: u64,
}

#[derive(Clone, Debug, PartialEq)]
struct Entry {
    message: Message,
    tokens: u64,
    /// A person said it.
    said: bool,
}

impl Transcript {
    /// Appends an entry, and cuts the window if it has grown over its limits. The newest entry always stays.
    pub fn push(&mut self, role: Role, content: &str, limits: WindowLimits) {
        self.append(role, content, false, limits);
    }

    /// The same for what a person said: it is dropped only where there is nothing else to drop.
    pub fn push_said(&mut self, content: &str, limits: WindowLimits) {
        self.append(Role::User, content, true, limits);
    }

    fn append(&mut self, role: Role, content: &str, said: bool, limits: WindowLimits) {
        let content = cut_middle(content, limits.entry_tokens);
        let tokens = estimate_tokens(&content);
        self.entries.push(Entry {
            message: Message { role, content },
            tokens,
            said,
        });
        self.tokens += tokens;
        while self.entries.len() > 1 && (self.entries.len() > limits.entries || self.tokens > limits.tokens) {
            let half = self.entries.len() / 2;
            let only_said = self.entries[..half].iter().all(|entry| entry.said);
            let mut place = 0;
            self.entries.retain(|entry| {
                place += 1;
                place > half || (entry.said && !only_said)
            });
            self.tokens = self.entries.iter().map(|entry| entry.tokens).sum();
        }
    }

    /// The entries, oldest first.
    pub fn messages(&self) -> impl Iterator<Item = &Message> {
        self.entries.iter().map(|entry| &entry.message)
    }
}

/// Keeps the beginning and the end of a text that is over `tokens`, and says how many characters are missing.
pub(super) fn cut_middle(text: &str, tokens: u64) -> String {
    let budget = usize::try_from(tokens).unwrap_or(usize::MAX).saturating_mul(4);
    let characters = text.chars().count();
    if characters <= budget {
        return text.to_owned();
    }
    let half = budget / 2;
    let head: String = text.chars().take(half).collect();
    let tail: String = text.chars().skip(characters - half).collect();
    format!(
        "{head}\n[… {} characters are missing here …]\n{tail}",
        characters - 2 * half
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn contents(transcript: &Transcript) -> Vec<&str> {
        transcript.messages().map(|message| message.content.as_str()).collect()
    }

    #[test]
    fn the_oldest_half_goes_at_once_when_there_are_too_many_entries() {
        let limits = WindowLimits {
            entries: 4,
            ..WindowLimits::default()
        };
        let mut transcript = Transcript::default();
        for text in ["a", "b", "c", "d"] {
            transcript.push(Role::User, text, limits);
        }
        assert_eq!(contents(&transcript), ["a", "b", "c", "d"]);
        transcript.push(Role::User, "e", limits);
        assert_eq!(contents(&transcript), ["c", "d", "e"]);
    }

    #[test]
    fn the_newest_entry_stays_whole_up_to_its_own_limit() {
        let limits = WindowLimits {
            entries: 50,
            tokens: 10,
            entry_tokens: 100,
        };
        let mut transcript = Transcript::default();
        transcript.push(Role::User, "short", limits);
        let long = "x".repeat(400);
        transcript.push(Role::User, &long, limits);
        assert_eq!(contents(&transcript), [long.as_str()]);
    }

    #[test]
    fn what_people_said_goes_last() {
        let limits = WindowLimits {
            entries: 4,
            ..WindowLimits::default()
        };
        let mut transcript = Transcript::default();
        transcript.push(Role::User, "a", limits);
        transcript.push_said("said", limits);
        for text in ["c", "d", "e"] {
            transcript.push(Role::User, text, limits);
        }
        assert_eq!(contents(&transcript), ["said", "c", "d", "e"]);
        let mut only_said = Transcript::default();
        for text in ["1", "2", "3", "4", "5"] {
            only_said.push_said(text, limits);
        }
        assert_eq!(contents(&only_said), ["3", "4", "5"]);
    }

    #[test]
    fn a_long_entry_is_cut_in_the_middle_and_says_how_much_is_missing() {
        let text = format!("{}{}", "a".repeat(10), "z".repeat(10));
        assert_eq!(cut_middle(&text, 2), "aaaa\n[… 12 characters are missing here …]\nzzzz");
        assert_eq!(cut_middle("äöüß", 1), "äöüß");
    }
}
