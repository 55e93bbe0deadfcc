//! The meaning of commas and points in people's numbers.
//!
//! The calculator passes over any comma between digits: it takes `3,5` for 35, and `log(8,2)` for the logarithm of 82.
//! So numbers are put into its own way of writing first, and what may mean two things is refused.

use std::borrow::Cow;

/// Words before parentheses that are no functions.
const WORDS: [&str; 11] = [
    "of", "in", "to", "as", "mod", "and", "or", "per", "plus", "minus", "times",
];

/// The expression with points before decimals, and no separators of thousands in a number that has them.
///
/// # Errors
/// The expression as the calculator reads numbers.
///
/// # Errors
/// A number that may mean two things, and how to write it.
pub(super) fn read(expression: &str) -> Result<Cow<'_, str>, String> {
    if no_operator(expression) {
        return Err("`//` is no operator here: write floor(7 / 2) for a division without a rest".to_owned());
    }
    if !expression.contains(',') || expression.contains(['"', '\'']) {
        return Ok(Cow::Borrowed(expression));
    }
    if let Some(function) = function_of_comma(expression) {
        return Err(format!(
            "`{function}` takes one argument here, and a comma in it is ambiguous: write the other one in another way, such \
             as log(8) / log(2), and numbers without separators of thousands"
        ));
    }
    let mut text = String::with_capacity(expression.len());
    let (mut decimal, mut grouped) = (None, None);
    let mut rest = expression;
    while let Some(next) = rest.chars().next() {
        let length = if next.is_ascii_digit() {
            number(rest)
        } else {
            next.len_utf8()
        };
        let (piece, behind) = rest.split_at_checked(length).unwrap_or((rest, ""));
        rest = behind;
        match meaning(piece) {
            Meaning::Plain => {}
            Meaning::Grouped => grouped = Some(piece),
            Meaning::Decimal(number) => {
                decimal = Some(piece);
                text.push_str(&number);
                continue;
            }
            Meaning::Unknown => return Err(ambiguous(piece)),
        }
        text.push_str(piece);
    }
    match (decimal, grouped) {
        (Some(_), Some(grouped)) => Err(ambiguous(grouped)),
        (Some(_), None) => Ok(Cow::Owned(text)),
        (None, _) => Ok(Cow::Borrowed(expression)),
    }
}

fn ambiguous(number: &str) -> String {
    format!("`{number}` is ambiguous: write decimals with a point, and no separators of thousands")
}

/// To divide by a division: the calculator takes that for a product.
fn no_operator(expression: &str) -> bool {
    let pieces: Vec<_> = expression.split('/').collect();
    let between = pieces.get(1..pieces.len().saturating_sub(1)).unwrap_or_default();
    between.iter().any(|piece| piece.trim().is_empty())
}

/// The length of the number that a text begins with: digits, and separators between them.
fn number(text: &str) -> usize {
    let end = text
        .find(|c: char| !c.is_ascii_digit() && c != ',' && c != '.')
        .unwrap_or(text.len());
    text.get(..end).unwrap_or_default().trim_end_matches([',', '.']).len()
}

enum Meaning {
    /// It has no comma.
    Plain,
    /// Commas separate its thousands.
    Grouped,
    /// A comma stands before its decimals.
    Decimal(String),
    Unknown,
}

fn meaning(number: &str) -> Meaning {
    let Some((head, tail)) = number.rsplit_once(',') else {
        return Meaning::Plain;
    };
    let (whole, decimals) = number.split_once('.').unwrap_or((number, ""));
    if is_grouped(whole, ',') && !decimals.contains([',', '.']) {
        return Meaning::Grouped;
    }
    let is_whole = !head.contains([',', '.']) || is_grouped(head, '.');
    if is_whole && !head.is_empty() && !tail.is_empty() && !tail.contains('.') {
        return Meaning::Decimal(format!("{}.{tail}", head.replace('.', "")));
    }
    Meaning::Unknown
}

/// Whether thousands are separated by this: also as in India, where all but the last three digits stand in pairs.
fn is_grouped(number: &str, separator: char) -> bool {
    let groups: Vec<_> = number.split(separator).collect();
    let [first, between @ .., last] = groups.as_slice() else {
        return false;
    };
    let all = |length: usize| between.iter().all(|group| group.len() == length);
    !first.starts_with('0')
        && last.len() == 3
        && (matches!(first.len(), 1..=3) && all(3) || matches!(first.len(), 1..=2) && all(2))
}

/// The function among whose arguments a comma stands.
fn function_of_comma(expression: &str) -> Option<&str> {
    let mut open = Vec::new();
    for (at, character) in expression.char_indices() {
        match character {
            '(' => open.push(function(expression.get(..at).unwrap_or_default())),
            ')' => {
                open.pop();
            }
            ',' => {
                if let Some(Some(name)) = open.last() {
                    return Some(name);
                }
            }
            _ => {}
        }
    }
    None
}

/// The name of a function that a text ends with.
fn function(before: &str) -> Option<&str> {
    let before = before.trim_end();
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let begin = before.char_indices().rev().take_while(|(_, c)| is_part(*c)).last()?.0;
    let name = before.get(begin..)?.trim_start_matches(|c: char| c.is_ascii_digit());
    (!name.is_empty() && !WORDS.contains(&name)).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_they_are_meant() {
        for (expression, expected) in [
            ("3,5 + 1", "3.5 + 1"),
            ("3,5*2,25", "3.5*2.25"),
            ("0,125 / 2", "0.125 / 2"),
            ("1.234,5 + 1", "1234.5 + 1"),
            ("1.234.567,89", "1234567.89"),
            ("12,5% of 80", "12.5% of 80"),
            ("1,2345", "1.2345"),
            ("1,234 + 1", "1,234 + 1"),
            ("1,234,567.5 * 2", "1,234,567.5 * 2"),
            ("12,34,567", "12,34,567"),
            ("15% of (1,200 + 2)", "15% of (1,200 + 2)"),
            ("2(1,200)", "2(1,200)"),
            ("3.5 + 1", "3.5 + 1"),
            ("sqrt(3) / 2 / 3", "sqrt(3) / 2 / 3"),
            ("7 / ", "7 / "),
        ] {
            assert_eq!(read(expression).as_deref(), Ok(expected), "{expression}");
        }
    }

    #[test]
    fn what_may_mean_two_things_is_refused() {
        for (expression, named) in [
            ("log(8,2)", "`log`"),
            ("log2 (8,200)", "`log2`"),
            ("1 + gcd(12,18)", "`gcd`"),
            ("average(1,2,3)", "`average`"),
            ("C(5,2)", "`C`"),
            ("3,5 + 1,234", "`1,234`"),
            ("1,2,3", "`1,2,3`"),
            ("1.5,000", "`1.5,000`"),
            ("1,23.5", "`1,23.5`"),
            ("7 // 2", "`//`"),
            ("7 / / 2", "`//`"),
        ] {
            let error = read(expression).expect_err(expression);
            assert!(error.starts_with(named), "{expression}: {error}");
        }
    }
}
