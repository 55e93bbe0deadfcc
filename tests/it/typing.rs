//! The indicator that shows that an answer is under way.

use std::time::Duration;

use clifford_fakes::telegram::Method;

use crate::harness::{Bot, PATIENCE, Room, Setup, Site};

/// Waits until the indicator was shown so often in a private chat.
async fn shown(bot: &Bot, room: Room, times: usize) {
    let mut often = tokio::time::interval(Duration::from_millis(10));
    let waited = tokio::time::timeout(PATIENCE, async {
        while bot.typings(room) < times {
            often.tick().await;
        }
    });
    assert!(waited.await.is_ok(), "it was shown {} times", bot.typings(room));
}

/// The calls of Telegram's API for a chat, in order.
fn asked(bot: &Bot, chat: i64) -> Vec<Method> {
    let requests = bot.telegram.requests();
    let of_chat = requests.iter().filter(|request| request.params["chat_id"] == chat);
    of_chat.map(|request| request.method).collect()
}

#[tokio::test]
async fn the_indicator_shows_again_and_again_while_the_model_thinks_and_not_after_the_answer() {
    for site in Site::BOTH {
        let mut bot = Setup::on(site).start().await;
        let (ada, bob) = (bot.room(site, 7, "Ada"), bot.room(site, 8, "Bob"));
        let hold = bot.model.hold();
        bot.says(ada, "hello");
        // The model has not answered, nor will it before the indicator was shown twice.
        shown(&bot, ada, 1).await;
        shown(&bot, ada, 2).await;
        assert_eq!(bot.texts(ada), Vec::<String>::new(), "{site:?}");
        hold.release();
        assert_eq!(bot.answers(ada, 1).await, ["You said: hello"]);
        let before = bot.typings(ada);

        // For Bob it shows twice as well: by then Ada's would have shown again.
        let hold = bot.model.hold();
        bot.says(bob, "hello");
        shown(&bot, bob, 2).await;
        assert_eq!(bot.typings(ada), before, "{site:?}: it shows after the answer");
        hold.release();
        bot.answers(bob, 1).await;
        bot.finish().await;
        if let Room::Telegram(chat) = ada {
            let asked = asked(&bot, chat.id);
            let mut expected = vec![Method::SendChatAction; before];
            expected.push(Method::SendMessage);
            assert_eq!(asked, expected);
        }
    }
}

#[tokio::test]
async fn no_indicator_shows_for_somebody_who_is_not_answered() {
    let mut bot = Setup::on(Site::Telegram)
        .set("channels.telegram.access", "allowlist")
        .set("channels.telegram.allow", vec![7])
        .start()
        .await;
    let (ada, bob) = (bot.room(Site::Telegram, 7, "Ada"), bot.room(Site::Telegram, 8, "Bob"));
    let hold = bot.model.hold();
    bot.says(bob, "hello");
    bot.says(ada, "hello");
    // Ada wrote later, and hers was shown twice.
    shown(&bot, ada, 2).await;
    hold.release();
    bot.answers(ada, 1).await;
    bot.finish().await;
    assert_eq!(bot.typings(bob), 0);
}
