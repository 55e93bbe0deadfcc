//! A conversation of one platform goes on on another, for its person alone.

use clifford_core::{messages::Direction, runs::RunStatus};
use clifford_fakes::telegram::Chat;
use sqlx::AssertSqlSafe;

use crate::{
    db_probe::DbProbe,
    harness::{Bot, Room, Setup, Site},
    scripted_model::Prompt,
};

/// A bot on both platforms.
fn both() -> Setup {
    Setup::on(Site::Telegram).and(Site::Discord)
}

/// Ada on both platforms, known as one person.
struct Ada {
    chat: Chat,
    user: u64,
    dm: u64,
}

impl Ada {
    /// She says hello on Discord once; from then on that account is the same person as the one on Telegram.
    async fn meet(bot: &Bot) -> Self {
        let chat = bot.telegram.user(7, "Ada");
        let user = bot.discord.user("Ada");
        let dm = bot.discord.dm(user);
        let ada = Self { chat, user, dm };
        bot.says(ada.on_telegram(), "about cats");
        bot.answers(ada.on_telegram(), 1).await;
        ada.tell(bot, "new", &[("name", "Discord talk")]).await;
        make_one(&bot.look().await).await;
        ada
    }

    fn on_telegram(&self) -> Room {
        Room::Telegram(self.chat)
    }

    fn on_discord(&self) -> Room {
        Room::Discord {
            channel: self.dm,
            user: self.user,
        }
    }

    /// Gives a command on Discord.
    async fn tell(&self, bot: &Bot, name: &str, options: &[(&str, &str)]) -> clifford_fakes::discord::Sent {
        let id = bot.discord.interaction(self.dm, self.user, name, options);
        bot.discord.wait_for_replies(id, 1).await.remove(0)
    }

    /// Says something on Telegram, and returns the answer.
    async fn says(&self, bot: &Bot, text: &str) -> String {
        let before = bot.texts(self.on_telegram()).len();
        bot.says(self.on_telegram(), text);
        bot.answers(self.on_telegram(), before + 1).await.remove(before)
    }
}

/// Makes the person on Discord the one on Telegram.
async fn make_one(look: &DbProbe) {
    let telegram = "(SELECT user_id FROM identities WHERE platform = 'telegram' AND platform_user_id = '7')";
    let discord = "(SELECT user_id FROM channels WHERE platform = 'discord')";
    for sql in [
        format!("UPDATE contexts SET user_id = {telegram} WHERE user_id = {discord}"),
        format!("UPDATE identities SET user_id = {telegram} WHERE platform = 'discord'"),
        format!("UPDATE channels SET user_id = {telegram} WHERE platform = 'discord'"),
    ] {
        execute(look, &sql).await;
    }
}

async fn execute(look: &DbProbe, sql: &str) {
    let sql = AssertSqlSafe(sql.to_owned());
    match look.db.pools() {
        clifford_store::Pools::Sqlite { read } => drop(sqlx::query(sql).execute(read).await.unwrap()),
        clifford_store::Pools::Postgres(pool) => drop(sqlx::query(sql).execute(pool).await.unwrap()),
    }
}

#[tokio::test]
async fn a_conversation_of_telegram_goes_on_on_discord_and_each_reply_goes_where_it_was_asked() {
    let mut bot = both().start().await;
    let ada = Ada::meet(&bot).await;
    let list = ada.tell(&bot, "continue", &[]).await;
    assert_eq!(
        list.content,
        "1. **about cats**, Telegram, just now\n   You said: about cats\n\n`/continue` with a name or a number goes on with one \
         here."
    );
    let pressed = bot.discord.press(ada.dm, ada.user, &list, "about cats · Telegram");
    let answer = bot.discord.wait_for_replies(pressed, 1).await.remove(0).content;
    assert_eq!(
        answer,
        "Going on here with **about cats** from Telegram. I answer each message where you write it."
    );
    bot.says(ada.on_discord(), "on Discord");
    assert_eq!(bot.answers(ada.on_discord(), 1).await, ["You said: on Discord"]);
    assert_eq!(ada.says(&bot, "on Telegram").await, "You said: on Telegram");
    bot.says(ada.on_discord(), "and back");
    assert_eq!(bot.answers(ada.on_discord(), 2).await[1], "You said: and back");
    let last = bot.model.requests().pop().unwrap();
    assert_eq!(
        Prompt::read(&last).conversation(),
        [
            "about cats",
            "You said: about cats",
            "on Discord",
            "You said: on Discord",
            "on Telegram",
            "You said: on Telegram"
        ]
    );
    // The list of the chat where it goes on shows it too.
    let here = ada.tell(&bot, "contexts", &[]).await.content;
    assert!(
        here.starts_with("1. **about cats**, 4 turns, just now ← this one\n2. **Discord talk**"),
        "{here}"
    );
    assert_eq!(
        ada.says(&bot, "/new").await,
        "A new conversation. What is it about? The one before was shared, so it ended on Discord too."
    );
    let closed = ada.tell(&bot, "close", &[]).await.content;
    assert_eq!(closed, "There is no open conversation here.");
    // Closed as it is, it can be gone on with.
    let again = ada.tell(&bot, "continue", &[("conversation", "1")]).await.content;
    assert!(again.starts_with("Going on here with **about cats**"), "{again}");
    bot.finish().await;
}

#[tokio::test]
async fn what_waits_in_a_shared_conversation_is_answered_chat_by_chat() {
    let mut bot = both().start().await;
    let ada = Ada::meet(&bot).await;
    ada.tell(&bot, "continue", &[("conversation", "cats")]).await;
    let hold = bot.model.hold();
    let before = bot.model.request_count();
    bot.says(ada.on_telegram(), "t1");
    bot.model.wait_for_requests(before + 1).await;
    let stored = async |count: usize| {
        bot.until("the messages", async |look| {
            let inbound = look.messages(Direction::Inbound).await;
            let talk = inbound.iter().filter(|message| message.context_id.is_some());
            (talk.count() == count).then_some(())
        })
        .await;
    };
    bot.says(ada.on_discord(), "d1");
    stored(3).await;
    bot.says(ada.on_telegram(), "t2");
    stored(4).await;
    bot.says(ada.on_discord(), "d2");
    stored(5).await;
    hold.release();
    assert_eq!(
        bot.answers(ada.on_telegram(), 3).await[1..],
        ["You said: t1", "You said: t2"]
    );
    assert_eq!(bot.answers(ada.on_discord(), 1).await, ["You said: d1\nd2"]);
    bot.finish().await;
    let runs = bot.look().await.runs().await;
    assert!(runs.iter().all(|run| run.status == RunStatus::Completed), "{runs:#?}");
}

#[tokio::test]
async fn what_goes_on_in_another_chat_is_not_ended_by_leaving_it_here() {
    let mut bot = both().start().await;
    let ada = Ada::meet(&bot).await;
    ada.says(&bot, "/new dogs").await;
    ada.says(&bot, "/switch about cats").await;
    ada.tell(&bot, "continue", &[("conversation", "about cats")]).await;
    let answer = ada.tell(&bot, "continue", &[("conversation", "dogs")]).await.content;
    assert!(answer.starts_with("Going on here with **dogs**"), "{answer}");
    let here = ada.says(&bot, "/contexts").await;
    assert!(
        here.lines()
            .any(|line| line.contains("about cats") && line.contains("← this one")),
        "{here}"
    );
    let open = bot
        .look()
        .await
        .count("contexts WHERE closed_at IS NULL AND name = 'about cats'")
        .await;
    assert_eq!(open, 1);
    bot.finish().await;
}

#[tokio::test]
async fn nobody_goes_on_with_what_is_another_persons() {
    let mut bot = both().start().await;
    let ada = Ada::meet(&bot).await;
    let channels = bot.look().await.channels().await;
    let cats = channels
        .iter()
        .find(|channel| channel.platform == "telegram")
        .and_then(|channel| channel.active_context_id)
        .unwrap();
    let eve = bot.discord.user("Eve");
    let dm = bot.discord.dm(eve);
    let tell = async |channel: u64, user: u64, name: &str, options: &[(&str, &str)]| {
        let id = bot.discord.interaction(channel, user, name, options);
        bot.discord.wait_for_replies(id, 1).await.remove(0)
    };
    let id = cats.to_string();
    for wanted in [&*id, "1", "cats"] {
        let answer = tell(dm, eve, "continue", &[("conversation", wanted)]).await.content;
        assert_eq!(
            answer,
            format!("I can't find a conversation `{wanted}` of yours in another chat. `/continue` lists them.")
        );
    }
    let nothing = tell(dm, eve, "continue", &[]).await;
    assert!(
        nothing
            .content
            .starts_with("You have no conversations with me in other private chats."),
        "{}",
        nothing.content
    );
    let pressed = bot.discord.press_id(dm, eve, nothing.id, &format!("continue {id}"));
    let answer = bot.discord.wait_for_replies(pressed, 1).await.remove(0).content;
    assert!(answer.starts_with("I can't find a conversation"), "{answer}");
    let answer = tell(dm, eve, "switch", &[("name", &id)]).await.content;
    assert!(answer.starts_with("I can't find a conversation"), "{answer}");
    let typed = bot.discord.types(dm, eve, "continue", "conversation", "");
    assert_eq!(bot.discord.wait_for_choices(typed).await, []);

    // In a shared channel not even its own person.
    let guild = bot.discord.guild("Team");
    let general = bot.discord.channel(guild, "general");
    for wanted in [&[][..], &[("conversation", &*id)]] {
        let answer = tell(general, ada.user, "continue", wanted).await;
        assert!(
            answer
                .content
                .starts_with("You can continue a conversation only in a private chat"),
            "{}",
            answer.content
        );
        assert_eq!(answer.buttons, []);
    }
    let typed = bot.discord.types(general, ada.user, "continue", "conversation", "");
    assert_eq!(bot.discord.wait_for_choices(typed).await, []);
    let typed = bot.discord.types(ada.dm, ada.user, "continue", "conversation", "cat");
    let choices = bot.discord.wait_for_choices(typed).await;
    assert_eq!(choices, [("about cats · Telegram".to_owned(), id)]);
    bot.finish().await;
}
