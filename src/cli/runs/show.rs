//! `clifford runs show`.

use clifford_store::{
    Db,
    runs::{steps, tree as run_tree},
};
use serde_json::json;

use super::{Which, words};
use crate::cli::output;

pub(super) async fn run(db: &Db, which: &Which) -> anyhow::Result<()> {
    let run = which.find(db).await?;
    let mut conn = db.read().await?;
    let steps = steps::of_run(&mut conn, run.id).await?;
    let children = run_tree::children(&mut conn, run.id).await?;
    drop(conn);
    if which.format.json {
        let steps: Vec<_> = steps.iter().map(words::json).collect();
        return output::json(&json!({ "run": run, "steps": steps, "children": children }));
    }
    let mut lines = words::head(&run);
    lines.extend(
        children
            .iter()
            .map(|child| format!("child    {} {}", child.id, words::status(child.status))),
    );
    lines.push(String::new());
    lines.extend(steps.iter().map(words::line));
    output::print(&lines.join("\n"))
}
