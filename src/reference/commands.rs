//! `commands.md`: the command line.

use std::fmt::Write;

use clap::{Arg, Command};

use super::{cell, compare};
use crate::cli;

const HEAD: &str = "\
# Reference: the command line

This page lists every command of `clifford`, with its arguments and options. A test generates it from the definition that
`--help` prints.

Without a command, `clifford` is the bot in this terminal and on every platform that has a token. Every command takes the two
options below, before its name or after it. `--json`, where a command has it, prints one JSON document to standard output,
whose shape [the page of JSON](json.md) lists. [Exit codes](exit-codes.md) are the same for all.

";

fn page() -> String {
    let mut root = cli::definition();
    root.build();
    let globals: Vec<_> = root
        .get_arguments()
        .filter(|arg| arg.is_global_set())
        .cloned()
        .collect();
    let mut text = HEAD.to_owned();
    arguments(&mut text, globals.iter());
    text.push_str("\n| command | effect |\n| --- | --- |\n");
    for command in visible(&root) {
        let name = command.get_name();
        writeln!(text, "| [`{name}`](#clifford-{name}) | {} |", about(command)).unwrap();
    }
    for command in visible(&root) {
        describe(&mut text, command, "##");
    }
    text
}

fn visible(command: &Command) -> impl Iterator<Item = &Command> {
    let commands = command.get_subcommands();
    commands.filter(|command| !command.is_hide_set() && command.get_name() != "help")
}

fn about(command: &Command) -> String {
    let text = command.get_long_about().or_else(|| command.get_about());
    cell(&text.map(ToString::to_string).unwrap_or_default())
}

/// A command with its commands below it.
fn describe(text: &mut String, command: &Command, level: &str) {
    let name = command.get_bin_name().unwrap();
    write!(text, "\n{level} {name}\n\n{}.\n", about(command).trim_end_matches('.')).unwrap();
    let usage = command.clone().render_usage().to_string();
    let usage = usage.trim_start_matches("Usage: ").trim();
    write!(text, "\n```text\n{usage}\n```\n").unwrap();
    let own: Vec<_> = command
        .get_arguments()
        .filter(|arg| {
            !arg.is_global_set() && !arg.is_hide_set() && !["help", "version"].contains(&arg.get_id().as_str())
        })
        .collect();
    if !own.is_empty() {
        text.push('\n');
        arguments(text, own.into_iter());
    }
    let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    if let Some(examples) = help
        .split("\nExit codes:")
        .next()
        .and_then(|help| help.strip_prefix("Examples:\n"))
    {
        let examples: Vec<_> = examples
            .trim_end()
            .lines()
            .map(|line| line.strip_prefix("  ").unwrap_or(line))
            .collect();
        write!(text, "\n```text\n{}\n```\n", examples.join("\n")).unwrap();
    }
    for command in visible(command) {
        describe(text, command, "###");
    }
}

fn arguments<'a>(text: &mut String, arguments: impl Iterator<Item = &'a Arg>) {
    text.push_str("| argument | effect |\n| --- | --- |\n");
    for arg in arguments {
        let help = arg.get_long_help().or_else(|| arg.get_help());
        let mut help = help.map(ToString::to_string).unwrap_or_default();
        let values = arg.get_possible_values();
        if arg.get_action().takes_values() && !values.is_empty() {
            let values = values.iter().filter(|value| !value.is_hide_set()).map(|value| {
                let told = value.get_help().map(|help| format!(" ({help})")).unwrap_or_default();
                format!("`{}`{told}", value.get_name())
            });
            let values: Vec<_> = values.collect();
            help = format!("{help}: {}", values.join(", "));
        }
        let default: Vec<_> = arg
            .get_default_values()
            .iter()
            .filter_map(|value| value.to_str())
            .collect();
        if arg.get_action().takes_values() && !default.is_empty() {
            help = format!("{help} [default: {}]", default.join(", "));
        }
        writeln!(text, "| `{}` | {} |", cell(&arg.to_string()), cell(&help)).unwrap();
    }
}

#[test]
fn the_page_of_json_names_every_command_that_prints_it() {
    fn walk(command: &Command, page: &str, missing: &mut Vec<String>) {
        let name = command.get_bin_name().unwrap_or_default();
        let prints_json = command.get_arguments().any(|arg| arg.get_long() == Some("json"));
        let is_named = [' ', '`'].iter().any(|end| page.contains(&format!("`{name}{end}")));
        if prints_json && !is_named {
            missing.push(name.to_owned());
        }
        let below = command.get_subcommands().filter(|below| !below.is_hide_set());
        for below in below.filter(|below| below.get_name() != "help") {
            walk(below, page, missing);
        }
    }
    let mut root = cli::definition();
    root.build();
    let page = std::fs::read_to_string(super::docs().join("reference/json.md")).unwrap();
    let mut missing = Vec::new();
    walk(&root, &page, &mut missing);
    assert_eq!(missing, Vec::<String>::new());
}

#[test]
fn the_page_of_the_command_line_is_what_its_definition_says() {
    compare("commands.md", &page());
}
