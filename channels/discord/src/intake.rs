//! What becomes of an event the moment it is read: learned from, acknowledged, or put in its channel's lane.

use std::sync::Arc;

use clifford_channel::{Inbound, Ingress, Left, Platform, Unreadable};
use reqwest::Method;
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::value::RawValue;
use serenity::model::{application::CommandInteraction, channel::Message, event::MessageUpdateEvent};
use tokio::task::JoinHandle;
use tokio_util::task::TaskTracker;

use crate::{
    Shared,
    api::{ApiError, Body, Call},
    complete,
    deliver::Work,
    directory::{ChannelInfo, GuildInfo},
    lanes::Turn,
    map::{Asked, Kind, Pressed, Typed},
    via::is_token,
};

/// Work for a lane.
pub(crate) struct Job {
    pub(crate) lane: u64,
    pub(crate) turn: Turn,
    pub(crate) work: Work,
}

/// Reads events as they come.
pub(crate) struct Intake {
    shared: Arc<Shared>,
    ingress: Arc<dyn Ingress>,
    tasks: TaskTracker,
}

/// An unreadable payload is kept up to this length.
const KEPT: usize = 64 * 1024;
/// The flag of a message that only one person sees.
const EPHEMERAL: u64 = 1 << 6;
/// Kinds of events that Discord sends under our intents and that mean nothing here.
const UNNEEDED: [&str; 14] = [
    "GUILD_",
    "CHANNEL_",
    "THREAD_",
    "STAGE_INSTANCE_",
    "INTEGRATION_",
    "ENTITLEMENT_",
    "SUBSCRIPTION_",
    "MESSAGE_",
    "VOICE_",
    "SOUNDBOARD_",
    "USER_",
    "APPLICATION_COMMAND_",
    "WEBHOOKS_",
    "AUTO_MODERATION_",
];

#[derive(Deserialize)]
struct GuildGone {
    id: String,
    #[serde(default)]
    unavailable: bool,
}

impl Intake {
    /// Acknowledgements and completions run as tasks of `tasks`.
    pub(crate) fn new(shared: Arc<Shared>, ingress: Arc<dyn Ingress>, tasks: TaskTracker) -> Self {
        Self { shared, ingress, tasks }
    }

    /// Takes one event. Never waits: the gateway must go on.
    pub(crate) fn take(&self, name: &str, data: &RawValue) -> Option<Job> {
        self.read(name, data)
            .unwrap_or_else(|error| Some(unreadable(format!("{name} {data}"), error)))
    }

    fn read(&self, name: &str, data: &RawValue) -> Result<Option<Job>, String> {
        match name {
            "MESSAGE_CREATE" => {
                let message: Box<Message> = parse(data)?;
                let turn = Turn::Of {
                    id: message.id.get(),
                    rank: 0,
                };
                Ok(Some(Job {
                    lane: message.channel_id.get(),
                    turn,
                    work: Work::Message(message),
                }))
            }
            "MESSAGE_UPDATE" => {
                let update: Box<MessageUpdateEvent> = parse(data)?;
                let turn = Turn::Of {
                    id: update.id.get(),
                    rank: 1,
                };
                Ok(Some(Job {
                    lane: update.channel_id.get(),
                    turn,
                    work: Work::Edit(update),
                }))
            }
            "INTERACTION_CREATE" => self.interaction(data),
            "GUILD_CREATE" | "GUILD_UPDATE" => self.learn(|directory, guild: GuildInfo| directory.guild(guild), data),
            "CHANNEL_CREATE" | "CHANNEL_UPDATE" | "THREAD_CREATE" | "THREAD_UPDATE" => {
                self.learn(|directory, channel: ChannelInfo| directory.channel(channel), data)
            }
            "GUILD_DELETE" => parse(data).map(|gone| self.guild_gone(&gone)),
            "CHANNEL_DELETE" | "THREAD_DELETE" => parse(data).map(|gone| self.channel_gone(name, &gone)),
            name if UNNEEDED.iter().any(|prefix| name.starts_with(prefix)) => Ok(None),
            name => Err(format!("`{name}` is no event that is known here")),
        }
    }

    fn learn<T: DeserializeOwned>(
        &self,
        learn: impl FnOnce(&crate::directory::Directory, T),
        data: &RawValue,
    ) -> Result<Option<Job>, String> {
        learn(&self.shared.directory, parse(data)?);
        Ok(None)
    }

    /// An interaction is acknowledged at once, before anybody looks at what it says; but what is being typed is
    /// answered without.
    fn interaction(&self, data: &RawValue) -> Result<Option<Job>, String> {
        let asked: Asked = parse(data)?;
        let Some(kind) = asked.kind() else {
            return Ok(None);
        };
        let id: u64 = asked.id.parse().map_err(|_| format!("`{}` is no id", asked.id))?;
        if !is_token(&asked.token) {
            return Err("the interaction's token has unexpected characters".to_owned());
        }
        let (lane, work) = match kind {
            Kind::Typed => {
                let typed: Box<Typed> = parse(data)?;
                let answer = complete::answer(Arc::clone(&self.shared), Arc::clone(&self.ingress), typed);
                self.tasks.spawn(answer);
                return Ok(None);
            }
            Kind::Command => {
                let command: Result<Box<CommandInteraction>, _> = parse(data);
                // What cannot be read is acknowledged, too.
                let name = command.as_ref().ok().map(|command| command.data.name.as_str());
                let acknowledged = self.acknowledge(id, asked.token, self.is_private(name));
                let command = command?;
                (command.channel_id.get(), Work::Command { command, acknowledged })
            }
            Kind::Press => {
                let acknowledged = self.acknowledge(id, asked.token, false);
                let pressed: Box<Pressed> = parse(data)?;
                (pressed.from.channel_id.get(), Work::Press { pressed, acknowledged })
            }
        };
        let turn = Turn::Of { id, rank: 0 };
        Ok(Some(Job { lane, turn, work }))
    }

    /// Whether a command's answer is for whoever gave it alone.
    fn is_private(&self, name: Option<&str>) -> bool {
        let mut commands = self.shared.config.commands.iter();
        commands.any(|command| command.private && name == Some(&command.name))
    }

    /// "Clifford is thinking…". Tells whether the answer can go to the interaction.
    fn acknowledge(&self, id: u64, token: String, private: bool) -> JoinHandle<bool> {
        let shared = Arc::clone(&self.shared);
        self.tasks.spawn(async move {
            let path = format!("/interactions/{id}/{token}/callback");
            let body = Body::Json(if private {
                serde_json::json!({"type": 5, "data": {"flags": EPHEMERAL}})
            } else {
                serde_json::json!({"type": 5})
            });
            let mut call = Call::new(Method::POST, "acknowledge", id, path).body(body);
            call.urgent = Some(shared.config.timing.acknowledge);
            let first = shared.api.call::<serde_json::Value>(&call).await;
            let outcome = match first {
                // There is time for one more.
                Err(ApiError::Unreachable(_)) => shared.api.call(&call).await,
                other => other,
            };
            match outcome {
                Ok(_) => true,
                // The first attempt did arrive.
                Err(ApiError::Refused(refusal)) if refusal.code == 40_060 => true,
                Err(error) => {
                    tracing::warn!(%error, interaction = id, "an interaction was not acknowledged");
                    false
                }
            }
        })
    }

    fn guild_gone(&self, gone: &GuildGone) -> Option<Job> {
        let id = gone.id.parse().ok()?;
        if gone.unavailable {
            // An outage: the bot is still a member.
            return None;
        }
        self.shared.directory.forget_guild(id);
        let left = left(None, Some(gone.id.clone()), "the bot was removed from the guild");
        Some(Job {
            lane: id,
            turn: Turn::Last,
            work: left,
        })
    }

    fn channel_gone(&self, event: &str, channel: &ChannelInfo) -> Option<Job> {
        let id = channel.id()?;
        self.shared.directory.forget_channel(id);
        let reason = if event == "THREAD_DELETE" {
            "the thread was deleted"
        } else {
            "the channel was deleted"
        };
        Some(Job {
            lane: id,
            turn: Turn::Last,
            work: left(Some(id.to_string()), None, reason),
        })
    }
}

/// Something that could not be read, in the lane of such things.
pub(crate) fn unreadable(mut payload: String, error: String) -> Job {
    let end = (0..=KEPT.min(payload.len()))
        .rev()
        .find(|end| payload.is_char_boundary(*end))
        .unwrap_or(0);
    payload.truncate(end);
    let event = Inbound::Unreadable(Unreadable {
        platform: Platform::Discord,
        payload,
        error,
    });
    Job {
        lane: 0,
        turn: Turn::Last,
        work: Work::Event(Box::new(event)),
    }
}

fn left(place: Option<String>, space: Option<String>, reason: &str) -> Work {
    let left = Left {
        platform: Platform::Discord,
        place,
        space,
        reason: reason.to_owned(),
    };
    Work::Event(Box::new(Inbound::Left(left)))
}

fn parse<T: DeserializeOwned>(data: &RawValue) -> Result<T, String> {
    serde_json::from_str(data.get()).map_err(|error| error.to_string())
}
