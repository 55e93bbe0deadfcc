//! Properties of every text and every action.

use clifford_action::{
    Action, Category, ContextMessage, ContextRole, Further, Importance, Note, OutputMode, RecoverAction, Reply, Sleep,
    SubagentSpec, WakeOn, read, read_native,
};
use proptest::{collection::vec, option, prelude::*, sample::select};
use serde_json::{Map, Value};

/// Any text but a blank one.
fn said() -> impl Strategy<Value = String> {
    prop_oneof![
        "\\PC*[a-z{}\"\\\\`~]\\PC*",
        vec(piece(), 1..6).prop_map(|pieces| pieces.concat() + ".")
    ]
}

/// Pieces of text that are likely to mislead the reader.
fn piece() -> impl Strategy<Value = String> {
    let pieces = [
        "{",
        "}",
        "[",
        "]",
        "\"",
        "\\",
        ":",
        ",",
        "\n",
        " ",
        "```",
        "~~~json\n",
        "1",
        "null",
        "a",
        "{}",
        "[{",
        "{\"a\":",
        "{\"",
        "\":\"",
        "\u{feff}",
        "é",
        "{\"type\":\"dance\"}",
        "{\"name\":1}",
    ];
    prop_oneof![select(pieces.to_vec()).prop_map(str::to_owned), "\\PC{0,3}"]
}

fn noise() -> impl Strategy<Value = String> {
    vec(piece(), 0..8).prop_map(|pieces| pieces.concat())
}

fn json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        noise().prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..3).prop_map(Value::from),
            vec((noise(), inner), 0..3).prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}

fn note() -> impl Strategy<Value = Note> {
    let category = select(vec![
        Category::Requirements,
        Category::Plan,
        Category::Artifact,
        Category::Validation,
    ]);
    (category, said()).prop_map(|(category, content)| Note {
        category,
        content,
        plan: vec![],
    })
}

fn subagent() -> impl Strategy<Value = SubagentSpec> {
    let role = select(vec![ContextRole::System, ContextRole::User, ContextRole::Assistant]);
    let context = vec(
        (role, noise()).prop_map(|(role, content)| ContextMessage { role, content }),
        0..2,
    );
    (
        option::of(noise()),
        option::of(noise()),
        said(),
        option::of(vec(noise(), 0..2)),
        context,
    )
        .prop_map(|(id, profile, task, tools, context)| SubagentSpec {
            id,
            profile,
            task,
            tools,
            context,
        })
}

fn action() -> impl Strategy<Value = Action> {
    let args = || vec((noise(), json()), 0..3).prop_map(|fields| fields.into_iter().collect::<Map<_, _>>());
    let files = || vec(noise(), 0..2);
    let mode = || select(vec![OutputMode::Replace, OutputMode::Append]);
    let importance = select(vec![Importance::Low, Importance::Normal, Importance::High]);
    let wake_on = || option::of(select(vec![WakeOn::All, WakeOn::First]));
    let recover = option::of(select(vec![
        RecoverAction::Retry,
        RecoverAction::Finish,
        RecoverAction::AskUser,
    ]));
    let finish = (option::of((noise(), mode())), files()).prop_map(|(output, file_ids)| {
        let (output, mode) = output.unzip();
        Action::Finish { output, mode, file_ids }
    });
    let sleep = (
        option::of(noise()),
        option::of(any::<u64>()),
        option::of(noise()),
        option::of(noise()),
    );
    prop_oneof![
        (said(), args(), vec((said(), args()), 0..3)).prop_map(|(name, args, then)| Action::ToolCall {
            name,
            args,
            then: then.into_iter().map(|(name, args)| Further { name, args }).collect(),
        }),
        (said(), files()).prop_map(|(message, file_ids)| Action::SendMessage { message, file_ids }),
        (noise(), mode()).prop_map(|(output, mode)| Action::SetOutput { output, mode }),
        finish,
        (said(), importance).prop_map(|(content, importance)| Action::Decision { content, importance }),
        note().prop_map(Action::Note),
        (subagent(), wake_on()).prop_map(|(subagent, wake_on)| Action::SpawnSubagent { subagent, wake_on }),
        (vec(subagent(), 1..3), wake_on())
            .prop_map(|(subagents, wake_on)| Action::SpawnSubagents { subagents, wake_on }),
        sleep.prop_map(|(wake_at, delay_seconds, cron, reason)| {
            Action::Sleep(Sleep {
                wake_at,
                delay_seconds,
                cron,
                reason,
            })
        }),
        (1..u32::MAX, option::of(noise()))
            .prop_map(|(max_iterations, reason)| Action::SetRunLimits { max_iterations, reason }),
        (said(), recover, option::of(noise())).prop_map(|(reason, action, message)| Action::Recover {
            reason,
            action,
            message
        }),
    ]
}

fn reply() -> impl Strategy<Value = Reply> {
    (action(), vec(note(), 0..2)).prop_map(|(action, notes)| Reply { action, notes })
}

proptest! {
    #[test]
    fn no_text_makes_the_reader_panic(text in ".*", name in ".*") {
        let _ = (read(&text), read_native(&name, &text));
    }

    #[test]
    fn no_near_json_makes_the_reader_panic(text in noise(), name in noise()) {
        let _ = (read(&text), read_native(&name, &text));
    }

    #[test]
    fn a_reply_is_its_stored_form_read_again(reply in reply()) {
        let stored = reply.to_value();
        prop_assert_eq!(&stored["type"], reply.action.kind());
        prop_assert_eq!(&serde_json::from_value::<Reply>(stored.clone()).unwrap(), &reply);
        prop_assert_eq!(&serde_json::from_str::<Reply>(&stored.to_string()).unwrap(), &reply);
        prop_assert_eq!(&read(&stored.to_string()).unwrap(), &reply);
        prop_assert_eq!(&read(&serde_json::to_string_pretty(&stored).unwrap()).unwrap(), &reply);
    }

    #[test]
    fn a_reply_is_found_in_any_noise(reply in reply(), before in noise(), after in noise()) {
        let text = format!("{before}{}{after}", reply.to_value());
        prop_assert_eq!(read(&text), Ok(reply), "{}", text);
    }

    #[test]
    fn a_reply_is_found_in_a_fence(reply in reply(), before in noise(), after in noise(), pretty: bool) {
        let value = reply.to_value();
        let json = if pretty { serde_json::to_string_pretty(&value).unwrap() } else { value.to_string() };
        let text = format!("<think>{before}</think>{before}\n```json\n{json}\n```\n{after}");
        prop_assert_eq!(read(&text), Ok(reply), "{}", text);
    }
}

#[test]
fn large_hostile_replies_are_read_to_their_end() {
    let units = [
        "{",
        "[{",
        "```",
        "{\"a\":",
        "<think>",
        "</think>",
        "{\"type\":\"finish\"",
        "{\"type\":\"note\"},",
        "```[1],",
        "~",
        "{\"",
        "{}",
        "\\\"{",
        "{\"a\":[",
        "```{\"a\":\"",
        "{\"type\":\"send_message\",\"message\":[",
    ];
    for unit in units {
        let fault = read(&unit.repeat((1 << 18) / unit.len()));
        assert!(fault.is_err(), "{unit}: {fault:?}");
    }
}
