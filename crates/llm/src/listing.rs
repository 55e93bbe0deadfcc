//! The window of a model, from its server's own lists: the window of the running server, where that is listed, rather
//! than the model's maximum.
//!
//! Sources: <https://github.com/ggml-org/llama.cpp/tree/master/tools/server> (`/props`),
//! <https://docs.ollama.com/api> (`/api/ps`, `/api/show`), vLLM's and `OpenRouter`'s `/v1/models`, LM Studio's
//! `/api/v0/models`.

use std::time::Duration;

use reqwest::{Client, RequestBuilder, header::CONTENT_TYPE};
use serde_json::{Value, json};

use crate::{remote::Pieces, window::is_own_network};

/// How long each list is waited for.
const PATIENCE: Duration = Duration::from_secs(4);
/// Bytes of a list that are read: `OpenRouter`'s has some hundred thousand.
const LONGEST: usize = 4 << 20;
/// Ollama's window, if none is set.
const OLLAMA: u64 = 4_096;

/// A model at a server that may tell how much it holds.
#[derive(Clone)]
pub struct Listed {
    /// Where the API starts, such as `http://127.0.0.1:8080/v1`.
    pub base_url: String,
    /// The model's name there.
    pub model: String,
    /// The key, sent as for chat completions.
    pub key: Option<String>,
}

impl Listed {
    /// Asks the server's lists, one after the other, until one tells. `None`: none does, or the server is away.
    pub async fn window(&self, client: &Client) -> Option<u64> {
        let base = self.base_url.trim().trim_end_matches('/');
        let with_key = |call: RequestBuilder| match self.key.as_deref().map(str::trim) {
            Some(key) if !key.is_empty() => call.bearer_auth(key),
            _ => call,
        };
        let listed = ask(with_key(client.get(format!("{base}/models")))).await;
        if let Some(tokens) = listed.as_ref().and_then(|list| in_models(list, &self.model)) {
            return Some(tokens);
        }
        if !is_own_network(base) {
            return None;
        }
        let root = base.strip_suffix("/v1").unwrap_or(base);
        let get = |path: &str| with_key(client.get(format!("{root}{path}")));
        if let Some(tokens) = ask(get("/props")).await.as_ref().and_then(in_props) {
            return Some(tokens);
        }
        if let Some(tokens) = ask(get("/api/ps"))
            .await
            .as_ref()
            .and_then(|list| in_ps(list, &self.model))
        {
            return Some(tokens);
        }
        let show = (client.post(format!("{root}/api/show")))
            .header(CONTENT_TYPE, "application/json")
            .body(json!({"model": self.model}).to_string());
        if let Some(tokens) = ask(with_key(show)).await.as_ref().and_then(in_show) {
            return Some(tokens);
        }
        let list = ask(get("/api/v0/models")).await?;
        in_models(&list, &self.model)
    }
}

async fn ask(call: RequestBuilder) -> Option<Value> {
    let asked = async {
        let response = call
            .send()
            .await
            .ok()
            .filter(|response| response.status().is_success())?;
        let body = Pieces::new(response, PATIENCE, LONGEST).whole().await.ok()?;
        serde_json::from_slice(&body).ok()
    };
    tokio::time::timeout(PATIENCE, asked).await.ok().flatten()
}

/// A number that may be a window.
fn window(value: &Value) -> Option<u64> {
    value.as_u64().filter(|tokens| (256..=100_000_000).contains(tokens))
}

/// In a list of models: the model's own line, or the only one.
fn in_models(list: &Value, model: &str) -> Option<u64> {
    let lines = list["data"].as_array().or_else(|| list["models"].as_array())?;
    let line = match lines.iter().find(|line| line["id"] == model) {
        Some(line) => line,
        // Servers of one model answer to any name.
        None if lines.len() == 1 => lines.first()?,
        None => return None,
    };
    let fields = [
        "max_model_len",
        "loaded_context_length",
        "context_length",
        "context_window",
        "max_context_length",
    ];
    let limit = window(&line["top_provider"]["context_length"]);
    let told = fields.iter().find_map(|field| window(&line[field]));
    match (limit, told) {
        (Some(limit), Some(told)) => Some(limit.min(told)),
        (limit, told) => limit.or(told),
    }
}

/// llama.cpp: what each of its slots holds.
fn in_props(props: &Value) -> Option<u64> {
    window(&props["default_generation_settings"]["n_ctx"]).or_else(|| window(&props["n_ctx"]))
}

/// Ollama: what it has loaded.
fn in_ps(list: &Value, model: &str) -> Option<u64> {
    let lines = list["models"].as_array()?;
    let is_it = |line: &&Value| {
        let names = [&line["name"], &line["model"]];
        names.iter().any(|name| {
            name.as_str()
                .is_some_and(|name| name == model || name.strip_suffix(":latest") == Some(model))
        })
    };
    window(&lines.iter().find(is_it)?["context_length"])
}

/// Ollama: what is set for a model, else what it starts one with, if the model holds that.
fn in_show(show: &Value) -> Option<u64> {
    let set = show["parameters"]
        .as_str()
        .into_iter()
        .flat_map(str::lines)
        .find_map(|line| {
            let mut words = line.split_whitespace();
            (words.next() == Some("num_ctx"))
                .then(|| words.next()?.parse().ok())
                .flatten()
        });
    let model = show["model_info"].as_object()?;
    let holds = model.iter().find(|(name, _)| name.ends_with(".context_length"));
    set.or_else(|| Some(window(holds?.1)?.min(OLLAMA)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_list_tells_what_the_running_server_holds() {
        let vllm = json!({"data": [{"id": "m", "max_model_len": 16_384}]});
        let router = json!({"data": [{"id": "x"}, {"id": "m", "context_length": 131_072,
            "top_provider": {"context_length": 65_536}}]});
        let studio = json!({"data": [{"id": "m", "max_context_length": 131_072, "loaded_context_length": 8_192}]});
        // The context of the training says nothing of the server.
        let llama = json!({"data": [{"id": "m", "meta": {"n_ctx_train": 131_072}}]});
        for (list, expected) in [
            (vllm, Some(16_384)),
            (router, Some(65_536)),
            (studio, Some(8_192)),
            (llama, None),
        ] {
            assert_eq!(in_models(&list, "m"), expected, "{list}");
        }
        let several = json!({"data": [{"id": "a", "context_length": 4_096}, {"id": "b", "context_length": 8_192}]});
        assert_eq!(in_models(&several, "m"), None);
        assert_eq!(
            in_props(&json!({"default_generation_settings": {"n_ctx": 4_096}})),
            Some(4_096)
        );
        let running = json!({"models": [{"name": "m:latest", "context_length": 32_768}]});
        assert_eq!((in_ps(&running, "m"), in_ps(&running, "n")), (Some(32_768), None));
        let info = json!({"general.architecture": "llama", "llama.context_length": 131_072});
        for (parameters, expected) in [("stop \"x\"\nnum_ctx   8192", 8_192), ("stop \"x\"", 4_096)] {
            let show = json!({"parameters": parameters, "model_info": info});
            assert_eq!(in_show(&show), Some(expected));
        }
        for nothing in [
            json!({}),
            json!([]),
            json!("text"),
            json!({"data": "text"}),
            json!({"data": [7]}),
        ] {
            assert_eq!(
                (in_models(&nothing, "m"), in_props(&nothing), in_show(&nothing)),
                (None, None, None)
            );
        }
    }
}
