//! Replies as models write them, whole and in pieces.

use proptest::prelude::*;

use super::*;

/// Pieces of which much is a tag, an escape or the beginning of an action.
const PIECES: &str = r#"(<|think>|/think>|<think>|</think>|<thinking>|</thinking>|\{"type":"finish",|"output":"|"message":"|send_message|\\u00e4|\\ud83d|\\|"|,|\}|```json|\n| |[a-zä😀]{1,3})"#;

fn add(text: &mut String, added: Added) {
    if added.takes_back {
        text.clear();
    }
    text.push_str(&added.visible);
}

fn read(shape: Shape, reply: &str) -> String {
    let mut text = String::new();
    add(&mut text, Reading::of(shape).take(reply));
    text
}

#[test]
fn of_a_chat_all_is_visible_but_thoughts_and_what_is_around_the_text() {
    let cases = [
        ("Hel", "Hel"),
        ("Hello <", "Hello "),
        ("a < b", "a < b"),
        ("<thi", ""),
        ("<think>a greeting", ""),
        ("<think>a greeting</think>\nHel", "Hel"),
        (r#"{"type":"send_message","message":"Hel"#, "Hel"),
        ("```js", ""),
        ("```json\n{\"type\":\"finish\",\"output\":\"Hel", "Hel"),
        ("```rust\nfn", "```rust\nfn"),
        ("\n<thinking>a greeting</think>", ""),
        ("<thinking>a greeting</thinking>\nHel", "Hel"),
        ("the <thinking> tag", "the <thinking> tag"),
        ("<think>a</think><thinking>b", "<thinking>b"),
        ("a thought</think>", "a thought"),
        ("a thought</think>\n Hel", "Hel"),
        (
            "a thought</think><think>b</think>{\"type\":\"finish\",\"output\":\"Hel",
            "Hel",
        ),
    ];
    for (reply, expected) in cases {
        assert_eq!(read(Shape::Whole, reply), expected, "{reply}");
    }
}

#[test]
fn only_the_text_for_the_user_is_visible_and_only_whole_characters() {
    let cases = [
        (r#"{"type":"send_message","mess"#, ""),
        (r#"{"type":"send_message","message""#, ""),
        (r#"{"type":"send_message","message": "Hel"#, "Hel"),
        (r#"{"type":"send_message","message":"Hello"}"#, "Hello"),
        (r#"{"type":"finish","output":"a\n"#, "a\n"),
        (r#"{"type":"finish","output":"a\"#, "a"),
        (r#"{"type":"finish","output":"a\u00"#, "a"),
        (r#"{"type":"finish","output":"a\u00e4b"#, "aäb"),
        (r#"{"type":"finish","output":"a\ud83d"#, "a"),
        (r#"{"type":"finish","output":"a\ud83d\ude00"#, "a😀"),
        (r#"{"type":"set_output","output":"a"#, "a"),
        (r#"{"type":"tool_call","name":"x","args":{}}"#, ""),
        (
            r#"{"type":"tool_call","name":"mail.send","args":{"message":"secret"#,
            "",
        ),
        (r#"{"message":"Hel"#, ""),
        (r#"{"message":"Hello","type":"send_message"#, ""),
        (r#"{"message":"Hello","type":"send_message""#, "Hello"),
        (
            r#"{"type":"finish","notes":[{"category":"plan","content":"say \"output\": {"}],"output":"Hi"#,
            "Hi",
        ),
        (r#"{"type":"finish","notes":[{"output":"no"}"#, ""),
        (r#"<think>{"type":"finish","output":"no"}"#, ""),
        (
            r#"<think>{"type":"finish"}</think>{"type":"finish","output":"Yes"#,
            "Yes",
        ),
        (
            r#"<reasoning>{"type":"finish","output":"no"}</reasoning>{"type":"finish","output":"Yes"#,
            "Yes",
        ),
        ("```json\n{\"type\": \"finish\", \"output\": \"Yes", "Yes"),
        ("no JSON at all", ""),
        (r#"{"type":"finish","message":"no","output":"yes"}"#, "yes"),
        (r#"{"type":"finish","output":"yes","message":"no"}"#, "yes"),
        (r#"{"type":"finish","output":"one","output":"two"}"#, "one"),
        (r#"{"type":"finish","output":"a\ud83dx and more"}"#, "a"),
        (r#"{"type":"finish","output":["no"],"n":1}"#, ""),
        (r#"{"type":["finish"],"output":"no"}"#, ""),
    ];
    for (reply, expected) in cases {
        assert_eq!(read(Shape::Action, reply), expected, "{reply}");
    }
}

proptest! {
    #[test]
    fn what_is_visible_only_grows_and_is_the_message_in_the_end(message in "(?s).{0,40}", cut in 0..200_usize) {
        let reply = serde_json::json!({"type": "send_message", "message": message}).to_string();
        // Objects are sorted by key; the type is first in what a model writes.
        let whole = format!("{{\"type\":\"send_message\",{}", reply.trim_start_matches('{'));
        let cut = (0..=cut.min(whole.len())).rev().find(|cut| whole.is_char_boundary(*cut)).unwrap_or(0);
        prop_assert!(message.starts_with(&read(Shape::Action, &whole[..cut])));
        prop_assert_eq!(read(Shape::Action, &whole), message);
    }

    #[test]
    fn a_reply_is_read_the_same_however_it_is_cut(pieces in prop::collection::vec(PIECES, 0..12)) {
        for shape in [Shape::Action, Shape::Whole] {
            let (mut reading, mut text) = (Reading::of(shape), String::new());
            for piece in &pieces {
                add(&mut text, reading.take(piece));
            }
            let mut whole = Reading::of(shape);
            let mut expected = String::new();
            add(&mut expected, whole.take(&pieces.concat()));
            prop_assert_eq!((text, reading.field()), (expected, whole.field()));
        }
    }

    #[test]
    fn any_text_is_read(reply in "(?s).{0,60}") {
        read(Shape::Action, &reply);
        read(Shape::Whole, &reply);
    }
}
