//! Receiving, and long polling: batches of updates to the ingress, and offsets back once they are committed.
//!
//! teloxide's `Polling` yields single updates and confirms a batch when it is asked for the next one: a chat that waits
//! for its commit holds up all others (`nothing_is_confirmed_before_it_was_committed`). One update without an id stops
//! it permanently (`broken_updates_are_kept_and_stop_nothing`).

use std::time::Duration;

use clifford_channel::{Accepted, ChannelError, Inbound, Ingress};
use futures::{
    channel::{
        mpsc::{UnboundedSender, unbounded},
        oneshot,
    },
    future::join_all,
};
use jiff::Timestamp;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;
use teloxide::payloads::{DeleteWebhook, GetUpdates};
use tokio_util::sync::CancellationToken;

use crate::{
    Telegram,
    answer::{Query, answer},
    api::{ApiError, CALL_TIMEOUT},
    lane::Lane,
    link::{Link, MAX_DELAY, delays},
    me::Me,
    menu,
    press::query_id,
    read::{Wanting, inbound, update_id, wanted},
    refuse, webhook,
};

/// The time that a request may take beyond its long poll.
const POLL_MARGIN: Duration = Duration::from_secs(10);
/// The longest that the last confirmation may delay a shutdown.
const CONFIRM_TIMEOUT: Duration = Duration::from_secs(3);

/// How long a group that became a supergroup may take to tell so, after the bot was added to that.
const MOMENT: Duration = Duration::from_secs(1);

/// Receives until `stop`, through every failure of the network.
pub(crate) async fn receive(
    telegram: &Telegram,
    ingress: &dyn Ingress,
    stop: &CancellationToken,
) -> Result<(), ChannelError> {
    let mut link = Link::new(ingress);
    let Some(me) = identify(telegram, &mut link, stop).await? else {
        return Ok(());
    };
    // Menus are set for as long as messages are received, and no longer.
    let receiving = stop.child_token();
    if let Some(hook) = &telegram.hook {
        let ended = webhook::receive(telegram, hook, &mut link, stop);
        let (ended, ()) = tokio::join!(until(ended, &receiving), menu::set(telegram, &receiving));
        return ended;
    }
    let (queries, asked) = unbounded();
    let mut poller = Poller {
        telegram,
        ingress,
        stop,
        me,
        link,
        offset: None,
        unconfirmed: false,
        queries,
    };
    let (ended, (), ()) = tokio::join!(
        // The poller owns the queue's sender: when it ends, so do the answers.
        until(async move { poller.run().await }, &receiving),
        menu::set(telegram, &receiving),
        answer(&telegram.api, asked, stop),
    );
    ended
}

/// Does something, and cancels what goes on alongside it once it is done.
async fn until<T>(something: impl Future<Output = T>, done: &CancellationToken) -> T {
    let outcome = something.await;
    done.cancel();
    outcome
}

/// Asks Telegram for the bot's account until it answers. `None`: stopped before.
async fn identify(
    telegram: &Telegram,
    link: &mut Link<'_>,
    stop: &CancellationToken,
) -> Result<Option<Me>, ChannelError> {
    loop {
        let wait = match stop.run_until_cancelled(telegram.ask_me()).await {
            None => return Ok(None),
            Some(Ok(me)) => {
                link.name.clone_from(&me.name);
                // A webhook is up once it is set.
                if telegram.hook.is_none() {
                    link.up();
                }
                return Ok(Some(me));
            }
            Some(Err(error)) => link.down(error)?,
        };
        if stop.run_until_cancelled(tokio::time::sleep(wait)).await.is_none() {
            return Ok(None);
        }
    }
}

struct Poller<'a> {
    telegram: &'a Telegram,
    ingress: &'a dyn Ingress,
    stop: &'a CancellationToken,
    me: Me,
    link: Link<'a>,
    /// The first update that is not committed yet; the next poll confirms all below it.
    offset: Option<i32>,
    /// No poll has sent `offset` yet.
    unconfirmed: bool,
    /// Callback queries, answered concurrently with everything else.
    queries: UnboundedSender<Query>,
}

/// An update's event.
struct Entry {
    id: i32,
    event: Inbound,
    /// Takes the alert for a person who pressed a button that is not theirs.
    alert: Option<oneshot::Sender<String>>,
}

impl Poller<'_> {
    async fn run(&mut self) -> Result<(), ChannelError> {
        while !self.stop.is_cancelled() {
            let timeout = Duration::from_secs(self.telegram.settings.poll_seconds.min(50).into());
            let answer = self
                .stop
                .run_until_cancelled(self.poll(timeout, 100, timeout + POLL_MARGIN));
            let wait = match answer.await {
                None => break,
                Some(Ok(batch)) => {
                    self.link.up();
                    self.unconfirmed = false;
                    let batch = self.settled(batch).await;
                    self.commit(&batch).await
                }
                Some(Err(error)) if is_webhook(&error) => self.delete_webhook().await?,
                Some(Err(error)) => Some(self.link.down(error)?),
            };
            if let Some(wait) = wait {
                self.stop.run_until_cancelled(tokio::time::sleep(wait)).await;
            }
        }
        self.confirm().await;
        Ok(())
    }

    async fn poll(&self, wait: Duration, limit: u8, timeout: Duration) -> Result<Vec<Box<RawValue>>, ApiError> {
        let mut request = GetUpdates::new();
        request.offset = self.offset;
        request.limit = Some(limit);
        request.timeout = Some(u32::try_from(wait.as_secs()).unwrap_or(0));
        let request = Wanting {
            request,
            allowed_updates: wanted(&self.me),
        };
        self.telegram.api.call(&request, timeout).await
    }

    /// A batch; a moment later the same with what followed it, where the bot was added to a supergroup: one that was a
    /// group until now tells that too, and is to be known as the same before it is greeted.
    async fn settled(&self, batch: Vec<Box<RawValue>>) -> Vec<Box<RawValue>> {
        if !may_have_moved(&batch) {
            return batch;
        }
        let again = async {
            tokio::time::sleep(MOMENT).await;
            self.poll(Duration::ZERO, 100, POLL_MARGIN).await
        };
        match self.stop.run_until_cancelled(again).await {
            Some(Ok(more)) if !more.is_empty() => more,
            _ => batch,
        }
    }

    /// Commits a batch: chats concurrently, each in its own order. Moves the offset past the committed
    /// updates, and returns how long to wait if there were none.
    async fn commit(&mut self, batch: &[Box<RawValue>]) -> Option<Duration> {
        let mut groups: Vec<(Lane, Vec<Entry>)> = Vec::new();
        let mut last = None;
        let mut moves = false;
        for raw in batch {
            let id = update_id(raw.get());
            last = last.max(id);
            let mut event = inbound(raw.get(), &self.me, Timestamp::now());
            self.telegram.cuts.join(&mut event);
            self.telegram.stops.look_up(&mut event);
            self.telegram.untitled.note(raw.get());
            let mut alert = None;
            if let Some(id) = query_id(raw.get()) {
                let (sender, receiver) = oneshot::channel();
                alert = event.is_some().then_some(sender);
                let receiver = alert.is_some().then_some(receiver);
                // The receiver outlives the poller.
                let _ = self.queries.unbounded_send(Query { id, alert: receiver });
            }
            let Some(event) = event else {
                continue;
            };
            moves |= matches!(event, Inbound::Moved(_));
            // Without an id of its own, it is confirmed with the batch's last.
            let lane = Lane::of(&event);
            let entry = Entry {
                id: id.unwrap_or(i32::MAX),
                event,
                alert,
            };
            match groups.iter_mut().find(|(known, _)| *known == lane) {
                Some((_, group)) => group.push(entry),
                None => groups.push((lane, vec![entry])),
            }
        }
        if moves {
            // Later updates must find a moved chat under its new id.
            let mut all: Vec<_> = groups.into_iter().flat_map(|(_, group)| group).collect();
            // The bot is added to no new group: it is in the moved one.
            all.sort_by_key(|entry| (matches!(entry.event, Inbound::Joined(_)), entry.id));
            groups = vec![(Lane::Alone, all)];
        }
        let uncommitted = join_all(groups.into_iter().map(|(_, group)| self.accept_in_order(group))).await;
        let stopped_at = uncommitted.into_iter().flatten().min();
        let Some(last) = last else {
            // No update here has an id to confirm: Telegram would send the same batch at once.
            return (!batch.is_empty()).then(|| self.link.next_delay());
        };
        let next = stopped_at.map_or_else(|| last.saturating_add(1), |id| id.min(last.saturating_add(1)));
        self.unconfirmed = self.offset != Some(next);
        self.offset = Some(next);
        None
    }

    /// Passes events to the ingress in order. Returns the least id of those that were not accepted before the stop.
    async fn accept_in_order(&self, events: Vec<Entry>) -> Option<i32> {
        let ids: Vec<_> = events.iter().map(|entry| entry.id).collect();
        for (place, Entry { id, event, alert }) in events.into_iter().enumerate() {
            let mut delays = delays();
            let accepted = loop {
                let error = match self.ingress.accept(event.clone()).await {
                    Ok(accepted) => break accepted,
                    Err(error) => error,
                };
                let wait = delays.next().unwrap_or(MAX_DELAY);
                tracing::warn!(update_id = id, %error, wait_ms = wait.as_millis(), "failed to accept update, retrying");
                let slept = self.stop.run_until_cancelled(tokio::time::sleep(wait)).await;
                if slept.is_none() {
                    return ids.into_iter().skip(place).min();
                }
            };
            self.telegram.name_topic(&event, &accepted).await;
            match (accepted, alert) {
                (Accepted::Refused(text), Some(alert)) => {
                    // The query was answered without it, if this took too long.
                    let _ = alert.send(text);
                }
                (Accepted::Refused(text), None) => refuse::tell(self.telegram, &event, &text).await,
                _ => {}
            }
        }
        None
    }

    /// Deletes the webhook that another program set for this token: Telegram serves one or the other.
    async fn delete_webhook(&mut self) -> Result<Option<Duration>, ChannelError> {
        tracing::warn!("deleting the webhook of this token, to poll");
        let answer: Result<IgnoredAny, ApiError> = self.telegram.api.call(&DeleteWebhook::new(), CALL_TIMEOUT).await;
        match answer {
            Ok(_) => Ok(None),
            Err(error) => self.link.down(error).map(Some),
        }
    }

    /// Confirms the committed updates, so that the next start does not get them again. If that fails, it does.
    async fn confirm(&self) {
        if !self.unconfirmed {
            return;
        }
        // An update that this poll returns stays unconfirmed, so it is not lost.
        if let Err(error) = self.poll(Duration::ZERO, 1, CONFIRM_TIMEOUT).await {
            tracing::debug!(?error, "failed to confirm the last updates");
        }
    }
}

fn is_webhook(error: &ApiError) -> bool {
    matches!(error, ApiError::Refused { code: 409, description } if description.contains("webhook"))
}

/// Whether the bot was added to a supergroup, and nothing tells yet whether that was a group before.
fn may_have_moved(batch: &[Box<RawValue>]) -> bool {
    let has = |words: &str| batch.iter().any(|raw| raw.get().contains(words));
    let is_added = batch.iter().any(|raw| {
        let raw = raw.get();
        raw.contains("\"my_chat_member\"") && raw.contains("\"supergroup\"") && raw.contains("\"left\"")
    });
    is_added && !has("\"migrate_to_chat_id\"") && !has("\"migrate_from_chat_id\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_addition_to_a_supergroup_waits_for_its_move_unless_that_is_told() {
        let added = |kind: &str| {
            format!(
                r#"{{"update_id": 1, "my_chat_member": {{"chat": {{"id": -1001, "type": "{kind}"}},
                    "old_chat_member": {{"status": "left"}}, "new_chat_member": {{"status": "member"}}}}}}"#
            )
        };
        let moved = r#"{"update_id": 2, "message": {"chat": {"id": -1}, "migrate_to_chat_id": -1001}}"#.to_owned();
        let said = r#"{"update_id": 3, "message": {"chat": {"id": -1}, "text": "hi"}}"#.to_owned();
        for (batch, expected) in [
            (vec![added("supergroup"), said.clone()], true),
            (vec![added("supergroup"), moved.clone()], false),
            (vec![added("group")], false),
            (vec![moved, said], false),
            (vec![], false),
        ] {
            let raw = batch.iter().map(|text| RawValue::from_string(text.clone()).unwrap());
            assert_eq!(may_have_moved(&raw.collect::<Vec<_>>()), expected, "{batch:?}");
        }
    }
}
