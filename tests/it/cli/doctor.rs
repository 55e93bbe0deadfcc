//! `clifford doctor`.

use std::{fs, os::unix::fs::PermissionsExt};

use clifford_fakes::{
    discord::DiscordFake,
    openai::{OpenAiFake, Reply},
    telegram::TelegramFake,
};
use serde_json::Value;

use super::{Ended, Machine};

/// The check of this name: status, what was found and how to mend it.
fn check(ended: &Ended, name: &str) -> (String, String, String) {
    let report = ended.json();
    let checks = report["checks"].as_array().expect("checks");
    let check = checks.iter().find(|check| check["check"] == name);
    let check = check.unwrap_or_else(|| panic!("no check {name}: {report}"));
    let text = |key: &str| check[key].as_str().unwrap_or_default().to_owned();
    (text("status"), text("found"), text("mend"))
}

#[test]
fn an_empty_machine_has_nothing_wrong() {
    let machine = Machine::new();
    let ended = machine.run(["doctor", "--json", "--set", "http.bind=127.0.0.1:0"]);
    assert_eq!((ended.code, &ended.json()["ok"]), (0, &true.into()), "{ended:?}");
    assert_eq!(check(&ended, "config").0, "ok");
    assert!(
        check(&ended, "database")
            .1
            .ends_with("is not there yet; the first start makes it")
    );
    assert_eq!(check(&ended, "model").0, "warn");
    assert!(!machine.database().exists(), "looking changes nothing");
    let text = machine.run(["doctor", "--set", "http.bind=127.0.0.1:0"]).succeeds();
    assert!(text.starts_with("ok    config    "), "{text}");
}

#[test]
fn a_database_that_is_there_is_written_to() {
    let machine = Machine::asked("hello");
    let ended = machine.run(["doctor", "--json"]);
    let (status, found, _) = check(&ended, "database");
    assert_eq!(status, "ok", "{ended:?}");
    assert!(found.ends_with("up to date"), "{found}");
}

#[test]
fn a_place_for_data_that_cannot_be_used_fails() {
    let machine = Machine::new();
    machine.write("data", "a file in the way");
    let ended = machine.run(["doctor", "--json"]);
    let (status, found, mend) = check(&ended, "database");
    assert_eq!((ended.code, status.as_str()), (1, "fail"), "{ended:?}");
    assert!(found.contains("is no directory that can be written to"), "{found}");
    assert_eq!(mend, "make it one, or set data.dir or database.url");
}

#[test]
fn faults_of_the_settings_are_checks_that_fail() {
    let machine = Machine::new();
    machine.write("bot.toml", "[agent]\nnme = 1\n");
    let ended = machine.run(["doctor", "--json"]);
    let (status, found, _) = check(&ended, "config");
    assert_eq!((ended.code, status.as_str()), (1, "fail"), "{ended:?}");
    assert!(found.starts_with("bot.toml:2: agent.nme: unknown key"), "{found}");
}

#[test]
fn a_secret_that_others_can_read_in_the_settings_is_told_without_it() {
    let machine = Machine::new();
    let looked = |text: &str, mode: u32| {
        machine.write("bot.toml", text);
        fs::set_permissions(machine.path("bot.toml"), fs::Permissions::from_mode(mode)).expect("a mode");
        let ended = machine.run(["doctor", "--json", "--set", "http.bind=127.0.0.1:0"]);
        assert!(!ended.json().to_string().contains("a-long-token"), "{ended:?}");
        check(&ended, "config")
    };
    let secret = "[http]\ntoken = \"a-long-token-of-the-owner-0123456789\"\n";
    let (status, found, mend) = looked(secret, 0o644);
    assert_eq!(
        (status.as_str(), found.as_str()),
        (
            "warn",
            "bot.toml holds a secret, and other users of this machine can read it"
        )
    );
    assert!(mend.starts_with("chmod go= bot.toml"), "{mend}");
    assert_eq!(looked(secret, 0o600).0, "ok");
    assert_eq!(looked("[agent]\nname = \"Ada\"\n", 0o644).0, "ok");
}

#[tokio::test(flavor = "multi_thread")]
async fn platforms_and_the_model_are_asked_for_real() {
    let machine = Machine::new();
    let telegram = TelegramFake::start().await.expect("a fake");
    let discord = DiscordFake::start().await;
    let model = OpenAiFake::start().await;
    model.push(Reply::text("OK"));
    let env = [
        ("TELEGRAM_BOT_TOKEN", telegram.token().to_owned()),
        ("CLIFFORD_CHANNELS__TELEGRAM__API_URL", telegram.api_url().to_owned()),
        ("DISCORD_BOT_TOKEN", DiscordFake::TOKEN.to_owned()),
        ("CLIFFORD_CHANNELS__DISCORD__API_URL", discord.api_url()),
        ("OPENAI_BASE_URL", model.base_url()),
        ("OPENAI_API_KEY", "sk-right".to_owned()),
    ];
    model.require_key("sk-right");
    let ended = machine.run_beside(&["doctor", "--json"], &env).await;
    let (status, found, _) = check(&ended, "telegram");
    assert_eq!(
        (status.as_str(), found.as_str()),
        ("ok", "@clifford_bot, reads all messages in groups"),
        "{ended:?}"
    );
    let (status, found, _) = check(&ended, "discord");
    assert_eq!(
        (status.as_str(), found.as_str()),
        ("ok", "clifford, may read messages"),
        "{ended:?}"
    );
    assert_eq!(check(&ended, "model").0, "ok", "{ended:?}");
    assert_eq!(check(&ended, "clock").0, "ok", "{ended:?}");
    assert_eq!(model.violations(), Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_discord_bot_that_may_not_read_messages_is_warned_of_and_told_where_to_mend_it() {
    let machine = Machine::new();
    let discord = DiscordFake::start().await;
    discord.without_message_content();
    let env = [
        ("DISCORD_BOT_TOKEN", DiscordFake::TOKEN.to_owned()),
        ("CLIFFORD_CHANNELS__DISCORD__API_URL", discord.api_url()),
    ];
    let ended = machine.run_beside(&["doctor", "--json"], &env).await;
    let (status, found, mend) = check(&ended, "discord");
    assert_eq!(
        (ended.code, status.as_str(), found.as_str()),
        (
            0,
            "warn",
            "clifford lacks the Message Content intent: in servers it hears mentions, replies that ping it and commands \
             only"
        ),
        "{ended:?}"
    );
    assert_eq!(
        mend,
        "turn on Message Content Intent at https://discord.com/developers/applications → your application → Bot"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn wrong_tokens_fail_without_being_shown() {
    let machine = Machine::new();
    let telegram = TelegramFake::start().await.expect("a fake");
    let discord = DiscordFake::start().await;
    let model = OpenAiFake::start().await;
    model.require_key("sk-right");
    let env = [
        ("TELEGRAM_BOT_TOKEN", "123:wrong-telegram".to_owned()),
        ("CLIFFORD_CHANNELS__TELEGRAM__API_URL", telegram.api_url().to_owned()),
        ("DISCORD_BOT_TOKEN", "wrong-discord".to_owned()),
        ("CLIFFORD_CHANNELS__DISCORD__API_URL", discord.api_url()),
        ("OPENAI_BASE_URL", model.base_url()),
        ("OPENAI_API_KEY", "sk-wrong-model".to_owned()),
    ];
    let ended = machine.run_beside(&["doctor", "--json"], &env).await;
    assert_eq!(ended.code, 1);
    for name in ["telegram", "discord", "model"] {
        let (status, found, mend) = check(&ended, name);
        assert_eq!(status, "fail", "{name}: {ended:?}");
        assert!(!mend.is_empty());
        if name == "discord" {
            assert_eq!(found, "Discord does not know the token (it says: 401: Unauthorized)");
            assert!(mend.contains("https://discord.com/developers/applications"), "{mend}");
        }
    }
    assert!(
        !ended.out.contains("wrong-") && !ended.err.contains("wrong-"),
        "{ended:?}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_platform_that_does_not_answer_is_told_from_a_wrong_token() {
    let machine = Machine::new();
    let env = [
        ("TELEGRAM_BOT_TOKEN", "123:secret-token".to_owned()),
        ("CLIFFORD_CHANNELS__TELEGRAM__API_URL", "http://127.0.0.1:1".to_owned()),
        ("OPENAI_BASE_URL", "http://127.0.0.1:1/v1".to_owned()),
    ];
    let ended = machine.run_beside(&["doctor", "--json"], &env).await;
    let (status, found, _) = check(&ended, "model");
    assert_eq!(status, "fail", "{ended:?}");
    assert!(
        found.ends_with("/v1: main is not available: no connection: Connection refused"),
        "{found}"
    );
    let (status, found, mend) = check(&ended, "telegram");
    assert_eq!(status, "fail", "{ended:?}");
    assert!(
        found.starts_with("no answer: ") && !found.contains("os error"),
        "{found}"
    );
    assert!(mend.starts_with("check the network"), "{mend}");
    assert!(!ended.out.contains("secret-token"), "{ended:?}");
    assert_eq!(ended.json()["ok"], Value::Bool(false));
}

#[test]
fn each_mcp_server_is_asked_who_it_is_and_what_it_offers() {
    let machine = Machine::new();
    let fake = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fakes/mcp.sh");
    let config = format!(
        "[[tools.mcp]]\nname = \"fake\"\ncommand = \"sh\"\nargs = [{fake:?}]\n\
         [[tools.mcp]]\nname = \"off\"\nenabled = false\ncommand = \"sh\"\nenv = {{ A_KEY = {{ env = \"NO_SUCH\" }} }}\n\
         [[tools.mcp]]\nname = \"broken\"\ncommand = \"/no/such/program\"\n"
    );
    machine.write("bot.toml", &config);
    let ended = machine.run(["doctor", "--json", "--set", "http.enabled=false"]);
    let report = ended.json();
    let checks = report["checks"].as_array().expect("checks");
    let told: Vec<_> = checks
        .iter()
        .filter(|check| check["check"] == "mcp")
        .map(|check| (&check["status"], check["found"].as_str().expect("a text")))
        .collect();
    assert_eq!(told[0], (&"ok".into(), "fake: fake 1.2.3, 10 tools"), "{report}");
    assert_eq!(told[1].0, "fail", "{report}");
    assert!(
        told[1]
            .1
            .starts_with("broken: `/no/such/program` cannot be started: No such file"),
        "{report}"
    );
    assert_eq!((ended.code, told.len()), (1, 2), "{report}");
}

#[test]
fn faults_of_mcp_servers_are_told_with_the_settings() {
    let machine = Machine::new();
    machine.write(
        "bot.toml",
        "[[tools.mcp]]\nname = \"x\"\n\n[[tools.mcp]]\nnme = \"y\"\n",
    );
    let ended = machine.run(["config", "check"]);
    assert_eq!(ended.code, 1);
    assert!(
        ended
            .err
            .contains("bot.toml:5: tools.mcp[1].nme: unknown key; did you mean `tools.mcp[1].name`?"),
        "{ended:?}"
    );
    machine.write("bot.toml", "[[tools.mcp]]\nname = \"x\"\n");
    let ended = machine.run(["config", "check"]);
    assert!(
        ended.err.contains("mcp: server 1 (`x`): it needs a command or a url"),
        "{ended:?}"
    );
}

#[test]
fn a_rule_about_a_tool_that_is_not_there_is_warned_of() {
    let machine = Machine::new();
    let rules = "policies=[{ action = \"deny\", name = \"quiet\", tools = [\"web\", \"memroy\"] }]";
    let ended = machine.run(["doctor", "--json", "--set", rules]);
    let (status, found, mend) = check(&ended, "rules");
    assert_eq!(
        (status.as_str(), found.as_str()),
        (
            "warn",
            "rule 1 (`quiet`): there is no tool `memroy`; did you mean `memory`?"
        ),
        "{ended:?}"
    );
    assert!(mend.contains("[[policies]]"), "{mend}");
}

#[test]
fn an_api_that_listens_beyond_the_machine_is_warned_of() {
    let machine = Machine::new();
    let ended = machine.run(["doctor", "--json", "--set", "http.bind=0.0.0.0:0"]);
    let (status, found, mend) = check(&ended, "reach");
    assert_eq!(status, "warn", "{ended:?}");
    assert_eq!(
        found,
        "the API listens beyond this machine (0.0.0.0:0), without TLS, and answers to any name"
    );
    assert!(mend.starts_with("put a proxy with TLS before it"), "{mend}");
    assert!(mend.contains("http.public_url"), "{mend}");
    let proxied = [
        "--set",
        "http.bind=0.0.0.0:0",
        "--set",
        "http.public_url=https://bot.example",
    ];
    let ended = machine.run(["doctor", "--json"].into_iter().chain(proxied));
    let (status, found, _) = check(&ended, "reach");
    assert_eq!(status, "ok", "{ended:?}");
    assert!(
        found.contains("(0.0.0.0:0)") && found.contains("let nothing else reach it"),
        "{found}"
    );
}
