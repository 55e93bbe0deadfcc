//! Embeddings and images: checked as OpenAI checks them, answered by rule.

use serde_json::{Map, Value, json};

use crate::models::fault::Fault;

/// How many numbers an embedding has.
const WIDTH: usize = 64;
/// Words that mean the same.
const SAME: [(&str, &str); 3] = [("automobile", "car"), ("feline", "cat"), ("lunch", "meal")];
/// The most texts in one request.
const MOST_TEXTS: usize = 2048;
/// A PNG of one pixel.
pub(crate) const PNG: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const SIZES: [&str; 8] = [
    "auto",
    "1024x1024",
    "1536x1024",
    "1024x1536",
    "256x256",
    "512x512",
    "1792x1024",
    "1024x1792",
];

/// Answers `/v1/embeddings`.
pub(crate) fn embeddings(body: &Value) -> Result<Value, Fault> {
    let body = known(body, &["input", "model", "encoding_format", "dimensions", "user"])?;
    let model = text(body, "model")?;
    if !matches!(
        body.get("encoding_format").and_then(Value::as_str),
        None | Some("float")
    ) {
        return Err(bad("the fake gives floats only"));
    }
    let texts: Vec<&str> = match body.get("input") {
        Some(Value::String(text)) => vec![text],
        Some(Value::Array(texts)) => texts.iter().filter_map(Value::as_str).collect(),
        _ => return Err(bad("Missing required parameter: 'input'.")),
    };
    let count = body["input"].as_array().map_or(1, Vec::len);
    if texts.is_empty() || texts.len() != count || count > MOST_TEXTS || texts.iter().any(|text| text.is_empty()) {
        return Err(bad("'$.input' is invalid."));
    }
    let data: Vec<Value> = (texts.iter().enumerate())
        .map(|(index, text)| json!({"object": "embedding", "index": index, "embedding": embedding(text)}))
        .collect();
    // In an order of its own: the index says which is which.
    let data: Vec<_> = data.into_iter().rev().collect();
    Ok(json!({"object": "list", "data": data, "model": model, "usage": {"prompt_tokens": 1, "total_tokens": 1}}))
}

/// Each word is a direction; words that mean the same are the same one.
fn embedding(text: &str) -> Vec<f32> {
    let mut embedding = vec![0.0; WIDTH];
    let lower = text.to_lowercase();
    for word in lower
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| word.len() > 2)
    {
        let word = SAME
            .iter()
            .find(|(one, _)| *one == word)
            .map_or(word, |(_, other)| other);
        let place = word
            .bytes()
            .fold(7_usize, |hash, byte| (hash * 31 + usize::from(byte)) % 1_000_003);
        embedding[place % WIDTH] += 1.0;
    }
    embedding
}

/// Answers `/v1/images/generations`.
pub(crate) fn image(body: &Value) -> Result<Value, Fault> {
    let fields = [
        "prompt",
        "model",
        "n",
        "size",
        "quality",
        "response_format",
        "background",
        "output_format",
        "style",
        "user",
        "moderation",
    ];
    let body = known(body, &fields)?;
    let model = text(body, "model")?;
    let prompt = text(body, "prompt")?;
    if body
        .get("size")
        .is_some_and(|size| !size.as_str().is_some_and(|size| SIZES.contains(&size)))
    {
        return Err(bad("Invalid value for 'size'."));
    }
    if prompt.contains("forbidden") {
        return Err(Fault::new(400, "Your request was rejected by the safety system.").coded("moderation_blocked"));
    }
    let format = body.get("response_format").and_then(Value::as_str);
    // Servers that keep what they made name its address, whatever they were asked for.
    let address = prompt.split(' ').find(|word| word.starts_with("http://"));
    if let Some(address) = address {
        return Ok(json!({"created": 1, "data": [{"url": address}]}));
    }
    let image = match (model.starts_with("gpt-image"), format) {
        (true, Some(_)) => return Err(bad("Unknown parameter: 'response_format'.")),
        (true, None) | (false, Some("b64_json")) => json!({"b64_json": PNG}),
        (false, _) => json!({"url": "https://images.invalid/1.png"}),
    };
    Ok(json!({"created": 1, "data": [image]}))
}

fn known<'a>(body: &'a Value, fields: &[&str]) -> Result<&'a Map<String, Value>, Fault> {
    let body = body.as_object().ok_or_else(|| bad("expected an object"))?;
    match body.keys().find(|name| !fields.contains(&name.as_str())) {
        Some(name) => Err(bad(&format!("Unknown parameter: '{name}'."))),
        None => Ok(body),
    }
}

fn text<'a>(body: &'a Map<String, Value>, name: &str) -> Result<&'a str, Fault> {
    let text = body.get(name).and_then(Value::as_str).filter(|text| !text.is_empty());
    text.ok_or_else(|| bad(&format!("Missing required parameter: '{name}'.")))
}

fn bad(message: &str) -> Fault {
    Fault::new(400, message)
}
