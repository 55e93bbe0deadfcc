//! The gateway: hello, identify, heartbeats, dispatch, resume, and the closes that go with mistakes.

use std::collections::HashMap;

use axum::{
    extract::{
        Query, State as Extract,
        ws::{CloseFrame, Message, WebSocket, WebSocketUpgrade},
    },
    http::StatusCode,
    response::{IntoResponse, Response},
};
use serde_json::{Value, json};
use tokio::{
    sync::mpsc::{UnboundedReceiver, unbounded_channel},
    time::Instant,
};

use super::{
    Shared,
    json::guild,
    state::{Session, State, Wire},
};

/// Every intent that Discord has.
const KNOWN_INTENTS: u64 = 0b11_0011_0001_1111_1111_1111_1111;
const MEMBERS: u64 = 1 << 1;
const PRESENCES: u64 = 1 << 8;
const MESSAGE_CONTENT: u64 = 1 << 15;

/// The fate of a connection after a frame.
enum Next {
    Go,
    Answer(String),
    Close(u16),
    Joined(UnboundedReceiver<Wire>),
}

pub(super) async fn upgrade(
    Extract(shared): Extract<Shared>,
    Query(query): Query<HashMap<String, String>>,
    socket: WebSocketUpgrade,
) -> Response {
    {
        let mut state = shared.state();
        if !state.gateway.open {
            return StatusCode::SERVICE_UNAVAILABLE.into_response();
        }
        let version = query.get("v").map(String::as_str);
        let encoding = query.get("encoding").map_or("json", String::as_str);
        if version != Some("10") || encoding != "json" || query.contains_key("compress") {
            state.violation(format!(
                "the gateway was asked for {query:?}; this fake speaks v=10, encoding=json"
            ));
        }
    }
    socket.on_upgrade(move |socket| connection(shared, socket))
}

async fn connection(shared: Shared, mut socket: WebSocket) {
    let (id, interval) = {
        let mut state = shared.state();
        (state.clock.snowflake(), state.gateway.heartbeat)
    };
    let interval_ms = u64::try_from(interval.as_millis()).unwrap_or(u64::MAX);
    let hello = json!({"op": 10, "s": null, "t": null, "d": {"heartbeat_interval": interval_ms, "_trace": []}});
    if socket.send(Message::text(hello.to_string())).await.is_err() {
        return;
    }
    let mut wires: Option<UnboundedReceiver<Wire>> = None;
    let mut deadline = Instant::now() + interval.mul_f64(1.5);
    loop {
        let wire = async {
            match &mut wires {
                Some(wires) => wires.recv().await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            () = shared.stopped() => return,
            () = tokio::time::sleep_until(deadline) => {
                close(&mut socket, 4009).await;
                break;
            }
            wire = wire => match wire {
                Some(Wire::Text(text)) => {
                    if socket.send(Message::text(text)).await.is_err() {
                        break;
                    }
                }
                Some(Wire::Close(code)) => {
                    close(&mut socket, code).await;
                    break;
                }
                Some(Wire::Drop) | None => break,
            },
            frame = socket.recv() => {
                let text = match frame {
                    Some(Ok(Message::Text(text))) => text,
                    Some(Ok(Message::Ping(_) | Message::Pong(_))) => continue,
                    Some(Ok(Message::Binary(_))) => {
                        close(&mut socket, 4002).await;
                        break;
                    }
                    Some(Ok(Message::Close(_)) | Err(_)) | None => break,
                };
                if is_heartbeat(&text) {
                    deadline = Instant::now() + interval.mul_f64(1.5);
                }
                let next = receive(&mut shared.state(), id, wires.is_some(), &text);
                match next {
                    Next::Go => {}
                    Next::Answer(text) => {
                        if socket.send(Message::text(text)).await.is_err() {
                            break;
                        }
                    }
                    Next::Close(code) => {
                        close(&mut socket, code).await;
                        break;
                    }
                    Next::Joined(joined) => wires = Some(joined),
                }
                shared.changed();
            }
        }
    }
    leave(&mut shared.state(), id);
    shared.changed();
}

async fn close(socket: &mut WebSocket, code: u16) {
    let frame = CloseFrame {
        code,
        reason: "closed by the fake".into(),
    };
    // The other side may have gone already.
    let _ = socket.send(Message::Close(Some(frame))).await;
}

fn leave(state: &mut State, connection: u64) {
    for session in state.sessions.values_mut() {
        if session.wire.as_ref().is_some_and(|(id, _)| *id == connection) {
            session.wire = None;
        }
    }
}

fn is_heartbeat(text: &str) -> bool {
    serde_json::from_str::<Value>(text).is_ok_and(|frame| frame["op"] == json!(1))
}

fn receive(state: &mut State, connection: u64, joined: bool, text: &str) -> Next {
    let Ok(frame) = serde_json::from_str::<Value>(text) else {
        state.violation("a frame that is no JSON");
        return Next::Close(4002);
    };
    match (frame["op"].as_u64(), joined) {
        (Some(1), _) => heartbeat(state, &frame["d"]),
        (Some(2), false) => identify(state, connection, &frame["d"]),
        (Some(6), false) => resume(state, connection, &frame["d"]),
        (Some(2 | 6), true) => {
            state.violation("identified twice on one connection");
            Next::Close(4005)
        }
        (Some(3 | 4 | 8 | 31), true) => Next::Go,
        (Some(3 | 4 | 8 | 31), false) => Next::Close(4003),
        (op, _) => {
            state.violation(format!("a frame with the opcode {op:?}"));
            Next::Close(4001)
        }
    }
}

fn heartbeat(state: &mut State, data: &Value) -> Next {
    if !data.is_null() && !data.is_u64() {
        state.violation(format!("a heartbeat with {data}"));
        return Next::Close(4002);
    }
    state.gateway.heartbeats += 1;
    if state.gateway.acknowledges {
        Next::Answer(json!({"op": 11}).to_string())
    } else {
        Next::Go
    }
}

fn invalid(resumable: bool) -> Next {
    Next::Answer(json!({"op": 9, "d": resumable, "s": null, "t": null}).to_string())
}

fn identify(state: &mut State, connection: u64, data: &Value) -> Next {
    state.gateway.identifies += 1;
    if data["token"] != json!(state.token) {
        return Next::Close(4004);
    }
    if ["os", "browser", "device"]
        .iter()
        .any(|name| !data["properties"][name].is_string())
    {
        state.violation("identified without properties");
        return Next::Close(4002);
    }
    let Some(intents) = data["intents"].as_u64().filter(|intents| intents & !KNOWN_INTENTS == 0) else {
        state.violation(format!("identified with the intents {}", data["intents"]));
        return Next::Close(4013);
    };
    let content = if state.gateway.message_content {
        0
    } else {
        MESSAGE_CONTENT
    };
    if intents & (MEMBERS | PRESENCES | content) != 0 {
        return Next::Close(4014);
    }
    if state.gateway.identifies_left == 0 {
        state.violation("identified although no identify was left");
        return invalid(false);
    }
    state.gateway.identifies_left -= 1;
    let Some(shard) = shard(&data["shard"]) else {
        state.violation(format!("identified as the shard {}", data["shard"]));
        return Next::Close(4010);
    };
    if shard.1 < state.gateway.shards {
        return Next::Close(4011);
    }
    if is_too_soon(state, shard.0) {
        state.violation(format!(
            "the shard {} identified within 5 s after another of its bucket",
            shard.0
        ));
        return invalid(false);
    }
    let (sender, receiver) = unbounded_channel();
    let name = format!("session-{connection}");
    let mut session = Session {
        intents,
        shard,
        seq: 0,
        log: std::collections::VecDeque::new(),
        wire: Some((connection, sender)),
        held: None,
    };
    let ready = ready(state, &session, &name);
    session.dispatch("READY", &ready);
    for id in state
        .guilds
        .keys()
        .filter(|id| !state.gateway.withholds_guilds && session.hears(Some(**id)))
        .collect::<Vec<_>>()
    {
        session.dispatch("GUILD_CREATE", &guild(state, *id));
    }
    state.sessions.insert(name, session);
    Next::Joined(receiver)
}

/// "`rate_limit_key = shard_id % max_concurrency`": of each key one identify in 5 seconds.
/// <https://docs.discord.com/developers/events/gateway#sharding-max-concurrency>
fn is_too_soon(state: &mut State, place: u64) -> bool {
    let bucket = place % state.gateway.concurrency.max(1);
    let Some(buckets) = &mut state.gateway.buckets else {
        return false;
    };
    let last = buckets.insert(bucket, Instant::now().into_std());
    // The network may bring the second one nearer to the first than they were sent.
    last.is_some_and(|last| last.elapsed().as_millis() < 4_900)
}

/// Which shard, and of how many; without a word, the only one.
fn shard(given: &Value) -> Option<(u64, u64)> {
    if given.is_null() {
        return Some((0, 1));
    }
    let (place, of) = (given[0].as_u64()?, given[1].as_u64()?);
    (place < of).then_some((place, of))
}

fn ready(state: &State, session: &Session, name: &str) -> Value {
    let (place, of) = session.shard;
    let guilds: Vec<Value> = state
        .guilds
        .keys()
        .filter(|id| session.hears(Some(**id)))
        .map(|id| json!({"id": id.to_string(), "unavailable": true}))
        .collect();
    json!({
        "v": 10, "user": state.users.get(&state.bot), "guilds": guilds, "session_id": name, "shard": [place, of],
        "session_type": "normal", "resume_gateway_url": state.ws_url, "private_channels": [], "relationships": [],
        "presences": [], "application": {"id": state.application.to_string(), "flags": 0}, "_trace": [],
    })
}

fn resume(state: &mut State, connection: u64, data: &Value) -> Next {
    state.gateway.resumes += 1;
    if data["token"] != json!(state.token) {
        return Next::Close(4004);
    }
    let (Some(name), Some(seq)) = (data["session_id"].as_str(), data["seq"].as_u64()) else {
        state.violation("a resume without session or sequence");
        return Next::Close(4002);
    };
    let Some(session) = state.sessions.get_mut(name) else {
        return invalid(false);
    };
    if seq > session.seq {
        return Next::Close(4007);
    }
    if session.log.front().is_some_and(|(first, _)| *first > seq + 1) {
        state.sessions.remove(name);
        return invalid(false);
    }
    let (sender, receiver) = unbounded_channel();
    session.wire = Some((connection, sender));
    for (_, frame) in session.log.iter().filter(|(at, _)| *at > seq) {
        session.send(Wire::Text(frame.clone()));
    }
    session.dispatch("RESUMED", &json!({"_trace": []}));
    Next::Joined(receiver)
}
