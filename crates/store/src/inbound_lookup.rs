//! The facts that the transaction of an inbound message needs, read together: the person, the place, the conversation,
//! the run at work there, and whether the message was stored before.

use clifford_chat::platform::Platform;
use clifford_core::{
    access::PlaceRules,
    clock::Timestamp,
    id::{AgentId, UserId},
    people::{User, UserRole},
    places::{Channel, Mode},
    row::FromRow,
    runs::Run,
    value::args,
};

use super::{
    Conn, StoreError, Tx,
    contexts::{self, Context},
    rates::{self, StoredBucket},
    runs,
};
use crate::{
    people::users,
    places::{
        agents::{self, Agent},
        channels, settings,
    },
};

/// The facts.
#[derive(Debug)]
pub struct Arrival {
    /// The person behind the account.
    pub user: Option<User>,
    /// The channel of the place.
    pub channel: Option<Channel>,
    /// Its active conversation.
    pub context: Option<Context>,
    /// The agent that answers there: the channel's own if that is enabled, else the default one.
    pub agent: Option<Agent>,
    /// The coordinator runs at work in the conversation, oldest first.
    pub active: Vec<Run>,
    /// The message is stored already.
    pub is_repeat: bool,
    /// The rules that its managers set for the place.
    pub rules: PlaceRules,
}

/// The lookup.
#[derive(Clone, Copy, Debug)]
pub struct Sought<'a> {
    /// The platform of both.
    pub platform: Platform,
    /// Its id of the speaker.
    pub account: &'a str,
    /// Its id of the place.
    pub place: &'a str,
    /// Its id of the space that the place is in.
    pub space: Option<&'a str>,
    /// Its id of the place that the place is a thread of.
    pub parent: Option<&'a str>,
    /// The key that identifies the message.
    pub message: LookupKey<'a>,
}

/// A key that identifies a message.
#[derive(Clone, Copy, Debug)]
pub enum LookupKey<'a> {
    /// The platform's id of it.
    ById(&'a str),
    /// Its sender's own key.
    ByKey(&'a str),
}

impl<'a> LookupKey<'a> {
    /// The column that holds it. Only an inbound message is known by it.
    const fn column(self) -> (&'static str, &'a str) {
        match self {
            Self::ById(id) => ("direction = 'inbound' AND platform_message_id", id),
            Self::ByKey(key) => ("idempotency_key", key),
        }
    }
}

const HERE: &str = "FROM channels WHERE platform = $1 AND external_id = $2";

/// Finds what is known, in the transaction that will change it: the channel and its conversation stay locked until
/// that ends, so what happens in them happens in order.
pub async fn find(tx: &mut Tx, sought: Sought<'_>) -> Result<Arrival, StoreError> {
    // As an `UPDATE` would lock them: what refers to them may still be written.
    let lock = if tx.is_postgres() { " FOR NO KEY UPDATE" } else { "" };
    let Sought {
        platform,
        account,
        place,
        message,
        ..
    } = sought;
    let here = || args![platform.as_str(), place];
    let with = |more: &str| args![platform.as_str(), place, more];
    let (known, value) = message.column();
    let [user, channel, context, agent, active, repeat, rules] = tx
        .pipeline([
            users::ask_by_identity(platform, account),
            (
                format!("{} WHERE platform = $1 AND external_id = $2{lock}", channels::SELECT),
                here(),
            ),
            (
                format!(
                    "{} WHERE id = (SELECT active_context_id {HERE}){lock}",
                    contexts::SELECT
                ),
                here(),
            ),
            (
                agents::for_channel_sql(
                    [
                        &format!("(SELECT agent_id {HERE})"),
                        &format!("(SELECT id {HERE})"),
                        &format!("(SELECT parent_id {HERE})"),
                        &format!("(SELECT space_id {HERE})"),
                    ],
                    agents::COLUMNS,
                ),
                here(),
            ),
            (
                format!(
                    "SELECT {} FROM runs WHERE context_id = (SELECT active_context_id {HERE})
                     AND kind = 'coordinator' AND status IN ('pending', 'running') ORDER BY id",
                    runs::COLUMNS
                ),
                here(),
            ),
            (
                format!(
                    "SELECT CAST(1 AS BIGINT) FROM messages WHERE channel_id = (SELECT id {HERE}) AND {known} = $3"
                ),
                with(value),
            ),
            settings::ask_rules(platform.as_str(), place, sought.parent, sought.space),
        ])
        .await?;
    Ok(Arrival {
        user: user.fetch_optional()?,
        channel: channel.fetch_optional()?,
        context: context.fetch_optional()?,
        agent: agent.fetch_optional()?,
        active: active.fetch_all()?,
        is_repeat: !repeat.is_empty(),
        rules: settings::rules_in(rules.fetch_all()?),
    })
}

/// A known person in the open conversation of a known channel, where nothing is at work or asks them something, and the
/// message is new: what most messages find.
#[derive(Clone, Debug)]
pub struct Plain {
    /// The person.
    pub user: User,
    /// The channel; it has an active context.
    pub channel: Channel,
    /// The agent that answers there.
    pub agent: Agent,
    /// When a person last spoke in the conversation, to the minute.
    pub last_user_interaction_at: Timestamp,
    /// The rules that its managers set for the place.
    pub rules: PlaceRules,
    /// The buckets of the person, the channel (or the one that it is a thread of) and its space.
    pub buckets: Vec<StoredBucket>,
}

#[derive(FromRow)]
struct PlainRow {
    #[row(flatten)]
    channel: Channel,
    speaker_id: UserId,
    speaker_name: String,
    speaker_role: UserRole,
    speaker_language: Option<String>,
    speaker_language_set: bool,
    speaker_time_zone: Option<String>,
    #[row(rename = "answering_id")]
    agent_id: AgentId,
    agent_name: String,
    agent_prompt: String,
    agent_mode: Mode,
    agent_enabled: bool,
    agent_is_default: bool,
    last_user_interaction_at: Timestamp,
    rules: Option<String>,
    buckets: Option<String>,
}

/// Finds it, as it is at this moment; `None`: something is otherwise.
pub async fn find_plain(conn: &mut Conn, sought: Sought<'_>) -> Result<Option<Plain>, StoreError> {
    let (known, value) = sought.message.column();
    let agent = agents::for_channel_sql(["c.agent_id", "c.id", "c.parent_id", "c.space_id"], "id");
    let rules = settings::rules_sql("c.id", "c.parent_id", "c.space_id", conn.is_postgres());
    let buckets = rates::sql("u.id, COALESCE(c.parent_id, c.id), c.space_id", conn.is_postgres());
    let sql = format!(
        "SELECT {}, u.id AS speaker_id, u.name AS speaker_name, u.role AS speaker_role, u.language AS speaker_language,
                u.language_set AS speaker_language_set, u.time_zone AS speaker_time_zone, a.id AS answering_id,
                a.name AS agent_name, a.prompt AS agent_prompt, a.mode AS agent_mode, a.enabled AS agent_enabled,
                a.is_default AS agent_is_default, x.last_user_interaction_at, {rules} AS rules, {buckets} AS buckets
         FROM channels c
         JOIN contexts x ON x.id = c.active_context_id
         JOIN identities i ON i.platform = $1 AND i.platform_user_id = $3
         JOIN users u ON u.id = i.user_id
         JOIN agents a ON a.id = ({agent})
         WHERE c.platform = $1 AND c.external_id = $2
         AND NOT EXISTS (SELECT 1 FROM runs r WHERE r.context_id = c.active_context_id AND r.kind = 'coordinator'
                         AND r.status IN ('pending', 'running'))
         AND NOT EXISTS (SELECT 1 FROM runs q WHERE q.user_id = u.id AND q.wake_reason = 'tool_confirm'
                         AND q.context_id = c.active_context_id AND q.status = 'waiting')
         AND NOT EXISTS (SELECT 1 FROM messages m WHERE m.channel_id = c.id AND {known} = $4)",
        channels::columns!("c."),
    );
    let args = args![sought.platform.as_str(), sought.place, sought.account, value];
    let row: Option<PlainRow> = conn.fetch_optional(sql, args).await?;
    Ok(row.map(|row| Plain {
        user: User {
            id: row.speaker_id,
            name: row.speaker_name,
            role: row.speaker_role,
            language: row.speaker_language,
            language_set: row.speaker_language_set,
            time_zone: row.speaker_time_zone,
        },
        agent: Agent {
            id: row.agent_id,
            name: row.agent_name,
            prompt: row.agent_prompt,
            mode: row.agent_mode,
            enabled: row.agent_enabled,
            is_default: row.agent_is_default,
        },
        channel: row.channel,
        last_user_interaction_at: row.last_user_interaction_at,
        rules: settings::rules_of_text(row.rules.as_deref()),
        buckets: rates::of_text(row.buckets.as_deref()),
    }))
}

/// How many of a channel's newest messages are searched for the other pieces of an album, which come together.
const NEWEST: i64 = 50;

/// Whether a piece of this album, by the same account, was stored in this place lately.
pub async fn has_album(
    conn: &mut Conn,
    platform: Platform,
    place: &str,
    account: &str,
    album: &str,
) -> Result<bool, StoreError> {
    let found: Option<(i64,)> = conn
        .fetch_optional(
            "SELECT CAST(1 AS BIGINT) FROM messages m
             JOIN identities i ON i.user_id = m.user_id AND i.platform = $1 AND i.platform_user_id = $3
             WHERE m.album = $4 AND m.direction = 'inbound' AND m.id IN (
                 SELECT n.id FROM messages n JOIN channels c ON c.id = n.channel_id
                 WHERE c.platform = $1 AND c.external_id = $2 ORDER BY n.id DESC LIMIT $5)
             LIMIT 1",
            args![platform.as_str(), place, account, album, NEWEST],
        )
        .await?;
    Ok(found.is_some())
}
