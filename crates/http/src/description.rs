//! The description of every route, which is built at its first look and kept compressed.
//!
//! Utoipa's descriptions of all routes take some megabytes together, and a process keeps what it once took. So one route
//! is described at a time, and of each nothing stays but its text.

use std::{
    collections::BTreeMap,
    io::{Read, Write},
};

use axum::{
    http::{HeaderMap, HeaderValue, header},
    response::{IntoResponse, Response},
};
use flate2::{Compression, read::GzDecoder, write::GzEncoder};
use serde_json::Value;
use utoipa::{
    OpenApi,
    openapi::{
        OpenApi as Described,
        security::{HttpAuthScheme, HttpBuilder, SecurityScheme},
    },
};
use utoipa_axum::router::{OpenApiRouter, UtoipaMethodRouter};

use super::{Shared, access, events, openapi, problem, stream};

#[derive(OpenApi)]
#[openapi(
    info(title = "Clifford", description = "A self-hosted AI bot for chat platforms."),
    components(schemas(problem::ProblemBody, events::LiveEvent, stream::RunStreamEvent))
)]
struct Frame;

/// Handlers of one path, with their description.
pub(super) type Routes = UtoipaMethodRouter<Shared>;

/// The description, compressed: it is looked at seldom.
pub(super) struct Description(Vec<u8>);

/// A text of JSON by its name.
type Texts = BTreeMap<String, String>;

/// The parts of the description, each as the text that it becomes.
#[derive(Default)]
struct Parts {
    /// The operations by their method, by path.
    paths: BTreeMap<String, Texts>,
    /// The schemas.
    schemas: Texts,
}

impl Parts {
    fn take(&mut self, mut described: Described) {
        access::routes::describe(&mut described);
        for (path, item) in std::mem::take(&mut described.paths.paths) {
            let Ok(Value::Object(methods)) = serde_json::to_value(&item) else {
                continue;
            };
            let operations = self.paths.entry(path.clone()).or_default();
            for (method, operation) in methods {
                let Value::Object(mut operation) = operation else {
                    continue;
                };
                openapi::complete(&path, &method, &mut operation);
                operations.insert(method, Value::Object(operation).to_string());
            }
        }
        let schemas = described.components.take().map(|components| components.schemas);
        for (name, schema) in schemas.into_iter().flatten() {
            self.schemas
                .entry(name)
                .or_insert_with(|| serde_json::to_string(&schema).unwrap_or_default());
        }
    }

    /// The whole within its frame, whose own parts are these.
    fn within(self, mut frame: Value) -> String {
        let mut whole = Texts::new();
        let paths = self.paths.into_iter().map(|(path, methods)| (path, object(&methods)));
        whole.insert("paths".to_owned(), object(&paths.collect()));
        let mut components = texts(frame["components"].take());
        components.insert("schemas".to_owned(), object(&self.schemas));
        whole.insert("components".to_owned(), object(&components));
        let others = texts(frame).into_iter();
        whole.extend(others.filter(|(name, _)| !matches!(name.as_str(), "paths" | "components")));
        object(&whole)
    }
}

/// The fields of an object as texts.
fn texts(value: Value) -> Texts {
    let Value::Object(fields) = value else {
        return Texts::new();
    };
    fields
        .into_iter()
        .map(|(name, field)| (name, field.to_string()))
        .collect()
}

/// An object of these fields.
fn object(fields: &Texts) -> String {
    let length = fields
        .iter()
        .map(|(name, text)| name.len() + text.len() + 4)
        .sum::<usize>();
    let mut whole = String::with_capacity(length + 2);
    for (name, text) in fields {
        whole.push(if whole.is_empty() { '{' } else { ',' });
        whole.push_str(&Value::from(name.as_str()).to_string());
        whole.push(':');
        whole.push_str(text);
    }
    if whole.is_empty() {
        whole.push('{');
    }
    whole.push('}');
    whole
}

impl Description {
    /// The description of these routes, one after another.
    pub(super) fn of(each_route: impl FnOnce(&mut dyn FnMut(Routes))) -> Self {
        let mut parts = Parts::default();
        parts.take(Frame::openapi());
        each_route(&mut |route| {
            let (_, described) = OpenApiRouter::<Shared>::new().routes(route).split_for_parts();
            parts.take(described);
        });
        Self(compressed(&parts.within(openapi::framed(frame()))))
    }

    /// The description as JSON.
    pub(super) fn json(&self) -> String {
        let mut text = String::new();
        // It is what was compressed above.
        let read = GzDecoder::new(self.0.as_slice()).read_to_string(&mut text);
        read.map_or_else(|_| String::new(), |_| text)
    }

    /// How many bytes it takes.
    #[cfg(test)]
    pub(super) fn bytes(&self) -> usize {
        self.0.len()
    }

    /// The answer to a request with these headers.
    pub(super) fn answer(&'static self, headers: &HeaderMap) -> Response {
        let accepted = headers.get_all(header::ACCEPT_ENCODING).iter();
        let mut accepted = accepted
            .filter_map(|value| value.to_str().ok())
            .flat_map(|line| line.split(','));
        let takes_gzip = accepted.any(|one| matches!(one.trim(), "gzip" | "x-gzip"));
        let mut response = if takes_gzip {
            ([(header::CONTENT_ENCODING, "gzip")], self.0.as_slice()).into_response()
        } else {
            self.json().into_response()
        };
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
        headers.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
        response
    }
}

/// The description without the routes.
fn frame() -> Value {
    let mut frame = Frame::openapi();
    let bearer = HttpBuilder::new()
        .scheme(HttpAuthScheme::Bearer)
        .description(Some(
            "A token of `clifford token create`, with its scopes: of a person (`--user`), or an owner's.",
        ))
        .build();
    frame
        .components
        .get_or_insert_default()
        .add_security_scheme("bearer", SecurityScheme::Http(bearer));
    serde_json::to_value(&frame).unwrap_or_default()
}

fn compressed(text: &str) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    // A vector takes every write.
    let written = encoder.write_all(text.as_bytes()).and_then(|()| encoder.finish());
    written.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn names_and_texts_become_one_object() {
        let fields: Texts = [("a\"b", "1"), ("c", "{\"d\":2}")]
            .map(|(name, text)| (name.to_owned(), text.to_owned()))
            .into();
        let expected = json!({ "a\"b": 1, "c": { "d": 2 } });
        assert_eq!(serde_json::from_str::<Value>(&object(&fields)).unwrap(), expected);
        assert_eq!(object(&Texts::new()), "{}");
    }
}
