//! Reminders: set, listed, changed and taken back by talking, and said when their time comes, whatever dies meanwhile.

use std::time::Duration;

use clifford_core::{
    clock::Timestamp,
    schedule::trigger::{Trigger, TriggerKind},
};
use clifford_fakes::openai::{RecordedRequest, Reply};
use clifford_store::triggers::{self, Filter};
use serde_json::{Value, json};

use crate::{
    db_probe::DbProbe,
    harness::{Bot, Room, Setup, Site},
    scripted_model::Prompt,
    store::erasure::column,
};

/// Calls the tool that is asked for, and answers with what it returned.
fn reply(request: &RecordedRequest) -> Reply {
    let input = Prompt::read(request).input().to_owned();
    let result: Value = serde_json::from_str(request.last_text()).unwrap_or_default();
    if let Some(result) = result.get("tool_result") {
        return Reply::json(&json!({"type": "finish", "output": result.to_string()}));
    }
    let (name, args) = match input.split_once(" :: ") {
        Some((when, text)) => ("reminders.set", json!({"when": when, "text": text})),
        None if input == "remind me every weekday at 8 to stretch" => (
            "reminders.set",
            json!({"when": "every weekday at 8", "text": "stretch"}),
        ),
        None if input == "make it nine" => ("reminders.update", json!({"id": "stretch", "when": "at 9"})),
        None if input == "make it saturday" => ("reminders.update", json!({"id": "stretch", "when": "on saturday"})),
        None if input == "never mind" => ("reminders.remove", json!({"id": "stretch"})),
        None => ("reminders.list", json!({})),
    };
    let notes = json!([
        {"category": "requirements", "content": "what was asked"},
        {"category": "plan", "content": "call the tool"},
    ]);
    Reply::json(&json!({"type": "tool_call", "name": name, "args": args, "notes": notes}))
}

/// The bot's answers, reminders left out.
fn spoken(texts: Vec<String>) -> Vec<String> {
    texts.into_iter().filter(|text| !text.starts_with('⏰')).collect()
}

/// Says something and returns what the tool returned for it.
async fn asks(bot: &Bot, room: Room, text: &str) -> Value {
    let mut wanted = bot.texts(room).len() + 1;
    let before = spoken(bot.texts(room)).len();
    bot.says(room, text);
    loop {
        let answers = spoken(bot.answers(room, wanted).await);
        if let Some(answer) = answers.get(before) {
            return serde_json::from_str(answer).unwrap_or_else(|error| panic!("{error}: {answer}"));
        }
        wanted += 1;
    }
}

async fn reminders(look: &DbProbe) -> Vec<Trigger> {
    let filter = Filter {
        kind: Some(TriggerKind::Reminder),
        ..Filter::default()
    };
    let mut all = triggers::page(&mut look.db.read().await.unwrap(), filter, 100)
        .await
        .unwrap();
    all.reverse();
    all
}

async fn talker(setup: Setup) -> (Bot, Room) {
    let bot = setup.set("engine.time_zone", "Europe/Berlin").start().await;
    bot.model.respond_with(reply);
    let room = bot.room(Site::Telegram, 7, "Ada");
    (bot, room)
}

#[tokio::test]
async fn a_reminder_is_set_listed_changed_and_removed_by_talking() {
    let (mut bot, room) = talker(Setup::on(Site::Telegram)).await;
    let look = bot.look().await;
    let set = asks(&bot, room, "remind me every weekday at 8 to stretch").await;
    assert_eq!(
        (&set["success"], &set["result"]["repeats"], &set["result"]["time_zone"]),
        (&json!(true), &json!("every weekday at 08:00"), &json!("Europe/Berlin"))
    );
    let stored = reminders(&look).await.remove(0);
    let channel = look.channels().await.remove(0);
    assert_eq!(
        (
            stored.content.as_str(),
            stored.cron.as_deref(),
            stored.channel_id,
            stored.user_id
        ),
        ("stretch", Some("0 8 * * 1-5"), Some(channel.id), channel.user_id)
    );
    assert!(stored.next_at.is_some_and(|at| at > now()));

    let listed = asks(&bot, room, "what is set?").await;
    assert_eq!(listed["result"], json!({ "reminders": [set["result"]] }));
    let changed = asks(&bot, room, "make it nine").await;
    assert_eq!(changed["result"]["repeats"], "every weekday at 09:00");
    assert_eq!(reminders(&look).await[0].cron.as_deref(), Some("0 9 * * 1-5"));
    let refused = asks(&bot, room, "make it saturday").await;
    assert_eq!(
        refused["error"],
        "It is repeated by 0 9 * * 1-5, which does not have that day: say the days anew, such as every tuesday at 9, or \
         none as how often, for once more only."
    );
    assert_eq!(reminders(&look).await[0].cron.as_deref(), Some("0 9 * * 1-5"));
    asks(&bot, room, "never mind").await;
    assert_eq!(reminders(&look).await, []);
    let again = asks(&bot, room, "never mind").await;
    assert_eq!(again["error"], "there is no reminder stretch; there are none");
    bot.finish().await;
}

/// Sets the reminder that somebody asks for in a shared place, and says so.
fn in_company(request: &RecordedRequest) -> Reply {
    let is_done = request.last_text().contains("tool_result");
    Reply::json(&match Prompt::read(request).input().contains("remind me") {
        true if !is_done => json!({"type": "tool_call", "name": "reminders.set",
            "args": {"when": "every weekday at 8", "text": "stretch"}}),
        true => json!({"type": "finish", "output": "I will."}),
        false => json!({"type": "finish", "output": "Hello."}),
    })
}

#[tokio::test]
async fn where_several_talk_nobody_is_asked_about_what_they_wish_for_themselves() {
    for site in Site::BOTH {
        let mut bot = Setup::on(site).set("engine.planning_gate", "off").start().await;
        bot.model.respond_with(in_company);
        let texts = match site {
            Site::Telegram => {
                let group = bot.telegram.supergroup(-1_001_234, "Team");
                for (id, name) in [(7, "Ada"), (8, "Bob")] {
                    bot.telegram.user(id, name);
                }
                bot.telegram.user_says(group, 8, "@clifford_bot hello");
                bot.telegram.wait_for_sent(group, 1).await;
                bot.telegram
                    .user_says(group, 7, "@clifford_bot remind me every weekday at 8 to stretch");
                let sent = bot.telegram.wait_for_sent(group, 2).await;
                sent.into_iter().map(|sent| sent.text).collect::<Vec<_>>()
            }
            Site::Discord => {
                let (ada, bob) = (bot.discord.user("Ada"), bot.discord.user("Bob"));
                let channel = bot.discord.channel(bot.discord.guild("Team"), "general");
                bot.discord.user_says(channel, bob, "Clifford, hello");
                bot.discord.wait_for_sent(channel, 1).await;
                bot.discord
                    .user_says(channel, ada, "Clifford, remind me every weekday at 8 to stretch");
                let sent = bot.discord.wait_for_sent(channel, 2).await;
                sent.into_iter().map(|sent| sent.content).collect()
            }
        };
        assert_eq!(texts, ["Hello.", "I will."], "{site:?}");
        let set = reminders(&bot.look().await).await;
        assert_eq!(
            set.iter().map(|set| set.content.as_str()).collect::<Vec<_>>(),
            ["stretch"]
        );
        bot.finish().await;
    }
}

#[tokio::test]
async fn a_person_sees_their_own_reminders_and_takes_one_back_by_a_button() {
    let (mut bot, ada) = talker(Setup::on(Site::Telegram)).await;
    let bob = bot.room(Site::Telegram, 8, "Bob");
    asks(&bot, ada, "tomorrow at 8 :: water the roses").await;
    asks(&bot, bob, "tomorrow at 9 :: call Ada").await;
    let listed = asks(&bot, bob, "what is set?").await;
    assert_eq!(listed["result"]["reminders"].as_array().unwrap().len(), 1, "{listed}");
    let Room::Telegram(chat) = ada else {
        panic!("on Telegram")
    };
    bot.says(ada, "/reminders");
    let list = bot.telegram.wait_for_sent(chat, 2).await.remove(1);
    assert!(
        list.text.contains("water the roses") && !list.text.contains("call Ada"),
        "{}",
        list.text
    );
    assert_eq!(list.buttons.len(), 1);
    bot.telegram.press(chat, 7, "Remove: water the roses");
    let sent = bot.telegram.wait_for_sent(chat, 3).await;
    assert_eq!(sent[2].text, "Removed: water the roses");
    let left: Vec<_> = reminders(&bot.look().await)
        .await
        .into_iter()
        .map(|trigger| trigger.content)
        .collect();
    assert_eq!(left, ["call Ada"]);
    bot.finish().await;
}

fn now() -> Timestamp {
    jiff::Timestamp::now().into()
}

#[tokio::test]
async fn reminders_are_said_in_time_and_once() {
    let (mut bot, room) = talker(Setup::on(Site::Telegram)).await;
    for seconds in 2..7 {
        asks(&bot, room, &format!("in {seconds} seconds :: {seconds}")).await;
    }
    let mut said = bot.answers(room, 10).await;
    said.retain(|text| text.starts_with('⏰'));
    said.sort();
    assert_eq!(said, ["⏰ 2", "⏰ 3", "⏰ 4", "⏰ 5", "⏰ 6"]);
    bot.until("the receipts", async |look| {
        (look.undelivered().await == 0).then_some(())
    })
    .await;
    let look = bot.look().await;
    let sql = "SELECT CAST(p.delivered_at - t.next_was AS TEXT) FROM message_parts p
               JOIN messages m ON m.id = p.message_id
               JOIN (SELECT f.due_at AS next_was, t.content FROM trigger_firings f
                     JOIN triggers t ON t.id = f.trigger_id) t ON m.content = '⏰ ' || t.content OR m.content LIKE '⏰ ' || t.content || ' (%'";
    let mut late: Vec<i64> = column(&look.db, sql)
        .await
        .iter()
        .map(|late| late.parse().unwrap())
        .collect();
    late.sort_unstable();
    // The machine may be busy now and then, but not always.
    assert_eq!(late.len(), 5);
    assert!(late[0] >= 0 && late[2] <= 250, "{late:?}");
    assert_eq!(look.count("trigger_firings").await, 5);
    assert_eq!(bot.texts(room).len(), 10);
    bot.finish().await;
}

#[tokio::test]
async fn a_reminder_that_was_set_by_talking_and_missed_is_said_late_or_not_as_is_set() {
    for (catch_up, expected) in [("once", 1), ("skip", 0)] {
        let setup = Setup::on(Site::Telegram)
            .set("triggers.catch_up", catch_up)
            .set("triggers.grace_seconds", 1);
        let (mut bot, room) = talker(setup).await;
        let set = asks(&bot, room, "in 4 seconds :: stretch").await;
        assert_eq!(set["success"], true, "{set}");
        bot.kill().await;
        let look = bot.look().await;
        let due = reminders(&look).await[0].next_at.expect("it is set");
        bot.until("its time to have passed", async |_| {
            (now() > due.after(Duration::from_secs(2))).then_some(())
        })
        .await;
        bot.spawn(None);
        bot.until("the reminder to be over", async |look| {
            (reminders(look).await[0].next_at.is_none() && look.undelivered().await == 0).then_some(())
        })
        .await;
        bot.finish().await;
        let said = bot
            .texts(room)
            .iter()
            .filter(|text| *text == "⏰ stretch" || text.starts_with("⏰ stretch ("))
            .count();
        assert_eq!((said, fired(&look).await.len()), (expected, expected), "{catch_up}");
    }
}

/// The due times that fired, oldest first.
async fn fired(look: &DbProbe) -> Vec<i64> {
    let sql = "SELECT CAST(due_at AS TEXT) FROM trigger_firings ORDER BY due_at";
    column(&look.db, sql)
        .await
        .iter()
        .map(|at| at.parse().unwrap())
        .collect()
}

/// Three reminders that come every day, over a `kill -9` of everybody and three due times of each that nobody sees.
async fn counts_are_exact(setup: Setup, processes: usize, catch_up: &str) {
    let (mut bot, room) = talker(setup).await;
    for _ in 1..processes {
        bot.spawn(None);
    }
    asks(&bot, room, "what is set?").await;
    // Half a day away, so that none comes due by itself meanwhile.
    let daily = format!("0 {} * * *", (jiff::Timestamp::now().as_second() / 3600 + 12) % 24);
    let add = [
        "triggers",
        "add",
        "tick",
        "--reminder",
        "--user",
        "telegram:7",
        "--when",
        "in 1 second",
        "--time-zone",
        "UTC",
        "--repeat",
        &daily,
    ];
    for name in ["one", "two", "three"] {
        bot.command(&[&add[..], &["--name", name, "--catch-up", catch_up]].concat())
            .await;
    }
    bot.until("each to fire", async |look| {
        (fired(look).await.len() >= 3).then_some(())
    })
    .await;
    for _ in 0..processes {
        bot.kill().await;
    }
    let look = bot.look().await;
    let before = fired(&look).await;
    let mut missed = Vec::new();
    for trigger in reminders(&look).await {
        let due = trigger.next_at.map(|at| at.before(Duration::from_secs(3 * 86_400)));
        missed.extend(due.map(|due| due.0));
        let down = Trigger {
            next_at: due,
            ..trigger
        };
        let write = (look.db).write(move |tx| Box::pin(async move { triggers::update(tx, &down, now()).await }));
        assert!(write.await.unwrap());
    }
    for _ in 0..processes {
        bot.spawn(None);
    }
    bot.until("what was missed to be over", async |look| {
        let all = reminders(look).await;
        all.iter().all(|trigger| trigger.next_at > Some(now())).then_some(())
    })
    .await;
    bot.until("the last receipt", async |look| {
        (look.undelivered().await == 0).then_some(())
    })
    .await;
    bot.finish().await;

    if catch_up == "skip" {
        missed.clear();
    }
    missed.extend(&before);
    assert_eq!((before.len(), fired(&look).await), (3, missed));
    let said = column(
        &look.db,
        "SELECT id FROM messages WHERE content = '⏰ tick' OR content LIKE '⏰ tick (%'",
    )
    .await;
    assert_eq!(said.len(), fired(&look).await.len());
}

#[tokio::test]
async fn what_was_missed_while_the_bot_was_down_is_said_once() {
    counts_are_exact(Setup::on(Site::Telegram), 1, "once").await;
}

#[tokio::test]
async fn what_was_missed_while_the_bot_was_down_is_skipped_if_so_set() {
    counts_are_exact(Setup::on(Site::Telegram), 1, "skip").await;
}

#[tokio::test]
async fn two_processes_fire_each_due_time_once_and_what_they_missed_once() {
    if let Some(setup) = Setup::on(Site::Telegram).postgres() {
        counts_are_exact(setup, 2, "once").await;
    }
}
