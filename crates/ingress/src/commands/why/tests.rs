//! Stories of runs, as they are told.

use clifford_core::{
    clock::Timestamp,
    policy::{
        Reason,
        labels::{LabelledSource, Readers},
        trace::{Origin, Source, Traced},
    },
    run::{
        approval,
        step::{Answerer, ConfirmAbout, ConfirmRequest, LlmResponse, Sections, ToolCall, ToolResult},
    },
};
use clifford_llm_api::model::Usage;
use serde_json::{Map, json};

use super::*;

#[test]
fn an_answer_is_explained_by_what_was_recorded_of_it() {
    let reply = |duration_ms| {
        StepKind::Event(Event::LlmResponse(LlmResponse {
            provider: "main".to_owned(),
            model: "small".to_owned(),
            usage: Usage::default(),
            duration_ms,
            ..LlmResponse::default()
        }))
    };
    let request = |transcript| {
        StepKind::Event(Event::LlmRequest {
            messages: 2,
            estimated_tokens: 0,
            sections: Sections {
                system: 800,
                tools: 300,
                conversation: 20,
                transcript,
                ..Sections::default()
            },
            prompt_hash: String::new(),
            prompt: None,
            prompt_deleted_at: None,
            holds: vec![
                LabelledSource {
                    from: "what I remember of you".to_owned(),
                    readers: Readers::Person,
                },
                LabelledSource {
                    from: "your message".to_owned(),
                    readers: Readers::Place,
                },
            ],
        })
    };
    let call = ToolCall {
        name: "compute.eval".to_owned(),
        args: Map::new(),
        idempotency_key: String::new(),
    };
    let result = ToolResult {
        name: "compute.eval".to_owned(),
        outcome: ToolOutcome::Success { result: json!(42) },
        origins: std::collections::BTreeSet::new(),
        duration_ms: 200,
        spent: clifford_core::run::step::Spent::default(),
        undo: None,
        readers: None,
    };
    let kinds = [
        request(0),
        reply(1000),
        StepKind::ToolCall(call.clone()),
        StepKind::ToolResult(result),
        StepKind::ToolCall(call),
        request(80),
        reply(1_150),
    ];
    let steps: Vec<_> = (1..)
        .zip(kinds)
        .map(|(seq, kind)| Step {
            seq,
            at: Timestamp(0),
            kind,
        })
        .collect();
    let run = Run {
        llm_calls: 2,
        prompt_tokens: 2300,
        cached_tokens: 1100,
        completion_tokens: 40,
        cost: 0.00125,
        ..Run::sample()
    };
    assert_eq!(
        explain(&run, &steps, Lang::English),
        "How my last answer here came about:\n\
         - model: small (main) × 2; iterations: 2\n\
         - tools: compute.eval × 2\n\
         - words from outside: none\n\
         - words that not everyone may read: what I remember of you (this person, from step 1); your message (this \
         place, from step 1)\n\
         - last prompt: about 1200 tokens (instructions 800, tools 300, conversation 20, \
         work so far 80)\n\
         - tokens: 2300 read (1100 of them cached), 40 written\n\
         - cost: 0.0013\n\
         - time at work: 2.3 s"
    );
}

#[test]
fn an_answer_whose_steps_are_gone_says_so() {
    let deleted = Event::StepsDeleted {
        steps: 7,
        deleted_at: Timestamp(0),
        children: Vec::new(),
    };
    let (seq, at, kind) = (1, Timestamp(0), StepKind::Event(deleted));
    let told = explain(&Run::sample(), &[Step { seq, at, kind }], Lang::English);
    assert_eq!(
        told,
        "How my last answer here came about:\n\
         - its steps were deleted, as their time was over\n\
         - tokens: 0 read (0 of them cached), 0 written"
    );
}

#[test]
fn what_was_asked_and_denied_is_explained_by_who_wrote_it() {
    let call = ToolCall {
        name: "bank.send_money".to_owned(),
        args: json!({"recipient": "US133000000121212121212"})
            .as_object()
            .cloned()
            .unwrap(),
        idempotency_key: String::new(),
    };
    let source = Source {
        command: "bank.read_file".to_owned(),
        read: Some("bill-december.txt".to_owned()),
        is_foreign: true,
    };
    let request = ConfirmRequest {
        call: call.clone(),
        about: ConfirmAbout::Call,
        why: "it destroys something".to_owned(),
        reason: Some(Reason::Destroys),
        expires_at: Timestamp(0),
        may_be_rule: false,
        traced: vec![Traced {
            argument: "recipient".to_owned(),
            origin: Origin::Text { source },
        }],
        is_unasked: true,
        was_announced: false,
        also: Vec::new(),
    };
    let never = || Reason::Forbidden {
        rule: "never".to_owned(),
    };
    let result = |name: &str, error: &str, origins: &[&str]| {
        StepKind::ToolResult(ToolResult {
            name: name.to_owned(),
            outcome: ToolOutcome::Failure {
                error: error.to_owned(),
                retries: 0,
                expose: true,
                refused: error.starts_with(approval::REFUSED).then(|| Box::new(never())),
            },
            origins: origins.iter().map(|origin| (*origin).to_owned()).collect(),
            duration_ms: 0,
            spent: clifford_core::run::step::Spent::default(),
            undo: None,
            readers: None,
        })
    };
    let confirm = Event::Confirm {
        approved: false,
        code: clifford_core::run::question::code(2, &call),
        by: Answerer::Operator,
        words: None,
    };
    let kinds = [
        result("bank.read_file", "no such page", &["bill-december.txt"]),
        StepKind::Event(Event::ConfirmRequest(request)),
        StepKind::Event(confirm),
        result("bank.wipe", "refused by policy: the rule \"never\" forbids it", &[]),
    ];
    let steps: Vec<_> = (1..)
        .zip(kinds)
        .map(|(seq, kind)| Step {
            seq,
            at: Timestamp(0),
            kind,
        })
        .collect();
    let told = explain(&Run::sample(), &steps, Lang::English);
    for line in [
        "- words from outside: from step 1 (bill-december.txt)\n",
        "- asked for bank.send\\_money (step 2), which you did not ask for: `recipient` appears only in \
         bill-december.txt (bank.read_file) → denied\n",
        "- denied bank.wipe (step 4): the rule \"never\" forbids it\n",
    ] {
        assert!(told.contains(line), "{told}");
    }
    let told = explain(&Run::sample(), &steps, Lang::German);
    for line in [
        "So kam meine letzte Antwort hier zustande:\n- Modell: keines gefragt\n- Werkzeuge: keine\n",
        "- Worte von außen: ab Schritt 1 (bill-december.txt)\n",
        "- gefragt wegen bank.send\\_money (Schritt 2), worum du nicht gebeten hast: `recipient` steht nur in \
         bill-december.txt (bank.read_file) → abgelehnt\n",
        "- bank.wipe abgelehnt (Schritt 4): die Regel „never“ verbietet es\n",
        "- Arbeitszeit: 0,0 s",
    ] {
        assert!(told.contains(line), "{told}");
    }
}
