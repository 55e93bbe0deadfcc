//! Calls of a model that give no reply that can be used: refused, broken off, or cut at the most tokens of one.

use clifford_core::runs::{Run, RunStatus};
use clifford_fakes::openai::{RecordedRequest, Reply};
use clifford_store::usage::{self, Filter, Group};
use serde_json::{Value, json};

use crate::{
    db_probe::DbProbe,
    harness::{Bot, Room, Setup, Site},
    scripted_model,
};

impl DbProbe {
    async fn paid(&self) -> Group {
        usage::total(&mut self.db.read().await.unwrap(), Filter::default())
            .await
            .unwrap()
    }
}

fn priced(setup: Setup) -> Setup {
    setup
        .provider("prompt_price", 1000.0)
        .provider("completion_price", 1000.0)
        .provider("max_tokens", 200)
        .set("engine.planning_gate", "off")
        .set("memory.enabled", false)
}

fn on_both() -> impl Iterator<Item = Setup> {
    let setup = || Setup::on(Site::Telegram);
    [Some(setup()), setup().postgres()].into_iter().flatten()
}

/// Says something, and waits for one more message than there was.
async fn asks(bot: &Bot, room: Room, text: &str) -> String {
    let before = bot.texts(room).len();
    bot.says(room, text);
    bot.answers(room, before + 1).await;
    bot.texts(room).remove(before)
}

async fn ended(bot: &Bot, count: usize) -> Vec<Run> {
    bot.until("the runs", async |look| {
        let runs = look.runs().await;
        (runs.len() == count && runs.iter().all(|run| run.status.is_ended())).then_some(runs)
    })
    .await
}

#[tokio::test]
async fn what_was_refused_is_paid_for_and_counts_against_budgets() {
    for setup in on_both() {
        let mut budget = toml::Table::new();
        for (key, value) in [
            ("scope", toml::Value::from("user")),
            ("period", "day".into()),
            ("cost", 12.0.into()),
        ] {
            budget.insert(key.to_owned(), value);
        }
        let mut bot = priced(setup)
            .set("budgets", toml::Value::Array(vec![budget.into()]))
            .start()
            .await;
        let usage = json!({"prompt_tokens": 4000, "completion_tokens": 500, "total_tokens": 4500});
        bot.model
            .respond_with(move |_| Reply::content_filter().reporting(&usage));
        let ada = bot.room(Site::Telegram, 7, "Ada");
        let told = asks(&bot, ada, "hello").await;
        assert!(told.contains("declined to answer"), "{told}");
        let run = ended(&bot, 1).await.remove(0);
        assert!((run.cost - 4.5).abs() < 1e-6 && run.prompt_tokens == 4000, "{run:?}");
        let told = asks(&bot, ada, "hello again").await;
        assert!(told.contains("declined to answer"), "{told}");
        let paid = bot.look().await.paid().await;
        assert!(
            paid.calls >= 2 && (paid.cost - 4.5 * paid.calls as f64).abs() < 1e-6,
            "{paid:?}"
        );
        // What is left is less than a call may cost.
        let asked = bot.model.request_count();
        let told = asks(&bot, ada, "and again").await;
        assert!(told.contains("used up"), "{told}");
        assert_eq!(bot.model.request_count(), asked);
        bot.finish().await;
    }
}

#[tokio::test]
async fn an_attempt_that_broke_off_is_paid_for_with_the_reply_that_came_after_it() {
    for setup in on_both() {
        let mut bot = priced(setup).start().await;
        let said = json!({"type": "send_message", "message": "It is a long answer that comes in many pieces."});
        bot.model.push(Reply::json(&said).in_pieces_of(4).cut_after(8));
        bot.model.push(Reply::json(&said));
        let ada = bot.room(Site::Telegram, 7, "Ada");
        asks(&bot, ada, "hello").await;
        let run = ended(&bot, 1).await.remove(0);
        assert_eq!(run.status, RunStatus::Completed);
        let paid = bot.look().await.paid().await;
        assert_eq!((paid.calls, paid.estimated_calls), (2, 1), "{paid:?}");
        assert!((paid.cost - run.cost).abs() < 1e-6, "{paid:?} {run:?}");
        assert_eq!(paid.prompt_tokens, run.prompt_tokens, "{paid:?} {run:?}");
        bot.finish().await;
    }
}

/// Refuses whatever holds a word.
fn filters(request: &RecordedRequest) -> Reply {
    let text = Value::from(request.messages().to_vec()).to_string();
    match text.contains("BADWORD") {
        true => Reply::content_filter(),
        false => scripted_model::reply(request),
    }
}

#[tokio::test]
async fn one_message_that_a_filter_refuses_silences_none_that_come_after_it() {
    let mut bot = Setup::on(Site::Telegram).start().await;
    bot.model.respond_with(filters);
    let ada = bot.room(Site::Telegram, 7, "Ada");
    assert_eq!(asks(&bot, ada, "hello").await, "You said: hello");
    let told = asks(&bot, ada, "tell me BADWORD").await;
    assert!(told.contains("declined to answer"), "{told}");
    for text in ["are you there", "good"] {
        assert_eq!(asks(&bot, ada, text).await, format!("You said: {text}"));
    }
    bot.finish().await;
}

#[tokio::test]
async fn a_reply_that_is_cut_is_asked_for_anew_as_a_shorter_one_and_told_as_too_long() {
    let mut bot = priced(Setup::on(Site::Telegram)).start().await;
    bot.model
        .respond_with(|_| Reply::text(r#"{"type":"finish","output":"It goes on and"#).finish_reason("length"));
    let ada = bot.room(Site::Telegram, 7, "Ada");
    let told = asks(&bot, ada, "tell me all").await;
    assert!(told.contains("longer than one reply may be"), "{told}");
    let requests = bot.model.requests();
    assert_eq!(requests.len(), 2);
    assert!(
        requests[1].last_text().contains("cut off at the most tokens"),
        "{}",
        requests[1].last_text()
    );
    let run = ended(&bot, 1).await.remove(0);
    assert!(run.error.unwrap_or_default().contains("max_tokens"));
    bot.finish().await;
}
