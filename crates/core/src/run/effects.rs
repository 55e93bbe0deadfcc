//! The writes of a decision: its steps, the run's next status, its messages, its subagents. Pure.

use clifford_action::{SubagentSpec, WakeOn};

use super::{
    approval,
    decide::spec_signature,
    decision::{Decision, Then, Wake},
    rules::{Rules, Share},
    state::RunState,
    step::{EndingKind, Event, Finish, StepKind, ToolCall},
};
use crate::{
    clock::Timestamp,
    id::RunId,
    run::attachments::AttachedFile,
    runs::{RunKind, RunStatus},
};

/// Everything that one decision writes, in one commit.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Effects {
    /// Steps, in order.
    pub steps: Vec<StepKind>,
    /// Messages to the user, in order.
    pub says: Vec<String>,
    /// A person is asked something.
    pub asks: bool,
    /// Files that go with the last of them, or by themselves.
    pub attachments: Vec<AttachedFile>,
    /// Subagents to create.
    pub children: Vec<Child>,
    /// The run's next move.
    pub then: After,
}

/// A subagent to create.
#[derive(Clone, Debug, PartialEq)]
pub struct Child {
    /// Its run.
    pub id: RunId,
    /// Its task.
    pub spec: SubagentSpec,
    /// Its tools: what was asked for, within its profile's and its parent's.
    pub tools: Option<Vec<String>>,
    /// Its share of the budget that its parent has left.
    pub share: Share,
    /// The words of its task that only what is private told its parent.
    pub private: Vec<String>,
}

/// The next move of a run after a commit.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum After {
    /// Goes on.
    #[default]
    Continue,
    /// Calls a tool.
    Call(ToolCall),
    /// Waits for a person, at most until then.
    Confirm(Timestamp),
    /// Waits until a time.
    Sleep(Wake),
    /// Waits for subagents.
    AwaitChildren(WakeOn),
    /// Ends.
    End {
        /// Completed or failed.
        status: RunStatus,
        /// Its result.
        output: String,
        /// Why it failed.
        error: Option<String>,
    },
}

/// The writes of a decision. `new_id` makes the ids of subagents.
pub fn effects(state: &RunState, rules: &Rules, decision: Decision, mut new_id: impl FnMut() -> RunId) -> Effects {
    match approval::guarded(state, decision) {
        Decision::Record(steps) => Effects {
            steps,
            ..Effects::default()
        },
        Decision::CallTool { mut before, call } => {
            before.push(StepKind::ToolCall(call.clone()));
            Effects {
                steps: before,
                then: After::Call(call),
                ..Effects::default()
            }
        }
        Decision::Confirm { mut before, request } => {
            let until = request.expires_at;
            before.push(StepKind::Event(Event::ConfirmRequest(request)));
            Effects {
                steps: before,
                asks: true,
                then: After::Confirm(until),
                ..Effects::default()
            }
        }
        Decision::Say { before, text, then } => said(state, before, text, then),
        Decision::Spawn {
            mut before,
            children,
            wake_on,
        } => {
            let specs = children.iter().map(spec_signature).collect();
            let share = rules.share(state, children.len());
            let new_child = |spec| child(state, rules, spec, new_id(), share);
            let children: Vec<_> = children.into_iter().map(new_child).collect();
            let named = |child: &Child| Some((child.id, child.spec.id.clone()?));
            before.push(StepKind::Event(Event::SpawnSubagents {
                children: children.iter().map(|child| child.id).collect(),
                specs,
                names: children.iter().filter_map(named).collect(),
                wake_on,
            }));
            Effects {
                steps: before,
                children,
                then: After::AwaitChildren(wake_on),
                ..Effects::default()
            }
        }
        Decision::Wait { mut before, until } => {
            before.push(StepKind::Event(Event::Sleep {
                wake_at: until.at,
                cron: until.cron.clone(),
                reason: until.reason.clone(),
            }));
            Effects {
                steps: before,
                then: After::Sleep(until),
                ..Effects::default()
            }
        }
        Decision::Complete { before, ending } => {
            let message = ending.message.filter(|_| state.kind == RunKind::Coordinator);
            let finish = Finish {
                status: RunStatus::Completed,
                ending: ending.kind,
                output: ending.output,
                message: message.clone(),
                error: None,
            };
            ended(before, message.into_iter().collect(), finish)
        }
        Decision::Fail { before, failure } => {
            // A repeated sentence need not be sent.
            let is_said = state.kind == RunKind::Coordinator && !failure.message.is_empty();
            let message = is_said.then_some(failure.message);
            let finish = Finish {
                status: RunStatus::Failed,
                ending: failure.kind,
                output: state.output.clone(),
                message: message.clone(),
                error: Some(failure.error),
            };
            ended(before, message.into_iter().collect(), finish)
        }
    }
}

/// A message, with which the run may end.
fn said(state: &RunState, mut before: Vec<StepKind>, text: String, then: Then) -> Effects {
    before.push(StepKind::AssistantMessage {
        text: text.clone(),
        sent: true,
    });
    let says = vec![text.clone()];
    match then {
        Then::Continue => Effects {
            steps: before,
            says,
            ..Effects::default()
        },
        Then::Complete => {
            let output = match state.output.as_str() {
                "" => text.clone(),
                output => output.to_owned(),
            };
            let finish = Finish {
                status: RunStatus::Completed,
                ending: EndingKind::Message,
                output,
                message: Some(text),
                error: None,
            };
            ended(before, says, finish)
        }
    }
}

fn ended(mut steps: Vec<StepKind>, says: Vec<String>, finish: Finish) -> Effects {
    let then = After::End {
        status: finish.status,
        output: finish.output.clone(),
        error: finish.error.clone(),
    };
    steps.push(StepKind::Finish(finish));
    Effects {
        steps,
        says,
        then,
        ..Effects::default()
    }
}

/// A subagent of this spec, within its profile and its parent's rights, with the newest of the context passed to it.
pub fn child(state: &RunState, rules: &Rules, mut spec: SubagentSpec, id: RunId, share: Share) -> Child {
    let profile = spec.profile.as_ref().and_then(|name| rules.profiles.get(name));
    let of_profile = profile.and_then(|profile| profile.tools.as_deref());
    let asked = narrowed(of_profile, spec.tools.as_deref());
    let older = spec
        .context
        .len()
        .saturating_sub(rules.engine.subagent_conversation_limit);
    spec.context.drain(..older);
    Child {
        id,
        tools: narrowed(state.allowed_tools.as_deref(), asked.as_deref()),
        spec,
        share,
        private: Vec::new(),
    }
}

/// A subagent gets at most its parent's tools.
fn narrowed(parent: Option<&[String]>, asked: Option<&[String]>) -> Option<Vec<String>> {
    match (parent, asked) {
        (None, asked) => asked.map(<[String]>::to_vec),
        (Some(parent), None) => Some(parent.to_vec()),
        (Some(parent), Some(asked)) => {
            let within = asked
                .iter()
                .filter(|tool| parent.iter().any(|entry| super::gates::covers(entry, tool)));
            let narrower = parent
                .iter()
                .filter(|entry| asked.iter().any(|tool| super::gates::covers(tool, entry)));
            let mut tools: Vec<_> = within.chain(narrower).cloned().collect();
            tools.dedup();
            Some(tools)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::narrowed;

    #[test]
    fn a_subagent_gets_at_most_its_parents_tools() {
        let list = |tools: &[&str]| tools.iter().map(|tool| (*tool).to_owned()).collect::<Vec<_>>();
        let (memory_get, all_memory) = (list(&["memory.get"]), list(&["memory", "web"]));
        assert_eq!(narrowed(None, None), None);
        assert_eq!(narrowed(None, Some(&memory_get)), Some(memory_get.clone()));
        assert_eq!(narrowed(Some(&memory_get), None), Some(memory_get.clone()));
        assert_eq!(narrowed(Some(&memory_get), Some(&all_memory)), Some(memory_get.clone()));
        assert_eq!(narrowed(Some(&all_memory), Some(&memory_get)), Some(memory_get.clone()));
        assert_eq!(narrowed(Some(&memory_get), Some(&list(&["files"]))), Some(vec![]));
    }
}
