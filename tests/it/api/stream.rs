//! A run as it happens, over SSE.

use std::time::Duration;

use clifford_fakes::openai::{OpenAiFake, Reply};
use futures::StreamExt;
use reqwest::Method;
use serde_json::{Value, json};

use super::bot::{Bot, OWNER};
use crate::scripted_model;

/// One event.
#[derive(Clone, Debug, PartialEq)]
struct Event {
    name: String,
    id: Option<u32>,
    data: Value,
}

/// A stream that is being read.
struct Reading {
    body: futures::stream::BoxStream<'static, reqwest::Result<bytes::Bytes>>,
    text: String,
}

impl Reading {
    async fn open(bot: &Bot, run: &str, after: Option<u32>) -> Self {
        let mut request = bot
            .request(Method::GET, &format!("/api/runs/{run}/stream"))
            .bearer_auth(OWNER);
        if let Some(after) = after {
            request = request.header("last-event-id", after);
        }
        let response = request.send().await.unwrap();
        assert_eq!(response.status(), 200);
        assert_eq!(response.headers()["content-type"], "text/event-stream");
        Self {
            body: response.bytes_stream().boxed(),
            text: String::new(),
        }
    }

    /// The next event; `None`: the stream has ended.
    async fn next(&mut self) -> Option<Event> {
        loop {
            if let Some((block, rest)) = self.text.split_once("\n\n") {
                let (block, rest) = (block.to_owned(), rest.to_owned());
                self.text = rest;
                if block.starts_with(':') {
                    continue;
                }
                let field = |name: &str| block.lines().find_map(|line| line.strip_prefix(name));
                return Some(Event {
                    name: field("event: ").unwrap().to_owned(),
                    id: field("id: ").map(|id| id.parse().unwrap()),
                    data: serde_json::from_str(field("data: ").unwrap()).unwrap(),
                });
            }
            let bytes = self.body.next().await?.ok()?;
            self.text.push_str(std::str::from_utf8(&bytes).unwrap());
        }
    }

    async fn rest(&mut self) -> Vec<Event> {
        let mut events = Vec::new();
        while let Some(event) = self.next().await {
            events.push(event);
        }
        events
    }
}

fn ids(events: &[Event]) -> Vec<u32> {
    events.iter().filter_map(|event| event.id).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stream_resumes_behind_any_step_without_a_gap_or_a_repeat() {
    let bot = Bot::start().await;
    let said = bot.ask("what is 17 * 23?").await;
    let run = said["runId"].as_str().unwrap();
    let shown = bot.get(&format!("/api/runs/{run}")).await.json();
    let steps = shown["runSteps"].as_array().unwrap();
    let last = u32::try_from(steps.len()).unwrap();
    assert!(last > 3, "{steps:?}");
    for after in 0..=last {
        let events = Reading::open(&bot, run, Some(after)).await.rest().await;
        assert_eq!(ids(&events), (after + 1..=last).collect::<Vec<_>>());
        let data: Vec<_> = events
            .iter()
            .filter(|event| event.name == "step")
            .map(|event| &event.data)
            .collect();
        assert_eq!(
            data,
            steps.iter().skip(usize::try_from(after).unwrap()).collect::<Vec<_>>()
        );
        let tail: Vec<_> = events.iter().rev().take(2).map(|event| event.name.as_str()).collect();
        assert_eq!(tail, ["done", "status"]);
        assert_eq!(events.last().unwrap().data["outputText"], shown["outputText"]);
    }
    // The number of another run's step, which this one has not reached.
    let events = Reading::open(&bot, run, Some(last + 1)).await.rest().await;
    assert_eq!(ids(&events), (1..=last).collect::<Vec<_>>());
    let wrong = bot
        .request(Method::GET, &format!("/api/runs/{run}/stream"))
        .bearer_auth(OWNER)
        .header("last-event-id", "seven");
    let answer = bot.send(wrong).await;
    assert_eq!(
        (answer.status, answer.json()["field"].clone()),
        (400, json!("Last-Event-ID"))
    );
    bot.app.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stream_that_is_open_shows_what_happens_then() {
    let bot = Bot::start().await;
    let run = bot.sleeper().await;
    let mut reading = Reading::open(&bot, &run, None).await;
    let mut events = Vec::new();
    while events
        .last()
        .is_none_or(|event: &Event| event.data != json!({ "status": "waiting" }))
    {
        events.push(reading.next().await.unwrap());
    }
    assert_eq!(bot.post(&format!("/api/runs/{run}/wake"), &json!({})).await.status, 202);
    events.extend(reading.rest().await);
    let shown = bot.get(&format!("/api/runs/{run}")).await.json();
    let last = u32::try_from(shown["runSteps"].as_array().unwrap().len()).unwrap();
    assert_eq!(ids(&events), (1..=last).collect::<Vec<_>>());
    assert_eq!(events.last().unwrap().name, "done");
    assert_eq!(events.last().unwrap().data["status"], "completed");
    bot.app.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn open_streams_end_when_the_process_stops() {
    let bot = Bot::start().await;
    let run = bot.sleeper().await;
    let mut reading = Reading::open(&bot, &run, None).await;
    assert!(reading.next().await.is_some());
    let began = std::time::Instant::now();
    bot.app.shutdown().await;
    assert!(reading.rest().await.iter().all(|event| event.name != "done"));
    assert!(began.elapsed() < std::time::Duration::from_secs(10));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stream_that_is_opened_while_an_answer_grows_begins_with_the_draft_so_far() {
    let model = OpenAiFake::start().await;
    let answer: String = (0..60).map(|number| format!("word{number:02} ")).collect();
    let reply = json!({ "type": "finish", "output": answer.trim_end() }).to_string();
    model.respond_with(move |request| match scripted_model::memory(request) {
        Some(memory) => Reply::json(&memory),
        None => Reply::text(reply.clone()).pause(Duration::from_millis(200)),
    });
    let provider = format!(
        r#"[{{ name = "fake", base_url = "{}", model = "scripted" }}]"#,
        model.base_url()
    );
    let bot = Bot::with(&[("llm.providers", &provider), ("engine.planning_gate", "off")]).await;
    let sent = bot.post("/api/messages", &json!({ "content": "tell me" })).await.json();
    let run = sent["runId"].as_str().unwrap();
    let mut first = Reading::open(&bot, run, None).await;
    let mut seen = String::new();
    while seen.len() < 50 {
        let event = first.next().await.unwrap();
        if event.name == "token" {
            seen.push_str(event.data["text"].as_str().unwrap());
        }
    }
    drop(first);
    let mut second = Reading::open(&bot, run, None).await;
    let events = second.rest().await;
    let drafted: String = events
        .iter()
        .filter(|event| event.name == "token")
        .map(|event| event.data["text"].as_str().unwrap())
        .collect();
    assert!(seen.starts_with("word00 "), "{seen}");
    assert_eq!(drafted, answer.trim_end());
    // Its step ends the draft, and nothing of it comes behind.
    let last_token = events.iter().rposition(|event| event.name == "token").unwrap();
    let replied = events.iter().rposition(|event| event.name == "step").unwrap();
    assert!(last_token < replied, "{events:?}");
    bot.app.shutdown().await;
}
