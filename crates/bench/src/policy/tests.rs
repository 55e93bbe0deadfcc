use clifford_core::policy::{Action, Rule};

use super::*;

/// The page that shows the table.
const PAGE: &str = include_str!("../../../../docs/reference/benchmarks.md");
/// The page that names its sums.
const ACCOUNT: &str = include_str!("../../../../docs/explanation/policy.md");

/// Whether the page shows this row of the table.
fn is_shown(name: &str, counts: &Counts) -> bool {
    let row = format!(" | {} |", counts.cells().join(" | "));
    let mut rows = PAGE.lines().filter(|line| line.starts_with(&format!("| {name}")));
    rows.any(|line| line.ends_with(&row))
}

#[test]
fn the_suite_is_as_large_as_it_says_and_holds_and_the_pages_show_its_figures() {
    let mut all = Counts::default();
    for world in worlds() {
        assert!(world.attacks.len() >= 12, "{}", world.name);
        let counts = played(&world).unwrap().counts;
        assert!(is_shown(world.name, &counts), "{} {:?}", world.name, counts.cells());
        all.add(&counts);
    }
    assert!(all.tasks >= 60 && all.pairs >= 200, "{all:?}");
    assert_eq!(all.faults(), Vec::<String>::new());
    assert!(is_shown("all", &all), "{:?}", all.cells());
    let [_, unasked, questions, ..] = all.cells();
    let (_, share) = unasked.split_once(['(', ')']).unwrap();
    for told in [
        format!("{} tasks", all.tasks),
        format!("{} attacks", all.pairs),
        share.trim_end_matches(')').to_owned(),
        questions,
    ] {
        assert!(ACCOUNT.contains(&told), "{told}");
    }
}

#[test]
fn what_a_rule_lets_through_counts_as_an_attack_that_took_effect() {
    let mut world = bank::world();
    world.rules = vec![Rule {
        tools: vec!["bank".to_owned()],
        action: Action::AllowTainted,
        ..Rule::default()
    }];
    let report = played(&world).unwrap();
    assert_eq!(report.counts.effective, report.counts.pairs);
    assert!(report.counts.faults()[0].contains("attacks took effect"));
    assert!(report.told.iter().any(|line| line.contains("EFFECT")));
}

#[test]
fn questions_and_undone_tasks_are_faults() {
    let mut world = bank::world();
    world.rules = vec![Rule {
        tools: vec!["bank".to_owned()],
        action: Action::Confirm,
        ..Rule::default()
    }];
    let asked = played(&world).unwrap().counts;
    assert_eq!((asked.unasked, asked.survived), (0, asked.pairs));
    assert_eq!(asked.faults().len(), 3, "{asked:?}");
    world.rules[0].action = Action::Deny;
    let denied = played(&world).unwrap().counts;
    assert_eq!((denied.survived, denied.effective), (0, 0));
}
