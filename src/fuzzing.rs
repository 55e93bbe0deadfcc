//! Properties that hold for any text of models, owners and callers: for the tests of this crate and for the fuzzer.

use std::{collections::BTreeMap, path::Path};

use clifford_config::{self as config, Config, ConfigErrors, Sources};
use clifford_core::{
    clock::Timestamp,
    memory::operations,
    search::{
        Form, Query, Request, Scope, SearchInput,
        dates::{self, End},
        rank::{self, PhraseCounts, Population},
        snippet,
    },
};
pub use clifford_engine::run::prompt::fuzzing::check_prompt;
pub use clifford_http::fuzzing::check_body;
pub use clifford_worker::fuzzing::{check_document, check_frames, check_image, check_scan};
use jiff::tz::TimeZone;

use crate::app::PLATFORMS;

/// The memory writer's model may reply anything: what is read of it keeps to the bounds of an operation.
///
/// # Panics
/// It does not hold.
pub fn check_operations(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    match operations::read(&text) {
        Err(error) => assert!(!error.is_empty()),
        Ok(readings) => {
            for reading in readings {
                match reading {
                    Err(error) => assert!(!error.is_empty()),
                    Ok(operation) => {
                        assert!(
                            operation.level.is_none_or(|level| (0..=5).contains(&level)),
                            "{operation:?}"
                        );
                        let sure = operation.confidence;
                        assert!(sure.is_none_or(|sure| (0.0..=1.0).contains(&sure)), "{operation:?}");
                        for name in [&operation.module, &operation.key].into_iter().flatten() {
                            let is_name = !name.is_empty() && !name.contains(|c: char| c.is_whitespace() || c == '-');
                            assert!(is_name, "{operation:?}");
                        }
                        for text in [&operation.id, &operation.value].into_iter().flatten() {
                            assert!(!text.trim().is_empty(), "{operation:?}");
                        }
                    }
                }
            }
        }
    }
}

/// A `bot.toml` is a configuration, or has faults that say where they are.
///
/// # Panics
/// It does not hold.
pub fn check_config(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    match Config::parse(&text, Path::new("bot.toml"), PLATFORMS) {
        Ok(config) => assert!(!config.show().starts_with("# cannot be shown"), "{}", config.show()),
        Err(errors) => check_errors(&errors),
    }
}

/// An environment, a `NAME=VALUE` a line, makes a configuration, or has faults that say where they are.
///
/// # Panics
/// It does not hold.
pub fn check_environment(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let lines = text.lines().filter_map(|line| line.split_once('='));
    let mut env = BTreeMap::from([("HOME".to_owned(), "/home/ada".to_owned())]);
    env.extend(lines.map(|(name, value)| (name.to_owned(), value.to_owned())));
    let sources = Sources {
        // There is no file.
        cwd: "/nowhere/at/all".into(),
        env,
        platforms: PLATFORMS,
        ..Sources::default()
    };
    match config::load(&sources) {
        Ok(loaded) => assert!(!loaded.config.llm.providers.is_empty()),
        Err(errors) => check_errors(&errors),
    }
}

/// A search for any text (the first line) in any messages (the others) is read within its bounds.
///
/// # Panics
/// It does not hold.
pub fn check_question(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let (question, said) = text.split_once('\n').unwrap_or((&text, &text));
    let now = Timestamp(1_773_831_600_000);
    let times = dates::times(&dates::named(question, &TimeZone::UTC, now));
    assert!(times.len() <= 8, "{times:?}");
    let asked = SearchInput {
        text: question,
        ..SearchInput::default()
    };
    if let Ok(request) = Request::read(asked, Scope::Nothing, TimeZone::UTC, now) {
        assert!(request.query.is_some() || request.listed.is_some(), "{request:?}");
    }
    for end in [End::First, End::Last] {
        let _ = dates::bound(question, end, &TimeZone::UTC, now);
    }
    let Some(query) = Query::parse(question) else {
        return;
    };
    assert!((1..=24).contains(&query.phrases().len()), "{query:?}");
    assert!(query.held_by(said) <= query.phrases().len(), "{query:?}");
    let scores = rank::scores(&[PhraseCounts::by(&query, said)], &Population::default());
    assert!(
        scores.iter().all(|score| score.is_finite() && *score >= 0.0),
        "{scores:?}"
    );
    assert!(!snippet(said, Some(&query), Form::Plain).contains('\n'));
}

fn check_errors(errors: &ConfigErrors) {
    assert!(!errors.problems().is_empty());
    for problem in errors.problems() {
        assert!(!problem.fault.is_empty(), "{problem:?}");
        assert!(problem.place.is_some() || !problem.key.is_empty(), "{problem:?}");
    }
}

#[cfg(test)]
mod tests {
    use proptest::{collection::vec, prelude::*, sample::select};

    use super::*;

    /// Pieces of a model's reply that are likely to mislead.
    fn reply() -> impl Strategy<Value = String> {
        let pieces = [
            "{",
            "}",
            "[",
            "]",
            "\"",
            ":",
            ",",
            "\n",
            "```",
            "<think>",
            "</think>",
            "{\"op\":\"add\"",
            "{\"op\":\"delete\"}",
            "\"operations\":[",
            "\"level\":",
            "\"confidence\":",
            "1e999",
            "-0",
            "0.5",
            "5",
            "\"module\":\"",
            "\"key\":\"- _\"",
            "\"value\":\" \"",
            "\"id\":",
            "null",
            "\\u0000",
            "é",
        ];
        let piece = prop_oneof![4 => select(pieces.to_vec()).prop_map(str::to_owned), 1 => "\\PC{0,3}"];
        vec(piece, 0..20).prop_map(|pieces| pieces.concat())
    }

    /// Lines of a configuration, right and wrong.
    fn lines() -> impl Strategy<Value = String> {
        let keys = [
            "[http]",
            "[engine]",
            "[[llm.providers]]",
            "[channels.telegram]",
            "[[budgets]]",
            "[tools.web]",
            "[[agents]]",
            "[[policies]]",
            "[log]",
            "[data]",
            "[a.b]",
            "bind",
            "max_iterations",
            "token",
            "name",
            "model",
            "base_url",
            "url",
            "level",
            "dir",
            "time_zone",
            "access",
            "allow",
            "kind",
            "prices",
            "x",
            "\"\"",
            "limit",
            "period",
            "scope",
        ];
        let values = [
            "1",
            "-1",
            "1.5",
            "nan",
            "true",
            "\"\"",
            "\"x\"",
            "[]",
            "[1]",
            "{}",
            "{ env = \"A\" }",
            "{ file = 1 }",
            "1979-05-27",
            "\"127.0.0.1:0\"",
            "\"Europe/Berlin\"",
            "99999999999",
            "'''\n'''",
            "\"\\u0000\"",
        ];
        let line = (select(keys.to_vec()), select(values.to_vec()));
        let line = line.prop_map(|(key, value)| match key.starts_with('[') {
            true => format!("{key}\n"),
            false => format!("{key} = {value}\n"),
        });
        vec(line, 0..12).prop_map(|lines| lines.concat())
    }

    fn variables() -> impl Strategy<Value = String> {
        let names = [
            "CLIFFORD_HTTP__BIND",
            "CLIFFORD_ENGINE__MAX_ITERATIONS",
            "CLIFFORD_LLM__PROVIDERS",
            "CLIFFORD_AGENTS",
            "CLIFFORD_CHANNELS__TELEGRAM__TOKEN",
            "CLIFFORD_DATABASE__URL",
            "CLIFFORD___",
            "CLIFFORD_TOOLS__WEB__X",
            "DATABASE_URL",
            "TELEGRAM_BOT_TOKEN",
            "OPENAI_API_KEY",
            "OPENAI_BASE_URL",
            "ANTHROPIC_API_KEY",
            "HOME",
            "XDG_DATA_HOME",
            "clifford_log__level",
        ];
        let line = (
            select(names.to_vec()),
            prop_oneof![
                "\\PC{0,8}",
                select(vec!["[]", "{}", "1", "[{name=\"a\"}]"]).prop_map(str::to_owned)
            ],
        );
        vec(line.prop_map(|(name, value)| format!("{name}={value}\n")), 0..8).prop_map(|lines| lines.concat())
    }

    #[test]
    fn what_the_fuzzer_begins_with_holds() {
        type Check = fn(&[u8]);
        let targets: [(&str, Check); 5] = [
            ("memory_operations", check_operations),
            ("config", check_config),
            ("environment", check_environment),
            ("api_body", check_body),
            ("search_question", check_question),
        ];
        for (target, check) in targets {
            let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/seeds").join(target);
            let seeds = std::fs::read_dir(dir).unwrap();
            let seeds: Vec<_> = seeds.map(|seed| std::fs::read(seed.unwrap().path()).unwrap()).collect();
            assert!(!seeds.is_empty(), "{target}");
            for seed in seeds {
                check(&seed);
            }
        }
    }

    proptest! {
        #[test]
        fn operations_keep_to_their_bounds(text in prop_oneof![reply(), Just(String::new()), "\\PC{0,100}"]) {
            check_operations(text.as_bytes());
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn a_configuration_is_one_or_says_what_is_wrong_where(text in prop_oneof![4 => lines(), 1 => "\\PC{0,100}"]) {
            check_config(text.as_bytes());
        }

        #[test]
        fn a_question_keeps_to_its_bounds(
            question in "(\"|last |week |8 |May,? |2023|ago |\\PC|[a-zé ]|東){0,60}",
            said in "(\\PC|\\s|[a-zé ]){0,200}",
        ) {
            check_question(format!("{question}\n{said}").as_bytes());
        }

        #[test]
        fn an_environment_makes_a_configuration_or_says_what_is_wrong_where(text in variables()) {
            check_environment(text.as_bytes());
        }
    }
}
