//! Two versions of the schema side by side: the binary from before the newest migration, and this one, on one database.
//!
//! `CLIFFORD_TEST_PREVIOUS` names that binary; without it there is none here, and the tests are skipped.

use std::{env, ffi::OsString};

use clifford_store::Standing;

use crate::{
    harness::{Bot, Setup, Site},
    scripted_model::Prompt,
};

fn previous() -> Option<OsString> {
    env::var_os("CLIFFORD_TEST_PREVIOUS")
}

impl Bot {
    async fn standing(&self) -> Standing {
        self.look().await.db.schema().await.unwrap().standing()
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
    let (Some(previous), Some(setup)) = (previous(), Setup::on(Site::Telegram).postgres()) else {
        return;
    };
    let mut bot = setup.prepare().await;
    bot.runs(Some(&previous));
    bot.start().await;
    assert!(matches!(bot.standing().await, Standing::Behind(1..)));

    let rooms: Vec<_> = (1..=12).map(|id| bot.room(Site::Telegram, id, "Ada")).collect();
    // Some are at work when the new one brings the database up to date.
    for room in &rooms[..6] {
        bot.says(*room, "two tools slowly");
    }
    bot.model.wait_for_requests(6).await;
    bot.runs(None);
    bot.joined().await;
    assert_eq!(bot.standing().await, Standing::UpToDate);

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
    let room = bot.room(Site::Telegram, 7, "Ada");
    for (turn, binary) in [Some(&previous), None, Some(&previous), None].into_iter().enumerate() {
        bot.runs(binary.map(OsString::as_os_str));
        bot.start().await;
        let standing = bot.standing().await;
        assert_eq!(matches!(standing, Standing::Behind(1..)), turn == 0, "{standing:?}");
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
