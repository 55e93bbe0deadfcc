//! `clifford` alone, in a terminal: it is the bot of this machine for as long as the terminal is open.

use std::{
    io::{Read as _, Write as _},
    net::TcpListener,
};

use clifford_fakes::openai::{OpenAiFake, Reply};

use super::{Machine, terminal::Terminal};

const PROMPT: &str = "you>";
const ANYWHERE: &str = "http.bind=127.0.0.1:0";

/// `clifford` with settings that the commands beside it do not have: what they show is its doing.
fn alone(machine: &Machine, settings: &[&str]) -> Terminal {
    let sets = settings.iter().flat_map(|setting| ["--set", *setting]);
    Terminal::start(&mut machine.command(sets))
}

#[tokio::test(flavor = "multi_thread")]
async fn the_commands_and_the_dashboard_of_a_machine_are_at_its_terminal() {
    let model = OpenAiFake::start().await;
    model.respond_with(|_| Reply::text("The first terminal's model says so."));
    let machine = Machine::new();
    let provider = format!(
        "llm.providers=[{{ name = \"fake\", model = \"fake-1\", base_url = \"{}\" }}]",
        model.base_url()
    );
    let mut first = alone(&machine, &[ANYWHERE, &provider, "agent.mode=chat"]);
    let seen = first.shows(PROMPT).await;
    assert!(seen.contains("dashboard"), "{seen}");
    first.types("hello\r");
    first.shows("The first terminal's model says so.").await;

    let status = machine.run(["status", "--json"]).json();
    let address = status["api"]["address"].as_str().expect("an address").to_owned();
    assert_eq!(status["api"]["answers"], true, "{status}");
    assert!(!address.ends_with(":0") && !address.ends_with(":8088"), "{address}");
    let at = address.trim_start_matches("http://");
    let doctor = machine.run(["doctor", "--json", "--set", &format!("http.bind={at}")]);
    assert!(doctor.out.contains(&format!("this bot answers at {at}")), "{doctor:?}");
    let login = machine.run(["login", "--json"]).json();
    let link = login["url"].as_str().expect("a link").to_owned();
    let port = address.rsplit(':').next().expect("a port");
    assert!(
        link.starts_with(&format!("http://localhost:{port}/login?link=clf_")),
        "{link}"
    );
    // A browser may take either address for the name, where the machine has both.
    let has_both = std::net::TcpListener::bind("[::1]:0").is_ok();
    let hosts = ["localhost", "127.0.0.1", "[::1]"];
    for host in &hosts[..if has_both { 3 } else { 2 }] {
        let page = reqwest::get(link.replace("localhost", host)).await.expect("it answers");
        assert!(page.status().is_success(), "{page:?}");
    }

    let asked = machine.run_beside(&["ask", "hello"], &[]).await.succeeds();
    assert_eq!(asked, "The first terminal's model says so.\n");
    let mut second = Terminal::start(&mut machine.command(["chat"]));
    second.shows(PROMPT).await;
    second.types("hello\r");
    second.shows("The first terminal's model says so.").await;
    second.types("exit\r");
    second.ends().await;
    first.types("exit\r");
    first.ends().await;
    assert!(!machine.path("data/clifford/server.json").exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_second_terminal_goes_on_when_the_first_is_left() {
    let machine = Machine::new();
    let mut first = alone(&machine, &[ANYWHERE]);
    first.shows(PROMPT).await;
    let mut second = alone(&machine, &[ANYWHERE]);
    second.shows("runs here already").await;
    second.shows(PROMPT).await;
    second.types("1 + 2\r");
    second.shows("1 + 2 = 3").await;
    first.types("exit\r");
    first.ends().await;
    second.types("3 + 4\r");
    second.shows("3 + 4 = 7").await;
    // It is the bot of this machine now.
    let status = machine.run(["status", "--json"]).json();
    assert_eq!(
        (&status["running"], &status["api"]["answers"]),
        (&true.into(), &true.into())
    );
    assert_eq!(machine.run(["ask", "5 + 6"]).succeeds(), "5 + 6 = 11\n");
    second.types("exit\r");
    second.ends().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_address_that_is_taken_is_told_and_another_is_used() {
    let machine = Machine::new();
    let taken = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = taken.local_addr().expect("an address");
    let mut first = alone(&machine, &[&format!("http.bind={address}")]);
    let seen = first.shows(PROMPT).await;
    let told = seen.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        told.contains(&format!("{address} is in use by another program.")) && told.contains("dashboard http://"),
        "{seen}"
    );
    let status = machine.run(["status", "--json"]).json();
    assert_eq!(status["api"]["answers"], true, "{status}");
    assert_ne!(status["api"]["address"], format!("http://{address}"));
    first.types("exit\r");
    first.ends().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn without_the_api_a_terminal_is_alone() {
    let machine = Machine::new();
    let mut first = alone(&machine, &["http.enabled=false"]);
    let seen = first.shows(PROMPT).await;
    assert!(!seen.contains("dashboard"), "{seen}");
    first.types("1 + 2\r");
    first.shows("1 + 2 = 3").await;
    assert!(!machine.path("data/clifford/server.json").exists());
    assert_eq!(machine.run(["ask", "5 + 6"]).succeeds(), "5 + 6 = 11\n");
    first.types("exit\r");
    first.ends().await;
}

#[test]
fn a_bot_that_does_not_run_is_not_taken_for_what_answers_at_its_address() {
    let machine = Machine::asked("hello");
    let other = TcpListener::bind("127.0.0.1:0").expect("a port");
    let bind = format!("http.bind={}", other.local_addr().expect("an address"));
    std::thread::spawn(move || {
        for stream in other.incoming().flatten() {
            // The client may be gone.
            let _ = (&stream).read(&mut [0; 1024]);
            let _ = (&stream).write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\nok");
        }
    });
    let status = machine.run(["--set", &bind, "status", "--json"]).json();
    assert_eq!(status["running"], false, "{status}");
    assert_eq!(
        (&status["api"]["answers"], &status["api"]["taken"]),
        (&false.into(), &true.into())
    );
    let told = machine.run(["--set", &bind, "status"]).succeeds();
    assert!(told.contains("does not run; `clifford serve` starts it"), "{told}");
    assert!(told.contains("is in use by another program"), "{told}");
    let login = machine.run(["--set", &bind, "login"]).succeeds();
    assert!(login.contains("The bot does not run: start it first"), "{login}");
}
