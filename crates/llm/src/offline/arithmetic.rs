//! Tells arithmetic from prose, and puts it in the form that `compute.eval` reads.

/// Words and signs for operators, those of several words first.
const OPERATORS: [(&str, &str); 20] = [
    ("the square root of", "sqrt"),
    ("square root of", "sqrt"),
    ("die wurzel aus", "sqrt"),
    ("wurzel aus", "sqrt"),
    ("to the power of", "^"),
    ("geteilt durch", "/"),
    ("divided by", "/"),
    ("multiplied by", "*"),
    ("times", "*"),
    ("minus", "-"),
    ("plus", "+"),
    ("mal", "*"),
    ("x", "*"),
    ("percent", "%"),
    ("prozent", "%"),
    ("von", "of"),
    ("\u{d7}", "*"),
    ("\u{b7}", "*"),
    ("\u{f7}", "/"),
    ("\u{2212}", "-"),
];

const FUNCTIONS: [&str; 8] = ["sqrt", "sin", "cos", "tan", "ln", "log", "abs", "exp"];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Token {
    Operand,
    Infix,
    /// `+` and `-`, which may also stand before an operand.
    Sign,
    Percent,
    Function,
    Open,
    Close,
}

/// The expression in a text that is nothing but arithmetic with at least one operation.
pub(super) fn expression(text: &str) -> Option<String> {
    let mut expression = text.trim().trim_end_matches(['?', '=', '!', '.', ' ']).to_lowercase();
    for (word, symbol) in OPERATORS {
        expression = replace_word(&expression, word, symbol);
    }
    if expression.split_whitespace().any(is_date) {
        return None;
    }
    let expression = remainder(&expression);
    is_arithmetic(&tokens(&expression)?).then_some(expression)
}

/// Whether a word is a date, such as 2026-11-27, and no subtraction.
fn is_date(word: &str) -> bool {
    let lengths: Vec<_> = word.split('-').map(str::len).collect();
    word.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-') && matches!(lengths[..], [4, 1..=2, 1..=2])
}

/// Whether this begins as a telephone number does, or the day of a date: no number that is written to be reckoned with.
fn is_code(number: &str) -> bool {
    number.as_bytes().first() == Some(&b'0') && number.as_bytes().get(1).is_some_and(u8::is_ascii_digit)
}

fn tokens(text: &str) -> Option<Vec<Token>> {
    let mut tokens = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let end = |is_part: fn(char) -> bool| rest.find(|c| !is_part(c)).unwrap_or(rest.len());
        let length = match first {
            '0'..='9' | '.' => end(|c| c.is_ascii_digit() || c == '.' || c == ','),
            'a'..='z' => end(|c| c.is_ascii_lowercase()),
            '*' => end(|c| c == '*').min(2),
            _ => first.len_utf8(),
        };
        let (word, tail) = rest.split_at(length);
        tokens.push(match word {
            "*" | "**" | "/" | "^" | "of" | "mod" => Token::Infix,
            "+" | "-" => Token::Sign,
            "%" => Token::Percent,
            "(" => Token::Open,
            ")" => Token::Close,
            "pi" => Token::Operand,
            word if is_code(word) => return None,
            word if FUNCTIONS.contains(&word) => Token::Function,
            word if word.contains(|c: char| c.is_ascii_digit()) => Token::Operand,
            _ => return None,
        });
        rest = tail.trim_start();
    }
    Some(tokens)
}

/// Whether the tokens alternate as they do in an expression.
fn is_arithmetic(tokens: &[Token]) -> bool {
    let (mut depth, mut operations, mut has_operand) = (0_u32, 0_u32, false);
    for token in tokens {
        match (has_operand, token) {
            (false, Token::Operand) => has_operand = true,
            (false, Token::Function) => operations += 1,
            (false, Token::Sign) | (true, Token::Percent) => {}
            (false, Token::Open) => depth += 1,
            (true, Token::Infix | Token::Sign) => {
                has_operand = false;
                operations += 1;
            }
            (true, Token::Open) => {
                has_operand = false;
                depth += 1;
                operations += 1;
            }
            (true, Token::Close) if depth > 0 => depth -= 1,
            _ => return false,
        }
    }
    has_operand && depth == 0 && operations > 0
}

/// Between two numbers `%` means the remainder; after one, percent.
fn remainder(text: &str) -> String {
    let mut parts = text.split('%');
    let mut result = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let operand = part.trim_start().starts_with(|c: char| c.is_ascii_digit() || c == '(');
        result.push_str(if operand { " mod " } else { "%" });
        result.push_str(if operand { part.trim_start() } else { part });
    }
    result.replace("  ", " ")
}

/// Replaces a word where it stands alone; a sign, wherever it stands.
fn replace_word(text: &str, word: &str, symbol: &str) -> String {
    let is_sign = !word.chars().all(|c| c.is_ascii_alphabetic() || c == ' ');
    let mut result = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(word) {
        let (before, tail) = (&rest[..at], &rest[at + word.len()..]);
        let alone = !before.ends_with(char::is_alphanumeric) && !tail.starts_with(char::is_alphanumeric);
        result.push_str(before);
        result.push_str(if alone || is_sign { symbol } else { word });
        rest = tail;
    }
    result + rest
}

#[cfg(test)]
mod tests {
    use super::expression;

    #[test]
    fn arithmetic_is_recognised_and_normalised() {
        for (text, expected) in [
            ("17 * 23?", "17 * 23"),
            ("(3+4)*2", "(3+4)*2"),
            ("12% of 80", "12% of 80"),
            ("12 percent of 80", "12 % of 80"),
            ("2 plus 2", "2 + 2"),
            ("3 mal 4 geteilt durch 2", "3 * 4 / 2"),
            ("3 x 4", "3 * 4"),
            ("3\u{d7}4", "3*4"),
            ("10 % 3", "10 mod 3"),
            ("-2 - -3", "-2 - -3"),
            ("2(3+4)", "2(3+4)"),
            ("sqrt(16)", "sqrt(16)"),
            ("the square root of 16", "sqrt 16"),
            ("wurzel aus 16", "sqrt 16"),
            ("1,000.5 + 2", "1,000.5 + 2"),
            ("2**8 =", "2**8"),
            ("0.5 - 0", "0.5 - 0"),
            ("2026 - 11 - 27", "2026 - 11 - 27"),
        ] {
            assert_eq!(expression(text).as_deref(), Some(expected), "{text}");
        }
    }

    #[test]
    fn prose_and_bare_numbers_are_not() {
        for text in [
            "",
            "5",
            "12%",
            "hello",
            "2x+3",
            "+49 170 123",
            "030-1234567",
            "2026-11-27",
            "2026-03-01?",
            "3/04",
            "2026-02-28 - 2026-03-01",
            "1 +",
            "(1+2",
            "1)+(2",
            "the 3 of us",
            "c++",
            "...",
            "x",
            "ä+1",
        ] {
            assert_eq!(expression(text), None, "{text}");
        }
    }
}
