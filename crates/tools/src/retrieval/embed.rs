//! Embeddings of texts, by the configured model.

use std::time::Duration;

use clifford_core::models::Role;
use clifford_llm_api::tokens::estimate_tokens;
use clifford_vault::Secret;
use serde::Deserialize;
use serde_json::json;

use super::Config;
use crate::{
    Price, Purchase, ToolContext, ToolError,
    provider::{Ask, Body},
};

/// How many texts go into one request.
const BATCH: usize = 64;

/// The model that is set.
pub(super) struct Embedder {
    base_url: String,
    model: String,
    key: Option<Secret>,
    /// The price of a million tokens.
    price: f64,
    within: Duration,
}

#[derive(Deserialize)]
struct Answer {
    data: Vec<Embedding>,
}

#[derive(Deserialize)]
struct Embedding {
    index: usize,
    embedding: Vec<f32>,
}

impl Embedder {
    /// The model that is set; `None`: there is none.
    pub fn of(cx: &ToolContext) -> Result<Option<Self>, ToolError> {
        let config: Config = cx.config("retrieval")?;
        let (Some(base_url), Some(model)) = (config.base_url, config.model) else {
            return Ok(None);
        };
        Ok(Some(Self {
            base_url,
            model,
            key: cx.services.secrets.get("retrieval.key").cloned(),
            price: config.price,
            within: Duration::from_secs(config.timeout_seconds),
        }))
    }

    /// Its name.
    pub fn model(&self) -> &str {
        &self.model
    }

    /// The embedding of each text, in their order. Each request is paid for.
    pub async fn embed(&self, cx: &ToolContext, texts: &[String]) -> Result<Vec<Vec<f32>>, ToolError> {
        let mut embeddings = Vec::with_capacity(texts.len());
        for batch in texts.chunks(BATCH) {
            let body = json!({ "model": self.model, "input": batch, "encoding_format": "float" });
            let ask = Ask {
                section: "tools.retrieval",
                base_url: &self.base_url,
                route: "embeddings",
                key: self.key.as_ref(),
                body: Body::Json(&body),
                within: self.within,
            };
            let answer = cx.payer.buy(self.purchase(batch), Box::pin(ask.send())).await?;
            let answer = Answer::deserialize(answer);
            let mut data = answer.map(|answer| answer.data).unwrap_or_default();
            data.sort_by_key(|embedding| embedding.index);
            if data.len() != batch.len() {
                let fault = "the provider of [tools.retrieval] did not give an embedding for each text";
                return Err(ToolError::Unavailable(fault.to_owned()));
            }
            embeddings.extend(data.into_iter().map(|embedding| embedding.embedding));
        }
        Ok(embeddings)
    }

    fn purchase(&self, texts: &[String]) -> Purchase {
        Purchase {
            provider: "tools.retrieval".to_owned(),
            model: self.model.clone(),
            // For the answer that it is looked up for.
            role: Role::Executor,
            price: Price::Tokens {
                million: self.price,
                guessed: texts.iter().map(|text| estimate_tokens(text)).sum(),
            },
        }
    }
}
