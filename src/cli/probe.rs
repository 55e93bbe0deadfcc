//! Asks providers whether they accept a key, for `init` and `doctor`; platforms are asked by their adapters.

use std::time::Duration;

pub(super) use clifford_channel::Fault;
use clifford_config::{Provider, ProviderKind};
use clifford_llm_api::model::{Message, Model, ModelError, Request, Role};
use clifford_vault::{Redirected, Secret};
use serde_json::Value;

use crate::app;

/// How long a model's answer may take.
const MODEL_PATIENCE_SECONDS: u64 = 30;

/// Whether a model answers: one short call.
///
/// # Errors
/// [`Fault`].
pub(super) async fn model(provider: &Provider, key: Option<&Secret>) -> Result<(), Fault> {
    let mut provider = provider.clone();
    provider.timeout_seconds = provider.timeout_seconds.min(MODEL_PATIENCE_SECONDS);
    let model = app::provider(&provider, key).map_err(|error| Fault::Refused(error.to_string()))?;
    let request = Request {
        messages: vec![Message {
            role: Role::User,
            content: "Reply with the word OK.".to_owned(),
        }],
        max_tokens: Some(16),
        ..Request::default()
    };
    match model.complete(&request, &mut ()).await {
        // One that is cut off, or asks for patience, knows the key and the model.
        Ok(_) | Err(ModelError::Cut { .. } | ModelError::Later { .. } | ModelError::Refused { .. }) => Ok(()),
        Err(error @ (ModelError::Overloaded { .. } | ModelError::Silent { .. })) => {
            Err(Fault::Unreachable(error.to_string()))
        }
        Err(error) => Err(Fault::Refused(error.to_string())),
    }
}

/// How long a server may take to list its models, and how much of the list is read.
const LIST_PATIENCE: Duration = Duration::from_secs(10);
const LONGEST_LIST: usize = 2 * 1024 * 1024;

/// The models that a provider's server has, by name.
///
/// # Errors
/// [`Fault`].
pub(super) async fn models(provider: &Provider, key: Option<&Secret>) -> Result<Vec<String>, Fault> {
    let client = reqwest::Client::builder()
        .timeout(LIST_PATIENCE)
        .redirect(reqwest::redirect::Policy::none())
        .build()
        .map_err(|error| Fault::Unreachable(error.to_string()))?;
    let root = provider.base_url.as_str().trim_end_matches('/');
    let request = match (provider.kind, key) {
        (ProviderKind::Anthropic, key) => {
            let request = client
                .get(format!("{root}/v1/models?limit=1000"))
                .header("anthropic-version", "2023-06-01");
            match key {
                Some(key) => request.header("x-api-key", key.expose()),
                None => request,
            }
        }
        (_, Some(key)) => client.get(format!("{root}/models")).bearer_auth(key.expose()),
        (_, None) => client.get(format!("{root}/models")),
    };
    let no_answer = |error: reqwest::Error| Fault::Unreachable(error.without_url().to_string());
    let mut response = request.send().await.map_err(no_answer)?;
    if response.status().is_redirection() {
        let location = response.headers().get(reqwest::header::LOCATION);
        let location = location.and_then(|place| place.to_str().ok()).unwrap_or("nowhere");
        return Err(Fault::Refused(Redirected::new(location, "base_url").to_string()));
    }
    if !response.status().is_success() {
        return Err(Fault::Refused(response.status().to_string()));
    }
    let mut body = Vec::new();
    while let Some(piece) = response.chunk().await.map_err(no_answer)? {
        if body.len() + piece.len() > LONGEST_LIST {
            return Err(Fault::Refused("the list of models is too long".to_owned()));
        }
        body.extend_from_slice(&piece);
    }
    Ok(model_names(&body))
}

/// The names in a list of models, in order; what is no name is left out.
fn model_names(body: &[u8]) -> Vec<String> {
    let list: Value = serde_json::from_slice(body).unwrap_or_default();
    let models = list["data"].as_array().into_iter().flatten();
    let mut names: Vec<_> = models
        .filter_map(|model| model["id"].as_str())
        .filter(|name| !name.is_empty() && name.len() <= 200 && !name.chars().any(char::is_control))
        .map(str::to_owned)
        .collect();
    names.sort();
    names.dedup();
    names
}

#[cfg(test)]
mod tests {
    use super::model_names;

    #[test]
    fn models_are_listed_by_name_whatever_else_is_in_the_list() {
        let list =
            br#"{"object":"list","data":[{"id":"b"},{"id":"a","owned_by":"x"},{"id":7},{},"c",{"id":"b"},{"id":""}]}"#;
        assert_eq!(model_names(list), ["a", "b"]);
        assert_eq!(model_names(b"<html>"), Vec::<String>::new());
        assert_eq!(model_names(b"{\"data\":{}}"), Vec::<String>::new());
    }
}
