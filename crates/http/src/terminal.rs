//! The terminal of this machine, at a server: `clifford chat` types and shows here what would else be said to an engine of
//! its own. The conversation is the same one.

mod relay;
mod wire;

use std::{convert::Infallible, sync::Arc, time::Duration};

use axum::{
    Json,
    extract::State,
    http::StatusCode,
    response::sse::{Event, KeepAlive, Sse},
};
use clifford_channel::Ingress;
use clifford_chat::platform::Platform;
use clifford_core::runs::RunStatus;
use clifford_store::{
    StoreError,
    messages::undelivered::{self, Recipients},
    places::channels,
    runs::{Filter, views as run_views},
};
use futures::Stream;
use serde::Deserialize;
use tokio::time::Instant;

use self::relay::{Attached, Look};
pub use self::{
    relay::Relay,
    wire::{About, Open, Shown, Taken, TerminalDraft, TerminalEvent, TerminalPart, TerminalProgress, Typed},
};
use super::{
    Shared,
    access::{Admin, Caller},
    extract::{Body, Query, check_text},
    handler,
    pace::LONGEST,
    problem::{Code, Problem, ProblemBody},
    stream::{self, Seat},
};

/// After how much silence a comment keeps the connection alive.
const KEEP_ALIVE: Duration = Duration::from_secs(15);
/// How often it is looked whether what was at work still is.
const LOOK: Duration = Duration::from_millis(500);
/// The longest id, place and name.
const NAME: usize = 100;
/// How many of the newest runs are looked at for one that is at work.
const LATEST: u32 = 20;

/// The terminal that opens.
#[derive(Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct TerminalQuery {
    /// The terminal, as a place.
    place: String,
    /// Begins the id of each message that is typed at it.
    session: String,
    /// A person looks at it: answers are dressed, and shown as they grow.
    #[serde(default)]
    interactive: bool,
    /// It shows answers only: no notes, tools or cost.
    #[serde(default)]
    quiet: bool,
}

/// The events of this machine's terminal, live: `open` first (whether something is at work), then `part` (a message, to
/// be confirmed by `POST /api/terminal/shown`), `typing`, `progress`, `draft`, `draft_dropped` and `done`. The data is
/// that of the schema `TerminalEvent`. While none is open, messages wait. `clifford chat` uses this.
#[utoipa::path(get, path = "/api/terminal", tag = "terminal", security(("bearer" = [])), params(TerminalQuery),
    responses((status = 200, content_type = "text/event-stream", body = TerminalEvent),
        (status = 400, body = ProblemBody),
        (status = 409, body = ProblemBody, description = "This process has no terminal: it does only a part of the work"),
        (status = 429, body = ProblemBody, description = "The token has too many streams open")))]
#[handler]
pub(super) async fn open(
    State(api): State<Shared>,
    _: Admin,
    caller: Caller,
    Query(wanted): Query<TerminalQuery>,
) -> Result<Sse<impl Stream<Item = Result<Event, Infallible>>>, Problem> {
    let relay = relay(&api)?;
    let seat = Seat::take(&api, caller.token())?;
    let attached = relay.attach(Look {
        session: wanted.session,
        interactive: wanted.interactive,
        quiet: wanted.quiet,
    });
    let at_work = is_at_work(&api, &wanted.place).await?;
    let look_at = at_work.then(|| Instant::now() + LOOK);
    // Messages that waited for a terminal are looked for now.
    api.context.notify.runs.notify_one();
    let feed = Feed {
        attached,
        first: Some(TerminalEvent::Open(Open { at_work })),
        place: wanted.place,
        look_at,
        api,
        _seat: seat,
    };
    let events = futures::stream::unfold(feed, |mut feed| async move {
        let event = feed.next().await?;
        Some((Ok(event), feed))
    });
    Ok(Sse::new(events).keep_alive(KeepAlive::new().interval(KEEP_ALIVE)))
}

/// Takes what was typed at the terminal. The answer comes by `GET /api/terminal`.
#[utoipa::path(post, path = "/api/terminal/messages", tag = "terminal", security(("bearer" = [])), request_body = Typed,
    responses((status = 200, body = Taken), (status = 409, body = ProblemBody), (status = 422, body = ProblemBody),
        (status = 503, body = ProblemBody, description = "Nothing was stored: send it again")))]
#[handler]
pub(super) async fn typed(
    State(api): State<Shared>,
    _: Admin,
    Body(typed): Body<Typed>,
) -> Result<Json<Taken>, Problem> {
    relay(&api)?;
    for (field, text) in [("place", &typed.place), ("speaker", &typed.speaker), ("id", &typed.id)] {
        check_text(field, text, NAME)?;
    }
    if typed.command.is_none() {
        check_text("text", &typed.text, LONGEST)?;
    }
    let accepted = api.ingress.accept(typed.into_event()).await;
    let accepted = accepted.map_err(|error| Problem::new(Code::DatabaseUnavailable, error.to_string()))?;
    Ok(Json(accepted.into()))
}

/// Confirms that a part was shown.
#[utoipa::path(post, path = "/api/terminal/shown", tag = "terminal", security(("bearer" = [])), request_body = Shown,
    responses((status = 204, description = "It counts as delivered"), (status = 409, body = ProblemBody),
        (status = 422, body = ProblemBody)))]
#[handler]
pub(super) async fn shown(
    State(api): State<Shared>,
    _: Admin,
    Body(shown): Body<Shown>,
) -> Result<StatusCode, Problem> {
    check_text("key", &shown.key, NAME)?;
    // One that nobody waits for any more comes again, and is confirmed then.
    relay(&api)?.confirm(&shown.key);
    Ok(StatusCode::NO_CONTENT)
}

fn relay(api: &Shared) -> Result<&Arc<Relay>, Problem> {
    api.terminal.as_ref().ok_or_else(|| {
        let detail = "this process does only a part of the work (--only): a process that does all of it has a terminal";
        Problem::new(Code::WrongState, detail)
    })
}

/// Whether a run of the terminal's conversation is at work or is about to be, or a message waits for the terminal.
async fn is_at_work(api: &Shared, place: &str) -> Result<bool, StoreError> {
    let mut conn = api.db.read().await?;
    let Some(channel) = channels::by_place(&mut conn, Platform::TERMINAL, place).await? else {
        return Ok(false);
    };
    let filter = Filter {
        channel: Some(channel.id),
        ..Filter::default()
    };
    let runs = run_views::page(&mut conn, &filter, LATEST, api.clock.now()).await?;
    let is_at_work = |status: RunStatus| !status.is_ended() && status != RunStatus::Waiting;
    if runs.iter().any(|run| is_at_work(run.status)) {
        return Ok(true);
    }
    let waiting = undelivered::Filter {
        whose: Recipients::All,
        failed: Some(false),
        channel: Some(channel.id),
        before: None,
    };
    Ok(!undelivered::page(&mut conn, waiting, 1).await?.is_empty())
}

/// An open terminal.
struct Feed {
    attached: Attached,
    first: Option<TerminalEvent>,
    place: String,
    /// When to look whether what was at work still is; `None`: nothing was.
    look_at: Option<Instant>,
    api: Shared,
    _seat: Seat,
}

impl Feed {
    /// The next event. `None`: this process stops.
    async fn next(&mut self) -> Option<Event> {
        let event = match self.first.take() {
            Some(event) => event,
            None => self.happens().await?,
        };
        let (name, data) = stream::parts(&event);
        Some(Event::default().event(name).data(data))
    }

    async fn happens(&mut self) -> Option<TerminalEvent> {
        loop {
            let look = async {
                match self.look_at {
                    Some(at) => tokio::time::sleep_until(at).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                biased;
                event = self.attached.events.recv() => return event,
                () = self.api.stop.cancelled() => return None,
                () = look => {}
            }
            // A database that does not answer is asked again.
            let rests = matches!(is_at_work(&self.api, &self.place).await, Ok(false));
            self.look_at = (!rests).then(|| Instant::now() + LOOK);
            if rests {
                return Some(TerminalEvent::Open(Open { at_work: false }));
            }
        }
    }
}
