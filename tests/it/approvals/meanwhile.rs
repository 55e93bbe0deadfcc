//! Messages while a run waits for an answer: answered beside it, taken instead, or kept for it.

use clifford_core::runs::RunStatus;
use clifford_fakes::openai::{RecordedRequest, Reply};
use serde_json::{Value, json};

use super::{asking, kept, press_shown, runs, said, started, tell};
use crate::{
    harness::{Bot, Setup, Site},
    scripted_model,
};

fn asking_and(when_busy: &str) -> [Option<Setup>; 2] {
    let setup = || asking(Site::Telegram).set("ingress.when_busy", when_busy);
    [Some(setup()), setup().postgres()]
}

async fn statuses(bot: &Bot) -> Vec<RunStatus> {
    let runs = bot.look().await.runs().await;
    runs.iter().map(|run| run.status).collect()
}

#[tokio::test]
async fn where_it_interrupts_the_question_is_taken_back_and_the_message_is_answered() {
    for setup in asking_and("interrupt").into_iter().flatten() {
        let mut bot = started(setup).await;
        let chat = bot.telegram.user(7, "Ada");
        let question = tell(&bot, chat, 7, "Ada drinks tea").await;
        assert_eq!(tell(&bot, chat, 7, "hello").await.text, "You said: hello");
        press_shown(&bot, chat, 7, &question, "Approve");
        let text = said(&bot, chat, 3).await.remove(2);
        assert!(
            text.starts_with("That is settled already") && text.contains("a newer message took its place"),
            "{text}"
        );
        assert_eq!(statuses(&bot).await, [RunStatus::Cancelled, RunStatus::Completed]);
        assert_eq!(kept(&bot).await, 0);
        bot.telegram.wait_for_answers().await;
        bot.finish().await;
    }
}

#[tokio::test]
async fn where_it_interrupts_nobody_takes_back_what_another_person_is_asked() {
    let mut bot = started(asking(Site::Telegram).set("ingress.when_busy", "interrupt")).await;
    bot.telegram.user(7, "Ada");
    bot.telegram.user(8, "Bob");
    let group = bot.telegram.supergroup(-1_001_234, "Team");
    tell(&bot, group, 7, "@clifford_bot Ada drinks tea").await;
    let answer = tell(&bot, group, 8, "@clifford_bot hello").await;
    assert_eq!(answer.text, "You said: [Bob] hello");
    assert_eq!(statuses(&bot).await[0], RunStatus::Waiting);
    bot.finish().await;
}

#[tokio::test]
async fn where_it_steers_the_message_is_kept_for_the_run_which_reads_it_when_it_goes_on() {
    for setup in asking_and("steer").into_iter().flatten() {
        let mut bot = started(setup).await;
        let chat = bot.telegram.user(7, "Ada");
        tell(&bot, chat, 7, "Ada drinks tea").await;
        let told = tell(&bot, chat, 7, "with milk").await.text;
        assert!(told.starts_with("I am still waiting for your answer"), "{told}");
        assert_eq!(statuses(&bot).await, [RunStatus::Waiting]);
        bot.telegram.press(chat, 7, "Approve");
        let mut texts = said(&bot, chat, 4).await.split_off(2);
        texts.sort();
        assert_eq!(texts, ["Approved: memory.put.", "I know now: tea; with milk."]);
        assert_eq!(statuses(&bot).await, [RunStatus::Completed]);
        bot.telegram.wait_for_answers().await;
        bot.finish().await;
    }
}

#[tokio::test]
async fn where_it_steers_and_the_call_is_denied_the_message_is_answered_after_it() {
    let setup = asking(Site::Telegram)
        .set("policy.on_deny", "finish")
        .set("ingress.when_busy", "steer");
    let mut bot = started(setup).await;
    let chat = bot.telegram.user(7, "Ada");
    tell(&bot, chat, 7, "Ada drinks tea").await;
    tell(&bot, chat, 7, "hello").await;
    bot.telegram.press(chat, 7, "Deny");
    let mut texts = said(&bot, chat, 5).await.split_off(2);
    texts.sort();
    assert_eq!(
        texts,
        [
            "Denied: memory.put.",
            "I did not use the tool memory.put, since that was denied.",
            "You said: hello"
        ]
    );
    runs(&bot, 2, RunStatus::Completed).await;
    bot.telegram.wait_for_answers().await;
    bot.finish().await;
}

/// Remembers tea, and then is done.
fn remembers_tea(request: &RecordedRequest) -> Reply {
    if scripted_model::memory_schema(request).is_some() {
        return scripted_model::reply(request);
    }
    let has_called = (request.messages().iter()).any(|message| message["role"] == "assistant");
    Reply::json(&match has_called {
        true => json!({"type": "finish", "output": "It is done."}),
        false => json!({"type": "tool_call", "name": "memory.put",
            "args": {"module": "preferences", "key": "drink", "value": "tea"}}),
    })
}

#[tokio::test]
async fn what_its_author_deletes_meanwhile_is_in_no_later_prompt() {
    for killed in [false, true] {
        let mut bot = asking(Site::Discord).start().await;
        bot.model.respond_with(remembers_tea);
        let ada = bot.discord.user("Ada");
        let dm = bot.discord.dm(ada);
        let asked = bot.discord.user_says(dm, ada, "I drink tea, and my code is PINEAPPLE");
        let question = bot.discord.wait_for_sent(dm, 1).await.remove(0);
        runs(&bot, 1, RunStatus::Waiting).await;
        bot.discord.delete(dm, &[asked]);
        bot.until("the deletion", async |look| {
            let deleted = "SELECT COUNT(*) FROM messages WHERE deleted_at IS NOT NULL";
            (look.number(deleted).await == 1).then_some(())
        })
        .await;
        if killed {
            bot.kill().await;
            bot.start().await;
        }
        bot.discord.press(dm, ada, &question, "Approve");
        runs(&bot, 1, RunStatus::Completed).await;
        let requests = bot.model.requests().into_iter();
        let asks: Vec<_> = requests
            .filter(|request| scripted_model::memory_schema(request).is_none())
            .map(|request| Value::from(request.messages().to_vec()).to_string())
            .collect();
        let (first, last) = (asks.first().unwrap(), asks.last().unwrap());
        assert!(first.contains("PINEAPPLE"), "{first}");
        assert!(!last.contains("PINEAPPLE") && last.contains("[deleted]"), "{last}");
        assert_eq!(kept(&bot).await, 1);
        bot.finish().await;
    }
}

#[tokio::test]
async fn what_was_said_before_and_is_deleted_meanwhile_is_in_no_later_prompt() {
    let setups = [Some(asking(Site::Discord)), asking(Site::Discord).postgres()];
    for setup in setups.into_iter().flatten() {
        let mut bot = setup.start().await;
        bot.model.respond_with(|request| {
            if scripted_model::memory_schema(request).is_some() {
                return scripted_model::reply(request);
            }
            let newest = request.messages().last().map(Value::to_string).unwrap_or_default();
            Reply::json(&match newest.contains("I drink tea") {
                true => json!({"type": "tool_call", "name": "memory.put",
                    "args": {"module": "preferences", "key": "drink", "value": "tea"}}),
                false => json!({"type": "finish", "output": "It is done."}),
            })
        });
        let ada = bot.discord.user("Ada");
        let dm = bot.discord.dm(ada);
        let said = bot.discord.user_says(dm, ada, "My code is PINEAPPLE");
        bot.discord.wait_for_sent(dm, 1).await;
        runs(&bot, 1, RunStatus::Completed).await;
        let before = bot.model.requests().len();
        bot.discord.user_says(dm, ada, "I drink tea");
        let question = bot.discord.wait_for_sent(dm, 2).await.remove(1);
        bot.until("the second run to wait", async |look| {
            (look.runs().await.iter().any(|run| run.status == RunStatus::Waiting)).then_some(())
        })
        .await;
        bot.discord.delete(dm, &[said]);
        bot.until("the deletion", async |look| {
            let deleted = "SELECT COUNT(*) FROM messages WHERE deleted_at IS NOT NULL";
            (look.number(deleted).await == 1).then_some(())
        })
        .await;
        bot.discord.press(dm, ada, &question, "Approve");
        runs(&bot, 2, RunStatus::Completed).await;
        let asks: Vec<_> = (bot.model.requests().into_iter().skip(before))
            .filter(|request| scripted_model::memory_schema(request).is_none())
            .map(|request| Value::from(request.messages().to_vec()).to_string())
            .collect();
        let (first, last) = (asks.first().unwrap(), asks.last().unwrap());
        assert!(first.contains("PINEAPPLE"), "{first}");
        assert!(!last.contains("PINEAPPLE") && last.contains("I drink tea"), "{last}");
        bot.finish().await;
    }
}
