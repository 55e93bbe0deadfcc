//! Other ways to write a word: turned around, shifted, encoded, in signs that look alike. Pure.

use base64::{
    Engine as _, alphabet,
    engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig},
};

use crate::policy::texts;

/// Numbers in words, of some languages, and the digits that they stand for.
const NUMBERS: [(&str, &str); 90] = [
    ("zero", "0"),
    ("two", "2"),
    ("three", "3"),
    ("four", "4"),
    ("five", "5"),
    ("six", "6"),
    ("seven", "7"),
    ("eight", "8"),
    ("nine", "9"),
    ("ten", "10"),
    ("eleven", "11"),
    ("twelve", "12"),
    ("thirteen", "13"),
    ("fourteen", "14"),
    ("fifteen", "15"),
    ("sixteen", "16"),
    ("seventeen", "17"),
    ("eighteen", "18"),
    ("nineteen", "19"),
    ("twenty", "2"),
    ("thirty", "3"),
    ("forty", "4"),
    ("fifty", "5"),
    ("sixty", "6"),
    ("seventy", "7"),
    ("eighty", "8"),
    ("ninety", "9"),
    ("hundred", ""),
    ("null", "0"),
    ("zwei", "2"),
    ("zwo", "2"),
    ("drei", "3"),
    ("vier", "4"),
    ("fünf", "5"),
    ("sechs", "6"),
    ("sieben", "7"),
    ("acht", "8"),
    ("neun", "9"),
    ("zehn", "10"),
    ("elf", "11"),
    ("zwölf", "12"),
    ("zwanzig", "2"),
    ("dreißig", "3"),
    ("vierzig", "4"),
    ("fünfzig", "5"),
    ("sechzig", "6"),
    ("siebzig", "7"),
    ("achtzig", "8"),
    ("neunzig", "9"),
    ("deux", "2"),
    ("trois", "3"),
    ("quatre", "4"),
    ("cinq", "5"),
    ("sept", "7"),
    ("huit", "8"),
    ("neuf", "9"),
    ("dix", "10"),
    ("onze", "11"),
    ("douze", "12"),
    ("vingt", "2"),
    ("trente", "3"),
    ("quarante", "4"),
    ("cinquante", "5"),
    ("soixante", "6"),
    ("cero", "0"),
    ("dos", "2"),
    ("tres", "3"),
    ("cuatro", "4"),
    ("cinco", "5"),
    ("seis", "6"),
    ("siete", "7"),
    ("ocho", "8"),
    ("nueve", "9"),
    ("diez", "10"),
    ("veinte", "2"),
    ("treinta", "3"),
    ("cuarenta", "4"),
    ("tre", "3"),
    ("quattro", "4"),
    ("cinque", "5"),
    ("sette", "7"),
    ("otto", "8"),
    ("nove", "9"),
    ("dieci", "10"),
    ("twee", "2"),
    ("drie", "3"),
    ("vijf", "5"),
    ("zes", "6"),
    ("zeven", "7"),
    ("negen", "9"),
];
/// Numbers that are articles, too.
const ONES: [&str; 6] = ["one", "eins", "un", "uno", "une", "een"];

/// The digits that a word stands for.
pub(super) fn number(word: &str) -> Option<String> {
    let plain = NUMBERS
        .iter()
        .find(|(name, _)| *name == word)
        .map(|(_, digits)| (*digits).to_owned());
    // `achtundvierzig`: the last digit is said first.
    let joined = || {
        let (one, ten) = word.split_once("und")?;
        let ten = NUMBERS.iter().find(|(name, _)| *name == ten)?.1;
        let one = if one == "ein" {
            "1"
        } else {
            NUMBERS.iter().find(|(name, _)| *name == one)?.1
        };
        Some(format!("{ten}{one}"))
    };
    // `neunzehn`, `nineteen` of other numbers.
    let teen = || {
        let one = ["zehn", "teen"].iter().find_map(|ending| word.strip_suffix(ending))?;
        Some(format!("1{}", NUMBERS.iter().find(|(name, _)| *name == one)?.1))
    };
    plain.or_else(joined).or_else(teen)
}

/// The digits of a number in Roman letters.
pub(super) fn roman(word: &str) -> Option<u32> {
    let of = |c: char| match c {
        'I' => Some(1),
        'V' => Some(5),
        'X' => Some(10),
        _ => None,
    };
    let values: Vec<u32> = word.chars().map(of).collect::<Option<_>>()?;
    let behind = |at: usize| values.get(at + 1).copied().unwrap_or(0);
    let signed = values
        .iter()
        .enumerate()
        .fold((0_u32, 0_u32), |(plus, minus), (at, value)| {
            if *value < behind(at) {
                (plus, minus + value)
            } else {
                (plus + value, minus)
            }
        });
    (!values.is_empty()).then(|| signed.0.saturating_sub(signed.1))
}

/// Whether a word is a one, and an article as often.
pub(super) fn is_one(word: &str) -> bool {
    ONES.contains(&word)
}

/// How many digits a text tells in words or in Roman letters that its person did not write so.
pub(in crate::policy) fn counted(text: &str, is_said: impl Fn(&str) -> bool) -> usize {
    let words: Vec<_> = texts::pieces(text).filter(|word| !is_said(word)).collect();
    let spelled: usize = words
        .iter()
        .filter_map(|word| number(word))
        .map(|digits| digits.len().max(1))
        .sum();
    let ones = words.iter().filter(|word| is_one(word)).count();
    let tokens: Vec<_> = text
        .split(|c: char| !c.is_alphanumeric())
        .filter(|token| roman(token).is_some())
        .collect();
    // An I is somebody.
    let is_row = tokens.iter().any(|token| *token != "I");
    let romans = if is_row {
        tokens.iter().filter(|token| !is_said(&token.to_lowercase())).count()
    } else {
        0
    };
    spelled + if spelled > 0 { ones } else { 0 } + romans
}

/// The readings of a word that was turned around, shifted through the alphabet, or written in digits for letters; not the
/// word itself.
pub(in crate::policy) fn readings(word: &str) -> Vec<String> {
    let turned: String = word.chars().rev().collect();
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
    let mut readings = vec![turned, plain.collect()];
    // Other letters and digits have no place in the alphabet.
    if word.contains(|c: char| c.is_ascii_lowercase()) {
        let shifted = (1..26_u8).map(|by| word.chars().map(|c| shift(c, by)).collect());
        readings.extend(std::iter::once(mirrored.collect()).chain(shifted));
    }
    readings
}

fn shift(c: char, by: u8) -> char {
    match c {
        'a'..='z' => char::from(b'a' + (c as u8 - b'a' + by) % 26),
        other => other,
    }
}

/// Base64 in both of its alphabets, as leniently as anybody reads it.
static BASE64: [GeneralPurpose; 2] = [
    GeneralPurpose::new(&alphabet::STANDARD, LENIENT),
    GeneralPurpose::new(&alphabet::URL_SAFE, LENIENT),
];
const LENIENT: GeneralPurposeConfig = GeneralPurposeConfig::new()
    .with_decode_padding_mode(DecodePaddingMode::Indifferent)
    .with_decode_allow_trailing_bits(true);

/// The texts that a piece of text encodes: in base64, in hexadecimal digits, in escapes of addresses.
pub(in crate::policy) fn decoded(token: &str) -> Vec<String> {
    let bare = token.trim_matches(|c: char| !c.is_ascii_alphanumeric() && c != '=');
    let mut texts: Vec<Vec<u8>> = BASE64.iter().filter_map(|engine| engine.decode(bare).ok()).collect();
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
