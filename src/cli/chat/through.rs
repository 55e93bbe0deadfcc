//! A conversation at the server: what is typed goes there, and what it says is shown here. A connection that is lost is
//! made again, and loses nothing: the server keeps what was not shown.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use async_trait::async_trait;
use clifford_channel::{
    Accepted, Address, Channel, Choice, Completion, ConnectionStatus, DeliveryKey, Inbound, Ingress, IngressError,
    Platform, Served, Signal,
};
use clifford_config::Loaded;
use clifford_http::terminal::{Shown, Taken, TerminalEvent, Typed};
use clifford_terminal::{PLACE, Terminal};
use futures::StreamExt;
use reqwest::Method;
use serde_json::{Value, json};
use tokio::{sync::watch, time::Instant};
use tokio_util::sync::CancellationToken;

use super::{Host, Platforms};
use crate::{
    app::Stays,
    cli::{
        server::{Refused, Server},
        setup,
    },
};

/// The first wait before a lost connection is made again, and the longest; they double.
const WAITS: (Duration, Duration) = (Duration::from_millis(200), Duration::from_secs(3));
/// How long a program's input waits for a server that is gone. A person may wait as long as they like.
const GIVES_UP: Duration = Duration::from_secs(60);
/// How long a server of another terminal is looked for before this process is the next one: who starts it anew is first.
const FOLLOWS: Duration = Duration::from_millis(500);
/// How long a message waits for the connection to open before that is told.
const OPENING: Duration = Duration::from_secs(1);
/// How many of the messages that were taken are kept in mind.
const KEPT: usize = 100;

/// The server, as far as it is there: after a restart it is another one.
type Line = watch::Receiver<Option<Server>>;

/// Where the conversation is.
pub(super) struct Place<'a> {
    loaded: &'a Loaded,
    platforms: Platforms,
    /// The bot, if it is in this process.
    pub(super) host: Option<Host>,
}

impl<'a> Place<'a> {
    pub(super) const fn new(loaded: &'a Loaded, platforms: Platforms) -> Self {
        Self {
            loaded,
            platforms,
            host: None,
        }
    }

    /// The server that runs now. One that ended with its terminal is followed by this process.
    async fn server(&mut self, (stays, since): (Stays, Option<Instant>)) -> Option<Server> {
        let found = Server::find(self.loaded).await;
        let is_over = since.is_some_and(|since| since.elapsed() >= FOLLOWS) && !setup::is_held(self.loaded);
        if found.is_some() || self.host.is_some() || stays == Stays::UntilStopped || !is_over {
            return found;
        }
        let secrets = super::secrets(self.loaded, self.platforms).ok()?;
        // Another terminal may be faster, and is found then.
        let started = Box::pin(Host::start(self.loaded, &secrets, self.platforms)).await;
        self.host = started.ok();
        self.host.as_ref().map(|host| host.server().clone())
    }
}

/// Talks until the conversation is left.
///
/// # Errors
/// The terminal is gone, or the server does not come back.
pub(super) async fn talk(
    place: &mut Place<'_>,
    server: Server,
    terminal: &Arc<Terminal>,
    quiet: bool,
) -> anyhow::Result<()> {
    let (line, seen) = watch::channel(None);
    let desk = Arc::new(Desk {
        line: seen,
        taken: Mutex::default(),
        refused: Mutex::default(),
    });
    let shows = show((place, server), terminal, quiet, (&*desk, &line));
    tokio::select! {
        left = terminal.receive(Arc::clone(&desk) as Arc<dyn Ingress>, CancellationToken::new()) => Ok(left?),
        gone = shows => gone,
    }
}

/// Shows what the server says, and connects again whenever it breaks off. It ends only where nobody waits any longer.
async fn show(
    (place, server): (&mut Place<'_>, Server),
    terminal: &Terminal,
    quiet: bool,
    (desk, line): (&Desk, &watch::Sender<Option<Server>>),
) -> anyhow::Result<()> {
    let interactive = terminal.is_interactive();
    let path = format!(
        "/api/terminal?place={PLACE}&session={}&interactive={interactive}&quiet={quiet}",
        terminal.session()
    );
    let mut wait = WAITS.0;
    let mut lost = None;
    let mut is_told = false;
    let mut stays = server.stays();
    let mut first = Some(server);
    loop {
        let is_first = first.is_some();
        let server = match first.take() {
            Some(server) => Some(server),
            None => place.server((stays, lost)).await,
        };
        let opened = match &server {
            Some(server) => server.events::<TerminalEvent>(&path).await,
            None => Err(Refused::Gone),
        };
        match (server, opened) {
            (Some(server), Ok(mut events)) => {
                let mut earlier = desk.taken();
                stays = server.stays();
                line.send_replace(Some(server.clone()));
                lost = None;
                if std::mem::take(&mut is_told) {
                    terminal.reached(true).await;
                }
                wait = WAITS.0;
                while let Some(event) = events.next().await {
                    act(terminal, (&server, desk), &mut earlier, event).await?;
                }
            }
            // It will not say anything else later.
            (_, Err(refused @ (Refused::Foreign(_) | Refused::No(_)))) if is_first => return Err(refused.into()),
            _ => {}
        }
        line.send_replace(None);
        let since = *lost.get_or_insert_with(Instant::now);
        // That another terminal was left is not worth a word, if this one goes on.
        let is_worth_a_word = stays == Stays::UntilStopped || since.elapsed() > FOLLOWS;
        if !is_told && is_worth_a_word {
            is_told = true;
            terminal.reached(false).await;
        }
        if !interactive && since.elapsed() > GIVES_UP {
            anyhow::bail!("the server does not answer any more; `clifford chat` works without it, too");
        }
        tokio::time::sleep(wait).await;
        wait = WAITS.1.min(wait * 2);
    }
}

/// Does what an event says.
async fn act(
    terminal: &Terminal,
    (server, desk): (&Server, &Desk),
    earlier: &mut Vec<String>,
    event: TerminalEvent,
) -> anyhow::Result<()> {
    let to = |reply_to: Option<String>| Address {
        place: PLACE.to_owned(),
        private: true,
        reply_to,
        via: None,
    };
    let (to, signal) = match event {
        TerminalEvent::Open(open) => {
            // Runs that ended while nobody listened are waited for no longer.
            let over = if open.at_work {
                Vec::new()
            } else {
                std::mem::take(earlier)
            };
            for id in over {
                desk.done(Some(&id));
                terminal.signal(&to(Some(id)), &Signal::Done).await?;
            }
            return Ok(());
        }
        TerminalEvent::Part(part) => {
            let (key, to) = (DeliveryKey(part.key.clone()), to(part.reply_to.clone()));
            terminal.send(&to, &part.into_part(), &key).await?;
            // One that is not confirmed comes again, and is not shown twice.
            let shown = json!(Shown { key: key.0 });
            server.ask(Method::POST, "/api/terminal/shown", Some(shown)).await.ok();
            return Ok(());
        }
        TerminalEvent::Typing(about) => (to(about.reply_to), Signal::Typing),
        TerminalEvent::Progress(progress) => {
            let signal = Signal::Progress {
                kind: progress.kind,
                text: progress.text,
            };
            (to(progress.reply_to), signal)
        }
        TerminalEvent::Draft(draft) => {
            let signal = Signal::Draft {
                key: DeliveryKey(String::new()),
                plain: draft.text.clone(),
                text: draft.text,
                // Ctrl-C ends it here.
                stop: String::new(),
            };
            (to(draft.reply_to), signal)
        }
        TerminalEvent::DraftDropped(about) => {
            let key = DeliveryKey(String::new());
            (to(about.reply_to), Signal::DraftDropped { key })
        }
        TerminalEvent::Done(about) => {
            forget(earlier, about.reply_to.as_deref());
            desk.done(about.reply_to.as_deref());
            (to(about.reply_to), Signal::Done)
        }
    };
    Ok(terminal.signal(&to, &signal).await?)
}

/// Hands in at the server.
struct Desk {
    line: Line,
    /// The messages that the server has taken and may still answer.
    taken: Mutex<Vec<String>>,
    /// The message that could not be handed in: that was told once, and now the server is waited for.
    refused: Mutex<Option<String>>,
}

impl Desk {
    /// The messages that were taken until now. Whatever was said of them since the connection broke off was not heard.
    fn taken(&self) -> Vec<String> {
        self.list().clone()
    }

    /// An answer came.
    fn done(&self, answered: Option<&str>) {
        forget(&mut self.list(), answered);
    }

    fn is_refused(&self, id: &str) -> bool {
        let refused = self.refused.lock().unwrap_or_else(PoisonError::into_inner);
        refused.as_deref() == Some(id)
    }

    fn refuse(&self, id: &str) {
        *self.refused.lock().unwrap_or_else(PoisonError::into_inner) = Some(id.to_owned());
    }

    fn list(&self) -> MutexGuard<'_, Vec<String>> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Takes out of a list what an answer settled: the message that it names with all before it, or everything.
fn forget(ids: &mut Vec<String>, answered: Option<&str>) {
    match answered.map(|answered| ids.iter().position(|id| id == answered)) {
        None => ids.clear(),
        Some(Some(place)) => drop(ids.drain(..=place)),
        Some(None) => {}
    }
}

#[async_trait]
impl Ingress for Desk {
    async fn accept(&self, event: Inbound) -> Result<Accepted, IngressError> {
        let Some(typed) = Typed::of(event) else {
            return Ok(Accepted::Ignored);
        };
        let id = typed.id.clone();
        let gone = || IngressError::Unavailable(Refused::Gone.to_string());
        let mut line = self.line.clone();
        // Nothing is typed there before this terminal is open: what is said of it would be missed.
        let opens = line.wait_for(Option::is_some);
        if self.is_refused(&id) {
            opens.await.map_err(|_| gone())?;
        } else if tokio::time::timeout(OPENING, opens).await.is_err() {
            self.refuse(&id);
            return Err(gone());
        }
        let server = self.line.borrow().clone();
        let server = server.ok_or_else(|| {
            self.refuse(&id);
            gone()
        })?;
        let answer = server
            .ask(Method::POST, "/api/terminal/messages", Some(json!(typed)))
            .await;
        match answer {
            Ok(answer) => {
                let accepted = read(answer)?;
                if matches!(accepted, Accepted::Answering | Accepted::Queued) {
                    let mut taken = self.list();
                    taken.push(id);
                    let old = taken.len().saturating_sub(KEPT);
                    taken.drain(..old);
                }
                Ok(accepted)
            }
            Err(away @ (Refused::Gone | Refused::Away(_))) => {
                self.refuse(&id);
                Err(IngressError::Unavailable(away.to_string()))
            }
            Err(refused @ (Refused::No(_) | Refused::Foreign(_))) => Ok(Accepted::Refused(refused.to_string())),
        }
    }

    async fn complete(&self, _: Completion) -> Result<Vec<Choice>, IngressError> {
        Ok(Vec::new())
    }

    async fn served(&self, _: Platform, _: Duration) -> Result<Vec<Served>, IngressError> {
        Ok(Vec::new())
    }

    fn status(&self, _: Platform, _: ConnectionStatus) {}
}

fn read(taken: Value) -> Result<Accepted, IngressError> {
    let taken: Taken = serde_json::from_value(taken)
        .map_err(|_| IngressError::Unavailable("the server is of another version: restart it".to_owned()))?;
    taken.into()
}

#[cfg(test)]
mod tests {
    use super::forget;

    #[test]
    fn an_answer_settles_what_came_before_its_message() {
        let left = |answered: Option<&str>| {
            let mut ids = ["1-1", "1-2", "1-3"].map(str::to_owned).to_vec();
            forget(&mut ids, answered);
            ids
        };
        assert_eq!(left(Some("1-2")), ["1-3"]);
        assert_eq!(left(Some("1-3")), [""; 0]);
        assert_eq!(left(Some("2-1")), ["1-1", "1-2", "1-3"]);
        assert_eq!(left(None), [""; 0]);
    }
}
