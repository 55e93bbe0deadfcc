//! Records the cost of a call and settles its reservation at once: a call is paid for even if its result is lost.

use clifford_core::{
    budget::{Amount, Settlement},
    id::UserId,
    models::Role,
    run::step::LlmResponse,
};
use clifford_llm_api::model::Usage;
use clifford_store::{
    StoreError, budgets,
    usage::{self, Call},
};

use crate::{
    Context,
    models::{Own, roles::Roles},
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
    let has_reserved = settlement.is_some();
    let now = cx.clock.now();
    let written = |user: Option<UserId>| {
        let (response, settlement) = (response.clone(), settlement.clone());
        cx.db.write(move |tx| {
            Box::pin(async move {
                usage::insert(tx, Call { user, ..call }, &response, now).await?;
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
        cost: response.cost,
        tokens: response.usage.tokens(),
    }
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
