//! Expressions: arithmetic and units, by the fend calculator.
//!
//! fend reads by recursion without a limit, and some of its operations neither look at the time nor at memory. So
//! [`evaluate`] belongs in a worker process; [`fault`] refuses what is wrong at first sight before one is asked.

use std::time::{Duration, Instant};

use crate::{percent, separators};

/// The longest expression, in bytes.
const MOST: usize = 4096;
/// How deep parentheses may be nested, and how many signs may follow each other.
const DEEPEST: usize = 200;
/// The error for an expression that takes too much time, memory or stack.
pub const TOO_COSTLY: &str = "the expression is too costly to work out; a simpler one may not be";
/// The calculator's error after a [`fend_core::Interrupt`].
const INTERRUPTED: &str = "interrupted";
/// The most bytes of a value.
const MOST_VALUE: usize = 60_000;

/// Why an expression is not worth a worker process, if it is not.
pub fn fault(expression: &str) -> Option<String> {
    if expression.len() > MOST {
        return Some(format!("the expression is longer than {MOST} bytes"));
    }
    let (mut depth, mut signs) = (0_usize, 0_usize);
    for character in expression.chars() {
        match character {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        match character {
            '+' | '-' | '!' | '~' | '−' => signs += 1,
            other if other.is_whitespace() => {}
            _ => signs = 0,
        }
        if depth > DEEPEST || signs > DEEPEST {
            return Some(format!(
                "the expression is nested deeper than {DEEPEST} parentheses or signs"
            ));
        }
    }
    prepared(expression).err()
}

/// The expression as the calculator reads it.
fn prepared(expression: &str) -> Result<String, String> {
    let numbers = separators::read(expression)?;
    // Models write ** for powers.
    Ok(percent::read(&numbers)?.replace("**", "^"))
}

struct Deadline(Instant, Duration);

impl fend_core::Interrupt for Deadline {
    fn should_interrupt(&self) -> bool {
        self.0.elapsed() > self.1
    }
}

/// The value of an expression, cut if it is very long.
///
/// # Errors
/// Why it has none.
pub(super) fn evaluate(expression: &str, max_ms: u64) -> Result<String, String> {
    let mut context = fend_core::Context::new();
    let prepared = prepared(expression)?;
    let deadline = Deadline(Instant::now(), Duration::from_millis(max_ms));
    let result = fend_core::evaluate_with_interrupt(&prepared, &mut context, &deadline).map_err(|error| {
        if error == INTERRUPTED {
            return TOO_COSTLY.to_owned();
        }
        let error = &error[..error.floor_char_boundary(MOST)];
        format!("`{expression}` cannot be computed: {error}")
    })?;
    let value = result.get_main_result();
    if value.trim().is_empty() {
        return Err(format!("`{expression}` has no value"));
    }
    let (head, rest) = value.split_at(value.floor_char_boundary(MOST_VALUE));
    Ok(match rest.chars().count() {
        0 => value.to_owned(),
        1 => format!("{head}… (1 more character)"),
        missing => format!("{head}… ({missing} more characters)"),
    })
}

#[cfg(test)]
mod tests {
    use super::{TOO_COSTLY, evaluate, fault};

    const MAX_MS: u64 = 2000;

    #[test]
    fn expressions_have_their_values() {
        let cases = [
            ("17 * 23", "391"),
            ("3 * (4 + 5)", "27"),
            ("2 ** 10", "1024"),
            ("1,234,567 * 2", "2469134"),
            ("12% of 80", "9.6"),
            ("50 + 20%", "60"),
            ("80 - 12,5%", "70"),
            ("50 kg + 19%", "59.5 kg"),
            ("100 + 10% - 10%", "99"),
            ("(1 + 5%)^2", "1.1025"),
            ("2 km + 50% to m", "3000 m"),
            ("10% + 20%", "30%"),
            ("100% - 20%", "80%"),
            ("200 * 10%", "20"),
            ("50 + 20% * 3", "50.6"),
            ("3,5 + 1", "4.5"),
            ("1.234,5 * 2", "2469"),
            ("1/3", "approx. 0.3333333333"),
            ("5 km in miles", "approx. 3.1068559612 miles"),
            ("20 °C to °F", "68 °F"),
            ("1 GiB to bytes", "1073741824 bytes"),
        ];
        for (expression, value) in cases {
            assert_eq!(fault(expression), None, "{expression}");
            assert_eq!(evaluate(expression, MAX_MS).as_deref(), Ok(value), "{expression}");
        }
    }

    #[test]
    fn what_cannot_be_computed_says_why() {
        let error = evaluate("2 +", MAX_MS).expect_err("half an expression");
        assert!(error.starts_with("`2 +` cannot be computed: "), "{error}");
        for blank in [" ", "(", "()"] {
            assert!(evaluate(blank, MAX_MS).is_err(), "{blank}");
        }
    }

    #[test]
    fn what_takes_too_long_is_too_costly() {
        assert_eq!(evaluate("10^10^10^10", 0), Err(TOO_COSTLY.to_owned()));
    }

    #[test]
    fn a_long_value_is_cut() {
        // However slow the machine is: this is no test of the limit.
        let value = evaluate("10^70000", 60_000).expect("a value");
        assert!(value.ends_with("… (10001 more characters)"), "{}", &value[59_990..]);
        let value = evaluate("10^60000", 60_000).expect("a value");
        assert!(value.ends_with("… (1 more character)"), "{}", &value[59_990..]);
    }

    #[test]
    fn what_is_too_long_or_too_deep_is_refused_at_first_sight() {
        let deep = Some("the expression is nested deeper than 200 parentheses or signs".to_owned());
        let long = Some("the expression is longer than 4096 bytes".to_owned());
        let nested = |depth: usize| format!("{}1{}", "(".repeat(depth), ")".repeat(depth));
        let cases = [
            (nested(200), None),
            (nested(201), deep.clone()),
            (nested(100_000), long.clone()),
            (format!("{}1", "-".repeat(200)), None),
            (format!("{}1", "- ".repeat(201)), deep.clone()),
            (format!("{}1", "-+".repeat(2000)), deep),
            ("-".repeat(1_000_000), long),
            ("(1)".repeat(500), None),
            ("-1".repeat(500), None),
        ];
        for (expression, expected) in cases {
            assert_eq!(
                fault(&expression),
                expected,
                "{}",
                &expression[..expression.len().min(20)]
            );
        }
    }
}
