//! `clifford runs replay`: the engine's state after each step, by the same fold that resumes a run.

use clifford_config::Loaded;
use clifford_core::run::{replay::deciding_state, state::RunState};
use clifford_store::{Db, runs::steps};
use clifford_tools::{Options, Registry};
use serde_json::{Value, json};

use super::{Which, words};
use crate::{
    app,
    cli::output::{self, Paint, paint},
};

pub(super) async fn run(db: &Db, loaded: &Loaded, which: &Which) -> anyhow::Result<()> {
    let run = which.find(db).await?;
    let steps = steps::of_run(&mut db.read().await?, run.id).await?;
    let rules = app::rules(
        &loaded.config,
        &Registry::new(loaded.platforms, loaded.config.engine.max_tool_retries),
        &Options::default(),
    )
    .of_run(&run);
    let mut state = RunState::new(&run, &rules);
    let mut frames = Vec::with_capacity(steps.len());
    for step in &steps {
        state.apply(step);
        frames.push((step, deciding_state(&state)));
    }
    if which.format.json {
        let frames: Vec<_> = frames
            .into_iter()
            .map(|(step, state)| json!({ "step": words::json(step), "state": state }))
            .collect();
        return output::json(&frames);
    }
    let mut lines = words::head(&run);
    lines.push(String::new());
    output::fields(&lines)?;
    let mut before = Value::Null;
    for (step, state) in frames {
        words::print(step)?;
        let changed = difference(&before, &state);
        if !changed.is_empty() {
            output::item(&format!("{:26}⇒ ", ""), &paint(Paint::Dim, &changed))?;
        }
        before = state;
    }
    Ok(())
}

/// The difference to the recorded step, in words.
fn difference(before: &Value, after: &Value) -> String {
    let changed: Vec<_> = after
        .as_object()
        .into_iter()
        .flatten()
        .filter(|(key, value)| before.get(key.as_str()).unwrap_or(&Value::Null) != *value)
        .filter(|(_, value)| !before.is_null() || !is_empty(value))
        .map(|(key, value)| match value {
            Value::String(text) => format!("{key}: {}", output::head(text, 60)),
            other => format!("{key}: {}", output::head(&other.to_string(), 60)),
        })
        .collect();
    changed.join(", ")
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Number(number) => number.as_f64() == Some(0.0),
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_changed_is_shown() {
        let before = json!({ "pending": "think", "tokens": 0, "output": "" });
        let after = json!({ "pending": "think", "tokens": 12, "output": "hi" });
        assert_eq!(difference(&before, &after), "tokens: 12, output: hi");
        assert_eq!(difference(&Value::Null, &before), "pending: think");
    }
}
