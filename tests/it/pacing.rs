//! Answers at the platforms' own rates: nothing is lost, and nothing comes before the time that a platform names.

use std::time::Duration;

use clifford_fakes::{discord::Route, telegram::Chat};

use crate::harness::{Setup, Site};

/// Telegram at the rates that hold by default.
fn at_rates() -> Setup {
    Setup::on(Site::Telegram)
        .set("channels.telegram.rate_overall_per_second", 30)
        .set("channels.telegram.rate_private_per_second", 1)
        .set("channels.telegram.rate_group_per_minute", 20)
}

#[tokio::test]
async fn a_burst_that_telegram_complains_of_is_answered_whole_and_never_too_early() {
    let mut bot = at_rates().start().await;
    let chats: Vec<Chat> = (1..=60)
        .map(|id| bot.telegram.user(id, &format!("User {id}")))
        .collect();
    bot.telegram.enforce_rates();
    let hold = bot.model.hold();
    for chat in &chats {
        bot.telegram.user_says(*chat, chat.id, &format!("question {}", chat.id));
    }
    bot.telegram.wait_for_confirmed().await;
    hold.release();
    for chat in &chats {
        let sent = bot.telegram.wait_for_sent(*chat, 1).await;
        assert_eq!(sent[0].text, format!("You said: question {}", chat.id));
    }
    bot.finish().await;
    assert_eq!(bot.telegram.early_by_rate(), 0);
    assert!(chats.iter().all(|chat| bot.telegram.sent(*chat).len() == 1));
}

#[tokio::test]
async fn the_parts_of_an_answer_come_in_order_where_telegram_takes_one_a_second() {
    let mut bot = at_rates().start().await;
    let chat = bot.telegram.user(7, "Ada");
    bot.telegram.enforce_rates();
    bot.telegram.user_says(chat, 7, "write a lot");
    bot.telegram
        .wait_until("the last part", |fake| {
            let sent = fake.sent(chat);
            sent.last()?.text.contains("That was all.").then_some(())
        })
        .await;
    bot.finish().await;
    let parts = bot.telegram.sent(chat);
    assert!(parts.len() > 1 && parts[0].text.starts_with("Here it is:"), "{parts:?}");
    assert_eq!(bot.telegram.early_by_rate(), 0);
    assert!(bot.telegram.refused_by_rate() > 0, "Telegram did not complain");
}

#[tokio::test]
async fn on_discord_a_channel_waits_for_its_own_limit_alone_and_discord_need_not_complain() {
    let mut bot = Setup::on(Site::Discord).start().await;
    let (ada, bob) = (bot.discord.user("Ada"), bot.discord.user("Bob"));
    let guild = bot.discord.guild("Team");
    let (busy, other) = (bot.discord.channel(guild, "busy"), bot.discord.channel(guild, "other"));
    bot.discord.limit(Route::SendMessage, 1, Duration::from_millis(1_500));
    bot.discord.user_says(busy, ada, "Clifford write a lot");
    bot.discord.wait_for_sent(busy, 1).await;
    bot.discord.user_says(other, bob, "Clifford hello");
    bot.discord.wait_for_sent(other, 1).await;
    let before = bot.discord.sent(busy).len();
    bot.discord
        .wait_for("the last part", |fake| {
            let sent = fake.sent(busy);
            sent.last()?.content.contains("That was all.").then_some(())
        })
        .await;
    let parts = bot.discord.sent(busy);
    assert!(before < parts.len(), "the other channel waited for all of it");
    bot.finish().await;
    // Each was taken at once: the bucket is known before Discord complains.
    assert_eq!(bot.discord.requests(Route::SendMessage), parts.len() + 1);
}
