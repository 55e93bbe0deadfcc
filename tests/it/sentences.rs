//! No sentence for people stands outside the catalogues.
//!
//! The sources of the crates through which people are spoken to are read for string literals with prose. Literals that only
//! a log, an operator, a program or the model reads are told by where they stand: within a macro or an error that is not
//! for people, or in a file or constant that [`NOT_FOR_PEOPLE`] names with its reader. Anything else is a sentence that was
//! forgotten. The list cannot grow stale: an entry that excuses nothing fails, too.

use std::{fs, path::Path};

use crate::architecture::without_tests;

/// The crates through which people are spoken to.
const TALKING: [&str; 12] = [
    "crates/chat/src",
    "crates/core/src",
    "crates/delivery/src",
    "crates/engine/src",
    "crates/ingress/src",
    "crates/tools/src/settings",
    "crates/tools/src/triggers/reminders.rs",
    "crates/tools/src/undoing.rs",
    "channels/api/src",
    "channels/discord/src",
    "channels/telegram/src",
    "channels/terminal/src",
];

/// Macros, errors and functions whose texts no person reads in a chat: logs, faults, spans, SQL and names of columns.
const QUIET: [&str; 33] = [
    "debug!",
    "info!",
    "warn!",
    "error!",
    "trace!",
    "span!",
    "panic!",
    "unreachable!",
    "assert!",
    "assert_eq!",
    "assert_ne!",
    "debug_assert!",
    "matches!",
    "args!",
    "anyhow!",
    "bail!",
    "expect",
    "context",
    "strip_prefix",
    "starts_with",
    "contains",
    "trim_start_matches",
    "split_once",
    "find",
    "io::Error::other",
    "Cow::Borrowed",
    "json!",
    "Err",
    "ok_or",
    "ok_or_else",
    "map_err",
    "write_str",
    "Call::new",
];

/// Functions that people read the first argument of, though it be one word.
const SAYING: [&str; 3] = ["Button::new", "Done::say", "Done::refuse"];

/// Literals that nobody reads in a chat: their reader, and where they stand. An empty beginning stands for the whole file or
/// directory.
const NOT_FOR_PEOPLE: [(&str, &[(&str, &str)]); 5] = [
    (
        "the model reads it: prompts, results of tools, marks in what people wrote",
        &[
            ("crates/chat/src/inbound.rs", "[by an inline bot]"),
            ("crates/core/src/memory", ""),
            ("crates/core/src/messages.rs", ""),
            ("crates/core/src/policy/sources.rs", ""),
            ("crates/core/src/prompt", ""),
            ("crates/core/src/run/approval.rs", ""),
            ("crates/core/src/run/decide", ""),
            ("crates/core/src/run/reading.rs", "send_message: "),
            ("crates/core/src/run/gates.rs", ""),
            ("crates/core/src/run/sleep.rs", "a subagent, for which"),
            ("crates/core/src/run/state/calls.rs", "at most {} calls of one reply"),
            ("crates/core/src/run/transcript.rs", ""),
            ("crates/core/src/settings/agent.rs", "You are Clifford"),
            ("crates/engine/src/ambient.rs", "the newest first"),
            ("crates/engine/src/run/prompt", ""),
            ("crates/engine/src/run/session/attachments.rs", ""),
            ("crates/engine/src/run/session/calling.rs", ""),
            ("crates/engine/src/run/session/policy_check.rs", "{} was not there"),
            ("crates/engine/src/run/session/spawning.rs", ""),
            ("crates/engine/src/run/session/vision.rs", ""),
            ("crates/engine/src/run/session.rs", "A message to the user could not"),
            ("crates/engine/src/run/undoing.rs", "(The user asked me to undo this.)"),
            ("channels/discord/src/act.rs", ""),
            ("channels/discord/src/map/about.rs", "What do you say"),
            ("channels/telegram/src/act.rs", ""),
            ("channels/telegram/src/media.rs", "{amount} of the smallest units"),
        ],
    ),
    (
        "people write it, or a platform does",
        &[
            ("crates/core/src/run/sentences.rs", ""),
            ("crates/core/src/schedule/phrase/languages", ""),
            ("crates/core/src/run/state/answered/announcing.rs", ""),
            ("crates/core/src/search", ""),
            ("crates/ingress/src/commands/items.rs", "all yes"),
            ("channels/discord/src/map/about.rs", "Ask Clifford"),
            ("channels/telegram/src/press.rs", "in place of "),
            ("channels/telegram/src/refusal.rs", ""),
            ("channels/telegram/src/send.rs", ""),
        ],
    ),
    (
        "whoever makes rules, schedules and settings reads it, in the shell, the API and the dashboard",
        &[
            ("crates/core/src/policy/built_in.rs", ""),
            ("crates/core/src/policy/condition.rs", ""),
            ("crates/core/src/policy/rule.rs", ""),
            ("crates/core/src/schedule/cron.rs", ""),
            ("crates/core/src/schedule/due.rs", ""),
            ("crates/core/src/schedule/interval.rs", ""),
            ("crates/core/src/schedule/phrase.rs", ""),
            ("crates/core/src/schedule/phrase/again.rs", ""),
            ("crates/core/src/schedule/phrase/reckon.rs", ""),
            ("crates/core/src/schedule/phrase/repeat.rs", ""),
            ("crates/core/src/unread.rs", ""),
            ("crates/engine/src/by_hand.rs", ""),
            ("crates/engine/src/run/answering.rs", ""),
            ("crates/engine/src/runs/control.rs", ""),
            ("crates/ingress/src/api_edit.rs", ""),
            ("crates/tools/src/settings/catalogue.rs", ""),
            ("crates/tools/src/settings/tool_options.rs", ""),
        ],
    ),
    (
        "the operator reads it: reasons in rows, the state of connections, names of settings; the owner has it in brackets",
        &[
            ("crates/chat/src/outbound.rs", "Payload("),
            ("crates/core/src/places.rs", "turned off"),
            ("crates/core/src/places.rs", "the bot may not write there"),
            ("crates/core/src/row.rs", ""),
            ("crates/core/src/run/endings.rs", ""),
            ("crates/core/src/run/failing.rs", ""),
            ("crates/core/src/runs.rs", ""),
            ("crates/delivery/src/gate", ""),
            ("crates/delivery/src/receiver.rs", ""),
            ("crates/engine/src/budget/charge.rs", "(broken off)"),
            ("crates/engine/src/budget/notice.rs", "the budget of this {scope}"),
            ("crates/engine/src/jobs", ""),
            ("crates/engine/src/models", ""),
            ("crates/engine/src/run/isolation.rs", "quarantined: "),
            ("crates/engine/src/run/perform.rs", "an internal error"),
            ("crates/engine/src/run/rerun.rs", ""),
            ("crates/engine/src/run/session/retracing.rs", "the model did not answer"),
            ("crates/engine/src/run/session/thinking.rs", ""),
            ("crates/engine/src/run/session.rs", "steps that cannot be read"),
            ("crates/engine/src/run/tool_payer.rs", "the model "),
            ("crates/engine/src/runs/suspects.rs", "quarantined: "),
            ("crates/engine/src/triggers", ""),
            ("crates/ingress/src/careful.rs", "quarantined: "),
            ("crates/ingress/src/starter.rs", "the platform did not answer"),
            ("crates/ingress/src/threads.rs", "the platform did not answer"),
            ("channels/api/src/adapter.rs", "no answer: "),
            ("channels/discord/src/answer.rs", ""),
            ("channels/discord/src/backfill.rs", ""),
            ("channels/discord/src/commands.rs", ""),
            ("channels/discord/src/gateway", ""),
            ("channels/discord/src/intake.rs", ""),
            ("channels/discord/src/platform.rs", ""),
            ("channels/discord/src/shards.rs", "the gateway's address"),
            ("channels/telegram/src/api.rs", "HTTP {status}"),
            ("channels/telegram/src/chat.rs", ""),
            ("channels/telegram/src/link.rs", ""),
            ("channels/telegram/src/platform.rs", ""),
            (
                "channels/telegram/src/webhook.rs",
                "Telegram does not reach webhook_url",
            ),
            ("channels/terminal/src/receive.rs", "the conversation ended"),
        ],
    ),
    (
        "it is a command, and the same in every language",
        &[
            ("crates/ingress/src/commands/reminders.rs", "reminders remove"),
            ("crates/ingress/src/commands/settings/view.rs", "NAME, NAME"),
        ],
    ),
];

/// A string literal, and where it stands.
#[derive(Debug, PartialEq)]
struct Literal {
    line: usize,
    text: String,
    /// The calls, macros and attributes around it, outermost first, each with the place among its arguments.
    within: Vec<(String, usize)>,
}

/// Reads the string literals of a source, its tests apart.
struct Reader<'a> {
    rest: std::iter::Peekable<std::str::Chars<'a>>,
    line: usize,
    /// The path just before this place: `StoreError::NotFound`, `format!`.
    path: String,
    within: Vec<(String, usize)>,
    found: Vec<Literal>,
}

impl Reader<'_> {
    fn of(source: &str) -> Vec<Literal> {
        let source = without_tests(source);
        let mut reader = Reader {
            rest: source.chars().peekable(),
            line: 1,
            path: String::new(),
            within: Vec::new(),
            found: Vec::new(),
        };
        while let Some(c) = reader.next() {
            reader.take(c);
        }
        reader.found
    }

    fn next(&mut self) -> Option<char> {
        let c = self.rest.next()?;
        self.line += usize::from(c == '\n');
        Some(c)
    }

    fn is_next(&mut self, wanted: char) -> bool {
        self.rest.peek() == Some(&wanted)
    }

    fn take(&mut self, c: char) {
        match c {
            '/' if self.is_next('/') => while self.next().is_some_and(|c| c != '\n') {},
            '"' => self.string(0, true),
            '\'' => self.quote(),
            '(' | '[' | '{' => {
                let path = std::mem::take(&mut self.path);
                self.within.push((path, 0));
            }
            ')' | ']' | '}' => {
                self.within.pop();
                self.path.clear();
            }
            ',' => {
                if let Some((_, place)) = self.within.last_mut() {
                    *place += 1;
                }
                self.path.clear();
            }
            '#' if self.is_next('[') || self.is_next('!') => self.path = "#".to_owned(),
            c if c.is_alphanumeric() || c == '_' => self.word(c),
            ':' | '!' => self.path.push(c),
            '.' => self.path.clear(),
            c if c.is_whitespace() => {}
            _ => self.path.clear(),
        }
    }

    /// A name; or the `r#` of a raw string.
    fn word(&mut self, first: char) {
        let mut word = String::from(first);
        while let Some(c) = self.rest.peek().copied().filter(|c| c.is_alphanumeric() || *c == '_') {
            word.push(c);
            self.rest.next();
        }
        // A name such as `r#type` is no text.
        let marks = self.rest.clone().take_while(|c| *c == '#').count();
        if matches!(word.as_str(), "r" | "br") && self.rest.clone().nth(marks) == Some('"') {
            for _ in 0..=marks {
                self.next();
            }
            return self.string(marks, false);
        }
        self.path = match self.path.ends_with("::") || self.path == "#" {
            true => format!("{}{word}", self.path),
            false => word.clone(),
        };
    }

    /// A character, or a lifetime.
    fn quote(&mut self) {
        match self.next() {
            Some('\\') => {
                self.next();
                while self.next().is_some_and(|c| c != '\'') {}
            }
            Some(_) if self.is_next('\'') => {
                self.next();
            }
            _ => {}
        }
    }

    fn string(&mut self, marks: usize, has_escapes: bool) {
        let (line, mut text) = (self.line, String::new());
        while let Some(c) = self.next() {
            match c {
                '\\' if has_escapes => match self.next() {
                    // The rest of the line's end is no part of it.
                    Some('\n') => {
                        while self.rest.peek().is_some_and(|c| c.is_whitespace()) {
                            self.next();
                        }
                    }
                    Some('n' | 't' | 'r') => text.push(' '),
                    Some(c) => text.push(c),
                    None => {}
                },
                '"' => {
                    let ends = self.rest.clone().take(marks).filter(|c| *c == '#').count() == marks;
                    if ends {
                        for _ in 0..marks {
                            self.next();
                        }
                        break;
                    }
                    text.push(c);
                }
                c => text.push(c),
            }
        }
        self.path.clear();
        self.found.push(Literal {
            line,
            text,
            within: self.within.clone(),
        });
    }
}

impl Literal {
    /// Whether a person would read it as a sentence, or as a part of one: two words beside each other.
    fn is_prose(&self) -> bool {
        let mut plain = String::new();
        let mut depth = 0_usize;
        let mut is_code = false;
        for c in self.text.chars() {
            match c {
                '{' => depth += 1,
                '}' => depth = depth.saturating_sub(1),
                '`' => is_code = !is_code,
                c if depth == 0 && !is_code => plain.push(c),
                _ => {}
            }
        }
        let words: Vec<_> = plain.split(' ').collect();
        let is_word = |word: &str| {
            let word = word.trim_matches(|c: char| !c.is_alphabetic());
            word.chars().count() > 1 && word.chars().all(|c| c.is_alphabetic() || "'’-".contains(c))
        };
        words.windows(2).any(|pair| pair.iter().all(|word| is_word(word)))
    }

    /// Whether no person reads it, by where it stands.
    fn is_quiet(&self) -> bool {
        self.within.iter().any(|(path, _)| {
            let name = path.rsplit("::").next().unwrap_or_default();
            let is_error = path.split("::").any(|part| part.ends_with("Error"));
            path.starts_with('#') || is_error || QUIET.contains(&path.as_str()) || QUIET.contains(&name)
        })
    }

    /// Whether it is handed to a function that says it to people.
    fn is_said(&self) -> bool {
        let innermost = self.within.last();
        let is_text = self.text.chars().any(char::is_alphabetic) && !self.text.starts_with("u{");
        is_text && innermost.is_some_and(|(path, place)| *place == 0 && SAYING.contains(&path.as_str()))
    }

    /// Whether it is a command as people type it or as a button gives it.
    fn is_command(&self) -> bool {
        let is_given = |(path, place): &(String, usize)| path == "Button::new" && *place == 1;
        self.text.starts_with('/') || self.text.starts_with("clifford ") || self.within.iter().any(is_given)
    }

    /// Whether it would be a sentence for people outside the catalogues.
    fn is_forgotten(&self) -> bool {
        self.is_said() || (self.is_prose() && !self.is_quiet() && !self.is_command())
    }
}

/// The sources of the talking crates without their tests, by their path from here.
fn sources() -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = Vec::new();
    let mut open: Vec<_> = TALKING.iter().map(|dir| root.join(dir)).collect();
    while let Some(path) = open.pop() {
        if path.is_dir() {
            let entries = fs::read_dir(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            open.extend(entries.map(|entry| entry.expect("an entry").path()));
            continue;
        }
        let name = path.strip_prefix(root).expect("below").display().to_string();
        let is_test = ["tests", "attacks", "fuzzing", "properties", "rehearsal"]
            .iter()
            .any(|part| name.contains(&format!("/{part}")))
            || name.ends_with("_tests.rs");
        if name.ends_with(".rs") && !is_test {
            let source = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{name}: {error}"));
            found.push((name, source));
        }
    }
    found.sort();
    found
}

fn exceptions() -> impl Iterator<Item = (&'static str, &'static str)> {
    NOT_FOR_PEOPLE.iter().flat_map(|(_, places)| places.iter().copied())
}

fn excuses((place, text): (&str, &str), name: &str, literal: &Literal) -> bool {
    let is_there = name == place
        || name
            .strip_prefix(place)
            .is_some_and(|rest| rest.starts_with(['/', '.']));
    is_there && literal.text.starts_with(text)
}

#[test]
fn no_sentence_for_people_stands_outside_the_catalogues() {
    let (mut forgotten, mut excused) = (Vec::new(), Vec::new());
    for (name, source) in sources() {
        for literal in Reader::of(&source).into_iter().filter(Literal::is_forgotten) {
            match exceptions().find(|exception| excuses(*exception, &name, &literal)) {
                Some(exception) => excused.push(exception),
                None => forgotten.push(format!("{name}:{}: {:?}", literal.line, literal.text)),
            }
        }
    }
    assert!(
        forgotten.is_empty(),
        "these stand outside the catalogues (crates/text tells how to move them there):\n{}",
        forgotten.join("\n")
    );
    let stale: Vec<_> = exceptions().filter(|exception| !excused.contains(exception)).collect();
    assert!(stale.is_empty(), "these excuse nothing: {stale:?}");
}

#[test]
fn a_sentence_in_the_code_is_found() {
    let found = |source: &str| -> Vec<String> {
        let all = Reader::of(source).into_iter();
        all.filter(Literal::is_forgotten).map(|literal| literal.text).collect()
    };
    for (source, expected) in [
        (r#"Done::say("There is nothing.")"#, vec!["There is nothing."]),
        (
            r#"Done::say(format!("Removed {what} for you"))"#,
            vec!["Removed {what} for you"],
        ),
        (r#"const WELCOME: &str = "Write to me";"#, vec!["Write to me"]),
        (r##"let text = r#"Say "hello" to me"#;"##, vec![r#"Say "hello" to me"#]),
        (r#"match c { '"' => "not this one", _ => 'x' }"#, vec!["not this one"]),
        (r#"Button::new("Stop", format!("stop {run}"))"#, vec!["Stop"]),
        ("let long = \"It goes \\\n    on\";", vec!["It goes on"]),
        ("X { r#type: 1 }; let x = \"It is said\";", vec!["It is said"]),
        // Logs, errors, commands, names and words by themselves.
        (r#"tracing::warn!(%error, "failed to send it")"#, vec![]),
        (
            r#"return Err(StoreError::NotFound(format!("no such run {id}")))"#,
            vec![],
        ),
        (r#"value.expect("it is there")"#, vec![]),
        (r#"#[error("it is not there")] struct X;"#, vec![]),
        (r#"Button::new(&label, "settings undo")"#, vec![]),
        (r#"let command = "/settings language de";"#, vec![]),
        (
            r#"let name = "memory"; let mark = "· {} · {}"; let code = "`a b`";"#,
            vec![],
        ),
        ("// \"It is a comment\"\nlet x = 'a';", vec![]),
        (
            "let x = 1;\n#[cfg(test)]\nmod tests {\n    const X: &str = \"It is a test\";\n}",
            vec![],
        ),
    ] {
        assert_eq!(found(source), expected, "{source}");
    }
}
