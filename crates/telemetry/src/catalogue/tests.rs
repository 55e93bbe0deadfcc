//! The reference of metrics, and the rules that their names keep to.

use std::{env, fmt::Write, fs};

use super::*;

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/reference/metrics.md");
const BEGIN: &str = "| metric | kind | labels | what it says |\n| --- | --- | --- | --- |\n";

fn table() -> String {
    METRICS.iter().fold(BEGIN.to_owned(), |mut table, metric| {
        let kind = match metric.kind {
            Kind::Counter => "counter",
            Kind::Gauge => "gauge",
            Kind::Histogram(_) => "histogram",
        };
        let labels: Vec<_> = metric.labels.iter().map(|label| format!("`{}`", label.name)).collect();
        let (name, labels, help) = (metric.name, labels.join(", "), metric.help);
        writeln!(table, "| `{name}` | {kind} | {labels} | {help} |").unwrap();
        table
    })
}

#[test]
fn the_reference_of_metrics_is_what_the_catalogue_says() {
    let text = fs::read_to_string(FILE).unwrap();
    let from = text.find(BEGIN).expect("a table");
    let end = text[from..].find("\n\n").map_or(text.len(), |end| from + end + 1);
    if env::var_os("UPDATE_DOCS").is_some() {
        let updated = [&text[..from], &table(), &text[end..]].concat();
        fs::write(FILE, updated).unwrap();
    } else {
        assert_eq!(
            text[from..end],
            table(),
            "docs/reference/metrics.md is stale; UPDATE_DOCS=1 cargo test --workspace --lib reference writes it"
        );
    }
}

#[test]
fn names_follow_the_rules_of_prometheus() {
    for (place, metric) in METRICS.iter().enumerate() {
        let name = metric.name;
        assert!(METRICS[..place].iter().all(|other| other.name != name), "{name} twice");
        assert_eq!(metric.kind == Kind::Counter, name.ends_with("_total"), "{name}");
        if let Kind::Histogram(bounds) = metric.kind {
            assert!(name.ends_with("_seconds"), "{name}");
            assert!(bounds.0.is_sorted(), "{name}");
        }
        assert!(metric.help.ends_with('.') && !metric.help.contains('\n'), "{name}");
        let platforms = ["a", "b", "c", "d"].map(Platform::new);
        let product: usize = metric.combinations(&platforms).len();
        assert!(product <= 28, "{name} has {product} series from the start");
    }
}
