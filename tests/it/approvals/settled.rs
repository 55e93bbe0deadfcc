//! A question that is settled says so where it was asked: what was decided and by whom, with no buttons left.

use clifford_core::runs::RunStatus;
use clifford_fakes::{
    discord,
    telegram::{Chat, Fault, Method, Sent},
};

use super::{asking, press_shown, runs, said, started, tell};
use crate::harness::{Bot, Setup, Site};

/// Waits until the first message of a chat was changed, and returns how it reads.
async fn changed(bot: &Bot, chat: Chat) -> Sent {
    bot.telegram
        .wait_until("the question to be changed", |fake| {
            fake.sent(chat).into_iter().next().filter(|sent| sent.edits > 0)
        })
        .await
}

/// The same for a message on Discord.
async fn changed_on_discord(bot: &Bot, channel: u64, id: u64) -> discord::Sent {
    bot.discord
        .wait_for("the question to be changed", |fake| {
            let sent = fake.sent(channel).into_iter().find(|sent| sent.id == id)?;
            (!sent.before.is_empty()).then_some(sent)
        })
        .await
}

/// Checks that a question still shows its call, ends with this, and cannot be pressed.
fn assert_settled(question: &Sent, ending: &str) {
    assert!(question.text.contains("value: \"tea\""), "{}", question.text);
    assert!(question.text.ends_with(ending), "{}", question.text);
    assert!(!question.text.contains("/approve"), "{}", question.text);
    assert_eq!((question.buttons.len(), question.edits), (0, 1));
}

fn on_telegram() -> impl Iterator<Item = Setup> {
    let setup = || asking(Site::Telegram);
    [Some(setup()), setup().postgres()].into_iter().flatten()
}

#[tokio::test]
async fn a_pressed_question_says_who_decided_what() {
    for setup in on_telegram() {
        let mut bot = started(setup).await;
        let chat = bot.telegram.user(7, "Ada *1*");
        let question = tell(&bot, chat, 7, "Ada drinks tea").await;
        assert_eq!(question.styles, ["success", "danger"]);
        assert!(question.text.starts_with("May I do this?"), "{}", question.text);
        bot.telegram.press(chat, 7, "Approve");
        assert_settled(&changed(&bot, chat).await, "\n\n\u{2705} Approved by Ada *1*.");
        runs(&bot, 1, RunStatus::Completed).await;
        // It was changed, not said again: nobody hears of it twice.
        assert_eq!(said(&bot, chat, 3).await.len(), 3);
        bot.finish().await;
    }
}

#[tokio::test]
async fn on_discord_a_question_in_a_server_names_the_person_asked_and_then_whoever_decided() {
    let mut bot = started(asking(Site::Discord)).await;
    let (ada, eve) = (bot.discord.user("Ada"), bot.discord.user("Eve"));
    let guild = bot.discord.guild("Team");
    let channel = bot.discord.channel(guild, "general");
    let manager = bot.discord.role(guild, 1 << 5);
    bot.discord.join(guild, ada, &[]);
    bot.discord.join(guild, eve, &[manager]);
    let asks = format!("<@{}> Ada drinks tea", bot.discord.bot());
    bot.discord.user_says(channel, ada, &asks);
    let question = bot.discord.wait_for_sent(channel, 1).await.remove(0);
    assert!(
        question.content.starts_with("Ada is asked: **May I do this?**"),
        "{}",
        question.content
    );
    // Green and red.
    assert_eq!(question.styles, [3, 4]);
    bot.discord.press(channel, eve, &question, "Deny");
    let settled = changed_on_discord(&bot, channel, question.id).await;
    assert!(
        settled.content.ends_with("\n\n\u{274c} **Denied** by Eve."),
        "{}",
        settled.content
    );
    assert!(settled.content.contains("value: \"tea\""), "{}", settled.content);
    assert_eq!((settled.buttons.len(), settled.pinged), (0, vec![ada.to_string()]));
    runs(&bot, 1, RunStatus::Completed).await;
    bot.finish().await;
}

#[tokio::test]
async fn on_discord_a_question_that_answers_a_command_is_changed_as_well() {
    let mut bot = started(asking(Site::Discord)).await;
    let ada = bot.discord.user("Ada");
    let dm = bot.discord.dm(ada);
    let asked = bot.discord.interaction(dm, ada, "ask", &[("text", "Ada drinks tea")]);
    let question = bot.discord.wait_for_replies(asked, 1).await.remove(0);
    bot.discord.press(dm, ada, &question, "Approve");
    let settled = bot
        .discord
        .wait_for("the question to be changed", |fake| {
            let first = fake.interaction_replies(asked).into_iter().next()?;
            first.content.ends_with("**Approved** by Ada.").then_some(first)
        })
        .await;
    assert_eq!((settled.id, settled.buttons.len()), (question.id, 0));
    runs(&bot, 1, RunStatus::Completed).await;
    bot.finish().await;
}

#[tokio::test]
async fn whatever_settles_a_question_changes_it() {
    let setup = asking(Site::Telegram)
        .set("ingress.when_busy", "interrupt")
        .set("engine.planning_gate", "off");
    let mut bot = started(setup).await;
    let cases = [
        ("/deny", "\u{274c} Denied by Ada."),
        ("/stop", "\u{23f9}\u{fe0f} Not answered: I was stopped."),
        (
            "hello",
            "\u{23f9}\u{fe0f} Not answered: a newer message took its place.",
        ),
    ];
    for (user, (text, ending)) in (7..).zip(cases) {
        let chat = bot.telegram.user(user, "Ada");
        tell(&bot, chat, user, "Ada drinks tea").await;
        bot.telegram.user_says(chat, user, text);
        assert_settled(&changed(&bot, chat).await, ending);
    }
    bot.finish().await;
}

#[tokio::test]
async fn a_question_that_nobody_answers_in_time_says_so() {
    let setup = asking(Site::Telegram)
        .set("policy.on_deny", "finish")
        .set("policy.confirm_timeout_hours", 0.0002);
    let mut bot = started(setup).await;
    let chat = bot.telegram.user(7, "Ada");
    tell(&bot, chat, 7, "Ada drinks tea").await;
    assert_settled(&changed(&bot, chat).await, "\u{231b} Not answered in time.");
    bot.finish().await;
}

#[tokio::test]
async fn what_the_operator_decides_while_nothing_serves_is_shown_afterwards() {
    for setup in on_telegram() {
        let mut bot = started(setup).await;
        let chat = bot.telegram.user(7, "Ada");
        let question = tell(&bot, chat, 7, "Ada drinks tea").await;
        let run = runs(&bot, 1, RunStatus::Waiting).await.remove(0);
        bot.stop().await;
        bot.command(&["runs", "deny", &run.id.to_string()]).await;
        bot.start().await;
        assert_settled(&changed(&bot, chat).await, "\u{274c} Denied by the operator.");
        press_shown(&bot, chat, 7, &question, "Approve");
        let texts = said(&bot, chat, 3).await;
        assert!(
            texts.iter().any(|text| text.starts_with("That is settled already")),
            "{texts:?}"
        );
        bot.finish().await;
    }
}

#[tokio::test]
async fn a_change_is_tried_again_and_one_that_is_refused_disturbs_nobody() {
    let mut bot = started(asking(Site::Telegram)).await;
    let chat = bot.telegram.user(7, "Ada");
    tell(&bot, chat, 7, "Ada drinks tea").await;
    bot.telegram.fail_next(Method::EditMessageText, Fault::Server(502));
    bot.telegram.press(chat, 7, "Approve");
    assert_settled(&changed(&bot, chat).await, "\u{2705} Approved by Ada.");
    runs(&bot, 1, RunStatus::Completed).await;
    said(&bot, chat, 3).await;
    // Somebody deleted the next one.
    let before = bot.telegram.sent(chat).len();
    tell(&bot, chat, 7, "Ada drinks milk").await;
    let gone = Fault::Refuse(400, "Bad Request: message to edit not found".to_owned());
    bot.telegram.fail_next(Method::EditMessageText, gone);
    bot.telegram.press(chat, 7, "Deny");
    let mut texts = said(&bot, chat, before + 3).await.split_off(before + 1);
    texts.sort();
    assert_eq!(texts, ["Denied: memory.put.", "Then I will not."]);
    bot.until("the change to be given up", async |look| {
        (look.undelivered().await == 0).then_some(())
    })
    .await;
    assert_eq!(bot.telegram.sent(chat).len(), before + 3);
    let failed = "SELECT COUNT(*) FROM messages WHERE edits IS NOT NULL AND status = 'failed'
        AND error LIKE '%message to edit not found%'";
    assert_eq!(bot.look().await.number(failed).await, 1);
    bot.finish().await;
}
