//! Takes known secrets out of texts.

use std::{borrow::Cow, fmt};

use aho_corasick::{AhoCorasick, MatchKind};

use crate::{HIDDEN, Secret};

/// Replaces every secret it knows by [`HIDDEN`]: in log lines, errors, tool results and messages.
#[derive(Clone)]
pub struct Masker {
    secrets: AhoCorasick,
}

/// Secrets with fewer bytes are left alone: they are no secrets, and would be found in ordinary words.
const SHORTEST: usize = 6;

impl Masker {
    /// Knows these secrets.
    pub fn new<'a>(secrets: impl IntoIterator<Item = &'a Secret>) -> Self {
        let secrets = secrets
            .into_iter()
            .map(Secret::expose)
            .filter(|secret| secret.len() >= SHORTEST);
        let built = AhoCorasick::builder()
            .match_kind(MatchKind::LeftmostLongest)
            .build(secrets);
        #[expect(
            clippy::expect_used,
            reason = "it fails only when the secrets have more than 2^31 bytes together"
        )]
        let secrets = built.expect("the secrets of a configuration fit into a search automaton");
        Self { secrets }
    }

    /// The text without secrets; borrowed if there were none in it.
    pub fn mask<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let mut masked = String::new();
        let mut end = 0;
        for found in self.secrets.find_iter(text) {
            masked.push_str(text.get(end..found.start()).unwrap_or_default());
            masked.push_str(HIDDEN);
            end = found.end();
        }
        if end == 0 {
            return Cow::Borrowed(text);
        }
        masked.push_str(text.get(end..).unwrap_or_default());
        Cow::Owned(masked)
    }
}

impl Default for Masker {
    /// Knows no secrets.
    fn default() -> Self {
        Self::new([])
    }
}

/// Says nothing of the secrets: the automaton would print them letter by letter.
impl fmt::Debug for Masker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Masker")
            .field("secrets", &self.secrets.patterns_len())
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use super::Masker;
    use crate::Secret;

    fn masker(secrets: &[&str]) -> Masker {
        Masker::new(&secrets.iter().map(|&secret| Secret::new(secret)).collect::<Vec<_>>())
    }

    #[test]
    fn every_secret_is_replaced_wherever_it_stands() {
        let masker = masker(&["123456:ABC", "sk-live-1", "sk-live-123", "schlüssel", "secret"]);
        let cases = [
            ("", ""),
            ("nothing here", "nothing here"),
            ("sk-live-1", "[secret]"),
            ("a sk-live-1234 b sk-live-1 c", "a [secret]4 b [secret] c"),
            (
                "https://api.example/bot123456:ABC/getMe",
                "https://api.example/bot[secret]/getMe",
            ),
            ("ein schlüsselbund ✓", "ein [secret]bund ✓"),
            ("secretsecret", "[secret][secret]"),
            ("SK-LIVE-1 sk-live-", "SK-LIVE-1 sk-live-"),
        ];
        for (text, expected) in cases {
            assert_eq!(masker.mask(text), expected, "{text}");
        }
    }

    #[test]
    fn a_text_without_secrets_is_not_copied() {
        assert!(matches!(masker(&["123456:ABC"]).mask("plain"), Cow::Borrowed("plain")));
        assert!(matches!(Masker::default().mask("plain"), Cow::Borrowed("plain")));
    }

    #[test]
    fn secrets_that_are_too_short_are_left_alone() {
        assert_eq!(masker(&["", "abcde", "abcdef"]).mask("abcde abcdef"), "abcde [secret]");
    }

    #[test]
    fn a_masker_does_not_print_what_it_knows() {
        assert_eq!(format!("{:?}", masker(&["hunter22", "abc"])), "Masker { secrets: 1 }");
    }
}
