//! The state of a run before its first step.

use std::{
    collections::{BTreeMap, BTreeSet, HashSet, VecDeque},
    sync::Arc,
};

use clifford_text::Lang;
use serde_json::Value;

use super::{AnswerProgress, Iteration, Pending, RunState};
use crate::{
    policy::{evidence::Evidence, labels::Labels, words::Outside},
    run::{rules::Rules, transcript::Transcript},
    runs::{Run, RunKind},
};

impl RunState {
    /// A run at its beginning.
    pub fn new(run: &Run, rules: &Rules) -> Self {
        let mut outside = Outside::default();
        // A subagent's input is its parent's text, perhaps about private matters.
        if run.kind == RunKind::Coordinator {
            outside.learn(&run.input_text);
        }
        let origins = origins(run.input_json.as_ref().map(|json| &json.0));
        let mut labels = Labels::default();
        labels.reads(&origins, 0);
        let mut evidence = Evidence::beginning(run.created_at);
        // A text that somebody else had a part in is nobody's own word.
        if run.kind == RunKind::Coordinator && origins.is_empty() {
            evidence.person_says(&run.input_text);
        }
        Self {
            id: run.id,
            kind: run.kind,
            mode: run.mode,
            level: run.level,
            lang: Lang::default(),
            input: run.input_text.clone(),
            allowed_tools: run.allowed_tools.clone().map(|tools| tools.0),
            next_seq: 1,
            pending: Pending::Think,
            max_iterations: rules.engine.max_iterations.min(rules.engine.max_iterations_hard_cap),
            iterations: 0,
            bad_replies: 0,
            notes: HashSet::new(),
            output: String::new(),
            had_output: false,
            sent: Vec::new(),
            sent_before: 0,
            undoable: false,
            offers_undo: BTreeSet::new(),
            answer: AnswerProgress::Missing,
            has_open_plan: false,
            calls: BTreeMap::new(),
            failures: BTreeMap::new(),
            any_tool_failed: false,
            limitation: None,
            specs: BTreeSet::new(),
            spawn_repeats: 0,
            empty_finish_refused: false,
            has_trigger: false,
            children: BTreeSet::new(),
            child_names: BTreeMap::new(),
            failed_tasks: Vec::new(),
            any_child_completed: false,
            found: None,
            longest_child_ms: 0,
            said_notes: BTreeSet::new(),
            current: Iteration::default(),
            idle: 0,
            same: 0,
            same_signature: None,
            labels: Arc::new(labels),
            origins,
            outside: Arc::new(outside),
            evidence: Arc::new(evidence),
            approved: Vec::new(),
            queue: VecDeque::new(),
            taken_in: Vec::new(),
            transcript: Transcript::default(),
            answered_by: None,
            is_cut: false,
            tokens: 0,
            cost: 0.0,
            worked_ms: 0,
            looked_through: None,
            cached_share: rules.cached_share,
        }
    }
}

/// Where what a run was given came from, as far as that is outside.
fn origins(given: Option<&Value>) -> BTreeSet<String> {
    let given = given.and_then(|given| given.get("origins")).and_then(Value::as_array);
    let named = given.into_iter().flatten().filter_map(Value::as_str);
    named.map(str::to_owned).collect()
}
