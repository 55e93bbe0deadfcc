//! A step of a run, as the API gives it.

use serde::Deserialize;
use serde_json::Value;

use crate::view::format::At;

/// A step of the API.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Step {
    pub(crate) seq: u32,
    pub(super) r#type: String,
    pub(super) tool_name: Option<String>,
    pub(super) args_json: Option<Value>,
    pub(crate) result_json: Option<Value>,
    pub(super) status: Option<String>,
    pub(super) prompt_tokens: Option<u64>,
    pub(super) completion_tokens: Option<u64>,
    pub(super) cached_tokens: Option<u64>,
    pub(super) duration_ms: Option<u64>,
    pub(crate) created_at: At,
}

impl Step {
    /// The event of a step of that kind.
    pub(crate) fn event(&self) -> Option<&str> {
        self.result_json.as_ref()?.get("event")?.as_str()
    }

    /// It is a question to the model.
    pub(crate) fn asks_model(&self) -> bool {
        self.event() == Some("llm_request")
    }

    /// When it began.
    pub(super) fn begun(&self) -> At {
        let took = std::time::Duration::from_millis(self.duration_ms.unwrap_or_default());
        At(self.created_at.0.before(took))
    }

    /// The prompt of that question was recorded.
    pub(crate) fn has_prompt(&self) -> bool {
        (self.result_json.as_ref()).is_some_and(|event| event.get("prompt").is_some_and(|prompt| !prompt.is_null()))
    }

    /// The prompt of that question was recorded, and deleted by retention.
    pub(crate) fn lost_prompt(&self) -> bool {
        (self.result_json.as_ref()).is_some_and(|event| event.get("promptDeletedAt").is_some_and(|at| !at.is_null()))
    }

    /// It stands in the place of the steps, which retention deleted.
    pub(crate) fn tells_deleted(&self) -> bool {
        self.event() == Some("steps_deleted")
    }

    /// The effect of a model's reply, in two or three words; nothing: it is no reply.
    pub(crate) fn in_brief(&self) -> Option<String> {
        match self.r#type.as_str() {
            "tool_call" => Some(format!("calls {}", self.tool_name.as_deref().unwrap_or("a tool"))),
            "assistant_message" => Some("says something".to_owned()),
            "finish" => Some("ends".to_owned()),
            "message" if self.event() == Some("confirm_request") => Some("is held back".to_owned()),
            _ => None,
        }
    }

    /// The subagents that it created.
    pub(crate) fn children(&self) -> Vec<String> {
        let spawned = self
            .result_json
            .as_ref()
            .filter(|_| self.tells_deleted() || self.event() == Some("spawn_subagents"));
        let ids = spawned.and_then(|event| event["children"].as_array());
        ids.into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .map(str::to_owned)
            .collect()
    }

    /// Its call can be taken back.
    pub(crate) fn can_be_undone(&self) -> bool {
        self.result_json
            .as_ref()
            .is_some_and(|result| !result["undo"].is_null())
    }

    /// A text of its arguments.
    pub(super) fn given(&self, name: &str) -> Option<&str> {
        self.args_json.as_ref()?.get(name)?.as_str()
    }

    /// A text of its result.
    pub(super) fn got(&self, name: &str) -> Option<&str> {
        self.result_json.as_ref()?.get(name)?.as_str()
    }
}
