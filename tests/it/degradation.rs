//! Invariants while a disk is full, a database locked, handles are used up, or a clock is wrong: nothing is accepted
//! that cannot be stored, each caller is told so, and everything goes on by itself and is answered once.

mod clock;
mod disk;

use std::time::{Duration, Instant};

use clifford_fakes::openai::Hold;
use clifford_store::Pools;
use rustix::process::Resource;
use serde_json::{Value, json};
use sqlx::Executor as _;
use tokio::net::TcpStream;

use self::disk::Disk;
use crate::{
    api_watch::{Watch, watched},
    harness::{Bot, PATIENCE, Room, Setup, Site},
    tcp_proxy::Way,
};

/// Asks until it is ready, or is not, and returns what it says of its database.
async fn until_ready(watch: &Watch, ready: bool) -> Value {
    let mut often = tokio::time::interval(Duration::from_millis(50));
    let asked = tokio::time::timeout(PATIENCE, async {
        loop {
            often.tick().await;
            let (status, checks) = watch.ready().await;
            if (status == 200) == ready {
                return checks["database"].clone();
            }
        }
    });
    match asked.await {
        Ok(check) => check,
        Err(_) => panic!("not so: ready = {ready}: {:?}", watch.ready().await),
    }
}

/// A bot with a chat that was answered, and one whose run waits for its model.
struct Trouble {
    bot: Bot,
    watch: Watch,
    ada: Room,
    bob: Room,
    hold: Option<Hold>,
}

impl Trouble {
    async fn ahead(mut bot: Bot) -> Self {
        bot.start().await;
        bot.has_logged("serving the API", 1).await;
        let watch = Watch::on(&bot);
        let (ada, bob) = (bot.room(Site::Telegram, 7, "Ada"), bot.room(Site::Telegram, 8, "Bob"));
        bot.says(ada, "one");
        bot.answers(ada, 1).await;
        until_ready(&watch, true).await;
        let hold = Some(bot.model.hold());
        bot.says(bob, "hello");
        bot.model.wait_for_requests(2).await;
        Self {
            bot,
            watch,
            ada,
            bob,
            hold,
        }
    }

    /// Nothing can be written: the model's reply to Bob waits to be recorded, Ada's next message stays with Telegram, and
    /// a caller of the API is told.
    async fn is_told(&mut self) {
        let check = until_ready(&self.watch, false).await;
        assert_eq!(check["ok"], false);
        let why = check["detail"].as_str().unwrap();
        let known = ["it takes no writes; the log says why", "it did not answer within 5 s"];
        let is_gone = why.contains("clifford.db was moved or deleted while it is in use: put that file back");
        assert!(known.contains(&why) || is_gone, "{why}");
        self.bot.says(self.ada, "two");
        self.hold = None;
        let (status, problem) = self
            .watch
            .post("/api/messages", json!({ "content": "three" }).to_string())
            .await;
        let problem: Value = serde_json::from_str(&problem).unwrap();
        assert_eq!((status, &problem["code"]), (503, &json!("database_unavailable")));
        // Telegram keeps what was not stored.
        self.bot
            .telegram
            .wait_until("the message that is not confirmed", |fake| {
                (fake.pending() == 1).then_some(())
            })
            .await;
        assert_eq!((self.bot.texts(self.ada).len(), self.bot.texts(self.bob).len()), (1, 0));
    }

    /// It can be written again.
    async fn ended(mut self) {
        until_ready(&self.watch, true).await;
        assert_eq!(self.bot.answers(self.ada, 2).await, ["You said: one", "You said: two"]);
        assert_eq!(self.bot.answers(self.bob, 1).await, ["You said: hello"]);
        self.bot.says(self.ada, "four");
        self.bot.answers(self.ada, 3).await;
        self.bot.finish().await;
        assert_eq!(
            self.bot.texts(self.ada),
            ["You said: one", "You said: two", "You said: four"]
        );
        assert_eq!(self.bot.texts(self.bob), ["You said: hello"]);
        let look = self.bot.look().await;
        assert_eq!(look.undelivered().await, 0);
        let ended = look
            .runs()
            .await
            .iter()
            .filter(|run| run.status.as_str() == "completed")
            .count();
        assert_eq!((look.runs().await.len(), ended), (4, 4), "{}", look.dump().await);
    }
}

#[tokio::test]
async fn a_disk_that_is_full_stops_what_cannot_be_stored_until_there_is_room() {
    let disk = Disk::mount();
    let setup = watched(Setup::on(Site::Telegram)).database(&disk.database());
    let mut trouble = Trouble::ahead(setup.prepare().await).await;
    disk.fill(&trouble.bot);
    trouble.is_told().await;
    disk.free(&trouble.bot);
    trouble.ended().await;
}

#[tokio::test]
async fn a_database_that_another_process_keeps_locked_is_waited_for() {
    let mut trouble = Trouble::ahead(watched(Setup::on(Site::Telegram)).prepare().await).await;
    let look = trouble.bot.look().await;
    let Pools::Sqlite { read } = look.db.pools() else {
        unreachable!()
    };
    let mut other = read.acquire().await.unwrap();
    other.execute("BEGIN EXCLUSIVE").await.unwrap();
    trouble.is_told().await;
    other.execute("ROLLBACK").await.unwrap();
    drop(other);
    trouble.ended().await;
}

#[tokio::test]
#[cfg_attr(skip_postgres, ignore = "CLIFFORD_SKIP_POSTGRES=1")]
async fn a_database_server_that_is_gone_is_waited_for() {
    let Some((way, url)) = Way::to_postgres().await else {
        return;
    };
    let setup = watched(Setup::on(Site::Telegram)).database(&url);
    let mut trouble = Trouble::ahead(setup.prepare().await).await;
    way.close();
    trouble.is_told().await;
    way.open();
    trouble.ended().await;
}

#[tokio::test]
#[cfg_attr(skip_postgres, ignore = "CLIFFORD_SKIP_POSTGRES=1")]
async fn a_server_starts_before_its_database_does() {
    const WAITS: &str = "database unavailable, retrying";
    let Some((way, url)) = Way::to_postgres().await else {
        return;
    };
    let mut bot = Setup::on(Site::Telegram).database(&url).prepare().await;
    way.close();
    bot.spawn(None);
    bot.has_logged(WAITS, 2).await;
    // A process that waits can be told to stop.
    bot.finish().await;
    bot.spawn(None);
    bot.has_logged(WAITS, 4).await;
    way.open();
    let ada = bot.room(Site::Telegram, 7, "Ada");
    bot.says(ada, "one");
    assert_eq!(bot.answers(ada, 1).await, ["You said: one"]);
    bot.finish().await;
}

#[tokio::test]
async fn a_database_whose_file_is_gone_takes_nothing_until_it_is_back() {
    let dir = tempfile::tempdir().unwrap();
    let [file, away] = ["clifford.db", "away.db"].map(|name| dir.path().join(name));
    let url = format!("sqlite:{}", file.display());
    let setup = watched(Setup::on(Site::Telegram)).database(&url);
    let mut trouble = Trouble::ahead(setup.prepare().await).await;
    std::fs::rename(&file, &away).unwrap();
    trouble.is_told().await;
    // Another file in its place is not the one that is open.
    std::fs::copy(&away, &file).unwrap();
    let check = until_ready(&trouble.watch, false).await;
    let why = check["detail"].as_str().unwrap();
    assert!(why.contains("another file was put in the place of"), "{why}");
    std::fs::rename(&away, &file).unwrap();
    trouble.ended().await;
}

#[tokio::test]
async fn handles_that_are_used_up_neither_end_nor_busy_the_bot() {
    let mut bot = watched(Setup::on(Site::Telegram)).start().await;
    bot.has_logged("serving the API", 1).await;
    let watch = Watch::on(&bot);
    let room = bot.room(Site::Telegram, 7, "Ada");
    bot.says(room, "one");
    bot.answers(room, 1).await;
    until_ready(&watch, true).await;

    // The next handle would have to be one of the first three, which are taken.
    let before = disk::lower(&bot, Resource::Nofile, 3);
    let began = Instant::now();
    // Callers wait in the system's queue, where nobody takes them.
    let callers = [
        TcpStream::connect(watch.address()).await,
        TcpStream::connect(watch.address()).await,
    ];
    assert!(callers.iter().all(Result::is_ok));
    bot.says(room, "two");
    let told = "failed to accept an API connection";
    bot.until("the server to run out of handles", async |_| {
        (bot.logged(told) >= 3).then_some(())
    })
    .await;
    // It looks again now and then, not as fast as it can.
    let most = began.elapsed().as_millis() / 200 + 2;
    let tries = u128::try_from(bot.logged(told)).unwrap();
    assert!(tries <= most, "{tries} tries, {most} at most");

    disk::restore(&bot, Resource::Nofile, before);
    assert_eq!(bot.answers(room, 2).await, ["You said: one", "You said: two"]);
    until_ready(&watch, true).await;
    bot.says(room, "three");
    bot.answers(room, 3).await;
    drop(callers);
    bot.finish().await;
    assert_eq!(bot.texts(room), ["You said: one", "You said: two", "You said: three"]);
    assert_eq!(bot.look().await.undelivered().await, 0);
}
