//! Error messages for wrong configurations.

use super::{PLATFORMS, env, load_with, sources};
use crate::{Config, load};

/// The message about a `bot.toml` with this text.
fn fault(text: &str) -> String {
    load_with(Some(text), &[], &[]).unwrap_err().to_string()
}

/// The message about missing secrets of a `bot.toml` with this text.
fn missing(text: &str, variables: &[(&str, &str)]) -> String {
    load_with(Some(text), variables, &[])
        .unwrap()
        .secrets(&env(variables))
        .unwrap_err()
        .to_string()
}

#[test]
fn an_unknown_key_is_named_with_its_line_and_the_nearest_known_key() {
    let cases = [
        (
            "[engine]\nmax_iteration = 3",
            "bot.toml:2: engine.max_iteration: unknown key; did you mean `engine.max_iterations`?",
        ),
        (
            "[enigne]\nmax_iterations = 3",
            "bot.toml:1: enigne: unknown section; did you mean `engine`?",
        ),
        (
            "[channels.telegramm]\naccess = \"open\"",
            "bot.toml:1: channels.telegramm: unknown section; did you mean `channels.telegram`?",
        ),
        (
            "\n\n[engine]\n\nbind = \"0.0.0.0:1\"",
            "bot.toml:5: engine.bind: unknown key; did you mean `http.bind`?",
        ),
        (
            "[log]\ncolour = true",
            "bot.toml:2: log.colour: unknown key; known here: format, level",
        ),
        (
            "[[llm.providers]]\nname = \"a\"\n[[llm.providers]]\nmodle = \"b\"",
            "bot.toml:4: llm.providers[1].modle: unknown key; did you mean `llm.providers[1].model`?",
        ),
    ];
    assert_eq!(
        cases.map(|(text, _)| fault(text)),
        cases.map(|(_, message)| message.to_owned())
    );
}

#[test]
fn a_wrong_type_is_told_with_what_was_given_and_what_is_allowed() {
    let cases = [
        (
            "[engine]\nmax_iterations = \"twenty\"",
            "bot.toml:2: engine.max_iterations: expected a whole number from 1 to 10000, but got the text \"twenty\"",
        ),
        (
            "engine.record_prompts = \"yes\"",
            "bot.toml:1: engine.record_prompts: expected true or false, but got the text \"yes\"",
        ),
        (
            "[engine]\nmax_iterations = 2.5",
            "bot.toml:2: engine.max_iterations: expected a whole number from 1 to 10000, but got 2.5",
        ),
        (
            "[agent]\nname = 7",
            "bot.toml:2: agent.name: expected a text of 1 to 100 characters, but got 7",
        ),
        ("engine = 1", "bot.toml:1: engine: expected a table, but got 1"),
        (
            "[agents]\nname = \"Ada\"",
            "bot.toml:1: agents: expected a list, but got a table",
        ),
        (
            "[channels.telegram]\nwake_words = [\n  \"Clifford\",\n  3,\n]",
            "bot.toml:4: channels.telegram.wake_words[1]: expected a text of 1 to 100 characters, but got 3",
        ),
        (
            "[engine]\nlease_seconds = 2026-11-22",
            "bot.toml:2: engine.lease_seconds: expected a whole number from 2 to 3600, but got 2026-11-22",
        ),
    ];
    assert_eq!(
        cases.map(|(text, _)| fault(text)),
        cases.map(|(_, message)| message.to_owned())
    );
}

#[test]
fn a_value_out_of_range_is_told_with_the_range() {
    let cases = [
        (
            "[engine]\nmax_iterations = 0",
            "bot.toml:2: engine.max_iterations: expected a whole number from 1 to 10000, but got 0",
        ),
        (
            "[engine]\nmax_run_tokens = 99999999999999999999",
            "bot.toml:2: engine.max_run_tokens: expected a whole number from 1000 to 100000000, but got \
             99999999999999999999",
        ),
        (
            "[[llm.providers]]\nprompt_price = -1",
            "bot.toml:2: llm.providers[0].prompt_price: expected a number from 0 to 1000000, but got -1",
        ),
        (
            "[engine]\ntime_zone = \"Berlin\"",
            "bot.toml:2: engine.time_zone: expected an IANA time zone, such as \"UTC\" or \"Europe/Berlin\", but got the \
             text \"Berlin\"",
        ),
        (
            "[http]\nbind = \"localhost:8088\"",
            "bot.toml:2: http.bind: expected an address with a port, such as \"127.0.0.1:8088\" or \"[::]:8088\", but got \
             the text \"localhost:8088\"",
        ),
        (
            "[database]\nurl = \"mysql://ada:hunter2@db/x\"",
            "bot.toml:2: database.url: expected sqlite:PATH or postgres://USER:PASSWORD@HOST/NAME, but got the text \
             \"mysql://ada:[secret]@db/x\"",
        ),
        (
            "[channels.telegram]\nallow = [\"@ada\"]",
            "bot.toml:2: channels.telegram.allow[0]: expected an id: a number, with or without quotes, but got the text \
             \"@ada\"",
        ),
        (
            "[channels.telegram]\naccess = \"friends\"",
            "bot.toml:2: channels.telegram.access: expected one of \"open\", \"pairing\", \"allowlist\", but got the text \
             \"friends\"",
        ),
    ];
    assert_eq!(
        cases.map(|(text, _)| fault(text)),
        cases.map(|(_, message)| message.to_owned())
    );
}

#[test]
fn a_role_names_a_provider_that_there_is() {
    assert_eq!(
        fault("[llm.roles.memory]\nprovider = \"cheap\"\n[[llm.providers]]\nname = \"big\""),
        "bot.toml:2: llm.roles.memory.provider: there is no provider \"cheap\"; there is big"
    );
}

#[test]
fn keys_that_contradict_each_other_are_named_together() {
    let cases = [
        (
            "[engine]\nmax_iterations = 300",
            "bot.toml:2: engine.max_iterations: max_iterations (300) is more than max_iterations_hard_cap (200); lower \
             the one or raise the other",
        ),
        (
            "[engine]\nmax_iterations_hard_cap = 10",
            "bot.toml:2: engine.max_iterations_hard_cap: max_iterations (20) is more than max_iterations_hard_cap (10); \
             lower the one or raise the other",
        ),
        (
            "[[agents]]\nname = \"clifford\"",
            "bot.toml:2: agents[0].name: \"clifford\" is already the name of agent; give each its own",
        ),
        (
            "[[llm.providers]]\n[[llm.providers]]\nmodel = \"b\"",
            "bot.toml:2: llm.providers[1].name: \"main\" is already the name of llm.providers[0]; give each its own",
        ),
    ];
    assert_eq!(
        cases.map(|(text, _)| fault(text)),
        cases.map(|(_, message)| message.to_owned())
    );
}

#[test]
fn several_faults_are_reported_together_in_the_order_of_the_file() {
    let text = "[log]\nlevl = \"info\"\n[engine]\nmax_iterations = true\n[http]\nbind = 8088\n";
    let errors = load_with(
        Some(text),
        &[("CLIFFORD_HTTP__PORT", "1")],
        &[("delivery.max_parts", "no")],
    )
    .unwrap_err();
    assert_eq!(
        errors.to_string(),
        "bot.toml:2: log.levl: unknown key; did you mean `log.level`?\n\
         bot.toml:4: engine.max_iterations: expected a whole number from 1 to 10000, but got true\n\
         bot.toml:6: http.bind: expected an address with a port, such as \"127.0.0.1:8088\" or \"[::]:8088\", but got 8088\n\
         CLIFFORD_HTTP__PORT: http.port: unknown key; known here: enabled, bind, token, public_url, \
         request_timeout_seconds, max_body_bytes, max_connections, max_connections_per_address, max_streams_per_token, header_timeout_seconds, \
         allowed_hosts\n\
         command line: delivery.max_parts: expected a whole number from 1 to 100, but got the text \"no\""
    );
    assert_eq!(errors.problems().len(), 5);
}

#[test]
fn broken_syntax_is_told_with_its_line_and_without_the_line_itself() {
    let message = fault("[http]\ntoken = \"hunter2\nbind = 1\nx =\n");
    assert_eq!(
        message,
        "bot.toml:2: this is not TOML: invalid basic string, expected `\"`\n\
         bot.toml:4: this is not TOML: string values must be quoted, expected literal string"
    );
}

#[test]
fn a_missing_secret_is_told_with_its_variable_and_what_to_do() {
    let text = "[channels.telegram]\n[channels.discord]\ntoken = { env = \"MY_TOKEN\" }\n[[llm.providers]]\n";
    assert_eq!(
        missing(text, &[("MY_TOKEN", "")]),
        "bot.toml:1: channels.telegram.token: the environment variable TELEGRAM_BOT_TOKEN is not set; set it, or \
         token = { file = \"PATH\" }, or channels.telegram.enabled = false\n\
         bot.toml:3: channels.discord.token: the environment variable MY_TOKEN is not set; set it, or \
         token = { file = \"PATH\" }, or channels.discord.enabled = false\n\
         bot.toml:4: llm.providers[0].key: missing, and api.openai.com answers nobody without one; set \
         key = { env = \"OPENAI_API_KEY\" }, or base_url for another server"
    );
}

#[test]
fn the_usual_owner_token_may_be_missing_but_another_one_may_not() {
    let usual = load_with(Some("[http]\ntoken = { env = \"CLIFFORD_API_TOKEN\" }"), &[], &[]).unwrap();
    assert!(usual.secrets(&env(&[])).unwrap().http_token.is_none());
    let set = env(&[("CLIFFORD_API_TOKEN", "owner-token")]);
    assert_eq!(usual.secrets(&set).unwrap().http_token.unwrap().expose(), "owner-token");
    assert_eq!(
        missing("[http]\ntoken = { env = \"OTHER\" }", &[]),
        "bot.toml:2: http.token: the environment variable OTHER is not set; set it, or token = { file = \"PATH\" }"
    );
}

#[test]
fn what_is_turned_off_needs_no_secret() {
    let text = "[http]\nenabled = false\ntoken = { env = \"OTHER\" }\n[channels.telegram]\nenabled = false\n\
                [[llm.providers]]\nkind = \"offline\"\nkey = { env = \"NONE\" }";
    let secrets = load_with(Some(text), &[], &[]).unwrap().secrets(&env(&[])).unwrap();
    assert_eq!(secrets.all().count(), 0);
}

#[test]
fn no_secret_is_ever_printed() {
    let text = "[http]\ntoken = \"hunter2\"\n[database]\nurl = \"postgres://ada:hunter2@db/x\"\n\
                [channels.telegram]\ntoken = \"hunter2\"\n[[llm.providers]]\nkey = \"hunter2\"\n\
                base_url = \"https://ada:hunter2@models.example/v1\"\n";
    let loaded = load_with(Some(text), &[], &[]).unwrap();
    let shown = loaded.config.show();
    assert!(shown.contains("token = \"[secret]\"\n") && shown.contains("url = \"postgres://ada:[secret]@db/x\"\n"));
    let secrets = loaded.secrets(&env(&[])).unwrap();
    assert_eq!(
        secrets.all().map(|secret| secret.expose()).collect::<Vec<_>>(),
        ["hunter2"; 5]
    );
    let wrong = [
        "[http]\ntoken = [\"hunter2\"]",
        "[http]\ntoken = { evn = \"hunter2\" }",
        "[http]\ntoken = { env = \"A\", file = \"hunter2\" }",
        "[http]\ntoken = { env = [\"hunter2\"] }",
        "[http]\ntoken = hunter2",
        "[http]\ntoken = \"hunter2\ntoken = \"hunter2\"",
        "[database]\nurl = \"postgress://ada:hunter2@db/x\"",
        "[[llm.providers]]\nbase_url = \"ada:hunter2@models.example\"",
    ];
    let mut printed = vec![shown, format!("{loaded:?}"), format!("{secrets:?}")];
    printed.extend(wrong.map(fault));
    assert_eq!(
        printed
            .iter()
            .filter(|text| text.contains("hunter2"))
            .collect::<Vec<_>>(),
        Vec::<&String>::new()
    );
    assert_eq!(
        fault(wrong[0]),
        "bot.toml:2: http.token: expected { env = \"NAME\" }, { file = \"PATH\" } or the text itself"
    );
}

#[test]
fn what_is_shown_is_itself_a_configuration_with_the_same_meaning() {
    let text = "[channels.telegram]\nallow = [1, \"2\"]\n[channels.discord]\ndev_guild = 3\n\
                [[llm.providers]]\nkey = { file = \"/run/key\" }\nmax_tokens = 100\nprompt_price = 0.5\n";
    let loaded = load_with(Some(text), &[], &[]).unwrap();
    assert_eq!(
        Config::parse(&loaded.config.show(), "shown".as_ref(), PLATFORMS),
        Ok(loaded.config)
    );
}

#[test]
fn a_file_that_cannot_be_read_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let mut asked = sources(dir.path(), &[], &[]);
    asked.file = Some("my.toml".into());
    assert_eq!(
        load(&asked).unwrap_err().to_string(),
        "my.toml: there is no such file; `clifford init` writes one"
    );
    std::fs::create_dir(dir.path().join("my.toml")).unwrap();
    assert_eq!(
        load(&asked).unwrap_err().to_string(),
        "my.toml: cannot be read: Is a directory (os error 21)"
    );
    std::fs::write(dir.path().join("bot.toml"), [0xff, 0xfe]).unwrap();
    let found = load(&sources(dir.path(), &[], &[])).unwrap_err().to_string();
    assert_eq!(found, "bot.toml: cannot be read: stream did not contain valid UTF-8");
}

#[test]
fn without_a_home_the_data_directory_must_be_set() {
    let dir = tempfile::tempdir().unwrap();
    let mut homeless = sources(dir.path(), &[], &[]);
    homeless.env.clear();
    assert_eq!(
        load(&homeless).unwrap_err().to_string(),
        "data.dir: neither XDG_DATA_HOME nor HOME tells where; set data.dir or CLIFFORD_DATA__DIR"
    );
}

#[test]
fn the_schema_for_editors_agrees_with_the_checks() {
    let schema = crate::schema(PLATFORMS);
    let validator = jsonschema::validator_for(&schema).unwrap();
    let json = |text: &str| serde_json::to_value(toml::from_str::<toml::Value>(text).unwrap()).unwrap();
    let good = "[agent]\nname = \"Ada\"\n[channels.telegram]\nallow = [1, \"2\"]\ntoken = { env = \"T\" }";
    assert!(validator.is_valid(&json(good)));
    for bad in [
        "[agent]\nnmae = \"Ada\"",
        "[engine]\nmax_iterations = 0",
        "[http]\ntoken = { evn = \"T\" }",
    ] {
        assert!(!validator.is_valid(&json(bad)), "{bad}");
    }
}

#[test]
fn faults_between_keys_are_told_with_those_of_types() {
    let text = "[engine]\nnope = 1\n[[llm.providers]]\nname = \"a\"\nmodel = 3\n[[llm.providers]]\nname = \"A\"\n\
                [[budgets]]\nscope = \"space\"\nper = \"day\"\nplatform_roles = [\"x\"]\n[log]\nlevel = 1";
    let told = fault(text);
    let lines: Vec<_> = told.lines().collect();
    let begins = [
        "bot.toml:2: engine.nope: unknown key",
        "bot.toml:5: llm.providers[0].model: expected a text",
        "bot.toml:7: llm.providers[1].name: \"A\" is already the name of llm.providers[0]",
        "bot.toml:10: budgets[0].per: unknown key; did you mean `budgets[0].period`?",
        "bot.toml:11: budgets[0].platform_roles: only a budget of scope",
        "bot.toml:13: log.level: expected",
    ];
    assert_eq!(lines.len(), begins.len(), "{told}");
    for (line, begin) in lines.iter().zip(begins) {
        assert!(line.starts_with(begin), "{told}");
    }
}

#[test]
fn what_was_left_out_makes_no_fault_of_its_own() {
    for text in [
        "[[llm.providers]]\nname = 3\n[llm.roles.planner]\nprovider = \"a\"",
        "[engine]\nmax_iterations_hard_cap = 3\nmax_iterations = \"many\"",
        "[channels.telegram]\ntoken = 7",
    ] {
        let told = fault(text);
        assert_eq!(told.lines().count(), 1, "{told}");
    }
}

#[test]
fn keys_in_quotes_and_items_between_others_are_left_out_where_they_stand() {
    let told = fault(
        "[log]\n\"a.b[0]\" = 1\n[http]\nallowed_hosts = [1, \"a\", 2, \"b\"]\n[engine]\nmax_iterations_hard_cap = 0",
    );
    let keys: Vec<_> = (told.lines()).filter_map(|line| line.split(": ").nth(1)).collect();
    assert_eq!(
        keys,
        [
            "log.a.b[0]",
            "http.allowed_hosts[0]",
            "http.allowed_hosts[2]",
            "engine.max_iterations_hard_cap"
        ],
        "{told}"
    );
}

/// A reader that compares or moves something with each fault takes minutes here.
#[test]
fn tens_of_thousands_of_faults_are_told_in_seconds() {
    let items: String = (0..80_000).map(|n| if n % 2 == 0 { "\"a\"," } else { "1," }).collect();
    let keys: String = (0..5_000).map(|n| format!("k{n} = 1\n")).collect();
    let began = std::time::Instant::now();
    for (text, faults) in [
        (format!("[http]\nallowed_hosts = [{items}]"), 40_000),
        (format!("[engine]\n{keys}"), 5_000),
        (format!("[engine]\n{} = 1", "a".repeat(1 << 20)), 1),
    ] {
        assert_eq!(load_with(Some(&text), &[], &[]).unwrap_err().problems().len(), faults);
    }
    assert!(began.elapsed().as_secs() < 60, "{:?}", began.elapsed());
}

#[test]
fn a_look_finds_missing_secrets_beside_other_faults() {
    let cwd = tempfile::tempdir().unwrap();
    let text = "[http]\nbnd = \"x\"\n[channels.telegram]\n[channels.discord]\ntoken = 7\n";
    std::fs::write(cwd.path().join("bot.toml"), text).unwrap();
    let examined = crate::examine(&sources(cwd.path(), &[], &[]));
    let keys: Vec<_> = examined.problems.iter().map(|problem| problem.key.as_str()).collect();
    assert_eq!(keys, ["http.bnd", "channels.telegram.token", "channels.discord.token"]);
    assert!(examined.found.is_some());
}

#[test]
fn a_file_without_an_end_is_not_read_to_it() {
    let cwd = tempfile::tempdir().unwrap();
    let file = std::fs::File::create(cwd.path().join("bot.toml")).unwrap();
    file.set_len((4 << 20) + 1).unwrap();
    assert_eq!(
        load(&sources(cwd.path(), &[], &[])).unwrap_err().to_string(),
        "bot.toml: is longer than 4194304 bytes: is this the right file?"
    );
}
