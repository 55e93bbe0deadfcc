//! Discord alone: what the bot does where Discord lets it do less, and what no other platform has.

use std::{collections::BTreeMap, time::Duration};

use clifford_fakes::discord::{DiscordFake, permission};
use serde_json::Value;

use crate::{
    api_watch::{Watch, watched},
    approvals::{asking, remembers},
    harness::{Bot, Setup, Site},
    images::finish,
    scripted_model::Prompt,
};

/// Discord's right to manage a server.
const MANAGE_GUILD: u64 = 1 << 5;

/// How Discord stands by `/readyz`, once that holds these words.
async fn stands(bot: &Bot, watch: &Watch, words: &str) -> Value {
    bot.until(words, async |_| {
        let (_, checks) = watch.ready().await;
        let check = checks["channel:discord"].clone();
        let detail = check["detail"].as_str().unwrap_or_default();
        detail.contains(words).then_some(check)
    })
    .await
}

#[tokio::test]
async fn without_the_message_content_intent_it_works_by_mentions_and_commands_until_that_is_granted() {
    let mut bot = watched(Setup::on(Site::Discord)).prepare().await;
    bot.discord.without_message_content();
    bot.start().await;
    let watch = Watch::on(&bot);
    let check = stands(&bot, &watch, "hears mentions, replies that ping it, direct messages").await;
    assert_eq!(check["ok"], true, "{check}");
    let ada = bot.discord.user("Ada");
    let channel = bot.discord.channel(bot.discord.guild("Team"), "general");
    bot.discord.user_says(channel, ada, "nobody is addressed");
    bot.discord
        .user_says(channel, ada, &format!("<@{}> hello", bot.discord.bot()));
    let sent = bot.discord.wait_for_sent(channel, 1).await;
    assert_eq!(sent[0].content, "You said: [Ada] hello");
    let asked = bot.discord.interaction(channel, ada, "ask", &[("text", "by command")]);
    let told = bot.discord.wait_for_replies(asked, 1).await;
    assert_eq!(told[0].content, "You said: [Ada] by command");
    assert_eq!(bot.discord.identifies(), 2);
    // The owner turns it on, and asks for it without a restart.
    bot.discord.with_message_content();
    bot.reload().await;
    bot.until("a connection that lacks nothing", async |_| {
        let (_, checks) = watch.ready().await;
        (checks["channel:discord"]["detail"] == "connected as clifford").then_some(())
    })
    .await;
    bot.finish().await;
}

#[tokio::test]
async fn in_the_menu_of_a_message_the_bot_is_asked_about_it() {
    for setup in [Some(Setup::on(Site::Discord)), Setup::on(Site::Discord).postgres()]
        .into_iter()
        .flatten()
    {
        let mut bot = setup.prepare().await;
        // Of a message whose menu is used Discord tells what it says, whoever may read the others.
        bot.discord.without_message_content();
        bot.start().await;
        let (ada, bob) = (bot.discord.user("Ada"), bot.discord.user("Bob"));
        let channel = bot.discord.channel(bot.discord.guild("Team"), "general");
        let said = bot
            .discord
            .user_sends_file(channel, bob, "The rocket launches at noon", "plan.txt", b"T minus 4 h");
        let registered = |fake: &DiscordFake| (!fake.commands(None).is_empty()).then_some(());
        bot.discord.wait_for("the commands", registered).await;
        let asked = bot.discord.chooses(channel, ada, said, "Ask Clifford");
        let told = bot.discord.wait_for_replies(asked, 1).await;
        assert!(!bot.discord.is_ephemeral(channel, told[0].id));
        assert!(told[0].content.contains("What do you say to this message?"), "{told:?}");
        let requests = bot.model.requests();
        let prompt = Prompt::read(&requests[0]).input().to_owned();
        assert!(
            prompt.starts_with("In reply to Bob: \"The rocket launches at noon\"") && prompt.contains("plan.txt"),
            "{prompt}"
        );
        // Words of somebody else are a stranger's.
        let look = bot.look().await;
        let run = look.run().await.id;
        assert!(look.steps(run).await.contains(&"tainted".to_owned()));
        bot.finish().await;
    }
}

#[tokio::test]
async fn what_can_be_set_is_completed_while_it_is_typed_for_those_who_may_set_it() {
    let mut bot = Setup::on(Site::Discord).start().await;
    let discord = &bot.discord;
    let (ada, bob) = (discord.user("Ada"), discord.user("Bob"));
    let guild = discord.guild("Team");
    let channel = discord.channel(guild, "general");
    let keeper = discord.named_role(guild, "Keeper", MANAGE_GUILD);
    discord.join(guild, ada, &[keeper]);
    discord.join(guild, bob, &[]);
    let typed = async |place: u64, user: u64, command: &str, argument: &str, text: &str| -> Vec<String> {
        let id = discord.types(place, user, command, argument, text);
        let choices = discord.wait_for_choices(id).await;
        choices.into_iter().map(|(_, value)| value).collect()
    };
    let set = async |user: u64, text: &str| typed(channel, user, "settings", "what", text).await;
    assert_eq!(set(ada, "when_b").await, ["when_busy"]);
    assert_eq!(
        set(ada, "when_busy ").await,
        [
            "when_busy follow_up",
            "when_busy steer",
            "when_busy interrupt",
            "when_busy reset"
        ]
    );
    assert_eq!(set(ada, "here speaks al").await, ["here speaks always"]);
    assert_eq!(set(ada, "language deu").await, ["language de"]);
    assert_eq!(
        set(ada, "tools compute").await,
        ["tools compute off", "tools compute on"]
    );
    assert_eq!(set(ada, "time_zone").await, Vec::<String>::new());
    assert!(set(ada, "").await.len() > 10);
    // Those who may not set it are shown nothing of it there, and their own settings in private.
    assert_eq!(set(bob, "when_b").await, Vec::<String>::new());
    let direct = discord.dm(bob);
    let own = async |text: &str| typed(direct, bob, "settings", "what", text).await;
    assert_eq!(own("time_zone berlin").await, ["time_zone Europe/Berlin"]);
    assert_eq!(own("persona").await, Vec::<String>::new());
    assert_eq!(typed(channel, bob, "help", "topic", "chat").await[0], "chats");
    assert_eq!(typed(channel, bob, "model", "name", "").await, Vec::<String>::new());
    // The command takes the choice.
    let id = discord.interaction(direct, bob, "settings", &[("what", "time_zone Europe/Berlin")]);
    let told = discord.wait_for_replies(id, 1).await.remove(0).content;
    assert!(told.starts_with("You set `time_zone` to `Europe/Berlin`"), "{told}");
    bot.finish().await;
}

#[tokio::test]
async fn as_many_shards_as_discord_advises_identify_by_its_buckets() {
    let mut bot = Setup::on(Site::Discord).prepare().await;
    bot.discord.advises(3, 2);
    let ada = bot.discord.user("Ada");
    let channels: Vec<_> = (0..6)
        .map(|number| {
            // The next millisecond is another shard's.
            bot.discord.advance(Duration::from_millis(1));
            let guild = bot.discord.guild(&format!("Server {number}"));
            ((guild >> 22) % 3, bot.discord.channel(guild, "talk"))
        })
        .collect();
    bot.start().await;
    let all = |fake: &DiscordFake| (fake.shards() == [0, 1, 2]).then_some(());
    bot.discord.wait_for("each shard", all).await;
    assert_eq!(bot.discord.identifies(), 3);
    let asks = |text: &str| {
        for (_, channel) in &channels {
            bot.discord
                .user_says(*channel, ada, &format!("<@{}> {text}", bot.discord.bot()));
        }
    };
    asks("one");
    for (shard, channel) in &channels {
        let sent = bot.discord.wait_for_sent(*channel, 1).await;
        assert_eq!(sent[0].content, "You said: [Ada] one", "{shard}");
    }
    // Each resumes its own session.
    bot.discord.disconnect();
    asks("two");
    for (shard, channel) in &channels {
        let sent = bot.discord.wait_for_sent(*channel, 2).await;
        assert_eq!(sent[1].content, "You said: [Ada] two", "{shard}");
    }
    assert_eq!((bot.discord.identifies(), bot.discord.resumes()), (3, 3));
    bot.finish().await;
}

#[tokio::test]
async fn a_question_that_was_read_is_completed_for_whoever_was_asked() {
    let mut bot = asking(Site::Discord).start().await;
    bot.model.respond_with(remembers);
    let discord = &bot.discord;
    let (ada, bob) = (discord.user("Ada"), discord.user("Bob"));
    let (direct, others) = (discord.dm(ada), discord.dm(bob));
    let typed = async |place: u64, user: u64| {
        let id = discord.types(place, user, "approve", "id", "");
        discord.wait_for_choices(id).await
    };
    assert_eq!(typed(direct, ada).await, []);
    discord.user_says(direct, ada, "I drinks tea");
    discord.wait_for_sent(direct, 1).await;
    bot.until("the question to have arrived", async |look| {
        (look.undelivered().await == 0).then_some(())
    })
    .await;
    let (label, code) = typed(direct, ada).await.remove(0);
    assert!(label.starts_with("memory.put ") && label.contains("tea"), "{label}");
    assert_eq!(typed(others, bob).await, []);
    let id = discord.interaction(direct, ada, "approve", &[("id", &code)]);
    let told = discord.wait_for_replies(id, 1).await.remove(0).content;
    assert_eq!(told, "Approved: `memory.put`.");
    discord
        .wait_for("the answer", |fake| {
            let sent = fake.sent(direct);
            (sent.iter().any(|sent| sent.content.contains("I know now: tea."))).then_some(())
        })
        .await;
    bot.finish().await;
}

#[tokio::test]
async fn a_process_keeps_to_its_part_of_the_shards() {
    let setup = Setup::on(Site::Discord).set("channels.discord.shards", "1-2/4");
    let mut bot = setup.prepare().await;
    bot.discord.advises(4, 4);
    let ada = bot.discord.user("Ada");
    let mut channels = BTreeMap::new();
    while channels.len() < 4 {
        // The next millisecond is another shard's.
        bot.discord.advance(Duration::from_millis(1));
        let guild = bot.discord.guild("Server");
        let channel = bot.discord.channel(guild, "talk");
        channels.entry((guild >> 22) % 4).or_insert(channel);
    }
    bot.start().await;
    let own = |fake: &DiscordFake| (fake.shards() == [1, 2]).then_some(());
    bot.discord.wait_for("the process's own shards", own).await;
    for channel in channels.values() {
        bot.discord
            .user_says(*channel, ada, &format!("<@{}> hello", bot.discord.bot()));
    }
    for shard in [1, 2] {
        let sent = bot.discord.wait_for_sent(channels[&shard], 1).await;
        assert_eq!(sent[0].content, "You said: [Ada] hello", "{shard}");
    }
    // Answers to the others are another process's.
    assert_eq!(bot.discord.identifies(), 2);
    bot.finish().await;
    for shard in [0, 3] {
        assert_eq!(bot.discord.sent(channels[&shard]).len(), 0, "{shard}");
    }
}

#[tokio::test]
async fn a_thousand_servers_are_told_and_one_that_is_out_of_reach_for_a_while_is_known_as_before() {
    let mut bot = Setup::on(Site::Discord).prepare().await;
    let ada = bot.discord.user("Ada");
    let servers: Vec<_> = (0..1_000)
        .map(|number| {
            let guild = bot.discord.guild(&format!("Server {number}"));
            (guild, bot.discord.channel(guild, "talk"))
        })
        .collect();
    bot.start().await;
    let asks = |channel: u64, text: &str| {
        bot.discord
            .user_says(channel, ada, &format!("<@{}> {text}", bot.discord.bot()));
    };
    // The first and the last that it is told of.
    for (_, channel) in [servers[0], servers[999]] {
        asks(channel, "hello");
        let sent = bot.discord.wait_for_sent(channel, 1).await;
        assert_eq!(sent[0].content, "You said: [Ada] hello");
    }
    let (guild, channel) = servers[500];
    asks(channel, "before");
    bot.discord.wait_for_sent(channel, 1).await;
    bot.discord.outage(guild);
    let (_, other) = servers[501];
    asks(other, "meanwhile");
    bot.discord.wait_for_sent(other, 1).await;
    bot.discord.recovers(guild);
    asks(channel, "after");
    let sent = bot.discord.wait_for_sent(channel, 2).await;
    let texts: Vec<_> = sent.iter().map(|sent| sent.content.as_str()).collect();
    // Nothing is said to greet it: it was there all the time.
    assert_eq!(texts, ["You said: [Ada] before", "You said: [Ada] after"]);
    let look = bot.look().await;
    let spaces = format!("SELECT COUNT(*) FROM spaces WHERE external_id = '{guild}' AND left_at IS NULL");
    assert_eq!(look.number(&spaces).await, 1);
    assert_eq!(look.runs().await.len(), 5);
    bot.finish().await;
    assert_eq!(bot.discord.sent_anywhere(), 5);
    assert_eq!((bot.discord.identifies(), bot.discord.resumes()), (1, 0));
}

#[tokio::test]
async fn what_a_forwarded_message_says_is_read_as_a_strangers_word() {
    let mut bot = Setup::on(Site::Discord).start().await;
    let (ada, bob) = (bot.discord.user("Ada"), bot.discord.user("Bob"));
    let channel = bot.discord.channel(bot.discord.guild("Team"), "general");
    let said = bot.discord.user_says(channel, bob, "The rocket launches at noon");
    let direct = bot.discord.dm(ada);
    bot.discord.user_forwards(channel, said, direct, ada);
    bot.discord.wait_for_sent(direct, 1).await;
    let asked = Prompt::read(&bot.model.requests()[0]).input().to_owned();
    assert!(asked.contains("The rocket launches at noon"), "{asked}");
    let look = bot.look().await;
    let run = look.run().await.id;
    assert!(look.steps(run).await.contains(&"tainted".to_owned()));
    bot.finish().await;
}

#[tokio::test]
async fn where_it_may_neither_reply_nor_attach_files_a_long_answer_comes_as_texts_once() {
    let mut bot = Setup::on(Site::Discord)
        .set("memory.enabled", false)
        .set("engine.planning_gate", "off")
        .start()
        .await;
    let lines: Vec<_> = (0..1_500).map(|line| format!("line {line:04}")).collect();
    let long = lines.join("\n");
    bot.model.respond_with(move |_| finish(&long));
    let ada = bot.discord.user("Ada");
    let channel = bot.discord.channel(bot.discord.guild("Team"), "general");
    bot.discord
        .lacks(channel, permission::READ_MESSAGE_HISTORY | permission::ATTACH_FILES);
    bot.discord.user_says(channel, ada, "Clifford count");
    bot.until("all to be delivered", async |look| {
        let last = bot.discord.sent(channel).pop()?;
        (last.content.contains("line 1499") && look.undelivered().await == 0).then_some(())
    })
    .await;
    let sent = bot.discord.sent(channel);
    assert!(
        sent.iter().all(|sent| sent.files.is_empty() && sent.reply_to.is_none()),
        "{sent:?}"
    );
    let said: Vec<_> = sent.iter().flat_map(|sent| sent.content.lines()).collect();
    assert_eq!(said, lines);
    // The channel is none that takes nothing.
    bot.discord.user_says(channel, ada, "Clifford again");
    bot.discord.wait_for_sent(channel, 2 * sent.len()).await;
    bot.finish().await;
}

#[tokio::test]
async fn where_it_may_not_write_no_model_is_asked_until_it_may() {
    let mut bot = Setup::on(Site::Discord)
        .set("memory.enabled", false)
        .set("engine.planning_gate", "off")
        .start()
        .await;
    bot.model.respond_with(|_| finish("Here I am."));
    let ada = bot.discord.user("Ada");
    let quiet = bot.discord.channel(bot.discord.guild("Team"), "announcements");
    bot.discord.lacks(quiet, permission::SEND_MESSAGES);
    bot.discord.user_says(quiet, ada, "Clifford hello?");
    let reason = bot
        .until("the channel to be off", async |look| {
            let off = "SELECT disabled_reason FROM channels WHERE disabled_reason IS NOT NULL";
            look.texts(off).await.pop()
        })
        .await;
    assert!(reason.starts_with("the bot may not write there"), "{reason}");
    let (asked, probed) = (bot.model.requests().len(), bot.discord.typings(quiet));
    // A person who goes on asking is passed over, and Discord is asked now and then.
    bot.until("Discord to be asked", async |_| {
        bot.discord.user_says(quiet, ada, "Clifford again?");
        (bot.discord.typings(quiet) > probed).then_some(())
    })
    .await;
    assert_eq!(bot.model.requests().len(), asked);
    bot.discord.lacks(quiet, 0);
    bot.until("an answer", async |_| {
        bot.discord.user_says(quiet, ada, "Clifford now?");
        (!bot.discord.sent(quiet).is_empty()).then_some(())
    })
    .await;
    bot.finish().await;
}

#[tokio::test]
async fn the_next_process_knows_where_the_bot_may_not_write() {
    let mut bot = Setup::on(Site::Discord)
        .set("memory.enabled", false)
        .set("engine.planning_gate", "off")
        .start()
        .await;
    bot.model.respond_with(|_| finish("Here I am."));
    let ada = bot.discord.user("Ada");
    let quiet = bot.discord.channel(bot.discord.guild("Team"), "announcements");
    bot.discord.lacks(quiet, permission::SEND_MESSAGES);
    bot.discord.user_says(quiet, ada, "Clifford hello?");
    bot.until("the channel to be off", async |look| {
        let off = "SELECT disabled_reason FROM channels WHERE NOT enabled";
        look.texts(off).await.pop()
    })
    .await;
    bot.stop().await;
    let (asked, probed) = (bot.model.requests().len(), bot.discord.typings(quiet));
    bot.start().await;
    bot.discord.user_says(quiet, ada, "Clifford again?");
    bot.until("Discord to be asked", async |_| {
        (bot.discord.typings(quiet) > probed).then_some(())
    })
    .await;
    bot.finish().await;
    assert_eq!(bot.model.requests().len(), asked);
}

#[tokio::test]
async fn names_that_changed_while_it_was_away_are_known_as_soon_as_it_connects() {
    let mut bot = Setup::on(Site::Discord).start().await;
    let ada = bot.discord.user("Ada");
    let team = bot.discord.guild("Team");
    let channel = bot.discord.channel(team, "general");
    bot.discord.user_says(channel, ada, "Clifford hello");
    bot.discord.wait_for_sent(channel, 1).await;
    bot.stop().await;
    bot.discord.rename(channel, "lobby");
    bot.discord.rename_guild(team, "Crew");
    bot.start().await;
    bot.until("the new names", async |look| {
        let names = "SELECT name FROM spaces UNION ALL SELECT name FROM channels ORDER BY 1";
        (look.texts(names).await == ["Crew", "lobby"]).then_some(())
    })
    .await;
    bot.finish().await;
}
