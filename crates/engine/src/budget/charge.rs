//! Records the cost of a call and settles its reservation at once: a call is paid for even if its result is lost.

use clifford_core::{
    budget::{Amount, Settlement},
    id::{RunId, UserId},
    models::{Role, bounded},
    run::step::{LlmResponse, LostAttempt},
};
use clifford_llm_api::{
    meter::Lost,
    model::{Completion, Usage},
};
use clifford_store::{
    StoreError, budgets, runs,
    usage::{self, Call},
};

use crate::{
    Context,
    models::{
        Own,
        roles::{Payer, Roles},
    },
};

/// The model of a call whose reply nobody waited for: which one it was is not known.
const BROKEN_OFF: &str = "(broken off)";

/// Records a call, and settles what was reserved for it.
pub async fn charge(
    cx: &Context,
    call: Call,
    response: LlmResponse,
    settlement: Option<Settlement>,
) -> Result<(), StoreError> {
    record(cx, call, response, settlement, None).await
}

/// The same for a call of a run that is none of its steps: the run's own sums count it, too.
pub async fn charge_to_run(
    cx: &Context,
    call: Call,
    response: LlmResponse,
    settlement: Option<Settlement>,
) -> Result<(), StoreError> {
    record(cx, call, response, settlement, call.run).await
}

async fn record(
    cx: &Context,
    call: Call,
    response: LlmResponse,
    settlement: Option<Settlement>,
    counts_for: Option<RunId>,
) -> Result<(), StoreError> {
    let has_reserved = settlement.is_some();
    let now = cx.clock.now();
    let written = |user: Option<UserId>| {
        let (response, settlement) = (response.clone(), settlement.clone());
        cx.db.write(move |tx| {
            Box::pin(async move {
                usage::insert(tx, Call { user, ..call }, &response, now).await?;
                if let Some(run) = counts_for {
                    runs::count_lost(tx, run, &response).await?;
                }
                match &settlement {
                    Some(settlement) => budgets::settle(tx, settlement, spent(&response)).await,
                    None => Ok(()),
                }
            })
        })
    };
    let charged = match written(call.user).await {
        // They were erased or linked meanwhile.
        Err(StoreError::Conflict(_)) if call.user.is_some() => written(None).await,
        charged => charged,
    };
    if has_reserved {
        cx.notify.budget.notify_one();
    }
    charged
}

/// The amount of a call that counts against budgets.
pub fn spent(response: &LlmResponse) -> Amount {
    Amount {
        cost: response.cost_of_all(),
        tokens: response.tokens_of_all(),
    }
}

/// The attempts of a call that gave no reply, with their prices, which are counted.
pub fn priced(roles: &Roles, role: Role, own: Option<&Own>, lost: Vec<Lost>) -> Vec<LostAttempt> {
    let payer = if own.is_some() { Payer::Person } else { Payer::Bot };
    let price = |lost: Lost| {
        let attempt = Completion {
            usage: bounded(lost.usage),
            provider: lost.provider,
            model: lost.model,
            ..Completion::default()
        };
        LostAttempt {
            cost: roles.charge(role, &attempt, payer),
            usage: attempt.usage,
            provider: attempt.provider,
            model: attempt.model,
        }
    };
    lost.into_iter().map(price).collect()
}

/// The charge for a call without a reply: its attempts; where none had begun, its prompt if it was broken off here, and
/// nothing (`None`) if it was refused.
pub fn without_reply(
    roles: &Roles,
    role: Role,
    prompt_tokens: u64,
    own: Option<&Own>,
    lost: Vec<Lost>,
    is_broken_off: bool,
) -> Option<LlmResponse> {
    let mut attempts = priced(roles, role, own, lost);
    let Some(last) = attempts.pop() else {
        return is_broken_off
            .then(|| broken_off(roles, role, prompt_tokens, own))
            .flatten();
    };
    Some(LlmResponse {
        usage: last.usage,
        provider: last.provider,
        model: last.model,
        cost: last.cost,
        own_key: own.is_some(),
        lost: attempts,
        ..LlmResponse::default()
    })
}

/// The charge for a call that was abandoned, because it was stopped or its time was over: the cost of its prompt, as
/// far as that is known. `own`: by a key of the person's. `None`: it was the built-in responder's, which costs nothing.
pub fn broken_off(roles: &Roles, role: Role, prompt_tokens: u64, own: Option<&Own>) -> Option<LlmResponse> {
    let provider = own
        .map(|own| own.provider.as_str())
        .or_else(|| roles.provider_of(role))?;
    let usage = Usage {
        prompt_tokens,
        estimated: true,
        ..Usage::default()
    };
    Some(LlmResponse {
        cost: roles.cost(role, provider, &usage),
        usage,
        provider: provider.to_owned(),
        model: BROKEN_OFF.to_owned(),
        own_key: own.is_some(),
        ..LlmResponse::default()
    })
}
