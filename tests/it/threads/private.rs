//! Topics of a private chat, which Telegram has where the bot's owner turns them on.

use std::time::Duration;

use clifford_core::places::{Channel, ChannelKind};
use clifford_fakes::{openai::Reply, telegram::Chat};

use super::setups;
use crate::{
    db_probe::DbProbe,
    harness::{Bot, Site},
    scripted_model::{self, Prompt},
};

/// The conversation that the last run knew.
fn known(bot: &Bot) -> Vec<String> {
    let requests = bot.model.requests();
    let last = requests
        .iter()
        .rfind(|request| scripted_model::memory_schema(request).is_none());
    let prompt = Prompt::read(last.unwrap());
    prompt.conversation().into_iter().map(str::to_owned).collect()
}

#[tokio::test]
async fn a_topic_of_a_private_chat_is_a_conversation_of_its_own_and_answered_there() {
    for setup in setups(Site::Telegram) {
        let mut bot = setup.start().await;
        let chat = bot.telegram.user(7, "Ada");
        let [cats, dogs]: [Chat; 2] = ["Cats", "Dogs"].map(|name| bot.telegram.private_topic(7, name));
        for (place, text) in [(chat, "hello"), (cats, "they purr"), (dogs, "they bark")] {
            bot.telegram.user_says(place, 7, text);
            let sent = bot.telegram.wait_for_sent(place, 1).await;
            assert_eq!(sent[0].text, format!("You said: {text}"));
        }
        let hold = bot.model.hold();
        bot.telegram.user_says(cats, 7, "and sleep");
        bot.until("typing in the topic", async |_| {
            (!bot.telegram.actions(cats).is_empty()).then_some(())
        })
        .await;
        hold.release();
        bot.telegram.wait_for_sent(cats, 2).await;
        assert_eq!(known(&bot), ["they purr", "You said: they purr"]);
        // A command is about the topic in which it is given, and answered there.
        bot.telegram.command(cats, 7, "new", "");
        bot.telegram.wait_for_sent(cats, 3).await;
        for (place, text, count, expected) in [(cats, "they hunt", 4, 0), (dogs, "they dig", 2, 2)] {
            bot.telegram.user_says(place, 7, text);
            bot.telegram.wait_for_sent(place, count).await;
            assert_eq!(known(&bot).len(), expected, "{text}");
        }
        let look = bot.look().await;
        let channels = look.channels().await;
        let mut names: Vec<_> = channels.iter().filter_map(|known| known.name.as_deref()).collect();
        names.sort_unstable();
        assert_eq!(names, ["Ada", "Cats", "Dogs"]);
        let is_hers = |known: &Channel| known.kind == ChannelKind::Private && known.user_id == channels[0].user_id;
        assert!(channels.iter().all(is_hers), "{channels:?}");
        bot.finish().await;
    }
}

#[tokio::test]
async fn a_topic_that_nobody_named_is_called_by_the_first_words_that_are_answered_there() {
    let setup = setups(Site::Telegram).next().unwrap();
    let mut bot = setup.start().await;
    bot.telegram.user(7, "Ada");
    let topic = bot.telegram.untitled_topic(7);
    let named = bot.telegram.private_topic(7, "Cats");
    // A command is no subject.
    bot.telegram.command(topic, 7, "help", "");
    bot.telegram.wait_for_sent(topic, 1).await;
    assert_eq!(bot.telegram.topic_name(topic).as_deref(), Some("New Chat"));
    for (place, text, count) in [
        (topic, "When does it fly?\nAnd where?", 2),
        (topic, "I see", 3),
        (named, "they purr", 1),
    ] {
        bot.telegram.user_says(place, 7, text);
        bot.telegram.wait_for_sent(place, count).await;
    }
    bot.telegram.wait_for_confirmed().await;
    let names = [topic, named].map(|topic| bot.telegram.topic_name(topic));
    assert_eq!(names, [Some("When does it fly?".to_owned()), Some("Cats".to_owned())]);
    let known: Vec<_> = bot
        .look()
        .await
        .channels()
        .await
        .into_iter()
        .map(|channel| channel.name)
        .collect();
    assert!(
        known.contains(&Some("Cats".to_owned())) && !known.contains(&Some("New Chat".to_owned())),
        "{known:?}"
    );
    bot.finish().await;
}

#[tokio::test]
async fn who_blocks_the_bot_has_blocked_it_in_all_topics() {
    for setup in setups(Site::Telegram) {
        let mut bot = setup.start().await;
        let chat = bot.telegram.user(7, "Ada");
        let cats = bot.telegram.private_topic(7, "Cats");
        for place in [chat, cats] {
            bot.telegram.user_says(place, 7, "hello");
            bot.telegram.wait_for_sent(place, 1).await;
        }
        bot.telegram.block(7);
        let are_on = async |look: &DbProbe| {
            let channels = look.channels().await;
            channels.iter().filter(|channel| channel.enabled).count()
        };
        bot.until("both to be off", async |look| (are_on(look).await == 0).then_some(()))
            .await;
        bot.telegram.unblock(7);
        bot.telegram.user_says(cats, 7, "back again");
        let sent = bot.telegram.wait_for_sent(cats, 2).await;
        assert_eq!(sent[1].text, "You said: back again");
        bot.finish().await;
    }
}

#[tokio::test]
async fn an_answer_grows_in_the_topic_where_it_was_asked_for() {
    let setup = setups(Site::Telegram).next().unwrap();
    let mut bot = setup.set("channels.telegram.feedback", "draft").start().await;
    let chat = bot.telegram.user(7, "Ada");
    let cats = bot.telegram.private_topic(7, "Cats");
    let answer = "they purr and sleep ".repeat(20).trim_end().to_owned();
    let action = format!(r#"{{"type":"send_message","message":"{answer}"}}"#);
    bot.model.push(Reply::text(action).pause(Duration::from_millis(200)));
    bot.telegram.user_says(cats, 7, "tell me");
    let sent = bot.telegram.wait_for_sent(cats, 1).await;
    bot.finish().await;
    assert_eq!(sent[0].text, answer);
    assert!(!bot.telegram.drafts(cats).is_empty());
    assert!(bot.telegram.drafts(chat).is_empty() && bot.telegram.sent(chat).is_empty());
    assert_eq!(scripted_model::inputs(&bot.model.requests()), ["tell me"]);
}
