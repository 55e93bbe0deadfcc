//! The subagents of a run: those at work, the results of the others, and their usage. Pure.

use serde_json::json;

use super::{Pending, RunState};
use crate::{id::RunId, run::step::Used, runs::RunStatus};

/// A subagent that has ended.
pub(super) struct Ended<'a> {
    pub run_id: RunId,
    pub task: &'a str,
    pub status: RunStatus,
    pub output: Option<&'a str>,
    pub error: Option<&'a str>,
    pub used: Used,
}

impl RunState {
    pub(super) fn spawned(&mut self, children: &[RunId], specs: &[String]) {
        self.settle();
        self.current.active = true;
        self.current.changed = true;
        self.children.extend(children);
        self.specs.extend(specs.iter().cloned());
        self.longest_child_ms = 0;
        if !children.is_empty() {
            self.pending = Pending::Wait;
        }
    }

    pub(super) fn child_ended(&mut self, child: &Ended<'_>) {
        self.children.remove(&child.run_id);
        if child.status == RunStatus::Completed {
            self.any_child_completed = true;
            let output = child.output.filter(|output| !clifford_markup::is_blank(output));
            self.found = output.map(|output| output.trim().to_owned()).or(self.found.take());
        } else {
            self.failed_tasks.push(child.task.to_owned());
        }
        self.tokens = self.tokens.saturating_add(child.used.tokens);
        self.cost += child.used.cost;
        // Those of one spawn work at the same time: the longest counts.
        let longest = self.longest_child_ms.max(child.used.ms);
        self.worked_ms = self.worked_ms.saturating_add(longest - self.longest_child_ms);
        self.longest_child_ms = longest;
        let name = self.child_names.remove(&child.run_id);
        let ended = json!([{
            "id": name.unwrap_or_else(|| child.run_id.to_string()), "task": child.task, "status": child.status, "output": child.output,
            "error": child.error,
        }]);
        self.tell("subagents", ended);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::{
        policy::labels::Readers,
        run::{
            rehearsal::Rehearsal,
            rules::Rules,
            step::{Event, StepKind},
        },
        runs::Run,
    };

    fn ends(state: &mut RunState, run_id: RunId, tokens: u64, ms: u64) {
        state.child_ended(&Ended {
            run_id,
            task: "read",
            status: RunStatus::Completed,
            output: Some("read"),
            error: None,
            used: Used { tokens, cost: 0.25, ms },
        });
    }

    #[test]
    fn what_subagents_use_counts_and_of_their_times_at_the_same_time_the_longest() {
        let mut state = RunState::new(&Run::sample(), &Rules::default());
        let [first, second, third] = [RunId::new(), RunId::new(), RunId::new()];
        state.spawned(&[first, second], &[]);
        ends(&mut state, first, 100, 3000);
        ends(&mut state, second, 50, 2000);
        state.spawned(&[third], &[]);
        ends(&mut state, third, 10, 1000);
        assert_eq!((state.tokens, state.worked_ms), (160, 4000));
        assert!((state.cost - 0.75).abs() < 1e-9, "{}", state.cost);
        assert!(state.children.is_empty() && state.any_child_completed);
    }

    #[test]
    fn what_a_subagent_changed_may_be_taken_back_below_the_answer_that_follows() {
        for may_be_undone in [true, false] {
            let mut run = Rehearsal::of(Run::sample(), Rules::default());
            let run_id = RunId::new();
            run.push(StepKind::Event(Event::SubagentEnded {
                run_id,
                task: "remember it".to_owned(),
                status: RunStatus::Completed,
                output: Some("done".to_owned()),
                error: None,
                origins: BTreeSet::new(),
                used: Used::default(),
                readers: Readers::Person,
                may_be_undone,
            }));
            // A subagent of a subagent hands it on.
            assert_eq!(run.state.undoable, may_be_undone);
            for text in ["It is remembered.", "Anything else?"] {
                run.push(StepKind::AssistantMessage {
                    text: text.to_owned(),
                    sent: true,
                });
            }
            let offered: BTreeSet<_> = may_be_undone.then_some(0).into_iter().collect();
            assert_eq!(run.state.offers_undo, offered);
        }
    }
}
