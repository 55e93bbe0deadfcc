//! Triggers: reminders, runs by the clock, webhooks.

use axum::{Json, extract::State, http::StatusCode};
use clifford_core::{
    clock::Timestamp,
    id::{AgentId, ChannelId, ContextId, RunId, TriggerId, UserId},
    schedule::trigger::{CatchUp, Trigger, TriggerKind},
};
use clifford_engine::triggers::{fire, webhook};
use clifford_store::{
    StoreError, Tx, contexts,
    people::users,
    places::settings,
    triggers::{self, Filter, Firing},
};
use clifford_tools::triggers::{
    editing::{self, Change, NewTrigger},
    reminders,
};
use serde::{Deserialize, Serialize};

use super::{
    Shared,
    access::{Caller, Need, Object, Reader, Writer},
    agents::chosen,
    channels as channel_routes,
    extract::{Body, Id, Query, nullable},
    handler, pace,
    page::{self, Page},
    problem::{Code, Problem, ProblemBody},
};

/// How many firings are shown with a trigger.
const FIRINGS: u32 = 20;

/// Which triggers.
#[derive(Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub(super) struct TriggersQuery {
    /// Only triggers of this kind: wake, run or reminder.
    kind: Option<TriggerKind>,
    /// Only of this person.
    #[param(value_type = Option<String>)]
    user_id: Option<UserId>,
    /// Only those that fire again, the next one first, on one page: without `kind` and `before`.
    #[serde(default)]
    upcoming: bool,
    /// Only older than this one.
    #[param(value_type = Option<String>)]
    before: Option<TriggerId>,
    /// How many on a page, at most 200.
    limit: Option<u32>,
}

/// A page of triggers, newest first.
#[utoipa::path(get, path = "/api/triggers", tag = "triggers", security(("bearer" = [])), params(TriggersQuery),
    responses((status = 200, body = Page<Trigger>), (status = 400, body = ProblemBody)))]
#[handler]
pub(super) async fn list(
    State(api): State<Shared>,
    _: Reader,
    caller: Caller,
    Query(wanted): Query<TriggersQuery>,
) -> Result<Json<Page<Trigger>>, Problem> {
    let limit = page::limit(wanted.limit)?;
    let user = caller.owner_filter(&api, wanted.user_id).await?;
    if wanted.upcoming {
        if wanted.kind.is_some() || wanted.before.is_some() {
            let detail = "it goes without `kind` and `before`";
            return Err(Problem::new(Code::InvalidQuery, detail).of_field("upcoming"));
        }
        let found = triggers::upcoming(&mut api.db.read().await?, user, limit).await?;
        return Ok(Json(Page::whole(found)));
    }
    let filter = Filter {
        kind: wanted.kind,
        user,
        before: wanted.before,
    };
    let found = triggers::page(&mut api.db.read().await?, filter, limit + 1).await?;
    Ok(Json(Page::of(found, limit, |trigger| trigger.id.to_string())))
}

/// A trigger with its newest firings.
#[derive(Serialize, utoipa::ToSchema)]
pub(super) struct TriggerWithFirings {
    /// The trigger.
    #[serde(flatten)]
    trigger: Trigger,
    /// When it last fired, newest first.
    firings: Vec<Firing>,
}

/// One trigger with its newest firings.
#[utoipa::path(get, path = "/api/triggers/{id}", tag = "triggers", security(("bearer" = [])),
    params(("id" = String, Path, description = "The trigger")),
    responses((status = 200, body = TriggerWithFirings), (status = 404, body = ProblemBody)))]
#[handler]
pub(super) async fn get(
    State(api): State<Shared>,
    _: Reader,
    caller: Caller,
    Id(id): Id<TriggerId>,
) -> Result<Json<TriggerWithFirings>, Problem> {
    let trigger = allowed(&api, &caller, Need::See, id).await?;
    let firings = triggers::firings(&mut api.db.read().await?, id, FIRINGS).await?;
    Ok(Json(TriggerWithFirings { trigger, firings }))
}

/// A trigger that the caller may do this with.
async fn allowed(api: &Shared, caller: &Caller, need: Need, id: TriggerId) -> Result<Trigger, Problem> {
    let trigger = find_trigger(api, id).await?;
    caller
        .allow(api, need, &Object::trigger(&trigger), format!("trigger {id}"))
        .await?;
    Ok(trigger)
}

async fn find_trigger(api: &Shared, id: TriggerId) -> Result<Trigger, Problem> {
    triggers::get(&mut api.db.read().await?, id)
        .await?
        .ok_or_else(|| unknown(id))
}

fn unknown(id: TriggerId) -> Problem {
    Problem::not_found(format!("trigger {id}"))
}

/// A trigger to be made.
#[derive(Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct NewTriggerBody {
    /// The kind: `run` begins a run, `reminder` sends a text without a model.
    kind: TriggerKind,
    /// Its name: a-z, 0-9, - and _. A webhook's address ends in it.
    name: Option<String>,
    /// The prompt of a run, or the text of a reminder.
    content: String,
    /// The agent of a run; left out: the channel's, or the default one.
    #[schema(value_type = Option<String>)]
    agent_id: Option<AgentId>,
    /// The channel of its messages; of a run, left out: none, read its output from the run.
    #[schema(value_type = Option<String>)]
    channel_id: Option<ChannelId>,
    /// The person. Without a channel, a reminder goes to their private chat. A person's token adds triggers of that
    /// person.
    #[schema(value_type = Option<String>)]
    user_id: Option<UserId>,
    /// The conversation of a run, one of the channel's.
    #[schema(value_type = Option<String>)]
    context_id: Option<ContextId>,
    /// A signed request to /api/hooks/NAME fires it. It requires the scope `admin`.
    #[serde(default)]
    webhook: bool,
    /// The first or only time that it fires.
    #[schema(value_type = Option<String>)]
    at: Option<Timestamp>,
    /// A schedule, which fires once a minute at most: 5 fields, or 6 with the second first.
    cron: Option<String>,
    /// IANA time zone of the expression; left out: the person's, or the configuration's.
    time_zone: Option<String>,
    /// The treatment of due times that pass while the bot is down; left out: as the configuration says.
    catch_up: Option<CatchUp>,
}

/// A trigger that was made.
#[derive(Serialize, utoipa::ToSchema)]
pub(super) struct MadeTrigger {
    /// The trigger.
    #[serde(flatten)]
    trigger: Trigger,
    /// The secret that signs a webhook's requests. It is shown this once.
    #[serde(skip_serializing_if = "Option::is_none")]
    secret: Option<String>,
}

/// Adds a trigger.
#[utoipa::path(post, path = "/api/triggers", tag = "triggers", security(("bearer" = [])),
    request_body = NewTriggerBody,
    responses((status = 201, body = MadeTrigger), (status = 422, body = ProblemBody),
        (status = 409, body = ProblemBody, description = "There is one of that name, its person has the most of its kind, or the agent of a run is turned off"),
        (status = 429, body = ProblemBody, description = "A person's token makes too many in a minute")))]
#[handler]
pub(super) async fn create(
    State(api): State<Shared>,
    _: Writer,
    caller: Caller,
    Body(new): Body<NewTriggerBody>,
) -> Result<(StatusCode, Json<MadeTrigger>), Problem> {
    if new.webhook && !caller.is_admin() {
        let detail = "it lets in whoever has its secret; only a token with the scope `admin` makes one";
        return Err(Problem::new(Code::MissingScope, detail).of_field("webhook"));
    }
    let user = new.user_id.or(caller.only());
    let zone = references(&api, &caller, &new, user).await?;
    pace::check_pace(&api, &caller).await?;
    let most = most_triggers(&api, &caller).await?;
    let settings = &api.context.settings.triggers;
    let new = NewTrigger {
        kind: new.kind,
        name: new.name,
        content: new.content,
        agent_id: new.agent_id,
        channel_id: new.channel_id,
        user_id: user,
        context_id: new.context_id,
        webhook: new.webhook,
        at: new.at,
        cron: new.cron,
        time_zone: new
            .time_zone
            .or(zone)
            .unwrap_or_else(|| api.context.settings.engine().time_zone.clone()),
        catch_up: new.catch_up.unwrap_or(settings.catch_up),
        created_by: caller.label(),
    };
    let trigger = new.into_trigger(api.clock.now())?;
    let secret = trigger.webhook.then(webhook::new_secret);
    let kept = match &secret {
        Some(secret) => Some(webhook::encrypt(&api.context.encryption, trigger.id, secret)?),
        None => None,
    };
    let trigger = api
        .db
        .write(move |tx| {
            Box::pin(async move {
                let trigger = triggers::insert(tx, &trigger, None).await?;
                if trigger.next_at.is_some() {
                    within(tx, &trigger, most).await?;
                }
                if let Some(secret) = &kept {
                    triggers::put_secret(tx, trigger.id, secret).await?;
                }
                Ok(trigger)
            })
        })
        .await?;
    api.context.notify.runs.notify_one();
    Ok((StatusCode::CREATED, Json(MadeTrigger { trigger, secret })))
}

/// How many reminders the caller's person may have, as the tool of that name has it, and how many triggers of runs;
/// `None`: a caller who is not limited to one person has no limit.
async fn most_triggers(api: &Shared, caller: &Caller) -> Result<Option<usize>, Problem> {
    let Some(user) = caller.only() else { return Ok(None) };
    let around = settings::Around {
        place: None,
        agent: None,
        user: Some(user),
    };
    let rows = settings::around(&mut api.db.read().await?, around).await?;
    let options = api.context.tools.options(&rows);
    let most = options.section("reminders")["max_per_user"].as_u64();
    Ok(most.and_then(|most| usize::try_from(most).ok()))
}

/// Checks that the person of a trigger that now has a due time has no more of its kind than they may.
async fn within(tx: &mut Tx, trigger: &Trigger, most: Option<usize>) -> Result<(), StoreError> {
    let (Some(user), Some(most)) = (trigger.user_id, most) else {
        return Ok(());
    };
    match trigger.kind {
        TriggerKind::Reminder => reminders::within(tx, user, most).await,
        TriggerKind::Run => {
            let due = triggers::runs_due(tx, user).await?;
            if due <= most {
                return Ok(());
            }
            let others = due - 1;
            Err(StoreError::WrongState(format!(
                "you already have {others} run triggers, and the maximum is {most}: disable or delete one first"
            )))
        }
        TriggerKind::Wake => Ok(()),
    }
}

/// Checks what a new trigger refers to, and returns the time zone of its person.
async fn references(
    api: &Shared,
    caller: &Caller,
    new: &NewTriggerBody,
    user: Option<UserId>,
) -> Result<Option<String>, Problem> {
    if let Some(user) = user {
        let known = users::get(&mut api.db.read().await?, user).await?;
        if caller.only().is_some() || known.is_some() {
            let (object, what) = (Object::person(user), format!("user {user}"));
            caller.allow_field(api, Need::Change, &object, "userId", what).await?;
        }
    }
    if let Some(id) = new.agent_id {
        chosen(api, caller, id).await?;
    }
    let channel = match new.channel_id {
        Some(id) => {
            let channel = channel_routes::one(api, id).await?;
            channel_routes::spoken_in(api, caller, &channel).await?;
            Some(channel)
        }
        None => None,
    };
    let mut conn = api.db.read().await?;
    if let Some(id) = new.context_id {
        let context = contexts::get(&mut conn, id).await?;
        let fits = |channel| context.is_some_and(|context| context.may_go_on_in(channel));
        if !channel.as_ref().is_some_and(fits) {
            return Err(Problem::input("contextId", "it is no conversation of that channel"));
        }
    }
    let Some(id) = user else { return Ok(None) };
    let user = users::get(&mut conn, id).await?;
    let user = user.ok_or_else(|| Problem::input("userId", format!("there is no user {id}")))?;
    Ok(user.time_zone)
}

/// Changes to a trigger; a field that is left out stays as it is.
#[derive(Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct TriggerChange {
    /// Its name; `null`: none.
    #[serde(default, deserialize_with = "nullable")]
    #[schema(value_type = Option<String>)]
    name: Option<Option<String>>,
    /// The prompt of a run, or the text of a reminder.
    content: Option<String>,
    /// When it fires next.
    #[schema(value_type = Option<String>)]
    at: Option<Timestamp>,
    /// When it fires again and again, once a minute at most; `null`: it does not.
    #[serde(default, deserialize_with = "nullable")]
    #[schema(value_type = Option<String>)]
    cron: Option<Option<String>>,
    /// IANA time zone of the expression.
    time_zone: Option<String>,
    /// The treatment of due times that pass while the bot is down.
    catch_up: Option<CatchUp>,
    /// Whether it fires.
    enabled: Option<bool>,
}

/// Changes a trigger. One that wakes a sleeping run changes with that alone.
#[utoipa::path(patch, path = "/api/triggers/{id}", tag = "triggers", security(("bearer" = [])),
    request_body = TriggerChange, params(("id" = String, Path, description = "The trigger")),
    responses((status = 200, body = Trigger), (status = 404, body = ProblemBody), (status = 422, body = ProblemBody),
        (status = 409, body = ProblemBody, description = "There is another of that name, or its person has the most of its kind"),
        (status = 429, body = ProblemBody, description = "A person's token schedules too many in a minute")))]
#[handler]
pub(super) async fn change(
    State(api): State<Shared>,
    _: Writer,
    caller: Caller,
    Id(id): Id<TriggerId>,
    Body(change): Body<TriggerChange>,
) -> Result<Json<Trigger>, Problem> {
    let change = Change {
        name: change.name,
        content: change.content,
        at: change.at,
        cron: change.cron,
        time_zone: change.time_zone,
        catch_up: change.catch_up,
        enabled: change.enabled,
    };
    let now = api.clock.now();
    let trigger = allowed(&api, &caller, Need::Change, id).await?;
    let due = trigger.next_at;
    let mut changed = editing::changed(trigger, change, now)?;
    let is_rescheduled = changed.next_at != due;
    if is_rescheduled && changed.next_at.is_some() {
        pace::check_pace(&api, &caller).await?;
    }
    let most = most_triggers(&api, &caller).await?;
    let written = api
        .db
        .write(move |tx| {
            Box::pin(async move {
                let due = triggers::get(tx, id).await?.and_then(|trigger| trigger.next_at);
                if !is_rescheduled {
                    // It may have fired since: that is not undone.
                    changed.next_at = due;
                }
                let written = triggers::update(tx, &changed, now).await?;
                // A trigger that is due anyway may be mended, however many there are.
                if due.is_none() && changed.next_at.is_some() {
                    within(tx, &changed, most).await?;
                }
                Ok(written)
            })
        })
        .await?;
    if !written {
        return Err(unknown(id));
    }
    api.context.notify.runs.notify_one();
    find_trigger(&api, id).await.map(Json)
}

/// Deletes a trigger with its secret and firings.
#[utoipa::path(delete, path = "/api/triggers/{id}", tag = "triggers", security(("bearer" = [])),
    params(("id" = String, Path, description = "The trigger")),
    responses((status = 204, description = "It is gone"), (status = 404, body = ProblemBody),
        (status = 409, body = ProblemBody, description = "It wakes a sleeping run: cancel that")))]
#[handler]
pub(super) async fn remove(
    State(api): State<Shared>,
    _: Writer,
    caller: Caller,
    Id(id): Id<TriggerId>,
) -> Result<StatusCode, Problem> {
    if allowed(&api, &caller, Need::Change, id).await?.kind == TriggerKind::Wake {
        let detail = format!("trigger {id} wakes a sleeping run; cancel the run instead");
        return Err(Problem::new(Code::WrongState, detail));
    }
    let deleted = (api.db).write(move |tx| Box::pin(triggers::delete(tx, id))).await?;
    if deleted {
        Ok(StatusCode::NO_CONTENT)
    } else {
        Err(unknown(id))
    }
}

/// The outcome of a firing.
#[derive(Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct FiredView {
    /// The run that was begun, if one was.
    #[schema(value_type = Option<String>)]
    pub(super) run_id: Option<RunId>,
    /// Why it came to nothing, if it did.
    pub(super) error: Option<String>,
}

/// Fires a trigger now; its schedule stays as it is.
#[utoipa::path(post, path = "/api/triggers/{id}/fire", tag = "triggers", security(("bearer" = [])),
    params(("id" = String, Path, description = "The trigger")),
    responses((status = 202, body = FiredView), (status = 404, body = ProblemBody),
        (status = 409, body = ProblemBody, description = "It is turned off, wakes a sleeping run, or its conversation is busy"),
        (status = 429, body = ProblemBody, description = "A person's token fires too many in a minute")))]
#[handler]
pub(super) async fn fire(
    State(api): State<Shared>,
    _: Writer,
    caller: Caller,
    Id(id): Id<TriggerId>,
) -> Result<(StatusCode, Json<FiredView>), Problem> {
    allowed(&api, &caller, Need::Change, id).await?;
    pace::check_pace(&api, &caller).await?;
    let (outbound, now) = (api.context.delivery.outbound().clone(), api.clock.now());
    let parallel = api.context.settings.ingress.shared_parallel;
    let fired = api
        .db
        .write(move |tx| Box::pin(async move { fire::fire_now(tx, &outbound, id, None, parallel, now).await }))
        .await
        .map_err(busy)?;
    Ok((StatusCode::ACCEPTED, Json(follow(&api, fired))))
}

/// Nothing but a conversation at work keeps a trigger from firing.
pub(super) fn busy(error: StoreError) -> Problem {
    match error {
        StoreError::Conflict(_) => Problem::new(Code::WrongState, "its conversation is busy; try again later"),
        other => other.into(),
    }
}

/// Lets this process go on with what a firing caused.
pub(super) fn follow(api: &Shared, fired: fire::Fired) -> FiredView {
    if let Some(pending) = fired.pending {
        api.context.delivery.deliver(pending);
    }
    api.context.notify.runs.notify_one();
    FiredView {
        run_id: fired.run,
        error: fired.error,
    }
}
