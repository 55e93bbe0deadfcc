//! Rows that nobody can read: their run ends with an honest sentence, and everything else goes on.

use clifford_core::runs::RunStatus;

use crate::harness::{Setup, Site};

const SORRY: &str = "Sorry, something went wrong on my side. Please try again in a moment.";

#[tokio::test]
async fn a_run_whose_steps_cannot_be_read_fails_honestly_and_what_waits_behind_it_goes_on() {
    let on = || Setup::on(Site::Telegram);
    for setup in [Some(on()), on().postgres()].into_iter().flatten() {
        let mut bot = setup.prepare().await;
        let room = bot.room(Site::Telegram, 7, "Ada");
        bot.start_crashing("response_recorded").await;
        bot.says(room, "one");
        bot.crashed().await;
        let look = bot.look().await;
        look.run_sql("UPDATE run_steps SET result_json = '{' WHERE seq = 2")
            .await;
        bot.says(room, "two");
        bot.start().await;
        assert_eq!(bot.answers(room, 2).await, [SORRY, "You said: two"]);
        bot.finish().await;
        let look = bot.look().await;
        let runs = look.runs().await;
        assert_eq!(runs[0].status, RunStatus::Failed);
        assert!(
            runs[0].error.as_ref().unwrap().contains("cannot be read"),
            "{:?}",
            runs[0].error
        );
        assert_eq!(runs[1].status, RunStatus::Completed);
    }
}

#[tokio::test]
async fn a_run_whose_steps_cannot_be_replayed_ends_as_well() {
    let mut bot = Setup::on(Site::Telegram).prepare().await;
    let room = bot.room(Site::Telegram, 7, "Ada");
    bot.start_crashing("response_recorded").await;
    bot.says(room, "one");
    bot.crashed().await;
    // The place of the step behind it is more than any number can be, which ends a replay by a panic.
    let look = bot.look().await;
    look.run_sql("UPDATE run_steps SET seq = 4294967295 WHERE seq = 2")
        .await;
    bot.says(room, "two");
    bot.start().await;
    assert_eq!(bot.answers(room, 2).await, [SORRY, "You said: two"]);
    assert_eq!(bot.look().await.runs().await[0].status, RunStatus::Failed);
    bot.finish().await;
}

#[tokio::test]
async fn an_event_that_cannot_be_stored_is_set_aside_and_holds_up_nobody() {
    for site in Site::BOTH {
        let mut bot = Setup::on(site).start().await;
        let [ada, ben] = [(1, "Ada"), (2, "Ben")].map(|(id, name)| bot.room(site, id, name));
        bot.says(ada, "one");
        bot.answers(ada, 1).await;
        let look = bot.look().await;
        look.run_sql("UPDATE users SET role = 'nobody knows'").await;
        bot.says(ada, "two is lost");
        bot.says(ben, "hello");
        assert_eq!(bot.answers(ben, 1).await, ["You said: hello"], "{site:?}");
        bot.until("what is set aside", async |look| {
            (look.count("unreadable_events").await == 1).then_some(())
        })
        .await;
        look.run_sql("UPDATE users SET role = 'member'").await;
        bot.says(ada, "three");
        assert_eq!(
            bot.answers(ada, 2).await,
            ["You said: one", "You said: three"],
            "{site:?}"
        );
        if site == Site::Telegram {
            bot.telegram.wait_for_confirmed().await;
        }
        // Its words stand in the row, not in the log that everybody reads.
        let kept = "SELECT COUNT(*) FROM unreadable_events WHERE payload LIKE '%two is lost%'";
        assert_eq!(bot.look().await.number(kept).await, 1);
        bot.finish().await;
    }
}
