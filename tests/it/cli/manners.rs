//! Rules for every command: with anything typed, with nothing there, in any terminal.

use std::{
    ffi::OsString,
    os::unix::ffi::OsStringExt as _,
    process::{Command, Stdio},
    sync::LazyLock,
};

use unicode_width::UnicodeWidthStr as _;

use super::{Ended, Machine};

/// Words of libraries and of the system that mean nothing to people.
const FOREIGN: [&str; 21] = [
    "EOF while",
    "(os error",
    "(code: ",
    "cannot parse integer",
    "entity not found",
    "error returned from database",
    "error sending request",
    "expected value at line",
    "found `",
    "invalid digit",
    "invalid UTF-8 was detected",
    "invalid type:",
    "invalid utf-8",
    "is not in 1..=",
    "is not of type",
    "missing field",
    "number too large",
    "panicked",
    "stream did not contain",
    "unknown field",
    "unknown variant",
];
/// Commands that go on until somebody ends them.
const LASTING: [&str; 2] = ["serve", "chat"];

/// A command that does something.
struct Subcommand {
    path: Vec<String>,
    help: String,
}

/// Every one, by the help of those above it. It is the same everywhere, and asked for once.
fn commands() -> &'static [Subcommand] {
    static COMMANDS: LazyLock<Vec<Subcommand>> = LazyLock::new(|| {
        let machine = Machine::new();
        let help = machine.run(["--help"]).succeeds();
        let listed = help.lines().filter_map(|line| line.strip_prefix("  "));
        let names = listed.take_while(|line| !line.trim_start().starts_with("--"));
        let names = names.filter_map(|line| line.split_whitespace().next());
        let mut found = Vec::new();
        for name in names.filter(|name| !name.starts_with('-') && *name != "help") {
            collect(&machine, &[name.to_owned()], &mut found);
        }
        found
    });
    assert!(COMMANDS.len() > 95, "{}", COMMANDS.len());
    &COMMANDS
}

fn collect(machine: &Machine, path: &[String], found: &mut Vec<Subcommand>) {
    let help = machine
        .run(path.iter().map(String::as_str).chain(["--help"]))
        .succeeds();
    let below = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let below = below.take_while(|line| !line.is_empty());
    let names = below.filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    let names: Vec<_> = names
        .filter_map(|line| Some(line.split_whitespace().next()?.to_owned()))
        .collect();
    if names.is_empty() {
        let path = path.to_vec();
        found.push(Subcommand { path, help });
    }
    for name in names.into_iter().filter(|name| name != "help") {
        collect(machine, &[path, &[name]].concat(), found);
    }
}

/// Nothing, if a command ended as one does that people understand.
#[track_caller]
fn is_plain(ended: &Ended, what: &str) {
    assert!((0..=2).contains(&ended.code), "{what}: {ended:?}");
    for word in FOREIGN {
        assert!(!ended.err.contains(word), "{what}: {ended:?}");
    }
    if ended.code != 0 {
        assert!(!ended.err.trim().is_empty(), "{what} says nothing: {ended:?}");
    }
}

fn is_left_out(path: &[String]) -> bool {
    LASTING.contains(&path[0].as_str())
}

#[test]
fn every_command_answers_nonsense_in_plain_words() {
    for machine in [Machine::new(), Machine::asked("hello")] {
        for Subcommand { path, .. } in commands() {
            // Enough for any command, and too much for some.
            for count in 1..=3 {
                let args = path
                    .iter()
                    .map(String::as_str)
                    .chain(std::iter::repeat_n("nope-x", count));
                is_plain(&machine.run(args), &format!("{path:?} with {count}"));
            }
        }
    }
}

/// The options of a command that take a value, by its help.
fn options(help: &str) -> impl Iterator<Item = &str> {
    let words = help.lines().filter_map(|line| {
        let (option, value) = line.trim_start().split_once(' ')?;
        (option.starts_with("--") && value.starts_with('<')).then_some(option)
    });
    words.filter(|option| !["--config", "--set"].contains(option))
}

#[test]
fn every_option_answers_nonsense_in_plain_words() {
    let machine = Machine::asked("hello");
    let mut tried = 0;
    for Subcommand { path, help } in commands() {
        // They would ask another machine, or change this one.
        if *path == ["update"] || path[0] == "service" {
            continue;
        }
        for option in options(help) {
            // Words stand where some want them; most of what follows is refused for its option alone.
            for (value, words) in [("nope-x", 0), ("99999999999999999999", 1)] {
                let option = format!("{option}={value}");
                let words = std::iter::repeat_n("last", words);
                let args = path.iter().map(String::as_str).chain(words).chain([option.as_str()]);
                is_plain(&machine.run(args), &format!("{path:?} {option}"));
                tried += 1;
            }
        }
    }
    assert!(tried > 150, "{tried}");
}

#[test]
fn every_command_refuses_what_is_no_text() {
    let machine = Machine::asked("hello");
    for Subcommand { path, .. } in commands() {
        let args = path
            .iter()
            .map(OsString::from)
            .chain([OsString::from_vec(vec![b'a', 0xff, b'b'])]);
        let output = machine.command(args).output().expect("it runs");
        let ended = Ended {
            code: output.status.code().unwrap_or(-1),
            out: String::from_utf8_lossy(&output.stdout).into_owned(),
            err: String::from_utf8_lossy(&output.stderr).into_owned(),
        };
        is_plain(&ended, &format!("{path:?}"));
    }
}

#[test]
fn every_command_can_do_without_a_database_and_says_so() {
    let machine = Machine::new();
    for Subcommand { path, .. } in commands().iter().filter(|command| !is_left_out(&command.path)) {
        // They would ask another machine, or change this one.
        if *path == ["update"] || *path == ["service", "install"] || *path == ["service", "uninstall"] {
            continue;
        }
        is_plain(&machine.run(path.iter().map(String::as_str)), &format!("{path:?}"));
    }
}

#[test]
fn a_reader_that_stops_early_stops_no_command_with_an_error() {
    let machine = Machine::asked("hello");
    for args in [
        "--help",
        "config schema",
        "config show",
        "doctor",
        "export",
        "runs show last",
        "tools list",
        "status",
    ] {
        let script = format!("\"$0\" {args} 2>&1 >/dev/full; \"$0\" {args} | head -1; \"$0\" {args} >&-");
        let command = machine.command([""; 0]);
        let mut shell = Command::new("/bin/sh");
        shell.args(["-c", &script, &command.get_program().to_string_lossy()]);
        shell
            .env_clear()
            .envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
        let output = shell
            .env("PATH", "/usr/bin:/bin")
            .current_dir(machine.path(""))
            .stdin(Stdio::null())
            .output();
        let ended = Ended::of(output.expect("a shell"));
        is_plain(&ended, args);
        assert_eq!(ended.err, "", "{args}");
        assert!(!ended.out.contains("panicked"), "{args}: {ended:?}");
    }
}

#[test]
fn tables_fit_their_terminal_and_keep_every_id_whole() {
    let machine = Machine::asked("remember that my cat is called Miro, and that she sleeps on the sofa all day");
    machine.pipe(
        "remind me tomorrow at 8 to call mom and to buy milk on the way home\n",
        &["chat", "--quiet"],
    );
    machine
        .run(["token", "create", "--name", "a laptop in the kitchen"])
        .succeeds();
    let lists = [
        "runs list",
        "contexts list",
        "channels list",
        "users list",
        "triggers list",
        "token list",
        "policy list",
        "settings list",
        "tools list",
        "agents list",
        "memory list you",
        "usage",
        "usage --by tool",
        "doctor",
        "status",
    ];
    for list in lists {
        let args: Vec<_> = list.split(' ').collect();
        let whole = machine.run(&args).succeeds();
        let ids: Vec<_> = whole.split_whitespace().filter(|word| is_id(word)).collect();
        for columns in [40, 80, 120] {
            let output = machine.command(&args).env("COLUMNS", columns.to_string()).output();
            let shown = Ended::of(output.expect("it runs")).succeeds();
            for id in &ids {
                assert!(shown.contains(id), "{list} at {columns} breaks {id}:\n{shown}");
            }
            for line in shown.lines() {
                // A word that is wider stands alone: breaking it would help nobody who copies it.
                let is_one_word = line.split_whitespace().count() < 2;
                assert!(line.width() <= columns || is_one_word, "{list} at {columns}:\n{shown}");
            }
        }
    }
}

fn is_id(text: &str) -> bool {
    text.len() == 36 && text.chars().all(|c| c == '-' || c.is_ascii_hexdigit())
}
