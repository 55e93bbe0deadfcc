//! Every paid call is counted, and no call is made that may cost more than there is, whatever becomes of leases.

use clifford_store::usage::{self, Filter, Group};

use crate::{
    db_probe::DbProbe,
    harness::{Room, Setup, Site},
};

/// A token costs a thousandth, and everybody together may spend so much a day.
fn priced(setup: Setup, limit: f64) -> Setup {
    let mut budget = toml::Table::new();
    budget.insert("scope".to_owned(), "bot".into());
    budget.insert("period".to_owned(), "day".into());
    budget.insert("cost".to_owned(), limit.into());
    setup
        .provider("prompt_price", 1000.0)
        .provider("completion_price", 1000.0)
        .provider("max_tokens", 200)
        .set("memory.enabled", false)
        .set("budgets", toml::Value::Array(vec![budget.into()]))
}

async fn used(look: &DbProbe) -> Group {
    let mut conn = look.db.read().await.unwrap();
    usage::total(&mut conn, Filter::default()).await.unwrap()
}

async fn a_lease_that_lapses_during_a_call_frees_no_money(setup: Setup) {
    let mut bot = priced(setup, 1.0).start().await;
    let (ada, bob) = (bot.room(Site::Telegram, 7, "Ada"), bot.room(Site::Telegram, 8, "Bob"));
    let hold = bot.model.hold();
    bot.says(ada, "hello");
    bot.model.wait_for_requests(1).await;
    let look = bot.look().await;
    look.run_sql("UPDATE runs SET lease_until = 1").await;
    bot.says(bob, "hello");
    bot.until("both runs", async |look| (look.runs().await.len() == 2).then_some(()))
        .await;
    hold.release();
    assert_eq!(bot.answers(ada, 1).await, ["You said: hello"]);
    let said = bot.answers(bob, 1).await;
    assert!(said[0].starts_with("Sorry, what may be spent on me"), "{said:?}");
    bot.finish().await;
    assert_eq!((used(&look).await.calls, bot.model.request_count()), (1, 1));
}

#[tokio::test]
async fn a_lease_that_lapses_during_a_call_frees_no_money_on_sqlite() {
    a_lease_that_lapses_during_a_call_frees_no_money(Setup::on(Site::Telegram)).await;
}

#[tokio::test]
async fn a_lease_that_lapses_during_a_call_frees_no_money_on_postgres() {
    if let Some(setup) = Setup::on(Site::Telegram).postgres() {
        a_lease_that_lapses_during_a_call_frees_no_money(setup).await;
    }
}

async fn a_reply_that_came_after_its_lease_was_lost_is_charged(setup: Setup) {
    let mut bot = priced(setup, 1_000.0).start().await;
    let ada = bot.room(Site::Telegram, 7, "Ada");
    let hold = bot.model.hold();
    bot.says(ada, "hello");
    bot.model.wait_for_requests(1).await;
    let look = bot.look().await;
    look.run_sql("UPDATE runs SET epoch = epoch + 1").await;
    hold.release();
    // The process that has it since asks again.
    assert_eq!(bot.answers(ada, 1).await, ["You said: hello"]);
    bot.finish().await;
    let used = used(&look).await;
    assert_eq!((used.calls, bot.model.request_count()), (2, 2));
    let thousandths = |cost: f64| (cost * 1000.0).round() as i64;
    let settled = look
        .number("SELECT CAST(ROUND(SUM(cost) * 1000) AS BIGINT) FROM budget_spending")
        .await;
    assert_eq!(settled, thousandths(used.cost));
    assert_eq!(look.count("budget_reservations").await, 0);
}

#[tokio::test]
async fn a_reply_that_came_after_its_lease_was_lost_is_charged_on_sqlite() {
    a_reply_that_came_after_its_lease_was_lost_is_charged(Setup::on(Site::Telegram)).await;
}

#[tokio::test]
async fn a_reply_that_came_after_its_lease_was_lost_is_charged_on_postgres() {
    if let Some(setup) = Setup::on(Site::Telegram).postgres() {
        a_reply_that_came_after_its_lease_was_lost_is_charged(setup).await;
    }
}

#[tokio::test]
async fn no_call_is_made_that_may_cost_more_than_its_run_may() {
    let setup = priced(Setup::on(Site::Telegram), 1_000.0).set("engine.max_run_cost", 0.01);
    let mut bot = setup.start().await;
    let ada = bot.room(Site::Telegram, 7, "Ada");
    bot.says(ada, "hello");
    let said = bot.answers(ada, 1).await;
    assert!(
        said[0].starts_with("Sorry, this took more work than I may spend"),
        "{said:?}"
    );
    bot.finish().await;
    assert_eq!(bot.model.request_count(), 0);
}

#[tokio::test]
async fn a_reply_is_held_to_what_its_run_may_still_cost() {
    let setup = priced(Setup::on(Site::Telegram), 1_000.0)
        .provider("prompt_price", 1.0)
        .provider("max_tokens", 2_000)
        .set("engine.max_run_cost", 1.0);
    let mut bot = setup.start().await;
    let ada = bot.room(Site::Telegram, 7, "Ada");
    bot.says(ada, "hello");
    assert_eq!(bot.answers(ada, 1).await, ["You said: hello"]);
    bot.finish().await;
    let most = bot.model.requests()[0].body["max_tokens"].as_u64().unwrap();
    assert!((900..1_000).contains(&most), "{most}");
}

/// The answer of a proxy that takes no more than a megabyte.
const TOO_LARGE: &str = "<html><head><title>413 Request Entity Too Large</title></head></html>";

#[tokio::test(flavor = "multi_thread")]
async fn an_image_that_the_models_server_does_not_take_is_left_out_and_lowers_nobodys_window() {
    let mut bot = Setup::on(Site::Telegram).provider("images", true).start().await;
    bot.model.respond_with(|request| {
        let is_image = |piece: &serde_json::Value| piece["type"] == "image_url";
        let contents = request
            .messages()
            .iter()
            .filter_map(|message| message["content"].as_array());
        if contents.flatten().any(is_image) {
            return clifford_fakes::openai::Reply::raw(413, "text/html", TOO_LARGE);
        }
        crate::scripted_model::reply(request)
    });
    let Room::Telegram(chat) = bot.room(Site::Telegram, 7, "Ada") else {
        panic!("a Telegram room")
    };
    let png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR";
    bot.telegram.user_sends_file(chat, 7, "look", "a.png", png);
    let said = bot.answers(Room::Telegram(chat), 1).await;
    assert!(said[0].starts_with("You said: look"), "{said:?}");
    bot.finish().await;
    assert_eq!(bot.model.request_count(), 2);
    assert_eq!(bot.logged("learned a model's context window"), 0);
    let told = bot.model.requests().pop().unwrap();
    let told: String = (0..told.messages().len()).map(|place| told.text(place)).collect();
    assert!(told.contains("this image has no room"), "{told}");
}
