//! Edits of messages that were not answered yet.

use clifford_core::messages::Direction;

use crate::{
    harness::{Bot, Setup, Site},
    scripted_model::{self, Prompt},
};

/// Waits until a message says this.
async fn says(bot: &Bot, text: &str) {
    bot.until("the edit to be stored", async |look| {
        let inbound = look.messages(Direction::Inbound).await;
        inbound.iter().any(|message| message.content == text).then_some(())
    })
    .await;
}

#[tokio::test]
async fn a_message_that_waits_is_answered_as_it_was_edited() {
    let mut bot = Setup::on(Site::Telegram).start().await;
    let chat = bot.telegram.user(7, "Ada");
    let hold = bot.model.hold();
    bot.telegram.user_says(chat, 7, "first");
    bot.model.wait_for_requests(1).await;
    let waits = bot.telegram.user_says(chat, 7, "second");
    bot.telegram.edit(chat, 7, waits, "third");
    says(&bot, "third").await;
    hold.release();
    let sent = bot.telegram.wait_for_sent(chat, 2).await;
    bot.finish().await;
    let texts: Vec<_> = sent.iter().map(|sent| sent.text.as_str()).collect();
    assert_eq!(texts, ["You said: first", "You said: third"]);
}

#[tokio::test]
async fn of_messages_that_became_one_input_the_one_that_was_edited_changes() {
    let mut bot = Setup::on(Site::Telegram).set("ingress.debounce_ms", 1500).start().await;
    let chat = bot.telegram.user(7, "Ada");
    bot.telegram.user_says(chat, 7, "same");
    let second = bot.telegram.user_says(chat, 7, "same");
    bot.telegram.edit(chat, 7, second, "other");
    let sent = bot.telegram.wait_for_sent(chat, 1).await;
    bot.finish().await;
    assert_eq!(sent[0].text, "You said: same\nother");
}

#[tokio::test]
async fn an_edit_that_comes_twice_begins_nothing_twice() {
    let mut bot = Setup::on(Site::Telegram).start().await;
    let chat = bot.telegram.user(7, "Ada");
    let hold = bot.model.hold();
    let id = bot.telegram.user_says(chat, 7, "first");
    bot.model.wait_for_requests(1).await;
    for _ in 0..2 {
        bot.telegram.edit(chat, 7, id, "second");
    }
    bot.telegram.wait_for_confirmed().await;
    bot.model.wait_for_requests(2).await;
    hold.release();
    bot.telegram.wait_for_sent(chat, 1).await;
    bot.finish().await;
    assert_eq!(scripted_model::inputs(&bot.model.requests()), ["first", "second"]);
    assert_eq!(bot.look().await.run().await.epoch, 2);
}

#[tokio::test]
async fn an_edit_that_begins_its_run_anew_counts_as_a_message() {
    for setup in [Some(Setup::on(Site::Telegram)), Setup::on(Site::Telegram).postgres()]
        .into_iter()
        .flatten()
    {
        let mut bot = setup.set("ingress.user_messages_per_minute", 2).start().await;
        let chat = bot.telegram.user(7, "Ada");
        let hold = bot.model.hold();
        let id = bot.telegram.user_says(chat, 7, "first");
        bot.model.wait_for_requests(1).await;
        bot.telegram.edit(chat, 7, id, "second");
        bot.model.wait_for_requests(2).await;
        for number in 0..5 {
            bot.telegram.edit(chat, 7, id, &format!("again {number}"));
        }
        bot.telegram.wait_for_confirmed().await;
        // The edits that were not taken have not used up the notice.
        bot.telegram.user_says(chat, 7, "third");
        let notice = bot.telegram.wait_for_sent(chat, 1).await.remove(0);
        assert!(notice.text.starts_with("You are writing faster"), "{}", notice.text);
        hold.release();
        let sent = bot.telegram.wait_for_sent(chat, 2).await;
        bot.finish().await;
        assert_eq!(sent[1].text, "You said: second");
        assert_eq!(bot.model.request_count(), 2);
    }
}

#[tokio::test]
async fn edits_that_change_nothing_count_against_no_limit() {
    for setup in [Some(Setup::on(Site::Telegram)), Setup::on(Site::Telegram).postgres()]
        .into_iter()
        .flatten()
    {
        let setup = setup.set("ingress.user_messages_per_minute", 2);
        let setup = setup
            .set("ingress.when_busy", "interrupt")
            .set("ingress.edit_seconds", 0);
        let mut bot = setup.start().await;
        let chat = bot.telegram.user(7, "Ada");
        let id = bot.telegram.user_says(chat, 7, "two tools slowly");
        bot.until("a step", async |look| {
            let runs = look.runs().await;
            let run = runs.first()?;
            (!look.steps(run.id).await.is_empty()).then_some(())
        })
        .await;
        for number in 0..3 {
            bot.telegram.edit(chat, 7, id, &format!("tea {number}"));
        }
        bot.telegram.wait_for_confirmed().await;
        bot.telegram.wait_for_sent(chat, 1).await;
        bot.telegram.user_says(chat, 7, "and now?");
        let sent = bot.telegram.wait_for_sent(chat, 2).await;
        bot.finish().await;
        assert_eq!(sent[1].text, "You said: and now?");
    }
}

#[tokio::test]
async fn what_a_run_has_taken_in_is_answered_as_it_was_and_edited_in_the_history() {
    let mut bot = Setup::on(Site::Telegram)
        .set("ingress.when_busy", "steer")
        .start()
        .await;
    let chat = bot.telegram.user(7, "Ada");
    bot.telegram.user_says(chat, 7, "two tools slowly");
    bot.model.wait_for_requests(1).await;
    let id = bot.telegram.user_says(chat, 7, "and tea");
    bot.until("it to be taken in", async |look| {
        let inbound = look.messages(Direction::Inbound).await;
        (inbound.len() == 2 && inbound.iter().all(|message| message.run_id.is_some())).then_some(())
    })
    .await;
    bot.telegram.edit(chat, 7, id, "and cocoa");
    let sent = bot.telegram.wait_for_sent(chat, 1).await;
    bot.telegram.wait_for_confirmed().await;
    bot.finish().await;
    assert_eq!(sent[0].text, "two tools slowly: 42 and 43; and tea");
    let look = bot.look().await;
    assert_eq!(look.run().await.epoch, 1);
    let asked = look.messages(Direction::Inbound).await;
    assert_eq!(asked[1].content, "and cocoa");
}

#[tokio::test]
async fn an_edit_of_what_was_answered_is_in_the_history_and_answered_by_nothing() {
    for setup in [Some(Setup::on(Site::Telegram)), Setup::on(Site::Telegram).postgres()]
        .into_iter()
        .flatten()
    {
        let mut bot = setup.start().await;
        let chat = bot.telegram.user(7, "Ada");
        let id = bot.telegram.user_says(chat, 7, "hello");
        bot.telegram.wait_for_sent(chat, 1).await;
        bot.telegram.edit(chat, 7, id, "good evening");
        says(&bot, "good evening").await;
        bot.telegram.user_says(chat, 7, "and now?");
        bot.telegram.wait_for_sent(chat, 2).await;
        bot.finish().await;
        let requests = bot.model.requests();
        assert_eq!(requests.len(), 2);
        let prompt = Prompt::read(&requests[1]);
        let conversation = prompt.conversation();
        assert!(conversation.contains(&"good evening"), "{conversation:?}");
        assert!(!conversation.contains(&"hello"), "{conversation:?}");
    }
}

#[tokio::test]
async fn an_edit_in_a_group_keeps_its_speakers_name_and_is_its_authors_alone() {
    let mut bot = Setup::on(Site::Telegram).start().await;
    bot.telegram.user(7, "Ada");
    bot.telegram.user(8, "Bob");
    let group = bot.telegram.supergroup(-1_001_234, "Team");
    let hold = bot.model.hold();
    let id = bot.telegram.user_says(group, 7, "Clifford first");
    bot.model.wait_for_requests(1).await;
    bot.telegram.edit(group, 8, id, "Clifford hijacked");
    bot.telegram.wait_for_confirmed().await;
    bot.telegram.edit(group, 7, id, "Clifford second");
    bot.model.wait_for_requests(2).await;
    hold.release();
    bot.telegram.wait_for_sent(group, 1).await;
    bot.finish().await;
    assert_eq!(
        scripted_model::inputs(&bot.model.requests()),
        ["[Ada] Clifford first", "[Ada] Clifford second"]
    );
}

#[tokio::test]
async fn an_edited_question_by_command_is_the_new_question() {
    let mut bot = Setup::on(Site::Telegram).start().await;
    bot.telegram.user(7, "Ada");
    let group = bot.telegram.supergroup(-1_001_234, "Team");
    let hold = bot.model.hold();
    let id = bot.telegram.user_says(group, 7, "/ask@clifford_bot first");
    bot.model.wait_for_requests(1).await;
    bot.telegram.edit(group, 7, id, "/ask@clifford_bot second");
    bot.model.wait_for_requests(2).await;
    hold.release();
    bot.telegram.wait_for_sent(group, 1).await;
    bot.finish().await;
    assert_eq!(
        scripted_model::inputs(&bot.model.requests()),
        ["[Ada] first", "[Ada] second"]
    );
}

#[tokio::test]
async fn an_edited_caption_keeps_its_file() {
    let mut bot = Setup::on(Site::Telegram).start().await;
    let chat = bot.telegram.user(7, "Ada");
    let hold = bot.model.hold();
    let ids = bot.telegram.album(chat, 7, &["look at this"]);
    bot.model.wait_for_requests(1).await;
    bot.telegram.edit(chat, 7, ids[0], "look at that");
    bot.model.wait_for_requests(2).await;
    hold.release();
    bot.telegram.wait_for_sent(chat, 1).await;
    bot.finish().await;
    assert_eq!(
        scripted_model::inputs(&bot.model.requests()),
        ["look at this\n[photo]", "look at that\n[photo]"]
    );
}

#[tokio::test]
async fn where_newer_messages_interrupt_an_edit_takes_the_place_of_its_question() {
    for (seconds, expected) in [(30, "You said: tea"), (0, "two tools slowly: 42 and 43")] {
        for setup in [
            Some(Setup::on(Site::Telegram)),
            Setup::on(Site::Telegram).postgres().filter(|_| seconds > 0),
        ]
        .into_iter()
        .flatten()
        {
            let setup = setup
                .set("ingress.when_busy", "interrupt")
                .set("ingress.edit_seconds", seconds);
            let mut bot = setup.start().await;
            let chat = bot.telegram.user(7, "Ada");
            let id = bot.telegram.user_says(chat, 7, "two tools slowly");
            bot.until("a step", async |look| {
                let runs = look.runs().await;
                let run = runs.first()?;
                (!look.steps(run.id).await.is_empty()).then_some(())
            })
            .await;
            bot.telegram.edit(chat, 7, id, "tea");
            bot.telegram.wait_for_confirmed().await;
            let sent = bot.telegram.wait_for_sent(chat, 1).await;
            bot.finish().await;
            let texts: Vec<_> = sent.iter().map(|sent| sent.text.as_str()).collect();
            assert_eq!(texts, [expected]);
            let look = bot.look().await;
            let (runs, asked) = (look.runs().await, look.messages(Direction::Inbound).await);
            assert_eq!(runs.len(), if seconds > 0 { 2 } else { 1 });
            assert_eq!(asked[0].run_id, runs.last().map(|run| run.id));
            assert_eq!(asked[0].content, "tea", "the history has what its author reads there");
        }
    }
}

#[tokio::test]
async fn on_discord_as_well_an_edit_takes_the_place_of_its_question() {
    let setup = Setup::on(Site::Discord).set("ingress.when_busy", "interrupt");
    let mut bot = setup.start().await;
    let ada = bot.discord.user("Ada");
    let channel = bot.discord.dm(ada);
    let asked = bot.discord.user_says(channel, ada, "two tools slowly");
    bot.until("a step", async |look| {
        let runs = look.runs().await;
        let run = runs.first()?;
        (!look.steps(run.id).await.is_empty()).then_some(())
    })
    .await;
    bot.discord.edit(channel, asked, "tea");
    let sent = bot.discord.wait_for_sent(channel, 1).await;
    bot.finish().await;
    let texts: Vec<_> = sent.iter().map(|sent| sent.content.as_str()).collect();
    assert_eq!(texts, ["You said: tea"]);
    assert_eq!(bot.look().await.runs().await.len(), 2);
}

#[tokio::test]
async fn an_edit_in_a_topic_and_in_a_thread_is_what_is_answered_there() {
    let mut bot = Setup::on(Site::Telegram).and(Site::Discord).start().await;
    bot.telegram.user(7, "Ada");
    let forum = bot.telegram.forum(-1_001_234, "Forum");
    let topic = bot.telegram.topic(forum, "Rockets");
    let (ada, guild) = (bot.discord.user("Ada"), bot.discord.guild("Home"));
    let thread = bot.discord.thread(bot.discord.channel(guild, "general"), "Rockets");
    let hold = bot.model.hold();
    bot.telegram.user_says(topic, 7, "@clifford_bot first");
    bot.discord.user_says(thread, ada, "Clifford, first");
    bot.model.wait_for_requests(2).await;
    let waits = bot.telegram.user_says(topic, 7, "@clifford_bot second");
    bot.telegram.edit(topic, 7, waits, "@clifford_bot third");
    let waits = bot.discord.user_says(thread, ada, "Clifford, fourth");
    bot.discord.edit(thread, waits, "Clifford, fifth");
    says(&bot, "[Ada] third").await;
    says(&bot, "[Ada] Clifford, fifth").await;
    hold.release();
    let sent = bot.telegram.wait_for_sent(topic, 2).await;
    assert_eq!(sent[1].text, "You said: [Ada] third");
    let sent = bot.discord.wait_for_sent(thread, 2).await;
    assert_eq!(sent[1].content, "You said: [Ada] Clifford, fifth");
    bot.finish().await;
    assert_eq!(bot.telegram.sent(forum), []);
}
