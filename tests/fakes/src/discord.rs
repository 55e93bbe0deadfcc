//! Discord on 127.0.0.1: the REST API and the gateway, for tests of a bot.
//!
//! [`DiscordFake`] is what a test holds: it lets people speak, reads what the bot sent, and makes Discord
//! misbehave. Everything here is immediate; what the bot does is waited for by `wait_for…`.

mod checks;
mod commands;
mod components;
mod error;
mod files;
mod gate;
mod gateway;
mod ids;
mod interactions;
mod json;
mod messages;
mod moods;
mod people;
mod places;
mod reactions;
mod rest;
mod rights;
mod state;
mod watch;

use std::{
    collections::{BTreeMap, HashMap, VecDeque},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use axum::{
    response::{IntoResponse, Response},
    serve::ListenerExt,
};
use serde_json::Value;
use tokio::{
    net::TcpListener,
    sync::{broadcast, watch as signal},
};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

pub use self::rights::permission;
use self::{
    error::Refusal,
    ids::Clock,
    state::{GatewaySettings, Room, State},
};

/// Discord, as a bot sees it. It ends when it is dropped.
#[derive(Debug)]
pub struct DiscordFake {
    shared: Shared,
    address: String,
}

/// A REST route.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Route {
    /// `GET /gateway`
    Gateway,
    /// `GET /gateway/bot`
    GatewayBot,
    /// `GET /users/@me`
    Me,
    /// `GET /applications/@me`
    Application,
    /// `GET …/commands`
    ReadCommands,
    /// `PUT …/commands`
    PutCommands,
    /// `POST /channels/{id}/messages`
    SendMessage,
    /// `GET /channels/{id}/messages`
    ReadMessages,
    /// `GET /channels/{id}/messages/{id}`
    ReadMessage,
    /// `PATCH /channels/{id}/messages/{id}`
    EditMessage,
    /// `DELETE /channels/{id}/messages/{id}`
    DeleteMessage,
    /// `GET /channels/{id}`
    ReadChannel,
    /// `POST /channels/{id}/typing`
    Typing,
    /// `POST /users/@me/channels`
    OpenDm,
    /// `POST /interactions/{id}/{token}/callback`
    Acknowledge,
    /// `PATCH /webhooks/{application}/{token}/messages/@original`
    EditOriginal,
    /// `GET /webhooks/{application}/{token}/messages/@original`
    ReadOriginal,
    /// `DELETE /webhooks/{application}/{token}/messages/@original`
    DeleteOriginal,
    /// `POST /webhooks/{application}/{token}`
    FollowUp,
    /// `GET /guilds/{id}`
    ReadGuild,
    /// `GET /guilds/{id}/members/{id}`
    ReadMember,
    /// `PUT` or `DELETE /channels/{id}/messages/pins/{id}`
    Pin,
    /// `PUT` or `DELETE /channels/{id}/messages/{id}/reactions/{emoji}/@me`
    React,
    /// `POST …/threads`
    BeginThread,
    /// `POST /attachments/refresh-urls`
    RefreshUrls,
}

impl Route {
    /// Interactions carry their token in the path.
    fn needs_token(self) -> bool {
        !matches!(
            self,
            Self::Acknowledge | Self::EditOriginal | Self::ReadOriginal | Self::FollowUp | Self::Gateway
        )
    }

    fn is_limited(self) -> bool {
        self != Self::Acknowledge
    }
}

/// The fault of one request.
#[derive(Clone, Copy, Debug)]
pub enum Fault {
    /// 429, nothing is taken.
    TooMany {
        /// The values of `retry_after` and `Retry-After`.
        retry_after: Duration,
        /// For all routes, or for this bucket only.
        global: bool,
    },
    /// This status, without a body; nothing is taken.
    Status(u16),
    /// The answer comes, but only after this time.
    Slow(Duration),
    /// The connection breaks before the request is taken.
    DropBefore,
    /// The request is taken, then the connection breaks before the answer is read.
    DropAfter,
}

/// A message that the bot sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sent {
    /// Its id.
    pub id: u64,
    /// Its text.
    pub content: String,
    /// Its nonce.
    pub nonce: Option<String>,
    /// The message that it answers.
    pub reply_to: Option<u64>,
    /// Its files.
    pub files: Vec<SentFile>,
    /// The buttons below it: what stands on each, and its custom id.
    pub buttons: Vec<(String, String)>,
    /// The style of each.
    pub styles: Vec<u64>,
    /// The pings: ids of users, `@everyone`, `@here`.
    pub pinged: Vec<String>,
    /// The text before each of its edits, and when that edit came.
    pub before: Vec<(String, Instant)>,
}

/// A file that the bot sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SentFile {
    /// Its name.
    pub name: String,
    /// Its content; the fake knows text files only.
    pub content: String,
}

#[derive(Clone, Debug)]
struct Shared(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    state: Mutex<State>,
    changes: signal::Sender<()>,
    /// Every message that the bot sends, and where.
    outgoing: broadcast::Sender<Arc<(u64, Sent)>>,
    stop: CancellationToken,
    tasks: TaskTracker,
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets everybody who waits look again.
    fn changed(&self) {
        self.0.changes.send_replace(());
    }

    async fn stopped(&self) {
        self.0.stop.cancelled().await;
    }

    /// Answers with a refusal, and keeps it if only a mistake can bring it about.
    fn refuse(&self, state: &mut State, refusal: Refusal) -> Response {
        if refusal.is_violation() {
            state.violation(format!("{}: {} {:?}", refusal.code, refusal.message, refusal.errors));
        }
        refusal.into_response()
    }

    fn open_dm(&self, user: u64) -> Option<Value> {
        let mut state = self.state();
        let recipient = state.users.get(&user)?.clone();
        let known = state
            .channels
            .values()
            .find(|room| room.json["recipients"][0]["id"] == recipient["id"]);
        if let Some(room) = known {
            return Some(room.json.clone());
        }
        let id = state.clock.snowflake();
        let json = json::dm(id, &recipient);
        state.channels.insert(id, Room::new(json.clone(), None));
        Some(json)
    }
}

impl Room {
    fn new(json: Value, guild: Option<u64>) -> Self {
        Self {
            json,
            guild,
            messages: BTreeMap::new(),
            sent: Vec::new(),
            typings: 0,
            refuses: None,
            lacks: 0,
        }
    }

    fn refusal(&self) -> Option<Refusal> {
        self.refuses
            .map(|(status, code, message)| Refusal::new(status, code, message))
    }
}

impl DiscordFake {
    /// The token that the fake takes.
    pub const TOKEN: &str = "fake-discord-token";

    /// Starts listening.
    ///
    /// # Panics
    /// If the machine has no free port: a test cannot go on without one.
    #[expect(clippy::expect_used, reason = "a test cannot go on without a port")]
    pub async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("the listener's address").to_string();
        let inner = Inner {
            state: Mutex::new(State::new(format!("ws://{address}/gateway"))),
            changes: signal::Sender::new(()),
            outgoing: broadcast::Sender::new(1 << 16),
            stop: CancellationToken::new(),
            tasks: TaskTracker::new(),
        };
        let shared = Shared(Arc::new(inner));
        let router = rest::router(shared.clone());
        let stop = shared.0.stop.clone();
        // Without it a small frame waits for the acknowledgement of the one before.
        let listener = listener.tap_io(|io| drop(io.set_nodelay(true)));
        shared.0.tasks.spawn(async move {
            tokio::select! {
                () = stop.cancelled() => {}
                _ = axum::serve(listener, router) => {}
            }
        });
        Self { shared, address }
    }

    /// The stand-in for `https://discord.com`.
    pub fn api_url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Acts of the client that a client must not do.
    pub fn violations(&self) -> Vec<String> {
        self.shared.state().violations.clone()
    }

    /// The bot's user id.
    pub fn bot(&self) -> u64 {
        self.shared.state().bot
    }

    /// The id of the bot's application.
    pub fn application(&self) -> u64 {
        self.shared.state().application
    }

    /// Lets this time pass at once, for what expires.
    pub fn advance(&self, by: Duration) {
        self.shared.state().clock.advance(by);
    }

    /// The fake's time, in milliseconds since 1970.
    pub fn now_ms(&self) -> u64 {
        self.shared.state().clock.now_ms()
    }

    /// The next request for this route goes wrong.
    pub fn fail_next(&self, route: Route, fault: Fault) {
        self.shared.state().faults.push_back((route, fault, None));
    }

    /// The same, if a request comes within this time: later ones meet no fault.
    pub fn fail_within(&self, time: Duration, route: Route, fault: Fault) {
        let until = Instant::now() + time;
        self.shared.state().faults.push_back((route, fault, Some(until)));
    }

    /// A new message that holds these words is answered with this status, until `None` is set.
    pub fn fail_text(&self, words: &str, status: Option<u16>) {
        let mut state = self.shared.state();
        state.poison.retain(|(known, _)| known != words);
        state.poison.extend(status.map(|status| (words.to_owned(), status)));
    }

    /// Every bucket of this route lets `limit` requests through in `window`.
    pub fn limit(&self, route: Route, limit: u32, window: Duration) {
        self.shared.state().limits.insert(route, (limit, window));
    }

    /// How many requests there were for this route.
    pub fn requests(&self, route: Route) -> usize {
        self.shared.state().hits.get(&route).copied().unwrap_or(0)
    }
}

impl Drop for DiscordFake {
    fn drop(&mut self) {
        self.shared.0.stop.cancel();
    }
}

impl State {
    fn new(ws_url: String) -> Self {
        let mut clock = Clock::default();
        let (bot, application) = (clock.snowflake(), clock.snowflake());
        Self {
            token: DiscordFake::TOKEN.to_owned(),
            clock,
            ws_url,
            bot,
            application,
            users: HashMap::from([(bot, json::user(bot, "Clifford", true))]),
            guilds: BTreeMap::new(),
            channels: BTreeMap::new(),
            nonces: HashMap::new(),
            interactions: HashMap::new(),
            locales: HashMap::new(),
            commands: HashMap::new(),
            sessions: HashMap::new(),
            gateway: GatewaySettings {
                withholds_guilds: false,
                heartbeat: Duration::from_millis(41_250),
                acknowledges: true,
                message_content: true,
                identifies_left: 1_000,
                reset_after: Duration::from_secs(86_400),
                open: true,
                identifies: 0,
                resumes: 0,
                heartbeats: 0,
                swap: false,
                shards: 1,
                concurrency: 1,
                buckets: None,
            },
            faults: VecDeque::new(),
            poison: Vec::new(),
            limits: HashMap::new(),
            buckets: HashMap::new(),
            hits: HashMap::new(),
            violations: Vec::new(),
            rights: state::Rights::default(),
            marks: Vec::new(),
            files: files::Files::default(),
        }
    }
}
