//! Work that ends the process: it is set aside after three deaths, and everybody else is answered.

use clifford::store::runs::RunStatus;

use crate::harness::{Bot, Room, Setup, Site};

/// Text that ends a process which works on it, see `engine::crash`.
const KILLER: &str = "a killing text";
const VARIABLE: &str = "CLIFFORD_CRASH_ON";
const SORRY: &str = "Sorry, I could not finish this: each time that I worked on it, it brought me down. I have set it \
                     aside, and my operator can see why.";

/// Setups for SQLite and, where it is installed, PostgreSQL.
fn both(way: &str) -> impl Iterator<Item = Setup> {
    let on = || Setup::on(Site::Telegram).env(VARIABLE, format!("{way}={KILLER}"));
    [Some(on()), on().postgres()].into_iter().flatten()
}

/// Starts a process each time that one dies, until something is found. Returns how many died.
async fn restarted_until(bot: &mut Bot, what: &str, mut found: impl AsyncFnMut(&mut Bot) -> bool) -> usize {
    let mut deaths = 0;
    let mut often = tokio::time::interval(std::time::Duration::from_millis(25));
    let done = tokio::time::timeout(crate::harness::PATIENCE, async {
        loop {
            often.tick().await;
            if bot.has_died() {
                bot.exited().await;
                deaths += 1;
                assert!(deaths < 10, "it dies for ever: {what}");
                bot.spawn(None);
            }
            if found(bot).await {
                return;
            }
        }
    });
    if done.await.is_err() {
        panic!(
            "waited in vain for {what} after {deaths} deaths\n{}",
            bot.look().await.dump().await
        );
    }
    deaths
}

fn people(bot: &Bot, count: i64) -> Vec<Room> {
    (0..count)
        .map(|id| bot.room(Site::Telegram, 100 + id, "Somebody"))
        .collect()
}

#[tokio::test]
async fn a_run_that_kills_is_set_aside_after_three_deaths_and_may_be_tried_again() {
    for setup in both("run") {
        let mut bot = setup.start().await;
        let ada = bot.room(Site::Telegram, 7, "Ada");
        let others = people(&bot, 5);
        bot.says(ada, KILLER);
        for other in &others {
            bot.says(*other, "hello");
        }
        let deaths = restarted_until(&mut bot, "everybody's answers", async |bot| {
            let answered = others.iter().all(|other| !bot.texts(*other).is_empty());
            answered && !bot.texts(ada).is_empty()
        })
        .await;
        assert_eq!(deaths, 3);
        assert_eq!(bot.texts(ada), [SORRY]);
        for other in &others {
            assert_eq!(bot.texts(*other), ["You said: hello"]);
        }
        let look = bot.look().await;
        let failed: Vec<_> = (look.runs().await.into_iter())
            .filter(|run| run.status == RunStatus::Failed)
            .collect();
        let [run] = failed.as_slice() else {
            panic!("{failed:#?}");
        };
        assert_eq!(run.input_text, KILLER);
        assert!(
            run.error
                .as_deref()
                .unwrap()
                .starts_with("quarantined: 3 processes died")
        );
        assert!(
            bot.doctor()
                .await
                .contains("in quarantine, because processes died of it: 1 run\n")
        );
        let listed = bot.command(&["quarantine", "list"]).await;
        assert!(listed.contains(&run.id.to_string()), "{listed}");

        bot.says(ada, "and now?");
        assert_eq!(bot.answers(ada, 2).await, [SORRY, "You said: and now?"]);
        bot.stop().await;
        bot.unset(VARIABLE);
        bot.start().await;
        bot.command(&["runs", "retry", &run.id.to_string()]).await;
        let answers = bot.answers(ada, 3).await;
        assert_eq!(answers[2], format!("You said: {KILLER}"));
        assert!(bot.doctor().await.contains("nothing is in quarantine"));
        bot.finish().await;
    }
}

#[tokio::test]
async fn a_tool_call_that_kills_is_set_aside_after_three_deaths() {
    for site in [Some(Setup::on(Site::Telegram)), Setup::on(Site::Telegram).postgres()] {
        let Some(setup) = site else { continue };
        let mut bot = setup.env(VARIABLE, "call=6 * 7").start().await;
        let [ada, ben] = [(7, "Ada"), (8, "Ben")].map(|(id, name)| bot.room(Site::Telegram, id, name));
        bot.says(ada, "two tools");
        bot.says(ben, "hello");
        let deaths = restarted_until(&mut bot, "both answers", async |bot| {
            !bot.texts(ada).is_empty() && !bot.texts(ben).is_empty()
        })
        .await;
        assert_eq!(deaths, 3);
        assert_eq!(bot.texts(ada), [SORRY]);
        assert_eq!(bot.texts(ben), ["You said: hello"]);
        bot.finish().await;
    }
}

#[tokio::test]
async fn what_was_in_flight_at_many_kills_is_answered_all_the_same() {
    const KILLS: usize = 6;
    for setup in [Some(Setup::on(Site::Telegram)), Setup::on(Site::Telegram).postgres()] {
        let Some(setup) = setup else { continue };
        let mut bot = setup.set("engine.lease_seconds", 2).start().await;
        let others = people(&bot, 8);
        for other in &others {
            bot.says(*other, "answer slowly");
        }
        for kill in 1..=KILLS {
            // Each is with its model when the process is killed, the first two times with all others.
            let asked = kill * others.len();
            bot.until("calls under way", async |_| {
                (bot.model.request_count() >= asked).then_some(())
            })
            .await;
            bot.kill().await;
            bot.spawn(None);
        }
        for other in &others {
            assert_eq!(bot.answers(*other, 1).await, ["You said: answer slowly"]);
        }
        let look = bot.look().await;
        assert_eq!(
            look.count("runs WHERE quarantined_at IS NOT NULL OR deaths <> 0").await,
            0
        );
        assert!(bot.doctor().await.contains("nothing is in quarantine"));
        bot.finish().await;
    }
}
