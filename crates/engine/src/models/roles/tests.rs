use clifford_core::runs::{Run, RunKind};

use super::*;

const PRICES: Prices = Prices {
    prompt: 2.0,
    cached: 0.5,
    cache_write: 2.5,
    completion: 10.0,
};

fn near(cost: f64, expected: f64) {
    assert!((cost - expected).abs() < 1e-12, "{cost} instead of {expected}");
}

#[test]
fn a_call_is_reckoned_at_its_dearest() {
    let assigned = Assigned {
        provider: None,
        images: Arc::default(),
        model: Arc::new(Offline),
        prices: PRICES,
        dearest: PRICES,
        max_tokens: Some(100),
        windows: Vec::new(),
    };
    let roles = Roles::new(assigned, [], BTreeMap::from([("a".to_owned(), PRICES)]), vec![]);
    let worst = roles.worst_case(Role::Memory, 1000, None);
    assert_eq!(worst.tokens, 1100);
    near(worst.cost, (1000.0 * 2.5 + 100.0 * 10.0) / 1e6);
    assert_eq!(roles.worst_case(Role::Executor, 1, Some(7)).tokens, 8);
    near(roles.cost(Role::Executor, "unknown", &Usage::default()), 0.0);
}

#[test]
fn a_chosen_model_answers_people_and_has_no_other_role() {
    let assigned = |provider: &str| Assigned {
        provider: Some(provider.to_owned()),
        ..Roles::default().executor
    };
    let requested = |provider: &str| Requested {
        provider: provider.to_owned(),
        model: "m".to_owned(),
    };
    let roles = Roles::new(assigned("a"), [(Role::Memory, assigned("c"))], BTreeMap::new(), vec![])
        .asking_first([(Role::Executor, requested("a"))]);
    let strong = roles.with_executor(assigned("b"), Some(requested("b")));
    let roles = roles.choosing(vec![ModelChoice {
        name: "strong".to_owned(),
        roles: Arc::new(strong),
    }]);
    let providers = |chosen: Option<&str>| {
        let chosen = roles.chosen(chosen);
        [Role::Executor, Role::Memory].map(|role| chosen.provider_of(role).unwrap_or_default().to_owned())
    };
    assert_eq!(providers(None), ["a", "c"]);
    assert_eq!(providers(Some("strong")), ["b", "c"]);
    assert_eq!(providers(Some("gone")), ["a", "c"]);
    let offers: Vec<_> = roles
        .offers()
        .into_iter()
        .map(|offer| (offer.name, offer.model.provider))
        .collect();
    assert_eq!(
        offers,
        [(None, "a".to_owned()), (Some("strong".to_owned()), "b".to_owned())]
    );
}

#[test]
fn a_role_s_model_has_the_role_s_prices_where_its_provider_answers() {
    let at = |prompt| Prices {
        prompt,
        ..Prices::default()
    };
    let assigned = |provider: &str, prompt| Assigned {
        provider: Some(provider.to_owned()),
        prices: at(prompt),
        ..Roles::default().executor
    };
    let others = [(Role::Memory, assigned("b", 7.0))];
    let all = BTreeMap::from([("a".to_owned(), at(1.0)), ("b".to_owned(), at(3.0))]);
    let roles = Roles::new(assigned("a", 5.0), others, all, vec![]);
    let usage = Usage {
        prompt_tokens: 1_000_000,
        ..Usage::default()
    };
    let cases = [
        (Role::Executor, "a", 5.0),
        (Role::Executor, "b", 3.0),
        (Role::Planner, "a", 5.0),
        (Role::Memory, "b", 7.0),
        (Role::Memory, "a", 1.0),
    ];
    for (role, provider, expected) in cases {
        near(roles.cost(role, provider, &usage), expected);
    }
}

#[test]
fn who_has_a_key_for_the_role_s_provider_uses_that_one_else_the_first_there_is() {
    let assigned = |provider: &str| Assigned {
        provider: Some(provider.to_owned()),
        ..Roles::default().executor
    };
    let keyed = |name| Keyed::new(name, |_, _| Ok(Arc::new(Offline)));
    let others = [(Role::Planner, assigned("c"))];
    let roles =
        Roles::new(assigned("b"), others, BTreeMap::new(), vec![]).with_keyed(["a", "b", "c"].map(keyed).to_vec());
    let cases: [(Role, &[&str], Option<&str>); 6] = [
        (Role::Executor, &["a", "b", "c"], Some("b")),
        (Role::Planner, &["a", "b", "c"], Some("c")),
        (Role::Executor, &["c"], Some("c")),
        (Role::Vision, &["c", "a"], Some("a")),
        (Role::Executor, &["elsewhere"], None),
        (Role::Executor, &[], None),
    ];
    for (role, has, expected) in cases {
        let found = roles.keyed_by(role, |name| has.contains(&name));
        assert_eq!(found.map(Keyed::name), expected, "{role} {has:?}");
    }
}

#[test]
fn a_subagent_made_for_planning_plans() {
    let run = |kind, profile: Option<&str>| Run {
        kind,
        profile: profile.map(str::to_owned),
        ..Run::sample()
    };
    let cases = [
        (run(RunKind::Subagent, Some("planner")), Role::Planner),
        (run(RunKind::Subagent, Some("verifier")), Role::Verifier),
        (run(RunKind::Subagent, Some("researcher")), Role::Executor),
        (run(RunKind::Coordinator, Some("planner")), Role::Executor),
    ];
    for (run, role) in cases {
        assert_eq!(Role::of_run(&run), role, "{:?} {:?}", run.kind, run.profile);
    }
}
