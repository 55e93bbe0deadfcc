//! How runs are made and begin, and the messages that join their input before.

use clifford_chat::role::PlatformRole;
use clifford_core::{
    clock::Timestamp,
    id::{AgentId, ChannelId, ContextId, RunId, UserId, WorkerId},
    json_text::{JsonText, to_json},
    people::UserRole,
    places::Mode,
    runs::{Run, RunKind, RunStatus},
    value::args,
};
use serde_json::Value as Json;

use crate::{
    StoreError, Tx,
    runs::{COLUMNS, Lease, get},
};

/// A run to be made. It begins `pending`.
#[derive(Clone, Debug)]
pub struct NewRun {
    /// Its id.
    pub id: RunId,
    /// The agent that does it.
    pub agent_id: AgentId,
    /// The channel that it came from.
    pub channel_id: Option<ChannelId>,
    /// The person who asked.
    pub user_id: Option<UserId>,
    /// The conversation that it belongs to.
    pub context_id: Option<ContextId>,
    /// Its parent and the top of its tree; `None` for a coordinator.
    pub parent: Option<(RunId, RunId)>,
    /// 0: coordinator, 1: subagent, 2: a subagent's subagent.
    pub level: u32,
    /// The profile that the run uses.
    pub profile: Option<String>,
    /// How it answers.
    pub mode: Mode,
    /// Beside which others of its conversation it works: in each lane one at a time.
    pub lane: i64,
    /// The input.
    pub input_text: String,
    /// The same as data.
    pub input_json: Option<Json>,
    /// The only tools it may call, if it is limited.
    pub allowed_tools: Option<Vec<String>>,
    /// Where its replies go.
    pub address: Option<clifford_chat::outbound::Address>,
    /// The roles that its person has on the platform, where they ask; `None`: not known.
    pub platform_roles: Option<Vec<PlatformRole>>,
    /// When it may begin, if not at once.
    pub not_before: Option<Timestamp>,
    /// The worker that begins it, and until when it is its own: so that no claim follows.
    pub lease: Option<(WorkerId, Timestamp)>,
}

impl NewRun {
    /// A coordinator run of an agent that belongs to nobody and to no place, and may begin at once.
    pub fn of(agent: AgentId, mode: Mode, input: impl Into<String>) -> Self {
        Self {
            id: RunId::new(),
            agent_id: agent,
            channel_id: None,
            user_id: None,
            context_id: None,
            parent: None,
            level: 0,
            profile: None,
            mode,
            lane: 0,
            input_text: input.into(),
            input_json: None,
            allowed_tools: None,
            address: None,
            platform_roles: None,
            not_before: None,
            lease: None,
        }
    }
}

/// Makes a run.
///
/// # Errors
/// [`StoreError::Conflict`]: its context has a coordinator at work in this lane.
pub async fn insert(tx: &mut Tx, run: &NewRun, now: Timestamp) -> Result<Run, StoreError> {
    insert_where(tx, run, "", args![], now).await
}

/// As [`insert`], if what was looked up before this transaction still holds: it is the channel's active context,
/// where the person may speak and no run is at work. Else there is no such run, and what refers to it fails with
/// [`StoreError::Conflict`].
pub async fn insert_if_unchanged(tx: &mut Tx, run: &NewRun, role: UserRole, now: Timestamp) -> Result<Run, StoreError> {
    let unchanged = "WHERE EXISTS (SELECT 1 FROM channels c WHERE c.id = $3 AND c.active_context_id = $5 AND c.enabled
                       AND COALESCE(c.user_id, $4) = $4)
         AND EXISTS (SELECT 1 FROM users u WHERE u.id = $4 AND u.role = $23)
         AND NOT EXISTS (SELECT 1 FROM runs busy WHERE busy.context_id = $5 AND busy.kind = 'coordinator'
                         AND busy.status IN ('pending', 'running'))";
    insert_where(tx, run, unchanged, args![role], now).await
}

async fn insert_where(
    tx: &mut Tx,
    run: &NewRun,
    condition: &str,
    more: Vec<clifford_core::value::Value>,
    now: Timestamp,
) -> Result<Run, StoreError> {
    let kind = if run.parent.is_some() {
        RunKind::Subagent
    } else {
        RunKind::Coordinator
    };
    let root = run.parent.map_or(run.id, |(_, root)| root);
    let sql = format!(
        "INSERT INTO runs (id, agent_id, channel_id, user_id, context_id, parent_run_id, root_run_id, kind, level,
                     profile, input_text, input_json, allowed_tools, address, status, wake_at, lease_owner, lease_until,
                     epoch, mode, platform_roles, lane, llm_calls, prompt_tokens, completion_tokens, cached_tokens, cost,
                     worked_ms, created_at, updated_at)
         SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, 'pending', $15, $16, $17,
                $18, $20, $21, $22, 0, 0, 0, 0, 0, 0, $19, $19 {condition}"
    );
    let mut args = args![
        run.id,
        run.agent_id,
        run.channel_id,
        run.user_id,
        run.context_id,
        run.parent.map(|(parent, _)| parent),
        root,
        kind,
        run.level,
        run.profile.clone(),
        &run.input_text,
        run.input_json.clone(),
        run.allowed_tools.as_ref().map(to_json),
        run.address.as_ref().map(to_json),
        run.not_before,
        run.lease.map(|(owner, _)| owner),
        // One that nobody begins with is given back already, and no death when somebody takes it.
        run.lease
            .map(|(_, until)| if until > now { until } else { Timestamp(0) }),
        i64::from(run.lease.is_some()),
        now,
        run.mode,
        run.platform_roles.as_ref().map(to_json),
        run.lane
    ];
    args.extend(more);
    tx.defer(sql, args).await?;
    Ok(Run {
        id: run.id,
        agent_id: run.agent_id,
        channel_id: run.channel_id,
        user_id: run.user_id,
        context_id: run.context_id,
        parent_run_id: run.parent.map(|(parent, _)| parent),
        root_run_id: root,
        kind,
        level: run.level,
        profile: run.profile.clone(),
        mode: run.mode,
        input_text: run.input_text.clone(),
        input_json: run.input_json.clone().map(JsonText),
        output_text: None,
        allowed_tools: run.allowed_tools.clone().map(JsonText),
        address: run.address.clone().map(JsonText),
        platform_roles: run.platform_roles.clone().map(JsonText),
        status: RunStatus::Pending,
        error: None,
        wake_at: run.not_before,
        wake_reason: None,
        epoch: i64::from(run.lease.is_some()),
        llm_calls: 0,
        prompt_tokens: 0,
        completion_tokens: 0,
        cached_tokens: 0,
        cost: 0.0,
        created_at: now,
        updated_at: now,
    })
}

/// Adds to the input of a run that has not begun, and puts its beginning off. `false`: it has begun.
pub async fn join(
    tx: &mut Tx,
    id: RunId,
    text: &str,
    not_before: Timestamp,
    now: Timestamp,
) -> Result<bool, StoreError> {
    let joined = tx
        .execute(
            "UPDATE runs SET input_text = CASE WHEN input_text = '' THEN $1 WHEN $1 = '' THEN input_text
                                               ELSE input_text || $5 || $1 END,
                 wake_at = $2, updated_at = $3
             WHERE id = $4 AND status = 'pending' AND wake_at > $3",
            args![text, not_before, now, id, "\n"],
        )
        .await?;
    Ok(joined == 1)
}

/// The input of a run that is held has the words now that were spoken in its messages.
pub async fn reword(tx: &mut Tx, lease: &Lease, input: &str, now: Timestamp) -> Result<(), StoreError> {
    tx.execute(
        "UPDATE runs SET input_text = $1, updated_at = $2 WHERE id = $3 AND epoch = $4",
        args![input, now, lease.run, lease.epoch],
    )
    .await?;
    Ok(())
}

/// Whether a held run begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BeginOutcome {
    /// Now; nothing joins it any more.
    Now,
    /// Later: more of its input has come.
    NotBefore(Timestamp),
    /// Somebody else has it, or it ended.
    NotOurs,
}

/// Begins a run that was put off, if its time has come.
pub async fn begin(tx: &mut Tx, lease: &Lease, now: Timestamp) -> Result<BeginOutcome, StoreError> {
    let begun = tx
        .exists(
            concat!(
                "UPDATE runs SET wake_at = NULL WHERE status = 'pending' AND (wake_at IS NULL OR wake_at <= $4) AND ",
                crate::leases::sql::fenced!(runs, 1, 2, 3),
                " RETURNING epoch"
            ),
            args![lease.run, lease.owner, lease.epoch, now],
        )
        .await?;
    if begun {
        return Ok(BeginOutcome::Now);
    }
    let run = get(tx, lease.run).await?;
    let ours = run.filter(|run| run.epoch == lease.epoch && run.status == RunStatus::Pending);
    Ok(ours
        .and_then(|run| run.wake_at)
        .map_or(BeginOutcome::NotOurs, BeginOutcome::NotBefore))
}

/// Takes a run that made no step yet from its worker, with new input, for this worker to restart. `None`: it has made a
/// step, so it is too late. The deaths that it is suspected of stay counted.
pub async fn begin_again(
    tx: &mut Tx,
    id: RunId,
    input: &str,
    worker: WorkerId,
    until: Timestamp,
    now: Timestamp,
) -> Result<Option<Run>, StoreError> {
    let sql = format!(
        "UPDATE runs SET input_text = $1, updated_at = $2, status = 'pending', epoch = epoch + 1, lease_owner = $3,
             lease_until = $4, isolation = NULL, quarantined_at = NULL
         WHERE id = $5 AND status IN ('pending', 'running')
         AND NOT EXISTS (SELECT 1 FROM run_steps s WHERE s.run_id = runs.id) RETURNING {COLUMNS}"
    );
    Ok(tx.fetch_all(sql, args![input, now, worker, until, id]).await?.pop())
}
