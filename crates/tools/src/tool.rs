//! A tool: a name, commands, and a typed handler for each command, whose type is erased in one place.

use std::{
    borrow::Cow,
    future::Future,
    sync::{Arc, OnceLock},
    time::Duration,
};

use clifford_chat::platform::Platform;
use clifford_core::policy::class::Class;
use futures::{FutureExt, future::BoxFuture};
use jsonschema::Validator;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Map, Value};

use super::{Options, ToolContext};

/// How long a command may take, unless it says otherwise.
const TIME_LIMIT: Duration = Duration::from_secs(20);
/// The most bytes of a result's JSON, unless its command says otherwise.
const RESULT_LIMIT: usize = 64 * 1024;

/// A tool.
#[derive(Clone, Debug)]
pub struct Tool {
    /// Its name: letters, digits, `_` and `-`.
    pub name: Cow<'static, str>,
    /// One emoji.
    pub icon: Cow<'static, str>,
    /// Its purpose, in a few words: stands in every prompt.
    pub summary: Cow<'static, str>,
    /// Its purpose, at more length: for people, and for a model that asks.
    pub description: Cow<'static, str>,
    /// Its commands.
    pub commands: Vec<Arc<Command>>,
    /// Its settings.
    pub config: Option<ToolConfig>,
    /// Its requirements.
    pub needs: Option<Needs>,
    /// Subagents are shown its commands, unless that is set otherwise.
    pub pinned: bool,
    /// Subagents see its name by default.
    pub important: bool,
    /// Its descriptions, and those of its commands, are others' words: they describe, and order nothing.
    pub foreign: bool,
    /// The platform on which it acts for people: without a connection to that, it cannot.
    pub platform: Option<Platform>,
}

/// Says what is missing and how to mend that, for a tool or command that cannot do its work as things are set where it
/// is called: it is not shown to models there, and cannot be called.
pub type Needs = fn(&Options) -> Option<String>;

impl Tool {
    /// A tool without commands.
    pub fn new(
        name: impl Into<Cow<'static, str>>,
        icon: impl Into<Cow<'static, str>>,
        summary: impl Into<Cow<'static, str>>,
    ) -> Self {
        let summary = summary.into();
        Self {
            name: name.into(),
            icon: icon.into(),
            description: summary.clone(),
            summary,
            commands: Vec::new(),
            config: None,
            needs: None,
            pinned: false,
            important: false,
            foreign: false,
            platform: None,
        }
    }

    /// Marks its descriptions, and those of its commands, as others' words.
    #[must_use]
    pub fn foreign(self) -> Self {
        Self { foreign: true, ..self }
    }

    /// Acts for people on a platform.
    #[must_use]
    pub fn of(self, platform: Platform) -> Self {
        Self {
            platform: Some(platform),
            ..self
        }
    }

    /// Subagents are shown its commands.
    #[must_use]
    pub fn pinned(mut self) -> Self {
        self.pinned = true;
        self
    }

    /// Subagents see its name.
    #[must_use]
    pub fn important(mut self) -> Self {
        self.important = true;
        self
    }

    /// Its purpose, at more length.
    #[must_use]
    pub fn about(mut self, description: impl Into<Cow<'static, str>>) -> Self {
        self.description = description.into();
        self
    }

    /// One more command.
    #[must_use]
    pub fn command(mut self, command: Command) -> Self {
        self.commands.push(Arc::new(command));
        self
    }

    /// Its settings: `[tools.NAME]` of `bot.toml` is made of this type. Every field needs a sentence, and every number
    /// bounds, as in the other sections.
    #[must_use]
    pub fn config<C: Default + Serialize + DeserializeOwned + JsonSchema>(mut self) -> Self {
        self.config = Some(ToolConfig::of::<C>());
        self
    }

    /// Its requirements.
    #[must_use]
    pub fn needs(mut self, needs: Needs) -> Self {
        self.needs = Some(needs);
        self
    }
}

/// The settings of a tool: the type's schema and defaults.
#[derive(Clone, Copy, Debug)]
pub struct ToolConfig {
    /// The schema of its section.
    pub schema: fn(&mut SchemaGenerator) -> Schema,
    /// The section with nothing set in it.
    pub default: fn() -> Value,
    /// Why a section cannot be used alongside the tools that are built in, if it cannot.
    pub fault: fn(&Value, &[Tool]) -> Option<String>,
}

impl ToolConfig {
    /// The settings are those of this type.
    pub fn of<C: Default + Serialize + DeserializeOwned + JsonSchema>() -> Self {
        Self {
            schema: |generator| generator.subschema_for::<C>(),
            default: || serde_json::to_value(C::default()).unwrap_or_default(),
            fault: |value, _| C::deserialize(value).err().map(|error| error.to_string()),
        }
    }
}

/// Why a call came to nothing, by who must act.
#[derive(Debug, thiserror::Error)]
pub enum ToolError {
    /// The model: the arguments are wrong, or there is no such thing.
    #[error("{0}")]
    TellModel(String),
    /// Nobody: what the tool needs is not available now.
    #[error("{0}")]
    Unavailable(String),
}

impl From<clifford_store::StoreError> for ToolError {
    fn from(error: clifford_store::StoreError) -> Self {
        tracing::warn!(%error, "tool failed to use the database");
        Self::Unavailable("the database is not available".to_owned())
    }
}

type Handler =
    Arc<dyn Fn(ToolContext, Map<String, Value>) -> BoxFuture<'static, Result<Value, ToolError>> + Send + Sync>;

/// A command of a tool.
#[derive(Clone)]
pub struct Command {
    /// Its name, without the tool's.
    pub name: Cow<'static, str>,
    /// Its arguments and what it does, in a few words: stands in every prompt.
    pub summary: Cow<'static, str>,
    /// Its effect, at more length.
    pub description: Cow<'static, str>,
    /// Arguments as they may be given.
    pub example: Option<Value>,
    /// Its class.
    pub class: Class,
    /// Calling it again with the same key changes nothing.
    pub idempotent: bool,
    /// Its result comes from outside: it is data, whatever it says. A handler whose result only sometimes does calls
    /// [`ToolContext::came_from`].
    pub untrusted: bool,
    /// It carries its arguments out of this house: what stands in them may be read elsewhere.
    pub reaches_out: bool,
    /// How long it may take.
    pub time_limit: Duration,
    /// The most bytes of its result's JSON; a longer one is cut.
    pub result_limit: usize,
    /// How often a failed call may be tried again; `None`: as the engine's setting says.
    pub max_retries: Option<u32>,
    /// Its errors may be shown to the user.
    pub expose_errors: bool,
    /// Its requirements, besides those of its tool.
    pub needs: Option<Needs>,
    /// The JSON schema of its arguments.
    pub schema: Value,
    /// The schema by which arguments are checked, if it is not the one that is shown.
    checked_by: Option<Value>,
    /// Made of the schema when it is called for the first time: most commands of most processes never are.
    validator: Arc<OnceLock<Option<Validator>>>,
    handler: Handler,
}

impl std::fmt::Debug for Command {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Command")
            .field("name", &self.name)
            .field("class", &self.class)
            .finish_non_exhaustive()
    }
}

impl Command {
    /// A command whose arguments are of a Rust type, from which their schema is derived.
    pub fn new<A, R, F>(
        name: &'static str,
        summary: &'static str,
        class: Class,
        handler: impl Fn(ToolContext, A) -> F + Send + Sync + 'static,
    ) -> Self
    where
        A: DeserializeOwned + JsonSchema,
        R: Serialize,
        F: Future<Output = Result<R, ToolError>> + Send + 'static,
    {
        let mut schema = schemars::schema_for!(A).to_value();
        if let Some(schema) = schema.as_object_mut() {
            schema.remove("$schema");
            schema.remove("title");
        }
        let handler: Handler = Arc::new(move |cx, args| match serde_json::from_value::<A>(Value::Object(args)) {
            Ok(args) => handler(cx, args)
                .map(|result| {
                    result.and_then(|value| {
                        serde_json::to_value(value).map_err(|error| ToolError::Unavailable(error.to_string()))
                    })
                })
                .boxed(),
            Err(error) => {
                futures::future::ready(Err(ToolError::TellModel(format!("the arguments are wrong: {error}")))).boxed()
            }
        });
        Self::with_schema(name, summary, class, schema, move |cx, args| handler(cx, args))
    }

    /// A command whose arguments are known by their JSON schema alone.
    pub fn with_schema<F>(
        name: impl Into<Cow<'static, str>>,
        summary: impl Into<Cow<'static, str>>,
        class: Class,
        schema: Value,
        handler: impl Fn(ToolContext, Map<String, Value>) -> F + Send + Sync + 'static,
    ) -> Self
    where
        F: Future<Output = Result<Value, ToolError>> + Send + 'static,
    {
        let summary = summary.into();
        Self {
            name: name.into(),
            description: summary.clone(),
            summary,
            example: None,
            class,
            idempotent: class == Class::Read,
            untrusted: false,
            reaches_out: false,
            time_limit: TIME_LIMIT,
            result_limit: RESULT_LIMIT,
            max_retries: None,
            expose_errors: false,
            needs: None,
            checked_by: None,
            validator: Arc::default(),
            schema,
            handler: Arc::new(move |cx, args| handler(cx, args).boxed()),
        }
    }

    /// Its effect, at more length.
    #[must_use]
    pub fn about(mut self, description: impl Into<Cow<'static, str>>) -> Self {
        self.description = description.into();
        self
    }

    /// Its arguments are checked by this schema, not by the one that is shown.
    #[must_use]
    pub fn checked_by(mut self, schema: Value) -> Self {
        self.checked_by = Some(schema);
        self
    }

    /// Arguments as they may be given.
    #[must_use]
    pub fn example(mut self, example: Value) -> Self {
        self.example = Some(example);
        self
    }

    /// Calling it again with the same key changes nothing.
    #[must_use]
    pub fn idempotent(self) -> Self {
        Self {
            idempotent: true,
            ..self
        }
    }

    /// Marks its result as coming from outside.
    #[must_use]
    pub fn untrusted(self) -> Self {
        Self {
            untrusted: true,
            ..self
        }
    }

    /// It carries its arguments out of this house: an address that is fetched, a query that is sent.
    #[must_use]
    pub fn reaches_out(self) -> Self {
        Self {
            reaches_out: true,
            ..self
        }
    }

    /// Its errors may be shown to the user.
    #[must_use]
    pub fn exposes_errors(self) -> Self {
        Self {
            expose_errors: true,
            ..self
        }
    }

    /// Its requirements, besides those of its tool.
    #[must_use]
    pub fn needs(self, needs: Needs) -> Self {
        Self {
            needs: Some(needs),
            ..self
        }
    }

    /// How long it may take.
    #[must_use]
    pub fn time_limit(self, time_limit: Duration) -> Self {
        Self { time_limit, ..self }
    }

    /// The most bytes of its result's JSON.
    #[must_use]
    pub fn result_limit(self, result_limit: usize) -> Self {
        Self { result_limit, ..self }
    }

    /// The fault of these arguments, by the schema; names the fields and the expected values.
    pub fn fault(&self, args: &Map<String, Value>) -> Option<String> {
        let args = Value::Object(args.clone());
        let faults: Vec<_> = self
            .validator
            .get_or_init(|| jsonschema::validator_for(self.checked_by.as_ref().unwrap_or(&self.schema)).ok())
            .as_ref()?
            .iter_errors(&args)
            .map(|error| {
                let place = error.instance_path().to_string();
                let field = place.trim_start_matches('/').replace('/', ".");
                if field.is_empty() {
                    error.to_string()
                } else {
                    format!("{field}: {error}")
                }
            })
            .collect();
        (!faults.is_empty()).then(|| format!("the arguments are wrong: {}", faults.join("; ")))
    }

    /// Calls it, within the time limit that is set for its tool, else its own. A result over its limit is cut, and
    /// says so.
    ///
    /// # Errors
    /// The handler's, or that it took too long.
    pub async fn call(
        &self,
        cx: ToolContext,
        args: Map<String, Value>,
        within: Option<Duration>,
    ) -> Result<Value, ToolError> {
        let within = within.unwrap_or(self.time_limit);
        tokio::time::timeout(within, (self.handler)(cx, args))
            .await
            .map(|result| result.map(|value| bounded(value, self.result_limit)))
            .unwrap_or_else(|_| {
                let unsure = if self.idempotent {
                    ""
                } else {
                    "; it may or may not have taken effect"
                };
                Err(ToolError::Unavailable(format!(
                    "it took longer than {} s{unsure}",
                    within.as_secs()
                )))
            })
    }
}

/// A result, or the beginning of its JSON if that has more bytes than the limit.
fn bounded(result: Value, limit: usize) -> Value {
    let text = result.to_string();
    if text.len() <= limit {
        return result;
    }
    let (head, rest) = text.split_at(text.floor_char_boundary(limit));
    Value::String(format!("{head}… ({})", more_characters(rest.chars().count())))
}

/// How many characters are left out of a text, in words.
pub(crate) fn more_characters(missing: usize) -> String {
    match missing {
        1 => "1 more character".to_owned(),
        missing => format!("{missing} more characters"),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_result_over_its_limit_is_cut_between_two_characters_and_says_how_many_are_missing() {
        // As JSON, a text has two quotation marks more.
        let cases = [
            (json!("abcd"), 6, json!("abcd")),
            (json!("abcd"), 5, json!("\"abcd… (1 more character)")),
            (json!("abcd"), 0, json!("… (6 more characters)")),
            (json!("猫犬鳥"), 11, json!("猫犬鳥")),
            (json!("猫犬鳥"), 10, json!("\"猫犬鳥… (1 more character)")),
            (json!("猫犬鳥"), 9, json!("\"猫犬… (2 more characters)")),
            (json!("猫犬鳥"), 2, json!("\"… (4 more characters)")),
            (json!("🦀"), 4, json!("\"… (2 more characters)")),
            (json!({"a": 1}), 7, json!({"a": 1})),
            (json!({"a": 1}), 3, json!("{\"a… (4 more characters)")),
        ];
        for (result, limit, expected) in cases {
            assert_eq!(
                bounded(result.clone(), limit),
                expected,
                "{result} within {limit} bytes"
            );
        }
    }
}
