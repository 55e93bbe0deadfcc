//! The parts of a prompt besides its run, read together: the conversation, the memories, messages from elsewhere, and
//! the settings of the place.

use clifford_core::{
    id::{ChannelId, ContextId, MessageId, RunId, UserId},
    json_text::JsonText,
    messages::Direction,
    row::FromRow,
    value::args,
};
use serde_json::Value as Json;

use crate::{
    Conn, StoreError,
    db::conn::Statement,
    memory::items::{self as memory_items, Remembered, Viewer},
    messages::{
        self, Foreign, Turn, TurnRow, conversation,
        long_text::{self, LongText},
        replies::IN_HISTORY,
    },
    people::keys::{self as user_secrets, EncryptedKey},
    places::settings::{self, Around, Setting},
    withheld,
};

/// The most other places that are looked at.
const MOST_PLACES: u32 = 20;

/// The parts to read, and at most how much of each.
#[derive(Clone, Copy, Debug)]
pub struct PromptParts {
    /// The conversation of a run: what was said in it before.
    pub conversation: Option<(ContextId, RunId)>,
    /// The most turns of it.
    pub turns: u32,
    /// The person whose items are read, and the viewer.
    pub person: Option<(UserId, Viewer)>,
    /// The most items.
    pub items: u32,
    /// Where it is and who it is for, as far as settings go by it.
    pub around: Around,
    /// The person whose other conversations are shown; `None`: none are.
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
    /// The model that was chosen for it, by the name of the choice.
    pub model: Option<String>,
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
    /// The ids of their messages, oldest first.
    pub messages: Vec<MessageId>,
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
    pub keys: Vec<EncryptedKey>,
    /// The words of others that the conversation's summary may hold.
    pub outside: Outside,
}

/// The words of others that a summary may hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Outside {
    /// A run whose answers it may tell had read words from outside.
    pub answers: bool,
    /// Others than the person wrote what it tells.
    pub others: bool,
}

#[derive(FromRow)]
struct Head {
    name: Option<String>,
    summary: Option<String>,
    model: Option<String>,
    summary_of: Option<String>,
    answers: i64,
}

#[derive(FromRow)]
struct ElsewhereRow {
    channel_id: ChannelId,
    context_id: ContextId,
    platform: String,
    name: Option<String>,
    id: MessageId,
    direction: Direction,
    tainted: i64,
    metadata: Option<JsonText<Json>>,
    #[row(flatten)]
    text: LongText,
    quote: Option<JsonText<Json>>,
}

/// Finds what a prompt is made of.
pub async fn find(conn: &mut Conn, wanted: PromptParts) -> Result<PromptContext, StoreError> {
    let conversation = wanted.conversation;
    let person = wanted.person.map(|(user, _)| user);
    // Others are looked for only where they can write.
    let alone = person.filter(|_| matches!(wanted.person, Some((_, Viewer::Shared(_)))));
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
        conversation
            .filter(|_| alone.is_some())
            .map_or_else(nothing, |(context, run)| ask_at_work(context, run)),
    ];
    let [turns, head, items, elsewhere, settings, keys, at_work] = conn.pipeline(asks).await?;
    let turns: Vec<TurnRow> = turns.fetch_all()?;
    let at_work: Vec<(RunId,)> = at_work.fetch_all()?;
    let at_work: Vec<RunId> = at_work.into_iter().map(|(run,)| run).collect();
    let turns = turns.into_iter().rev();
    let mut turns: Vec<Turn> = turns.map(|row| row.turn(alone, &at_work)).collect();
    let more = turns
        .len()
        .saturating_sub(usize::try_from(wanted.turns).unwrap_or(usize::MAX));
    turns.drain(..more);
    let first = turns.first().filter(|_| more > 0).and_then(|turn| turn.id);
    let before = match (conversation, first) {
        (Some((context, _)), Some(first)) => conversation::untold_before(conn, context, first).await?,
        _ => 0,
    };
    let head: Option<Head> = head.fetch_optional()?;
    let outside = head.as_ref().map_or_else(Outside::default, |head| head.outside(person));
    let (name, summary, model) = head.map_or((None, None, None), |head| (head.name, head.summary, head.model));
    Ok(PromptContext {
        conversation: Conversation {
            name,
            summary,
            turns,
            before,
            model,
        },
        items: items.fetch_all()?,
        elsewhere: by_place(elsewhere.fetch_all()?),
        settings: settings.fetch_all()?,
        keys: keys.fetch_all()?,
        outside,
    })
}

impl Head {
    /// The words of others in the summary.
    fn outside(&self, person: Option<UserId>) -> Outside {
        let people: Vec<String> = (self.summary_of.as_deref())
            .filter(|_| self.summary.is_some())
            .and_then(|json| serde_json::from_str(json).ok())
            .unwrap_or_default();
        let person = person.map(|user| user.to_string());
        Outside {
            answers: self.answers != 0,
            others: people.iter().any(|user| Some(user) != person.as_ref()),
        }
    }
}

/// A question without an answer, in the place of one that need not be asked.
fn nothing() -> Statement {
    ("SELECT id FROM contexts WHERE 1 = 0".to_owned(), args![])
}

/// The runs that work alongside one in its conversation.
fn ask_at_work(context: ContextId, run: RunId) -> Statement {
    (
        "SELECT id FROM runs WHERE context_id = $1 AND id <> $2 AND kind = 'coordinator'
         AND status IN ('pending', 'running')"
            .to_owned(),
        args![context, run],
    )
}

/// The head of a conversation. Its summary may tell the answers of every run that began before the last message which
/// it covers, and of every one of which no later message is left; not of one whose answers hand nothing on of the words
/// of others that its prompt showed.
fn ask_head(context: ContextId) -> Statement {
    (
        "SELECT x.name, x.summary, x.model, x.summary_of,
             CAST(CASE WHEN x.summary IS NOT NULL AND EXISTS (
                 SELECT 1 FROM runs r WHERE r.context_id = x.id AND r.tainted
                 AND (EXISTS (SELECT 1 FROM messages m WHERE m.run_id = r.id AND m.direction = 'outbound'
                              AND COALESCE(m.metadata, '') NOT LIKE '%\"foreign\":false%')
                      OR NOT EXISTS (SELECT 1 FROM messages m WHERE m.run_id = r.id AND m.direction = 'outbound'))
                 AND (
                     r.id <= COALESCE(x.compacted_through, '')
                     OR NOT EXISTS (SELECT 1 FROM messages m
                                    WHERE m.run_id = r.id AND m.id > COALESCE(x.compacted_through, ''))))
                  THEN 1 ELSE 0 END AS BIGINT) AS answers
         FROM contexts x WHERE x.id = $1"
            .to_owned(),
        args![context],
    )
}

/// The newest messages of the open conversations in a person's other private channels, without those that a summary
/// tells. The newest that is not shown is looked up first, so that a long conversation costs no more than a short one:
/// as a range, because for an equal conversation PostgreSQL may walk through all messages there are by their ids.
fn ask_elsewhere(wanted: &PromptParts) -> Option<Statement> {
    let (user, (channel, _)) = (wanted.elsewhere?, wanted.around.place?);
    let context = wanted.conversation.map(|(context, _)| context);
    (wanted.each > 0).then(|| {
        let (text, is_open, tainted) = (
            long_text::columns("m.content"),
            withheld::is_open("m."),
            messages::is_tainted("m"),
        );
        (
            format!(
                "SELECT p.channel_id, p.context_id, p.platform, p.name, m.id, m.direction, {tainted}, m.metadata, {text},
                     m.quote
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
            readers: messages::readers(row.metadata.as_ref()),
            foreign: match row.tainted {
                0 => Foreign::None,
                _ => messages::answer(row.metadata.as_ref()),
            },
        };
        match places.iter_mut().find(|(context, ..)| *context == row.context_id) {
            Some((_, channel, place)) if *channel == row.channel_id => {
                place.turns.push(turn);
                place.messages.push(row.id);
            }
            Some(_) => {}
            None => places.push((
                row.context_id,
                row.channel_id,
                Elsewhere {
                    platform: row.platform,
                    name: row.name,
                    turns: vec![turn],
                    messages: vec![row.id],
                },
            )),
        }
    }
    places.into_iter().map(|(.., place)| place).collect()
}
