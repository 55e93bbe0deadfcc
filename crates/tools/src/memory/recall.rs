//! Recall of earlier messages, in the places that the run's channel may see.

use clifford_chat::inbound::is_of_others;
use clifford_content::search::find::NearbyText;
use clifford_core::{
    budget,
    clock::Timestamp,
    id::{ContextId, MessageId},
    messages::Direction,
    policy::sources,
    search::{self, Cursor, Query, Scope, SearchInput},
};
use clifford_store::{contexts::sessions as stored, memory::items::MemoryItem, runs::approvals, search::places};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{ToolContext, ToolError};

/// The most characters of a message or a summary.
const MOST_TEXT: usize = 500;
/// How many results where nothing is asked for, and the most of them.
const LIMITS: (u32, u32) = (10, 50);

#[derive(Deserialize, JsonSchema)]
pub(super) struct SearchArgs {
    /// The question itself, or its rare words, names and dates; any of them is found, "quoted" ones must be there. A date
    /// alone, or nothing beside `from` or `to`, lists what was said then.
    query: String,
    /// Only from then on: 2026-03-15, 2026-03-15T11:00, 2026-03, 2026, "last week".
    from: Option<String>,
    /// Only until then.
    to: Option<String>,
    /// How many messages, at most 50; left out: 10.
    limit: Option<u32>,
    /// The `next` of the page before: goes on behind those.
    page: Option<String>,
}

#[derive(Serialize)]
pub(super) struct Results {
    items: Vec<MemoryItem>,
    messages: Vec<Hit>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<String>,
}

#[derive(Serialize)]
struct Hit {
    id: MessageId,
    snippet: String,
    role: &'static str,
    when: Timestamp,
    session: ContextId,
    conversation: Option<String>,
    platform: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    before: Option<Beside>,
    #[serde(skip_serializing_if = "Option::is_none")]
    after: Option<Beside>,
}

/// A neighbour of a message.
#[derive(Serialize)]
struct Beside {
    role: &'static str,
    content: String,
}

impl From<NearbyText> for Beside {
    fn from(text: NearbyText) -> Self {
        Self {
            role: role(text.direction),
            content: text.content,
        }
    }
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct SessionsArgs {
    /// How many, at most 50; left out: 10.
    limit: Option<u32>,
    /// Only those behind the `next` of the page before, or before this one, by its id.
    before: Option<String>,
}

#[derive(Default, Serialize)]
pub(super) struct Sessions {
    sessions: Vec<Session>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<String>,
}

#[derive(Serialize)]
struct Session {
    id: ContextId,
    name: Option<String>,
    platform: String,
    turns: i64,
    last: Timestamp,
    #[serde(skip_serializing_if = "Option::is_none")]
    summary: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct MessagesArgs {
    /// The session.
    id: String,
    /// How many, at most 50; left out: 10. The newest, or those around one.
    limit: Option<u32>,
    /// Only those before this one, by its id.
    before: Option<String>,
    /// This one, by its id, with those before and after it.
    around: Option<String>,
}

#[derive(Serialize)]
pub(super) struct Messages {
    /// Oldest first.
    messages: Vec<Message>,
}

#[derive(Serialize)]
struct Message {
    id: MessageId,
    role: &'static str,
    content: String,
    when: Timestamp,
}

pub(super) async fn search(cx: ToolContext, args: SearchArgs) -> Result<Results, ToolError> {
    let asked = SearchInput {
        text: &args.query,
        from: args.from.as_deref(),
        to: args.to.as_deref(),
    };
    let zone = budget::zone(&cx.time_zone);
    let request = search::Request::read(asked, cx.scope, zone, cx.clock.now())
        .map_err(|fault| ToolError::TellModel(format!("{}: {fault}", fault.field)))?;
    let cursor = args.page.map(|text| text.parse::<Cursor>()).transpose();
    let request = search::Request {
        except: Some(cx.root_run),
        cursor: cursor.map_err(|fault| ToolError::TellModel(format!("page: {fault}")))?,
        limit: limit(args.limit)?,
        ..request
    };
    let items = match (Query::parse(&args.query), cx.user.filter(|_| request.cursor.is_none())) {
        (Some(query), Some(user)) => {
            let known = super::remembered_items(&cx, user).await?;
            let items = known.iter().map(|known| known.item.clone()).collect();
            let items = clifford_content::memory::recall::answering(&query, items);
            super::mark(&cx, &known, &items);
            items
        }
        _ => Vec::new(),
    };
    let found = clifford_content::search::find::find(&cx.db, request).await?;
    let contexts: Vec<_> = found.items.iter().map(|found| found.message.context_id).collect();
    let mut texts: Vec<&str> = Vec::new();
    for found in &found.items {
        texts.push(&found.message.content);
        texts.extend(
            found
                .before
                .iter()
                .chain(&found.after)
                .map(|text| text.content.as_str()),
        );
    }
    outside(&cx, &contexts, texts).await?;
    let messages = found.items.into_iter().map(|found| Hit {
        id: found.message.id,
        snippet: found.snippet,
        role: role(found.message.direction),
        when: found.message.created_at,
        session: found.message.context_id,
        conversation: found.message.context_name,
        platform: found.message.platform,
        before: found.before.map(Beside::from),
        after: found.after.map(Beside::from),
    });
    Ok(Results {
        items,
        messages: messages.collect(),
        next: found.next.map(|next| next.to_string()),
    })
}

pub(super) async fn sessions(cx: ToolContext, args: SessionsArgs) -> Result<Sessions, ToolError> {
    let limit = limit(args.limit)?;
    let mut conn = cx.db.read().await?;
    let before = match args
        .before
        .as_deref()
        .map(|text| (text, text.parse::<stored::Position>()))
    {
        None => None,
        Some((_, Ok(position))) => Some(position),
        Some((text, Err(_))) => match stored::position(&mut conn, id("before", text)?).await? {
            Some(position) => Some(position),
            None => return Ok(Sessions::default()),
        },
    };
    let channels = places(&mut conn, cx.scope).await?;
    let mut found = stored::of_channels(&mut conn, &channels, before, limit + 1).await?;
    drop(conn);
    let shown = usize::try_from(limit).unwrap_or(usize::MAX);
    let has_more = found.len() > shown;
    found.truncate(shown);
    let next = found.last().filter(|_| has_more).map(stored::Session::position);
    let contexts: Vec<_> = found.iter().map(|session| session.id).collect();
    outside(&cx, &contexts, []).await?;
    let sessions = found.into_iter().map(|session| Session {
        id: session.id,
        name: session.name,
        platform: session.platform,
        turns: session.turn_count,
        last: session.last_user_interaction_at,
        summary: session.summary.as_deref().map(head),
    });
    Ok(Sessions {
        sessions: sessions.collect(),
        next: next.map(|next| next.to_string()),
    })
}

pub(super) async fn session_messages(cx: ToolContext, args: MessagesArgs) -> Result<Messages, ToolError> {
    let unknown = || ToolError::TellModel(format!("there is no session {}; memory.sessions lists them", args.id));
    let session: ContextId = args.id.parse().map_err(|_| unknown())?;
    let part = match (&args.before, &args.around) {
        (None, None) => stored::MessageRange::Newest,
        (Some(before), None) => stored::MessageRange::Before(id("before", before)?),
        (None, Some(around)) => stored::MessageRange::Around(id("around", around)?),
        (Some(_), Some(_)) => {
            return Err(ToolError::TellModel("give before or around, one of them".to_owned()));
        }
    };
    let limit = limit(args.limit)?;
    let mut conn = cx.db.read().await?;
    let channels = places(&mut conn, cx.scope).await?;
    let found = stored::messages(&mut conn, session, &channels, part, limit).await?;
    drop(conn);
    let found = found.ok_or_else(unknown)?;
    outside(&cx, &[session], found.iter().map(|said| said.content.as_str())).await?;
    let messages = found.into_iter().rev().map(|said| Message {
        id: said.id,
        role: role(said.direction),
        content: head(&said.content),
        when: said.created_at,
    });
    Ok(Messages {
        messages: messages.collect(),
    })
}

/// Messages from conversations that had read words from outside, or where others read along, are not more trusted for
/// having been kept.
async fn outside<'a>(
    cx: &ToolContext,
    contexts: &[ContextId],
    texts: impl IntoIterator<Item = &'a str>,
) -> Result<(), ToolError> {
    let is_forwarded = texts.into_iter().any(is_of_others);
    let is_shared = !matches!(cx.scope, Scope::Person(_)) && !contexts.is_empty();
    if is_forwarded || is_shared || approvals::any_tainted(&mut cx.db.read().await?, contexts).await? {
        cx.came_from(sources::SAID);
    }
    Ok(())
}

fn limit(asked: Option<u32>) -> Result<u32, ToolError> {
    let (ordinary, most) = LIMITS;
    match asked.unwrap_or(ordinary) {
        limit if limit > 0 && limit <= most => Ok(limit),
        _ => Err(ToolError::TellModel(format!("limit: give 1 to {most}"))),
    }
}

fn id<T: std::str::FromStr>(field: &str, text: &str) -> Result<T, ToolError> {
    text.parse()
        .map_err(|_| ToolError::TellModel(format!("{field}: `{text}` is no id")))
}

const fn role(direction: Direction) -> &'static str {
    match direction {
        Direction::Inbound => "user",
        Direction::Outbound => "assistant",
    }
}

/// A text, cut where it is too long.
fn head(text: &str) -> String {
    match text.char_indices().nth(MOST_TEXT) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_is_cut_between_characters() {
        assert_eq!(head("short"), "short");
        assert_eq!(head(&"é".repeat(500)), "é".repeat(500));
        assert_eq!(head(&"é".repeat(501)), format!("{}…", "é".repeat(500)));
    }

    #[test]
    fn a_limit_that_cannot_be_names_those_that_can() {
        assert_eq!(limit(None).ok(), Some(10));
        assert_eq!(limit(Some(50)).ok(), Some(50));
        for asked in [0, 51] {
            let error = limit(Some(asked)).expect_err("too many or none");
            assert_eq!(error.to_string(), "limit: give 1 to 50");
        }
    }
}
