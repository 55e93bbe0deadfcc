//! Roles of the platform: read with the message, kept with the run, conditions of rules, of budgets and of access.

use clifford_fakes::{openai::Reply, telegram::Method};
use serde_json::json;

use crate::{
    harness::{Bot, Setup, Site},
    scripted_model,
};

/// A bot whose rule lets moderators alone write memories, without asking; others are refused.
fn setup(site: Site) -> Setup {
    let rule = |text: &str| text.parse::<toml::Table>().unwrap();
    let allow = rule("action = 'allow'\ntools = ['memory.put']\nplatform_roles = ['@moderator']\npriority = 5");
    let deny = rule("action = 'deny'\ntools = ['memory.put']\nreason = 'moderators alone may do that'");
    Setup::on(site)
        .set("engine.planning_gate", "off")
        .set("policies", toml::Value::Array(vec![allow.into(), deny.into()]))
}

/// Puts something into memory, and says whether it did.
fn remembers(bot: &Bot) {
    bot.model.respond_with(|request| {
        if scripted_model::memory_schema(request).is_some() {
            return scripted_model::reply(request);
        }
        let messages = request.messages();
        let begins = messages.iter().all(|message| message["role"] != "assistant");
        let told = messages.last().map(ToString::to_string).unwrap_or_default();
        Reply::json(&if begins {
            json!({"type": "tool_call", "name": "memory.put",
                "args": {"module": "preferences", "key": "drink", "value": "tea"}})
        } else if told.contains("moderators alone may do that") {
            json!({"type": "finish", "output": "I may not."})
        } else {
            json!({"type": "finish", "output": "I know now."})
        })
    });
}

async fn discord_says(bot: &Bot, channel: u64, count: usize) -> String {
    let mut sent = bot.discord.wait_for_sent(channel, count).await;
    sent.remove(count - 1).content
}

#[tokio::test]
async fn on_discord_a_rule_goes_by_the_roles_that_come_with_the_message() {
    for setup in [Some(setup(Site::Discord)), setup(Site::Discord).postgres()]
        .into_iter()
        .flatten()
    {
        let mut bot = setup.start().await;
        remembers(&bot);
        let (ada, bob) = (bot.discord.user("Ada"), bot.discord.user("Bob"));
        let guild = bot.discord.guild("Team");
        let channel = bot.discord.channel(guild, "general");
        let role = bot.discord.named_role(guild, "Moderator", 0);
        bot.discord.join(guild, ada, &[role]);
        bot.discord.join(guild, bob, &[]);
        let asks = format!("<@{}> I drink tea", bot.discord.bot());
        bot.discord.user_says(channel, bob, &asks);
        assert_eq!(discord_says(&bot, channel, 1).await, "I may not.");
        bot.discord.user_says(channel, ada, &asks);
        assert_eq!(discord_says(&bot, channel, 2).await, "I know now.");
        // The role is another one by its new name.
        bot.discord.rename_role(guild, role, "Gardener");
        bot.discord.user_says(channel, ada, &asks);
        assert_eq!(discord_says(&bot, channel, 3).await, "I may not.");
        bot.finish().await;
    }
}

#[tokio::test]
async fn a_run_knows_its_persons_roles_after_a_restart() {
    let mut bot = setup(Site::Discord).prepare().await;
    remembers(&bot);
    bot.start_crashing("response_recorded").await;
    let ada = bot.discord.user("Ada");
    let guild = bot.discord.guild("Team");
    let channel = bot.discord.channel(guild, "general");
    let role = bot.discord.named_role(guild, "Moderator", 0);
    bot.discord.join(guild, ada, &[role]);
    bot.discord
        .user_says(channel, ada, &format!("<@{}> I drink tea", bot.discord.bot()));
    bot.crashed().await;
    // Discord does not tell it again, and the role is gone meanwhile: the run goes by what came with its message.
    bot.discord.join(guild, ada, &[]);
    bot.start().await;
    assert_eq!(discord_says(&bot, channel, 1).await, "I know now.");
    bot.finish().await;
}

#[tokio::test]
async fn on_telegram_a_title_is_a_role_and_is_asked_for() {
    let mut bot = setup(Site::Telegram).start().await;
    remembers(&bot);
    bot.telegram.user(7, "Ada");
    bot.telegram.user(8, "Bob");
    let group = bot.telegram.supergroup(-1_001_234, "Team");
    let standing = json!({ "status": "administrator", "custom_title": "Moderator" });
    bot.telegram.standing(group, 7, standing);
    for (user, says) in [(8, "I may not."), (7, "I know now.")] {
        bot.telegram.user_says(group, user, "@clifford_bot I drink tea");
        let count = if user == 8 { 1 } else { 2 };
        let sent = bot.telegram.wait_for_sent(group, count).await;
        assert_eq!(sent.last().map(|sent| sent.text.as_str()), Some(says), "{user}");
    }
    bot.finish().await;
}

#[tokio::test]
async fn nobody_is_asked_for_roles_where_nothing_goes_by_them() {
    let mut bot = Setup::on(Site::Telegram).start().await;
    bot.telegram.user(7, "Ada");
    let group = bot.telegram.supergroup(-1_001_234, "Team");
    bot.telegram.user_says(group, 7, "@clifford_bot hello");
    bot.telegram.wait_for_sent(group, 1).await;
    let asked = bot.telegram.requests();
    assert!(
        asked.iter().all(|request| request.method != Method::GetChatMember),
        "{asked:?}"
    );
    bot.finish().await;
}

#[tokio::test]
async fn a_role_lets_its_bearers_in_and_has_a_budget_of_its_own() {
    let budget = |text: &str| toml::Value::from(text.parse::<toml::Table>().unwrap());
    let mut bot = Setup::on(Site::Discord)
        .set("channels.discord.access", "allowlist")
        .set("channels.discord.allow_roles", vec!["Staff", "Guest"])
        .set(
            "budgets",
            toml::Value::Array(vec![
                budget("scope = 'user'\nperiod = 'day'\ntokens = 1_000_000"),
                budget("scope = 'user'\nperiod = 'day'\ntokens = 1\nplatform_roles = ['guest']"),
            ]),
        )
        .start()
        .await;
    let people = ["Ada", "Bob", "Eve"].map(|name| bot.discord.user(name));
    let guild = bot.discord.guild("Team");
    let channel = bot.discord.channel(guild, "general");
    let (staff, guest) = (
        bot.discord.named_role(guild, "Staff", 0),
        bot.discord.named_role(guild, "Guest", 0),
    );
    for (person, roles) in people.iter().zip([vec![staff], vec![guest], vec![]]) {
        bot.discord.join(guild, *person, &roles);
    }
    let [ada, bob, eve] = people;
    let say = |person| {
        bot.discord
            .user_says(channel, person, &format!("<@{}> hello", bot.discord.bot()))
    };
    // Eve has no such role: she is not heard.
    say(eve);
    for (person, count) in [(ada, 1), (bob, 2), (ada, 3)] {
        say(person);
        assert!(
            !discord_says(&bot, channel, count)
                .await
                .starts_with("Sorry, what you may spend")
        );
    }
    // Bob's second question is over the budget of guests.
    say(bob);
    let refused = discord_says(&bot, channel, 4).await;
    assert!(
        refused.starts_with("Sorry, what you may spend on me for today is used up."),
        "{refused}"
    );
    let usage = bot.discord.interaction(channel, bob, "usage", &[]);
    let told = bot.discord.wait_for_replies(usage, 1).await.remove(0).content;
    assert!(
        told.contains("left for today: 0 of 1 tokens") && !told.contains("1000000"),
        "{told}"
    );
    bot.finish().await;
}
