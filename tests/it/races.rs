//! Many at once: one of each, in order, never twice.

use crate::{
    harness::{Room, Setup, Site},
    scripted_model::{self, Prompt},
};

fn setups(site: Site) -> impl Iterator<Item = Setup> {
    [Some(Setup::on(site)), Setup::on(site).postgres()]
        .into_iter()
        .flatten()
}

#[tokio::test]
async fn twenty_first_messages_at_once_make_one_user_channel_and_context_and_are_answered_in_order() {
    for site in Site::BOTH {
        for setup in setups(site) {
            let mut bot = setup.start().await;
            let room = bot.room(site, 7, "Ada");
            let said: Vec<_> = (1..=20).map(|number| format!("message {number:02}")).collect();
            for text in &said {
                bot.says(room, text);
            }
            bot.until("every message to be answered", async |look| {
                let runs = look.runs().await;
                let heard: usize = runs.iter().map(|run| run.input_text.lines().count()).sum();
                (heard == 20 && runs.iter().all(|run| run.status.is_ended())).then_some(())
            })
            .await;
            bot.finish().await;
            let answered: Vec<_> = bot
                .texts(room)
                .iter()
                .flat_map(|text| {
                    text.trim_start_matches("You said: ")
                        .lines()
                        .map(str::to_owned)
                        .collect::<Vec<_>>()
                })
                .collect();
            assert_eq!(answered, said, "{site:?}");
            let look = bot.look().await;
            for table in ["users", "identities", "channels", "contexts"] {
                assert_eq!(look.count(table).await, 1, "{site:?}: {table}");
            }
        }
    }
}

#[tokio::test]
async fn twenty_messages_at_once_in_one_conversation_each_see_those_before() {
    for setup in setups(Site::Telegram) {
        let mut bot = setup.start().await;
        let room = bot.room(Site::Telegram, 7, "Ada");
        bot.says(room, "first");
        bot.answers(room, 1).await;
        for number in 1..=20 {
            bot.says(room, &format!("message {number:02}"));
        }
        bot.until("every message to be answered", async |look| {
            let runs = look.runs().await;
            let heard: usize = runs.iter().map(|run| run.input_text.lines().count()).sum();
            (heard == 21 && runs.iter().all(|run| run.status.is_ended())).then_some(())
        })
        .await;
        bot.finish().await;
        let requests = bot.model.requests();
        let (mut said, mut answers): (Vec<String>, Vec<String>) = (Vec::new(), Vec::new());
        for request in &requests {
            let prompt = Prompt::read(request);
            // In the order in which it was stored: a message may stand before the answer to the one before it.
            let (answered, asked): (Vec<&str>, Vec<&str>) = prompt
                .conversation()
                .into_iter()
                .partition(|turn| turn.starts_with("You said: "));
            assert_eq!(
                (asked, answered),
                (
                    said.iter().map(String::as_str).collect(),
                    answers.iter().map(String::as_str).collect()
                )
            );
            said.extend(prompt.input().lines().map(str::to_owned));
            answers.push(format!("You said: {}", prompt.input()));
        }
        assert_eq!(scripted_model::inputs(&requests).join("\n").lines().count(), 21);
    }
}

#[tokio::test]
#[cfg_attr(skip_postgres, ignore = "CLIFFORD_SKIP_POSTGRES=1")]
async fn two_processes_on_one_database_never_run_the_same_run() {
    let Some(setup) = Setup::on(Site::Telegram).postgres() else {
        return;
    };
    // Short sleeps make runs claimable again and again, by whoever is first. Nobody dies, and on a busy machine nobody is
    // to be taken for dead.
    let mut bot = setup.set("engine.lease_seconds", 120).start().await;
    bot.spawn(None);
    let rooms: Vec<_> = (1..=40).map(|id| bot.room(Site::Telegram, id, "Ada")).collect();
    for room in &rooms {
        bot.says(*room, "nap");
    }
    for room in &rooms {
        bot.answers(*room, 1).await;
    }
    bot.finish().await;
    for room in rooms {
        assert_eq!(bot.texts(room), ["I am awake."]);
    }
    assert_eq!(bot.model.request_count(), 3 * 40);
    let look = bot.look().await;
    for run in look.runs().await {
        let steps = look.steps(run.id).await;
        assert_eq!(
            steps.iter().filter(|step| *step == "llm_response").count(),
            3,
            "{steps:?}"
        );
        // Once when it came, once when it was woken.
        assert_eq!((run.epoch, run.llm_calls), (2, 3));
    }
}

#[tokio::test]
#[cfg_attr(skip_postgres, ignore = "CLIFFORD_SKIP_POSTGRES=1")]
async fn a_second_process_takes_over_what_a_killed_one_had_in_hand() {
    let Some(setup) = Setup::on(Site::Telegram).postgres() else {
        return;
    };
    let mut bot = setup.start().await;
    let hold = bot.model.hold();
    let rooms: Vec<_> = (1..=10).map(|id| bot.room(Site::Telegram, id, "Ada")).collect();
    for room in &rooms {
        bot.says(*room, "hello");
    }
    bot.model.wait_for_requests(10).await;
    bot.telegram.wait_for_confirmed().await;
    bot.spawn(None);
    bot.kill().await;
    hold.release();
    for room in &rooms {
        assert_eq!(bot.answers(*room, 1).await, ["You said: hello"]);
    }
    bot.finish().await;
    assert!(bot.look().await.runs().await.iter().all(|run| run.epoch == 2));
}

#[tokio::test]
async fn what_finds_no_place_waits_in_the_database_and_outlives_a_kill() {
    const PLACES: usize = 3;
    for setup in setups(Site::Telegram) {
        let mut bot = setup
            .set("engine.max_concurrent_runs", u32::try_from(PLACES).unwrap())
            .start()
            .await;
        let hold = bot.model.hold();
        let rooms: Vec<_> = (1..=30).map(|id| bot.room(Site::Telegram, id, "Ada")).collect();
        for room in &rooms {
            bot.says(*room, "two tools");
        }
        bot.model.wait_for_requests(PLACES).await;
        bot.telegram.wait_for_confirmed().await;
        assert_eq!(
            bot.model.request_count(),
            PLACES,
            "no more than there are places for ask"
        );
        bot.kill().await;
        hold.release();
        bot.start().await;
        for room in &rooms {
            assert_eq!(bot.answers(*room, 1).await, ["two tools: 42 and 43"]);
        }
        bot.finish().await;
        assert_eq!(bot.model.request_count(), PLACES + 3 * rooms.len());
    }
}

#[tokio::test]
async fn a_stop_under_load_loses_nothing() {
    for setup in setups(Site::Telegram) {
        let mut bot = setup.set("engine.shutdown_seconds", 1).start().await;
        let rooms: Vec<_> = (1..=50).map(|id| bot.room(Site::Telegram, id, "Ada")).collect();
        for room in &rooms {
            bot.says(*room, "two tools slowly");
        }
        bot.model.wait_for_requests(20).await;
        bot.stop().await;
        bot.start().await;
        for room in &rooms {
            bot.answers(*room, 1).await;
        }
        bot.finish().await;
        for room in rooms {
            assert_eq!(bot.texts(room), ["two tools slowly: 42 and 43"]);
        }
    }
}

#[tokio::test]
async fn fifty_in_flight_at_a_kill_are_all_answered_after_the_restart() {
    for setup in setups(Site::Telegram) {
        let mut bot = setup.start().await;
        let rooms: Vec<_> = (1..=50).map(|id| bot.room(Site::Telegram, id, "Ada")).collect();
        let hold = bot.model.hold();
        for room in &rooms {
            bot.says(*room, "two tools");
        }
        bot.model.wait_for_requests(50).await;
        bot.kill().await;
        hold.release();
        bot.spawn(None);
        for room in &rooms {
            bot.answers(*room, 1).await;
        }
        bot.finish().await;
        for room in rooms {
            assert_eq!(bot.texts(room), ["two tools: 42 and 43"]);
        }
    }
}

#[tokio::test]
async fn what_is_said_on_discord_while_the_bot_is_down_is_answered_when_it_is_back() {
    let mut bot = Setup::on(Site::Discord).start().await;
    let room = bot.room(Site::Discord, 7, "Ada");
    bot.says(room, "hello");
    bot.answers(room, 1).await;
    bot.kill().await;
    let Room::Discord { channel, user } = room else {
        unreachable!()
    };
    bot.discord.say_while_offline(channel, user, "are you there");
    bot.start().await;
    assert_eq!(
        bot.answers(room, 2).await,
        ["You said: hello", "You said: are you there"]
    );
    bot.finish().await;
}
