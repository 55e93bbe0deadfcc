//! Commands in a chat.

use clifford_fakes::openai::Reply;

use crate::{
    harness::{Setup, Site},
    scripted_model::{Prompt, memory_schema},
};

#[tokio::test]
async fn a_command_that_telegram_user_reads_is_sent_by_a_tap() {
    let mut bot = Setup::on(Site::Telegram).start().await;
    let chat = bot.telegram.user(7, "Ada");
    bot.telegram.command(chat, 7, "help", "chats");
    let help = bot.telegram.wait_for_sent(chat, 1).await.remove(0);
    let units: Vec<u16> = help.text.encode_utf16().collect();
    let code = help
        .entities
        .iter()
        .filter(|entity| entity["type"] == "code")
        .map(|entity| {
            let number = |name: &str| usize::try_from(entity[name].as_u64().unwrap()).unwrap();
            String::from_utf16_lossy(&units[number("offset")..number("offset") + number("length")])
        });
    let code: Vec<_> = code.collect();
    assert!(help.text.contains("/contexts: "), "{}", help.text);
    // A command that takes words of one's own is copied.
    assert!(code.iter().any(|code| code.starts_with("/switch ")), "{code:?}");
    assert!(!code.iter().any(|code| code == "/contexts"), "{code:?}");
    bot.finish().await;
    for name in clifford_markup::TAPPED {
        assert!(clifford_core::commands::is_known(name), "{name}");
    }
}

#[tokio::test]
async fn a_command_with_nothing_behind_it_says_how_it_is_used() {
    let mut bot = Setup::on(Site::Telegram).start().await;
    let ada = bot.telegram.user(7, "Ada");
    let group = bot.telegram.supergroup(-1_001_234, "Team");
    for chat in [ada, group] {
        // A tap in the menu gives each of these so.
        for (number, (name, says)) in (1..).zip([
            (
                "ask",
                "Write your question behind it, such as /ask how far away is the moon?.",
            ),
            (
                "search",
                "What shall I look for? Give me a few words: /search cat name.",
            ),
            ("switch", "There are no conversations here yet."),
            ("forget", "/forget KEY"),
            ("pin", "/pin KEY"),
            ("share", "/share KEY"),
            ("private", "/private KEY"),
        ]) {
            bot.telegram.command(chat, 7, name, "");
            let answer = bot.telegram.wait_for_sent(chat, number).await.pop().unwrap();
            assert!(answer.text.contains(says), "/{name}: {}", answer.text);
        }
    }
    bot.finish().await;
    assert_eq!(bot.model.requests().len(), 0);
}

#[tokio::test]
async fn a_command_in_a_caption_is_one() {
    let mut bot = Setup::on(Site::Telegram).start().await;
    let ada = bot.telegram.user(7, "Ada");
    let group = bot.telegram.supergroup(-1_001_234, "Team");
    for (chat, caption) in [(ada, "/new Trip"), (group, "/new@clifford_bot Trip")] {
        bot.telegram.user_sends_file(chat, 7, caption, "photo.txt", b"x");
        let answer = bot.telegram.wait_for_sent(chat, 1).await.remove(0);
        assert!(answer.text.contains("Trip"), "{}", answer.text);
    }
    bot.finish().await;
    assert_eq!(bot.model.requests().len(), 0);
}

#[tokio::test]
async fn telegram_user_opens_lists_switches_and_closes_conversations() {
    let mut bot = Setup::on(Site::Telegram).start().await;
    let chat = bot.telegram.user(7, "Ada");
    let tell = async |name: &str, argument: &str| {
        let before = bot.telegram.sent(chat).len();
        match name {
            "" => bot.telegram.user_says(chat, 7, argument),
            name => bot.telegram.command(chat, 7, name, argument),
        };
        bot.telegram.wait_for_sent(chat, before + 1).await.pop().unwrap().text
    };
    assert_eq!(tell("", "about cats").await, "You said: about cats");
    assert_eq!(tell("new", "Trip").await, "A new conversation: Trip.");
    assert_eq!(tell("", "about trains").await, "You said: about trains");
    let list = tell("contexts", "").await;
    assert!(
        list.contains("about cats, 1 turn") && list.contains("Trip, 1 turn"),
        "{list}"
    );
    assert_eq!(tell("switch", "cats").await, "Going on with about cats.");
    assert_eq!(tell("", "more").await, "You said: more");
    assert_eq!(
        tell("close", "").await,
        "Closed. Your next message starts a new conversation."
    );
    assert_eq!(tell("close", "").await, "There is no open conversation here.");
    assert!(
        tell("switch", "my_trip")
            .await
            .starts_with("I can't find a conversation my_trip here.")
    );
    assert!(tell("whoami", "").await.starts_with("You are Ada."));
    let help = tell("help", "").await;
    assert!(help.contains("/help memory") && !help.contains("/switch"), "{help}");
    assert!(tell("help", "chats").await.contains("/switch NAME"));
    assert!(tell("help", "/forget").await.starts_with("/forget KEY: "));
    assert!(tell("help", "cooking").await.starts_with("I have no help on cooking."));
    assert!(tell("help", "to_cook").await.starts_with("I have no help on to_cook."));
    assert!(!help.contains("/help owner"), "{help}");
    assert_eq!(tell("stop", "").await, "There is nothing to stop.");
    assert_eq!(
        tell("juggle", "").await,
        "I don't know the command /juggle. /help shows those I know."
    );
    bot.finish().await;
    let prompts = bot.model.requests();
    let conversations: Vec<_> = prompts
        .iter()
        .filter(|prompt| memory_schema(prompt).is_none())
        .map(|prompt| Prompt::read(prompt))
        .collect();
    assert_eq!(
        conversations.iter().map(Prompt::conversation).collect::<Vec<_>>(),
        [vec![], vec![], vec!["about cats", "You said: about cats"]]
    );
    let mut registered: Vec<_> = bot.telegram.commands().into_iter().map(|(name, _)| name).collect();
    registered.sort();
    let mut all: Vec<_> = clifford_core::commands::COMMANDS
        .iter()
        .map(|command| command.name.as_str())
        .collect();
    all.sort_unstable();
    assert_eq!(registered, all);
}

#[tokio::test]
async fn discord_user_uses_slash_commands_and_each_is_acknowledged() {
    let mut bot = Setup::on(Site::Discord).start().await;
    let user = bot.discord.user("Ada");
    let dm = bot.discord.dm(user);
    let tell = async |name: &str, options: &[(&str, &str)]| {
        let id = bot.discord.interaction(dm, user, name, options);
        assert!(bot.discord.wait_for_acknowledgement(id).await.as_secs() < 3);
        bot.discord.wait_for_replies(id, 1).await.remove(0).content
    };
    assert_eq!(tell("ask", &[("text", "about cats")]).await, "You said: about cats");
    assert_eq!(tell("new", &[("name", "Trip")]).await, "A new conversation: **Trip**.");
    assert!(tell("contexts", &[]).await.contains("about cats"));
    assert_eq!(
        tell("switch", &[("name", "cats")]).await,
        "Going on with **about cats**."
    );
    assert!(tell("close", &[]).await.starts_with("Closed."));
    assert!(tell("whoami", &[]).await.starts_with("You are **Ada**."));
    assert!(tell("help", &[]).await.contains("/help chats"));
    assert!(tell("help", &[("topic", "chats")]).await.contains("/contexts"));
    assert_eq!(tell("stop", &[]).await, "There is nothing to stop.");
    bot.finish().await;
    assert_eq!(bot.discord.sent(dm), []);
}

#[tokio::test]
async fn a_slow_answer_to_a_slash_command_is_acknowledged_first() {
    let mut bot = Setup::on(Site::Discord).start().await;
    let user = bot.discord.user("Ada");
    let dm = bot.discord.dm(user);
    let hold = bot.model.hold();
    let id = bot.discord.interaction(dm, user, "ask", &[("text", "hello")]);
    assert!(bot.discord.wait_for_acknowledgement(id).await.as_secs() < 3);
    assert!(bot.discord.is_thinking(id));
    hold.release();
    assert_eq!(bot.discord.wait_for_replies(id, 1).await[0].content, "You said: hello");
    bot.finish().await;
}

#[tokio::test]
async fn stop_cancels_what_is_at_work_and_what_waits_behind_it() {
    for site in Site::BOTH {
        let mut bot = Setup::on(site).start().await;
        let room = bot.room(site, 7, "Ada");
        let hold = bot.model.hold();
        bot.says(room, "hello");
        bot.model.wait_for_requests(1).await;
        bot.says(room, "and this");
        bot.until("the second message", async |look| {
            (look.count("messages").await == 2).then_some(())
        })
        .await;
        match room {
            crate::harness::Room::Telegram(chat) => {
                bot.telegram.command(chat, chat.id, "stop", "");
                assert_eq!(bot.answers(room, 1).await, ["Stopped."]);
            }
            crate::harness::Room::Discord { channel, user } => {
                let id = bot.discord.interaction(channel, user, "stop", &[]);
                assert_eq!(bot.discord.wait_for_replies(id, 1).await[0].content, "Stopped.");
            }
        }
        hold.release();
        let before = bot.texts(room).len();
        bot.says(room, "again");
        assert_eq!(bot.answers(room, before + 1).await[before..], ["You said: again"]);
        bot.finish().await;
        let statuses: Vec<_> = bot
            .look()
            .await
            .runs()
            .await
            .iter()
            .map(|run| run.status.as_str())
            .collect();
        assert_eq!(statuses, ["cancelled", "completed"], "{site:?}");
    }
}

#[tokio::test]
async fn a_conversation_has_a_name_of_one_short_line() {
    let mut bot = Setup::on(Site::Telegram).start().await;
    let chat = bot.telegram.user(7, "Ada");
    let name = "trip to rome ".repeat(250);
    bot.telegram.user_says(chat, 7, &format!("/new {name}\nand more"));
    bot.telegram.wait_for_sent(chat, 1).await;
    bot.telegram.user_says(chat, 7, "/contexts");
    let sent = bot.telegram.wait_for_sent(chat, 2).await;
    bot.finish().await;
    for told in sent {
        assert!(
            told.text.contains("trip to rome") && told.text.chars().count() < 600,
            "{}",
            told.text
        );
    }
}

const WAITS: &str = "⏳ This comes after what I am doing now. It may be answered together with a later message.";

#[tokio::test]
async fn discord_commands_that_wait_are_answered_together_and_none_stays_thinking() {
    let mut bot = Setup::on(Site::Discord).start().await;
    let user = bot.discord.user("Ada");
    let dm = bot.discord.dm(user);
    let ask = |text| bot.discord.interaction(dm, user, "ask", &[("text", text)]);
    let said = async |id| bot.discord.wait_for_replies(id, 1).await.remove(0).content;
    let hold = bot.model.hold();
    let first = ask("one");
    bot.model.wait_for_requests(1).await;
    let second = ask("two");
    assert_eq!(said(second).await, WAITS);
    let third = ask("three");
    assert_eq!(said(third).await, WAITS);
    hold.release();
    assert_eq!(said(first).await, "You said: one");
    let together = bot
        .discord
        .wait_for("the answer to the last", |fake| {
            let replies = fake.interaction_replies(third);
            replies
                .into_iter()
                .map(|reply| reply.content)
                .find(|text| text != WAITS)
        })
        .await;
    assert!(together.contains("two") && together.contains("three"), "{together}");
    let elsewhere = "↪️ I answer this together with your later message.";
    bot.discord
        .wait_for("the word about the second", |fake| {
            let replies = fake.interaction_replies(second);
            replies.iter().any(|reply| reply.content == elsewhere).then_some(())
        })
        .await;
    for id in [first, second, third] {
        assert!(!bot.discord.is_thinking(id));
        assert_eq!(bot.discord.interaction_replies(id).len(), 1);
    }
    bot.finish().await;
}

#[tokio::test]
async fn discord_commands_that_are_stopped_do_not_stay_thinking() {
    let mut bot = Setup::on(Site::Discord).start().await;
    let user = bot.discord.user("Ada");
    let dm = bot.discord.dm(user);
    let said = async |id| bot.discord.wait_for_replies(id, 1).await.remove(0).content;
    let hold = bot.model.hold();
    let first = bot.discord.interaction(dm, user, "ask", &[("text", "one")]);
    bot.model.wait_for_requests(1).await;
    let second = bot.discord.interaction(dm, user, "ask", &[("text", "two")]);
    assert_eq!(said(second).await, WAITS);
    let stop = bot.discord.interaction(dm, user, "stop", &[]);
    assert_eq!(said(stop).await, "Stopped.");
    assert_eq!(said(first).await, "Stopped.");
    let stopped = "⏹️ I was stopped before I came to this. Please ask again.";
    bot.discord
        .wait_for("the word about the second", |fake| {
            let replies = fake.interaction_replies(second);
            replies.iter().any(|reply| reply.content == stopped).then_some(())
        })
        .await;
    for id in [first, second, stop] {
        assert!(!bot.discord.is_thinking(id));
    }
    hold.release();
    bot.finish().await;
}

#[tokio::test]
async fn a_discord_command_that_waits_for_subagents_does_not_stay_thinking_when_it_is_stopped() {
    let mut bot = Setup::on(Site::Discord).start().await;
    let user = bot.discord.user("Ada");
    let dm = bot.discord.dm(user);
    let said = async |id| bot.discord.wait_for_replies(id, 1).await.remove(0).content;
    let spawn = serde_json::json!({"type": "spawn_subagent", "subagent": {"task": "count to a million"}});
    bot.model.push(Reply::json(&spawn));
    bot.model.push(Reply::never());
    let asked = bot.discord.interaction(dm, user, "ask", &[("text", "count")]);
    bot.model.wait_for_requests(2).await;
    assert!(bot.discord.is_thinking(asked));
    let stop = bot.discord.interaction(dm, user, "stop", &[]);
    assert_eq!(
        (said(asked).await, said(stop).await),
        ("Stopped.".to_owned(), "Stopped.".to_owned())
    );
    bot.finish().await;
}

#[tokio::test]
async fn dashboard_gives_a_person_in_private_a_link_of_their_own() {
    let mut bot = Setup::on(Site::Telegram)
        .set("http.enabled", true)
        .set("http.bind", "127.0.0.1:0")
        .set("http.public_url", "https://bot.example/")
        .start()
        .await;
    let chat = bot.telegram.user(7, "Ada");
    bot.telegram.command(chat, 7, "dashboard", "");
    let told = bot.telegram.wait_for_sent(chat, 1).await.pop().unwrap().text;
    let link = told.strip_prefix("https://bot.example/login?link=");
    let link = link.and_then(|rest| rest.split_whitespace().next());
    let hash = clifford_vault::hash(link.unwrap_or_else(|| panic!("{told}")));
    let sql = format!("SELECT u.name FROM login_links l JOIN users u ON u.id = l.user_id WHERE l.link_hash = '{hash}'");
    assert_eq!(bot.look().await.texts(&sql).await, ["Ada"]);
    let group = bot.telegram.supergroup(-1_000_500, "Garden");
    bot.telegram.command(group, 7, "dashboard", "");
    let told = bot.telegram.wait_for_sent(group, 1).await.pop().unwrap().text;
    assert!(told.contains("only in a private chat"), "{told}");
    bot.finish().await;
}
