//! Arithmetic and units, worked out by a worker process.

use std::time::Duration;

use clifford_worker::{self as worker, WorkError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Config;
use crate::{ToolContext, ToolError};

#[derive(Deserialize, JsonSchema)]
pub(super) struct EvalArgs {
    /// Such as `3 * (4 + 5)`, `12% of 80` or `5 km in miles`.
    expression: String,
}

#[derive(Serialize)]
pub(super) struct Evaluated {
    value: String,
}

pub(super) async fn eval(cx: ToolContext, args: EvalArgs) -> Result<Evaluated, ToolError> {
    if let Some(fault) = worker::expression_fault(&args.expression) {
        return Err(ToolError::TellModel(fault));
    }
    let limit = Duration::from_secs(cx.config::<Config>("compute")?.max_seconds);
    let workers = &cx.services.workers;
    match workers.evaluate(&cx.on_behalf_of(), &args.expression, limit).await {
        Ok(value) => Ok(Evaluated { value }),
        Err(WorkError::Rejected(why)) => Err(ToolError::TellModel(why)),
        Err(WorkError::TooCostly) => Err(ToolError::TellModel(worker::EXPRESSION_TOO_COSTLY.to_owned())),
        Err(WorkError::Unavailable(why)) => Err(ToolError::Unavailable(why)),
    }
}
