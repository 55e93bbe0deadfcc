//! Whole conversations with the offline responder, step by step.

use clifford_llm::Offline;
use clifford_llm_api::model::{Message, Model, Request, Role, Schema};
use serde_json::{Value, json};

/// A run as the engine would send it: every reply is appended, and every answer to it.
struct Conversation(Vec<Message>);

impl Conversation {
    fn new(input: &str) -> Self {
        Self::with_memories(input, json!([]))
    }

    fn with_memories(input: &str, memories: Value) -> Self {
        let payload = json!({
            "run": {"kind": "coordinator", "profile": "default", "agent_level": 0, "channel": "terminal",
                    "user": "Ann", "now": "2026-01-02T03:04:05Z", "time_zone": "UTC"},
            "memories": memories, "cross_channel": [], "conversation": [], "input": input, "task": null,
        });
        Self(vec![
            message(Role::System, "You are Clifford."),
            message(Role::User, &payload.to_string()),
        ])
    }

    /// The next action, its notes taken off.
    async fn next(&mut self) -> Value {
        let mut action = self.next_with_notes().await;
        if let Some(fields) = action.as_object_mut() {
            fields.remove("notes");
        }
        action
    }

    async fn next_with_notes(&mut self) -> Value {
        let request = Request {
            messages: self.0.clone(),
            schema: Some(Schema::new("action", &json!({ "type": "object" }))),
            ..Request::default()
        };
        let reply = Offline
            .complete(&request, &mut ())
            .await
            .unwrap_or_else(|error| panic!("the responder failed: {error}"));
        assert_eq!((reply.provider.as_str(), reply.usage.estimated), ("offline", true));
        assert_eq!(
            Offline.complete(&request, &mut ()).await.as_ref(),
            Ok(&reply),
            "it is deterministic"
        );
        self.0.push(message(Role::Assistant, &reply.text));
        serde_json::from_str(&reply.text).unwrap_or_else(|error| panic!("{} is no action: {error}", reply.text))
    }

    fn add(&mut self, entry: Value) -> &mut Self {
        self.0.push(message(Role::User, &entry.to_string()));
        self
    }

    fn result(&mut self, name: &str, result: Value) -> &mut Self {
        self.add(json!({"tool_result": {"name": name, "success": true, "result": result}}))
    }

    fn failure(&mut self, name: &str) -> &mut Self {
        self.add(json!({"tool_result": {"name": name, "success": false, "error": "internal detail"}}))
    }
}

fn message(role: Role, content: &str) -> Message {
    Message {
        role,
        content: content.to_owned(),
    }
}

fn call(name: &str, args: Value) -> Value {
    json!({"type": "tool_call", "name": name, "args": args})
}

fn eval(expression: &str) -> Value {
    call("compute.eval", json!({"expression": expression}))
}

fn finish(output: &str) -> Value {
    json!({"type": "finish", "output": output})
}

fn say(message: &str) -> Value {
    json!({"type": "send_message", "message": message})
}

#[tokio::test]
async fn a_greeting_is_answered_in_one_call_with_its_notes_riding_along() {
    let action = Conversation::new("Hi!").next_with_notes().await;
    assert_eq!(
        action,
        json!({
            "type": "send_message",
            "message": "Hello! I'm Clifford. No language model is connected yet, so only a few rules answer; \
                        \"help\" shows what they can do.",
            "notes": [
                {"category": "requirements", "content": "answer the message"},
                {"category": "plan", "content": "1. answer"},
            ],
        })
    );
}

#[tokio::test]
async fn arithmetic_goes_through_the_tool() {
    let mut run = Conversation::new("what is 17 * 23?");
    assert_eq!(
        run.next_with_notes().await,
        json!({
            "type": "tool_call", "name": "compute.eval", "args": {"expression": "17 * 23"},
            "notes": [
                {"category": "requirements", "content": "work out 17 * 23"},
                {"category": "plan", "content": "1. compute.eval 2. answer"},
            ],
        })
    );
    assert_eq!(
        run.result("compute.eval", json!({"value": "391"}))
            .next_with_notes()
            .await,
        finish("17 * 23 = 391")
    );
}

#[tokio::test]
async fn two_things_take_two_calls_and_one_answer() {
    let mut run = Conversation::new("Hello, what is 2+2 and 3*3?");
    assert_eq!(run.next().await, eval("2+2"));
    assert_eq!(
        run.result("compute.eval", json!({"value": "4"})).next().await,
        eval("3*3")
    );
    let last = run.result("compute.eval", json!({"value": "9"})).next().await;
    assert_eq!(last, finish("Hello!\n2+2 = 4\n3*3 = 9"));
}

#[tokio::test]
async fn what_is_to_be_remembered_is_stored() {
    let mut run = Conversation::new("Remember that my cat is called Miro.");
    let args = json!({"module": "relationships", "key": "cat", "value": "Miro"});
    assert_eq!(run.next().await, call("memory.put", args));
    let last = run.result("memory.put", json!({"stored": true})).next().await;
    assert_eq!(last, finish("I will remember that (cat: Miro)."));
}

#[tokio::test]
async fn what_is_in_the_prompt_is_recalled_without_a_tool() {
    let memories = json!([{"module": "relationships", "key": "cat", "value": "Miro", "level": "long"}]);
    let action = Conversation::with_memories("What is my cat called?", memories)
        .next()
        .await;
    assert_eq!(action, say("Your cat: Miro"));
}

#[tokio::test]
async fn what_is_not_in_the_prompt_is_looked_up() {
    for (items, expected) in [
        (
            json!([{"module": "relationships", "key": "cat", "value": "Miro"}]),
            "Your cat: Miro",
        ),
        (
            json!([{"module": "relationships", "key": "black_cat", "value": "Miro"}]),
            "Your black cat: Miro",
        ),
        (
            json!([{"module": "relationships", "key": "dog", "value": "Rex"}]),
            "I know nothing about your cat.",
        ),
        (json!([]), "I know nothing about your cat."),
    ] {
        let mut run = Conversation::new("What is my cat called?");
        assert_eq!(run.next().await, call("memory.get", json!({"key": "cat"})));
        assert_eq!(
            run.result("memory.get", json!({"items": items})).next().await,
            finish(expected)
        );
    }
}

#[tokio::test]
async fn all_that_is_known_is_listed() {
    let items = json!([
        {"module": "relationships", "key": "cat", "value": "Miro"},
        {"module": "preferences", "key": "favourite_colour", "value": "blue"},
    ]);
    let list = "This is what I know about you:\n- cat: Miro\n- favourite colour: blue";
    for (items, expected) in [(items, list), (json!([]), "I know nothing about you yet.")] {
        let mut run = Conversation::new("what do you know about me?");
        assert_eq!(run.next().await, call("memory.get", json!({})));
        assert_eq!(
            run.result("memory.get", json!({"items": items})).next().await,
            finish(expected)
        );
    }
}

#[tokio::test]
async fn a_reminder_is_set_by_the_tool() {
    let mut run = Conversation::new("remind me every weekday at 8 to stretch");
    assert_eq!(
        run.next_with_notes().await,
        json!({
            "type": "tool_call", "name": "reminders.set", "args": {"text": "stretch", "when": "every weekday at 8"},
            "notes": [
                {"category": "requirements", "content": "remind of: stretch"},
                {"category": "plan", "content": "1. reminders.set 2. answer"},
            ],
        })
    );
    let set = json!({
        "id": "3fa9c1", "text": "stretch", "next": "Thu 2026-06-04 08:00", "time_zone": "Europe/Berlin",
        "repeats": "every weekday at 08:00",
    });
    assert_eq!(
        run.result("reminders.set", set).next().await,
        finish("I will remind you every weekday at 08:00, next on Thu 2026-06-04 08:00 (Europe/Berlin): stretch")
    );
}

#[tokio::test]
async fn an_answer_is_not_kept_back_by_waiting() {
    let mut run = Conversation::new("What is 2+2? Wait 1h");
    assert_eq!(run.next().await, eval("2+2"));
    assert_eq!(
        run.result("compute.eval", json!({"value": "4"})).next().await,
        say("2+2 = 4")
    );
    let sleep = json!({"type": "sleep", "delay_seconds": 3600, "reason": "to wait"});
    assert_eq!(run.next().await, sleep);
    assert_eq!(
        run.add(json!({"woke": {"reason": "time"}})).next().await,
        finish("I have waited.")
    );
}

#[tokio::test]
async fn ping_and_tools_ask_the_system() {
    let mut run = Conversation::new("ping");
    assert_eq!(run.next().await, call("system.ping", json!({})));
    assert_eq!(
        run.result("system.ping", json!({"pong": true})).next().await,
        finish("Pong: the system answers.")
    );
    let mut run = Conversation::new("What tools do you have?");
    assert_eq!(run.next().await, call("tools.list", json!({})));
    let tools =
        json!({"tools": [{"name": "compute", "summary": "arithmetic", "commands": ["eval"]}, {"name": "tools"}]});
    let last = run.result("tools.list", tools).next().await;
    assert_eq!(last, finish("These are my tools:\n- compute: arithmetic\n- tools"));
}

#[tokio::test]
async fn a_failed_tool_is_owned_up_to_without_its_details() {
    let mut run = Conversation::new("what is 1/0 and 2+2?");
    assert_eq!(run.next().await, eval("1/0"));
    let last = run.failure("compute.eval").next().await;
    assert_eq!(last, finish("I could not work out 1/0.\nI could not work out 2+2."));
}

#[tokio::test]
async fn a_calculation_that_cannot_be_done_is_told_with_its_reason() {
    for (asked, expected) in [
        ("what is 1/0?", "I could not work out 1/0: division by zero."),
        ("Was ist 1/0?", "1/0 konnte ich nicht ausrechnen: Division durch null."),
    ] {
        let mut run = Conversation::new(asked);
        assert_eq!(run.next().await, eval("1/0"));
        let entry = json!({"tool_result": {
            "name": "compute.eval", "success": false, "error": "`1/0` cannot be computed: division by zero"
        }});
        assert_eq!(run.add(entry).next().await, finish(expected));
    }
}

#[tokio::test]
async fn the_name_is_the_one_that_the_prompt_tells() {
    for (prompt, expected) in [
        ("You are Ada, a very skilled assistant!", "My name is Ada."),
        ("You are Miss Marple. You solve crimes.", "My name is Miss Marple."),
        ("You are a pirate.", "My name is Clifford."),
        ("Be kind.", "My name is Clifford."),
    ] {
        let messages = vec![message(Role::System, prompt), message(Role::User, "what is your name?")];
        let request = Request {
            messages,
            ..Request::default()
        };
        let reply = Offline.complete(&request, &mut ()).await;
        assert_eq!(
            reply.map(|reply| reply.text).ok().as_deref(),
            Some(expected),
            "{prompt}"
        );
    }
}

#[tokio::test]
async fn an_objection_of_the_engine_ends_the_run_honestly() {
    let mut run = Conversation::new("remember that I like cake");
    run.next().await;
    run.add(json!({"system_note": "This run may not call memory.put."}));
    assert_eq!(
        run.next_with_notes().await,
        json!({
            "type": "finish", "output": "I could not store that.",
            "notes": [
                {"category": "requirements", "content": "remember i like cake"},
                {"category": "plan", "content": "1. memory.put 2. answer"},
            ],
        })
    );
    run.add(json!({"system_note": "finish is refused"}));
    assert_eq!(run.next().await, say("I could not store that."));
}

#[tokio::test]
async fn a_subagent_reads_its_task() {
    for task in [json!("what is 2+2?"), json!({"task": "what is 2+2?"})] {
        let payload = json!({"run": {"kind": "subagent"}, "input": "", "task": task});
        let mut run = Conversation(vec![message(Role::User, &payload.to_string())]);
        assert_eq!(run.next().await, eval("2+2"));
    }
}

#[tokio::test]
async fn a_plain_chat_is_answered_in_plain_text() {
    for (input, expected) in [
        ("hi", "Hello! I'm Clifford."),
        ("what is 2+2?", "I'm only a few rules; give me a model"),
    ] {
        let messages = vec![message(Role::System, "You are Clifford."), message(Role::User, input)];
        let reply = Offline
            .complete(
                &Request {
                    messages,
                    ..Request::default()
                },
                &mut (),
            )
            .await;
        assert!(
            reply.as_ref().is_ok_and(|reply| reply.text.starts_with(expected)),
            "{reply:?}"
        );
    }
    assert!(Offline.complete(&Request::default(), &mut ()).await.is_ok());
}
