//! The cost of a prompt: its fixed part, how much of it stays the same from one iteration to the next, and how
//! many calls a greeting takes.

use anyhow::ensure;
use clifford_fakes::openai::{OpenAiFake, RecordedRequest, Reply};
use serde_json::{Value, json};

use super::Bench;
use crate::{
    process,
    replies::Tally,
    report::{Figure, Limit, Round},
};

/// How many iterations the run has whose prompts are compared.
const ITERATIONS: usize = 6;

/// Measures it.
///
/// # Errors
/// The bot did not answer, or asked the model otherwise than expected.
pub async fn measure(bench: &Bench) -> anyhow::Result<Round> {
    let greeting = asked(bench, "hi", |_| json!({"type": "send_message", "message": "Hello!"})).await?;
    let work = asked(bench, "add up five numbers", script).await?;
    ensure!(
        work.len() == ITERATIONS,
        "the scripted run took {} model calls instead of {ITERATIONS}",
        work.len()
    );
    let fixed = clifford_llm_api::tokens::estimate_tokens(work[0].text(0));
    let shares = work.windows(2).map(|pair| unchanged(&text(&pair[0]), &text(&pair[1])));
    let least = shares.fold(100.0, f64::min);
    #[expect(clippy::cast_precision_loss, reason = "a prompt's tokens, a greeting's calls")]
    let (fixed, calls) = (fixed as f64, greeting.len() as f64);
    Ok(Round {
        figures: vec![
            Figure::new("fixed part of a prompt", "tokens", fixed, Limit::Under(1501.0)),
            Figure::new("least unchanged part of a later prompt", "%", least, Limit::Over(90.0)),
            Figure::new("model calls for a greeting", "calls", calls, Limit::Under(1.5)),
        ],
        tally: Tally::default(),
        curves: Vec::new(),
    })
}

/// The requests to the model, for one question to a new bot.
async fn asked(
    bench: &Bench,
    question: &str,
    reply: impl Fn(usize) -> Value + Send + Sync + 'static,
) -> anyhow::Result<Vec<std::sync::Arc<RecordedRequest>>> {
    let (model, dir) = (OpenAiFake::start().await, bench.dir()?);
    model.respond_with(move |request| {
        let said = request
            .messages()
            .iter()
            .filter(|message| message["role"] == "assistant");
        Reply::json(&reply(said.count()))
    });
    process::ask(&bench.clifford, &model.base_url(), dir.path(), question).await?;
    let violations = model.violations();
    ensure!(violations.is_empty(), "the model complains: {violations:?}");
    Ok(model.requests())
}

/// Plans, calls a tool again and again, then answers.
fn script(turn: usize) -> Value {
    if turn + 1 == ITERATIONS {
        return json!({"type": "finish", "output": "That is all."});
    }
    let mut action =
        json!({"type": "tool_call", "name": "compute.eval", "args": {"expression": format!("{turn} + 1")}});
    if turn == 0 {
        action["notes"] = json!([
            {"category": "requirements", "content": "a sum of five numbers"},
            {"category": "plan", "content": "add one after the other, then answer"},
        ]);
    }
    action
}

/// A prompt as one text.
fn text(request: &RecordedRequest) -> String {
    let messages = request.messages().iter();
    messages.map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

/// How much of the later prompt, in percent, is the beginning of the earlier one as it was.
fn unchanged(earlier: &str, later: &str) -> f64 {
    let same = earlier
        .bytes()
        .zip(later.bytes())
        .take_while(|(one, other)| one == other);
    #[expect(clippy::cast_precision_loss, reason = "a prompt's bytes")]
    let share = same.count() as f64 / later.len() as f64;
    share * 100.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_appended_is_what_changed() {
        assert!((unchanged("aaaaaaaaa", "aaaaaaaaab") - 90.0).abs() < 1e-9);
        assert!((unchanged("abc", "xbc") - 0.0).abs() < 1e-9);
    }
}
