//! The limits of one message to the character, and a platform that asks for an hour of patience in one chat.

use clifford_fakes::{
    openai::Reply,
    telegram::{Fault, Method},
};
use serde_json::json;

use crate::{
    harness::{Setup, Site},
    scripted_model::Prompt,
};

/// Texts of so many UTF-16 units, some of which end with one that takes two: around each platform's limit.
fn edges() -> Vec<String> {
    let mut texts = Vec::new();
    for most in [2_000, 4_096] {
        for length in most - 2..=most + 2 {
            texts.push("x".repeat(length));
            texts.push(format!("{}\u{1f680}", "x".repeat(length - 2)));
        }
        texts.push("\u{1f680}".repeat(most / 2));
        texts.push("\u{1f680}".repeat(most / 2 + 1));
    }
    texts
}

#[tokio::test]
async fn answers_at_the_limit_of_a_message_arrive_whole() {
    for site in Site::BOTH {
        let mut bot = Setup::on(site).start().await;
        bot.model.respond_with(|request| {
            let prompt = Prompt::read(request);
            let number: usize = prompt.input().parse().unwrap_or_default();
            Reply::json(&json!({"type": "finish", "output": edges()[number]}))
        });
        let room = bot.room(site, 7, "Ada");
        let mut before = 0;
        for (number, text) in edges().into_iter().enumerate() {
            bot.says(room, &number.to_string());
            bot.until("the whole answer", async |look| {
                let said = bot.texts(room)[before..].concat();
                (said.chars().count() >= text.chars().count() && look.undelivered().await == 0).then_some(())
            })
            .await;
            let sent = bot.texts(room);
            assert_eq!(sent[before..].concat(), text, "{site:?} {number}");
            before = sent.len();
        }
        bot.finish().await;
    }
}

#[tokio::test]
async fn an_hour_of_patience_for_one_chat_keeps_no_other_waiting_and_survives_a_restart() {
    let mut bot = Setup::on(Site::Telegram).start().await;
    let [ada, ben] = [(7, "Ada"), (8, "Ben")].map(|(id, name)| bot.telegram.user(id, name));
    bot.telegram.fail_next(Method::SendMessage, Fault::TooMany(3_600));
    bot.telegram.user_says(ada, 7, "hello");
    bot.until("the refusal", async |look| {
        (look.undelivered().await == 1).then_some(())
    })
    .await;
    bot.model.wait_for_requests(1).await;
    bot.until("that Telegram was asked", async |_| {
        let requests = bot.telegram.requests();
        requests
            .iter()
            .any(|request| request.method == Method::SendMessage)
            .then_some(())
    })
    .await;
    bot.telegram.user_says(ben, 8, "and I");
    assert_eq!(bot.telegram.wait_for_sent(ben, 1).await[0].text, "You said: and I");
    assert!(bot.telegram.sent(ada).is_empty());
    bot.stop().await;
    bot.start().await;
    assert_eq!(bot.telegram.wait_for_sent(ada, 1).await[0].text, "You said: hello");
    bot.finish().await;
    assert_eq!(bot.telegram.sent(ada).len(), 1);
}
