//! One call of the memory writer's model: paid for, made, counted.

use clifford_core::{
    budget::Settlement,
    id::{ChannelId, SpaceId, UserId},
    memory::result::Progress,
    models::Role,
    prompt::{fit, room::Window},
    run::step::LlmResponse,
};
use clifford_llm_api::{
    meter::Meter,
    model::{Completion, ModelError, Request},
    tokens::estimate_request,
};
use clifford_store::{
    jobs::JobLease,
    places::{place_settings::PlaceWords, settings},
    usage::Call,
};
use clifford_telemetry::failpoint::{self as crash, Point};
use tokio::time::Instant;

use crate::{
    Context,
    budget::{
        charge,
        reserve::{Claim, ReserveOutcome},
    },
    jobs::{JobError, enter_isolation, leave_isolation},
    models::roles::{NoReply, Payer},
};

/// The person on whose behalf a call is made.
#[derive(Clone, Copy, Debug)]
pub(super) struct WriterCallContext {
    /// The job.
    pub lease: JobLease,
    /// The person who is charged.
    pub user: Option<UserId>,
    /// Where it was said.
    pub channel: ChannelId,
    /// The space of that.
    pub space: Option<SpaceId>,
}

impl WriterCallContext {
    const fn call(&self) -> Call {
        Call {
            run: None,
            seq: None,
            user: self.user,
            channel: Some(self.channel),
            role: Role::Memory,
        }
    }
}

/// How often a request is made shorter that the model refuses as too long.
const SHORTENED: u32 = 3;

/// The window that the memory writer's requests must fit into.
pub(super) fn window(cx: &Context) -> Window {
    Window {
        tokens: cx.models.window(Role::Memory, None),
        reply: cx.models.reply_limit(Role::Memory),
    }
}

/// Asks the model. A request that is too long for it is made shorter.
///
/// # Errors
/// As [`complete_within`].
pub(super) async fn complete(
    cx: &Context,
    whose: &WriterCallContext,
    request: Request,
    progress: &mut Progress,
) -> Result<Completion, JobError> {
    let mut window = window(cx);
    let mut shortened = 0;
    loop {
        let mut fitting = request.clone();
        fit::fit(&mut fitting, window);
        let tokens = estimate_request(&fitting);
        fit::leave_room(&mut fitting, window, tokens);
        let (told, in_bytes) = match complete_within(cx, whose, fitting, progress).await {
            Err(JobError::Model(ModelError::TooLong { window, in_bytes, .. })) if shortened < SHORTENED => {
                (window, in_bytes)
            }
            asked => return asked,
        };
        let learned = cx.models.window(Role::Memory, None);
        let known = told.map_or(learned, |told| told.min(learned));
        let provider = cx.models.provider_of(Role::Memory).unwrap_or_default().to_owned();
        let Some(shorter) = fit::shorter(window.tokens, tokens, known, shortened) else {
            return Err(JobError::Model(ModelError::TooLong {
                provider,
                window: told,
                in_bytes,
            }));
        };
        window.tokens = shorter;
        shortened += 1;
    }
}

/// Asks the model, within the time limit of a run. If a budget is spent, the job waits for its next period.
///
/// # Errors
/// No reply, or no money for one; the store's.
async fn complete_within(
    cx: &Context,
    whose: &WriterCallContext,
    mut request: Request,
    progress: &mut Progress,
) -> Result<Completion, JobError> {
    let prompt_tokens = estimate_request(&request);
    let settlement = reserve(cx, whose, prompt_tokens, request.max_tokens).await?;
    crash::reach(Point::BeforeMemoryCall);
    request.deadline = Some((Instant::now() + cx.settings.engine().max_run_time).into_std());
    leave_isolation(cx, whose.lease).await?;
    let mut unwatched = ();
    let mut meter = Meter::new(&mut unwatched, prompt_tokens);
    let reply = cx.models.ask(Role::Memory, None, &request, &mut meter).await;
    let lost = meter.lost(reply.is_ok());
    // The call is paid for, even if another worker has the job by now.
    let entered = enter_isolation(cx, whose.lease).await;
    let completion = match reply {
        Ok(completion) => completion,
        Err(NoReply { error, timed_out }) => {
            let charged = charge::without_reply(&cx.models, Role::Memory, prompt_tokens, None, lost, timed_out);
            match (charged, settlement) {
                (Some(response), settlement) => charge::charge(cx, whose.call(), response, settlement).await?,
                (None, Some(settlement)) => crate::budget::reserve::release(cx, settlement).await?,
                (None, None) => {}
            }
            return Err(error.into());
        }
    };
    let response = LlmResponse {
        usage: completion.usage,
        provider: completion.provider.clone(),
        model: completion.model.clone(),
        cost: cx.models.charge(Role::Memory, &completion, Payer::Bot),
        lost: charge::priced(&cx.models, Role::Memory, None, lost),
        ..LlmResponse::default()
    };
    progress.count(&completion, response.cost_of_all());
    charge::charge(cx, whose.call(), response, settlement).await?;
    entered?;
    Ok(completion)
}

async fn reserve(
    cx: &Context,
    whose: &WriterCallContext,
    prompt_tokens: u64,
    max_tokens: Option<u32>,
) -> Result<Option<Settlement>, JobError> {
    let worst = cx.models.worst_case(Role::Memory, prompt_tokens, max_tokens);
    let rows = settings::of_place(&mut cx.db.read().await?, whose.space, whose.channel).await?;
    let claim = Claim {
        holder: whose.lease.job.to_string(),
        epoch: whose.lease.epoch,
        user: whose.user,
        platform_roles: Vec::new(),
        space: whose.space,
        budgets: PlaceWords::of(&rows).budgets,
    };
    match crate::budget::reserve::reserve(cx, &claim, worst, crate::budget::reserve::Telling::Nobody).await? {
        ReserveOutcome::Reserved(settlement) => Ok(settlement),
        ReserveOutcome::Refused(refusal) => {
            tracing::info!(error = refusal.error, "memory write waits for its budget");
            Err(JobError::NotYet(refusal.account.window.until))
        }
    }
}
