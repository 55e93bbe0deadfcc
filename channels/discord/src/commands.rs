//! Slash commands, registered if they changed.

use std::collections::BTreeMap;

use clifford_text::{Lang, Localized, Menu};
use reqwest::Method;
use serde_json::{Map, Value, json};
use serenity::model::application::{CommandOptionType, CommandType, InteractionContext};
use tokio_util::sync::CancellationToken;

use crate::{
    api::{Body, Call, Refusal},
    config::SlashCommand,
    map::{ASK, ASK_ABOUT, IN_THREAD},
    shared::Shared,
    wait::Stopped,
};

/// Registers the commands, if Discord has others.
pub(crate) async fn register(shared: &Shared, application: u64, stop: &CancellationToken) {
    match try_register(shared, application, stop).await {
        Ok(Ok(true)) => tracing::info!(count = shared.config.commands.len(), "registered slash commands"),
        Ok(Ok(false)) | Err(Stopped) => {}
        Ok(Err(refusal)) => tracing::warn!(
            status = refusal.status,
            code = refusal.code,
            reason = refusal.reason(),
            remedy = remedy(&refusal, shared.config.settings.dev_guild.is_some()),
            "failed to register slash commands",
        ),
    }
}

/// The remedy that a log line names.
const fn remedy(refusal: &Refusal, in_one_guild: bool) -> &'static str {
    match (refusal.status, in_one_guild) {
        // Missing access: the one refusal that the scope mends.
        (401 | 403, _) => "invite the bot with the scope applications.commands",
        (404, true) => "channels.discord.dev_guild names no server that the bot is in",
        _ => "Discord does not take them as they are, which is a bug; the bot works by mentions and messages",
    }
}

async fn try_register(
    shared: &Shared,
    application: u64,
    stop: &CancellationToken,
) -> Result<Result<bool, Refusal>, Stopped> {
    let path = match &shared.config.settings.dev_guild {
        Some(guild) => format!("/applications/{application}/guilds/{}/commands", guild.as_str()),
        None => format!("/applications/{application}/commands"),
    };
    let with_all = format!("{path}?with_localizations=true");
    let read = Call::new(Method::GET, "read commands", application, with_all);
    let registered: Vec<Value> = match shared.api.call_with_retries(&read, stop).await? {
        Ok(registered) => registered,
        Err(refusal) => return Ok(Err(refusal)),
    };
    let is_global = shared.config.settings.dev_guild.is_none();
    let commands = shared.config.commands.iter();
    let mut wanted: Vec<Value> = commands.map(|command| as_json(command, is_global)).collect();
    // In the menu of each message, besides `/ask`.
    if shared.config.commands.iter().any(|command| command.name == ASK) {
        wanted.push(json!({
            "name": ASK_ABOUT, "name_localizations": localizations(&Localized::of(&Menu::AskAbout)),
            "type": CommandType::Message,
        }));
    }
    if sorted(&registered) == sorted(&wanted) {
        return Ok(Ok(false));
    }
    let write = Call::new(Method::PUT, "put commands", application, path).body(Body::Json(Value::Array(wanted)));
    let written = shared.api.call_with_retries::<Value>(&write, stop).await?;
    Ok(written.map(|_| true))
}

/// The locales of Discord whose words come from a catalogue; English is what all others read:
/// <https://docs.discord.com/developers/reference#locales>
const LOCALES: [&str; 9] = ["de", "es-ES", "es-419", "fr", "pt-BR", "ru", "zh-CN", "zh-TW", "ja"];

/// A text in the languages of those who read other than English; none, where it is the same in all of them.
fn localizations(text: &Localized) -> Option<Map<String, Value>> {
    let own = LOCALES.iter().filter_map(|locale| {
        let own = text.get(Lang::of(locale)?);
        (own != text.english()).then(|| ((*locale).to_owned(), json!(own)))
    });
    let own: Map<String, Value> = own.collect();
    (!own.is_empty()).then_some(own)
}

/// The files that a question may have besides its text.
fn of_ask() -> Vec<Value> {
    let option = |kind: CommandOptionType, name: &str, about: Menu| {
        let about = Localized::of(&about);
        json!({"type": kind, "name": name, "description": about.english(),
            "description_localizations": localizations(&about), "required": false})
    };
    vec![
        option(CommandOptionType::Boolean, IN_THREAD, Menu::AskInThread),
        option(CommandOptionType::Attachment, "file", Menu::AskFile),
    ]
}

fn as_json(command: &SlashCommand, is_global: bool) -> Value {
    let options: Vec<Value> = command
        .arguments
        .iter()
        .map(|argument| {
            let mut option = json!({
                "type": CommandOptionType::String, "name": argument.name, "description": argument.description.english(),
                "description_localizations": localizations(&argument.description), "required": argument.required,
            });
            if argument.choices.is_empty() {
                option["autocomplete"] = json!(argument.completes);
            } else {
                let choices = argument.choices.iter();
                option["choices"] = choices.map(|choice| json!({"name": choice, "value": choice})).collect();
            }
            option
        })
        .collect();
    let options = options
        .into_iter()
        .chain(if command.name == ASK { of_ask() } else { Vec::new() });
    let options: Vec<Value> = options.collect();
    let mut json = json!({
        "name": command.name, "description": command.description.english(),
        "description_localizations": localizations(&command.description), "type": 1, "options": options,
    });
    // Commands of one guild have no other contexts.
    if command.private && is_global {
        json["contexts"] = json!([InteractionContext::BotDm]);
    }
    json
}

/// The fields by which two commands are the same: Discord returns more than it was given, and omits defaults.
fn sorted(commands: &[Value]) -> Vec<String> {
    let mut essences: Vec<String> = commands.iter().map(essence).collect();
    essences.sort();
    essences
}

fn essence(command: &Value) -> String {
    let options = command
        .get("options")
        .and_then(Value::as_array)
        .map(Vec::as_slice)
        .unwrap_or_default();
    let options: Vec<Value> = options
        .iter()
        .map(|option| {
            let is = |name: &str| option[name].as_bool().unwrap_or(false);
            json!([
                option["type"],
                option["name"],
                option["description"],
                sorted_map(&option["description_localizations"]),
                is("required"),
                is("autocomplete"),
                choices(&option["choices"]),
            ])
        })
        .collect();
    json!([
        command["name"],
        command["description"].as_str().unwrap_or_default(),
        sorted_map(&command["name_localizations"]),
        sorted_map(&command["description_localizations"]),
        command["type"].as_u64().unwrap_or(1),
        options,
        command["contexts"] == json!([InteractionContext::BotDm])
    ])
    .to_string()
}

/// The entries of a map in an order of their own; none, where there is no map.
fn sorted_map(map: &Value) -> Option<BTreeMap<&String, &Value>> {
    map.as_object().map(|map| map.iter().collect())
}

/// The values that can be chosen from.
fn choices(choices: &Value) -> Vec<Value> {
    let choices = choices.as_array().map(Vec::as_slice).unwrap_or_default();
    choices.iter().map(|choice| choice["value"].clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Argument;

    #[test]
    fn only_missing_access_is_told_as_a_missing_scope() {
        let refusal = |status| Refusal {
            status,
            code: 50_035,
            message: "Invalid Form Body".to_owned(),
        };
        let told = [
            (403, false, "invite the bot with the scope applications.commands"),
            (
                404,
                true,
                "channels.discord.dev_guild names no server that the bot is in",
            ),
            (
                400,
                false,
                "Discord does not take them as they are, which is a bug; the bot works by mentions and messages",
            ),
        ];
        for (status, in_one_guild, expected) in told {
            assert_eq!(remedy(&refusal(status), in_one_guild), expected, "{status}");
        }
    }

    #[test]
    fn what_discord_gives_back_is_known_as_what_it_was_given() {
        let argument = Argument {
            name: "name".to_owned(),
            description: Localized::of(&Menu::Search),
            required: false,
            completes: true,
            choices: Vec::new(),
        };
        let action = Argument {
            completes: false,
            choices: vec!["set".to_owned()],
            ..argument.clone()
        };
        let new = SlashCommand {
            name: "new".to_owned(),
            description: Localized::same("Begin"),
            arguments: vec![argument],
            private: false,
            personal: false,
            shared: clifford_channel::ShownTo::default(),
        };
        let stop = SlashCommand {
            name: "stop".to_owned(),
            description: Localized::of(&Menu::Stop),
            arguments: vec![action],
            private: true,
            personal: false,
            shared: clifford_channel::ShownTo::default(),
        };
        let localized = |menu: Menu| {
            // In an order of Discord's own.
            let all = localizations(&Localized::of(&menu)).expect("it is translated");
            let mut all: Vec<_> = all.into_iter().collect();
            all.reverse();
            Value::Object(all.into_iter().collect())
        };
        let (search, end) = (localized(Menu::Search), localized(Menu::Stop));
        let (about, stops) = (Localized::of(&Menu::Search), Localized::of(&Menu::Stop));
        let given_back = [
            json!({"id": "2", "name": "stop", "description": stops.english(), "type": 1, "version": "1", "nsfw": false,
                "name_localizations": null, "description_localizations": end, "contexts": [1],
                "options": [{"type": 3, "name": "name", "description": about.english(),
                    "description_localizations": search,
                    "choices": [{"name": "set", "name_localizations": null, "value": "set"}]}]}),
            json!({"id": "1", "name": "new", "description": "Begin", "type": 1, "contexts": null,
                "options": [{"type": 3, "name": "name", "description": about.english(),
                    "description_localizations": search, "autocomplete": true}]}),
        ];
        let wanted = [as_json(&new, true), as_json(&stop, true)];
        assert_eq!(sorted(&given_back), sorted(&wanted));
        assert_ne!(sorted(&given_back), sorted(&[as_json(&new, true)]));
        let mut older = given_back.clone();
        older[0]["description_localizations"]["de"] = json!("Früher");
        assert_ne!(sorted(&older), sorted(&wanted));
        assert_ne!(
            sorted(&given_back),
            sorted(&[as_json(&new, true), as_json(&stop, false)])
        );
    }
}
