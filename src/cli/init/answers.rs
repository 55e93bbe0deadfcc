//! The answers of the owner, and the `bot.toml` that follows from them.

use clifford_channel::{Access, Bot, Row};
use clifford_config::ProviderKind;
use clifford_vault::{Secret, Url};

/// Everything that was answered.
#[derive(Clone, Debug, Default)]
pub(super) struct Answers {
    pub connections: Vec<Connection>,
    /// `None`: the offline responder.
    pub provider: Option<Provider>,
}

/// A platform to be connected to.
#[derive(Clone, Debug)]
pub(super) struct Connection {
    pub row: &'static Row,
    pub token: Token,
    pub access: Access,
    pub api_url: Url,
    /// The bot that the platform knows by the token; none: it could not be asked.
    pub bot: Option<Bot>,
}

/// A language model.
#[derive(Clone, Debug)]
pub(super) struct Provider {
    pub kind: ProviderKind,
    pub base_url: Url,
    pub model: String,
    /// Servers of one's own need none.
    pub key: Option<Token>,
}

impl Provider {
    /// Its kind, as `bot.toml` writes it.
    pub const fn kind_word(&self) -> &'static str {
        match self.kind {
            ProviderKind::Openai => "openai",
            ProviderKind::Anthropic => "anthropic",
            ProviderKind::Offline => "offline",
        }
    }
}

/// Where a secret is kept.
#[derive(Clone, Debug)]
pub(super) enum Token {
    /// In a variable of this name.
    Environment(String),
    /// In the file itself.
    Inline(Secret),
    /// Where the file that is there says: it is not touched.
    Kept,
}

impl Token {
    /// How `bot.toml` writes it, unless it is not touched.
    fn render(&self) -> Option<String> {
        Some(match self {
            Self::Environment(name) => format!("{{ env = {} }}", quoted(name)),
            Self::Inline(secret) => quoted(secret.expose()),
            Self::Kept => return None,
        })
    }
}

impl Answers {
    fn secrets(&self) -> impl Iterator<Item = &Token> {
        let tokens = self.connections.iter().map(|connection| &connection.token);
        tokens.chain(self.provider.iter().filter_map(|provider| provider.key.as_ref()))
    }

    /// Whether people are let in by codes, the owner as the first.
    pub fn pairs(&self) -> bool {
        (self.connections.iter()).any(|connection| connection.access == Access::Pairing)
    }

    /// Whether the file holds a secret itself, so that nobody else may read it.
    pub fn holds_secrets(&self) -> bool {
        self.secrets().any(|token| matches!(token, Token::Inline(_)))
    }

    /// The variables that the file refers to.
    pub fn variables(&self) -> impl Iterator<Item = &str> {
        self.secrets().filter_map(|token| match token {
            Token::Environment(name) => Some(name.as_str()),
            Token::Inline(_) | Token::Kept => None,
        })
    }

    /// The text of `bot.toml`.
    pub fn render(&self) -> String {
        let mut text = String::from(
            "# Clifford's settings. `clifford config show` prints all that are in force, `clifford config schema` explains\n\
             # them, and `clifford doctor` checks whether everything works.\n",
        );
        if let Some(provider) = &self.provider {
            text.push_str(&format!(
                "\n[[llm.providers]]\nname = \"main\"\nkind = \"{}\"\nbase_url = {}\nmodel = {}\n",
                provider.kind_word(),
                quoted(provider.base_url.as_str()),
                quoted(&provider.model)
            ));
            if let Some(key) = provider.key.as_ref().and_then(Token::render) {
                text.push_str(&format!("key = {key}\n"));
            }
        } else {
            text.push_str(
                "\n# No language model yet: the offline responder answers. To add one:\n\
                 # [[llm.providers]]\n# name = \"main\"\n# kind = \"openai\" # or: anthropic\n# base_url = \"https://api.openai.com/v1\"\n\
                 # model = \"gpt-4o-mini\"\n# key = { env = \"OPENAI_API_KEY\" }\n",
            );
        }
        for connection in &self.connections {
            text.push_str(&connection.render());
        }
        text
    }
}

impl Connection {
    fn render(&self) -> String {
        let mut text = format!("\n[{}]\n", self.row.path());
        if let Some(token) = self.token.render() {
            text.push_str(&format!("token = {token}\n"));
        }
        if self.api_url != self.row.default_section().common().api_url {
            text.push_str(&format!("api_url = {}\n", quoted(self.api_url.as_str())));
        }
        let access = self.access.as_str();
        text.push_str(&format!("access = \"{access}\" # open | pairing | allowlist\n"));
        text
    }
}

/// A text as TOML writes it.
fn quoted(text: &str) -> String {
    toml::Value::String(text.to_owned()).to_string()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use clifford_config::Config;

    use super::*;
    use crate::app::PLATFORMS;

    fn answers(token: Token) -> Answers {
        Answers {
            connections: vec![
                Connection {
                    row: PLATFORMS.row("telegram").unwrap(),
                    token: token.clone(),
                    access: Access::Pairing,
                    api_url: "https://api.telegram.org".into(),
                    bot: None,
                },
                Connection {
                    row: PLATFORMS.row("discord").unwrap(),
                    token,
                    access: Access::Open,
                    api_url: "http://127.0.0.1:1".into(),
                    bot: None,
                },
            ],
            provider: Some(Provider {
                kind: ProviderKind::Openai,
                base_url: "http://127.0.0.1:8080/v1".into(),
                model: "a \"quoted\" model".to_owned(),
                key: None,
            }),
        }
    }

    #[test]
    fn what_is_written_is_read_as_it_was_answered() {
        let given = answers(Token::Environment("A_TOKEN".to_owned()));
        assert!(
            !given.render().contains("api.telegram.org"),
            "what holds anyway is left out"
        );
        let config = Config::parse(&given.render(), Path::new("bot.toml"), PLATFORMS).unwrap();
        let telegram = config.channels.get("telegram").unwrap().common();
        assert_eq!(telegram.audience.access, Access::Pairing);
        assert_eq!(telegram.token, clifford_vault::SecretSource::Env("A_TOKEN".to_owned()));
        let discord = config.channels.get("discord").unwrap().common();
        assert_eq!(discord.api_url.as_str(), "http://127.0.0.1:1");
        let provider = &config.llm.providers[0];
        assert_eq!(provider.kind, ProviderKind::Openai);
        assert_eq!(provider.model, "a \"quoted\" model");
        assert!(!given.holds_secrets());
        assert_eq!(given.variables().collect::<Vec<_>>(), ["A_TOKEN", "A_TOKEN"]);
    }

    #[test]
    fn a_file_without_answers_is_in_order() {
        let config = Config::parse(&Answers::default().render(), Path::new("bot.toml"), PLATFORMS).unwrap();
        assert_eq!(config, Config::parse("", Path::new("bot.toml"), PLATFORMS).unwrap());
    }

    #[test]
    fn a_typed_token_makes_the_file_secret() {
        let given = answers(Token::Inline(Secret::new("12:ab")));
        assert!(given.holds_secrets());
        assert!(given.render().contains("token = \"12:ab\"\n"));
    }
}
