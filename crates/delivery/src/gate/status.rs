//! Reports a failed attempt.

/// The HTTP status that a platform's words name, if they do: it quotes nobody.
pub(super) fn status_in(reason: &str) -> Option<&str> {
    let numbers = reason.split(|c: char| !c.is_ascii_alphanumeric());
    let mut statuses = numbers.filter(|word| word.len() == 3 && word.bytes().all(|byte| byte.is_ascii_digit()));
    statuses.next()
}
