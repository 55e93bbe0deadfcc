//! `/settings` and `/model`: managers set a place up in its chat, everybody themselves in private.

mod each;
mod effects;
mod own;
mod unheard;

use clifford_fakes::{
    discord::Sent as DiscordSent,
    telegram::{Chat, Sent, TelegramFake},
};
use serde_json::json;

use crate::{
    harness::{Bot, Setup, Site},
    scripted_model::memory_schema,
};

/// Discord's right to manage a server.
const MANAGE_GUILD: u64 = 1 << 5;

/// A group on Telegram with Ada, who manages it, and Bob.
async fn group(setup: Setup) -> (Bot, Chat) {
    let bot = setup.start().await;
    bot.telegram.user(7, "Ada");
    bot.telegram.user(8, "Bob");
    let group = bot.telegram.supergroup(-1_001_234, "Team");
    bot.telegram.standing(group, 7, json!({ "status": "administrator" }));
    (bot, group)
}

/// Says something on Telegram, or gives a command, and returns what is sent then.
async fn tell(bot: &Bot, chat: Chat, user: i64, text: &str) -> Sent {
    let before = bot.telegram.sent(chat).len();
    bot.telegram.user_says(chat, user, text);
    bot.telegram.wait_for_sent(chat, before + 1).await.remove(before)
}

/// A server on Discord with Ada, who manages it, and Bob.
struct Server {
    bot: Bot,
    guild: u64,
    channel: u64,
    ada: u64,
    bob: u64,
}

impl Server {
    async fn start(setup: Setup) -> Self {
        let bot = setup.start().await;
        let (ada, bob) = (bot.discord.user("Ada"), bot.discord.user("Bob"));
        let guild = bot.discord.guild("Team");
        let channel = bot.discord.channel(guild, "general");
        let role = bot.discord.named_role(guild, "Keeper", MANAGE_GUILD);
        bot.discord.join(guild, ada, &[role]);
        bot.discord.join(guild, bob, &[]);
        Self {
            bot,
            guild,
            channel,
            ada,
            bob,
        }
    }

    /// Gives `/settings`, and returns the answer.
    async fn settings(&self, user: u64, argument: &str) -> DiscordSent {
        let options = [("what", argument)];
        let options = if argument.is_empty() { &[][..] } else { &options };
        let before = self.bot.discord.sent(self.channel).len();
        let id = self.bot.discord.interaction(self.channel, user, "settings", options);
        let answer = self.bot.discord.wait_for_replies(id, 1).await.remove(0);
        assert!(self.bot.discord.is_ephemeral(self.channel, answer.id));
        if answer.content.starts_with("Ada ") {
            // The change is told in the place as well.
            let told = self.bot.discord.wait_for_sent(self.channel, before + 1).await;
            assert!(told[before].content.starts_with("Ada "), "{told:?}");
        }
        answer
    }

    /// Mentions the bot, and returns its answer.
    async fn asks(&self, user: u64, text: &str) -> String {
        let before = self.bot.discord.sent(self.channel).len();
        let text = format!("<@{}> {text}", self.bot.discord.bot());
        self.bot.discord.user_says(self.channel, user, &text);
        let mut sent = self.bot.discord.wait_for_sent(self.channel, before + 1).await;
        sent.remove(before).content
    }
}

/// The text of the last request of a run, instructions and all.
fn last_prompt(bot: &Bot) -> String {
    let requests = bot.model.requests();
    let last = requests.iter().rev().find(|request| memory_schema(request).is_none());
    last.map(|request| request.messages().iter().map(ToString::to_string).collect::<String>())
        .unwrap_or_default()
}

fn labels(buttons: &[(String, String)]) -> Vec<&str> {
    buttons.iter().map(|(label, _)| label.as_str()).collect()
}

#[tokio::test]
async fn on_telegram_a_manager_changes_a_setting_by_buttons_in_place_and_takes_it_back() {
    for setup in [Some(Setup::on(Site::Telegram)), Setup::on(Site::Telegram).postgres()]
        .into_iter()
        .flatten()
    {
        let (mut bot, group) = group(setup).await;
        let refused = tell(&bot, group, 8, "/settings@clifford_bot").await;
        assert_eq!(
            refused.text,
            "Only people who manage this place can see and change its settings."
        );
        let all = tell(&bot, group, 7, "/settings@clifford_bot").await;
        assert!(all.text.contains("when_busy: follow_up"), "{}", all.text);
        assert!(labels(&all.buttons).contains(&"when_busy"), "{:?}", all.buttons);
        let shown = async |words: &'static str| {
            let look = move |fake: &TelegramFake| {
                let sent = fake
                    .sent(group)
                    .into_iter()
                    .find(|sent| sent.message_id == all.message_id)?;
                sent.text.contains(words).then_some(sent)
            };
            bot.telegram.wait_until("the changed message", look).await
        };
        bot.telegram.press(group, 7, "when_busy");
        let one = shown("What happens to a message that arrives while another").await;
        assert_eq!(
            labels(&one.buttons),
            ["✓ follow_up", "steer", "interrupt", "All settings"]
        );
        bot.telegram.press(group, 7, "steer");
        let changed = shown("Ada set when_busy to steer (before: not set).").await;
        assert!(labels(&changed.buttons).contains(&"✓ steer"), "{:?}", changed.buttons);
        // Somebody else's press changes nothing.
        let press = bot.telegram.press(group, 8, "interrupt");
        bot.telegram
            .wait_until("the answer", |fake: &TelegramFake| {
                (fake.answers(&press) > 0).then_some(())
            })
            .await;
        let undone = tell(&bot, group, 7, "/settings@clifford_bot undo").await;
        assert_eq!(
            undone.text,
            "Ada took a change back: when_busy is not set again (Ada had made it steer)."
        );
        let again = tell(&bot, group, 7, "/settings@clifford_bot undo").await;
        assert_eq!(again.text, "There is no change to take back here.");
        let rows = bot
            .look()
            .await
            .number("SELECT COUNT(*) FROM settings WHERE name = 'when_busy'")
            .await;
        assert_eq!(rows, 0);
        let kept = "SELECT COUNT(*) FROM setting_changes c JOIN users u ON u.id = c.user_id
            WHERE u.name = 'Ada' AND c.new_value = 'steer' AND c.undone_at IS NOT NULL";
        assert_eq!(bot.look().await.number(kept).await, 1);
        bot.finish().await;
    }
}

#[tokio::test]
async fn on_discord_a_manager_chooses_from_a_menu_and_writes_into_a_form() {
    let mut server = Server::start(Setup::on(Site::Discord)).await;
    let refused = server
        .bot
        .discord
        .interaction(server.channel, server.bob, "settings", &[]);
    let refused = server.bot.discord.wait_for_replies(refused, 1).await.remove(0);
    assert_eq!(
        refused.content,
        "Only people who manage this place can see and change its settings."
    );
    let all = server.settings(server.ada, "").await;
    assert!(labels(&all.buttons).contains(&"persona"), "{:?}", all.buttons);
    let discord = &server.bot.discord;
    let chosen = discord.press(server.channel, server.ada, &all, "persona");
    let one = discord.wait_for_replies(chosen, 1).await.remove(0);
    // It takes the place of the list.
    assert_eq!(one.id, all.id);
    assert!(one.content.starts_with("**persona**"), "{}", one.content);
    let pressed = discord.press(server.channel, server.ada, &one, "Write it");
    let form = discord.wait_for_form(pressed).await;
    let filled = discord.fill_in(server.channel, server.ada, pressed, &form, "Be\nas brief as you can.");
    let changed = discord.wait_for_replies(filled, 1).await.remove(0);
    assert_eq!(changed.id, all.id);
    // Ada alone sees her menus; what she changed is told to everybody there.
    assert!(discord.is_ephemeral(server.channel, changed.id));
    let told = discord.wait_for_sent(server.channel, 1).await.remove(0);
    assert_eq!(
        (told.content.as_str(), told.reply_to),
        (
            "Ada set `persona` to \"Be as brief as you can.\" (before: not set).",
            None
        )
    );
    assert!(
        changed
            .content
            .starts_with("Ada set `persona` to \"Be as brief as you can.\" (before: not set)."),
        "{}",
        changed.content
    );
    assert_eq!(server.asks(server.bob, "hello").await, "You said: [Bob] hello");
    assert!(last_prompt(&server.bot).contains("Be as brief as you can."));
    // Elsewhere it does not hold.
    let other = server.bot.discord.guild("Other");
    let channel = server.bot.discord.channel(other, "general");
    let text = format!("<@{}> hello", server.bot.discord.bot());
    server.bot.discord.user_says(channel, server.bob, &text);
    server.bot.discord.wait_for_sent(channel, 1).await;
    assert!(!last_prompt(&server.bot).contains("Be as brief as you can."));
    server.bot.finish().await;
}

#[tokio::test]
async fn what_the_owner_fixed_is_shown_and_not_changed() {
    let setup = Setup::on(Site::Telegram).set("ingress.fixed_settings", vec!["when_busy", "tools"]);
    let (mut bot, group) = group(setup).await;
    let all = tell(&bot, group, 7, "/settings@clifford_bot").await;
    assert!(
        all.text.contains("when_busy: follow_up (fixed by my owner)"),
        "{}",
        all.text
    );
    assert!(!labels(&all.buttons).contains(&"when_busy") && !labels(&all.buttons).contains(&"tools"));
    for command in ["when_busy steer", "tools web off"] {
        let told = tell(&bot, group, 7, &format!("/settings@clifford_bot {command}")).await;
        assert!(told.text.ends_with("is fixed by my owner."), "{}", told.text);
    }
    assert_eq!(bot.look().await.number("SELECT COUNT(*) FROM setting_changes").await, 0);
    bot.finish().await;
}

#[tokio::test]
async fn on_discord_what_is_of_a_person_alone_is_told_to_them_alone() {
    let mut server = Server::start(Setup::on(Site::Discord)).await;
    let discord = &server.bot.discord;
    let own = ["memory", "usage", "whoami", "settings", "help", "reminders", "key"];
    for command in own {
        let asked = discord.interaction(server.channel, server.bob, command, &[]);
        let told = discord.wait_for_replies(asked, 1).await;
        let alone = told.iter().all(|told| discord.is_ephemeral(server.channel, told.id));
        assert!(alone && !discord.is_thinking(asked), "{command}: {told:?}");
    }
    let asked = discord.interaction(server.channel, server.bob, "contexts", &[]);
    let told = discord.wait_for_replies(asked, 1).await.remove(0);
    assert!(!discord.is_ephemeral(server.channel, told.id));
    assert_eq!(discord.sent(server.channel), []);
    server.bot.finish().await;
}
