//! Detects texts that look like secrets: keys, tokens, passwords, card numbers. Such things are not remembered.

/// Words for a secret; as a word of a key, or before `:`, `=` or "is" in a value.
const WORDS: [&str; 19] = [
    "password",
    "passwd",
    "passphrase",
    "passcode",
    "passwort",
    "kennwort",
    "contraseña",
    "contrasena",
    "senha",
    "pwd",
    "pin",
    "cvv",
    "cvc",
    "secret",
    "token",
    "apikey",
    "api_key",
    "access_key",
    "private_key",
];
/// Words of a key that make it one for a secret.
const IN_KEYS: [&str; 4] = ["api_key", "access_key", "private_key", "card_number"];
/// The words between such a word and the secret.
const IS: [&str; 6] = ["is", "was", "ist", "lautet", "es", "are"];
/// How the keys and tokens of well-known services begin.
const PREFIXES: [&str; 29] = [
    "sk-",
    "sk_live_",
    "sk_test_",
    "rk_live_",
    "pk_live_",
    "ghp_",
    "gho_",
    "ghu_",
    "ghs_",
    "ghr_",
    "github_pat_",
    "glpat-",
    "xoxb-",
    "xoxp-",
    "xoxa-",
    "xoxs-",
    "xapp-",
    "AKIA",
    "ASIA",
    "AIza",
    "ya29.",
    "hf_",
    "npm_",
    "pypi-",
    "SG.",
    "dop_v1_",
    "shpat_",
    "eyJ",
    "whsec_",
];
/// A shorter rest behind such a prefix is an ordinary word.
const SHORTEST_REST: usize = 12;
/// The shortest word that is judged by how random it looks.
const SHORTEST_RANDOM: usize = 20;

/// Why a key or a value is not remembered. `None`: it is no secret, as far as one can tell.
pub fn why_secret(key: &str, value: &str) -> Option<&'static str> {
    if names_a_secret(key) {
        return Some("the key names a secret");
    }
    if value.contains("-----BEGIN") || value.contains("PRIVATE KEY") {
        return Some("the value looks like a private key");
    }
    if tells_a_secret(value) {
        return Some("the value looks like a password");
    }
    if [key, value].into_iter().flat_map(tokens).any(is_token) {
        return Some("the value looks like a key or a token");
    }
    if has_card_number(value) {
        return Some("the value looks like a card number");
    }
    None
}

/// Whether a word is written as keys and tokens are.
pub fn looks_like_key(word: &str) -> bool {
    let is_one = tokens(word).next() == Some(word);
    is_one && is_token(word)
}

fn names_a_secret(key: &str) -> bool {
    let key = key.to_lowercase();
    key.split('_').any(|word| WORDS.contains(&word)) || IN_KEYS.iter().any(|part| key.contains(part))
}

/// `password: …`, `password = …`, "the password is …", `--token …`.
fn tells_a_secret(value: &str) -> bool {
    let lower = value.to_lowercase();
    let words: Vec<&str> = lower.split_whitespace().collect();
    words.iter().enumerate().any(|(place, word)| {
        let word = word.trim_start_matches(|c: char| !c.is_alphanumeric());
        let end = word
            .find(|c: char| !c.is_alphanumeric() && c != '_' && c != '-')
            .unwrap_or(word.len());
        let (name, sign) = word.split_at(end);
        let name = name.replace('-', "_");
        // "API key": two words.
        let joined = place
            .checked_sub(1)
            .and_then(|before| words.get(before))
            .map(|before| format!("{}_{name}", before.trim_matches(|c: char| !c.is_alphanumeric())));
        let is_word = WORDS.contains(&name.as_str()) || joined.is_some_and(|joined| WORDS.contains(&joined.as_str()));
        let next = words.get(place + 1);
        is_word
            && (sign.trim_start_matches(['"', '\'', '`', ')']).starts_with([':', '='])
                || next.is_some_and(|next| IS.contains(next) || next.starts_with([':', '='])))
    })
}

/// Words as keys and tokens are written.
fn tokens(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '_' | '-' | '+' | '=' | '.' | ':'))
}

fn is_token(word: &str) -> bool {
    let word = word.trim_matches(['.', ':', '=', '-']);
    let has = |test: fn(&char) -> bool| word.chars().filter(test).count();
    let known = PREFIXES.iter().any(|prefix| {
        word.strip_prefix(prefix)
            .is_some_and(|rest| rest.len() >= SHORTEST_REST && !rest.contains(':'))
    });
    // A number of an account before its secret, whatever service: among the platforms Telegram's tokens are of this shape.
    let numbered = word
        .split_once(':')
        .is_some_and(|(id, rest)| id.len() >= 8 && id.bytes().all(|byte| byte.is_ascii_digit()) && rest.len() >= 30);
    known || numbered || {
        let digits = has(char::is_ascii_digit);
        let hex = word.chars().filter(|c| *c != '-').all(|c| c.is_ascii_hexdigit());
        if word.len() < SHORTEST_RANDOM || digits < 2 {
            false
        } else if hex {
            word.len() >= 32 && digits < word.len()
        } else {
            let mixed = has(char::is_ascii_uppercase) >= 2 && has(char::is_ascii_lowercase) >= 2;
            let plain = !word.contains(['-', '_', '.', ':']) && digits >= 4;
            (mixed || plain) && entropy(word) >= 3.5
        }
    }
}

/// Bits a character, by how often each occurs.
fn entropy(word: &str) -> f64 {
    let mut counts = [0_u32; 128];
    for byte in word.bytes() {
        if let Some(count) = counts.get_mut(usize::from(byte)) {
            *count += 1;
        }
    }
    let total: u32 = counts.iter().sum();
    counts
        .iter()
        .filter(|count| **count > 0)
        .map(|count| {
            let share = f64::from(*count) / f64::from(total);
            -share * share.log2()
        })
        .sum()
}

/// 13 to 19 digits, in groups or not, whose check digit is right.
fn has_card_number(value: &str) -> bool {
    let mut digits: Vec<u32> = Vec::new();
    let mut gap = 0;
    // One more character, so that the last number ends.
    for c in value.chars().chain(std::iter::once('\n')) {
        match (c.to_digit(10), c) {
            (Some(digit), _) => {
                digits.push(digit);
                gap = 0;
            }
            (None, ' ' | '-') if gap == 0 && !digits.is_empty() => gap = 1,
            (None, _) => {
                if (13..=19).contains(&digits.len()) && luhn(&digits) {
                    return true;
                }
                digits.clear();
                gap = 0;
            }
        }
    }
    false
}

fn luhn(digits: &[u32]) -> bool {
    let sum: u32 = digits
        .iter()
        .rev()
        .enumerate()
        .map(|(place, digit)| match (place % 2, digit * 2) {
            (0, _) => *digit,
            (_, twice) if twice > 9 => twice - 9,
            (_, twice) => twice,
        })
        .sum();
    sum.is_multiple_of(10) && digits.iter().any(|digit| *digit != 0)
}

#[cfg(test)]
mod tests {
    use super::why_secret;

    #[test]
    fn secrets_are_told_by_their_key_their_words_and_their_looks() {
        let random = ["aB3xK9", "qL0zT7", "mN5vC2", "wE8r"].concat();
        for (key, value) in [
            ("wifi_password", "blue house"),
            ("github_token", "in the drawer"),
            ("openai_api_key", "x"),
            ("bank_pin", "1234"),
            ("credit_card_number", "x"),
            ("note", "password: hunter2"),
            ("note", "My Password is hunter2"),
            ("note", "the password = hunter2"),
            ("note", "Passwort: geheim"),
            ("note", "das Passwort ist geheim"),
            ("note", "API key: abc"),
            ("note", "\"token\":\"abc\""),
            ("note", "PIN: 4711"),
            ("note", "-----BEGIN OPENSSH PRIVATE KEY----- b3Bl"),
            ("note", &format!("use sk-{random}")),
            ("note", &format!("ghp_{random}")),
            ("note", &format!("AKIA{}", "IOSFODNN7EXAMPLE")),
            ("note", &format!("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.{random}")),
            ("note", &format!("1234567890:AA{random}xyzxyzxyzxyz")),
            ("note", &format!("it is {random}, do not lose it")),
            ("note", "d41d8cd98f00b204e9800998ecf8427e"),
            ("note", "card 4111 1111 1111 1111 until May"),
            ("note", "4111-1111-1111-1111"),
            ("note", "5500000000000004"),
        ] {
            assert!(why_secret(key, value).is_some(), "{key}: {value}");
        }
    }

    #[test]
    fn what_people_tell_of_themselves_is_no_secret() {
        for (key, value) in [
            ("name", "Ada Lovelace"),
            ("pinned_topic", "gardening"),
            ("phone", "+49 170 1234567"),
            ("editor", "prefers password managers over notes"),
            ("book", "The Secret Garden"),
            ("project", "Clifford, https://github.com/example/clifford-memory-2026"),
            ("address", "12345 Berlin, Unter den Linden 77"),
            ("birthday", "1990-12-31 12:30:45"),
            ("tool", "kubernetes-deployment-configuration-v2"),
            ("words", "Donaudampfschifffahrtsgesellschaftskapitän"),
            ("order", "4111 1111 1111 1112"),
            ("zeros", "0000000000000000"),
            ("ids", "2024 2025 2026"),
            ("emoji", "👩‍👩‍👧‍👦 👍🏽"),
            ("risk", "sk-8 skis, a task-list and hf_x"),
        ] {
            assert_eq!(why_secret(key, value), None, "{key}: {value}");
        }
    }
}
