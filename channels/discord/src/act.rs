//! Acts besides speaking (history, pins, polls, threads), with the permissions of the person who asks.

use clifford_channel::{Act, ActError, Acted, HistoryMessage, PlatformRole, Poll};
use reqwest::Method;
use serde::Deserialize;
use serde_json::{Value, json};
use serenity::model::{Permissions, channel::ChannelType};

use crate::{
    api::{ApiError, Body, Call},
    permissions::{self, Guild, Member, Overwrite, PIN_MESSAGES},
    post::Posted,
    shared::Shared,
};

/// A thread is put away after a day without a word.
pub(crate) const ARCHIVE_AFTER: u64 = 1440;

/// A channel, as far as rights go.
#[derive(Deserialize)]
struct Channel {
    #[serde(rename = "type")]
    kind: ChannelType,
    guild_id: Option<String>,
    parent_id: Option<String>,
    #[serde(default)]
    permission_overwrites: Vec<Overwrite>,
    #[serde(default)]
    recipients: Vec<User>,
}

#[derive(Deserialize)]
struct User {
    id: String,
    username: String,
    global_name: Option<String>,
}

#[derive(Deserialize)]
struct Message {
    id: String,
    content: String,
    timestamp: jiff::Timestamp,
    author: User,
}

#[derive(Deserialize)]
struct Made {
    id: String,
}

/// Does it, if the account may.
pub(crate) async fn act(shared: &Shared, place: &str, account: &str, act: &Act) -> Result<Acted, ActError> {
    let (place, account) = (snowflake("channel", place)?, snowflake("account", account)?);
    let channel = channel(shared, &place).await?;
    let rights = rights(shared, &place, &channel, &account).await?;
    let needed = needed(&channel, act);
    if let Some((_, name)) = needed.into_iter().find(|(right, _)| !rights.contains(*right)) {
        return Err(ActError::NotTheirs(format!("they lack {name}")));
    }
    match act {
        Act::History { limit, before } => history(shared, &place, *limit, before.as_deref()).await,
        Act::Pin { message } => pin(shared, Method::PUT, &place, message).await,
        Act::Unpin { message } => pin(shared, Method::DELETE, &place, message).await,
        Act::Poll(poll) => ask(shared, &place, poll).await,
        Act::Thread { .. } if channel.kind == ChannelType::Private => {
            Err(ActError::Unknown("threads in private".to_owned()))
        }
        Act::Thread { name, message } => thread(shared, &place, name, message.as_deref()).await,
    }
}

/// Whether the account may manage the server that a channel is in.
pub(crate) async fn manages(shared: &Shared, place: &str, account: &str) -> Result<bool, ActError> {
    let (place, account) = (snowflake("channel", place)?, snowflake("account", account)?);
    let channel = channel(shared, &place).await?;
    if channel.guild_id.is_none() {
        return Ok(false);
    }
    Ok(rights(shared, &place, &channel, &account).await?.manage_guild())
}

/// The roles of an account in the server that a channel is in.
pub(crate) async fn roles(shared: &Shared, place: &str, account: &str) -> Result<Vec<PlatformRole>, ActError> {
    let (place, account) = (snowflake("channel", place)?, snowflake("account", account)?);
    let Some(guild) = channel(shared, &place).await?.guild_id else {
        return Ok(Vec::new());
    };
    let guild = snowflake("guild", &guild)?;
    let path = format!("/guilds/{guild}/members/{account}");
    let member: Member = call(shared, Method::GET, "member", &guild, path, Body::None).await?;
    let path = format!("/guilds/{guild}");
    let guild: Guild = call(shared, Method::GET, "guild", &guild, path, Body::None).await?;
    let named = |id: &String| PlatformRole {
        id: id.clone(),
        name: (guild.roles.iter().find(|role| role.id == *id)).map_or_else(String::new, |role| role.name.clone()),
    };
    Ok(member.roles.iter().map(named).collect())
}

async fn channel(shared: &Shared, place: &str) -> Result<Channel, ActError> {
    let path = format!("/channels/{place}");
    call(shared, Method::GET, "channel", place, path, Body::None).await
}

/// The rights that something takes, each with Discord's name for it.
fn needed(channel: &Channel, act: &Act) -> Vec<(Permissions, &'static str)> {
    let writes = if is_thread(channel.kind) {
        (Permissions::SEND_MESSAGES_IN_THREADS, "Send Messages in Threads")
    } else {
        (Permissions::SEND_MESSAGES, "Send Messages")
    };
    let mut needed = vec![(Permissions::VIEW_CHANNEL, "View Channel")];
    needed.extend(match act {
        Act::History { .. } => vec![(Permissions::READ_MESSAGE_HISTORY, "Read Message History")],
        Act::Pin { .. } | Act::Unpin { .. } => vec![(PIN_MESSAGES, "Pin Messages")],
        Act::Poll(_) => vec![writes, (Permissions::SEND_POLLS, "Create Polls")],
        Act::Thread { .. } => vec![(Permissions::CREATE_PUBLIC_THREADS, "Create Public Threads")],
    });
    needed
}

const fn is_thread(kind: ChannelType) -> bool {
    matches!(
        kind,
        ChannelType::NewsThread | ChannelType::PublicThread | ChannelType::PrivateThread
    )
}

/// The permissions of an account in a channel.
async fn rights(shared: &Shared, place: &str, channel: &Channel, account: &str) -> Result<Permissions, ActError> {
    let Some(guild) = &channel.guild_id else {
        let is_theirs =
            channel.kind == ChannelType::Private && channel.recipients.iter().any(|user| user.id == account);
        return if is_theirs {
            Ok(permissions::ALL)
        } else {
            Err(ActError::NotTheirs("it is another person's private channel".to_owned()))
        };
    };
    let guild = snowflake("guild", guild)?;
    let path = format!("/guilds/{guild}/members/{account}");
    let member: Member = match call(shared, Method::GET, "member", &guild, path, Body::None).await {
        Err(ActError::Refused(reason)) => {
            tracing::debug!(reason, "failed to read a guild member");
            return Err(ActError::NotTheirs("they are no member of that server".to_owned()));
        }
        found => found?,
    };
    let path = format!("/guilds/{guild}");
    let guild: Guild = call(shared, Method::GET, "guild", &guild, path, Body::None).await?;
    // A thread has the rights of its channel.
    let parent: Channel;
    let overwrites = match channel.parent_id.as_ref().filter(|_| is_thread(channel.kind)) {
        Some(id) => {
            let id = snowflake("channel", id)?;
            parent = call(
                shared,
                Method::GET,
                "channel",
                &id,
                format!("/channels/{id}"),
                Body::None,
            )
            .await?;
            &parent.permission_overwrites
        }
        None => &channel.permission_overwrites,
    };
    let now = (shared.config.clock)();
    let rights = permissions::of_member(&guild, account, &member, overwrites, now);
    if channel.kind == ChannelType::PrivateThread && !rights.manage_threads() {
        let path = format!("/channels/{place}/thread-members/{account}");
        let joined = call::<Value>(shared, Method::GET, "thread member", place, path, Body::None).await;
        joined.map_err(|_| ActError::NotTheirs("they are not in that private thread".to_owned()))?;
    }
    Ok(rights)
}

/// Stands for what Discord does not tell a bot without the Message Content intent.
const WITHHELD: &str = "[Discord withholds this text from me]";

async fn history(shared: &Shared, place: &str, limit: u8, before: Option<&str>) -> Result<Acted, ActError> {
    let before = match before {
        Some(before) => format!("&before={}", snowflake("message", before)?),
        None => String::new(),
    };
    let path = format!("/channels/{place}/messages?limit={}{before}", limit.clamp(1, 100));
    let messages: Vec<Message> = call(shared, Method::GET, "messages", place, path, Body::None).await?;
    let said = messages.into_iter().rev().map(|message| HistoryMessage {
        id: message.id,
        by: message.author.global_name.unwrap_or(message.author.username),
        at: message.timestamp,
        text: match message.content.as_str() {
            "" if shared.withholds_content() => WITHHELD.to_owned(),
            _ => message.content,
        },
    });
    Ok(Acted::Messages(said.collect()))
}

async fn pin(shared: &Shared, method: Method, place: &str, message: &str) -> Result<Acted, ActError> {
    let path = format!("/channels/{place}/messages/pins/{}", snowflake("message", message)?);
    call::<Value>(shared, method, "pins", place, path, Body::None).await?;
    Ok(Acted::Done)
}

async fn ask(shared: &Shared, place: &str, poll: &Poll) -> Result<Acted, ActError> {
    let answers: Vec<_> = (poll.answers.iter())
        .map(|answer| json!({ "poll_media": { "text": answer } }))
        .collect();
    let body = json!({
        "poll": {
            "question": { "text": poll.question }, "answers": answers,
            "duration": poll.hours, "allow_multiselect": poll.several,
        },
        "allowed_mentions": { "parse": [] },
    });
    let path = format!("/channels/{place}/messages");
    let posted: Posted = call(shared, Method::POST, "message", place, path, Body::Json(body)).await?;
    Ok(posted.id.map_or(Acted::Done, Acted::Message))
}

async fn thread(shared: &Shared, place: &str, name: &str, message: Option<&str>) -> Result<Acted, ActError> {
    let mut body = json!({ "name": name, "auto_archive_duration": ARCHIVE_AFTER });
    let path = match message {
        Some(message) => format!("/channels/{place}/messages/{}/threads", snowflake("message", message)?),
        None => {
            body["type"] = json!(u8::from(ChannelType::PublicThread));
            format!("/channels/{place}/threads")
        }
    };
    let made: Made = call(shared, Method::POST, "threads", place, path, Body::Json(body)).await?;
    Ok(Acted::Place(made.id))
}

/// Makes one request. Text of a model becomes part of its path only if it is a number.
async fn call<T: serde::de::DeserializeOwned>(
    shared: &Shared,
    method: Method,
    route: &'static str,
    major: &str,
    path: String,
    body: Body,
) -> Result<T, ActError> {
    let call = Call::new(method, route, major, path).body(body);
    shared.api.call(&call).await.map_err(|error| match error {
        ApiError::Refused(refusal) => ActError::Refused(refusal.message),
        ApiError::Limited(wait) => ActError::Unavailable(format!("Discord asks to wait {} s", wait.as_secs() + 1)),
        error @ (ApiError::Unreachable(_) | ApiError::Failed(_)) => ActError::Unsure(error.to_string()),
    })
}

fn snowflake(what: &str, id: &str) -> Result<String, ActError> {
    let number: Result<u64, _> = id.trim().parse();
    number
        .map(|number| number.to_string())
        .map_err(|_| ActError::Refused(format!("`{id}` is no id of a {what} on Discord: it is a number")))
}
