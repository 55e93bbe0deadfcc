//! A message that was set aside comes back by no quote.

use serde_json::Value;

use super::{KILLER, SORRY, both, restarted_until};
use crate::{harness::Bot, scripted_model};

const GROUP: i64 = -1_001_000_000_077;

/// The requests to the model, but for the form of it.
fn asked(bot: &Bot) -> Vec<String> {
    scripted_model::inputs(&bot.model.requests())
}

#[tokio::test]
async fn a_message_that_a_run_was_set_aside_for_is_quoted_by_nobody() {
    for setup in both("run") {
        let mut bot = setup.set("ingress.shared_parallel", 1).start().await;
        let group = bot.telegram.supergroup(GROUP, "Engines");
        bot.telegram.user(7, "Ada");
        bot.telegram.user(8, "Bob");
        let said = bot.telegram.user_says(group, 7, &format!("@clifford_bot {KILLER}"));
        // It waits for the run that kills, or comes while that is set aside.
        bot.telegram.reply_to(group, 8, "@clifford_bot what was that?", said);
        let answer = "You said: [Bob] what was that?";
        let texts = |bot: &Bot| -> Vec<String> {
            let sent = bot.telegram.sent(group).into_iter();
            sent.map(|sent| sent.text).collect()
        };
        let deaths = restarted_until(&mut bot, "both answers", async |bot| {
            texts(bot).iter().any(|text| text == answer)
        })
        .await;
        assert_eq!((deaths, &texts(&bot)[..1]), (3, &[SORRY.to_owned()][..]));
        assert_eq!(bot.look().await.count("messages WHERE quote IS NOT NULL").await, 0);

        bot.telegram.reply_to(group, 8, "@clifford_bot and now?", said);
        bot.telegram.wait_for_sent(group, 3).await;
        // A message that an operator takes off the list counts as deleted, and stands on the platform all the same.
        let listed = bot.command(&["quarantine", "list", "--json"]).await;
        let listed: Value = serde_json::from_str(&listed).unwrap();
        bot.command(&["quarantine", "forget", listed[0]["id"].as_str().unwrap()])
            .await;
        bot.telegram.reply_to(group, 8, "@clifford_bot and then?", said);
        bot.telegram.wait_for_sent(group, 4).await;
        assert!(!bot.has_died());
        assert_eq!(
            asked(&bot),
            ["[Bob] what was that?", "[Bob] and now?", "[Bob] and then?"]
        );
        let requests = bot.model.requests();
        assert!(!format!("{requests:?}").contains(KILLER));
        bot.finish().await;
    }
}

#[tokio::test]
async fn an_event_that_was_set_aside_is_quoted_by_nobody() {
    for setup in both("event") {
        let mut bot = setup.start().await;
        let group = bot.telegram.supergroup(GROUP, "Engines");
        bot.telegram.user(7, "Ada");
        bot.telegram.user(8, "Bob");
        let said = bot.telegram.user_says(group, 7, &format!("@clifford_bot {KILLER}"));
        let deaths = restarted_until(&mut bot, "the quarantine", async |bot| {
            let set_aside = "inbound_attempts WHERE quarantined_at IS NOT NULL";
            bot.look().await.count(set_aside).await == 1
        })
        .await;
        assert_eq!(deaths, 3);
        bot.telegram.reply_to(group, 8, "@clifford_bot what was that?", said);
        bot.telegram.wait_for_sent(group, 1).await;
        assert!(!bot.has_died());
        assert_eq!(asked(&bot), ["[Bob] what was that?"]);
        bot.finish().await;
    }
}
