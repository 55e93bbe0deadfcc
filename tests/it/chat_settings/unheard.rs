//! Somebody whose command or press is not answered is told why, alone; nothing of it is stored.

use clifford_core::messages::Direction;
use clifford_fakes::{discord::DiscordFake, telegram::TelegramFake};

use super::{Server, tell};
use crate::harness::{Setup, Site};

/// The answer that only the giver of an interaction sees.
async fn told_alone(server: &Server, id: u64) -> String {
    let discord = &server.bot.discord;
    let told = discord.wait_for_replies(id, 1).await.remove(0);
    assert!(discord.is_ephemeral(server.channel, told.id), "{told:?}");
    assert!(!discord.is_thinking(id), "{told:?}");
    told.content
}

/// Asks by a command, and returns what only its giver sees.
async fn asks_in_vain(server: &Server, user: u64) -> String {
    let asked = server
        .bot
        .discord
        .interaction(server.channel, user, "ask", &[("text", "hello")]);
    told_alone(server, asked).await
}

#[tokio::test]
async fn on_discord_a_command_that_managers_rule_out_says_so_to_its_giver() {
    for setup in [Some(Setup::on(Site::Discord)), Setup::on(Site::Discord).postgres()]
        .into_iter()
        .flatten()
    {
        let mut server = Server::start(setup).await;
        let (channel, bob) = (server.channel, server.bob);
        let discord = &server.bot.discord;
        discord.named_role(server.guild, "Staff", 0);
        server.settings(server.ada, "use_roles Staff, Keeper").await;
        let roles = "I only answer people here who have one of these roles: Staff, Keeper.";
        assert_eq!(asks_in_vain(&server, bob).await, roles);
        for name in ["contexts", "whoami"] {
            let given = discord.interaction(channel, bob, name, &[]);
            assert_eq!(told_alone(&server, given).await, roles, "{name}");
        }
        let said = discord.user_says(channel, server.ada, "The rocket launches at noon");
        let registered = |fake: &DiscordFake| (!fake.commands(None).is_empty()).then_some(());
        discord.wait_for("the commands", registered).await;
        let about = discord.chooses(channel, bob, said, "Ask Clifford");
        assert_eq!(told_alone(&server, about).await, roles);
        discord.speaks(bob, "de");
        let german = "Hier antworte ich nur Leuten mit einer dieser Rollen: Staff, Keeper.";
        assert_eq!(asks_in_vain(&server, bob).await, german);

        server.settings(server.ada, "use_roles reset").await;
        server.settings(server.ada, "speaks never").await;
        assert_eq!(asks_in_vain(&server, bob).await, "Hier soll ich nichts sagen.");
        let given = discord.interaction(channel, bob, "contexts", &[]);
        assert_eq!(told_alone(&server, given).await, "Hier soll ich nichts sagen.");
        // A mention is no interaction: it is passed over in silence.
        discord.user_says(channel, bob, &format!("<@{}> hello", discord.bot()));
        // Stopping is possible wherever the bot is at work.
        let stop = discord.interaction(channel, bob, "stop", &[]);
        let told = discord.wait_for_replies(stop, 1).await.remove(0);
        assert_eq!(told.content, "Es gibt nichts anzuhalten.");
        server.bot.finish().await;
        let look = server.bot.look().await;
        let stored = look.messages(Direction::Inbound).await;
        assert!(
            stored.iter().all(|message| !message.content.contains("hello")),
            "{stored:?}"
        );
        assert_eq!((look.count("runs").await, server.bot.model.request_count()), (0, 0));
    }
}

#[tokio::test]
async fn on_discord_a_command_over_a_limit_says_each_time_when_to_try_again() {
    let limit: toml::Table = "scope = 'user'\nmessages = 1\nper = 'hour'".parse().unwrap();
    let setup = Setup::on(Site::Discord).set("ingress.limits", vec![toml::Value::from(limit)]);
    let mut server = Server::start(setup).await;
    let (channel, bob) = (server.channel, server.bob);
    let discord = &server.bot.discord;
    let ask = || discord.interaction(channel, bob, "ask", &[("text", "hello")]);
    let answered = discord.wait_for_replies(ask(), 1).await.remove(0);
    assert_eq!(answered.content, "You said: [Bob] hello");
    let too_fast = "You are writing faster than I may answer. Please try again in 60 minutes.";
    assert_eq!(discord.wait_for_replies(ask(), 1).await[0].content, too_fast);
    // The others in the channel need not read it again.
    for _ in 0..2 {
        assert_eq!(told_alone(&server, ask()).await, too_fast);
    }
    // A message that is no command is told once.
    let before = discord.sent(channel).len();
    discord.user_says(channel, bob, &format!("<@{}> and now?", discord.bot()));
    assert_eq!(server.asks(server.ada, "hello").await, "You said: [Ada] hello");
    assert_eq!(discord.sent(channel).len(), before + 1);
    server.bot.finish().await;
}

#[tokio::test]
async fn on_discord_a_stranger_s_command_is_refused_in_words() {
    let setup = Setup::on(Site::Discord)
        .set("channels.discord.access", "allowlist")
        .set("ingress.threads", "auto");
    let mut server = Server::start(setup).await;
    let known = "I only answer people whom my owner knows.";
    assert_eq!(asks_in_vain(&server, server.bob).await, known);
    let given = server.bot.discord.interaction(server.channel, server.bob, "help", &[]);
    assert_eq!(told_alone(&server, given).await, known);
    server.bot.finish().await;
    let look = server.bot.look().await;
    assert_eq!((look.count("users").await, look.count("messages").await), (0, 0));
}

#[tokio::test]
async fn on_telegram_a_strangers_press_is_refused_in_words() {
    let setup = Setup::on(Site::Telegram)
        .set("channels.telegram.access", "allowlist")
        .set("channels.telegram.allow", vec!["7"]);
    let mut bot = setup.start().await;
    bot.telegram.user(7, "Ada");
    bot.telegram.user(8, "Eve");
    bot.telegram.speaks(8, "es");
    let group = bot.telegram.supergroup(-1_001_234, "Team");
    tell(&bot, group, 7, "/help@clifford_bot").await;
    let query = bot.telegram.press(group, 8, "Conversations");
    let told = bot
        .telegram
        .wait_until("the refusal", |fake: &TelegramFake| fake.told(&query))
        .await;
    assert_eq!(told, "Solo respondo a personas que mi propietario conoce.");
    bot.finish().await;
    assert_eq!(bot.telegram.sent(group).len(), 1);
}
