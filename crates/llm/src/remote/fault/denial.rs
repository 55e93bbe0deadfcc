//! Whether a server does not accept the key, the model or the account: many tell that with a status that means something
//! else.
//!
//! The codes and words are those that servers sent; the table of tests has them as they came.

use clifford_llm_api::model::Denial;

/// Codes and types that mean it.
const CODES: [(&str, Denial); 20] = [
    ("insufficient_quota", Denial::Balance),
    ("insufficient_user_quota", Denial::Balance),
    ("insufficient_balance", Denial::Balance),
    ("insufficient_credits", Denial::Balance),
    ("exceeded_current_quota", Denial::Balance),
    ("budget_exceeded", Denial::Balance),
    ("arrearage", Denial::Balance),
    ("billing", Denial::Balance),
    ("invalid_api_key", Denial::Key),
    ("invalidapikey", Denial::Key),
    ("api_key_invalid", Denial::Key),
    ("incorrect_api_key", Denial::Key),
    ("invalid_authentication", Denial::Key),
    ("authentication_error", Denial::Key),
    ("model_not_found", Denial::Model),
    ("model_not_exist", Denial::Model),
    ("model_not_available", Denial::Model),
    ("model_not_supported", Denial::Model),
    ("model_decommissioned", Denial::Model),
    ("unknown_model", Denial::Model),
];

/// Words that mean it.
const WORDS: [(&str, Denial); 27] = [
    ("credit balance", Denial::Balance),
    ("insufficient balance", Denial::Balance),
    ("balance is insufficient", Denial::Balance),
    ("insufficient credits", Denial::Balance),
    ("used all available credits", Denial::Balance),
    ("budget has been exceeded", Denial::Balance),
    ("api usage limits", Denial::Balance),
    ("余额不足", Denial::Balance),
    (QUOTA, Denial::Balance),
    ("api key not valid", Denial::Key),
    ("api key not found", Denial::Key),
    ("api key expired", Denial::Key),
    ("api key was reported as leaked", Denial::Key),
    ("invalid api key", Denial::Key),
    ("invalid api-key", Denial::Key),
    ("incorrect api key", Denial::Key),
    ("invalid model name", Denial::Model),
    ("invalid model id", Denial::Model),
    ("invalid model:", Denial::Model),
    ("is not a valid model id", Denial::Model),
    ("model identifier is invalid", Denial::Model),
    ("model not exist", Denial::Model),
    ("model does not exist", Denial::Model),
    ("model not found", Denial::Model),
    ("unknown model:", Denial::Model),
    ("unknown model '", Denial::Model),
    ("模型不存在", Denial::Model),
];

/// Words for an account that is spent, and for a rate: that passes.
const QUOTA: &str = "exceeded your current quota";

/// Words that speak of a part of the request, which may have any words in it.
const PARTS: [&str; 10] = [
    "tools[",
    "tools.",
    "tool_call",
    "tool call",
    "function '",
    "function `",
    "function.",
    "schema",
    "messages[",
    "messages.",
];

/// Reads an error: its status, where there is one, its code and type, what it says of itself, and whether it asks to wait.
/// `None`: its status says what it is.
pub(super) fn read(status: Option<u16>, code: &str, said: &str, waits: bool) -> Option<Denial> {
    let said = said.to_lowercase();
    let passes = waits
        || ["retry in", "try again in", "per minute"]
            .iter()
            .any(|words| said.contains(words));
    let by_code = CODES.iter().find(|(meant, _)| code.contains(meant));
    let by_words = || {
        let is_of_a_part = PARTS.iter().any(|part| said.contains(part));
        let means = |words: &str| said.contains(words) && !(words == QUOTA && passes);
        WORDS.iter().find(|(words, _)| !is_of_a_part && means(words))
    };
    let (_, denial) = by_code.or_else(by_words)?;
    may_be(*denial, status).then_some(*denial)
}

/// Whether an error of this status may be such a denial: a gateway that has no place at a model just now knows the model.
const fn may_be(denial: Denial, status: Option<u16>) -> bool {
    match (denial, status) {
        (Denial::Balance, _) | (_, None) => true,
        (_, Some(401 | 407..=409 | 425 | 429)) | (Denial::Model, Some(403)) => false,
        (_, Some(status)) => matches!(status, 400..=499),
    }
}

/// The denial that a status means by itself.
pub(super) const fn of_status(status: u16) -> Option<Denial> {
    match status {
        401 | 407 => Some(Denial::Key),
        402 => Some(Denial::Balance),
        403 => Some(Denial::Permission),
        300..=399 | 404 | 405 | 410 => Some(Denial::Model),
        _ => None,
    }
}

/// The status that a server would have sent with it.
pub(super) const fn status_of(denial: Denial) -> u16 {
    match denial {
        Denial::Key => 401,
        Denial::Balance => 402,
        Denial::Permission => 403,
        Denial::Model => 404,
    }
}
