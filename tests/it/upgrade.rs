//! Two versions of the schema side by side: the binary from before the newest migration, and this one, on one database.
//!
//! `CLIFFORD_TEST_PREVIOUS` names that binary; without it there is none here, and the tests are skipped.

use std::{
    env,
    ffi::{OsStr, OsString},
};

use clifford_core::runs::RunStatus;
use clifford_fakes::{openai::Reply, postgres::Cluster};
use clifford_store::SchemaState;

use crate::{
    approvals::{asking, remembers},
    harness::{Bot, Setup, Site},
    scripted_model::{self, Prompt, memory_schema},
};

fn previous() -> Option<OsString> {
    env::var_os("CLIFFORD_TEST_PREVIOUS")
}

/// The first binary and the second, on each engine: an upgrade, and one that is taken back. `None`: the binary under test.
fn ways(previous: &OsStr, setup: impl Fn() -> Setup) -> Vec<([Option<&OsStr>; 2], Setup)> {
    let on_postgres = || Some(setup().database(&Cluster::shared().database()?));
    let setups = [Some(setup()), on_postgres(), Some(setup()), on_postgres()];
    let ways = [[Some(previous), None], [None, Some(previous)]];
    let ways = ways.into_iter().flat_map(|way| [way, way]);
    ways.zip(setups)
        .filter_map(|(way, setup)| Some((way, setup?)))
        .collect()
}

impl Bot {
    /// Starts a process of this binary where none is at work.
    async fn start_of(&mut self, binary: Option<&OsStr>) {
        self.runs(binary);
        self.start().await;
    }

    /// Waits until there is one run, with this status; by its own words, as the older version's table lacks columns.
    async fn only_run(&self, status: RunStatus) {
        let with_status = format!("runs WHERE status = '{status}'");
        self.until("the run", async |look| {
            (look.count("runs").await == 1 && look.count(&with_status).await == 1).then_some(())
        })
        .await;
    }

    async fn state(&self) -> SchemaState {
        self.look().await.db.schema().await.unwrap().state()
    }

    /// Leaves out the settings that the older version does not know.
    fn has_settings_of_both(&self) {
        let mut settings: toml::Table = self.settings().parse().unwrap();
        settings.remove("delivery");
        self.write_settings(&settings.to_string());
    }

    /// Starts a process beside those that run, and waits until it does.
    async fn joined(&mut self) {
        let before = self.logged(" runs.");
        self.spawn(None);
        self.until("the process to run", async |_| {
            (self.logged(" runs.") > before).then_some(())
        })
        .await;
    }
}

#[tokio::test]
#[cfg_attr(skip_postgres, ignore = "CLIFFORD_SKIP_POSTGRES=1")]
async fn old_and_new_processes_share_a_postgres_database_while_messages_are_under_way() {
    let (Some(previous), Some(database)) = (previous(), Cluster::shared().database()) else {
        return;
    };
    let mut bot = Setup::on(Site::Telegram).database(&database).prepare().await;
    bot.has_settings_of_both();
    bot.runs(Some(&previous));
    bot.start().await;
    assert!(matches!(bot.state().await, SchemaState::Behind(1..)));

    let rooms: Vec<_> = (1..=12).map(|id| bot.room(Site::Telegram, id, "Ada")).collect();
    // Some are at work when the new one brings the database up to date.
    for room in &rooms[..6] {
        bot.says(*room, "two tools slowly");
    }
    bot.model.wait_for_requests(6).await;
    bot.runs(None);
    bot.joined().await;
    assert_eq!(bot.state().await, SchemaState::UpToDate);

    // Others sleep and are woken by whichever is first, while an old one is started again beside the new one.
    for room in &rooms[6..] {
        bot.says(*room, "nap");
    }
    bot.runs(Some(&previous));
    bot.joined().await;
    for room in &rooms {
        bot.answers(*room, 1).await;
    }
    // The old one that was there first ends, then the new one: an upgrade that is taken back.
    for said in 2..=3 {
        bot.stop().await;
        for room in &rooms {
            bot.says(*room, "hello");
        }
        for room in &rooms {
            bot.answers(*room, said).await;
        }
    }
    bot.runs(None);
    bot.joined().await;
    bot.stop().await;
    for room in &rooms {
        bot.says(*room, "hello");
    }
    for room in &rooms {
        bot.answers(*room, 4).await;
    }
    bot.finish().await;
    let (slow, napping) = rooms.split_at(6);
    let hello = "You said: hello";
    for room in slow {
        assert_eq!(bot.texts(*room), ["two tools slowly: 42 and 43", hello, hello, hello]);
    }
    for room in napping {
        assert_eq!(bot.texts(*room), ["I am awake.", hello, hello, hello]);
    }
}

#[tokio::test]
async fn an_old_and_a_new_process_take_turns_on_a_sqlite_database() {
    let Some(previous) = previous() else {
        return;
    };
    let mut bot = Setup::on(Site::Telegram).prepare().await;
    bot.has_settings_of_both();
    let room = bot.room(Site::Telegram, 7, "Ada");
    for (turn, binary) in [Some(&previous), None, Some(&previous), None].into_iter().enumerate() {
        bot.runs(binary.map(OsString::as_os_str));
        bot.start().await;
        let standing = bot.state().await;
        assert_eq!(matches!(standing, SchemaState::Behind(1..)), turn == 0, "{standing:?}");
        bot.says(room, "hello");
        bot.answers(room, turn + 1).await;
        bot.finish().await;
    }
    assert_eq!(bot.texts(room), ["You said: hello"; 4]);
    // Each read what was said through the others.
    let requests = bot.model.requests();
    let seen: Vec<_> = requests
        .iter()
        .map(|request| Prompt::read(request).conversation().len())
        .collect();
    assert_eq!(seen, [0, 2, 4, 6]);
}

#[tokio::test]
async fn what_one_version_asks_is_answered_under_the_other() {
    let Some(previous) = previous() else {
        return;
    };
    for ([first, second], setup) in ways(&previous, || asking(Site::Telegram)) {
        let mut bot = setup.prepare().await;
        bot.has_settings_of_both();
        bot.model.respond_with(remembers);
        let chat = bot.telegram.user(7, "Ada");
        bot.start_of(first).await;
        bot.telegram.user_says(chat, 7, "Ada drinks tea");
        bot.telegram.wait_for_sent(chat, 1).await;
        bot.only_run(RunStatus::Waiting).await;
        bot.stop().await;
        assert_eq!(bot.look().await.count("memory_items").await, 0);

        bot.start_of(second).await;
        bot.telegram.press(chat, 7, "Approve");
        bot.telegram
            .wait_until("the ending", |fake| {
                let sent = fake.sent(chat);
                sent.iter().any(|sent| sent.text == "I know now: tea.").then_some(())
            })
            .await;
        bot.only_run(RunStatus::Completed).await;
        assert_eq!(bot.look().await.count("memory_items").await, 1, "{second:?}");
        bot.telegram.wait_for_answers().await;
        bot.finish().await;
    }
}

#[tokio::test]
async fn what_one_version_has_to_remember_the_other_remembers() {
    let Some(previous) = previous() else {
        return;
    };
    // The process that begins is given no time to wait for its model.
    for ([first, second], setup) in ways(&previous, || {
        Setup::on(Site::Telegram).set("engine.shutdown_seconds", 2)
    }) {
        let mut bot = setup.prepare().await;
        bot.has_settings_of_both();
        bot.model.respond_with(|request| match memory_schema(request) {
            Some(_) => Reply::never(),
            None => scripted_model::reply(request),
        });
        let room = bot.room(Site::Telegram, 7, "Ada");
        bot.start_of(first).await;
        for (said, text) in ["remember tea", "/new"].into_iter().enumerate() {
            bot.says(room, text);
            bot.answers(room, said + 1).await;
        }
        bot.until("the memory writer at work", async |_| {
            let requests = bot.model.requests();
            requests
                .iter()
                .any(|request| memory_schema(request).is_some())
                .then_some(())
        })
        .await;
        bot.stop().await;
        let look = bot.look().await;
        assert_eq!(look.count("jobs WHERE status = 'done'").await, 0);
        assert_eq!(look.count("memory_items").await, 0);

        bot.model.respond_with(scripted_model::reply);
        bot.start_of(second).await;
        bot.until("the memory item", async |look| {
            let is_done = look.count("jobs WHERE status <> 'done'").await == 0;
            (is_done && look.count("memory_items").await == 1).then_some(())
        })
        .await;
        bot.finish().await;
    }
}
