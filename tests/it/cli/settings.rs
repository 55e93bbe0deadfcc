//! `clifford config`, and the errors of every command about wrong settings.

use std::{ffi::OsString, os::unix::ffi::OsStringExt as _};

use super::{Ended, Machine, shown};

#[test]
fn no_file_is_in_order_and_the_first_step_is_told() {
    let machine = Machine::new();
    let out = machine.run(["config", "check"]).succeeds();
    assert_eq!(
        out.lines().take(2).collect::<Vec<_>>(),
        [
            "defaults and environment (no bot.toml): in order",
            "There is no bot.toml, so the defaults hold; `clifford init` writes one."
        ]
    );
    assert_eq!(machine.run(["config", "check", "--json"]).json()["ok"], true);
}

#[test]
fn every_fault_of_a_file_is_a_line_of_its_own() {
    let machine = Machine::new();
    machine.write(
        "bot.toml",
        "[agent]\nnme = \"Ada\"\n\n[engine]\nmax_iterations = \"many\"\n",
    );
    let ended = machine.run(["config", "check"]);
    let lines: Vec<_> = ended.err.lines().collect();
    assert_eq!(ended.code, 1);
    assert_eq!(lines.len(), 2, "{ended:?}");
    assert!(
        lines[0].starts_with("clifford: bot.toml:2: agent.nme: unknown key"),
        "{ended:?}"
    );
    assert!(lines[0].contains("name"), "{ended:?}");
    assert!(
        lines[1].starts_with("clifford: bot.toml:5: engine.max_iterations: expected a whole number"),
        "{ended:?}"
    );
    let ended = machine.run(["config", "check", "--json"]);
    assert_eq!(ended.code, 1);
    assert_eq!(ended.json()["problems"][0]["place"], "bot.toml:2");
}

#[test]
fn a_faulty_file_stops_every_command_that_reads_it() {
    let machine = Machine::new();
    machine.write("bot.toml", "what = 1\n");
    for args in [
        &["serve"][..],
        &["chat"],
        &["ask", "hello"],
        &["config", "show"],
        &["db", "status"],
        &["runs", "list"],
        &["token", "list"],
        &["pair", "list"],
    ] {
        let ended = machine.run(args);
        assert_eq!(ended.code, 1, "{args:?}");
        assert!(
            ended.err.starts_with("clifford: bot.toml:1: what: unknown"),
            "{args:?}: {ended:?}"
        );
    }
    assert!(!machine.path("data").exists());
}

#[test]
fn a_setting_of_the_environment_that_is_no_text_is_named() {
    let machine = Machine::new();
    let checked = |name: &str| {
        let mut command = machine.command(["config", "check"]);
        command.env(name, OsString::from_vec(vec![b'a', 0xff]));
        Ended::of(command.output().expect("the binary runs"))
    };
    for name in [
        "CLIFFORD_ENGINE__MAX_ITERATIONS",
        "CLIFFORD_API_TOKEN",
        "OPENAI_API_KEY",
        "ANTHROPIC_MODEL",
        "TELEGRAM_BOT_TOKEN",
        "DATABASE_URL",
    ] {
        let ended = checked(name);
        assert_eq!((ended.code, ended.out.as_str()), (1, ""), "{ended:?}");
        assert_eq!(ended.err, format!("clifford: {name}: is not text (UTF-8)\n"));
    }
    // Files of other programs there are none of this one's.
    checked("LESSOPEN").succeeds();
}

#[test]
fn a_key_that_none_can_be_is_told_once() {
    let machine = Machine::new();
    let mut command = machine.command(["ask", "hello"]);
    command.envs([("OPENAI_API_KEY", "a\nb"), ("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")]);
    Ended::of(command.output().expect("the binary runs")).fails_with(
        "the model provider cannot be used: `key` of provider `main` has characters that no key has: look for line \
         breaks and blanks",
    );
}

#[test]
fn a_secret_that_is_no_regular_file_is_not_waited_for() {
    let machine = Machine::new();
    let pipe = machine.path("token");
    let made = std::process::Command::new("mkfifo")
        .arg(&pipe)
        .status()
        .expect("a pipe");
    assert!(made.success());
    machine.write("bot.toml", "[http]\ntoken = { file = \"token\" }\n");
    let ended = machine.run(["config", "check"]);
    let expected = "token cannot be read: it is no regular file; mend that, or set token = { env = \"NAME\" }\n";
    assert_eq!(ended.code, 1);
    assert!(
        ended.err.starts_with("clifford: bot.toml:2: http.token: ") && ended.err.ends_with(expected),
        "{ended:?}"
    );
}

#[test]
fn a_missing_secret_is_named_with_the_way_out() {
    let machine = Machine::new();
    machine.write("bot.toml", "[channels.telegram]\n");
    machine.run(["serve"]).fails_with(
        "bot.toml:1: channels.telegram.token: the environment variable TELEGRAM_BOT_TOKEN is not set; set it, or token = \
         { file = \"PATH\" }, or channels.telegram.enabled = false",
    );
    // A command that connects to no platform needs no token of one.
    assert_eq!(machine.run(["ask", "1 + 2"]).succeeds(), "1 + 2 = 3\n");
    assert_eq!(machine.pipe("3 + 4\n", &["chat", "--quiet"]).succeeds(), "3 + 4 = 7\n");
    let called = machine.run(["tools", "call", "compute.eval", "{\"expression\": \"5 + 6\"}"]);
    assert_eq!(called.succeeds(), "11\n");
}

#[test]
fn a_file_that_is_not_there_is_named() {
    let machine = Machine::new();
    for args in [
        ["--config", "other.toml", "config", "show"],
        ["config", "show", "--config", "other.toml"],
    ] {
        machine
            .run(args)
            .fails_with("other.toml: there is no such file; `clifford init` writes one");
    }
}

#[test]
fn flags_go_before_the_environment_and_the_file_wherever_they_stand() {
    let machine = Machine::new();
    machine.write("bot.toml", "[log]\nlevel = \"warn\"\n[http]\nbind = \"127.0.0.1:1\"\n");
    let out = machine
        .run([
            "--set",
            "log.level=debug",
            "config",
            "show",
            "--set",
            "http.bind=127.0.0.1:2",
            "--json",
        ])
        .json();
    assert_eq!(
        (&out["log"]["level"], &out["http"]["bind"]),
        (&"debug".into(), &"127.0.0.1:2".into())
    );
    let ended = machine.run(["--set", "log.levle=debug", "config", "show"]);
    assert!(
        ended.err.starts_with("clifford: command line: log.levle: unknown key"),
        "{ended:?}"
    );
}

#[test]
fn what_is_shown_can_be_read_again_and_holds_no_secret() {
    let machine = Machine::new();
    let file = machine.write("bot.toml", "[channels.telegram]\ntoken = \"12:secret\"\n");
    let out = machine.run(["config", "show"]).succeeds();
    assert!(!out.contains("12:secret"), "{out}");
    let other = machine.write("other.toml", &out);
    machine.run(["config", "show", "--config", &shown(&other)]).succeeds();
    machine.run(["config", "check", "--config", &shown(&file)]).succeeds();
}

#[test]
fn the_schema_names_every_section() {
    let schema = Machine::new().run(["config", "schema"]).json();
    let sections: Vec<_> = schema["properties"].as_object().expect("sections").keys().collect();
    for section in ["database", "http", "agent", "engine", "llm", "channels", "log"] {
        assert!(sections.iter().any(|known| *known == section), "{section}");
    }
}

#[test]
fn a_check_refuses_what_a_server_would_refuse() {
    let machine = Machine::new();
    machine.write("bot.toml", "[channels.telegram]\ntoken = \"12:a/b?c\"\n");
    let refused = "channels.telegram.token is no bot token: take the one that @BotFather gave, such as 123456:ABC-DEF";
    machine.run(["config", "check"]).fails_with(refused);
    machine
        .run(["serve", "--set", "http.enabled=false"])
        .fails_with(refused);
    let told = machine.run(["config", "check", "--json"]).json();
    assert_eq!(
        (&told["ok"], &told["problems"][0]["fault"]),
        (&false.into(), &refused.into())
    );
}

#[test]
fn a_check_tells_everything_that_a_server_would_refuse() {
    let machine = Machine::new();
    machine.write(
        "bot.toml",
        "[agent]\nnme = \"Ada\"\n[channels.telegram]\n[[llm.providers]]\nname = \"a\"\nkind = \"offline\"\n\
         [[llm.providers]]\nname = \"a\"\nkind = \"offline\"\n[telemetry]\notlp_endpoint = \"http://127.0.0.1:1\"\n",
    );
    let ended = machine.run(["config", "check"]);
    let lines: Vec<_> = ended.err.lines().collect();
    let mut begins = vec![
        "clifford: bot.toml:2: agent.nme: unknown key",
        "clifford: bot.toml:3: channels.telegram.token: the environment variable TELEGRAM_BOT_TOKEN is not set",
        "clifford: bot.toml:8: llm.providers[1].name: \"a\" is already the name",
    ];
    if cfg!(not(feature = "otlp")) {
        begins.push("clifford: telemetry.otlp_endpoint: this Clifford was built without");
    }
    assert_eq!((ended.code, lines.len()), (1, begins.len()), "{ended:?}");
    for (line, begin) in lines.iter().zip(begins) {
        assert!(line.starts_with(begin), "{ended:?}");
    }
}

#[test]
fn a_check_refuses_a_webhook_that_nothing_listens_for() {
    let machine = Machine::new();
    machine.write(
        "bot.toml",
        "[http]\nenabled = false\n[channels.telegram]\ntoken = \"123456:abcdefghijklmnopqrstuvwxyz\"\n\
         receive = \"webhook\"\nwebhook_url = \"https://bot.example/telegram\"\n",
    );
    let ended = machine.run(["config", "check"]);
    assert_eq!(ended.code, 1, "{ended:?}");
    assert!(
        ended.err.contains("nothing listens for them: set http.enabled = true"),
        "{ended:?}"
    );
}
