//! Undo of reminders, settings and memories by a button, by words or through the API: within an hour, once.

use clifford_fakes::{
    openai::{RecordedRequest, Reply},
    telegram::{Chat, Sent},
};
use serde_json::{Value, json};

use crate::{
    db_probe::DbProbe,
    harness::{Bot, Room, Setup, Site},
    scripted_model::{self, Prompt},
    store::erasure::column,
};

/// Calls what the message names, `tool.command {…}` line by line, and then says what it had to read before that. A line
/// behind `spawn` is a subagent's.
fn reply(request: &RecordedRequest) -> Reply {
    if scripted_model::memory_schema(request).is_some() {
        return scripted_model::reply(request);
    }
    let prompt = Prompt::read(request);
    let input = prompt.input().rsplit("] ").next().unwrap_or_default().to_owned();
    let mut calls = input.lines().filter_map(|line| {
        let (name, args) = line.split_once(' ')?;
        if name == "spawn" {
            return Some(json!({"type": "spawn_subagents", "subagents": [{"task": args}]}));
        }
        let args: Value = serde_json::from_str(args).ok()?;
        Some(json!({"type": "tool_call", "name": name, "args": args}))
    });
    let made = request
        .messages()
        .iter()
        .filter(|message| message["role"] == "assistant")
        .count();
    Reply::json(&match calls.nth(made) {
        Some(call) => call,
        None => {
            let before = prompt.conversation().last().copied().unwrap_or("nothing").to_owned();
            json!({"type": "finish", "output": format!("Done. Before: {before}")})
        }
    })
}

async fn started(setup: Setup) -> Bot {
    let setup = setup.set("engine.planning_gate", "off").set("engine.time_zone", "UTC");
    let bot = setup.start().await;
    bot.model.respond_with(reply);
    bot
}

async fn tell(bot: &Bot, chat: Chat, text: &str) -> Sent {
    let before = bot.telegram.sent(chat).len();
    bot.telegram.user_says(chat, 7, text);
    bot.telegram.wait_for_sent(chat, before + 1).await.remove(before)
}

/// The reminders and items that there are.
async fn kept(look: &DbProbe) -> (Vec<String>, Vec<String>) {
    let reminders =
        "SELECT content || ' ' || COALESCE(cron, 'once') || ' ' || COALESCE(next_at, 0) FROM triggers ORDER BY 1";
    let items = "SELECT key || '=' || value FROM memory_items WHERE NOT archived ORDER BY 1";
    (column(&look.db, reminders).await, column(&look.db, items).await)
}

fn labels(sent: &Sent) -> Vec<&str> {
    sent.buttons.iter().map(|(label, _)| label.as_str()).collect()
}

const SET: &str = r#"reminders.set {"when": "every weekday at 8", "text": "stretch"}"#;
const PUT: &str = r#"memory.put {"module": "preferences", "key": "tea", "value": "green"}"#;

#[tokio::test]
async fn each_change_of_a_persons_own_things_is_undone_as_if_it_had_not_been() {
    for setup in [Some(Setup::on(Site::Telegram)), Setup::on(Site::Telegram).postgres()]
        .into_iter()
        .flatten()
    {
        let mut bot = started(setup).await;
        let look = bot.look().await;
        let chat = bot.telegram.user(7, "Ada");
        // The state before, the call that is done and undone, and how that is told.
        let cases = [
            ("hello", SET, "Undone: the reminder “stretch” is removed."),
            (
                SET,
                r#"reminders.update {"id": "stretch", "text": "walk", "when": "every weekday at 9"}"#,
                "Undone: the reminder “stretch” is as it was, next ",
            ),
            (
                SET,
                r#"reminders.remove {"id": "stretch"}"#,
                "Undone: the reminder “stretch” is set again, next ",
            ),
            ("hello", PUT, "Undone: tea is forgotten."),
            (
                PUT,
                r#"memory.put {"module": "preferences", "key": "tea", "value": "black", "level": 2}"#,
                "Undone: tea is “green” again.",
            ),
        ];
        for (first, then, told) in cases {
            tell(&bot, chat, first).await;
            let before = kept(&look).await;
            let answer = tell(&bot, chat, then).await;
            assert_eq!(labels(&answer), ["Undo"], "{then}");
            assert_ne!(kept(&look).await, before, "{then}");
            let undone = tell(&bot, chat, "/undo").await;
            assert!(undone.text.starts_with(told), "{}", undone.text);
            assert_eq!(kept(&look).await, before, "{then}");
            // Once.
            assert_eq!(tell(&bot, chat, "/undo").await.text, "That was undone already.");
            assert_eq!(kept(&look).await, before, "{then}");
            look.run_sql("DELETE FROM triggers").await;
            look.run_sql("DELETE FROM memory_items").await;
            tell(&bot, chat, "/new").await;
        }
        bot.finish().await;
    }
}

#[tokio::test]
async fn telegram_user_presses_undo_and_the_next_prompt_knows_over_a_restart() {
    let mut bot = started(Setup::on(Site::Telegram)).await;
    let chat = bot.telegram.user(7, "Ada");
    // Nothing of one's own is changed here.
    assert_eq!(labels(&tell(&bot, chat, "hello").await), [""; 0]);
    let answer = tell(&bot, chat, &format!("{SET}\n{PUT}")).await;
    assert_eq!(labels(&answer), ["Undo"]);
    bot.until("its delivery", async |look| {
        (look.undelivered().await == 0).then_some(())
    })
    .await;
    bot.kill().await;
    bot.start().await;
    bot.telegram.press(chat, 7, "Undo");
    let sent = bot.telegram.wait_for_sent(chat, 3).await;
    assert_eq!(
        sent[2].text,
        "Undone: tea is forgotten; the reminder “stretch” is removed."
    );
    assert_eq!(kept(&bot.look().await).await, (vec![], vec![]));
    // The model is told.
    let next = tell(&bot, chat, "what do you know?").await;
    assert_eq!(
        next.text,
        "Done. Before: (The user asked me to undo this.) Undone: tea is forgotten; the reminder “stretch” is removed."
    );
    assert_eq!(labels(&next), [""; 0]);
    // Pressed again, it is undone already.
    let (_, data) = &answer.buttons[0];
    bot.telegram.press_old(chat, 7, data);
    let sent = bot.telegram.wait_for_sent(chat, 5).await;
    assert_eq!(sent[4].text, "That was undone already.");
    bot.finish().await;
}

#[tokio::test]
async fn what_a_subagent_remembered_is_undone_by_the_button_below_the_answer() {
    let mut bot = started(Setup::on(Site::Telegram)).await;
    let chat = bot.telegram.user(7, "Ada");
    let answer = tell(&bot, chat, &format!("spawn {PUT}")).await;
    assert_eq!(labels(&answer), ["Undo"]);
    assert_eq!(kept(&bot.look().await).await.1, ["tea=green"]);
    bot.telegram.press(chat, 7, "Undo");
    let sent = bot.telegram.wait_for_sent(chat, 2).await;
    assert_eq!(sent[1].text, "Undone: tea is forgotten.");
    assert_eq!(kept(&bot.look().await).await, (vec![], vec![]));
    bot.finish().await;
}

#[tokio::test]
async fn on_discord_only_its_person_undoes_it_in_a_server() {
    let mut bot = started(Setup::on(Site::Discord)).await;
    let (ada, eve) = (bot.discord.user("Ada"), bot.discord.user("Eve"));
    let guild = bot.discord.guild("Team");
    let channel = bot.discord.channel(guild, "general");
    for user in [ada, eve] {
        bot.discord.join(guild, user, &[]);
    }
    bot.discord
        .user_says(channel, ada, &format!("<@{}> {SET}", bot.discord.bot()));
    let answer = bot.discord.wait_for_sent(channel, 1).await.remove(0);
    let labels: Vec<_> = answer.buttons.iter().map(|(label, _)| label.as_str()).collect();
    assert_eq!(labels, ["Undo"]);
    let look = bot.look().await;
    let id = bot.discord.press(channel, eve, &answer, "Undo");
    let refused = bot.discord.wait_for_replies(id, 1).await.remove(0);
    assert_eq!(refused.content, "Only the person whom I did that for can undo it.");
    assert_eq!(kept(&look).await.0.len(), 1);
    let id = bot.discord.press(channel, ada, &answer, "Undo");
    let undone = bot.discord.wait_for_replies(id, 1).await.remove(0);
    assert_eq!(undone.content, "Undone: the reminder “stretch” is removed.");
    assert_eq!(kept(&look).await.0, [""; 0]);
    bot.finish().await;
}

#[tokio::test]
async fn what_was_changed_since_or_is_long_ago_stays_as_it_is() {
    let mut bot = started(Setup::on(Site::Telegram)).await;
    let look = bot.look().await;
    let chat = bot.telegram.user(7, "Ada");
    tell(&bot, chat, SET).await;
    tell(&bot, chat, PUT).await;
    // By its person's hand.
    look.run_sql("UPDATE memory_items SET value = 'white'").await;
    look.run_sql("UPDATE triggers SET content = 'walk'").await;
    let before = kept(&look).await;
    assert_eq!(
        tell(&bot, chat, "/undo").await.text,
        "Not undone: tea was changed since, and stays as it is."
    );
    let first = bot.telegram.sent(chat).remove(0);
    bot.telegram.press_old(chat, 7, &first.buttons[0].1);
    let sent = bot.telegram.wait_for_sent(chat, 4).await;
    assert_eq!(
        sent[3].text,
        "Not undone: the reminder “stretch” was changed since, and stays as it is."
    );
    assert_eq!(kept(&look).await, before);
    // An hour later nothing is undone any more.
    let answer = tell(
        &bot,
        chat,
        r#"reminders.set {"when": "every weekday at 9", "text": "read"}"#,
    )
    .await;
    look.run_sql("UPDATE run_steps SET created_at = created_at - 3600001")
        .await;
    bot.telegram.press_old(chat, 7, &answer.buttons[0].1);
    let sent = bot.telegram.wait_for_sent(chat, 6).await;
    assert_eq!(
        sent[5].text,
        "That was more than an hour ago, which is too long to undo. Tell me what to change instead."
    );
    assert_eq!(kept(&look).await.0.len(), 2);
    assert_eq!(
        tell(&bot, chat, "/undo nonsense").await.text,
        "I don't know that answer. /undo alone undoes the last one."
    );
    let room = Room::Telegram(bot.telegram.user(8, "Bob"));
    bot.says(room, "/undo");
    assert_eq!(bot.answers(room, 1).await, ["There is nothing to undo."]);
    bot.finish().await;
}
