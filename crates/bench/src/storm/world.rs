//! The platforms of a storm, with the people and rooms of its plan.

use std::{
    collections::HashMap,
    sync::Arc,
    time::{Duration, Instant},
};

use anyhow::Context;
use clifford_fakes::{
    discord::{self, DiscordFake},
    site::{Answer, SiteFake},
    telegram::{self, Chat, TelegramFake},
};
use tokio::sync::broadcast;

use super::{
    marks,
    plan::{Gateway, Plan, Platform, Shape},
};

/// The first Telegram id of a person, and of a group.
const PERSON: i64 = 1_000;
const GROUP: i64 = 500_000;
/// Where the time in Discord's ids begins, in milliseconds since 1970.
const DISCORD_EPOCH: u64 = 1_420_070_400_000;

/// The text of a message that ends each process which works on it.
pub const DEADLY: &str = "a killing text";

/// Pages that would take all memory or the whole stack of whoever reads them.
fn hostile_pages() -> [(&'static str, String); 3] {
    [
        ("/less", "<".repeat(600_000)),
        ("/deep", "<div>".repeat(60_000)),
        ("/tables", "<table><td>".repeat(40_000)),
    ]
}

/// The platforms and everybody on them.
pub struct World {
    /// Telegram.
    pub telegram: TelegramFake,
    /// Discord.
    pub discord: DiscordFake,
    /// A website.
    pub site: SiteFake,
    rooms: Vec<Door>,
    accounts: Vec<u64>,
}

/// A room as its platform knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Door {
    Telegram(i64),
    Discord(u64),
}

/// A message of the bot somewhere.
#[derive(Clone, Debug)]
pub struct Word {
    /// In which room; `None`: in one that is none of the plan's.
    pub room: Option<usize>,
    /// The resource.
    pub text: String,
    /// When.
    pub at: Instant,
    /// Telegram took it, and the bot was not told.
    pub answer_lost: bool,
}

/// Hears the bot speak, to know when to go on.
pub struct Ears {
    telegram: broadcast::Receiver<Arc<telegram::Sent>>,
    discord: broadcast::Receiver<Arc<(u64, discord::Sent)>>,
}

impl World {
    /// Makes everybody and every room.
    ///
    /// # Errors
    /// There is no free port.
    pub async fn new(plan: &Plan) -> anyhow::Result<Self> {
        let telegram = TelegramFake::start()
            .await
            .context("the fake of Telegram cannot be started")?;
        let discord = DiscordFake::start().await;
        // Every start identifies anew; what is measured here is not how the bot saves them.
        discord.identifies_left(1_000_000, Duration::from_secs(86_400));
        let site = SiteFake::start().await.context("the website cannot be started")?;
        for (path, page) in hostile_pages() {
            site.put(path, Answer::html(&page));
        }
        let mut accounts = HashMap::new();
        let mut rooms = Vec::new();
        for (place, room) in plan.rooms.iter().enumerate() {
            let number = i64::try_from(place)?;
            let door = match (room.platform, room.shared) {
                (Platform::Telegram, false) => {
                    let id = PERSON + number;
                    telegram.user(id, &format!("Person {number}"));
                    accounts.insert(room.members[0], id.unsigned_abs());
                    Door::Telegram(id)
                }
                (Platform::Telegram, true) if place % 2 == 0 => {
                    Door::Telegram(telegram.group(-GROUP - number, "Group").id)
                }
                (Platform::Telegram, true) => Door::Telegram(
                    telegram
                        .supergroup(-1_000_000_000_000 - GROUP - number, "Supergroup")
                        .id,
                ),
                (Platform::Discord, false) => {
                    let user = discord.user(&format!("person{number}"));
                    accounts.insert(room.members[0], user);
                    Door::Discord(discord.dm(user))
                }
                (Platform::Discord, true) => {
                    let guild = discord.guild(&format!("Server {number}"));
                    Door::Discord(discord.channel(guild, "talk"))
                }
            };
            rooms.push(door);
        }
        let people = accounts.len();
        let accounts = (0..people)
            .filter_map(|person| accounts.get(&person).copied())
            .collect();
        Ok(Self {
            telegram,
            discord,
            site,
            rooms,
            accounts,
        })
    }

    /// The addresses of the website's pages.
    pub fn pages(&self) -> Vec<String> {
        let pages = hostile_pages();
        pages.iter().map(|(path, _)| self.site.url(path)).collect()
    }

    /// Somebody says a message of the plan.
    pub fn say(&self, plan: &Plan, number: usize) {
        let said = &plan.messages[number];
        let account = self.accounts[said.person];
        let mark = marks::question(number);
        let text = match (said.shape, plan.rooms[said.room].platform) {
            (Shape::Vast, Platform::Telegram) => format!("{mark}?{}", " and more".repeat(420)),
            (Shape::Vast, Platform::Discord) => format!("{mark}?{}", " and more".repeat(205)),
            (Shape::Deadly, _) => format!("{mark}? {DEADLY}"),
            // A person who gives an address themselves is not asked whether it may be read.
            (Shape::Page, _) => {
                let pages = self.pages();
                format!("{mark}? {}", pages[number % pages.len()])
            }
            _ => format!("{mark}?"),
        };
        let shared = plan.rooms[said.room].shared;
        match self.rooms[said.room] {
            Door::Telegram(id) => {
                let name = if shared {
                    format!("@{} ", TelegramFake::USERNAME)
                } else {
                    String::new()
                };
                let person = i64::try_from(account).unwrap_or_default();
                self.telegram
                    .user_says(Chat { id, thread: None }, person, &format!("{name}{text}"));
            }
            Door::Discord(channel) => {
                let name = if shared {
                    format!("<@{}> ", self.discord.bot())
                } else {
                    String::new()
                };
                self.discord.user_says(channel, account, &format!("{name}{text}"));
            }
        }
    }

    /// The platform answers the answer to a message with errors of its own, or does not any more.
    pub fn refuse(&self, plan: &Plan, number: usize, refuses: bool) {
        let mark = marks::start_of_answer(number);
        match plan.rooms[plan.messages[number].room].platform {
            Platform::Telegram => {
                let fault = refuses.then_some(telegram::Fault::Server(500));
                self.telegram.fail_text(&mark, fault);
            }
            Platform::Discord => self.discord.fail_text(&mark, refuses.then_some(500)),
        }
    }

    /// Something happens to the connections to Discord's gateway.
    pub fn gateway(&self, what: Gateway) {
        match what {
            Gateway::Dropped => self.discord.disconnect(),
            Gateway::Closed => self.discord.close(4000),
            Gateway::Reconnect => self.discord.request_reconnect(),
            Gateway::Invalid => self.discord.invalidate_session(false),
        }
    }

    /// Hears what is said from now on.
    pub fn ears(&self) -> Ears {
        Ears {
            telegram: self.telegram.subscribe(),
            discord: self.discord.subscribe(),
        }
    }

    /// All that the bot said anywhere.
    pub fn words(&self) -> Vec<Word> {
        let places: HashMap<_, _> = self
            .rooms
            .iter()
            .enumerate()
            .map(|(place, door)| (*door, place))
            .collect();
        let on_telegram = self.telegram.all_sent().into_iter().map(|sent| Word {
            room: places.get(&Door::Telegram(sent.chat.id)).copied(),
            text: sent.text,
            at: sent.at,
            answer_lost: sent.answer_lost,
        });
        let (now, now_ms) = (Instant::now(), self.discord.now_ms());
        let on_discord = self.discord.all_sent().into_iter().map(|(channel, sent)| Word {
            room: places.get(&Door::Discord(channel)).copied(),
            text: sent.content,
            // An id carries its time.
            at: now - Duration::from_millis(now_ms.saturating_sub((sent.id >> 22) + DISCORD_EPOCH)),
            answer_lost: false,
        });
        on_telegram.chain(on_discord).collect()
    }

    /// The messages that Telegram still holds for the bot.
    pub fn not_taken(&self) -> Vec<usize> {
        let waiting = self.telegram.waiting();
        waiting
            .iter()
            .flat_map(|update| marks::questions(update["message"]["text"].as_str().unwrap_or_default()))
            .collect()
    }

    /// Acts of the bot that a careful bot does not do.
    pub fn violations(&self) -> Vec<String> {
        [self.telegram.violations(), self.discord.violations()].concat()
    }
}

impl Ears {
    /// The messages since the last time, as text.
    pub fn heard(&mut self) -> Vec<String> {
        let mut texts = Vec::new();
        loop {
            match self.telegram.try_recv() {
                Ok(sent) => texts.push(sent.text.clone()),
                Err(broadcast::error::TryRecvError::Lagged(_)) => {}
                Err(_) => break,
            }
        }
        loop {
            match self.discord.try_recv() {
                Ok(sent) => texts.push(sent.1.content.clone()),
                Err(broadcast::error::TryRecvError::Lagged(_)) => {}
                Err(_) => break,
            }
        }
        texts
    }
}
