//! Questions from chats of Telegram that the bot is no member of.

use clifford_fakes::{
    openai::Reply,
    telegram::{Chat, Fault, Method},
};
use serde_json::json;

use crate::{
    harness::{Bot, Setup, Site},
    scripted_model::Prompt,
};

fn answers(text: &str) -> Reply {
    Reply::text(json!({"type": "send_message", "message": text}).to_string())
}

#[tokio::test]
async fn a_guest_is_answered_where_it_asks_and_nothing_private_is_known_there() {
    for setup in [Some(Setup::on(Site::Telegram)), Setup::on(Site::Telegram).postgres()]
        .into_iter()
        .flatten()
    {
        let mut bot = setup.start().await;
        let (ada, _) = (bot.telegram.user(7, "Ada"), bot.telegram.user(8, "Bob"));
        bot.telegram.user_says(ada, 7, "my secret is PINEAPPLE");
        bot.telegram.wait_for_sent(ada, 1).await;
        let chat = bot.telegram.foreign_group(-1_009_999, "Elsewhere");
        bot.telegram.guest_asks(chat, 7, "@clifford_bot what is it?");
        let sent = bot.telegram.wait_for_sent(chat, 1).await.remove(0);
        assert_eq!(
            (sent.method, sent.text.as_str()),
            (Method::AnswerGuestQuery, "You said: [Ada] what is it?")
        );
        // Each person's questions there are a conversation, and none of somebody else.
        bot.telegram.guest_asks(chat, 7, "@clifford_bot and then?");
        bot.telegram.wait_for_sent(chat, 2).await;
        bot.telegram.guest_asks(chat, 8, "@clifford_bot hello");
        bot.telegram.wait_for_sent(chat, 3).await;
        let requests = bot.model.requests();
        let asked: Vec<_> = requests[1..].iter().map(|request| Prompt::read(request)).collect();
        assert_eq!(
            asked[1].conversation(),
            ["[Ada] what is it?", "You said: [Ada] what is it?"]
        );
        assert_eq!(asked[2].conversation(), [""; 0]);
        assert!(
            requests[1..]
                .iter()
                .all(|request| !request.body.to_string().contains("PINEAPPLE"))
        );
        // A command is answered there as well.
        bot.telegram.guest_asks(chat, 7, "@clifford_bot /whoami");
        let sent = bot.telegram.wait_for_sent(chat, 4).await.remove(3);
        assert!(
            sent.method == Method::AnswerGuestQuery && sent.text.contains("Ada"),
            "{sent:?}"
        );
        // Nothing else was tried in a chat where the bot may not write.
        let requests = bot.telegram.requests();
        assert!(!requests.iter().any(|request| request.params["chat_id"] == chat.id));
        bot.finish().await;
    }
}

#[tokio::test]
async fn a_stranger_in_a_chat_elsewhere_is_told_why_they_are_not_answered() {
    for access in ["pairing", "allowlist"] {
        let setup = Setup::on(Site::Telegram).set("channels.telegram.access", access);
        let mut bot = setup.set("channels.telegram.allow", vec![77]).start().await;
        bot.telegram.user(7, "Eve");
        let chat = bot.telegram.foreign_group(-1_009_999, "Elsewhere");
        for (number, asked) in (1..).zip(["what is 2+2?", "/help"]) {
            bot.telegram.guest_asks(chat, 7, &format!("@clifford_bot {asked}"));
            let sent = bot.telegram.wait_for_sent(chat, number).await.pop().unwrap();
            assert_eq!(
                (sent.method, sent.text.as_str()),
                (Method::AnswerGuestQuery, "I only answer people whom my owner knows."),
                "{access} {asked}"
            );
        }
        let requests = bot.telegram.requests();
        assert!(!requests.iter().any(|request| request.params["chat_id"] == chat.id));
        bot.finish().await;
        assert_eq!(bot.model.requests().len(), 0);
    }
}

#[tokio::test]
async fn nobody_asks_telegram_who_manages_a_chat_that_the_bot_is_no_member_of() {
    let mut bot = Setup::on(Site::Telegram).start().await;
    bot.telegram.user(7, "Ada");
    let chat = bot.telegram.foreign_group(-1_009_999, "Elsewhere");
    bot.telegram.guest_asks(chat, 7, "@clifford_bot /settings");
    let sent = bot.telegram.wait_for_sent(chat, 1).await.remove(0);
    assert_eq!(
        sent.text,
        "Only people who manage this place can see and change its settings."
    );
    bot.finish().await;
    assert_eq!(bot.logged("failed to look up a channel's managers"), 0);
}

#[tokio::test]
async fn a_guest_is_answered_once_though_the_process_is_killed_before() {
    let mut bot = Setup::on(Site::Telegram).start().await;
    bot.telegram.user(7, "Ada");
    let chat = bot.telegram.foreign_group(-1_009_999, "Elsewhere");
    bot.kill().await;
    bot.start_crashing("before_model_call").await;
    bot.telegram.guest_asks(chat, 7, "@clifford_bot hello");
    bot.crashed().await;
    assert_eq!(bot.telegram.sent(chat), []);
    bot.start().await;
    let sent = bot.telegram.wait_for_sent(chat, 1).await.remove(0);
    assert_eq!(sent.text, "You said: [Ada] hello");
    bot.finish().await;
    assert_eq!(bot.telegram.sent(chat).len(), 1);
}

#[tokio::test]
async fn a_long_answer_to_a_guest_is_one_rich_message_or_its_beginning() {
    let mut bot = Setup::on(Site::Telegram)
        .set("engine.planning_gate", "off")
        .start()
        .await;
    bot.telegram.user(7, "Ada");
    let chat = bot.telegram.foreign_group(-1_009_999, "Elsewhere");
    let long = "a line of words\n\n".repeat(400);
    bot.model.push(answers(&long));
    bot.telegram.guest_asks(chat, 7, "@clifford_bot tell me");
    let sent = bot.telegram.wait_for_sent(chat, 1).await.remove(0);
    assert_eq!(sent.text.matches("a line of words").count(), 400);
    let refused = Fault::Refuse(400, "Bad Request: RICH_VALIDATE_CTOR_NOT_ALLOWED".to_owned());
    bot.telegram.fail_next(Method::AnswerGuestQuery, refused);
    bot.model.push(answers(&long));
    bot.telegram.guest_asks(chat, 7, "@clifford_bot tell me again");
    let sent = bot.telegram.wait_for_sent(chat, 2).await.remove(1);
    assert!(
        sent.text.starts_with("a line of words") && sent.text.ends_with('…'),
        "{sent:?}"
    );
    bot.finish().await;
}

#[tokio::test]
async fn a_reminder_that_a_guest_sets_comes_in_private_or_is_refused_at_once() {
    for setup in [Some(Setup::on(Site::Telegram)), Setup::on(Site::Telegram).postgres()]
        .into_iter()
        .flatten()
    {
        let setup = setup.set("engine.planning_gate", "off").set("memory.enabled", false);
        let mut bot = setup.start().await;
        bot.model.respond_with(|request| {
            if request.last_text().contains("tool_result") {
                return Reply::json(&json!({"type": "finish", "output": request.last_text()}));
            }
            let args = json!({"when": "in 1 second", "text": "stretch"});
            match Prompt::read(request).input().contains("remind me") {
                true => Reply::json(&json!({"type": "tool_call", "name": "reminders.set", "args": args})),
                false => Reply::json(&json!({"type": "finish", "output": "hello"})),
            }
        });
        let (ada, _) = (bot.telegram.user(7, "Ada"), bot.telegram.user(8, "Bob"));
        let chat = bot.telegram.foreign_group(-1_009_999, "Elsewhere");
        bot.telegram.user_says(ada, 7, "hi");
        bot.telegram.wait_for_sent(ada, 1).await;
        bot.telegram.guest_asks(chat, 7, "@clifford_bot remind me");
        let told = bot.telegram.wait_for_sent(ada, 2).await.remove(1);
        assert!(told.text.starts_with("⏰ stretch"), "{told:?}");
        bot.telegram.wait_for_sent(chat, 1).await;
        bot.telegram.guest_asks(chat, 8, "@clifford_bot remind me");
        let refused = bot.telegram.wait_for_sent(chat, 2).await.remove(1);
        assert!(refused.text.contains("there is no chat with this user"), "{refused:?}");
        bot.finish().await;
    }
}

#[tokio::test]
async fn what_waited_for_an_approval_is_added_to_the_answer() {
    approved_below_the_question(false).await;
}

#[tokio::test]
async fn what_is_said_after_a_restart_is_added_to_the_answer() {
    approved_below_the_question(true).await;
}

#[tokio::test]
async fn what_stands_around_a_question_stays_though_it_is_settled_after_a_restart() {
    for killed in [false, true] {
        let rule: toml::Table = "action = 'confirm'\nreason = 'it costs'\ntools = ['compute.eval']"
            .parse()
            .unwrap();
        let setup = Setup::on(Site::Telegram).set("engine.planning_gate", "off");
        let mut bot = setup.set("policies", vec![toml::Value::from(rule)]).start().await;
        bot.telegram.user(7, "Ada");
        let chat = bot.telegram.foreign_group(-1_009_999, "Elsewhere");
        for sum in ["6*7", "42+1"] {
            let call = json!({"type": "tool_call", "name": "compute.eval", "args": {"expression": sum}});
            bot.model.push(Reply::text(call.to_string()));
        }
        bot.model.push(answers("It is 43."));
        bot.telegram.guest_asks(chat, 7, "@clifford_bot how much?");
        bot.telegram.wait_for_sent(chat, 1).await;
        bot.telegram.guest_asks(chat, 7, "@clifford_bot /approve");
        stand(&bot, chat, &["6*7", "Approved", "42+1", "/approve"]).await;
        if killed {
            bot.until("that all was shown", async |look| {
                let waiting = "SELECT id FROM messages WHERE direction = 'outbound' AND status <> 'delivered'";
                look.texts(waiting).await.is_empty().then_some(())
            })
            .await;
            bot.kill().await;
            bot.start().await;
        }
        bot.telegram.guest_asks(chat, 7, "@clifford_bot /approve");
        stand(&bot, chat, &["6*7", "Approved", "42+1", "Approved", "It is 43."]).await;
        let text = bot.telegram.sent(chat).remove(0).text;
        assert!(!text.contains("/approve") && text.matches("6*7").count() == 1, "{text}");
        bot.finish().await;
    }
}

/// Waits until the first answer says these, one behind the other.
async fn stand(bot: &Bot, chat: Chat, parts: &[&str]) {
    let are_there = |text: &str| {
        let mut rest = Some(text);
        for part in parts {
            rest = rest.and_then(|rest| rest.split_once(part)).map(|(_, behind)| behind);
        }
        rest.is_some()
    };
    bot.telegram
        .wait_until(&format!("{parts:?}"), |fake| {
            are_there(&fake.sent(chat).remove(0).text).then_some(())
        })
        .await;
}

/// A guest's run asks, and goes on in the same message; `killed`: by another process.
async fn approved_below_the_question(killed: bool) {
    let rule: toml::Table = "action = 'confirm'\nreason = 'it costs'\ntools = ['compute.eval']"
        .parse()
        .unwrap();
    let setup = Setup::on(Site::Telegram).set("engine.planning_gate", "off");
    let mut bot = setup.set("policies", vec![toml::Value::from(rule)]).start().await;
    bot.telegram.user(7, "Ada");
    let chat = bot.telegram.foreign_group(-1_009_999, "Elsewhere");
    let call = json!({"type": "tool_call", "name": "compute.eval", "args": {"expression": "6*7"}});
    bot.model.push(Reply::text(call.to_string()));
    bot.model.push(answers("It is 42."));
    bot.telegram.guest_asks(chat, 7, "@clifford_bot how much?");
    let asked = bot.telegram.wait_for_sent(chat, 1).await.remove(0);
    // A press would come without the chat that it was in: there are words instead.
    assert!(asked.text.contains("/approve") && asked.buttons.is_empty(), "{asked:?}");
    if killed {
        // An owner approves what is known to have been shown.
        bot.until("that it was shown", async |look| {
            let shown = "SELECT id FROM messages WHERE direction = 'outbound' AND status = 'delivered'";
            (look.texts(shown).await.len() == 1).then_some(())
        })
        .await;
        bot.kill().await;
        bot.start().await;
    }
    bot.telegram.guest_asks(chat, 7, "@clifford_bot /approve");
    bot.telegram
        .wait_until("the answer below the question", |fake| {
            let sent = fake.sent(chat).remove(0);
            (sent.text.contains("Approved") && sent.text.ends_with("It is 42.")).then_some(())
        })
        .await;
    bot.finish().await;
}
