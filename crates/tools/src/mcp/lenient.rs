//! Lists of tools that are not as MCP says: one odd tool takes no other one away.

use rmcp::model::Tool;
use serde_json::{Map, Value, json};

/// The tools of a page that can be used, and where the next page begins. `None`: it is no page.
pub(super) fn page(page: &Value) -> Option<(Vec<Tool>, Option<String>)> {
    let tools = page.get("tools")?.as_array()?;
    let next = page.get("nextCursor").and_then(Value::as_str).map(str::to_owned);
    Some((tools.iter().filter_map(tool).collect(), next))
}

/// A tool without what is odd about it. Without its hints it counts as one that may destroy.
fn tool(tool: &Value) -> Option<Tool> {
    if let Ok(tool) = serde_json::from_value(tool.clone()) {
        return Some(tool);
    }
    let text = |field: &str| tool.get(field).filter(|value| value.is_string()).cloned();
    let schema = tool.get("inputSchema").filter(|schema| schema.is_object()).cloned();
    let fields = [
        ("name", Some(text("name")?)),
        ("description", text("description")),
        ("inputSchema", schema.or_else(|| Some(json!({ "type": "object" })))),
    ];
    let fields = fields
        .into_iter()
        .filter_map(|(name, value)| Some((name.to_owned(), value?)));
    serde_json::from_value(Value::Object(fields.collect::<Map<_, _>>())).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_odd_tool_is_used_without_what_is_odd_and_no_other_one_is_lost() {
        let listed = json!({ "nextCursor": "b", "tools": [
            { "name": "plain", "inputSchema": { "type": "object" }, "annotations": { "readOnlyHint": true } },
            { "name": "bare" },
            { "name": "hinted", "description": "x", "inputSchema": [], "annotations": { "readOnlyHint": "yes" } },
            { "name": 7 },
            "none",
        ]});
        let (tools, next) = page(&listed).expect("a page");
        let told: Vec<_> = tools
            .iter()
            .map(|tool| (&*tool.name, tool.annotations.is_some()))
            .collect();
        assert_eq!(told, [("plain", true), ("bare", false), ("hinted", false)]);
        assert_eq!(tools[2].description.as_deref(), Some("x"));
        assert_eq!(next.as_deref(), Some("b"));
    }

    #[test]
    fn what_lists_no_tools_is_no_page() {
        for listed in [json!({}), json!({ "tools": null }), json!([]), json!({ "tools": {} })] {
            assert_eq!(page(&listed), None, "{listed}");
        }
    }
}
