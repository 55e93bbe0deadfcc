//! `clifford eval`: golden tasks through the real engine, against the offline responder and a fake model.

use clifford_fakes::openai::{OpenAiFake, Reply};
use serde_json::json;

use super::Machine;

#[test]
fn tasks_are_played_scored_and_counted() {
    let machine = Machine::new();
    machine.write(
        "tasks.jsonl",
        concat!(
            "\u{feff}# two that pass, one that cannot\n",
            r#"{"name":"product","turns":["what is 6 * 7?"],"expect":{"answer_contains":["42"],"calls":[{"name":"compute.eval"}],"max_model_calls":3}}"#,
            "\n",
            r#"{"name":"known","memory":[{"module":"preferences","key":"tea","value":"green tea"}],"turns":["hi"],"expect":{"afterwards":[{"name":"memory.get","args":{"key":"tea"},"contains":["Green tea"]}]}}"#,
            "\n",
            r#"{"name":"wrong","turns":["what is 6 * 7?"],"expect":{"answer_contains":["43"]}}"#,
            "\n",
        ),
    );
    let ended = machine.run(["eval", "tasks.jsonl", "--json"]);
    assert_eq!(ended.code, 1, "{ended:?}");
    let report = ended.json();
    assert_eq!(
        (&report["passed"], &report["of"], &report["needed"]),
        (&2.into(), &3.into(), &3.into())
    );
    let tasks: Vec<_> = report["tasks"].as_array().unwrap().iter().collect();
    let passed: Vec<_> = tasks.iter().map(|task| task["passed"].as_bool().unwrap()).collect();
    assert_eq!(passed, [true, true, false]);
    assert_eq!(tasks[0]["toolCalls"], json!(["compute.eval"]));
    assert_eq!(tasks[2]["faults"], json!(["the answer does not hold `43`"]));
    let ended = machine.run(["eval", "tasks.jsonl", "--at-least", "2"]);
    assert_eq!(ended.code, 0, "{ended:?}");
    assert!(ended.out.contains("\n2 of 3 passed; 2 needed\n"), "{ended:?}");
    // These tasks are for a language model, which the offline responder is none of.
    assert!(ended.out.ends_with("these tasks are for one.\n"), "{ended:?}");
    let ended = machine.run(["eval", "tasks.jsonl", "--only", "product"]);
    assert_eq!(ended.code, 0, "{ended:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn each_task_starts_with_nothing_but_what_it_says_and_goes_to_the_provider_that_is_named() {
    let model = OpenAiFake::start().await;
    model.respond_with(|request| {
        let payload: serde_json::Value = serde_json::from_str(request.text(1)).unwrap();
        let said = payload["conversation"].as_array().unwrap().len();
        let known = payload["memories"].as_array().unwrap().len();
        Reply::json(&json!({"type": "send_message", "message": format!("{said} said, {known} known")}))
    });
    let machine = Machine::new();
    machine.write(
        "bot.toml",
        &format!(
            "[[llm.providers]]\nname = \"nobody\"\nmodel = \"m\"\nbase_url = \"http://127.0.0.1:9/v1\"\n\n\
             [[llm.providers]]\nname = \"fake\"\nmodel = \"m\"\nbase_url = \"{}\"\n",
            model.base_url()
        ),
    );
    machine.write(
        "tasks.jsonl",
        concat!(
            r#"{"name":"two turns","memory":[{"module":"preferences","key":"tea","value":"green"}],"turns":["a","b"],"expect":{"answer_contains":["2 said, 1 known"]}}"#,
            "\n",
            r#"{"name":"another","turns":["a"],"expect":{"answer_contains":["0 said, 0 known"],"max_model_calls":1}}"#,
            "\n",
        ),
    );
    let ended = tokio::task::spawn_blocking(move || {
        let ended = machine.run(["eval", "tasks.jsonl", "--provider", "fake", "--json"]);
        let unknown = machine.run(["eval", "tasks.jsonl", "--provider", "other"]);
        assert_eq!(
            unknown.err,
            "clifford: there is no provider `other`; there are nobody, fake\n"
        );
        ended
    })
    .await
    .unwrap();
    assert_eq!(ended.code, 0, "{ended:?}");
    assert_eq!(model.request_count(), 3);
}
