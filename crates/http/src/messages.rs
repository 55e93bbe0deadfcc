//! Messages: sent to the bot, and listed.

use std::time::Duration;

use axum::{Json, extract::State, http::StatusCode};
use clifford_chat::platform::Platform;
use clifford_core::{
    id::{ChannelId, ContextId, MessageId, RunId},
    places::Mode,
    runs::{Run, RunStatus},
};
use clifford_engine::events::Sight;
use clifford_ingress::{ApiMessage, ApiRefusal};
use clifford_store::{
    StoreError,
    messages::{self, Message},
    runs::{self as store_runs, tree as run_tree},
};
use serde::Deserialize;
use tokio::time::Instant;

use super::{
    Shared,
    accepted::Accepted,
    access::{Caller, Need, Reader, Writer},
    channels, commands, contexts,
    extract::{Body, Query, check_text},
    files, handler,
    pace::LONGEST,
    page::{self, Page},
    problem::{Code, Problem, ProblemBody},
    runs,
};

/// How long a caller may ask to wait.
pub(super) const LONGEST_WAIT: Duration = Duration::from_secs(300);
/// How often a message that waits for its turn is looked at.
const LOOK: Duration = Duration::from_millis(100);
/// How often a run that another process works on is looked at.
const LOOK_AT_RUN: Duration = Duration::from_millis(250);
/// How many messages stand behind the one that a page is around.
const BEHIND: u32 = 10;
/// The most files with one message.
const MOST_FILES: usize = 10;
/// Longest key against storing a message twice.
pub(super) const KEY: usize = 200;

/// A message to the bot.
#[derive(Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct NewMessage {
    /// A web channel; left out: the conversation's, or the caller's own. A private conversation of the caller's from
    /// another platform goes on in their own channel.
    #[schema(value_type = Option<String>)]
    channel_id: Option<ChannelId>,
    /// The conversation to continue; left out: the active one of the channel.
    #[schema(value_type = Option<String>)]
    context_id: Option<ContextId>,
    /// The text. A command of the bot (`/help`, `/new`) is carried out as in every chat, without a run; another text that
    /// begins with `/` is a text. With files it may be empty.
    #[schema(max_length = 1_048_576)]
    content: String,
    /// The message of the channel that it answers.
    #[schema(value_type = Option<String>)]
    reply_to: Option<MessageId>,
    /// Files to go with it.
    #[serde(default)]
    file_ids: Vec<String>,
    /// The caller's own voice, recorded and uploaded: what is said in it is their message, and `content` may be empty.
    /// It needs a model that transcribes speech (`hears` of `GET /api/me`).
    voice: Option<files::Voice>,
    /// How it is answered; left out: as its channel does. With it, a command is a text.
    mode: Option<Mode>,
    /// The caller's own key: a repeat with the same key stores nothing.
    #[schema(max_length = 200)]
    idempotency_key: Option<String>,
    /// It is a text, whatever it looks like.
    #[serde(skip)]
    is_text: bool,
}

impl NewMessage {
    /// The command that it is.
    fn command(&self) -> Option<commands::Given> {
        let is_text = self.is_text || self.mode.is_some() || self.voice.is_some() || !self.file_ids.is_empty();
        commands::read(&self.content).filter(|_| !is_text)
    }

    /// A text, said in a conversation or in the caller's own channel.
    pub(super) fn of_text(context: Option<ContextId>, content: String) -> Self {
        Self {
            channel_id: None,
            context_id: context,
            content,
            reply_to: None,
            file_ids: Vec::new(),
            voice: None,
            mode: None,
            idempotency_key: None,
            is_text: true,
        }
    }
}

/// The run of a message, and what it says, as a caller hears it.
pub(super) struct Listener {
    api: Shared,
    message: MessageId,
    deadline: Instant,
    /// How many of its messages were heard.
    heard: usize,
}

/// What a listener hears.
pub(super) struct Heard {
    /// The run, as it is now.
    pub run: Run,
    /// The messages that are new.
    pub said: Vec<String>,
    /// Nothing follows before somebody acts: it has ended, or asks something. Or the time is over.
    pub is_all: bool,
}

impl Listener {
    pub(super) fn new(api: &Shared, message: MessageId, wait: Duration) -> Self {
        Self {
            api: api.clone(),
            message,
            deadline: Instant::now() + wait,
            heard: 0,
        }
    }

    /// Whether it has heard anything.
    pub(super) const fn has_heard(&self) -> bool {
        self.heard > 0
    }

    /// The next messages of the run, once there are any or nothing follows; `None`: there is no run yet when the time is
    /// over.
    pub(super) async fn next(&mut self) -> Result<Option<Heard>, StoreError> {
        let api = &self.api;
        let left = || self.deadline.saturating_duration_since(Instant::now());
        let Some(id) = run_of(api, self.message, self.deadline).await? else {
            return Ok(None);
        };
        let mut events = api.context.events.watch(id, Sight::Progress);
        loop {
            let is_over = left().is_zero();
            let mut conn = api.db.read().await?;
            let run = store_runs::get(&mut conn, id).await?;
            let run = run.ok_or_else(|| StoreError::NotFound(format!("run {id}")))?;
            let asks =
                run.asks() || run.status == RunStatus::Waiting && run_tree::asks(&mut conn, run.root_run_id).await?;
            // What is said with that is there before.
            let said = messages::messages_of_run(&mut conn, id).await?;
            drop(conn);
            let is_all = is_over || asks || run.status.is_ended();
            if is_all || said.len() > self.heard {
                let new = said.into_iter().skip(self.heard).map(|message| message.content);
                let said: Vec<_> = new.collect();
                self.heard += said.len();
                return Ok(Some(Heard { run, said, is_all }));
            }
            // An event is only a reason to look sooner; what counts is the row.
            tokio::time::timeout(LOOK_AT_RUN.min(left()), events.next()).await.ok();
        }
    }
}

/// How long to wait.
#[derive(Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct Wait {
    /// Seconds to wait for the answer, at most 300.
    wait: Option<u64>,
}

/// Stores a message and creates its run. With `wait`, waits for the run's end. A command is answered at once.
#[utoipa::path(post, path = "/api/messages", tag = "messages", security(("bearer" = [])), params(Wait),
    request_body = NewMessage,
    responses((status = 202, body = Accepted, description = "Stored; the run goes on"),
        (status = 200, body = Accepted, description = "The run has ended while the caller waited, or a command was answered"),
        (status = 403, body = ProblemBody, description = "The token may not give this command"),
        (status = 404, body = ProblemBody), (status = 409, body = ProblemBody),
        (status = 422, body = ProblemBody, description = "Something is wrong with it, or its key belongs to another message"),
        (status = 429, body = ProblemBody, description = "A person's token sends too many in a minute")))]
#[handler]
pub(super) async fn create(
    State(api): State<Shared>,
    _: Writer,
    caller: Caller,
    Query(Wait { wait }): Query<Wait>,
    Body(new): Body<NewMessage>,
) -> Result<(StatusCode, Json<Accepted>), Problem> {
    let wait = Duration::from_secs(wait.unwrap_or(0));
    if wait > LONGEST_WAIT {
        let detail = format!("at most {} seconds", LONGEST_WAIT.as_secs());
        return Err(Problem::new(Code::InvalidQuery, detail).of_field("wait"));
    }
    let (status, accepted) = accept(&api, &caller, new, wait).await?;
    Ok((status, Json(accepted)))
}

/// Stores a message and creates its run, or answers its command, for a caller who may write.
///
/// # Errors
/// Fails where something is wrong with the message.
pub(super) async fn accept(
    api: &Shared,
    caller: &Caller,
    new: NewMessage,
    wait: Duration,
) -> Result<(StatusCode, Accepted), Problem> {
    check(&new)?;
    let channel = match (new.channel_id, new.context_id) {
        (None, Some(context)) => going_on(api, caller, context).await?,
        (channel, Some(context)) => {
            going_on(api, caller, context).await?;
            channel
        }
        (channel, None) => channel,
    };
    let place = channels::place(api, caller, channel).await?;
    if let Some(given) = new.command() {
        let sent = commands::Sent {
            place,
            text: new.content,
            key: new.idempotency_key,
            context: new.context_id,
        };
        let accepted = commands::answer(api, caller, given, sent).await?;
        return Ok((accepted.code(), accepted));
    }
    let earlier = match &new.idempotency_key {
        Some(key) if !new.file_ids.is_empty() || new.voice.is_some() => api.ingress.api_earlier(&place, key).await?,
        _ => None,
    };
    let mut files = files::attachments(api, caller, &new.file_ids, earlier).await?;
    if let Some(voice) = &new.voice {
        files.insert(0, files::store_voice(api, caller, voice, earlier).await?);
    }
    let message = ApiMessage {
        place,
        speaker: caller.speaker(),
        text: match new.is_text {
            true => new.content,
            false => commands::asked(new.content),
        },
        key: new.idempotency_key,
        context: new.context_id,
        mode: new.mode,
        reply_to: new.reply_to,
        files,
        is_limited: caller.only().is_some(),
    };
    let stored = api.ingress.api_message(message).await?;
    let waited = if wait.is_zero() {
        None
    } else {
        tokio::select! {
            run = wait_for_answer(api, stored.message, wait) => run?,
            () = api.stop.cancelled() => None,
        }
    };
    let run = match (waited, stored.run) {
        (None, Some(run)) => Some(runs::one(api, run).await?),
        (waited, _) => waited,
    };
    let mut accepted = Accepted {
        message_id: stored.message,
        run_id: run.as_ref().map(|run| run.id).or(stored.run),
        status: run.as_ref().map_or("queued", |run| run.status.as_str()),
        run: None,
        messages: None,
        buttons: None,
    };
    let ended = run.as_ref().is_some_and(|run| run.status.is_ended());
    if let Some(run) = run.filter(|_| !wait.is_zero()) {
        let said = messages::messages_of_run(&mut api.db.read().await?, run.id).await?;
        accepted.messages = Some(said.into_iter().map(|message| message.content).collect());
        accepted.run = Some(run);
    }
    let status = if ended && !wait.is_zero() {
        StatusCode::OK
    } else {
        StatusCode::ACCEPTED
    };
    Ok((status, accepted))
}

impl From<ApiRefusal> for Problem {
    fn from(refusal: ApiRefusal) -> Self {
        match refusal {
            ApiRefusal::TooFast(wait) => {
                let seconds = wait.as_secs().max(1);
                let detail = format!("{refusal}; try again in {seconds} s");
                Self::new(Code::TooManyMessages, detail).with_retry(seconds)
            }
            ApiRefusal::KeyReused => {
                let detail = "another message came with this key; take a new key for another content";
                Self::new(Code::KeyReused, detail).of_field("idempotencyKey")
            }
            ApiRefusal::NotHeard | ApiRefusal::NotEdited(_) => Self::new(Code::WrongState, refusal.to_string()),
            ApiRefusal::NothingToAnswer(_) => Self::input("replyTo", refusal.to_string()),
            ApiRefusal::Store(error) => error.into(),
        }
    }
}

/// The channel of a conversation that the caller goes on with; `None`: one of their own, in private on another platform.
async fn going_on(api: &Shared, caller: &Caller, context: ContextId) -> Result<Option<ChannelId>, Problem> {
    let context = contexts::allowed(api, caller, Need::Change, context).await?;
    let is_own = context.space_id.is_none() && context.user_id.is_some() && context.user_id == caller.own(api).await?;
    if is_own {
        let channel = channels::one(api, context.channel_id).await?;
        if channel.platform().map_err(StoreError::Corrupt)? != Platform::WEB {
            return Ok(None);
        }
    }
    Ok(Some(context.channel_id))
}

fn check(new: &NewMessage) -> Result<(), Problem> {
    let says_without_words = new.voice.is_some() || !new.file_ids.is_empty();
    if !says_without_words || !new.content.trim().is_empty() {
        check_text("content", &new.content, LONGEST)?;
    }
    if let Some(key) = &new.idempotency_key {
        check_text("idempotencyKey", key, KEY)?;
    }
    if new.file_ids.len() > MOST_FILES {
        return Err(Problem::input("fileIds", format!("at most {MOST_FILES} files")));
    }
    Ok(())
}

/// The run of a message, as it is at its end or when the time is over; `None`: it has none yet.
async fn wait_for_answer(api: &Shared, message: MessageId, wait: Duration) -> Result<Option<Run>, StoreError> {
    let deadline = Instant::now() + wait;
    let Some(run) = run_of(api, message, deadline).await? else {
        return Ok(None);
    };
    let left = deadline.saturating_duration_since(Instant::now());
    api.runs.wait_for_end(run, left).await.map(Some)
}

/// The run of a message, once it has one; `None`: it has none when the time is over.
async fn run_of(api: &Shared, message: MessageId, deadline: Instant) -> Result<Option<RunId>, StoreError> {
    loop {
        let message = messages::get(&mut api.db.read().await?, message).await?;
        let left = deadline.saturating_duration_since(Instant::now());
        match message.and_then(|message| message.run_id) {
            Some(run) => return Ok(Some(run)),
            None if left.is_zero() => return Ok(None),
            None => tokio::time::sleep(LOOK.min(left)).await,
        }
    }
}

/// Which messages.
#[derive(Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub(super) struct MessagesQuery {
    /// Only of this channel.
    #[param(value_type = Option<String>)]
    channel_id: Option<ChannelId>,
    /// Only of this conversation, with the questions of its runs.
    #[param(value_type = Option<String>)]
    context_id: Option<ContextId>,
    /// Only older than this one.
    #[param(value_type = Option<String>)]
    before: Option<MessageId>,
    /// Messages up to this one of the conversation, and a few behind it; with `contextId`, and in place of `before`.
    #[param(value_type = Option<String>)]
    around: Option<MessageId>,
    /// How many on a page, at most 200.
    limit: Option<u32>,
}

/// A page of messages, newest first.
#[utoipa::path(get, path = "/api/messages", tag = "messages", security(("bearer" = [])), params(MessagesQuery),
    responses((status = 200, body = Page<Message>), (status = 400, body = ProblemBody)))]
#[handler]
pub(super) async fn list(
    State(api): State<Shared>,
    _: Reader,
    caller: Caller,
    Query(wanted): Query<MessagesQuery>,
) -> Result<Json<Page<Message>>, Problem> {
    let limit = page::limit(wanted.limit)?;
    if let Some(channel) = wanted.channel_id {
        caller.sees_channel(&api, channel).await?;
    }
    if let Some(context) = wanted.context_id {
        caller.sees_context(&api, context).await?;
    }
    let names_a_place = wanted.channel_id.is_some() || wanted.context_id.is_some();
    let mut conn = api.db.read().await?;
    let before = match (wanted.around, wanted.context_id, wanted.before) {
        (None, _, before) => before,
        (Some(around), Some(context), None) => messages::behind(&mut conn, context, around, BEHIND).await?,
        (Some(_), ..) => {
            let detail = "it goes with `contextId`, and without `before`";
            return Err(Problem::new(Code::InvalidQuery, detail).of_field("around"));
        }
    };
    let found = match caller.only().filter(|_| !names_a_place) {
        Some(user) => messages::private_page(&mut conn, user, before, limit + 1).await?,
        None => messages::page(&mut conn, wanted.channel_id, wanted.context_id, before, limit + 1).await?,
    };
    Ok(Json(Page::of(found, limit, |message| message.id.to_string())))
}
