//! Large files on Telegram: a Bot API server of one's own takes up to 2 GB, Telegram's own gives up to 20 MB; the bot
//! keeps at most `files.max_file_bytes`. Only the sizes are large that the fake tells.

use clifford_fakes::{
    openai::{RecordedRequest, Reply},
    telegram::{Chat, Method},
};
use serde_json::json;

use super::{Prompt, reader};
use crate::harness::{Bot, Room, Setup, Site};

/// 2000 MB: <https://core.telegram.org/bots/api#using-a-local-bot-api-server>
const MOST: usize = 2_097_152_000;
/// The most that may be set for what is kept.
const KEPT: usize = 100 << 20;
const ADA: Chat = Chat { id: 7, thread: None };

/// A bot that keeps the largest files that it can; `local`: its Bot API server is its own.
async fn bot(local: bool) -> (Bot, Room) {
    let most = i64::try_from(KEPT).unwrap();
    let mut bot = Setup::on(Site::Telegram)
        .set("files.max_file_bytes", most)
        .set("channels.telegram.local", local)
        .prepare()
        .await;
    if local {
        let dir = bot.home().join("bot-api");
        std::fs::create_dir(&dir).unwrap();
        bot.telegram.run_locally(&dir);
        bot.configure("channels.telegram.local_dir", dir.display().to_string());
    }
    bot.start().await;
    let room = bot.room(Site::Telegram, 7, "Ada");
    (bot, room)
}

/// How often a file was asked for.
fn asked(bot: &Bot) -> usize {
    let requests = bot.telegram.requests();
    let asked = requests.iter().filter(|request| request.method == Method::GetFile);
    asked.count()
}

/// Sends the file back that came along, or says why that is not possible.
fn returner(request: &RecordedRequest) -> Reply {
    let prompt = Prompt::read(request);
    Reply::json(&match prompt.notes.first() {
        None => json!({"type": "finish", "output": "Here.", "file_ids": [prompt.payload["files"][0]["id"]]}),
        Some(note) => json!({"type": "finish", "output": format!("It says: {note}")}),
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_of_ones_own_gives_what_the_bot_keeps_and_takes_2_gb_and_no_byte_more() {
    let (mut bot, room) = bot(true).await;
    bot.model.respond_with(reader);
    bot.telegram.user_sends_file_of(ADA, 7, "read it", "film.txt", KEPT);
    bot.answers(room, 1).await;
    bot.telegram
        .user_sends_file_of(ADA, 7, "read it", "longer.txt", KEPT + 1);
    bot.answers(room, 2).await;
    assert_eq!(
        bot.texts(room),
        [
            "It says: the beginning".to_owned(),
            format!("It says: longer.txt is too large: at most {KEPT} bytes are taken (files.max_file_bytes)"),
        ]
    );
    assert_eq!(asked(&bot), 1);

    bot.model.respond_with(returner);
    // As much as Telegram takes from such a server: only the bot itself has no room for it, and says so.
    bot.telegram
        .user_sends_file_of(ADA, 7, "send it back", "film.txt", MOST);
    bot.until("the word about the file", async |_| {
        let told = bot.texts(room);
        let is_sorry = |text: &String| text.contains("I could not send you the file film.txt");
        told.iter().any(is_sorry).then_some(())
    })
    .await;
    assert!(bot.texts(room).contains(&"Here.".to_owned()), "{:?}", bot.texts(room));
    bot.telegram
        .user_sends_file_of(ADA, 7, "send it back", "longer.txt", MOST + 1);
    bot.until("why not", async |_| {
        let told = format!("longer.txt has {} bytes, and telegram takes at most {MOST}.", MOST + 1);
        bot.texts(room)
            .last()
            .is_some_and(|text| text.contains(&told))
            .then_some(())
    })
    .await;
    bot.finish().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_telegrams_own_server_does_not_give_is_said_with_its_own_limit() {
    let (mut bot, room) = bot(false).await;
    bot.model.respond_with(reader);
    bot.telegram.user_sends_large_file(ADA, 7, "read it", "film.txt");
    bot.answers(room, 1).await;
    bot.finish().await;
    assert_eq!(
        bot.texts(room),
        [
            "It says: film.txt cannot be had: Telegram gives bots files of up to 20 MB; a Bot API server of your own gives \
          larger ones"
        ]
    );
}
