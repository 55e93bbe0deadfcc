//! `tools`: the tools themselves, so that their schemas need not stand in every prompt.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Class, Command, Tool, ToolContext, ToolError};

#[derive(Deserialize, JsonSchema)]
struct ListArgs {}

#[derive(Serialize)]
struct Listed {
    tools: Vec<ListedTool>,
}

#[derive(Serialize)]
struct ListedTool {
    name: &'static str,
    summary: &'static str,
    commands: Vec<&'static str>,
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
    summary: &'static str,
    class: Class,
    args: Value,
}

pub(super) fn tool() -> Tool {
    Tool {
        name: "tools",
        summary: "the tools there are",
        commands: vec![
            Command::new("list", "names and commands", Class::Read, list),
            Command::new("describe", "{name}: arguments of a tool", Class::Read, describe),
        ],
    }
}

async fn list(cx: ToolContext, _: ListArgs) -> Result<Listed, ToolError> {
    let tools = cx
        .registry
        .visible(cx.allowed.as_deref())
        .map(|(tool, commands)| ListedTool {
            name: tool.name,
            summary: tool.summary,
            commands: commands.iter().map(|command| command.name).collect(),
        })
        .collect();
    Ok(Listed { tools })
}

async fn describe(cx: ToolContext, args: DescribeArgs) -> Result<Described, ToolError> {
    let (tool, command) = args
        .name
        .split_once('.')
        .map_or((args.name.as_str(), None), |(tool, command)| (tool, Some(command)));
    let commands: Vec<_> = cx
        .registry
        .visible(cx.allowed.as_deref())
        .filter(|(known, _)| known.name == tool)
        .flat_map(|(known, commands)| {
            commands
                .into_iter()
                .map(move |known_command| (known.name, known_command))
        })
        .filter(|(_, known)| command.is_none_or(|command| known.name == command))
        .map(|(tool, command)| DescribedCommand {
            name: format!("{tool}.{}", command.name),
            summary: command.summary,
            class: command.class,
            args: command.schema.clone(),
        })
        .collect();
    if commands.is_empty() {
        return Err(ToolError::TellModel(format!(
            "there is no tool {}; tools.list names those there are",
            args.name
        )));
    }
    Ok(Described { commands })
}
