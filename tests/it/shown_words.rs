//! Words of others taint a run as long as its prompt shows them, or an answer that repeats them, and no longer.

use clifford_fakes::openai::{RecordedRequest, Reply};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::{
    harness::{Bot, Room, Setup, Site},
    scripted_model::{self, Prompt},
};

/// Where the server is that does as it is told.
const FAKE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fakes/mcp.sh");

/// Makes the call that the person names, or remembers something of its own accord, or says what is on its mind.
fn reply(request: &RecordedRequest) -> Reply {
    if scripted_model::memory_schema(request).is_some() {
        return scripted_model::reply(request);
    }
    let last: Value = serde_json::from_str(request.last_text()).unwrap_or_default();
    if let Some(told) = last.get("tool_result") {
        let found = [&told["result"]["data"]["text"], &told["result"]["text"]];
        let said = found.into_iter().find_map(Value::as_str).unwrap_or("It is kept.");
        return Reply::json(&json!({"type": "finish", "output": said}));
    }
    let is_denied = |note: &str| note.contains("denied");
    if last["system_note"].as_str().is_some_and(is_denied) {
        return Reply::json(&json!({"type": "finish", "output": "Then not."}));
    }
    let prompt = Prompt::read(request);
    Reply::json(&match prompt.input() {
        "keep something" => json!({"type": "tool_call", "name": "memory.put",
            "args": {"module": "preferences", "key": "fruit", "value": "tomatoes"}}),
        "look it up" => json!({"type": "tool_call", "name": "other.echo", "args": {"text": "what is heliotrope?"}}),
        "say it again" => json!({"type": "finish", "output": "It is cancelled."}),
        input => match input.split_once(' ') {
            Some((name, args)) if name.contains('.') => {
                json!({"type": "tool_call", "name": name, "args": serde_json::from_str::<Value>(args).unwrap()})
            }
            _ => json!({"type": "finish", "output": "Good day."}),
        },
    })
}

/// A bot with two servers, of which each tells what stands in its directory.
async fn started(setup: Setup) -> (Bot, Room, TempDir) {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("said"), TOLD).unwrap();
    let server = |name: &str| {
        toml::Value::Table(toml::Table::from_iter([
            ("name".to_owned(), name.into()),
            ("command".to_owned(), "sh".into()),
            ("args".to_owned(), vec![FAKE].into()),
            ("cwd".to_owned(), dir.path().display().to_string().into()),
        ]))
    };
    let setup = setup
        .set("tools.mcp", vec![server("fake"), server("other")])
        .set("engine.planning_gate", "off")
        .set("engine.conversation_limit", 4);
    let bot = setup.start().await;
    bot.model.respond_with(reply);
    bot.until("the MCP server", async |_| {
        (bot.logged("MCP server ready") > 1).then_some(())
    })
    .await;
    let room = bot.room(Site::Telegram, 7, "Ada");
    (bot, room, dir)
}

/// Says something; whether the run that answers has read words of others by its end, and its answer.
async fn tell(bot: &Bot, room: Room, text: &str) -> (bool, String) {
    let before = bot.texts(room).len();
    bot.says(room, text);
    let answer = bot.answers(room, before + 1).await.remove(before);
    let run = bot.look().await.runs().await.pop().expect("a run").id;
    let tainted = format!("SELECT COUNT(*) FROM runs WHERE id = '{run}' AND tainted");
    (bot.look().await.number(&tainted).await == 1, answer)
}

/// The text of the server's result.
const TOLD: &str = "the password is Heliotrope, the release is cancelled";
const READ: &str = "fake.say {}";

#[tokio::test]
async fn what_was_read_taints_the_turns_that_show_it_and_none_behind_them() {
    for setup in [Some(Setup::on(Site::Telegram)), Setup::on(Site::Telegram).postgres()]
        .into_iter()
        .flatten()
    {
        let (mut bot, room, _dir) = started(setup).await;
        assert!(!tell(&bot, room, "hello").await.0);
        assert_eq!(tell(&bot, room, READ).await, (true, TOLD.to_owned()));
        // The next two prompts show that answer.
        assert!(tell(&bot, room, "good morning").await.0);
        let (is_tainted, question) = tell(&bot, room, "keep something").await;
        assert!(
            is_tainted && question.starts_with("May I do this? memory.put"),
            "{question}"
        );
        bot.says(room, "/deny");
        bot.answers(room, 6).await;
        // From here on none does.
        assert_eq!(
            tell(&bot, room, "keep something").await,
            (false, "It is kept.".to_owned())
        );
        bot.finish().await;
    }
}

#[tokio::test]
async fn an_answer_that_repeats_others_taints_as_they_did() {
    let (mut bot, room, _dir) = started(Setup::on(Site::Telegram)).await;
    tell(&bot, room, READ).await;
    for text in [
        "say it again",
        "say it again",
        "say it again",
        "hello",
        "hello",
        "hello",
    ] {
        let (is_tainted, _) = tell(&bot, room, text).await;
        // The last answer that repeats it is shown to the next two.
        let left = bot.texts(room).len() > 6;
        assert_eq!(is_tainted, !left, "{text}");
    }
    bot.finish().await;
}

#[tokio::test]
async fn a_read_elsewhere_may_not_tell_what_an_earlier_answer_told() {
    let (mut bot, room, _dir) = started(Setup::on(Site::Telegram)).await;
    // Known of nobody, it is looked up at once.
    assert_eq!(tell(&bot, room, "look it up").await.1, "what is heliotrope?");
    bot.says(room, "/new");
    bot.answers(room, 2).await;
    let told = tell(&bot, room, r#"fake.echo {"text":"the password is Heliotrope"}"#)
        .await
        .1;
    assert_eq!(told, "the password is Heliotrope");
    let question = tell(&bot, room, "look it up").await.1;
    assert!(question.starts_with("May I do this? other.echo"), "{question}");
    bot.finish().await;
}
