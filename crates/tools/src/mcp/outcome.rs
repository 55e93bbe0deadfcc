//! A server's answer to a call, as a result for the model: texts and data; files are named, not shown.

use rmcp::model::{CallToolResult, ContentBlock, ResourceContents};
use serde_json::{Map, Value, json};

use super::words;
use crate::tool::more_characters;

/// The most characters of all texts of a result.
const TEXT: usize = 40_000;
/// The most bytes of a result's data.
const DATA: usize = 40_000;
/// The most characters of an error, and of a link's or file's name.
const ERROR: usize = 2_000;
const NAME: usize = 300;
/// The most links and files that are named.
const NAMED: usize = 50;

/// The result, or what the server says went wrong.
pub(super) fn read(answer: CallToolResult) -> Result<Value, String> {
    let mut parts = Parts::default();
    for block in answer.content {
        parts.take(block);
    }
    let text = parts.texts.join("\n");
    if answer.is_error == Some(true) {
        let said = words::cut(text.trim(), ERROR);
        return Err(if said.is_empty() {
            "the tool failed and did not say why".to_owned()
        } else {
            said
        });
    }
    let mut result = Map::new();
    let data = answer.structured_content.filter(|data| data.to_string().len() <= DATA);
    // A server that gives data gives the same as text, for clients that take no data.
    let repeats = data.is_some() && serde_json::from_str::<Value>(&text).ok() == data;
    if !text.is_empty() && !repeats {
        let missing = text.chars().count().saturating_sub(TEXT);
        let head: String = text.chars().take(TEXT).collect();
        let text = if missing > 0 {
            format!("{head}… ({})", more_characters(missing))
        } else {
            text
        };
        result.insert("text".to_owned(), text.into());
    }
    if let Some(data) = data {
        result.insert("data".to_owned(), data);
    }
    if !parts.named.is_empty() {
        parts.named.truncate(NAMED);
        result.insert("named".to_owned(), parts.named.into());
    }
    Ok(Value::Object(result))
}

#[derive(Default)]
struct Parts {
    texts: Vec<String>,
    named: Vec<Value>,
}

impl Parts {
    fn take(&mut self, block: ContentBlock) {
        match block {
            ContentBlock::Text(text) => self.texts.push(text.text),
            ContentBlock::Image(image) => self.file("image", None, Some(image.mime_type), image.data.len()),
            ContentBlock::Audio(audio) => self.file("audio", None, Some(audio.mime_type), audio.data.len()),
            ContentBlock::Resource(embedded) => match embedded.resource {
                ResourceContents::TextResourceContents { uri, text, .. } => {
                    self.texts.push(format!("{}:\n{text}", words::cleaned(&uri, NAME)));
                }
                ResourceContents::BlobResourceContents {
                    uri, mime_type, blob, ..
                } => {
                    self.file("file", Some(uri), mime_type, blob.len());
                }
                _ => {}
            },
            ContentBlock::ResourceLink(link) => self.named.push(json!({
                "kind": "link", "uri": words::cleaned(&link.uri, NAME), "name": words::cleaned(&link.name, NAME),
            })),
            _ => self.named.push(json!({ "kind": "unknown" })),
        }
    }

    /// A file's content comes in Base64: four characters for three bytes.
    fn file(&mut self, kind: &str, uri: Option<String>, media_type: Option<String>, encoded: usize) {
        let clean = |text: String| words::cleaned(&text, NAME);
        self.named.push(json!({
            "kind": kind, "uri": uri.map(clean), "mediaType": media_type.map(clean), "bytes": encoded / 4 * 3,
        }));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answered(answer: Value) -> Result<Value, String> {
        read(serde_json::from_value(answer).expect("an answer"))
    }

    #[test]
    fn texts_and_data_are_returned_and_files_are_named() {
        let cases = [
            (
                json!({ "content": [{ "type": "text", "text": "one" }, { "type": "text", "text": "two" }] }),
                json!({ "text": "one\ntwo" }),
            ),
            (
                json!({ "content": [{ "type": "text", "text": "{\"a\":1}" }], "structuredContent": { "a": 1 } }),
                json!({ "data": { "a": 1 } }),
            ),
            (
                json!({ "content": [{ "type": "text", "text": "a is 1" }], "structuredContent": { "a": 1 } }),
                json!({ "text": "a is 1", "data": { "a": 1 } }),
            ),
            (
                json!({ "content": [
                    { "type": "image", "data": "AAAAAAAA", "mimeType": "image/png" },
                    { "type": "resource_link", "uri": "file:///a\n", "name": "a" },
                    { "type": "resource", "resource": { "uri": "file:///b", "text": "in b" } },
                    { "type": "resource", "resource": { "uri": "file:///c", "blob": "AAAA" } },
                ] }),
                json!({ "text": "file:///b:\nin b", "named": [
                    { "kind": "image", "uri": null, "mediaType": "image/png", "bytes": 6 },
                    { "kind": "link", "uri": "file:///a", "name": "a" },
                    { "kind": "file", "uri": "file:///c", "mediaType": null, "bytes": 3 },
                ] }),
            ),
            (json!({ "content": [] }), json!({})),
        ];
        for (answer, result) in cases {
            assert_eq!(answered(answer), Ok(result));
        }
    }

    #[test]
    fn what_a_server_calls_an_error_is_one() {
        let failed = |text: &str| answered(json!({ "isError": true, "content": [{ "type": "text", "text": text }] }));
        assert_eq!(failed("no such file"), Err("no such file".to_owned()));
        assert_eq!(failed(" "), Err("the tool failed and did not say why".to_owned()));
        assert_eq!(failed(&"x".repeat(9_000)).expect_err("an error").chars().count(), ERROR);
    }

    #[test]
    fn a_text_without_end_is_cut() {
        let long = "ß".repeat(TEXT + 7);
        let result = answered(json!({ "content": [{ "type": "text", "text": long }] })).expect("a result");
        let text = result["text"].as_str().expect("a text");
        assert!(text.ends_with("ß… (7 more characters)"), "{}", text.len());
    }
}
