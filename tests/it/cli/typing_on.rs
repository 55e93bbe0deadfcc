//! Typing in `clifford chat` while an answer grows: nothing of it is lost, and neither it nor the answer is garbled.

use std::time::Duration;

use clifford_fakes::openai::{OpenAiFake, Reply};

use super::{
    Machine,
    terminal::{COLUMNS, Terminal},
    typing::{HOME, INTERRUPT, LEFT, PROMPT, asked, chat, with_model},
};

/// The words of the answer that grows.
const WORDS: usize = 60;

fn word(number: usize) -> String {
    format!("word{number:02}")
}

/// A chat in which an answer to "hello" has begun to grow; anything else is repeated.
async fn growing() -> (OpenAiFake, Machine, Terminal) {
    let model = OpenAiFake::start().await;
    model.respond_with(|request| match request.last_text() {
        "hello" => {
            let words: Vec<_> = (0..WORDS).map(word).collect();
            Reply::text(words.join(" ")).pause(Duration::from_millis(150))
        }
        other => Reply::text(format!("You said: {other}")),
    });
    let machine = with_model(&model);
    let mut terminal = chat(&machine);
    terminal.shows(PROMPT).await;
    terminal.types("hello\r");
    terminal.shows(&word(3)).await;
    (model, machine, terminal)
}

/// Waits for the end of the answer, of which each word stands there once, and for a prompt with this behind it.
async fn ends_with(terminal: &Terminal, half: &str) -> String {
    let end = format!("{PROMPT} {half}");
    let is_there = |seen: &str| seen.contains(&word(WORDS - 1)) && seen.trim_end().ends_with(end.trim_end());
    let seen = terminal.until("the answer and the prompt", |seen| {
        is_there(seen) && seen.contains("tokens")
    });
    let seen = seen.await;
    for number in 0..WORDS {
        assert_eq!(seen.matches(&word(number)).count(), 1, "{}:\n{seen}", word(number));
    }
    seen
}

async fn leaves(mut terminal: Terminal) {
    terminal.types("/quit\r");
    terminal.ends().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_line_that_is_typed_and_edited_while_an_answer_grows_is_whole() {
    let (_model, machine, mut terminal) = growing().await;
    terminal.types("and ");
    terminal.shows("you> and").await;
    terminal.shows(&word(12)).await;
    terminal.types(&format!("thm{LEFT}e{HOME}so, "));
    terminal.shows("you> so, and them").await;
    terminal.shows(&word(25)).await;
    ends_with(&terminal, "so, and them").await;
    terminal.types("\r");
    terminal.shows("You said: so, and them").await;
    assert_eq!(asked(&machine), "so, and them");
    leaves(terminal).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_message_that_is_sent_while_an_answer_grows_is_answered_behind_it() {
    let (_model, _machine, mut terminal) = growing().await;
    terminal.types("and a second one\rhalf of a th");
    let seen = terminal.shows("You said: and a second one").await;
    for number in 0..WORDS {
        assert_eq!(seen.matches(&word(number)).count(), 1, "{}:\n{seen}", word(number));
    }
    assert_eq!(seen.matches("you> and a second one").count(), 1, "{seen}");
    let seen = terminal.until("the half of a third", |seen| {
        seen.trim_end().ends_with("you> half of a th")
    });
    seen.await;
    terminal.types("ird\r");
    terminal.shows("You said: half of a third").await;
    leaves(terminal).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn lines_that_are_pasted_while_an_answer_grows_are_one_message() {
    let (_model, machine, mut terminal) = growing().await;
    let long = "three ".repeat(20);
    terminal.types(&format!("\u{1b}[200~one\rtwo\r{}\u{1b}[201~", long.trim_end()));
    let whole = "you> one\ntwo\nthree";
    terminal.shows(whole).await;
    terminal.shows(&word(20)).await;
    let seen = terminal.until("the answer and the prompt", |seen| {
        seen.find("tokens").is_some_and(|place| seen[place..].contains(whole))
    });
    let seen = seen.await;
    for number in 0..WORDS {
        assert_eq!(seen.matches(&word(number)).count(), 1, "{}:\n{seen}", word(number));
    }
    assert_eq!(seen.matches(whole).count(), 1, "{seen}");
    terminal.types("\r");
    terminal.shows("You said: one").await;
    assert_eq!(asked(&machine), format!("one\ntwo\n{}", long.trim_end()));
    leaves(terminal).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn ctrl_c_takes_a_growing_answer_away_and_keeps_what_is_half_typed() {
    let (_model, _machine, mut terminal) = growing().await;
    terminal.types("kept");
    terminal.shows("you> kept").await;
    terminal.types(INTERRUPT);
    // The grown text goes first, then the time that it took.
    terminal
        .until("that it stopped", |seen| {
            !seen.contains("word") && !seen.contains("Ctrl-C stops") && seen.contains("you> kept")
        })
        .await;
    terminal.types(" word by word\r");
    terminal.shows("You said: hello\nkept word by word").await;
    leaves(terminal).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_terminal_that_gets_narrower_and_wider_while_an_answer_grows_shows_it_once() {
    let (_model, _machine, mut terminal) = growing().await;
    terminal.types("half");
    terminal.shows("you> half").await;
    terminal.resizes(40);
    terminal.shows(&word(20)).await;
    terminal.types(" of it");
    terminal.shows("you> half of it").await;
    terminal.resizes(COLUMNS);
    ends_with(&terminal, "half of it").await;
    terminal.types("\r");
    terminal.shows("You said: half of it").await;
    leaves(terminal).await;
}
