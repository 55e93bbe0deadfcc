//! Runs: begun without a message, listed, shown and changed.

use axum::{Json, extract::State, http::StatusCode};
use clifford_chat::outbound::Address;
use clifford_core::{
    clock::Timestamp,
    id::{AgentId, ChannelId, RunId, UserId},
    people::UserRole,
    places::Mode,
    runs::{Run, RunStatus},
};
use clifford_engine::{
    run::answering::{AnsweredBy, ApprovalAnswer},
    work::Task,
};
use clifford_store::{
    people::users,
    places::{agents, channels},
    runs::{
        Filter,
        feedback::{self, Feedback},
        steps,
        timing::{self, Delivery},
        views as run_views,
    },
};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{
    Shared,
    access::{Caller, Need, Object, Reader, Relation, Writer},
    agents::chosen,
    channels as channel_routes,
    extract::{Body, Id, Query, check_text},
    handler,
    pace::{self, LONGEST},
    page::{self, Page},
    problem::{Code, Problem, ProblemBody},
    question::{self, OpenQuestion},
    step::StepView,
};

/// Longest name of a kind of helper.
const PROFILE: usize = 100;

/// Which runs.
#[derive(Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub(super) struct RunsQuery {
    /// Only runs with this status.
    status: Option<RunStatus>,
    /// Only runs that wait for this: `tool_confirm` is an approval.
    wake_reason: Option<String>,
    /// Only of this person. `user` is its old name.
    #[serde(alias = "user")]
    #[param(value_type = Option<String>)]
    user_id: Option<UserId>,
    /// Only of this channel. `channel` is its old name.
    #[serde(alias = "channel")]
    #[param(value_type = Option<String>)]
    channel_id: Option<ChannelId>,
    /// Only those that changed at this moment or later (RFC 3339): of ended runs, those that ended since.
    #[param(value_type = Option<String>)]
    changed_since: Option<Timestamp>,
    /// Only older than this one.
    #[param(value_type = Option<String>)]
    before: Option<RunId>,
    /// How many on a page, at most 200.
    limit: Option<u32>,
}

/// A page of runs, newest first.
#[utoipa::path(get, path = "/api/runs", tag = "runs", security(("bearer" = [])), params(RunsQuery),
    responses((status = 200, body = Page<Run>), (status = 400, body = ProblemBody)))]
#[handler]
pub(super) async fn list(
    State(api): State<Shared>,
    _: Reader,
    caller: Caller,
    Query(wanted): Query<RunsQuery>,
) -> Result<Json<Page<Run>>, Problem> {
    let limit = page::limit(wanted.limit)?;
    let user = seen_of(&api, &caller, wanted.user_id, wanted.channel_id).await?;
    let filter = Filter {
        status: wanted.status,
        wake_reason: wanted.wake_reason,
        user,
        channel: wanted.channel_id,
        changed_since: wanted.changed_since,
        before: wanted.before,
    };
    let found = run_views::page(&mut api.db.read().await?, &filter, limit + 1, api.clock.now()).await?;
    Ok(Json(Page::of(found, limit, |run| run.id.to_string())))
}

/// A run with its steps.
#[derive(Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct RunWithSteps {
    /// The run.
    #[serde(flatten)]
    run: Run,
    /// Its steps, in order.
    run_steps: Vec<StepView>,
    /// When the first message came that it answers; `null`: no message asked for it. It waited until its first step.
    #[schema(value_type = Option<String>)]
    asked_at: Option<Timestamp>,
    /// Its messages, and the time at which each reached the chat.
    deliveries: Vec<Delivery>,
    /// People's verdicts on its answer.
    feedback: Vec<Feedback>,
    /// The question that it asks before it goes on.
    #[serde(skip_serializing_if = "Option::is_none")]
    question: Option<OpenQuestion>,
}

/// One run with its steps.
#[utoipa::path(get, path = "/api/runs/{id}", tag = "runs", security(("bearer" = [])),
    params(("id" = String, Path, description = "The run")),
    responses((status = 200, body = RunWithSteps), (status = 404, body = ProblemBody)))]
#[handler]
pub(super) async fn get(
    State(api): State<Shared>,
    _: Reader,
    caller: Caller,
    Id(id): Id<RunId>,
) -> Result<Json<RunWithSteps>, Problem> {
    let run = allowed(&api, &caller, Need::See, id).await?;
    let reader = reader_of(&api, &caller, &run).await?;
    let mut conn = api.db.read().await?;
    let steps = steps::of_run(&mut conn, id).await?;
    let feedback = feedback::of_run(&mut conn, id).await?;
    Ok(Json(RunWithSteps {
        question: OpenQuestion::of(&run, &steps, reader),
        run,
        asked_at: timing::asked_at(&mut conn, id).await?,
        deliveries: timing::deliveries(&mut conn, id).await?,
        feedback,
        run_steps: steps.iter().map(StepView::from).collect(),
    }))
}

/// Whether the caller reads words about a run as its own person.
pub(super) async fn reader_of(api: &Shared, caller: &Caller, run: &Run) -> Result<question::Reader, Problem> {
    let is_own = run.user_id.is_none() || caller.own(api).await? == run.user_id;
    Ok(if is_own {
        question::Reader::Asked
    } else {
        question::Reader::Other
    })
}

/// A run to be begun.
#[derive(Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct NewRun {
    /// The agent; left out: the channel's, or the default one.
    #[schema(value_type = Option<String>)]
    agent_id: Option<AgentId>,
    /// The question.
    #[schema(max_length = 1_048_576)]
    input_text: String,
    /// Data for the run, shown to the model as data: whole, or cut with a mark where it is long.
    #[schema(value_type = Option<Object>)]
    input_json: Option<Value>,
    /// The profile that the run uses.
    profile: Option<String>,
    /// The only tools it may call: `tool` or `tool.command`.
    allowed_tools: Option<Vec<String>>,
    /// The channel of its messages; left out: none, read them from the run.
    #[schema(value_type = Option<String>)]
    channel_id: Option<ChannelId>,
    /// The person on whose behalf it is, which needs an owner's token with `admin`; left out: the token's own.
    #[schema(value_type = Option<String>)]
    user_id: Option<UserId>,
    /// How it works; left out: as `run`, step by step.
    mode: Option<Mode>,
}

/// Starts a run without a message.
#[utoipa::path(post, path = "/api/runs", tag = "runs", security(("bearer" = [])), request_body = NewRun,
    responses((status = 202, body = Run), (status = 404, body = ProblemBody), (status = 409, body = ProblemBody),
        (status = 422, body = ProblemBody),
        (status = 429, body = ProblemBody, description = "A person's token begins too many in a minute")))]
#[handler]
pub(super) async fn create(
    State(api): State<Shared>,
    _: Writer,
    caller: Caller,
    Body(new): Body<NewRun>,
) -> Result<(StatusCode, Json<Run>), Problem> {
    check_text("inputText", &new.input_text, LONGEST)?;
    if let Some(profile) = &new.profile {
        check_text("profile", profile, PROFILE)?;
        check_profile(&api, profile)?;
    }
    check_tools(&api, new.allowed_tools.as_deref().unwrap_or_default())?;
    let (agent, address) = destination(&api, &caller, &new).await?;
    pace::check_pace(&api, &caller).await?;
    let user = person(&api, &caller, new.user_id).await?;
    let task = Task {
        agent,
        channel: new.channel_id,
        user: Some(user),
        context: None,
        mode: new.mode.unwrap_or(Mode::Run),
        input: new.input_text,
        address,
        platform_roles: None,
        not_before: None,
    };
    let mut run = task.into_run(None);
    run.input_json = new.input_json;
    run.profile = new.profile;
    run.allowed_tools = new.allowed_tools;
    Ok((StatusCode::ACCEPTED, Json(api.runs.submit(run).await?)))
}

/// On whose behalf it is: a person that is named, else the caller.
async fn person(api: &Shared, caller: &Caller, named: Option<UserId>) -> Result<UserId, Problem> {
    if let Some(user) = named {
        caller
            .allow_bot(Need::Administer)
            .map_err(|problem| problem.of_field("userId"))?;
        let known = users::get(&mut api.db.read().await?, user).await?;
        return known
            .map(|user| user.id)
            .ok_or_else(|| Problem::input("userId", format!("there is no user {user}")));
    }
    let (speaker, platform, now) = (caller.speaker(), caller.place().platform, api.clock.now());
    let user = api
        .db
        .write(move |tx| {
            Box::pin(async move { users::find_or_create(tx, platform, &speaker, UserRole::Member, now).await })
        })
        .await?;
    Ok(user.id)
}

/// The agent that does it, and where it speaks.
async fn destination(api: &Shared, caller: &Caller, new: &NewRun) -> Result<(AgentId, Option<Address>), Problem> {
    let (channel, address) = match new.channel_id {
        None => (None, None),
        Some(id) => {
            let channel = channel_routes::one(api, id).await?;
            channel_routes::spoken_in(api, caller, &channel).await?;
            channel_routes::answering(&channel)?;
            let address = channel.address();
            (Some(channel), Some(address))
        }
    };
    let agent = match new.agent_id {
        Some(id) => chosen(api, caller, id).await?,
        None => {
            let agent = agents::for_channel(&mut api.db.read().await?, channel.as_ref()).await?;
            agent.ok_or_else(|| Problem::new(Code::NoAgent, "turn an agent on in the configuration"))?
        }
    };
    Ok((agent.id, address))
}

fn check_profile(api: &Shared, name: &str) -> Result<(), Problem> {
    let profiles = &api.context.settings.rules.profiles;
    if profiles.contains_key(name) {
        return Ok(());
    }
    let known: Vec<_> = profiles.keys().map(String::as_str).collect();
    let detail = match known.is_empty() {
        true => format!("there is no profile `{name}`: `[[profiles]]` in bot.toml has none"),
        false => format!("there is no profile `{name}`; there are: {}", known.join(", ")),
    };
    Err(Problem::input("profile", detail))
}

fn check_tools(api: &Shared, allowed: &[String]) -> Result<(), Problem> {
    // Which of them can be used is another question: that depends on where the run is.
    for (place, entry) in allowed.iter().enumerate() {
        if !api.context.tools.registry.knows(entry) {
            let detail = format!("there is no tool `{entry}`");
            return Err(Problem::input(&format!("allowedTools[{place}]"), detail));
        }
    }
    Ok(())
}

/// Stops a run and its subagents.
#[utoipa::path(post, path = "/api/runs/{id}/cancel", tag = "runs", security(("bearer" = [])),
    params(("id" = String, Path, description = "The run")),
    responses((status = 200, body = Run), (status = 404, body = ProblemBody),
        (status = 409, body = ProblemBody, description = "It has ended")))]
#[handler]
pub(super) async fn cancel(
    State(api): State<Shared>,
    _: Writer,
    caller: Caller,
    Id(id): Id<RunId>,
) -> Result<Json<Run>, Problem> {
    allowed(&api, &caller, Need::Change, id).await?;
    Ok(Json(api.runs.cancel(id).await?))
}

/// Wakes a waiting run before its time.
#[utoipa::path(post, path = "/api/runs/{id}/wake", tag = "runs", security(("bearer" = [])),
    params(("id" = String, Path, description = "The run")),
    responses((status = 202, body = Run), (status = 404, body = ProblemBody),
        (status = 409, body = ProblemBody, description = "It does not wait")))]
#[handler]
pub(super) async fn wake(
    State(api): State<Shared>,
    _: Writer,
    caller: Caller,
    Id(id): Id<RunId>,
) -> Result<(StatusCode, Json<Run>), Problem> {
    allowed(&api, &caller, Need::Change, id).await?;
    Ok((StatusCode::ACCEPTED, Json(api.runs.wake(id).await?)))
}

/// An answer to what a run asks.
#[derive(Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct NewAnswer {
    /// The answer.
    decision: ApprovalDecision,
    /// The question's code, as the message with the question shows it; left out: the run's present question.
    code: Option<String>,
    /// A rule allows such calls from now on in the conversation, for the same person.
    #[serde(default)]
    always: bool,
    /// With `deny`: the wish of the run's person, in their words. The run goes on with them, as with a reply to the
    /// question in a chat.
    words: Option<String>,
}

/// A decision about a call.
#[derive(Clone, Copy, PartialEq, Eq, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(rename_all = "snake_case")]
pub(super) enum ApprovalDecision {
    /// The call is made as it was asked for.
    Approve,
    /// It is not made.
    Deny,
}

/// Answers a run's question about a call.
#[utoipa::path(post, path = "/api/runs/{id}/confirm", tag = "runs", security(("bearer" = [])),
    params(("id" = String, Path, description = "The run")), request_body = NewAnswer,
    responses((status = 202, body = Run), (status = 404, body = ProblemBody),
        (status = 409, body = ProblemBody, description = "It asks nothing, or the caller may not answer")))]
#[handler]
pub(super) async fn confirm(
    State(api): State<Shared>,
    _: Writer,
    caller: Caller,
    Id(id): Id<RunId>,
    Body(new): Body<NewAnswer>,
) -> Result<(StatusCode, Json<Run>), Problem> {
    let run = allowed(&api, &caller, Need::Change, id).await?;
    let by = answerer(&api, &caller, &run).await?;
    let words = new.words.filter(|words| !words.trim().is_empty());
    let is_person =
        matches!(&by, AnsweredBy::User(user) | AnsweredBy::Manager(user, _) if run.user_id == Some(user.id));
    if words.is_some() && !(new.decision == ApprovalDecision::Deny && is_person) {
        let detail = "only the run's person says what they want instead, with `deny` and a token of their own";
        return Err(Problem::input("words", detail));
    }
    let answer = ApprovalAnswer {
        run: id,
        code: new.code,
        approved: new.decision == ApprovalDecision::Approve,
        always: new.always,
        words,
        by,
    };
    Ok((StatusCode::ACCEPTED, Json(api.runs.confirm(answer).await?)))
}

/// As whom a caller answers who may.
async fn answerer(api: &Shared, caller: &Caller, run: &Run) -> Result<AnsweredBy, Problem> {
    if caller.is_admin() {
        return Ok(AnsweredBy::Operator);
    }
    let object = Object::run(run);
    let relation = caller
        .allow(api, Need::Change, &object, format!("run {}", run.id))
        .await?;
    let own = caller.own(api).await?;
    let mut conn = api.db.read().await?;
    let user = match own {
        Some(own) => users::get(&mut conn, own).await?,
        None => None,
    };
    let nobody = || {
        let detail = format!("run {}: only its person or an owner may answer", run.id);
        Problem::new(Code::WrongState, detail)
    };
    let user = user.ok_or_else(nobody)?;
    let channel = match (relation, run.channel_id) {
        (Relation::Managed, Some(channel)) => channels::get(&mut conn, channel).await?,
        _ => None,
    };
    Ok(match channel.and_then(|channel| channel.space_id) {
        Some(space) => AnsweredBy::Manager(user, space),
        None => AnsweredBy::User(user),
    })
}

/// Repeats a failed or cancelled run, as a new one.
#[utoipa::path(post, path = "/api/runs/{id}/retry", tag = "runs", security(("bearer" = [])),
    params(("id" = String, Path, description = "The run")),
    responses((status = 202, body = Run, description = "The new run"), (status = 404, body = ProblemBody),
        (status = 409, body = ProblemBody, description = "It has not failed"),
        (status = 429, body = ProblemBody, description = "A person's token begins too many in a minute")))]
#[handler]
pub(super) async fn retry(
    State(api): State<Shared>,
    _: Writer,
    caller: Caller,
    Id(id): Id<RunId>,
) -> Result<(StatusCode, Json<Run>), Problem> {
    allowed(&api, &caller, Need::Change, id).await?;
    pace::check_pace(&api, &caller).await?;
    Ok((StatusCode::ACCEPTED, Json(api.runs.retry(id).await?)))
}

/// The owner whose runs a list shows: of a channel that the caller may see, everybody's.
async fn seen_of(
    api: &Shared,
    caller: &Caller,
    user: Option<UserId>,
    channel: Option<ChannelId>,
) -> Result<Option<UserId>, Problem> {
    match channel {
        Some(channel) if user.is_none() => caller.sees_channel(api, channel).await.map(|()| None),
        _ => caller.owner_filter(api, user).await,
    }
}

/// A run that the caller may do this with.
pub(super) async fn allowed(api: &Shared, caller: &Caller, need: Need, id: RunId) -> Result<Run, Problem> {
    let run = one(api, id).await?;
    caller.allow(api, need, &Object::run(&run), format!("run {id}")).await?;
    Ok(run)
}

/// One run.
pub(super) async fn one(api: &Shared, id: RunId) -> Result<Run, Problem> {
    run_views::get(&mut api.db.read().await?, id, api.clock.now())
        .await?
        .ok_or_else(|| Problem::not_found(format!("run {id}")))
}
