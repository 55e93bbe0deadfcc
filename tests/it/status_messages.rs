//! The message that shows what a run does: where it takes long, with a button that works, and without a trace in the end.

use std::time::Duration;

use clifford_fakes::{
    openai::{RecordedRequest, Reply},
    telegram::Chat,
};
use serde_json::json;

use crate::{
    harness::{Bot, Setup, Site},
    scripted_model::{self, Prompt},
};

const THINKING: &str = "\u{23f3} Thinking";
/// Discord's messages end so while they are no answers.
const MARK: &str = "\u{2060}…";

async fn bot_that_shows(site: Site) -> Bot {
    Setup::on(site).set("delivery.progress_after_seconds", 1).start().await
}

/// Calculates, and takes its time before that and after.
fn slow_calculator(request: &RecordedRequest) -> Reply {
    if scripted_model::memory_schema(request).is_some() {
        return scripted_model::reply(request);
    }
    let is_first = !request.messages().iter().any(|message| message["role"] == "assistant");
    let reply = match is_first {
        true => json!({"type": "tool_call", "name": "compute.eval", "args": {"expression": "6 * 7"}, "notes": [
            {"category": "requirements", "content": "a product"}, {"category": "plan", "content": "multiply"},
        ]}),
        false => json!({"type": "finish", "output": "It is 42."}),
    };
    Reply::json(&reply).delay(Duration::from_millis(if is_first { 1_500 } else { 3_500 }))
}

/// Waits until the only message of a chat on Telegram says this, and returns its buttons.
async fn telegram_shows(bot: &Bot, chat: Chat, text: &str) -> Vec<String> {
    bot.telegram
        .wait_until(text, |fake| {
            let sent = fake.sent(chat);
            let shown = sent.iter().find(|sent| sent.text == text)?;
            Some(shown.buttons.iter().map(|(label, _)| label.clone()).collect())
        })
        .await
}

/// The same for a channel on Discord.
async fn discord_shows(bot: &Bot, channel: u64, text: &str) -> clifford_fakes::discord::Sent {
    let text = format!("{text}{MARK}");
    bot.discord
        .wait_for(&text, |fake| {
            fake.sent(channel).into_iter().find(|sent| sent.content == text)
        })
        .await
}

#[tokio::test]
async fn a_run_that_takes_long_shows_what_it_does_in_every_chat_of_telegram() {
    let mut bot = bot_that_shows(Site::Telegram).await;
    bot.model.respond_with(slow_calculator);
    let (ada, group) = (bot.telegram.user(7, "Ada"), bot.telegram.supergroup(-1_001_234, "Team"));
    bot.telegram.user_says(ada, 7, "how much?");
    bot.telegram.user_says(group, 7, "Clifford how much?");
    for chat in [ada, group] {
        assert_eq!(telegram_shows(&bot, chat, THINKING).await, ["Stop"]);
    }
    for chat in [ada, group] {
        let now = format!("{THINKING} · step 2");
        assert_eq!(telegram_shows(&bot, chat, &now).await, ["Stop"]);
        // One message, which was changed.
        assert_eq!(bot.telegram.sent(chat).len(), 1);
    }
    for chat in [ada, group] {
        bot.telegram
            .wait_until("the answer alone", |fake| match &fake.sent(chat)[..] {
                [only] if only.text == "It is 42." => Some(()),
                _ => None,
            })
            .await;
        assert_eq!(bot.telegram.deleted(chat).len(), 1);
    }
    bot.finish().await;
    assert_eq!(rows(&bot).await, 0);
}

async fn rows(bot: &Bot) -> i64 {
    bot.look().await.number("SELECT COUNT(*) FROM status_messages").await
}

#[tokio::test]
async fn a_run_that_takes_long_shows_what_it_does_in_every_chat_of_discord() {
    let mut bot = bot_that_shows(Site::Discord).await;
    bot.model.respond_with(slow_calculator);
    let ada = bot.discord.user("Ada");
    let guild = bot.discord.guild("Team");
    let (dm, channel, other) = (
        bot.discord.dm(ada),
        bot.discord.channel(guild, "general"),
        bot.discord.channel(guild, "other"),
    );
    bot.discord.user_says(dm, ada, "how much?");
    bot.discord.user_says(channel, ada, "Clifford how much?");
    let asked = bot.discord.interaction(other, ada, "ask", &[("text", "how much?")]);
    for place in [dm, channel] {
        assert_eq!(discord_shows(&bot, place, THINKING).await.buttons[0].0, "Stop");
    }
    // In the place of "is thinking…", and nowhere else.
    let in_place = bot.discord.wait_for_replies(asked, 1).await;
    assert_eq!(in_place[0].buttons[0].0, "Stop");
    assert_eq!(bot.discord.sent(other).len(), 0);
    for place in [dm, channel] {
        discord_shows(&bot, place, &format!("{THINKING} · step 2")).await;
        assert_eq!(bot.discord.sent(place).len(), 1);
    }
    for place in [dm, channel] {
        bot.discord
            .wait_for("the answer alone", |fake| match &fake.sent(place)[..] {
                [only] if only.content == "It is 42." && only.buttons.is_empty() => Some(()),
                _ => None,
            })
            .await;
    }
    bot.discord
        .wait_for("the answer in its place", |fake| {
            match &fake.interaction_replies(asked)[..] {
                [only] if only.content == "It is 42." && only.buttons.is_empty() => Some(()),
                _ => None,
            }
        })
        .await;
    bot.finish().await;
    assert_eq!(rows(&bot).await, 0);
}

#[tokio::test]
async fn the_button_stops_the_run_for_its_person_and_for_managers_and_for_nobody_else() {
    let mut bot = bot_that_shows(Site::Telegram).await;
    let group = bot.telegram.supergroup(-1_001_234, "Team");
    for (id, name) in [(7, "Ada"), (8, "Ben"), (9, "Cleo")] {
        bot.telegram.user(id, name);
    }
    bot.telegram.standing(group, 9, json!({"status": "administrator"}));
    for (presser, answers) in [(7, 1), (9, 2)] {
        let hold = bot.model.hold();
        bot.telegram.user_says(group, 7, "Clifford think about it");
        telegram_shows(&bot, group, THINKING).await;
        let query = bot.telegram.press(group, 8, "Stop");
        bot.telegram
            .wait_until("the refusal", |fake| fake.told(&query).map(drop))
            .await;
        assert_eq!(
            bot.telegram.told(&query).as_deref(),
            Some("Only the person who asked for this, and those who manage this place, can stop it.")
        );
        bot.telegram.press(group, presser, "Stop");
        bot.telegram
            .wait_until("the end alone", |fake| {
                let texts: Vec<_> = fake.sent(group).into_iter().map(|sent| sent.text).collect();
                (texts == vec!["Stopped."; answers]).then_some(())
            })
            .await;
        hold.release();
    }
    let runs = bot.look().await.runs().await;
    let cancelled = runs
        .iter()
        .filter(|run| run.status == clifford_core::runs::RunStatus::Cancelled);
    assert_eq!(cancelled.count(), 2);
    // The next question is answered as ever.
    bot.telegram.user_says(group, 8, "Clifford hello");
    bot.telegram
        .wait_until("an answer", |fake| {
            fake.sent(group)
                .into_iter()
                .find(|sent| sent.text == "You said: [Ben] Clifford hello")
        })
        .await;
    bot.finish().await;
}

#[tokio::test]
async fn discord_user_stops_a_run_by_its_button() {
    let mut bot = bot_that_shows(Site::Discord).await;
    let (ada, ben) = (bot.discord.user("Ada"), bot.discord.user("Ben"));
    let guild = bot.discord.guild("Team");
    let channel = bot.discord.channel(guild, "general");
    bot.discord.join(guild, ben, &[]);
    let hold = bot.model.hold();
    bot.discord.user_says(channel, ada, "Clifford think about it");
    let shown = discord_shows(&bot, channel, THINKING).await;
    let refused = bot.discord.press(channel, ben, &shown, "Stop");
    let told = bot.discord.wait_for_replies(refused, 1).await.remove(0);
    assert!(told.content.starts_with("Only the person who asked"), "{told:?}");
    assert!(bot.discord.is_ephemeral(channel, told.id));
    let pressed = bot.discord.press(channel, ada, &shown, "Stop");
    assert_eq!(bot.discord.wait_for_replies(pressed, 1).await[0].content, "Stopped.");
    bot.discord
        .wait_for("nothing to be left", |fake| fake.sent(channel).is_empty().then_some(()))
        .await;
    hold.release();
    bot.finish().await;
    assert_eq!(rows(&bot).await, 0);
}

#[tokio::test]
async fn after_a_kill_the_next_process_goes_on_with_the_message_and_takes_it_away() {
    let mut bot = bot_that_shows(Site::Telegram).await;
    let (ada, ben) = (bot.telegram.user(7, "Ada"), bot.telegram.user(8, "Ben"));
    let hold = bot.model.hold();
    bot.telegram.user_says(ada, 7, "hello");
    bot.telegram.user_says(ben, 8, "never mind");
    for chat in [ada, ben] {
        telegram_shows(&bot, chat, THINKING).await;
    }
    bot.until("both rows", async |look| {
        let known = look.number("SELECT COUNT(*) FROM status_messages WHERE platform_message_id IS NOT NULL");
        (known.await == 2).then_some(())
    })
    .await;
    bot.kill().await;
    // One run goes on; the other ends while no process is there.
    let runs = bot.look().await.runs().await;
    let of_ben = runs.iter().find(|run| run.input_text == "never mind").unwrap().id;
    bot.command(&["runs", "cancel", &of_ben.to_string()]).await;
    hold.release();
    bot.start().await;
    for (chat, text) in [(ada, "You said: hello"), (ben, "This request was cancelled.")] {
        bot.telegram
            .wait_until(text, |fake| match &fake.sent(chat)[..] {
                [only] if only.text == text => Some(()),
                _ => None,
            })
            .await;
        assert_eq!(bot.telegram.deleted(chat).len(), 1);
    }
    bot.finish().await;
    assert_eq!(rows(&bot).await, 0);
    assert_eq!(scripted_model::inputs(&bot.model.requests()).last().unwrap(), "hello");
}

#[tokio::test]
async fn after_a_kill_the_answer_takes_the_place_of_what_stood_for_the_interaction() {
    let mut bot = bot_that_shows(Site::Discord).await;
    let ada = bot.discord.user("Ada");
    let guild = bot.discord.guild("Team");
    let channel = bot.discord.channel(guild, "general");
    let hold = bot.model.hold();
    let asked = bot.discord.interaction(channel, ada, "ask", &[("text", "hello")]);
    bot.discord.wait_for_replies(asked, 1).await;
    bot.kill().await;
    hold.release();
    bot.start().await;
    bot.discord
        .wait_for("the answer in its place", |fake| {
            match &fake.interaction_replies(asked)[..] {
                [only] if only.content == "You said: [Ada] hello" && only.buttons.is_empty() => Some(()),
                _ => None,
            }
        })
        .await;
    bot.finish().await;
    let last = bot.model.requests().pop().unwrap();
    assert_eq!(Prompt::read(&last).input(), "[Ada] hello");
}
