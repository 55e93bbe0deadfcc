//! How a secret may be written: as it is, encoded, turned around, and spelled. Pure.

use base64::{
    Engine as _,
    engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD},
};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::Value;

use crate::{Secret, hex};

/// Secrets with fewer bytes are left alone: they are no secrets, and would be found in ordinary words.
const SHORTEST: usize = 6;
/// A secret with fewer letters and digits is not looked for between other signs: ordinary words would hold it.
const SPELLED: usize = 16;
/// More bytes than these between two letters, and nobody reads them as one word.
const FURTHEST: usize = 16;
/// Stands between such letters: no letter and no digit.
const APART: char = ' ';

/// The texts by which a secret is found, letter by letter.
pub(super) fn exact(secret: &Secret) -> Vec<String> {
    let text = secret.expose();
    if text.len() < SHORTEST {
        return Vec::new();
    }
    let json = Value::from(text).to_string();
    let hexadecimal = hex(text.as_bytes());
    let mut forms = vec![
        text.to_owned(),
        json.trim_matches('"').to_owned(),
        utf8_percent_encode(text, NON_ALPHANUMERIC).to_string(),
        text.chars().rev().collect(),
        hexadecimal.to_uppercase(),
        hexadecimal,
        STANDARD_NO_PAD.encode(text),
        URL_SAFE_NO_PAD.encode(text),
    ];
    for before in 0..3 {
        forms.extend(within_base64(text, before));
    }
    forms
}

/// The letters and digits by which a secret is found whatever stands between them, in either case.
pub(super) fn spelled(secret: &Secret) -> Vec<String> {
    let text = secret.expose();
    let letters = |text: &str| letters(text).map(|(_, letter)| letter).collect::<String>();
    let plain = letters(text);
    if plain.chars().count() < SPELLED {
        return Vec::new();
    }
    vec![
        plain.chars().rev().collect(),
        letters(&utf8_percent_encode(text, NON_ALPHANUMERIC).to_string()),
        hex(text.as_bytes()),
        plain,
    ]
}

/// Hands over the letters and digits of a text, each with the bytes that it stands in; a space for what stands between
/// two that nobody reads as one word.
pub(super) fn spell(text: &str, mut hand: impl FnMut((usize, usize), char)) {
    let mut end = 0;
    for (place, letter) in letters(text) {
        if place.0 - end > FURTHEST {
            hand((end, place.0), APART);
        }
        hand(place, letter);
        end = place.1;
    }
    if text.len() - end > FURTHEST {
        hand((end, text.len()), APART);
    }
}

/// The same without places.
pub(super) fn only_letters(text: &str) -> String {
    let mut found = String::with_capacity(text.len());
    spell(text, |_, letter| found.push(letter));
    found
}

/// The letters and digits of a text, in lower case, each with the bytes that it stands in.
fn letters(text: &str) -> impl Iterator<Item = ((usize, usize), char)> {
    let those = text.char_indices().filter(|(_, letter)| letter.is_alphanumeric());
    those.map(|(at, letter)| ((at, at + letter.len_utf8()), letter.to_ascii_lowercase()))
}

/// The signs of Base64 that tell nothing but a secret that stands behind so many bytes, and before others.
fn within_base64(text: &str, before: usize) -> [String; 2] {
    let bytes = [&vec![0; before], text.as_bytes()].concat();
    // A sign holds six bits: the first of these hold some of what is before, the last one some of what follows.
    let first = (before * 8).div_ceil(6);
    let last = bytes.len() * 8 / 6;
    [STANDARD_NO_PAD.encode(&bytes), URL_SAFE_NO_PAD.encode(&bytes)]
        .map(|encoded| encoded.get(first..last).unwrap_or_default().to_owned())
}
