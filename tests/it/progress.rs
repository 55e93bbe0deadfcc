//! The progress that a channel is told of a run, in the order of its steps.

use std::{
    collections::BTreeMap,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use async_trait::async_trait;
use clifford_channel::{Channel, Ingress};
use clifford_chat::{
    error::{ChannelError, SendError},
    outbound::{Address, DeliveryKey, Limits, Part, ProgressKind, Receipt, Signal},
    platform::Platform,
};
use clifford_llm_api::model::{Completion, Model, ModelError, Request, Sink};
use clifford_store::runs::NewRun;
use serde_json::json;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use crate::{
    harness::PATIENCE,
    in_process_engine::InProcessEngine,
    store::world::{Home, World},
};

/// Shows progress and drafts, and keeps what it showed.
#[derive(Default)]
struct Screen(watch::Sender<Vec<&'static str>>);

impl Screen {
    fn show(&self, line: &'static str) {
        self.0.send_modify(|lines| lines.push(line));
    }

    async fn shows(&self, line: &'static str) {
        let mut lines = self.0.subscribe();
        let shown = lines.wait_for(|lines| lines.contains(&line));
        let shown = tokio::time::timeout(PATIENCE, shown).await;
        assert!(shown.is_ok(), "{line} is not shown: {:?}", self.0.borrow());
    }
}

#[async_trait]
impl Channel for Screen {
    fn platform(&self) -> Platform {
        Platform::new("telegram")
    }

    fn limits(&self) -> Limits {
        Limits {
            text_units: 4096,
            file_bytes: u64::MAX,
            flavor: clifford_markup::Flavor::Plain,
            drops_repeats: true,
            typing_every: None,
            delivered_when_stored: false,
            shows_progress: true,
            draft_every: Some(Duration::ZERO),
            ..Limits::default()
        }
    }

    async fn receive(&self, _: Arc<dyn Ingress>, _: CancellationToken) -> Result<(), ChannelError> {
        Ok(())
    }

    async fn send(&self, _: &Address, _: &Part, _: &DeliveryKey) -> Result<Receipt, SendError> {
        self.show("message");
        Ok(Receipt { id: "1".to_owned() })
    }

    async fn signal(&self, _: &Address, signal: &Signal) -> Result<(), SendError> {
        self.show(match signal {
            Signal::Typing => "typing",
            Signal::Progress { kind, .. } => match kind {
                ProgressKind::Note => "note",
                ProgressKind::ToolCall => "call",
                ProgressKind::ToolResult => "result",
                ProgressKind::Cost => "cost",
            },
            Signal::Draft { .. } => "draft",
            Signal::DraftDropped { .. } => "dropped",
            Signal::Mark(_) => "mark",
            Signal::Done => "done",
        });
        Ok(())
    }
}

/// Calls a tool; then writes its answer slowly, or at once.
struct Calculator {
    screen: Arc<Screen>,
    slowly: bool,
    calls: AtomicUsize,
}

#[async_trait]
impl Model for Calculator {
    async fn complete(&self, _: &Request, sink: &mut dyn Sink) -> Result<Completion, ModelError> {
        let notes = json!([
            {"category": "requirements", "content": "a product"},
            {"category": "plan", "content": "multiply"},
        ]);
        let text = match self.calls.fetch_add(1, Ordering::Relaxed) {
            0 => json!({"type": "tool_call", "name": "compute.eval", "args": {"expression": "6 * 7"}, "notes": notes}),
            _ => json!({"type": "finish", "output": "It is 42."}),
        }
        .to_string();
        if self.slowly && self.calls.load(Ordering::Relaxed) > 1 {
            sink.text(&text);
            self.screen.shows("draft").await;
        }
        Ok(Completion {
            text,
            provider: "calculator".to_owned(),
            model: "calculator".to_owned(),
            ..Completion::default()
        })
    }
}

/// The progress of a run that calls a tool and answers.
async fn shown(slowly: bool) -> Vec<&'static str> {
    let home = Home::sqlite().await;
    let world = World::new(&home.db).await;
    let screen = Arc::new(Screen::default());
    let model = Calculator {
        screen: Arc::clone(&screen),
        slowly,
        calls: AtomicUsize::new(0),
    };
    let in_process = InProcessEngine {
        model: Some(Arc::new(model)),
        channels: BTreeMap::from([(Platform::new("telegram"), Arc::clone(&screen) as _)]),
        ..InProcessEngine::default()
    };
    let runs = in_process.runs(&home.db);
    let address = Address {
        place: world.channel.external_id.clone(),
        private: true,
        reply_to: None,
        via: None,
    };
    let run = NewRun {
        address: Some(address),
        platform_roles: None,
        ..world.run()
    };
    runs.submit(run).await.unwrap();
    screen.shows("done").await;
    runs.context.at_rest().await;
    let lines = screen.0.borrow().clone();
    home.db.close().await;
    lines
}

#[tokio::test(flavor = "multi_thread")]
async fn the_result_of_a_tool_stands_before_the_answer_that_follows_it() {
    let lines = shown(false).await;
    let expected = ["cost", "note", "note", "call", "result", "cost", "message", "done"];
    assert_eq!(lines, expected);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_result_of_a_tool_stands_before_an_answer_that_grows() {
    let lines = shown(true).await;
    let expected = [
        "cost", "note", "note", "call", "result", "draft", "cost", "message", "done",
    ];
    assert_eq!(lines, expected);
}
