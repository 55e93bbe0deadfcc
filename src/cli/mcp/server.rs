//! Clifford's own MCP server: a message to the bot, the runs, and the steps of one.

use std::sync::Arc;

use axum::http::Method;
use clifford_core::{id::RunId, runs::RunStatus, unread};
use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, Implementation, JsonObject,
        ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool, ToolAnnotations,
    },
    service::RequestContext,
};
use schemars::JsonSchema;
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::{Map, Value, json};

use super::way::Way;

/// How long an answer is waited for, unless the caller says otherwise: MCP clients give up after a minute.
const WAIT: u32 = 50;
/// How many runs are listed, unless the caller says otherwise.
const LISTED: u32 = 20;
/// The most bytes of a trace; of a longer one the first steps are left out.
const TRACE: usize = 100_000;

/// A message to the bot.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct SendMessage {
    /// The message to the bot.
    text: String,
    /// The conversation to go on with, as an earlier answer named it; left out: the one that goes on.
    conversation: Option<String>,
    /// How many seconds to wait for the answer; left out: 50.
    #[schemars(range(min = 0, max = 300))]
    wait_seconds: Option<u32>,
}

/// The runs that are asked for.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ListRuns {
    /// Only those that stand here: pending, running, waiting, completed, failed or cancelled.
    status: Option<String>,
    /// How many, the newest first; left out: 20.
    #[schemars(range(min = 1, max = 200))]
    limit: Option<u32>,
}

/// The run that is asked for.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ReadTrace {
    /// The run's id, as `send_message` and `list_runs` tell it.
    run: String,
}

/// Clifford, for MCP clients.
#[derive(Clone, Debug)]
pub(super) struct Clifford {
    way: Way,
}

impl Clifford {
    pub(super) const fn new(way: Way) -> Self {
        Self { way }
    }

    async fn send_message(&self, args: SendMessage) -> anyhow::Result<Value> {
        let wait = args.wait_seconds.unwrap_or(WAIT);
        let message = json!({ "content": args.text, "contextId": args.conversation });
        let path = format!("/api/messages?wait={wait}");
        let accepted = self.way.ask(Method::POST, &path, Some(message)).await?;
        Ok(message_result(&accepted))
    }

    async fn list_runs(&self, args: ListRuns) -> anyhow::Result<Value> {
        let limit = args.limit.unwrap_or(LISTED);
        let mut path = format!("/api/runs?limit={limit}");
        if let Some(status) = args.status {
            let known: RunStatus = serde_json::from_value(status.clone().into())
                .map_err(|_| anyhow::anyhow!("status: there is no `{status}`"))?;
            path = format!("{path}&status={}", known.as_str());
        }
        let page = self.way.ask(Method::GET, &path, None).await?;
        let runs = page["items"].as_array().into_iter().flatten();
        let told = [
            "id",
            "status",
            "inputText",
            "outputText",
            "error",
            "contextId",
            "createdAt",
            "llmCalls",
            "cost",
        ];
        let runs = runs.map(|run| {
            told.iter()
                .map(|key| ((*key).to_owned(), run[key].clone()))
                .collect::<Map<_, _>>()
        });
        Ok(json!({ "runs": runs.collect::<Vec<_>>() }))
    }

    async fn read_trace(&self, args: ReadTrace) -> anyhow::Result<Value> {
        let run: RunId = (args.run.parse()).map_err(|_| anyhow::anyhow!("run: `{}` is no run's id", args.run))?;
        let mut trace = self.way.ask(Method::GET, &format!("/api/runs/{run}"), None).await?;
        shorten(&mut trace);
        Ok(trace)
    }
}

/// The result of a message: the answer, or how to wait for it.
fn message_result(accepted: &Value) -> Value {
    let run = &accepted["run"];
    let mut told = Map::new();
    told.insert("status".to_owned(), accepted["status"].clone());
    for (name, value) in [
        ("run", &accepted["runId"]),
        ("conversation", &run["contextId"]),
        ("error", &run["error"]),
    ] {
        if !value.is_null() {
            told.insert(name.to_owned(), value.clone());
        }
    }
    let said = accepted["messages"].as_array().into_iter().flatten();
    let said: Vec<_> = said.filter_map(Value::as_str).collect();
    if !said.is_empty() {
        told.insert("answer".to_owned(), said.join("\n\n").into());
    }
    let next = match accepted["status"].as_str() {
        Some("completed" | "failed" | "cancelled" | "answered") => None,
        Some("queued") => Some("another run is at work in this conversation; list_runs shows when this one begins"),
        _ => Some("it is not done yet; read_trace with this run tells what came of it"),
    };
    if let Some(next) = next {
        told.insert("next".to_owned(), next.into());
    }
    Value::Object(told)
}

/// Leaves the first steps of a long trace out, and says how many.
fn shorten(trace: &mut Value) {
    let steps = trace["runSteps"].as_array().cloned().unwrap_or_default();
    let mut size = 0;
    let kept = steps.iter().rev().take_while(|step| {
        size += step.to_string().len();
        size <= TRACE
    });
    let left_out = steps.len() - kept.count();
    if left_out > 0 {
        trace["runSteps"] = steps[left_out..].into();
        trace["stepsLeftOut"] = left_out.into();
    }
}

impl ServerHandler for Clifford {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new("clifford", env!("CARGO_PKG_VERSION")))
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(tools()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let args = request.arguments.unwrap_or_default();
        let outcome = match &*request.name {
            "send_message" => match read(args) {
                Ok(args) => self.send_message(args).await,
                Err(fault) => Err(fault),
            },
            "list_runs" => match read(args) {
                Ok(args) => self.list_runs(args).await,
                Err(fault) => Err(fault),
            },
            "read_trace" => match read(args) {
                Ok(args) => self.read_trace(args).await,
                Err(fault) => Err(fault),
            },
            other => return Err(ErrorData::invalid_params(format!("there is no tool {other}"), None)),
        };
        Ok(match outcome {
            Ok(value) => CallToolResult::structured(value),
            Err(error) => CallToolResult::error(vec![ContentBlock::text(format!("{error:#}"))]),
        }
        .into())
    }
}

fn read<A: DeserializeOwned>(args: JsonObject) -> anyhow::Result<A> {
    serde_json::from_value(Value::Object(args)).map_err(|error| {
        let fault = error.to_string();
        anyhow::anyhow!("the arguments are wrong: {}", unread::in_words(&fault).unwrap_or(fault))
    })
}

fn tools() -> Vec<Tool> {
    let looks = || ToolAnnotations::new().read_only(true).open_world(false);
    vec![
        tool::<SendMessage>(
            "send_message",
            "Says something to the bot, as a person in a chat does, and returns its answer.",
        )
        .annotate(ToolAnnotations::new().read_only(false).destructive(false)),
        tool::<ListRuns>("list_runs", "Lists what the bot did, the newest first.").annotate(looks()),
        tool::<ReadTrace>(
            "read_trace",
            "Shows one run with its steps: what was asked, thought, called and answered.",
        )
        .annotate(looks()),
    ]
}

fn tool<A: JsonSchema>(name: &'static str, description: &'static str) -> Tool {
    let schema = schemars::schema_for!(A).to_value();
    let schema = schema.as_object().cloned().unwrap_or_default();
    Tool::new(name, description, Arc::new(schema))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_told_with_where_to_go_on() {
        let accepted = json!({
            "messageId": "m", "runId": "r", "status": "completed",
            "run": { "contextId": "c", "error": null }, "messages": ["one", "two"],
        });
        let told = json!({ "status": "completed", "run": "r", "conversation": "c", "answer": "one\n\ntwo" });
        assert_eq!(message_result(&accepted), told);
    }

    #[test]
    fn who_does_not_wait_hears_how_to_ask_again() {
        let accepted = json!({ "messageId": "m", "runId": "r", "status": "running" });
        let told = json!({
            "status": "running", "run": "r", "next": "it is not done yet; read_trace with this run tells what came of it",
        });
        assert_eq!(message_result(&accepted), told);
        let queued = message_result(&json!({ "messageId": "m", "runId": null, "status": "queued" }));
        assert_eq!(queued.get("run"), None);
    }

    #[test]
    fn of_a_long_trace_the_last_steps_are_shown() {
        let mut trace = json!({ "runSteps": ["x".repeat(TRACE), "a", "b"] });
        shorten(&mut trace);
        assert_eq!(trace, json!({ "runSteps": ["a", "b"], "stepsLeftOut": 1 }));
        shorten(&mut trace);
        assert_eq!(trace["stepsLeftOut"], 1);
    }
}
