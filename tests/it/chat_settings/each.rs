//! Every setting of a place: a manager changes it in the chat, that is told with their name, and it is taken back.

use super::{Server, group, tell};
use crate::harness::{Setup, Site};

/// Each with a value that it can have.
const EACH: [(&str, &str); 17] = [
    ("when_busy", "steer"),
    ("memory", "off"),
    ("voice_replies", "always"),
    ("agent", "Clifford"),
    ("mode", "chat"),
    ("persona", "Talk like a pirate."),
    ("speaks", "always"),
    ("use_roles", "Keeper"),
    ("approve_roles", "Keeper"),
    ("other_bots", "on"),
    ("budget", "5/month"),
    ("member_budget", "0.5/day"),
    ("threads", "auto"),
    ("follow_threads", "off"),
    ("ambient_messages", "5"),
    ("language", "en"),
    ("model", "strong"),
];

#[tokio::test]
async fn on_telegram_each_setting_of_a_group_is_changed_told_and_taken_back() {
    let (mut bot, group) = group(super::own::choosing(Site::Telegram)).await;
    for (name, value) in EACH {
        let told = tell(&bot, group, 7, &format!("/settings@clifford_bot {name} {value}")).await;
        assert!(told.text.starts_with(&format!("Ada set {name} to ")), "{}", told.text);
        let shown = tell(&bot, group, 7, "/settings@clifford_bot undo").await.text;
        let expected = format!("Ada took a change back: {name} is ");
        assert!(
            shown.starts_with(&expected) && shown.contains("Ada had made it"),
            "{shown}"
        );
    }
    let refused = tell(&bot, group, 8, "/settings@clifford_bot when_busy steer")
        .await
        .text;
    assert_eq!(
        refused,
        "Only people who manage this place can see and change its settings."
    );
    bot.finish().await;
    let look = bot.look().await;
    assert_eq!(
        look.number("SELECT COUNT(*) FROM settings WHERE name = 'when_busy'")
            .await,
        0
    );
}

#[tokio::test]
async fn on_discord_each_setting_of_a_server_is_changed_told_and_taken_back() {
    let mut server = Server::start(super::own::choosing(Site::Discord)).await;
    for (name, value) in EACH {
        let told = server.settings(server.ada, &format!("{name} {value}")).await.content;
        assert!(told.starts_with(&format!("Ada set `{name}` to ")), "{told}");
        let shown = server.settings(server.ada, "undo").await.content;
        assert!(
            shown.starts_with(&format!("Ada took a change back: `{name}` is ")),
            "{shown}"
        );
    }
    server.bot.finish().await;
}

#[tokio::test]
async fn a_tool_is_turned_off_and_on_again_by_undo() {
    let mut server = Server::start(Setup::on(Site::Discord)).await;
    let told = server.settings(server.ada, "tools compute off").await.content;
    assert!(told.starts_with("Ada turned `compute` off."), "{told}");
    let shown = server.settings(server.ada, "undo").await.content;
    assert!(shown.starts_with("Ada took a change back: "), "{shown}");
    let listed = server.settings(server.ada, "tools").await.content;
    assert!(listed.contains("All are on."), "{listed}");
    server.bot.finish().await;
}
