//! Requests in, answers out.

use std::{io, net::SocketAddr, sync::Arc};

use axum::{
    Router,
    extract::{DefaultBodyLimit, Path, Request as HttpRequest, State},
    response::{IntoResponse, Response},
    routing::{any, get},
    serve::ListenerExt,
};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use super::{
    Fault, Method, Request, Sent, TelegramFake, albums,
    answer::{Refusal, broken, ok, page, verbatim},
    commands, files, guests, keyboard, messages,
    params::Params,
    reactions, rich, rights, send,
    state::Shared,
    updates, webhook,
};

/// The most that a bot may upload.
const BODY_LIMIT: usize = 50 << 20;

/// Serves until `stop`, and returns the address.
pub(super) async fn serve(shared: Arc<Shared>, stop: CancellationToken) -> io::Result<SocketAddr> {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
    let address = listener.local_addr()?;
    let router = Router::new()
        .route("/{bot}/{method}", any(handle))
        .route("/file/{bot}/{*path}", get(files::content))
        .layer(DefaultBodyLimit::max(BODY_LIMIT))
        .with_state(Arc::clone(&shared));
    // A delayed packet would be measured as the bot's latency.
    let listener = listener.tap_io(|stream| drop(stream.set_nodelay(true)));
    let tasks = TaskTracker::new();
    tasks.spawn(webhook::bring(shared, stop.clone()));
    tasks.spawn(async move {
        tokio::select! {
            () = stop.cancelled() => Ok(()),
            served = axum::serve(listener, router).into_future() => served,
        }
    });
    Ok(address)
}

async fn handle(
    State(shared): State<Arc<Shared>>,
    Path((bot, method)): Path<(String, String)>,
    request: HttpRequest,
) -> Response {
    if bot.strip_prefix("bot") != Some(TelegramFake::TOKEN) {
        return Refusal::new(401, "Unauthorized").into_response();
    }
    let Some(method) = Method::named(&method) else {
        shared.lock().violations.push(format!("no such method: {method}"));
        return Refusal::new(404, "Not Found").into_response();
    };
    let answer = answer(&shared, method, request).await;
    answer.unwrap_or_else(|refusal| {
        if refusal.violation {
            let violation = format!("{method}: {}", refusal.description);
            shared.lock().violations.push(violation);
        }
        refusal.into_response()
    })
}

async fn answer(shared: &Shared, method: Method, request: HttpRequest) -> Result<Response, Refusal> {
    let mut params = Params::read(request).await?;
    params.check(method)?;
    let fault = {
        let mut state = shared.lock();
        if state.recording {
            let params = Value::Object(params.values.clone());
            state.requests.push(Request { method, params });
        }
        state
            .faults
            .take(method, params.integer("chat_id"), params.text("text"))
    };
    match fault {
        None => {}
        Some(Fault::TooMany(seconds)) => return Err(Refusal::too_many(seconds)),
        Some(Fault::Server(code)) => return Ok(page(code)),
        Some(Fault::Refuse(code, description)) => return Err(Refusal::new(code, description)),
        Some(Fault::Slow(time)) => tokio::time::sleep(time).await,
        Some(Fault::Drop) => return Ok(broken()),
        Some(Fault::Garbage) => return Ok("<!-- no JSON -->".into_response()),
        Some(Fault::Answer(code, body)) => return Ok(verbatim(code, body)),
        Some(Fault::SlowAfter(time)) => {
            let result = perform(shared, method, &params).await?;
            tokio::time::sleep(time).await;
            return Ok(ok(&result));
        }
        Some(Fault::DropAfter) => {
            let result = perform(shared, method, &params).await?;
            lose_answer(shared, params.integer("chat_id"), &result);
            return Ok(broken());
        }
        Some(Fault::Result(result)) => {
            perform(shared, method, &params).await?;
            return Ok(ok(&result));
        }
    }
    perform(shared, method, &params).await.map(|result| ok(&result))
}

/// Keeps of a message that the bot is not told that it was taken.
fn lose_answer(shared: &Shared, chat: Option<i64>, result: &Value) {
    let mut state = shared.lock();
    let id = result["message_id"].as_i64();
    let is_it = |sent: &&mut Sent| Some(sent.chat.id) == chat && Some(sent.message_id) == id;
    if let Some(sent) = state.sent.iter_mut().rev().find(is_it) {
        sent.answer_lost = true;
    }
}

async fn perform(shared: &Shared, method: Method, params: &Params) -> Result<Value, Refusal> {
    match method {
        Method::GetMe => Ok(me(shared.lock().has_topics)),
        Method::GetUpdates => updates::get(shared, params).await,
        Method::SendMessage => send::message(shared, params),
        Method::SendDocument => send::document(shared, params),
        Method::SendPhoto => send::photo(shared, params),
        Method::SendVoice => send::voice(shared, params),
        Method::SendMediaGroup => albums::send(shared, params),
        Method::SetMessageReaction => reactions::set(shared, params),
        Method::SendChatAction => send::action(shared, params),
        Method::EditMessageText => send::edit(shared, params),
        Method::SetMyCommands => commands::set(shared, params),
        Method::GetMyCommands => commands::get(shared, params),
        Method::SetWebhook => webhook::set(shared, params),
        Method::DeleteWebhook => Ok(webhook::delete(shared, params)),
        Method::GetWebhookInfo => Ok(webhook::info(shared)),
        Method::GetChat => get_chat(shared, params),
        Method::AnswerCallbackQuery => keyboard::answer(shared, params),
        Method::SendMessageDraft => send::draft(shared, params),
        Method::GetChatMember => rights::member(shared, params),
        Method::PinChatMessage => rights::pin(shared, params),
        Method::UnpinChatMessage => rights::unpin(shared, params),
        Method::DeleteMessage => rights::delete(shared, params),
        Method::SendPoll => rights::poll(shared, params),
        Method::CreateForumTopic => rights::topic(shared, params),
        Method::EditForumTopic => rights::edit_topic(shared, params),
        Method::GetFile => files::get(shared, params),
        Method::SendRichMessage => rich::message(shared, params),
        Method::AnswerGuestQuery => guests::answer(shared, params),
    }
}

fn me(has_topics: bool) -> Value {
    json!({
        "id": TelegramFake::BOT_ID,
        "is_bot": true,
        "first_name": "Clifford",
        "username": TelegramFake::USERNAME,
        "can_join_groups": true,
        "can_read_all_group_messages": true,
        "supports_inline_queries": false,
        "supports_guest_queries": true,
        "can_connect_to_business": false,
        "has_main_web_app": false,
        "has_topics_enabled": has_topics,
        "allows_users_to_create_topics": has_topics,
    })
}

fn get_chat(shared: &Shared, params: &Params) -> Result<Value, Refusal> {
    let state = shared.lock();
    let id = params.integer("chat_id");
    let room = id.and_then(|id| Some((id, state.rooms.get(&id)?)));
    let (id, room) = room.ok_or_else(|| Refusal::bad("chat not found"))?;
    let mut chat = messages::chat(id, room, state.people.get(&id));
    chat["accent_color_id"] = json!(0);
    chat["max_reaction_count"] = json!(11);
    if id < 0 {
        chat["permissions"] = rights::everybody();
    }
    Ok(chat)
}
