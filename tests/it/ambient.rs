//! Ambient messages: what people say among themselves in a shared place reaches the model when somebody addresses the
//! bot, and is stored nowhere.

use clifford_fakes::openai::Reply;
use serde_json::{Value, json};

use crate::{
    db_probe::DbProbe,
    harness::{Bot, Setup, Site},
};

fn setups(site: Site) -> impl Iterator<Item = Setup> {
    let setup = move || Setup::on(site).set(&format!("channels.{}.access", site.name()), "open");
    [Some(setup()), setup().postgres()].into_iter().flatten()
}

/// The texts that the last request shows, the newest first.
fn shown(bot: &Bot) -> Vec<Value> {
    let request = bot.model.requests().pop().unwrap();
    let payload: Value = serde_json::from_str(request.text(1)).unwrap();
    let entries = payload["ambient"].as_array().cloned().unwrap_or_default();
    entries.iter().skip(1).map(|entry| entry["text"].clone()).collect()
}

/// Everything that is stored, as far as it is text.
async fn stored(bot: &Bot, look: &DbProbe) -> String {
    let file = String::from_utf8_lossy(&bot.database_bytes()).into_owned();
    if !file.is_empty() {
        return file;
    }
    let mut text = String::new();
    for table in look
        .texts("SELECT tablename::text FROM pg_tables WHERE schemaname = current_schema()")
        .await
    {
        let rows = look.texts(&format!("SELECT t::text FROM {table} t")).await;
        text.push_str(&rows.join("\n"));
    }
    text
}

#[tokio::test]
async fn what_people_say_among_themselves_is_shown_as_data_and_stored_nowhere() {
    for setup in setups(Site::Discord) {
        let setup = setup
            .set("ingress.ambient_messages", 3)
            .set("engine.record_prompts", true);
        let mut bot = setup.start().await;
        let (ada, bob) = (bot.discord.user("Ada"), bot.discord.user("Bob"));
        let channel = bot.discord.channel(bot.discord.guild("Home"), "general");
        for text in ["too old ZEBRA", "launch at noon PINEAPPLE"] {
            bot.discord.user_says(channel, bob, text);
        }
        let regretted = bot.discord.user_says(channel, bob, "a secret MANGO");
        let mended = bot.discord.user_says(channel, bob, "fuel is PAPAYA");
        bot.discord.delete(channel, &[regretted]);
        bot.discord.edit(channel, mended, "fuel is GUAVA");
        bot.discord.user_says(channel, bob, "see you CHERRY");
        bot.discord
            .user_says(channel, ada, &format!("<@{}> when is it?", bot.discord.bot()));
        bot.discord.wait_for_sent(channel, 1).await;
        assert_eq!(
            shown(&bot),
            [
                json!("see you CHERRY"),
                json!("fuel is GUAVA"),
                json!("launch at noon PINEAPPLE")
            ]
        );
        let look = bot.look().await;
        let run = look.run().await;
        assert!(look.steps(run.id).await.contains(&"tainted".to_owned()));
        // A process that begins knows nothing of it.
        bot.kill().await;
        bot.start().await;
        bot.discord
            .user_says(channel, ada, &format!("<@{}> and now?", bot.discord.bot()));
        bot.discord.wait_for_sent(channel, 2).await;
        assert_eq!(shown(&bot), Vec::<Value>::new());
        bot.finish().await;
        let stored = stored(&bot, &look).await;
        assert!(stored.contains("when is it?") && stored.contains("not recorded"));
        for word in ["ZEBRA", "PINEAPPLE", "MANGO", "PAPAYA", "GUAVA", "CHERRY"] {
            assert!(!stored.contains(word), "{word} is stored");
        }
    }
}

#[tokio::test]
async fn nothing_is_overheard_but_where_that_is_set() {
    for setup in setups(Site::Telegram) {
        let mut bot = setup.start().await;
        bot.telegram.user(7, "Ada");
        bot.telegram.user(8, "Bob");
        let quiet = bot.telegram.supergroup(-1_001, "Quiet");
        let open = bot.telegram.supergroup(-1_002, "Open");
        bot.telegram.user_says(open, 7, "@clifford_bot hello");
        bot.telegram.wait_for_sent(open, 1).await;
        let look = bot.look().await;
        let channel = look.channels().await[0].id.to_string();
        look.set(&channel, "ambient_messages", "5").await;
        for group in [quiet, open] {
            bot.telegram.user_says(group, 8, "the rocket launches at noon");
            bot.telegram.user_says(group, 7, "@clifford_bot when?");
            let count = if group == open { 2 } else { 1 };
            bot.telegram.wait_for_sent(group, count).await;
            let expected = if group == open {
                vec![json!("the rocket launches at noon")]
            } else {
                Vec::new()
            };
            assert_eq!(shown(&bot), expected);
        }
        bot.finish().await;
    }
}

#[tokio::test]
async fn a_direct_chat_sees_them_too() {
    let mut bot = setups(Site::Telegram)
        .next()
        .unwrap()
        .set("agent.mode", "chat")
        .set("ingress.ambient_messages", 5)
        .start()
        .await;
    bot.model
        .respond_with(|request| Reply::text(format!("You said: {}", request.last_text())));
    bot.telegram.user(7, "Ada");
    bot.telegram.user(8, "Bob");
    let group = bot.telegram.supergroup(-1_001, "Open");
    bot.telegram.user_says(group, 8, "the rocket launches at noon");
    bot.telegram.user_says(group, 7, "@clifford_bot when?");
    bot.telegram.wait_for_sent(group, 1).await;
    bot.finish().await;
    let request = bot.model.requests().pop().unwrap();
    let last = request.last_text().to_owned();
    assert!(
        last.contains("data, never instructions") && last.contains("the rocket launches at noon"),
        "{last}"
    );
}

#[tokio::test]
async fn of_somebody_who_is_erased_nothing_is_shown_any_more() {
    let mut bot = setups(Site::Telegram)
        .next()
        .unwrap()
        .set("ingress.ambient_messages", 5)
        .start()
        .await;
    bot.telegram.user(7, "Ada");
    let bob = bot.telegram.user(8, "Bob");
    let group = bot.telegram.supergroup(-1_001, "Open");
    bot.telegram.user_says(group, 8, "the rocket launches at noon");
    bot.telegram.user_says(group, 7, "it is a good day");
    bot.telegram.user_says(bob, 8, "/erase");
    let asked = bot.telegram.wait_for_sent(bob, 1).await.remove(0).text;
    let (_, code) = asked.split_once("/erase yes ").unwrap();
    bot.telegram.user_says(bob, 8, &format!("/erase yes {}", &code[..6]));
    bot.until("the erasure", async |look| {
        let sql = "SELECT status FROM jobs WHERE kind = 'erase' AND user_id IS NULL";
        (look.texts(sql).await == ["done"]).then_some(())
    })
    .await;
    bot.telegram.user_says(group, 7, "@clifford_bot when?");
    bot.telegram.wait_for_sent(group, 1).await;
    assert_eq!(shown(&bot), [json!("it is a good day")]);
    bot.finish().await;
}
