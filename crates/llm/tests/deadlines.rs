//! How long each of several models is waited for, on a clock that stands still until somebody waits.

mod support;

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use async_trait::async_trait;
use clifford_llm::{Candidate, Circuit, CircuitPolicy, CircuitState, Failover, RetryPolicy, Retrying, Window};
use clifford_llm_api::model::{Completion, Model, ModelError, Request, Sink};
use tokio::time::{Instant, sleep};

use self::support::{Heard, TestResult, request};

const ENOUGH: CircuitPolicy = CircuitPolicy {
    failures: 3,
    rest: Duration::from_secs(15),
    longest_rest: Duration::from_secs(300),
};

/// Writes a word after each of these seconds, and then ends so many seconds later, or never.
struct Writer {
    words: Vec<u64>,
    end: Option<u64>,
    calls: AtomicUsize,
}

impl Writer {
    fn new(words: impl IntoIterator<Item = u64>, end: Option<u64>) -> Arc<Self> {
        Arc::new(Self {
            words: words.into_iter().collect(),
            end,
            calls: AtomicUsize::new(0),
        })
    }

    fn silent() -> Arc<Self> {
        Self::new([], None)
    }

    fn calls(&self) -> usize {
        self.calls.load(Ordering::Relaxed)
    }
}

#[async_trait]
impl Model for Writer {
    async fn complete(&self, _: &Request, sink: &mut dyn Sink) -> Result<Completion, ModelError> {
        self.calls.fetch_add(1, Ordering::Relaxed);
        for seconds in &self.words {
            sleep(Duration::from_secs(*seconds)).await;
            sink.text("word ");
        }
        match self.end {
            Some(seconds) => sleep(Duration::from_secs(seconds)).await,
            None => std::future::pending().await,
        }
        Ok(Completion {
            text: "answer".to_owned(),
            ..Completion::default()
        })
    }
}

fn candidate(name: &str, model: &Arc<Writer>) -> Candidate {
    Candidate {
        model: Arc::clone(model) as Arc<dyn Model>,
        circuit: Arc::new(Circuit::new(name, ENOUGH)),
        window: Some(Arc::new(Window::new("", name, None))),
    }
}

fn within(seconds: u64) -> Request {
    Request {
        deadline: Some((Instant::now() + Duration::from_secs(seconds)).into_std()),
        ..request()
    }
}

fn no_reply(provider: &str, seconds: &str) -> ModelError {
    ModelError::Overloaded {
        provider: provider.to_owned(),
        reason: format!("no reply within its share of max_run_seconds: {seconds} s"),
    }
}

#[tokio::test(start_paused = true)]
async fn a_silent_model_leaves_time_for_the_next_and_is_left_alone_after_some_calls() -> TestResult {
    let (silent, sound) = (Writer::silent(), Writer::new([], Some(1)));
    let first = candidate("silent", &silent);
    let circuit = Arc::clone(&first.circuit);
    let models = Failover::new(first, vec![candidate("sound", &sound)]);
    for call in 0..5 {
        let began = Instant::now();
        let reply = models.complete(&within(120), &mut ()).await?;
        let took = if call < 3 { 61 } else { 1 };
        assert_eq!((reply.text.as_str(), began.elapsed().as_secs()), ("answer", took));
    }
    assert_eq!((silent.calls(), sound.calls()), (3, 5));
    assert!(matches!(circuit.state(), CircuitState::Open(_)));
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn all_that_may_be_asked_have_their_share_of_the_time_and_the_last_has_the_rest() -> TestResult {
    let silent = [Writer::silent(), Writer::silent(), Writer::silent()];
    let [first, second, third] = [("a", 0), ("b", 1), ("c", 2)].map(|(name, place)| candidate(name, &silent[place]));
    let last = Arc::clone(&third.circuit);
    let models = Failover::new(first, vec![second, third]);
    let began = Instant::now();
    let reply = models.complete(&within(120), &mut ()).await;
    assert_eq!((reply, began.elapsed().as_secs()), (Err(no_reply("a", "40.0")), 120));
    assert_eq!(silent.each_ref().map(|model| model.calls()), [1, 1, 1]);
    // Time that runs out is a failure of whoever was asked, the last too.
    for _ in 0..2 {
        models.complete(&within(3), &mut ()).await.expect_err("all are silent");
    }
    assert!(matches!(last.state(), CircuitState::Open(_)));
    // A circuit that is left alone needs no time, and where all are, the first has all of it.
    let began = Instant::now();
    let reply = models.complete(&within(12), &mut ()).await;
    assert_eq!((reply, began.elapsed().as_secs()), (Err(no_reply("a", "12.0")), 12));
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn whoever_writes_may_go_on_and_whoever_stops_writing_may_not() -> TestResult {
    // The first model's words and its end; what is heard, who replies, and when.
    let cases = [
        (vec![4; 25], Some(1), 25, 1, 101),
        (vec![4; 10], None, 10, 2, 61),
        (vec![56], None, 1, 2, 62),
        (vec![59, 4, 4], None, 3, 2, 73),
    ];
    for (words, end, heard_words, asked, took) in cases {
        let (writer, sound) = (Writer::new(words.clone(), end), Writer::new([], Some(1)));
        let models = Failover::new(candidate("a", &writer), vec![candidate("b", &sound)]);
        let (began, mut heard) = (Instant::now(), Heard::default());
        models.complete(&within(120), &mut heard).await?;
        let calls = writer.calls() + sound.calls();
        assert_eq!((calls, began.elapsed().as_secs()), (asked, took), "{words:?}");
        // The text so far is void once another provider is asked.
        let holds = if asked == 1 { heard_words } else { 0 };
        assert_eq!(heard.text(), "word ".repeat(holds), "{words:?}");
        assert_eq!(heard.0.iter().flatten().count(), heard_words, "{words:?}");
    }
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn nobody_may_write_past_the_deadline_and_nobody_is_asked_after_it() {
    let (writer, sound) = (Writer::new(vec![1; 500], None), Writer::new([], Some(1)));
    let models = Failover::new(candidate("a", &writer), vec![candidate("b", &sound)]);
    let began = Instant::now();
    let reply = models.complete(&within(120), &mut ()).await;
    assert_eq!((reply, began.elapsed().as_secs()), (Err(no_reply("a", "120.0")), 120));
    assert_eq!(sound.calls(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_model_is_not_asked_again_if_nobody_waits_for_that_any_more() {
    struct Busy(AtomicUsize);
    #[async_trait]
    impl Model for Busy {
        async fn complete(&self, _: &Request, _: &mut dyn Sink) -> Result<Completion, ModelError> {
            self.0.fetch_add(1, Ordering::Relaxed);
            Err(ModelError::Later {
                provider: "a".to_owned(),
                after: Duration::from_secs(30),
            })
        }
    }
    for (deadline, calls) in [(None, 4), (Some(200), 4), (Some(50), 2), (Some(20), 1)] {
        let busy = Arc::new(Busy(AtomicUsize::new(0)));
        let models = Retrying::new(Arc::clone(&busy), RetryPolicy::default());
        let request = deadline.map_or_else(request, within);
        let reply = models.complete(&request, &mut ()).await;
        assert!(matches!(reply, Err(ModelError::Later { .. })), "{reply:?}");
        assert_eq!(busy.0.load(Ordering::Relaxed), calls, "{deadline:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn who_was_left_alone_has_only_a_moment_to_show_that_it_is_back() -> TestResult {
    let (first, second) = (Writer::silent(), Writer::new([], Some(1)));
    let candidates = [candidate("a", &first), candidate("b", &second)];
    let circuit = Arc::clone(&candidates[0].circuit);
    let [preferred, other] = candidates;
    let failover = Failover::new(preferred, vec![other]);
    for _ in 0..3 {
        failover.complete(&within(60), &mut ()).await?;
    }
    let CircuitState::Open(rest) = circuit.state() else {
        panic!("{:?}", circuit.state());
    };
    tokio::time::advance(rest).await;
    let began = Instant::now();
    failover.complete(&within(60), &mut ()).await?;
    assert_eq!((began.elapsed(), first.calls()), (Duration::from_secs(6), 4));
    Ok(())
}
