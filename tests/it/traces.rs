//! A collector's view of a bot's work: the tree of its spans, and none of its words.

use std::{collections::BTreeMap, time::Duration};

use clifford_fakes::{
    openai::Reply,
    otlp::{CollectorFake, Span},
    telegram::TelegramFake,
};
use tokio::net::TcpListener;

use crate::harness::{Bot, Setup, Site};

const KEY: &str = "sk-planted-in-a-trace";

fn traced(endpoint: &str) -> Setup {
    Setup::on(Site::Telegram)
        .set("telemetry.otlp_endpoint", endpoint)
        // Logs and traces have two settings.
        .set("log.level", "warn")
        .provider("key", KEY)
}

/// The spans of a trace by their names, each below its parent.
fn tree(spans: &[Span], parent: Option<&Span>, depth: usize) -> Vec<String> {
    let mut below: Vec<_> = spans
        .iter()
        .filter(|span| span.parent.as_ref() == parent.map(|parent| &parent.id))
        .collect();
    below.sort_by_key(|span| span.begin);
    let lines = below.into_iter().flat_map(|span| {
        let line = format!("{}{}", "  ".repeat(depth), span.name);
        [vec![line], tree(spans, Some(span), depth + 1)].concat()
    });
    lines.collect()
}

fn attributes(span: &Span, but: &[&str]) -> BTreeMap<String, String> {
    let mut attributes = span.attributes.clone();
    attributes.retain(|name, _| !but.contains(&name.as_str()));
    attributes
}

fn expected(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
    let pairs = pairs.iter();
    pairs
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
        .collect()
}

async fn spans_of_runs(collector: &CollectorFake, runs: usize) -> Vec<Span> {
    collector
        .wait_for("the spans of each run", |collector| {
            let spans = collector.spans();
            let count = |name: &str| spans.iter().filter(|span| span.name.starts_with(name)).count();
            (count("invoke_agent") == runs && count("delivery") == runs).then_some(spans)
        })
        .await
}

#[tokio::test]
async fn a_message_with_tool_calls_is_one_tree_of_spans_without_words() {
    let collector = CollectorFake::start().await.unwrap();
    let mut bot = traced(&collector.endpoint()).start().await;
    let room = bot.room(Site::Telegram, 7, "Ada");
    bot.says(room, "two tools for xyzzy");
    bot.answers(room, 1).await;
    let spans = spans_of_runs(&collector, 1).await;
    assert_eq!(
        tree(&spans, None, 0),
        [
            "invoke_agent Clifford",
            "  iteration",
            "    chat fake-1",
            "    execute_tool compute.eval",
            "  iteration",
            "    chat fake-1",
            "    execute_tool compute.eval",
            "  iteration",
            "    chat fake-1",
            "    delivery",
        ]
    );
    assert!(spans.iter().all(|span| span.trace == spans[0].trace && !span.failed));
    let find = |name: &str| spans.iter().find(|span| span.name == name).unwrap();
    let run = bot.look().await.run().await;
    let (id, context) = (run.id.to_string(), run.context_id.unwrap().to_string());
    let channel = run.channel_id.unwrap().to_string();
    assert_eq!(
        find("invoke_agent Clifford").attributes,
        expected(&[
            ("run_id", &id),
            ("kind", "coordinator"),
            ("context_id", &context),
            ("channel_id", &channel),
            ("platform", "telegram"),
            ("outcome", "completed"),
            ("gen_ai.operation.name", "invoke_agent"),
            ("gen_ai.agent.name", "Clifford"),
            ("gen_ai.conversation.id", &context),
        ])
    );
    let chat = find("chat fake-1");
    assert_eq!(chat.kind, "SPAN_KIND_CLIENT");
    let tokens = ["gen_ai.usage.input_tokens", "gen_ai.usage.output_tokens"];
    assert_eq!(
        attributes(chat, &tokens),
        expected(&[
            ("role", "executor"),
            ("outcome", "answered"),
            ("gen_ai.operation.name", "chat"),
            ("gen_ai.provider.name", "fake"),
            ("gen_ai.request.model", "fake-1"),
            ("gen_ai.response.model", "fake-1"),
        ])
    );
    for name in tokens {
        assert!(chat.attributes[name].parse::<u64>().unwrap() > 0, "{name}");
    }
    assert_eq!(
        find("execute_tool compute.eval").attributes,
        expected(&[
            ("outcome", "success"),
            ("gen_ai.operation.name", "execute_tool"),
            ("gen_ai.tool.name", "compute.eval"),
            ("gen_ai.tool.type", "function"),
        ])
    );
    assert_eq!(
        attributes(find("delivery"), &["message_id"]),
        expected(&[
            ("run_id", &id),
            ("channel_id", &channel),
            ("platform", "telegram"),
            ("parts", "1"),
            ("outcome", "delivered"),
        ])
    );

    // A model that refuses marks its span and its run.
    // In each form that a request has.
    for _ in 0..4 {
        bot.model.push(Reply::status(400, "xyzzy is no good"));
    }
    bot.says(room, "xyzzy");
    bot.answers(room, 2).await;
    let spans = spans_of_runs(&collector, 2).await;
    let failed: Vec<_> = spans.iter().filter(|span| span.failed).collect();
    let mut told: Vec<_> = failed
        .iter()
        .map(|span| (span.name.as_str(), span.attributes["outcome"].as_str()))
        .collect();
    told.sort_unstable();
    assert_eq!(
        told,
        [("chat fake-1", "bad_request"), ("invoke_agent Clifford", "failed")]
    );

    bot.finish().await;
    assert_eq!(collector.violations(), Vec::<String>::new());
    for body in collector.bodies() {
        let text = String::from_utf8_lossy(&body);
        for secret in ["xyzzy", KEY, TelegramFake::TOKEN, "6 * 7"] {
            assert!(!text.contains(secret), "{secret} in {text}");
        }
    }
}

#[tokio::test]
async fn what_was_traced_last_is_sent_before_the_end() {
    let collector = CollectorFake::start().await.unwrap();
    let mut bot = traced(&collector.endpoint()).start().await;
    let room = bot.room(Site::Telegram, 7, "Ada");
    bot.says(room, "hello");
    bot.answers(room, 1).await;
    bot.finish().await;
    let names: Vec<_> = collector.spans().into_iter().map(|span| span.name).collect();
    assert!(names.contains(&"invoke_agent Clifford".to_owned()), "{names:?}");
    assert!(names.contains(&"delivery".to_owned()), "{names:?}");
}

async fn is_answered_and_ends(mut bot: Bot) {
    let room = bot.room(Site::Telegram, 7, "Ada");
    for count in 1..=3 {
        bot.says(room, "hello");
        bot.answers(room, count).await;
    }
    let ended = tokio::time::timeout(Duration::from_secs(15), bot.finish()).await;
    assert!(ended.is_ok(), "it does not end");
    assert_eq!(bot.texts(room), ["You said: hello"; 3]);
}

#[tokio::test]
async fn a_collector_that_is_away_refuses_or_never_answers_holds_nothing_up() {
    let nobody = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = nobody.local_addr().unwrap();
    // It takes connections, and says nothing.
    let silent = traced(&format!("http://{address}")).start().await;
    is_answered_and_ends(silent).await;
    drop(nobody);
    let away = traced(&format!("http://{address}")).start().await;
    is_answered_and_ends(away).await;

    let collector = CollectorFake::start().await.unwrap();
    collector.refuse(Some(503));
    let mut refused = traced(&collector.endpoint()).start().await;
    let room = refused.room(Site::Telegram, 7, "Ada");
    refused.says(room, "hello");
    refused.answers(room, 1).await;
    let told = "trace collector unavailable, dropping traces";
    refused
        .until("the word that it takes none", async |_| {
            (refused.logged(told) == 1).then_some(())
        })
        .await;
    collector.refuse(None);
    refused.says(room, "hello");
    refused.answers(room, 2).await;
    collector
        .wait_for("traces", |collector| (!collector.spans().is_empty()).then_some(()))
        .await;
    refused.finish().await;
    assert_eq!(refused.logged(told), 1);
}
