//! `tools`: the tools themselves, so that their schemas need not stand in every prompt.

use clifford_core::policy::{class::Class, sources};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Command, Tool, ToolContext, ToolError, Visible};

#[derive(Deserialize, JsonSchema)]
struct ListArgs {}

#[derive(Serialize)]
struct Listed {
    tools: Vec<ListedTool>,
}

#[derive(Serialize)]
struct ListedTool {
    name: String,
    summary: String,
    commands: Vec<String>,
}

#[derive(Deserialize, JsonSchema)]
struct DescribeArgs {
    /// A tool, or one command as `tool.command`.
    name: String,
}

#[derive(Serialize)]
struct Described {
    commands: Vec<DescribedCommand>,
}

#[derive(Serialize)]
struct DescribedCommand {
    name: String,
    description: String,
    class: Class,
    args: Value,
    #[serde(skip_serializing_if = "Option::is_none")]
    example: Option<Value>,
}

pub(super) fn tool() -> Tool {
    Tool::new("tools", "🧰", "all about tools")
        .about("The tools there are, and the arguments of each command with an example.")
        .pinned()
        .command(Command::new("list", "", Class::Read, list).about("The names of all tools and their commands."))
        .command(
            Command::new("describe", "{name}", Class::Read, describe)
                .about("The arguments of a tool's commands, or of one: their schema and an example."),
        )
}

async fn list(cx: ToolContext, _: ListArgs) -> Result<Listed, ToolError> {
    let visible = cx.registry.visible(cx.allowed.as_deref(), &cx.options);
    let tools = visible.into_iter().map(|Visible { tool, commands }| ListedTool {
        name: tool.name.to_string(),
        summary: tool.summary.to_string(),
        commands: commands.iter().map(|command| command.name.to_string()).collect(),
    });
    Ok(Listed { tools: tools.collect() })
}

async fn describe(cx: ToolContext, args: DescribeArgs) -> Result<Described, ToolError> {
    let (wanted, one) = args
        .name
        .split_once('.')
        .map_or((args.name.as_str(), None), |(tool, command)| (tool, Some(command)));
    let visible = cx.registry.visible(cx.allowed.as_deref(), &cx.options);
    if visible
        .iter()
        .any(|visible| visible.tool.name == wanted && visible.tool.foreign)
    {
        cx.came_from(sources::description(wanted));
    }
    let commands: Vec<_> = visible
        .iter()
        .filter(|visible| visible.tool.name == wanted)
        .flat_map(|visible| visible.commands.iter().map(|command| (&visible.tool.name, command)))
        .filter(|(_, command)| one.is_none_or(|one| command.name == one))
        .map(|(tool, command)| DescribedCommand {
            name: format!("{tool}.{}", command.name),
            description: command.description.to_string(),
            class: command.class,
            args: command.schema.clone(),
            example: command.example.clone(),
        })
        .collect();
    if commands.is_empty() {
        return Err(ToolError::TellModel(cx.registry.unknown(&cx.options, &args.name)));
    }
    Ok(Described { commands })
}
