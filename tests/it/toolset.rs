//! Settings of tools, as a person meets them.

use clifford_fakes::openai::Reply;
use serde_json::{Value, json};

use crate::{
    harness::{Setup, Site},
    scripted_model::Prompt,
};

/// Calls a tool whatever it was told of it, then says what came of it.
fn stubborn(request: &clifford_fakes::openai::RecordedRequest) -> Value {
    let notes = json!([{"category": "requirements", "content": "a sum"}, {"category": "plan", "content": "compute"}]);
    let last: Value = serde_json::from_str(request.last_text()).unwrap();
    match &last["tool_result"] {
        Value::Null => {
            json!({"type": "tool_call", "name": "compute.eval", "args": {"expression": "6 * 7"}, "notes": notes})
        }
        result => {
            let said = result.get("error").unwrap_or(&result["result"]["value"]);
            json!({"type": "finish", "output": said, "notes": notes})
        }
    }
}

#[tokio::test]
async fn a_tool_that_is_turned_off_in_a_channel_is_neither_shown_nor_called_there_and_holds_elsewhere() {
    let mut bot = Setup::on(Site::Telegram).prepare().await;
    bot.model.respond_with(|request| Reply::json(&stubborn(request)));
    bot.start().await;
    let (ada, bob) = (bot.room(Site::Telegram, 7, "Ada"), bot.room(Site::Telegram, 8, "Bob"));
    bot.says(ada, "what is 6 * 7?");
    assert_eq!(bot.answers(ada, 1).await, ["42"]);
    let look = bot.look().await;
    let channel = look.channels().await.remove(0).id.to_string();
    bot.command(&[
        "tools",
        "set",
        "compute",
        "enabled",
        "false",
        "--scope",
        &format!("channel:{channel}"),
    ])
    .await;
    bot.says(ada, "and now?");
    let off = "the tool compute is turned off here; do without it";
    assert_eq!(bot.answers(ada, 2).await, ["42", off]);
    bot.says(bob, "what is 6 * 7?");
    assert_eq!(bot.answers(bob, 1).await, ["42"]);
    bot.finish().await;
    let shown: Vec<_> = (bot.model.requests().iter())
        .map(|request| {
            (
                Prompt::read(request).input().to_owned(),
                request.text(0).contains("\n- compute ("),
            )
        })
        .collect();
    let asked = |input: &str, shown: bool| (input.to_owned(), shown);
    assert_eq!(
        shown,
        [
            asked("what is 6 * 7?", true),
            asked("what is 6 * 7?", true),
            asked("and now?", false),
            asked("and now?", false),
            asked("what is 6 * 7?", true),
            asked("what is 6 * 7?", true),
        ]
    );
}
