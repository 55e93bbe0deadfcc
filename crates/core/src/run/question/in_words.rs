//! Answers to a question in one word, in the languages that people write to the bot. Pure.

/// Words that approve. None of them means anything else in another language: Polish `tak` is thanks in Danish, Ukrainian
/// `так` is so in Russian.
const YES: [&str; 19] = [
    "yes", "yep", "yeah", "ja", "jawohl", "oui", "sí", "si", "sì", "sim", "да", "evet", "はい", "是", "是的", "好",
    "네", "ναι", "نعم",
];
/// Words that deny.
const NO: [&str; 21] = [
    "no",
    "nope",
    "nein",
    "nee",
    "nej",
    "nei",
    "non",
    "não",
    "nao",
    "нет",
    "ні",
    "nie",
    "hayır",
    "いいえ",
    "不",
    "否",
    "不是",
    "아니요",
    "όχι",
    "لا",
    "nah",
];
/// Signs that may stand behind the word.
const ENDS: [char; 6] = ['.', '!', '。', '！', ' ', '\n'];

/// Whether a text approves, or denies; nothing, if it is anything else than one such word. "Yes, but" is no answer.
pub fn in_words(text: &str) -> Option<bool> {
    let word = text.trim().trim_end_matches(ENDS).to_lowercase();
    match word.as_str() {
        word if YES.contains(&word) => Some(true),
        word if NO.contains(&word) => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_word_answers_and_nothing_else_does() {
        for (text, expected) in [
            ("yes", Some(true)),
            (" Yes!", Some(true)),
            ("JA.", Some(true)),
            ("Sí", Some(true)),
            ("да", Some(true)),
            ("はい。", Some(true)),
            ("no", Some(false)),
            ("Nein!\n", Some(false)),
            ("нет", Some(false)),
            ("NÃO", Some(false)),
            ("yes, but to 25", None),
            ("yes?", None),
            ("yes yes", None),
            ("tak", None),
            ("\"yes\"", None),
            ("y\u{435}s", None),
            ("yes\u{200b}", None),
            ("not yes", None),
            ("", None),
            ("!", None),
        ] {
            assert_eq!(in_words(text), expected, "{text:?}");
        }
        assert!(YES.iter().all(|word| !NO.contains(word)));
    }
}
