//! The commands by what they are for, as `clifford --help` lists them.

use clap::Command;

/// The groups, each with its commands.
pub(crate) const GROUPS: &[(&str, &[&str])] = &[
    ("Start here", &["init", "chat", "ask", "login"]),
    (
        "Run the bot",
        &["serve", "service", "status", "logs", "doctor", "update", "rollback"],
    ),
    (
        "Look at its work",
        &[
            "runs",
            "contexts",
            "channels",
            "spaces",
            "search",
            "outbox",
            "usage",
            "quarantine",
        ],
    ),
    (
        "People and memory",
        &["users", "pair", "link", "memory", "export", "import", "erase"],
    ),
    (
        "Set it up",
        &[
            "config", "settings", "agents", "triggers", "policy", "tools", "token", "db", "backup", "restore",
        ],
    ),
    ("More", &["eval", "mcp", "completions", "version", "help"]),
];

/// The end of every help, after its examples.
const CODES: &str = "\nExit codes:";

/// Gives each command below one its examples: those lines of the examples above it that call it.
fn with_examples(command: Command, path: &str, above: &[String]) -> Command {
    command.mut_subcommands(|below| {
        let path = format!("{path} {}", below.get_name());
        let help = below
            .get_after_help()
            .or_else(|| below.get_after_long_help())
            .map(ToString::to_string);
        let (own, below) = match help {
            Some(help) => (lines(&help), below),
            None => {
                let own: Vec<_> = above.iter().filter(|line| calls(line, &path)).cloned().collect();
                if own.is_empty() {
                    (own, below)
                } else {
                    let help = format!("Examples:\n  {}\n{CODES} {}", own.join("\n  "), super::EXIT_CODES);
                    (own, below.after_help(help))
                }
            }
        };
        with_examples(below, &path, &own)
    })
}

/// Whether a line calls the command of this path.
fn calls(line: &str, path: &str) -> bool {
    line.split_once(path)
        .is_some_and(|(_, rest)| rest.is_empty() || rest.starts_with(' '))
}

/// The examples in a help.
fn lines(help: &str) -> Vec<String> {
    let examples = help.split(CODES).next().unwrap_or_default();
    let examples = examples.lines().skip(1).map(|line| line.trim().to_owned());
    examples.filter(|line| line.contains("clifford ")).collect()
}

/// The definition with a help that lists the commands in groups, and with examples on every level.
pub(super) fn grouped(command: Command) -> Command {
    let command = with_examples(command, "clifford", &[]);
    let mut listed = String::new();
    for (title, names) in GROUPS {
        listed.push_str(&format!("{title}:\n"));
        for name in *names {
            let found = command.get_subcommands().find(|found| found.get_name() == *name);
            let about = match found {
                Some(found) => found.get_about().map(ToString::to_string).unwrap_or_default(),
                None if *name == "help" => "Print this help, or that of a command".to_owned(),
                None => continue,
            };
            listed.push_str(&format!("  {name:<12} {about}\n"));
        }
        listed.push('\n');
    }
    command.help_template(format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{listed}Options:\n{{options}}{{after-help}}"
    ))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::GROUPS;

    #[test]
    fn every_command_stands_in_one_group() {
        let definition = crate::cli::definition();
        let commands = definition.get_subcommands().filter(|command| !command.is_hide_set());
        let mut known: Vec<_> = commands.map(|command| command.get_name().to_owned()).collect();
        known.push("help".to_owned());
        let mut listed: Vec<_> = GROUPS
            .iter()
            .flat_map(|(_, names)| names.iter().map(|name| (*name).to_owned()))
            .collect();
        known.sort();
        listed.sort();
        assert_eq!(known, listed);
        assert_eq!(listed.iter().collect::<BTreeSet<_>>().len(), listed.len());
    }

    #[test]
    fn every_command_has_examples() {
        fn walk(command: &clap::Command, without: &mut Vec<String>) {
            for below in command.get_subcommands().filter(|below| !below.is_hide_set()) {
                let help = below.get_after_help().map(ToString::to_string).unwrap_or_default();
                if !help.starts_with("Examples:\n  ") && below.get_name() != "version" {
                    without.push(format!("{} {}", command.get_name(), below.get_name()));
                }
                walk(below, without);
            }
        }
        let mut without = Vec::new();
        walk(&crate::cli::definition(), &mut without);
        assert_eq!(without, Vec::<String>::new());
    }

    #[test]
    fn an_example_stands_with_the_command_that_it_calls() {
        fn walk(command: &clap::Command, path: &str, wrong: &mut Vec<String>) {
            for below in command.get_subcommands() {
                let path = format!("{path} {}", below.get_name());
                let help = below.get_after_help().map(ToString::to_string).unwrap_or_default();
                if path.split(' ').count() > 2 {
                    let lines = super::lines(&help).into_iter();
                    wrong.extend(
                        lines
                            .filter(|line| !line.contains(&path))
                            .map(|line| format!("{path}: {line}")),
                    );
                }
                walk(below, &path, wrong);
            }
        }
        let mut wrong = Vec::new();
        walk(&crate::cli::definition(), "clifford", &mut wrong);
        assert_eq!(wrong, Vec::<String>::new());
    }

    #[test]
    fn the_help_lists_the_commands_by_group() {
        let help = crate::cli::definition().render_help().to_string();
        for line in help.lines().take_while(|line| *line != "Options:") {
            assert!(line.len() <= 80, "{line}");
        }
        for text in [
            "Start here:\n  init ",
            "Run the bot:\n  serve ",
            "Options:\n",
            "Examples:\n",
        ] {
            assert!(help.contains(text), "{text} is not in:\n{help}");
        }
    }
}
