//! Answers that grow in the chat.

use std::time::Duration;

use clifford_fakes::{
    discord::{Fault as DiscordFault, Route},
    openai::Reply,
    telegram::{Chat, Fault, Method},
};

use crate::harness::{Bot, Setup, Site};

/// The least time from one look to the next, as far as a busy machine's clock tells.
const A_SECOND: Duration = Duration::from_millis(950);

fn answer() -> String {
    (0..60)
        .map(|number| format!("word{number:02} "))
        .collect::<String>()
        .trim_end()
        .to_owned()
}

/// The model writes an answer slowly: 24 characters at a time.
fn slowly() -> Reply {
    let text = format!(r#"{{"type":"send_message","message":"{}"}}"#, answer());
    Reply::text(text).pause(Duration::from_millis(200))
}

async fn bot_that_drafts(site: Site) -> Bot {
    let key = format!("channels.{}.feedback", site.name());
    Setup::on(site).set(&key, "draft").start().await
}

/// The calls of Telegram's API for a chat, in order, without the typing.
fn asked(bot: &Bot, chat: Chat) -> Vec<Method> {
    let requests = bot.telegram.requests();
    let of_chat = requests.iter().filter(|request| request.params["chat_id"] == chat.id);
    of_chat
        .map(|request| request.method)
        .filter(|method| *method != Method::SendChatAction)
        .collect()
}

#[tokio::test]
async fn an_answer_grows_in_a_private_chat_on_telegram_until_it_is_there() {
    let mut bot = bot_that_drafts(Site::Telegram).await;
    let chat = bot.telegram.user(7, "Ada");
    bot.model.push(slowly());
    bot.telegram.user_says(chat, 7, "tell me");
    let sent = bot.telegram.wait_for_sent(chat, 1).await;
    bot.finish().await;
    assert_eq!(sent[0].text, answer());
    let drafts = bot.telegram.drafts(chat);
    assert!(drafts.len() >= 2, "{drafts:?}");
    for pair in drafts.windows(2) {
        assert_eq!(pair[0].draft_id, pair[1].draft_id);
        assert!(pair[1].at - pair[0].at >= A_SECOND, "{drafts:?}");
        assert!(pair[1].text.starts_with(&pair[0].text), "{drafts:?}");
    }
    assert!(
        drafts.iter().all(|draft| answer().starts_with(&draft.text)),
        "{drafts:?}"
    );
    assert_eq!(asked(&bot, chat).pop(), Some(Method::SendMessage));
}

/// Waits until a chat holds this answer and nothing else.
async fn is_answered(bot: &Bot, chat: Chat) {
    bot.telegram
        .wait_until("the whole answer alone", |fake| match &fake.sent(chat)[..] {
            [only] if only.text == answer() => Some(()),
            _ => None,
        })
        .await;
}

#[tokio::test]
async fn what_is_answered_at_once_is_not_drafted() {
    let mut bot = bot_that_drafts(Site::Telegram).await;
    let chat = bot.telegram.user(7, "Ada");
    bot.telegram.user_says(chat, 7, "hello");
    bot.telegram.wait_for_sent(chat, 1).await;
    bot.finish().await;
    assert_eq!(asked(&bot, chat), [Method::SendMessage]);
}

#[tokio::test]
async fn an_answer_grows_in_a_group_on_telegram_in_the_message_that_it_is_in_the_end() {
    let mut bot = bot_that_drafts(Site::Telegram).await;
    bot.telegram.user(7, "Ada");
    let group = bot.telegram.supergroup(-1_001_234, "Team");
    bot.model.push(slowly());
    let question = bot.telegram.user_says(group, 7, "Clifford tell us");
    is_answered(&bot, group).await;
    bot.finish().await;
    let asked = asked(&bot, group);
    assert_eq!(asked[0], Method::SendMessage);
    assert!(asked.len() > 1, "{asked:?}");
    assert!(
        asked[1..].iter().all(|method| *method == Method::EditMessageText),
        "{asked:?}"
    );
    assert_eq!(bot.telegram.sent(group)[0].reply_to, Some(question));
    let left = bot.look().await.number("SELECT COUNT(*) FROM status_messages").await;
    assert_eq!(left, 0);
}

#[tokio::test]
async fn a_draft_in_a_group_is_no_trace_of_a_process_that_was_killed() {
    let mut bot = bot_that_drafts(Site::Telegram).await;
    bot.telegram.user(7, "Ada");
    let group = bot.telegram.supergroup(-1_001_234, "Team");
    bot.model.push(slowly().hang_after(12));
    bot.telegram.user_says(group, 7, "Clifford tell us");
    bot.telegram.wait_for_sent(group, 1).await;
    bot.until("its row", async |look| {
        let known = look.number("SELECT COUNT(*) FROM status_messages WHERE platform_message_id IS NOT NULL");
        (known.await == 1).then_some(())
    })
    .await;
    bot.kill().await;
    bot.model.push(Reply::text(format!(
        r#"{{"type":"send_message","message":"{}"}}"#,
        answer()
    )));
    bot.start().await;
    is_answered(&bot, group).await;
    bot.finish().await;
}

#[tokio::test]
async fn where_telegram_has_no_drafts_for_private_chats_the_answer_grows_by_edits() {
    let mut bot = bot_that_drafts(Site::Telegram).await;
    let chat = bot.telegram.user(7, "Ada");
    bot.telegram.fail_next(
        Method::SendMessageDraft,
        Fault::Refuse(404, "Not Found: method not found".to_owned()),
    );
    bot.model.push(slowly());
    bot.telegram.user_says(chat, 7, "tell me");
    is_answered(&bot, chat).await;
    bot.finish().await;
    let asked = asked(&bot, chat);
    // It is asked once.
    assert_eq!(asked[..2], [Method::SendMessageDraft, Method::SendMessage]);
    assert!(
        asked[2..].iter().all(|method| *method == Method::EditMessageText),
        "{asked:?}"
    );
    assert!(!bot.telegram.actions(chat).is_empty());
}

/// Waits for the one word that tells of a stop, and for the end of the run.
async fn is_stopped(bot: &Bot, chat: Chat) {
    bot.until("the stop", async |look| {
        let stopped = look.number("SELECT COUNT(*) FROM runs WHERE status = 'cancelled'");
        (stopped.await == 1).then_some(())
    })
    .await;
    let sent = bot.telegram.wait_for_sent(chat, 1).await;
    assert_eq!(sent[0].text, "Stopped.");
}

#[tokio::test]
async fn the_button_below_a_draft_ends_the_run_of_it() {
    let mut bot = bot_that_drafts(Site::Telegram).await;
    let chat = bot.telegram.user(7, "Ada");
    bot.model.push(slowly().hang_after(12));
    bot.telegram.user_says(chat, 7, "tell me");
    bot.telegram
        .wait_until("a draft", |fake| fake.drafts(chat).first().map(drop))
        .await;
    bot.telegram.stop_draft(chat);
    is_stopped(&bot, chat).await;
    // One that is tapped too late ends nothing else.
    bot.telegram.stop_draft(chat);
    let sent = bot.telegram.wait_for_sent(chat, 2).await;
    assert_eq!(sent[1].text, "This has ended already.");
    bot.finish().await;
}

#[tokio::test]
async fn the_button_below_a_draft_of_a_process_that_was_killed_ends_what_is_at_work() {
    let mut bot = bot_that_drafts(Site::Telegram).await;
    let chat = bot.telegram.user(7, "Ada");
    bot.model.push(slowly().hang_after(12));
    bot.telegram.user_says(chat, 7, "tell me");
    bot.telegram
        .wait_until("a draft", |fake| fake.drafts(chat).first().map(drop))
        .await;
    bot.kill().await;
    bot.model.push(slowly().hang_after(0));
    bot.start().await;
    bot.until("another try", async |_| (bot.model.queued() == 0).then_some(()))
        .await;
    bot.telegram.stop_draft(chat);
    is_stopped(&bot, chat).await;
    bot.finish().await;
}

#[tokio::test]
async fn while_telegram_asks_for_patience_nothing_is_drafted_and_the_answer_comes_after() {
    let mut bot = bot_that_drafts(Site::Telegram).await;
    let chat = bot.telegram.user(7, "Ada");
    bot.telegram.fail_next(Method::SendMessageDraft, Fault::TooMany(60));
    bot.model.push(slowly());
    bot.telegram.user_says(chat, 7, "tell me");
    bot.until("the answer to be made", async |look| {
        look.runs().await.first().filter(|run| run.status.is_ended()).map(drop)
    })
    .await;
    // It waits for its turn, which is a minute away.
    assert_eq!(asked(&bot, chat), [Method::SendMessageDraft]);
    bot.kill().await;
    bot.start().await;
    let sent = bot.telegram.wait_for_sent(chat, 1).await;
    bot.finish().await;
    assert_eq!(sent[0].text, answer());
}

#[tokio::test]
async fn an_answer_grows_on_discord_in_the_message_that_it_is_in_the_end() {
    let mut bot = bot_that_drafts(Site::Discord).await;
    let user = bot.discord.user("Ada");
    let guild = bot.discord.guild("Team");
    for channel in [bot.discord.dm(user), bot.discord.channel(guild, "general")] {
        bot.model.push(slowly());
        bot.discord.user_says(channel, user, "Clifford tell me");
        bot.discord
            .wait_for("the whole answer", |fake| {
                fake.sent(channel)
                    .first()
                    .filter(|sent| sent.content == answer())
                    .map(drop)
            })
            .await;
        let sent = bot.discord.sent(channel);
        assert_eq!(sent.len(), 1, "{sent:?}");
        let before = &sent[0].before;
        assert!(before.len() >= 2, "{before:?}");
        // The last edit is the answer, which waits for nothing.
        for pair in before[..before.len() - 1].windows(2) {
            assert!(pair[1].1 - pair[0].1 >= A_SECOND, "{before:?}");
        }
        for (text, _) in before {
            assert!(answer().starts_with(text.trim_end_matches(['▌', '\u{2060}'])), "{text}");
        }
    }
    bot.finish().await;
}

#[tokio::test]
async fn a_limit_in_the_middle_delays_a_discord_draft_and_doubles_nothing() {
    let mut bot = bot_that_drafts(Site::Discord).await;
    let user = bot.discord.user("Ada");
    let channel = bot.discord.dm(user);
    let fault = DiscordFault::TooMany {
        retry_after: Duration::from_millis(1500),
        global: false,
    };
    bot.discord.fail_next(Route::EditMessage, fault);
    bot.model.push(slowly());
    bot.discord.user_says(channel, user, "tell me");
    bot.discord
        .wait_for("the whole answer", |fake| {
            fake.sent(channel)
                .first()
                .filter(|sent| sent.content == answer())
                .map(drop)
        })
        .await;
    bot.finish().await;
    assert_eq!(bot.discord.sent(channel).len(), 1);
}

#[tokio::test]
async fn a_draft_whose_process_was_killed_becomes_the_answer_of_the_next_one() {
    let mut bot = bot_that_drafts(Site::Discord).await;
    let user = bot.discord.user("Ada");
    let channel = bot.discord.dm(user);
    bot.model.push(slowly());
    bot.discord.user_says(channel, user, "tell me");
    let drafted = bot.discord.wait_for_sent(channel, 1).await.remove(0);
    bot.kill().await;
    bot.start().await;
    bot.discord
        .wait_for("the answer", |fake| {
            let sent = fake.sent(channel);
            sent.first()
                .filter(|sent| sent.content == "You said: tell me")
                .map(drop)
        })
        .await;
    bot.finish().await;
    let sent = bot.discord.sent(channel);
    assert_eq!((sent.len(), sent[0].id), (1, drafted.id), "{sent:?}");
}

#[tokio::test]
async fn a_draft_of_a_run_that_is_stopped_goes_away() {
    let mut bot = bot_that_drafts(Site::Discord).await;
    let user = bot.discord.user("Ada");
    let channel = bot.discord.dm(user);
    bot.model.push(slowly());
    bot.discord.user_says(channel, user, "tell me");
    bot.discord.wait_for_sent(channel, 1).await;
    let stop = bot.discord.interaction(channel, user, "stop", &[]);
    bot.discord.wait_for_replies(stop, 1).await;
    bot.discord
        .wait_for("the draft to go", |fake| fake.sent(channel).is_empty().then_some(()))
        .await;
    bot.finish().await;
}

#[tokio::test]
async fn a_draft_of_a_run_that_another_process_cancels_goes_away() {
    let mut bot = bot_that_drafts(Site::Discord).await;
    let user = bot.discord.user("Ada");
    let channel = bot.discord.dm(user);
    bot.model.push(slowly());
    bot.discord.user_says(channel, user, "tell me");
    bot.discord.wait_for_sent(channel, 1).await;
    let run = bot.look().await.run().await.id.to_string();
    bot.command(&["runs", "cancel", &run]).await;
    bot.discord
        .wait_for("only the word that it was cancelled", |fake| {
            let sent = fake.sent(channel);
            let is_told = sent.len() == 1 && sent[0].content == "This request was cancelled.";
            is_told.then_some(())
        })
        .await;
    bot.finish().await;
}

#[tokio::test]
async fn the_answer_to_a_slash_command_grows_in_its_place() {
    let mut bot = bot_that_drafts(Site::Discord).await;
    let user = bot.discord.user("Ada");
    let channel = bot.discord.dm(user);
    bot.model.push(slowly());
    let asked = bot
        .discord
        .interaction(channel, user, "ask", &[("question", "tell me")]);
    let first = bot.discord.wait_for_replies(asked, 1).await.remove(0);
    assert!(first.content.ends_with('▌'), "{first:?}");
    bot.kill().await;
    bot.start().await;
    bot.discord
        .wait_for("the answer", |fake| {
            let replies = fake.interaction_replies(asked);
            replies
                .first()
                .filter(|reply| reply.content == "You said: tell me")
                .map(drop)
        })
        .await;
    bot.finish().await;
    assert_eq!(bot.discord.interaction_replies(asked).len(), 1);
    assert_eq!(bot.discord.sent(channel).len(), 0);
}
