//! A call of a tool by hand: as a run would make it, without a run. Only commands that read can be called so.

use std::sync::Arc;

use clifford_core::{
    id::{RunId, UserId},
    policy::class::Class,
    run::step::{ToolCall, ToolOutcome},
    search,
};
use clifford_store::{StoreError, places::settings};
use clifford_tools::{Options, ToolContext};
use serde_json::{Map, Value};

use crate::{
    Runs,
    budget::reserve::Claim,
    run::tool_payer::{PaymentContext, ToolPayer},
};

/// Why a call by hand was not made.
#[derive(Debug, thiserror::Error)]
pub enum NotCalled {
    /// There is no such command, or it is turned off.
    #[error("{0}")]
    Unknown(String),
    /// It does more than read.
    #[error("{0} does more than read: only a run may call it; ask for it with `clifford ask`")]
    DoesMore(String),
    /// The database.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Makes a call on somebody's behalf, in private.
///
/// # Errors
/// There is no such command, it does more than read, or the store's error. The command's own error is an outcome.
pub async fn call(
    runs: &Runs,
    name: &str,
    args: Map<String, Value>,
    user: Option<UserId>,
) -> Result<ToolOutcome, NotCalled> {
    let context = &runs.context;
    // A server's tools are known once it is connected to.
    context.tools.registry.settled(name).await;
    let known = context.tools.registry.command(name);
    let unknown = |options: &Options| {
        let tool = name.split('.').next().unwrap_or_default();
        if let Some(why) = context.tools.registry.away(tool) {
            return NotCalled::Unknown(format!("{name} cannot be called: {why}; `clifford doctor` tries it"));
        }
        let why = context.tools.registry.unknown(options, name);
        NotCalled::Unknown(why.replace("tools.list names those there are", "`clifford tools list` shows them"))
    };
    let command = known.ok_or_else(|| unknown(&context.tools.options(&[])))?;
    if command.class != Class::Read {
        return Err(NotCalled::DoesMore(name.to_owned()));
    }
    let agent = runs.default_agent().await?.id;
    let around = settings::Around {
        place: None,
        agent: Some(agent),
        user,
    };
    let rows = settings::around(&mut context.db.read().await?, around).await?;
    let options = Arc::new(context.tools.options(&rows));
    if context.tools.registry.lacks(&options, name).is_some() {
        return Err(unknown(&options));
    }
    let run = RunId::new();
    let whose = PaymentContext {
        run: None,
        claim: Claim {
            holder: run.to_string(),
            epoch: 0,
            user,
            platform_roles: Vec::new(),
            space: None,
            budgets: Vec::new(),
        },
        channel: None,
    };
    let payer = ToolPayer::new(Arc::clone(context), whose);
    let cx = ToolContext {
        user,
        scope: search::Scope::of(user, None),
        ..context.tool_context((agent, run), options, Arc::clone(&payer) as _)
    };
    let call = ToolCall {
        name: name.to_owned(),
        args,
        idempotency_key: run.to_string(),
    };
    let called = context.tools.registry.call(cx, &call).await;
    // The purchase that was unfinished when its time was over.
    payer.charge_broken_off().await;
    Ok(called.outcome)
}
