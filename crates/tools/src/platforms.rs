//! `discord` and `telegram`: what the platform of a person offers beside speaking, with no more rights than theirs.

use clifford_chat::{
    act::{Act, ActError, Acted, Poll},
    platform::Platform,
};
use clifford_core::{policy::class::Class, run::step::ToolCall};
use clifford_store::{people::users, places::channels};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::{Command, Needs, Tool, ToolContext, ToolError};

const DISCORD: Platform = Platform::new("discord");
const TELEGRAM: Platform = Platform::new("telegram");
/// The most messages of one reading.
const MOST_MESSAGES: u8 = 50;

#[derive(Deserialize, JsonSchema)]
struct HistoryArgs {
    /// The channel's id; left out: this one.
    channel: Option<String>,
    /// At most so many messages.
    #[schemars(range(min = 1, max = 50))]
    limit: Option<u8>,
    /// Only what stands before the message of this id.
    before: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
struct MessageArgs {
    /// The channel's id; left out: this one.
    channel: Option<String>,
    /// The message's id.
    message: String,
}

#[derive(Deserialize, JsonSchema)]
struct PollArgs {
    /// The channel's id; left out: this one.
    channel: Option<String>,
    /// What is asked.
    #[schemars(length(min = 1, max = 300))]
    question: String,
    /// What can be answered.
    #[schemars(length(min = 2, max = 10), inner(length(min = 1, max = 55)))]
    answers: Vec<String>,
    /// Whether one may choose several.
    several: Option<bool>,
    /// How long it is open, on Discord.
    #[schemars(range(min = 1, max = 768))]
    hours: Option<u16>,
}

#[derive(Deserialize, JsonSchema)]
struct ThreadArgs {
    /// The channel's id; left out: this one.
    channel: Option<String>,
    /// The thread's name.
    #[schemars(length(min = 1, max = 100))]
    name: String,
    /// The message that it is about.
    message: Option<String>,
}

pub(super) fn discord() -> Tool {
    let tool = Tool::new("discord", "🎮", "the person's Discord").about(
        "What Discord offers beside speaking. Everything is done only if the person who asks may do it there themselves.",
    );
    tool.needs(connected(DISCORD))
        .command(
            Command::new(
                "history",
                "{channel?, limit?, before?}: what was said",
                Class::Read,
                |cx, args: HistoryArgs| {
                    let act = Act::History {
                        limit: args.limit.unwrap_or(MOST_MESSAGES),
                        before: args.before,
                    };
                    act_on(cx, DISCORD, args.channel, act)
                },
            )
            .untrusted(),
        )
        .command(pin(DISCORD))
        .command(unpin(DISCORD))
        .command(poll(DISCORD))
        .command(Command::new(
            "thread",
            "{name, message?}: begin one",
            Class::Write,
            |cx, args| thread(cx, DISCORD, args),
        ))
}

pub(super) fn telegram() -> Tool {
    let tool = Tool::new("telegram", "✈️", "the person's Telegram").about(
        "What Telegram offers beside speaking. Everything is done only if the person who asks may do it there themselves.",
    );
    tool.needs(connected(TELEGRAM))
        .command(pin(TELEGRAM))
        .command(unpin(TELEGRAM))
        .command(poll(TELEGRAM))
        .command(Command::new("topic", "{name}: begin one", Class::Write, |cx, args| {
            thread(cx, TELEGRAM, args)
        }))
}

/// Whether the platform is connected here.
fn connected(platform: Platform) -> Needs {
    match platform {
        DISCORD => |options| {
            (!options.services().actors.contains_key(&DISCORD)).then(|| "[channels.discord] is not set up".to_owned())
        },
        _ => |options| {
            (!options.services().actors.contains_key(&TELEGRAM)).then(|| "[channels.telegram] is not set up".to_owned())
        },
    }
}

fn pin(platform: Platform) -> Command {
    Command::new("pin", "{message}", Class::Write, move |cx, args: MessageArgs| {
        let act = Act::Pin { message: args.message };
        act_on(cx, platform, args.channel, act)
    })
    .about("Pins a message.")
    .idempotent()
}

fn unpin(platform: Platform) -> Command {
    Command::new("unpin", "{message}", Class::Write, move |cx, args: MessageArgs| {
        let act = Act::Unpin { message: args.message };
        act_on(cx, platform, args.channel, act)
    })
    .about("Unpins a message.")
    .idempotent()
}

fn poll(platform: Platform) -> Command {
    Command::new(
        "poll",
        "{question, answers}",
        Class::Write,
        move |cx, args: PollArgs| {
            let poll = Poll {
                question: args.question,
                answers: args.answers,
                several: args.several.unwrap_or(false),
                hours: args.hours.unwrap_or(24),
            };
            act_on(cx, platform, args.channel, Act::Poll(poll))
        },
    )
    .about("Asks everybody in the channel.")
    .example(json!({ "question": "Pizza or pasta?", "answers": ["Pizza", "Pasta"] }))
}

async fn thread(cx: ToolContext, platform: Platform, args: ThreadArgs) -> Result<Acted, ToolError> {
    let act = Act::Thread {
        name: args.name,
        message: args.message,
    };
    act_on(cx, platform, args.channel, act).await
}

/// Whether a call names the place where it acts: then others may read along there, wherever the run is.
pub fn names_a_place(call: &ToolCall) -> bool {
    let of_platform = ["discord.", "telegram."].iter().any(|tool| call.name.starts_with(tool));
    of_platform && call.args.get("channel").is_some_and(|channel| !channel.is_null())
}

/// Does it in the run's place, or in another, by the accounts that its person has on the platform.
async fn act_on(cx: ToolContext, platform: Platform, channel: Option<String>, act: Act) -> Result<Acted, ToolError> {
    let unavailable = || ToolError::Unavailable(format!("{platform} is not connected here"));
    let actor = cx.services.actors.get(&platform).ok_or_else(unavailable)?;
    let user = cx
        .user
        .ok_or_else(|| ToolError::TellModel("this run has no person on whose behalf it could be done".to_owned()))?;
    let (here, accounts) = {
        let mut conn = cx.db.read().await?;
        let here = match cx.place {
            Some((id, _)) => channels::get(&mut conn, id).await?,
            None => None,
        };
        (here, users::identities(&mut conn, user).await?)
    };
    let here = here.filter(|channel| channel.platform == platform.as_str());
    let here = here.map(|channel| channel.external_id);
    if matches!(act, Act::History { .. }) && channel.is_some() && channel != here {
        // Read by the person's rights: who reads along here may not have them.
        cx.private();
    }
    let place = channel
        .or(here)
        .ok_or_else(|| ToolError::TellModel(format!("this is not {platform}: name the channel's id there")))?;
    let mut refusal = ToolError::TellModel(format!("the person has no account on {platform}"));
    for account in accounts.iter().filter(|account| account.platform == platform.as_str()) {
        match actor.act(&place, &account.platform_user_id, &act).await {
            Ok(acted) => return Ok(acted),
            Err(error @ (ActError::Unavailable(_) | ActError::Unsure(_))) => {
                return Err(ToolError::Unavailable(error.to_string()));
            }
            Err(error) => refusal = ToolError::TellModel(error.to_string()),
        }
    }
    Err(refusal)
}
