use std::time::Duration;

use clifford_channel::{Address, Channel, DeliveryKey, Mark, NewThread, Part, SendError, Signal};
use clifford_fakes::discord::{Fault, Route, Sent, SentFile, permission};

use crate::support::{Bot, to};

#[tokio::test]
async fn a_reply_points_at_its_message_and_pings_whoever_wrote_that_alone() {
    let bot = Bot::start().await;
    let (channel, user) = bot.channel();
    let asked = bot.fake.user_says(channel, user, "hello?");
    let address = Address {
        reply_to: Some(asked.to_string()),
        ..to(channel)
    };
    bot.send(
        &address,
        &format!("@everyone <@{user}> hi"),
        "0123456789012345678901234",
    )
    .await
    .unwrap();
    let sent = bot.fake.sent(channel);
    let expected = Sent {
        id: sent[0].id,
        content: format!("@everyone <@{user}> hi"),
        nonce: Some("0123456789012345678901234".to_owned()),
        reply_to: Some(asked),
        files: Vec::new(),
        buttons: Vec::new(),
        styles: Vec::new(),
        pinged: vec![user.to_string()],
        before: Vec::new(),
    };
    assert_eq!(sent, [expected]);
    bot.finish().await;
}

#[tokio::test]
async fn an_answer_to_a_deleted_message_goes_out_all_the_same() {
    let bot = Bot::start().await;
    let (channel, _) = bot.channel();
    let address = Address {
        reply_to: Some("1".to_owned()),
        ..to(channel)
    };
    bot.send(&address, "hi", "key-1").await.unwrap();
    assert_eq!(bot.fake.sent(channel)[0].reply_to, None);
    bot.finish().await;
}

#[tokio::test]
async fn where_it_may_not_reply_or_attach_files_a_text_goes_out_all_the_same() {
    let bot = Bot::start().await;
    let (channel, user) = bot.channel();
    let asked = bot.fake.user_says(channel, user, "hello?");
    let address = Address {
        reply_to: Some(asked.to_string()),
        ..to(channel)
    };
    bot.fake
        .lacks(channel, permission::READ_MESSAGE_HISTORY | permission::ATTACH_FILES);
    bot.send(&address, "hi", "key-1").await.unwrap();
    let sent = bot.fake.sent(channel);
    assert_eq!((sent.len(), sent[0].reply_to), (1, None));
    // It is not asked for again with each message.
    let requests = bot.fake.requests(Route::SendMessage);
    bot.send(&address, "hi again", "key-1b").await.unwrap();
    assert_eq!(bot.fake.requests(Route::SendMessage), requests + 1);
    let mark = Signal::Mark(Mark::Working);
    for _ in 0..2 {
        bot.discord.signal(&address, &mark).await.unwrap();
    }
    assert_eq!(bot.fake.requests(Route::React), 1);
    let file = Part::File {
        name: "answer.md".into(),
        content: "long".into(),
        caption: String::new(),
        markup: None,
    };
    let refused = bot
        .discord
        .send(&address, &file, &DeliveryKey("key-2".to_owned()))
        .await;
    assert!(matches!(refused, Err(SendError::Rejected(_))), "{refused:?}");
    bot.fake.lacks(channel, permission::SEND_MESSAGES);
    let barred = bot.send(&address, "hi", "key-3").await;
    assert!(matches!(barred, Err(SendError::Barred(_))), "{barred:?}");
    let barred = bot.discord.probe(&address).await;
    assert!(matches!(barred, Err(SendError::Barred(_))), "{barred:?}");
    bot.finish().await;
}

#[tokio::test]
async fn a_thread_in_which_it_may_not_write_is_none_to_answer_in() {
    let bot = Bot::start().await;
    for (lacks, is_opened) in [
        (0, true),
        (permission::CREATE_PUBLIC_THREADS, false),
        (permission::SEND_MESSAGES_IN_THREADS, false),
    ] {
        let (channel, user) = bot.channel();
        let asked = bot.fake.user_says(channel, user, "hello?");
        bot.fake.lacks(channel, lacks);
        let thread = NewThread {
            message: asked.to_string(),
            via: None,
            title: "hello".to_owned(),
        };
        let opened = bot.discord.open_thread(&channel.to_string(), &thread).await;
        assert_eq!(opened.is_ok(), is_opened, "{opened:?}");
    }
    bot.finish().await;
}

#[tokio::test]
async fn an_answer_comes_whole_to_a_thread_that_was_archived_over_its_draft() {
    let bot = Bot::start().await;
    let (channel, _) = bot.channel();
    let thread = bot.fake.thread(channel, "Plans");
    let draft = Signal::Draft {
        key: DeliveryKey("key-1".to_owned()),
        text: "I think".to_owned(),
        plain: "I think".to_owned(),
        stop: "stop 1".to_owned(),
    };
    bot.discord.signal(&to(thread), &draft).await.unwrap();
    bot.fake.archive(thread);
    bot.send(&to(thread), "I think so.", "key-1").await.unwrap();
    let sent: Vec<_> = bot.fake.sent(thread).into_iter().map(|sent| sent.content).collect();
    assert_eq!(sent, ["I think so."]);
    bot.finish().await;
}

#[tokio::test]
async fn what_was_taken_before_the_connection_broke_is_not_said_twice() {
    let bot = Bot::start().await;
    let (channel, _) = bot.channel();
    bot.fake.fail_next(Route::SendMessage, Fault::DropAfter);
    let first = bot.send(&to(channel), "once", "key-1").await;
    assert!(matches!(first, Err(SendError::Unreachable(_))), "{first:?}");
    let receipt = bot.send(&to(channel), "once", "key-1").await.unwrap();
    let sent = bot.fake.sent(channel);
    assert_eq!((sent.len(), sent[0].id.to_string()), (1, receipt.id));
    bot.finish().await;
}

#[tokio::test]
async fn too_many_requests_says_when_to_try_again_and_nothing_goes_out_before() {
    let bot = Bot::start().await;
    let (channel, _) = bot.channel();
    bot.fake.fail_next(
        Route::SendMessage,
        Fault::TooMany {
            retry_after: Duration::from_secs(60),
            global: false,
        },
    );
    for _ in 0..3 {
        let sent = bot.send(&to(channel), "hi", "key-1").await;
        let Err(SendError::RetryAfter(wait)) = sent else {
            panic!("{sent:?}");
        };
        assert!(
            (Duration::from_secs(55)..=Duration::from_secs(60)).contains(&wait),
            "{wait:?}"
        );
    }
    assert_eq!(bot.fake.requests(Route::SendMessage), 1);
    // Another channel has a bucket of its own.
    let (other, _) = bot.channel();
    bot.send(&to(other), "hi", "key-2").await.unwrap();
    bot.finish().await;
}

#[tokio::test]
async fn a_wait_without_end_is_obeyed_for_a_day() {
    let bot = Bot::start().await;
    let (channel, _) = bot.channel();
    bot.fake.fail_next(
        Route::SendMessage,
        Fault::TooMany {
            retry_after: Duration::MAX,
            global: false,
        },
    );
    let sent = bot.send(&to(channel), "hi", "key-1").await;
    let Err(SendError::RetryAfter(wait)) = sent else {
        panic!("{sent:?}");
    };
    assert_eq!(wait, Duration::from_secs(24 * 60 * 60));
    bot.finish().await;
}

#[tokio::test]
async fn an_empty_bucket_is_known_before_discord_complains() {
    let bot = Bot::start().await;
    let (channel, _) = bot.channel();
    bot.fake.limit(Route::SendMessage, 2, Duration::from_secs(60));
    bot.send(&to(channel), "1", "key-1").await.unwrap();
    bot.send(&to(channel), "2", "key-2").await.unwrap();
    let third = bot.send(&to(channel), "3", "key-3").await;
    assert!(matches!(third, Err(SendError::RetryAfter(_))), "{third:?}");
    assert_eq!(bot.fake.requests(Route::SendMessage), 2);
    bot.finish().await;
}

#[tokio::test]
async fn a_global_limit_holds_everything() {
    let bot = Bot::start().await;
    let (channel, _) = bot.channel();
    bot.fake.fail_next(
        Route::Typing,
        Fault::TooMany {
            retry_after: Duration::from_secs(60),
            global: true,
        },
    );
    let typing = bot.discord.signal(&to(channel), &Signal::Typing).await;
    assert!(matches!(typing, Err(SendError::RetryAfter(_))), "{typing:?}");
    let sent = bot.send(&to(channel), "hi", "key-1").await;
    assert!(matches!(sent, Err(SendError::RetryAfter(_))), "{sent:?}");
    assert_eq!(bot.fake.requests(Route::SendMessage), 0);
    bot.finish().await;
}

#[tokio::test]
async fn a_refusal_says_what_becomes_of_the_part() {
    let bot = Bot::start().await;
    let (channel, _) = bot.channel();
    let nowhere = bot.send(&to(1), "hi", "key-1").await;
    assert!(matches!(nowhere, Err(SendError::Gone(_))), "{nowhere:?}");
    bot.fake
        .refuse(channel, 403, 50_007, "Cannot send messages to this user");
    let blocked = bot.send(&to(channel), "hi", "key-2").await;
    assert!(matches!(blocked, Err(SendError::Gone(_))), "{blocked:?}");
    bot.fake
        .refuse(channel, 400, 200_000, "Message was blocked by automatic moderation");
    let moderated = bot.send(&to(channel), "hi", "key-3").await;
    assert!(matches!(moderated, Err(SendError::Rejected(_))), "{moderated:?}");
    bot.fake.fail_next(Route::SendMessage, Fault::Status(500));
    let failed = bot.send(&to(channel), "hi", "key-4").await;
    assert!(matches!(failed, Err(SendError::Failed(_))), "{failed:?}");
    bot.finish().await;
}

#[tokio::test]
async fn a_long_text_goes_as_a_file() {
    let bot = Bot::start().await;
    let (channel, _) = bot.channel();
    let part = Part::File {
        name: "answer.md".into(),
        content: "Größe: ∞".repeat(2_000),
        caption: "Long".into(),
        markup: Some("**Long**".into()),
    };
    bot.discord
        .send(&to(channel), &part, &DeliveryKey("key-1".to_owned()))
        .await
        .unwrap();
    let sent = bot.fake.sent(channel);
    let file = SentFile {
        name: "answer.md".to_owned(),
        content: "Größe: ∞".repeat(2_000),
    };
    assert_eq!((sent[0].content.as_str(), &sent[0].files), ("**Long**", &vec![file]));
    assert_eq!(sent[0].nonce.as_deref(), Some("key-1"));
    bot.finish().await;
}

#[tokio::test]
async fn typing_is_shown() {
    let bot = Bot::start().await;
    let (channel, _) = bot.channel();
    bot.discord.signal(&to(channel), &Signal::Typing).await.unwrap();
    bot.discord.signal(&to(channel), &Signal::Done).await.unwrap();
    assert_eq!(bot.fake.typings(channel), 1);
    bot.finish().await;
}

#[tokio::test]
async fn a_probe_asks_discord_also_where_an_interaction_is_answered() {
    let bot = Bot::start().await;
    let (channel, _) = bot.channel();
    let address = Address {
        via: Some(format!("1:2:{}:token", i64::MAX)),
        ..to(channel)
    };
    bot.discord.signal(&address, &Signal::Typing).await.unwrap();
    assert_eq!(bot.fake.typings(channel), 0);
    let before = bot.fake.requests(Route::ReadChannel);
    bot.discord.probe(&address).await.unwrap();
    assert_eq!(bot.fake.requests(Route::ReadChannel), before + 1);
    bot.fake.fail_next(Route::ReadChannel, Fault::Status(500));
    let probed = bot.discord.probe(&address).await;
    assert!(matches!(probed, Err(SendError::Failed(_))), "{probed:?}");
    // Elsewhere it is the indicator.
    bot.fake.fail_next(Route::Typing, Fault::Status(500));
    let probed = bot.discord.probe(&to(channel)).await;
    assert!(matches!(probed, Err(SendError::Failed(_))), "{probed:?}");
    bot.discord.probe(&to(channel)).await.unwrap();
    assert_eq!(bot.fake.typings(channel), 1);
    bot.finish().await;
}
