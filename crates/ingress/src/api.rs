//! Messages of API callers: the same way in, for people with a token.

use std::{collections::BTreeMap, time::Duration};

use clifford_chat::{
    inbound::{Attachment, Place, Speaker},
    names,
    platform::Platform,
};
use clifford_core::{
    access::{self, Audience, Entry},
    id::{ChannelId, ContextId, MessageId, RunId, UserId},
    people::UserRole,
    places::Mode,
    rate,
};
use clifford_engine::work::Work;
use clifford_store::{Conn, StoreError, Tx, messages, people::users, places::channels, rates};
use serde_json::json;

use super::{
    IngressService, Origin,
    message::{self, AcceptContext},
    newcomer,
    quoted::Found,
    settle,
};

/// A message through the API: the same way, for a channel of its own.
#[derive(Clone, Debug)]
pub struct ApiMessage {
    /// Where.
    pub place: Place,
    /// The speaker.
    pub speaker: Speaker,
    /// The text.
    pub text: String,
    /// The sender's own key against storing it twice.
    pub key: Option<String>,
    /// The conversation to go on with, if not the active one.
    pub context: Option<ContextId>,
    /// How it is to be answered, if not as its channel is.
    pub mode: Option<Mode>,
    /// The message of the place that it answers.
    pub reply_to: Option<MessageId>,
    /// Files that were uploaded before: the id of each is its own.
    pub files: Vec<Attachment>,
    /// Whether the limit of messages a minute holds for the sender.
    pub is_limited: bool,
}

/// Why a message through the API was not taken.
#[derive(Debug, thiserror::Error)]
pub enum ApiRefusal {
    /// Its sender writes faster than they are answered: they wait so long.
    #[error("too many messages or runs in a minute (ingress.user_messages_per_minute)")]
    TooFast(Duration),
    /// Another message came with this key.
    #[error("another message came with this key")]
    KeyReused,
    /// There is no message to answer in its place.
    #[error("there is no message {0} here to answer")]
    NothingToAnswer(MessageId),
    /// Nothing is answered there.
    #[error("commands are not answered in this channel, by its settings")]
    NotHeard,
    /// The message cannot be edited: why.
    #[error("it cannot be edited: {0}")]
    NotEdited(&'static str),
    /// It could not be stored.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// The result of a message through the API.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApiAccepted {
    /// The message.
    pub message: MessageId,
    /// Its run; `None` while it waits for another to end.
    pub run: Option<RunId>,
    /// Its channel.
    pub channel: ChannelId,
}

impl IngressService {
    /// Takes a message of an API caller, who was let in by a token.
    ///
    /// # Errors
    /// Why it is not taken; [`StoreError::NotFound`] for a context that is not this channel's.
    pub async fn api_message(&self, message: ApiMessage) -> Result<ApiAccepted, ApiRefusal> {
        let now = self.clock.now();
        if message.is_limited {
            self.api_pace(&message.place, &message.speaker).await?;
        }
        let (platform, place) = (message.place.platform, message.place.external_id.clone());
        let text = self.masked(message.text);
        let files = message.files.iter().map(|file| file.id.as_str()).collect::<Vec<_>>();
        let sent = || hash_of(&text, message.context, message.mode, &files, message.reply_to);
        let request_hash = message.key.as_ref().map(|_| sent());
        let quoted = match message.reply_to {
            Some(id) => (self.quoted_by_id(&message.place, &message.speaker, id).await?)
                .ok_or(ApiRefusal::NothingToAnswer(id))?,
            None => Found::default(),
        };
        let sent_hash = request_hash.clone();
        let key = message.key.unwrap_or_else(|| uuid::Uuid::now_v7().to_string());
        let by_key = key.clone();
        let context = message.context;
        let called = names::spoken(&message.speaker.name);
        let origin = Origin::of_api(message.place, message.speaker);
        let accept = AcceptContext {
            key: Some(key),
            request_hash,
            attachments: message.files,
            quoted,
            entry: Some(Entry::Welcome),
            is_addressed: true,
            is_heard: true,
            mode: message.mode,
            ..AcceptContext::new(self, origin, (called, text), now)
        };
        let outcome = self
            .db
            .write(move |tx| {
                Box::pin(async move {
                    // A repeat changes nothing, even if another conversation was chosen since.
                    let by_key = accept.key.as_deref().unwrap_or_default();
                    if let Some(context) = context
                        && !is_repeat(tx, &accept.origin.place, by_key).await?
                    {
                        message::choose_context(tx, &accept.origin, context, now).await?;
                    }
                    accept.store(tx).await
                })
            })
            .await?;
        let no_agent = outcome.no_agent;
        self.after_commit(outcome);
        if no_agent {
            return Err(StoreError::NotFound("enabled agent".to_owned()).into());
        }
        let mut conn = self.db.read().await?;
        let gone = || StoreError::NotFound("message just stored".to_owned());
        let channel = channels::by_place(&mut conn, platform, &place)
            .await?
            .ok_or_else(gone)?;
        let stored = messages::keyed(&mut conn, channel.id, &by_key)
            .await?
            .ok_or_else(gone)?;
        if stored.request_hash.is_some() && stored.request_hash != sent_hash {
            return Err(ApiRefusal::KeyReused);
        }
        Ok(ApiAccepted {
            message: stored.id,
            run: stored.run_id,
            channel: channel.id,
        })
    }

    /// Counts what a person's token asks for besides messages against the same limit: in this process, and in the row
    /// that all processes share.
    ///
    /// # Errors
    /// [`ApiRefusal::TooFast`]; the database fails.
    pub async fn api_pace(&self, place: &Place, speaker: &Speaker) -> Result<(), ApiRefusal> {
        let now = self.clock.now();
        if let Some(wait) = self.pace.wait(place, speaker, now) {
            return Err(ApiRefusal::TooFast(wait));
        }
        let Some(limit) = rate::pace(&self.settings.section, &[]) else {
            return Ok(());
        };
        let (platform, account) = (place.platform, speaker.id.clone());
        let taken = self.db.write(move |tx| {
            let (limit, account) = (limit.clone(), account.clone());
            Box::pin(async move {
                let Some(user) = users::by_identity(tx, platform, &account).await? else {
                    return Ok(None);
                };
                let taken = rates::take(tx, &user.id.to_string(), &limit, now).await?;
                Ok((taken.refused > 0).then(|| limit.wait(taken.tokens)))
            })
        });
        match taken.await? {
            Some(wait) => Err(ApiRefusal::TooFast(wait)),
            None => Ok(()),
        }
    }

    /// Whether a person may look at what is theirs, by whatever way in ([`access::looks`]).
    pub async fn looks(&self, conn: &mut Conn, user: UserId, role: UserRole) -> Result<bool, StoreError> {
        looks(conn, &self.settings.audiences, user, role).await
    }

    /// The message that came to a place with a sender's key.
    pub async fn api_earlier(&self, place: &Place, key: &str) -> Result<Option<MessageId>, StoreError> {
        let mut conn = self.db.read().await?;
        let Some(channel) = channels::by_place(&mut conn, place.platform, &place.external_id).await? else {
            return Ok(None);
        };
        let earlier = messages::keyed(&mut conn, channel.id, key).await?;
        Ok(earlier.map(|message| message.id))
    }

    /// The person of an API caller and their own channel; both are created on first contact.
    pub async fn api_visitor(&self, place: Place, speaker: Speaker) -> Result<(UserId, ChannelId), StoreError> {
        let now = self.clock.now();
        let origin = Origin::of_api(place, speaker);
        let settled = self
            .db
            .write(move |tx| Box::pin(async move { settle(tx, &origin, None, newcomer(&origin), now).await }));
        settled.await.map(|(user, channel)| (user.id, channel.id))
    }

    /// Begins a run that is not a chat message's.
    pub fn start(&self, work: Work) {
        self.runs.start(work);
    }
}

/// As [`IngressService::looks`], where these are the people whom each platform's channel answers.
///
/// # Errors
/// The store's.
pub async fn looks(
    conn: &mut Conn,
    audiences: &BTreeMap<Platform, Audience>,
    user: UserId,
    role: UserRole,
) -> Result<bool, StoreError> {
    // No account of an owner is shut out.
    if role == UserRole::Owner {
        return Ok(true);
    }
    let accounts = users::identities(conn, user).await?;
    let accounts: Vec<_> = accounts
        .iter()
        .filter_map(|account| Some((account.platform.parse().ok()?, account.platform_user_id.as_str())))
        .collect();
    Ok(access::looks(role, &accounts, |platform| audiences.get(&platform)))
}

/// The content that came with a sender's key: the same key with another content is a mistake.
pub(super) fn hash_of(
    text: &str,
    context: Option<ContextId>,
    mode: Option<Mode>,
    files: &[&str],
    reply_to: Option<MessageId>,
) -> String {
    let mut sent = vec![json!(text), json!(context), json!(mode), json!(files)];
    sent.extend(reply_to.map(|answered| json!(answered)));
    clifford_vault::hash(&json!(sent).to_string())
}

/// A message with this key has come to this place before.
pub(super) async fn is_repeat(tx: &mut Tx, place: &Place, key: &str) -> Result<bool, StoreError> {
    let Some(channel) = channels::by_place(tx, place.platform, &place.external_id).await? else {
        return Ok(false);
    };
    Ok(messages::keyed(tx, channel.id, key).await?.is_some())
}
