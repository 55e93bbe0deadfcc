//! One person on two platforms.

use clifford_fakes::telegram::Chat;
use serde_json::Value;

use crate::{
    harness::{Bot, Room, Setup, Site},
    scripted_model::{self, Prompt},
};

/// A person with an account on each platform, who has spoken on both.
struct Ada {
    chat: Chat,
    dm: u64,
    user: u64,
}

impl Ada {
    async fn meets(bot: &Bot) -> Self {
        let chat = bot.telegram.user(7, "Ada");
        let user = bot.discord.user("ada_l");
        let ada = Self {
            chat,
            dm: bot.discord.dm(user),
            user,
        };
        bot.says(ada.telegram(), "hello from Telegram");
        bot.answers(ada.telegram(), 1).await;
        bot.says(ada.discord(), "hello from Discord");
        bot.answers(ada.discord(), 1).await;
        ada
    }

    fn telegram(&self) -> Room {
        Room::Telegram(self.chat)
    }

    fn discord(&self) -> Room {
        Room::Discord {
            channel: self.dm,
            user: self.user,
        }
    }

    /// Gives a command on Telegram, and reads the answer.
    async fn on_telegram(&self, bot: &Bot, name: &str, argument: &str) -> String {
        let before = bot.telegram.sent(self.chat).len();
        bot.telegram.command(self.chat, 7, name, argument);
        bot.telegram
            .wait_for_sent(self.chat, before + 1)
            .await
            .pop()
            .unwrap()
            .text
    }

    /// Enters a code on Discord, and says yes to what is asked there.
    async fn links_discord(&self, bot: &Bot, code: &str) -> String {
        let asked = self.on_discord(bot, "link", &[("code", code)]).await;
        let yes = format!("yes {}", yes_in(&asked));
        self.on_discord(bot, "link", &[("code", &yes)]).await
    }

    /// Gives a command on Discord, and reads the answer.
    async fn on_discord(&self, bot: &Bot, name: &str, options: &[(&str, &str)]) -> String {
        let id = bot.discord.interaction(self.dm, self.user, name, options);
        bot.discord.wait_for_replies(id, 1).await.remove(0).content
    }
}

/// The code that confirms what was asked: behind `yes`.
fn yes_in(text: &str) -> String {
    let (_, behind) = text.split_once(" yes ").expect("a question");
    behind.chars().take_while(char::is_ascii_alphanumeric).collect()
}

/// The code in an answer, without what markup put around it.
fn code_in(text: &str) -> String {
    let (_, behind) = text.split_once("Your code is ").expect("a code");
    behind.chars().filter(|c| *c != '`').take(8).collect()
}

fn id_in(text: &str) -> &str {
    let (_, id) = text.rsplit_once(' ').expect("an id");
    id.trim_matches('`')
}

fn both() -> Setup {
    Setup::on(Site::Telegram).and(Site::Discord)
}

#[tokio::test]
async fn a_code_of_telegram_links_discord_across_a_restart_and_unlink_parts_them() {
    let mut bot = both().start().await;
    let ada = Ada::meets(&bot).await;
    let offer = ada.on_telegram(&bot, "link", "").await;
    assert!(offer.contains("both accounts will share what I remember"), "{offer}");
    let code = code_in(&offer);
    bot.stop().await;
    bot.start().await;
    let asked = ada.on_discord(&bot, "link", &[("code", &code.to_lowercase())]).await;
    assert!(
        asked.starts_with("This code belongs to **“Ada”**. It was made on Telegram by “Ada” (`7`).")
            && asked.contains("will read what you told me here in private")
            && asked.contains("Do this only if that account is **yours**."),
        "{asked}"
    );
    // Nothing is linked before the yes, and another code is none.
    assert_eq!(bot.look().await.count("users").await, 2);
    let wrong = ada.on_discord(&bot, "link", &[("code", "yes ABCDEF")]).await;
    assert!(wrong.starts_with("That code is wrong or has expired"), "{wrong}");
    let late = ada
        .on_discord(&bot, "link", &[("code", &format!("yes {}", yes_in(&asked)))])
        .await;
    assert!(late.starts_with("That code is wrong or has expired"), "{late}");
    assert_eq!(bot.look().await.count("users").await, 2);
    let linked = ada.links_discord(&bot, &code).await;
    assert!(
        linked.starts_with("Linked. You are **Ada** on all of these:"),
        "{linked}"
    );
    assert!(
        linked.contains("Telegram: Ada") && linked.contains("Discord: ada"),
        "{linked}"
    );
    let there = ada.on_discord(&bot, "whoami", &[]).await;
    let here = ada.on_telegram(&bot, "whoami", "").await;
    assert_eq!(id_in(&there), id_in(&here));
    assert!(
        here.starts_with("You are Ada.") && here.contains("I remember nothing about you yet."),
        "{here}"
    );
    assert_eq!(bot.look().await.count("users").await, 1);
    // Each goes on where it was.
    bot.says(ada.discord(), "still there?");
    assert_eq!(bot.answers(ada.discord(), 2).await[1], "You said: still there?");

    let asked = ada.on_discord(&bot, "unlink", &[]).await;
    assert!(
        asked.starts_with("This makes the account that you are using a person of its own, and ends logins"),
        "{asked}"
    );
    assert_eq!(bot.look().await.count("users").await, 1);
    let yes = format!("yes {}", yes_in(&asked));
    let parted = ada.on_discord(&bot, "unlink", &[("confirmation", &yes)]).await;
    assert!(
        parted.starts_with("Separated. This account is a person of its own to me now"),
        "{parted}"
    );
    assert_ne!(id_in(&ada.on_discord(&bot, "whoami", &[]).await), id_in(&here));
    let again = ada.on_discord(&bot, "unlink", &[]).await;
    assert!(
        again.starts_with("This is the only account of yours that I know"),
        "{again}"
    );
    bot.says(ada.discord(), "and now?");
    assert_eq!(bot.answers(ada.discord(), 3).await[2], "You said: and now?");
    bot.finish().await;
    let last = bot.model.requests().pop().unwrap();
    assert_eq!(
        Prompt::read(&last).conversation(),
        [
            "hello from Discord",
            "You said: hello from Discord",
            "still there?",
            "You said: still there?"
        ]
    );
    assert_eq!(bot.look().await.count("users").await, 2);
}

#[tokio::test]
async fn a_code_given_in_a_group_is_void_and_nothing_is_told_there() {
    let mut bot = both().start().await;
    let ada = Ada::meets(&bot).await;
    let group = bot.telegram.group(-500, "Friends");
    let told = async |argument: &str| {
        let before = bot.telegram.sent(group).len();
        bot.telegram.command(group, 7, "link", argument);
        bot.telegram.wait_for_sent(group, before + 1).await.pop().unwrap().text
    };
    let only = "Accounts are linked and separated only in a private chat with me. Write to me there.";
    assert_eq!(told("").await, only);
    let code = code_in(&ada.on_telegram(&bot, "link", "").await);
    assert_eq!(told(&code).await, only);
    assert_eq!(told("ABCDEFGH").await, only);
    let refused = ada.on_discord(&bot, "link", &[("code", &code)]).await;
    assert!(refused.starts_with("I don't know that code."), "{refused}");
    for _ in 0..4 {
        ada.on_discord(&bot, "link", &[("code", "guessing")]).await;
    }
    let code = code_in(&ada.on_telegram(&bot, "link", "").await);
    let refused = ada.on_discord(&bot, "link", &[("code", &code)]).await;
    assert_eq!(refused, "Those were too many tries. Please try again in 60 min.");
    let own = ada.on_telegram(&bot, "link", &code).await;
    assert!(own.starts_with("This is you already."), "{own}");
    bot.finish().await;
    assert_eq!(bot.look().await.count("users").await, 2);
}

#[tokio::test]
async fn where_others_read_along_a_person_has_the_name_of_the_account_that_is_known_there() {
    let mut bot = both().start().await;
    let ada = Ada::meets(&bot).await;
    let code = code_in(&ada.on_telegram(&bot, "link", "").await);
    ada.links_discord(&bot, &code).await;
    let channel = bot.discord.channel(bot.discord.guild("Club"), "one");
    let shown = |bot: &Bot| {
        let last = bot.model.requests().pop().unwrap();
        let payload: Value = serde_json::from_str(last.text(1)).unwrap();
        payload["run"]["user"].clone()
    };
    for (room, name) in [(channel, "ada_l"), (ada.dm, "Ada")] {
        let asked = bot.discord.interaction(room, ada.user, "ask", &[("text", "hello")]);
        bot.discord.wait_for_replies(asked, 1).await;
        assert_eq!(shown(&bot), name);
        let told = bot.discord.interaction(room, ada.user, "whoami", &[]);
        let told = bot.discord.wait_for_replies(told, 1).await.remove(0).content;
        assert!(told.starts_with(&format!("You are **{name}**")), "{told}");
    }
    bot.finish().await;
}

#[tokio::test]
async fn what_is_at_work_and_what_comes_in_while_accounts_are_linked_is_answered() {
    for setup in [Some(both()), both().postgres()].into_iter().flatten() {
        let mut bot = setup.start().await;
        let ada = Ada::meets(&bot).await;
        let code = code_in(&ada.on_telegram(&bot, "link", "").await);
        let asked = ada.on_discord(&bot, "link", &[("code", &code)]).await;
        let yes = format!("yes {}", yes_in(&asked));
        let hold = bot.model.hold();
        bot.says(ada.discord(), "at work");
        bot.model.wait_for_requests(3).await;
        // The link, and around it what comes in on both sides.
        bot.says(ada.discord(), "before");
        let linking = bot.discord.interaction(ada.dm, ada.user, "link", &[("code", &yes)]);
        bot.says(ada.discord(), "behind");
        bot.says(ada.telegram(), "beside");
        let linked = bot.discord.wait_for_replies(linking, 1).await.remove(0).content;
        assert!(linked.starts_with("Linked."), "{linked}");
        hold.release();
        bot.until("every message to be answered", async |look| {
            let runs = look.runs().await;
            let heard: usize = runs.iter().map(|run| run.input_text.lines().count()).sum();
            let one_person = runs.iter().all(|run| run.user_id == runs[0].user_id);
            (heard == 6 && one_person && runs.iter().all(|run| run.status.as_str() == "completed")).then_some(())
        })
        .await;
        bot.finish().await;
        let answered = bot.texts(ada.discord())[1..].join("\n");
        for text in ["at work", "before", "behind"] {
            assert!(answered.contains(text), "{answered}");
        }
        assert!(bot.texts(ada.telegram()).last().unwrap().ends_with("beside"));
        assert_eq!(bot.look().await.count("users").await, 1);
        // Nothing was asked in the name of somebody who is gone.
        assert!(scripted_model::inputs(&bot.model.requests()).contains(&"at work".to_owned()));
    }
}

#[tokio::test]
async fn of_an_owners_accounts_the_one_that_was_there_first_stays_the_owner() {
    for parts_first in [true, false] {
        let mut bot = both().start().await;
        let chat = bot.telegram.user(7, "Ada");
        let made = bot.command(&["pair", "claim", "--json"]).await;
        let made: Value = serde_json::from_str(&made).unwrap();
        bot.says(Room::Telegram(chat), made["code"].as_str().unwrap());
        bot.answers(Room::Telegram(chat), 1).await;
        let user = bot.discord.user("ada_l");
        let ada = Ada {
            chat,
            dm: bot.discord.dm(user),
            user,
        };
        bot.says(ada.discord(), "hello from Discord");
        bot.answers(ada.discord(), 1).await;
        let code = code_in(&ada.on_telegram(&bot, "link", "").await);
        assert!(ada.links_discord(&bot, &code).await.starts_with("Linked."));
        let told = if parts_first {
            let asked = ada.on_telegram(&bot, "unlink", "").await;
            assert!(asked.contains("it stays my owner"), "{asked}");
            let yes = format!("yes {}", yes_in(&asked));
            ada.on_telegram(&bot, "unlink", &yes).await
        } else {
            let asked = ada.on_discord(&bot, "unlink", &[]).await;
            assert!(asked.contains("will **not be my owner** any more"), "{asked}");
            let yes = format!("yes {}", yes_in(&asked));
            ada.on_discord(&bot, "unlink", &[("confirmation", &yes)]).await
        };
        assert!(told.starts_with("Separated."), "{told}");
        let here = ada.on_telegram(&bot, "whoami", "").await;
        assert!(here.starts_with("You are Ada, my owner."), "{here}");
        let there = ada.on_discord(&bot, "whoami", &[]).await;
        assert!(!there.contains("my owner"), "{there}");
        bot.finish().await;
    }
}

#[tokio::test]
async fn the_command_line_links_by_the_same_codes() {
    let mut bot = both().start().await;
    let ada = Ada::meets(&bot).await;
    let made = bot.command(&["link", "code", "ADA", "--json"]).await;
    let made: Value = serde_json::from_str(&made).unwrap();
    let code = made["code"].as_str().unwrap();
    let account = format!("discord:{}", ada.user);
    let used = bot.command(&["link", "use", code, &account, "--json"]).await;
    let used: Value = serde_json::from_str(&used).unwrap();
    assert_eq!(
        used,
        serde_json::json!({
            "userId": made["userId"],
            "name": "Ada",
            "accounts": [account, "telegram:7"],
        })
    );
    assert_eq!(
        id_in(&ada.on_discord(&bot, "whoami", &[]).await),
        made["userId"].as_str().unwrap()
    );
    bot.finish().await;
}
