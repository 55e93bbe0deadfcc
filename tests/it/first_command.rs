//! The first command of the README: `clifford`, with a bot's token and a model's key in the environment, and nothing else.

use clifford_fakes::{discord::DiscordFake, telegram::TelegramFake};

use crate::harness::{Setup, Site};

const KEY: &str = "sk-of-the-first-day";

/// The code that makes its sender the owner, as the server says it.
fn code(log: &str) -> Option<String> {
    let (_, rest) = log.split_once("none yet: send ")?;
    rest.split_whitespace().next().map(str::to_owned)
}

#[tokio::test]
async fn one_command_with_a_token_and_a_key_in_the_environment_is_a_bot_that_answers() {
    for site in Site::BOTH {
        let mut bot = Setup::on(site).prepare().await;
        bot.model.require_key(KEY);
        let (token, api) = match site {
            Site::Telegram => (
                ("TELEGRAM_BOT_TOKEN", TelegramFake::TOKEN.to_owned()),
                (
                    "CLIFFORD_CHANNELS__TELEGRAM__API_URL",
                    bot.telegram.api_url().to_owned(),
                ),
            ),
            Site::Discord => (
                ("DISCORD_BOT_TOKEN", DiscordFake::TOKEN.to_owned()),
                ("CLIFFORD_CHANNELS__DISCORD__API_URL", bot.discord.api_url()),
            ),
        };
        let home = bot.spawn_bare(&[
            token,
            api,
            ("OPENAI_API_KEY", KEY.to_owned()),
            ("OPENAI_BASE_URL", bot.model.base_url()),
            // Other tests listen as well.
            ("CLIFFORD_HTTP__BIND", "127.0.0.1:0".to_owned()),
        ]);
        let room = bot.room(site, 7, "Ada");
        bot.has_logged("connected", 1).await;
        // With it, all is said at once that is said at the start.
        bot.has_logged("platforms  ", 1).await;
        if let Some(code) = code(&bot.log_text()) {
            bot.says(room, &code);
            assert!(
                bot.answers(room, 1).await[0].starts_with("You are my owner now."),
                "{site:?}"
            );
        }
        let before = bot.texts(room).len();
        bot.says(room, "hello");
        assert_eq!(
            bot.answers(room, before + 1).await[before..],
            ["You said: hello"],
            "{site:?}"
        );
        bot.finish().await;
        assert!(home.path().join(".local/share/clifford/clifford.db").exists());
    }
}
