//! Every case of `actions.jsonl`: a reply, and the action that must be found in it.

use clifford_action::{Reply, read};
use serde::Deserialize;
use serde_json::Value;

#[derive(Deserialize)]
struct Case {
    name: String,
    raw: String,
    expect: Value,
}

#[test]
fn every_case_reads_as_expected() {
    let cases: Vec<Case> = include_str!("actions.jsonl")
        .lines()
        .map(|line| serde_json::from_str(line).expect(line))
        .collect();
    assert_eq!(cases.len(), 38);
    for Case { name, raw, expect } in cases {
        match read(&raw) {
            Ok(reply) => {
                assert_eq!(reply.to_value(), expect, "{name}");
                assert_eq!(serde_json::from_value::<Reply>(expect).expect(&name), reply, "{name}");
            }
            Err(_) => assert_eq!(expect, "invalid", "{name}"),
        }
    }
}
