//! Events for those who watch a run.

use clifford_vault::Secret;

use super::*;
use crate::events::{Sight, Watcher};

fn watched(shape: Shape, secrets: &[&str]) -> (Draft, Watcher) {
    let (events, run) = (Events::default(), RunId::new());
    let watcher = events.watch(run, Sight::Draft);
    let secrets: Vec<_> = secrets.iter().map(|secret| Secret::new(*secret)).collect();
    (Draft::new(events, run, shape, Arc::new(Masker::new(&secrets))), watcher)
}

/// All that was told, in order.
async fn told(watcher: &mut Watcher, draft: Draft) -> Vec<RunEvent> {
    draft.events.tell(draft.run, RunEvent::Step(1));
    drop(draft);
    let mut events = Vec::new();
    while let Some(event) = watcher.next().await.filter(|event| *event != RunEvent::Step(1)) {
        events.push(event);
    }
    events
}

fn tokens(texts: &[&str]) -> Vec<RunEvent> {
    texts.iter().map(|text| RunEvent::Token((*text).to_owned())).collect()
}

#[tokio::test]
async fn who_watches_a_chat_sees_it_grow() {
    let (mut draft, mut watcher) = watched(Shape::Whole, &[]);
    for delta in ["<think>hm</th", "ink>Hel", "lo", " you"] {
        draft.text(delta);
    }
    assert_eq!(told(&mut watcher, draft).await, tokens(&["Hel", "lo", " you"]));
}

#[tokio::test]
async fn an_action_within_an_answer_is_not_told_while_it_grows() {
    let (mut draft, mut watcher) = watched(Shape::Action, &[]);
    for delta in [
        r#"{"type":"send_message","message":"#,
        r#""{\"type\":\"fin"#,
        r#"ish\",\"output\":\"hello\"}"}"#,
    ] {
        draft.text(delta);
    }
    assert_eq!(told(&mut watcher, draft).await, []);
}

#[tokio::test]
async fn a_secret_is_hidden_even_if_it_comes_in_pieces() {
    let (mut draft, mut watcher) = watched(Shape::Action, &["hunter22 x"]);
    for delta in [r#"{"type":"finish","output":"it is h"#, "unter22", " x, or h", "i"] {
        draft.text(delta);
    }
    let expected = tokens(&["it is ", "[secret], or ", "hi"]);
    assert_eq!(told(&mut watcher, draft).await, expected);
}

#[tokio::test]
async fn what_was_held_back_is_told_when_the_reply_is_whole() {
    let (mut draft, mut watcher) = watched(Shape::Whole, &["hunter22"]);
    let (events, run) = (draft.events.clone(), draft.run);
    draft.text("oh");
    draft.end();
    events.tell(run, RunEvent::Step(1));
    for expected in tokens(&["o", "h"]) {
        assert_eq!(watcher.next().await, Some(expected));
    }
}

#[tokio::test]
async fn who_watches_hears_that_a_reply_begins_anew() {
    let (mut draft, mut watcher) = watched(Shape::Whole, &[]);
    draft.reset();
    draft.text("The answ");
    draft.reset();
    draft.text("It is");
    let expected = [tokens(&["The answ"]), vec![RunEvent::Reset], tokens(&["It is"])].concat();
    assert_eq!(told(&mut watcher, draft).await, expected);
}

#[tokio::test]
async fn what_may_lose_addresses_is_told_to_nobody() {
    let (draft, mut watcher) = watched(Shape::Whole, &[]);
    let mut draft = draft.guarded();
    draft.text("look at https://example.org/");
    assert_eq!(told(&mut watcher, draft).await, []);
}

#[tokio::test]
async fn what_was_a_thought_after_all_is_taken_back() {
    let (mut draft, mut watcher) = watched(Shape::Whole, &[]);
    for delta in ["perhaps", " so</think>", "\nHel", "lo"] {
        draft.text(delta);
    }
    let expected = [
        tokens(&["perhaps", " so"]),
        vec![RunEvent::Reset],
        tokens(&["Hel", "lo"]),
    ];
    assert_eq!(told(&mut watcher, draft).await, expected.concat());
}

#[test]
fn nothing_is_read_for_those_who_only_wait() {
    let (events, run) = (Events::default(), RunId::new());
    let _waiting = events.watch(run, Sight::Progress);
    let mut draft = Draft::new(events, run, Shape::Whole, Arc::default());
    draft.text("Hello");
    assert_eq!((draft.unread.as_str(), draft.masking.looked_at), ("Hello", 0));
}

#[tokio::test]
async fn who_comes_late_reads_what_was_written_before() {
    let (events, run) = (Events::default(), RunId::new());
    let mut draft = Draft::new(events.clone(), run, Shape::Whole, Arc::default());
    draft.text("Hel");
    draft.text("lo");
    let mut watcher = events.watch(run, Sight::Draft);
    draft.text(" you");
    assert_eq!(told(&mut watcher, draft).await, tokens(&["Hello you"]));
}

#[tokio::test]
async fn a_second_watcher_reads_the_text_that_the_first_one_was_told() {
    let (mut draft, first) = watched(Shape::Whole, &[]);
    let (events, run) = (draft.events.clone(), draft.run);
    draft.text("Hel");
    draft.text("lo");
    drop(first);
    draft.text(" you");
    let mut second = events.watch(run, Sight::Draft);
    draft.text(" there");
    assert_eq!(
        told(&mut second, draft).await,
        tokens(&["Hello", " you there"]),
        "the draft so far, and the rest"
    );
    // Nothing is left of it for the next reply.
    let mut third = events.watch(run, Sight::Draft);
    let draft = Draft::new(events, run, Shape::Whole, Arc::default());
    assert_eq!(told(&mut third, draft).await, []);
}

/// How many bytes a draft looks at to hide secrets in a reply of some length, in pieces of four characters.
fn looked_at(length: usize) -> usize {
    let (mut draft, _watcher) = watched(Shape::Action, &["hunter22 and a secret of some length", "words of ano"]);
    draft.text(r#"{"type":"send_message","message":""#);
    let text = "words of another ".repeat(length / 17 + 1);
    for piece in text.as_bytes()[..length].chunks(4) {
        draft.text(std::str::from_utf8(piece).unwrap());
    }
    draft.masking.looked_at
}

#[test]
fn a_reply_in_small_pieces_costs_linear_work() {
    let (small, large) = (looked_at(2_000), looked_at(40_000));
    assert!(large <= small * 21, "{small} for 2,000 bytes, {large} for 40,000");
    assert!(large <= 40_000 * 4, "{large} for 40,000");
}
