//! Menus of commands, by scope and language (<https://core.telegram.org/bots/api#setmycommands>).

use serde_json::{Value, json};

use super::{TelegramFake, answer::Refusal, params::Params, state::Shared};

/// Scopes that name no chat (<https://core.telegram.org/bots/api#botcommandscope>).
const SCOPES: [&str; 4] = [
    "default",
    "all_private_chats",
    "all_group_chats",
    "all_chat_administrators",
];

/// <https://core.telegram.org/bots/api#botcommand>
const FIELDS: [&str; 3] = ["command", "description", "is_ephemeral"];

impl TelegramFake {
    /// The commands that a person is shown in private: names and descriptions.
    pub fn commands(&self) -> Vec<(String, String)> {
        let own = self.commands_of("all_private_chats");
        if own.is_empty() {
            self.commands_of("default")
        } else {
            own
        }
    }

    /// The names of the commands of a scope that nobody else sees where others read along.
    pub fn commands_alone(&self, scope: &str) -> Vec<String> {
        let state = self.shared.lock();
        let own = state.commands_alone.iter().filter(|(of, _)| of == scope);
        own.map(|(_, name)| name.clone()).collect()
    }

    /// The commands that were set for a scope, for all languages.
    pub fn commands_of(&self, scope: &str) -> Vec<(String, String)> {
        self.commands_in(scope, "")
    }

    /// The commands that were set for a scope and a language.
    pub fn commands_in(&self, scope: &str, language: &str) -> Vec<(String, String)> {
        let state = self.shared.lock();
        let key = (scope.to_owned(), language.to_owned());
        state.commands.get(&key).cloned().unwrap_or_default()
    }
}

/// The scope and the language of a request.
fn key(params: &Params) -> Result<(String, String), Refusal> {
    let scope = params.values.get("scope");
    let scope = scope.map_or(Some("default"), |scope| scope["type"].as_str());
    let scope = scope.filter(|scope| SCOPES.contains(scope));
    let scope = scope.ok_or_else(|| Refusal::violation("can't parse BotCommandScope: unsupported type specified"))?;
    // "A two-letter ISO 639-1 language code".
    let language = params.text("language_code").unwrap_or_default();
    let is_code = language.len() == 2 && language.bytes().all(|byte| byte.is_ascii_lowercase());
    if !language.is_empty() && !is_code {
        return Err(Refusal::violation("invalid language code specified"));
    }
    Ok((scope.to_owned(), language.to_owned()))
}

/// `setMyCommands`.
pub(super) fn set(shared: &Shared, params: &Params) -> Result<Value, Refusal> {
    let key = key(params)?;
    let list = params.values.get("commands").and_then(Value::as_array);
    let (mut commands, mut alone) = (Vec::new(), Vec::new());
    for command in list.into_iter().flatten() {
        let name = command["command"].as_str().unwrap_or_default();
        let description = command["description"].as_str().unwrap_or_default();
        let is_name = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
        if !(1..=32).contains(&name.len()) || !name.chars().all(is_name) {
            return Err(Refusal::violation("BOT_COMMAND_INVALID"));
        }
        if !(1..=256).contains(&description.chars().count()) {
            return Err(Refusal::violation("BOT_COMMAND_DESCRIPTION_INVALID"));
        }
        let fields = command.as_object().into_iter().flat_map(|fields| fields.keys());
        if let Some(unknown) = fields.into_iter().find(|field| !FIELDS.contains(&field.as_str())) {
            return Err(Refusal::violation(format!("unknown field `{unknown}` of BotCommand")));
        }
        if command["is_ephemeral"] == json!(true) {
            alone.push((key.0.clone(), name.to_owned()));
        }
        commands.push((name.to_owned(), description.to_owned()));
    }
    if commands.len() > 100 {
        return Err(Refusal::violation("BOT_COMMANDS_TOO_MUCH"));
    }
    let mut state = shared.lock();
    state.commands_alone.retain(|(of, _)| *of != key.0);
    state.commands_alone.extend(alone);
    state.commands.insert(key, commands);
    drop(state);
    shared.changed.send_replace(());
    Ok(json!(true))
}

/// `getMyCommands`: an empty list if none are set for exactly this scope and language.
pub(super) fn get(shared: &Shared, params: &Params) -> Result<Value, Refusal> {
    let key = key(params)?;
    // A test may wait for the question itself.
    shared.changed.send_replace(());
    let state = shared.lock();
    let commands = state.commands.get(&key).into_iter().flatten();
    let list = commands.map(|(name, description)| {
        let mut command = json!({"command": name, "description": description});
        if state.commands_alone.contains(&(key.0.clone(), name.clone())) {
            command["is_ephemeral"] = json!(true);
        }
        command
    });
    Ok(list.collect())
}
