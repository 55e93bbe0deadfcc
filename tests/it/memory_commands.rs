//! People's control of their memory items, by commands in a chat.

use clifford_core::{clock::Timestamp, id::UserId, memory::content::Content};
use clifford_engine::memory::editing::{self, NewItem};
use clifford_store::{
    memory::{
        admin::{self as memory_admin, Item},
        items::Viewer,
    },
    people::users,
};

use crate::{
    db_probe::DbProbe,
    harness::{Bot, Setup, Site},
};

fn now() -> Timestamp {
    jiff::Timestamp::now().into()
}

impl DbProbe {
    /// The newest person.
    async fn person(&self) -> UserId {
        let mut conn = self.db.read().await.unwrap();
        let people = users::page(&mut conn, users::Filter::default(), 1).await.unwrap();
        people[0].id
    }

    pub async fn remember(&self, user: UserId, module: &str, key: &str, value: &str) -> Item {
        let new = NewItem {
            user,
            content: Content {
                module: module.into(),
                key: key.into(),
                value: value.into(),
                level: 1,
                confidence: 1.0,
            },
            shareable: false,
            pinned: false,
        };
        self.db
            .write(move |tx| Box::pin(async move { editing::add(tx, new, now()).await }))
            .await
            .unwrap()
            .unwrap()
    }

    /// The memory of a person: keys with their marks.
    async fn kept(&self, user: UserId) -> Vec<String> {
        let mut conn = self.db.read().await.unwrap();
        let items = memory_admin::seen_by(&mut conn, user, Viewer::Private).await.unwrap();
        let mark = |on: bool, mark: &'static str| if on { mark } else { "" };
        items
            .into_iter()
            .map(|item| {
                let local = mark(item.origin_space.is_some(), " local");
                let (pinned, shared) = (mark(item.pinned, " pinned"), mark(item.shareable, " shared"));
                format!("{}{pinned}{shared}{local}", item.key)
            })
            .collect()
    }
}

async fn telegram_bot() -> Bot {
    Setup::on(Site::Telegram).start().await
}

#[tokio::test]
async fn telegram_user_sees_pins_shares_and_forgets_in_private() {
    let mut bot = telegram_bot().await;
    let chat = bot.telegram.user(7, "Ada");
    let tell = async |name: &str, argument: &str| {
        let before = bot.telegram.sent(chat).len();
        bot.telegram.command(chat, 7, name, argument);
        bot.telegram.wait_for_sent(chat, before + 1).await.pop().unwrap().text
    };
    assert!(tell("memory", "").await.starts_with("I know nothing about you yet."));
    let look = bot.look().await;
    let ada = look.person().await;
    look.remember(ada, "identity", "name", "Ada").await;
    look.remember(ada, "preferences", "drink", "green *tea*").await;
    look.remember(ada, "projects", "name", "the engine").await;

    let list = tell("memory", "").await;
    let words = [
        "This is what I know about you.",
        "identity",
        "• name: Ada",
        "• drink: green *tea*",
    ];
    assert!(words.iter().all(|word| list.contains(word)), "{list}");
    assert!(tell("pin", "drink").await.starts_with("preferences.drink is pinned:"));
    assert!(
        tell("share", "Preferences.Drink")
            .await
            .contains("wherever you speak to me now")
    );
    assert_eq!(look.kept(ada).await, ["name", "drink pinned shared", "name"]);
    assert!(tell("memory", "").await.contains("• drink: green *tea* 📌 🌐"));
    assert!(tell("pin", "drink").await.contains("is not pinned any more"));
    assert!(tell("private", "drink").await.contains("in private only now"));
    assert_eq!(look.kept(ada).await, ["name", "drink", "name"]);

    let which = tell("forget", "name").await;
    assert!(
        which.contains("/forget identity.name") && which.contains("/forget projects.name"),
        "{which}"
    );
    assert!(tell("forget", "drnk").await.contains("/forget preferences.drink"));
    assert_eq!(tell("forget", "projects.name").await, "Forgotten: projects.name.");
    let asked = tell("forget", "all").await;
    assert!(
        asked.contains("identity.name") && asked.contains("Type /forget all yes to do it."),
        "{asked}"
    );
    assert_eq!(look.kept(ada).await, ["name", "drink"]);
    assert_eq!(tell("forget", "all yes").await, "Forgotten: all 2 items.");
    assert_eq!(look.kept(ada).await, Vec::<String>::new());
    assert_eq!(tell("forget", "all").await, "There is nothing to forget.");
    bot.finish().await;
    assert_eq!(bot.model.request_count(), 0);
}

#[tokio::test]
async fn where_memory_is_off_the_list_says_so() {
    let mut bot = Setup::on(Site::Telegram).set("memory.enabled", false).start().await;
    let chat = bot.telegram.user(7, "Ada");
    bot.telegram.command(chat, 7, "memory", "");
    let text = bot.telegram.wait_for_sent(chat, 1).await.pop().unwrap().text;
    assert!(text.starts_with("Memory is off here:"), "{text}");
    bot.command(&["settings", "set", "bot", "memory", "true"]).await;
    bot.telegram.command(chat, 7, "memory", "");
    let text = bot.telegram.wait_for_sent(chat, 2).await.pop().unwrap().text;
    assert!(text.starts_with("I know nothing about you yet."), "{text}");
    bot.finish().await;
}

#[tokio::test]
async fn in_a_discord_channel_only_what_may_be_known_there_is_listed_and_touched() {
    let mut bot = Setup::on(Site::Discord).start().await;
    let ada = bot.discord.user("Ada");
    let guild = bot.discord.guild("Team");
    let channel = bot.discord.channel(guild, "general");
    let tell = async |name: &str, argument: &str| {
        let options = [("key", argument)];
        let options = if argument.is_empty() { &[][..] } else { &options };
        let id = bot.discord.interaction(channel, ada, name, options);
        bot.discord.wait_for_replies(id, 1).await.remove(0).content
    };
    let rest = "Ask me in private for the rest: what you tell me there stays there.";
    let nothing = tell("memory", "").await;
    assert!(
        nothing.starts_with("I know nothing about you that I may tell here.") && nothing.contains(rest),
        "{nothing}"
    );
    let look = bot.look().await;
    let user = look.person().await;
    let space = look.channels().await.remove(0).space_id.unwrap();
    look.remember(user, "identity", "salary", "a secret").await;
    let said_here = look.remember(user, "preferences", "drink", "tea").await;
    let said_here = Item {
        origin_space: Some(space),
        ..said_here
    };
    look.db
        .write(move |tx| Box::pin(async move { memory_admin::update(tx, &said_here).await }))
        .await
        .unwrap();

    let list = tell("memory", "").await;
    assert!(list.contains("- `drink`: tea 👥") && list.contains(rest), "{list}");
    assert!(!list.contains("salary") && !list.contains("secret"), "{list}");
    // A private item is answered like one that is not there at all.
    for command in ["forget", "pin", "share", "private"] {
        let private = tell(command, "salary").await;
        let unknown = tell(command, "weight").await;
        assert_eq!(private.replace("salary", "weight"), unknown, "{command}");
        assert!(
            private.starts_with("I know nothing under the key `salary` here."),
            "{private}"
        );
        assert_eq!(tell(command, "salry").await.replace("salry", "weight"), unknown);
    }
    let asked = tell("forget", "all").await;
    assert!(
        asked.contains("preferences.drink") && !asked.contains("salary"),
        "{asked}"
    );
    assert!(tell("pin", "drink").await.contains("is pinned"));
    assert_eq!(look.kept(user).await, ["salary", "drink pinned local"]);
    assert!(tell("private", "drink").await.contains("in private only now"));
    assert_eq!(look.kept(user).await, ["salary", "drink pinned"]);
    assert_eq!(tell("forget", "all yes").await, "There is nothing to forget.");
    assert_eq!(look.kept(user).await, ["salary", "drink pinned"]);
    bot.finish().await;
}
