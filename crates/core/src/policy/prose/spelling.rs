//! Other ways to write a word: turned around, shifted, encoded, in signs that look alike. Pure.

use base64::{
    Engine as _, alphabet,
    engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig},
};

/// Numbers in words, of three languages.
const NUMBERS: [&str; 30] = [
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "null", "eins", "zwei", "drei",
    "vier", "fünf", "sechs", "sieben", "acht", "neun", "cero", "uno", "dos", "tres", "cuatro", "cinco", "seis",
    "siete", "ocho", "nueve",
];

/// Whether three numbers in a row are written in words.
pub(super) fn is_spelled_number(text: &str) -> bool {
    let mut row = 0;
    crate::policy::phrase::pieces(text).any(|word| {
        row = if NUMBERS.contains(&word.as_str()) { row + 1 } else { 0 };
        row >= 3
    })
}

/// What a word may stand for that was turned around, shifted through the alphabet, or written in digits for letters.
pub(super) fn readings(word: &str) -> Vec<String> {
    let turned = word.chars().rev().collect();
    let shifted = (1..26_u8).map(|by| word.chars().map(|c| shift(c, by)).collect());
    let mirrored = word.chars().map(|c| match c {
        'a'..='z' => char::from(b'a' + (b'z' - c as u8)),
        other => other,
    });
    let plain = word.chars().map(|c| match c {
        '0' => 'o',
        '1' => 'i',
        '3' => 'e',
        '4' => 'a',
        '5' => 's',
        '7' => 't',
        other => other,
    });
    [turned, mirrored.collect(), plain.collect()]
        .into_iter()
        .chain(shifted)
        .collect()
}

fn shift(c: char, by: u8) -> char {
    match c {
        'a'..='z' => char::from(b'a' + (c as u8 - b'a' + by) % 26),
        other => other,
    }
}

/// The texts that a piece of text encodes: in base64, in hexadecimal digits, in escapes of addresses.
pub(super) fn decoded(token: &str) -> Vec<String> {
    let bare = token.trim_matches(|c: char| !c.is_ascii_alphanumeric() && c != '=');
    let config = GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true);
    let engines = [alphabet::STANDARD, alphabet::URL_SAFE].map(|letters| GeneralPurpose::new(&letters, config));
    let mut texts: Vec<Vec<u8>> = engines.iter().filter_map(|engine| engine.decode(bare).ok()).collect();
    let digits: Option<Vec<_>> = (bare.len() % 2 == 0 && bare.len() >= 8)
        .then(|| {
            let pairs = (0..bare.len()).step_by(2);
            pairs
                .map(|at| u8::from_str_radix(bare.get(at..at + 2)?, 16).ok())
                .collect()
        })
        .flatten();
    texts.extend(digits);
    let mut texts: Vec<_> = texts
        .into_iter()
        .filter_map(|bytes| String::from_utf8(bytes).ok())
        .collect();
    if token.contains('%') {
        texts.extend(url::form_urlencoded::parse(token.as_bytes()).map(|(name, value)| format!("{name} {value}")));
    }
    texts
}
