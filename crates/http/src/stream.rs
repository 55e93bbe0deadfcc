//! A run as it happens, over SSE. The rows are the truth; events are only reasons to look at them. One look that all
//! streams share finds the writes of other processes, so a stream shows their runs too, but not the drafts of their
//! models.

mod shared;

use std::{collections::VecDeque, convert::Infallible, time::Duration};

use axum::{
    extract::State,
    http::HeaderMap,
    response::sse::{Event, KeepAlive, Sse},
};
use clifford_core::{
    id::RunId,
    runs::{Run, RunStatus},
};
use clifford_engine::events::{RunEvent, Sight, Watcher};
use clifford_store::{
    StoreError,
    runs::{steps, views as run_views},
};
use futures::Stream;
use serde::Serialize;
use tokio::time::Instant;

use self::shared::Open;
pub(super) use self::shared::{Seat, Streams};
use super::{
    Shared,
    access::{Caller, Need, Reader},
    auth,
    extract::Id,
    handler,
    problem::{Code, Problem, ProblemBody},
    runs::allowed,
    step::StepView,
};

/// After how long the rows are looked at again that could not be read.
const RETRY: Duration = Duration::from_millis(500);
/// After how much silence a comment keeps the connection alive.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// How often a stream asks whether its reader would still be let in.
const ASKED_EVERY: Duration = Duration::from_secs(10);

/// The reader of a stream, who may lose their way in while it is open.
pub(super) struct Admission {
    caller: Caller,
    ask_at: Instant,
}

impl Admission {
    /// A reader who was let in just now.
    pub(super) fn new(caller: Caller) -> Self {
        Self {
            caller,
            ask_at: Instant::now() + ASKED_EVERY,
        }
    }

    /// When it is to be asked.
    pub(super) const fn ask_at(&self) -> Instant {
        self.ask_at
    }

    /// Whether they would not be let in any more, where it is time to ask. A database that does not answer throws nobody out.
    pub(super) async fn is_out(&mut self, api: &Shared) -> bool {
        if Instant::now() < self.ask_at {
            return false;
        }
        self.ask_at = Instant::now() + ASKED_EVERY;
        matches!(auth::is_still(api, &self.caller).await, Ok(false))
    }
}

/// An event of a run's stream: `event` is the field of the same name, `data` its data.
#[derive(Serialize, utoipa::ToSchema)]
#[serde(tag = "event", content = "data", rename_all = "snake_case")]
pub(super) enum RunStreamEvent {
    /// A step was recorded. The event's id is its `seq`.
    Step(Box<StepView>),
    /// The run stands elsewhere.
    Status(StatusEvent),
    /// The next piece of the draft, which is good until the next step. A stream that is opened later, or anew,
    /// begins with the draft so far.
    Token(TokenEvent),
    /// The draft so far is void: the model begins its reply anew, or its step was told already.
    Reset(ResetEvent),
    /// The run has ended: the run as it is then. Nothing follows.
    Done(Box<Run>),
}

/// Where a run stands.
#[derive(Serialize, utoipa::ToSchema)]
pub(super) struct StatusEvent {
    /// Where.
    status: RunStatus,
}

/// A piece of a draft.
#[derive(Serialize, utoipa::ToSchema)]
pub(super) struct TokenEvent {
    /// Its text.
    text: String,
}

/// Nothing more is to be said.
#[derive(Serialize, utoipa::ToSchema)]
pub(super) struct ResetEvent {}

/// A run as it happens: `step` (its id is the step's `seq`), `status`, `token` (the next piece of the draft, which is
/// good until the next step; the first one of a stream may be the draft so far, so a client that opens it anew drops what
/// it has of the draft), `reset` (the draft so far is void) and at the end `done`, with the run. It ends before that if its reader is let in no more. Another process's run has no `token` and `reset`. Secrets are hidden in drafts too; a run
/// that read words from outside has none, since its message may lose addresses before it goes out.
#[utoipa::path(get, path = "/api/runs/{id}/stream", tag = "runs", security(("bearer" = [])),
    params(("id" = String, Path, description = "The run"),
        ("Last-Event-ID" = Option<u32>, Header, description = "Resume after this step")),
    responses((status = 200, content_type = "text/event-stream", body = String), (status = 404, body = ProblemBody),
        (status = 429, body = ProblemBody, description = "The token has too many streams open")))]
#[handler]
pub(super) async fn stream(
    State(api): State<Shared>,
    _: Reader,
    caller: Caller,
    Id(id): Id<RunId>,
    headers: HeaderMap,
) -> Result<Sse<impl Stream<Item = Result<Event, Infallible>>>, Problem> {
    let after = last_event_id(&headers)?;
    allowed(&api, &caller, Need::See, id).await?;
    // A number that this run has not reached is of another stream: such a reader has seen nothing of it.
    let after = match after > 0 && after > steps::last(&mut api.db.read().await?, id).await? {
        true => 0,
        false => after,
    };
    let feed = Feed {
        _open: Open::new(&api, caller.token(), id)?,
        watcher: api.context.events.watch(id, Sight::Draft),
        api,
        run: id,
        seq: after,
        status: None,
        drafted: false,
        look_at: Some(Instant::now()),
        ready: VecDeque::new(),
        reader: Admission::new(caller),
        over: false,
    };
    let events = futures::stream::unfold(feed, |mut feed| async move {
        let event = feed.next().await?;
        Some((Ok(event), feed))
    });
    Ok(Sse::new(events).keep_alive(KeepAlive::new().interval(KEEP_ALIVE)))
}

fn last_event_id(headers: &HeaderMap) -> Result<u32, Problem> {
    let Some(value) = headers.get("last-event-id") else {
        return Ok(0);
    };
    let text = value.to_str().unwrap_or_default().trim();
    text.parse().map_err(|_| {
        let detail = "it must be the number of a step, as the stream gave it";
        Problem::new(Code::InvalidHeader, detail).of_field("Last-Event-ID")
    })
}

/// The part of a run that one caller has seen.
struct Feed {
    api: Shared,
    run: RunId,
    _open: Open,
    watcher: Watcher,
    /// The last step that was shown.
    seq: u32,
    /// The last status that was shown.
    status: Option<RunStatus>,
    /// A draft was shown since the last step.
    drafted: bool,
    /// When the rows are looked at; `None`: as soon as there is a reason.
    look_at: Option<Instant>,
    /// Found, and not shown yet.
    ready: VecDeque<Event>,
    reader: Admission,
    /// Nothing follows what is ready.
    over: bool,
}

impl Feed {
    /// The next event. `None`: the run has ended, this process stops, or the reader is let in no more.
    async fn next(&mut self) -> Option<Event> {
        loop {
            if let Some(event) = self.ready.pop_front() {
                return Some(event);
            }
            if self.over || self.reader.is_out(&self.api).await {
                return None;
            }
            if self.look_at.is_some_and(|at| Instant::now() >= at) {
                self.look_at = None;
                if let Err(error) = self.look().await {
                    self.look_at = Some(Instant::now() + RETRY);
                    tracing::warn!(run_id = %self.run, %error, "event stream failed to read its run, retrying");
                }
                continue;
            }
            let stop = self.api.stop.clone();
            let look_at = self.look_at;
            tokio::select! {
                () = stop.cancelled() => return None,
                () = until(look_at) => {}
                () = tokio::time::sleep_until(self.reader.ask_at()) => {}
                event = self.watcher.next() => match event {
                    Some(RunEvent::Token(text)) => {
                        self.drafted = true;
                        self.show(&RunStreamEvent::Token(TokenEvent { text }));
                    }
                    Some(RunEvent::Reset) => self.void(),
                    // The rows told of the step before the last pieces of its draft were.
                    Some(RunEvent::Step(seq)) if seq <= self.seq => if self.drafted { self.void() },
                    Some(RunEvent::Status(status)) if Some(status) == self.status => {}
                    Some(RunEvent::Step(_) | RunEvent::Status(_) | RunEvent::Changed) | None => {
                        self.look_at = Some(Instant::now());
                    }
                },
            }
        }
    }

    /// Looks at the rows. The run first: when it has ended, all of its steps are there.
    async fn look(&mut self) -> Result<(), StoreError> {
        let mut conn = self.api.db.read().await?;
        let Some(run) = run_views::get(&mut conn, self.run, self.api.clock.now()).await? else {
            self.over = true;
            return Ok(());
        };
        for step in steps::after(&mut conn, self.run, self.seq).await? {
            self.seq = step.seq;
            self.drafted = false;
            let shown = RunStreamEvent::Step(Box::new(StepView::from(&step)));
            self.ready.push_back(event(&shown).id(step.seq.to_string()));
        }
        if self.status != Some(run.status) {
            self.status = Some(run.status);
            self.show(&RunStreamEvent::Status(StatusEvent { status: run.status }));
        }
        if run.status.is_ended() {
            self.show(&RunStreamEvent::Done(Box::new(run)));
            self.over = true;
        }
        Ok(())
    }

    /// The draft so far is no longer good.
    fn void(&mut self) {
        self.drafted = false;
        self.show(&RunStreamEvent::Reset(ResetEvent {}));
    }

    fn show(&mut self, shown: &RunStreamEvent) {
        self.ready.push_back(event(shown));
    }
}

async fn until(at: Option<Instant>) {
    match at {
        Some(at) => tokio::time::sleep_until(at).await,
        None => std::future::pending().await,
    }
}

fn event(shown: &RunStreamEvent) -> Event {
    let (name, data) = parts(shown);
    Event::default().event(name).data(data)
}

/// The name and the data of an event that has both, one line of JSON: a line break within it is escaped.
pub(super) fn parts(event: &impl Serialize) -> (String, String) {
    let mut whole = serde_json::to_value(event).unwrap_or_default();
    let name = whole["event"].as_str().unwrap_or_default().to_owned();
    (name, whole["data"].take().to_string())
}
