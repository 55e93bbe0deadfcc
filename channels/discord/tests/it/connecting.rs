use std::{sync::Arc, time::Duration};

use clifford_channel::{ChannelError, ConnectionStatus};
use clifford_fakes::discord::{DiscordFake, Fault, Route};

use crate::support::{Bot, Kept, to};

async fn fake() -> Arc<DiscordFake> {
    Arc::new(DiscordFake::start().await)
}

#[tokio::test]
async fn a_broken_connection_is_resumed_and_nothing_is_missed() {
    let bot = Bot::start().await;
    let (channel, user) = bot.channel();
    bot.fake.user_says(channel, user, "before");
    bot.kept.wait_for_texts(1).await;
    bot.fake.gateway_open(false);
    bot.fake.disconnect();
    bot.fake
        .wait_for("the end of the connection", |fake| {
            (fake.connections() == 0).then_some(())
        })
        .await;
    bot.fake.user_says(channel, user, "meanwhile");
    bot.fake.gateway_open(true);
    assert_eq!(bot.kept.wait_for_texts(2).await, ["before", "meanwhile"]);
    assert_eq!((bot.fake.identifies(), bot.fake.resumes()), (1, 1));
    let name = || ConnectionStatus::Connected("clifford".to_owned());
    let statuses = bot.kept.statuses();
    assert_eq!((statuses.first(), statuses.last()), (Some(&name()), Some(&name())));
    assert!(matches!(statuses[1], ConnectionStatus::Disconnected(_)));
    bot.finish().await;
}

#[tokio::test]
async fn when_discord_asks_to_reconnect_the_session_is_resumed() {
    let bot = Bot::start().await;
    let (channel, user) = bot.channel();
    let after: [fn(&DiscordFake); 3] = [
        |fake| fake.request_reconnect(),
        |fake| fake.close(4000),
        |fake| fake.invalidate_session(true),
    ];
    for (n, lose) in after.into_iter().enumerate() {
        lose(&bot.fake);
        bot.fake
            .wait_for("a resume", |fake| (fake.resumes() == n + 1).then_some(()))
            .await;
        bot.fake.wait_for_connection().await;
        bot.fake.user_says(channel, user, "again");
        bot.kept.wait_for_texts(n + 1).await;
    }
    assert_eq!(bot.fake.identifies(), 1);
    bot.finish().await;
}

#[tokio::test]
async fn heartbeats_are_sent_and_an_unanswered_one_ends_the_connection() {
    let fake = fake().await;
    fake.heartbeat_every(Duration::from_millis(100));
    let bot = Bot::with(fake, Kept::new(false));
    bot.connected().await;
    bot.fake
        .wait_for("heartbeats", |fake| (fake.heartbeats() >= 3).then_some(()))
        .await;
    assert_eq!(bot.fake.resumes(), 0);
    bot.fake.acknowledge_heartbeats(false);
    bot.fake
        .wait_for("a resume", |fake| (fake.resumes() >= 1).then_some(()))
        .await;
    bot.fake.acknowledge_heartbeats(true);
    bot.fake.wait_for_connection().await;
    assert_eq!(bot.fake.identifies(), 1);
    bot.finish().await;
}

#[tokio::test]
async fn without_the_message_content_intent_it_hears_what_speaks_to_it_and_says_how_to_get_the_rest() {
    let fake = fake().await;
    fake.without_message_content();
    let bot = Bot::with(fake, Kept::new(false));
    bot.connected().await;
    let limited = |kept: &Kept| match kept.statuses().pop() {
        Some(ConnectionStatus::Limited { lacks, .. }) => Some(lacks),
        _ => None,
    };
    let lacks = bot.kept.wait_for(limited).await;
    assert!(
        lacks.contains("Developer Portal → Bot → Privileged Gateway Intents → Message Content"),
        "{lacks}"
    );
    let (channel, user) = bot.channel();
    let own = format!("<@{}>", bot.fake.bot());
    let posted = bot.send(&to(channel), "hello", "key-1").await.unwrap();
    let unheard = bot.fake.user_says(channel, user, "to each other");
    bot.fake.user_says(channel, user, &format!("{own} mentioned"));
    bot.fake.edit(channel, unheard, "and this changed");
    bot.fake
        .user_replies(channel, user, posted.id.parse().unwrap(), "replied");
    let direct = bot.fake.dm(user);
    bot.fake.user_says(direct, user, "alone");
    assert_eq!(bot.kept.wait_for_texts(3).await, ["mentioned", "replied", "alone"]);
    assert_eq!(bot.kept.events().len(), 3);
    // It was refused once, and is not asked for again.
    bot.fake.invalidate_session(false);
    bot.fake
        .wait_for("a new session", |fake| (fake.identifies() >= 3).then_some(()))
        .await;
    bot.fake.wait_for_connection().await;
    assert_eq!(bot.fake.identifies(), 3);
    bot.finish().await;
}

#[tokio::test]
async fn a_wrong_token_is_named() {
    let fake = fake().await;
    fake.revoke_token();
    let ended = Bot::with(Arc::clone(&fake), Kept::new(false)).ended().await;
    let Err(ChannelError::Misconfigured(text)) = ended else {
        panic!("{ended:?}");
    };
    assert!(text.contains("channels.discord.token"), "{text}");
    assert!(!text.contains(DiscordFake::TOKEN), "{text}");
    assert_eq!(fake.identifies(), 0);
}

#[tokio::test]
async fn a_gateway_that_cannot_be_had_is_lost_after_some_attempts() {
    let fake = fake().await;
    fake.gateway_open(false);
    let ended = Bot::with(Arc::clone(&fake), Kept::new(false)).ended().await;
    assert!(matches!(ended, Err(ChannelError::Lost(_))), "{ended:?}");
    // The address is always the one that the API gave.
    assert_eq!(fake.requests(Route::GatewayBot), 5);
}

#[tokio::test]
async fn an_api_that_fails_for_a_moment_is_asked_again() {
    let fake = fake().await;
    fake.fail_next(Route::GatewayBot, Fault::Status(503));
    fake.fail_next(Route::GatewayBot, Fault::DropBefore);
    fake.fail_next(
        Route::GatewayBot,
        Fault::TooMany {
            retry_after: Duration::from_millis(20),
            global: false,
        },
    );
    let bot = Bot::with(fake, Kept::new(false));
    bot.connected().await;
    assert_eq!(bot.fake.requests(Route::GatewayBot), 4);
    bot.finish().await;
}

#[tokio::test]
async fn with_no_identify_left_the_bot_waits_until_there_are_new_ones() {
    let fake = fake().await;
    fake.identifies_left(0, Duration::from_secs(3_600));
    let bot = Bot::with(fake, Kept::new(false));
    let waits = |kept: &Kept| {
        kept.statuses()
            .into_iter()
            .find(|status| matches!(status, ConnectionStatus::Disconnected(_)))
    };
    let status = bot.kept.wait_for(waits).await;
    assert_eq!(
        status,
        ConnectionStatus::Disconnected("0 identifies are left; the next is in 3600 s".to_owned())
    );
    assert_eq!(bot.fake.identifies(), 0);
    bot.finish().await;
}

#[tokio::test]
async fn commands_are_registered_once_and_only_if_they_changed() {
    let bot = Bot::start().await;
    let names = |fake: &DiscordFake| -> Vec<String> {
        fake.commands(None)
            .iter()
            .map(|command| command["name"].as_str().unwrap_or_default().to_owned())
            .collect()
    };
    let registered = bot
        .fake
        .wait_for("commands", |fake| Some(names(fake)).filter(|names| !names.is_empty()))
        .await;
    assert_eq!(registered, ["ask", "new", "stop", "memory", "Ask Clifford"]);
    let fake = Arc::clone(&bot.fake);
    bot.finish().await;
    let again = Bot::with(Arc::clone(&fake), Kept::new(false));
    fake.wait_for("the second look", |fake| {
        (fake.requests(Route::ReadCommands) == 2).then_some(())
    })
    .await;
    again.finish().await;
    assert_eq!(fake.requests(Route::PutCommands), 1);
}
