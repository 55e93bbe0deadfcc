//! The steps of its own run that a model is shown, in tables.

use super::*;

const CAN: Can = Can {
    read: true,
    search: true,
};

fn limits(entries: usize) -> WindowLimits {
    WindowLimits {
        entries,
        ..WindowLimits::default()
    }
}

/// So many calls, each with a note and a result of that many words.
fn calls(count: u32, words: usize) -> Transcript {
    let mut transcript = Transcript::default();
    for n in 1..=count {
        transcript.reply(&format!("call {n}"), n * 10);
        transcript.note(Category::Plan, &format!("plan {n}"));
        let result = json!({ "name": "web.fetch", "success": true, "result": "word ".repeat(words) });
        transcript.tell("tool_result", result, n * 10 + 2);
    }
    transcript
}

fn replies(shown: &VisibleTranscript) -> Vec<&str> {
    let replies = shown.messages.iter().filter(|message| message.role == Role::Assistant);
    replies.map(|message| message.content.as_str()).collect()
}

#[test]
fn the_oldest_half_goes_at_once_and_what_it_noted_is_told_again() {
    let shown = |count| calls(count, 10).visible(limits(8), 100_000, CAN);
    assert_eq!((shown(4).first, replies(&shown(4)).len()), (Map::new(), 4));
    let cut = shown(5);
    assert_eq!(replies(&cut), ["call 4", "call 5"]);
    assert_eq!(
        Value::Object(cut.first),
        json!({ "earlier": {
            "left_out": "3 earlier tool results left out, and 3 other entries; files.read {\"id\":\"step-N\"} shows a result \
                         again: step-12 (web.fetch), step-22 (web.fetch), step-32 (web.fetch)",
            "notes": [
                { "category": "plan", "content": "plan 1" },
                { "category": "plan", "content": "plan 2" },
                { "category": "plan", "content": "plan 3" },
            ],
        } })
    );
    // It begins at the same entry until the next cut.
    assert_eq!(replies(&shown(7)), ["call 4", "call 5", "call 6", "call 7"]);
    assert_eq!(shown(7).first, shown(6).first);
    assert_eq!(replies(&shown(8)), ["call 7", "call 8"]);
}

#[test]
fn an_entry_that_is_too_long_is_cut_and_says_where_all_of_it_is() {
    let transcript = calls(1, 10_000);
    let shown = transcript.visible(WindowLimits::default(), 8_000, CAN);
    let result: Value = serde_json::from_str(&shown.messages[1].content).expect("JSON");
    let result = &result["tool_result"];
    assert_eq!(
        (&result["name"], &result["left_out"]),
        (
            &json!("web.fetch"),
            &json!("parts of it; files.read {\"id\":\"step-12\"} pages through all 50000 characters")
        )
    );
    assert!(
        result["result"]
            .as_str()
            .is_some_and(|text| text.contains("of 50000 characters are left out here"))
    );
    assert!(
        weigh(&shown.messages[1].content) <= 4_100,
        "{}",
        weigh(&shown.messages[1].content)
    );
}

#[test]
fn the_output_and_what_people_said_survive_a_cut() {
    let mut transcript = calls(2, 10);
    transcript.tell("user_message", json!("Make it two."), 23);
    transcript.tell("output", json!("Half of it."), 24);
    for n in 3..=5 {
        transcript.reply(&format!("call {n}"), n * 10);
        transcript.tell("tool_result", json!({ "name": "a.b", "result": 1 }), n * 10 + 1);
    }
    let earlier = transcript.visible(limits(8), 100_000, Can::default()).first["earlier"].clone();
    assert_eq!(
        (&earlier["user_messages"], &earlier["output"]),
        (&json!(["Make it two."]), &json!("Half of it."))
    );
    assert_eq!(
        earlier["left_out"],
        "2 earlier tool results left out, and 4 other entries; call again to see them"
    );
}

#[test]
fn what_is_told_between_two_replies_is_one_message() {
    let mut transcript = Transcript::default();
    transcript.tell("system_note", json!("Step 1 is the last."), 1);
    transcript.reply("a", 2);
    transcript.tell("tool_result", json!({ "name": "a.b" }), 3);
    transcript.tell("user_message", json!("one"), 4);
    transcript.tell("user_message", json!("two"), 5);
    transcript.reply("b", 6);
    transcript.reply("c", 7);
    transcript.tell("subagents", json!([{ "id": 1 }]), 8);
    transcript.tell("subagents", json!([{ "id": 2 }]), 9);
    let shown = transcript.visible(WindowLimits::default(), 10_000, CAN);
    assert_eq!(
        Value::Object(shown.first),
        json!({ "system_note": "Step 1 is the last." })
    );
    let said: Vec<_> = shown
        .messages
        .iter()
        .map(|message| (message.role, message.content.as_str()))
        .collect();
    assert_eq!(
        said,
        [
            (Role::Assistant, "a"),
            (
                Role::User,
                r#"{"tool_result":{"name":"a.b"},"user_message":"one\ntwo"}"#
            ),
            (Role::Assistant, "b"),
            (Role::User, r#"{"system_note":"Recorded. Go on with the next action."}"#),
            (Role::Assistant, "c"),
            (Role::User, r#"{"subagents":[{"id":1},{"id":2}]}"#),
        ]
    );
}
