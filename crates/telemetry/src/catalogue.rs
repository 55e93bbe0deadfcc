//! Every metric: its name, its meaning and its labels. `docs/reference/metrics.md` lists the same, which a test holds
//! it to.

use clifford_chat::platform::Platform;
use clifford_core::{
    runs::RunStatus::{Cancelled, Completed, Failed, Pending, Running, Waiting},
    schedule::trigger::TriggerKind,
    work::{JobKind, MaintenanceKind},
};
use metrics::{Label as Pair, Unit};

/// How a metric moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Up.
    Counter,
    /// Up and down.
    Gauge,
    /// Durations in seconds, by these upper bounds.
    Histogram(&'static Bounds),
}

/// The upper bounds of a histogram, in seconds.
#[derive(Debug, PartialEq)]
pub struct Bounds(pub &'static [f64]);

impl Eq for Bounds {}

/// Operations well below a second: statements, commits, waits for a connection.
pub static SHORT: Bounds = Bounds(&[
    0.000_1, 0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0,
]);
/// Work of others: models, tools, platforms.
pub static LONG: Bounds = Bounds(&[
    0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0,
]);

/// The values of a label.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Values {
    /// One of these.
    Of(&'static [&'static str]),
    /// The name of a platform that this binary can be on, or one of Clifford's own.
    Platforms,
    /// A name out of the configuration: its metric appears when it is first used.
    Configured,
}

/// A label of a metric.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Label {
    /// Its name.
    pub name: &'static str,
    /// The values that it may have.
    pub values: Values,
}

/// A metric.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Metric {
    /// Its name.
    pub name: &'static str,
    /// How it moves.
    pub kind: Kind,
    /// The help text.
    pub help: &'static str,
    /// Its labels.
    pub labels: &'static [Label],
}

const fn of(name: &'static str, values: &'static [&'static str]) -> Label {
    Label {
        name,
        values: Values::Of(values),
    }
}

const fn configured(name: &'static str) -> Label {
    Label {
        name,
        values: Values::Configured,
    }
}

const fn counter(name: &'static str, labels: &'static [Label], help: &'static str) -> Metric {
    Metric {
        name,
        kind: Kind::Counter,
        help,
        labels,
    }
}

const fn gauge(name: &'static str, labels: &'static [Label], help: &'static str) -> Metric {
    Metric {
        name,
        kind: Kind::Gauge,
        help,
        labels,
    }
}

const fn histogram(
    name: &'static str,
    bounds: &'static Bounds,
    labels: &'static [Label],
    help: &'static str,
) -> Metric {
    Metric {
        name,
        kind: Kind::Histogram(bounds),
        help,
        labels,
    }
}

const PLATFORM: Label = Label {
    name: "platform",
    values: Values::Platforms,
};
const QUEUE: Label = of("queue", &super::measures::QUEUES);
const PROVIDER: Label = configured("provider");
const MODEL: Label = configured("model");
const ROLE: Label = configured("role");
const TOOL: Label = configured("tool");

/// Every kind of job and of maintenance job.
const JOBS: &[&str] = &[
    JobKind::MemoryWrite.as_str(),
    JobKind::Erase.as_str(),
    MaintenanceKind::Retention.as_str(),
    MaintenanceKind::LeftSpaces.as_str(),
    MaintenanceKind::IdleConversations.as_str(),
    MaintenanceKind::CompactedMessages.as_str(),
    MaintenanceKind::DeletedFiles.as_str(),
    MaintenanceKind::EndedReminders.as_str(),
    MaintenanceKind::RateLimits.as_str(),
    MaintenanceKind::BudgetPeriods.as_str(),
    MaintenanceKind::WebhookSignatures.as_str(),
    MaintenanceKind::SearchIndex.as_str(),
];

/// Every metric.
pub const METRICS: &[Metric] = &[
    gauge(
        "clifford_runs",
        &[of("status", &[Pending.as_str(), Running.as_str(), Waiting.as_str()])],
        "Runs that have not ended, in the database.",
    ),
    counter(
        "clifford_runs_total",
        &[of(
            "status",
            &[
                Waiting.as_str(),
                Completed.as_str(),
                Failed.as_str(),
                Cancelled.as_str(),
            ],
        )],
        "Times that a run ended or paused in this process, by outcome.",
    ),
    counter(
        "clifford_iterations_total",
        &[],
        "Iterations of runs that this process began.",
    ),
    counter(
        "clifford_panics_total",
        &[],
        "Times that a run, a job or another part of this process panicked.",
    ),
    counter(
        "clifford_leases_lost_total",
        &[],
        "Runs that this process lost to another one, because their lease expired.",
    ),
    counter(
        "clifford_worker_process_starts_total",
        &[],
        "Worker processes that were started for expressions and pages.",
    ),
    counter(
        "clifford_worker_process_deaths_total",
        &[of("reason", &super::measures::WORKER_DEATHS)],
        "Worker processes that died, with a task (deadline, died) or without one (idle).",
    ),
    histogram(
        "clifford_worker_process_seconds",
        &LONG,
        &[of("task", &super::measures::WORKER_TASKS)],
        "How long a task took that a worker process completed.",
    ),
    gauge("clifford_workers_busy", &[], "Runs in progress in this process."),
    gauge(
        "clifford_workers_limit",
        &[],
        "The most runs that this process works on at once (engine.max_concurrent_runs).",
    ),
    gauge(
        "clifford_approvals_pending",
        &[],
        "Runs in the database that wait for a person's approval.",
    ),
    gauge("clifford_queue_depth", &[QUEUE], "Work in the database that is due."),
    gauge(
        "clifford_queue_oldest_seconds",
        &[QUEUE],
        "Age of the oldest work in the database that is due.",
    ),
    histogram(
        "clifford_model_seconds",
        &LONG,
        &[PROVIDER, MODEL, ROLE],
        "How long a model took to reply, retries included.",
    ),
    counter(
        "clifford_model_calls_total",
        &[
            PROVIDER,
            ROLE,
            of(
                "outcome",
                &[
                    "answered",
                    "later",
                    "overloaded",
                    "silent",
                    "too_long",
                    "unseen",
                    "bad_request",
                    "refused",
                    "unauthorised",
                    "cut",
                ],
            ),
        ],
        "Model calls, by outcome after retries.",
    ),
    counter(
        "clifford_model_tokens_total",
        &[PROVIDER, MODEL, ROLE, of("kind", &["prompt", "cached", "completion"])],
        "Tokens of calls that were answered; those of a prompt that were cached count in both.",
    ),
    counter(
        "clifford_model_cost_nanos_total",
        &[PROVIDER, MODEL, ROLE],
        "Cost of model calls, in billionths of the currency that prices are set in.",
    ),
    gauge(
        "clifford_provider_circuit_open",
        &[PROVIDER],
        "1 while a provider is left alone because it keeps failing.",
    ),
    counter(
        "clifford_budget_refusals_total",
        &[],
        "Model calls that were not made because a budget is spent.",
    ),
    counter(
        "clifford_tool_calls_total",
        &[TOOL, of("outcome", &["success", "failure"])],
        "Tool calls, by outcome.",
    ),
    histogram("clifford_tool_seconds", &LONG, &[TOOL], "How long a tool call took."),
    counter(
        "clifford_events_total",
        &[PLATFORM, of("outcome", &super::measures::EVENT_OUTCOMES)],
        "Events of platforms, by outcome.",
    ),
    counter(
        "clifford_unreadable_events_total",
        &[PLATFORM],
        "Events that nobody could read or store; they are kept in unreadable_events.",
    ),
    counter(
        "clifford_quarantined_total",
        &[of("kind", &super::measures::QUARANTINED)],
        "Work that was set aside because the process died each time that it worked on it.",
    ),
    counter(
        "clifford_ingress_errors_total",
        &[],
        "Events that could not be stored, and were left with their platform.",
    ),
    counter(
        "clifford_deliveries_total",
        &[PLATFORM, of("outcome", &["delivered", "failed"])],
        "Messages that went out, or were given up.",
    ),
    histogram(
        "clifford_send_seconds",
        &LONG,
        &[PLATFORM],
        "How long a platform took to accept a part of a message.",
    ),
    counter(
        "clifford_send_failures_total",
        &[PLATFORM, of("reason", &super::measures::SEND_FAILURES)],
        "Failed attempts to send a part of a message.",
    ),
    counter(
        "clifford_late_messages_total",
        &[PLATFORM, of("status", &super::measures::LATE_STATUSES)],
        "Messages that failed by themselves and were set aside, so that later ones went out past them.",
    ),
    counter(
        "clifford_ambiguous_sends_total",
        &[PLATFORM],
        "Parts of which nobody knows whether they arrived, where the platform cannot drop a repeat.",
    ),
    gauge(
        "clifford_connected",
        &[PLATFORM],
        "1 while this process is connected to a platform.",
    ),
    counter(
        "clifford_connections_total",
        &[PLATFORM],
        "Times that this process was connected to a platform; those after the first are reconnects.",
    ),
    counter(
        "clifford_connection_refusals_total",
        &[PLATFORM],
        "Times that a platform refused the bot: its token, or what it asks for.",
    ),
    counter(
        "clifford_jobs_total",
        &[of("kind", JOBS), of("outcome", &["done", "rescheduled"])],
        "Jobs and maintenance jobs that ran in this process, by outcome.",
    ),
    counter(
        "clifford_triggers_fired_total",
        &[of("kind", &[TriggerKind::Run.as_str(), TriggerKind::Reminder.as_str()])],
        "Triggers that this process fired.",
    ),
    gauge("clifford_database_up", &[], "1 if the database answered this scrape."),
    histogram(
        "clifford_database_commit_seconds",
        &SHORT,
        &[],
        "How long a commit took; on SQLite transactions that are ready at once share one.",
    ),
    histogram(
        "clifford_database_write_seconds",
        &SHORT,
        &[],
        "How long a transaction took, from when it was asked for to its commit.",
    ),
    histogram(
        "clifford_database_read_seconds",
        &SHORT,
        &[],
        "For how long a connection was held to read.",
    ),
    histogram(
        "clifford_database_wait_seconds",
        &SHORT,
        &[],
        "How long a free connection was waited for.",
    ),
    counter(
        "clifford_http_requests_total",
        &[configured("status")],
        "Requests to the API, by the status of the answer.",
    ),
    gauge(
        "process_start_time_seconds",
        &[],
        "When this process began, in seconds since 1970.",
    ),
    gauge(
        "clifford_uptime_seconds",
        &[],
        "How long this process has been running, in seconds.",
    ),
    gauge("clifford_tasks", &[], "Tasks of this process that have not ended."),
    histogram(
        "clifford_timer_lateness_seconds",
        &SHORT,
        &[],
        "How long after its time a timer was noticed: whatever else waits is as late.",
    ),
];

impl Values {
    /// The values that are known from the start.
    fn known(self, platforms: &[Platform]) -> Vec<&'static str> {
        match self {
            Self::Of(values) => values.to_vec(),
            Self::Platforms => platforms.iter().map(|platform| platform.as_str()).collect(),
            Self::Configured => Vec::new(),
        }
    }
}

impl Metric {
    /// Tells the recorder what it is.
    fn describe(&self) {
        match self.kind {
            Kind::Counter => metrics::describe_counter!(self.name, self.help),
            Kind::Gauge => metrics::describe_gauge!(self.name, self.help),
            Kind::Histogram(_) => metrics::describe_histogram!(self.name, Unit::Seconds, self.help),
        }
    }

    /// Every combination of labels that is known from the start; none if a label is a name out of the configuration.
    pub fn combinations(&self, platforms: &[Platform]) -> Vec<Vec<(&'static str, &'static str)>> {
        self.labels.iter().fold(vec![Vec::new()], |combinations, label| {
            let values = label.values.known(platforms);
            let each = |before: &Vec<_>| {
                let with = |value: &&'static str| [before.as_slice(), &[(label.name, *value)]].concat();
                values.iter().map(with).collect::<Vec<_>>()
            };
            combinations.iter().flat_map(each).collect()
        })
    }

    /// Records its zeros: a counter that appears with its first event hides that event from queries for an increase.
    fn begin(&self, platforms: &[Platform]) {
        for labels in self.combinations(platforms) {
            let labels: Vec<_> = labels
                .into_iter()
                .map(|(name, value)| Pair::from_static_parts(name, value))
                .collect();
            match self.kind {
                Kind::Counter => metrics::counter!(self.name, labels).absolute(0),
                Kind::Gauge => metrics::gauge!(self.name, labels).set(0.0),
                Kind::Histogram(_) => drop(metrics::histogram!(self.name, labels)),
            }
        }
    }
}

/// Tells the recorder of every metric, and begins those whose labels are known, among them these platforms.
pub fn begin(platforms: &[Platform]) {
    for metric in METRICS {
        metric.describe();
        metric.begin(platforms);
    }
}

#[cfg(test)]
mod tests;
