//! A tool for each platform whose adapter is an actor: acts beyond messages, with no more rights than the person's. The
//! adapter lists them (`About::acts`).

use clifford_channel::{About, ActKind};
use clifford_chat::{
    act::{Act, ActError, Acted, Poll},
    platform::Platform,
};
use clifford_core::policy::class::Class;
use clifford_store::{
    people::users,
    places::{channels, threads},
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::{Command, Tool, ToolContext, ToolError};

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
    /// The question.
    #[schemars(length(min = 1, max = 300))]
    question: String,
    /// The possible answers.
    #[schemars(length(min = 2, max = 10), inner(length(min = 1, max = 55)))]
    answers: Vec<String>,
    /// Whether one may choose several.
    several: Option<bool>,
    /// How long it is open, where the platform closes polls by itself.
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

/// The tool of a platform whose adapter lists acts.
pub(super) fn tool(about: &About) -> Option<Tool> {
    let (acts, platform, title) = (about.acts?, about.platform, about.title);
    let tool = Tool::new(platform.as_str(), acts.icon, format!("the person's {title}"))
        .about(format!(
            "{title}'s features beyond messages. Everything is done only if the person who asks may do it there \
             themselves."
        ))
        .of(platform);
    Some(
        acts.kinds
            .iter()
            .fold(tool, |tool, kind| tool.command(command(platform, *kind))),
    )
}

/// The tool of a platform with every kind of act, for the words in it.
pub fn vocabulary() -> Tool {
    const EVERY: [ActKind; 6] = [
        ActKind::History,
        ActKind::Pin,
        ActKind::Unpin,
        ActKind::Poll,
        ActKind::Thread {
            called: "thread",
            about_message: true,
        },
        ActKind::Thread {
            called: "topic",
            about_message: false,
        },
    ];
    let tool = Tool::new("platform", "💬", "the person's platform");
    (EVERY.into_iter()).fold(tool, |tool, kind| tool.command(command(Platform::WEB, kind)))
}

fn command(platform: Platform, kind: ActKind) -> Command {
    match kind {
        ActKind::History => history(platform),
        ActKind::Pin => pin(platform),
        ActKind::Unpin => unpin(platform),
        ActKind::Poll => poll(platform),
        ActKind::Thread { called, about_message } => {
            let summary = if about_message {
                "{name, message?}: begin one"
            } else {
                "{name}: begin one"
            };
            Command::new(called, summary, Class::Write, move |cx, args| {
                thread(cx, platform, args)
            })
        }
    }
}

fn history(platform: Platform) -> Command {
    Command::new(
        "history",
        "{channel?, limit?, before?}: what was said",
        Class::Read,
        move |cx, args: HistoryArgs| {
            let act = Act::History {
                limit: args.limit.unwrap_or(MOST_MESSAGES),
                before: args.before,
            };
            act_on(cx, platform, args.channel, act)
        },
    )
    .untrusted()
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
    let name = match &act {
        Act::Thread { name, .. } => name.clone(),
        _ => String::new(),
    };
    let (acted, place) = act_at(&cx, platform, args.channel, act).await?;
    if let Acted::Place(thread) = &acted {
        heard_from_now_on(&cx, platform, &place, thread.clone(), name).await?;
    }
    Ok(acted)
}

/// The bot hears everything in a thread that it opened.
async fn heard_from_now_on(
    cx: &ToolContext,
    platform: Platform,
    place: &str,
    thread: String,
    name: String,
) -> Result<(), ToolError> {
    let parent = channels::by_place(&mut cx.db.read().await?, platform, place).await?;
    let now = cx.clock.now();
    cx.db
        .write(move |tx| {
            let (thread, name, parent) = (thread.clone(), name.clone(), parent.clone());
            Box::pin(async move { threads::opened(tx, platform, &thread, &name, parent.as_ref(), now).await })
        })
        .await?;
    Ok(())
}

/// Does it in the run's place, or in another, by the accounts that its person has on the platform.
async fn act_on(cx: ToolContext, platform: Platform, channel: Option<String>, act: Act) -> Result<Acted, ToolError> {
    act_at(&cx, platform, channel, act).await.map(|(acted, _)| acted)
}

/// The same, with the place where it was done.
async fn act_at(
    cx: &ToolContext,
    platform: Platform,
    channel: Option<String>,
    act: Act,
) -> Result<(Acted, String), ToolError> {
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
            Ok(acted) => return Ok((acted, place)),
            Err(error @ (ActError::Unavailable(_) | ActError::Unsure(_))) => {
                return Err(ToolError::Unavailable(error.to_string()));
            }
            Err(error) => refusal = ToolError::TellModel(error.to_string()),
        }
    }
    Err(refusal)
}
