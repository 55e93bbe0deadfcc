//! The chat's server: rooms in memory, and events that come again until they are confirmed.

use std::{
    collections::{BTreeMap, VecDeque},
    sync::{Arc, Mutex, MutexGuard},
    time::Duration,
};

use serde_json::{Value, json};
use tokio::{
    io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines},
    net::{
        TcpListener, TcpStream,
        tcp::{OwnedReadHalf, OwnedWriteHalf},
    },
    sync::watch,
    time::timeout,
};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

/// How long anything may take before a test gives up.
const PATIENCE: Duration = Duration::from_secs(60);
/// The private room of the only person, and their account.
pub const ROOM: &str = "5";
const ADA: &str = "7";

/// A chat's server; it ends when it is dropped.
pub struct Server {
    shared: Arc<Shared>,
    address: String,
    stop: CancellationToken,
}

#[derive(Default)]
struct Shared {
    chat: Mutex<Chat>,
    changed: watch::Sender<()>,
}

#[derive(Default)]
struct Chat {
    /// The events that were not confirmed yet.
    events: VecDeque<Value>,
    said: u64,
    /// Keys of what was sent, with the ids that were given.
    keys: BTreeMap<String, String>,
    received: Vec<Value>,
    typings: usize,
    pinned: Vec<String>,
    /// How often a bot was welcomed to receive.
    welcomes: usize,
    violations: Vec<String>,
}

impl Server {
    pub const TOKEN: &str = "token-of-the-socket";

    pub async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("tcp://{}", listener.local_addr().unwrap());
        let (shared, stop) = (Arc::<Shared>::default(), CancellationToken::new());
        let (tasks, all, token) = (TaskTracker::new(), Arc::clone(&shared), stop.clone());
        TaskTracker::new().spawn(stop.clone().run_until_cancelled_owned(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let visit = visit(stream, Arc::clone(&all));
                tasks.spawn(token.clone().run_until_cancelled_owned(visit));
            }
        }));
        Self { shared, address, stop }
    }

    /// Where it listens: `tcp://127.0.0.1:…`.
    pub fn api_url(&self) -> &str {
        &self.address
    }

    /// The person writes, or presses a button: `text` or `press`.
    pub fn says(&self, what: &str, words: &str) {
        let mut chat = self.shared.lock();
        chat.said += 1;
        let (n, id) = (chat.said, format!("m{}", chat.said));
        let from = json!({ "id": ADA, "name": "Ada" });
        chat.events
            .push_back(json!({ "n": n, "room": ROOM, "private": true, "from": from, "id": id, "at": n, what: words }));
        drop(chat);
        self.shared.changed.send_replace(());
    }

    /// The bot's messages to the person.
    pub fn received(&self) -> Vec<Value> {
        self.shared.lock().received.clone()
    }

    /// The texts of that.
    pub fn texts(&self) -> Vec<String> {
        let text = |sent: &Value| sent["text"].as_str().unwrap().to_owned();
        self.received().iter().map(text).collect()
    }

    /// Waits for so many texts.
    pub async fn wait_for(&self, count: usize) -> Vec<String> {
        self.until("texts", |chat| chat.received.len() >= count).await;
        self.texts()
    }

    /// Waits until a bot receives.
    pub async fn connected(&self) {
        self.until("a bot", |chat| chat.welcomes > 0).await;
    }

    pub fn typings(&self) -> usize {
        self.shared.lock().typings
    }

    /// The messages that were pinned.
    pub fn pinned(&self) -> Vec<String> {
        self.shared.lock().pinned.clone()
    }

    pub fn unconfirmed(&self) -> usize {
        self.shared.lock().events.len()
    }

    pub fn violations(&self) -> Vec<String> {
        self.shared.lock().violations.clone()
    }

    async fn until(&self, what: &str, happened: impl Fn(&Chat) -> bool) {
        let mut changed = self.shared.changed.subscribe();
        let waiting = async {
            while !happened(&self.shared.lock()) {
                changed.changed().await.unwrap();
            }
        };
        let waited = timeout(PATIENCE, waiting).await;
        assert!(waited.is_ok(), "waited in vain for {what}: {:?}", self.texts());
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Chat> {
        self.chat.lock().unwrap()
    }
}

type Ears = Lines<BufReader<OwnedReadHalf>>;

/// One connection, to its end; `None`: the bot hung up, as it may at any time.
async fn visit(stream: TcpStream, shared: Arc<Shared>) -> Option<()> {
    let (read, mut out) = stream.into_split();
    let mut ears = BufReader::new(read).lines();
    let hello = line(&mut ears).await?;
    if hello["hello"]["token"] != Server::TOKEN {
        return say(&mut out, &json!({ "refused": "there is no such token" })).await;
    }
    say(&mut out, &json!({ "welcome": "clifford" })).await?;
    if hello["hello"]["receive"] == true {
        shared.lock().welcomes += 1;
        shared.changed.send_replace(());
        return hand_out(&mut ears, &mut out, &shared).await;
    }
    let asked = line(&mut ears).await?;
    let answer = shared.lock().answer(&asked);
    shared.changed.send_replace(());
    say(&mut out, &answer).await
}

/// Hands out each event, and the next when it is confirmed.
async fn hand_out(ears: &mut Ears, out: &mut OwnedWriteHalf, shared: &Shared) -> Option<()> {
    let mut changed = shared.changed.subscribe();
    loop {
        let next = shared.lock().events.front().cloned();
        let Some(event) = next else {
            tokio::select! {
                told = changed.changed() => told.ok()?,
                // Nothing is to be said while there is nothing to confirm.
                said = line(ears) => shared.lock().violations.push(format!("said unasked: {}", said?)),
            }
            continue;
        };
        say(out, &event).await?;
        let confirmed = line(ears).await?;
        let mut chat = shared.lock();
        if confirmed["confirm"] == event["n"] {
            chat.events.pop_front();
        } else {
            chat.violations.push(format!("not confirmed by {confirmed}: {event}"));
        }
        drop(chat);
        shared.changed.send_replace(());
    }
}

impl Chat {
    fn answer(&mut self, asked: &Value) -> Value {
        if asked["typing"] == ROOM {
            self.typings += 1;
            return json!({ "shown": true });
        }
        if let Some(message) = asked["pin"]["message"].as_str() {
            if asked["pin"]["by"] != ADA {
                return json!({ "forbidden": "only those in the room pin" });
            }
            self.pinned.push(message.to_owned());
            return json!({ "pinned": true });
        }
        let sent = &asked["send"];
        let (Some(key), Some(text)) = (sent["key"].as_str(), sent["text"].as_str()) else {
            self.violations.push(format!("nothing that is known: {asked}"));
            return json!({ "rejected": "nothing that is known" });
        };
        if sent["room"] != ROOM {
            return json!({ "gone": "there is no such room" });
        }
        if text.encode_utf16().count() > 1_000 {
            self.violations.push("a text that is too long".to_owned());
            return json!({ "rejected": "too long" });
        }
        if let Some(id) = self.keys.get(key) {
            return json!({ "sent": id });
        }
        let id = format!("b{}", self.received.len() + 1);
        self.keys.insert(key.to_owned(), id.clone());
        self.received.push(sent.clone());
        json!({ "sent": id })
    }
}

async fn line(ears: &mut Ears) -> Option<Value> {
    let line = ears.next_line().await.ok()??;
    serde_json::from_str(&line).ok()
}

async fn say(out: &mut OwnedWriteHalf, line: &Value) -> Option<()> {
    out.write_all(format!("{line}\n").as_bytes()).await.ok()
}
