//! Words that are nobody's own: they stay wherever they stand.

use clifford_core::commands::COMMANDS;
use clifford_text::Lang;
use clifford_tools::{platforms, registry};

/// The words of this program's own records and prompts (a step whose words were taken out could not be read), and
/// what everybody says.
pub(super) fn vocabulary() -> Vec<String> {
    let mut tools = registry::built_in();
    tools.push(platforms::vocabulary());
    let commands = tools.iter().map(|tool| {
        let commands = (tool.commands.iter()).map(|command| format!("{} {}", command.name, command.summary));
        format!(
            "{} {} {}",
            tool.name,
            tool.summary,
            commands.collect::<Vec<_>>().join(" ")
        )
    });
    let given = COMMANDS.iter().flat_map(|command| {
        Lang::ALL
            .iter()
            .map(move |lang| format!("{} {}", command.name, command.about(*lang)))
    });
    commands
        .chain(given)
        .chain([
            clifford_action::contract().to_owned(),
            clifford_action::schema().to_string(),
            RECORDS.to_owned(),
            COMMON_WORDS.to_owned(),
        ])
        .collect()
}

/// Words that everybody says. Of other languages, the texts that stay tell what is common.
const COMMON_WORDS: &str = include_str!("../common_words.txt");

/// Names of fields and values in steps, parts of messages and attachments.
const RECORDS: &str = "type text plain buttons label command file name content caption markup kind media_type size \
    sections system tools schema memories cross_channel conversation transcript cache_write_tokens event llm_request llm_response system_note spawn_subagents subagent_ended set_run_limits sleep wake said through \
    confirm_request confirm recover error messages estimated_tokens prompt_hash prompt prompt_deleted_at steps_deleted steps deleted_at role system user assistant \
    tool_calls arguments usage prompt_tokens completion_tokens cached_tokens estimated provider model cost duration_ms \
    about bad_reply last_iteration iteration_limit limitation planning_gate invalid_action tools_allowed spawn_repeated \
    depth empty_finish message_repeated delivery_failed children specs wake_on first status output max_iterations \
    reason wake_at cron call args idempotency_key approved code by user operator nobody tainted origins why expires_at may_be_rule traced is_unasked was_announced also argument origin from person default field source read \
    is_foreign is_own readers anybody place may_be_undone holding words denied action retry fallback ask_user abort message \
    success result retries expose failure outcome sent mode replace append importance low medium high category \
    requirements plan artifact validation normal tool_repeated other completed failed cancelled pending running waiting ending answered \
    only_reads changes_in_private changes_in_shared destroys sensitive told allowed confirmed forbidden rule limited calls per \
    minute hour day month carries_out may_be_others fault for_you_alone too_many_open open refused is used tokens ms share context task runId coordinator subagent finish stall no_progress iterations budget cancelled native name id";

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use clifford_core::{
        clock::Timestamp,
        id::{RunId, UserId},
        policy::Reason,
        run::step::{
            ConfirmAbout, ConfirmRequest, Event, Finish, NoteAbout, Step, StepKind, ToolCall, ToolOutcome, ToolResult,
        },
        runs::RunStatus,
    };
    use serde_json::json;

    use super::*;
    use crate::jobs::erase::quotes::Needles;

    fn kinds() -> Vec<StepKind> {
        let call = ToolCall {
            name: "memory.put".to_owned(),
            args: json!({"key": "status", "value": "fine"})
                .as_object()
                .cloned()
                .unwrap_or_default(),
            idempotency_key: "k".to_owned(),
        };
        let events = [
            json!({"event": "llm_request", "messages": 2, "estimated_tokens": 1234, "prompt_hash": "abc", "prompt": null}),
            json!({"event": "llm_response", "text": "{}", "usage": {"prompt_tokens": 1234, "completion_tokens": 1,
                "cached_tokens": 0, "estimated": false}, "provider": "fake", "model": "fake", "cost": 0.5,
                "duration_ms": 1234}),
            json!({"event": "set_run_limits", "max_iterations": 9, "reason": null}),
            json!({"event": "sleep", "wake_at": "2026-01-01T00:00:00Z", "cron": null, "reason": "nap"}),
            json!({"event": "wake", "reason": "time", "said": [
                {"role": "user", "content": "c", "is_own": true},
                {"role": "assistant", "content": "c", "readers": "nobody"},
            ]}),
            json!({"event": "confirm", "approved": true, "code": "abc", "by": "operator"}),
            json!({"event": "confirm", "approved": false, "code": "abc", "by": {"user": UserId::new()}}),
            json!({"event": "confirm", "approved": false, "code": "abc", "by": "nobody"}),
            json!({"event": "tainted", "origins": ["a page"]}),
            json!({"event": "confirm_request", "call": call, "about": "result", "why": "w",
            "expires_at": "2026-01-01T00:00:00Z", "may_be_rule": true, "is_unasked": true, "was_announced": true,
            "reason": {"is": "may_be_others", "read": ["a"], "fault": {"argument": "a", "source": "web.fetch", "was_announced": false}},
            "also": [{"call": call, "why": "w", "reason": {"is": "limited", "rule": "r", "calls": 1, "per": "month"}, "is_unasked": true, "was_announced": true}], "traced": [
                {"argument": "a", "origin": {"from": "person"}},
                {"argument": "a", "origin": {"from": "default"}},
                {"argument": "a", "origin": {"from": "model", "holding": null}},
                {"argument": "a", "origin": {"from": "field", "field": null,
                    "source": {"command": "web.fetch", "read": "x.txt", "is_foreign": true}}},
                {"argument": "a", "origin": {"from": "text",
                    "source": {"command": "web.fetch", "read": "x.txt", "is_foreign": true}}},
            ]}),
            json!({"event": "error", "message": "no"}),
            json!({"event": "subagent_ended", "run_id": RunId::new(), "task": "t", "status": "completed",
                "output": "o", "error": null, "readers": "anybody", "may_be_undone": true}),
            json!({"event": "spawn_subagents", "children": [RunId::new()], "specs": ["s"], "wake_on": "first"}),
        ];
        let mut kinds: Vec<_> = events
            .into_iter()
            .map(|event| StepKind::Event(serde_json::from_value::<Event>(event).unwrap()))
            .collect();
        kinds.extend([
            StepKind::Event(Event::SystemNote {
                text: "n".to_owned(),
                about: NoteAbout::PlanningGate,
            }),
            StepKind::ToolCall(call.clone()),
            StepKind::Event(Event::ConfirmRequest(ConfirmRequest {
                call,
                about: ConfirmAbout::Call,
                why: "w".to_owned(),
                reason: Some(Reason::Destroys),
                expires_at: Timestamp(0),
                may_be_rule: false,
                traced: Vec::new(),
                is_unasked: false,
                was_announced: false,
                also: Vec::new(),
            })),
            StepKind::ToolResult(ToolResult {
                name: "memory.put".to_owned(),
                outcome: ToolOutcome::Failure {
                    error: "e".to_owned(),
                    retries: 2,
                    expose: true,
                    refused: Some(Box::new(Reason::Destroys)),
                },
                origins: BTreeSet::new(),
                duration_ms: 1234,
                spent: clifford_core::run::step::Spent::default(),
                undo: None,
                readers: None,
            }),
            StepKind::Finish(Finish {
                status: RunStatus::Completed,
                ending: clifford_core::run::step::EndingKind::NoProgress,
                output: "o".to_owned(),
                message: None,
                error: None,
            }),
        ]);
        kinds
    }

    #[test]
    fn steps_can_be_read_whatever_words_a_person_used() {
        let mut needles = Needles::default();
        let json_of = |kind: &StepKind| {
            let (args, result, _) = clifford_core::run::columns::parts(kind);
            [args, result]
        };
        for json in kinds().iter().flat_map(json_of).flatten() {
            needles.add_text(&json.to_string().replace(['"', ':', ',', '_'], " "));
            needles.add_text(&json.to_string());
        }
        needles.add_text("1234 2026");
        let mut quotes = needles.ready().unwrap();
        for text in vocabulary() {
            quotes.exempt(&text);
        }
        for kind in kinds() {
            let step = Step {
                seq: 1,
                at: Timestamp(0),
                kind,
            };
            let [args, result] = json_of(&step.kind).map(|json| {
                json.map(|json| {
                    quotes
                        .without_json(&json.to_string())
                        .unwrap_or_else(|| json.to_string())
                })
            });
            let read = clifford_core::run::columns::reread(&step, args, result);
            assert!(read.is_ok(), "{read:?} of {step:?}");
        }
    }
}
