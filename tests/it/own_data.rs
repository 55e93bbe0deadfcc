//! People export their data, and erase it.

use clifford_fakes::{openai::Reply, telegram::Chat};
use serde_json::{Value, json};

use crate::{
    harness::{Bot, Setup, Site},
    scripted_model::{self, Prompt, memory_schema},
    store::erasure::column,
};

const ADA: i64 = 987_654_321;
/// Ada's traces; the fake gives her the handle.
const TRACES: [&str; 5] = ["qprivwort", "qguildwort", "qadanym", "987654321", "so far so good"];

struct Chats {
    ada: Chat,
    bob: Chat,
    group: Chat,
}

/// Ada has spoken in private and in a group, where the bot told Bob what she had said.
async fn talk(bot: &Bot) -> Chats {
    let chats = Chats {
        ada: bot.telegram.user(ADA, "Qadanym"),
        bob: bot.telegram.user(8, "Bobnym"),
        group: bot.telegram.supergroup(-1_001_234, "Team"),
    };
    bot.telegram.user_says(chats.ada, ADA, "my qprivwort, so far so good");
    bot.telegram.wait_for_sent(chats.ada, 1).await;
    bot.telegram
        .user_says(chats.group, ADA, "@clifford_bot the qguildwort is mine");
    bot.telegram.wait_for_sent(chats.group, 1).await;
    bot.model.push(Reply::json(
        &json!({"type": "send_message", "message": "Qadanym said qguildwort, of bkeepwort."}),
    ));
    bot.telegram
        .user_says(chats.group, 8, "@clifford_bot what of bkeepwort?");
    bot.telegram.wait_for_sent(chats.group, 2).await;
    bot.telegram.user_says(chats.bob, 8, "and bprivwort?");
    bot.telegram.wait_for_sent(chats.bob, 1).await;
    chats
}

async fn tell(bot: &Bot, chat: Chat, name: &str, argument: &str) -> String {
    let before = bot.telegram.sent(chat).len();
    bot.telegram.command(chat, ADA, name, argument);
    bot.telegram.wait_for_sent(chat, before + 1).await.remove(before).text
}

/// Asks for the code, and gives it.
async fn erase(bot: &Bot, chat: Chat) {
    let asked = tell(bot, chat, "erase", "").await;
    let (_, behind) = asked.split_once("/erase yes ").expect("a code");
    bot.telegram
        .command(chat, ADA, "erase", &format!("yes {}", &behind[..6]));
}

async fn is_over(bot: &Bot) {
    bot.until("the end of the erasure", async |look| {
        let done = column(
            &look.db,
            "SELECT status FROM jobs WHERE kind = 'erase' AND user_id IS NULL",
        )
        .await;
        (done == ["done"]).then_some(())
    })
    .await;
}

/// Everything in the database, and on SQLite in its files.
async fn everything(bot: &Bot) -> String {
    let db = bot.look().await.db;
    if !db.is_shared() {
        return String::from_utf8_lossy(&bot.database_bytes()).to_lowercase();
    }
    let mut text = String::new();
    for table in column(&db, "SELECT tablename::text FROM pg_tables WHERE schemaname = 'public'").await {
        text.push_str(
            &column(&db, &format!("SELECT x::text FROM \"{table}\" x"))
                .await
                .join("\n"),
        );
    }
    text.to_lowercase()
}

async fn nothing_is_left_of_ada_and_nothing_is_missing_of_bob(bot: &Bot, more: &[&str]) {
    let text = everything(bot).await;
    let left: Vec<_> = TRACES.into_iter().filter(|trace| text.contains(trace)).collect();
    assert_eq!(left, [""; 0]);
    let db = bot.look().await.db;
    let messages = column(&db, "SELECT content FROM messages ORDER BY id").await;
    let expected = [
        "[Bobnym] what of bkeepwort?",
        "[erased] said [erased], of bkeepwort.",
        "and bprivwort?",
        "You said: and bprivwort?",
    ];
    assert_eq!(messages, [&expected[..], more].concat());
    assert_eq!(column(&db, "SELECT name FROM users").await, ["Bobnym"]);
}

async fn story(setup: Setup) {
    let mut bot = setup.set("engine.record_prompts", true).start().await;
    let chats = talk(&bot).await;
    let text = everything(&bot).await;
    assert!(TRACES.into_iter().all(|trace| text.contains(trace)));

    let in_private = "That is between you and me: send /export in a private chat.";
    assert_eq!(tell(&bot, chats.group, "export", "").await, in_private);
    let before = bot.telegram.sent(chats.ada).len();
    assert_eq!(
        tell(&bot, chats.ada, "export", "").await,
        "Everything that I have of you, as JSON Lines."
    );
    let sent = bot.telegram.wait_for_sent(chats.ada, before + 2).await;
    let document = sent[before + 1].document.clone().expect("a file");
    let text = String::from_utf8(document.content.clone()).expect("text");
    let lines: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    assert_eq!(lines[1]["name"], "Qadanym");
    assert!(
        text.contains("qprivwort") && text.contains("qguildwort") && !text.contains("bkeepwort"),
        "{text}"
    );

    // It is theirs now: no copy stays in the outbox.
    let files = "SELECT body FROM message_parts WHERE status = 'delivered' AND body LIKE '%\"type\":\"file\"%'";
    let emptied = bot.until("the delivery of the file", async |look| {
        column(&look.db, files).await.pop()
    });
    assert_eq!(emptied.await, r#"{"type":"file","name":"","content":"","caption":""}"#);

    assert!(tell(&bot, chats.ada, "erase", "").await.contains("for good"));
    let refused = "That code is wrong or has expired: nothing was deleted. /erase gives you a new one.";
    assert_eq!(tell(&bot, chats.ada, "erase", "yes AAAAAA").await, refused);
    let before = bot.telegram.sent(chats.ada).len();
    erase(&bot, chats.ada).await;
    let last = bot
        .telegram
        .wait_for_sent(chats.ada, before + 2)
        .await
        .pop()
        .expect("an answer");
    assert!(last.text.contains("this is the last message"), "{}", last.text);
    is_over(&bot).await;
    nothing_is_left_of_ada_and_nothing_is_missing_of_bob(
        &bot,
        &["That is between you and me: send `/export` in a private chat."],
    )
    .await;

    let asked = bot.model.request_count();
    bot.telegram.user_says(chats.ada, ADA, "hello");
    bot.telegram.wait_for_sent(chats.ada, before + 3).await;
    let requests = bot.model.requests();
    assert_eq!(Prompt::read(&requests[asked]).conversation(), [""; 0]);
    bot.finish().await;
}

#[tokio::test]
async fn telegram_user_takes_everything_along_and_is_forgotten_on_sqlite() {
    story(Setup::on(Site::Telegram)).await;
}

#[tokio::test]
#[cfg_attr(skip_postgres, ignore = "CLIFFORD_SKIP_POSTGRES=1")]
async fn telegram_user_takes_everything_along_and_is_forgotten_on_postgresql() {
    if let Some(setup) = Setup::on(Site::Telegram).postgres() {
        story(setup).await;
    }
}

#[tokio::test]
async fn telegram_user_is_forgotten_whenever_the_process_is_killed() {
    for point in ["erasing", "erased"] {
        for setup in [Some(Setup::on(Site::Telegram)), Setup::on(Site::Telegram).postgres()] {
            let Some(setup) = setup else { continue };
            let mut bot = setup.prepare().await;
            bot.start_crashing(point).await;
            let chats = talk(&bot).await;
            erase(&bot, chats.ada).await;
            bot.crashed().await;
            bot.spawn(None);
            is_over(&bot).await;
            nothing_is_left_of_ada_and_nothing_is_missing_of_bob(&bot, &[]).await;
            bot.finish().await;
        }
    }
}

#[tokio::test]
#[cfg_attr(skip_postgres, ignore = "CLIFFORD_SKIP_POSTGRES=1")]
async fn a_person_whose_run_is_at_work_is_forgotten_and_nothing_of_it_comes_back() {
    let Some(setup) = Setup::on(Site::Telegram).postgres() else {
        return;
    };
    let mut bot = setup.start().await;
    // A second process, which may be the one that erases while the first one works.
    bot.spawn(None);
    let chats = talk(&bot).await;
    let hold = bot.model.hold();
    let asked = bot.model.request_count();
    bot.telegram.user_says(chats.ada, ADA, "think of qprivwort");
    bot.telegram.user_says(chats.group, 8, "@clifford_bot bagain");
    bot.model.wait_for_requests(asked + 2).await;
    erase(&bot, chats.ada).await;
    is_over(&bot).await;
    hold.release();
    bot.telegram.wait_for_sent(chats.group, 3).await;
    let answer = bot.telegram.sent(chats.group).pop().expect("an answer");
    assert_eq!(answer.text, "You said: [Bobnym] bagain");
    bot.until("the end of all runs", async |look| {
        look.runs().await.iter().all(|run| run.status.is_ended()).then_some(())
    })
    .await;
    let text = everything(&bot).await;
    let left: Vec<_> = TRACES.into_iter().filter(|trace| text.contains(trace)).collect();
    assert_eq!(left, [""; 0]);
    bot.finish().await;
}

/// A memory write whose model never answers holds no erasure back.
#[tokio::test]
async fn an_erasure_waits_for_no_memory_writer() {
    let mut bot = Setup::on(Site::Telegram)
        .set("memory.max_turns_per_context", 2)
        .set("engine.max_run_seconds", 86_400)
        .start()
        .await;
    bot.model.respond_with(|request| match memory_schema(request) {
        Some(_) => Reply::never(),
        None => scripted_model::reply(request),
    });
    let bob = bot.telegram.user(8, "Bobnym");
    for (at, text) in ["one", "two", "three"].into_iter().enumerate() {
        bot.telegram.user_says(bob, 8, text);
        bot.telegram.wait_for_sent(bob, at + 1).await;
    }
    bot.until("a memory write at work", async |look| {
        let at_work = look.count("jobs WHERE kind = 'memory_write' AND attempts = 1 AND lease_until IS NOT NULL");
        (at_work.await == 1).then_some(())
    })
    .await;
    let ada = bot.telegram.user(ADA, "Qadanym");
    bot.telegram.user_says(ada, ADA, "my qprivwort");
    bot.telegram.wait_for_sent(ada, 1).await;
    erase(&bot, ada).await;
    is_over(&bot).await;
    let look = bot.look().await;
    assert_eq!(
        look.count("jobs WHERE kind = 'memory_write' AND status = 'pending'")
            .await,
        1
    );
    bot.kill().await;
}
