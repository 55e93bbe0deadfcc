//! Takes an event the moment it is read: updates the directory, acknowledges, or makes work for its channel's lane.

pub(crate) mod event;

use std::sync::Arc;

use clifford_channel::{Button, Deleted, Inbound, Ingress, Joined, Left, Press, Renamed, Unreadable};
use reqwest::Method;
use serde_json::{Value, json, value::RawValue};
use serenity::model::channel::MessageFlags;
use tokio::task::JoinHandle;
use tokio_util::task::TaskTracker;

use self::event::{Event, Gone, GuildGone, Interaction};
use crate::{
    api::{ApiError, Body, Call},
    complete,
    directory::ChannelInfo,
    handover::Work,
    lanes::Turn,
    map::{InteractionKind, InteractionPayload},
    shared::Shared,
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

impl Intake {
    /// Acknowledgements and completions run as tasks of `tasks`.
    pub(crate) fn new(shared: Arc<Shared>, ingress: Arc<dyn Ingress>, tasks: TaskTracker) -> Self {
        Self { shared, ingress, tasks }
    }

    /// Takes one event. Never waits: the gateway must go on.
    pub(crate) fn take(&self, name: &str, data: &RawValue) -> Option<Job> {
        self.read(name, data)
            .unwrap_or_else(|error| Some(unreadable(format!("{name} {data}"), format!("{name}: {error}"))))
    }

    fn read(&self, name: &str, data: &RawValue) -> Result<Option<Job>, String> {
        let directory = &self.shared.directory;
        Ok(match event::read(name, data)? {
            Some(Event::Message(message)) => Some(Job {
                lane: message.channel,
                turn: Turn::Of {
                    id: message.id,
                    rank: 0,
                },
                work: Work::Message(message),
            }),
            Some(Event::Edit(update)) => Some(Job {
                lane: update.channel,
                turn: Turn::Of { id: update.id, rank: 1 },
                work: Work::Edit(update),
            }),
            Some(Event::Deleted(gone)) => Some(deleted(&gone)),
            Some(Event::Reaction(reaction)) => Some(Job {
                lane: reaction.place.parse().unwrap_or_default(),
                turn: Turn::Last,
                work: Work::Event(Box::new(Inbound::Reaction(reaction))),
            }),
            Some(Event::Role { guild, role }) => {
                directory.role(guild, role);
                None
            }
            Some(Event::RoleGone { guild, role }) => {
                directory.forget_role(guild, role);
                None
            }
            Some(Event::Interaction(interaction)) => self.interaction(interaction)?,
            Some(Event::Guild(guild)) => {
                let greeted = guild.joined((self.shared.config.clock)());
                if let Some(names) = guild.names() {
                    let ingress = Arc::clone(&self.ingress);
                    self.tasks.spawn(async move { ingress.names(names).await });
                }
                let renamed = directory.guild(guild);
                match renamed {
                    Some((guild, name)) => Some(renamed_job(None, Some(guild), name)),
                    None => greeted.and_then(|channel| self.joined(channel)),
                }
            }
            Some(Event::Channel(channel)) => directory
                .channel(channel)
                .map(|(channel, name)| renamed_job(Some(channel), None, name)),
            Some(Event::GuildGone(gone)) => self.guild_gone(&gone),
            Some(Event::ChannelGone { channel, is_thread }) => self.channel_gone(&channel, is_thread),
            None => None,
        })
    }

    /// An interaction is acknowledged at once, whether or not what it says can be read; but what is being typed is
    /// answered without.
    fn interaction(&self, interaction: Interaction) -> Result<Option<Job>, String> {
        let Interaction {
            id,
            token,
            kind,
            payload,
        } = interaction;
        let (lane, work) = match kind {
            InteractionKind::Command => {
                let alone = payload.as_ref().is_ok_and(|command| self.is_alone(command));
                let acknowledged = self.acknowledge(id, token, alone);
                let command = payload?;
                (
                    command.channel,
                    Work::Command {
                        command,
                        acknowledged,
                        alone,
                    },
                )
            }
            InteractionKind::Press => {
                let press = payload.as_ref().map_or(Press::Answered, |pressed| pressed.press());
                if let (Press::Form, Ok(pressed)) = (press, &payload) {
                    let form = form(&pressed.pressed().unwrap_or_default());
                    drop(self.respond(id, token, form));
                    return Ok(None);
                }
                let acknowledged = match press {
                    Press::InPlace => self.respond(id, token, json!({"type": 6})),
                    Press::Answered | Press::Form => {
                        let alone = payload.as_ref().is_ok_and(|pressed| pressed.is_below_private());
                        self.acknowledge(id, token, alone)
                    }
                };
                let pressed = payload?;
                (pressed.channel, Work::Press { pressed, acknowledged })
            }
            InteractionKind::Typed => {
                let completion = complete::answer(Arc::clone(&self.shared), Arc::clone(&self.ingress), payload?);
                self.tasks.spawn(completion);
                return Ok(None);
            }
        };
        let turn = Turn::Of { id, rank: 0 };
        Ok(Some(Job { lane, turn, work }))
    }

    /// Whether only the person who gave a command sees its answer: where others read along, what is theirs alone.
    fn is_alone(&self, command: &InteractionPayload) -> bool {
        let (name, is_shared) = (command.command(), command.is_shared());
        let mut commands = self.shared.config.commands.iter();
        commands.any(|known| known.name == name && (known.private || known.personal && is_shared))
    }

    /// "Clifford is thinking…". Tells whether the answer can go to the interaction.
    fn acknowledge(&self, id: u64, token: String, alone: bool) -> JoinHandle<bool> {
        self.respond(
            id,
            token,
            if alone {
                json!({"type": 5, "data": {"flags": MessageFlags::EPHEMERAL.bits()}})
            } else {
                json!({"type": 5})
            },
        )
    }

    /// The first response to an interaction.
    fn respond(&self, id: u64, token: String, response: Value) -> JoinHandle<bool> {
        let shared = Arc::clone(&self.shared);
        self.tasks.spawn(async move {
            let path = format!("/interactions/{id}/{token}/callback");
            let mut call = Call::new(Method::POST, "acknowledge", id, path).body(Body::Json(response));
            call.urgent = Some(shared.config.timing.acknowledge);
            let first = shared.api.call::<serde_json::Value>(&call).await;
            let outcome = match first {
                // There is time for one more.
                Err(ApiError::Unreachable(_) | ApiError::Failed(_)) => shared.api.call(&call).await,
                other => other,
            };
            match outcome {
                Ok(_) => true,
                // The first attempt did arrive.
                Err(ApiError::Refused(refusal)) if refusal.code == 40_060 => true,
                Err(error) => {
                    tracing::warn!(%error, interaction_id = id, "failed to acknowledge an interaction");
                    false
                }
            }
        })
    }

    /// The bot was added to a guild: it introduces itself in this channel.
    fn joined(&self, channel: u64) -> Option<Job> {
        let place = self.shared.directory.place(channel)?;
        Some(Job {
            lane: channel,
            turn: Turn::Last,
            work: Work::Event(Box::new(Inbound::Joined(Joined { place }))),
        })
    }

    fn guild_gone(&self, gone: &GuildGone) -> Option<Job> {
        if gone.unavailable {
            return None;
        }
        self.shared.directory.forget_guild(gone.id);
        let left = left_work(None, Some(gone.id.to_string()), "the bot was removed from the guild");
        Some(Job {
            lane: gone.id,
            turn: Turn::Last,
            work: left,
        })
    }

    fn channel_gone(&self, channel: &ChannelInfo, is_thread: bool) -> Option<Job> {
        let id = channel.id()?;
        self.shared.directory.forget_channel(id);
        let reason = if is_thread {
            "the thread was deleted"
        } else {
            "the channel was deleted"
        };
        Some(Job {
            lane: id,
            turn: Turn::Last,
            work: left_work(Some(id.to_string()), None, reason),
        })
    }
}

/// A form that asks for the words behind a command: <https://docs.discord.com/developers/components/reference#text-input>
fn form(data: &str) -> Value {
    let (_, command) = Button::behind(data);
    let title: String = command.chars().take(45).collect();
    let input = json!({
        "type": 4, "custom_id": "words", "style": 2, "label": "Text", "min_length": 1, "max_length": 1000,
        "required": true,
    });
    json!({"type": 9, "data": {
        "custom_id": data, "title": title, "components": [{"type": 1, "components": [input]}],
    }})
}

/// Something that could not be read, in the lane of such things.
pub(crate) fn unreadable(mut payload: String, error: String) -> Job {
    let end = (0..=KEPT.min(payload.len()))
        .rev()
        .find(|end| payload.is_char_boundary(*end))
        .unwrap_or(0);
    payload.truncate(end);
    let event = Inbound::Unreadable(Unreadable {
        platform: crate::PLATFORM,
        payload,
        error,
    });
    Job {
        lane: 0,
        turn: Turn::Last,
        work: Work::Event(Box::new(event)),
    }
}

/// Messages that are gone, behind what they said.
fn deleted(gone: &Gone) -> Job {
    let event = Inbound::Deleted(Deleted {
        platform: crate::PLATFORM,
        place: gone.channel.to_string(),
        ids: gone.ids.iter().map(u64::to_string).collect(),
    });
    Job {
        lane: gone.channel,
        turn: Turn::Of {
            id: gone.ids.iter().copied().max().unwrap_or_default(),
            rank: 2,
        },
        work: Work::Event(Box::new(event)),
    }
}

/// A channel, a thread or a guild has another name.
fn renamed_job(channel: Option<u64>, guild: Option<u64>, name: String) -> Job {
    let renamed = Renamed {
        platform: crate::PLATFORM,
        place: channel.map(|id| id.to_string()),
        space: guild.map(|id| id.to_string()),
        name,
        first_is_retold: false,
    };
    Job {
        lane: channel.or(guild).unwrap_or_default(),
        turn: Turn::Last,
        work: Work::Event(Box::new(Inbound::Renamed(renamed))),
    }
}

fn left_work(place: Option<String>, space: Option<String>, reason: &str) -> Work {
    let left = Left {
        platform: crate::PLATFORM,
        place,
        space,
        reason: reason.to_owned(),
    };
    Work::Event(Box::new(Inbound::Left(left)))
}
