//! One call of the memory writer's model: paid for, made, counted.

use std::time::Duration;

use clifford_llm::{Completion, Request, estimate_tokens};

use super::result::Progress;
use crate::{
    budget::{self, Claim, Outcome, Settlement},
    engine::{
        Engine,
        crash::{self, Point},
        step::LlmResponse,
    },
    id::{ChannelId, SpaceId, UserId},
    jobs::JobError,
    roles::{Payer, Role},
    store::{jobs::JobLease, usage::Call},
};

/// Whose call it is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Whose {
    /// The job.
    pub lease: JobLease,
    /// Who is charged.
    pub user: Option<UserId>,
    /// Where it was said.
    pub channel: ChannelId,
    /// The space of that.
    pub space: Option<SpaceId>,
}

/// Asks the model. Where a budget is spent, the job waits until it begins anew.
///
/// # Errors
/// No reply, or no money for one; the store's.
pub(super) async fn complete(
    engine: &Engine,
    whose: &Whose,
    request: &Request,
    progress: &mut Progress,
) -> Result<Completion, JobError> {
    let settlement = reserve(engine, whose, request).await?;
    crash::reach(Point::BeforeMemoryCall);
    let limit = Duration::from_millis(engine.rules.max_run_ms);
    let reply = engine.roles.ask(Role::Memory, request, &mut (), limit).await;
    let completion = match reply {
        Ok(completion) => completion,
        Err(error) => {
            if let Some(settlement) = settlement {
                budget::release(engine, settlement).await?;
            }
            return Err(error.into());
        }
    };
    let response = LlmResponse {
        usage: completion.usage,
        provider: completion.provider.clone(),
        model: completion.model.clone(),
        cost: engine.roles.charge(Role::Memory, &completion, Payer::Bot),
        ..LlmResponse::default()
    };
    progress.count(&completion, response.cost);
    let call = Call {
        run: None,
        seq: None,
        user: whose.user,
        channel: Some(whose.channel),
        role: Role::Memory,
    };
    budget::charge(engine, call, response, settlement).await?;
    Ok(completion)
}

async fn reserve(engine: &Engine, whose: &Whose, request: &Request) -> Result<Option<Settlement>, JobError> {
    let prompt_tokens = request
        .messages
        .iter()
        .map(|message| estimate_tokens(&message.content))
        .sum();
    let worst = engine.roles.worst_case(Role::Memory, prompt_tokens, request.max_tokens);
    let claim = Claim {
        holder: whose.lease.job.to_string(),
        epoch: whose.lease.epoch,
        user: whose.user,
        space: whose.space,
    };
    match budget::reserve(engine, &claim, worst, budget::Telling::Nobody).await? {
        Outcome::Reserved(settlement) => Ok(settlement),
        Outcome::Refused(refusal) => {
            tracing::info!(error = refusal.error, "what is to be remembered waits for its budget");
            Err(JobError::NotYet(refusal.account.window.until))
        }
    }
}
