//! Signs that are read as letters though they are others: of other scripts, with marks, in boxes, as flags; and letters
//! told by signs alone. Pure.

use unicode_normalization::{UnicodeNormalization, char::is_combining_mark};

/// Letters of other scripts next to the Latin ones that they look like.
const ALIKE: [(&str, &str); 4] = [
    // Cyrillic
    ("авсԁеһіјкӏмнорԛгѕтуѵѡхүԝз", "abcdehijklmhopqrstyvwxyw3"),
    // Greek
    ("αβϲδεηικνορτυχγω", "abcdenikvoptuxyw"),
    // Armenian, Latin besides the usual letters
    ("օոսհցɑɡıȷſɩ", "onuhgagijsi"),
    // Small capitals, and letters that stand on their heads
    (
        "ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘʀꜱᴛᴜᴠᴡʏᴢɐɔǝɟƃɥᴉɾʞɯɹʇʌʍʎ",
        "abcdefghijklmnoprstuvwyzacefghijkmrtvwy",
    ),
];

/// The most signs that are neither letters nor of ordinary writing in one text: a few faces, and no alphabet of them.
const MOST_SIGNS: usize = 12;
/// So many groups of dots and dashes in a row are letters of a telegraph.
const MORSE: usize = 4;

/// A text in small Latin letters, as far as its signs are read as such.
pub(in crate::policy) fn latin(text: &str) -> String {
    let plain = text.nfkd().filter(|c| !is_combining_mark(*c));
    plain.flat_map(char::to_lowercase).map(read_as).collect()
}

fn read_as(sign: char) -> char {
    let letter = |from: u32, at: u32| char::from_u32(u32::from(b'a') + at - from);
    let boxed = match u32::from(sign) {
        at @ 0x1_F150..=0x1_F169 => letter(0x1_F150, at),
        at @ 0x1_F170..=0x1_F189 => letter(0x1_F170, at),
        at @ 0x1_F1E6..=0x1_F1FF => letter(0x1_F1E6, at),
        _ => None,
    };
    let alike = || {
        let mut pairs = ALIKE.iter().flat_map(|(these, those)| these.chars().zip(those.chars()));
        pairs.find(|(this, _)| *this == sign).map(|(_, that)| that)
    };
    match sign.is_ascii() {
        true => sign,
        false => boxed.or_else(alike).unwrap_or(sign),
    }
}

/// Whether a text tells by signs what letters would tell: in dots and dashes, or in the dots of the blind.
pub(in crate::policy) fn is_in_signs(text: &str) -> bool {
    text.contains(|c| matches!(c, '\u{2801}'..='\u{28ff}')) || is_telegraphed(text)
}

/// Whether a text holds more signs than one that is written for people.
pub(in crate::policy) fn is_full_of_signs(text: &str) -> bool {
    let is_usual = |c: char| c.is_ascii() || c.is_alphanumeric() || c.is_whitespace() || is_combining_mark(c);
    let is_punctuation = |c: char| matches!(c, '\u{a1}'..='\u{bf}' | '\u{2010}'..='\u{203e}' | '\u{20a0}'..='\u{20bf}' | '\u{3001}'..='\u{303f}' | '\u{200d}' | '\u{fe0f}');
    text.chars().filter(|c| !is_usual(*c) && !is_punctuation(*c)).count() > MOST_SIGNS
}

fn is_telegraphed(text: &str) -> bool {
    let is_dot = |c: char| matches!(c, '.' | '·' | '•' | '∙' | '*' | '⋅');
    let is_dash = |c: char| matches!(c, '-' | '_' | '–' | '—' | '−' | '‐' | '‑');
    let (mut groups, mut dots, mut dashes) = (0, false, false);
    for token in text.split(|c: char| c.is_whitespace() || c == '/') {
        if token.is_empty() {
            continue;
        }
        if !token.chars().all(|c| is_dot(c) || is_dash(c)) {
            (groups, dots, dashes) = (0, false, false);
            continue;
        }
        groups += 1;
        dots |= token.contains(is_dot);
        dashes |= token.contains(is_dash);
        if groups >= MORSE && dots && dashes {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_are_read_as_the_letters_that_they_look_like() {
        for (these, those) in ALIKE {
            assert_eq!(these.chars().count(), those.chars().count(), "{these}");
        }
        let cases = [
            ("sw\u{43e}rdf\u{456}sh", "swordfish"),
            ("sw\u{f6}rdf\u{ed}sh", "swordfish"),
            ("\u{3c3}word", "\u{3c3}word"),
            ("ꜱᴡᴏʀᴅꜰɪꜱʜ", "swordfish"),
            ("🅢🅦🅞🅡🅓", "sword"),
            ("🇸🇼🇴🇷🇩", "sword"),
            ("𝓼𝔀𝓸𝓻𝓭", "sword"),
            ("Ｓｗｏｒｄ", "sword"),
            ("Sword 4711", "sword 4711"),
        ];
        for (text, expected) in cases {
            assert_eq!(latin(text), expected, "{text}");
        }
    }

    #[test]
    fn letters_told_by_signs_are_none_of_a_text_for_people() {
        let cases = [
            ("... .-- --- .-. -..", true),
            ("·−/−−−/·−·/−··", true),
            ("⠎⠺⠕⠗⠙", true),
            ("- milk\n- bread\n- tea\n- salt\n- oil", false),
            ("Well ... I do not know - yet", false),
            ("| --- | --- | --- | --- |", false),
        ];
        for (text, expected) in cases {
            assert_eq!(is_in_signs(text), expected, "{text}");
        }
        assert!(is_full_of_signs(&"🔴🔵".repeat(8)));
        assert!(!is_full_of_signs("Grüße 🎉 – bis morgen … 5 € 😀"));
    }
}
