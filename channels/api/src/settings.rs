//! The keys of `bot.toml` that the section of every platform has. An adapter declares its own keys alone.

use clifford_chat::access::{Access, Audience};
use clifford_vault::{SecretSource, Url};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::About;

/// The keys that every platform has. Words in braces stand for the platform's own: see [`CommonAbout`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Common {
    /// Whether Clifford is on {title}.
    pub enabled: bool,
    /// The bot's token, from {token_from}.
    #[schemars(extend("writeOnly" = true))]
    pub token: SecretSource,
    /// {api}
    #[schemars(extend("format" = "http-url"))]
    pub api_url: Url,
    /// The people whom the bot answers.
    #[serde(flatten)]
    pub audience: Audience,
}

/// The defaults of [`Common`] on a platform, and the platform's words in the explanations of the keys.
#[derive(Clone, Copy, Debug)]
pub struct CommonAbout {
    /// The default of `api_url`. Only a web address may be set in its place if it is one.
    pub api_url: &'static str,
    /// The sentence about `api_url`.
    pub api: &'static str,
    /// The default of `access`.
    pub access: Access,
    /// Places that people share, in the plural: `groups`.
    pub shared: &'static str,
    /// Threads of such places, in the plural: `topics`.
    pub threads: &'static str,
    /// The default of `follow_threads`.
    pub follow_threads: bool,
    /// An example of a person's id.
    pub person: &'static str,
    /// An example of the id of a shared place.
    pub place: &'static str,
}

impl Common {
    /// The defaults on a platform.
    pub fn of(about: &About) -> Self {
        Self {
            enabled: true,
            token: SecretSource::Env(about.token_variable.to_owned()),
            api_url: about.common.api_url.into(),
            audience: Audience {
                access: about.common.access,
                allow: Vec::new(),
                allow_roles: Vec::new(),
                wake_words: vec!["Clifford".to_owned()],
                always: Vec::new(),
                follow_threads: about.common.follow_threads,
            },
        }
    }

    /// Takes the common keys out of a section; those that are not there have their defaults.
    pub(crate) fn take(about: &About, section: &mut Map<String, Value>) -> Result<Self, serde_json::Error> {
        let mut common = fields(serde_json::to_value(Self::of(about))?);
        for (key, value) in &mut common {
            if let Some(given) = section.remove(key) {
                *value = given;
            }
        }
        serde_json::from_value(Value::Object(common))
    }

    /// The schema of the common keys, as the platform explains them.
    pub(crate) fn schemas(about: &About, generator: &mut SchemaGenerator) -> Map<String, Value> {
        let common = about.common;
        let words = [
            ("{title}", about.title),
            ("{token_from}", about.token_from),
            ("{api}", common.api),
            ("{shared}", common.shared),
            ("{threads}", common.threads),
            ("{person}", common.person),
            ("{place}", common.place),
        ];
        let defaults = serde_json::to_value(Self::of(about)).unwrap_or_default();
        let mut keys = properties(&Self::json_schema(generator));
        for (key, schema) in &mut keys {
            let explained = schema["description"].as_str().unwrap_or_default().to_owned();
            let told = |text: String, (word, own): (&str, &str)| text.replace(word, own);
            schema["description"] = words.into_iter().fold(explained, told).into();
            schema["default"] = defaults[key].clone();
        }
        if !common.api_url.starts_with("http") {
            keys["api_url"].as_object_mut().map(|schema| schema.remove("format"));
        }
        keys
    }
}

/// The keys that a schema of a table describes.
pub(crate) fn properties(schema: &Schema) -> Map<String, Value> {
    fields(schema.get("properties").cloned().unwrap_or_default())
}

/// The fields of a JSON object.
pub(crate) fn fields(object: Value) -> Map<String, Value> {
    match object {
        Value::Object(fields) => fields,
        _ => Map::new(),
    }
}

#[cfg(test)]
mod tests {
    use schemars::generate::SchemaSettings;
    use serde_json::json;

    use super::*;
    use crate::Platform;

    const ABOUT: About = About {
        platform: Platform::new("post"),
        title: "Post",
        summary: "Letters.",
        token_variable: "POST_TOKEN",
        first_steps: "",
        token_from: "the post office",
        common: CommonAbout {
            api_url: "post://office",
            api: "Where letters go.",
            access: Access::Allowlist,
            shared: "streets",
            threads: "houses",
            follow_threads: false,
            person: "7",
            place: "-7",
        },
        commands: "",
        acts: None,
    };

    #[test]
    fn common_keys_that_are_not_set_have_the_platforms_defaults() {
        let mut section = fields(json!({ "allow": [8], "stamps": 2 }));
        let common = Common::take(&ABOUT, &mut section).unwrap();
        let mut expected = Common::of(&ABOUT);
        expected.audience.allow.push("8".into());
        assert_eq!(common, expected);
        assert_eq!(expected.audience.access, Access::Allowlist);
        assert_eq!(section, fields(json!({ "stamps": 2 })));
        assert!(Common::take(&ABOUT, &mut fields(json!({ "access": "nobody" }))).is_err());
    }

    #[test]
    fn common_keys_are_explained_in_the_platforms_words() {
        let inline = SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true);
        let keys = Common::schemas(&ABOUT, &mut inline.into_generator());
        let explained: Vec<_> = keys
            .iter()
            .map(|(key, schema)| (key.as_str(), schema["description"].as_str().unwrap()))
            .collect();
        assert_eq!(explained[0], ("enabled", "Whether Clifford is on Post."));
        assert_eq!(explained[1], ("token", "The bot's token, from the post office."));
        assert_eq!(explained[2], ("api_url", "Where letters go."));
        assert!(
            explained.iter().all(|(_, text)| !text.contains(['{', '}'])),
            "{explained:?}"
        );
        assert_eq!(keys["api_url"].get("format"), None);
        assert_eq!(keys["token"]["default"], json!({ "env": "POST_TOKEN" }));
    }
}
