//! Whether a server refuses a request for its length, in the words of every kind of server, and the window that it names.
//!
//! The words are those that servers sent; the table of tests has them as they came. Servers that only hold a rate to
//! tokens a minute use similar words: that is no window.

/// The facts of a refusal for length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TooLong {
    /// How many tokens the model holds, where the refusal says so.
    pub(crate) window: Option<u64>,
    /// It speaks of the request's size, not of tokens: a proxy may have refused it.
    pub(crate) in_bytes: bool,
}

/// The smallest and the largest window that is believed.
const BELIEVED: std::ops::RangeInclusive<u64> = 256..=100_000_000;
/// How far behind its words a number may stand, in bytes.
const NEAR: usize = 16;

/// Codes and types that mean it.
const CODES: [&str; 7] = [
    "context_length_exceeded",
    "exceed_context_size",
    "context_window_exceeded",
    "context_too_long",
    "max_prompt_tokens_exceeded",
    "tokens_limit_reached",
    "string_above_max_length",
];

/// Words behind which the window stands.
const NAMED: [&str; 38] = [
    "too large for model with",
    "maximum context length is",
    "maximum context length of",
    "maximum context length (",
    "maximum context length:",
    "context length is only",
    "context length of only",
    "context length of",
    "context length (",
    "context length is",
    "context length limit of",
    "context window of",
    "context window (",
    "context window is",
    "context size of",
    "available context size (",
    "n_ctx (",
    "n_ctx = ",
    "n_ctx: ",
    "maximum prompt length is",
    "maximum allowed length (",
    "maximum allowed input length (",
    "maximum model length of",
    "maximum input length of",
    "exceeds maximum input length",
    "greater than max_seq_len",
    "maximum input length is",
    "maximum number of tokens allowed",
    "maximum number of input tokens allowed (",
    "maximum allowed number of input tokens (",
    "range of input length should be [1,",
    "max_new_tokens` must be <=",
    "`inputs` must have less than",
    "exceeds the limit of",
    "max size:",
    "maximum tokens for this model is",
    "max_seq_len (",
    "exceeded model token limit:",
];

/// Words that mean it and name no window, or name it in front of themselves.
const WORDS: [&str; 25] = [
    "context length",
    "context size",
    "context window",
    "context limit",
    "context the overflows",
    "context overflow",
    "exceeds n_ctx",
    "n_ctx",
    "prompt is too long",
    "prompt too long",
    "prompt exceeds max length",
    "prompt 超长",
    "exceeded model token limit",
    "input is too long",
    "input too long",
    "request is too long",
    "input length exceeds",
    "input token count",
    "input tokens exceed",
    "too many tokens",
    "too many input tokens",
    "too large for model with",
    "reduce the length of the messages",
    "reduce the length of your prompt",
    "reduce your prompt",
];

/// Words that mean the request's size in bytes; so does status 413 by itself.
const BYTES: [&str; 5] = [
    "request entity too large",
    "payload too large",
    "request body too large",
    "request exceeds the maximum size",
    "request_too_large",
];

/// Words that speak of the reply's own limit: no shorter request mends that.
const REPLY: [&str; 3] = [
    "maximum value for `max_tokens`",
    "valid range of max_tokens",
    "completion tokens, whereas",
];

/// Words that speak of a rate.
const RATE: [&str; 5] = ["per minute", "per min)", "per min ", "per day", "(tpm)"];

/// Reads a refusal: its status, its code and type, and all that it says. `None`: it is about something else.
pub(crate) fn read(status: u16, code: &str, said: &str) -> Option<TooLong> {
    let (code, said) = (code.to_lowercase(), said.to_lowercase());
    let has = |words: &[&str]| words.iter().any(|word| said.contains(word));
    if has(&RATE) {
        // A request above a whole minute's share never goes through, however long one waits.
        let (limit, requested) = (number_behind(&said, "limit "), number_behind(&said, "requested "));
        let never = limit.zip(requested).is_some_and(|(limit, requested)| requested > limit);
        return never.then_some(TooLong {
            window: None,
            in_bytes: false,
        });
    }
    if code.contains("rate_limit") || has(&REPLY) {
        return None;
    }
    let named = NAMED.iter().find_map(|words| number_behind(&said, words));
    // Other things have limits, too.
    let is_named = named.is_some() && has(&["token", "context", "prompt", "input"]);
    let is_meant = is_named || CODES.iter().any(|meant| code.contains(meant)) || has(&WORDS);
    let is_size = status == 413 || code.contains("request_too_large") || has(&BYTES);
    (is_meant || is_size).then(|| {
        let window = named
            .or_else(|| number_behind(&said, "\"n_ctx\":"))
            .or_else(|| compared(&said))
            .filter(|window| BELIEVED.contains(window));
        TooLong {
            window,
            in_bytes: !is_meant && window.is_none(),
        }
    })
}

/// The number right behind some words.
fn number_behind(said: &str, words: &str) -> Option<u64> {
    said.match_indices(words)
        .find_map(|(at, _)| leading_number(said.get(at + words.len()..)?))
}

/// The count behind `>`, where two counts are compared: `208310 tokens > 200000 maximum`.
fn compared(said: &str) -> Option<u64> {
    said.match_indices("> ").find_map(|(at, _)| {
        let before = said.get(..at)?.trim_end();
        let is_count = before.ends_with("tokens") || before.ends_with(|last: char| last.is_ascii_digit());
        is_count.then(|| leading_number(said.get(at + 2..)?)).flatten()
    })
}

/// The first number, if it stands near the beginning. Thousands may be kept apart by commas or underscores, and `k`
/// stands for a thousand.
fn leading_number(text: &str) -> Option<u64> {
    let start = text.bytes().take(NEAR).position(|byte| byte.is_ascii_digit())?;
    // Another word in between begins another thought.
    let between = text.get(..start)?;
    if between.split_whitespace().count() > 1 || between.contains(['.', '<', '>']) {
        return None;
    }
    let rest = text.get(start..)?;
    let bytes = rest.as_bytes();
    let mut digits = String::new();
    let mut end = 0;
    while let Some(byte) = bytes.get(end) {
        let grouped = matches!(byte, b',' | b'_')
            && bytes
                .get(end + 1..end + 4)
                .is_some_and(|next| next.iter().all(u8::is_ascii_digit));
        match byte {
            digit if digit.is_ascii_digit() => digits.push(char::from(*digit)),
            _ if grouped => {}
            _ => break,
        }
        end += 1;
    }
    let number: u64 = digits.parse().ok()?;
    let is_thousands = bytes.get(end) == Some(&b'k') && !bytes.get(end + 1).is_some_and(u8::is_ascii_alphabetic);
    Some(if is_thousands {
        number.saturating_mul(1000)
    } else {
        number
    })
}

#[cfg(test)]
mod tests;
