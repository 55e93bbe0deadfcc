//! `dice`: throws dice.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{Class, Command, Tool, ToolContext, ToolError};

#[derive(Deserialize, JsonSchema)]
struct ThrowArgs {
    /// How many dice; left out: one.
    count: Option<u32>,
}

#[derive(Serialize)]
struct Thrown {
    values: Vec<u32>,
}

/// The dice of the tool.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
struct Config {
    /// How many sides a die has.
    #[schemars(range(min = 2, max = 100))]
    sides: u32,
}

impl Default for Config {
    fn default() -> Self {
        Self { sides: 6 }
    }
}

pub(super) fn tool() -> Tool {
    Tool::new("dice", "🎲", "dice")
        .about("Throws dice.")
        .config::<Config>()
        .command(
            Command::new("throw", "{count?}", Class::Read, throw)
                .about("Throws as many dice as asked, and tells the value of each.")
                .example(json!({ "count": 2 }))
                .exposes_errors(),
        )
}

async fn throw(cx: ToolContext, args: ThrowArgs) -> Result<Thrown, ToolError> {
    let count = args.count.unwrap_or(1);
    if count > 100 {
        return Err(ToolError::TellModel("count: at most 100 dice".to_owned()));
    }
    let sides = cx.config::<Config>("dice")?.sides;
    let values = (0..count).map(|_| rand::random_range(1..=sides));
    Ok(Thrown {
        values: values.collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::tool;

    #[test]
    fn the_guide_shows_this_file_and_it_is_a_tool() {
        let guide = include_str!("../../../docs/ADDING-A-TOOL.md");
        let file = include_str!("dice.rs");
        let shown = file.split("\n#[cfg(test)]").next().expect("the tool");
        assert!(
            guide.contains(shown),
            "docs/ADDING-A-TOOL.md does not show dice.rs as it is"
        );
        assert!(guide.lines().count() < 150);
        let tool = tool();
        let command = &tool.commands[0];
        let args = command.example.as_ref().and_then(serde_json::Value::as_object);
        assert_eq!(command.fault(args.expect("an object")), None);
        assert_eq!(
            (tool.config.expect("a config").default)(),
            serde_json::json!({ "sides": 6 })
        );
    }
}
