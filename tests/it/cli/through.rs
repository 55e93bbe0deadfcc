//! Beside a server: `ask`, `chat` and `tools call` have their work done there.

use std::{fs, os::unix::fs::PermissionsExt as _, process::Stdio};

use clifford_fakes::openai::{OpenAiFake, Reply};
use rustix::process::{Pid, Signal, kill_process};

use super::{Machine, serving::Server, terminal::Terminal};

const PROMPT: &str = "you>";
const INTERRUPT: &str = "\u{3}";

/// A server with settings that the commands beside it do not have: what they show is its doing.
fn serve(machine: &Machine, settings: &[&str]) -> Server {
    let sets = settings.iter().flat_map(|setting| ["--set", *setting]);
    let mut server = Server::start(machine, &sets.collect::<Vec<_>>(), &[]);
    server.says("dashboard");
    server
}

/// A server whose model is this one, and answers in one call.
fn serve_model(machine: &Machine, model: &OpenAiFake) -> Server {
    let provider = format!(
        "llm.providers=[{{ name = \"fake\", model = \"fake-1\", base_url = \"{}\" }}]",
        model.base_url()
    );
    serve(machine, &[&provider, "agent.mode=chat"])
}

fn chat(machine: &Machine) -> Terminal {
    Terminal::start(&mut machine.command(["chat"]))
}

/// The file in which a server announces itself to commands of its machine.
fn announcement(machine: &Machine) -> std::path::PathBuf {
    machine.path("data/clifford/server.json")
}

#[tokio::test(flavor = "multi_thread")]
async fn questions_and_conversations_are_answered_by_the_server() {
    let model = OpenAiFake::start().await;
    model.respond_with(|_| Reply::text("The server's model says so."));
    let machine = Machine::new();
    let server = serve_model(&machine, &model);
    let mode = fs::metadata(announcement(&machine))
        .expect("it is announced")
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o600);

    assert_eq!(
        machine.run(["ask", "hello"]).succeeds(),
        "The server's model says so.\n"
    );
    let asked = machine.run(["ask", "--json", "hello"]).json();
    assert_eq!((&asked["status"], &asked["llmCalls"]), (&"completed".into(), &1.into()));
    let shown = machine.run(["runs", "show", "last", "--json"]).json();
    let you = machine.run(["users", "show", "you", "--json"]).json();
    assert_eq!(shown["run"]["userId"], you["user"]["id"]);

    let said = machine
        .pipe("hello\n/help\nexit\nunread\n", &["chat", "--quiet"])
        .succeeds();
    assert!(
        said.starts_with("The server's model says so.\n") && said.contains("/help memory") && !said.contains("unread"),
        "{said}"
    );
    // It is the conversation that is held without a server, too.
    let channels = machine.run(["channels", "list", "--json"]).json();
    assert_eq!(channels.as_array().map(Vec::len), Some(1), "{channels}");
    assert_eq!(channels[0]["platform"], "terminal");

    assert_eq!(server.stop().code, 0);
    assert!(!announcement(&machine).exists());
    // Without it they answer by themselves.
    assert_eq!(machine.run(["ask", "1 + 2"]).succeeds(), "1 + 2 = 3\n");
}

#[test]
fn a_tool_is_called_by_the_server() {
    let machine = Machine::new();
    let server = serve(&machine, &["tools.web.enabled=false"]);
    let call = |args: &[&str]| machine.run([&["tools", "call"], args].concat());
    assert_eq!(
        call(&["compute.eval", "{\"expression\": \"17 * 23\"}"]).succeeds(),
        "391\n"
    );
    let json = call(&["compute.eval", "{\"expression\": \"17 * 23\"}", "--json"]).json();
    assert_eq!(json["value"], "391");
    call(&["compute.evil"]).fails_with("there is no tool compute.evil; did you mean compute.eval?");
    call(&["memory.put", "{}"])
        .fails_with("memory.put does more than read: only a run may call it; ask for it with `clifford ask`");
    let failed = call(&["compute.eval", "{\"expression\": \"1 / 0\"}"]);
    assert!(
        failed.code == 1 && failed.err.starts_with("clifford: compute.eval: "),
        "{failed:?}"
    );
    assert_eq!(server.stop().code, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_that_the_server_asks_about_is_approved_where_it_was_asked() {
    let machine = Machine::new();
    let server = serve(
        &machine,
        &["policies=[{ action = \"confirm\", tools = [\"compute.eval\"] }]"],
    );
    let mut terminal = chat(&machine);
    terminal.shows(PROMPT).await;
    terminal.types("what is 17 * 23?\r");
    let seen = terminal.shows("/approve ").await;
    let code = seen
        .split("/approve ")
        .nth(1)
        .and_then(|rest| rest.split_whitespace().next());
    terminal.types(&format!("/approve {}\r", code.expect("a code")));
    terminal.shows("17 * 23 = 391").await;
    terminal.types("exit\r");
    terminal.ends().await;
    assert_eq!(server.stop().code, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn ctrl_c_stops_the_answer_at_the_server_and_a_growing_answer_is_shown() {
    let model = OpenAiFake::start().await;
    model.respond_with(|_| Reply::text("It is said."));
    let hold = model.hold();
    let machine = Machine::new();
    let server = serve_model(&machine, &model);
    let mut terminal = chat(&machine);
    terminal.shows(PROMPT).await;
    terminal.types("hello\r");
    model.wait_for_requests(1).await;
    terminal.shows("s · Ctrl-C stops").await;
    terminal.types(INTERRUPT);
    terminal
        .until("that it stopped", |seen| {
            !seen.contains("Ctrl-C stops\n") && seen.trim_end().ends_with(PROMPT)
        })
        .await;
    hold.release();
    terminal.types("again\r");
    terminal.shows("It is said.").await;
    let runs = machine.run(["runs", "list", "--json"]).json();
    assert_eq!(
        (&runs[0]["status"], &runs[1]["status"]),
        (&"completed".into(), &"cancelled".into())
    );
    terminal.types("exit\r");
    terminal.ends().await;

    // A question is cancelled as well.
    let hold = model.hold();
    let mut command = machine.command(["ask", "hello"]);
    let command = command.stdout(Stdio::null()).stderr(Stdio::piped());
    let asking = command.spawn().expect("the binary runs");
    let running = ["runs", "list", "--status", "running", "--json"];
    let found = (0..500).find(|_| machine.run(running).json() != serde_json::json!([]));
    assert!(found.is_some(), "a run is at work");
    kill_process(Pid::from_child(&asking), Signal::INT).expect("it runs");
    let ended = tokio::task::spawn_blocking(|| asking.wait_with_output())
        .await
        .expect("it ends");
    let told = String::from_utf8(ended.expect("it ends").stderr).expect("text");
    assert!(told.contains(" cancelled"), "{told}");
    drop(hold);
    assert_eq!(server.stop().code, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_conversation_goes_on_with_the_server_that_follows() {
    let machine = Machine::new();
    let server = serve(&machine, &[]);
    let mut terminal = chat(&machine);
    terminal.shows(PROMPT).await;
    terminal.types("1 + 2\r");
    terminal.shows("1 + 2 = 3").await;
    assert_eq!(server.stop().code, 0);
    terminal.shows("the server does not answer; trying again").await;
    terminal.types("3 + 4\r");
    terminal.shows("could not be stored, trying again").await;
    let server = serve(&machine, &[]);
    terminal.shows("connected to the server again").await;
    terminal.shows("3 + 4 = 7").await;
    terminal.types("exit\r");
    terminal.ends().await;
    assert_eq!(server.stop().code, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_leaves_does_not_wait_for_a_server_that_is_gone() {
    let machine = Machine::new();
    let server = serve(&machine, &[]);
    let mut terminal = chat(&machine);
    terminal.shows(PROMPT).await;
    assert_eq!(server.stop().code, 0);
    terminal.shows("the server does not answer; trying again").await;
    terminal.types("never answered\r");
    terminal.shows("could not be stored, trying again").await;
    terminal.types("exit\r");
    terminal.ends().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_said_while_no_terminal_is_open_waits_for_one() {
    let machine = Machine::new();
    let server = serve(&machine, &[]);
    let set = machine
        .pipe("remind me in 4 seconds to stretch\n", &["chat", "--quiet"])
        .succeeds();
    assert!(set.contains("stretch"), "{set}");
    let terminal = chat(&machine);
    terminal.shows("⏰ stretch").await;
    drop(terminal);
    assert_eq!(server.stop().code, 0);
}
