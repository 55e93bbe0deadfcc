//! `clifford chat` in a terminal: keys, the screen, and what Ctrl-C stops.

use std::os::unix::fs::PermissionsExt as _;

use clifford_fakes::openai::{OpenAiFake, Reply};

use super::{Machine, terminal::Terminal};

pub(super) const PROMPT: &str = "you>";
pub(super) const LEFT: &str = "\u{1b}[D";
const UP: &str = "\u{1b}[A";
pub(super) const HOME: &str = "\u{1b}[H";
pub(super) const INTERRUPT: &str = "\u{3}";
const SEARCH: &str = "\u{12}";
const ALT_ENTER: &str = "\u{1b}\r";

pub(super) fn chat(machine: &Machine) -> Terminal {
    Terminal::start(&mut machine.command(["chat"]))
}

/// A machine whose model is this one, and answers in one call.
pub(super) fn with_model(model: &OpenAiFake) -> Machine {
    let machine = Machine::new();
    machine.write(
        "bot.toml",
        &format!(
            "[agent]\nmode = \"chat\"\n[[llm.providers]]\nname = \"fake\"\nmodel = \"fake-1\"\nbase_url = \"{}\"\n",
            model.base_url()
        ),
    );
    machine
}

/// The text of the newest run.
pub(super) fn asked(machine: &Machine) -> String {
    let shown = machine.run(["runs", "show", "last", "--json"]).json();
    shown["run"]["inputText"].as_str().expect("a text").to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn keys_of_another_encoding_end_no_conversation() {
    let machine = Machine::new();
    let mut terminal = chat(&machine);
    terminal.shows(PROMPT).await;
    terminal.sends(b"gr\xfc\xdfe\r");
    terminal.shows("it is not UTF-8").await;
    terminal.types("\r1 + 2\r");
    terminal.shows("1 + 2 = 3").await;
    terminal.types("exit\r");
    terminal.ends().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_line_is_edited_and_found_again_in_the_next_conversation() {
    let machine = Machine::new();
    let mut terminal = chat(&machine);
    terminal.shows(PROMPT).await;
    terminal.types("+ 3");
    terminal.types(&format!("{LEFT}{LEFT}{LEFT}{HOME}1 {LEFT}2\r"));
    terminal.shows("12 + 3 = 15").await;
    terminal.types(&format!("{UP}1\r"));
    terminal.shows("12 + 31 = 43").await;
    terminal.types("exit\r");
    terminal.ends().await;
    let history = machine.path("data/clifford/chat_history");
    let mode = std::fs::metadata(history).expect("a history").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);

    let mut terminal = chat(&machine);
    terminal.shows(PROMPT).await;
    terminal.types(&format!("{SEARCH}+ 31"));
    terminal.shows("12 + 31").await;
    terminal.types("\r");
    terminal.shows("12 + 31 = 43").await;
    // Ctrl-D.
    terminal.types("\u{4}");
    terminal.ends().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_pasted_or_continued_is_one_message_however_long_it_is() {
    let machine = Machine::new();
    let long = format!("{}END", "x".repeat(6_000));
    let cases = [
        (
            "\u{1b}[200~def f():\r    return 1\r\u{1b}[201~\r".to_owned(),
            "def f():\n    return 1".to_owned(),
        ),
        ("one\\\rtwo\r".to_owned(), "one\ntwo".to_owned()),
        (format!("three{ALT_ENTER}four\r"), "three\nfour".to_owned()),
        (format!("\u{1b}[200~{long}\u{1b}[201~\r"), long),
    ];
    for (keys, expected) in cases {
        let mut terminal = chat(&machine);
        terminal.shows(PROMPT).await;
        terminal.types(&keys);
        terminal.shows("I'm only a few rules").await;
        terminal.types("/quit\r");
        terminal.ends().await;
        assert_eq!(asked(&machine).trim_end(), expected);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn ctrl_c_stops_the_answer_and_keeps_what_is_half_typed() {
    let model = OpenAiFake::start().await;
    model.respond_with(|request| Reply::text(format!("You said: {}", request.last_text())));
    let hold = model.hold();
    let machine = with_model(&model);
    let mut terminal = chat(&machine);
    terminal.shows(PROMPT).await;
    terminal.types("hello\r");
    model.wait_for_requests(1).await;
    terminal.shows("s · Ctrl-C stops").await;
    terminal.types("and so");
    terminal.shows("you> and so").await;
    terminal.types(INTERRUPT);
    let seen = terminal
        .until("that it stopped", |seen| {
            !seen.contains("Ctrl-C stops\n") && seen.trim_end().ends_with("you> and so")
        })
        .await;
    assert!(!seen.contains("You said"), "{seen}");
    hold.release();
    terminal.types(" on\r");
    // Nothing was answered, so the model reads both.
    terminal.shows("You said: hello\nand so on").await;
    let runs = machine.run(["runs", "list", "--json"]).json();
    let statuses: Vec<_> = runs
        .as_array()
        .expect("runs")
        .iter()
        .map(|run| run["status"].clone())
        .collect();
    assert_eq!(statuses, ["completed", "cancelled"]);
    // The typed words are taken back first; at an empty prompt it leaves.
    terminal.types("rubbish");
    terminal.shows("you> rubbish").await;
    terminal.types(INTERRUPT);
    terminal
        .until("an empty prompt", |seen| !seen.contains("rubbish"))
        .await;
    terminal.types(INTERRUPT);
    terminal.ends().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_second_ctrl_c_leaves_an_answer_that_does_not_end() {
    let model = OpenAiFake::start().await;
    model.respond_with(|_| Reply::text("Never said."));
    let hold = model.hold();
    let machine = with_model(&model);
    let mut terminal = chat(&machine);
    terminal.shows(PROMPT).await;
    terminal.types("hello\r");
    model.wait_for_requests(1).await;
    terminal.types(INTERRUPT);
    terminal.types(INTERRUPT);
    terminal.ends().await;
    drop(hold);
}

#[tokio::test(flavor = "multi_thread")]
async fn words_are_wrapped_code_is_coloured_and_a_table_is_drawn_once() {
    let model = OpenAiFake::start().await;
    let prose = "The quick brown fox jumps over the lazy dog, and the lazy dog sleeps on.";
    let answer = format!("{prose}\n\n```sh\nls -l\n```\n\n| name | age |\n|---|---|\n| Ada | 36 |\n\nDone.");
    model.respond_with(move |_| Reply::text(answer.clone()));
    let machine = with_model(&model);
    let mut terminal = chat(&machine);
    terminal.shows(PROMPT).await;
    terminal.types("hello\r");
    let seen = terminal
        .until("the answer", |seen| seen.contains("Done.") && seen.contains("tokens"))
        .await;
    let wrapped = "The quick brown fox jumps over the lazy dog, and the lazy\ndog sleeps on.";
    assert!(seen.contains(wrapped), "{seen}");
    assert!(
        seen.contains("\n    ls -l\n") && terminal.is_coloured("ls -l"),
        "{seen}"
    );
    assert_eq!(seen.matches("name").count(), 1, "{seen}");
    // The cost follows the answer.
    assert!(seen.find("Done.") < seen.find("tokens"), "{seen}");
    terminal.types("quit\r");
    terminal.ends().await;

    let mut terminal = Terminal::start(machine.command(["chat"]).env("NO_COLOR", "1"));
    terminal.shows(PROMPT).await;
    terminal.types("hello\r");
    terminal.shows("Done.").await;
    assert!(!terminal.is_coloured("ls -l"));
    terminal.types("quit\r");
    terminal.ends().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_trace_comes_before_the_answer_and_rules_cost_nothing() {
    let machine = Machine::new();
    let mut terminal = chat(&machine);
    terminal.shows("exit or Ctrl-D leaves").await;
    terminal.types("what is 17 * 23?\r");
    let seen = terminal.shows("17 * 23 = 391").await;
    let place = |text: &str| seen.find(text).unwrap_or_else(|| panic!("{text} is not in:\n{seen}"));
    let order = ["you> what is", "· plan: ", "→ compute.eval", "← {", "17 * 23 = 391"];
    assert!(order.map(place).is_sorted(), "{seen}");
    assert!(!seen.contains("tokens"), "{seen}");
    terminal.types("exit\r");
    terminal.ends().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_command_the_greeting_is_for_somebody_who_talks_here() {
    let machine = Machine::new();
    let mut terminal = Terminal::start(&mut machine.command(["--set", "http.bind=127.0.0.1:0"]));
    let seen = terminal.shows(PROMPT).await;
    // Words are whole, and nothing is told that is not there.
    for line in [
        "No language model is set, so the offline responder answers;\nset",
        "DISCORD_BOT_TOKEN.\n",
        "dashboard",
        "/login?link=clf_",
    ] {
        assert!(seen.contains(line), "{line} is not in:\n{seen}");
    }
    assert!(!seen.contains("talk here"), "{seen}");
    terminal.types("exit\r");
    terminal.ends().await;
}

#[test]
fn the_environment_tells_the_time_zone_and_the_language_unless_they_are_set() {
    let machine = Machine::new();
    let berlin = |args: &[&str]| {
        let mut command = machine.command(args);
        command.env("TZ", "Europe/Berlin").env("LANG", "de_DE.UTF-8");
        super::Ended::of(command.output().expect("the binary runs")).succeeds()
    };
    assert!(berlin(&["ask", "what time is it?"]).contains("Europe/Berlin"));
    let user = machine.run(["users", "show", "you", "--json"]).json();
    let told = [&user["user"]["timeZone"], &user["user"]["language"]];
    assert_eq!(told, ["Europe/Berlin", "de"]);
    machine
        .run(["users", "set", "you", "--time-zone", "Asia/Tokyo"])
        .succeeds();
    assert!(berlin(&["ask", "what time is it?"]).contains("Asia/Tokyo"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_terminal_without_abilities_asks_for_each_line() {
    let machine = Machine::new();
    let mut terminal = Terminal::start(machine.command(["chat", "--quiet"]).env("TERM", "dumb"));
    terminal.shows("you> ").await;
    terminal.types("what is \\\r");
    terminal.shows("...> ").await;
    terminal.types("5 * 5\r");
    terminal.shows("5 * 5 = 25\nyou>").await;
    terminal.types("exit\r");
    terminal.ends().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_typed_is_gone_when_its_person_is_erased() {
    let machine = Machine::new();
    let mut terminal = chat(&machine);
    terminal.shows(PROMPT).await;
    terminal.types("1 + 2\r");
    terminal.shows("1 + 2 = 3").await;
    machine.run(["erase", "you", "--yes"]).succeeds();
    let history = machine.path("data/clifford/chat_history");
    assert!(!history.exists());
    terminal.types("3 + 4\r");
    terminal.shows("3 + 4 = 7").await;
    let kept = std::fs::read_to_string(&history).expect("a history");
    assert!(!kept.contains("1 + 2") && kept.contains("3 + 4"), "{kept}");
    terminal.types("exit\r");
    terminal.ends().await;
}
