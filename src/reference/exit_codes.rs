//! `exit-codes.md`: the exit codes of a process.

use std::fmt::Write;

use super::compare;
use crate::cli;

const HEAD: &str = "\
# Reference: exit codes

Every command of `clifford` ends with one of these codes. A test generates this page.

| code | meaning |
| --- | --- |
";

/// The meaning of 1, where that is more than an error which standard error names.
const FAILURES: [(&str, &str); 9] = [
    ("clifford", "a second signal came while it was stopping"),
    ("clifford ask", "the run failed, was cancelled or waits for somebody"),
    ("clifford chat", "a second signal came while it was stopping"),
    ("clifford config check", "the configuration has mistakes"),
    ("clifford db check", "the database is damaged"),
    (
        "clifford db status",
        "this version cannot work with the database; `usable` in its JSON",
    ),
    ("clifford doctor", "a check failed; warnings do not count"),
    ("clifford eval", "fewer tasks than `--at-least` passed"),
    (
        "clifford serve",
        "it could not start, or a second signal came while it was stopping",
    ),
];

fn page() -> String {
    let help = cli::definition().get_after_help().unwrap().to_string();
    let (_, codes) = help.split_once("Exit codes: ").unwrap();
    let mut text = HEAD.to_owned();
    for code in codes.trim().split(", ") {
        let (code, meaning) = code.split_once(' ').unwrap();
        writeln!(text, "| {code} | {meaning} |").unwrap();
    }
    text.push_str(
        "\nStandard error names the reason of a failure, a line each, after `clifford: `. Standard output holds results only.\n\n\
         These commands also use 1 for a result:\n\n| command | 1 means |\n| --- | --- |\n",
    );
    for (command, meaning) in FAILURES {
        writeln!(text, "| `{command}` | {meaning} |").unwrap();
    }
    text.push_str(
        "\n`clifford-bench storm` exits with 1 if the storm found a fault, and with 2 if it could not run. \
         [Benchmarks and storms](benchmarks.md) lists the faults.\n",
    );
    text
}

#[test]
fn the_page_of_exit_codes_names_commands_that_there_are() {
    for (command, _) in FAILURES {
        let mut definition = cli::definition();
        for name in command.split(' ').skip(1) {
            definition = definition
                .find_subcommand(name)
                .unwrap_or_else(|| panic!("no {command}"))
                .clone();
        }
    }
    compare("exit-codes.md", &page());
}

#[test]
fn every_command_says_the_same_of_exit_codes() {
    fn walk(command: &clap::Command, expected: &str) {
        for command in command
            .get_subcommands()
            .filter(|command| command.get_after_help().is_some())
        {
            let help = command.get_after_help().unwrap().to_string();
            assert!(help.trim_end().ends_with(expected), "{}: {help}", command.get_name());
            walk(command, expected);
        }
    }
    let definition = cli::definition();
    let help = definition.get_after_help().unwrap().to_string();
    walk(&definition, help.trim_end().lines().last().unwrap());
}
