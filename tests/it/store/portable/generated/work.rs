//! Generated runs, steps, rules and agents.

use clifford_core::{
    id::{AgentId, PolicyId, SettingChangeId, UsageId},
    json_text::JsonText,
    places::{AgentSource, Mode},
};
use clifford_store::portable::{
    Agent, AgentPrompt, Context, Feedback, Message, Part, Person, Rule, Run, SettingChange, Space, Step, Usage,
};
use serde_json::json;

use super::Draw;

pub fn agent(draw: &mut Draw, number: u64) -> Agent {
    let mut prompts = Vec::new();
    for version in 1..=1 + draw.below(3) {
        prompts.push(AgentPrompt {
            version: i64::try_from(version).expect("small"),
            prompt: draw.text(),
            source: *draw.pick(AgentSource::ALL),
            restores: (version > 1 && draw.maybe()).then_some(1),
            created_at: draw.time(),
        });
    }
    Agent {
        id: AgentId(draw.id()),
        name: format!("agent {number}"),
        prompt: prompts.last().expect("one at least").prompt.clone(),
        mode: *draw.pick(Mode::ALL),
        enabled: draw.maybe(),
        source: *draw.pick(AgentSource::ALL),
        created_at: draw.time(),
        deleted_at: draw.maybe().then(|| draw.time()),
        prompts,
    }
}

pub fn steps(draw: &mut Draw, run: &Run) -> Vec<Step> {
    let mut steps = Vec::new();
    for seq in 1..=draw.below(5) {
        let is_call = draw.maybe();
        steps.push(Step {
            run_id: run.id,
            seq: i64::try_from(seq).expect("small"),
            kind: if is_call { "tool_call" } else { "note" }.to_owned(),
            tool_name: is_call.then(|| "memory.search".to_owned()),
            args_json: draw.maybe().then(|| json!({"content": draw.text()}).to_string()),
            result_json: draw.maybe().then(|| "{\"b\": 1, \"a\": 1e400}".to_owned()),
            status: draw.maybe().then(|| "ok".to_owned()),
            idempotency_key: is_call.then(|| format!("{}:{seq}", run.id)),
            prompt_tokens: draw.maybe().then_some(7),
            completion_tokens: draw.maybe().then_some(8),
            cached_tokens: draw.maybe().then_some(9),
            duration_ms: draw.maybe().then_some(10),
            created_at: draw.time(),
        });
    }
    steps
}

pub fn parts(draw: &mut Draw, message: &Message) -> Vec<Part> {
    let mut parts = Vec::new();
    for seq in 0..draw.below(3) {
        parts.push(Part {
            message_id: message.id,
            seq: i64::try_from(seq).expect("small"),
            delivery_key: format!("{}-{seq}", message.id),
            body: json!({"type": "text", "text": draw.text()}).to_string(),
            status: draw.pick(&["delivered", "failed"]).to_string(),
            platform_message_id: draw.maybe().then(|| seq.to_string()),
            delivered_at: draw.maybe().then(|| draw.time()),
        });
    }
    parts
}

pub fn usage(draw: &mut Draw, context: &Context, person: &Person, run: Option<&Run>) -> Usage {
    Usage {
        id: UsageId(draw.id()),
        run_id: run.map(|run| run.id),
        seq: run.filter(|_| draw.maybe()).map(|_| 3),
        user_id: draw.maybe().then_some(person.id),
        space_id: context.space_id,
        channel_id: draw.maybe().then_some(context.channel_id),
        role: "executor".to_owned(),
        provider: "main".to_owned(),
        model: "a-model".to_owned(),
        prompt_tokens: 100,
        completion_tokens: 20,
        cached_tokens: 30,
        cache_write_tokens: 40,
        estimated: draw.maybe(),
        cost: 0.125,
        own_key: draw.maybe(),
        created_at: draw.time(),
    }
}

pub fn feedback(draw: &mut Draw, run: &Run, person: &Person) -> Feedback {
    Feedback {
        run_id: run.id,
        user_id: person.id,
        verdict: draw.pick(&["liked", "disliked"]).to_string(),
        given_by: draw.pick(&["reaction", "button"]).to_string(),
        given_at: draw.time(),
    }
}

pub fn change(draw: &mut Draw, scope: String, person: &Person) -> SettingChange {
    SettingChange {
        id: SettingChangeId(draw.id()),
        scope,
        name: "persona".to_owned(),
        old_value: draw.maybe().then(|| draw.text()),
        new_value: draw.maybe().then(|| draw.text()),
        user_id: draw.maybe().then_some(person.id),
        changed_at: draw.time(),
        undone_at: draw.maybe().then(|| draw.time()),
    }
}

pub fn rule(draw: &mut Draw, person: &Person, space: Option<&Space>, context: Option<&Context>) -> Rule {
    Rule {
        id: PolicyId(draw.id()),
        rule: JsonText(json!({"action": "deny", "reason": draw.text()})),
        user_id: draw.maybe().then_some(person.id),
        space_id: space.filter(|_| draw.maybe()).map(|space| space.id),
        context_id: context.filter(|_| draw.maybe()).map(|context| context.id),
        platform_roles: draw.maybe().then(|| JsonText(json!(["role"]))),
        created_at: draw.time(),
        updated_at: draw.time(),
    }
}
