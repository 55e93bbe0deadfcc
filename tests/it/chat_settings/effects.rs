//! Each setting of a place takes effect where it is set.

use clifford_core::runs::RunStatus;
use clifford_fakes::openai::{RecordedRequest, Reply};
use serde_json::json;

use super::{
    Server, last_prompt,
    own::{asked, choosing},
};
use crate::{
    harness::{Bot, Setup, Site},
    scripted_model,
};

fn table(text: &str) -> toml::Value {
    text.parse::<toml::Table>().unwrap().into()
}

#[tokio::test]
async fn roles_that_may_use_the_bot_are_the_only_ones_that_it_hears() {
    let mut server = Server::start(Setup::on(Site::Discord)).await;
    let discord = &server.bot.discord;
    let staff = discord.named_role(server.guild, "Staff", 0);
    let eve = discord.user("Eve");
    discord.join(server.guild, eve, &[staff]);
    let told = server.settings(server.ada, "use_roles Staff, Keeper").await.content;
    assert!(told.starts_with("Ada set `use_roles` to `Staff, Keeper`"), "{told}");
    let text = format!("<@{}> hello", discord.bot());
    discord.user_says(server.channel, server.bob, &text);
    // Nor is anything completed for others.
    for (person, topics) in [(server.bob, 0), (eve, 1)] {
        let typed = discord.types(server.channel, person, "help", "topic", "chats");
        assert_eq!(discord.wait_for_choices(typed).await.len(), topics);
    }
    assert_eq!(server.asks(eve, "hello").await, "You said: [Eve] hello");
    assert_eq!(server.asks(server.ada, "hello").await, "You said: [Ada] hello");
    // A new channel of the server is under the same rule.
    let other = discord.channel(server.guild, "other");
    discord.user_says(other, server.bob, &text);
    discord.user_says(other, eve, &text);
    let sent = discord.wait_for_sent(other, 1).await;
    assert_eq!(sent[0].content, "You said: [Eve] hello");
    server.bot.finish().await;
    assert_eq!(server.bot.discord.sent(other).len(), 1);
}

#[tokio::test]
async fn roles_are_chosen_from_those_of_the_server() {
    let mut server = Server::start(Setup::on(Site::Discord)).await;
    let discord = &server.bot.discord;
    let (staff, crew) = (
        discord.named_role(server.guild, "Staff", 0),
        discord.named_role(server.guild, "Crew", 0),
    );
    let shown = server.settings(server.ada, "use_roles").await;
    let picked = discord.picks(server.channel, server.ada, &shown, "Choose roles", &[staff, crew]);
    let changed = discord.wait_for_replies(picked, 1).await.remove(0);
    assert_eq!(changed.id, shown.id);
    assert!(
        changed
            .content
            .starts_with("Ada set `use_roles` to `Staff, Crew` (before: not set)."),
        "{}",
        changed.content
    );
    let told = discord.wait_for_sent(server.channel, 1).await;
    assert!(told[0].content.starts_with("Ada set `use_roles`"), "{told:?}");
    server.bot.finish().await;
}

#[tokio::test]
async fn where_it_speaks_is_set_for_a_channel() {
    let mut server = Server::start(Setup::on(Site::Discord)).await;
    let told = server.settings(server.ada, "speaks always").await.content;
    assert!(
        told.contains("to `always` (before: not set), for this channel."),
        "{told}"
    );
    let before = server.bot.discord.sent(server.channel).len();
    server
        .bot
        .discord
        .user_says(server.channel, server.bob, "nobody is addressed");
    let sent = server.bot.discord.wait_for_sent(server.channel, before + 1).await;
    assert_eq!(sent[before].content, "You said: [Bob] nobody is addressed");
    server.settings(server.ada, "speaks never").await;
    let text = format!("<@{}> hello", server.bot.discord.bot());
    server.bot.discord.user_says(server.channel, server.bob, &text);
    let told = server.settings(server.ada, "speaks addressed").await.content;
    assert!(told.starts_with("Ada set `speaks` to `addressed`"), "{told}");
    assert_eq!(server.asks(server.bob, "again").await, "You said: [Bob] again");
    server.bot.finish().await;
    let said = server
        .bot
        .discord
        .sent(server.channel)
        .iter()
        .filter(|sent| sent.content.contains("hello"))
        .count();
    assert_eq!(said, 0);
}

#[tokio::test]
async fn agent_mode_and_language_are_the_places() {
    let setup = Setup::on(Site::Discord).set(
        "agents",
        toml::Value::Array(vec![table("name = 'Librarian'\nprompt = 'You keep the books.'")]),
    );
    let mut server = Server::start(setup).await;
    let none = server.settings(server.ada, "agent Nobody").await.content;
    assert!(
        none.starts_with("`Nobody` is not one of ") && none.contains("Librarian"),
        "{none}"
    );
    server.settings(server.ada, "agent Librarian").await;
    server.settings(server.ada, "language de").await;
    server.asks(server.bob, "hello").await;
    let prompt = last_prompt(&server.bot);
    assert!(
        prompt.contains("You keep the books.") && prompt.contains("the language with the tag de"),
        "{prompt}"
    );
    server.settings(server.ada, "mode chat").await;
    server
        .bot
        .model
        .respond_with(|request| match scripted_model::memory_schema(request) {
            Some(_) => scripted_model::reply(request),
            None => Reply::text("Hello there."),
        });
    server.asks(server.bob, "hello").await;
    let run = server.bot.look().await.runs().await.pop().unwrap();
    assert_eq!(run.mode, clifford_core::places::Mode::Chat);
    server.bot.finish().await;
}

#[tokio::test]
async fn persona_and_model_are_the_places_and_no_other_has_them() {
    for setup in [Some(choosing(Site::Discord)), choosing(Site::Discord).postgres()]
        .into_iter()
        .flatten()
    {
        let mut server = Server::start(setup).await;
        let persona = "Speak like a lighthouse keeper.";
        server.settings(server.ada, &format!("persona {persona}")).await;
        let told = server.settings(server.ada, "model strong").await.content;
        assert!(told.starts_with("Ada set `model` to `strong`"), "{told}");
        server.asks(server.bob, "hello").await;
        let prompt = last_prompt(&server.bot);
        assert!(prompt.contains("The managers of this place want this of you here") && prompt.contains(persona));
        // Another server knows nothing of it.
        let discord = &server.bot.discord;
        let elsewhere = discord.channel(discord.guild("Elsewhere"), "general");
        discord.user_says(elsewhere, server.bob, &format!("<@{}> hello", discord.bot()));
        discord.wait_for_sent(elsewhere, 1).await;
        assert!(!last_prompt(&server.bot).contains(persona));
        // The last change is taken back, and nothing else.
        server.settings(server.ada, "undo").await;
        server.asks(server.bob, "hello again").await;
        assert!(last_prompt(&server.bot).contains(persona));
        assert_eq!(asked(&server.bot.model), ["fake-2", "fake-1", "fake-1"]);
        server.bot.finish().await;
    }
}

#[tokio::test]
async fn a_tool_that_managers_turn_off_is_not_offered_there() {
    let mut server = Server::start(Setup::on(Site::Discord)).await;
    server.asks(server.bob, "hello").await;
    assert!(last_prompt(&server.bot).contains("compute.eval"));
    let told = server.settings(server.ada, "tools compute off").await.content;
    assert!(told.starts_with("Ada turned `compute` off."), "{told}");
    server.asks(server.bob, "hello").await;
    assert!(!last_prompt(&server.bot).contains("compute.eval"));
    let undone = server.settings(server.ada, "undo").await.content;
    assert!(undone.contains("`tool.compute.enabled` is not set again"), "{undone}");
    server.asks(server.bob, "hello").await;
    assert!(last_prompt(&server.bot).contains("compute.eval"));
    server.bot.finish().await;
}

#[tokio::test]
async fn budgets_of_a_place_and_of_its_members_refuse_what_is_over_them() {
    let setup = Setup::on(Site::Discord)
        .provider("prompt_price", 1_000.0)
        .provider("completion_price", 1_000.0);
    let mut server = Server::start(setup).await;
    server.settings(server.ada, "member_budget 0.0001/day").await;
    assert_eq!(server.asks(server.bob, "one").await, "You said: [Bob] one");
    let refused = server.asks(server.bob, "two").await;
    assert!(
        refused.starts_with("Sorry, what you may spend on me in this space for today"),
        "{refused}"
    );
    assert_eq!(server.asks(server.ada, "mine").await, "You said: [Ada] mine");
    server.settings(server.ada, "member_budget reset").await;
    server.settings(server.ada, "budget 0.0001/day").await;
    let refused = server.asks(server.ada, "three").await;
    assert!(
        refused.starts_with("Sorry, what may be spent on me in this space for today"),
        "{refused}"
    );
    let usage = server.bot.discord.interaction(server.channel, server.bob, "usage", &[]);
    let usage = server.bot.discord.wait_for_replies(usage, 1).await.remove(0).content;
    assert!(
        usage.contains("left for everybody here today: 0.0000 of 0.0001 in cost"),
        "{usage}"
    );
    server.bot.finish().await;
}

/// Remembers what is said.
fn writes(request: &RecordedRequest) -> Reply {
    if scripted_model::memory_schema(request).is_some() {
        return scripted_model::reply(request);
    }
    let begins = request.messages().iter().all(|message| message["role"] != "assistant");
    Reply::json(&if begins {
        json!({"type": "tool_call", "name": "files.create", "args": {"name": "tea.txt", "content": "tea"}})
    } else {
        json!({"type": "finish", "output": "I wrote it down."})
    })
}

async fn until_run(bot: &Bot, status: RunStatus) {
    bot.until("the run", async |look: &crate::db_probe::DbProbe| {
        look.runs().await.last().filter(|run| run.status == status).map(drop)
    })
    .await;
}

#[tokio::test]
async fn a_role_that_may_approve_answers_for_others() {
    let mut server = Server::start(Setup::on(Site::Discord).set("engine.planning_gate", "off")).await;
    server.bot.model.respond_with(writes);
    let discord = &server.bot.discord;
    let helper = discord.named_role(server.guild, "Helper", 0);
    let eve = discord.user("Eve");
    discord.join(server.guild, eve, &[helper]);
    let before = discord.sent(server.channel).len();
    discord.user_says(server.channel, server.bob, &format!("<@{}> I like tea", discord.bot()));
    let question = discord.wait_for_sent(server.channel, before + 1).await.remove(before);
    let press = discord.press(server.channel, eve, &question, "Approve");
    let told = discord.wait_for_replies(press, 1).await.remove(0).content;
    assert!(told.starts_with("Only the person I asked"), "{told}");
    until_run(&server.bot, RunStatus::Waiting).await;
    server.settings(server.ada, "approve_roles helper").await;
    server.bot.discord.press(server.channel, eve, &question, "Approve");
    until_run(&server.bot, RunStatus::Completed).await;
    server.bot.finish().await;
}
