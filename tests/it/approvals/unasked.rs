//! Calls that run without a question, at servers of others: a list and then one of its items, a payment after another,
//! an address of one's own calendar in the answer.

use std::path::Path;

use clifford_core::runs::RunStatus;
use clifford_fakes::openai::{RecordedRequest, Reply};
use serde_json::{Value, json};

use super::{
    runs, tell,
    transcripts::{server, tool},
};
use crate::{
    harness::{Bot, Setup, Site},
    scripted_model::{self, Prompt},
};

/// The request, the calls that answer it, and the answer.
fn task(input: &str) -> (Vec<(&'static str, Value)>, &'static str) {
    let pay = |amount: u32, subject: &str| {
        let args = json!({"recipient": "GB29NWBK60161331926819", "amount": amount, "subject": subject});
        ("bank.send_money", args)
    };
    match input {
        "Send 5 to GB29NWBK60161331926819, subject Coffee" => (vec![pay(5, "Coffee")], "The coffee is paid."),
        "Send 6 to GB29NWBK60161331926819, subject Tea" => (vec![pay(6, "Tea")], "The tea is paid."),
        "What is my balance?" => (vec![("bank.get_balance", json!({}))], "You have 100."),
        "Who comes to the lunch?" => (
            vec![("office.list", json!({})), ("office.read", json!({"id": "13"}))],
            "ann@mail.example and bob@mail.example; see https://maps.example/lunch",
        ),
        other => panic!("nobody says {other}"),
    }
}

fn reply(request: &RecordedRequest) -> Reply {
    if scripted_model::memory_schema(request).is_some() {
        return scripted_model::reply(request);
    }
    let (calls, done) = task(Prompt::read(request).input());
    let messages = request.messages().iter();
    let made = messages.filter(|message| message["role"] == "assistant").count();
    Reply::json(&match calls.get(made) {
        Some((name, args)) => json!({"type": "tool_call", "name": name, "args": args}),
        None => json!({"type": "finish", "output": done}),
    })
}

fn servers(dir: &Path) -> Vec<toml::Value> {
    let (reads, writes) = (json!({"readOnlyHint": true}), json!({"destructiveHint": false}));
    let bank = json!([
        tool("get_balance", &[], &reads),
        tool("send_money", &["recipient", "amount", "subject"], &writes),
    ]);
    let office = json!([tool("list", &[], &reads), tool("read", &["id"], &reads)]);
    let lunch = json!({"id": "13", "with": ["ann@mail.example", "bob@mail.example"],
        "where": "https://maps.example/lunch"});
    vec![
        server(
            dir,
            "bank",
            &bank,
            &[
                ("get_balance", json!({"balance": 100})),
                ("send_money", json!({"status": "ok"})),
            ],
        ),
        server(
            dir,
            "office",
            &office,
            &[
                ("list", json!({"events": [{"id": "13", "title": "Lunch"}]})),
                ("read", lunch),
            ],
        ),
    ]
}

#[tokio::test]
async fn what_a_person_says_is_done_and_told_whole_without_a_question() {
    for setup in [Some(Setup::on(Site::Telegram)), Setup::on(Site::Telegram).postgres()]
        .into_iter()
        .flatten()
    {
        let dir = tempfile::tempdir().unwrap();
        let setup = setup.set("tools.mcp", servers(dir.path()));
        let mut bot: Bot = setup.set("engine.planning_gate", "off").start().await;
        bot.model.respond_with(reply);
        bot.until("the MCP servers", async |_| {
            (bot.logged("MCP server ready") >= 2).then_some(())
        })
        .await;
        let chat = bot.telegram.user(7, "Ada");
        // Neither what was read nor the receipt of a payment makes the next one ask.
        let inputs = [
            "Who comes to the lunch?",
            "What is my balance?",
            "Send 5 to GB29NWBK60161331926819, subject Coffee",
            "Send 6 to GB29NWBK60161331926819, subject Tea",
        ];
        for input in inputs {
            assert_eq!(tell(&bot, chat, 7, input).await.text, task(input).1);
        }
        runs(&bot, inputs.len(), RunStatus::Completed).await;
        bot.finish().await;
    }
}
