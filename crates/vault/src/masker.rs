//! Takes known secrets out of texts.

use std::{
    borrow::Cow,
    collections::BTreeSet,
    fmt,
    ops::Bound,
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
    known: RwLock<KnownSecrets>,
}

struct KnownSecrets {
    forms: BTreeSet<String>,
    /// How many bytes the longest form has.
    longest: usize,
    automaton: AhoCorasick,
}

/// Secrets with fewer bytes are left alone: they are no secrets, and would be found in ordinary words.
const SHORTEST: usize = 6;

impl Masker {
    /// Knows these secrets.
    pub fn new<'a>(secrets: impl IntoIterator<Item = &'a Secret>) -> Self {
        let forms = secrets.into_iter().flat_map(forms).collect();
        Self {
            known: RwLock::new(KnownSecrets::new(forms)),
        }
    }

    /// Knows one more from now on.
    pub fn learn(&self, secret: &Secret) {
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        let before = known.forms.len();
        let mut all = known.forms.clone();
        all.extend(forms(secret));
        if all.len() > before {
            *known = KnownSecrets::new(all);
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

    /// As much of a text that is still being written as more text cannot change once it is masked: what stands behind it
    /// may be the beginning of a secret.
    pub fn settled<'a>(&self, text: &'a str) -> &'a str {
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        let end = known.open(text);
        // A secret that was found is shown as one or not at all.
        let cut = (known.automaton.find_iter(text)).find(|found| found.start() < end && end < found.end());
        text.get(..cut.map_or(end, |found| found.start())).unwrap_or_default()
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

impl KnownSecrets {
    fn new(forms: BTreeSet<String>) -> Self {
        let built = AhoCorasick::builder()
            .match_kind(MatchKind::LeftmostLongest)
            .build(&forms);
        #[expect(
            clippy::expect_used,
            reason = "it fails only when the secrets have more than 2^31 bytes together"
        )]
        let automaton = built.expect("the secrets of a configuration fit into a search automaton");
        let longest = forms.iter().map(String::len).max().unwrap_or(0);
        Self {
            forms,
            longest,
            automaton,
        }
    }

    /// Where the end of a text begins that may go on as a secret.
    fn open(&self, text: &str) -> usize {
        let first = text.len().saturating_sub(self.longest);
        let goes_on = |end: &str| {
            let longer = (Bound::Excluded(end), Bound::Unbounded);
            (self.forms.range::<str, _>(longer).next()).is_some_and(|form| form.starts_with(end))
        };
        (first..text.len())
            .find(|at| text.get(*at..).is_some_and(goes_on))
            .unwrap_or(text.len())
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

    use proptest::prelude::*;
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
    fn what_may_become_a_secret_is_not_settled() {
        let masker = masker(&["hunter22", "hunter22-long", "22-other"]);
        let cases = [
            ("", ""),
            ("plain", "plain"),
            ("plain h", "plain "),
            ("say hunter2", "say "),
            ("say hunter22", "say "),
            ("say hunter22.", "say hunter22."),
            ("say hunter22-long", "say hunter22-long"),
            ("say hunter22-lo ", "say hunter22-lo "),
            ("ü", "ü"),
        ];
        for (text, expected) in cases {
            assert_eq!(masker.settled(text), expected, "{text}");
        }
    }

    proptest! {
        #[test]
        fn what_is_settled_only_grows_and_holds_no_secret(text in "[ab]{0,40}", cut in 0..40_usize) {
            let masker = masker(&["aabbab", "bbabaa", "aabbabbb", "abbaab"]);
            let cut = cut.min(text.len());
            let (early, late) = (masker.mask(masker.settled(&text[..cut])), masker.mask(&text));
            prop_assert!(late.starts_with(&*early), "{early} and then {late}");
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
        assert_eq!(format!("{:?}", masker(&["hunter22", "abc"])), "Masker { .. }");
    }
}
