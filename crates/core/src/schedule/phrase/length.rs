//! Lengths of time as people say them: "2 days 3 hours", "an hour and a half", "1.5 h", "anderthalb Stunden".

use super::words::{self, Unit};

/// Numbers, each with its unit.
pub(super) type Length = Vec<(i64, Unit)>;

/// Amounts are counted in thousandths, so that halves and quarters are whole numbers.
const ONE: i64 = 1000;
const HALF: i64 = 500;
const QUARTER: i64 = 250;

/// The length that words begin with, and how many of them it takes.
pub(super) fn length(words: &[&str]) -> Option<(Length, usize)> {
    let (mut length, mut taken) = part(words)?;
    loop {
        let rest = words.get(taken..).unwrap_or_default();
        let joint = usize::from(rest.first().is_some_and(|word| words::is_and(word)));
        let Some((more, words)) = part(rest.get(joint..).unwrap_or_default()) else {
            return Some((length, taken));
        };
        length.extend(more);
        taken += joint + words;
    }
}

/// `20 minutes`, `half an hour`, `2 and a half hours`, `an hour and a half`, `1h30m`.
fn part(words: &[&str]) -> Option<(Length, usize)> {
    let word = |at: usize| words.get(at).copied().unwrap_or_default();
    if let Some(glued) = all_glued(word(0)) {
        return Some((glued, 1));
    }
    let (mut amount, mut taken) = amount(words)?;
    let (scale, unit) = scaled(word(taken))?;
    taken += 1;
    // `an hour and a half`; the half hour of `an hour and a half hour` is a part of its own.
    if let Some(more) = fraction_behind(words.get(taken..).unwrap_or_default())
        && scaled(word(taken + 3)).is_none()
    {
        amount = amount.checked_add(more)?;
        taken += 3;
    }
    Some((split(amount.checked_mul(scale)?, unit)?, taken))
}

/// How many thousandths, and how many words that took.
fn amount(words: &[&str]) -> Option<(i64, usize)> {
    let word = |at: usize| words.get(at).copied().unwrap_or_default();
    let one = |at: usize| usize::from(is_one(word(at)));
    Some(match [word(0), word(1), word(2)] {
        ["half", "of", _] => (HALF, 2 + one(2)),
        ["half", ..] => (HALF, 1 + one(1)),
        ["a", "quarter", "of"] => (QUARTER, 3 + one(3)),
        ["three" | "3", "quarters", "of"] => (3 * QUARTER, 3 + one(3)),
        ["drei", "viertel", _] => (3 * QUARTER, 2),
        ["a", "couple", "of"] => (2 * ONE, 3),
        [first, second, _] if is_one(first) && is_half(second) => (HALF, 2),
        [first, second, _] if is_one(first) && second == "dreiviertel" => (3 * QUARTER, 2),
        [first, ..] if is_half(first) => (HALF, 1),
        [first, ..] => {
            let amount = decimal(first)?;
            let behind = words.get(1..).unwrap_or_default();
            match (word(1), fraction_behind(behind)) {
                ("½" | "1/2", _) => (amount.checked_add(HALF)?, 2),
                (_, Some(more)) if scaled(word(4)).is_some() => (amount.checked_add(more)?, 4),
                _ => (amount, 1),
            }
        }
    })
}

/// `and a half`, `und eine halbe`.
fn fraction_behind(words: &[&str]) -> Option<i64> {
    match words {
        [and, one, half, ..] if words::is_and(and) && is_one(one) && is_half(half) => Some(HALF),
        [and, one, "quarter", ..] if words::is_and(and) && is_one(one) => Some(QUARTER),
        _ => None,
    }
}

fn is_one(word: &str) -> bool {
    matches!(
        word,
        "a" | "an" | "ein" | "eine" | "einer" | "einem" | "einen" | "eines"
    )
}

fn is_half(word: &str) -> bool {
    matches!(word, "half" | "halb" | "halbe" | "halben" | "halber" | "halbes")
}

/// `2`, `two`, `1.5`, `½`, `anderthalb`, `zweieinhalb`, in thousandths.
fn decimal(word: &str) -> Option<i64> {
    if let Some(number) = words::number(word) {
        return number.checked_mul(ONE);
    }
    if let Some(whole) = word.strip_suffix('½') {
        return whole_and_half(whole);
    }
    if let Some((whole, rest)) = word.split_once('.') {
        let is_plain = !rest.is_empty() && rest.len() <= 3 && rest.bytes().all(|byte| byte.is_ascii_digit());
        let rest: i64 = is_plain.then(|| format!("{rest:0<3}"))?.parse().ok()?;
        return words::number(whole)?.checked_mul(ONE)?.checked_add(rest);
    }
    if word == "1/2" {
        return Some(HALF);
    }
    let word = word.trim_end_matches("en").trim_end_matches('e');
    if word == "anderthalb" {
        return Some(ONE + HALF);
    }
    let whole = word.strip_suffix("einhalb")?;
    whole_and_half(whole.strip_suffix("und").unwrap_or(whole))
}

fn whole_and_half(whole: &str) -> Option<i64> {
    if whole.is_empty() {
        return Some(HALF);
    }
    words::number(whole)?.checked_mul(ONE)?.checked_add(HALF)
}

/// The unit of a word, and how many of it the word means.
fn scaled(word: &str) -> Option<(i64, Unit)> {
    Some(match word {
        "half-hour" | "half-hours" => (30, Unit::Minute),
        "viertelstunde" | "viertelstunden" => (15, Unit::Minute),
        "dreiviertelstunde" | "dreiviertelstunden" => (45, Unit::Minute),
        "fortnight" | "fortnights" => (2, Unit::Week),
        _ => (1, words::unit(word)?),
    })
}

/// Thousandths of a unit as whole numbers of units. `None`: there is no such length, as half a month.
fn split(amount: i64, unit: Unit) -> Option<Length> {
    let (whole, rest) = (amount / ONE, amount % ONE);
    let mut length = Length::new();
    if whole > 0 || rest == 0 {
        length.push((whole, unit));
    }
    if rest == 0 {
        return Some(length);
    }
    let seconds = match unit {
        Unit::Second | Unit::Month => return None,
        Unit::Year => {
            let months = rest * 12;
            length.push((months / ONE, Unit::Month));
            return (months % ONE == 0).then_some(length);
        }
        Unit::Minute => 60,
        Unit::Hour => 3600,
        Unit::Day => 86_400,
        Unit::Week => 7 * 86_400,
    };
    let rest = rest * seconds;
    if rest % ONE != 0 {
        return None;
    }
    let smaller = [
        (86_400, Unit::Day),
        (3600, Unit::Hour),
        (60, Unit::Minute),
        (1, Unit::Second),
    ];
    let rest = rest / ONE;
    let (size, unit) = smaller.into_iter().find(|(size, _)| rest % size == 0)?;
    length.push((rest / size, unit));
    Some(length)
}

/// `1h30m`, `90s`: numbers, each with its unit.
fn all_glued(word: &str) -> Option<Length> {
    let mut length = Length::new();
    let mut rest = word;
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit()).filter(|digits| *digits > 0)?;
        let (number, tail) = rest.split_at(digits);
        let letters = tail.find(|c: char| c.is_ascii_digit()).unwrap_or(tail.len());
        let (unit, tail) = tail.split_at(letters);
        length.push((number.parse().ok()?, words::unit(unit)?));
        rest = tail;
    }
    (!length.is_empty()).then_some(length)
}
