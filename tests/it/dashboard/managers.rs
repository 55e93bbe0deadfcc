//! Somebody who manages a group: they see it, its channels, its settings and what could not be sent there; nobody
//! else's.

use clifford_chat::{
    inbound::{Place, PlaceKind, Space, Speaker},
    platform::Platform,
};
use clifford_core::{id::UserId, people::UserRole};
use clifford_fakes::telegram::TelegramFake;
use clifford_store::{people::users, places::channels};
use serde_json::json;

use super::Browser;
use crate::{api::bot::Bot, store::erasure::script};

/// The accounts on Telegram: Mia manages the group, Ada only speaks there.
const MIA: i64 = 7;
const ADA: i64 = 8;

/// Somebody who spoke in the group.
async fn member(bot: &Bot, account: i64, name: &str, group: &Place) -> (UserId, String, String) {
    let speaker = Speaker {
        id: account.to_string(),
        name: name.to_owned(),
        handle: None,
        is_bot: false,
        language: None,
        roles: None,
    };
    let (now, group) = (bot.app.clock.now(), group.clone());
    let write = bot.app.db.write(move |tx| {
        Box::pin(async move {
            let user = users::find_or_create(tx, Platform::new("telegram"), &speaker, UserRole::Member, now).await?;
            let channel = channels::find_or_create(tx, &group, None, now).await?;
            Ok((user.id, channel))
        })
    });
    let (user, channel) = write.await.unwrap();
    (user, channel.id.to_string(), channel.space_id.unwrap().to_string())
}

#[tokio::test(flavor = "multi_thread")]
async fn who_manages_a_group_sees_and_steers_it_and_nobody_elses() {
    let telegram = TelegramFake::start().await.unwrap();
    let chat = telegram.supergroup(-1_000_500, "Garden");
    telegram.user(MIA, "Mia");
    telegram.user(ADA, "Ada");
    telegram.standing(chat, MIA, json!({ "status": "administrator" }));
    let bot = Bot::with(&[
        ("channels.telegram.api_url", telegram.api_url()),
        ("channels.telegram.token", TelegramFake::TOKEN),
    ])
    .await;
    let id = chat.id.to_string();
    let group = Place {
        platform: Platform::new("telegram"),
        external_id: id.clone(),
        parent: None,
        kind: PlaceKind::Group,
        name: Some("Garden".into()),
        space: Some(Space {
            external_id: id,
            name: Some("Garden".into()),
        }),
    };
    let (mia, channel, space) = member(&bot, MIA, "Mia", &group).await;
    let (ada, ..) = member(&bot, ADA, "Ada", &group).await;
    // Both spoke there; a message of the bot could not be sent.
    script(
        &bot.app.db,
        &format!(
            "INSERT INTO messages (id, direction, channel_id, user_id, content, status, attempts, sent_at, created_at) VALUES
                 ('00000000-0000-7000-8000-000000000201', 'inbound', '{channel}', '{mia}', 'hello', 'received', 0, 8, 8),
                 ('00000000-0000-7000-8000-000000000202', 'inbound', '{channel}', '{ada}', 'hello', 'received', 0, 8, 8);
             INSERT INTO messages (id, direction, channel_id, content, status, attempts, error, sent_at, created_at)
                 VALUES ('00000000-0000-7000-8000-000000000101', 'outbound', '{channel}', 'quinces are ripe', 'failed', 3,
                         'the chat is gone', 9, 9);
             INSERT INTO message_parts (message_id, seq, delivery_key, body, status)
                 VALUES ('00000000-0000-7000-8000-000000000101', 1, 'k', '{{\"text\":\"quinces are ripe\"}}', 'failed');"
        ),
    )
    .await;
    let (mias, adas) = (
        Browser::log_in(&bot, Some(mia)).await,
        Browser::log_in(&bot, Some(ada)).await,
    );
    assert!(mias.page("/").await.contains("href=\"/outbox\""));
    let outbox = mias.page("/outbox").await;
    assert!(
        outbox.contains("quinces are ripe") && outbox.contains("the chat is gone"),
        "{outbox}"
    );
    assert!(!adas.page("/outbox").await.contains("quinces are ripe"));
    let again = "/outbox/00000000-0000-7000-8000-000000000101/resend";
    let refused = adas.submit("/outbox", again, &[]).await;
    assert!(matches!(refused.status, 403 | 404), "{}", refused.text);
    mias.does("/outbox", again, &[]).await;

    // Its settings are hers to change, and the difference is shown first.
    let settings = format!("/settings?scope=space:{space}");
    assert!(mias.page("/channels").await.contains(&settings));
    let scope = format!("space:{space}");
    let fields = [
        ("scope", scope.as_str()),
        ("was.set.memory", ""),
        ("set.memory", "false"),
    ];
    let (review, saved) = mias.saves(&settings, "/settings", &fields).await;
    assert!(review.contains("Memory"), "{review}");
    assert_eq!(saved.status, 303, "{}", saved.text);
    assert_eq!(
        bot.get(&format!("/api/settings/{scope}/memory")).await.json()["value"],
        false
    );
    let refused = adas.submit("/settings", "/settings", &fields).await;
    assert!(matches!(refused.status, 403 | 404), "{}", refused.text);
    // Its channels are listed for her; an owner turns them off and on.
    let list = format!("/channels?space={space}");
    let page = mias.page("/channels").await;
    assert!(
        page.contains(&format!("href=\"{list}\"")) && page.contains("1 channel<"),
        "{page}"
    );
    let there = format!("/channels/{channel}");
    let page = mias.page(&list).await;
    assert!(
        page.contains(&format!("scope=channel:{channel}")) && !page.contains("Turn off"),
        "{page}"
    );
    let refused = mias.submit(&list, &there, &[("enabled", "false")]).await;
    assert_eq!(refused.status, 403, "{}", refused.text);
    assert!(
        matches!(adas.get(&list).await.status, 403 | 404),
        "Ada only speaks there"
    );
    let refused = adas.submit("/channels", &there, &[("enabled", "false")]).await;
    assert!(matches!(refused.status, 403 | 404), "{}", refused.text);
    // The bot's own pages are neither's, and no menu leads there.
    for path in ["/agents", "/quarantine", "/policies"] {
        assert_eq!(mias.get(path).await.status, 403, "{path}");
        assert!(!mias.page("/").await.contains(&format!("href=\"{path}\"")), "{path}");
    }
    bot.app.shutdown().await;
}
