//! Threads and topics: in one that the bot opened, or was once addressed in, it hears everything until it is closed;
//! and questions that are answered in a thread of their own.

mod inherited;
mod private;
mod starter;

use std::collections::BTreeSet;

use clifford_core::messages::Direction;
use serde_json::json;

use crate::harness::{Bot, Setup, Site};

fn setups(site: Site) -> impl Iterator<Item = Setup> {
    let setup = move || Setup::on(site).set(&format!("channels.{}.access", site.name()), "open");
    [Some(setup()), setup().postgres()].into_iter().flatten()
}

/// The bot's messages in a channel of Discord, once there are so many.
async fn said(bot: &Bot, channel: u64, count: usize) -> Vec<String> {
    let sent = bot.discord.wait_for_sent(channel, count).await;
    sent.into_iter().map(|sent| sent.content).collect()
}

fn mention(bot: &Bot, text: &str) -> String {
    format!("<@{}> {text}", bot.discord.bot())
}

#[tokio::test]
async fn in_a_thread_where_it_was_addressed_the_bot_hears_everything_until_it_is_closed() {
    for setup in setups(Site::Discord) {
        let mut bot = setup.start().await;
        let (ada, bob) = (bot.discord.user("Ada"), bot.discord.user("Bob"));
        let channel = bot.discord.channel(bot.discord.guild("Home"), "general");
        let thread = bot.discord.thread(channel, "Rockets");
        bot.discord.user_says(thread, bob, "nobody asked");
        bot.discord.user_says(thread, ada, &mention(&bot, "hello"));
        said(&bot, thread, 1).await;
        bot.discord.user_says(thread, bob, "and you?");
        bot.discord.user_says(channel, bob, "nobody asked here");
        said(&bot, thread, 2).await;
        bot.kill().await;
        bot.start().await;
        bot.discord.user_says(thread, ada, "still there?");
        said(&bot, thread, 3).await;
        let closed = bot.discord.interaction(thread, ada, "close", &[]);
        let reply = bot.discord.wait_for_replies(closed, 1).await.remove(0);
        assert_eq!(reply.content, "Closed. I answer here again when somebody mentions me.");
        bot.discord.user_says(thread, ada, "unheard");
        bot.discord.user_says(thread, ada, &mention(&bot, "again"));
        said(&bot, thread, 4).await;
        bot.discord.user_says(thread, bob, "and now?");
        let told = said(&bot, thread, 5).await;
        bot.finish().await;
        assert_eq!(
            told,
            [
                "You said: [Ada] hello",
                "You said: [Bob] and you?",
                "You said: [Ada] still there?",
                "You said: [Ada] again",
                "You said: [Bob] and now?",
            ]
        );
        assert!(bot.discord.sent(channel).is_empty());
    }
}

#[tokio::test]
async fn a_forum_post_is_a_thread() {
    let mut bot = setups(Site::Discord).next().unwrap().start().await;
    let (ada, bob) = (bot.discord.user("Ada"), bot.discord.user("Bob"));
    let forum = bot.discord.forum(bot.discord.guild("Home"), "help");
    let unasked = bot.discord.user_posts(forum, bob, "Not for it", "how do you do?");
    let post = bot
        .discord
        .user_posts(forum, ada, "Rockets", &mention(&bot, "when do they fly?"));
    said(&bot, post, 1).await;
    bot.discord.user_says(post, bob, "and where?");
    let told = said(&bot, post, 2).await;
    bot.finish().await;
    assert_eq!(
        told,
        ["You said: [Ada] when do they fly?", "You said: [Bob] and where?"]
    );
    assert!(bot.discord.sent(unasked).is_empty());
}

#[tokio::test]
async fn a_place_may_have_its_threads_left_alone_and_a_topic_is_followed_only_where_that_is_set() {
    for setup in setups(Site::Telegram) {
        let mut bot = setup.start().await;
        bot.telegram.user(7, "Ada");
        let forum = bot.telegram.forum(-1_001_234, "Team");
        let topic = bot.telegram.topic(forum, "Rockets");
        bot.telegram.user_says(topic, 7, "@clifford_bot hello");
        bot.telegram.wait_for_sent(topic, 1).await;
        bot.telegram.user_says(topic, 7, "unheard");
        bot.telegram.wait_for_confirmed().await;
        let look = bot.look().await;
        look.set("bot", "follow_threads", "true").await;
        bot.telegram.user_says(topic, 7, "heard");
        bot.telegram.wait_for_sent(topic, 2).await;
        let channel = look.channels().await[0].id.to_string();
        look.set(&channel, "follow_threads", "false").await;
        bot.telegram.user_says(topic, 7, "unheard again");
        bot.telegram.user_says(topic, 7, "@clifford_bot bye");
        let sent = bot.telegram.wait_for_sent(topic, 3).await;
        bot.finish().await;
        let texts: Vec<_> = sent.iter().map(|sent| sent.text.as_str()).collect();
        assert_eq!(
            texts,
            ["You said: [Ada] hello", "You said: [Ada] heard", "You said: [Ada] bye"]
        );
    }
}

#[tokio::test]
async fn a_topic_that_is_followed_is_left_alone_once_it_is_closed() {
    let setup = setups(Site::Telegram).next().unwrap();
    let mut bot = setup.set("channels.telegram.follow_threads", true).start().await;
    bot.telegram.user(7, "Ada");
    bot.telegram.user(8, "Bob");
    let forum = bot.telegram.forum(-1_001_234, "Team");
    let topic = bot.telegram.topic(forum, "Rockets");
    for (user, text, count) in [
        (8, "nobody asked", 0),
        (7, "@clifford_bot hello", 1),
        (8, "heard", 2),
        (7, "/close@clifford_bot", 3),
        (8, "unheard", 3),
        (7, "@clifford_bot again", 4),
        (8, "heard again", 5),
    ] {
        bot.telegram.user_says(topic, user, text);
        bot.telegram.wait_for_sent(topic, count).await;
    }
    let sent = bot.telegram.sent(topic);
    bot.finish().await;
    let texts: Vec<_> = sent.iter().map(|sent| sent.text.as_str()).collect();
    assert_eq!(
        texts,
        [
            "You said: [Ada] hello",
            "You said: [Bob] heard",
            "Closed. I answer here again when somebody mentions me.",
            "You said: [Ada] again",
            "You said: [Bob] heard again",
        ]
    );
}

#[tokio::test]
async fn where_threads_are_set_each_question_has_one_with_a_title_and_a_conversation() {
    for setup in setups(Site::Discord) {
        let mut bot = setup.set("ingress.threads", "auto").start().await;
        let (ada, bob) = (bot.discord.user("Ada"), bot.discord.user("Bob"));
        let channel = bot.discord.channel(bot.discord.guild("Home"), "general");
        let first = bot
            .discord
            .user_says(channel, ada, &mention(&bot, "When is the launch?\nAnd where?"));
        let second = bot
            .discord
            .user_says(channel, bob, &mention(&bot, "What is for lunch?"));
        for thread in [first, second] {
            said(&bot, thread, 1).await;
        }
        assert_eq!(bot.discord.name_of(first).as_deref(), Some("When is the launch?"));
        bot.discord.user_says(first, bob, "I wonder, too");
        assert_eq!(
            said(&bot, first, 2).await,
            [
                "You said: [Ada] When is the launch?\nAnd where?",
                "You said: [Bob] I wonder, too"
            ]
        );
        // A change of the question in its channel reaches the thread.
        let hold = bot.model.hold();
        let count = bot.model.requests().len();
        let third = bot.discord.user_says(channel, ada, &mention(&bot, "thrid"));
        bot.model.wait_for_requests(count + 1).await;
        bot.discord.edit(channel, third, &mention(&bot, "third"));
        bot.model.wait_for_requests(count + 2).await;
        hold.release();
        assert_eq!(said(&bot, third, 1).await, ["You said: [Ada] third"]);
        bot.finish().await;
        assert!(bot.discord.sent(channel).is_empty());
        let look = bot.look().await;
        let contexts: BTreeSet<_> = look.runs().await.iter().map(|run| run.context_id).collect();
        assert_eq!(contexts.len(), 3);
    }
}

#[tokio::test]
async fn where_each_question_has_a_thread_one_that_was_asked_while_the_bot_was_away_is_answered() {
    for setup in setups(Site::Discord) {
        let mut bot = setup.set("ingress.threads", "auto").start().await;
        let ada = bot.discord.user("Ada");
        let channel = bot.discord.channel(bot.discord.guild("Home"), "general");
        let first = bot.discord.user_says(channel, ada, &mention(&bot, "hello"));
        said(&bot, first, 1).await;
        bot.kill().await;
        let missed = bot.discord.user_says(channel, ada, &mention(&bot, "are you back?"));
        bot.discord.user_says(first, ada, "and here?");
        bot.start().await;
        assert_eq!(said(&bot, missed, 1).await, ["You said: [Ada] are you back?"]);
        assert_eq!(said(&bot, first, 2).await[1], "You said: [Ada] and here?");
        bot.finish().await;
        assert!(bot.discord.sent(channel).is_empty());
    }
}

#[tokio::test]
async fn a_question_by_command_is_answered_in_a_thread_if_it_asks_for_one_and_comes_with_its_file() {
    let mut bot = setups(Site::Discord).next().unwrap().start().await;
    let ada = bot.discord.user("Ada");
    let channel = bot.discord.channel(bot.discord.guild("Home"), "general");
    let options = json!([
        {"type": 3, "name": "text", "value": "When is the launch?"},
        {"type": 5, "name": "thread", "value": true},
        {"type": 11, "name": "file", "value": "8"},
    ]);
    let file = json!({"8": {"id": "8", "filename": "plan.txt", "size": 3, "url": "https://example.org/plan.txt",
        "proxy_url": "https://example.org/plan.txt", "content_type": "text/plain"}});
    let asked = bot.discord.user_asks(channel, ada, &options, &file);
    let replies = bot.discord.wait_for_replies(asked, 1).await;
    assert_eq!(replies[0].content, "💬 When is the launch?");
    let thread = replies[0].id;
    assert_eq!(
        said(&bot, thread, 1).await,
        ["You said: [Ada] When is the launch?\n[document: plan.txt]"]
    );
    bot.discord.user_says(thread, ada, "and where?");
    assert_eq!(said(&bot, thread, 2).await[1], "You said: [Ada] and where?");
    // Without the wish it is answered where it was asked.
    let here = json!([{"type": 3, "name": "text", "value": "hello"}, {"type": 5, "name": "thread", "value": false}]);
    let asked = bot.discord.user_asks(channel, ada, &here, &json!({}));
    let replies = bot.discord.wait_for_replies(asked, 1).await;
    assert_eq!(replies[0].content, "You said: [Ada] hello");
    bot.finish().await;
    assert!(bot.discord.sent(channel).is_empty());
}

#[tokio::test]
async fn on_telegram_a_question_in_a_forum_has_a_topic_and_in_a_group_none() {
    for setup in setups(Site::Telegram) {
        let mut bot = setup.set("ingress.threads", "auto").start().await;
        bot.telegram.user(7, "Ada");
        let forum = bot.telegram.forum(-1_001_234, "Team");
        let group = bot.telegram.supergroup(-1_001_235, "Friends");
        bot.telegram.user_says(group, 7, "@clifford_bot hello");
        bot.telegram.wait_for_sent(group, 1).await;
        bot.telegram.user_says(forum, 7, "@clifford_bot When is the launch?");
        bot.until("the answer", async |look| {
            (look.undelivered().await == 0 && look.messages(Direction::Outbound).await.len() == 2).then_some(())
        })
        .await;
        // An edit of a question in the General topic reaches the topic that it has.
        let hold = bot.model.hold();
        let count = bot.model.requests().len();
        let third = bot.telegram.user_says(forum, 7, "@clifford_bot And hwere?");
        bot.model.wait_for_requests(count + 1).await;
        bot.telegram.edit(forum, 7, third, "@clifford_bot And where?");
        bot.model.wait_for_requests(count + 2).await;
        hold.release();
        bot.until("the answer", async |look| {
            (look.undelivered().await == 0 && look.messages(Direction::Outbound).await.len() == 3).then_some(())
        })
        .await;
        bot.finish().await;
        assert_eq!(bot.telegram.topics(forum), ["When is the launch?", "And hwere?"]);
        assert!(bot.telegram.sent(forum).is_empty());
        let look = bot.look().await;
        let last = look.messages(Direction::Outbound).await.pop().unwrap();
        assert_eq!(last.content, "You said: [Ada] And where?");
        let topic = look.channels().await.into_iter().map(|channel| channel.external_id);
        assert_eq!(topic.filter(|id| id.starts_with("-1001234:")).count(), 2);
    }
}

#[tokio::test]
async fn a_stranger_opens_no_thread() {
    let setup = Setup::on(Site::Discord)
        .set("channels.discord.access", "allowlist")
        .set("ingress.threads", "auto");
    let mut bot = setup.start().await;
    let eve = bot.discord.user("Eve");
    let channel = bot.discord.channel(bot.discord.guild("Home"), "general");
    let asked = bot.discord.user_says(channel, eve, &mention(&bot, "hello"));
    let ignored = bot.discord.interaction(channel, eve, "ask", &[("text", "hello")]);
    bot.discord.wait_for_acknowledgement(ignored).await;
    bot.finish().await;
    assert_eq!(bot.discord.name_of(asked), None);
    assert_eq!(bot.look().await.count("channels").await, 0);
}
