//! Calls that were recorded before a restart, of tools whose server is not up yet after it.

use std::{fs, path::Path};

use clifford_core::runs::RunStatus;
use tempfile::TempDir;

use super::{at_work, caller, fake};
use crate::harness::{Bot, Room, Setup, Site};

/// A bot with the server that does as it is told, which is started in a directory of its own; nothing runs yet.
async fn prepared(setup: Setup) -> (Bot, Room, TempDir) {
    let dir = tempfile::tempdir().unwrap();
    let bot = setup.set("tools.mcp", vec![server(dir.path())]).prepare().await;
    bot.model.respond_with(caller);
    let room = bot.room(Site::Telegram, 7, "Ada");
    (bot, room, dir)
}

fn server(dir: &Path) -> toml::Value {
    let mut server = fake();
    server.insert("cwd".to_owned(), dir.display().to_string().into());
    server.into()
}

/// Waits until a worker has the run in flight.
async fn in_hand(bot: &Bot) {
    bot.until("the run to be worked on", async |look| {
        let held = "SELECT COUNT(*) FROM runs WHERE status IN ('pending', 'running') AND lease_owner IS NOT NULL";
        (look.number(held).await == 1).then_some(())
    })
    .await;
}

#[tokio::test]
async fn what_was_approved_is_called_once_when_the_server_is_up_again() {
    for setup in [Some(Setup::on(Site::Telegram)), Setup::on(Site::Telegram).postgres()]
        .into_iter()
        .flatten()
    {
        let (mut bot, room, dir) = prepared(setup).await;
        let Room::Telegram(chat) = room else {
            unreachable!("a room on Telegram")
        };
        bot.start_crashing("call_approved").await;
        at_work(&bot, 1).await;
        bot.says(room, "fake.wipe");
        let question = bot.answers(room, 1).await.remove(0);
        assert!(question.starts_with("May I do this? fake.wipe"), "{question}");
        bot.telegram.press(chat, 7, "Approve");
        bot.crashed().await;
        // The server needs a while this time.
        fs::write(dir.path().join("held"), "").unwrap();
        bot.start().await;
        in_hand(&bot).await;
        assert!(!dir.path().join("wiped").exists());
        fs::remove_file(dir.path().join("held")).unwrap();
        // That it was approved may be said twice: the process died while it said so.
        bot.telegram
            .wait_until("the answer", |fake| {
                let sent = fake.sent(chat);
                sent.iter().any(|sent| sent.text == "wiped").then_some(())
            })
            .await;
        assert_eq!(fs::read_to_string(dir.path().join("wiped")).unwrap(), "wiped\n");
        bot.telegram.wait_for_answers().await;
        bot.finish().await;
    }
}

#[tokio::test]
async fn what_was_being_read_is_read_when_the_server_is_up_again() {
    for point in ["response_recorded", "tool_call_recorded"] {
        let (mut bot, room, dir) = prepared(Setup::on(Site::Telegram)).await;
        bot.start_crashing(point).await;
        at_work(&bot, 1).await;
        bot.says(room, r#"fake.echo {"text":"hi"}"#);
        bot.crashed().await;
        fs::write(dir.path().join("held"), "").unwrap();
        bot.start().await;
        in_hand(&bot).await;
        fs::remove_file(dir.path().join("held")).unwrap();
        assert_eq!(bot.answers(room, 1).await, [r#"{"text":"hi"}"#], "{point}");
        bot.finish().await;
    }
}

#[tokio::test]
async fn what_was_approved_is_given_up_where_the_server_does_not_come_back() {
    let (mut bot, room, dir) = prepared(Setup::on(Site::Telegram)).await;
    bot.start().await;
    at_work(&bot, 1).await;
    bot.says(room, "fake.wipe");
    bot.answers(room, 1).await;
    bot.until("the question", async |look| {
        (look.run().await.status == RunStatus::Waiting).then_some(())
    })
    .await;
    bot.kill().await;
    let run = bot.look().await.run().await.id.to_string();
    bot.command(&["runs", "approve", &run]).await;
    let mut gone = server(dir.path());
    gone.as_table_mut()
        .unwrap()
        .insert("command".to_owned(), "/no/such/program".into());
    bot.configure("tools.mcp", vec![gone]);
    bot.start().await;
    assert_eq!(
        bot.answers(room, 2).await[1],
        "the MCP server fake is not at work now; it is being started, which may take a while"
    );
    assert!(!dir.path().join("wiped").exists());
    bot.finish().await;
}
