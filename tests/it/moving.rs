//! Places that change while somebody is being answered there: the answer comes all the same, where people read on.

use std::time::Duration;

use clifford_fakes::telegram::Chat;
use serde_json::json;

use crate::{
    harness::{Bot, Setup, Site},
    scripted_model::Prompt,
};

/// A basic group in which Ada was answered once.
async fn group(bot: &Bot) -> Chat {
    bot.telegram.user(7, "Ada");
    let group = bot.telegram.group(-500, "Team");
    bot.telegram.user_says(group, 7, "Clifford before");
    bot.telegram.wait_for_sent(group, 1).await;
    bot.until("the answer to be marked", async |look| {
        (look.undelivered().await == 0).then_some(())
    })
    .await;
    group
}

#[tokio::test]
async fn an_answer_goes_to_the_supergroup_that_its_group_became() {
    for (setup, is_killed) in [
        (Some(Setup::on(Site::Telegram)), false),
        (Some(Setup::on(Site::Telegram)), true),
        (Setup::on(Site::Telegram).postgres(), true),
    ] {
        let Some(setup) = setup else { continue };
        let mut bot = setup.start().await;
        let group = group(&bot).await;
        let hold = bot.model.hold();
        let before = bot.model.request_count();
        bot.telegram.user_says(group, 7, "Clifford meanwhile");
        bot.model.wait_for_requests(before + 1).await;
        let supergroup = bot.telegram.migrate(group, 7);
        bot.telegram.wait_for_confirmed().await;
        if is_killed {
            bot.kill().await;
        }
        hold.release();
        if is_killed {
            bot.start().await;
        }
        let sent = bot.telegram.wait_for_sent(supergroup, 1).await;
        assert_eq!(sent[0].text, "You said: [Ada] Clifford meanwhile");
        // It is the same conversation.
        bot.telegram.user_says(supergroup, 7, "Clifford after");
        bot.telegram.wait_for_sent(supergroup, 2).await;
        bot.finish().await;
        let last = bot.model.requests().pop().unwrap();
        let said = ["[Ada] Clifford before", "[Ada] Clifford meanwhile"];
        let expected = said.map(|said| [said.to_owned(), format!("You said: {said}")]).concat();
        assert_eq!(Prompt::read(&last).conversation(), expected);
        assert_eq!(
            (bot.telegram.sent(group).len(), bot.telegram.sent(supergroup).len()),
            (1, 2)
        );
    }
}

/// How the bot learns that its group is a supergroup.
#[derive(Clone, Copy, Debug)]
enum Told {
    InTheNewChat,
    NewChatFirst,
    ByARefusal,
}

#[tokio::test]
async fn a_group_goes_on_as_a_supergroup_however_that_is_told() {
    for told in [Told::InTheNewChat, Told::NewChatFirst, Told::ByARefusal] {
        let mut bot = Setup::on(Site::Telegram).start().await;
        let group = group(&bot).await;
        let mut hold = None;
        if matches!(told, Told::ByARefusal) {
            hold = Some(bot.model.hold());
            let before = bot.model.request_count();
            bot.telegram.user_says(group, 7, "Clifford meanwhile");
            bot.model.wait_for_requests(before + 1).await;
        }
        let supergroup = bot.telegram.migrate_unsaid(group);
        let from = json!({"migrate_from_chat_id": group.id});
        match told {
            Told::InTheNewChat => drop(bot.telegram.user_sends(supergroup, 7, from)),
            Told::NewChatFirst => {
                bot.telegram.user_sends(supergroup, 7, from);
                bot.telegram
                    .user_sends(group, 7, json!({"migrate_to_chat_id": supergroup.id}));
            }
            Told::ByARefusal => {
                drop(hold.take());
                bot.telegram.wait_for_sent(supergroup, 1).await;
            }
        }
        bot.telegram.wait_for_confirmed().await;
        // Where it was is no place that it was added to.
        bot.telegram.add(supergroup, 7);
        bot.telegram.wait_for_confirmed().await;
        bot.telegram.user_says(supergroup, 7, "Clifford after");
        let count = if matches!(told, Told::ByARefusal) { 2 } else { 1 };
        let sent = bot.telegram.wait_for_sent(supergroup, count).await;
        assert_eq!(sent[count - 1].text, "You said: [Ada] Clifford after", "{told:?}");
        let last = bot.model.requests().pop().unwrap();
        assert_eq!(
            Prompt::read(&last).conversation()[0],
            "[Ada] Clifford before",
            "{told:?}"
        );
        // The new chat counts its messages from one: what is said of them there is not said of the old ones.
        bot.until("the ids of the old chat", async |look| {
            let old = "SELECT COUNT(*) FROM message_parts WHERE platform_message_id LIKE '-500:%'";
            (look.number(old).await == 1).then_some(())
        })
        .await;
        bot.finish().await;
        assert_eq!(bot.telegram.sent(supergroup).len(), count, "{told:?}");
    }
}

#[tokio::test]
async fn a_channel_that_is_deleted_meanwhile_ends_nothing_else() {
    let mut bot = Setup::on(Site::Discord).start().await;
    let ada = bot.discord.user("Ada");
    let guild = bot.discord.guild("Team");
    let (gone, channel) = (
        bot.discord.channel(guild, "gone"),
        bot.discord.channel(guild, "general"),
    );
    let hold = bot.model.hold();
    bot.discord.user_says(gone, ada, "Clifford hello");
    let asked = bot.discord.interaction(gone, ada, "ask", &[("text", "hello")]);
    bot.discord.wait_for_replies(asked, 1).await;
    bot.discord.delete_channel(gone);
    hold.release();
    bot.discord.user_says(channel, ada, "Clifford are you there");
    let sent = bot.discord.wait_for_sent(channel, 1).await;
    assert_eq!(sent[0].content, "You said: [Ada] Clifford are you there");
    bot.until("nothing to be left", async |look| {
        let ended = look.runs().await.iter().all(|run| run.status.is_ended());
        (ended && look.undelivered().await == 0).then_some(())
    })
    .await;
    bot.finish().await;
}

#[tokio::test]
async fn an_answer_that_outlasts_its_interaction_comes_to_the_channel() {
    let mut bot = Setup::on(Site::Discord).start().await;
    let ada = bot.discord.user("Ada");
    let channel = bot.discord.channel(bot.discord.guild("Team"), "general");
    let hold = bot.model.hold();
    let asked = bot.discord.interaction(channel, ada, "ask", &[("text", "hello")]);
    bot.model.wait_for_requests(1).await;
    assert!(bot.discord.is_thinking(asked));
    // Discord takes nothing for an interaction after 15 minutes.
    bot.discord.advance(Duration::from_secs(16 * 60));
    hold.release();
    let sent = bot.discord.wait_for_sent(channel, 1).await;
    assert_eq!(sent[0].content, "You said: [Ada] hello");
    bot.finish().await;
    assert_eq!(
        (
            bot.discord.sent(channel).len(),
            bot.discord.interaction_replies(asked).len()
        ),
        (1, 0)
    );
}
