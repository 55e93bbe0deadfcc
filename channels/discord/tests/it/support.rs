//! A bot that is connected to the fake, and an ingress that records its events.

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering},
    },
    time::Duration,
};

use async_trait::async_trait;
use clifford_channel::{
    Accepted, Address, Channel, ChannelError, Choice, Completion, ConnectionStatus, DeliveryKey, Inbound, Ingress,
    IngressError, Part, Platform, Receipt, SendError, Served,
};
use clifford_discord::{Argument, Discord, DiscordConfig, SlashCommand, Timing};
use clifford_fakes::discord::DiscordFake;
use clifford_text::Localized;
use clifford_vault::Secret;
use jiff::Timestamp;
use tokio::{sync::watch, task::JoinHandle};
use tokio_util::sync::CancellationToken;

/// Longer than anything takes, and no wait for what happens at once.
const PATIENCE: Duration = Duration::from_secs(30);

/// Keeps events, and is unavailable as often as it is told.
pub struct Kept {
    events: Mutex<Vec<Inbound>>,
    statuses: Mutex<Vec<ConnectionStatus>>,
    served: Mutex<Vec<Served>>,
    /// The choices for arguments, and the requests for them.
    pub choices: Mutex<Vec<Choice>>,
    pub asked: Mutex<Vec<Completion>>,
    pub looks_back: AtomicUsize,
    pub unavailable: AtomicUsize,
    pub ignores: bool,
    /// Something else is at work first.
    pub queues: AtomicBool,
    /// The highest age in seconds of what is still answered.
    pub catch_up: AtomicU64,
    changes: watch::Sender<()>,
}

impl Kept {
    pub fn new(ignores: bool) -> Arc<Self> {
        Arc::new(Self {
            events: Mutex::default(),
            statuses: Mutex::default(),
            served: Mutex::default(),
            choices: Mutex::default(),
            asked: Mutex::default(),
            looks_back: AtomicUsize::new(0),
            unavailable: AtomicUsize::new(0),
            ignores,
            queues: AtomicBool::new(false),
            catch_up: AtomicU64::new(u64::MAX),
            changes: watch::Sender::new(()),
        })
    }

    pub fn serve(&self, served: Vec<Served>) {
        *self.served.lock().unwrap() = served;
    }

    pub fn events(&self) -> Vec<Inbound> {
        self.events.lock().unwrap().clone()
    }

    pub fn statuses(&self) -> Vec<ConnectionStatus> {
        self.statuses.lock().unwrap().clone()
    }

    pub async fn wait_for_events(&self, count: usize) -> Vec<Inbound> {
        self.wait_for(|kept| Some(kept.events()).filter(|events| events.len() >= count))
            .await
    }

    /// Waits for `count` messages, and returns their texts.
    pub async fn wait_for_texts(&self, count: usize) -> Vec<String> {
        self.wait_for(|kept| Some(texts(&kept.events())).filter(|texts| texts.len() >= count))
            .await
    }

    pub async fn wait_for<T>(&self, look: impl Fn(&Self) -> Option<T>) -> T {
        let mut changes = self.changes.subscribe();
        let found = tokio::time::timeout(PATIENCE, async {
            loop {
                if let Some(found) = look(self) {
                    return found;
                }
                changes.changed().await.unwrap();
            }
        });
        found
            .await
            .unwrap_or_else(|_| panic!("waited in vain; there are {:#?}", self.events()))
    }
}

pub fn texts(events: &[Inbound]) -> Vec<String> {
    let texts = events.iter().filter_map(|event| match event {
        Inbound::Message(message) => Some(message.text.clone()),
        _ => None,
    });
    texts.collect()
}

#[async_trait]
impl Ingress for Kept {
    async fn accept(&self, event: Inbound) -> Result<Accepted, IngressError> {
        let is_down = self
            .unavailable
            .fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1));
        if is_down.is_ok() {
            return Err(IngressError::Unavailable("told to be".to_owned()));
        }
        self.events.lock().unwrap().push(event);
        self.changes.send_replace(());
        Ok(if self.ignores {
            Accepted::Ignored
        } else if self.queues.load(Ordering::SeqCst) {
            Accepted::Queued
        } else {
            Accepted::Answering
        })
    }

    fn catch_up(&self) -> Duration {
        Duration::from_secs(self.catch_up.load(Ordering::SeqCst))
    }

    async fn complete(&self, asked: Completion) -> Result<Vec<Choice>, IngressError> {
        if self.unavailable.load(Ordering::SeqCst) > 0 {
            return Err(IngressError::Unavailable("told to be".to_owned()));
        }
        if asked.typed == "for ever" {
            std::future::pending::<()>().await;
        }
        self.asked.lock().unwrap().push(asked);
        Ok(self.choices.lock().unwrap().clone())
    }

    async fn served(&self, platform: Platform, _: Duration) -> Result<Vec<Served>, IngressError> {
        assert_eq!(platform, Platform::new("discord"));
        self.looks_back.fetch_add(1, Ordering::SeqCst);
        let served = self.served.lock().unwrap().clone();
        self.changes.send_replace(());
        Ok(served)
    }

    fn status(&self, platform: Platform, status: ConnectionStatus) {
        assert_eq!(platform, Platform::new("discord"));
        self.statuses.lock().unwrap().push(status);
        self.changes.send_replace(());
    }
}

/// A bot, its Discord and what it hands in.
pub struct Bot {
    pub fake: Arc<DiscordFake>,
    pub discord: Arc<Discord>,
    pub kept: Arc<Kept>,
    stop: CancellationToken,
    task: JoinHandle<Result<(), ChannelError>>,
}

pub fn timing() -> Timing {
    Timing {
        // As patient as the slowest machine.
        reorder: Duration::from_millis(100),
        identify_every: Duration::ZERO,
        invalid_session: Duration::ZERO,
        retry: Duration::from_millis(5),
        retry_at_most: Duration::from_millis(50),
        late_every: Duration::from_millis(10),
        attempts: 5,
        ..Timing::default()
    }
}

pub fn config(fake: &Arc<DiscordFake>) -> DiscordConfig {
    let clock = Arc::clone(fake);
    let now = move || Timestamp::from_millisecond(clock.now_ms().try_into().unwrap()).unwrap();
    DiscordConfig {
        commands: vec![
            command("ask", Some(("text", true))),
            command("new", Some(("name", false))),
            command("stop", None),
            SlashCommand {
                personal: true,
                ..command("memory", None)
            },
        ],
        timing: timing(),
        clock: Arc::new(now),
        ..DiscordConfig::new(fake.api_url().into(), Secret::new(DiscordFake::TOKEN))
    }
}

pub fn command(name: &str, argument: Option<(&str, bool)>) -> SlashCommand {
    SlashCommand {
        name: name.to_owned(),
        description: Localized::same(&format!("What {name} does")),
        arguments: argument
            .map(|(name, required)| Argument {
                name: name.to_owned(),
                description: Localized::same(&format!("The {name}")),
                required,
                completes: !required,
                choices: Vec::new(),
            })
            .into_iter()
            .collect(),
        private: false,
        personal: false,
        shared: clifford_channel::ShownTo::default(),
    }
}

impl Bot {
    /// A bot that is connected.
    pub async fn start() -> Self {
        let bot = Self::with(Arc::new(DiscordFake::start().await), Kept::new(false));
        bot.connected().await;
        bot
    }

    pub fn with(fake: Arc<DiscordFake>, kept: Arc<Kept>) -> Self {
        let discord = Arc::new(Discord::new(config(&fake)).unwrap());
        let stop = CancellationToken::new();
        let (receiver, ingress, until) = (Arc::clone(&discord), Arc::clone(&kept), stop.clone());
        #[expect(clippy::disallowed_methods, reason = "`finish` waits for it")]
        let task = tokio::spawn(async move { receiver.receive(ingress, until).await });
        Self {
            fake,
            discord,
            kept,
            stop,
            task,
        }
    }

    /// Waits until the bot knows that it is connected.
    pub async fn connected(&self) {
        self.fake.wait_for_connection().await;
        let looked = |kept: &Kept| (kept.looks_back.load(Ordering::SeqCst) > 0).then_some(());
        self.kept.wait_for(looked).await;
    }

    /// A guild's text channel and a person who is there.
    pub fn channel(&self) -> (u64, u64) {
        let guild = self.fake.guild("Home");
        (self.fake.channel(guild, "general"), self.fake.user("Ada"))
    }

    pub async fn send(&self, to: &Address, text: &str, key: &str) -> Result<Receipt, SendError> {
        self.discord
            .send(to, &text_part(text), &DeliveryKey(key.to_owned()))
            .await
    }

    /// Ends the bot, and asserts that it did nothing that Discord forbids.
    pub async fn finish(self) {
        assert_eq!(self.end().await.map_err(|error| error.to_string()), Ok(()));
    }

    /// Ends the bot; what receiving came to.
    pub async fn end(self) -> Result<(), ChannelError> {
        self.stop.cancel();
        self.ended().await
    }

    /// Waits until receiving ends by itself.
    pub async fn ended(self) -> Result<(), ChannelError> {
        let ended = tokio::time::timeout(PATIENCE, self.task)
            .await
            .expect("receiving ends")
            .unwrap();
        assert_eq!(self.fake.violations(), Vec::<String>::new());
        ended
    }
}

pub fn text_part(text: &str) -> Part {
    Part::Text {
        text: text.to_owned(),
        plain: text.to_owned(),
        rich: None,
        buttons: Vec::new(),
    }
}

pub fn to(channel: u64) -> Address {
    Address {
        place: channel.to_string(),
        private: false,
        reply_to: None,
        via: None,
    }
}
