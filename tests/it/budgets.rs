//! Budgets, as people and owners meet them.

use clifford_core::{
    budget::Period,
    clock::{Clock, SystemClock},
    models::Grouping,
    runs::{Run, RunStatus},
};
use clifford_fakes::openai::Reply;
use clifford_store::usage::{self, Filter, Group};
use jiff::tz::TimeZone;
use serde_json::{Value, json};

use crate::{
    api_watch::{Watch, watched},
    db_probe::DbProbe,
    harness::{Bot, Room, Setup, Site},
    scripted_model,
};

const CROWD: usize = 100;
/// The limit of spending, where a token costs a thousandth.
const LIMIT: f64 = 8.0;

impl DbProbe {
    async fn used(&self) -> Group {
        usage::total(&mut self.db.read().await.unwrap(), Filter::default())
            .await
            .unwrap()
    }
}

fn budget(scope: &str, key: &str, value: impl Into<toml::Value>) -> toml::Value {
    budget_of("day", scope, key, value)
}

fn budget_of(period: &str, scope: &str, key: &str, value: impl Into<toml::Value>) -> toml::Value {
    let mut budget = toml::Table::new();
    budget.insert("scope".to_owned(), scope.into());
    budget.insert("period".to_owned(), period.into());
    budget.insert(key.to_owned(), value.into());
    toml::Value::Array(vec![budget.into()])
}

/// The bill of a provider for a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Bills {
    /// Its messages.
    Words,
    /// The form of the reply, too.
    Schema,
}

fn priced(setup: Setup) -> Setup {
    setup
        .provider("prompt_price", 1000.0)
        .provider("completion_price", 1000.0)
        .provider("max_tokens", 200)
        // Memory writing is not counted here.
        .set("memory.enabled", false)
}

async fn a_hundred_at_once_overspend_by_one_call_at_most(setup: Setup, bills: Bills) {
    let setup = priced(setup).set("budgets", budget("bot", "cost", LIMIT));
    let mut bot = setup.start().await;
    if bills == Bills::Schema {
        bot.model.bill_schema();
    }
    let owner = bot.room(Site::Telegram, 1, "Olga");
    bot.says(owner, "/whoami");
    bot.answers(owner, 1).await;
    bot.command(&["users", "set", "Olga", "--role", "owner"]).await;

    let rooms: Vec<Room> = (0..CROWD)
        .map(|n| bot.room(Site::Telegram, 100 + n as i64, "Ada"))
        .collect();
    for room in &rooms {
        bot.says(*room, "hello");
    }
    let runs = bot
        .until("the end of all", async |look| {
            let runs = look.runs().await;
            (runs.len() == CROWD && runs.iter().all(|run| run.status.is_ended())).then_some(runs)
        })
        .await;
    for room in &rooms {
        bot.answers(*room, 1).await;
    }

    let look = bot.look().await;
    let used = look.used().await;
    let answered: Vec<&Run> = runs.iter().filter(|run| run.status == RunStatus::Completed).collect();
    let dearest = answered.iter().map(|run| run.cost).fold(0.0, f64::max);
    assert_eq!(used.calls as usize, answered.len());
    assert!(!answered.is_empty() && answered.len() < CROWD, "{}", answered.len());
    assert!(used.cost >= LIMIT, "{} was spent", used.cost);
    assert!(used.cost < LIMIT + dearest, "{} was spent, {dearest} a call", used.cost);
    let refused: Vec<_> = runs.iter().filter(|run| run.status == RunStatus::Failed).collect();
    for run in &refused {
        let error = run.error.as_deref().unwrap_or_default();
        assert!(
            error.starts_with("the budget of this bot for 20") && error.ends_with(" is spent"),
            "{error}"
        );
    }
    let mut refusals = 0;
    for room in &rooms {
        let texts = bot.texts(*room);
        assert_eq!(texts.len(), 1, "{texts:?}");
        if texts[0].starts_with("Sorry, what may be spent on me for today is used up. It starts again on 20") {
            refusals += 1;
        } else {
            assert_eq!(texts[0], "You said: hello");
        }
    }
    assert_eq!(refusals, refused.len());

    // The owner hears of it once.
    let told = bot.answers(owner, 2).await;
    assert!(
        told[1].starts_with("The budget of the bot for today (cost = 8) is used up"),
        "{told:?}"
    );
    let again = rooms
        .iter()
        .find(|room| bot.texts(**room)[0].starts_with("Sorry"))
        .unwrap();
    bot.says(*again, "hello?");
    bot.until("another end", async |look| {
        let runs = look.runs().await;
        (runs.len() == CROWD + 1 && runs.iter().all(|run| run.status.is_ended())).then_some(())
    })
    .await;
    bot.finish().await;
    // A person who asks again is told again.
    assert_eq!((bot.texts(*again).len(), bot.texts(owner).len()), (2, 2));
    assert_eq!(bot.texts(*again)[1], bot.texts(*again)[0]);
    assert_eq!(look.count("budget_reservations").await, 0);
    assert_eq!(look.used().await, used);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hundred_runs_at_once_overspend_a_budget_by_one_call_at_most() {
    a_hundred_at_once_overspend_by_one_call_at_most(Setup::on(Site::Telegram), Bills::Words).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hundred_runs_at_once_overspend_by_one_call_at_most_where_the_schema_is_billed() {
    a_hundred_at_once_overspend_by_one_call_at_most(Setup::on(Site::Telegram), Bills::Schema).await;
}

#[tokio::test(flavor = "multi_thread")]
#[cfg_attr(skip_postgres, ignore = "CLIFFORD_SKIP_POSTGRES=1")]
async fn a_hundred_runs_at_once_overspend_a_budget_by_one_call_at_most_on_postgres() {
    if let Some(setup) = Setup::on(Site::Telegram).postgres() {
        a_hundred_at_once_overspend_by_one_call_at_most(setup, Bills::Words).await;
    }
}

#[tokio::test]
async fn a_run_at_work_ends_when_its_persons_budget_is_spent_and_others_go_on() {
    // The first of three calls spends it.
    let mut bot = priced(Setup::on(Site::Telegram))
        .set("budgets", budget("user", "tokens", 100))
        .start()
        .await;
    let (ada, bob) = (bot.room(Site::Telegram, 7, "Ada"), bot.room(Site::Telegram, 8, "Bob"));
    bot.says(ada, "two tools");
    let said = bot.answers(ada, 1).await;
    assert!(
        said[0].starts_with("Sorry, what you may spend on me for today is used up."),
        "{said:?}"
    );
    bot.says(bob, "hello");
    assert_eq!(bot.answers(bob, 1).await, ["You said: hello"]);
    let runs = bot.look().await.runs().await;
    assert_eq!((runs[0].llm_calls, runs[0].status), (1, RunStatus::Failed));
    bot.finish().await;
}

#[tokio::test]
async fn what_a_run_may_cost_ends_it() {
    let setup = priced(Setup::on(Site::Telegram)).set("engine.max_run_cost", 0.5);
    let mut bot = setup.start().await;
    let ada = bot.room(Site::Telegram, 7, "Ada");
    bot.says(ada, "two tools");
    let said = bot.answers(ada, 1).await;
    assert!(
        said[0].starts_with("Sorry, this took more work than I may spend"),
        "{said:?}"
    );
    bot.finish().await;
}

#[tokio::test]
async fn what_was_reserved_by_a_process_that_dies_is_given_back() {
    let setup = priced(Setup::on(Site::Telegram)).set("budgets", budget("bot", "cost", 2.0));
    let mut bot = setup.prepare().await;
    bot.start_crashing("response_recorded").await;
    let ada = bot.room(Site::Telegram, 7, "Ada");
    bot.says(ada, "hello");
    bot.crashed().await;
    bot.start().await;
    assert_eq!(bot.answers(ada, 1).await, ["You said: hello"]);
    bot.finish().await;
    let look = bot.look().await;
    assert_eq!(
        (look.used().await.calls, look.count("budget_reservations").await),
        (1, 0)
    );
}

#[tokio::test]
async fn a_person_sees_what_their_requests_have_used_and_how_an_answer_came_about() {
    let setup = priced(Setup::on(Site::Telegram)).set("budgets", budget("user", "tokens", 1_000_000));
    let mut bot = setup.start().await;
    let ada = bot.telegram.user(7, "Ada");
    let tell = async |bot: &Bot, name: &str| {
        let before = bot.telegram.sent(ada).len();
        bot.telegram.command(ada, 7, name, "");
        bot.telegram.wait_for_sent(ada, before + 1).await.pop().unwrap().text
    };
    assert_eq!(
        tell(&bot, "why").await,
        "I have not answered anything in this conversation yet."
    );
    bot.telegram.user_says(ada, 7, "two tools");
    bot.telegram.wait_for_sent(ada, 2).await;
    let run = bot.look().await.run().await;
    let why = tell(&bot, "why").await;
    assert_eq!(tell(&bot, "trace").await, why);
    let lines: Vec<_> = why.lines().collect();
    assert_eq!(lines[1], "• model: fake-1 (fake) × 3; iterations: 3");
    assert_eq!(lines[2], "• tools: compute.eval × 2");
    assert_eq!(lines[3], "• words from outside: none");
    assert_eq!(
        lines[4],
        "• words that not everyone may read: your message (this person, from step 1)"
    );
    assert!(
        lines[5].starts_with("• last prompt: about ") && lines[5].contains(", work so far "),
        "{why}"
    );
    assert_eq!(
        lines[6],
        format!(
            "• tokens: {} read (0 of them cached), {} written",
            run.prompt_tokens, run.completion_tokens
        )
    );
    assert_eq!(lines[7], format!("• cost: {:.4}", run.cost));
    let used = tell(&bot, "usage").await;
    let tokens = run.prompt_tokens + run.completion_tokens;
    let expected = format!("3 model calls, {tokens} tokens, {:.4} in cost", run.cost);
    let left = 1_000_000 - tokens;
    assert_eq!(
        used,
        format!(
            "Usage of your requests:\n• today: {expected}\n• this month: {expected}\n• left for today: {},{:03} of \
             1,000,000 tokens",
            left / 1_000,
            left % 1_000
        )
    );
    let json: Value = serde_json::from_str(&bot.command(&["usage", "--by", "user", "--json"]).await).unwrap();
    let ada = &json["usage"][0];
    assert_eq!((&ada["name"], &ada["calls"]), (&"Ada".into(), &3.into()));
    let table = bot.command(&["usage", "--by", "model"]).await;
    assert!(table.contains("MODEL") && table.contains("fake/fake-1"), "{table}");
    bot.finish().await;
    let look = bot.look().await;
    let zone = jiff::tz::TimeZone::UTC;
    let mut conn = look.db.read().await.unwrap();
    let roles = usage::grouped(&mut conn, Grouping::Role, Filter::default(), &zone, 9)
        .await
        .unwrap();
    assert_eq!(roles[0].key.as_deref(), Some("executor"));
}

/// A hundred requests at once in the channels of a server: of one person, or each of another.
async fn a_hundred_in_a_server_overspend_by_one_call_at_most(setup: Setup, scope: &str) {
    let mut bot = priced(setup).set("budgets", budget(scope, "cost", LIMIT)).start().await;
    let guild = bot.discord.guild("Club");
    let says_hello = |channel, user| {
        let text = format!("<@{}> hello", bot.discord.bot());
        bot.discord.user_says(channel, user, &text);
    };
    let ada = bot.discord.user("Ada");
    let hold = bot.model.hold();
    let mut channels = Vec::new();
    for n in 0..CROWD {
        let channel = bot.discord.channel(guild, &format!("room-{n}"));
        let person = if scope == "user" { ada } else { bot.discord.user("Bob") };
        says_hello(channel, person);
        channels.push(channel);
    }
    // The rest allows for several calls at the same time.
    bot.model.wait_for_requests(2).await;
    hold.release();
    let runs = bot
        .until("the end of all", async |look| {
            let runs = look.runs().await;
            (runs.len() == CROWD && runs.iter().all(|run| run.status.is_ended())).then_some(runs)
        })
        .await;
    for channel in channels {
        assert_eq!(bot.discord.wait_for_sent(channel, 1).await.len(), 1);
    }

    let used = bot.look().await.used().await;
    let (answered, refused): (Vec<&Run>, Vec<_>) = runs.iter().partition(|run| run.status == RunStatus::Completed);
    let dearest = answered.iter().map(|run| run.cost).fold(0.0, f64::max);
    assert_eq!(used.calls as usize, answered.len());
    assert!(used.cost >= LIMIT, "{} was spent", used.cost);
    assert!(used.cost < LIMIT + dearest, "{} was spent, {dearest} a call", used.cost);
    let whose = if scope == "user" { "person" } else { scope };
    for run in refused {
        let error = run.error.as_deref().unwrap_or_default();
        let expected = format!("the budget of this {whose} for 20");
        assert!(error.starts_with(&expected) && error.ends_with(" is spent"), "{error}");
    }
    // A person whom it does not concern goes on.
    let (channel, person) = if scope == "user" {
        (bot.discord.channel(guild, "elsewhere"), bot.discord.user("Carol"))
    } else {
        (bot.discord.dm(ada), ada)
    };
    says_hello(channel, person);
    let said = bot.discord.wait_for_sent(channel, 1).await.remove(0).content;
    assert!(said.starts_with("You said: "), "{said}");
    bot.finish().await;
    assert_eq!(bot.look().await.count("budget_reservations").await, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hundred_runs_at_once_overspend_their_persons_budget_by_one_call_at_most() {
    a_hundred_in_a_server_overspend_by_one_call_at_most(Setup::on(Site::Discord), "user").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hundred_runs_at_once_overspend_their_spaces_budget_by_one_call_at_most() {
    a_hundred_in_a_server_overspend_by_one_call_at_most(Setup::on(Site::Discord), "space").await;
}

#[tokio::test(flavor = "multi_thread")]
#[cfg_attr(skip_postgres, ignore = "CLIFFORD_SKIP_POSTGRES=1")]
async fn a_hundred_runs_at_once_overspend_others_budgets_by_one_call_at_most_on_postgres() {
    for scope in ["user", "space"] {
        if let Some(setup) = Setup::on(Site::Discord).postgres() {
            a_hundred_in_a_server_overspend_by_one_call_at_most(setup, scope).await;
        }
    }
}

#[tokio::test]
async fn what_was_spent_since_the_first_of_the_month_counts_and_what_was_spent_before_does_not() {
    let mut bot = priced(Setup::on(Site::Telegram))
        .set("budgets", budget_of("month", "user", "tokens", 100_000))
        .start()
        .await;
    let ada = bot.room(Site::Telegram, 7, "Ada");
    bot.says(ada, "hello");
    assert_eq!(bot.answers(ada, 1).await, ["You said: hello"]);
    let month = Period::Month.window(SystemClock.now(), &TimeZone::UTC);
    let look = bot.look().await;
    for (at, is_left, answers) in [(month.from.0 - 1, true, 2), (month.from.0, false, 3)] {
        look.run_sql(&format!(
            "UPDATE usage SET prompt_tokens = 100000, created_at = {at}; DELETE FROM budget_spending"
        ))
        .await;
        bot.says(ada, "hello");
        let said = bot.answers(ada, answers).await.pop().unwrap();
        if is_left {
            assert_eq!(said, "You said: hello");
        } else {
            let expected = format!(
                "Sorry, what you may spend on me for this month is used up. It starts again on {}-01 at 00:00 (UTC).",
                month.until.to_jiff().strftime("%Y-%m")
            );
            assert_eq!(said, expected);
        }
    }
    bot.finish().await;
}

/// Asserts that so many calls were charged though nobody waited for their end, and that budgets know of it.
async fn is_charged_as_broken_off(look: &DbProbe, calls: i64) {
    let spent = look
        .number("SELECT CAST(ROUND(SUM(cost) * 1000) AS BIGINT) FROM usage")
        .await;
    let settled = look
        .number("SELECT CAST(ROUND(SUM(cost) * 1000) AS BIGINT) FROM budget_spending")
        .await;
    assert!(
        spent > 0 && (spent - settled).abs() <= 1,
        "{spent} was spent, {settled} settled"
    );
    let broken_off = "SELECT COUNT(*) FROM usage WHERE model = '(broken off)' AND estimated AND cost > 0";
    assert_eq!(look.number(broken_off).await, calls);
}

#[tokio::test]
async fn a_call_whose_time_runs_out_is_charged_as_one_that_is_stopped() {
    let mut bot = priced(Setup::on(Site::Telegram))
        .set("budgets", budget("bot", "cost", 1_000.0))
        .set("engine.max_run_seconds", 1)
        .start()
        .await;
    let ada = bot.room(Site::Telegram, 7, "Ada");
    bot.model.push(Reply::never());
    bot.says(ada, "hello");
    assert_eq!(
        bot.answers(ada, 1).await,
        ["Sorry, this took longer than I may work on one request. Could you ask for a smaller part of it?"]
    );
    bot.finish().await;
    let look = bot.look().await;
    is_charged_as_broken_off(&look, 1).await;
    assert_eq!(look.count("budget_reservations").await, 0);
}

#[tokio::test]
async fn a_call_of_the_memory_writer_whose_time_runs_out_is_charged_too() {
    let mut bot = priced(Setup::on(Site::Telegram))
        .set("memory.enabled", true)
        .set("budgets", budget("bot", "cost", 1_000.0))
        .set("engine.max_run_seconds", 3)
        .start()
        .await;
    bot.model
        .respond_with(|request| match scripted_model::memory_schema(request) {
            Some(_) => Reply::never(),
            None => scripted_model::reply(request),
        });
    let chat = bot.telegram.user(7, "Ada");
    bot.says(Room::Telegram(chat), "remember my hat");
    bot.answers(Room::Telegram(chat), 1).await;
    bot.telegram.command(chat, 7, "close", "");
    bot.until("the job that waits", async |look| {
        (bot.logged("job failed, retrying later") > 0 && look.count("budget_reservations").await == 0).then_some(())
    })
    .await;
    is_charged_as_broken_off(&bot.look().await, 1).await;
    bot.finish().await;
}

async fn usage_is_told_whatever_a_provider_reports(setup: Setup) {
    let mut bot = watched(setup).start().await;
    let ada = bot.room(Site::Telegram, 7, "Ada");
    for tokens in [json!(10_u64.pow(18)), json!(u64::MAX), json!(-5), json!(1e300)] {
        let usage = json!({"prompt_tokens": tokens, "completion_tokens": tokens, "total_tokens": tokens});
        bot.model
            .push(Reply::json(&json!({"type": "send_message", "message": "Hi."})).reporting(&usage));
        let before = bot.texts(ada).len();
        bot.says(ada, "hello");
        bot.answers(ada, before + 1).await;
    }
    for turn in 0..14 {
        let usage = json!({"prompt_tokens": 10_u64.pow(18), "completion_tokens": 1, "total_tokens": 10_u64.pow(18)});
        bot.model
            .push(Reply::json(&json!({"type": "send_message", "message": "Hi."})).reporting(&usage));
        let before = bot.texts(ada).len();
        bot.says(ada, &format!("hello {turn}"));
        bot.answers(ada, before + 1).await;
    }
    let watch = Watch::on(&bot);
    let (status, text) = watch.get("/api/usage?by=model").await;
    assert_eq!(status, 200, "{text}");
    let groups: Value = serde_json::from_str(&text).unwrap();
    let tokens = groups["items"][0]["promptTokens"].as_i64().unwrap();
    // None of them can be, so each call counts by rule of thumb.
    assert!((18..1_000_000).contains(&tokens), "{text}");
    assert_eq!(watch.get("/api/usage?by=day").await.0, 200);
    bot.finish().await;
}

#[tokio::test]
async fn usage_is_told_whatever_a_provider_reports_on_sqlite() {
    usage_is_told_whatever_a_provider_reports(Setup::on(Site::Telegram)).await;
}

#[tokio::test]
async fn usage_is_told_whatever_a_provider_reports_on_postgres() {
    if let Some(setup) = Setup::on(Site::Telegram).postgres() {
        usage_is_told_whatever_a_provider_reports(setup).await;
    }
}
