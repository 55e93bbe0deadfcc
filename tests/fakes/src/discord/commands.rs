//! Commands of the application: what is registered, and in which languages
//! (<https://docs.discord.com/developers/interactions/application-commands>).

use axum::{
    Json,
    extract::{Path, Query, State as Extract},
    response::{IntoResponse, Response},
};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    Shared,
    error::{Refusal, only},
};

/// <https://docs.discord.com/developers/reference#locales>
const LOCALES: [&str; 34] = [
    "id", "da", "de", "en-GB", "en-US", "es-ES", "es-419", "fr", "hr", "it", "lt", "hu", "nl", "no", "pl", "pt-BR",
    "ro", "fi", "sv-SE", "vi", "tr", "cs", "el", "bg", "ru", "uk", "hi", "th", "zh-CN", "ja", "zh-TW", "ko", "ar",
    "he",
];

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Reading {
    with_localizations: Option<bool>,
}

enum Asked {
    Read(Reading),
    Put(Value),
}

pub(super) async fn read(
    shared: Extract<Shared>,
    Path(application): Path<u64>,
    Query(reading): Query<Reading>,
) -> Response {
    answer(&shared, application, None, Asked::Read(reading))
}

pub(super) async fn put(shared: Extract<Shared>, Path(application): Path<u64>, Json(body): Json<Value>) -> Response {
    answer(&shared, application, None, Asked::Put(body))
}

pub(super) async fn read_of_guild(
    shared: Extract<Shared>,
    Path((application, guild)): Path<(u64, u64)>,
    Query(reading): Query<Reading>,
) -> Response {
    answer(&shared, application, Some(guild), Asked::Read(reading))
}

pub(super) async fn put_of_guild(
    shared: Extract<Shared>,
    Path((application, guild)): Path<(u64, u64)>,
    Json(body): Json<Value>,
) -> Response {
    answer(&shared, application, Some(guild), Asked::Put(body))
}

fn answer(shared: &Shared, application: u64, guild: Option<u64>, asked: Asked) -> Response {
    let mut guard = shared.state();
    let state = &mut *guard;
    if application != state.application || guild.is_some_and(|guild| !state.guilds.contains_key(&guild)) {
        return Refusal::new(403, 50_001, "Missing Access").into_response();
    }
    if let Asked::Put(new) = &asked {
        let checked: Result<Vec<Value>, Refusal> = match new.as_array() {
            Some(list) => list.iter().map(check_command).collect(),
            None => Err(Refusal::field(
                "_",
                "LIST_TYPE_CONVERT",
                "Only lists may be used in a ListType",
            )),
        };
        let list = match checked {
            Ok(list) => list,
            Err(refusal) => return shared.refuse(state, refusal),
        };
        let list = list.into_iter().map(|mut command| {
            command["id"] = json!(state.clock.snowflake().to_string());
            command["application_id"] = json!(application.to_string());
            command["version"] = json!(state.clock.snowflake().to_string());
            command["default_member_permissions"] = Value::Null;
            command["nsfw"] = json!(false);
            command
        });
        let list = list.collect();
        state.commands.insert(guild, list);
    }
    let mut list = state.commands.get(&guild).cloned().unwrap_or_default();
    drop(guard);
    if !matches!(
        asked,
        Asked::Read(Reading {
            with_localizations: Some(true)
        })
    ) {
        list.iter_mut().for_each(without_localizations);
    }
    shared.changed();
    Json(list).into_response()
}

/// The rules for a command's name, text and options; the result is the command as Discord gives it back.
fn check_command(command: &Value) -> Result<Value, Refusal> {
    only(
        "command",
        command,
        &[
            "name",
            "name_localizations",
            "description",
            "description_localizations",
            "type",
            "options",
            "contexts",
            "integration_types",
        ],
    )?;
    let kind = command["type"].as_u64().unwrap_or(1);
    match kind {
        1 => named("command", command)?,
        _ => in_a_menu(command)?,
    }
    let mut command = command.clone();
    command["type"] = json!(kind);
    if kind != 1 {
        command["description"] = json!("");
    }
    for option in command.get("options").and_then(Value::as_array).into_iter().flatten() {
        only(
            "options",
            option,
            &[
                "name",
                "name_localizations",
                "description",
                "description_localizations",
                "type",
                "required",
                "autocomplete",
                "choices",
            ],
        )?;
        if option.get("choices").is_some() && option["autocomplete"] == json!(true) {
            return Err(Refusal::field(
                "choices",
                "APPLICATION_COMMAND_OPTIONS_CHOICES",
                "no choices beside autocomplete",
            ));
        }
        named("options", option)?;
        if option["type"].as_u64().is_none_or(|kind| !(1..=11).contains(&kind)) {
            return Err(Refusal::field("type", "BASE_TYPE_CHOICES", "no such type of option"));
        }
        // Of texts and numbers only: <https://docs.discord.com/developers/interactions/application-commands>
        let completes = option["autocomplete"] == json!(true) || option.get("choices").is_some();
        if completes && !matches!(option["type"].as_u64(), Some(3 | 4 | 10)) {
            return Err(Refusal::field("type", "BASE_TYPE_CHOICES", "nothing to choose from"));
        }
    }
    if length(&command) > 8_000 {
        return Err(Refusal::field(
            "_",
            "APPLICATION_COMMAND_TOO_LARGE",
            "Command exceeds maximum size",
        ));
    }
    let is_required = |option: &Value| option["required"] == json!(true);
    let options = command["options"].as_array().cloned().unwrap_or_default();
    if !options.is_sorted_by_key(|option| !is_required(option)) {
        return Err(Refusal::field(
            "options",
            "APPLICATION_COMMAND_OPTIONS_REQUIRED_INVALID",
            "Required options must be placed before non-required options",
        ));
    }
    if let Some(options) = command.get_mut("options").and_then(Value::as_array_mut) {
        if options.is_empty() {
            // Discord leaves an empty list out.
            command.as_object_mut().map(|command| command.remove("options"));
        } else {
            // And `required` and `autocomplete`, where they are false.
            for option in options.iter_mut().filter_map(Value::as_object_mut) {
                option.retain(|name, value| !["required", "autocomplete"].contains(&&**name) || *value == json!(true));
            }
        }
    }
    Ok(command)
}

/// A command in the menu of a person or message: "an empty string" as its description, no options, and a name that
/// "may be mixed case and can include spaces".
/// <https://docs.discord.com/developers/interactions/application-commands#application-command-object>
fn in_a_menu(command: &Value) -> Result<(), Refusal> {
    if !matches!(command["type"].as_u64(), Some(2 | 3)) {
        return Err(Refusal::field("type", "BASE_TYPE_CHOICES", "no such type of command"));
    }
    let name = command["name"].as_str().unwrap_or_default();
    let letters = name.chars().all(|c| c.is_alphanumeric() || " -_'".contains(c));
    if !(1..=32).contains(&name.chars().count()) || !letters {
        return Err(Refusal::field("name", "APPLICATION_COMMAND_INVALID_NAME", name));
    }
    let described = command["description"].as_str().is_some_and(|text| !text.is_empty());
    localized(command, "name_localizations", |name| {
        (1..=32).contains(&name.chars().count()) && name.chars().all(|c| c.is_alphanumeric() || " -_'".contains(c))
    })?;
    let described = described || command.get("description_localizations").is_some();
    if described || command.get("options").is_some() {
        return Err(Refusal::field(
            "description",
            "APPLICATION_COMMAND_CONTEXT_MENU_DESCRIPTION",
            "Context menu commands have neither description nor options",
        ));
    }
    Ok(())
}

fn named(what: &str, value: &Value) -> Result<(), Refusal> {
    let name = value["name"].as_str().unwrap_or_default();
    if !is_name(name) {
        return Err(Refusal::field(
            "name",
            "APPLICATION_COMMAND_INVALID_NAME",
            format!("{what}: `{name}`"),
        ));
    }
    let description = value["description"].as_str().unwrap_or_default();
    if !(1..=100).contains(&description.chars().count()) {
        return Err(Refusal::field(
            "description",
            "BASE_TYPE_BAD_LENGTH",
            "Must be between 1 and 100 in length.",
        ));
    }
    localized(value, "name_localizations", is_name)?;
    localized(value, "description_localizations", |text| {
        (1..=100).contains(&text.chars().count())
    })
}

fn is_name(name: &str) -> bool {
    let is_letter = |c: char| c.is_alphanumeric() && !c.is_uppercase() || c == '-' || c == '_';
    (1..=32).contains(&name.chars().count()) && name.chars().all(is_letter)
}

/// A field with the same text in other languages: "Dictionary keys must be Discord locales, values must follow the same
/// restrictions" as the text itself.
/// <https://docs.discord.com/developers/interactions/application-commands#localization>
fn localized(value: &Value, field: &str, fits: impl Fn(&str) -> bool) -> Result<(), Refusal> {
    let Some(texts) = value.get(field).filter(|texts| !texts.is_null()) else {
        return Ok(());
    };
    let Some(texts) = texts.as_object() else {
        return Err(Refusal::field(
            field,
            "DICT_TYPE_CONVERT",
            "Only dictionaries may be used in a DictType",
        ));
    };
    for (locale, text) in texts {
        if !LOCALES.contains(&locale.as_str()) {
            return Err(Refusal::field(
                field,
                "BASE_TYPE_CHOICES",
                format!("`{locale}` is no locale"),
            ));
        }
        if !text.as_str().is_some_and(&fits) {
            return Err(Refusal::field(
                field,
                "BASE_TYPE_BAD_LENGTH",
                format!("{locale}: {text}"),
            ));
        }
    }
    Ok(())
}

/// "The combined name, description, and value properties for each command, its options, its subcommands and groups, and
/// its choices … must not exceed 8000 characters", where of each text the longest of its languages counts.
/// <https://docs.discord.com/developers/interactions/application-commands#localization>
fn length(value: &Value) -> usize {
    let longest = |field: &str| {
        let own = value[field].as_str().map_or(0, |text| text.chars().count());
        let others = value[format!("{field}_localizations")]
            .as_object()
            .into_iter()
            .flatten();
        let others = others
            .filter_map(|(_, text)| text.as_str())
            .map(|text| text.chars().count());
        others.chain([own]).max().unwrap_or_default()
    };
    let within = |field: &str| {
        let inner = value[field].as_array().into_iter().flatten();
        inner.map(length).sum::<usize>()
    };
    longest("name") + longest("description") + longest("value") + within("options") + within("choices")
}

/// The form of a read without `with_localizations`, and of the answer to a change: "`name_localizations` and
/// `description_localizations`" are left out of it.
/// <https://docs.discord.com/developers/interactions/application-commands#retrieving-localized-commands>
fn without_localizations(command: &mut Value) {
    let Some(fields) = command.as_object_mut() else {
        return;
    };
    fields.retain(|name, _| !name.ends_with("_localizations"));
    for option in fields
        .get_mut("options")
        .and_then(Value::as_array_mut)
        .into_iter()
        .flatten()
    {
        without_localizations(option);
    }
}
