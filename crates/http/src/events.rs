//! Everything that the caller may see, as it happens, over SSE.
//!
//! The rows are the truth. One task for all readers of this process finds the rows that changed (`events/watcher.rs`),
//! whichever process changed them, and keeps the latest changes (`events/journal.rs`); a reader goes through those, and
//! is shown what the one rule of `access` lets them see. A reader that comes back with `Last-Event-ID` goes on in the
//! journal, or, where that does not reach back, or is another process's, is told from the rows what changed since: each
//! object once, as it stands now. A reader that falls behind the journal is cut off, and comes back so.

mod changes;
mod journal;
mod kinds;
mod resume;
mod view;
mod watcher;

use std::{collections::VecDeque, convert::Infallible, time::Duration};

use axum::{
    extract::State,
    http::HeaderMap,
    response::sse::{Event, KeepAlive, Sse},
};
use clifford_core::clock::Timestamp;
use clifford_store::StoreError;
use futures::Stream;
use tokio::{sync::watch, time::Instant};

use self::{
    changes::Channels,
    journal::Position,
    kinds::MarkEvent,
    resume::{Resume, last_event},
    view::View,
    watcher::Reading,
};
pub(super) use self::{kinds::LiveEvent, watcher::LiveEvents};
use super::{
    Shared,
    access::{Caller, Reader},
    handler,
    problem::{Problem, ProblemBody},
    stream::{Admission, Seat},
};

/// After how long the rows are looked at again that could not be read.
const RETRY: Duration = Duration::from_millis(500);
/// After how much silence a comment keeps the connection alive.
const KEEP_ALIVE: Duration = Duration::from_secs(15);
/// How often a reader is given a new place to come back to.
const MARK: Duration = Duration::from_secs(60);
/// How long a stream lasts.
const LASTS: Duration = Duration::from_secs(15 * 60);
/// How many changes are taken at once.
const AT_ONCE: usize = 64;
/// Rows may have been committed so much later than they say, by processes with clocks of their own.
const OVERLAP: Duration = Duration::from_secs(10);
/// How far back the rows are asked.
const REACHES: Duration = Duration::from_secs(24 * 60 * 60);

/// Everything that the caller may see, as it happens, whichever process does it: `run`, `approval`, `message`, `outbox`,
/// `feedback`, and for owners `connection`, `pairing` and `quarantine`. The data is that of the schema `LiveEvent`: ids
/// and states, without words. `mark` comes first and then each minute.
///
/// With `Last-Event-ID` the stream goes on behind that event without a gap. Events may be repeated; where another process
/// goes on, each object is told once, as it stands then. `reset` says that too much has happened meanwhile: read the lists
/// again. A stream ends after 15 minutes, or when its reader is too slow, and is to be opened again; browsers do so by
/// themselves. It ends within seconds once its reader is let in no more.
#[utoipa::path(get, path = "/api/events", tag = "events", security(("bearer" = [])),
    params(("Last-Event-ID" = Option<String>, Header, description = "Go on behind this event")),
    responses((status = 200, content_type = "text/event-stream", body = String), (status = 400, body = ProblemBody),
        (status = 429, body = ProblemBody, description = "The token has too many streams open")))]
#[handler]
pub(super) async fn events(
    State(api): State<Shared>,
    _: Reader,
    caller: Caller,
    headers: HeaderMap,
) -> Result<Sse<impl Stream<Item = Result<Event, Infallible>>>, Problem> {
    let resume = last_event(&headers)?;
    let feed = Feed {
        _seat: Seat::take(&api, caller.token())?,
        reading: Reading::new(&api),
        reader: Admission::new(caller.clone()),
        view: View::new(caller),
        grown: api.state.events.journal.watch(),
        stage: Stage::Begins(resume),
        place: api.state.events.journal.end(),
        ready: VecDeque::new(),
        mark_at: Instant::now() + MARK,
        ends_at: Instant::now() + LASTS,
        api,
    };
    let events = futures::stream::unfold(feed, |mut feed| async move {
        let event = feed.next().await?;
        Some((Ok(event), feed))
    });
    Ok(Sse::new(events).keep_alive(KeepAlive::new().interval(KEEP_ALIVE)))
}

/// The next event of a stream.
enum Stage {
    /// It finds out where it goes on.
    Begins(Option<Resume>),
    /// It goes through the journal.
    Reads,
    /// It ends.
    Over,
}

/// One reader's stream.
struct Feed {
    api: Shared,
    _seat: Seat,
    reading: Reading,
    view: View,
    reader: Admission,
    grown: watch::Receiver<u64>,
    stage: Stage,
    place: Position,
    /// Found, and not shown yet.
    ready: VecDeque<Event>,
    mark_at: Instant,
    ends_at: Instant,
}

impl Feed {
    /// The next event. `None`: the stream is over.
    async fn next(&mut self) -> Option<Event> {
        loop {
            if let Some(event) = self.ready.pop_front() {
                return Some(event);
            }
            let stop = self.api.stop.clone();
            match &self.stage {
                Stage::Over => return None,
                Stage::Begins(resume) => {
                    let resume = resume.clone();
                    tokio::select! {
                        () = stop.cancelled() => return None,
                        begun = self.begin(resume) => if let Err(error) = begun {
                            tracing::warn!(%error, "live events failed to begin, retrying");
                            tokio::time::sleep(RETRY).await;
                        },
                    }
                }
                Stage::Reads => tokio::select! {
                    () = stop.cancelled() => return None,
                    () = self.read() => {}
                },
            }
        }
    }

    /// Finds out where the stream goes on, and what was missed until there.
    async fn begin(&mut self, resume: Option<Resume>) -> Result<(), StoreError> {
        self.reading.started().await;
        self.view.begin(&self.api).await?;
        let journal = &self.api.state.events.journal;
        self.place = journal.end();
        match resume {
            Some(resume) if resume.process == self.process() && journal.from(resume.life, resume.number, 0).is_ok() => {
                self.place = Position {
                    life: resume.life,
                    number: resume.number,
                    through: resume.through,
                };
            }
            Some(resume) => self.catch_up(resume.through).await?,
            None => self.mark(),
        }
        self.stage = Stage::Reads;
        Ok(())
    }

    /// Tells what changed since a moment, as it stands now.
    async fn catch_up(&mut self, since: Timestamp) -> Result<(), StoreError> {
        let now = self.api.clock.now();
        let changed = if now.since(since) > REACHES {
            None
        } else {
            changes::since(&self.api, &mut Channels::default(), since.before(OVERLAP)).await?
        };
        let Some(mut changed) = changed else {
            let reset = LiveEvent::Reset(MarkEvent { at: now });
            self.show(&reset);
            return Ok(());
        };
        if self.view.is_owners() {
            changed.extend(changes::owner_lists(&self.api).await?);
        }
        let mut fresh = VecDeque::with_capacity(changed.len());
        for found in changed {
            if self.view.sees(&self.api, &found.about).await {
                let (name, data) = found.event.parts();
                let id = Resume::id(found.at.min(now), "", (0, 0));
                fresh.push_back(Event::default().event(name).id(id).data(data));
            }
        }
        self.ready.append(&mut fresh);
        self.mark();
        Ok(())
    }

    /// Takes what the journal has next, or waits for it.
    async fn read(&mut self) {
        if Instant::now() >= self.ends_at || self.reader.is_out(&self.api).await {
            self.stage = Stage::Over;
            return;
        }
        let found = (self.api.state.events.journal).from(self.place.life, self.place.number, AT_ONCE);
        let Ok(found) = found else {
            // It comes back, and is told from the rows.
            self.stage = Stage::Over;
            return;
        };
        if found.is_empty() {
            return self.wait().await;
        }
        for change in found {
            self.place.number += 1;
            self.place.through = change.through;
            if self.view.sees(&self.api, &change.about).await {
                let id = self.id();
                let event = Event::default().event(&change.name).id(id).data(&change.data);
                self.ready.push_back(event);
            }
        }
    }

    async fn wait(&mut self) {
        tokio::select! {
            _ = self.grown.changed() => {}
            () = tokio::time::sleep_until(self.ends_at.min(self.reader.ask_at())) => {}
            () = tokio::time::sleep_until(self.mark_at) => {
                // One that ended by a bug begins anew.
                self.reading.started().await;
                let end = self.api.state.events.journal.end();
                if (end.life, end.number) == (self.place.life, self.place.number) {
                    self.place = end;
                    self.mark();
                }
            }
        }
    }

    /// Gives the reader a place to come back to.
    fn mark(&mut self) {
        let mark = LiveEvent::Mark(MarkEvent { at: self.place.through });
        self.show(&mark);
        self.mark_at = Instant::now() + MARK;
    }

    fn show(&mut self, event: &LiveEvent) {
        let (name, data) = event.parts();
        self.ready
            .push_back(Event::default().event(name).id(self.id()).data(data));
    }

    fn id(&self) -> String {
        Resume::id(
            self.place.through,
            &self.process(),
            (self.place.life, self.place.number),
        )
    }

    /// This process, as far as an id of an event needs to tell it from others.
    fn process(&self) -> String {
        let worker = self.api.context.worker().to_string();
        worker.rsplit('-').next().unwrap_or_default().to_owned()
    }
}
