//! One connection to the gateway, from hello to its end.

use std::{sync::Arc, time::Duration};

use clifford_channel::{ChannelError, ConnectionStatus};
use rand::Rng;
use serde_json::Value;
use serenity::constants::Opcode;
use tokio::time::{Instant, sleep_until, timeout};

use super::{
    End, Event, GRANT_CONTENT, Gateway, Session, WITHHELD, closed,
    payload::{self, Hello, Incoming, Ready},
};
use crate::{
    intake::unreadable,
    map::Me,
    socket::{Frame, Socket},
};

/// Tells Discord that the session is to be resumed.
const RECONNECTING: u16 = 4000;
/// Tells Discord that the bot goes.
const LEAVING: u16 = 1000;

/// The heartbeat, which both sides must keep up.
struct Pulse {
    every: Duration,
    next: Instant,
    answered: bool,
}

impl Pulse {
    /// The first beat comes at a random time, so that many bots do not beat together.
    fn new(every: Duration) -> Self {
        let first = every.mul_f64(rand::rng().random_range(0.0..1.0));
        Self {
            every,
            next: Instant::now() + first,
            answered: true,
        }
    }
}

impl Gateway<'_> {
    /// Connects, and reads until the connection ends.
    pub(super) async fn connection(&mut self) -> End {
        let within = self.shared.config.timing.request;
        let url = match self.address().await {
            Ok(url) => url,
            Err(end) => return end,
        };
        let opened = tokio::select! {
            () = self.stop.cancelled() => return End::Stopped,
            opened = timeout(within, open(self.shared.api.websockets(), &url)) => opened,
        };
        let (mut socket, mut pulse) = match opened {
            Ok(Ok(opened)) => opened,
            Ok(Err(error)) => return End::Lost(format!("{url}: {error}")),
            Err(_) => return End::Lost(format!("{url}: no answer in {} s", within.as_secs())),
        };
        let end = match self.greet(&mut socket).await {
            Ok(()) => self.read(&mut socket, &mut pulse).await,
            Err(error) => End::Lost(error),
        };
        let goodbye = if matches!(end, End::Stopped) {
            LEAVING
        } else {
            RECONNECTING
        };
        socket.close(goodbye).await;
        end
    }

    /// Resumes the session, or begins a new one.
    async fn greet(&mut self, socket: &mut Socket) -> Result<(), String> {
        let token = self.shared.config.token.expose();
        let greeting = match &self.session {
            Some(session) => payload::resume(token, &session.id, session.seq),
            None => payload::identify(token, self.shard, self.asks_for_content),
        };
        socket.send(greeting.to_string()).await
    }

    async fn read(&mut self, socket: &mut Socket, pulse: &mut Pulse) -> End {
        // While an event waits for room nothing is read, but the heart goes on beating.
        let events = self.events.clone();
        let stop = self.stop.clone();
        let within = self.shared.config.timing.request;
        let answered_by = Instant::now() + within;
        loop {
            let step = tokio::select! {
                biased;
                () = stop.cancelled() => return End::Stopped,
                () = sleep_until(pulse.next) => self.beat(socket, pulse).await,
                // Others of the bucket wait for their turns.
                () = sleep_until(answered_by), if self.turn.is_some() => {
                    Err(End::Lost(format!("no session in {} s", within.as_secs())))
                }
                room = events.reserve(), if self.waiting.is_some() => match (room, self.waiting.take()) {
                    (Ok(room), Some(event)) => {
                        room.send(event);
                        Ok(None)
                    }
                    _ => return End::Stopped,
                },
                frame = socket.next(), if self.waiting.is_none() => match frame {
                    Ok(Frame::Text(text)) => self.frame(&text, socket, pulse).await,
                    Ok(Frame::End(code)) => Err(closed(code)),
                    Ok(Frame::Other) => Ok(None),
                    Err(error) => Err(End::Lost(error)),
                },
            };
            match step {
                Ok(Some(event)) => self.waiting = Some(event),
                Ok(None) => {}
                Err(end) => return end,
            }
        }
    }

    /// Sends a heartbeat, unless the one before was never answered, although answers are being read.
    async fn beat(&mut self, socket: &mut Socket, pulse: &mut Pulse) -> Result<Option<Event>, End> {
        if !pulse.answered && self.waiting.is_none() {
            return Err(End::Lost("a heartbeat was not answered".to_owned()));
        }
        pulse.answered = false;
        pulse.next = Instant::now() + pulse.every;
        self.send(socket, &payload::heartbeat(self.seq())).await
    }

    async fn send(&self, socket: &mut Socket, frame: &Value) -> Result<Option<Event>, End> {
        socket.send(frame.to_string()).await.map(|()| None).map_err(End::Lost)
    }

    fn seq(&self) -> Option<u64> {
        self.session.as_ref().map(|session| session.seq)
    }

    async fn frame(&mut self, text: &str, socket: &mut Socket, pulse: &mut Pulse) -> Result<Option<Event>, End> {
        let frame: Incoming = match serde_json::from_str(text) {
            Ok(frame) => frame,
            Err(error) => return Ok(Some(Event::Job(unreadable(text.to_owned(), error.to_string())))),
        };
        match frame.opcode() {
            Some(Opcode::Dispatch) => self.dispatch(&frame),
            Some(Opcode::Heartbeat) => self.send(socket, &payload::heartbeat(self.seq())).await,
            Some(Opcode::Reconnect) => Err(End::Lost("Discord asked to reconnect".to_owned())),
            Some(Opcode::InvalidSession) => Err(match frame.data::<bool>() {
                Ok(true) => End::Lost("Discord asked to resume".to_owned()),
                _ => End::Invalid,
            }),
            Some(Opcode::HeartbeatAck) => {
                pulse.answered = true;
                Ok(None)
            }
            Some(Opcode::Hello) => Ok(None),
            _ => Ok(Some(Event::Job(unreadable(
                text.to_owned(),
                format!("unknown opcode {}", frame.op),
            )))),
        }
    }

    fn dispatch(&mut self, frame: &Incoming) -> Result<Option<Event>, End> {
        if let (Some(session), Some(seq)) = (&mut self.session, frame.s) {
            session.seq = seq;
        }
        match (frame.t.as_deref(), frame.d.as_deref()) {
            (Some("READY"), _) => self.ready(frame).map(Some),
            (Some("RESUMED"), _) => {
                self.joined = true;
                self.connected("resumed");
                Ok(None)
            }
            (Some(name), Some(data)) => Ok(self.intake.take(name, data).map(Event::Job)),
            _ => Ok(Some(Event::Job(unreadable(
                format!("{frame:?}"),
                "an event without name or data".to_owned(),
            )))),
        }
    }

    fn ready(&mut self, frame: &Incoming) -> Result<Event, End> {
        let read = frame.data::<Ready>().and_then(|ready| {
            let id = |own: &payload::Own| own.id.parse::<u64>().map_err(|_| format!("`{}` is no id", own.id));
            let me = Me {
                user: id(&ready.user)?,
                application: id(&ready.application)?,
                role: None,
            };
            Ok((ready, me))
        });
        let (ready, me) =
            read.map_err(|error| End::Fatal(ChannelError::Lost(format!("READY is unreadable: {error}"))))?;
        self.session = Some(Session {
            id: ready.session_id,
            url: ready.resume_gateway_url,
            seq: frame.s.unwrap_or(0),
        });
        self.joined = true;
        if let Some(mut turn) = self.turn.take() {
            *turn = Some(Instant::now());
        }
        // It is the same at each connection.
        let _ = self.shared.me.set(me);
        self.shared.content_is_withheld(!self.asks_for_content);
        self.name = ready.user.username.map_or_else(|| Arc::clone(&self.name), Arc::from);
        self.connected("a new session");
        Ok(Event::Ready(me))
    }

    fn connected(&self, how: &str) {
        tracing::info!(name = %self.name, how, "connected to Discord");
        let name = self.name.to_string();
        let status = match self.asks_for_content {
            true => ConnectionStatus::Connected(name),
            false => ConnectionStatus::Limited {
                name,
                lacks: format!("{WITHHELD}; {GRANT_CONTENT}, then restart or send SIGHUP"),
            },
        };
        self.ingress.status(crate::PLATFORM, status);
    }
}

/// Connects, and reads the hello.
async fn open(client: &reqwest::Client, url: &str) -> Result<(Socket, Pulse), String> {
    let mut socket = Socket::connect(client, url).await?;
    let hello = match socket.next().await? {
        Frame::Text(text) => serde_json::from_str::<Incoming>(&text)
            .map_err(|error| error.to_string())
            .and_then(|frame| frame.data::<Hello>()),
        other => Err(format!("{other:?} came in place of a hello")),
    }?;
    let every = Duration::from_millis(hello.heartbeat_interval.max(1));
    Ok((socket, Pulse::new(every)))
}

#[cfg(test)]
#[path = "connection_tests.rs"]
mod tests;
