//! Commands for operators: channels, spaces, agents, the outbox, status; and how they name things.

use clifford_fakes::telegram::Fault;
use serde_json::Value;

use super::{Ended, Machine};
use crate::harness::{Bot, Setup, Site};

async fn json(bot: &Bot, args: &[&str]) -> Value {
    let text = bot.command(&[args, &["--json"]].concat()).await;
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

#[test]
fn an_id_is_named_by_its_beginning_and_several_are_listed() {
    let machine = Machine::asked("hello");
    machine.run(["ask", "what is 1 + 1?"]).succeeds();
    let runs = machine.run(["runs", "list", "--json"]).json();
    let ids: Vec<_> = (0..2)
        .map(|place| runs[place]["id"].as_str().expect("an id").to_owned())
        .collect();
    // Enough of it, without dashes and in capitals, too.
    let differs = (ids[0].bytes().zip(ids[1].bytes()))
        .position(|(a, b)| a != b)
        .expect("two ids");
    let beginning = &ids[0][..=differs];
    for named in [beginning.to_owned(), beginning.replace('-', "").to_uppercase()] {
        let shown = machine.run(["runs", "show", &named, "--json"]).json();
        assert_eq!(shown["run"]["id"], ids[0].as_str(), "{named}");
    }
    let shared = &ids[0][..4];
    let ended = machine.run(["runs", "show", shared]);
    assert_eq!(ended.code, 1, "{ended:?}");
    for part in [
        &format!("several runs have ids that begin with {shared}: "),
        &ids[0],
        &ids[1],
    ] {
        assert!(ended.err.contains(part.as_str()), "{part} is not in {ended:?}");
    }
    machine
        .run(["runs", "show", "ffff"])
        .fails_with("no run has an id that begins with ffff; `clifford runs list` shows them");
    let ended = machine.run(["token", "revoke", "x"]);
    assert_eq!(ended.code, 2, "{ended:?}");
    assert!(
        ended.err.contains("write an id as `clifford token list` shows it"),
        "{ended:?}"
    );
}

#[test]
fn the_status_tells_whether_the_bot_runs() {
    let machine = Machine::new();
    let status = machine.run(["status", "--json"]).json();
    assert_eq!(
        (&status["running"], &status["work"]),
        (&Value::Bool(false), &Value::Null)
    );
    machine.run(["ask", "hello"]).succeeds();
    let status = machine.run(["status", "--json"]).json();
    assert_eq!(status["work"]["outbox"], 0);
    let told = machine.run(["status"]).succeeds();
    assert!(told.contains("does not run; `clifford serve` starts it"), "{told}");
    let version = machine.run(["version"]).succeeds();
    assert_eq!(version.trim_end(), format!("clifford {}", env!("CARGO_PKG_VERSION")));
}

#[test]
fn agents_are_listed_and_shown_by_name() {
    let machine = Machine::asked("hello");
    let agents = machine.run(["agents", "list", "--json"]).json();
    assert_eq!(
        (&agents[0]["name"], &agents[0]["isDefault"]),
        (&"Clifford".into(), &true.into())
    );
    let shown = machine.run(["agents", "show", "Clifford"]).succeeds();
    assert!(shown.contains("mode     run"), "{shown}");
    machine
        .run(["agents", "show", "Nobody"])
        .fails_with("there is no agent `Nobody`; `clifford agents list` shows them");
}

#[tokio::test]
async fn channels_and_spaces_of_a_running_bot_are_listed_and_turned_off() {
    let mut bot = Setup::on(Site::Telegram).start().await;
    let ada = bot.telegram.user(7, "Ada");
    bot.telegram.user_says(ada, 7, "hello");
    bot.telegram.wait_for_sent(ada, 1).await;
    let channels = json(&bot, &["channels", "list"]).await;
    let channel = &channels[0];
    assert_eq!(
        (&channel["platform"], &channel["enabled"]),
        (&"telegram".into(), &true.into())
    );
    let id = channel["id"].as_str().expect("an id");
    assert_eq!(
        json(&bot, &["channels", "list", "--platform", "discord"]).await,
        serde_json::json!([])
    );
    assert_eq!(json(&bot, &["spaces", "list"]).await, serde_json::json!([]));
    let off = json(&bot, &["channels", "disable", id]).await;
    assert_eq!(off["enabled"], false);
    let shown = bot.command(&["channels", "show", id]).await;
    assert!(shown.contains("state     off"), "{shown}");
    assert_eq!(json(&bot, &["channels", "enable", id]).await["enabled"], true);
    let status = json(&bot, &["status"]).await;
    assert_eq!(
        (&status["running"], &status["platforms"][0]["connected"]),
        (&true.into(), &true.into()),
        "{status}"
    );
    bot.finish().await;
}

#[tokio::test]
async fn a_message_that_was_given_up_is_listed_and_sent_again() {
    let mut bot = Setup::on(Site::Telegram).start().await;
    let ada = bot.telegram.user(7, "Ada");
    bot.telegram
        .fail_chat(ada, Some(Fault::Refuse(400, "Bad Request: not now".to_owned())));
    bot.telegram.user_says(ada, 7, "hello");
    let failed = bot
        .until("the answer to be given up", async |_| {
            let found = json(&bot, &["outbox", "list", "--failed"]).await;
            found[0]["id"].is_string().then(|| found[0].clone())
        })
        .await;
    assert!(
        failed["error"].as_str().is_some_and(|why| why.contains("not now")),
        "{failed}"
    );
    let id = failed["id"].as_str().expect("an id");
    let shown = bot.command(&["outbox", "show", id]).await;
    assert!(shown.contains("You said: hello"), "{shown}");
    bot.telegram.fail_chat(ada, None);
    assert_eq!(json(&bot, &["outbox", "resend", id]).await["status"], "pending");
    bot.until("it to be sent, and to leave the outbox", async |_| {
        let arrived = bot.telegram.sent(ada).iter().any(|sent| sent.text == "You said: hello");
        let found = json(&bot, &["outbox", "list"]).await;
        let waits = found
            .as_array()
            .is_some_and(|all| all.iter().any(|one| one["id"] == id));
        (arrived && !waits).then_some(())
    })
    .await;
    bot.finish().await;
}

#[test]
fn an_agent_is_made_changed_brought_back_to_a_version_and_removed() {
    let machine = Machine::asked("hello");
    let agents = |args: &[&str]| machine.run([&["agents"], args].concat());
    let ada = agents(&["add", "Ada", "--prompt", "You are Ada.", "--mode", "chat", "--json"]).json();
    assert_eq!((&ada["source"], &ada["mode"]), (&"owner".into(), &"chat".into()));
    agents(&["add", "Ada", "--prompt", "x"]).fails_with("there is an agent `Ada`; `clifford agents set` changes it");
    agents(&["add", "Bob"]).fails_with("an agent needs a prompt: give it by --prompt or --prompt-file");
    machine.write("ada.txt", "You are Ada, and terse.\n");
    let changed = agents(&["set", "Ada", "--prompt-file", "ada.txt", "--disable", "--json"]).json();
    assert_eq!(
        (&changed["prompt"], &changed["enabled"], &changed["promptVersion"]),
        (&"You are Ada, and terse.".into(), &Value::Bool(false), &2.into())
    );
    agents(&["set", "Ada"])
        .fails_with("nothing to change: give --prompt, --prompt-file, --mode, --enable or --disable");
    let back = agents(&["restore", "Ada", "1"]).succeeds();
    assert!(back.ends_with(": has the prompt of version 1 again\n"), "{back}");
    assert_eq!(
        agents(&["show", "Ada", "--version", "2"]).succeeds(),
        "You are Ada, and terse.\n"
    );
    let versions = agents(&["prompts", "Ada", "--json"]).json();
    let restored: Vec<_> = (0..3).map(|place| versions[place]["restores"].clone()).collect();
    assert_eq!(restored, [1.into(), Value::Null, Value::Null]);
    // The next start leaves it as it is.
    machine.run(["ask", "hello"]).succeeds();
    assert_eq!(agents(&["show", "Ada", "--json"]).json()["promptVersion"], 3);
    agents(&["remove", "Ada"]).succeeds();
    agents(&["show", "Ada"]).fails_with("there is no agent `Ada`; `clifford agents list` shows them");
    let refused = agents(&["remove", "Clifford"]);
    assert!(
        refused.code == 1 && refused.err.contains("stands in bot.toml"),
        "{refused:?}"
    );
}

#[test]
fn a_limit_of_open_files_is_raised_or_told() {
    let machine = Machine::new();
    let under = |limit: &str| {
        let script = format!(
            "ulimit {limit} && exec {} ask 'what is 17 * 23?'",
            env!("CARGO_BIN_EXE_clifford")
        );
        let mut command = std::process::Command::new("sh");
        command.args(["-c", &script]).env_clear().env("PATH", "/usr/bin:/bin");
        command.env("HOME", machine.path("")).current_dir(machine.path(""));
        Ended::of(command.output().expect("it runs"))
    };
    under("-n 20").fails_with(
        "this process may open only 20 files, and needs 64 or more: raise the limit (`ulimit -n 1024`, or LimitNOFILE= in \
         a unit of systemd)",
    );
    // The soft limit is its own to raise, and the least is enough.
    for limit in ["-S -n 20", "-n 64"] {
        assert_eq!(under(limit).succeeds(), "17 * 23 = 391\n");
    }
}

#[test]
fn what_root_does_beside_a_service_belongs_to_the_service() {
    use std::{
        fs,
        os::unix::fs::{MetadataExt, chown},
        path::Path,
    };

    fn owners(dir: &Path, found: &mut Vec<(String, u32)>) {
        for entry in fs::read_dir(dir).expect("a directory") {
            let path = entry.expect("an entry").path();
            let owner = fs::symlink_metadata(&path).expect("it is there").uid();
            found.push((path.display().to_string(), owner));
            if path.is_dir() {
                owners(&path, found);
            }
        }
    }

    let machine = Machine::new();
    let data = machine.path("data/clifford");
    fs::create_dir_all(&data).expect("a directory");
    // Only root can do that, and only root has to.
    if chown(&data, Some(4711), Some(4712)).is_err() {
        return;
    }
    machine.run(["ask", "what is 17 * 23?"]).succeeds();
    let provider = "llm.providers=[{ name = \"fake\", base_url = \"http://127.0.0.1:9/v1\" }]";
    let set = ["users", "key", "set", "you", "fake", "--set", provider];
    machine.pipe("sk-own-0123456789abcdefghij\n", &set).succeeds();
    machine.run(["backup", "all.tar"]).succeeds();
    machine.run(["restore", "all.tar", "--force"]).succeeds();
    machine.run(["users", "list"]).succeeds();
    let mut found = Vec::new();
    owners(&data, &mut found);
    assert!(found.iter().any(|(name, _)| name.ends_with("/secret.key")), "{found:?}");
    found.retain(|(_, owner)| *owner != 4711);
    assert_eq!(found, []);
}
