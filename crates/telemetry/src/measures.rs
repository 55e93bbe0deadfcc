//! Counts and timings of the work. Names and labels stand in the [catalogue](super::catalogue).

use std::time::{Duration, Instant};

use clifford_chat::{
    error::SendError,
    inbound::{Accepted, ConnectionStatus},
    platform::Platform,
};
use clifford_core::{
    models::{Requested, Role},
    runs::RunStatus,
    schedule::trigger::TriggerKind,
    work::{JobKind, Kind, MaintenanceKind},
};
use clifford_llm_api::model::{Completion, ModelError};
use metrics::{counter, gauge, histogram};

/// The queues.
pub const QUEUES: [&str; 4] = ["runs", "jobs", "outbox", "triggers"];
/// The outcomes of an event.
pub(crate) const EVENT_OUTCOMES: [&str; 6] = ["answering", "queued", "stored", "duplicate", "ignored", "refused"];
/// The kinds of work that may be set aside.
pub const QUARANTINED: [&str; 6] = ["run", "job", "message", "trigger", "event", "file"];
/// The HTTP statuses that messages are set aside for.
pub(crate) const LATE_STATUSES: [&str; 3] = ["4xx", "5xx", "none"];
/// Why a part was not sent.
pub(crate) const SEND_FAILURES: [&str; 7] = [
    "retry_after",
    "not_sent",
    "unreachable",
    "moved",
    "gone",
    "barred",
    "rejected",
];

/// A run came to rest.
pub fn run_rests(status: RunStatus) {
    counter!("clifford_runs_total", "status" => status.as_str()).increment(1);
}

/// A run begins an iteration.
pub fn iteration() {
    counter!("clifford_iterations_total").increment(1);
}

/// A task panicked.
pub fn panicked() {
    counter!("clifford_panics_total").increment(1);
}

/// How a worker process came to an untimely end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WorkerDeath {
    /// Its task was not done in time.
    Deadline,
    /// Its task took too much memory, overflowed the stack, or it was killed.
    Died,
    /// It was killed while it had nothing to do.
    Idle,
}

/// The tasks of worker processes.
pub const WORKER_TASKS: [&str; 6] = ["expression", "page_text", "article", "image", "document", "page_image"];

/// How worker processes die.
pub(crate) const WORKER_DEATHS: [&str; 3] = ["deadline", "died", "idle"];

impl WorkerDeath {
    /// As a label.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Deadline => "deadline",
            Self::Died => "died",
            Self::Idle => "idle",
        }
    }
}

/// A worker process was started.
pub fn worker_started() {
    counter!("clifford_worker_process_starts_total").increment(1);
}

/// A worker process died.
pub fn worker_died(death: WorkerDeath) {
    counter!("clifford_worker_process_deaths_total", "reason" => death.as_str()).increment(1);
}

/// A worker process has done a task.
pub fn worker_done(task: &'static str, took: Duration) {
    histogram!("clifford_worker_process_seconds", "task" => task).record(took);
}

/// A run is another process's.
pub fn lease_lost() {
    counter!("clifford_leases_lost_total").increment(1);
}

/// A model replied, or none did.
pub fn model_replied(
    role: Role,
    requested: Option<&Requested>,
    reply: &Result<Completion, ModelError>,
    took: Duration,
) {
    let role = role.as_str();
    let (provider, outcome) = match reply {
        Ok(completion) => (completion.provider.as_str(), "answered"),
        // A provider that nobody configured is no provider: time ran out.
        Err(error) => (
            requested.map_or("", |requested| requested.provider.as_str()),
            error.class(),
        ),
    };
    let labels = [
        ("provider", provider.to_owned()),
        ("role", role.to_owned()),
        ("outcome", outcome.to_owned()),
    ];
    counter!("clifford_model_calls_total", &labels).increment(1);
    if let Ok(completion) = reply {
        histogram!(
            "clifford_model_seconds",
            &answered(role, &completion.provider, &completion.model)
        )
        .record(took);
    }
}

fn answered(role: &'static str, provider: &str, model: &str) -> [(&'static str, String); 3] {
    [
        ("provider", provider.to_owned()),
        ("model", model.to_owned()),
        ("role", role.to_owned()),
    ]
}

/// A reply was charged.
pub fn model_charged(role: Role, completion: &Completion, cost: f64) {
    let labels = answered(role.as_str(), &completion.provider, &completion.model);
    let usage = &completion.usage;
    for (kind, tokens) in [
        ("prompt", usage.prompt_tokens),
        ("cached", usage.cached_tokens),
        ("completion", usage.completion_tokens),
    ] {
        let [provider, model, role] = labels.clone();
        counter!(
            "clifford_model_tokens_total",
            &[provider, model, role, ("kind", kind.to_owned())]
        )
        .increment(tokens);
    }
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a float becomes the nearest number that there is"
    )]
    let nanos = (cost * 1e9).round() as u64;
    counter!("clifford_model_cost_nanos_total", &labels).increment(nanos);
}

/// A budget is spent.
pub fn budget_refused() {
    counter!("clifford_budget_refusals_total").increment(1);
}

/// A tool was called.
pub fn tool_called(tool: &str, outcome: &'static str, took: Duration) {
    counter!("clifford_tool_calls_total", "tool" => tool.to_owned(), "outcome" => outcome).increment(1);
    histogram!("clifford_tool_seconds", "tool" => tool.to_owned()).record(took);
}

/// An event was taken.
pub fn event_taken(platform: Platform, accepted: &Accepted) {
    let outcome = event_outcome(accepted);
    counter!("clifford_events_total", "platform" => platform.as_str(), "outcome" => outcome).increment(1);
}

const fn event_outcome(accepted: &Accepted) -> &'static str {
    match accepted {
        Accepted::Answering => "answering",
        Accepted::Queued => "queued",
        Accepted::Stored => "stored",
        Accepted::Duplicate => "duplicate",
        Accepted::Ignored => "ignored",
        Accepted::Refused(_) => "refused",
    }
}

/// An event could not be read.
pub fn event_unreadable(platform: Platform) {
    counter!("clifford_unreadable_events_total", "platform" => platform.as_str()).increment(1);
}

/// Work was set aside: processes died of it.
pub fn quarantined(kind: Kind) {
    counter!("clifford_quarantined_total", "kind" => kind.as_str()).increment(1);
}

/// An event could not be stored.
pub fn event_not_taken() {
    counter!("clifford_ingress_errors_total").increment(1);
}

/// A platform's connection came up, or went down.
pub fn connection(platform: Platform, status: &ConnectionStatus) {
    let is_up = !matches!(status, ConnectionStatus::Disconnected(_));
    gauge!("clifford_connected", "platform" => platform.as_str()).set(f64::from(u8::from(is_up)));
    if is_up {
        counter!("clifford_connections_total", "platform" => platform.as_str()).increment(1);
    }
}

/// A platform refused the bot: its token, or what it asks for.
pub fn connection_refused(platform: Platform) {
    counter!("clifford_connection_refusals_total", "platform" => platform.as_str()).increment(1);
}

/// A message went out, or was given up.
pub fn delivered(platform: Platform, outcome: &'static str) {
    counter!("clifford_deliveries_total", "platform" => platform.as_str(), "outcome" => outcome).increment(1);
}

/// A part was handed to its platform.
pub fn sent<T>(platform: Platform, outcome: &Result<T, SendError>, took: Duration) {
    match outcome {
        Ok(_) => histogram!("clifford_send_seconds", "platform" => platform.as_str()).record(took),
        Err(error) => {
            let reason = reason(error);
            counter!("clifford_send_failures_total", "platform" => platform.as_str(), "reason" => reason).increment(1);
        }
    }
}

/// Why a part was not sent, in a word.
pub const fn reason(error: &SendError) -> &'static str {
    match error {
        SendError::RetryAfter(_) => "retry_after",
        SendError::NotSent(_) => "not_sent",
        SendError::Unreachable(_) | SendError::Failed(_) => "unreachable",
        SendError::Moved(_) => "moved",
        SendError::Gone(_) => "gone",
        SendError::Barred(_) => "barred",
        SendError::Rejected(_) => "rejected",
    }
}

/// A message was set aside, so that what follows it in its chat goes out.
/// `status`: the HTTP status that the platform refused it with, if it answered.
pub fn set_aside(platform: Platform, status: Option<&str>) {
    let status = late_status(status);
    counter!("clifford_late_messages_total", "platform" => platform.as_str(), "status" => status).increment(1);
}

fn late_status(status: Option<&str>) -> &'static str {
    match status.and_then(|status| status.chars().next()) {
        Some('4') => "4xx",
        Some('5') => "5xx",
        _ => "none",
    }
}

/// Nobody knows whether a part arrived.
pub fn ambiguous(platform: Platform) {
    counter!("clifford_ambiguous_sends_total", "platform" => platform.as_str()).increment(1);
}

/// A maintenance job was done, or failed and was put off.
pub fn maintained(kind: MaintenanceKind, outcome: &'static str) {
    counter!("clifford_jobs_total", "kind" => kind.as_str(), "outcome" => outcome).increment(1);
}

/// A job was worked on.
pub fn job_done(kind: JobKind, outcome: &'static str) {
    counter!("clifford_jobs_total", "kind" => kind.as_str(), "outcome" => outcome).increment(1);
}

/// A trigger fired.
pub fn trigger_fired(kind: TriggerKind) {
    counter!("clifford_triggers_fired_total", "kind" => kind.as_str()).increment(1);
}

/// A request to the API was answered.
pub fn answered_request(status: &str) {
    counter!("clifford_http_requests_total", "status" => status.to_owned()).increment(1);
}

/// A transaction was committed, from when it was asked for on.
pub fn written(since: Instant) {
    histogram!("clifford_database_write_seconds").record(since.elapsed());
}

/// A commit took its time.
pub fn committed(since: Instant) {
    histogram!("clifford_database_commit_seconds").record(since.elapsed());
}

/// A connection was waited for.
pub fn connection_waited(since: Instant) {
    histogram!("clifford_database_wait_seconds").record(since.elapsed());
}

/// Measures how long a connection is held to read, until it is dropped.
#[derive(Debug)]
pub struct Reading(Instant);

impl Reading {
    /// From now on.
    pub fn begin() -> Self {
        Self(Instant::now())
    }
}

impl Drop for Reading {
    fn drop(&mut self) {
        histogram!("clifford_database_read_seconds").record(self.0.elapsed());
    }
}

#[cfg(test)]
mod tests {
    use clifford_chat::outbound::Address;

    use super::*;

    #[test]
    fn the_catalogue_knows_every_label() {
        let events = [
            Accepted::Answering,
            Accepted::Queued,
            Accepted::Stored,
            Accepted::Duplicate,
            Accepted::Ignored,
            Accepted::Refused(String::new()),
        ];
        assert_eq!(events.map(|accepted| event_outcome(&accepted)), EVENT_OUTCOMES);
        let address = Address {
            place: "1".to_owned(),
            private: true,
            reply_to: None,
            via: None,
        };
        let failures = [
            SendError::RetryAfter(Duration::ZERO),
            SendError::NotSent(String::new()),
            SendError::Unreachable(String::new()),
            SendError::Moved(address),
            SendError::Gone(String::new()),
            SendError::Barred(String::new()),
            SendError::Rejected(String::new()),
        ];
        assert_eq!(failures.map(|error| reason(&error)), SEND_FAILURES);
        let statuses = [Some("429"), Some("502"), None];
        assert_eq!(statuses.map(late_status), LATE_STATUSES);
    }
}
