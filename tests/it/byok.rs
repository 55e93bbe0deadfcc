//! People bring keys of their own for a model.

use clifford_fakes::telegram::{Chat, TelegramFake};
use clifford_store::usage::{self, Filter};
use serde_json::{Value, json};

use crate::{
    harness::{Bot, Room, Setup, Site},
    secrets::everything,
    store::erasure::column,
};

const ADA: i64 = 7;
const BOTS: &str = "sk-bots-0123456789abcdefghij";
const OWN: &str = "sk-own-0123456789abcdefghij";
const WRONG: &str = "sk-wrong-0123456789abcdefgh";

fn priced(site: Site) -> Setup {
    let mut budget = toml::Table::new();
    budget.insert("scope".to_owned(), "user".into());
    budget.insert("period".to_owned(), "day".into());
    budget.insert("cost".to_owned(), 0.000_001.into());
    Setup::on(site)
        .provider("key", BOTS)
        .provider("prompt_price", 1000.0)
        .set("budgets", toml::Value::Array(vec![budget.into()]))
        .set("memory.enabled", false)
}

async fn tell(bot: &Bot, chat: Chat, name: &str, argument: &str) -> String {
    let before = bot.telegram.sent(chat).len();
    bot.telegram.command(chat, ADA, name, argument);
    bot.telegram.wait_for_sent(chat, before + 1).await.remove(before).text
}

async fn asks(bot: &Bot, room: Room, text: &str) -> String {
    let before = bot.texts(room).len();
    bot.says(room, text);
    bot.answers(room, before + 1).await.remove(before)
}

/// The key of each model call, in order.
fn keys(bot: &Bot) -> Vec<String> {
    let requests = bot.model.requests();
    let key = |request: &std::sync::Arc<clifford_fakes::openai::RecordedRequest>| {
        let header = request.header("authorization").unwrap_or_default();
        header.trim_start_matches("Bearer ").to_owned()
    };
    requests.iter().map(key).collect()
}

#[tokio::test]
async fn whoever_brings_a_key_is_answered_by_it_at_their_own_cost_and_it_shows_nowhere() {
    let mut bot = priced(Site::Telegram).start().await;
    let (ada, bob) = (bot.telegram.user(ADA, "Ada"), bot.room(Site::Telegram, 8, "Bob"));
    let taken = tell(&bot, ada, "key", &format!("set FAKE {OWN}")).await;
    assert_eq!(
        taken,
        "I have your key for fake, encrypted, and use it from now on to answer you, wherever you write to me. Its \
         costs are yours and count against no budget of mine; /usage shows it. /key remove fake takes it back. I deleted your \
         message with it."
    );
    assert_eq!(bot.telegram.deleted(ada).len(), 1);
    let room = Room::Telegram(ada);
    // Each call costs more than a person may spend in a day.
    for text in ["one", "two", "three"] {
        assert_eq!(asks(&bot, room, text).await, format!("You said: {text}"));
    }
    assert_eq!(asks(&bot, bob, "hello").await, "You said: hello");
    assert_eq!(keys(&bot), [OWN, OWN, OWN, BOTS]);

    let used = tell(&bot, ada, "usage", "").await;
    assert!(used.contains("today: 3 model calls"), "{used}");
    assert!(used.contains(", all by your own key"), "{used}");
    assert!(used.contains("0.0000 of 0.000001 in cost"), "{used}");
    let look = bot.look().await;
    let mut conn = look.db.read().await.unwrap();
    let sum = usage::total(&mut conn, Filter::default()).await.unwrap();
    assert_eq!((sum.calls, sum.own_key_calls), (4, 3));
    assert!(sum.own_key_cost > 0.0 && sum.own_key_cost < sum.cost, "{sum:?}");
    drop(conn);

    // Said again, or written into an old message, it is kept no more than the first time.
    let said = bot.telegram.user_says(ada, ADA, &format!("it is {OWN}, you know"));
    bot.answers(room, 6).await;
    bot.telegram.edit(ada, ADA, said, &format!("/key set fake {WRONG}"));
    assert_eq!(
        asks(&bot, room, &format!("please /key set fake {WRONG}")).await,
        "You said: please /key set fake [secret]"
    );
    assert!(
        tell(&bot, ada, "key", "")
            .await
            .starts_with("Your own keys:\n• fake (since ")
    );
    let exported = tell(&bot, ada, "export", "").await;
    assert_eq!(exported, "Everything that I have of you, as JSON Lines.");
    let sent = bot.telegram.wait_for_sent(ada, 10).await;
    let file = sent.iter().find_map(|sent| sent.document.clone()).expect("a file");
    let lines = String::from_utf8(file.content.clone()).unwrap();
    let keys: Vec<Value> = (lines.lines())
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .filter(|line| line["type"] == "own_key")
        .collect();
    assert_eq!((keys.len(), &keys[0]["provider"]), (1, &json!("fake")));
    bot.stop().await;
    for (place, text) in everything(&bot, room).await {
        for key in [OWN, WRONG] {
            assert!(!text.contains(key), "{key} in {place}: {text}");
        }
    }
    assert!(!lines.contains(OWN) && !String::from_utf8_lossy(&bot.database_bytes()).contains(OWN));
    bot.assert_no_violations();
}

#[tokio::test]
async fn a_key_that_is_refused_is_told_of_and_the_bots_own_never_takes_its_place() {
    let mut bot = Setup::on(Site::Telegram)
        .provider("key", BOTS)
        .set("memory.enabled", false)
        .start()
        .await;
    bot.model.require_key(BOTS);
    let ada = bot.telegram.user(ADA, "Ada");
    let room = Room::Telegram(ada);
    assert_eq!(
        tell(&bot, ada, "key", "set fake because").await,
        "I did not take that: that does not look like an API key: give it as the provider shows it, without quotes or \
         blanks. I deleted your message with it."
    );
    tell(&bot, ada, "key", &format!("set fake {WRONG}")).await;
    assert_eq!(
        asks(&bot, room, "hello").await,
        "Sorry, fake did not accept your own key, or what it was used for (status 401: Incorrect API key provided: [secret].). In a \
         private chat with me, /key remove fake takes it back, and /key set fake KEY gives me another; until then I don't \
         answer you by mine."
    );
    assert_eq!(
        keys(&bot),
        Vec::<String>::new(),
        "what is refused is not recorded, and nothing else came"
    );
    assert_eq!(
        tell(&bot, ada, "key", "remove fake").await,
        "I forgot your key for fake, and use mine again to answer you."
    );
    assert_eq!(asks(&bot, room, "hello").await, "You said: hello");
    assert_eq!(keys(&bot), [BOTS]);
    bot.finish().await;
}

#[tokio::test]
async fn a_key_given_where_others_read_along_is_not_taken() {
    let mut bot = Setup::on(Site::Telegram).provider("key", BOTS).start().await;
    let ada = bot.telegram.user(ADA, "Ada");
    let group = bot.telegram.supergroup(-1_001_234, "Team");
    let kept_nothing = "Keys are between you and me: write /key to me in a private chat. I kept nothing of this.";
    assert_eq!(
        tell(&bot, group, "key", &format!("set fake {OWN}")).await,
        format!(
            "{kept_nothing} If a key stands in your message, delete it, and replace the key at its provider: others read \
             along here."
        )
    );
    assert_eq!(bot.telegram.deleted(group), [0; 0]);
    let rights = json!({"status": "administrator", "can_delete_messages": true});
    bot.telegram.standing(group, TelegramFake::BOT_ID, rights);
    assert_eq!(
        tell(&bot, group, "key", &format!("set fake {OWN}")).await,
        format!(
            "{kept_nothing} I deleted your message; if a key stood in it, others may have seen it: replace it at its \
             provider."
        )
    );
    assert_eq!(bot.telegram.deleted(group).len(), 1);
    assert!(
        tell(&bot, ada, "key", "list")
            .await
            .starts_with("I have no key of yours.")
    );
    bot.stop().await;
    let db = bot.look().await.db;
    assert_eq!(column(&db, "SELECT id FROM user_secrets").await, [""; 0]);
    let kept = column(
        &db,
        "SELECT content FROM messages WHERE direction = 'inbound' ORDER BY id",
    )
    .await;
    assert_eq!(kept, ["/key set fake [secret]", "/key set fake [secret]", "/key list"]);
    for (place, text) in everything(&bot, Room::Telegram(group)).await {
        assert!(!text.contains(OWN), "{place}: {text}");
    }
    bot.assert_no_violations();
}

#[tokio::test]
async fn on_discord_the_command_is_given_to_the_bot_alone_and_its_answer_is_seen_by_nobody_else() {
    let mut bot = Setup::on(Site::Discord).provider("key", BOTS).start().await;
    let commands = bot
        .discord
        .wait_for("commands", |fake| {
            Some(fake.commands(None)).filter(|all| !all.is_empty())
        })
        .await;
    let key = commands
        .iter()
        .find(|command| command["name"] == "key")
        .expect("the command");
    assert_eq!(key["contexts"], json!([1]));
    let options: Vec<_> = key["options"]
        .as_array()
        .unwrap()
        .iter()
        .map(|option| &option["name"])
        .collect();
    assert_eq!(options, ["action", "provider", "key"]);

    let ada = bot.discord.user("Ada");
    let dm = bot.discord.dm(ada);
    let given = [("action", "set"), ("provider", "fake"), ("key", OWN)];
    let asked = bot.discord.interaction(dm, ada, "key", &given);
    let replies = bot.discord.wait_for_replies(asked, 1).await;
    assert!(
        replies[0].content.ends_with("`/key remove fake` takes it back."),
        "{}",
        replies[0].content
    );
    assert_eq!(bot.discord.flags(asked), 1 << 6);
    let room = Room::Discord { channel: dm, user: ada };
    let before = bot.texts(room).len();
    bot.says(room, "hello");
    assert_eq!(bot.answers(room, before + 1).await[before], "You said: hello");
    assert_eq!(keys(&bot), [OWN]);
    bot.finish().await;
}
