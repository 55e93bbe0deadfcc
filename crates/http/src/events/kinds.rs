//! The events of `GET /api/events`, and whom each is about. They carry ids and states; the words are read from the rows.

use clifford_core::{
    clock::Timestamp,
    id::{ChannelId, ContextId, MessageId, RunId, UserId},
    messages::{Direction, MessageStatus},
    runs::{RunStatus, WakeReason},
    work::Kind,
};
use clifford_store::{
    deaths::Quarantined,
    messages::changes::ChangedMessage,
    people::pairings::Pairing,
    runs::{feedback::RunFeedback, views::ChangedRun},
};
use serde::Serialize;

use super::super::{
    connections::{ConnectionState, ConnectionView},
    stream,
};

/// An event of `GET /api/events`: `event` is the field of the same name, `data` its data.
#[derive(Clone, Debug, PartialEq, Serialize, utoipa::ToSchema)]
#[serde(tag = "event", content = "data", rename_all = "snake_case")]
pub(crate) enum LiveEvent {
    /// Everything up to now was told. The first event is one, and one follows each minute.
    Mark(MarkEvent),
    /// Too much happened since `Last-Event-ID`: the lists have to be read again. Events follow from here on.
    Reset(MarkEvent),
    /// A run began, or stands elsewhere.
    Run(RunEvent),
    /// A run asks for approval of a call, or that question is settled.
    Approval(ApprovalEvent),
    /// A message was stored.
    Message(MessageEvent),
    /// An outbound message that was stored before stands elsewhere.
    Outbox(MessageEvent),
    /// An answer was liked or disliked.
    Feedback(FeedbackEvent),
    /// A platform's connection stands elsewhere. Owners only.
    Connection(ConnectionEvent),
    /// Somebody asks to be let in, or does not any more. Owners only.
    Pairing(PairingEvent),
    /// Work was set aside, or is not any more. Owners only.
    Quarantine(QuarantineEvent),
}

impl LiveEvent {
    /// The name and the data of the event, one line of JSON.
    pub(super) fn parts(&self) -> (String, String) {
        stream::parts(self)
    }

    /// How it is told that an object left a list of the owner's; nothing: it does not leave it.
    pub(super) fn over(self) -> Option<Self> {
        match self {
            Self::Pairing(pairing) => Some(Self::Pairing(PairingEvent {
                pending: false,
                ..pairing
            })),
            Self::Quarantine(work) => Some(Self::Quarantine(QuarantineEvent { pending: false, ..work })),
            _ => None,
        }
    }
}

/// A point in time.
#[derive(Clone, Debug, PartialEq, Serialize, utoipa::ToSchema)]
pub(crate) struct MarkEvent {
    /// When.
    #[schema(value_type = String)]
    pub(super) at: Timestamp,
}

/// A run, without its words.
#[derive(Clone, Debug, PartialEq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RunEvent {
    /// The run.
    #[schema(value_type = String)]
    id: RunId,
    /// Where it stands.
    status: RunStatus,
    /// Why it waits.
    #[schema(value_type = Option<String>)]
    wake_reason: Option<WakeReason>,
    /// Until when it waits.
    #[schema(value_type = Option<String>)]
    wake_at: Option<Timestamp>,
    /// The channel that it speaks in.
    #[schema(value_type = Option<String>)]
    channel_id: Option<ChannelId>,
    /// Its person.
    #[schema(value_type = Option<String>)]
    user_id: Option<UserId>,
    /// Its conversation.
    #[schema(value_type = Option<String>)]
    context_id: Option<ContextId>,
    /// The run that it works for.
    #[schema(value_type = Option<String>)]
    parent_run_id: Option<RunId>,
    /// When it last changed.
    #[schema(value_type = String)]
    updated_at: Timestamp,
}

impl RunEvent {
    /// Whether the run waits for somebody to approve a call.
    pub(super) fn asks(&self) -> bool {
        self.status == RunStatus::Waiting && self.wake_reason == Some(WakeReason::ToolConfirm)
    }
}

impl From<ChangedRun> for RunEvent {
    fn from(run: ChangedRun) -> Self {
        Self {
            id: run.id,
            status: run.status,
            wake_reason: run.wake_reason,
            wake_at: run.wake_at,
            channel_id: run.channel_id,
            user_id: run.user_id,
            context_id: run.context_id,
            parent_run_id: run.parent_run_id,
            updated_at: run.updated_at,
        }
    }
}

/// A question of a run.
#[derive(Clone, Debug, PartialEq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ApprovalEvent {
    /// The run that asks.
    #[schema(value_type = String)]
    pub(super) run_id: RunId,
    /// Whether it waits for an answer.
    pub(super) pending: bool,
}

/// A message, without its words.
#[derive(Clone, Debug, PartialEq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct MessageEvent {
    /// The message.
    #[schema(value_type = String)]
    id: MessageId,
    /// In or out.
    direction: Direction,
    /// Its channel.
    #[schema(value_type = String)]
    channel_id: ChannelId,
    /// Its conversation.
    #[schema(value_type = Option<String>)]
    context_id: Option<ContextId>,
    /// Its person.
    #[schema(value_type = Option<String>)]
    user_id: Option<UserId>,
    /// The run that it belongs to.
    #[schema(value_type = Option<String>)]
    run_id: Option<RunId>,
    /// Where it stands.
    status: MessageStatus,
    /// When it was stored.
    #[schema(value_type = String)]
    created_at: Timestamp,
}

impl From<ChangedMessage> for MessageEvent {
    fn from(message: ChangedMessage) -> Self {
        Self {
            id: message.id,
            direction: message.direction,
            channel_id: message.channel_id,
            context_id: message.context_id,
            user_id: message.user_id,
            run_id: message.run_id,
            status: message.status,
            created_at: message.created_at,
        }
    }
}

/// A verdict on an answer.
#[derive(Clone, Debug, PartialEq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FeedbackEvent {
    /// The run that answered.
    #[schema(value_type = String)]
    run_id: RunId,
    /// The person who gave it.
    #[schema(value_type = String)]
    user_id: UserId,
    /// `liked` or `disliked`.
    verdict: String,
}

impl From<RunFeedback> for FeedbackEvent {
    fn from(given: RunFeedback) -> Self {
        Self {
            run_id: given.run_id,
            user_id: given.user_id,
            verdict: given.verdict,
        }
    }
}

/// How a platform is connected.
#[derive(Clone, Debug, PartialEq, Serialize, utoipa::ToSchema)]
pub(crate) struct ConnectionEvent {
    /// The platform.
    pub(super) platform: String,
    /// How it stands.
    state: ConnectionState,
    /// Why it is down, or what is withheld.
    detail: Option<String>,
}

impl From<ConnectionView> for ConnectionEvent {
    fn from(view: ConnectionView) -> Self {
        Self {
            platform: view.platform,
            state: view.state,
            detail: view.detail,
        }
    }
}

/// A request to be let in.
#[derive(Clone, Debug, PartialEq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PairingEvent {
    /// Which platform.
    pub(super) platform: String,
    /// The platform's id of the account.
    pub(super) platform_user_id: String,
    /// Whether it waits for a decision.
    pub(super) pending: bool,
}

impl From<Pairing> for PairingEvent {
    fn from(pairing: Pairing) -> Self {
        Self {
            platform: pairing.platform,
            platform_user_id: pairing.platform_user_id,
            pending: true,
        }
    }
}

/// Quarantined work.
#[derive(Clone, Debug, PartialEq, Serialize, utoipa::ToSchema)]
pub(crate) struct QuarantineEvent {
    /// The kind of work.
    pub(super) kind: Kind,
    /// Its id.
    pub(super) id: String,
    /// Whether it is set aside.
    pub(super) pending: bool,
}

impl From<Quarantined> for QuarantineEvent {
    fn from(work: Quarantined) -> Self {
        Self {
            kind: work.kind,
            id: work.id,
            pending: true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_has_the_name_of_its_kind_and_its_data_on_one_line() {
        let run_id: RunId = "0190d7b2-6b7e-7cc0-8f4e-2f1f3a0b1c2d".parse().unwrap();
        let event = LiveEvent::Approval(ApprovalEvent { run_id, pending: true });
        let data = r#"{"runId":"0190d7b2-6b7e-7cc0-8f4e-2f1f3a0b1c2d","pending":true}"#;
        assert_eq!(event.parts(), ("approval".to_owned(), data.to_owned()));
    }
}
