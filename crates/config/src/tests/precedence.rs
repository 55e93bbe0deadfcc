//! Sources of the settings, and their precedence.

use std::{path::PathBuf, time::Duration};

use clifford_channel::{Access, Id};
use clifford_vault::SecretSource;
use serde_json::json;

use super::{PLATFORMS, env, load_with, sources};
use crate::{Channels, Config, Origin, Provider, ProviderKind, config_dir, load};

/// The platforms that are on.
fn on(channels: &Channels) -> Vec<&str> {
    channels.enabled().map(|section| section.platform().as_str()).collect()
}

/// Sections of these platforms with nothing in them.
fn defaults(platforms: &[&str]) -> Channels {
    let sections = platforms.iter().map(|name| ((*name).to_owned(), json!({})));
    Channels::read(sections.collect(), PLATFORMS).unwrap()
}

/// The defaults, with those of the platforms' tools.
fn usual() -> Config {
    Config::parse("", "bot.toml".as_ref(), PLATFORMS).unwrap()
}

#[test]
fn with_nothing_at_all_the_defaults_hold_and_the_offline_responder_answers() {
    let loaded = load_with(None, &[], &[]).unwrap();
    let mut expected = usual();
    expected.llm.providers = vec![Provider::offline()];
    assert_eq!(loaded.config, expected);
    assert_eq!(loaded.origin, Origin::Defaults);
    assert_eq!(loaded.data_dir, PathBuf::from("/home/ada/.local/share/clifford"));
    assert_eq!(
        loaded.database_url.as_str(),
        "sqlite:/home/ada/.local/share/clifford/clifford.db"
    );
    assert_eq!(
        loaded.hints,
        [
            "There is no bot.toml, so the defaults hold; `clifford init` writes one.",
            "No language model is set, so the offline responder answers; set OPENAI_API_KEY or \
             ANTHROPIC_API_KEY, or OPENAI_BASE_URL for a server of your own.",
            "No chat platform is on; set TELEGRAM_BOT_TOKEN or DISCORD_BOT_TOKEN, or talk here with `clifford chat`.",
        ]
    );
}

#[test]
fn without_a_file_the_environment_turns_on_channels_provider_and_database() {
    let variables = [
        ("TELEGRAM_BOT_TOKEN", "1:a"),
        ("DISCORD_BOT_TOKEN", ""),
        ("OPENAI_API_KEY", "sk-1"),
        ("OPENAI_MODEL", "tiny"),
        ("DATABASE_URL", "postgres://ada:hunter2@db/clifford"),
    ];
    let loaded = load_with(None, &variables, &[]).unwrap();
    assert_eq!(on(&loaded.config.channels), ["telegram"]);
    assert_eq!(loaded.config.channels, defaults(&["telegram"]));
    let provider = &loaded.config.llm.providers[0];
    assert_eq!(
        (provider.kind, provider.base_url.as_str()),
        (ProviderKind::Openai, "https://api.openai.com/v1")
    );
    assert_eq!(provider.model, "tiny");
    assert_eq!(loaded.database_url.as_str(), "postgres://ada:hunter2@db/clifford");
    assert_eq!(
        loaded.hints,
        ["There is no bot.toml, so the defaults hold; `clifford init` writes one."]
    );
    let secrets = loaded.secrets(&env(&variables)).unwrap();
    assert_eq!(
        secrets.all().map(|secret| secret.expose()).collect::<Vec<_>>(),
        ["1:a", "sk-1", "hunter2"]
    );
}

#[test]
fn a_base_url_alone_means_a_server_that_needs_no_key() {
    let variables = [("OPENAI_BASE_URL", "http://127.0.0.1:8080/v1")];
    let loaded = load_with(None, &variables, &[]).unwrap();
    let expected = Provider {
        base_url: "http://127.0.0.1:8080/v1".into(),
        ..Provider::default()
    };
    assert_eq!(loaded.config.llm.providers, [expected]);
    assert_eq!(loaded.secrets(&env(&variables)).unwrap().all().count(), 0);
    let wrong = load_with(None, &[("OPENAI_BASE_URL", "127.0.0.1:8080")], &[]).unwrap_err();
    assert_eq!(
        wrong.to_string(),
        "OPENAI_BASE_URL: llm.providers[0].base_url: expected a URL that begins with http:// or https://, but got the \
         text \"127.0.0.1:8080\""
    );
}

#[test]
fn a_key_for_anthropic_alone_makes_it_the_provider_and_openai_goes_first() {
    let loaded = load_with(
        None,
        &[("ANTHROPIC_API_KEY", "sk-2"), ("ANTHROPIC_MODEL", "claude-big")],
        &[],
    )
    .unwrap();
    let provider = Provider {
        kind: ProviderKind::Anthropic,
        base_url: "https://api.anthropic.com".into(),
        model: "claude-big".to_owned(),
        key: Some(SecretSource::Env("ANTHROPIC_API_KEY".to_owned())),
        ..Provider::default()
    };
    assert_eq!(loaded.config.llm.providers, [provider]);
    let both = [("ANTHROPIC_API_KEY", "sk-2"), ("OPENAI_API_KEY", "sk-1")];
    let loaded = load_with(None, &both, &[]).unwrap();
    assert_eq!(loaded.config.llm.providers[0].kind, ProviderKind::Openai);
}

#[test]
fn a_provider_of_anthropics_kind_has_its_address_and_model_unless_they_are_set() {
    let loaded = load_with(Some("[[llm.providers]]\nkind = \"anthropic\"\nkey = \"sk\""), &[], &[]).unwrap();
    let provider = &loaded.config.llm.providers[0];
    assert_eq!(
        (provider.base_url.as_str(), provider.model.as_str()),
        ("https://api.anthropic.com", "claude-haiku-4-5")
    );
}

#[test]
fn budgets_that_limit_nothing_are_pointed_out() {
    let text = "[[budgets]]\nscope = \"user\"\n[[budgets]]\ncost = 1.0\n[[budgets]]\ntokens = 5";
    let loaded = load_with(Some(text), &[], &[]).unwrap();
    assert_eq!(
        loaded.hints,
        [
            "budgets[0] limits nothing; set its cost or tokens.",
            "budgets[1].cost limits nothing, since no provider has prices; set prompt_price and completion_price.",
        ]
    );
}

#[test]
fn with_a_file_the_environment_turns_on_nothing_but_a_provider() {
    let variables = [
        ("TELEGRAM_BOT_TOKEN", "1:a"),
        ("DATABASE_URL", "postgres://db/x"),
        ("OPENAI_API_KEY", "sk-1"),
        ("CLIFFORD_HTTP_BIND", "127.0.0.1:1"),
        ("CLIFFORD_PORT_8088_TCP", "tcp://10.0.0.1:8088"),
    ];
    let loaded = load_with(Some("[channels.discord]\naccess = \"allowlist\""), &variables, &[]).unwrap();
    assert_eq!(loaded.origin, Origin::File(PathBuf::from("bot.toml")));
    assert_eq!(on(&loaded.config.channels), ["discord"]);
    assert_eq!(
        loaded.database_url.as_str(),
        "sqlite:/home/ada/.local/share/clifford/clifford.db"
    );
    assert_eq!(loaded.config.llm.providers[0].name, "main");
    assert_eq!(
        loaded.hints,
        [
            "TELEGRAM_BOT_TOKEN is set, but bot.toml has no [channels.telegram]; add it to turn the platform on.",
            "channels.discord.allow is empty, so nobody may talk to the bot there in private.",
            "CLIFFORD_HTTP_BIND is not read; did you mean CLIFFORD_HTTP__BIND?",
        ]
    );
    let wrong = load_with(Some("llm = \"openai\""), &variables, &[]).unwrap_err();
    assert_eq!(
        wrong.to_string(),
        "bot.toml:1: llm: expected a table, but got the text \"openai\""
    );
    let offline = load_with(
        Some("[[llm.providers]]\nname = \"none\"\nkind = \"offline\""),
        &variables,
        &[],
    )
    .unwrap();
    assert_eq!(
        offline.config.llm.providers,
        [Provider {
            name: "none".to_owned(),
            ..Provider::offline()
        }]
    );
}

#[test]
fn flags_go_before_the_environment_and_the_environment_before_the_file() {
    let text = "[engine]\nmax_iterations = 3\nmax_run_seconds = 3\nlease_seconds = 3\n[http]\nbind = \"127.0.0.1:3\"";
    let variables = [
        ("CLIFFORD_ENGINE__MAX_ITERATIONS", "4"),
        ("clifford_engine__max_run_seconds", "4"),
        ("CLIFFORD_API_TOKEN", "owner"),
        ("CLIFFORD_CRASH_AT", "nowhere"),
    ];
    let loaded = load_with(Some(text), &variables, &[("engine.max_iterations", "5")]).unwrap();
    let mut expected = usual();
    expected.engine.max_iterations = 5;
    expected.engine.max_run_time = Duration::from_secs(4);
    expected.engine.lease = Duration::from_secs(3);
    expected.http.bind = "127.0.0.1:3".parse().unwrap();
    expected.llm.providers = vec![Provider::offline()];
    assert_eq!(loaded.config, expected);
    assert_eq!(loaded.hints, Vec::<String>::new());
}

#[test]
fn variables_are_read_as_toml_or_json_and_else_as_text() {
    let variables = [
        ("CLIFFORD_AGENT__NAME", "1984"),
        ("CLIFFORD_AGENT__PROMPT", "[You] are \"Ada\"\nand nobody else."),
        ("CLIFFORD_LOG__LEVEL", "\"debug\""),
        ("CLIFFORD_CHANNELS__TELEGRAM__TOKEN", "{ env = \"OTHER\" }"),
        ("CLIFFORD_CHANNELS__TELEGRAM__ACCESS", "allowlist"),
        ("CLIFFORD_CHANNELS__TELEGRAM__ALLOW", "[1, \"2\"]"),
        ("CLIFFORD_CHANNELS__DISCORD__TOKEN", "123"),
        ("CLIFFORD_CHANNELS__DISCORD__DEV_GUILD", "80351110224678912"),
        (
            "CLIFFORD_LLM__PROVIDERS",
            "[{\"name\": \"near\", \"kind\": \"offline\"}]",
        ),
        ("CLIFFORD_AGENTS", "[{ name = \"Ada\", enabled = false }]"),
        ("OTHER", "1:b"),
    ];
    let loaded = load_with(None, &variables, &[]).unwrap();
    let config = &loaded.config;
    assert_eq!(
        (config.agent.name.as_str(), config.log.level.as_str()),
        ("1984", "debug")
    );
    assert_eq!(config.agent.prompt, "[You] are \"Ada\"\nand nobody else.");
    assert_eq!(
        config.llm.providers,
        [Provider {
            name: "near".to_owned(),
            ..Provider::offline()
        }]
    );
    assert_eq!(
        config.all_agents().map(|agent| agent.enabled).collect::<Vec<_>>(),
        [true, false]
    );
    let telegram = &config.channels.get("telegram").unwrap().common().audience;
    assert_eq!(telegram.access, Access::Allowlist);
    assert_eq!(telegram.allow.iter().map(Id::as_str).collect::<Vec<_>>(), ["1", "2"]);
    let discord = serde_json::to_value(config.channels.get("discord")).unwrap();
    assert_eq!(discord["dev_guild"], "80351110224678912");
    let secrets = loaded.secrets(&env(&variables)).unwrap();
    assert_eq!(
        secrets.all().map(|secret| secret.expose()).collect::<Vec<_>>(),
        ["1:b", "123"]
    );
}

#[test]
fn an_unknown_variable_of_ours_is_an_error_that_names_the_nearest() {
    let cases = [
        (
            ("CLIFFORD_ENGINE__MAX_ITERATION", "4"),
            "CLIFFORD_ENGINE__MAX_ITERATION: engine.max_iteration: unknown key; did you mean `engine.max_iterations`?",
        ),
        (
            ("CLIFFORD_CHANELS__TELEGRAM__ACCESS", "open"),
            "CLIFFORD_CHANELS__TELEGRAM__ACCESS: chanels: unknown section; did you mean `channels`?",
        ),
        (
            ("CLIFFORD_ENGINE__PLANNING_GATE", "maybe"),
            "CLIFFORD_ENGINE__PLANNING_GATE: engine.planning_gate: expected one of \"required\", \"off\", but got the text \
             \"maybe\"",
        ),
        (
            ("CLIFFORD_LLM__PROVIDERS__0__MODEL", "tiny"),
            "CLIFFORD_LLM__PROVIDERS__0__MODEL: llm.providers: expected a list, but got a table",
        ),
    ];
    for (variable, message) in cases {
        assert_eq!(load_with(None, &[variable], &[]).unwrap_err().to_string(), message);
    }
}

#[test]
fn the_file_that_is_asked_for_goes_before_the_working_directory_and_that_before_the_configuration_directory() {
    let cwd = tempfile::tempdir().unwrap();
    let config_dir = tempfile::tempdir().unwrap();
    let far = config_dir.path().join("bot.toml");
    let mut asked = sources(cwd.path(), &[], &[]);
    asked.config_dir = Some(config_dir.path().to_owned());
    let mut found = Vec::new();
    for (path, text) in [
        (far.clone(), "[agent]\nname = \"far\""),
        (cwd.path().join("bot.toml"), "[agent]\nname = \"near\""),
        (cwd.path().join("my.toml"), "[agent]\nname = \"mine\""),
    ] {
        std::fs::write(&path, text).unwrap();
        asked.file = path.ends_with("my.toml").then(|| "my.toml".into());
        let loaded = load(&asked).unwrap();
        found.push((loaded.config.agent.name, loaded.origin));
    }
    let expected = [("far", far), ("near", "bot.toml".into()), ("mine", "my.toml".into())];
    assert_eq!(
        found,
        expected.map(|(name, path)| (name.to_owned(), Origin::File(path)))
    );
}

#[test]
fn a_file_from_another_editor_is_read_as_well() {
    let loaded = load_with(Some("\u{feff}[agent]\r\nname = \"Ada\"\r\n"), &[], &[]).unwrap();
    assert_eq!(loaded.config.agent.name, "Ada");
    let wrong = load_with(Some("\r\n\r\n[agent]\r\nnmae = \"Ada\"\r\n"), &[], &[]).unwrap_err();
    assert_eq!(
        wrong.to_string(),
        "bot.toml:4: agent.nmae: unknown key; did you mean `agent.name`?"
    );
}

#[test]
fn directories_follow_the_xdg_variables_if_they_are_absolute() {
    let loaded = load_with(
        None,
        &[("XDG_DATA_HOME", "/data"), ("XDG_CONFIG_HOME", "relative")],
        &[],
    )
    .unwrap();
    assert_eq!(loaded.data_dir, PathBuf::from("/data/clifford"));
    assert_eq!(
        config_dir(&env(&[("XDG_CONFIG_HOME", "relative")])),
        Some("/home/ada/.config/clifford".into())
    );
    assert_eq!(
        config_dir(&env(&[("XDG_CONFIG_HOME", "/etc/xdg")])),
        Some("/etc/xdg/clifford".into())
    );
    let set = load_with(Some("[data]\ndir = \"/srv/100%?\""), &[], &[]).unwrap();
    assert_eq!(set.data_dir, PathBuf::from("/srv/100%?"));
    assert_eq!(set.database_url.as_str(), "sqlite:/srv/100%?/clifford.db");
}

#[test]
fn the_keys_that_never_change_are_read_as_they_always_were() {
    let text = r#"
        [database]
        url = "sqlite:clifford.db"
        [http]
        bind = "127.0.0.1:8088"
        token = { env = "CLIFFORD_API_TOKEN" }
        [agent]
        name = "Clifford"
        mode = "run"
        [engine]
        max_iterations = 20
        planning_gate = "required"
        [[llm.providers]]
        name = "main"
        kind = "openai"
        base_url = "https://api.openai.com/v1"
        model = "gpt-4o-mini"
        key = { env = "OPENAI_API_KEY" }
        [channels.telegram]
        token = { env = "TELEGRAM_BOT_TOKEN" }
        api_url = "https://api.telegram.org"
        access = "pairing"
        [channels.discord]
        token = { env = "DISCORD_BOT_TOKEN" }
        api_url = "https://discord.com"
        access = "open"
    "#;
    let variables = [
        ("OPENAI_API_KEY", "k"),
        ("TELEGRAM_BOT_TOKEN", "t"),
        ("DISCORD_BOT_TOKEN", "d"),
    ];
    let loaded = load_with(Some(text), &variables, &[]).unwrap();
    let mut expected = usual();
    expected.database.url = Some("sqlite:clifford.db".into());
    expected.llm.providers = vec![Provider {
        key: loaded.config.llm.providers[0].key.clone(),
        ..Provider::default()
    }];
    expected.channels = defaults(&["telegram", "discord"]);
    assert_eq!(loaded.config, expected);
    let secrets = loaded.secrets(&env(&variables)).unwrap();
    assert_eq!(
        secrets.all().map(|secret| secret.expose()).collect::<Vec<_>>(),
        ["t", "d", "k"]
    );
}
