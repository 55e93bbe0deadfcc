//! Arithmetic and units, by the fend calculator.

use std::time::{Duration, Instant};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Config;
use crate::tools::{ToolContext, ToolError};

/// The longest expression, in bytes.
const MOST: usize = 4096;

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
    if args.expression.len() > MOST {
        return Err(ToolError::TellModel(format!(
            "the expression is longer than {MOST} bytes"
        )));
    }
    let limit = Duration::from_secs(cx.config::<Config>("compute")?.max_seconds);
    tokio::task::spawn_blocking(move || evaluate(&args.expression, limit))
        .await
        .map_err(|_| ToolError::Unavailable("the calculator broke down".to_owned()))?
}

struct Deadline(Instant, Duration);

impl fend_core::Interrupt for Deadline {
    fn should_interrupt(&self) -> bool {
        self.0.elapsed() > self.1
    }
}

fn evaluate(expression: &str, limit: Duration) -> Result<Evaluated, ToolError> {
    let mut context = fend_core::Context::new();
    // Models write ** for powers; thousands with commas it reads itself.
    let expression = expression.replace("**", "^");
    let result = fend_core::evaluate_with_interrupt(&expression, &mut context, &Deadline(Instant::now(), limit))
        .map_err(|error| ToolError::TellModel(format!("`{expression}` cannot be computed: {error}")))?;
    Ok(Evaluated {
        value: result.get_main_result().to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::evaluate;

    const LIMIT: Duration = Duration::from_secs(2);

    #[test]
    fn expressions_have_their_values() {
        let cases = [
            ("17 * 23", "391"),
            ("3 * (4 + 5)", "27"),
            ("2 ** 10", "1024"),
            ("1,234,567 * 2", "2469134"),
            ("12% of 80", "9.6"),
            ("1/3", "approx. 0.3333333333"),
            ("5 km in miles", "approx. 3.1068559612 miles"),
            ("20 °C to °F", "68 °F"),
            ("1 GiB to bytes", "1073741824 bytes"),
        ];
        for (expression, value) in cases {
            let result = evaluate(expression, LIMIT)
                .map(|evaluated| evaluated.value)
                .map_err(|error| error.to_string());
            assert_eq!(result.as_deref(), Ok(value), "{expression}");
        }
    }

    #[test]
    fn what_cannot_be_computed_says_why() {
        let error = evaluate("2 +", LIMIT)
            .map(|evaluated| evaluated.value)
            .expect_err("half an expression");
        assert!(error.to_string().starts_with("`2 +` cannot be computed: "), "{error}");
    }
}
