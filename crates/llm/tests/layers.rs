//! Asking again and asking another, on a clock that stands still until somebody waits.
//!
//! It is long because each kind of error has its case.

mod openai_support;
mod support;

use std::{
    collections::VecDeque,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use async_trait::async_trait;
use clifford_fakes::openai::{OpenAiFake, Reply};
use clifford_llm::{Candidate, Circuit, CircuitPolicy, CircuitState, Failover, Lessons, RetryPolicy, Retrying, Window};
use clifford_llm_api::model::{Completion, Denial, Model, ModelError, Request, Sink};
use tokio::time::Instant;

use self::{
    openai_support::{client, config},
    support::{Heard, TestResult, request},
};

/// Says some text, then does what comes next in its script.
struct Scripted {
    script: Mutex<VecDeque<Result<Completion, ModelError>>>,
    text: &'static str,
    calls: AtomicUsize,
}

impl Scripted {
    fn new(script: impl IntoIterator<Item = Result<Completion, ModelError>>) -> Arc<Self> {
        Self::saying("", script)
    }

    fn saying(text: &'static str, script: impl IntoIterator<Item = Result<Completion, ModelError>>) -> Arc<Self> {
        Arc::new(Self {
            script: Mutex::new(script.into_iter().collect()),
            text,
            calls: AtomicUsize::new(0),
        })
    }

    fn calls(&self) -> usize {
        self.calls.load(Ordering::Relaxed)
    }
}

#[async_trait]
impl Model for Scripted {
    async fn complete(&self, _: &Request, sink: &mut dyn Sink) -> Result<Completion, ModelError> {
        self.calls.fetch_add(1, Ordering::Relaxed);
        if !self.text.is_empty() {
            sink.text(self.text);
        }
        let next = self.script.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
        next.unwrap_or_else(|| Err(overloaded("a")))
    }
}

fn overloaded(provider: &str) -> ModelError {
    ModelError::Overloaded {
        provider: provider.to_owned(),
        reason: "status 500".to_owned(),
    }
}

fn later(seconds: u64) -> ModelError {
    ModelError::Later {
        provider: "a".to_owned(),
        after: Duration::from_secs(seconds),
    }
}

fn cut() -> ModelError {
    ModelError::Cut {
        provider: "a".to_owned(),
        partial: "par".to_owned(),
    }
}

fn bad_request(provider: &str) -> ModelError {
    ModelError::BadRequest {
        provider: provider.to_owned(),
        reason: "no".to_owned(),
    }
}

fn too_long(provider: &str) -> ModelError {
    ModelError::TooLong {
        provider: provider.to_owned(),
        window: Some(8192),
        in_bytes: false,
    }
}

fn silent() -> ModelError {
    ModelError::Silent {
        provider: "a".to_owned(),
        reason: "no token within 20s".to_owned(),
    }
}

fn refused(provider: &str) -> ModelError {
    ModelError::Refused {
        provider: provider.to_owned(),
        reason: "no".to_owned(),
    }
}

fn unauthorised(provider: &str) -> ModelError {
    ModelError::Unauthorised {
        denial: Denial::Key,
        provider: provider.to_owned(),
        reason: "no".to_owned(),
        remedy: "key".to_owned(),
    }
}

fn answer() -> Completion {
    Completion {
        text: "answer".to_owned(),
        ..Completion::default()
    }
}

/// A window of so many tokens.
fn window(tokens: Option<u64>) -> Arc<Window> {
    Arc::new(Window::new("", "", tokens))
}

/// Models in order of preference, each with a circuit of its own.
fn failover(first: Arc<Scripted>, others: impl IntoIterator<Item = Arc<Scripted>>) -> Failover {
    let candidate = |model: Arc<Scripted>| Candidate {
        model,
        circuit: Arc::new(Circuit::new("a", CircuitPolicy::default())),
        window: Some(window(None)),
    };
    Failover::new(candidate(first), others.into_iter().map(candidate).collect())
}

/// How a call ends, how many there were, and how long it took.
async fn run(script: Vec<Result<Completion, ModelError>>) -> (Result<Completion, ModelError>, usize, Duration) {
    let model = Scripted::new(script);
    let start = Instant::now();
    let result = Retrying::new(Arc::clone(&model), RetryPolicy::default())
        .complete(&request(), &mut ())
        .await;
    (result, model.calls(), start.elapsed())
}

#[tokio::test(start_paused = true)]
async fn passing_errors_are_retried_with_growing_waits() {
    let (result, calls, took) = run(vec![
        Err(overloaded("a")),
        Err(cut()),
        Err(overloaded("a")),
        Ok(answer()),
    ])
    .await;
    assert_eq!((result, calls), (Ok(answer()), 4));
    // 0.5 s, 1 s and 2 s, each up to doubled by the jitter.
    assert!(
        (Duration::from_millis(3500)..Duration::from_millis(7010)).contains(&took),
        "{took:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn the_waits_differ_from_call_to_call() {
    let mut waits = std::collections::BTreeSet::new();
    for _ in 0..8 {
        waits.insert(run(vec![]).await.2);
    }
    assert!(waits.len() > 1, "{waits:?}");
}

#[tokio::test(start_paused = true)]
async fn the_last_error_is_told_when_the_attempts_are_spent() {
    let (result, calls, _) = run(vec![
        Err(cut()),
        Err(cut()),
        Err(cut()),
        Err(overloaded("a")),
        Ok(answer()),
    ])
    .await;
    assert_eq!((result, calls), (Err(overloaded("a")), 4));
}

#[tokio::test(start_paused = true)]
async fn the_provider_says_how_long_to_wait() {
    let (result, calls, took) = run(vec![Err(later(30)), Ok(answer())]).await;
    assert_eq!((result, calls), (Ok(answer()), 2));
    assert!(
        (Duration::from_secs(30)..Duration::from_millis(30_260)).contains(&took),
        "{took:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn a_wait_beyond_all_patience_is_handed_to_the_caller() {
    let (result, calls, took) = run(vec![Err(later(61)), Ok(answer())]).await;
    assert_eq!((result, calls, took), (Err(later(61)), 1, Duration::ZERO));
}

#[tokio::test(start_paused = true)]
async fn errors_that_last_are_not_retried() {
    for error in [bad_request("a"), refused("a"), unauthorised("a")] {
        let (result, calls, took) = run(vec![Err(error.clone()), Ok(answer())]).await;
        assert_eq!((result, calls, took), (Err(error), 1, Duration::ZERO));
    }
}

#[tokio::test(start_paused = true)]
async fn no_wait_exceeds_the_cap() {
    let policy = RetryPolicy {
        attempts: 8,
        cap: Duration::from_secs(2),
        ..RetryPolicy::default()
    };
    let start = Instant::now();
    let result = Retrying::new(Scripted::new([]), policy)
        .complete(&request(), &mut ())
        .await;
    assert_eq!(result, Err(overloaded("a")));
    assert!(
        start.elapsed() <= Duration::from_millis(14_010),
        "{:?}",
        start.elapsed()
    );
}

#[tokio::test(start_paused = true)]
async fn text_that_came_before_a_retry_is_void() {
    let mut heard = Heard::default();
    let model = Retrying::new(
        Scripted::saying("par", [Err(cut()), Ok(answer())]),
        RetryPolicy::default(),
    );
    assert_eq!(model.complete(&request(), &mut heard).await, Ok(answer()));
    let par = Some("par".to_owned());
    assert_eq!(heard, Heard(vec![par.clone(), None, par]));
}

#[tokio::test(start_paused = true)]
async fn a_retry_before_any_text_resets_nothing() {
    let mut heard = Heard::default();
    let model = Retrying::new(
        Scripted::new([Err(overloaded("a")), Ok(answer())]),
        RetryPolicy::default(),
    );
    assert_eq!(model.complete(&request(), &mut heard).await, Ok(answer()));
    assert_eq!(heard, Heard::default());
}

#[tokio::test]
async fn a_real_server_is_asked_again_after_the_time_it_named() -> TestResult {
    let fake = OpenAiFake::start().await;
    fake.push(Reply::status(429, "slow down").header("retry-after-ms", "5"));
    fake.push(Reply::text("twenty-four characters, and more").cut_after(2));
    fake.push(Reply::text("third time lucky"));
    let policy = RetryPolicy {
        base: Duration::from_millis(1),
        ..RetryPolicy::default()
    };
    let mut heard = Heard::default();
    let model = Retrying::new(client(config(&fake))?, policy);
    assert_eq!(model.complete(&request(), &mut heard).await?.text, "third time lucky");
    assert_eq!((heard.text().as_str(), fake.request_count()), ("third time lucky", 3));
    assert_eq!(heard.0[1], None);
    Ok(())
}

#[tokio::test]
async fn the_next_model_is_asked_whatever_the_first_ones_error() {
    for error in [
        later(5),
        overloaded("a"),
        cut(),
        silent(),
        bad_request("a"),
        refused("a"),
        unauthorised("a"),
    ] {
        let (first, second) = (
            Scripted::saying("par", [Err(error)]),
            Scripted::saying("answer", [Ok(answer())]),
        );
        let mut heard = Heard::default();
        let result = failover(first.clone(), [second.clone()])
            .complete(&request(), &mut heard)
            .await;
        assert_eq!((result, first.calls(), second.calls()), (Ok(answer()), 1, 1));
        assert_eq!(
            heard,
            Heard(vec![Some("par".to_owned()), None, Some("answer".to_owned())])
        );
    }
}

#[tokio::test]
async fn the_second_model_rests_while_the_first_answers() {
    let (first, second) = (Scripted::new([Ok(answer())]), Scripted::new([]));
    let result = failover(first, [second.clone()]).complete(&request(), &mut ()).await;
    assert_eq!((result, second.calls()), (Ok(answer()), 0));
}

#[tokio::test]
async fn if_all_fail_the_error_that_can_be_mended_is_told() {
    let cases = [
        (
            [overloaded("a"), unauthorised("b"), unauthorised("c")],
            unauthorised("b"),
        ),
        (
            [unauthorised("a"), bad_request("b"), overloaded("c")],
            unauthorised("a"),
        ),
        ([refused("a"), overloaded("b"), bad_request("c")], bad_request("c")),
        ([overloaded("a"), overloaded("b"), refused("c")], refused("c")),
        ([overloaded("a"), later(9), later(3)], later(3)),
        ([unauthorised("a"), too_long("b"), bad_request("c")], too_long("b")),
        ([overloaded("a"), overloaded("b"), overloaded("c")], overloaded("a")),
    ];
    for (errors, expected) in cases {
        let [first, second, third] = errors.map(|error| Scripted::new([Err(error)]));
        let result = failover(first, [second, third]).complete(&request(), &mut ()).await;
        assert_eq!(result, Err(expected));
    }
}

/// Two models, and the circuit of the first.
fn pair(first: impl IntoIterator<Item = Result<Completion, ModelError>>) -> (Failover, Arc<Scripted>, Arc<Circuit>) {
    let model = Scripted::new(first);
    let circuit = Arc::new(Circuit::new("a", CircuitPolicy::default()));
    let preferred = Candidate {
        model: model.clone(),
        circuit: Arc::clone(&circuit),
        window: Some(window(None)),
    };
    let other = Candidate {
        model: Scripted::new((0..100).map(|_| Ok(answer()))),
        circuit: Arc::new(Circuit::new("b", CircuitPolicy::default())),
        window: Some(window(None)),
    };
    (Failover::new(preferred, vec![other]), model, circuit)
}

#[tokio::test(start_paused = true)]
async fn a_provider_that_keeps_failing_is_left_alone_and_tried_again_by_itself() {
    let (models, first, circuit) = pair([
        Err(overloaded("a")),
        Err(cut()),
        Err(overloaded("a")),
        Err(overloaded("a")),
        Ok(answer()),
        Ok(answer()),
    ]);
    let call = || async { models.complete(&request(), &mut ()).await.expect("some model answers") };
    for _ in 0..10 {
        call().await;
    }
    assert_eq!(first.calls(), 3);
    assert_eq!(circuit.state(), CircuitState::Open(Duration::from_secs(15)));
    tokio::time::advance(Duration::from_secs(15)).await;
    assert_eq!(circuit.state(), CircuitState::HalfOpen);
    call().await;
    call().await;
    // The probe failed, so it rests for twice as long.
    assert_eq!(first.calls(), 4);
    assert_eq!(circuit.state(), CircuitState::Open(Duration::from_secs(30)));
    tokio::time::advance(Duration::from_secs(30)).await;
    call().await;
    call().await;
    assert_eq!(first.calls(), 6);
    assert_eq!(circuit.state(), CircuitState::Closed);
}

#[tokio::test(start_paused = true)]
async fn one_call_at_a_time_finds_out_whether_a_provider_answers_again() {
    struct Slow(AtomicUsize);
    #[async_trait]
    impl Model for Slow {
        async fn complete(&self, _: &Request, _: &mut dyn Sink) -> Result<Completion, ModelError> {
            let call = self.0.fetch_add(1, Ordering::Relaxed);
            // Less than a probe may take.
            tokio::time::sleep(Duration::from_secs(3)).await;
            if call < 3 { Err(overloaded("a")) } else { Ok(answer()) }
        }
    }
    let slow = Arc::new(Slow(AtomicUsize::new(0)));
    let circuit = Arc::new(Circuit::new("a", CircuitPolicy::default()));
    let other = Candidate {
        model: Scripted::new((0..100).map(|_| Ok(answer()))),
        circuit: Arc::new(Circuit::new("b", CircuitPolicy::default())),
        window: Some(window(None)),
    };
    let first = Candidate {
        model: Arc::clone(&slow) as Arc<dyn Model>,
        circuit: Arc::clone(&circuit),
        window: Some(window(None)),
    };
    let models = Failover::new(first, vec![other]);
    let asked = request();
    for _ in 0..3 {
        models.complete(&asked, &mut ()).await.expect("an answer");
    }
    tokio::time::advance(Duration::from_secs(60)).await;
    let mut sinks = [(), (), ()];
    let [a, b, c] = &mut sinks;
    let results = tokio::join!(
        models.complete(&asked, a),
        models.complete(&asked, b),
        models.complete(&asked, c)
    );
    assert!(results.0.is_ok() && results.1.is_ok() && results.2.is_ok());
    assert_eq!(slow.0.load(Ordering::Relaxed), 4);
    assert_eq!(circuit.state(), CircuitState::Closed);
}

#[tokio::test(start_paused = true)]
async fn where_there_is_nobody_else_to_ask_an_open_circuit_keeps_nobody_off() {
    let model = Scripted::new((0..6).map(|call| if call < 5 { Err(overloaded("a")) } else { Ok(answer()) }));
    let circuit = Arc::new(Circuit::new("a", CircuitPolicy::default()));
    let only = Candidate {
        model: model.clone(),
        circuit: Arc::clone(&circuit),
        window: Some(window(None)),
    };
    let models = Failover::new(only, vec![]);
    for _ in 0..5 {
        assert_eq!(models.complete(&request(), &mut ()).await, Err(overloaded("a")));
    }
    assert_eq!(models.complete(&request(), &mut ()).await, Ok(answer()));
    assert_eq!((model.calls(), circuit.state()), (6, CircuitState::Closed));
}

#[tokio::test(start_paused = true)]
async fn a_provider_that_refuses_a_request_is_not_left_alone() {
    let (models, first, circuit) = pair((0..9).map(|_| Err(bad_request("a"))));
    for _ in 0..9 {
        models.complete(&request(), &mut ()).await.expect("the other answers");
    }
    assert_eq!((first.calls(), circuit.state()), (9, CircuitState::Closed));
}

#[tokio::test(start_paused = true)]
async fn a_refused_key_is_known_until_the_provider_replies_again() {
    let remedy = || Some("key".to_owned());
    let script = [
        (Ok(answer()), None),
        (Err(unauthorised("a")), remedy()),
        (Err(overloaded("a")), remedy()),
        (Err(bad_request("a")), remedy()),
        (Err(refused("a")), remedy()),
        (Ok(answer()), None),
        (Err(bad_request("a")), None),
        (Err(refused("a")), None),
    ];
    let (models, _, circuit) = pair(script.clone().map(|(result, _)| result));
    for (result, expected) in script {
        models.complete(&request(), &mut ()).await.expect("some model answers");
        assert_eq!(
            (circuit.refusal(), circuit.state()),
            (expected, CircuitState::Closed),
            "{result:?}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn a_model_that_was_silent_is_left_alone_at_once() {
    let (failover, model, circuit) = pair([Err(silent())]);
    for _ in 0..5 {
        assert_eq!(failover.complete(&request(), &mut ()).await, Ok(answer()));
    }
    assert_eq!(model.calls(), 1);
    assert_eq!(circuit.state(), CircuitState::Open(Duration::from_secs(15)));
}

#[tokio::test(start_paused = true)]
async fn who_was_silent_is_asked_again_only_where_nobody_else_can_be() {
    for (silence, calls) in [(true, 2), (false, 1)] {
        let model = Scripted::new([Err(silent()), Ok(answer())]);
        let policy = RetryPolicy {
            silence,
            ..RetryPolicy::default()
        };
        let result = Retrying::new(model.clone(), policy).complete(&request(), &mut ()).await;
        assert_eq!((result.is_ok(), model.calls()), (silence, calls));
    }
}

#[tokio::test]
async fn a_request_that_is_too_long_goes_to_no_model_that_holds_no_more() {
    let refused = ModelError::TooLong {
        provider: "a".to_owned(),
        window: None,
        in_bytes: false,
    };
    let (first, second) = (Scripted::new([Err(refused.clone())]), Scripted::new([Ok(answer())]));
    let result = failover(first, [second.clone()]).complete(&request(), &mut ()).await;
    assert_eq!((result, second.calls()), (Err(refused), 0));
}

#[tokio::test]
async fn a_request_that_is_too_long_goes_to_the_next_model_that_holds_more() {
    // The windows of three models, the answers of the first two, and how often each is asked.
    let refused = || Err(too_long("a"));
    for (windows, first, expected) in [
        ([8_000, 32_000, 32_000], refused(), (Ok(answer()), [1, 1, 0])),
        ([8_000, 8_000, 32_000], refused(), (Ok(answer()), [1, 0, 1])),
        ([8_000, 4_000, 8_000], refused(), (refused(), [1, 0, 0])),
        // Its own window is known to be too small.
        ([2, 32_000, 32_000], Ok(answer()), (Ok(answer()), [0, 1, 0])),
        ([2, 2, 2], Ok(answer()), (Ok(answer()), [1, 0, 0])),
    ] {
        let models = [first, Ok(answer()), Ok(answer())].map(|answer| Scripted::new([answer]));
        let candidate = |(model, tokens): (&Arc<Scripted>, u64)| Candidate {
            model: model.clone(),
            circuit: Arc::new(Circuit::new("a", CircuitPolicy::default())),
            window: Some(window(Some(tokens))),
        };
        let mut candidates: Vec<_> = models.iter().zip(windows).map(candidate).collect();
        let preferred = candidates.remove(0);
        let result = Failover::new(preferred, candidates).complete(&request(), &mut ()).await;
        assert_eq!(
            (result, models.each_ref().map(|model| model.calls())),
            expected,
            "{windows:?}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn a_server_that_asks_one_call_to_wait_is_left_alone_by_the_others() {
    let lessons = Arc::<Lessons>::default();
    let policy = RetryPolicy::default();
    let after = |seconds| Err(later(seconds));
    let first = Scripted::new([after(20), Ok(answer())]);
    let second = Scripted::new([Ok(answer())]);
    let began = Instant::now();
    let calls = [first.clone(), second.clone()].map(|model| Retrying::new(model, policy).sharing(lessons.clone()));
    let (asked, mut heard, mut unheard) = (request(), (), ());
    let refused = calls[0].complete(&asked, &mut heard);
    let waiting = async {
        tokio::time::sleep(Duration::from_secs(1)).await;
        let result = calls[1].complete(&asked, &mut unheard).await;
        (result, began.elapsed())
    };
    let (refused, (waited, elapsed)) = tokio::join!(refused, waiting);
    assert_eq!((refused, waited), (Ok(answer()), Ok(answer())));
    assert_eq!((first.calls(), second.calls()), (2, 1));
    assert!((20..22).contains(&elapsed.as_secs()), "{elapsed:?}");
    // A wait beyond all patience is told without a call; later on, another call finds out whether it still holds.
    let model = Scripted::new([after(3600), Ok(answer())]);
    let call = Retrying::new(model.clone(), policy);
    assert_eq!(call.complete(&asked, &mut ()).await, after(3600));
    tokio::time::advance(Duration::from_secs(10)).await;
    assert_eq!(call.complete(&asked, &mut ()).await, after(3590));
    assert_eq!(model.calls(), 1);
    tokio::time::advance(Duration::from_secs(60)).await;
    assert_eq!(call.complete(&asked, &mut ()).await, Ok(answer()));
}
