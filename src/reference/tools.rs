//! `tools.md`: the tools that every install has.

use std::fmt::Write;

use clifford_tools::{Command, Tool, registry};

use super::{cell, compare};

const HEAD: &str = "\
# Reference: tools

The model calls these tools. This page lists their commands, arguments and classes. A test generates it from the code.

`clifford tools list` shows the tools of an installation, and why one cannot be used. `clifford tools show NAME` shows the
options of one, and where each value comes from. [Give the bot tools](../how-to/tools.md) tells how to change them.

A command's class decides whether a person is asked first ([How policy works](../explanation/policy.md)):

| class | the command |
| --- | --- |
| `READ` | looks, and changes nothing |
| `WRITE` | makes a change that can be undone |
| `DESTRUCT` | destroys something |
| `SENSITIVE` | touches private data, or costs money |

*From outside* marks results that are always data from outside. *Reaches out* marks arguments that leave this machine.
*Repeatable* marks commands that are called again after a crash. A command stops after its time limit.

Arguments with `?` are optional. Each tool also takes the options of [`tools.tools`](configuration.md#toolstools).
";

fn page() -> String {
    let mut text = HEAD.to_owned();
    for tool in registry::all(crate::app::PLATFORMS)
        .iter()
        .filter(|tool| !tool.commands.is_empty())
    {
        describe(&mut text, tool);
    }
    text.push_str(
        "\n## Tools of MCP servers\n\nEach server of [`tools.mcp`](configuration.md#toolsmcp) is one more tool. \
         [Connect MCP servers](../how-to/mcp.md) tells how.\n",
    );
    text
}

fn describe(text: &mut String, tool: &Tool) {
    let name = &tool.name;
    write!(text, "\n## {name}\n\n{}\n", tool.description).unwrap();
    if tool.config.is_some() {
        write!(text, "\nOptions: [`tools.{name}`](configuration.md#tools{name}).\n").unwrap();
    }
    text.push_str("\n| command | class | effect | notes |\n| --- | --- | --- | --- |\n");
    for command in &tool.commands {
        let marks = [
            (command.untrusted, "from outside"),
            (command.reaches_out, "reaches out"),
            (command.idempotent, "repeatable"),
            (command.needs.or(tool.needs).is_some(), "only where it is configured"),
        ];
        let mut notes: Vec<_> = marks
            .iter()
            .filter(|(holds, _)| *holds)
            .map(|(_, mark)| (*mark).to_owned())
            .collect();
        notes.push(format!("{} s", command.time_limit.as_secs()));
        let class = serde_json::to_value(command.class).unwrap();
        let class = class.as_str().unwrap();
        let (arguments, effect) = parts(command);
        let call = format!("{name}.{} {arguments}", command.name);
        writeln!(
            text,
            "| `{}` | `{class}` | {} | {} |",
            cell(call.trim()),
            cell(effect),
            notes.join(", ")
        )
        .unwrap();
    }
}

/// A command's arguments, and what it does.
fn parts(command: &Command) -> (&str, &str) {
    let end = command.summary.find('}').map_or(0, |end| end + 1);
    let (arguments, rest) = command.summary.split_at(end);
    let told = if command.description == command.summary {
        rest
    } else {
        command.description.as_ref()
    };
    (arguments, told.trim_start_matches([':', ' ']))
}

#[test]
fn the_page_of_tools_is_what_the_registry_says() {
    compare("tools.md", &page());
}
