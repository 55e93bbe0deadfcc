//! `clifford eval FILE --add-disliked`: answers that people disliked become golden tasks.

use std::{fs::OpenOptions, io::Write as _, path::Path, process::ExitCode};

use anyhow::Context as _;
use clifford_engine::run::title;
use clifford_store::{
    places::channels,
    runs::{self, feedback},
};
use serde_json::{Value, json};

use super::task;
use crate::cli::{
    output::{self, Format},
    setup::Globals,
};

/// The most answers that are looked at, the newest.
const MOST: u32 = 200;
/// How many earlier questions of the conversation a task has, besides the one that was answered.
const TURNS: u32 = 5;

pub(super) async fn add(globals: &Globals, file: &Path, format: Format) -> anyhow::Result<ExitCode> {
    let before = match std::fs::read_to_string(file) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
        Err(error) => return Err(error).with_context(|| format!("{} cannot be read", file.display())),
    };
    let known = task::read(&before).with_context(|| file.display().to_string())?;
    let db = globals.database().await?;
    let mut conn = db.read().await?;
    let mut added = Vec::new();
    for id in feedback::disliked(&mut conn, MOST).await? {
        let name = format!("disliked {id}");
        if known.iter().any(|task| task.name == name) {
            continue;
        }
        let Some(run) = runs::get(&mut conn, id).await? else {
            continue;
        };
        let is_shared = match run.channel_id {
            Some(channel) => channels::get(&mut conn, channel)
                .await?
                .is_some_and(|channel| !channel.is_private()),
            None => false,
        };
        let asked: Vec<_> = (feedback::asked_until(&mut conn, id, TURNS + 1).await?.iter())
            .map(|input| title::as_written(input, is_shared))
            .collect();
        added.extend(task_of(&name, &asked, run.output_text.as_deref()));
    }
    drop(conn);
    db.close().await;
    // The oldest first, behind those that are there.
    added.reverse();
    let lines: String = added.iter().map(|task| format!("{task}\n")).collect();
    let line_end = if before.is_empty() || before.ends_with('\n') {
        ""
    } else {
        "\n"
    };
    let mut to = OpenOptions::new()
        .create(true)
        .append(true)
        .open(file)
        .with_context(|| format!("{} cannot be written", file.display()))?;
    to.write_all(format!("{line_end}{lines}").as_bytes())
        .with_context(|| format!("{} cannot be written", file.display()))?;
    if format.json {
        output::json(&added)?;
    } else {
        output::print(&match added.len() {
            0 => "no answer was disliked that has no task yet".to_owned(),
            many => format!(
                "added {many} to {}: say in `expect` what a good answer holds",
                file.display()
            ),
        })?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The task of an answer: what was asked, and that the answer is another one.
fn task_of(name: &str, asked: &[String], answer: Option<&str>) -> Option<Value> {
    let turns: Vec<_> = asked.iter().filter(|turn| !turn.is_empty()).collect();
    let lacks: Vec<_> = answer.into_iter().filter(|answer| !answer.trim().is_empty()).collect();
    (!turns.is_empty()).then(|| json!({"name": name, "turns": turns, "expect": {"answer_lacks": lacks}}))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_task_asks_what_was_asked_and_does_not_want_the_same_answer() {
        let asked = ["hello", "", "how far is the moon?"].map(str::to_owned);
        let task = task_of("disliked 1", &asked, Some("Very far.")).unwrap();
        let line = task.to_string();
        let read = task::read(&line).unwrap();
        assert_eq!(read[0].turns, ["hello", "how far is the moon?"]);
        assert_eq!(read[0].expect.answer_lacks, ["Very far."]);
        assert_eq!(task_of("disliked 2", &[String::new()], None), None);
    }
}
