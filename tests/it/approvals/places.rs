//! Answers by place: by buttons on Discord, by words in a terminal, and by people who manage the place.

use clifford_core::runs::RunStatus;
use clifford_fakes::openai::{RecordedRequest, Reply};
use serde_json::json;

use super::{asking, kept, remembers, runs, said, started, tell};
use crate::{
    harness::{Bot, Room, Setup, Site},
    scripted_model,
};

/// Discord's right to manage a server.
const MANAGE_GUILD: u64 = 1 << 5;

fn on_both_databases(setup: fn() -> Setup) -> impl Iterator<Item = Setup> {
    [Some(setup()), setup().postgres()].into_iter().flatten()
}

/// Waits until the bot has said this.
async fn discord_says(bot: &Bot, channel: u64, text: &str) {
    bot.discord
        .wait_for("what is said", |fake| {
            fake.sent(channel).iter().any(|sent| sent.content == text).then_some(())
        })
        .await;
}

#[tokio::test]
async fn discord_user_approves_with_a_button_and_the_call_is_made_once() {
    for setup in on_both_databases(|| asking(Site::Discord)) {
        let mut bot = started(setup).await;
        let user = bot.discord.user("Ada");
        let dm = bot.discord.dm(user);
        bot.discord.user_says(dm, user, "Ada drinks tea");
        let question = bot.discord.wait_for_sent(dm, 1).await.remove(0);
        let press = bot.discord.press(dm, user, &question, "Approve");
        bot.discord.wait_for_acknowledgement(press).await;
        discord_says(&bot, dm, "I know now: tea.").await;
        let again = bot.discord.press(dm, user, &question, "Approve");
        let told = bot.discord.wait_for_replies(again, 1).await.remove(0).content;
        assert!(told.starts_with("That is settled already"), "{told}");
        assert_eq!(kept(&bot).await, 1);
        runs(&bot, 1, RunStatus::Completed).await;
        bot.finish().await;
    }
}

#[tokio::test]
async fn on_discord_a_question_and_its_answer_survive_kill_9() {
    for setup in on_both_databases(|| asking(Site::Discord)) {
        let mut bot = setup.prepare().await;
        bot.model.respond_with(remembers);
        bot.start().await;
        let Room::Discord { channel, user } = bot.room(Site::Discord, 7, "Ada") else {
            unreachable!("a room on Discord")
        };
        bot.discord.user_says(channel, user, "Ada drinks tea");
        let question = bot.discord.wait_for_sent(channel, 1).await.remove(0);
        runs(&bot, 1, RunStatus::Waiting).await;
        bot.kill().await;
        // It is pressed, and dies with the answer, before the call is so much as recorded.
        bot.start_crashing("call_approved").await;
        bot.discord.press(channel, user, &question, "Approve");
        bot.crashed().await;
        assert_eq!(kept(&bot).await, 0);
        bot.start().await;
        discord_says(&bot, channel, "I know now: tea.").await;
        runs(&bot, 1, RunStatus::Completed).await;
        assert_eq!(kept(&bot).await, 1);
        bot.finish().await;
    }
}

#[tokio::test]
async fn whoever_manages_the_group_answers_for_its_people() {
    let mut bot = started(asking(Site::Telegram)).await;
    bot.telegram.user(7, "Ada");
    bot.telegram.user(8, "Eve");
    let group = bot.telegram.supergroup(-1_001_234, "Team");
    bot.telegram.standing(group, 8, json!({ "status": "administrator" }));
    tell(&bot, group, 7, "@clifford_bot Ada drinks tea").await;
    bot.telegram.press(group, 8, "Approve");
    let mut texts = said(&bot, group, 3).await.split_off(1);
    texts.sort();
    assert_eq!(texts, ["Approved: memory.put.", "I know now: tea."]);
    assert_eq!(kept(&bot).await, 1);
    bot.telegram.wait_for_answers().await;
    bot.finish().await;
}

#[tokio::test]
async fn on_discord_whoever_may_manage_the_server_answers_and_others_do_not() {
    let mut bot = started(asking(Site::Discord)).await;
    let (ada, eve, mallory) = (
        bot.discord.user("Ada"),
        bot.discord.user("Eve"),
        bot.discord.user("Mallory"),
    );
    let guild = bot.discord.guild("Team");
    let channel = bot.discord.channel(guild, "general");
    let role = bot.discord.role(guild, MANAGE_GUILD);
    bot.discord.join(guild, ada, &[]);
    bot.discord.join(guild, eve, &[role]);
    bot.discord.join(guild, mallory, &[]);
    let asks = format!("<@{}> Ada drinks tea", bot.discord.bot());
    bot.discord.user_says(channel, ada, &asks);
    let question = bot.discord.wait_for_sent(channel, 1).await.remove(0);
    let press = bot.discord.press(channel, mallory, &question, "Deny");
    let told = bot.discord.wait_for_replies(press, 1).await.remove(0).content;
    assert_eq!(
        told,
        "Only the person I asked, or somebody who manages this place, can answer that."
    );
    runs(&bot, 1, RunStatus::Waiting).await;
    bot.discord.press(channel, eve, &question, "Deny");
    runs(&bot, 1, RunStatus::Completed).await;
    assert_eq!(kept(&bot).await, 0);
    bot.finish().await;
}

#[tokio::test]
async fn where_others_read_along_a_person_who_is_asked_is_told_from_another_of_their_name() {
    let mut bot = started(asking(Site::Discord)).await;
    let guild = bot.discord.guild("Team");
    for (channel, expected) in [("one", "Ada"), ("two", "Ada #")] {
        let (channel, ada) = (bot.discord.channel(guild, channel), bot.discord.user("Ada"));
        bot.discord.join(guild, ada, &[]);
        let asks = format!("<@{}> Ada drinks tea", bot.discord.bot());
        bot.discord.user_says(channel, ada, &asks);
        let question = bot.discord.wait_for_sent(channel, 1).await.remove(0).content;
        let is_marked = question.contains("Ada #");
        assert!(
            question.contains(expected) && is_marked == (expected != "Ada"),
            "{question}"
        );
    }
    bot.finish().await;
}

/// Remembers this poem, then says so.
fn remembering(poem: String) -> impl Fn(&RecordedRequest) -> Reply {
    move |request| {
        if scripted_model::memory_schema(request).is_some() {
            return scripted_model::reply(request);
        }
        let begins = request.messages().iter().all(|message| message["role"] != "assistant");
        Reply::json(&if begins {
            json!({"type": "tool_call", "name": "memory.put",
                "args": {"module": "preferences", "key": "drink", "value": poem}})
        } else {
            json!({"type": "finish", "output": "I know it now."})
        })
    }
}

#[tokio::test]
async fn arguments_of_several_messages_are_shown_whole_above_the_buttons() {
    let mut bot = asking(Site::Discord).start().await;
    let poem: String = (0..600).map(|number| format!("{number} ")).collect();
    bot.model.respond_with(remembering(poem.clone()));
    let user = bot.discord.user("Ada");
    let dm = bot.discord.dm(user);
    bot.discord.user_says(dm, user, "remember this poem");
    let sent = bot.discord.wait_for_sent(dm, 2).await;
    let labels = sent
        .iter()
        .map(|sent| sent.buttons.iter().map(|(label, _)| label.as_str()));
    let labels: Vec<Vec<_>> = labels.map(Iterator::collect).collect();
    assert_eq!(labels, [vec![], vec!["Approve", "Deny"]]);
    let shown: String = sent.iter().map(|sent| sent.content.as_str()).collect();
    let numbers = poem.split_whitespace().all(|number| shown.contains(number));
    assert!(numbers, "{shown}");
    bot.finish().await;
}

#[tokio::test]
async fn arguments_too_long_for_a_message_come_as_a_file_and_are_not_approved_by_a_press() {
    let mut bot = asking(Site::Telegram).start().await;
    let poem = "tea ".repeat(2000);
    bot.model.respond_with(remembering(poem.clone()));
    let chat = bot.telegram.user(7, "Ada");
    bot.telegram.user_says(chat, 7, "remember this poem");
    let sent = bot.telegram.wait_for_sent(chat, 2).await;
    let labels: Vec<_> = (sent.iter())
        .flat_map(|sent| sent.buttons.iter().map(|(label, _)| label.as_str()))
        .collect();
    assert_eq!(labels, ["Deny"]);
    assert!(
        sent[0].text.contains("All of them are in the file arguments.json"),
        "{}",
        sent[0].text
    );
    let file = sent[1].document.clone().unwrap();
    assert_eq!(file.name, "arguments.json");
    assert!(String::from_utf8(file.content).unwrap().contains(&poem));
    bot.telegram.user_says(chat, 7, "/approve");
    let texts = said(&bot, chat, 4).await.split_off(2);
    assert!(texts.contains(&"Approved: memory.put.".to_owned()), "{texts:?}");
    bot.finish().await;
}
