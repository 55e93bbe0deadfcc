//! The outcome of a message or command that a caller sent.

use axum::http::StatusCode;
use clifford_core::{
    id::{MessageId, RunId},
    runs::Run,
};
use serde::{Deserialize, Serialize};

/// The status of a command.
const ANSWERED: &str = "answered";

/// The outcome of a message.
#[derive(Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Accepted {
    /// The message.
    #[schema(value_type = String)]
    pub(super) message_id: MessageId,
    /// Its run; `null` while another is at work in its conversation.
    #[schema(value_type = Option<String>)]
    pub(super) run_id: Option<RunId>,
    /// Where its run stands; `queued` while there is none; `answered`: it was a command, which needs none.
    pub(super) status: &'static str,
    /// Its run, if the caller waited for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) run: Option<Run>,
    /// The bot's messages and questions, those of its subagents included, if the caller waited for them; the answer to a
    /// command.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) messages: Option<Vec<String>>,
    /// The buttons below the answer to a command: sending `command` as a message presses one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) buttons: Option<Vec<Button>>,
}

impl Accepted {
    /// The answer to a caller that does not wait, with the run if there is one already.
    pub(super) fn at_once(message: MessageId, run: Option<Run>) -> Self {
        Self {
            message_id: message,
            run_id: run.as_ref().map(|run| run.id),
            status: run.as_ref().map_or("queued", |run| run.status.as_str()),
            run: None,
            messages: None,
            buttons: None,
        }
    }

    /// The status of the response: a command was answered, a run goes on.
    pub(super) fn code(&self) -> StatusCode {
        match self.status {
            ANSWERED => StatusCode::OK,
            _ => StatusCode::ACCEPTED,
        }
    }

    /// The answer to a command.
    pub(super) fn answered(self, text: String, buttons: Option<Vec<Button>>) -> Self {
        Self {
            status: ANSWERED,
            messages: Some(vec![text]),
            buttons,
            ..self
        }
    }
}

/// A button below an answer.
#[derive(Deserialize, Serialize, utoipa::ToSchema)]
#[schema(as = AnswerButton)]
pub(super) struct Button {
    /// Its label.
    label: String,
    /// The message that a press sends.
    command: String,
}
