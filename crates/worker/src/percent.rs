//! The meaning of percentages in people's sums.
//!
//! The rule, as pocket calculators have it: a percentage that is added or subtracted is one of all that stands before
//! it in its sum. `50 + 20%` is 60, `100 - 10% - 10%` is 81, `(50 + 20%) * 2` is 120. A sum ends with its parentheses.
//! `20%` is the number 0.2 everywhere else: in `20% of 50`, in `200 * 10%`, in `50 + 20% * 3`, and where nothing but
//! percentages was added up before: `10% + 20%` is 30%. The calculator would write a product as a percentage, `200 *
//! 10%` as 2000%, so those are put as fractions.

use std::borrow::Cow;

/// The most percentages that are added: each takes a level of parentheses.
const MOST: usize = 50;

/// A sum that is being read.
#[derive(Default)]
struct Sum {
    /// Where it begins in the text.
    begin: usize,
    /// Where the last sign between two of its terms stands.
    sign: Option<usize>,
    /// All terms before that sign are percentages.
    is_percent: bool,
}

impl Sum {
    const fn at(begin: usize) -> Self {
        Self {
            begin,
            sign: None,
            is_percent: true,
        }
    }
}

/// The expression with every percentage that is added written as a factor.
///
/// # Errors
/// There are too many of them.
pub(super) fn read(expression: &str) -> Result<Cow<'_, str>, String> {
    let is_word = expression.contains("percent");
    if !(is_word || expression.contains('%')) || expression.contains(['"', '\'', '@', '\\']) {
        return Ok(Cow::Borrowed(expression));
    }
    let (mut text, mut rest) = (String::with_capacity(expression.len()), expression);
    let (mut sum, mut outer) = (Sum::at(0), Vec::new());
    let (mut factors, mut fractions) = (0, 0);
    while let Some(next) = rest.chars().next() {
        let length = piece(rest, next);
        let (piece, behind) = rest.split_at_checked(length).unwrap_or((rest, ""));
        match piece {
            "(" | "[" | "{" => {
                text.push_str(piece);
                outer.push(std::mem::replace(&mut sum, Sum::at(text.len())));
            }
            ")" | "]" | "}" => {
                text.push_str(piece);
                sum = outer.pop().unwrap_or_else(|| Sum::at(text.len()));
            }
            "+" | "-" | "\u{2212}" if ends_operand(&text) => {
                sum.is_percent &= is_percentage(term(&text, &sum));
                sum.sign = Some(text.len());
                text.push_str(piece);
            }
            ";" | "=" | "," | ":" | "&" | "|" | "<" | ">" => {
                text.push_str(piece);
                sum = Sum::at(text.len());
            }
            "%" | "percent" if is_factor(&text, &sum, behind) => {
                let operand = operand(&text, &sum);
                let begin = text.len() - operand.len();
                let fraction = format!("({} / 100)", operand.trim());
                let blanks = operand.len() - operand.trim_start().len();
                text.truncate(begin + blanks);
                text.push_str(&fraction);
                fractions += 1;
            }
            "%" | "percent" if ends_term(behind) => match (sum.sign, percentage(term(&text, &sum))) {
                (Some(sign), Some(percentage)) if !sum.is_percent => {
                    let before = text.get(sum.begin..sign).unwrap_or_default().trim();
                    let plus = text.get(sign..).unwrap_or_default().chars().next().unwrap_or('+');
                    let factor = format!("({before}) * (1 {plus} ({percentage}) / 100)");
                    text.truncate(sum.begin);
                    text.push_str(&factor);
                    sum.sign = None;
                    factors += 1;
                    if factors > MOST {
                        return Err(format!("the expression adds more than {MOST} percentages"));
                    }
                }
                _ => text.push_str(piece),
            },
            _ => text.push_str(piece),
        }
        rest = behind;
    }
    Ok(if factors + fractions == 0 {
        Cow::Borrowed(expression)
    } else {
        Cow::Owned(text)
    })
}

/// The length of the number, word or sign that a text begins with.
fn piece(text: &str, first: char) -> usize {
    let end = |is_part: fn(char) -> bool| text.find(|c| !is_part(c)).unwrap_or(text.len());
    if first.is_ascii_digit() || first == '.' {
        number(text)
    } else if first.is_alphabetic() || first == '_' {
        end(|c| c.is_alphanumeric() || c == '_')
    } else {
        first.len_utf8()
    }
}

/// The length of a number: the sign of its power of ten belongs to it.
fn number(text: &str) -> usize {
    let is_digit = |c: char| c.is_ascii_digit() || matches!(c, '.' | ',' | '_');
    let digits = |text: &str| text.find(|c| !is_digit(c)).unwrap_or(text.len());
    let whole = digits(text);
    let power = text.get(whole..).unwrap_or_default();
    let Some(power) = power.strip_prefix(['e', 'E']) else {
        return whole;
    };
    let signed = power.strip_prefix(['+', '-']);
    let digits = digits(signed.unwrap_or(power));
    match digits {
        0 => whole,
        digits => whole + 1 + usize::from(signed.is_some()) + digits,
    }
}

/// The last term so far, without the sign before it.
fn term<'a>(text: &'a str, sum: &Sum) -> &'a str {
    behind_sign(text, sum).trim()
}

fn behind_sign<'a>(text: &'a str, sum: &Sum) -> &'a str {
    let from = match sum.sign {
        Some(sign) => {
            sign + text
                .get(sign..)
                .and_then(|rest| rest.chars().next())
                .map_or(0, char::len_utf8)
        }
        None => sum.begin,
    };
    text.get(from..).unwrap_or_default()
}

/// Signs of multiplication.
const TIMES: [char; 3] = ['*', '\u{d7}', '\u{b7}'];

/// The operand behind the last operator of a term.
fn operand<'a>(text: &'a str, sum: &Sum) -> &'a str {
    let from = text.len() - behind_sign(text, sum).len();
    let term = text.get(from..).unwrap_or_default();
    let last = term.char_indices().rev().find(|(_, c)| TIMES.contains(c) || *c == '/');
    let begin = last.map_or(0, |(at, c)| at + c.len_utf8());
    term.get(begin..).unwrap_or_default()
}

/// Whether a percentage is multiplied.
fn is_factor(text: &str, sum: &Sum, behind: &str) -> bool {
    let operand = operand(text, sum);
    let before = text.get(..text.len() - operand.len()).unwrap_or_default();
    let is_times = behind.trim_start().starts_with(TIMES);
    let ends = ends_term(behind) || behind.trim_start().starts_with('/');
    percentage(operand.trim()).is_some() && (is_times || before.ends_with(TIMES) && ends)
}

/// Whether a `+` or `-` behind this stands between two terms.
fn ends_operand(text: &str) -> bool {
    let text = text.trim_end();
    let is_word = |word: &str| {
        let before = text.strip_suffix(word);
        before.is_some_and(|before| !before.ends_with(|c: char| c.is_alphanumeric() || c == '_'))
    };
    let ends = |c: char| c.is_alphanumeric() || matches!(c, ')' | ']' | '}' | '%' | '!' | '.' | '_' | '\u{b0}');
    text.ends_with(ends)
        && !["of", "to", "as", "mod", "per", "and", "or", "xor"]
            .into_iter()
            .any(is_word)
}

/// Whether a term ends before this.
fn ends_term(text: &str) -> bool {
    let text = text.trim_start();
    let first = text.chars().next();
    let goes_on = |word: &str| {
        let behind = text.strip_prefix(word);
        behind.is_some_and(|behind| !behind.starts_with(|c: char| c.is_alphanumeric() || c == '_'))
    };
    first.is_none_or(|c| matches!(c, ')' | ']' | '}' | '+' | '-' | '\u{2212}' | ';' | '='))
        || ["to", "as", "in"].into_iter().any(goes_on)
        || text.starts_with("->")
}

/// The number in front of a percent sign, if it stands alone.
fn percentage(term: &str) -> Option<&str> {
    let unsigned = term.trim_start_matches(['+', '-', '\u{2212}', ' ']);
    let is_number =
        |text: &str| text.starts_with(|c: char| c.is_ascii_digit() || c == '.') && number(text) == text.len();
    (is_number(unsigned) || is_enclosed(unsigned)).then_some(term)
}

/// Whether a term is a percentage by itself.
fn is_percentage(term: &str) -> bool {
    let number = term.strip_suffix('%').or_else(|| term.strip_suffix("percent"));
    number.is_some_and(|number| percentage(number.trim_end()).is_some())
}

/// Whether a text is one pair of parentheses.
fn is_enclosed(text: &str) -> bool {
    let mut depth = 0_usize;
    let end = text.char_indices().find_map(|(at, c)| {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        (depth == 0).then_some(at)
    });
    text.starts_with('(') && end.is_some_and(|end| end + 1 == text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_percentage_that_is_added_is_one_of_what_stands_before_it() {
        for (expression, expected) in [
            ("50 + 20%", "(50) * (1 + (20) / 100)"),
            ("50+20 percent", "(50) * (1 + (20) / 100)"),
            ("80 \u{2212} 2.5 %", "(80) * (1 \u{2212} (2.5) / 100)"),
            ("50 EUR + 19% to USD", "(50 EUR) * (1 + (19) / 100) to USD"),
            ("2 * 30 + 4 - 10%", "(2 * 30 + 4) * (1 - (10) / 100)"),
            ("(50 + 20%) * 2", "((50) * (1 + (20) / 100)) * 2"),
            ("3 * (50 + (10 + 10)%)", "3 * ((50) * (1 + ((10 + 10)) / 100))"),
            ("100 - 10% - 10%", "((100) * (1 - (10) / 100)) * (1 - (10) / 100)"),
            ("100 + 10% + 5", "(100) * (1 + (10) / 100) + 5"),
            ("50 + -20%", "(50) * (1 + (-20) / 100)"),
            ("1e-3 + 5%", "(1e-3) * (1 + (5) / 100)"),
            ("a = 50 + 20%; a * 2", "a =(50) * (1 + (20) / 100); a * 2"),
            ("200 * 10%", "200 * (10 / 100)"),
            ("10 percent * 200", "(10 / 100) * 200"),
            ("50 + 20% * 3", "50 + (20 / 100) * 3"),
            ("50 + 2 \u{d7} 20%", "50 + 2 \u{d7} (20 / 100)"),
            ("50 * -20%", "50 * (-20 / 100)"),
            ("6 / 20% * 3 + 10%", "(6 / (20 / 100) * 3) * (1 + (10) / 100)"),
            ("20% of 50 + 10%", "(20% of 50) * (1 + (10) / 100)"),
        ] {
            assert_eq!(read(expression).as_deref(), Ok(expected), "{expression}");
        }
    }

    #[test]
    fn every_other_percentage_is_a_number() {
        for expression in [
            "20% of 50",
            "50 + 20% of 30",
            "30 / 20%",
            "10% + 20%",
            "100% - 20%",
            "10 % 3",
            "10 + 20 % 3",
            "-20%",
            "(10 + 20)%",
            "20%",
            "1 + percentage",
            "'a + 20%'",
        ] {
            assert_eq!(read(expression), Ok(Cow::Borrowed(expression)), "{expression}");
        }
    }

    #[test]
    fn too_many_percentages_are_refused() {
        let sum = |count: usize| format!("1{}", " + 1%".repeat(count));
        assert!(read(&sum(MOST)).is_ok());
        let error = read(&sum(MOST + 1)).expect_err("too many");
        assert!(error.contains("more than 50"), "{error}");
    }
}
