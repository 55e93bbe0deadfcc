//! `clifford runs show`.

use clifford_core::run::{rules::Rules, state::RunState};
use clifford_store::{
    Db,
    runs::{feedback, steps, tree as run_tree},
};
use serde_json::json;

use super::{Which, labels, words};
use crate::cli::output;

pub(super) async fn run(db: &Db, which: &Which) -> anyhow::Result<()> {
    let run = which.find(db).await?;
    let mut conn = db.read().await?;
    let steps = steps::of_run(&mut conn, run.id).await?;
    let children = run_tree::children(&mut conn, run.id).await?;
    let feedback = feedback::of_run(&mut conn, run.id).await?;
    drop(conn);
    let mut state = RunState::new(&run, &Rules::default());
    if which.format.json {
        let steps: Vec<_> = (steps.iter())
            .map(|step| {
                state.apply(step);
                let mut told = words::json(step);
                told["labels"] = state.labels.to_json();
                told
            })
            .collect();
        return output::json(&json!({ "run": run, "steps": steps, "children": children, "feedback": feedback }));
    }
    let mut lines = words::head(&run);
    lines.extend(
        children
            .iter()
            .map(|child| format!("child    {} {}", child.id, words::status(child.status))),
    );
    lines.extend(
        feedback
            .iter()
            .map(|given| format!("{:<8} by {} ({})", given.verdict, given.user_id, given.given_by)),
    );
    lines.push(String::new());
    lines.extend(labels::changed(None, &state));
    output::fields(&lines)?;
    for step in &steps {
        let before = state.clone();
        state.apply(step);
        words::print(step)?;
        let changed = labels::changed(Some(&before), &state);
        if !changed.is_empty() {
            output::fields(&changed)?;
        }
    }
    Ok(())
}
