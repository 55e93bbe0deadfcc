//! The gateway: identify, heartbeats, resume, and the meaning of each lost connection.
//!
//! <https://discord.com/developers/docs/events/gateway>

mod connection;
pub(crate) mod payload;

use std::{sync::Arc, time::Duration};

use clifford_channel::{ChannelError, ConnectionStatus, Ingress};
use reqwest::Method;
use serde::Deserialize;
use serenity::constants::close_codes;
use tokio::{
    sync::{OwnedMutexGuard, mpsc},
    time::Instant,
};
use tokio_util::sync::CancellationToken;

use crate::{
    api::{ApiError, Call},
    intake::{Intake, Job},
    map::Me,
    shard::Shard,
    shared::Shared,
    wait::{Backoff, Stopped, pause},
};

/// With fewer identifies left than this they are spread over the time that is left.
const FEW_IDENTIFIES: u32 = 50;
/// The longest such wait while some are left.
const SPREAD: Duration = Duration::from_secs(60);

/// Close codes that serenity does not name.
const SESSION_NO_LONGER_VALID: u16 = 4006;
const INVALID_VERSION: u16 = 4012;

/// The bot's way where Discord withholds people's messages in servers.
const WITHHELD: &str = "without the Message Content intent it hears mentions, replies that ping it, direct messages and \
                        commands only";
const GRANT_CONTENT: &str = "enable Developer Portal → Bot → Privileged Gateway Intents → Message Content";

/// An event for the lanes.
pub(crate) enum Event {
    /// A new session: the events before it were not sent.
    Ready(Me),
    /// Work for a lane.
    Job(Job),
}

/// The connection to Discord's gateway, made again as often as needed.
pub(crate) struct Gateway<'a> {
    shared: &'a Shared,
    shard: Shard,
    ingress: &'a dyn Ingress,
    intake: Intake,
    events: mpsc::Sender<Event>,
    stop: CancellationToken,
    /// An event that was read and waits for room. A resume tells only what came after it, so it outlives its
    /// connection.
    waiting: Option<Event>,
    session: Option<Session>,
    /// Whether the last connection came as far as a session.
    joined: bool,
    /// The bot's name, once it is known.
    name: Arc<str>,
    /// Asks for what people write in servers without mentioning the bot. Once that was refused, not again.
    asks_for_content: bool,
    /// Its turn among the shards of its bucket, from its wait to identify until the session is there: only then has Discord
    /// surely seen it, however long the way was.
    turn: Option<OwnedMutexGuard<Option<Instant>>>,
}

/// A session that can be resumed.
#[derive(Debug)]
struct Session {
    id: String,
    url: String,
    seq: u64,
}

/// How a connection ended.
#[derive(Debug)]
enum End {
    /// Connect again; the session, if there is one, can be resumed.
    Lost(String),
    /// Connect again after a moment, with a new session.
    Invalid,
    /// Discord does not grant the bot one of its intents.
    Disallowed,
    /// Connecting again cannot help.
    Fatal(ChannelError),
    /// The connection was stopped.
    Stopped,
}

impl From<Stopped> for End {
    fn from(_: Stopped) -> Self {
        Self::Stopped
    }
}

/// The answer to `GET /gateway/bot`.
#[derive(Deserialize)]
struct GatewayBot {
    url: String,
    shards: u32,
    session_start_limit: StartLimit,
}

#[derive(Deserialize)]
struct StartLimit {
    remaining: u32,
    reset_after: u64,
    /// So many shards may identify at a time.
    #[serde(default)]
    max_concurrency: u32,
}

impl<'a> Gateway<'a> {
    pub(crate) fn new(
        shared: &'a Shared,
        shard: Shard,
        ingress: &'a dyn Ingress,
        intake: Intake,
        events: mpsc::Sender<Event>,
        stop: CancellationToken,
    ) -> Self {
        Self {
            shared,
            shard,
            ingress,
            intake,
            events,
            stop,
            waiting: None,
            session: None,
            joined: false,
            name: Arc::from(""),
            asks_for_content: true,
            turn: None,
        }
    }

    /// Stays connected until it is stopped or cannot go on.
    pub(crate) async fn run(mut self) -> Result<(), ChannelError> {
        let timing = self.shared.config.timing;
        let mut backoff = Backoff::new(&timing);
        let mut failures = 0;
        loop {
            self.joined = false;
            let end = self.connection().await;
            self.turn = None;
            let mut wait = Duration::ZERO;
            let reason = match end {
                End::Stopped => return Ok(()),
                End::Fatal(error) => return Err(self.fatal(error)),
                End::Disallowed if self.asks_for_content => {
                    self.asks_for_content = false;
                    self.shared.content_is_withheld(true);
                    self.session = None;
                    tracing::warn!(
                        remedy = GRANT_CONTENT,
                        "{WITHHELD}: Discord does not grant it, identifying without"
                    );
                    continue;
                }
                End::Disallowed => return Err(self.fatal(disallowed())),
                End::Invalid => {
                    self.session = None;
                    wait = timing.invalid_session;
                    "Discord ended the session".to_owned()
                }
                End::Lost(reason) => reason,
            };
            failures = if self.joined { 0 } else { failures + 1 };
            if self.joined {
                // It succeeded. Identifies are spread by what Discord says is left of them.
                backoff.reset();
            }
            wait = wait.max(backoff.next());
            tracing::info!(reason, resumes = self.session.is_some(), "gateway connection ended");
            self.ingress
                .status(crate::PLATFORM, ConnectionStatus::Disconnected(reason.clone()));
            if failures >= timing.attempts {
                return Err(ChannelError::Lost(reason));
            }
            if failures > timing.attempts / 2 {
                // The address of the session may be what is gone; a new session reads what was missed.
                self.session = None;
            }
            if pause(wait, &self.stop).await.is_err() {
                return Ok(());
            }
        }
    }

    fn fatal(&self, error: ChannelError) -> ChannelError {
        self.ingress
            .status(crate::PLATFORM, ConnectionStatus::Disconnected(error.to_string()));
        error
    }

    /// Where to connect: the session's own address, or what Discord says now.
    async fn address(&mut self) -> Result<String, End> {
        if let Some(session) = &self.session {
            return Ok(session.url.clone());
        }
        let call = Call::new(Method::GET, "gateway", "bot", "/gateway/bot".to_owned());
        let answer = tokio::select! {
            () = self.stop.cancelled() => return Err(End::Stopped),
            answer = self.shared.api.call::<GatewayBot>(&call) => answer,
        };
        let gateway = match answer {
            Ok(gateway) => gateway,
            Err(ApiError::Limited(wait)) => {
                pause(wait, &self.stop).await?;
                return Err(End::Lost("the gateway's address is rate-limited".to_owned()));
            }
            Err(ApiError::Refused(refusal)) if refusal.status == 401 => return Err(End::Fatal(wrong_token())),
            Err(error) => return Err(End::Lost(format!("the gateway's address: {error}"))),
        };
        if gateway.shards > self.shard.of {
            tracing::warn!(
                recommended = gateway.shards,
                shards = self.shard.of,
                "Discord recommends more shards: raise channels.discord.shards, or set it to \"auto\" and restart"
            );
        }
        self.wait_to_identify(&gateway.session_start_limit).await?;
        Ok(gateway.url)
    }

    /// Identifies are few: a bot that is started again and again must not use them up.
    async fn wait_to_identify(&mut self, limit: &StartLimit) -> Result<(), End> {
        let gap = self.shared.config.timing.identify_every;
        // Held until it is this one's turn: the shards of a bucket identify one after the other.
        // <https://docs.discord.com/developers/events/gateway#sharding-max-concurrency>
        let bucket = self.shard.place % limit.max_concurrency.max(1);
        let bucket = self.shared.identified(bucket).await;
        let mut turn = tokio::select! {
            () = self.stop.cancelled() => return Err(End::Stopped),
            turn = bucket.lock_owned() => turn,
        };
        let since_last = turn.map_or(gap, |at| at.elapsed());
        let wait = gap.saturating_sub(since_last).max(spread(limit));
        if wait > gap {
            let reason = format!(
                "{} identifies are left; the next is in {} s",
                limit.remaining,
                wait.as_secs()
            );
            tracing::warn!(reason, "delaying the next identify: Discord allows about 1000 a day");
            self.ingress
                .status(crate::PLATFORM, ConnectionStatus::Disconnected(reason));
        }
        pause(wait, &self.stop).await?;
        *turn = Some(Instant::now());
        self.turn = Some(turn);
        Ok(())
    }
}

/// How long the next identify should wait for the sake of those that follow.
fn spread(limit: &StartLimit) -> Duration {
    let reset_after = Duration::from_millis(limit.reset_after);
    match limit.remaining {
        0 => reset_after,
        few if few < FEW_IDENTIFIES => (reset_after / few).min(SPREAD),
        _ => Duration::ZERO,
    }
}

fn wrong_token() -> ChannelError {
    ChannelError::Misconfigured(
        "Discord does not know the token in channels.discord.token: copy it again from the Developer Portal → Bot → Reset Token"
            .to_owned(),
    )
}

fn disallowed() -> ChannelError {
    ChannelError::Misconfigured(format!(
        "Discord does not let the bot read messages: {GRANT_CONTENT}, then start again"
    ))
}

/// Reads a close code.
/// <https://discord.com/developers/docs/topics/opcodes-and-status-codes#gateway-gateway-close-event-codes>
fn closed(code: Option<u16>) -> End {
    match code {
        Some(close_codes::AUTHENTICATION_FAILED) => End::Fatal(wrong_token()),
        Some(close_codes::INVALID_GATEWAY_INTENTS) => End::Fatal(disallowed()),
        Some(close_codes::DISALLOWED_GATEWAY_INTENTS) => End::Disallowed,
        Some(close_codes::INVALID_SHARD | close_codes::SHARDING_REQUIRED) => End::Fatal(ChannelError::Misconfigured(
            "Discord wants more connections for this bot, which is in too many servers: raise channels.discord.shards in every process, or set it to \"auto\", and restart".to_owned(),
        )),
        Some(INVALID_VERSION) => End::Fatal(ChannelError::Misconfigured(
            "Discord no longer speaks this version of its gateway: update Clifford".to_owned(),
        )),
        Some(SESSION_NO_LONGER_VALID | close_codes::INVALID_SEQUENCE | close_codes::SESSION_TIMEOUT) => End::Invalid,
        Some(code) => End::Lost(format!("closed with {code}")),
        None => End::Lost("closed without a word".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_close_code_says_whether_connecting_again_helps() {
        let kinds = |code| match closed(code) {
            End::Lost(_) => "resume",
            End::Invalid => "identify",
            End::Disallowed => "less",
            End::Fatal(ChannelError::Misconfigured(_)) => "misconfigured",
            End::Fatal(_) | End::Stopped => "other",
        };
        let cases = [
            (None, "resume"),
            (Some(1006), "resume"),
            (Some(4000), "resume"),
            (Some(4001), "resume"),
            (Some(4003), "resume"),
            (Some(4008), "resume"),
            (Some(1000), "resume"),
            (Some(4007), "identify"),
            (Some(4009), "identify"),
            (Some(4004), "misconfigured"),
            (Some(4010), "misconfigured"),
            (Some(4013), "misconfigured"),
            (Some(4014), "less"),
        ];
        for (code, expected) in cases {
            assert_eq!(kinds(code), expected, "{code:?}");
        }
    }

    #[test]
    fn the_fewer_identifies_are_left_the_longer_the_wait() {
        let wait = |remaining, hours: u64| {
            spread(&StartLimit {
                remaining,
                reset_after: hours * 3_600_000,
                max_concurrency: 1,
            })
        };
        assert_eq!(wait(1_000, 24), Duration::ZERO);
        assert_eq!(wait(50, 24), Duration::ZERO);
        assert_eq!(wait(49, 24), Duration::from_secs(60));
        assert_eq!(wait(40, 0), Duration::ZERO);
        assert_eq!(wait(0, 3), Duration::from_secs(3 * 3_600));
    }
}
