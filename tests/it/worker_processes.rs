//! Inputs that take any time and memory: everybody else is answered.

use std::{collections::BTreeMap, fs, path::PathBuf, time::Duration};

use clifford_fakes::site::{Answer, SiteFake};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::{
    calls::{self, call},
    harness::{Bot, Room, Setup, Site},
};

const TOO_COSTLY: &str = "the expression is too costly to work out; a simpler one may not be";
/// The growth that the main process may have, in kB: far less than any of the messages takes.
const GROWTH: u64 = 40_000;

/// A bot on Telegram that gives up after the first call that fails.
fn setup() -> Setup {
    Setup::on(Site::Telegram)
        .set("engine.max_tool_retries", 0)
        .set("tools.compute.max_seconds", 1)
}

async fn start(setup: Setup) -> (Bot, Room) {
    let bot = setup.start().await;
    bot.model.respond_with(calls::reply);
    let room = bot.room(Site::Telegram, 7, "Ada");
    (bot, room)
}

/// The worker processes of a bot.
fn worker_processes(bot: &Bot) -> Vec<Pid> {
    let parent = bot.pid().as_raw_nonzero().get();
    let processes = fs::read_dir("/proc").unwrap().filter_map(Result::ok);
    let ids = processes.filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
    ids.filter(|id| {
        let stat = fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
        let behind_name = stat.rsplit_once(") ").map_or("", |(_, rest)| rest);
        let mut fields = behind_name.split(' ');
        fields.next() != Some("Z") && fields.next() == Some(parent.to_string().as_str())
    })
    .filter_map(Pid::from_raw)
    .collect()
}

/// Whether a process is there, or one of its threads: its parent learns of the end of the last.
fn is_there(process: Pid) -> bool {
    let of_process = format!("/proc/{}", process.as_raw_nonzero());
    let status = fs::read_to_string(format!("{of_process}/stat")).unwrap_or_default();
    let threads = fs::read_dir(format!("{of_process}/task")).map_or(0, Iterator::count);
    threads > 1 || status.rsplit_once(") ").is_some_and(|(_, rest)| !rest.starts_with('Z'))
}

/// Waits until something holds.
async fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let mut often = tokio::time::interval(Duration::from_millis(20));
    let waited = tokio::time::timeout(Duration::from_secs(30), async {
        while !holds() {
            often.tick().await;
        }
    });
    waited.await.unwrap_or_else(|_| panic!("never: {what}"));
}

/// The most memory that a bot's main process had so far, in kB.
fn peak(bot: &Bot) -> u64 {
    let status = fs::read_to_string(format!("/proc/{}/status", bot.pid().as_raw_nonzero())).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}

async fn value(bot: &Bot, room: Room, expression: &str) -> Value {
    let (told, _) = call(bot, room, "compute.eval", json!({ "expression": expression })).await;
    match &told["error"] {
        Value::Null => told["result"]["value"].clone(),
        error => error.clone(),
    }
}

#[tokio::test]
async fn expressions_that_would_end_the_process_end_a_worker_process_alone() {
    let (mut bot, ada) = start(setup()).await;
    assert_eq!(value(&bot, ada, "17 * 23").await, "391");
    let (process, before) = (bot.pid(), peak(&bot));
    let deep = "the expression is nested deeper than 200 parentheses or signs";
    let long = "the expression is longer than 4096 bytes";
    let nested = |depth| format!("{}1{}", "(".repeat(depth), ")".repeat(depth));
    let cases = [
        (r"(\x.x x)(\x.x x)".to_owned(), TOO_COSTLY),
        (nested(300), deep),
        (nested(100_000), long),
        ("-".repeat(3_000) + "1", deep),
        ("-".repeat(100_000) + "1", long),
        ("roll 999999d999999".to_owned(), TOO_COSTLY),
        ("@1970-01-01 + 10^15 days".to_owned(), TOO_COSTLY),
        ("1 << 4000000000".to_owned(), TOO_COSTLY),
    ];
    for (expression, expected) in cases {
        // Telegram's messages are shorter than the longest of these.
        let found = if expression.len() < 4_000 {
            value(&bot, ada, &expression).await
        } else {
            by_hand(&bot, &expression).await
        };
        let shown = &expression[..expression.len().min(40)];
        assert_eq!(found, expected, "{shown}");
        assert_eq!(value(&bot, ada, "6 * 7").await, "42", "after {shown}");
    }
    let found = value(&bot, ada, "9^9^9^9^9").await;
    let found = found.as_str().unwrap();
    assert!(found == TOO_COSTLY || found.contains("cannot be computed"), "{found}");
    assert_eq!(value(&bot, ada, &nested(150)).await, "1");
    assert_eq!(bot.pid(), process);
    let after = peak(&bot);
    assert!(after < before + GROWTH, "it grew from {before} to {after} kB");
    bot.finish().await;
}

/// A call that no platform's message has room for: the model makes it by itself.
async fn by_hand(bot: &Bot, expression: &str) -> Value {
    let made = json!({
        "type": "tool_call", "name": "compute.eval", "args": { "expression": expression },
        "notes": [{"category": "requirements", "content": "a sum"}, {"category": "plan", "content": "compute"}],
    });
    let bob = bot.room(Site::Telegram, 8, "Bob");
    let before = bot.texts(bob).len();
    bot.model.push(clifford_fakes::openai::Reply::json(&made));
    bot.says(bob, "a long sum");
    bot.answers(bob, before + 1).await;
    let requests = bot.model.requests();
    let told = requests
        .iter()
        .rev()
        .filter_map(|request| calls::result(request))
        .find(|told| told["error"].is_string())
        .unwrap();
    told["error"].clone()
}

#[tokio::test]
async fn six_costly_messages_at_once_keep_nobody_waiting_and_take_no_memory_here() {
    let (mut bot, ada) = start(setup()).await;
    let bob = bot.room(Site::Telegram, 8, "Bob");
    assert_eq!(value(&bot, bob, "1 + 1").await, "2");
    let before = peak(&bot);
    let rooms: Vec<_> = (20..26).map(|id| bot.room(Site::Telegram, id, "Eve")).collect();
    for room in rooms.iter().copied().chain([ada]) {
        bot.says(room, r#"call compute.eval {"expression": "roll 999999d999999"}"#);
    }
    until("they are at work", || worker_processes(&bot).len() >= 4).await;
    let asked = Instant::now();
    bot.says(bob, "hello");
    bot.answers(bob, 2).await;
    let waited = asked.elapsed();
    for room in rooms.into_iter().chain([ada]) {
        bot.answers(room, 1).await;
    }
    let after = peak(&bot);
    assert!(after < before + GROWTH, "it grew from {before} to {after} kB");
    assert!(waited < Duration::from_secs(1), "Bob waited for {waited:?}");
    assert_eq!(value(&bot, bob, "2 + 2").await, "4");
    bot.finish().await;
}

#[tokio::test]
async fn who_sends_costly_work_without_end_leaves_permits_to_others() {
    let (mut bot, eve) = start(setup().set("tools.compute.max_seconds", 10)).await;
    let bob = bot.room(Site::Telegram, 8, "Bob");
    bot.says(eve, r#"call compute.eval {"expression": "@1970-01-01 + 10^15 days"}"#);
    until("it is at work", || !worker_processes(&bot).is_empty()).await;
    let asked = Instant::now();
    assert_eq!(value(&bot, bob, "2 + 2").await, "4");
    assert!(asked.elapsed() < Duration::from_secs(5), "{:?}", asked.elapsed());
    bot.kill().await;
}

#[tokio::test]
async fn pages_that_would_take_all_memory_are_given_up_or_read() {
    let site = SiteFake::start().await.unwrap();
    let open: String = (0..5_000).map(|number| format!("<b x={number}>")).collect();
    let pages = [
        ("/less", "<".repeat(5_000_000)),
        ("/deep", "<div>".repeat(100_000)),
        ("/tables", "<table><td>".repeat(400_000)),
        ("/quotes", "<blockquote><ul><li>".repeat(80_000)),
        ("/unclosed", format!("{open}{}", "<p>x".repeat(1_000_000))),
        (
            "/attributes",
            format!(
                "<a {}>x</a>",
                (0..400_000).map(|n| format!("a{n}=1 ")).collect::<String>()
            ),
        ),
        ("/entities", "&lt;".repeat(1_200_000)),
    ];
    for (path, page) in &pages {
        site.put(path, Answer::html(page));
    }
    site.put("/ordinary", Answer::html("<title>Hours</title><p>Open from 9 to 5."));
    let allowed = vec![toml::Value::from(site.address().to_string())];
    let (mut bot, ada) = start(setup().set("tools.web.allow_hosts", allowed)).await;
    call(&bot, ada, "web.extract", json!({ "url": site.url("/ordinary") })).await;
    let (process, before) = (bot.pid(), peak(&bot));
    for (number, (path, _)) in pages.iter().enumerate() {
        for tool in ["web.extract", "web.fetch"].into_iter().skip(number % 2).take(1) {
            let (told, _) = call(&bot, ada, tool, json!({ "url": site.url(path) })).await;
            if told["success"] == false {
                assert_eq!(
                    told["error"], "the page's HTML is too large or too tangled to be read",
                    "{tool} {path}"
                );
            }
            let ordinary = json!({ "url": site.url("/ordinary") });
            let (told, _) = call(&bot, ada, "web.fetch", ordinary).await;
            assert_eq!(told["result"]["text"], "Open from 9 to 5.", "after {tool} {path}");
        }
    }
    assert_eq!(bot.pid(), process);
    let after = peak(&bot);
    assert!(after < before + GROWTH, "it grew from {before} to {after} kB");
    bot.finish().await;
}

#[tokio::test]
async fn a_worker_process_is_used_again_and_has_no_secret_no_file_and_little_of_everything() {
    let setup = setup().env("SOME_SECRET", "hunter22");
    let (mut bot, ada) = start(setup).await;
    assert_eq!(value(&bot, ada, "1 + 1").await, "2");
    let processes = worker_processes(&bot);
    assert_eq!(processes.len(), 1, "{processes:?}");
    let of = |name: &str| format!("/proc/{}/{name}", processes[0].as_raw_nonzero());
    assert_eq!(fs::read(of("environ")).unwrap(), b"");
    assert_eq!(fs::read_link(of("cwd")).unwrap().to_str(), Some("/"));
    assert_eq!(fs::read_to_string(of("cmdline")).unwrap(), "clifford\0worker\0");
    let target = |of: &str, fd: &str| fs::read_link(format!("{of}/{fd}")).ok();
    let open: BTreeMap<String, PathBuf> = (fs::read_dir(of("fd")).unwrap())
        .map(|entry| entry.unwrap().file_name().to_str().unwrap().to_owned())
        .filter_map(|fd| Some((fd.clone(), target(&of("fd"), &fd)?)))
        // A handle that the starter of the tests left open for every program is not the bot's.
        .filter(|(fd, open)| target("/proc/self/fd", fd).as_ref() != Some(open) || fd.len() == 1 && fd.as_str() < "3")
        .collect();
    let kinds: Vec<_> = (open.iter())
        .map(|(fd, target)| (fd.as_str(), target.to_str().unwrap().split(':').next().unwrap()))
        .collect();
    assert_eq!(kinds, [("0", "pipe"), ("1", "pipe"), ("2", "/dev/null")]);
    let limits = fs::read_to_string(of("limits")).unwrap();
    let limit = |name: &str| {
        let line = limits.lines().find_map(|line| line.strip_prefix(name)).unwrap();
        line.split_whitespace().take(2).map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(limit("Max address space"), ["536870912", "536870912"]);
    assert_eq!(limit("Max cpu time"), ["60", "60"]);
    assert_eq!(limit("Max core file size"), ["0", "0"]);
    assert_eq!(limit("Max file size"), ["0", "0"]);
    assert_eq!(limit("Max open files"), ["8", "8"]);
    assert_eq!(value(&bot, ada, "2 + 2").await, "4");
    assert_eq!(worker_processes(&bot), processes);
    bot.finish().await;
    until("it ended with its parent", || !is_there(processes[0])).await;
}

#[tokio::test]
async fn an_idle_worker_process_that_was_killed_is_replaced_without_anybody_noticing() {
    let (mut bot, ada) = start(setup()).await;
    assert_eq!(value(&bot, ada, "1 + 1").await, "2");
    let killed = worker_processes(&bot)[0];
    kill_process(killed, Signal::KILL).unwrap();
    until("it is dead", || !is_there(killed)).await;
    assert_eq!(value(&bot, ada, "2 + 2").await, "4");
    assert_eq!(bot.logged("idle worker process died"), 1);
    bot.finish().await;
}

#[tokio::test]
async fn a_worker_process_ends_with_a_parent_that_was_killed_even_in_the_middle_of_its_work() {
    let (mut bot, ada) = start(setup().set("tools.compute.max_seconds", 15)).await;
    bot.says(ada, r#"call compute.eval {"expression": "@1970-01-01 + 10^15 days"}"#);
    until("it is at work", || !worker_processes(&bot).is_empty()).await;
    let process = worker_processes(&bot)[0];
    let began = Instant::now();
    bot.kill().await;
    until("it ended", || !is_there(process)).await;
    assert!(began.elapsed() < Duration::from_secs(5), "{:?}", began.elapsed());
}
