//! The metrics of a bot, and the dashboard that queries them.

mod promql;

use std::{
    collections::{BTreeMap, BTreeSet},
    time::{Duration, Instant},
};

use clifford::app::PLATFORMS;
use clifford_telemetry::catalogue::{Kind, METRICS, Metric, Values};
use serde_json::Value;
use tokio::io::{AsyncBufReadExt, BufReader};

use crate::{
    api_watch::{Sample, TOKEN, Watch, named, watched},
    harness::{PATIENCE, Setup, Site},
};

/// Every series of a metric whose labels are known from the start.
fn from_the_start(metric: &Metric) -> Vec<Sample> {
    let name = match metric.kind {
        Kind::Counter | Kind::Gauge => metric.name.to_owned(),
        Kind::Histogram(_) => format!("{}_count", metric.name),
    };
    let combinations = metric.combinations(&PLATFORMS.names()).into_iter();
    combinations.map(|labels| named(&name, &labels)).collect()
}

/// The metric that a series belongs to.
fn metric_of(name: &str) -> Option<&'static Metric> {
    let is_it = |metric: &&Metric| match metric.kind {
        Kind::Counter | Kind::Gauge => metric.name == name,
        Kind::Histogram(_) => {
            let suffix = name.strip_prefix(metric.name);
            suffix.is_some_and(|suffix| ["_bucket", "_sum", "_count"].contains(&suffix))
        }
    };
    METRICS.iter().find(is_it)
}

#[tokio::test]
async fn what_happens_is_counted_from_zero_and_the_dashboard_asks_for_nothing_else() {
    let mut bot = watched(Setup::on(Site::Telegram)).start().await;
    let watch = Watch::on(&bot);
    let before = watch.samples().await;
    for metric in METRICS {
        for sample in from_the_start(metric) {
            let is_now = [
                "clifford_connect",
                "process_",
                "clifford_uptime",
                "clifford_database",
                "clifford_workers",
                "clifford_tasks",
                "clifford_timer_lateness",
            ];
            match before.get(&sample) {
                Some(0.0) => {}
                Some(_) if is_now.iter().any(|name| sample.0.starts_with(name)) => {}
                other => panic!("{sample:?} is {other:?} in the first scrape"),
            }
        }
    }

    let room = bot.room(Site::Telegram, 7, "Ada");
    bot.says(room, "two tools");
    bot.answers(room, 1).await;
    let model = [("provider", "fake"), ("model", "fake-1"), ("role", "executor")];
    let prompt = [model.as_slice(), &[("kind", "prompt")]].concat();
    let expected = [
        (named("clifford_runs_total", &[("status", "completed")]), 1.0),
        (named("clifford_runs_total", &[("status", "failed")]), 0.0),
        (named("clifford_runs", &[("status", "running")]), 0.0),
        (named("clifford_iterations_total", &[]), 3.0),
        (
            named(
                "clifford_model_calls_total",
                &[("provider", "fake"), ("role", "executor"), ("outcome", "answered")],
            ),
            3.0,
        ),
        (named("clifford_model_seconds_count", &model), 3.0),
        (
            named(
                "clifford_tool_calls_total",
                &[("tool", "compute.eval"), ("outcome", "success")],
            ),
            2.0,
        ),
        (named("clifford_tool_seconds_count", &[("tool", "compute.eval")]), 2.0),
        (
            named(
                "clifford_events_total",
                &[("platform", "telegram"), ("outcome", "answering")],
            ),
            1.0,
        ),
        (
            named(
                "clifford_deliveries_total",
                &[("platform", "telegram"), ("outcome", "delivered")],
            ),
            1.0,
        ),
        (named("clifford_queue_depth", &[("queue", "outbox")]), 0.0),
        (named("clifford_send_seconds_count", &[("platform", "telegram")]), 1.0),
        (named("clifford_connected", &[("platform", "telegram")]), 1.0),
        (named("clifford_connections_total", &[("platform", "telegram")]), 1.0),
        (named("clifford_provider_circuit_open", &[("provider", "fake")]), 0.0),
        (named("clifford_database_up", &[]), 1.0),
    ];
    let wanted: Vec<_> = expected.iter().map(|(_, number)| Some(*number)).collect();
    // Each part counts for itself, some of them only after the answer is out.
    let began = Instant::now();
    let mut often = tokio::time::interval(Duration::from_millis(25));
    let (after, found) = loop {
        often.tick().await;
        let after = watch.samples().await;
        let found: Vec<_> = expected.iter().map(|(sample, _)| after.get(sample).copied()).collect();
        if found == wanted || began.elapsed() > PATIENCE {
            break (after, found);
        }
    };
    assert_eq!(found, wanted, "{expected:?}");
    for sample in [
        named("clifford_model_tokens_total", &prompt),
        named("clifford_database_commit_seconds_count", &[]),
        named("clifford_database_write_seconds_count", &[]),
        named("clifford_database_read_seconds_count", &[]),
        named("clifford_database_wait_seconds_count", &[]),
        named("clifford_uptime_seconds", &[]),
        named("process_start_time_seconds", &[]),
    ] {
        assert!(after.get(&sample).is_some_and(|number| *number > 0.0), "{sample:?}");
    }

    every_series_is_in_the_catalogue(&after);
    every_metric_is_described(&watch).await;
    the_dashboard_is_sound(&after);
    bot.finish().await;
}

#[tokio::test]
async fn a_process_without_the_api_tells_what_it_counts_where_that_is_set() {
    let bot = Setup::on(Site::Telegram)
        .set("telemetry.metrics_bind", "127.0.0.1:0")
        .set("http.token", TOKEN)
        .prepare()
        .await;
    let mut workers = bot.beside(&["serve", "--only", "workers"]);
    let mut lines = BufReader::new(workers.stderr.take().unwrap()).lines();
    let line = loop {
        let line = lines.next_line().await.unwrap().expect("it serves its metrics");
        if line.contains("serving metrics") {
            break line;
        }
    };
    let watch = Watch::at(&line);
    assert_eq!(watch.samples().await[&named("clifford_database_up", &[])], 1.0);
    assert_eq!(watch.ready().await.0, 200);
    assert_eq!(watch.get("/api/runs").await.0, 404);
    let unknown = reqwest::get(format!("http://{}/metrics", watch.address()))
        .await
        .unwrap();
    assert_eq!(unknown.status().as_u16(), 401);
    workers.kill().await.unwrap();
}

fn every_series_is_in_the_catalogue(samples: &BTreeMap<Sample, f64>) {
    for (name, labels) in samples.keys() {
        let Some(metric) = metric_of(name) else {
            panic!("{name} is not in the catalogue");
        };
        let mut known: BTreeSet<_> = metric.labels.iter().map(|label| label.name).collect();
        if name.ends_with("_bucket") {
            known.insert("le");
        }
        let found: BTreeSet<_> = labels.keys().map(String::as_str).collect();
        assert_eq!(found, known, "the labels of {name}");
        for label in metric.labels {
            let value = labels[label.name].as_str();
            let is_known = match label.values {
                Values::Of(values) => values.contains(&value),
                Values::Platforms => PLATFORMS.names().iter().any(|platform| platform.as_str() == value),
                Values::Configured => true,
            };
            assert!(is_known, "{name}: {labels:?}");
        }
    }
}

/// Each has a text and a type.
async fn every_metric_is_described(watch: &Watch) {
    let (_, text) = watch.get("/metrics").await;
    for metric in METRICS {
        let kind = match metric.kind {
            Kind::Counter => "counter",
            Kind::Gauge => "gauge",
            Kind::Histogram(_) => "histogram",
        };
        for line in [
            format!("# HELP {} {}", metric.name, metric.help),
            format!("# TYPE {} {kind}", metric.name),
        ] {
            assert!(text.lines().any(|found| found == line), "no line `{line}` in {text}");
        }
    }
}

fn the_dashboard_is_sound(samples: &BTreeMap<Sample, f64>) {
    let dashboard: Value = serde_json::from_str(include_str!("../../docs/grafana-dashboard.json")).unwrap();
    let mut labels_of: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (name, labels) in samples.keys() {
        let known = labels_of.entry(name).or_default();
        known.extend(labels.keys().map(String::as_str));
    }
    let mut asked = BTreeSet::new();
    let panels = dashboard["panels"].as_array().unwrap();
    for panel in panels.iter().filter(|panel| panel["type"] != "row") {
        let title = panel["title"].as_str().unwrap();
        assert_eq!(panel["datasource"]["uid"], "${datasource}", "{title}");
        let targets = panel["targets"].as_array().unwrap();
        assert!(!targets.is_empty(), "{title} asks nothing");
        for target in targets {
            let query = target["expr"].as_str().unwrap();
            let used = promql::read(query).unwrap_or_else(|fault| panic!("{title}: {query}: {fault}"));
            for (metric, labels) in used {
                let known = labels_of.get(metric.as_str());
                let known = known.unwrap_or_else(|| panic!("{title}: nothing is called {metric}: {query}"));
                for label in labels {
                    let is_target = ["instance", "job"].contains(&label.as_str());
                    assert!(
                        is_target || known.contains(label.as_str()),
                        "{title}: {metric} has no {label}: {query}"
                    );
                }
                asked.extend(metric_of(&metric).map(|metric| metric.name));
            }
        }
    }
    let unasked: Vec<_> = METRICS
        .iter()
        .map(|metric| metric.name)
        .filter(|name| !asked.contains(name))
        .collect();
    assert_eq!(unasked, Vec::<&str>::new(), "no panel shows these");
}
