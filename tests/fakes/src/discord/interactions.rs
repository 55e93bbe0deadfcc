//! Interactions: acknowledged within 3 seconds and once, answered within 15 minutes.

use std::time::Duration;

use axum::{
    Json,
    extract::{Path, Request, State as Extract},
    http::StatusCode,
    response::{IntoResponse, Response},
};
use serde_json::{Value, json};

use super::{
    Shared, components,
    error::{Refusal, only},
    json::{dispatched, message},
    messages::{Draft, record},
    state::State,
};

/// How long an interaction waits to be acknowledged.
const PATIENCE: Duration = Duration::from_secs(3);
/// How long its token is good.
const TOKEN_LIFE_MS: u64 = 15 * 60 * 1000;
/// The flag of a message that only one person sees.
const EPHEMERAL: u64 = 1 << 6;
/// The flag of a message that is still "thinking".
const LOADING: u64 = 1 << 7;

/// Whether only the person sees a message who gave an interaction: it can be read, changed and deleted by that
/// interaction's token alone, and the gateway tells nothing of it.
/// <https://docs.discord.com/developers/interactions/receiving-and-responding#followup-messages>
pub(super) fn is_ephemeral(message: &Value) -> bool {
    message["flags"].as_u64().unwrap_or_default() & EPHEMERAL != 0
}

pub(super) async fn acknowledge(
    Extract(shared): Extract<Shared>,
    Path((id, token)): Path<(u64, String)>,
    Json(body): Json<Value>,
) -> Response {
    let answer = {
        let mut guard = shared.state();
        let state = &mut *guard;
        match acknowledged(state, id, &token, &body) {
            Ok(()) => StatusCode::NO_CONTENT.into_response(),
            Err(refusal) => shared.refuse(state, refusal),
        }
    };
    shared.changed();
    answer
}

fn acknowledged(state: &mut State, id: u64, token: &str, body: &Value) -> Result<(), Refusal> {
    only("response", body, &["type", "data"])?;
    let is_typed = state.interactions.get(&id).is_some_and(|asked| asked.is_typed);
    let (kind, is_below) =
        (state.interactions.get(&id)).map_or((0, false), |asked| (asked.kind, asked.below.is_some()));
    let answer = body["type"].as_u64().unwrap_or_default();
    // <https://docs.discord.com/developers/interactions/receiving-and-responding#interaction-response-object-interaction-callback-type>
    let fits = match answer {
        8 => is_typed,
        5 => !is_typed,
        // "For components", and for a form that was opened by one.
        6 => (kind == 3 || kind == 5) && is_below,
        // Neither for a form nor for what is being typed.
        9 => kind == 2 || kind == 3,
        _ => false,
    };
    if !fits {
        return Err(Refusal::field(
            "type",
            "BASE_TYPE_CHOICES",
            format!("this fake takes no answer {answer} to an interaction of the kind {kind}"),
        ));
    }
    if answer == 6 && body.get("data").is_some() {
        return Err(Refusal::field(
            "data",
            "BASE_TYPE_CHOICES",
            "a deferred change has no data",
        ));
    }
    let form = (answer == 9).then(|| components::form(&body["data"])).transpose()?;
    if answer == 5
        && body
            .get("data")
            .is_some_and(|data| *data != json!({"flags": EPHEMERAL}))
    {
        return Err(Refusal::field(
            "data",
            "BASE_TYPE_CHOICES",
            "a deferred answer has the flag EPHEMERAL, or no data",
        ));
    }
    let alone = answer == 5 && body.get("data").is_some();
    let choices = is_typed.then(|| components::choices(&body["data"])).transpose()?;
    let now = state.clock.now_ms();
    let unknown = || Refusal::new(404, 10_062, "Unknown interaction");
    let asked = state
        .interactions
        .get(&id)
        .filter(|asked| asked.token == token)
        .ok_or_else(unknown)?;
    if asked.acknowledged.is_some() {
        return Err(Refusal::new(400, 40_060, "Interaction has already been acknowledged."));
    }
    if asked.began.elapsed() > PATIENCE || now - asked.created_ms > 3_000 {
        state.violation(format!("interaction {id} was acknowledged too late"));
        return Err(unknown());
    }
    let (channel, took) = (asked.channel, asked.began.elapsed());
    if choices.is_some() {
        if let Some(asked) = state.interactions.get_mut(&id) {
            asked.acknowledged = Some(took);
            asked.choices = choices;
        }
        return Ok(());
    }
    if answer == 6 || form.is_some() {
        if let Some(asked) = state.interactions.get_mut(&id) {
            asked.acknowledged = Some(took);
            asked.original = asked.below.filter(|_| form.is_none());
            asked.form = form;
        }
        return Ok(());
    }
    let original = original_message(state, id, channel, alone);
    if let Some(asked) = state.interactions.get_mut(&id) {
        asked.acknowledged = Some(took);
        asked.original = Some(original);
    }
    Ok(())
}

/// "Clifford is thinking…"
fn original_message(state: &mut State, interaction: u64, channel: u64, alone: bool) -> u64 {
    let id = state.clock.snowflake();
    let author = state.users.get(&state.bot).cloned().unwrap_or_default();
    let mut thinking = message(state, id, channel, &author, "");
    thinking["type"] = json!(20);
    thinking["flags"] = json!(LOADING | if alone { EPHEMERAL } else { 0 });
    thinking["webhook_id"] = json!(state.application.to_string());
    thinking["application_id"] = json!(state.application.to_string());
    if let Some(asked) = state.interactions.get(&interaction) {
        let user = state.users.get(&asked.user);
        thinking["interaction_metadata"] = json!({
            "id": interaction.to_string(), "type": 2, "user": user, "authorizing_integration_owners": {},
        });
        thinking["interaction"] = json!({"id": interaction.to_string(), "type": 2, "name": asked.name, "user": user});
    }
    let guild = state.channels.get_mut(&channel).and_then(|room| {
        room.messages.insert(id, thinking.clone());
        room.guild
    });
    if !is_ephemeral(&thinking) {
        state.dispatch("MESSAGE_CREATE", &dispatched(&thinking, guild));
    }
    id
}

/// The interaction that a token belongs to, if it was acknowledged and still lives.
fn of_token(state: &State, application: u64, token: &str) -> Result<u64, Refusal> {
    let found = state.interactions.iter().find(|(_, asked)| asked.token == token);
    let found = found.filter(|_| application == state.application);
    let (id, asked) = found.ok_or_else(|| Refusal::new(404, 10_015, "Unknown Webhook"))?;
    if state.clock.now_ms() - asked.created_ms > TOKEN_LIFE_MS {
        return Err(Refusal::new(401, 50_027, "Invalid Webhook Token"));
    }
    if asked.acknowledged.is_none() {
        return Err(Refusal::new(404, 10_015, "Unknown Webhook"));
    }
    Ok(*id)
}

pub(super) async fn read_original(
    Extract(shared): Extract<Shared>,
    Path((application, token)): Path<(u64, String)>,
) -> Response {
    let state = shared.state();
    let found = of_token(&state, application, &token).map(|id| {
        let asked = state.interactions.get(&id)?;
        state.channels.get(&asked.channel)?.messages.get(&asked.original?)
    });
    match found {
        Ok(Some(message)) => Json(message).into_response(),
        Ok(None) => Refusal::new(404, 10_008, "Unknown Message").into_response(),
        Err(refusal) => refusal.into_response(),
    }
}

pub(super) async fn delete_original(
    Extract(shared): Extract<Shared>,
    Path((application, token)): Path<(u64, String)>,
) -> Response {
    let answer = {
        let mut guard = shared.state();
        let state = &mut *guard;
        match of_token(state, application, &token) {
            Ok(id) => {
                let taken = state
                    .interactions
                    .get_mut(&id)
                    .and_then(|asked| Some((asked.channel, asked.original.take()?)));
                let removed =
                    taken.and_then(|(channel, original)| state.channels.get_mut(&channel)?.messages.remove(&original));
                match removed {
                    Some(_) => StatusCode::NO_CONTENT.into_response(),
                    None => Refusal::new(404, 10_008, "Unknown Message").into_response(),
                }
            }
            Err(refusal) => refusal.into_response(),
        }
    };
    shared.changed();
    answer
}

pub(super) async fn edit_original(
    Extract(shared): Extract<Shared>,
    Path((application, token)): Path<(u64, String)>,
    request: Request,
) -> Response {
    answer(&shared, application, &token, request, edit).await
}

pub(super) async fn follow_up(
    Extract(shared): Extract<Shared>,
    Path((application, token)): Path<(u64, String)>,
    request: Request,
) -> Response {
    answer(&shared, application, &token, request, add).await
}

type Take = fn(&mut State, u64, &Draft) -> Result<Value, Refusal>;

async fn answer(shared: &Shared, application: u64, token: &str, request: Request, take: Take) -> Response {
    let draft = Draft::read(request).await;
    let answer = {
        let mut guard = shared.state();
        let state = &mut *guard;
        let taken = of_token(state, application, token).and_then(|id| {
            let draft = draft?;
            let known = [
                "content",
                "embeds",
                "flags",
                "allowed_mentions",
                "components",
                "attachments",
                "tts",
            ];
            only("message", &draft.body, &known)?;
            draft.check()?;
            take(state, id, &draft)
        });
        match taken {
            Ok(message) => Json(message).into_response(),
            Err(refusal) => shared.refuse(state, refusal),
        }
    };
    shared.changed();
    answer
}

fn edit(state: &mut State, interaction: u64, draft: &Draft) -> Result<Value, Refusal> {
    let gone = || Refusal::new(404, 10_008, "Unknown Message");
    let asked = state.interactions.get(&interaction).ok_or_else(gone)?;
    let (channel, original) = (asked.channel, asked.original.ok_or_else(gone)?);
    let (_, made, mut sent) = record(state, channel, draft, None);
    sent.id = original;
    // A key that is left out stays as it is: <https://docs.discord.com/developers/resources/message#edit-message>
    let keeps_buttons = draft.body.get("components").is_none();
    let before = (state.interactions.get(&interaction)).and_then(|asked| asked.replies.first());
    if let Some(before) = before.filter(|before| keeps_buttons && before.id == original) {
        sent.buttons.clone_from(&before.buttons);
        sent.styles.clone_from(&before.styles);
    }
    let room = state.channels.get_mut(&channel).ok_or_else(gone)?;
    let guild = room.guild;
    let message = room.messages.get_mut(&original).ok_or_else(gone)?;
    message["content"] = made["content"].clone();
    if !keeps_buttons {
        message["components"] = made["components"].clone();
    }
    message["edited_timestamp"] = made["timestamp"].clone();
    let kept = message["flags"].as_u64().unwrap_or(0) & EPHEMERAL;
    message["flags"] = json!(kept);
    let message = message.clone();
    if let Some(asked) = state.interactions.get_mut(&interaction) {
        // The original stands first, whatever came after it.
        if asked.answered {
            asked.replies.remove(0);
        }
        asked.answered = true;
        asked.replies.insert(0, sent);
    }
    if !is_ephemeral(&message) {
        state.dispatch("MESSAGE_UPDATE", &dispatched(&message, guild));
    }
    Ok(message)
}

fn add(state: &mut State, interaction: u64, draft: &Draft) -> Result<Value, Refusal> {
    let gone = || Refusal::new(404, 10_015, "Unknown Webhook");
    let channel = state.interactions.get(&interaction).ok_or_else(gone)?.channel;
    let (id, mut message, sent) = record(state, channel, draft, None);
    message["flags"] = json!(draft.body["flags"].as_u64().unwrap_or_default());
    message["webhook_id"] = json!(state.application.to_string());
    message["application_id"] = json!(state.application.to_string());
    let room = state.channels.get_mut(&channel).ok_or_else(gone)?;
    let guild = room.guild;
    room.messages.insert(id, message.clone());
    if let Some(asked) = state.interactions.get_mut(&interaction) {
        asked.replies.push(sent);
    }
    if !is_ephemeral(&message) {
        state.dispatch("MESSAGE_CREATE", &dispatched(&message, guild));
    }
    Ok(message)
}
