//! The message that shows what a run does once it takes long: one a run, changed in place, and gone when the run is not
//! at work any more.
//!
//! It is a row before it is shown. So the process that goes on with a run goes on with its message, and one that is left
//! behind by a process that died is taken away.

use std::{collections::HashMap, time::Duration};

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use clifford_chat::{
    error::SendError,
    outbound::{Address, Button, DeliveryKey, Part, Passing},
};
use clifford_core::{
    id::{MessageId, RunId},
    json_text::JsonText,
};
use clifford_store::{
    StoreError,
    messages::{
        outbox::Outgoing,
        status_messages::{self, StatusMessage},
    },
};
use clifford_text::{Doing, Lang};
use tokio::time::Instant;

use super::Gate;
use crate::{at_work::locked, outbound::key};

/// Stands in front of what is done.
const SIGN: &str = "\u{23f3}";

/// The status messages that a chat sees.
#[derive(Default)]
pub(in crate::gate) struct StatusMessages {
    /// When one is to be shown, changed or taken away.
    pub(super) at: Option<Instant>,
    shown: HashMap<RunId, Shown>,
    /// Status messages to delete once the platform accepts calls.
    leaving: Vec<StatusMessage>,
}

/// A run's message.
struct Shown {
    message: StatusMessage,
    /// Its text.
    said: String,
    /// When it was looked at last.
    at: Instant,
    /// The platform does not take it, or somebody deleted it.
    is_unwanted: bool,
}

impl StatusMessages {
    /// Another process goes on with the message of a run.
    pub(super) fn forget(&mut self, run: RunId) {
        self.shown.remove(&run);
    }
}

/// When the message of a run is to be shown or changed; `None`: it stands as it should. `last`: what it says, and since
/// when.
fn due(
    since: Instant,
    doing: &str,
    last: Option<(&str, Instant)>,
    after: Duration,
    every: Duration,
) -> Option<Instant> {
    match last {
        None => Some(since + after),
        Some((said, _)) if said == doing => None,
        Some((_, at)) => Some(at + every),
    }
}

/// The command of a button that ends a run.
pub(super) fn stop_command(run: RunId) -> String {
    format!("stop {run}")
}

impl Gate {
    /// Looks when the next message is due.
    pub(super) fn plan_statuses(&mut self) {
        let after = self.inner.settings.section.progress_after;
        let every = self.channel.limits().status_every.filter(|_| !after.is_zero());
        let busy = locked(&self.busy);
        let times = busy.iter().filter_map(|(run, at_work)| {
            let every = every?;
            // A command is no run; and an answer that grows shows what is done.
            if at_work.epoch == 0 || self.drafts.shows(*run) {
                return None;
            }
            let shown = self.statuses.shown.get(run);
            if shown.is_some_and(|shown| shown.is_unwanted || shown.message.becomes.is_some()) {
                return None;
            }
            let last = shown.map(|shown| (shown.said.as_str(), shown.at));
            due(at_work.since, &at_work.doing(), last, after, every)
        });
        let leaving = self.statuses.leaving.first().map(|_| Instant::now());
        let next = times.chain(leaving).min();
        drop(busy);
        self.statuses.at = next.map(|at| at.max(self.silent_until.unwrap_or(at)));
    }

    /// Shows and changes what is due, and takes away what is to go.
    pub(super) async fn show_statuses(&mut self) {
        self.statuses.at = None;
        for message in std::mem::take(&mut self.statuses.leaving) {
            self.take_away_status(message).await;
        }
        let now = Instant::now();
        let after = self.inner.settings.section.progress_after;
        let every = self.channel.limits().status_every.filter(|_| !after.is_zero());
        let due: Vec<_> = {
            let busy = locked(&self.busy);
            let due = busy.iter().filter(|(run, at_work)| {
                let shown = self.statuses.shown.get(*run);
                let last = shown.map(|shown| (shown.said.as_str(), shown.at));
                let at = every.and_then(|every| due(at_work.since, &at_work.doing(), last, after, every));
                let is_due = at.is_some_and(|at| at <= now);
                let is_wanted = shown.is_none_or(|shown| !shown.is_unwanted && shown.message.becomes.is_none());
                is_due && is_wanted && at_work.epoch > 0 && !self.drafts.shows(**run)
            });
            due.map(|(run, at_work)| (*run, at_work.address.clone(), at_work.doing(), at_work.lang))
                .collect()
        };
        for (run, address, doing, lang) in due {
            if !self.is_silent() {
                self.show_status(run, address, doing, lang).await;
            }
        }
        self.plan_statuses();
    }

    async fn show_status(&mut self, run: RunId, address: Address, doing: String, lang: Lang) {
        let part = self.status_part(run, &doing, lang);
        // The answer will point at the question.
        let address = Address {
            reply_to: None,
            ..address
        };
        self.show_passing(run, address, None, &part, doing).await;
    }

    /// Shows or changes the message of a run that becomes this part, or none.
    pub(super) async fn show_passing(
        &mut self,
        run: RunId,
        address: Address,
        becomes: Option<String>,
        part: &Part,
        says: String,
    ) {
        let known = match self.statuses.shown.remove(&run) {
            Some(shown) => Some(shown.message),
            // It may have been shown before a crash.
            None => self.status_of(run).await,
        };
        let known = match known {
            Some(other) if other.becomes != becomes => {
                self.take_away_status(other).await;
                None
            }
            known => known,
        };
        let is_new = known.is_none();
        let mut message = known.unwrap_or_else(|| StatusMessage {
            run_id: run,
            channel_id: self.id,
            platform: self.channel.platform().as_str().to_owned(),
            address: JsonText(address.clone()),
            platform_message_id: None,
            key: key(&URL_SAFE_NO_PAD.encode(MessageId::new().0.as_bytes()), 0),
            becomes,
        });
        message.address.0 = address;
        let (mut said, mut is_unwanted) = (String::new(), false);
        if !self.is_silent() && (!is_new || self.put_status(&message).await) {
            let (id, key) = (message.platform_message_id.clone(), DeliveryKey(message.key.clone()));
            let passing = if message.becomes.is_some() {
                Passing::Draft
            } else {
                Passing::Status
            };
            let shown = (self.channel).show(&message.address.0, id.as_deref(), part, passing, &key);
            match shown.await {
                Ok(None) => {}
                Ok(shown) => {
                    said = says;
                    if shown != id {
                        message.platform_message_id = shown;
                        self.put_status(&message).await;
                    }
                }
                Err(SendError::RetryAfter(wait)) => self.silent_until = Some(Instant::now() + wait),
                Err(SendError::Rejected(reason) | SendError::Gone(reason) | SendError::Barred(reason)) => {
                    tracing::debug!(run_id = %run, channel_id = %self.id, reason, "platform refused a status message");
                    is_unwanted = true;
                }
                Err(error) => tracing::debug!(run_id = %run, %error, "failed to show a status message"),
            }
        }
        let shown = Shown {
            message,
            said,
            at: Instant::now(),
            is_unwanted,
        };
        self.statuses.shown.insert(run, shown);
    }

    fn status_part(&self, run: RunId, doing: &str, lang: Lang) -> Part {
        let limits = self.channel.limits();
        let text = format!("{SIGN} {doing}");
        let rendered = clifford_markup::render(&text, limits.flavor, limits.text_units)
            .into_iter()
            .next();
        let (text, plain) = rendered.map_or_else(|| (text.clone(), text.clone()), |part| (part.text, part.plain));
        let stop = Button::new(&lang.say(Doing::Stop), stop_command(run)).negative();
        Part::Text {
            text,
            plain,
            rich: None,
            buttons: vec![stop],
        }
    }

    /// A run is not at work any more: its message goes away. That of an earlier claim is known to the database alone.
    pub(super) async fn end_status(&mut self, run: RunId, epoch: i64) {
        let becomes = (self.statuses.shown.get(&run)).and_then(|shown| shown.message.becomes.as_deref());
        if becomes.is_some_and(|becomes| self.waits(becomes)) {
            // The answer that it becomes is still on its way out.
            return;
        }
        let message = match self.statuses.shown.remove(&run) {
            Some(shown) => Some(shown.message),
            None if epoch > 1 => self.status_of(run).await,
            None => None,
        };
        if let Some(message) = message {
            self.take_away_status(message).await;
        }
    }

    /// Takes away what a process has left behind, unless its run is at work here again.
    pub(super) async fn take_away_left(&mut self, message: StatusMessage) {
        let run = message.run_id;
        let is_here = self.statuses.shown.contains_key(&run) || locked(&self.busy).contains_key(&run);
        if !is_here && self.statuses.leaving.iter().all(|leaving| leaving.run_id != run) {
            let address = message.address.0.clone();
            self.take_away_status(message).await;
            // Nobody has said so where its run came to its end.
            self.ended.push_back(address);
            self.plan_statuses();
        }
    }

    async fn take_away_status(&mut self, message: StatusMessage) {
        if self.is_silent() {
            self.statuses.leaving.push(message);
            return;
        }
        let retracted = match &message.platform_message_id {
            Some(id) => self.channel.retract(&message.address.0, id).await,
            None => Ok(()),
        };
        match retracted {
            Err(SendError::RetryAfter(wait)) => {
                self.silent_until = Some(Instant::now() + wait);
                self.statuses.leaving.push(message);
            }
            // Its row stays, and is found again.
            Err(error @ (SendError::NotSent(_) | SendError::Unreachable(_) | SendError::Failed(_))) => {
                tracing::debug!(run_id = %message.run_id, %error, "failed to take a status message away");
            }
            Ok(()) | Err(SendError::Moved(_) | SendError::Gone(_) | SendError::Barred(_) | SendError::Rejected(_)) => {
                let run = message.run_id;
                let removed = self
                    .inner
                    .db
                    .write(move |tx| Box::pin(status_messages::remove(tx, run)));
                self.tell_of(removed.await);
            }
        }
    }

    /// A message that a process before this one left: what it was about to become is sent now.
    pub(super) async fn adopt_draft(&mut self, message: &Outgoing) {
        let Some(run) = message
            .run_id
            .filter(|_| self.channel.edits_drafts(&message.address.0).is_some())
        else {
            return;
        };
        if let Some(message) = self.status_of(run).await.filter(|message| message.becomes.is_some()) {
            let shown = Shown {
                message,
                said: String::new(),
                at: Instant::now(),
                is_unwanted: false,
            };
            self.statuses.shown.entry(run).or_insert(shown);
        }
    }

    /// The platform's id of the message that is to become a part.
    pub(super) fn draft_of(&self, run: Option<RunId>, key: &str) -> Option<&str> {
        let message = &self.statuses.shown.get(&run?)?.message;
        let id = message.platform_message_id.as_deref()?;
        (message.becomes.as_deref() == Some(key)).then_some(id)
    }

    /// A part was delivered as this message: a draft has become it, or goes away.
    pub(super) async fn draft_became(&mut self, run: Option<RunId>, key: &str, delivered: &str) {
        let Some(id) = self.draft_of(run, key).map(str::to_owned) else {
            return;
        };
        let shown = run.and_then(|run| self.statuses.shown.remove(&run));
        match shown {
            Some(shown) if id == delivered => self.remove_row(shown.message.run_id).await,
            Some(shown) => self.take_away_status(shown.message).await,
            None => {}
        }
    }

    async fn remove_row(&self, run: RunId) {
        let removed = self
            .inner
            .db
            .write(move |tx| Box::pin(status_messages::remove(tx, run)));
        self.tell_of(removed.await);
    }

    /// When the draft of a run may be looked at again that is edited this often.
    pub(super) fn draft_due(&self, run: RunId, every: Duration) -> Option<Instant> {
        self.statuses.shown.get(&run).map(|shown| shown.at + every)
    }

    async fn status_of(&self, run: RunId) -> Option<StatusMessage> {
        let found = match self.inner.db.read_local().await {
            Ok(mut conn) => status_messages::of_run(&mut conn, run).await,
            Err(error) => Err(error),
        };
        found.unwrap_or_else(|error| {
            tracing::debug!(run_id = %run, %error, "failed to read a status message");
            None
        })
    }

    /// Writes its row; whether that was possible.
    async fn put_status(&self, message: &StatusMessage) -> bool {
        let (message, worker, now) = (message.clone(), self.inner.worker, self.inner.clock.now());
        let written = self.inner.db.write(move |tx| {
            let message = message.clone();
            Box::pin(async move { status_messages::put(tx, &message, worker, now).await })
        });
        self.tell_of(written.await)
    }

    fn tell_of(&self, written: Result<(), StoreError>) -> bool {
        if let Err(error) = &written {
            tracing::debug!(%error, channel_id = %self.id, "failed to record a status message");
        }
        written.is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_shown_when_its_run_takes_long_and_changed_when_it_does_something_else() {
        let (after, every) = (Duration::from_secs(5), Duration::from_secs(2));
        let since = Instant::now();
        let at = |seconds: u64| since + Duration::from_secs(seconds);
        let cases = [
            (None, Some(5)),
            (Some(("Thinking", 5)), None),
            (Some(("Calculating", 5)), Some(7)),
            (Some(("Calculating", 60)), Some(62)),
            // It could not be shown.
            (Some(("", 5)), Some(7)),
        ];
        for (last, expected) in cases {
            let told = due(
                since,
                "Thinking",
                last.map(|(said, then)| (said, at(then))),
                after,
                every,
            );
            assert_eq!(told, expected.map(at), "{last:?}");
        }
    }
}
