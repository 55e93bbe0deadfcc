//! Receiving: long polls, and what goes wrong with them.

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
use serde::{Deserialize, de::IgnoredAny};
use serde_json::value::RawValue;
use teloxide::{
    payloads::{DeleteWebhook, GetMe, GetUpdates, SetMyCommands},
    types::{AllowedUpdate, BotCommand, UserId},
};
use tokio_util::sync::CancellationToken;

use crate::{
    Telegram,
    answer::{Query, answer},
    api::{Api, ApiError, CALL_TIMEOUT},
    link::{Link, MOST, delays},
    press::query_id,
    read::{inbound, update_id},
    update::Me,
};

/// What a poll's connection may take longer than the poll itself.
const POLL_MARGIN: Duration = Duration::from_secs(10);
/// How long the last confirmation may hold up the end.
const CONFIRM_TIMEOUT: Duration = Duration::from_secs(3);
/// The kinds of updates that mean something to us.
const KINDS: [AllowedUpdate; 4] = [
    AllowedUpdate::Message,
    AllowedUpdate::EditedMessage,
    AllowedUpdate::CallbackQuery,
    AllowedUpdate::MyChatMember,
];

/// Receives until `stop`, whatever the network does.
pub(crate) async fn receive(
    telegram: &Telegram,
    ingress: &dyn Ingress,
    stop: &CancellationToken,
) -> Result<(), ChannelError> {
    let mut link = Link::new(ingress);
    let Some(me) = introduce(&telegram.api, &mut link, stop).await? else {
        return Ok(());
    };
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
    let (received, (), ()) = tokio::join!(
        // With the poller ends what is to be answered.
        async move { poller.run().await },
        set_commands(telegram, stop),
        answer(&telegram.api, asked, stop),
    );
    received
}

/// Asks who the bot is, as often as it takes. `None`: stopped before there was an answer.
async fn introduce(api: &Api, link: &mut Link<'_>, stop: &CancellationToken) -> Result<Option<Me>, ChannelError> {
    #[derive(Deserialize)]
    struct Account {
        id: u64,
        first_name: String,
        username: Option<String>,
    }
    loop {
        let answer = stop
            .run_until_cancelled(api.call::<_, Account>(&GetMe::new(), CALL_TIMEOUT))
            .await;
        let wait = match answer {
            None => return Ok(None),
            Some(Ok(account)) => {
                link.name = match &account.username {
                    Some(username) => format!("@{username}"),
                    None => account.first_name,
                };
                link.up();
                return Ok(Some(Me {
                    id: UserId(account.id),
                    username: account.username,
                }));
            }
            Some(Err(error)) => link.down(error)?,
        };
        if stop.run_until_cancelled(tokio::time::sleep(wait)).await.is_none() {
            return Ok(None);
        }
    }
}

/// Fills Telegram's menu of commands. The bot works without it too.
async fn set_commands(telegram: &Telegram, stop: &CancellationToken) {
    if telegram.commands.is_empty() {
        return;
    }
    let commands = telegram.commands.iter().map(|(name, text)| BotCommand::new(name, text));
    let request = SetMyCommands::new(commands);
    let answer = stop
        .run_until_cancelled(telegram.api.call::<_, IgnoredAny>(&request, CALL_TIMEOUT))
        .await;
    if let Some(Err(error)) = answer {
        tracing::warn!(?error, "Telegram did not take the menu of commands");
    }
}

struct Poller<'a> {
    telegram: &'a Telegram,
    ingress: &'a dyn Ingress,
    stop: &'a CancellationToken,
    me: Me,
    link: Link<'a>,
    /// The first update that is not committed yet; what is below it is confirmed by the next poll.
    offset: Option<i32>,
    /// No poll has told Telegram of `offset` yet.
    unconfirmed: bool,
    /// Callback queries, to be answered beside all else.
    queries: UnboundedSender<Query>,
}

/// An update's event.
struct Entry {
    id: i32,
    event: Inbound,
    /// Where whoever pressed a button is told that it is not theirs.
    refused: Option<oneshot::Sender<&'static str>>,
}

impl Poller<'_> {
    async fn run(&mut self) -> Result<(), ChannelError> {
        while !self.stop.is_cancelled() {
            let timeout = self.telegram.poll_timeout;
            let answer = self
                .stop
                .run_until_cancelled(self.poll(timeout, 100, timeout + POLL_MARGIN));
            let wait = match answer.await {
                None => break,
                Some(Ok(batch)) => {
                    self.link.up();
                    self.unconfirmed = false;
                    self.commit(&batch).await
                }
                Some(Err(error)) if is_webhook(&error) => self.take_over().await?,
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
        request.allowed_updates = Some(KINDS.to_vec());
        self.telegram.api.call(&request, timeout).await
    }

    /// Hands a batch in: chats side by side, each in its own order. Moves the offset past what was
    /// committed, and returns how long to wait if that was nothing.
    async fn commit(&mut self, batch: &[Box<RawValue>]) -> Option<Duration> {
        let mut groups: Vec<(Lane, Vec<Entry>)> = Vec::new();
        let mut last = None;
        let mut moves = false;
        for raw in batch {
            let id = update_id(raw.get());
            last = last.max(id);
            let event = inbound(raw.get(), &self.me, Timestamp::now());
            let mut refused = None;
            if let Some(id) = query_id(raw.get()) {
                let (sender, told) = oneshot::channel();
                refused = event.is_some().then_some(sender);
                let told = refused.is_some().then_some(told);
                // Whoever answers them outlives the poller.
                let _ = self.queries.unbounded_send(Query { id, told });
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
                refused,
            };
            match groups.iter_mut().find(|(known, _)| *known == lane) {
                Some((_, group)) => group.push(entry),
                None => groups.push((lane, vec![entry])),
            }
        }
        if moves {
            // What comes after a move must find the chat under its new id.
            let mut all: Vec<_> = groups.into_iter().flat_map(|(_, group)| group).collect();
            all.sort_by_key(|entry| entry.id);
            groups = vec![(Lane::Alone, all)];
        }
        let uncommitted = join_all(groups.into_iter().map(|(_, group)| self.hand_in(group))).await;
        let stopped_at = uncommitted.into_iter().flatten().min();
        let Some(last) = last else {
            // Nothing here can be confirmed: Telegram would send the same at once.
            return (!batch.is_empty()).then(|| self.link.next_delay());
        };
        let next = stopped_at.map_or_else(|| last.saturating_add(1), |id| id.min(last.saturating_add(1)));
        self.unconfirmed = self.offset != Some(next);
        self.offset = Some(next);
        None
    }

    /// Hands events in, in order. Returns the id of the first that was not taken before the stop.
    async fn hand_in(&self, events: Vec<Entry>) -> Option<i32> {
        for Entry { id, event, refused } in events {
            let mut delays = delays();
            let accepted = loop {
                let error = match self.ingress.accept(event.clone()).await {
                    Ok(accepted) => break accepted,
                    Err(error) => error,
                };
                let wait = delays.next().unwrap_or(MOST);
                tracing::warn!(update = id, %error, wait_ms = wait.as_millis(), "an update was not taken");
                let slept = self.stop.run_until_cancelled(tokio::time::sleep(wait)).await;
                if slept.is_none() {
                    return Some(id);
                }
            };
            if let (Accepted::Refused(text), Some(refused)) = (accepted, refused) {
                // Nobody waits any more, if it took long.
                let _ = refused.send(text);
            }
        }
        None
    }

    /// Another program had set a webhook for this token: polling is what was configured here.
    async fn take_over(&mut self) -> Result<Option<Duration>, ChannelError> {
        tracing::warn!("a webhook is set for this token; it is deleted, so that the bot can poll");
        let answer: Result<IgnoredAny, ApiError> = self.telegram.api.call(&DeleteWebhook::new(), CALL_TIMEOUT).await;
        match answer {
            Ok(_) => Ok(None),
            Err(error) => self.link.down(error).map(Some),
        }
    }

    /// Tells Telegram what was committed, so that the next start does not get it again. If that fails, it
    /// gets it again.
    async fn confirm(&self) {
        if !self.unconfirmed {
            return;
        }
        // What this poll returns stays unconfirmed, so it is not lost.
        if let Err(error) = self.poll(Duration::ZERO, 1, CONFIRM_TIMEOUT).await {
            tracing::debug!(?error, "the last updates were not confirmed");
        }
    }
}

fn is_webhook(error: &ApiError) -> bool {
    matches!(error, ApiError::Refused { code: 409, description } if description.contains("webhook"))
}

/// Events of one lane are handed in one after the other.
#[derive(Debug, PartialEq, Eq)]
enum Lane {
    Place(String),
    Alone,
}

impl Lane {
    fn of(event: &Inbound) -> Self {
        let place = match event {
            Inbound::Message(message) => &message.place,
            Inbound::Command(command) => &command.place,
            Inbound::Edit(edit) => &edit.place,
            Inbound::Deleted(deleted) => return Self::Place(chat_of(&deleted.place).to_owned()),
            Inbound::Left(left) => {
                let chat = left.space.as_ref().or(left.place.as_ref());
                return chat.map_or(Self::Alone, |chat| Self::Place(chat.clone()));
            }
            Inbound::Moved(_) | Inbound::Unreadable(_) => return Self::Alone,
        };
        let chat = place
            .space
            .as_ref()
            .map_or(&place.external_id, |space| &space.external_id);
        Self::Place(chat.clone())
    }
}

/// The chat of a place, which may be a topic of it.
fn chat_of(place: &str) -> &str {
    place.split_once(':').map_or(place, |(chat, _)| chat)
}
