//! Limits of messages by person, role and place: buckets in the database.

use std::{collections::BTreeMap, time::Duration};

use clifford_core::messages::Direction;
use clifford_fakes::{
    discord::DiscordFake,
    telegram::{Chat, Sent},
};
use serde_json::json;

use crate::harness::{Bot, Setup, Site};

fn limit(text: &str) -> toml::Value {
    text.parse::<toml::Table>().unwrap().into()
}

async fn tell(bot: &Bot, chat: Chat, user: i64, text: &str) -> Sent {
    let before = bot.telegram.sent(chat).len();
    bot.telegram.user_says(chat, user, text);
    bot.telegram.wait_for_sent(chat, before + 1).await.remove(before)
}

#[tokio::test]
async fn a_person_over_their_limit_is_told_once_and_usage_tells_what_is_left() {
    for setup in [Some(Setup::on(Site::Telegram)), Setup::on(Site::Telegram).postgres()]
        .into_iter()
        .flatten()
    {
        let limits = vec![limit("scope = 'user'\nmessages = 3\nper = 'day'")];
        let mut bot = setup.set("ingress.limits", toml::Value::Array(limits)).start().await;
        let (ada, bob) = (bot.telegram.user(7, "Ada"), bot.telegram.user(8, "Bob"));
        for text in ["one", "two"] {
            assert_eq!(tell(&bot, ada, 7, text).await.text, format!("You said: {text}"));
        }
        let usage = tell(&bot, ada, 7, "/usage").await.text;
        assert!(usage.contains("messages left for you: 1 of 3 a day"), "{usage}");
        // It holds after a restart, too.
        bot.until("its delivery", async |look| {
            (look.undelivered().await == 0).then_some(())
        })
        .await;
        bot.kill().await;
        bot.start().await;
        assert_eq!(tell(&bot, ada, 7, "three").await.text, "You said: three");
        let refused = tell(&bot, ada, 7, "four").await.text;
        assert!(
            refused.starts_with("You are writing faster than I may answer."),
            "{refused}"
        );
        bot.telegram.user_says(ada, 7, "five");
        bot.telegram.wait_for_confirmed().await;
        assert_eq!(tell(&bot, bob, 8, "hello").await.text, "You said: hello");
        assert_eq!(bot.telegram.sent(ada).len(), 5);
        bot.finish().await;
    }
}

#[tokio::test]
async fn a_message_over_one_limit_takes_nothing_of_the_others() {
    for setup in [Some(Setup::on(Site::Telegram)), Setup::on(Site::Telegram).postgres()]
        .into_iter()
        .flatten()
    {
        let limits = [
            "scope = 'user'\nmessages = 5\nper = 'day'",
            "scope = 'channel'\nmessages = 1\nper = 'day'",
        ];
        let limits: Vec<_> = limits.into_iter().map(limit).collect();
        let mut bot = setup.set("ingress.limits", toml::Value::Array(limits)).start().await;
        let ada = bot.telegram.user(7, "Ada");
        assert_eq!(tell(&bot, ada, 7, "one").await.text, "You said: one");
        let refused = tell(&bot, ada, 7, "two").await.text;
        assert!(
            refused.starts_with("I have answered as much here as I may"),
            "{refused}"
        );
        bot.telegram.user_says(ada, 7, "three");
        bot.telegram.wait_for_confirmed().await;
        let usage = tell(&bot, ada, 7, "/usage").await.text;
        assert!(usage.contains("messages left for you: 4 of 5 a day"), "{usage}");
        bot.finish().await;
    }
}

/// A message that says that its author writes too fast.
fn is_notice(sent: &Sent) -> bool {
    sent.text.starts_with("You are writing faster than I may answer.")
}

/// Waits until all runs have ended, and all that they say is delivered.
async fn quiet(bot: &Bot) {
    bot.telegram.wait_for_confirmed().await;
    bot.until("the runs to end", async |look| {
        let ended = look.runs().await.iter().all(|run| run.status.is_ended());
        (ended && look.undelivered().await == 0).then_some(())
    })
    .await;
}

#[tokio::test]
async fn who_floods_is_told_once_and_keeps_nobody_waiting() {
    for setup in [Some(Setup::on(Site::Telegram)), Setup::on(Site::Telegram).postgres()]
        .into_iter()
        .flatten()
    {
        let mut bot = setup.set("ingress.user_messages_per_minute", 60).start().await;
        let (ada, bob) = (bot.telegram.user(7, "Ada"), bot.telegram.user(8, "Bob"));
        for number in 0..400 {
            bot.telegram.user_says(ada, 7, &format!("flood {number}"));
        }
        assert_eq!(tell(&bot, bob, 8, "hello").await.text, "You said: hello");
        quiet(&bot).await;
        let sent = bot.telegram.sent(ada);
        let notices = sent.iter().filter(|sent| is_notice(sent)).count();
        // A slow machine may need more than the minute for which they were told.
        assert!((1..=3).contains(&notices), "{notices}");
        let stored = bot.look().await.messages(Direction::Inbound).await.len();
        assert!((61..=61 + 120).contains(&stored), "{stored}");
        assert!(sent.len() - notices < stored && bot.model.request_count() <= stored);
        bot.finish().await;
    }
}

#[tokio::test]
async fn who_floods_a_group_silences_nobody_else_there() {
    let setup = Setup::on(Site::Telegram).set("ingress.user_messages_per_minute", 20);
    let mut bot = setup.start().await;
    bot.telegram.user(7, "Ada");
    bot.telegram.user(8, "Bob");
    let group = bot.telegram.supergroup(-1_001_234, "Team");
    for number in 0..200 {
        bot.telegram
            .user_says(group, 7, &format!("@clifford_bot flood {number}"));
    }
    bot.telegram.user_says(group, 8, "@clifford_bot hello");
    bot.telegram
        .wait_until("Bob's answer", |fake| {
            let mut sent = fake.sent(group).into_iter();
            sent.find(|sent| sent.text.contains("[Bob] hello"))
        })
        .await;
    quiet(&bot).await;
    let notices = bot.telegram.sent(group).iter().filter(|sent| is_notice(sent)).count();
    assert!((1..=3).contains(&notices), "{notices}");
    bot.finish().await;
}

#[tokio::test]
async fn a_role_and_a_group_have_limits_of_their_own() {
    let limits = vec![
        limit("scope = 'user'\nmessages = 1\nper = 'hour'"),
        limit("scope = 'user'\nmessages = 100\nper = 'hour'\nplatform_roles = ['administrator']"),
        limit("scope = 'space'\nmessages = 4\nper = 'hour'"),
    ];
    let setup = Setup::on(Site::Telegram).set("ingress.limits", toml::Value::Array(limits));
    let mut bot = setup.start().await;
    bot.telegram.user(7, "Ada");
    bot.telegram.user(8, "Bob");
    let group = bot.telegram.supergroup(-1_001_234, "Team");
    bot.telegram.standing(group, 7, json!({ "status": "administrator" }));
    let said = async |user: i64, text: &str| tell(&bot, group, user, &format!("@clifford_bot {text}")).await.text;
    assert_eq!(said(8, "one").await, "You said: [Bob] one");
    let refused = "You are writing faster than I may answer. Please try again in 60 minutes.";
    assert_eq!(said(8, "two").await, refused);
    assert_eq!(said(7, "three").await, "You said: [Ada] three");
    assert_eq!(said(7, "four").await, "You said: [Ada] four");
    assert_eq!(said(7, "five").await, "You said: [Ada] five");
    // The group has had its four answers.
    let refused = "I have answered as much here as I may for now. Please try again in 15 minutes.";
    assert_eq!(said(7, "six").await, refused);
    bot.finish().await;
}

#[tokio::test]
async fn how_many_messages_a_minute_have_come_is_known_after_a_kill() {
    for setup in [Some(Setup::on(Site::Telegram)), Setup::on(Site::Telegram).postgres()]
        .into_iter()
        .flatten()
    {
        let mut bot = setup.set("ingress.user_messages_per_minute", 1).start().await;
        let (ada, bob) = (bot.telegram.user(7, "Ada"), bot.telegram.user(8, "Bob"));
        assert_eq!(tell(&bot, ada, 7, "one").await.text, "You said: one");
        bot.until("its delivery", async |look| {
            (look.undelivered().await == 0).then_some(())
        })
        .await;
        bot.kill().await;
        bot.start().await;
        let refused = tell(&bot, ada, 7, "two").await.text;
        assert!(
            refused.starts_with("You are writing faster than I may answer."),
            "{refused}"
        );
        // Stopping is always let in.
        assert_eq!(tell(&bot, ada, 7, "/stop").await.text, "There is nothing to stop.");
        assert_eq!(tell(&bot, bob, 8, "hello").await.text, "You said: hello");
        bot.finish().await;
    }
}

#[tokio::test]
async fn a_person_over_the_messages_of_a_minute_is_told_once_though_the_process_was_killed() {
    for setup in [Some(Setup::on(Site::Telegram)), Setup::on(Site::Telegram).postgres()]
        .into_iter()
        .flatten()
    {
        let mut bot = setup.set("ingress.user_messages_per_minute", 2).start().await;
        let (ada, bob) = (bot.telegram.user(7, "Ada"), bot.telegram.user(8, "Bob"));
        let restart = async |bot: &mut Bot| {
            bot.until("its delivery", async |look| {
                (look.undelivered().await == 0).then_some(())
            })
            .await;
            bot.kill().await;
            bot.start().await;
        };
        // Ada is told by the row that all processes share, and then goes over the count of the new process as well.
        for text in ["one", "two"] {
            assert_eq!(tell(&bot, ada, 7, text).await.text, format!("You said: {text}"));
        }
        restart(&mut bot).await;
        assert!(
            tell(&bot, ada, 7, "three")
                .await
                .text
                .starts_with("You are writing faster")
        );
        for text in ["four", "five", "six"] {
            bot.telegram.user_says(ada, 7, text);
        }
        // Bob is told by the count of his process, and then meets the row.
        for text in ["one", "two"] {
            assert_eq!(tell(&bot, bob, 8, text).await.text, format!("You said: {text}"));
        }
        assert!(
            tell(&bot, bob, 8, "three")
                .await
                .text
                .starts_with("You are writing faster")
        );
        assert_eq!(bot.telegram.sent(ada).len(), 3);
        restart(&mut bot).await;
        bot.telegram.user_says(bob, 8, "/usage");
        bot.telegram.user_says(bob, 8, "four");
        bot.telegram.wait_for_confirmed().await;
        assert_eq!(tell(&bot, bob, 8, "/stop").await.text, "There is nothing to stop.");
        assert_eq!((bot.telegram.sent(ada).len(), bot.telegram.sent(bob).len()), (3, 4));
        bot.finish().await;
    }
}

#[tokio::test]
async fn a_limit_holds_over_all_processes() {
    let Some(setup) = Setup::on(Site::Discord).postgres() else {
        return;
    };
    let limits = vec![limit("scope = 'user'\nmessages = 3\nper = 'hour'")];
    let setup = setup.set("ingress.limits", toml::Value::Array(limits));
    let mut bot = setup.set("channels.discord.shards", "0/2").prepare().await;
    bot.discord.advises(2, 2);
    let ada = bot.discord.user("Ada");
    let mut channels = BTreeMap::new();
    while channels.len() < 2 {
        // The next millisecond is another shard's.
        bot.discord.advance(Duration::from_millis(1));
        let guild = bot.discord.guild("Server");
        let channel = bot.discord.channel(guild, "talk");
        channels.entry((guild >> 22) % 2).or_insert(channel);
    }
    // Each process hears one of the servers.
    bot.spawn(None);
    let first = |fake: &DiscordFake| (fake.shards() == [0]).then_some(());
    bot.discord.wait_for("the first process", first).await;
    bot.configure("channels.discord.shards", "1/2");
    bot.spawn(None);
    let both = |fake: &DiscordFake| (fake.shards() == [0, 1]).then_some(());
    bot.discord.wait_for("both processes", both).await;
    let says = async |shard: u64, text: &str| {
        let channel = channels[&shard];
        let before = bot.discord.sent(channel).len();
        bot.discord
            .user_says(channel, ada, &format!("<@{}> {text}", bot.discord.bot()));
        let mut sent = bot.discord.wait_for_sent(channel, before + 1).await;
        sent.remove(before).content
    };
    for (shard, text) in [(0, "one"), (1, "two"), (0, "three")] {
        assert_eq!(says(shard, text).await, format!("You said: [Ada] {text}"));
    }
    let refused = "You are writing faster than I may answer. Please try again in 20 minutes.";
    assert_eq!(says(1, "four").await, refused);
    // She was told there, and is not told again by the other process.
    let before = bot.discord.sent(channels[&0]).len();
    bot.discord
        .user_says(channels[&0], ada, &format!("<@{}> five", bot.discord.bot()));
    let bob = bot.discord.user("Bob");
    bot.discord
        .user_says(channels[&0], bob, &format!("<@{}> hello", bot.discord.bot()));
    let sent = bot.discord.wait_for_sent(channels[&0], before + 1).await;
    assert_eq!(sent[before].content, "You said: [Bob] hello");
    bot.finish().await;
    assert_eq!(bot.discord.sent(channels[&0]).len(), before + 1);
}

/// How many messages of people are stored.
async fn stored(bot: &Bot, count: usize) {
    bot.until("the messages to be stored", async |look| {
        (look.messages(Direction::Inbound).await.len() == count).then_some(())
    })
    .await;
}

#[tokio::test]
async fn on_telegram_what_comes_late_at_once_counts_when_it_was_said() {
    for setup in [Some(Setup::on(Site::Telegram)), Setup::on(Site::Telegram).postgres()]
        .into_iter()
        .flatten()
    {
        let mut bot = setup.set("ingress.user_messages_per_minute", 2).start().await;
        let ada = bot.telegram.user(7, "Ada");
        let began = jiff::Timestamp::now().as_second() - 3_600;
        for number in 0..8 {
            let said = json!({"text": format!("late {number}"), "date": began + 60 * number});
            bot.telegram.user_sends(ada, 7, said);
        }
        stored(&bot, 8).await;
        // Faster than that it is as ever.
        for number in 0..3 {
            let said = json!({"text": format!("at once {number}"), "date": began + 1_800});
            bot.telegram.user_sends(ada, 7, said);
        }
        bot.telegram
            .wait_until("the notice", |fake| fake.sent(ada).iter().any(is_notice).then_some(()))
            .await;
        quiet(&bot).await;
        stored(&bot, 10).await;
        bot.finish().await;
    }
}

#[tokio::test]
async fn what_comes_late_neither_uses_up_nor_refills_what_is_left_of_now() {
    for setup in [Some(Setup::on(Site::Telegram)), Setup::on(Site::Telegram).postgres()]
        .into_iter()
        .flatten()
    {
        let mut bot = setup.set("ingress.user_messages_per_minute", 2).start().await;
        let ada = bot.telegram.user(7, "Ada");
        for said in ["first", "second"] {
            bot.telegram.user_says(ada, 7, said);
        }
        stored(&bot, 2).await;
        let late = jiff::Timestamp::now().as_second() - 300;
        for number in 0..2 {
            let said = json!({"text": format!("late {number}"), "date": late + 20 * number});
            bot.telegram.user_sends(ada, 7, said);
        }
        stored(&bot, 4).await;
        bot.telegram.user_says(ada, 7, "third");
        bot.telegram
            .wait_until("the notice", |fake| fake.sent(ada).iter().any(is_notice).then_some(()))
            .await;
        quiet(&bot).await;
        stored(&bot, 4).await;
        bot.finish().await;
    }
}

#[tokio::test]
async fn on_discord_what_is_too_old_to_be_answered_is_history_without_a_limit() {
    for setup in [Some(Setup::on(Site::Discord)), Setup::on(Site::Discord).postgres()]
        .into_iter()
        .flatten()
    {
        let setup = setup.set("ingress.catch_up_minutes", 0);
        let mut bot = setup.set("ingress.user_messages_per_minute", 2).start().await;
        let ada = bot.discord.user("Ada");
        let channel = bot.discord.dm(ada);
        bot.discord.user_says(channel, ada, "hello");
        bot.discord.wait_for_sent(channel, 1).await;
        bot.kill().await;
        for number in 0..5 {
            bot.discord.say_while_offline(channel, ada, &format!("missed {number}"));
        }
        bot.start().await;
        stored(&bot, 6).await;
        bot.discord.user_says(channel, ada, "and now?");
        let sent = bot.discord.wait_for_sent(channel, 2).await;
        assert_eq!(sent[1].content, "You said: and now?");
        stored(&bot, 7).await;
        bot.finish().await;
    }
}
