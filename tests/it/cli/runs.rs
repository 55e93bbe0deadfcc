//! `clifford runs`.

use super::Machine;

const NOBODY: &str = "0198f2c4-0000-7000-8000-000000000000";

#[test]
fn runs_are_listed_newest_first_and_filtered() {
    let machine = Machine::asked("what is 1 + 1?");
    machine.run(["ask", "what is 2 + 2?"]).succeeds();
    let list = machine.run(["runs", "list"]).succeeds();
    let lines: Vec<_> = list.lines().collect();
    assert!(
        lines[0].starts_with("RUN") && lines[1].contains("2 + 2") && lines[2].contains("1 + 1"),
        "{list}"
    );
    let page = machine.run(["runs", "list", "--limit", "1", "--json"]);
    assert!(page.err.contains("there are more than these 1: --before"), "{page:?}");
    let page = page.json();
    assert_eq!(page.as_array().map(Vec::len), Some(1));
    let all = machine.run(["runs", "list", "--limit", "2"]);
    assert_eq!(all.err, "");
    let newest = page[0]["id"].as_str().expect("an id");
    let older = machine.run(["runs", "list", "--before", newest, "--json"]).json();
    assert_eq!(older[0]["inputText"], "what is 1 + 1?");
    assert_eq!(
        machine.run(["runs", "list", "--status", "failed"]).succeeds(),
        "no matching runs found\n"
    );
}

#[test]
fn a_run_is_shown_tailed_and_replayed_step_by_step() {
    let machine = Machine::asked("what is 17 * 23?");
    let shown = machine.run(["runs", "show", "last"]).succeeds();
    for word in ["status   completed", "note", "call", "compute.eval", "result", "finish"] {
        assert!(shown.contains(word), "{word}: {shown}");
    }
    let mut steps = machine.run(["runs", "show", "last", "--json"]).json()["steps"].clone();
    // The state of a run after a step follows from all steps before it, which a tail does not look at.
    for step in steps.as_array_mut().expect("steps") {
        let labels = step
            .as_object_mut()
            .and_then(|step| step.remove("labels"))
            .expect("labels");
        assert_eq!(labels["integrity"]["label"], "trusted");
    }
    let tailed = machine.run(["runs", "tail", "last", "--json"]).succeeds();
    let lines: Vec<serde_json::Value> = tailed
        .lines()
        .map(|line| serde_json::from_str(line).expect("a step a line"))
        .collect();
    assert_eq!(serde_json::Value::Array(lines), steps);
    let frames = machine.run(["runs", "replay", "last", "--json"]).json();
    let last = frames.as_array().and_then(|frames| frames.last()).expect("a frame");
    assert_eq!(last["state"]["pending"], "nothing");
    assert_eq!(
        last["state"]["calls"],
        serde_json::json!({ "compute.eval {\"expression\":\"17 * 23\"}": 1 })
    );
    let replayed = machine.run(["runs", "replay", "last"]).succeeds();
    assert!(replayed.contains("⇒ pending: nothing"), "{replayed}");
}

#[test]
fn a_run_that_is_not_there_is_named() {
    let machine = Machine::asked("hello");
    for command in ["show", "cancel", "retry", "replay", "tail", "rerun"] {
        machine
            .run(["runs", command, NOBODY])
            .fails_with(&format!("there is no run {NOBODY}; `clifford runs list` shows them"));
    }
    let empty = Machine::new();
    empty.run(["db", "migrate"]).succeeds();
    empty.run(["runs", "show", "last"]).fails_with("there are no runs yet");
}

#[test]
fn a_run_that_has_completed_is_neither_cancelled_nor_done_again() {
    let machine = Machine::asked("hello");
    let run = machine.run(["runs", "list", "--json"]).json()[0]["id"].clone();
    let run = run.as_str().expect("an id");
    machine
        .run(["runs", "cancel", "last"])
        .fails_with(&format!("run {run} has ended already"));
    machine.run(["runs", "retry", "last"]).fails_with(&format!(
        "run {run} is completed: only coordinator runs that failed or were cancelled can be done again"
    ));
}

#[test]
fn a_sleeping_run_is_cancelled_from_outside_and_done_again() {
    let machine = Machine::new();
    machine.pipe("wait 10 minutes\n/quit\n", &["chat"]);
    let waiting = machine.run(["runs", "list", "--status", "waiting", "--json"]).json();
    let run = waiting[0]["id"].as_str().expect("a waiting run").to_owned();
    assert_eq!(
        machine.run(["runs", "cancel", &run]).succeeds(),
        format!("{run}: cancelled\n")
    );
    let again = machine.run(["runs", "retry", &run, "--json"]).json();
    assert_eq!(
        (&again["status"], &again["inputText"]),
        (&"pending".into(), &waiting[0]["inputText"])
    );
    assert_ne!(again["id"], waiting[0]["id"]);
}

#[test]
fn a_run_is_done_once_more_beside_what_was_recorded() {
    let machine = Machine::asked("what is 17 * 23?");
    let same = machine.run(["runs", "rerun", "last"]).succeeds();
    for part in [
        "prompt   the recorded one",
        "end      as a run does",
        "0 different",
        "[as recorded in step ",
    ] {
        assert!(same.contains(part), "{part}: {same}");
    }
    let id = machine.run(["runs", "list", "--json"]).json()[0]["id"].clone();
    let id = id.as_str().expect("an id");
    let reply = r#"{"type":"send_message","message":"Guess!"}"#;
    let told = machine
        .run(["runs", "rerun", &id[..13], "--reply", reply, "--json"])
        .json();
    assert_eq!((&told["runId"], &told["end"]["is"]), (&id.into(), &"finished".into()));
    assert_eq!(told["spent"]["calls"], 0);
    let would = told["steps"].as_array().expect("steps").iter();
    let would: Vec<_> = would.filter(|pair| pair["effect"]["is"] == "would_have").collect();
    assert_eq!(would.len(), 1, "{told:#}");
    assert_eq!(would[0]["rerun"]["type"], "assistant_message");
    let shown = machine.run(["runs", "rerun", "last", "--reply", reply]).succeeds();
    assert!(shown.contains("[would have; not carried out]"), "{shown}");
    // Nothing of all that is a run or a message.
    assert_eq!(
        machine.run(["runs", "list", "--json"]).json().as_array().map(Vec::len),
        Some(1)
    );
    machine
        .run(["runs", "rerun", "last", "--model", "gpt-nobody"])
        .fails_with("there is no model `gpt-nobody` to choose; there is offline");
    machine
        .run(["runs", "rerun", "last", "--prompt-version", "9"])
        .fails_with("the run's agent has no version 9 of its prompt");
    let steps = machine.run(["runs", "show", "last", "--json"]).json();
    let last = &steps["steps"].as_array().expect("steps").last().expect("a step")["seq"];
    machine
        .run(["runs", "rerun", "last", "--from", "99"])
        .fails_with(&format!(
            "the run has no step 99, its last one is {last}: `clifford runs show {id}` lists them"
        ));
}
