//! The error within a body, in every form that servers give it: under `error`, in a list, within another error, or bare.

use std::time::Duration;

use serde_json::Value;

/// How many layers of a body are opened.
const LAYERS: usize = 8;
/// Characters of each part of an error's own words.
const LONGEST_PART: usize = 800;
/// The fields of an error that say something.
const PARTS: [&str; 7] = ["title", "error", "message", "msg", "status_msg", "detail", "errors"];
/// MiniMax's own codes as statuses: it sends them with status 200.
const MINIMAX: [(u64, u16); 6] = [
    (1002, 429),
    (1004, 401),
    (1008, 402),
    (1039, 429),
    (2013, 400),
    (2049, 401),
];

/// The error in a body.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Told {
    /// The status that it names.
    pub(super) status: Option<u16>,
    /// The server's words for it: `code`, `type` and their like, in lower case.
    pub(super) code: String,
    /// Its message.
    pub(super) message: String,
    /// Its own words. Echoes of the request are left out: a person may have said anything.
    pub(super) words: String,
    /// How long it asks to wait.
    pub(super) after: Option<Duration>,
    /// What the model wrote, where the server found that not to be of the form: Groq.
    pub(super) written: Option<String>,
}

/// Whether a field tells anything: some servers send an empty `error` along with every reply.
pub(crate) fn is_told(field: &Value) -> bool {
    match field {
        Value::Null => false,
        Value::Bool(flag) => *flag,
        Value::Number(number) => number.as_f64() != Some(0.0),
        Value::String(text) => !text.trim().is_empty(),
        Value::Array(list) => list.iter().any(is_told),
        Value::Object(fields) => fields.values().any(is_told),
    }
}

/// Reads the error in a body. The innermost layer that says something counts.
pub(super) fn read(body: &Value) -> Told {
    let mut layers: Vec<&Value> = std::iter::successors(Some(body), |outer| within(outer))
        .take(LAYERS)
        .collect();
    layers.reverse();
    let (error, message) = layers
        .iter()
        .map(|layer| (*layer, message(layer)))
        .find(|(_, message)| !message.is_empty())
        .unwrap_or((body, String::new()));
    Told {
        status: layers.iter().find_map(|layer| status(layer)),
        code: layers
            .iter()
            .flat_map(|layer| codes(layer))
            .collect::<Vec<_>>()
            .join(" "),
        message,
        words: words(error),
        after: layers.iter().find_map(|layer| retry_delay(layer)),
        written: layers.iter().find_map(|layer| failed_generation(layer)),
    }
}

/// The next layer: the first of a list, or what stands where errors stand.
fn within(outer: &Value) -> Option<&Value> {
    if let Value::Array(list) = outer {
        return list.iter().find(|item| is_told(item));
    }
    let field = |name: &str| outer.get(name).filter(|field| is_told(field));
    let list = || {
        ["error", "errors"]
            .into_iter()
            .filter_map(field)
            .find(|field| field.is_array())
    };
    let object = |names: &[&str]| {
        names
            .iter()
            .filter_map(|name| field(name))
            .find(|field| field.is_object())
    };
    object(&["error"])
        .or_else(list)
        .or_else(|| object(&["message", "detail", "base_resp"]))
}

/// The messages of a layer, part by part. `several` puts a list of complaints, or an object of them, in words.
fn messages(error: &Value, several: impl Fn(&Value) -> String) -> Vec<String> {
    if let Value::String(text) = error {
        return vec![text.trim().to_owned()];
    }
    // The provider's own error that a gateway passes on comes last.
    let passed_on = ("raw", &error["metadata"]["raw"]);
    let parts = PARTS.iter().map(|name| (*name, &error[*name])).chain([passed_on]);
    let mut said: Vec<String> = Vec::new();
    for (name, part) in parts {
        let text = match part {
            Value::String(text) => text.trim().to_owned(),
            Value::Array(_) if is_told(part) => several(part),
            // Any other object is a layer of its own.
            Value::Object(_) if name == "errors" && is_told(part) => several(part),
            _ => String::new(),
        };
        if !text.is_empty() && !said.iter().any(|earlier| earlier.contains(&text)) {
            said.push(text);
        }
    }
    said
}

fn message(error: &Value) -> String {
    let message = messages(error, Value::to_string).join(": ");
    // The parameter may be the only hint at what was not understood.
    let param = match &error["param"] {
        Value::Null => String::new(),
        Value::String(param) => param.clone(),
        other => other.to_string(),
    };
    if param.is_empty() || message.contains(&param) {
        message
    } else {
        format!("{message} (parameter {param})").trim_start().to_owned()
    }
}

fn words(error: &Value) -> String {
    let complaints = |list: &Value| {
        let list = list.as_array().into_iter().flatten();
        let complaints: Vec<&str> = list.filter_map(|item| item["msg"].as_str().or(item.as_str())).collect();
        complaints.join(" ")
    };
    let mut words: Vec<String> = messages(error, complaints).into_iter().map(beginning).collect();
    // llama.cpp's field for the window.
    words.extend(error["n_ctx"].as_u64().map(|tokens| format!("\"n_ctx\":{tokens}")));
    words.join(" ")
}

/// As much of a text as an error's own words have.
fn beginning(mut text: String) -> String {
    if let Some((end, _)) = text.char_indices().nth(LONGEST_PART) {
        text.truncate(end);
    }
    text
}

fn codes(error: &Value) -> impl Iterator<Item = String> {
    let named = ["code", "type", "status", "error_type"].map(|name| &error[name]);
    let details = error["details"].as_array().into_iter().flatten();
    let reasons = details.map(|detail| &detail["reason"]);
    named.into_iter().chain(reasons).filter_map(|code| match code {
        Value::String(code) => Some(code.to_lowercase()),
        Value::Number(code) => Some(code.to_string()),
        _ => None,
    })
}

fn status(error: &Value) -> Option<u16> {
    let number = |name: &str| match &error[name] {
        Value::String(code) => code.parse().ok(),
        code => code.as_u64(),
    };
    let of_minimax = || {
        let code = number("status_code")?;
        MINIMAX.iter().find(|(own, _)| *own == code).map(|(_, status)| *status)
    };
    ["code", "status", "status_code", "statusCode"]
        .into_iter()
        .filter_map(|name| u16::try_from(number(name)?).ok())
        .find(|code| (400..600).contains(code))
        .or_else(of_minimax)
}

/// What the model wrote, in the error itself or in one that a gateway passes on as text.
fn failed_generation(error: &Value) -> Option<String> {
    let of = |error: &Value| Some(error["failed_generation"].as_str()?.to_owned());
    let passed_on = || {
        let raw: Value = serde_json::from_str(error["metadata"]["raw"].as_str()?).ok()?;
        of(&raw["error"]).or_else(|| of(&raw))
    };
    of(error)
        .or_else(passed_on)
        .filter(|written| !written.trim().is_empty())
}

/// The wait that Google's servers tell: `"retryDelay": "34.07s"`.
fn retry_delay(error: &Value) -> Option<Duration> {
    let mut details = error["details"].as_array()?.iter();
    let delay = details.find_map(|detail| detail["retryDelay"].as_str())?;
    Duration::try_from_secs_f64(delay.strip_suffix('s')?.parse().ok()?).ok()
}
