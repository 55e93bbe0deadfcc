//! The JSON schema of a reply, made from the types.

use std::sync::LazyLock;

use schemars::{JsonSchema, generate::SchemaSettings};
use serde_json::{Map, Value, json};

use crate::{Action, Note};

/// The schema of each action by its `type`, in the order of the definition, with its description, without `notes`.
pub(crate) static ACTIONS: LazyLock<Map<String, Value>> = LazyLock::new(|| {
    let mut actions = Map::new();
    let variants = generated::<Action>();
    for variant in variants["oneOf"].as_array().into_iter().flatten() {
        if let Some(kind) = variant["properties"]["type"]["const"].as_str() {
            let mut schema = simplified(variant);
            schema["description"] = variant["description"].clone();
            actions.insert(kind.to_owned(), schema);
        }
    }
    actions
});

/// The schema of `notes`.
pub(crate) static NOTES: LazyLock<Value> = LazyLock::new(|| simplified(&generated::<Vec<Note>>()));

/// The JSON schema of a reply, for providers that constrain what a model may write.
///
/// It holds no references, and names its type next to `anyOf`, as some providers want it. `type` comes first and
/// `notes` second, because constrained models write fields in this order, and a plan is worth more before the arguments
/// than behind them.
pub fn schema() -> &'static Value {
    static SCHEMA: LazyLock<Value> = LazyLock::new(|| {
        let actions: Vec<_> = ACTIONS.iter().map(|(kind, action)| constrained(kind, action)).collect();
        json!({ "type": "object", "anyOf": actions })
    });
    &SCHEMA
}

/// The most names of tools in a schema, and the most characters of them together: some providers take no more, and all
/// bill it.
const NAMES: (usize, usize) = (64, 2_000);

/// The same for a run that may call these tools, by their full names. Names that no tool has cannot be written then;
/// where there are too many, any name can.
pub fn schema_for(tools: &[String]) -> Value {
    let mut schema = schema().clone();
    let characters: usize = tools.iter().map(String::len).sum();
    if tools.len() > NAMES.0 || characters > NAMES.1 {
        return schema;
    }
    if let Some(actions) = schema["anyOf"].as_array_mut() {
        let calls = |action: &Value| action["properties"]["type"]["enum"][0] == "tool_call";
        if tools.is_empty() {
            actions.retain(|action| !calls(action));
        }
        for action in actions.iter_mut().filter(|action| calls(action)) {
            let names = json!({ "type": "string", "enum": tools });
            action["properties"]["then"]["items"]["properties"]["name"] = names.clone();
            action["properties"]["name"] = names;
        }
    }
    schema
}

/// One action as providers want it.
fn constrained(kind: &str, action: &Value) -> Value {
    let mut properties = Map::new();
    properties.insert("type".into(), json!({ "type": "string", "enum": [kind] }));
    let mut notes = bare(&NOTES);
    // Calls are announced with the first of them: elsewhere that is no loss, and each schema is paid for.
    if kind != "tool_call"
        && let Some(fields) = notes["items"]["properties"].as_object_mut()
    {
        fields.shift_remove("plan");
    }
    properties.insert("notes".into(), notes);
    for (name, field) in action["properties"].as_object().into_iter().flatten().skip(1) {
        properties.insert(name.clone(), bare(field));
    }
    json!({
        "type": "object",
        "properties": properties,
        "required": action["required"],
        "additionalProperties": false,
    })
}

/// The schema without number formats and bounds, which not every provider understands, and with closed objects.
fn bare(schema: &Value) -> Value {
    let mut schema = schema.clone();
    if let Some(keywords) = schema.as_object_mut() {
        keywords.retain(|keyword, _| !matches!(keyword.as_str(), "format" | "minimum"));
        if let Some(items) = keywords.get_mut("items") {
            *items = bare(items);
        }
        if let Some(properties) = keywords.get_mut("properties").and_then(Value::as_object_mut) {
            properties.values_mut().for_each(|property| *property = bare(property));
            keywords.insert("additionalProperties".into(), false.into());
        }
    }
    schema
}

/// The schema of a type as schemars generates it, without references.
fn generated<T: JsonSchema>() -> Value {
    let settings = SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true);
    settings.into_generator().into_root_schema_for::<T>().into()
}

/// The few keywords that matter here: no descriptions and defaults, `enum` for a choice of constants, and no `null`,
/// since a field that is null counts as absent.
fn simplified(schema: &Value) -> Value {
    let choices = ["oneOf", "anyOf"]
        .into_iter()
        .find_map(|keyword| schema[keyword].as_array());
    if let Some(choices) = choices {
        let constants: Vec<_> = choices.iter().filter_map(|choice| choice.get("const")).collect();
        if !constants.is_empty() {
            return json!({ "type": "string", "enum": constants });
        }
        if let Some(choice) = choices.iter().find(|choice| choice["type"] != "null") {
            return simplified(choice);
        }
    }
    let mut simple = Map::new();
    for (keyword, value) in schema.as_object().into_iter().flatten() {
        let value = match keyword.as_str() {
            "type" => value
                .as_array()
                .and_then(|types| types.iter().find(|&kind| kind != "null"))
                .unwrap_or(value)
                .clone(),
            "items" => simplified(value),
            "properties" => value
                .as_object()
                .into_iter()
                .flatten()
                .map(|(k, v)| (k.clone(), simplified(v)))
                .collect(),
            "required" | "additionalProperties" | "format" | "minimum" | "minLength" | "minItems" | "const" => {
                value.clone()
            }
            _ => continue,
        };
        simple.insert(keyword.clone(), value);
    }
    Value::Object(simple)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{schema, schema_for};

    fn of(kind: &str) -> &'static Value {
        let actions = schema()["anyOf"].as_array().unwrap();
        actions
            .iter()
            .find(|action| action["properties"]["type"]["enum"] == json!([kind]))
            .unwrap()
    }

    #[test]
    fn type_and_notes_come_first_and_objects_are_closed() {
        let notes = json!({
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "category": { "type": "string", "enum": ["requirements", "plan", "artifact", "validation"] },
                    "content": { "type": "string", "minLength": 1 },
                },
                "required": ["category", "content"],
                "additionalProperties": false,
            },
        });
        let finish = json!({
            "type": "object",
            "properties": {
                "type": { "type": "string", "enum": ["finish"] },
                "notes": notes,
                "output": { "type": "string" },
                "mode": { "type": "string", "enum": ["replace", "append"] },
                "file_ids": { "type": "array", "items": { "type": "string" } },
            },
            "required": ["type"],
            "additionalProperties": false,
        });
        // As text: the order of the fields counts.
        assert_eq!(of("finish").to_string(), finish.to_string());
    }

    #[test]
    fn arguments_are_free_and_nested_objects_are_not() {
        assert_eq!(
            of("tool_call")["properties"]["args"],
            json!({ "type": "object", "additionalProperties": true })
        );
        let subagent = &of("spawn_subagents")["properties"]["subagents"]["items"];
        assert_eq!(subagent["required"], json!(["task"]));
        assert_eq!(subagent["additionalProperties"], false);
        assert_eq!(
            subagent["properties"]["context"]["items"]["additionalProperties"],
            false
        );
    }

    #[test]
    fn a_tool_is_called_by_a_name_that_there_is_unless_there_are_too_many() {
        let names = |tools: &[String]| {
            let schema = schema_for(tools);
            let actions = schema["anyOf"].as_array().expect("actions").clone();
            let call = actions
                .into_iter()
                .find(|action| action["properties"]["type"]["enum"][0] == "tool_call");
            call.map(|call| call["properties"]["name"].clone())
        };
        let tools = ["compute.eval".to_owned(), "memory.put".to_owned()];
        assert_eq!(names(&tools), Some(json!({"type": "string", "enum": tools})));
        assert_eq!(names(&[]), None);
        let many: Vec<_> = (0..65).map(|number| format!("tool.command{number}")).collect();
        let free = of("tool_call")["properties"]["name"].clone();
        assert_eq!(names(&many), Some(free.clone()));
        assert_eq!(names(&["x".repeat(2_001)]), Some(free));
    }

    #[test]
    fn it_is_small_and_holds_nothing_that_a_provider_may_not_know() {
        let text = schema().to_string();
        assert!(text.len() < 7_000, "{} bytes", text.len());
        for keyword in [
            "$ref",
            "$defs",
            "oneOf",
            "const",
            "format",
            "minimum",
            "default",
            "description",
            "null",
        ] {
            assert!(!text.contains(&format!("\"{keyword}\"")), "{keyword}");
        }
    }
}
