//! Chat completions as clients of OpenAI's API ask for them, so that those clients can talk to Clifford.
//!
//! The last message of role `user` becomes a message of the caller, and its run what any other run is: with memory, tools,
//! rules and budgets. Other history of a client is left out: the conversation is kept here. An answer is handed
//! on when it is said, not while the model writes it, since what a model writes may still be taken back.

use std::{collections::VecDeque, convert::Infallible, time::Duration};

use axum::{
    Json,
    body::{Body as HttpBody, to_bytes},
    extract::{Request, State},
    http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header},
    middleware::Next,
    response::{
        IntoResponse, Response,
        sse::{Event, KeepAlive, Sse},
    },
};
use clifford_core::{
    id::{ContextId, MessageId},
    runs::{Run, RunStatus},
};
use clifford_store::places::{agents, channels};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{
    Shared,
    access::{Caller, Reader, Writer},
    extract::Body,
    handler,
    messages::{self, Heard, LONGEST_WAIT, Listener},
    problem::{Code, Problem},
};

/// Where clients of OpenAI's API ask.
const PREFIX: &str = "/v1/";
/// Names the conversation, in a request and in the answer.
const CONTEXT: HeaderName = HeaderName::from_static("clifford-context");
/// Names the run, in an answer that is not a stream.
const RUN: HeaderName = HeaderName::from_static("clifford-run");
/// The most bytes of a problem.
const PROBLEM: usize = 64 * 1024;
/// After how much silence a comment keeps a stream alive.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// A request for an answer. Other fields are left out of account.
#[derive(Deserialize, utoipa::ToSchema)]
pub(super) struct ChatRequest {
    /// The agent, as `GET /v1/models` names it; upper and lower case are one.
    model: String,
    /// The conversation as the client knows it; the last message of role `user` is asked.
    messages: Vec<ChatMessage>,
    /// Whether the answer comes as events, which end with `[DONE]`.
    #[serde(default)]
    stream: bool,
    /// Further content of a stream.
    #[serde(default)]
    stream_options: Option<StreamOptions>,
}

/// Further content of a stream.
#[derive(Clone, Copy, Default, Deserialize, utoipa::ToSchema)]
pub(super) struct StreamOptions {
    /// A last event with the usage.
    #[serde(default)]
    include_usage: bool,
}

/// A message of a conversation.
#[derive(Deserialize, utoipa::ToSchema)]
pub(super) struct ChatMessage {
    /// `system`, `user`, `assistant` or `tool`.
    role: String,
    /// A text, or a list of parts of which the texts count.
    #[serde(default)]
    content: Value,
}

impl ChatMessage {
    fn text(&self) -> String {
        match &self.content {
            Value::String(text) => text.clone(),
            Value::Array(parts) => {
                let texts = parts.iter().filter(|part| part["type"] == "text");
                let texts: Vec<_> = texts.filter_map(|part| part["text"].as_str()).collect();
                texts.join("\n")
            }
            _ => String::new(),
        }
    }
}

/// An answer.
#[derive(Serialize, utoipa::ToSchema)]
pub(super) struct ChatCompletion {
    /// Its id.
    id: String,
    /// `chat.completion`.
    object: &'static str,
    /// When it was asked, in seconds since 1970.
    created: i64,
    /// The agent.
    model: String,
    /// The one answer: its index, its message of role `assistant`, and why it ended.
    #[schema(value_type = Vec<Object>)]
    choices: Value,
    /// The tokens of all model calls of its run.
    #[schema(value_type = Object)]
    usage: Value,
}

/// The agents that a client can ask, as models.
#[derive(Serialize, utoipa::ToSchema)]
pub(super) struct ModelList {
    /// `list`.
    object: &'static str,
    /// The agent that answers this caller: its id, and who made it.
    #[schema(value_type = Vec<Object>)]
    data: Value,
}

/// An error as clients of OpenAI's API read it.
#[derive(Serialize, utoipa::ToSchema)]
pub(super) struct OpenAiError {
    /// Its message, type, field and code.
    #[schema(value_type = Object)]
    error: Value,
}

/// The agent that answers the caller, as the one model that there is.
#[utoipa::path(get, path = "/v1/models", tag = "openai", security(("bearer" = [])),
    responses((status = 200, body = ModelList)))]
#[handler]
pub(super) async fn models(State(api): State<Shared>, _: Reader, caller: Caller) -> Result<Json<ModelList>, Problem> {
    let agent = agent(&api, &caller).await?;
    Ok(Json(ModelList {
        object: "list",
        data: json!([{ "id": agent, "object": "model", "created": 0, "owned_by": "clifford" }]),
    }))
}

/// The name of the agent that answers in the caller's own channel.
async fn agent(api: &Shared, caller: &Caller) -> Result<String, Problem> {
    let place = caller.place();
    let mut conn = api.db.read().await?;
    let channel = channels::by_place(&mut conn, place.platform, &place.external_id).await?;
    let agent = agents::for_channel(&mut conn, channel.as_ref()).await?;
    let none = || Problem::new(Code::NotFound, "no agent is enabled");
    Ok(agent.ok_or_else(none)?.name)
}

/// Asks the bot as a chat completion of OpenAI's API; with `stream`, the answer comes as events. The header
/// `Clifford-Context` names the conversation to go on with; without it, the active one.
#[utoipa::path(post, path = "/v1/chat/completions", tag = "openai", security(("bearer" = [])),
    request_body = ChatRequest,
    params(("Clifford-Context" = Option<String>, Header, description = "The conversation to go on with")),
    responses((status = 200, body = ChatCompletion), (status = 404, body = OpenAiError), (status = 422, body = OpenAiError),
        (status = 429, body = OpenAiError), (status = 503, body = OpenAiError)))]
#[handler]
pub(super) async fn create(
    State(api): State<Shared>,
    _: Writer,
    caller: Caller,
    headers: HeaderMap,
    Body(request): Body<ChatRequest>,
) -> Result<Response, Problem> {
    let agent = agent(&api, &caller).await?;
    if request.model.to_lowercase() != agent.to_lowercase() {
        let detail = format!(
            "there is no model {}; GET /v1/models names the one there is",
            request.model
        );
        return Err(Problem::new(Code::NotFound, detail).of_field("model"));
    }
    let last = request.messages.iter().rfind(|message| message.role == "user");
    let text = last.map(ChatMessage::text).unwrap_or_default();
    let new = messages::NewMessage::of_text(context(&headers)?, text);
    let (_, stored) = messages::accept(&api, &caller, new, Duration::ZERO).await?;
    let message = stored.message_id;
    let answer = Answer {
        id: format!("chatcmpl-{message}"),
        created: api.clock.now().0.div_euclid(1000),
        model: agent,
    };
    if request.stream {
        let usage = request.stream_options.unwrap_or_default().include_usage;
        return Ok(streamed(api, message, answer, usage));
    }
    let (run, said) = finished(&api, message).await?;
    let mut response = Json(answer.whole(&run, &said)).into_response();
    let named = [
        (RUN, Some(run.id.to_string())),
        (CONTEXT, run.context_id.map(|id| id.to_string())),
    ];
    for (name, id) in named {
        if let Some(value) = id.and_then(|id| HeaderValue::try_from(id).ok()) {
            response.headers_mut().insert(name, value);
        }
    }
    Ok(response)
}

/// The conversation that a request names.
fn context(headers: &HeaderMap) -> Result<Option<ContextId>, Problem> {
    let Some(value) = headers.get(CONTEXT) else {
        return Ok(None);
    };
    let named = value.to_str().ok().and_then(|text| text.trim().parse().ok());
    let wrong =
        || Problem::new(Code::InvalidHeader, "it must be the id of a conversation").of_field("Clifford-Context");
    named.map(Some).ok_or_else(wrong)
}

/// The run of a message with what it said, once it has ended or asks something, or the time is over.
async fn finished(api: &Shared, message: MessageId) -> Result<(Run, String), Problem> {
    let mut listener = Listener::new(api, message, LONGEST_WAIT);
    let mut said = Vec::new();
    loop {
        let heard = heard(api, &mut listener).await?;
        said.extend(heard.said);
        if heard.is_all {
            return Ok((heard.run, said.join("\n\n")));
        }
    }
}

/// The next of what the run of a message says.
async fn heard(api: &Shared, listener: &mut Listener) -> Result<Heard, Problem> {
    let heard = tokio::select! {
        heard = listener.next() => heard?,
        () = api.stop.cancelled() => None,
    };
    let late = || {
        Problem::new(
            Code::Timeout,
            "the run has not ended yet; its answer stays in the conversation",
        )
    };
    let heard = heard.ok_or_else(late)?;
    match heard.run.status {
        _ if listener.has_heard() => Ok(heard),
        RunStatus::Failed => {
            let why = heard.run.error.unwrap_or_else(|| "the log says more".to_owned());
            Err(Problem::new(Code::Internal, format!("the run failed: {why}")))
        }
        status if status.is_ended() => Ok(heard),
        _ => Err(late()),
    }
}

/// The common fields of all parts of an answer.
struct Answer {
    id: String,
    created: i64,
    model: String,
}

impl Answer {
    fn whole(self, run: &Run, said: &str) -> ChatCompletion {
        ChatCompletion {
            id: self.id,
            object: "chat.completion",
            created: self.created,
            model: self.model,
            choices: json!([{
                "index": 0, "message": { "role": "assistant", "content": said, "refusal": null },
                "logprobs": null, "finish_reason": "stop",
            }]),
            usage: usage(run),
        }
    }

    fn chunk(&self, choices: &Value, usage: Option<Value>) -> Value {
        let mut chunk = json!({
            "id": self.id, "object": "chat.completion.chunk", "created": self.created, "model": self.model,
            "choices": choices,
        });
        if let Some(usage) = usage {
            chunk["usage"] = usage;
        }
        chunk
    }

    fn delta(&self, delta: &Value, finish: Option<&str>) -> Value {
        let choices = json!([{ "index": 0, "delta": delta, "logprobs": null, "finish_reason": finish }]);
        self.chunk(&choices, None)
    }
}

fn usage(run: &Run) -> Value {
    json!({
        "prompt_tokens": run.prompt_tokens, "completion_tokens": run.completion_tokens,
        "total_tokens": run.prompt_tokens.saturating_add(run.completion_tokens),
    })
}

/// The answer as events: who speaks at once, what they say when it is said.
fn streamed(api: Shared, message: MessageId, answer: Answer, with_usage: bool) -> Response {
    let first = answer.delta(&json!({ "role": "assistant", "content": "" }), None);
    let listener = Listener::new(&api, message, LONGEST_WAIT);
    let begun = (VecDeque::from([first.to_string()]), Some((api, listener)));
    let events = futures::stream::unfold((begun, answer), move |((mut ready, left), answer)| async move {
        if let Some(data) = ready.pop_front() {
            return Some((
                Ok::<_, Infallible>(Event::default().data(data)),
                ((ready, left), answer),
            ));
        }
        let (api, mut listener) = left?;
        let goes_on = listener.has_heard();
        let (rest, is_all) = match heard(&api, &mut listener).await {
            Ok(heard) => {
                let said = heard.said.join("\n\n");
                let text = if goes_on { format!("\n\n{said}") } else { said };
                let mut rest = vec![];
                rest.extend((!heard.said.is_empty()).then(|| answer.delta(&json!({ "content": text }), None)));
                if heard.is_all {
                    rest.push(answer.delta(&json!({}), Some("stop")));
                    rest.extend(with_usage.then(|| answer.chunk(&json!([]), Some(usage(&heard.run)))));
                }
                (rest, heard.is_all)
            }
            Err(problem) => {
                let error = json!({ "error": { "message": problem.detail(), "type": "server_error" } });
                (vec![error], true)
            }
        };
        let mut rest: VecDeque<_> = rest.iter().map(Value::to_string).collect();
        if is_all {
            rest.push_back("[DONE]".to_owned());
        }
        let next = rest.pop_front()?;
        let left = (!is_all).then_some((api, listener));
        Some((Ok(Event::default().data(next)), ((rest, left), answer)))
    });
    Sse::new(events)
        .keep_alive(KeepAlive::new().interval(KEEP_ALIVE))
        .into_response()
}

/// Hands problems on as errors of OpenAI's API, where its clients ask.
pub(super) async fn errors(request: Request, next: Next) -> Response {
    let is_theirs = request.uri().path().starts_with(PREFIX);
    let response = next.run(request).await;
    if !is_theirs || response.status().is_success() {
        return response;
    }
    let (mut parts, body) = response.into_parts();
    let body = to_bytes(body, PROBLEM).await.unwrap_or_default();
    let problem: Value = serde_json::from_slice(&body).unwrap_or_default();
    let error = OpenAiError {
        error: json!({
            "message": problem["detail"].as_str().unwrap_or("something went wrong"),
            "type": kind(parts.status), "param": problem["field"], "code": problem["code"],
        }),
    };
    let text = serde_json::to_string(&error).unwrap_or_default();
    parts.headers.remove(header::CONTENT_LENGTH);
    parts
        .headers
        .insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    Response::from_parts(parts, HttpBody::from(text))
}

/// The type of an error.
fn kind(status: StatusCode) -> &'static str {
    match status {
        StatusCode::UNAUTHORIZED => "authentication_error",
        StatusCode::FORBIDDEN => "permission_error",
        StatusCode::TOO_MANY_REQUESTS => "rate_limit_error",
        status if status.is_server_error() => "server_error",
        _ => "invalid_request_error",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_of_a_message_is_itself_or_that_of_its_parts() {
        for (content, expected) in [
            (json!("hello"), "hello"),
            (
                json!([{"type": "text", "text": "a"}, {"type": "image_url", "image_url": {}}, {"type": "text", "text": "b"}]),
                "a\nb",
            ),
            (json!(null), ""),
            (json!(7), ""),
        ] {
            let message = ChatMessage {
                role: "user".to_owned(),
                content,
            };
            assert_eq!(message.text(), expected);
        }
    }
}
