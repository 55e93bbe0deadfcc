//! The bot's own sentences in every language: in words of that language, and within what each platform takes. The
//! fakes refuse what is longer.

use clifford_fakes::telegram::{Chat, Sent};
use clifford_text::{Lang, Setting};
use clifford_tools::settings::catalogue::CATALOGUE;
use serde_json::json;

use crate::harness::{Bot, Setup, Site};

/// Discord's right to manage a server.
const MANAGE_GUILD: u64 = 1 << 5;
/// Discord's locale of each language, as its clients send it.
const LOCALES: [&str; 8] = ["en-US", "de", "es-ES", "fr", "pt-BR", "ru", "zh-CN", "ja"];
/// Commands whose answers are words of the bot's own.
const COMMANDS: [&str; 17] = [
    "help",
    "help chats",
    "help memory",
    "help work",
    "help you",
    "help cooking",
    "memory",
    "forget nothing",
    "reminders",
    "usage",
    "undo",
    "stop",
    "whoami",
    "switch nowhere",
    "search nothing",
    "approve",
    "model",
];

async fn tell(bot: &Bot, chat: Chat, text: &str) -> Sent {
    let before = bot.telegram.sent(chat).len();
    bot.telegram.user_says(chat, 7, text);
    bot.telegram.wait_for_sent(chat, before + 1).await.remove(before)
}

/// Checks that each answer but the English one is in other words than that.
fn assert_translated(answers: &[(Lang, String)], asked: &str) {
    let (_, english) = &answers[0];
    for (lang, answer) in &answers[1..] {
        assert_ne!(answer, english, "{asked} in {lang:?}");
    }
}

#[tokio::test]
async fn on_telegram_each_command_and_setting_is_told_in_every_language() {
    let mut bot = Setup::on(Site::Telegram).start().await;
    let chat = bot.telegram.user(7, "Ada");
    let group = bot.telegram.supergroup(-1_001_234, "Team");
    bot.telegram.standing(group, 7, json!({ "status": "administrator" }));
    let settings = CATALOGUE
        .iter()
        .map(|known| (known, format!("settings {}", known.name)));
    let settings: Vec<_> = settings.collect();
    let of_group = settings
        .iter()
        .filter(|(known, _)| known.scopes.contains(&"space") && known.name != "cross_channel");
    let in_private = settings.iter().filter(|(known, _)| known.scopes.contains(&"user"));
    let asked = COMMANDS
        .iter()
        .map(|command| (chat, (*command).to_owned()))
        .chain(in_private.map(|(_, command)| (chat, command.clone())))
        .chain([(chat, "settings".to_owned()), (group, "settings".to_owned())])
        .chain(of_group.map(|(_, command)| (group, command.clone())));
    for (place, command) in asked {
        let mut answers = Vec::new();
        for lang in Lang::ALL {
            bot.telegram.speaks(7, lang.code());
            answers.push((*lang, tell(&bot, place, &format!("/{command}")).await.text));
        }
        assert_translated(&answers, &command);
    }
    bot.finish().await;
}

#[tokio::test]
async fn on_discord_each_setting_with_its_menus_and_forms_is_shown_in_every_language() {
    let mut bot = Setup::on(Site::Discord).start().await;
    let discord = &bot.discord;
    let ada = discord.user("Ada");
    let guild = discord.guild("Team");
    let channel = discord.channel(guild, "general");
    let keeper = discord.named_role(guild, "Keeper", MANAGE_GUILD);
    discord.join(guild, ada, &[keeper]);
    let gives = async |name: &str, options: &[(&str, &str)]| {
        let id = discord.interaction(channel, ada, name, options);
        discord.wait_for_replies(id, 1).await.remove(0)
    };
    let of_places = CATALOGUE
        .iter()
        .filter(|known| known.scopes.contains(&"space") && known.name != "cross_channel");
    let of_places: Vec<_> = of_places.map(|known| known.name).chain(["tools"]).collect();
    for topic in ["", "chats", "memory", "work", "you"] {
        let mut answers = Vec::new();
        for (lang, locale) in Lang::ALL.iter().zip(LOCALES) {
            discord.speaks(ada, locale);
            let options = [("topic", topic)];
            let options = if topic.is_empty() { &[][..] } else { &options };
            answers.push((*lang, gives("help", options).await.content));
        }
        assert_translated(&answers, topic);
    }
    for name in of_places {
        let mut answers = Vec::new();
        for (lang, locale) in Lang::ALL.iter().zip(LOCALES) {
            discord.speaks(ada, locale);
            let one = gives("settings", &[("what", name)]).await;
            answers.push((*lang, one.content.clone()));
            let written = lang.say(Setting::WriteIt);
            if one.buttons.iter().any(|(label, _)| *label == written) {
                let pressed = discord.press(channel, ada, &one, &written);
                discord.wait_for_form(pressed).await;
            }
        }
        assert_translated(&answers, name);
    }
    // The list itself, with the menu of all.
    for locale in LOCALES {
        discord.speaks(ada, locale);
        let all = gives("settings", &[]).await;
        assert!(all.buttons.len() > 10, "{locale}: {all:?}");
    }
    bot.finish().await;
}
