//! A question is answered by whoever has read it: it is delivered at once, whichever run of a tree asks, and a bare
//! `/approve` answers nothing that was not shown in the chat.

use clifford_core::runs::RunStatus;
use clifford_fakes::openai::{RecordedRequest, Reply};
use serde_json::json;

use super::{asking, kept, runs, said, started, tell};
use crate::{
    harness::{Bot, Setup, Site},
    scripted_model::{self, Prompt},
};

/// Has a helper of a helper remember something.
fn delegates(request: &RecordedRequest) -> Reply {
    if let Some(memory) = scripted_model::memory(request) {
        return Reply::json(&memory);
    }
    let has_replied = request.messages().iter().any(|message| message["role"] == "assistant");
    let spawn = |task: &str| json!({"type": "spawn_subagent", "subagent": {"task": task}});
    Reply::json(&match (Prompt::read(request).input(), has_replied) {
        ("remember by others", false) => spawn("have it kept"),
        ("have it kept", false) => spawn("keep it"),
        ("keep it", false) => json!({"type": "tool_call", "name": "memory.put",
            "args": {"module": "preferences", "key": "drink", "value": "tea"}}),
        _ => json!({"type": "finish", "output": "It is kept."}),
    })
}

#[tokio::test]
async fn what_a_subagent_of_a_subagent_asks_is_delivered_at_once_and_then_approved() {
    for setup in [Some(asking(Site::Telegram)), asking(Site::Telegram).postgres()]
        .into_iter()
        .flatten()
    {
        let mut bot = setup.start().await;
        bot.model.respond_with(delegates);
        let chat = bot.telegram.user(7, "Ada");
        let question = tell(&bot, chat, 7, "remember by others").await;
        assert!(
            question.text.contains("memory.put") && question.text.contains("value: \"tea\""),
            "{}",
            question.text
        );
        let labels: Vec<_> = question.buttons.iter().map(|(label, _)| label.as_str()).collect();
        assert_eq!(labels, ["Approve", "Deny"]);
        assert_eq!(
            bot.logged("that this process holds but does not"),
            0,
            "nobody had to look for it"
        );
        assert_eq!(kept(&bot).await, 0);
        bot.telegram.user_says(chat, 7, "/approve");
        let mut texts = said(&bot, chat, 3).await.split_off(1);
        texts.sort();
        assert_eq!(texts, ["Approved: memory.put.", "It is kept."]);
        assert_eq!(kept(&bot).await, 1);
        bot.finish().await;
    }
}

/// Makes it as if what showed a question had never come.
async fn never_came(bot: &Bot) {
    bot.until("what was sent to be marked", async |look| {
        (look.undelivered().await == 0).then_some(())
    })
    .await;
    let look = bot.look().await;
    look.run_sql("UPDATE messages SET status = 'failed' WHERE metadata LIKE '%question%'")
        .await;
}

#[tokio::test]
async fn a_bare_approve_shows_what_was_not_shown_and_answers_it_only_then() {
    let mut bot = started(asking(Site::Telegram)).await;
    let chat = bot.telegram.user(7, "Ada");
    tell(&bot, chat, 7, "Ada drinks tea").await;
    runs(&bot, 1, RunStatus::Waiting).await;
    never_came(&bot).await;
    for answer in ["/approve", "/deny"] {
        let shown = tell(&bot, chat, 7, answer).await;
        assert!(
            shown.text.starts_with("You have not seen this question yet.") && shown.text.contains("value: \"tea\""),
            "{}",
            shown.text
        );
        assert_eq!(shown.buttons.len(), 2);
        if answer == "/approve" {
            never_came(&bot).await;
        }
    }
    assert_eq!(kept(&bot).await, 0);
    bot.telegram.user_says(chat, 7, "/approve");
    let mut texts = said(&bot, chat, 5).await.split_off(3);
    texts.sort();
    assert_eq!(texts, ["Approved: memory.put.", "I know now: tea."]);
    bot.finish().await;
}

#[tokio::test]
async fn several_questions_are_listed_so_that_one_can_be_named_and_no_more_than_five_are_open() {
    let mut bot = started(asking(Site::Telegram)).await;
    let chat = bot.telegram.user(7, "Ada");
    let drinks = ["tea", "milk", "wine", "beer", "rum"];
    for drink in drinks {
        let question = tell(&bot, chat, 7, &format!("Ada drinks {drink}")).await;
        assert!(question.text.contains("May I do this?"), "{}", question.text);
    }
    let listed = tell(&bot, chat, 7, "/approve").await.text;
    assert!(
        listed.starts_with("5 questions are open here, all shown above."),
        "{listed}"
    );
    assert!(drinks.iter().all(|drink| listed.contains(drink)), "{listed}");
    let (_, behind) = listed.split_once("milk").expect("the second");
    let (_, behind) = behind.split_once("/approve ").expect("its code");
    let code: String = behind.chars().take_while(char::is_ascii_hexdigit).collect();
    // A sixth is not asked: the run is told.
    let told = tell(&bot, chat, 7, "Ada drinks gin").await.text;
    assert!(!told.contains("May I do this?"), "{told}");
    assert_eq!(kept(&bot).await, 0);
    let approved = tell(&bot, chat, 7, &format!("/approve {code}")).await.text;
    assert!(
        approved == "Approved: memory.put." || approved == "I know now: milk.",
        "{approved}"
    );
    said(&bot, chat, 9).await;
    assert_eq!(kept(&bot).await, 1);
    bot.finish().await;
}

#[tokio::test]
async fn who_presses_what_is_not_theirs_is_told_alone_each_time() {
    let mut bot = started(asking(Site::Telegram)).await;
    bot.telegram.user(7, "Ada");
    bot.telegram.user(8, "Eve");
    let group = bot.telegram.supergroup(-1_001_234, "Team");
    tell(&bot, group, 7, "@clifford_bot Ada drinks tea").await;
    for _ in 0..3 {
        let query = bot.telegram.press(group, 8, "Approve");
        let told = bot.telegram.wait_until("the refusal", |fake| fake.told(&query)).await;
        assert!(told.starts_with("Only the person I asked"), "{told}");
    }
    bot.telegram.press(group, 7, "Deny");
    let texts = said(&bot, group, 3).await;
    assert!(!texts.concat().contains("Only the person I asked"), "{texts:?}");
    assert_eq!(kept(&bot).await, 0);
    bot.finish().await;
}

#[tokio::test]
async fn a_message_of_an_inline_bot_asks_and_never_commands() {
    let mut bot = Setup::on(Site::Telegram)
        .set("engine.planning_gate", "off")
        .start()
        .await;
    bot.model.respond_with(super::remembers);
    let chat = bot.telegram.user(7, "Ada");
    let via = json!({"id": 99, "is_bot": true, "first_name": "Gif", "username": "gif"});
    bot.telegram
        .user_sends(chat, 7, json!({"text": "Ada drinks tea", "via_bot": via}));
    let question = bot.telegram.wait_for_sent(chat, 1).await.remove(0);
    assert!(question.text.contains("May I do this? memory.put"), "{}", question.text);
    let command = json!({"text": "/approve", "via_bot": via,
        "entities": [{ "type": "bot_command", "offset": 0, "length": 8 }]});
    bot.telegram.user_sends(chat, 7, command);
    assert_ne!(
        bot.telegram.wait_for_sent(chat, 2).await.remove(1).text,
        "Approved: memory.put."
    );
    assert_eq!(kept(&bot).await, 0);
    bot.finish().await;
}

#[tokio::test]
async fn names_and_links_to_people_that_the_model_writes_ping_nobody() {
    let mut bot = Setup::on(Site::Telegram)
        .set("engine.planning_gate", "off")
        .start()
        .await;
    bot.model.respond_with(|request| match scripted_model::memory(request) {
        Some(memory) => Reply::json(&memory),
        None => Reply::json(&json!({"type": "finish",
            "output": "[Ada](tg://user?id=7) and @ada, @**bob**, `@code`, ada@example.com"})),
    });
    let chat = bot.telegram.user(7, "Ada");
    let sent = tell(&bot, chat, 7, "hello").await;
    assert_eq!(sent.text, "Ada and @\u{2060}ada, @\u{2060}bob, @code, ada@example.com");
    bot.finish().await;
}
