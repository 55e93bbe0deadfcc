//! The row's parts: settings, environment, doctor, init, an answer, metrics.

use std::time::Duration;

use clifford_fakes::openai::{OpenAiFake, RecordedRequest, Reply};
use serde_json::{Value, json};

use crate::{machine::Machine, server::Server, terminal::Terminal};

const OWNER: &str = "a-token-of-the-owner";
/// How long the metrics are waited for.
const PATIENCE: Duration = Duration::from_secs(20);

/// Answers by repeating.
fn repeats(request: &RecordedRequest) -> Reply {
    let payload: Value = serde_json::from_str(request.text(1)).unwrap_or_default();
    let answer = format!("You said: {}", payload["input"].as_str().unwrap_or_default());
    Reply::json(&json!({ "type": "send_message", "message": answer }))
}

/// A `bot.toml` with a section for the chat, and whatever belongs to it.
fn settings(server: &Server, model: &OpenAiFake, own: &str) -> String {
    format!(
        "[http]\nbind = \"127.0.0.1:0\"\n[channels.socket]\napi_url = \"{}\"\n{own}\n\
         [[llm.providers]]\nname = \"fake\"\nmodel = \"fake-1\"\nbase_url = \"{}\"\ncontext_tokens = 128000\n",
        server.api_url(),
        model.base_url()
    )
}

/// The metrics of the server that wrote this log.
async fn metrics(log: &str) -> String {
    let line = log.lines().find(|line| line.contains("serving the API")).unwrap();
    let (_, port) = line.split_once("127.0.0.1:").unwrap();
    let port: String = port.chars().take_while(char::is_ascii_digit).collect();
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let request = client.get(format!("http://127.0.0.1:{port}/metrics"));
    let response = request.bearer_auth(OWNER).send().await.unwrap();
    response.text().await.unwrap()
}

/// Waits until the metrics have these lines.
async fn metrics_with(log: &str, lines: &[&str]) {
    let mut found = String::new();
    let all = async {
        loop {
            found = metrics(log).await;
            if lines.iter().all(|line| found.lines().any(|found| found == *line)) {
                return;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    let all = tokio::time::timeout(PATIENCE, all).await;
    assert!(all.is_ok(), "not all of {lines:#?} in {found}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_message_comes_in_its_answer_goes_out_and_both_are_counted() {
    let (machine, server, model) = (Machine::new(), Server::start().await, OpenAiFake::start().await);
    model.respond_with(repeats);
    machine.write("bot.toml", &settings(&server, &model, "access = \"open\""));
    let env = [("SOCKET_BOT_TOKEN", Server::TOKEN), ("CLIFFORD_API_TOKEN", OWNER)];
    let mut process = machine.serve(&env);
    server.connected().await;
    server.says("text", "hello");
    assert_eq!(server.wait_for(1).await, ["You said: hello"]);
    server.says("text", "/new Rome");
    let texts = server.wait_for(2).await;
    assert!(!texts[1].starts_with("You said"), "a command is one: {texts:?}");

    let log = machine.read("log");
    assert!(log.contains("platforms  Socket (open to everybody)"), "{log}");
    // The command may be answered before it is counted.
    metrics_with(
        &log,
        &[
            "clifford_connected{platform=\"socket\"} 1",
            "clifford_connected{platform=\"telegram\"} 0",
            "clifford_events_total{platform=\"socket\",outcome=\"answering\"} 2",
            "clifford_unreadable_events_total{platform=\"socket\"} 0",
        ],
    )
    .await;
    process.kill().await.unwrap();
    assert_eq!(server.violations(), Vec::<String>::new());
    assert_eq!(model.violations(), Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn what_its_adapter_does_beside_speaking_is_a_tool_of_its_name() {
    let (machine, server, model) = (Machine::new(), Server::start().await, OpenAiFake::start().await);
    let pin = json!({
        "type": "tool_call", "name": "socket.pin", "args": { "message": "m1" },
        "notes": [
            { "category": "requirements", "content": "The message is pinned." },
            { "category": "plan", "content": "Pin it.", "plan": [{ "command": "socket.pin" }] },
        ],
    });
    model.push(Reply::json(&pin));
    model.push(Reply::json(&json!({ "type": "finish", "output": "It is pinned." })));
    machine.write(
        "bot.toml",
        &settings(&server, &model, "access = \"open\"\n[tools.socket]\npinned = true"),
    );
    let env = [("SOCKET_BOT_TOKEN", Server::TOKEN), ("CLIFFORD_API_TOKEN", OWNER)];
    let mut process = machine.serve(&env);
    server.connected().await;
    server.says("text", "pin this");
    let said = server.wait_for(1).await;
    assert_eq!(model.violations(), Vec::<String>::new());
    assert_eq!(said, ["It is pinned."]);
    assert_eq!(server.pinned(), ["m1"]);
    process.kill().await.unwrap();

    // Where the platform is off, its tool says so.
    machine.write("bot.toml", "[tools.socket]\npinned = true\n");
    let shown = machine.run(&["tools", "show", "socket"], &[]).await.succeeds();
    assert!(shown.contains("[channels.socket] is not set up"), "{shown}");
    assert_eq!(server.violations(), Vec::<String>::new());
    assert_eq!(model.violations(), Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn the_owner_lets_people_in_by_a_code_as_on_every_platform() {
    let (machine, server, model) = (Machine::new(), Server::start().await, OpenAiFake::start().await);
    machine.write("bot.toml", &settings(&server, &model, "allow = [8]"));
    let mut process = machine.serve(&[("SOCKET_BOT_TOKEN", Server::TOKEN)]);
    server.connected().await;
    server.says("text", "hello");
    let texts = server.wait_for(1).await;
    assert!(texts[0].contains("code"), "{texts:?}");
    assert_eq!(model.requests().len(), 0, "nobody is answered who was not let in");
    process.kill().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn its_token_in_the_environment_turns_it_on() {
    let (machine, server) = (Machine::new(), Server::start().await);
    let env = [
        ("SOCKET_BOT_TOKEN", Server::TOKEN),
        ("CLIFFORD_CHANNELS__SOCKET__API_URL", server.api_url()),
    ];
    let shown: Value =
        serde_json::from_str(&machine.run(&["config", "show", "--json"], &env).await.succeeds()).unwrap();
    let expected = json!({
        "enabled": true,
        "token": { "env": "SOCKET_BOT_TOKEN" },
        "api_url": server.api_url(),
        "access": "pairing",
        "allow": [],
        "allow_roles": [],
        "wake_words": ["Clifford"],
        "always": [],
        "follow_threads": false,
        "typing_seconds": 4,
    });
    assert_eq!(shown["channels"], json!({ "socket": expected }));

    let hints = machine.run(&["config", "check"], &[]).await.succeeds();
    let none = "No chat platform is on; set TELEGRAM_BOT_TOKEN, DISCORD_BOT_TOKEN or SOCKET_BOT_TOKEN, or talk here";
    assert!(hints.contains(none), "{hints}");
    machine.write("bot.toml", "[agent]\nname = \"Ada\"\n");
    let hints = machine.run(&["config", "check"], &env[..1]).await.succeeds();
    let absent = "SOCKET_BOT_TOKEN is set, but bot.toml has no [channels.socket]; add it to turn the platform on.";
    assert!(hints.contains(absent), "{hints}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_wrong_with_its_section_is_told_as_of_every_section() {
    let machine = Machine::new();
    let cases = [
        (
            "[channels.sockett]\n",
            "bot.toml:1: channels.sockett: unknown section; did you mean `channels.socket`?",
        ),
        (
            "[tools.sockets]\n",
            "bot.toml:1: tools.sockets: unknown section; did you mean `tools.socket`?",
        ),
        (
            "[channels.socket]\ntoken = \"hunter2\"\ntyping_seconds = 61\n",
            "bot.toml:3: channels.socket.typing_seconds: expected a whole number from 1 to 60, but got 61",
        ),
        (
            "[channels.socket]\n",
            "bot.toml:1: channels.socket.token: the environment variable SOCKET_BOT_TOKEN is not set; set it, or token = \
             { file = \"PATH\" }, or channels.socket.enabled = false",
        ),
    ];
    for (text, fault) in cases {
        machine.write("bot.toml", text);
        let ended = machine.run(&["config", "check"], &[]).await;
        assert_eq!(
            (ended.code, ended.err.trim_end()),
            (1, format!("clifford: {fault}").as_str())
        );
    }
    machine.write("bot.toml", "[channels.socket]\ntoken = \"hunter2\"\n");
    let shown = machine.run(&["config", "show"], &[]).await.succeeds();
    assert!(
        shown.contains("token = \"[secret]\"") && !shown.contains("hunter2"),
        "{shown}"
    );

    let schema: Value = serde_json::from_str(&machine.run(&["config", "schema"], &[]).await.succeeds()).unwrap();
    let section = &schema["properties"]["channels"]["properties"]["socket"];
    assert_eq!(section["description"], "A chat over a TCP socket.");
    assert_eq!(section["properties"]["typing_seconds"]["maximum"], 60);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_doctor_asks_the_chat_whose_token_it_is() {
    let (machine, server) = (Machine::new(), Server::start().await);
    let api_url = ("CLIFFORD_CHANNELS__SOCKET__API_URL", server.api_url());
    let doctor = ["doctor", "--json", "--set", "http.bind=127.0.0.1:0"];
    let ended = machine
        .run(&doctor, &[("SOCKET_BOT_TOKEN", Server::TOKEN), api_url])
        .await;
    assert_eq!(ended.check("socket"), ["ok", "clifford, is welcome", ""]);

    let ended = machine.run(&doctor, &[("SOCKET_BOT_TOKEN", "hunter2"), api_url]).await;
    assert_eq!(
        ended.check("socket"),
        [
            "fail",
            "the chat says: there is no such token",
            "take the token from the chat server's list of tokens, and set it where channels.socket.token says"
        ]
    );
    assert!(ended.code == 1 && !ended.out.contains("hunter2"), "{ended:?}");

    let nowhere = ("CLIFFORD_CHANNELS__SOCKET__API_URL", "tcp://127.0.0.1:1");
    let ended = machine
        .run(&doctor, &[("SOCKET_BOT_TOKEN", Server::TOKEN), nowhere])
        .await;
    let [status, found, mend] = ended.check("socket");
    assert_eq!(
        (status.as_str(), mend.as_str()),
        (
            "fail",
            "check the network, a proxy or firewall, and channels.socket.api_url"
        )
    );
    assert!(found.starts_with("no answer: "), "{found}");
}

#[tokio::test(flavor = "multi_thread")]
async fn init_takes_its_token_from_the_environment() {
    let (machine, server) = (Machine::new(), Server::start().await);
    let env = [
        ("SOCKET_BOT_TOKEN", Server::TOKEN),
        ("CLIFFORD_CHANNELS__SOCKET__API_URL", server.api_url()),
    ];
    let said = machine.run(&["init", "--yes"], &env).await.succeeds();
    assert!(said.contains("SOCKET_BOT_TOKEN: clifford\n"), "{said}");
    assert!(said.contains("Your code is "), "{said}");
    let section = format!(
        "\n[channels.socket]\ntoken = {{ env = \"SOCKET_BOT_TOKEN\" }}\napi_url = \"{}\"\naccess = \"pairing\" # open | \
         pairing | allowlist\n",
        server.api_url()
    );
    let written = machine.read("bot.toml");
    assert!(written.ends_with(&section), "{written}");
}

#[tokio::test(flavor = "multi_thread")]
async fn init_asks_its_questions_and_tries_the_token_that_is_typed() {
    let (machine, server) = (Machine::new(), Server::start().await);
    let api_url = ("CLIFFORD_CHANNELS__SOCKET__API_URL", server.api_url());
    let mut terminal = Terminal::start(machine.command(&["init"], &[api_url, ("TERM", "xterm")]));
    terminal
        .answer("Which chat platforms should the bot join?", "Socket \r")
        .await;
    terminal
        .shows("A bot of the chat is made in its server's list of tokens.")
        .await;
    terminal.answer("Socket bot token:", "hunter2\r").await;
    terminal
        .shows("not accepted: the chat says: there is no such token")
        .await;
    terminal
        .answer("Socket bot token:", &format!("{}\r", Server::TOKEN))
        .await;
    terminal.shows("this is clifford").await;
    terminal.answer("Where should it be kept?", "\r").await;
    terminal.answer("Who may talk to it in private?", "\r").await;
    terminal.answer("Which language model?", "None\r").await;
    terminal.shows("bot.toml is written.").await;
    terminal.answer("Start the bot now", "n\r").await;
    terminal.ends().await;
    let written = machine.read("bot.toml");
    let section = format!("[channels.socket]\ntoken = \"{}\"\n", Server::TOKEN);
    assert!(written.contains(&section), "{written}");
}
