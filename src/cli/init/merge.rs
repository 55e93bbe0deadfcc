//! New answers in an existing `bot.toml`: what was not asked for stays as it was written, comments and secrets included.

use std::path::Path;

use anyhow::{Context, anyhow};
use toml_edit::{ArrayOfTables, DocumentMut, Item, Table, Value, value};

use super::answers::{Answers, Connection, Provider, Token};

/// The text of the file with the answers in it.
///
/// # Errors
/// It is not TOML, or a section is something else.
pub(super) fn merged(text: &str, path: &Path, answers: &Answers) -> anyhow::Result<String> {
    let document = text.parse::<DocumentMut>();
    let mut document = document.with_context(|| format!("{} is not TOML", path.display()))?;
    for connection in &answers.connections {
        connect(&mut document, connection)?;
    }
    if let Some(provider) = &answers.provider {
        think_with(&mut document, provider)?;
    }
    Ok(document.to_string())
}

fn connect(document: &mut DocumentMut, connection: &Connection) -> anyhow::Result<()> {
    let mut channels = Table::new();
    channels.set_implicit(true);
    let name = connection.row.about.platform.as_str();
    let channels = document.entry("channels").or_insert(Item::Table(channels));
    let channels = channels
        .as_table_like_mut()
        .ok_or_else(|| anyhow!("`channels` is not a table"))?;
    let section = channels.entry(name).or_insert(Item::Table(Table::new()));
    let section = section
        .as_table_like_mut()
        .ok_or_else(|| anyhow!("`channels.{name}` is not a table"))?;
    if let Some(token) = secret(&connection.token) {
        put(section, "token", token);
    }
    if connection.api_url != connection.row.default_section().common().api_url {
        put(section, "api_url", connection.api_url.as_str().into());
    }
    put(section, "access", connection.access.as_str().into());
    // It may have been turned off.
    if section.get("enabled").and_then(Item::as_bool) == Some(false) {
        put(section, "enabled", true.into());
    }
    Ok(())
}

/// The provider takes the place of the first one; further ones stay.
fn think_with(document: &mut DocumentMut, provider: &Provider) -> anyhow::Result<()> {
    let mut llm = Table::new();
    llm.set_implicit(true);
    let llm = document.entry("llm").or_insert(Item::Table(llm));
    let llm = llm.as_table_like_mut().ok_or_else(|| anyhow!("`llm` is not a table"))?;
    let providers = llm
        .entry("providers")
        .or_insert(Item::ArrayOfTables(ArrayOfTables::new()));
    let first: &mut dyn toml_edit::TableLike = match providers {
        Item::ArrayOfTables(list) => {
            if list.is_empty() {
                let mut section = Table::new();
                section.insert("name", value("main"));
                list.push(section);
            }
            list.get_mut(0).ok_or_else(|| anyhow!("`llm.providers` is empty"))?
        }
        Item::Value(Value::Array(list)) => list
            .get_mut(0)
            .and_then(Value::as_inline_table_mut)
            .ok_or_else(|| anyhow!("`llm.providers` is not a list of tables"))?,
        _ => return Err(anyhow!("`llm.providers` is not a list")),
    };
    put(first, "kind", provider.kind_word().into());
    put(first, "base_url", provider.base_url.as_str().into());
    put(first, "model", provider.model.clone().into());
    match provider.key.as_ref().map(secret) {
        Some(Some(key)) => put(first, "key", key),
        // It stays as it is.
        Some(None) => {}
        None => drop(first.remove("key")),
    }
    Ok(())
}

/// Sets a key; a comment behind the value stays.
fn put(section: &mut dyn toml_edit::TableLike, key: &str, mut new: Value) {
    match section.get_mut(key).and_then(Item::as_value_mut) {
        Some(old) => {
            *new.decor_mut() = old.decor().clone();
            *old = new;
        }
        None => drop(section.insert(key, Item::Value(new))),
    }
}

/// How a secret is written; nothing, if it stays as it is.
fn secret(token: &Token) -> Option<Value> {
    Some(match token {
        Token::Inline(secret) => secret.expose().into(),
        Token::Environment(name) => {
            let mut source = toml_edit::InlineTable::new();
            source.insert("env", name.as_str().into());
            source.into()
        }
        Token::Kept => return None,
    })
}

#[cfg(test)]
mod tests {
    use clifford_channel::Access;
    use clifford_config::{Config, ProviderKind};
    use clifford_vault::Secret;

    use super::*;
    use crate::app::PLATFORMS;

    fn connection(name: &str, token: Token) -> Connection {
        let row = PLATFORMS.row(name).unwrap();
        Connection {
            row,
            token,
            access: Access::Open,
            api_url: row.default_section().common().api_url.clone(),
            bot: None,
        }
    }

    #[test]
    fn only_what_was_asked_for_changes() {
        let text = "# my bot\n[channels.telegram]\ntoken = \"1:secret\" # mine\naccess = \"pairing\" # friends\n\n\
                    [tools.compute]\nmax_seconds = 3 # slow\n";
        let answers = Answers {
            connections: vec![connection(
                "discord",
                Token::Environment("DISCORD_BOT_TOKEN".to_owned()),
            )],
            provider: None,
        };
        let merged = merged(text, Path::new("bot.toml"), &answers).unwrap();
        for part in [
            "# my bot\n[channels.telegram]\ntoken = \"1:secret\" # mine\naccess = \"pairing\" # friends\n",
            "[tools.compute]\nmax_seconds = 3 # slow\n",
            "[channels.discord]\ntoken = { env = \"DISCORD_BOT_TOKEN\" }\naccess = \"open\"\n",
        ] {
            assert!(merged.contains(part), "{part} is not in\n{merged}");
        }
        Config::parse(&merged, Path::new("bot.toml"), PLATFORMS).unwrap();
    }

    #[test]
    fn a_new_token_takes_the_place_of_the_old_one_and_a_model_that_of_the_first() {
        let text = "[channels.telegram]\ntoken = \"1:old\" # mine\nenabled = false\n\n[[llm.providers]]\nname = \"own\"\n\
                    model = \"a\"\nkey = \"sk-1\"\ntimeout_seconds = 7 # patient\n\n[[llm.providers]]\nname = \"spare\"\n\
                    model = \"b\"\n";
        let answers = Answers {
            connections: vec![connection("telegram", Token::Inline(Secret::new("2:new")))],
            provider: Some(Provider {
                kind: ProviderKind::Openai,
                base_url: "http://127.0.0.1:11434/v1".into(),
                model: "llama".to_owned(),
                key: None,
            }),
        };
        let merged = merged(text, Path::new("bot.toml"), &answers).unwrap();
        assert!(
            merged.contains("token = \"2:new\" # mine\nenabled = true\n"),
            "{merged}"
        );
        let config = Config::parse(&merged, Path::new("bot.toml"), PLATFORMS).unwrap();
        let [first, second] = &config.llm.providers[..] else {
            panic!("{merged}");
        };
        assert_eq!(
            (first.name.as_str(), first.model.as_str(), first.timeout_seconds),
            ("own", "llama", 7)
        );
        assert_eq!(second.name, "spare");
        assert!(!merged.contains("sk-1"), "{merged}");
    }
}
