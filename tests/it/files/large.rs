//! Large files on Telegram: its own server gives up to 20 MB, one that somebody runs themselves up to 2 GB, of which the
//! bot keeps at most `files.max_file_bytes`. Only the sizes are large that the fake tells.

use clifford_fakes::telegram::{Chat, Method};

use super::reader;
use crate::harness::{Bot, Room, Setup, Site};

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

#[tokio::test(flavor = "multi_thread")]
async fn a_server_of_ones_own_gives_all_that_the_bot_keeps_and_is_asked_for_no_byte_more() {
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
