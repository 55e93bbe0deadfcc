//! Takes known secrets out of texts.

use std::{
    borrow::Cow,
    collections::BTreeSet,
    fmt,
    sync::{PoisonError, RwLock},
};

use aho_corasick::{AhoCorasick, MatchKind};
use base64::{
    Engine as _,
    engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD},
};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::Value;

use crate::{HIDDEN, Secret};

/// Replaces every secret it knows by [`HIDDEN`]: in log lines, errors, prompts, tool results and messages. A secret is
/// found as it is, and as JSON, a web address or Base64 write it.
pub struct Masker {
    known: RwLock<Known>,
}

struct Known {
    forms: BTreeSet<String>,
    automaton: AhoCorasick,
}

/// Secrets with fewer bytes are left alone: they are no secrets, and would be found in ordinary words.
const SHORTEST: usize = 6;

impl Masker {
    /// Knows these secrets.
    pub fn new<'a>(secrets: impl IntoIterator<Item = &'a Secret>) -> Self {
        let forms = secrets.into_iter().flat_map(forms).collect();
        Self {
            known: RwLock::new(Known::new(forms)),
        }
    }

    /// Knows one more from now on.
    pub fn learn(&self, secret: &Secret) {
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        let before = known.forms.len();
        let mut all = known.forms.clone();
        all.extend(forms(secret));
        if all.len() > before {
            *known = Known::new(all);
        }
    }

    /// The text without secrets; borrowed if there were none in it.
    pub fn mask<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        let mut masked = String::new();
        let mut end = 0;
        for found in known.automaton.find_iter(text) {
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

    /// The same of every text in a value, names of fields too. A number that is a secret becomes a text.
    #[must_use]
    pub fn mask_json(&self, value: Value) -> Value {
        match value {
            Value::String(text) => Value::String(self.mask(&text).into_owned()),
            Value::Array(items) => items.into_iter().map(|item| self.mask_json(item)).collect(),
            Value::Object(fields) => (fields.into_iter())
                .map(|(name, value)| (self.mask(&name).into_owned(), self.mask_json(value)))
                .collect(),
            Value::Number(number) => match self.mask(&number.to_string()) {
                Cow::Borrowed(_) => Value::Number(number),
                Cow::Owned(masked) => Value::String(masked),
            },
            other => other,
        }
    }
}

impl Known {
    fn new(forms: BTreeSet<String>) -> Self {
        let built = AhoCorasick::builder()
            .match_kind(MatchKind::LeftmostLongest)
            .build(&forms);
        #[expect(
            clippy::expect_used,
            reason = "it fails only when the secrets have more than 2^31 bytes together"
        )]
        let automaton = built.expect("the secrets of a configuration fit into a search automaton");
        Self { forms, automaton }
    }
}

/// How a secret may be written.
fn forms(secret: &Secret) -> Vec<String> {
    let text = secret.expose();
    if text.len() < SHORTEST {
        return Vec::new();
    }
    let json = Value::from(text).to_string();
    vec![
        text.to_owned(),
        json.trim_matches('"').to_owned(),
        utf8_percent_encode(text, NON_ALPHANUMERIC).to_string(),
        STANDARD_NO_PAD.encode(text),
        URL_SAFE_NO_PAD.encode(text),
    ]
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
        f.debug_struct("Masker").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use serde_json::json;

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
    fn a_secret_is_found_however_it_is_written() {
        let masker = masker(&["a\"b\\c/ü d"]);
        let cases = [
            (r#"{"key":"a\"b\\c/ü d"}"#, r#"{"key":"[secret]"}"#),
            ("?key=a%22b%5Cc%2F%C3%BC%20d&x", "?key=[secret]&x"),
            ("YSJiXGMvw7wgZA==", "[secret]=="),
        ];
        for (text, expected) in cases {
            assert_eq!(masker.mask(text), expected, "{text}");
        }
    }

    #[test]
    fn every_part_of_a_value_is_looked_at() {
        let masker = masker(&["hunter22", "12345678", "x\",\"y\":\""]);
        let value = json!({ "hunter22": ["a hunter22 b", { "n": 12_345_678, "m": 7 }], "x": "x\",\"y\":\"z" });
        let expected = json!({ "[secret]": ["a [secret] b", { "n": "[secret]", "m": 7 }], "x": "[secret]z" });
        assert_eq!(masker.mask_json(value), expected);
    }

    #[test]
    fn a_secret_may_be_learnt_later() {
        let masker = masker(&["first-one"]);
        assert_eq!(masker.mask("second-one"), "second-one");
        masker.learn(&Secret::new("second-one"));
        assert_eq!(masker.mask("first-one second-one"), "[secret] [secret]");
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
        assert_eq!(format!("{:?}", masker(&["hunter22", "abc"])), "Masker { .. }");
    }
}
