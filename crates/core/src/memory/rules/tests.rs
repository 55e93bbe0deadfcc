//! Each operation and each refusal by table; invariants after any operations, by properties.

use proptest::prelude::*;
use uuid::Uuid;

use super::*;
use crate::{id::SpaceId, memory::levels::MODULES};

const NOW: Timestamp = Timestamp(1_000_000);

fn id(number: u128) -> MemoryItemId {
    MemoryItemId(Uuid::from_u128(number))
}

fn space() -> SpaceId {
    SpaceId(Uuid::from_u128(7))
}

/// A private item, last seen at its number.
fn item(number: u32, module: &str, key: &str, level: i64, value: &str) -> Item {
    Item {
        id: id(u128::from(number)),
        module: module.into(),
        key: key.into(),
        value: value.into(),
        level,
        confidence: 0.5,
        origin_space: None,
        shareable: false,
        pinned: false,
        created_at: Timestamp(i64::from(number)),
        last_seen_at: Timestamp(i64::from(number)),
    }
}

/// The known items: by the number in the id, also the name in the prompt.
fn known() -> Vec<Item> {
    let mut pinned = item(3, "preferences", "drink", 2, "tea");
    pinned.pinned = true;
    vec![
        item(1, "identity", "name", 0, "Ada"),
        item(2, "relationships", "cat_name", 1, "Miro"),
        pinned,
    ]
}

fn run(items: Vec<Item>, operations: &str, shared: bool) -> WriteOutcome {
    let readings = crate::memory::operations::read(operations).unwrap();
    let named = items
        .iter()
        .map(|item| (item.id.0.as_u128().to_string(), item.id))
        .collect();
    let place = WriteScope {
        sees: &|item| !shared || item.shareable || item.origin_space == Some(space()),
        private: !shared,
        space: shared.then(space),
        named: &named,
    };
    let mut next = 100;
    apply(items, &readings, &place, NOW, || {
        next += 1;
        id(next)
    })
}

fn in_private(operations: &str) -> WriteOutcome {
    run(known(), operations, false)
}

fn applied(op: Op, module: &str, key: &str) -> Applied {
    Applied {
        op,
        module: module.into(),
        key: key.into(),
    }
}

fn seen_now(mut item: Item) -> Item {
    item.last_seen_at = NOW;
    item
}

fn done(op: Op, change: Change) -> WriteOutcome {
    let (module, key) = match &change {
        Change::Add(item) | Change::Update(item) => (item.module.clone(), item.key.clone()),
        Change::Archive(gone) => known()
            .into_iter()
            .find(|item| item.id == *gone)
            .map(|item| (item.module, item.key))
            .unwrap(),
    };
    WriteOutcome {
        changes: vec![change],
        applied: vec![applied(op, &module, &key)],
        ..WriteOutcome::default()
    }
}

#[test]
fn each_operation_changes_what_it_names() {
    let added = |confidence| {
        let mut new = item(101, "environment", "home_town", 1, "Oslo");
        (new.confidence, new.created_at) = (confidence, NOW);
        Change::Add(seen_now(new))
    };
    let name = |level, value: &str, confidence| {
        let mut changed = item(1, "identity", "name", level, value);
        (changed.created_at, changed.confidence) = (Timestamp(1), confidence);
        Change::Update(seen_now(changed))
    };
    for (operation, expected) in [
        (
            r#"{"op":"add","module":"environment","key":"home_town","level":1,"value":" Oslo "}"#,
            done(Op::Add, added(0.6)),
        ),
        (
            r#"{"op":"add","module":"Environment","key":"Home-Town","level":"1","value":"Oslo","confidence":7}"#,
            done(Op::Add, added(1.0)),
        ),
        (
            r#"{"op":"add","module":"identity","key":"name","level":1,"value":"Ada L.","confidence":-1}"#,
            done(Op::Update, name(1, "Ada L.", 0.0)),
        ),
        (
            r#"{"op":"update","id":1,"value":"Ada King"}"#,
            done(Op::Update, name(0, "Ada King", 0.5)),
        ),
        (
            r#"{"op":"update","id":"00000000-0000-0000-0000-000000000001","level":2,"confidence":0.9}"#,
            done(Op::Update, name(2, "Ada", 0.9)),
        ),
        (
            r#"{"op":"update","id":"99","module":"identity","key":"name","new_value":"Ada King"}"#,
            done(Op::Update, name(0, "Ada King", 0.5)),
        ),
        (r#"{"op":"delete","id":2}"#, done(Op::Delete, Change::Archive(id(2)))),
        (
            r#"{"op":"delete","module":"relationships","key":"cat_name"}"#,
            done(Op::Delete, Change::Archive(id(2))),
        ),
        (r#"{"op":"touch","id":1}"#, done(Op::Touch, name(0, "Ada", 0.5))),
    ] {
        assert_eq!(in_private(operation), expected, "{operation}");
    }
}

#[test]
fn what_is_refused_changes_nothing_and_says_why() {
    let long = "k".repeat(65);
    for (operation, reason) in [
        (
            r#"{"op":"add","key":"a","level":1,"value":"v"}"#,
            "add: `module` is missing",
        ),
        (
            r#"{"op":"add","module":"hobbies","key":"a","level":1,"value":"v"}"#,
            "module: `hobbies` is none of identity, preferences, constraints, projects, relationships, environment, \
             recent_context",
        ),
        (
            r#"{"op":"add","module":"identity","level":1,"value":"v"}"#,
            "add: `key` is missing",
        ),
        (
            r#"{"op":"add","module":"identity","key":"größe","level":1,"value":"v"}"#,
            "key: `größe` is not short snake_case, such as cat_name",
        ),
        (
            &format!(r#"{{"op":"add","module":"identity","key":"{long}","level":1,"value":"v"}}"#),
            &format!("key: `{}` is not short snake_case, such as cat_name", "k".repeat(64)),
        ),
        (
            r#"{"op":"add","module":"identity","key":"a","value":"v"}"#,
            "add: `level` is missing",
        ),
        (
            r#"{"op":"add","module":"identity","key":"a","level":6,"value":"v"}"#,
            "level: it is none of 0 to 5",
        ),
        (
            r#"{"op":"add","module":"identity","key":"a","level":1,"value":" "}"#,
            "add: `value` is missing",
        ),
        (
            r#"{"op":"add","module":"identity","key":"a","level":1,"value":"my password is tulip"}"#,
            "the value looks like a password: secrets are not remembered",
        ),
        (
            r#"{"op":"add","module":"identity","key":"bank_pin","level":1,"value":"1234"}"#,
            "the key names a secret: secrets are not remembered",
        ),
        (
            r#"{"op":"update","id":1,"value":"4111 1111 1111 1111"}"#,
            "the value looks like a card number: secrets are not remembered",
        ),
        (r#"{"op":"update","id":1}"#, "update: it says nothing new"),
        (r#"{"op":"update","id":99,"value":"v"}"#, "not found"),
        (r#"{"op":"update","value":"v"}"#, "not found"),
        (r#"{"op":"delete","module":"identity","key":"age"}"#, "not found"),
        (r#"{"op":"touch"}"#, "not found"),
        (
            r#"{"op":"update","id":3,"value":"coffee"}"#,
            "it is pinned: only its user changes it",
        ),
        (
            r#"{"op":"add","module":"preferences","key":"drink","level":1,"value":"coffee"}"#,
            "it is pinned: only its user changes it",
        ),
        (r#"{"op":"delete","id":3}"#, "it is pinned: only its user changes it"),
        (r#"{"op":"touch","id":3}"#, "it is pinned: only its user changes it"),
    ] {
        let expected = WriteOutcome {
            skipped: vec![Skipped {
                operation: 1,
                reason: reason.into(),
            }],
            ..WriteOutcome::default()
        };
        assert_eq!(in_private(operation), expected, "{operation}");
    }
}

#[test]
fn of_those_that_say_the_same_the_newest_stays_and_what_is_pinned() {
    let outcome = in_private(
        r#"[{"op":"add","module":"identity","key":"first_name","level":1,"value":"ada!"},
            {"op":"add","module":"preferences","key":"likes","level":2,"value":"Tea."}]"#,
    );
    let mut stays = item(101, "identity", "first_name", 1, "ada!");
    (stays.confidence, stays.created_at) = (0.6, NOW);
    assert_eq!(outcome.changes, [Change::Archive(id(1)), Change::Add(seen_now(stays))]);
    let archived = |module: &str, key: &str| Archived {
        module: module.into(),
        key: key.into(),
        reason: "another one says the same".into(),
    };
    assert_eq!(
        outcome.archived,
        [archived("identity", "name"), archived("preferences", "likes")]
    );
}

#[test]
fn a_level_that_is_too_full_loses_what_was_not_spoken_of_for_longest() {
    let mut items: Vec<_> = (1..=4)
        .map(|number| item(number, "identity", &format!("k{number}"), 0, &format!("v{number}")))
        .collect();
    items[0].pinned = true;
    let outcome = run(
        items,
        r#"[{"op":"touch","id":2},{"op":"add","module":"identity","key":"k5","level":0,"value":"v5"}]"#,
        false,
    );
    assert_eq!(
        outcome.archived,
        [Archived {
            module: "identity".into(),
            key: "k3".into(),
            reason: "its level is full".into()
        }]
    );
    assert_eq!(outcome.changes[0], Change::Archive(id(3)));
}

#[test]
fn among_others_nothing_private_is_seen_or_changed() {
    let mut here = item(4, "projects", "boat", 2, "a dinghy");
    here.origin_space = Some(space());
    let mut shared = item(5, "projects", "garden", 2, "roses");
    shared.shareable = true;
    let mut items = known();
    items.extend([here.clone(), shared.clone()]);
    let outcome = run(
        items,
        r#"[{"op":"add","module":"identity","key":"name","level":0,"value":"Eve"},
            {"op":"update","id":1,"value":"Eve"},
            {"op":"delete","module":"relationships","key":"cat_name"},
            {"op":"update","id":4,"value":"a yacht"},
            {"op":"touch","id":5}]"#,
        true,
    );
    let reasons: Vec<_> = outcome.skipped.iter().map(|skipped| skipped.reason.as_str()).collect();
    assert_eq!(reasons, [ELSEWHERE, "not found", "not found"]);
    here.value = "a yacht".into();
    assert_eq!(
        outcome.changes,
        [Change::Update(seen_now(here)), Change::Update(seen_now(shared))]
    );
}

#[test]
fn what_is_said_in_private_of_a_shared_item_makes_it_private() {
    let mut here = item(4, "projects", "boat", 2, "a dinghy");
    here.origin_space = Some(space());
    let touched = run(vec![here.clone()], r#"{"op":"touch","id":4}"#, false);
    assert_eq!(touched.changes, [Change::Update(seen_now(here.clone()))]);
    let updated = run(vec![here.clone()], r#"{"op":"update","id":4,"value":"sunk"}"#, false);
    (here.value, here.origin_space) = ("sunk".into(), None);
    assert_eq!(updated.changes, [Change::Update(seen_now(here))]);
}

#[test]
fn a_new_value_belongs_to_where_it_was_said() {
    let elsewhere = Some(SpaceId(Uuid::from_u128(8)));
    let update = r#"{"op":"update","id":4,"value":"sunk"}"#;
    let again = r#"{"op":"update","id":4,"value":"a dinghy"}"#;
    // Where it was said first, among others or not, what says so, and who knows it then.
    for (origin, said, shared, expected) in [
        (elsewhere, update, false, (None, false)),
        (None, update, false, (None, false)),
        (elsewhere, again, false, (elsewhere, true)),
        (elsewhere, update, true, (Some(space()), true)),
        (elsewhere, again, true, (elsewhere, true)),
        (None, update, true, (None, true)),
    ] {
        let mut boat = item(4, "projects", "boat", 2, "a dinghy");
        (boat.origin_space, boat.shareable) = (origin, true);
        let outcome = run(vec![boat], said, shared);
        let [Change::Update(boat)] = outcome.changes.as_slice() else {
            panic!("{outcome:?}");
        };
        assert_eq!(
            (boat.origin_space, boat.shareable),
            expected,
            "{origin:?} {said} {shared}"
        );
    }
}

#[test]
fn what_is_not_known_here_makes_room_and_nothing_is_said_of_it() {
    let items: Vec<_> = (1..=4)
        .map(|number| item(number, "identity", &format!("k{number}"), 0, &format!("v{number}")))
        .collect();
    let add = r#"{"op":"add","module":"identity","key":"k5","level":0,"value":"v5"}"#;
    let outcome = run(items, add, true);
    assert_eq!(outcome.archived, []);
    assert!(
        matches!(outcome.changes.as_slice(), [Change::Archive(gone), Change::Add(new)]
        if *gone == id(1) && new.key == "k5")
    );
}

/// The items stored after an outcome.
fn stored(mut items: Vec<Item>, changes: &[Change]) -> Vec<Item> {
    for change in changes {
        match change {
            Change::Add(new) => items.push(new.clone()),
            Change::Archive(gone) => items.retain(|item| item.id != *gone),
            Change::Update(changed) => {
                for item in &mut items {
                    if item.id == changed.id {
                        item.clone_from(changed);
                    }
                }
            }
        }
    }
    items
}

fn an_operation() -> impl Strategy<Value = Reading> {
    let op = prop::sample::select(Op::ALL.to_vec());
    let module = prop::option::of(prop::sample::select(MODULES[..2].to_vec()));
    let key = prop::option::of("[ab]");
    let value = prop::option::of(prop_oneof!["[xy]", "\\PC{0,400}"]);
    let id = prop::option::of((1_u32..110).prop_map(|id| id.to_string()));
    (
        op,
        id,
        module,
        key,
        prop::option::of(0_i64..6),
        value,
        prop::option::of(0.0..=1.0),
    )
        .prop_map(|(op, id, module, key, level, value, confidence)| {
            Ok(Operation {
                op,
                id,
                module: module.map(str::to_owned),
                key,
                level,
                value,
                confidence,
            })
        })
}

/// Active items as they can be stored: no key twice, each value within its level.
fn some_items() -> impl Strategy<Value = Vec<Item>> {
    let one = (0_usize..2, "[a-z]{1,2}", 0_i64..2, "[a-z]{1,3}", any::<bool>(), 0_u8..3);
    prop::collection::vec(one, 0..20).prop_map(|all| {
        let mut items: Vec<Item> = Vec::new();
        for (number, (module, key, level, value, pinned, origin)) in (1..).zip(all) {
            let mut new = item(number, MODULES[module], &key, level, &value);
            (new.pinned, new.shareable) = (pinned, origin == 2);
            new.origin_space = (origin == 1).then(space);
            if items
                .iter()
                .all(|item| (&item.module, &item.key) != (&new.module, &new.key))
            {
                items.push(new);
            }
        }
        items
    })
}

proptest! {
    #[test]
    fn after_any_operations_the_items_are_as_they_must_be(
        before in some_items(),
        readings in prop::collection::vec(an_operation(), 0..30),
        shared in any::<bool>(),
    ) {
        let named: HashMap<_, _> = before.iter().map(|item| (item.id.0.as_u128().to_string(), item.id)).collect();
        let sees = |item: &Item| !shared || item.shareable || item.origin_space == Some(space());
        let place = WriteScope { sees: &sees, private: !shared, space: shared.then(space), named: &named };
        let mut next = 100;
        let outcome = apply(before.clone(), &readings, &place, NOW, || { next += 1; id(next) });
        prop_assert_eq!(outcome.applied.len() + outcome.skipped.len(), readings.len());
        let after = stored(before.clone(), &outcome.changes);

        let mut keys: Vec<_> = after.iter().map(|item| (&item.module, &item.key)).collect();
        keys.sort();
        keys.dedup();
        prop_assert_eq!(keys.len(), after.len(), "a key twice");
        for item in &after {
            let most = crate::memory::levels::of(item.level).unwrap().characters;
            prop_assert!(item.value.chars().count() <= most && !item.value.is_empty());
            prop_assert!((0.0..=1.0).contains(&item.confidence));
        }
        for (level, most) in (0_i64..).zip(LEVELS.map(|level| level.items)) {
            let of_level: Vec<_> = after.iter().filter(|item| item.level == level).collect();
            let fixed = of_level.iter().filter(|item| item.pinned).count();
            prop_assert!(of_level.len() <= most.max(fixed), "level {} holds {}", level, of_level.len());
        }
        // A pinned item stays as it was. An item that is not visible where this was said stays too, or makes room
        // unseen.
        for item in before.iter().filter(|item| item.pinned || !sees(item)) {
            let makes_room = !item.pinned && outcome.changes.contains(&Change::Archive(item.id));
            prop_assert!(makes_room || after.contains(item), "{:?} was changed", item);
            if !sees(item) {
                prop_assert!(outcome.archived.iter().all(|gone| (&gone.module, &gone.key) != (&item.module, &item.key)));
            }
        }
        // Private text in an item is known in private alone.
        for item in after.iter().filter(|_| !shared) {
            let old = before.iter().find(|old| old.id == item.id);
            if old.is_some_and(|old| crate::memory::levels::fit(item.level, &old.value) != item.value) {
                prop_assert!(!item.shareable && item.origin_space.is_none());
            }
        }
        // Once more, nothing is left to tidy.
        let again = apply(after, &[], &place, NOW, || id(0));
        prop_assert_eq!(again.changes, vec![]);
    }
}
