//! The settings of tools that can be changed while running: each field of a tool's section, for the bot, a space, a
//! channel, an agent or a person. Secrets are not among them: only the configuration names those.

use std::sync::Arc;

use clifford_core::{clock::Timestamp, policy::class::Class, search::near};
use clifford_store::{
    Conn, StoreError, Tx,
    places::settings::{self, Setting},
};
use serde::Serialize;
use serde_json::{Map, Value};

use super::catalogue::{self, Scope};
use crate::{
    Command, Common, Options, Registry, Server, Services, Tool, ToolSettings, fields, is_secret,
    options::{setting_name, tool_and_field},
    registry::built_in,
};

/// A tool with what is set for it in a scope.
#[derive(Clone, Debug, PartialEq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Tool)]
pub struct ShownTool {
    /// Its name.
    pub name: String,
    /// One emoji.
    pub icon: String,
    /// The purpose, in a few words, as models read it.
    pub summary: String,
    /// The purpose.
    pub description: String,
    /// Whether models are shown it here and may call it.
    pub usable: bool,
    /// Why it cannot be used, and how to mend that; `null`: it can.
    pub why: Option<String>,
    /// The MCP server behind it; `null`: it is built in.
    pub server: Option<Server>,
    /// The commands.
    pub commands: Vec<ShownCommand>,
    /// The settings.
    pub fields: Vec<ShownField>,
}

/// A command of a tool.
#[derive(Clone, Debug, PartialEq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ToolCommand)]
pub struct ShownCommand {
    /// `tool.command`.
    pub name: String,
    /// The kind of the trigger.
    pub description: String,
    /// `READ`, `WRITE`, `DESTRUCT` or `SENSITIVE`.
    #[schema(value_type = String)]
    pub class: Class,
    /// Whether calling it again with the same key changes nothing.
    pub idempotent: bool,
    /// Whether what it returns comes from outside.
    pub untrusted: bool,
    /// Why it cannot be used as things are set; `null`: it can.
    pub why: Option<String>,
    /// The JSON schema of its arguments.
    #[schema(value_type = Object)]
    pub args: Value,
    /// Arguments as they may be given.
    #[schema(value_type = Option<Object>)]
    pub example: Option<Value>,
}

/// Something that can be set for a tool.
#[derive(Clone, Debug, PartialEq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ToolField)]
pub struct ShownField {
    /// Its name, as in `[tools.NAME]` of `bot.toml`.
    pub name: String,
    /// The value in effect here; `null`: nothing is set.
    #[schema(value_type = Option<Object>)]
    pub value: Option<Value>,
    /// Where that is set: `default`, `configuration`, `bot`, `space`, `channel`, `agent` or `user`.
    pub set_by: &'static str,
    /// The value that is set in this very scope; `null`: nothing.
    #[schema(value_type = Option<Object>)]
    pub set_here: Option<Value>,
    /// Its JSON schema.
    #[schema(value_type = Object)]
    pub schema: Value,
}

/// Every tool, or those that `wanted` names, with what is set in a scope.
///
/// # Errors
/// [`StoreError::NotFound`]: there is no such scope.
pub async fn list(
    conn: &mut Conn,
    scope: Scope,
    registry: &Registry,
    services: &Arc<Services>,
) -> Result<Vec<ShownTool>, StoreError> {
    let layers = layers(conn, scope).await?;
    let rows: Vec<_> = layers.iter().flat_map(|(_, rows)| rows.iter().cloned()).collect();
    let here = Here {
        registry,
        options: Options::new(Arc::clone(services), &rows),
        layers,
        defaults: ToolSettings::default(),
    };
    Ok(registry.all().iter().map(|tool| here.shown(tool)).collect())
}

/// The settings of a scope, behind all that it inherits from.
async fn layers(conn: &mut Conn, scope: Scope) -> Result<Vec<(Scope, Vec<Setting>)>, StoreError> {
    let around = catalogue::there(conn, scope).await?;
    let mut scopes = vec![Scope::Bot];
    scopes.extend(around);
    if scope != Scope::Bot {
        scopes.push(scope);
    }
    let mut layers = Vec::new();
    for scope in scopes {
        layers.push((scope, settings::of_scope(conn, &scope.stored()).await?));
    }
    Ok(layers)
}

/// The settings in force in a scope.
struct Here<'a> {
    registry: &'a Registry,
    options: Options,
    layers: Vec<(Scope, Vec<Setting>)>,
    defaults: ToolSettings,
}

impl Here<'_> {
    fn shown(&self, tool: &Tool) -> ShownTool {
        let commands: Vec<_> = (tool.commands.iter())
            .map(|command| self.shown_command(tool, command))
            .collect();
        let fields: Vec<_> = settable(tool)
            .into_iter()
            .map(|(name, schema)| self.field(tool, name, schema))
            .collect();
        let off = fields
            .iter()
            .find(|field| field.name == "enabled" && field.value == Some(Value::Bool(false)));
        let lacks = || (commands.iter().all(|command| command.why.is_some())).then(|| commands.first()?.why.clone());
        let why = match off {
            Some(off) => Some(format!("it is turned off ({})", off.set_by)),
            None => self.registry.away(&tool.name).or_else(|| lacks().flatten()),
        };
        ShownTool {
            name: tool.name.to_string(),
            icon: tool.icon.to_string(),
            summary: tool.summary.to_string(),
            description: tool.description.to_string(),
            usable: why.is_none(),
            why,
            server: self.registry.server(&tool.name),
            commands,
            fields,
        }
    }

    fn shown_command(&self, tool: &Tool, command: &Command) -> ShownCommand {
        let name = format!("{}.{}", tool.name, command.name);
        ShownCommand {
            why: self.registry.lacks(&self.options, &name),
            name,
            description: command.description.to_string(),
            class: command.class,
            idempotent: command.idempotent,
            untrusted: command.untrusted,
            args: command.schema.clone(),
            example: command.example.clone(),
        }
    }

    fn field(&self, tool: &Tool, name: String, schema: Value) -> ShownField {
        let configured = |settings: &ToolSettings| section(settings, tool).get(&name).cloned();
        let (mut value, mut set_here) = (configured(&self.options.services().config), None);
        let mut set_by = if value == configured(&self.defaults) {
            "default"
        } else {
            "configuration"
        };
        for (place, (scope, rows)) in self.layers.iter().enumerate() {
            let of_field = |row: &&Setting| tool_and_field(&row.name) == Some((&tool.name, &name));
            let set = rows
                .iter()
                .find(of_field)
                .and_then(|row| serde_json::from_str(&row.value).ok());
            if let Some(set) = set {
                set_by = scope.kind();
                set_here = (place + 1 == self.layers.len()).then(|| Value::clone(&set));
                value = Some(set);
            }
        }
        ShownField {
            name,
            value,
            set_by,
            set_here,
            schema,
        }
    }
}

/// A tool's whole section of the configuration.
fn section(settings: &ToolSettings, tool: &Tool) -> Map<String, Value> {
    let mut section = match serde_json::to_value(settings.common(&tool.name)) {
        Ok(Value::Object(common)) => common,
        _ => Map::new(),
    };
    if let Value::Object(own) = settings.of(&tool.name) {
        section.extend(own.clone());
    }
    section
}

/// The fields that may be set while running.
fn settable(tool: &Tool) -> Map<String, Value> {
    let fields = fields(tool).into_iter();
    fields.filter(|(_, schema)| !is_secret(schema)).collect()
}

/// One change of a tool's settings in a scope.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    name: String,
    /// As it is stored; `None`: what is inherited holds again.
    value: Option<String>,
}

/// Judges what is to be set for a tool; `null` takes a field back.
///
/// # Errors
/// The field that is wrong, and why.
pub fn checked(
    tool: &Tool,
    scope: Scope,
    config: &ToolSettings,
    given: &Map<String, Value>,
) -> Result<Vec<Change>, (String, String)> {
    let settable = settable(tool);
    let mut section = section(config, tool);
    let mut changes = Vec::new();
    for (field, value) in given {
        let fault = |why: String| (field.clone(), why);
        let schema = settable
            .get(field)
            .ok_or_else(|| fault(no_field(tool, field, &settable)))?;
        if matches!(scope, Scope::User(_)) && field == "enabled" && *value == Value::Bool(true) {
            return Err(fault("a person's setting turns a tool off, never on".to_owned()));
        }
        if !value.is_null() {
            if let Some(why) = breach(schema, value) {
                return Err(fault(why));
            }
            section.insert(field.clone(), value.clone());
        }
        changes.push(Change {
            name: setting_name(&tool.name, field),
            value: (!value.is_null()).then(|| value.to_string()),
        });
    }
    section.retain(|field, _| !Common::has(field));
    let fault = tool
        .config
        .and_then(|config| (config.fault)(&Value::Object(section), &built_in()));
    match fault {
        Some(why) => Err((tool.name.to_string(), why)),
        None => Ok(changes),
    }
}

fn no_field(tool: &Tool, field: &str, settable: &Map<String, Value>) -> String {
    if fields(tool).get(field).is_some_and(is_secret) {
        return format!("a secret is set in [tools.{}] of the configuration alone", tool.name);
    }
    let names = settable.keys().map(String::as_str);
    let near = names.clone().min_by_key(|name| near::slips(name, field));
    match near.filter(|name| near::slips(name, field) <= 2) {
        Some(near) => format!("{} has no such field; did you mean `{near}`?", tool.name),
        None => format!(
            "{} has no such field; there are {}",
            tool.name,
            names.collect::<Vec<_>>().join(", ")
        ),
    }
}

/// The fault of a value, by its schema.
fn breach(schema: &Value, value: &Value) -> Option<String> {
    let validator = jsonschema::validator_for(schema).ok()?;
    let faults: Vec<_> = validator
        .iter_errors(value)
        .map(|error| in_words(&error.to_string()))
        .collect();
    (!faults.is_empty()).then(|| faults.join("; "))
}

/// A validator's sentence with the types in words.
fn in_words(fault: &str) -> String {
    let types = [" is not of types ", " is not of type "];
    let Some((value, types)) = types.iter().find_map(|between| fault.rsplit_once(between)) else {
        return fault.to_owned();
    };
    let words: Vec<_> = types
        .split(", ")
        .map(|kind| match kind.trim_matches('"') {
            "integer" => "a whole number",
            "number" => "a number",
            "boolean" => "true or false",
            "string" => "a text",
            "array" => "a list",
            "null" => "nothing",
            _ => "an object",
        })
        .collect();
    format!("{value} is not {}", words.join(" or "))
}

/// Writes changes that were [checked].
///
/// # Errors
/// [`StoreError::NotFound`]: there is no such scope.
pub async fn apply(tx: &mut Tx, scope: Scope, changes: &[Change], now: Timestamp) -> Result<(), StoreError> {
    catalogue::there(tx, scope).await?;
    let stored = scope.stored();
    for Change { name, value } in changes {
        match value {
            Some(value) => settings::put(tx, &stored, name, value, now).await?,
            None => drop(settings::unset(tx, &stored, name).await?),
        }
    }
    Ok(())
}

/// The tool of a name.
///
/// # Errors
/// There is none, and which comes near.
pub fn find(registry: &Registry, name: &str) -> Result<Arc<Tool>, String> {
    let tools = registry.all();
    if let Some(found) = tools.iter().find(|tool| tool.name == name) {
        return Ok(Arc::clone(found));
    }
    let near = tools.iter().min_by_key(|tool| near::slips(&tool.name, name));
    Err(match near.filter(|tool| near::slips(&tool.name, name) <= 2) {
        Some(near) => format!("tool `{name}`; did you mean `{}`?", near.name),
        None => {
            let names: Vec<_> = tools.iter().map(|tool| tool.name.as_ref()).collect();
            format!("tool `{name}`; there are {}", names.join(", "))
        }
    })
}

#[cfg(test)]
mod tests {
    use clifford_core::id::UserId;
    use serde_json::json;

    use super::*;

    fn check(tool: &str, scope: Scope, given: Value) -> Result<Vec<Change>, (String, String)> {
        let registry = Registry::built_in(1);
        let tool = find(&registry, tool).expect("a tool");
        checked(
            &tool,
            scope,
            &ToolSettings::default(),
            given.as_object().expect("an object"),
        )
    }

    #[test]
    fn what_a_tools_type_allows_is_taken_and_stored_as_json() {
        let changes = check("compute", Scope::Bot, json!({ "max_seconds": 5, "pinned": null }));
        let change = |name: &str, value: Option<&str>| Change {
            name: name.to_owned(),
            value: value.map(str::to_owned),
        };
        assert_eq!(
            changes,
            Ok(vec![
                change("tool.compute.max_seconds", Some("5")),
                change("tool.compute.pinned", None)
            ])
        );
    }

    #[test]
    fn everything_else_is_refused_with_its_reason() {
        let user = Scope::User(UserId::new());
        let cases = [
            (
                Scope::Bot,
                json!({ "max_seconds": 99 }),
                "max_seconds",
                "99 is greater than the maximum of 15",
            ),
            (
                Scope::Bot,
                json!({ "enabled": "no" }),
                "enabled",
                "\"no\" is not true or false",
            ),
            (
                Scope::Bot,
                json!({ "max_second": 1 }),
                "max_second",
                "compute has no such field; did you mean `max_seconds`?",
            ),
            (
                user,
                json!({ "enabled": true }),
                "enabled",
                "a person's setting turns a tool off, never on",
            ),
        ];
        for (scope, given, field, why) in cases {
            assert_eq!(check("compute", scope, given), Err((field.to_owned(), why.to_owned())));
        }
    }

    #[test]
    fn of_a_servers_tools_what_every_tool_has_can_be_set() {
        let registry = Registry::built_in(1);
        registry.expect("disk", "it is on its way");
        let disk = find(&registry, "disk").expect("a tool");
        let check = |given: Value| {
            let given = given.as_object().expect("an object");
            checked(&disk, Scope::Bot, &ToolSettings::default(), given)
        };
        let changes = check(json!({ "enabled": false, "pinned": true, "time_limit_seconds": 5 })).expect("changes");
        let names: Vec<_> = changes.iter().map(|change| change.name.as_str()).collect();
        assert_eq!(
            names,
            ["tool.disk.enabled", "tool.disk.pinned", "tool.disk.time_limit_seconds"]
        );
        assert!(check(json!({ "command": "sh" })).is_err());
    }

    #[test]
    fn a_tool_that_is_not_there_names_the_nearest() {
        let registry = Registry::built_in(1);
        let missing = |name: &str| find(&registry, name).map(|tool| tool.name.to_string());
        assert_eq!(
            missing("memroy"),
            Err("tool `memroy`; did you mean `memory`?".to_owned())
        );
        assert!(missing("abacus").is_err_and(|why| why.starts_with("tool `abacus`; there are ")));
    }
}
