//! A world of people and places, and the words known in each.

use std::collections::{BTreeMap, BTreeSet};

use clifford_fakes::telegram::Chat;
use clifford_store::{
    contexts,
    memory::admin::{self as memory_admin, Filter},
};
use proptest::sample::Index;

use super::attacker::{self, Rumours};
use crate::{
    db_probe::DbProbe,
    harness::{Bot, Setup, Site},
};

/// Where somebody is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Spot {
    TelegramPrivate,
    DiscordPrivate,
    /// A Telegram group, a space of its own.
    Group(usize),
    /// A channel of the one server.
    Guild(usize),
}

impl Spot {
    fn is_private(self) -> bool {
        matches!(self, Self::TelegramPrivate | Self::DiscordPrivate)
    }

    fn site(self) -> Site {
        match self {
            Self::TelegramPrivate | Self::Group(_) => Site::Telegram,
            Self::DiscordPrivate | Self::Guild(_) => Site::Discord,
        }
    }

    /// Whether two shared spots are of one space.
    fn is_near(self, other: Self) -> bool {
        match (self, other) {
            (Self::Group(one), Self::Group(two)) => one == two,
            (Self::Guild(_), Self::Guild(_)) => true,
            _ => false,
        }
    }
}

/// The model's behavior when it is spoken to so.
#[derive(Clone, Copy, Debug)]
pub enum How {
    Plainly,
    ToRemember,
    ToSearch,
    ToBrowse,
}

/// A person's act.
#[derive(Clone, Debug)]
pub enum Act {
    Say {
        who: usize,
        spot: Spot,
        how: How,
    },
    Command {
        who: usize,
        spot: Spot,
        name: &'static str,
        argument: &'static str,
    },
    Link {
        who: usize,
    },
    /// Lets one of their items be known everywhere.
    Share {
        who: usize,
        spot: Spot,
        which: Index,
    },
}

/// Where a word was said, by which account.
#[derive(Clone, Copy, Debug)]
struct Origin {
    who: usize,
    spot: Spot,
}

struct Person {
    name: String,
    chat: Chat,
    discord: u64,
    dm: u64,
    linked: bool,
}

pub struct World {
    bot: Bot,
    look: DbProbe,
    people: Vec<Person>,
    groups: Vec<Chat>,
    channels: Vec<u64>,
    said: BTreeMap<String, Origin>,
    /// Words that somebody wrote themselves in a command, by which account.
    written: BTreeSet<(String, usize, Site)>,
    /// Words whose items their people let be known everywhere.
    shared: BTreeSet<String>,
    rumours: Rumours,
    requests: usize,
    /// The bot's messages seen so far, by place.
    seen: BTreeMap<(usize, Spot), usize>,
    /// Answers to slash commands: who gave them where, and what was said.
    replies: Vec<(usize, Spot, String)>,
}

impl World {
    pub async fn begin(people: usize) -> Self {
        let bot = Setup::on(Site::Telegram)
            .and(Site::Discord)
            .set("engine.planning_gate", "off")
            .set("memory.max_turns_per_context", 3)
            .start()
            .await;
        let rumours = Rumours::default();
        let heard = rumours.clone();
        bot.model.respond_with(move |request| attacker::reply(request, &heard));
        let people = (0..people).map(|who| {
            let name = ["Ada", "Bob", "Cleo"][who].to_owned();
            let id = 70 + i64::try_from(who).unwrap();
            let discord = bot.discord.user(&name);
            Person {
                chat: bot.telegram.user(id, &name),
                dm: bot.discord.dm(discord),
                name,
                discord,
                linked: false,
            }
        });
        let people = people.collect();
        let groups = [-1_001_234, -1_005_678]
            .map(|id| bot.telegram.supergroup(id, "Team"))
            .into();
        let guild = bot.discord.guild("Club");
        let channels = ["one", "two"].map(|name| bot.discord.channel(guild, name)).into();
        Self {
            look: bot.look().await,
            bot,
            people,
            groups,
            channels,
            said: BTreeMap::new(),
            written: BTreeSet::new(),
            shared: BTreeSet::new(),
            rumours,
            requests: 0,
            seen: BTreeMap::new(),
            replies: Vec::new(),
        }
    }

    pub async fn play(&mut self, act: Act) {
        match act {
            Act::Say { who, spot, how } => self.say(who, spot, how).await,
            Act::Command {
                who,
                spot,
                name,
                argument,
            } => drop(self.command(who, spot, name, argument).await),
            Act::Link { who } => self.link(who).await,
            Act::Share { who, spot, which } => self.share(who, spot, which).await,
        }
        // Words that stand in place of a shared item may be known everywhere too.
        let mut shareable = self.shareable().await;
        shareable.retain(|word| !self.said[word].spot.is_private());
        self.shared.extend(shareable);
        self.hear_rumours().await;
    }

    async fn say(&mut self, who: usize, spot: Spot, how: How) {
        let word = format!("zq{}", self.said.len() + 1);
        let verb = match how {
            How::Plainly => "tell",
            How::ToRemember => "remember",
            How::ToSearch => "search",
            How::ToBrowse => "browse",
        };
        let text = format!("{verb} {word}");
        self.said.insert(word, Origin { who, spot });
        let before = self.sent(who, spot).len();
        let person = &self.people[who];
        match spot {
            Spot::TelegramPrivate => drop(self.bot.telegram.user_says(person.chat, person.chat.id, &text)),
            Spot::Group(place) => {
                let text = format!("@clifford_bot {text}");
                self.bot.telegram.user_says(self.groups[place], person.chat.id, &text);
            }
            Spot::DiscordPrivate => drop(self.bot.discord.user_says(person.dm, person.discord, &text)),
            Spot::Guild(place) => {
                let text = format!("<@{}> {text}", self.bot.discord.bot());
                self.bot.discord.user_says(self.channels[place], person.discord, &text);
            }
        }
        self.wait_for_sent(who, spot, before + 1).await;
    }

    /// Gives a command, and returns what the bot said to it.
    async fn command(&mut self, who: usize, spot: Spot, name: &str, argument: &str) -> String {
        let written = attacker::words(argument).into_iter();
        self.written.extend(written.map(|word| (word, who, spot.site())));
        let person = &self.people[who];
        let answer = match spot.site() {
            Site::Telegram => {
                let before = self.sent(who, spot).len();
                let chat = self.chat(who, spot);
                self.bot.telegram.command(chat, person.chat.id, name, argument);
                self.wait_for_sent(who, spot, before + 1).await;
                self.sent(who, spot).pop().unwrap()
            }
            Site::Discord => {
                let channel = self.channel(who, spot);
                let options: &[(&str, &str)] = match name {
                    "continue" => &[("conversation", argument)],
                    "share" => &[("key", argument)],
                    "link" if !argument.is_empty() => &[("code", argument)],
                    _ => &[],
                };
                let id = self.bot.discord.interaction(channel, person.discord, name, options);
                self.bot.discord.wait_for_replies(id, 1).await.remove(0).content
            }
        };
        self.replies.push((who, spot, answer.clone()));
        answer
    }

    async fn link(&mut self, who: usize) {
        if self.people[who].linked {
            return;
        }
        let answer = self.command(who, Spot::TelegramPrivate, "link", "").await;
        let code = answer
            .split(|c: char| !c.is_ascii_alphanumeric())
            .find(|word| word.len() == 8 && word.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit()))
            .unwrap_or_else(|| panic!("no code in {answer:?}"))
            .to_owned();
        self.people[who].linked = true;
        let asked = self.command(who, Spot::DiscordPrivate, "link", &code).await;
        let (_, yes) = asked
            .split_once(" yes ")
            .unwrap_or_else(|| panic!("no question in {asked:?}"));
        let yes: String = yes.chars().take_while(char::is_ascii_alphanumeric).collect();
        self.command(who, Spot::DiscordPrivate, "link", &format!("yes {yes}"))
            .await;
    }

    /// Lets what the model was last told to remember be known everywhere, or a word that may be known there.
    async fn share(&mut self, who: usize, spot: Spot, which: Index) {
        let known: Vec<String> = (self.said.keys())
            .filter(|word| self.belongs(word, who, spot))
            .cloned()
            .collect();
        let key = match which.index(2 * known.len() + 1).checked_sub(known.len() + 1) {
            Some(place) => known[place].clone(),
            None => attacker::LAST.to_owned(),
        };
        self.command(who, spot, "share", &key).await;
        let shareable = self.shareable().await;
        self.shared.extend(shareable);
    }

    /// The words of all items that may be known everywhere.
    async fn shareable(&self) -> BTreeSet<String> {
        let all = memory_admin::page(&mut self.look.db.read().await.unwrap(), &Filter::default(), 10_000)
            .await
            .unwrap();
        all.into_iter()
            .filter(|item| item.shareable)
            .flat_map(|item| attacker::words(&item.value))
            .collect()
    }

    /// The model hears of every conversation there is.
    async fn hear_rumours(&self) {
        let all = contexts::page(&mut self.look.db.read().await.unwrap(), None, None, None, 1000)
            .await
            .unwrap();
        *self.rumours.lock().unwrap() = all.into_iter().map(|context| context.id.to_string()).collect();
    }

    pub async fn close_everything(&mut self) {
        for who in 0..self.people.len() {
            for spot in [Spot::TelegramPrivate, Spot::DiscordPrivate] {
                self.command(who, spot, "new", "").await;
            }
        }
        for spot in [Spot::Group(0), Spot::Group(1), Spot::Guild(0), Spot::Guild(1)] {
            self.command(0, spot, "new", "").await;
        }
        self.bot
            .until("the memory writer", async |look| {
                (look.count("jobs WHERE status = 'pending'").await == 0).then_some(())
            })
            .await;
        for who in 0..self.people.len() {
            for spot in [
                Spot::TelegramPrivate,
                Spot::DiscordPrivate,
                Spot::Group(0),
                Spot::Guild(1),
            ] {
                self.say(who, spot, How::ToSearch).await;
            }
        }
    }

    pub async fn end(mut self) {
        self.bot.finish().await;
    }

    /// Whether a word may be known there: where it was said, or anywhere once its item was shared.
    fn fits(&self, word: &str, who: usize, spot: Spot) -> bool {
        self.shared.contains(word) || self.belongs(word, who, spot)
    }

    /// Whether a word may be known to this person in private, by this account.
    fn fits_private(&self, word: &str, who: usize, site: Site) -> bool {
        let by = |account: Site| account == site || self.people[who].linked;
        let wrote = |account: Site| by(account) && self.written.contains(&(word.to_owned(), who, account));
        if wrote(Site::Telegram) || wrote(Site::Discord) {
            return true;
        }
        let origin = self.said[word];
        if origin.spot.is_private() {
            return origin.who == who && by(origin.spot.site());
        }
        // Words in a place where this person spoke too were not hidden from them.
        self.said.values().any(|own| {
            own.who == who && (own.spot == origin.spot || own.spot.is_near(origin.spot)) && by(own.spot.site())
        })
    }

    fn belongs(&self, word: &str, who: usize, spot: Spot) -> bool {
        if spot.is_private() {
            self.fits_private(word, who, spot.site())
        } else {
            let origin = self.said[word].spot;
            origin == spot || origin.is_near(spot)
        }
    }

    /// Looks at every prompt and every answer that came since it last looked.
    pub fn check(&mut self) -> Result<(), String> {
        let requests = self.bot.model.requests();
        for request in &requests[self.requests..] {
            let text = attacker::text(request);
            let known = attacker::words(&text);
            let wrong = match attacker::purpose(request) {
                "memory_operations" | "summary" => self.misfits_of_writer(&known),
                _ => {
                    let input = attacker::payload(request)["input"]
                        .as_str()
                        .unwrap_or_default()
                        .to_owned();
                    let asked = attacker::words(&input).into_iter().next().unwrap_or_default();
                    let Origin { who, spot } = self.said[&asked];
                    self.misfits(&known, who, spot)
                }
            };
            if !wrong.is_empty() {
                return Err(format!("{wrong:?} in the prompt\n{text}\n{:#?}", self.said));
            }
        }
        self.requests = requests.len();
        for who in 0..self.people.len() {
            for spot in [
                Spot::TelegramPrivate,
                Spot::DiscordPrivate,
                Spot::Group(0),
                Spot::Group(1),
                Spot::Guild(0),
                Spot::Guild(1),
            ] {
                let sent = self.sent(who, spot);
                let seen = self.seen.insert((who, spot), sent.len()).unwrap_or(0);
                for text in &sent[seen..] {
                    self.check_answer(who, spot, text)?;
                }
            }
        }
        for (who, spot, text) in std::mem::take(&mut self.replies) {
            self.check_answer(who, spot, &text)?;
        }
        Ok(())
    }

    fn check_answer(&self, who: usize, spot: Spot, text: &str) -> Result<(), String> {
        let wrong = self.misfits(&attacker::words(text), who, spot);
        if wrong.is_empty() {
            Ok(())
        } else {
            Err(format!(
                "{wrong:?} was said to {who} at {spot:?}: {text}\n{:#?}",
                self.said
            ))
        }
    }

    fn misfits(&self, known: &BTreeSet<String>, who: usize, spot: Spot) -> Vec<String> {
        known
            .iter()
            .filter(|word| !self.fits(word, who, spot))
            .cloned()
            .collect()
    }

    /// The memory writer reads for one person in private, or for one space.
    fn misfits_of_writer(&self, known: &BTreeSet<String>) -> Vec<String> {
        let people = (0..self.people.len())
            .flat_map(|who| [(who, Spot::TelegramPrivate), (who, Spot::DiscordPrivate)])
            .chain([(0, Spot::Group(0)), (0, Spot::Group(1)), (0, Spot::Guild(0))]);
        let best = people
            .map(|(who, spot)| self.misfits(known, who, spot))
            .min_by_key(Vec::len);
        best.unwrap_or_default()
    }

    /// Looks at what everybody is handed out of themselves.
    pub async fn check_exports(&self) -> Result<(), String> {
        for (who, person) in self.people.iter().enumerate() {
            let account = format!("telegram:{}", person.chat.id);
            if !self
                .said
                .values()
                .any(|origin| origin.who == who && origin.spot.site() == Site::Telegram)
                && !person.linked
            {
                continue;
            }
            let export = self.bot.command(&["export", &account]).await;
            let wrong = self.misfits(&attacker::words(&export), who, Spot::TelegramPrivate);
            if !wrong.is_empty() {
                return Err(format!(
                    "{wrong:?} in the export of {}\n{export}\n{:#?}",
                    person.name, self.said
                ));
            }
        }
        Ok(())
    }

    fn chat(&self, who: usize, spot: Spot) -> Chat {
        match spot {
            Spot::Group(place) => self.groups[place],
            _ => self.people[who].chat,
        }
    }

    fn channel(&self, who: usize, spot: Spot) -> u64 {
        match spot {
            Spot::Guild(place) => self.channels[place],
            _ => self.people[who].dm,
        }
    }

    fn sent(&self, who: usize, spot: Spot) -> Vec<String> {
        match spot.site() {
            Site::Telegram => {
                let sent = self.bot.telegram.sent(self.chat(who, spot));
                sent.into_iter().map(|sent| sent.text).collect()
            }
            Site::Discord => {
                let sent = self.bot.discord.sent(self.channel(who, spot));
                sent.into_iter().map(|sent| sent.content).collect()
            }
        }
    }

    async fn wait_for_sent(&self, who: usize, spot: Spot, count: usize) {
        match spot.site() {
            Site::Telegram => drop(self.bot.telegram.wait_for_sent(self.chat(who, spot), count).await),
            Site::Discord => drop(self.bot.discord.wait_for_sent(self.channel(who, spot), count).await),
        }
    }
}
