//! The transcripts of questions in `docs/how-to/approve.md`, as the binary holds these conversations.
//!
//! `UPDATE_DOCS=1 cargo test --test it -- transcripts` writes them.

use std::{env, fs, path::Path};

use clifford_fakes::openai::{OpenAiFake, RecordedRequest, Reply};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::together::Terminal;
use crate::{
    api_watch::{Watch, watched},
    harness::{Bot, Setup, Site},
    scripted_model::{self, Prompt},
};

/// The page, by its place in the repository.
const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/how-to/approve.md");
/// Where the server is that tells what stands in its directory.
const DESK: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fakes/desk.sh");

/// Makes the calls of a task one after the other, then says that it is done.
fn reply(request: &RecordedRequest) -> Reply {
    if scripted_model::memory_schema(request).is_some() {
        return scripted_model::reply(request);
    }
    let prompt = Prompt::read(request);
    let call = |name: &str, args: Value| json!({"type": "tool_call", "name": name, "args": args});
    let mail = |hour: &str| {
        let body = format!("Hi Bob,\nI come at {hour}.");
        call("mail.send", json!({"to": "bob@mail.example", "body": body}))
    };
    let (calls, done) = match prompt.input() {
        "Pay the bill in bill-december.txt" => (
            vec![
                call("banking.read_file", json!({"path": "bill-december.txt"})),
                call(
                    "banking.send_money",
                    json!({"recipient": "US133000000121212121212", "amount": 98.7}),
                ),
            ],
            "It is paid.",
        ),
        "Cancel the lunch" => (
            vec![
                call("calendar.list", json!({})),
                call(
                    "calendar.delete_event",
                    json!({"event_id": "13", "notify": ["ann@mail.example"]}),
                ),
            ],
            "The lunch is cancelled.",
        ),
        "Mail bob@mail.example that I come at 10" => (
            vec![mail("10"), mail(if prompt.heard().is_empty() { "10" } else { "11" })],
            "The mail is sent.",
        ),
        "I drink tea" => (
            vec![call(
                "memory.put",
                json!({"module": "preferences", "key": "drink", "value": "tea"}),
            )],
            "I will remember that.",
        ),
        other => panic!("nobody says {other}"),
    };
    let made = request
        .messages()
        .iter()
        .filter(|message| message["role"] == "assistant")
        .count();
    // An approved mail is sent once.
    let is_sent = made == 1 && done == "The mail is sent." && prompt.heard().is_empty();
    Reply::json(&match calls.into_iter().nth(made).filter(|_| !is_sent) {
        Some(call) => call,
        None => json!({"type": "finish", "output": done}),
    })
}

/// The settings of a server that tells this, in a directory of its own.
pub fn server(dir: &Path, name: &str, tools: &Value, told: &[(&str, Value)]) -> toml::Value {
    let home = dir.join(name);
    fs::create_dir(&home).unwrap();
    fs::write(home.join("tools.json"), tools.to_string()).unwrap();
    for (tool, result) in told {
        fs::write(home.join(format!("{tool}.json")), result.to_string()).unwrap();
    }
    toml::Value::Table(toml::Table::from_iter([
        ("name".to_owned(), name.into()),
        ("command".to_owned(), "sh".into()),
        ("args".to_owned(), vec![DESK].into()),
        ("cwd".to_owned(), home.display().to_string().into()),
    ]))
}

/// A command of such a server.
pub fn tool(name: &str, fields: &[&str], annotations: &Value) -> Value {
    let properties = fields.iter().map(|field| ((*field).to_owned(), json!({})));
    let properties: serde_json::Map<_, _> = properties.collect();
    json!({
        "name": name, "description": name, "annotations": annotations,
        "inputSchema": {"type": "object", "properties": properties},
    })
}

fn servers(dir: &Path) -> Vec<toml::Value> {
    let reads = json!({"readOnlyHint": true});
    let bill = "Your bill of December: 98.70. Please pay it to US133000000121212121212, account of the company.";
    let banking = server(
        dir,
        "banking",
        &json!([
            tool("read_file", &["path"], &reads),
            tool(
                "send_money",
                &["recipient", "amount"],
                &json!({"destructiveHint": false})
            ),
        ]),
        &[
            ("read_file", json!({"text": bill, "amount": 98.7})),
            ("send_money", json!({"status": "ok"})),
        ],
    );
    let calendar = server(
        dir,
        "calendar",
        &json!([
            tool("list", &[], &reads),
            tool(
                "delete_event",
                &["event_id", "notify"],
                &json!({"destructiveHint": true})
            ),
        ]),
        &[
            (
                "list",
                json!({"events": [{"id": "13", "title": "Lunch", "with": [{"name": "Ann", "email": "ann@mail.example"}]}]}),
            ),
            ("delete_event", json!({"status": "ok"})),
        ],
    );
    let mail = server(
        dir,
        "mail",
        &json!([tool("send", &["to", "body"], &json!({}))]),
        &[("send", json!({"status": "ok"}))],
    );
    let mut mail = mail;
    let classes = toml::Table::from_iter([("send".to_owned(), "SENSITIVE".into())]);
    mail.as_table_mut()
        .unwrap()
        .insert("classes".to_owned(), classes.into());
    vec![banking, calendar, mail]
}

async fn started(setup: Setup) -> (Bot, TempDir) {
    let dir = tempfile::tempdir().unwrap();
    let setup = setup
        .set("tools.mcp", servers(dir.path()))
        .set("engine.planning_gate", "off");
    let bot = setup.start().await;
    bot.model.respond_with(reply);
    bot.until("the MCP servers", async |_| {
        (bot.logged("MCP server ready") >= 3).then_some(())
    })
    .await;
    (bot, dir)
}

/// Waits until all that was said is marked as delivered.
async fn landed(bot: &Bot) {
    bot.until("what was said to be marked", async |look| {
        (look.undelivered().await == 0).then_some(())
    })
    .await;
}

fn buttons(buttons: &[(String, String)]) -> String {
    let labels: Vec<_> = buttons.iter().map(|(label, _)| format!("[{label}]")).collect();
    labels.join(" ")
}

/// A text without its Markdown, which is shown as bold text and code.
fn plain(text: &str) -> String {
    text.replace("**", "").replace('`', "")
}

fn says(who: &str, text: &str) -> String {
    format!("{who}: {}", text.trim_end())
}

async fn telegram() -> String {
    let (mut bot, _dir) = started(Setup::on(Site::Telegram)).await;
    let chat = bot.telegram.user(7, "Ada");
    let task = "Pay the bill in bill-december.txt";
    bot.telegram.user_says(chat, 7, task);
    let question = bot.telegram.wait_for_sent(chat, 1).await.remove(0);
    bot.telegram.press(chat, 7, "Deny");
    let settled = bot
        .telegram
        .wait_until("the question to be changed", |fake| {
            fake.sent(chat).into_iter().next().filter(|sent| sent.edits > 0)
        })
        .await;
    bot.telegram.wait_for_answers().await;
    bot.telegram.wait_for_sent(chat, 3).await;
    bot.finish().await;
    let ending = settled.text.lines().last().unwrap_or_default().to_owned();
    [
        says("Ada", task),
        says("Clifford", &question.text),
        buttons(&question.buttons),
        format!("Ada presses Deny. The question ends with: {ending}"),
    ]
    .join("\n\n")
}

async fn discord() -> String {
    let (mut bot, _dir) = started(Setup::on(Site::Discord)).await;
    let ada = bot.discord.user("Ada");
    let dm = bot.discord.dm(ada);
    bot.discord.user_says(dm, ada, "Cancel the lunch");
    let question = bot.discord.wait_for_sent(dm, 1).await.remove(0);
    bot.discord.press(dm, ada, &question, "Approve");
    let answer = bot
        .discord
        .wait_for("the answer", |fake| {
            let mut sent = fake.sent(dm).into_iter();
            sent.find(|sent| sent.content == "The lunch is cancelled.")
        })
        .await;
    bot.finish().await;
    [
        says("Ada", "Cancel the lunch"),
        says("Clifford", &plain(&question.content)),
        buttons(&question.buttons),
        "Ada presses Approve.".to_owned(),
        says("Clifford", &answer.content),
    ]
    .join("\n\n")
}

async fn words() -> String {
    let (mut bot, _dir) = started(Setup::on(Site::Telegram)).await;
    let chat = bot.telegram.user(7, "Ada");
    let task = "Mail bob@mail.example that I come at 10";
    bot.telegram.user_says(chat, 7, task);
    let first = bot.telegram.wait_for_sent(chat, 1).await.remove(0);
    landed(&bot).await;
    bot.telegram.reply_to(chat, 7, "make it 11", first.message_id);
    let second = bot
        .telegram
        .wait_until("the second question", |fake| {
            let mut sent = fake.sent(chat).into_iter();
            sent.find(|sent| sent.text.contains("I come at 11"))
        })
        .await;
    landed(&bot).await;
    bot.telegram.reply_to(chat, 7, "yes", second.message_id);
    let answer = bot
        .telegram
        .wait_until("the answer", |fake| {
            let mut sent = fake.sent(chat).into_iter();
            sent.find(|sent| sent.text == "The mail is sent.")
        })
        .await;
    bot.finish().await;
    [
        says("Ada", task),
        says("Clifford", &first.text),
        says("Ada, in a reply", "make it 11"),
        says("Clifford", &second.text),
        says("Ada, in a reply", "yes"),
        says("Clifford", &answer.text),
    ]
    .join("\n\n")
}

async fn terminal() -> String {
    let model = OpenAiFake::start().await;
    model.respond_with(reply);
    tokio::task::spawn_blocking(move || {
        let mut terminal = Terminal::open(&model);
        terminal.types("I drink tea");
        let question = terminal.reads("/approve");
        terminal.types("yes");
        let answer = terminal.reads("I will remember that.");
        terminal.ends();
        // A line that names the run by its id is another one each time.
        let names_run = |line: &str| line.starts_with("/undo ") || (line.starts_with('/') && line.contains(':'));
        let is_same = |line: &&str| !names_run(line.trim_start());
        let answer: Vec<_> = answer.lines().filter(is_same).collect();
        let told = answer.join("\n");
        ["> I drink tea", question.trim(), "> yes", told.trim()].join("\n\n")
    })
    .await
    .unwrap()
}

async fn api() -> String {
    let (mut bot, _dir) = started(watched(Setup::on(Site::Telegram))).await;
    let api = Watch::on(&bot);
    let asked = json!({"content": "Cancel the lunch"}).to_string();
    let (status, answer) = api.post("/api/messages?wait=30", asked.clone()).await;
    assert!(status < 300, "{answer}");
    let answer: Value = serde_json::from_str(&answer).unwrap();
    let run = answer["run"]["id"]
        .as_str()
        .unwrap_or_else(|| panic!("{answer}"))
        .to_owned();
    let question = answer["messages"][0]
        .as_str()
        .unwrap_or_else(|| panic!("{answer}"))
        .to_owned();
    let decision = json!({"decision": "approve"}).to_string();
    let (status, confirmed) = api.post(&format!("/api/runs/{run}/confirm"), decision.clone()).await;
    assert_eq!(status, 202, "{confirmed}");
    bot.until("the end", async |look| {
        let status = look.run().await.status;
        (status == clifford_core::runs::RunStatus::Completed).then_some(())
    })
    .await;
    bot.finish().await;
    [
        format!("POST /api/messages?wait=30 {asked}"),
        format!("The run waits, and its message says:\n\n{}", plain(&question)),
        format!("POST /api/runs/{{id}}/confirm {decision}"),
    ]
    .join("\n\n")
}

#[tokio::test(flavor = "multi_thread")]
async fn the_transcripts_of_the_page_are_those_of_the_binary() {
    let transcripts = [
        ("telegram", telegram().await),
        ("discord", discord().await),
        ("terminal", terminal().await),
        ("api", api().await),
        ("words", words().await),
    ];
    let page = fs::read_to_string(PAGE).unwrap();
    let mut made = page.clone();
    for (name, transcript) in &transcripts {
        let mark = format!("<!-- transcript: {name} -->\n```text\n");
        let (before, rest) = made
            .split_once(&mark)
            .unwrap_or_else(|| panic!("{mark} is not in {PAGE}"));
        let (_, after) = rest.split_once("\n```").unwrap_or_else(|| panic!("{name} has no end"));
        made = format!("{before}{mark}{transcript}\n```{after}");
    }
    if env::var_os("UPDATE_DOCS").is_some() {
        fs::write(PAGE, made).unwrap();
    } else {
        let stale = "UPDATE_DOCS=1 cargo test --test it -- transcripts writes docs/how-to/approve.md";
        assert_eq!(page, made, "{stale}");
    }
}
