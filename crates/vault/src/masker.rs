//! Takes known secrets out of texts.

mod forms;
mod patterns;

use std::{
    borrow::Cow,
    fmt,
    ops::Range,
    sync::{PoisonError, RwLock},
};

use serde_json::Value;

use self::patterns::Patterns;
use crate::{HIDDEN, Secret};

/// Replaces every secret it knows by [`HIDDEN`]: in log lines, errors, prompts, tool results and messages. A secret is
/// found as it is, turned around, and as JSON, a web address, hexadecimal digits or Base64 write it. A long one is found
/// in either case, and whatever stands between its letters.
pub struct Masker {
    known: RwLock<KnownSecrets>,
}

struct KnownSecrets {
    exact: Patterns,
    spelled: Patterns,
}

impl Masker {
    /// Knows these secrets.
    pub fn new<'a>(secrets: impl IntoIterator<Item = &'a Secret>) -> Self {
        let secrets: Vec<_> = secrets.into_iter().collect();
        let known = KnownSecrets {
            exact: Patterns::new(secrets.iter().flat_map(|secret| forms::exact(secret))),
            spelled: Patterns::new(secrets.iter().flat_map(|secret| forms::spelled(secret))),
        };
        Self {
            known: RwLock::new(known),
        }
    }

    /// Knows one more from now on.
    pub fn learn(&self, secret: &Secret) {
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        known.exact.add(forms::exact(secret));
        known.spelled.add(forms::spelled(secret));
    }

    /// The text without secrets; borrowed if there were none in it.
    pub fn mask<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        let mut masked = String::new();
        let mut end = 0;
        for found in known.find(text) {
            masked.push_str(text.get(end..found.start).unwrap_or_default());
            masked.push_str(HIDDEN);
            end = found.end;
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
        let mut found = known.find(text).into_iter();
        let cut = found.find(|found| found.start < end && end < found.end);
        text.get(..cut.map_or(end, |found| found.start)).unwrap_or_default()
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
    /// Where secrets stand, from left to right; none overlaps another.
    fn find(&self, text: &str) -> Vec<Range<usize>> {
        let mut found: Vec<_> = self.exact.find(text).collect();
        // Nearly no text has one: where its letters stand is only asked if it does.
        if !self.spelled.is_empty() && self.spelled.is_in(&forms::only_letters(text)) {
            let letters = Letters::of(text);
            found.extend(self.spelled.find(&letters.text).map(|at| letters.range(&at)));
            found.sort_by_key(|at| at.start);
        }
        found.into_iter().fold(Vec::new(), |mut apart: Vec<Range<usize>>, at| {
            match apart.last_mut() {
                Some(last) if at.start < last.end => last.end = last.end.max(at.end),
                _ => apart.push(at),
            }
            apart
        })
    }

    /// Where the end of a text begins that may go on as a secret.
    fn open(&self, text: &str) -> usize {
        let exact = self.exact.open(text);
        if self.spelled.is_empty() {
            return exact;
        }
        let letters = Letters::of(text);
        let open = self.spelled.open(&letters.text);
        letters.start(open).map_or(exact, |spelled| spelled.min(exact))
    }
}

/// The letters and digits of a text.
struct Letters {
    text: String,
    /// For each byte of them, the bytes of the text that its letter stands in.
    places: Vec<(usize, usize)>,
}

impl Letters {
    fn of(text: &str) -> Self {
        let (mut found, mut places) = (String::with_capacity(text.len()), Vec::with_capacity(text.len()));
        forms::spell(text, |place, letter| {
            found.push(letter);
            places.resize(found.len(), place);
        });
        Self { text: found, places }
    }

    /// Where a letter begins in the text.
    fn start(&self, at: usize) -> Option<usize> {
        self.places.get(at).map(|place| place.0)
    }

    /// Where letters stand in the text, with what is between them.
    fn range(&self, at: &Range<usize>) -> Range<usize> {
        let start = self.start(at.start).unwrap_or_default();
        let last = at.end.checked_sub(1).and_then(|last| self.places.get(last));
        start..last.map_or(start, |place| place.1)
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
            ("1-evil-ks", "[secret]"),
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

    /// Base64, as everybody writes it.
    fn base64(text: &str) -> String {
        base64::Engine::encode(&base64::engine::general_purpose::STANDARD, text)
    }

    #[test]
    fn a_secret_is_found_in_a_longer_text_that_was_encoded() {
        let masker = masker(&["sk-live-0123456789"]);
        for (before, after) in [
            ("", ""),
            ("a", "b"),
            ("ab", "cd"),
            ("abc", "d"),
            ("key=", "&x"),
            ("Bearer ", "\r\n"),
        ] {
            let text = format!("{before}sk-live-0123456789{after}");
            let masked = masker.mask(&base64(&text)).into_owned();
            assert!(masked.contains("[secret]"), "{masked}");
            // The rest of it is less than two letters on either side.
            let left = masked.replace("[secret]", "").trim_end_matches('=').len();
            assert!(left <= (before.len() + after.len()) * 4 / 3 + 4, "{masked}");
        }
        let hexadecimal = crate::hex("a sk-live-0123456789 b".as_bytes());
        assert_eq!(masker.mask(&hexadecimal), "6120[secret]2062");
        assert_eq!(masker.mask(&hexadecimal.to_uppercase()), "6120[secret]2062");
    }

    #[test]
    fn a_long_secret_is_found_however_it_is_spelled() {
        let masker = masker(&["sk-live-0123456789ABC", "hunter22"]);
        for spelled in [
            "s k - l i v e - 0 1 2 3 4 5 6 7 8 9 A B C",
            "SK-LIVE-0123456789abc",
            "s.k.l.i.v.e.0.1.2.3.4.5.6.7.8.9.A.B.C",
            "sk\u{200b}-live-\n0123456789ABC",
            "sk live 0123 4567 89ABC",
            "CBA9876543210-evil-ks",
            "C B A 9 8 7 6 5 4 3 2 1 0 - e v i l - k s",
            "73 6b 2d 6c 69 76 65 2d 30 31 32 33 34 35 36 37 38 39 41 42 43",
            "sk%2dlive%2d0123456789ABC",
        ] {
            assert_eq!(
                masker.mask(&format!("it is «{spelled}».")),
                "it is «[secret]».",
                "{spelled}"
            );
        }
        // A short one would be found in ordinary words.
        assert_eq!(masker.mask("h u n t e r 2 2"), "h u n t e r 2 2");
        assert_eq!(masker.mask("sk-live-0123456789AB"), "sk-live-0123456789AB");
        let far = format!("sk-live-{}0123456789ABC", "-".repeat(20));
        assert_eq!(masker.mask(&far), far);
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
            // Its last letter may begin another one: all of them are looked for from their ends, too.
            ("say hunter22-long", "say "),
            ("say hunter22-long.", "say hunter22-long."),
            ("say hunter22-lo ", "say hunter22-lo "),
            ("ü", "ü"),
        ];
        for (text, expected) in cases {
            assert_eq!(masker.settled(text), expected, "{text}");
        }
        let masker = self::masker(&["q0123-4567-89ab-cdef"]);
        for (text, expected) in [
            ("it is q 0 1 2 ", "it is "),
            ("it is Q0 - 12.", "it is "),
            ("it is q 0 1 z", "it is q 0 1 z"),
            // Nothing that stands so far away belongs to it.
            ("it is q                       ", "it is q                       "),
        ] {
            assert_eq!(masker.settled(text), expected, "{text}");
        }
    }

    proptest! {
        #[test]
        fn what_is_settled_of_something_spelled_only_grows(
            pieces in prop::collection::vec(prop::sample::select(vec!["aabbab", "AB", "bab", " ", "-", "ü"]), 0..16),
            cut in 0..80_usize,
        ) {
            let masker = masker(&["aabbab-ababbababab", "bababaabbabababa", "ab-aab"]);
            let text = pieces.concat();
            let cut = text.floor_char_boundary(cut.min(text.len()));
            let (early, late) = (masker.mask(masker.settled(&text[..cut])), masker.mask(&text));
            prop_assert!(late.starts_with(&*early), "{early} and then {late}");
        }

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
