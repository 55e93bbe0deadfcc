//! Settings of a channel hold in its threads and topics too, until one of them says otherwise.

use clifford_core::messages::Direction;
use clifford_fakes::telegram::Chat;

use super::{mention, setups};
use crate::harness::{Bot, Setup, Site};

/// A channel with a thread of it.
struct Room {
    site: Site,
    ada: u64,
    channel: u64,
    thread: u64,
    forum: Option<(Chat, Chat)>,
}

impl Room {
    fn new(bot: &Bot, site: Site) -> Self {
        let forum = (site == Site::Telegram).then(|| {
            bot.telegram.user(7, "Ada");
            let forum = bot.telegram.forum(-1_001_234, "Team");
            (forum, bot.telegram.topic(forum, "Rockets"))
        });
        let (ada, channel, thread) = match site {
            Site::Discord => {
                let channel = bot.discord.channel(bot.discord.guild("Home"), "general");
                (bot.discord.user("Ada"), channel, bot.discord.thread(channel, "Rockets"))
            }
            _ => (7, 0, 1),
        };
        Self {
            site,
            ada,
            channel,
            thread,
            forum,
        }
    }

    fn chat(&self, place: u64) -> Option<Chat> {
        let (forum, topic) = self.forum?;
        Some(if place == self.thread { topic } else { forum })
    }

    fn says(&self, bot: &Bot, place: u64, text: &str) {
        match self.chat(place) {
            Some(chat) => bot.telegram.user_says(chat, 7, text),
            None => i64::try_from(bot.discord.user_says(place, self.ada, text)).unwrap_or_default(),
        };
    }

    fn asks(&self, bot: &Bot, place: u64, text: &str) {
        let text = match self.site {
            Site::Discord => mention(bot, text),
            _ => format!("@clifford_bot {text}"),
        };
        self.says(bot, place, &text);
    }

    async fn answers(&self, bot: &Bot, place: u64, count: usize) -> Vec<String> {
        match self.chat(place) {
            Some(chat) => {
                let sent = bot.telegram.wait_for_sent(chat, count).await;
                sent.into_iter().map(|sent| sent.text).collect()
            }
            None => super::said(bot, place, count).await,
        }
    }
}

fn everywhere() -> impl Iterator<Item = (Site, Setup)> {
    Site::BOTH
        .into_iter()
        .flat_map(|site| setups(site).map(move |setup| (site, setup)))
}

#[tokio::test]
async fn what_is_set_for_a_channel_holds_in_its_threads_until_they_say_otherwise() {
    for (site, setup) in everywhere() {
        let mut bot = setup.start().await;
        let room = Room::new(&bot, site);
        room.asks(&bot, room.channel, "hello");
        room.answers(&bot, room.channel, 1).await;
        let look = bot.look().await;
        let channel = look.channels().await.remove(0);
        look.set(&channel.id.to_string(), "speaks", "always").await;
        look.set(&channel.id.to_string(), "persona", "Talk like a pirate.")
            .await;
        room.says(&bot, room.thread, "nobody was addressed");
        let told = room.answers(&bot, room.thread, 1).await;
        assert_eq!(told, ["You said: [Ada] nobody was addressed"], "{site:?}");
        let last = bot.model.requests().pop().unwrap();
        assert!(last.body.to_string().contains("Talk like a pirate."), "{site:?}");
        // The thread is another matter from now on; the channel is as it was.
        let thread = look.channels().await.into_iter();
        let thread = thread
            .filter(|one| one.parent_id == Some(channel.id))
            .collect::<Vec<_>>();
        assert_eq!(thread.len(), 1, "{site:?}");
        look.set(&thread[0].id.to_string(), "speaks", "never").await;
        room.asks(&bot, room.thread, "unheard");
        room.asks(&bot, room.channel, "heard");
        let told = room.answers(&bot, room.channel, 2).await;
        assert_eq!(told[1], "You said: [Ada] heard", "{site:?}");
        bot.finish().await;
        assert_eq!(look.messages(Direction::Inbound).await.len(), 3, "{site:?}");
        let listed = bot
            .command(&["settings", "list", &format!("channel:{}", thread[0].id)])
            .await;
        assert!(listed.contains("Talk like a pirate."), "{listed}");
    }
}

#[tokio::test]
async fn a_channel_that_was_turned_off_is_off_with_its_threads() {
    for (site, setup) in everywhere() {
        let mut bot = setup.start().await;
        let room = Room::new(&bot, site);
        room.asks(&bot, room.thread, "hello");
        room.answers(&bot, room.thread, 1).await;
        // Nothing was said in the channel itself, and it is known all the same.
        let look = bot.look().await;
        let channels = look.channels().await;
        let parent = channels.iter().find_map(|one| one.parent_id).unwrap().to_string();
        bot.command(&["channels", "disable", &parent]).await;
        room.asks(&bot, room.thread, "unheard");
        room.asks(&bot, room.channel, "unheard");
        let private = bot.room(site, 7, "Ada");
        bot.says(private, "heard");
        bot.answers(private, 1).await;
        bot.finish().await;
        let inbound = look.messages(Direction::Inbound).await;
        assert_eq!(inbound.len(), 2, "{site:?}: {inbound:?}");
        let channels = look.channels().await;
        let of_team: Vec<_> = channels.iter().filter(|one| one.space_id.is_some()).collect();
        assert!(
            of_team.len() == 2 && of_team.iter().all(|one| one.is_turned_off()),
            "{site:?}: {of_team:?}"
        );
    }
}

#[tokio::test]
async fn whoever_may_speak_in_a_channel_may_in_its_threads_and_always_is_always() {
    let mut bot = Setup::on(Site::Discord)
        .set("channels.discord.access", "allowlist")
        .prepare()
        .await;
    let room = Room::new(&bot, Site::Discord);
    let list = || toml::Value::from(vec![room.channel.to_string()]);
    bot.configure("channels.discord.allow", list());
    bot.configure("channels.discord.always", list());
    bot.start().await;
    let other = bot.discord.channel(bot.discord.guild("Elsewhere"), "general");
    let elsewhere = bot.discord.thread(other, "Boats");
    room.asks(&bot, elsewhere, "unheard");
    room.says(&bot, room.thread, "nobody was addressed");
    let told = room.answers(&bot, room.thread, 1).await;
    bot.finish().await;
    assert_eq!(told, ["You said: [Ada] nobody was addressed"]);
    assert!(bot.discord.sent(elsewhere).is_empty());
}

#[tokio::test]
async fn a_channels_limit_of_messages_counts_those_in_its_threads() {
    let limits: toml::Table = "limits = [{ scope = \"channel\", per = \"hour\", messages = 2 }]"
        .parse()
        .unwrap();
    for (site, setup) in everywhere() {
        let mut bot = setup.set("ingress.limits", limits["limits"].clone()).start().await;
        let room = Room::new(&bot, site);
        room.asks(&bot, room.channel, "one");
        room.answers(&bot, room.channel, 1).await;
        room.asks(&bot, room.thread, "two");
        room.answers(&bot, room.thread, 1).await;
        room.asks(&bot, room.thread, "three");
        let told = room.answers(&bot, room.thread, 2).await;
        bot.finish().await;
        let enough = "I have answered as much here as I may for now. Please try again in 30 minutes.";
        assert_eq!(told[1], enough, "{site:?}");
    }
}
