//! The ways to speak to the bot in a shared place: its name where that addresses it, and its role on Discord.

use crate::harness::{Setup, Site};

/// Messages that name the bot in passing.
const IN_PASSING: [&str; 4] = [
    "I like clifford the band",
    "we saw clifford yesterday",
    "Clifford's dog barks",
    "@clifford_two do it",
];
/// Messages that speak to it.
const ADDRESSING: [&str; 4] = [
    "Clifford what is 2+2",
    "what do you think, Clifford?",
    "hey Clifford, are you there",
    "look at this\nclifford: what is it",
];

/// Ada's words as the model is told them.
fn answers() -> Vec<String> {
    let answer = |text: &&str| format!("You said: [Ada] {text}");
    ADDRESSING.iter().map(answer).collect()
}

#[tokio::test]
async fn on_telegram_its_name_counts_where_it_addresses_the_bot() {
    let mut bot = Setup::on(Site::Telegram).start().await;
    bot.telegram.user(7, "Ada");
    let group = bot.telegram.supergroup(-1_001_234, "Team");
    for (number, (passing, addressing)) in (1..).zip(IN_PASSING.iter().zip(ADDRESSING)) {
        bot.telegram.user_says(group, 7, passing);
        bot.telegram.user_says(group, 7, addressing);
        bot.telegram.wait_for_sent(group, number).await;
    }
    bot.finish().await;
    let texts: Vec<_> = bot.telegram.sent(group).into_iter().map(|sent| sent.text).collect();
    assert_eq!(texts, answers());
}

#[tokio::test]
async fn on_discord_its_role_addresses_the_bot_and_no_other_role_does() {
    let mut bot = Setup::on(Site::Discord).start().await;
    let ada = bot.discord.user("Ada");
    let guild = bot.discord.guild("Team");
    let channel = bot.discord.channel(guild, "general");
    let staff = bot.discord.named_role(guild, "Staff", 0);
    for (number, (passing, addressing)) in (1..).zip(IN_PASSING.iter().zip(ADDRESSING)) {
        bot.discord.user_says(channel, ada, passing);
        bot.discord.user_says(channel, ada, addressing);
        bot.discord.wait_for_sent(channel, number).await;
    }
    bot.discord.user_says(channel, ada, &format!("<@&{staff}> hello"));
    bot.discord
        .user_says(channel, ada, &format!("<@&{}> hello", bot.discord.bot_role(guild)));
    bot.discord.wait_for_sent(channel, ADDRESSING.len() + 1).await;
    bot.finish().await;
    let sent = bot.discord.sent(channel).into_iter();
    let texts: Vec<_> = sent.map(|sent| sent.content).collect();
    assert_eq!(texts[..ADDRESSING.len()], answers());
    assert_eq!(texts.len(), ADDRESSING.len() + 1, "{texts:?}");
    assert!(texts[ADDRESSING.len()].ends_with("hello"), "{texts:?}");
}

#[tokio::test]
async fn on_discord_its_role_addresses_the_bot_also_while_it_is_away() {
    let mut bot = Setup::on(Site::Discord).start().await;
    let ada = bot.discord.user("Ada");
    let guild = bot.discord.guild("Team");
    let channel = bot.discord.channel(guild, "general");
    let role = bot.discord.bot_role(guild);
    bot.discord.user_says(channel, ada, &format!("<@&{role}> hello"));
    bot.discord.wait_for_sent(channel, 1).await;
    bot.kill().await;
    bot.discord.user_says(channel, ada, &format!("<@&{role}> again"));
    // Discord tells of the server after READY.
    bot.discord.withhold_guilds();
    let before = bot.discord.identifies();
    bot.start().await;
    bot.discord
        .wait_for("a new session", |fake| (fake.identifies() > before).then_some(()))
        .await;
    bot.discord.recovers(guild);
    let sent = bot.discord.wait_for_sent(channel, 2).await;
    assert!(sent[1].content.ends_with("again"), "{}", sent[1].content);
    bot.finish().await;
}
