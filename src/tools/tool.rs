//! What a tool is: a name, commands, and a typed handler a command, erased in one place.

use std::{future::Future, sync::Arc, time::Duration};

use futures::{FutureExt, future::BoxFuture};
use schemars::JsonSchema;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Map, Value};

use super::ToolContext;

/// A tool.
#[derive(Debug)]
pub struct Tool {
    /// Its name.
    pub name: &'static str,
    /// What it is for, in a few words.
    pub summary: &'static str,
    /// What it can do.
    pub commands: Vec<Command>,
}

/// What a command may do; decides about confirmation, and about calling it again after a crash.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Class {
    /// Looks, changes nothing.
    Read,
    /// Changes something that can be changed back.
    Write,
    /// Destroys something.
    Destruct,
    /// Touches what is private or costs money.
    Sensitive,
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

impl From<crate::store::StoreError> for ToolError {
    fn from(error: crate::store::StoreError) -> Self {
        tracing::warn!(%error, "a tool could not use the database");
        Self::Unavailable("the database is not available".to_owned())
    }
}

type Handler =
    Arc<dyn Fn(ToolContext, Map<String, Value>) -> BoxFuture<'static, Result<Value, ToolError>> + Send + Sync>;

/// A command of a tool.
#[derive(Clone)]
pub struct Command {
    /// Its name, without the tool's.
    pub name: &'static str,
    /// What it does, in a few words.
    pub summary: &'static str,
    /// What it may do.
    pub class: Class,
    /// Calling it again with the same key changes nothing.
    pub idempotent: bool,
    /// How long it may take.
    pub time_limit: Duration,
    /// How often a failed call may be tried again; `None`: as the engine's setting says.
    pub max_retries: Option<u32>,
    /// Its errors may be shown to the user.
    pub expose_errors: bool,
    /// The JSON schema of its arguments.
    pub schema: Value,
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
        let mut schema = schemars::schema_for!(A).to_value();
        if let Some(schema) = schema.as_object_mut() {
            schema.remove("$schema");
            schema.remove("title");
        }
        Self {
            name,
            summary,
            class,
            idempotent: class == Class::Read,
            time_limit: Duration::from_secs(20),
            max_retries: None,
            expose_errors: false,
            schema,
            handler,
        }
    }

    /// Calling it again with the same key changes nothing.
    #[must_use]
    pub fn idempotent(self) -> Self {
        Self {
            idempotent: true,
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

    /// Calls it, within its time limit.
    ///
    /// # Errors
    /// The handler's, or that it took too long.
    pub async fn call(&self, cx: ToolContext, args: Map<String, Value>) -> Result<Value, ToolError> {
        tokio::time::timeout(self.time_limit, (self.handler)(cx, args))
            .await
            .unwrap_or_else(|_| {
                Err(ToolError::Unavailable(format!(
                    "it took longer than {} s",
                    self.time_limit.as_secs()
                )))
            })
    }
}
