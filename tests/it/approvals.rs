//! Approvals: a run asks before it makes a call, and goes on with what its person says, whatever happens meanwhile.

mod again;
mod always;
mod meanwhile;
mod places;
mod settled;
mod shown;
mod together;
pub mod transcripts;
mod unasked;
mod words;

use clifford_core::runs::{Run, RunStatus, WakeReason};
use clifford_fakes::{
    openai::{RecordedRequest, Reply},
    telegram::{Chat, Sent},
};
use serde_json::{Value, json};

use crate::{
    harness::{Bot, Setup, Site},
    scripted_model::{self, Prompt},
};

/// A bot that must ask before it remembers anything.
pub fn asking(site: Site) -> Setup {
    let rule = toml::Table::from_iter([
        ("action".to_owned(), "confirm".into()),
        ("tools".to_owned(), vec![toml::Value::from("memory.put")].into()),
        ("reason".to_owned(), "what is remembered stays".into()),
    ]);
    Setup::on(site)
        .set("engine.planning_gate", "off")
        .set("policies", vec![toml::Value::from(rule)])
}

/// Remembers what follows "drinks", then says so, with what it is told meanwhile.
pub fn remembers(request: &RecordedRequest) -> Reply {
    let asked = scripted_model::memory_schema(request)
        .is_none()
        .then(|| Prompt::read(request));
    match asked.as_ref().and_then(|prompt| prompt.input().split_once("drinks ")) {
        Some((_, drink)) => Reply::json(&remembered(drink, request.messages())),
        None => scripted_model::reply(request),
    }
}

fn remembered(drink: &str, messages: &[Value]) -> Value {
    let text = |message: &Value| message["content"].as_str().unwrap_or_default().to_owned();
    let last = messages.last().map(text).unwrap_or_default();
    if messages.iter().all(|message| message["role"] != "assistant") {
        json!({"type": "tool_call", "name": "memory.put",
            "args": {"module": "preferences", "key": "drink", "value": drink}})
    } else if last.contains("denied") {
        json!({"type": "finish", "output": "Then I will not."})
    } else {
        let entries = messages.iter().filter(|message| message["role"] == "user").map(text);
        let heard = entries.filter_map(|entry| {
            serde_json::from_str::<Value>(&entry).ok()?["user_message"]
                .as_str()
                .map(str::to_owned)
        });
        let all = std::iter::once(drink.to_owned())
            .chain(heard)
            .collect::<Vec<_>>()
            .join("; ");
        json!({"type": "finish", "output": format!("I know now: {all}.")})
    }
}

const NOT_THEIRS: &str = "Only the person I asked, or somebody who manages this place, can answer that.";

async fn started(setup: Setup) -> Bot {
    let bot = setup.start().await;
    bot.model.respond_with(remembers);
    bot
}

/// Says something on Telegram, and returns what the bot sends next.
async fn tell(bot: &Bot, chat: Chat, user: i64, text: &str) -> Sent {
    let before = bot.telegram.sent(chat).len();
    bot.telegram.user_says(chat, user, text);
    bot.telegram.wait_for_sent(chat, before + 1).await.remove(before)
}

/// The bot's messages in a chat, in order.
async fn said(bot: &Bot, chat: Chat, count: usize) -> Vec<String> {
    let sent = bot.telegram.wait_for_sent(chat, count).await;
    sent.into_iter().map(|sent| sent.text).collect()
}

/// Presses a button below a question as it was shown, though it may be gone by now.
fn press_shown(bot: &Bot, chat: Chat, user: i64, question: &Sent, label: &str) {
    let button = question.buttons.iter().find(|(text, _)| text == label);
    let (_, data) = button.expect("a button that was shown");
    bot.telegram.press_old(chat, user, data);
}

async fn runs(bot: &Bot, count: usize, status: RunStatus) -> Vec<Run> {
    bot.until("the runs", async |look| {
        let runs = look.runs().await;
        (runs.len() == count && runs.iter().all(|run| run.status == status)).then_some(runs)
    })
    .await
}

async fn kept(bot: &Bot) -> i64 {
    bot.look().await.count("memory_items").await
}

#[tokio::test]
async fn telegram_user_approves_with_a_button_and_the_call_is_made_once() {
    for setup in [Some(asking(Site::Telegram)), asking(Site::Telegram).postgres()]
        .into_iter()
        .flatten()
    {
        let mut bot = started(setup).await;
        let chat = bot.telegram.user(7, "Ada");
        let question = tell(&bot, chat, 7, "Ada drinks tea").await;
        let labels: Vec<_> = question.buttons.iter().map(|(label, _)| label.as_str()).collect();
        assert_eq!(labels, ["Approve", "Deny"]);
        for part in [
            "memory.put",
            "value: \"tea\"",
            "What is remembered stays.",
            "← your message",
            "within 24 hours",
        ] {
            assert!(question.text.contains(part), "{}", question.text);
        }
        let run = runs(&bot, 1, RunStatus::Waiting).await.remove(0);
        assert_eq!((kept(&bot).await, run.wake_reason), (0, Some(WakeReason::ToolConfirm)));
        let query = bot.telegram.press(chat, 7, "Approve");
        let mut texts = said(&bot, chat, 3).await.split_off(1);
        texts.sort();
        assert_eq!(texts, ["Approved: memory.put.", "I know now: tea."]);
        assert_eq!(kept(&bot).await, 1);
        // Pressed again it is settled; delivered again it is a repeat.
        bot.telegram.press_again(&query);
        press_shown(&bot, chat, 7, &question, "Deny");
        let texts = said(&bot, chat, 4).await;
        assert!(texts[3].starts_with("That is settled already"), "{}", texts[3]);
        let steps = bot.look().await.steps(run.id).await;
        let asked: Vec<_> = steps
            .iter()
            .map(String::as_str)
            .skip_while(|step| *step != "confirm_request")
            .collect();
        assert_eq!(
            asked,
            [
                "confirm_request",
                "confirm",
                "tool_call",
                "tool_result",
                "llm_request",
                "llm_response",
                "finish"
            ]
        );
        bot.telegram.wait_for_answers().await;
        bot.finish().await;
    }
}

#[tokio::test]
async fn discord_user_denies_with_a_button_and_the_run_ends_where_that_is_set() {
    let mut bot = started(asking(Site::Discord).set("policy.on_deny", "finish")).await;
    let user = bot.discord.user("Ada");
    let dm = bot.discord.dm(user);
    bot.discord.user_says(dm, user, "Ada drinks tea");
    let question = bot.discord.wait_for_sent(dm, 1).await.remove(0);
    bot.discord.press(dm, user, &question, "Deny");
    runs(&bot, 1, RunStatus::Completed).await;
    bot.discord
        .wait_for("the ending", |fake| {
            let said = "I did not use the tool memory.put, since that was denied.";
            fake.sent(dm).iter().any(|sent| sent.content == said).then_some(())
        })
        .await;
    assert_eq!(kept(&bot).await, 0);
    bot.finish().await;
}

#[tokio::test]
async fn a_denied_run_goes_on_without_the_call() {
    let mut bot = started(asking(Site::Telegram)).await;
    let chat = bot.telegram.user(7, "Ada");
    tell(&bot, chat, 7, "Ada drinks tea").await;
    bot.telegram.user_says(chat, 7, "/deny");
    let mut texts = said(&bot, chat, 3).await.split_off(1);
    texts.sort();
    assert_eq!(texts, ["Denied: memory.put.", "Then I will not."]);
    assert_eq!(kept(&bot).await, 0);
    bot.finish().await;
}

#[tokio::test]
async fn a_strangers_press_is_refused_and_the_person_is_still_asked() {
    let mut bot = started(asking(Site::Telegram)).await;
    bot.telegram.user(7, "Ada");
    bot.telegram.user(8, "Eve");
    let group = bot.telegram.supergroup(-1_001_234, "Team");
    tell(&bot, group, 7, "@clifford_bot Ada drinks tea").await;
    let query = bot.telegram.press(group, 8, "Approve");
    let told = bot.telegram.wait_until("the refusal", |fake| fake.told(&query)).await;
    assert_eq!(told, NOT_THEIRS);
    bot.telegram.wait_for_confirmed().await;
    // Nobody else hears of it.
    assert_eq!(said(&bot, group, 1).await.len(), 1);
    runs(&bot, 1, RunStatus::Waiting).await;
    bot.telegram.press(group, 7, "Approve");
    runs(&bot, 1, RunStatus::Completed).await;
    assert_eq!(kept(&bot).await, 1);
    bot.telegram.wait_for_answers().await;
    bot.finish().await;
}

#[tokio::test]
async fn a_strangers_press_on_discord_is_refused_to_them_alone() {
    let mut bot = started(asking(Site::Discord)).await;
    let (ada, eve) = (bot.discord.user("Ada"), bot.discord.user("Eve"));
    let channel = bot.discord.channel(bot.discord.guild("Team"), "general");
    let own = format!("<@{}>", bot.discord.bot());
    bot.discord.user_says(channel, ada, &format!("{own} Ada drinks tea"));
    let question = bot.discord.wait_for_sent(channel, 1).await.remove(0);
    let pressed = bot.discord.press(channel, eve, &question, "Approve");
    let told = bot.discord.wait_for_replies(pressed, 1).await.remove(0);
    assert_eq!(told.content, NOT_THEIRS);
    assert!(bot.discord.is_ephemeral(channel, told.id));
    assert!(!bot.discord.is_thinking(pressed));
    runs(&bot, 1, RunStatus::Waiting).await;
    let pressed = bot.discord.press(channel, ada, &question, "Approve");
    let told = bot.discord.wait_for_replies(pressed, 1).await.remove(0);
    assert!(!bot.discord.is_ephemeral(channel, told.id));
    runs(&bot, 1, RunStatus::Completed).await;
    let sent = bot.discord.wait_for_sent(channel, 2).await;
    assert_eq!((kept(&bot).await, sent.len()), (1, 2));
    bot.finish().await;
}

#[tokio::test]
async fn a_question_and_its_answer_survive_kill_9() {
    let setup = asking(Site::Telegram);
    let mut bot = setup.prepare().await;
    bot.model.respond_with(remembers);
    let chat = bot.telegram.user(7, "Ada");
    bot.start().await;
    tell(&bot, chat, 7, "Ada drinks tea").await;
    runs(&bot, 1, RunStatus::Waiting).await;
    bot.kill().await;
    // It is pressed, and dies again with the call in its hands.
    bot.start_crashing("tool_call_recorded").await;
    bot.telegram.press(chat, 7, "Approve");
    bot.crashed().await;
    bot.start().await;
    runs(&bot, 1, RunStatus::Completed).await;
    bot.telegram
        .wait_until("the answer", |fake| {
            fake.sent(chat)
                .iter()
                .any(|sent| sent.text == "I know now: tea.")
                .then_some(())
        })
        .await;
    assert_eq!(kept(&bot).await, 1);
    bot.telegram.wait_for_answers().await;
    bot.finish().await;
}

#[tokio::test]
async fn what_nobody_answers_in_time_counts_as_denied() {
    let setup = asking(Site::Telegram)
        .set("policy.on_deny", "finish")
        .set("policy.confirm_timeout_hours", 0.0002);
    let mut bot = started(setup).await;
    let chat = bot.telegram.user(7, "Ada");
    tell(&bot, chat, 7, "Ada drinks tea").await;
    let texts = said(&bot, chat, 2).await;
    assert_eq!(
        texts[1],
        "I did not use the tool memory.put, since nobody approved that in time."
    );
    assert_eq!(
        (kept(&bot).await, runs(&bot, 1, RunStatus::Completed).await.len()),
        (0, 1)
    );
    bot.finish().await;
}

#[tokio::test]
async fn always_is_a_rule_for_this_person_and_conversation() {
    let mut setup = asking(Site::Telegram);
    // A rule of chat goes before one of the file only if that lets it.
    setup = setup.set("policies", Vec::<toml::Value>::new());
    let mut bot = started(setup).await;
    let rule = [
        "policy",
        "add",
        "confirm",
        "--tool",
        "memory.put",
        "--priority",
        "-5",
        "--json",
    ];
    let made: Value = serde_json::from_str(&bot.command(&rule).await).unwrap();
    let chat = bot.telegram.user(7, "Ada");
    tell(&bot, chat, 7, "Ada drinks tea").await;
    bot.telegram.press(chat, 7, "Always here");
    let mut texts = said(&bot, chat, 3).await.split_off(1);
    texts.sort();
    let told = "Approved: memory.put. In this conversation I will not ask you again before I use it.";
    assert_eq!(texts, [told, "I know now: tea."]);
    assert_eq!(
        tell(&bot, chat, 7, "Ada drinks coffee").await.text,
        "I know now: coffee."
    );
    // In another conversation it is asked again.
    tell(&bot, chat, 7, "/new").await;
    assert!(
        tell(&bot, chat, 7, "Ada drinks milk")
            .await
            .text
            .contains("value: \"milk\"")
    );
    let list: Value = serde_json::from_str(&bot.command(&["policy", "list", "--json"]).await).unwrap();
    let names: Vec<_> = list
        .as_array()
        .unwrap()
        .iter()
        .map(|rule| rule["rule"]["name"].as_str().unwrap())
        .collect();
    assert!(names.contains(&"memory.put, approved in chat"), "{names:?}");
    let tried = bot.command(&["policy", "test", "memory.put", "--json"]).await;
    let tried: Value = serde_json::from_str(&tried).unwrap();
    assert_eq!((&tried["outcome"], &tried["rule"]), (&json!("confirm"), &made["id"]));
    bot.command(&["policy", "remove", made["id"].as_str().unwrap()]).await;
    let tried = bot
        .command(&["policy", "test", "memory.put", "--shared", "--tainted", "--json"])
        .await;
    let tried: Value = serde_json::from_str(&tried).unwrap();
    assert_eq!(
        (&tried["outcome"], &tried["rule"]),
        (&json!("confirm"), &json!("built-in:own"))
    );
    bot.telegram.wait_for_answers().await;
    bot.finish().await;
}

#[tokio::test]
async fn whoever_waits_for_an_answer_blocks_nobody() {
    let mut bot = started(asking(Site::Telegram)).await;
    let chat = bot.telegram.user(7, "Ada");
    tell(&bot, chat, 7, "Ada drinks tea").await;
    assert_eq!(tell(&bot, chat, 7, "hello").await.text, "You said: hello");
    // Approved while another run is at work, it goes on when that has ended.
    let hold = bot.model.hold();
    let requests = bot.model.request_count();
    bot.telegram.user_says(chat, 7, "more");
    bot.model.wait_for_requests(requests + 1).await;
    bot.telegram.press(chat, 7, "Approve");
    bot.telegram.wait_for_answers().await;
    assert_eq!(kept(&bot).await, 0);
    hold.release();
    runs(&bot, 3, RunStatus::Completed).await;
    assert_eq!(kept(&bot).await, 1);
    bot.finish().await;
}

#[tokio::test]
async fn the_operator_lists_and_answers_what_is_asked_and_stop_settles_it() {
    let mut bot = started(asking(Site::Telegram)).await;
    let chat = bot.telegram.user(7, "Ada");
    tell(&bot, chat, 7, "Ada drinks tea").await;
    let listed = bot.command(&["runs", "list", "--status", "waiting", "--json"]).await;
    let listed: Value = serde_json::from_str(&listed).unwrap();
    let id = listed[0]["id"].as_str().unwrap().to_owned();
    assert_eq!(listed[0]["wakeReason"], "tool_confirm");
    let shown = bot.command(&["runs", "show", &id]).await;
    assert!(shown.contains("what is remembered stays"), "{shown}");
    bot.command(&["runs", "approve", &id]).await;
    assert_eq!(said(&bot, chat, 2).await[1], "I know now: tea.");
    let question = tell(&bot, chat, 7, "Ada drinks coffee").await;
    assert_eq!(tell(&bot, chat, 7, "/stop").await.text, "Stopped.");
    press_shown(&bot, chat, 7, &question, "Approve");
    let texts = said(&bot, chat, 5).await;
    assert!(texts[4].starts_with("That is settled already"), "{}", texts[4]);
    assert_eq!(kept(&bot).await, 1);
    bot.telegram.wait_for_answers().await;
    bot.finish().await;
}
