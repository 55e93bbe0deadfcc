//! The parts of a prompt beside its run, read together: the conversation, the memories, messages from elsewhere, and
//! the settings of the place.

use clifford_core::{
    column::JsonText,
    id::{ChannelId, ContextId, MessageId, RunId, UserId},
    messages::Direction,
    value::args,
};
use serde_json::Value as Json;
use sqlx::FromRow;

use crate::{
    Conn, StoreError,
    db::conn::Statement,
    memory::items::{self as memory_items, Remembered, Viewer},
    messages::{
        self, Turn, TurnRow,
        long_text::{self, LongText},
        replies::IN_HISTORY,
        said,
    },
    people::keys::{self as user_secrets, SealedKey},
    places::settings::{self, Around, Setting},
    withheld,
};

/// The most other places that are looked at.
const MOST_PLACES: u32 = 20;

/// The parts to read, and at most how much of each.
#[derive(Clone, Copy, Debug)]
pub struct Wanted {
    /// The conversation of a run: what was said in it before.
    pub conversation: Option<(ContextId, RunId)>,
    /// The most turns of it.
    pub turns: u32,
    /// Of whom items are remembered, and who sees them.
    pub person: Option<(UserId, Viewer)>,
    /// The most items.
    pub items: u32,
    /// Where it is and who it is for, as far as settings go by it.
    pub around: Around,
    /// Of whom the other conversations are shown; `None`: they are nobody's business here.
    pub elsewhere: Option<UserId>,
    /// The most messages of each of those.
    pub each: u32,
}

/// The conversation of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Conversation {
    /// Its name.
    pub name: Option<String>,
    /// The summary of its compacted beginning.
    pub summary: Option<String>,
    /// Its newest turns, oldest first.
    pub turns: Vec<Turn>,
    /// How many there are before those, which no summary tells either.
    pub before: u64,
}

/// The same person's last exchange in another private place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Elsewhere {
    /// The platform's name.
    pub platform: String,
    /// The channel's name, else its conversation's.
    pub name: Option<String>,
    /// The newest turns, oldest first.
    pub turns: Vec<Turn>,
    /// The id of the newest.
    pub newest: Option<MessageId>,
}

/// All that was found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PromptContext {
    /// The conversation.
    pub conversation: Conversation,
    /// The items, by level, pinned first, then the most recently seen.
    pub items: Vec<Remembered>,
    /// Other places, the one where something was last said first.
    pub elsewhere: Vec<Elsewhere>,
    /// The settings of the bot, the space, the channel, the agent and the person, in this order.
    pub settings: Vec<Setting>,
    /// The person's own keys for model providers.
    pub keys: Vec<SealedKey>,
    /// The parts of all this that hold words from outside.
    pub outside: Outside,
}

/// The parts of a prompt that may hold words of others than its person, or words that a run read outside.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outside {
    /// A run of the conversation has read words from outside: its answers, and a summary of them, may say the same.
    pub answers: bool,
    /// Others wrote in it.
    pub others: bool,
    /// The summary holds words of others than the person.
    pub summary: bool,
    /// Something was remembered from a conversation in which words from outside were read, and nobody pinned it.
    pub items: bool,
    /// Another place that is shown had such a run.
    pub elsewhere: bool,
}

#[derive(FromRow)]
struct OutsideRow {
    answers: i64,
    others: i64,
    items: i64,
    elsewhere: i64,
    summary_of: Option<String>,
}

#[derive(FromRow)]
struct Head {
    name: Option<String>,
    summary: Option<String>,
}

#[derive(FromRow)]
struct ElsewhereRow {
    channel_id: ChannelId,
    context_id: ContextId,
    platform: String,
    name: Option<String>,
    id: MessageId,
    direction: Direction,
    #[sqlx(flatten)]
    text: LongText,
    quote: Option<JsonText<Json>>,
}

/// Finds what a prompt is made of.
pub async fn find(conn: &mut Conn, wanted: Wanted) -> Result<PromptContext, StoreError> {
    let conversation = wanted.conversation;
    let asks = [
        conversation.map_or_else(nothing, |(context, run)| {
            // One more tells whether there are more.
            messages::ask_conversation(context, run, wanted.turns.saturating_add(1))
        }),
        conversation.map_or_else(nothing, |(context, _)| ask_head(context)),
        wanted.person.map_or_else(nothing, |(user, viewer)| {
            memory_items::ask_active(user, viewer, wanted.items)
        }),
        ask_elsewhere(&wanted).unwrap_or_else(nothing),
        settings::ask_around(wanted.around),
        wanted
            .person
            .map_or_else(nothing, |(user, _)| user_secrets::ask_of(user)),
        ask_outside(&wanted),
    ];
    let [turns, head, items, elsewhere, settings, keys, outside] = conn.pipeline(asks).await?;
    let turns: Vec<TurnRow> = turns.fetch_all()?;
    let mut turns: Vec<Turn> = turns.into_iter().rev().map(Turn::from).collect();
    let more = turns
        .len()
        .saturating_sub(usize::try_from(wanted.turns).unwrap_or(usize::MAX));
    turns.drain(..more);
    let first = turns.first().filter(|_| more > 0).and_then(|turn| turn.id);
    let before = match (conversation, first) {
        (Some((context, _)), Some(first)) => said::untold_before(conn, context, first).await?,
        _ => 0,
    };
    let head: Option<Head> = head.fetch_optional()?;
    let (name, summary) = head.map_or((None, None), |head| (head.name, head.summary));
    Ok(PromptContext {
        conversation: Conversation {
            name,
            summary,
            turns,
            before,
        },
        items: items.fetch_all()?,
        elsewhere: by_place(elsewhere.fetch_all()?),
        settings: settings.fetch_all()?,
        keys: keys.fetch_all()?,
        outside: outside
            .fetch_optional::<OutsideRow>()?
            .map_or_else(Outside::default, |row| row.told(&wanted)),
    })
}

/// Finds the parts that hold words from outside. Other authors are looked for only where others can write.
fn ask_outside(wanted: &Wanted) -> Statement {
    let context = wanted.conversation.map(|(context, _)| context);
    let user = wanted.person.map(|(user, _)| user);
    let is_shared = matches!(wanted.person, Some((_, Viewer::Shared(_))));
    let channel = wanted.elsewhere.and(wanted.around.place).map(|(channel, _)| channel);
    (
        "SELECT
             CAST(CASE WHEN EXISTS (SELECT 1 FROM runs r WHERE r.context_id = $1 AND r.tainted)
                  THEN 1 ELSE 0 END AS BIGINT) AS answers,
             CAST(CASE WHEN $3 AND EXISTS (
                 SELECT 1 FROM messages m WHERE m.context_id = $1 AND m.direction = 'inbound' AND m.user_id <> $2)
                  THEN 1 ELSE 0 END AS BIGINT) AS others,
             CAST(CASE WHEN EXISTS (
                 SELECT 1 FROM memory_items i JOIN runs r ON r.context_id = i.context_id AND r.tainted
                 WHERE i.user_id = $2 AND NOT i.archived AND NOT i.pinned)
                  THEN 1 ELSE 0 END AS BIGINT) AS items,
             CAST(CASE WHEN $4 IS NOT NULL AND EXISTS (
                 SELECT 1 FROM channels c JOIN runs r ON r.context_id = c.active_context_id AND r.tainted
                 WHERE c.user_id = $2 AND c.kind = 'private' AND c.id <> $4)
                  THEN 1 ELSE 0 END AS BIGINT) AS elsewhere,
             (SELECT x.summary_of FROM contexts x WHERE x.id = $1 AND x.summary IS NOT NULL) AS summary_of"
            .to_owned(),
        args![context, user, is_shared, channel],
    )
}

impl OutsideRow {
    fn told(&self, wanted: &Wanted) -> Outside {
        let told: Vec<String> = (self.summary_of.as_deref())
            .and_then(|json| serde_json::from_str(json).ok())
            .unwrap_or_default();
        let person = wanted.person.map(|(user, _)| user.to_string());
        Outside {
            answers: self.answers != 0,
            others: self.others != 0,
            summary: told.iter().any(|user| Some(user) != person.as_ref()),
            items: self.items != 0,
            elsewhere: self.elsewhere != 0,
        }
    }
}

/// A question without an answer, in the place of one that need not be asked.
fn nothing() -> Statement {
    ("SELECT id FROM contexts WHERE 1 = 0".to_owned(), args![])
}

fn ask_head(context: ContextId) -> Statement {
    (
        "SELECT name, summary FROM contexts WHERE id = $1".to_owned(),
        args![context],
    )
}

/// The newest messages of the open conversations in a person's other private channels, without those that a summary
/// tells. The newest that is not shown is looked up first, so that a long conversation costs no more than a short one:
/// as a range, because for an equal conversation PostgreSQL may walk through all messages there are by their ids.
fn ask_elsewhere(wanted: &Wanted) -> Option<Statement> {
    let (user, (channel, _)) = (wanted.elsewhere?, wanted.around.place?);
    let context = wanted.conversation.map(|(context, _)| context);
    (wanted.each > 0).then(|| {
        let (text, is_open) = (long_text::columns("m.content"), withheld::is_open("m."));
        (
            format!(
                "SELECT p.channel_id, p.context_id, p.platform, p.name, m.id, m.direction, {text}, m.quote
             FROM (SELECT c.id AS channel_id, x.id AS context_id, c.platform, COALESCE(c.name, x.name) AS name,
                          COALESCE(c.last_message_at, 0) AS last_at, COALESCE(x.compacted_through, '') AS told
                   FROM channels c JOIN contexts x ON x.id = c.active_context_id AND x.closed_at IS NULL
                   WHERE c.user_id = $1 AND c.kind = 'private' AND c.id <> $2 AND x.id <> $3
                   ORDER BY 5 DESC, 1 DESC LIMIT $5) p
             JOIN messages m ON m.context_id = p.context_id AND m.status <> 'queued' AND m.deleted_at IS NULL
             AND {is_open} AND m.id > COALESCE(
                 (SELECT n.id FROM messages n
                  WHERE n.context_id >= p.context_id AND n.context_id <= p.context_id AND n.status <> 'queued'
                  AND n.id > p.told
                  ORDER BY n.context_id DESC, n.id DESC LIMIT 1 OFFSET $4), p.told)
             ORDER BY p.last_at DESC, p.channel_id DESC, m.id"
            ),
            args![
                user,
                channel,
                context.map_or_else(String::new, |context| context.to_string()),
                wanted.each,
                MOST_PLACES
            ],
        )
    })
}

/// Each conversation once, where something was last said in it: it may go on in several channels.
fn by_place(rows: Vec<ElsewhereRow>) -> Vec<Elsewhere> {
    let mut places: Vec<(ContextId, ChannelId, Elsewhere)> = Vec::new();
    for row in rows {
        let (content, gap) = row.text.with_quote(row.quote.as_ref(), IN_HISTORY);
        let turn = Turn {
            id: None,
            direction: row.direction,
            content,
            gap,
        };
        match places.iter_mut().find(|(context, ..)| *context == row.context_id) {
            Some((_, channel, place)) if *channel == row.channel_id => {
                place.turns.push(turn);
                place.newest = Some(row.id);
            }
            Some(_) => {}
            None => places.push((
                row.context_id,
                row.channel_id,
                Elsewhere {
                    platform: row.platform,
                    name: row.name,
                    turns: vec![turn],
                    newest: Some(row.id),
                },
            )),
        }
    }
    places.into_iter().map(|(.., place)| place).collect()
}
