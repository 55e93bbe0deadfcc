//! Telegram brings its updates: any process that serves HTTP takes them, each is stored before the answer and once, and
//! nothing comes in without the secret.

use std::net::{SocketAddr, TcpListener};

use clifford_core::messages::Direction;
use clifford_fakes::telegram::Method;
use serde_json::{Value, json};

use crate::{
    harness::{Bot, Room, Setup, Site},
    images::{finish, png, shown},
};

/// A port that nobody listens on.
fn free() -> SocketAddr {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap()
}

/// A bot whose Bot API server is its own, and reaches it by a webhook; nothing runs yet.
async fn prepared(setup: Setup, api: SocketAddr) -> Bot {
    let bot = setup
        .set("http.enabled", true)
        .set("http.bind", api.to_string())
        // So small that a body of more is written before it is refused.
        .set("http.max_body_bytes", 32 << 10)
        .set("channels.telegram.receive", "webhook")
        .set("channels.telegram.webhook_url", format!("http://{api}/own/path"))
        .set("channels.telegram.local", true)
        .set("channels.telegram.poll_seconds", 1)
        .prepare()
        .await;
    let dir = bot.home().join("bot-api");
    std::fs::create_dir(&dir).unwrap();
    bot.telegram.run_locally(&dir);
    bot.configure("channels.telegram.local_dir", dir.display().to_string());
    bot
}

async fn is_set(bot: &Bot) {
    bot.telegram
        .wait_until("the webhook", |fake| fake.webhook().map(drop))
        .await;
}

/// Posts something as somebody else, and returns the status.
async fn post(api: SocketAddr, secret: Option<&str>, body: Vec<u8>) -> u16 {
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let mut request = client.post(format!("http://{api}/own/path")).body(body);
    if let Some(secret) = secret {
        request = request.header("X-Telegram-Bot-Api-Secret-Token", secret);
    }
    request.send().await.unwrap().status().as_u16()
}

fn forged() -> Value {
    json!({"update_id": 1, "message": {"message_id": 1, "date": 1_700_000_000, "text": "forged",
        "chat": {"id": 7, "type": "private", "first_name": "Ada"},
        "from": {"id": 7, "is_bot": false, "first_name": "Ada"}}})
}

#[tokio::test]
async fn telegram_brings_updates_to_a_path_of_their_own_and_each_is_stored_once() {
    let api = free();
    let mut bot = prepared(Setup::on(Site::Telegram), api).await;
    bot.spawn(None);
    is_set(&bot).await;
    let webhook = bot.telegram.webhook().unwrap();
    assert_eq!(
        (webhook.url.as_str(), webhook.connections, webhook.dropped),
        (format!("http://{api}/own/path").as_str(), 40, false)
    );
    let requests = bot.telegram.requests();
    let set = requests
        .iter()
        .find(|request| request.method == Method::SetWebhook)
        .unwrap();
    let kinds = [
        "message",
        "edited_message",
        "guest_message",
        "callback_query",
        "message_reaction",
        "my_chat_member",
        "stopped_message_generation",
    ];
    assert_eq!(set.params["allowed_updates"], json!(kinds));
    assert!(!requests.iter().any(|request| request.method == Method::GetUpdates));

    let room = bot.room(Site::Telegram, 7, "Ada");
    // Answers that are lost on the way: the same update comes again, three times.
    bot.telegram.repeat_deliveries(3);
    bot.says(room, "hello");
    assert_eq!(bot.answers(room, 1).await, ["You said: hello"]);
    bot.telegram.wait_for_confirmed().await;
    let texts = ["one", "two", "three"];
    for (place, text) in texts.iter().enumerate() {
        bot.says(room, text);
        bot.answers(room, place + 2).await;
    }
    bot.telegram.wait_for_confirmed().await;

    // Nothing comes in without the secret, and nothing that is too large, however it is sent.
    let secret = webhook.secret.unwrap();
    let wrong = secret.replace(char::is_numeric, "0");
    for secret in [None, Some(""), Some(wrong.as_str())] {
        assert_eq!(post(api, secret, forged().to_string().into_bytes()).await, 401);
    }
    assert_eq!(post(api, Some(&secret), vec![b' '; (32 << 10) + 1]).await, 413);
    let got = reqwest::Client::builder().no_proxy().build().unwrap();
    let got = got.get(format!("http://{api}/own/path")).send().await.unwrap();
    assert_eq!(got.status().as_u16(), 405);
    let look = bot.look().await;
    let stored = look.messages(Direction::Inbound).await;
    let stored: Vec<_> = stored.iter().map(|message| message.content.as_str()).collect();
    assert_eq!(stored, ["hello", "one", "two", "three"]);
    bot.finish().await;
    assert!(!bot.log_text().contains(&secret), "the secret is in the log");
}

#[tokio::test]
async fn a_press_is_answered_and_a_webhook_that_is_lost_is_set_again() {
    let api = free();
    let mut bot = prepared(Setup::on(Site::Telegram), api).await;
    bot.spawn(None);
    is_set(&bot).await;
    let Room::Telegram(chat) = bot.room(Site::Telegram, 7, "Ada") else {
        unreachable!("a chat of Telegram")
    };
    let room = Room::Telegram(chat);
    bot.says(room, "about cats");
    bot.answers(room, 1).await;
    bot.says(room, "/new Trip");
    bot.answers(room, 2).await;
    bot.says(room, "/contexts");
    bot.answers(room, 3).await;
    bot.telegram.press(chat, 7, "about cats");
    assert_eq!(bot.answers(room, 4).await[3], "Going on with about cats.");
    bot.telegram.wait_for_answers().await;
    // Somebody takes the webhook away: it is set again, and what waited is brought.
    let times = || {
        let requests = bot.telegram.requests();
        requests
            .iter()
            .filter(|request| request.method == Method::SetWebhook)
            .count()
    };
    let before = times();
    bot.telegram.set_webhook("https://elsewhere.example/hook");
    bot.says(room, "are you there");
    assert_eq!(bot.answers(room, 5).await[4], "You said: are you there");
    assert!(times() > before);
    bot.finish().await;
}

#[tokio::test]
async fn another_process_takes_what_telegram_brings_and_polling_takes_over_again() {
    let Some(setup) = Setup::on(Site::Telegram).postgres() else {
        return;
    };
    let api = free();
    let mut bot = prepared(setup, api).await;
    bot.spawn_only("channels");
    bot.spawn_only("workers");
    bot.spawn_only("api");
    is_set(&bot).await;
    let rooms: Vec<_> = (1..=4).map(|id| bot.room(Site::Telegram, id, "Ada")).collect();
    bot.telegram.repeat_deliveries(2);
    for room in &rooms {
        bot.says(*room, "hello");
    }
    for room in &rooms {
        assert_eq!(bot.answers(*room, 1).await, ["You said: hello"]);
    }
    bot.telegram.wait_for_confirmed().await;
    let look = bot.look().await;
    assert_eq!(look.messages(Direction::Inbound).await.len(), rooms.len());

    // The process with the connection reads its settings again: the webhook is gone, and nothing that waited is lost.
    bot.configure("channels.telegram.receive", "polling");
    bot.reload().await;
    bot.telegram
        .wait_until("the webhook to be deleted", |fake| {
            fake.webhook().is_none().then_some(())
        })
        .await;
    bot.says(rooms[0], "again");
    assert_eq!(bot.answers(rooms[0], 2).await[1], "You said: again");
    bot.finish().await;
}

#[tokio::test]
async fn a_webhook_that_nobody_can_reach_stops_the_start_and_says_why() {
    let mut bot = Setup::on(Site::Telegram)
        .set("channels.telegram.receive", "webhook")
        .prepare()
        .await;
    bot.spawn(None);
    assert!(!bot.exited().await.success());
    assert!(
        bot.logged("channels.telegram.webhook_url is not set") > 0,
        "{}",
        bot.log_text()
    );
    bot.configure("channels.telegram.webhook_url", "https://bot.example.org/telegram");
    bot.spawn(None);
    assert!(!bot.exited().await.success());
    assert!(bot.logged("set http.enabled = true") > 0, "{}", bot.log_text());
    // Telegram's own server refuses an address; it is told, and not the end of the process.
    bot.configure("http.enabled", true);
    bot.configure("http.bind", free().to_string());
    let why = "Bad Request: bad webhook: Failed to resolve host: Name or service not known";
    let fault = clifford_fakes::telegram::Fault::Refuse(400, why.to_owned());
    bot.telegram.fail_next(Method::SetWebhook, fault);
    bot.spawn(None);
    bot.has_logged("Failed to resolve host", 1).await;
    bot.reload().await;
    is_set(&bot).await;
    bot.finish().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_of_a_server_in_local_mode_is_read_where_it_lies() {
    let api = free();
    let setup = Setup::on(Site::Telegram)
        .set("memory.enabled", false)
        .set("engine.planning_gate", "off");
    let mut bot = prepared(setup, api).await;
    bot.model
        .respond_with(|request| finish(&format!("{} seen", shown(request).len())));
    bot.spawn(None);
    is_set(&bot).await;
    let chat = bot.telegram.user(7, "Ada");
    bot.telegram.user_sends_file(chat, 7, "look", "a.png", &png(40, 40));
    assert_eq!(bot.answers(Room::Telegram(chat), 1).await, ["1 seen"]);
    bot.finish().await;
}
