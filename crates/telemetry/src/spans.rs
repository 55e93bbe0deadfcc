//! The spans of a trace: a run, its iterations, their calls of models and tools, and deliveries. Their fields are ids
//! and outcomes, never what anybody said.
//!
//! Those within a run are on the level `debug`: where nothing exports them and nobody reads that level they cost a look
//! at a flag. The names of attributes are those of OpenTelemetry's conventions for generative AI, where it has one.

use std::{
    fmt,
    sync::{Arc, OnceLock},
};

use clifford_core::{
    id::{ChannelId, JobId, MessageId, RunId},
    models::{Requested, Role},
    runs::{Run, RunStatus},
    work::JobKind,
};
use clifford_llm_api::model::{Completion, ModelError};
use tracing::{Span, debug_span, field::Empty, info_span};

/// The work of the agent of this name on a run, until it rests.
pub fn run(run: &Run, platform: Option<&str>, agent: &str) -> Span {
    let span = info_span!(
        "run",
        run_id = %run.id,
        kind = run.kind.as_str(),
        context_id = run.context_id.map(tracing::field::display),
        channel_id = run.channel_id.map(tracing::field::display),
        platform,
        outcome = Empty,
        otel.name = Empty,
        otel.status_code = Empty,
        error.r#type = Empty,
        gen_ai.operation.name = Empty,
        gen_ai.agent.name = Empty,
        gen_ai.conversation.id = Empty,
    );
    if is_exported() {
        span.record("otel.name", format!("invoke_agent {agent}"));
        span.record("gen_ai.operation.name", "invoke_agent");
        span.record("gen_ai.agent.name", agent);
        if let Some(context) = run.context_id {
            span.record("gen_ai.conversation.id", tracing::field::display(context));
        }
    }
    span
}

/// Records the status of a run, as far as this worker brought it.
pub fn run_rests(span: &Span, status: RunStatus) {
    span.record("outcome", status.as_str());
    if status == RunStatus::Failed {
        failed(span, status.as_str());
    }
}

/// One iteration of a run.
pub fn iteration(run: &Run, number: u32) -> Span {
    debug_span!("iteration", run_id = %run.id, number = i64::from(number))
}

/// A call of a model.
pub fn model_call(role: Role, requested: Option<&Requested>) -> Span {
    let span = debug_span!(
        "model_call",
        role = role.as_str(),
        outcome = Empty,
        otel.name = Empty,
        otel.kind = "client",
        otel.status_code = Empty,
        error.r#type = Empty,
        gen_ai.operation.name = "chat",
        gen_ai.provider.name = Empty,
        gen_ai.request.model = Empty,
        gen_ai.response.model = Empty,
        gen_ai.usage.input_tokens = Empty,
        gen_ai.usage.output_tokens = Empty,
    );
    if let Some(requested) = requested.filter(|requested| !requested.model.is_empty()) {
        span.record("gen_ai.request.model", requested.model.as_str());
        if is_exported() {
            span.record("otel.name", format!("chat {}", requested.model));
        }
    }
    span
}

/// Records the outcome of a model call. Each attribute is recorded once: a second value would go out next to the first.
pub fn model_replied(span: &Span, requested: Option<&Requested>, reply: &Result<Completion, ModelError>) {
    match reply {
        Ok(completion) => {
            span.record("outcome", "answered");
            span.record("gen_ai.provider.name", completion.provider.as_str());
            span.record("gen_ai.response.model", completion.model.as_str());
            // OTLP knows whole numbers with a sign only; others would go out as text.
            let whole = |tokens: u64| i64::try_from(tokens).unwrap_or(i64::MAX);
            span.record("gen_ai.usage.input_tokens", whole(completion.usage.prompt_tokens));
            span.record("gen_ai.usage.output_tokens", whole(completion.usage.completion_tokens));
        }
        Err(error) => {
            if let Some(requested) = requested {
                span.record("gen_ai.provider.name", requested.provider.as_str());
            }
            span.record("outcome", error.class());
            failed(span, error.class());
        }
    }
}

/// A call of a tool.
pub fn tool_call(name: &str) -> Span {
    let span = debug_span!(
        "tool_call",
        outcome = Empty,
        otel.name = Empty,
        otel.status_code = Empty,
        error.r#type = Empty,
        gen_ai.operation.name = "execute_tool",
        gen_ai.tool.name = name,
        gen_ai.tool.r#type = "function",
    );
    if is_exported() {
        span.record("otel.name", format!("execute_tool {name}"));
    }
    span
}

/// Records the outcome of a tool call or a delivery.
pub fn ended(span: &Span, outcome: &'static str, went_well: bool) {
    span.record("outcome", outcome);
    if !went_well {
        failed(span, outcome);
    }
}

/// The delivery of a message.
pub fn delivery(message: MessageId, run: Option<RunId>, channel: ChannelId, platform: &str, origin: &Origin) -> Span {
    let span = debug_span!(
        "delivery",
        message_id = %message,
        run_id = run.map(tracing::field::display),
        channel_id = %channel,
        platform,
        parts = Empty,
        outcome = Empty,
        otel.kind = "producer",
        otel.status_code = Empty,
        error.r#type = Empty,
    );
    origin.adopt(&span);
    span
}

/// Work on a job.
pub fn job(job: JobId, kind: JobKind) -> Span {
    info_span!("job", job_id = %job, kind = kind.as_str(), outcome = Empty)
}

fn failed(span: &Span, why: &'static str) {
    span.record("otel.status_code", "ERROR");
    span.record("error.type", why);
}

/// Makes a span part of the trace in which its work was ordered.
pub type Tie = Arc<dyn Fn(&Span) + Send + Sync>;

/// The tie to the span that a task is in, where spans leave the process.
static HERE: OnceLock<fn() -> Tie> = OnceLock::new();

fn is_exported() -> bool {
    HERE.get().is_some()
}

/// Spans leave the process from now on. The exporter says how another task's work is tied to the span of this one.
pub fn export(here: fn() -> Tie) {
    // A second exporter in one process (a test) ties as the first does.
    let _ = HERE.set(here);
}

/// The span in which something was ordered that another task does: its work is part of the same trace, and does not
/// keep that span open.
#[derive(Clone, Default)]
pub struct Origin(Option<Tie>);

impl Origin {
    /// The span that this task is in.
    pub fn here() -> Self {
        Self(HERE.get().map(|here| here()))
    }

    fn adopt(&self, span: &Span) {
        if let Some(tie) = &self.0 {
            tie(span);
        }
    }
}

impl fmt::Debug for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Origin").field(&self.0.is_some()).finish()
    }
}
