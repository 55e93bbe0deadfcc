//! The state of the server: chats, people, updates that wait, messages that came.

use std::{
    collections::{BTreeMap, HashMap, VecDeque},
    fmt,
    path::PathBuf,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Instant,
};

use serde_json::Value;
use tokio::sync::{broadcast, watch};

use super::{fault::Faults, guests::Question, limiter::Limiter, webhook::Webhook};

/// A Bot API method that the fake answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Method {
    /// `getMe`.
    GetMe,
    /// `getUpdates`.
    GetUpdates,
    /// `sendMessage`.
    SendMessage,
    /// `sendDocument`.
    SendDocument,
    /// `sendPhoto`.
    SendPhoto,
    /// `sendVoice`.
    SendVoice,
    /// `sendMediaGroup`.
    SendMediaGroup,
    /// `setMessageReaction`.
    SetMessageReaction,
    /// `sendChatAction`.
    SendChatAction,
    /// `editMessageText`.
    EditMessageText,
    /// `setMyCommands`.
    SetMyCommands,
    /// `getMyCommands`.
    GetMyCommands,
    /// `setWebhook`.
    SetWebhook,
    /// `deleteWebhook`.
    DeleteWebhook,
    /// `getWebhookInfo`.
    GetWebhookInfo,
    /// `getChat`.
    GetChat,
    /// `answerCallbackQuery`.
    AnswerCallbackQuery,
    /// `sendMessageDraft`.
    SendMessageDraft,
    /// `getChatMember`.
    GetChatMember,
    /// `pinChatMessage`.
    PinChatMessage,
    /// `unpinChatMessage`.
    UnpinChatMessage,
    /// `deleteMessage`.
    DeleteMessage,
    /// `sendPoll`.
    SendPoll,
    /// `createForumTopic`.
    CreateForumTopic,
    /// `editForumTopic`.
    EditForumTopic,
    /// `getFile`.
    GetFile,
    /// `sendRichMessage`.
    SendRichMessage,
    /// `answerGuestQuery`.
    AnswerGuestQuery,
}

impl Method {
    const ALL: [Self; 28] = [
        Self::GetMe,
        Self::GetUpdates,
        Self::SendMessage,
        Self::SendDocument,
        Self::SendPhoto,
        Self::SendVoice,
        Self::SendMediaGroup,
        Self::SetMessageReaction,
        Self::SendChatAction,
        Self::EditMessageText,
        Self::SetMyCommands,
        Self::GetMyCommands,
        Self::SetWebhook,
        Self::DeleteWebhook,
        Self::GetWebhookInfo,
        Self::GetChat,
        Self::AnswerCallbackQuery,
        Self::SendMessageDraft,
        Self::GetChatMember,
        Self::PinChatMessage,
        Self::UnpinChatMessage,
        Self::DeleteMessage,
        Self::SendPoll,
        Self::CreateForumTopic,
        Self::EditForumTopic,
        Self::GetFile,
        Self::SendRichMessage,
        Self::AnswerGuestQuery,
    ];

    /// The method of this name; case does not matter, as on Telegram.
    pub(super) fn named(name: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|method| method.to_string().eq_ignore_ascii_case(name))
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self:?}")
    }
}

/// A chat, or a topic of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Chat {
    /// Telegram's id of the chat. That of a private chat is the id of its user.
    pub id: i64,
    /// The topic's thread id; `None` for a chat without topics and for the General topic.
    pub thread: Option<i64>,
}

/// A message that the bot sent.
#[derive(Clone, Debug, PartialEq)]
pub struct Sent {
    /// `SendMessage`, `SendRichMessage`, `SendDocument`, `SendPhoto`, `SendVoice`, `SendMediaGroup` or
    /// `AnswerGuestQuery`.
    pub method: Method,
    /// Where it was sent to.
    pub chat: Chat,
    /// The id that it got.
    pub message_id: i64,
    /// The text (or caption) as people see it.
    pub text: String,
    /// The text as the bot sent it.
    pub raw: String,
    /// How the bot asked it to be parsed.
    pub parse_mode: Option<String>,
    /// The entities made of the markup.
    pub entities: Vec<Value>,
    /// The message that it answers.
    pub reply_to: Option<i64>,
    /// The file that came with it.
    pub document: Option<Document>,
    /// The album that it is in.
    pub album: Option<String>,
    /// The buttons below it: what stands on each, and the data behind it.
    pub buttons: Vec<(String, String)>,
    /// The style of each; empty: the app's own.
    pub styles: Vec<String>,
    /// How often it was edited.
    pub edits: u32,
    /// When the server took it.
    pub at: Instant,
    /// The connection broke before the bot was told that it was taken.
    pub answer_lost: bool,
    /// The one person who sees it, if nobody else does.
    pub only_for: Option<i64>,
    /// Its id in a chat that the bot is no member of.
    pub inline_id: Option<String>,
}

/// A file that the bot sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Document {
    /// Its file name.
    pub name: String,
    /// Its content.
    pub content: Vec<u8>,
}

/// A chat action that the bot showed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Action {
    /// Where.
    pub chat: Chat,
    /// Which, such as `typing`.
    pub action: String,
}

/// How far an answer had come when the bot showed it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Drafted {
    /// Where.
    pub chat: Chat,
    /// Which draft.
    pub draft_id: i64,
    /// In which topic.
    pub thread: Option<i64>,
    /// Its text as people see it.
    pub text: String,
    /// Whether a button below it stops the answer.
    pub can_stop: bool,
    /// When it came.
    pub at: Instant,
}

/// A request as it came.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// Which method.
    pub method: Method,
    /// Its parameters; files are left out.
    pub params: Value,
}

/// The kind of a chat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ChatKind {
    Private,
    Group,
    Supergroup,
    Forum,
}

/// Why a chat takes nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Closed {
    Blocked,
    Kicked,
    Deactivated,
    /// The bot was never a member.
    Foreign,
    MovedTo(i64),
}

/// One chat.
#[derive(Debug)]
pub(super) struct Room {
    pub(super) kind: ChatKind,
    pub(super) title: String,
    pub(super) closed: Option<Closed>,
    pub(super) topics: BTreeMap<i64, String>,
    pub(super) messages: HashMap<i64, Value>,
    pub(super) last_message: i64,
}

/// One person.
#[derive(Clone, Debug)]
pub(super) struct Person {
    pub(super) id: i64,
    pub(super) name: String,
    pub(super) username: String,
    pub(super) language: String,
}

/// A button that was pressed.
#[derive(Clone, Debug, Default)]
pub(super) struct Query {
    /// The update's payload.
    pub(super) payload: Value,
    /// How often a poll returned it.
    pub(super) deliveries: u32,
    pub(super) answers: u32,
    /// The notice for the person who pressed alone.
    pub(super) told: Option<String>,
    /// Telegram takes no answer any more.
    pub(super) expired: bool,
}

/// A file that somebody sent.
#[derive(Clone, Debug)]
pub(super) struct Kept {
    pub(super) path: String,
    pub(super) content: Vec<u8>,
    pub(super) size: usize,
}

/// Members and pins.
#[derive(Debug, Default)]
pub(super) struct Rights {
    /// Each member's standing: chat, person, and the fields of `ChatMember`.
    pub(super) members: Vec<(i64, i64, Value)>,
    /// Each pin: its chat and message.
    pub(super) pins: Vec<(i64, i64)>,
    /// Each deleted message: its chat and id.
    pub(super) deleted: Vec<(i64, i64)>,
    /// Each poll: its chat, question and answers.
    pub(super) polls: Vec<(i64, String, Vec<String>)>,
}

/// Everything behind the one lock.
#[derive(Debug)]
pub(super) struct State {
    pub(super) rooms: HashMap<i64, Room>,
    pub(super) people: HashMap<i64, Person>,
    pub(super) updates: VecDeque<(i64, Value)>,
    pub(super) next_update: i64,
    pub(super) next_message: i64,
    pub(super) next_album: u64,
    pub(super) allowed: Vec<String>,
    pub(super) webhook: Option<Webhook>,
    /// How many deliveries come again although they were taken.
    pub(super) repeats: u32,
    /// The directory of a server in local mode.
    pub(super) local_dir: Option<PathBuf>,
    pub(super) polls: u64,
    pub(super) sent: Vec<Sent>,
    pub(super) actions: Vec<Action>,
    pub(super) drafts: Vec<Drafted>,
    pub(super) requests: Vec<Request>,
    /// Menus, by scope and language: names and descriptions.
    pub(super) commands: BTreeMap<(String, String), Vec<(String, String)>>,
    /// Commands that nobody else sees: scope and name.
    pub(super) commands_alone: Vec<(String, String)>,
    pub(super) violations: Vec<String>,
    pub(super) queries: HashMap<String, Query>,
    pub(super) rights: Rights,
    /// The bot has topics in private chats.
    pub(super) has_topics: bool,
    /// Topics that nobody named: chat and thread.
    pub(super) untitled: Vec<(i64, i64)>,
    /// The bot's reactions, the newest last: chat, message and emoji.
    pub(super) marks: Vec<(i64, i64, String)>,
    /// The reactions of people as they stand, by chat, person and message.
    pub(super) reacted: HashMap<(i64, i64, i64), Vec<Value>>,
    /// Messages to the bot that nobody else sees: chat and person.
    pub(super) alone: Vec<(i64, i64)>,
    /// Questions from chats that the bot is no member of, by id.
    pub(super) guests: HashMap<String, Question>,
    /// People's files, by id.
    pub(super) files: HashMap<String, Kept>,
    pub(super) faults: Faults,
    pub(super) limiter: Option<Limiter>,
    pub(super) recording: bool,
}

impl Default for State {
    fn default() -> Self {
        Self {
            rooms: HashMap::new(),
            people: HashMap::new(),
            updates: VecDeque::new(),
            next_update: 700_000_001,
            next_message: 1,
            next_album: 1,
            allowed: Vec::new(),
            webhook: None,
            repeats: 0,
            local_dir: None,
            polls: 0,
            sent: Vec::new(),
            actions: Vec::new(),
            drafts: Vec::new(),
            requests: Vec::new(),
            commands: BTreeMap::new(),
            rights: Rights::default(),
            has_topics: false,
            untitled: Vec::new(),
            marks: Vec::new(),
            reacted: HashMap::new(),
            commands_alone: Vec::new(),
            violations: Vec::new(),
            queries: HashMap::new(),
            alone: Vec::new(),
            guests: HashMap::new(),
            files: HashMap::new(),
            faults: Faults::default(),
            limiter: None,
            recording: true,
        }
    }
}

impl State {
    /// Takes the next message id of a chat: supergroups count for themselves, all other chats share the
    /// bot's counter.
    pub(super) fn take_message_id(&mut self, chat: i64) -> i64 {
        let Some(room) = self.rooms.get_mut(&chat) else {
            panic!("the fake knows no chat {chat}: create it first");
        };
        let id = match room.kind {
            ChatKind::Private | ChatKind::Group => {
                self.next_message += 1;
                self.next_message
            }
            ChatKind::Supergroup | ChatKind::Forum => room.last_message + 1,
        };
        room.last_message = id;
        id
    }

    /// Keeps a message, so that it can be answered and quoted.
    pub(super) fn record(&mut self, chat: i64, id: i64, message: &Value) {
        if self.recording
            && let Some(room) = self.rooms.get_mut(&chat)
        {
            room.messages.insert(id, message.clone());
        }
    }
}

/// The state, and the bells that ring when it changes.
#[derive(Debug)]
pub(super) struct Shared {
    state: Mutex<State>,
    /// Notifies of every change that somebody may wait for.
    pub(super) changed: watch::Sender<()>,
    /// Counts polls: a poll that sees a later one ends with 409.
    pub(super) pollers: watch::Sender<u64>,
    /// Every message that the bot sends.
    pub(super) outgoing: broadcast::Sender<Arc<Sent>>,
}

impl Default for Shared {
    fn default() -> Self {
        Self {
            state: Mutex::default(),
            changed: watch::Sender::new(()),
            pollers: watch::Sender::new(0),
            outgoing: broadcast::Sender::new(1 << 16),
        }
    }
}

impl Shared {
    /// The state. The lock is never held over an `await`.
    pub(super) fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
