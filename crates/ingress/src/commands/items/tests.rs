//! Answers to the commands, by tables.

use clifford_core::id::{MemoryItemId, SpaceId, UserId};

use super::*;

fn item(module: &str, key: &str, value: &str) -> Item {
    Item {
        id: MemoryItemId::new(),
        user_id: UserId::new(),
        level: 1,
        module: module.into(),
        key: key.into(),
        value: value.into(),
        confidence: 1.0,
        context_id: None,
        origin_space: None,
        shareable: false,
        pinned: false,
        archived: false,
        created_at: Timestamp(1),
        last_seen_at: Timestamp(1),
    }
}

fn archived(module: &str, key: &str) -> Item {
    Item {
        archived: true,
        ..item(module, key, "old")
    }
}

#[test]
fn the_list_is_grouped_and_marked() {
    let space = SpaceId::new();
    let items = [
        Item {
            pinned: true,
            shareable: true,
            ..item("identity", "name", "Ada *L.*")
        },
        archived("identity", "name"),
        item("preferences", "drink", "tea"),
        Item {
            origin_space: Some(space),
            ..item("preferences", "food", "soup")
        },
    ];
    assert_eq!(
        listed(&items, true, true, Lang::English),
        "This is what I know about you.\n\n\
         **identity**\n\n- `name`: Ada \\*L.\\* 📌 🌐\n\n\
         **preferences**\n\n- `drink`: tea\n- `food`: soup 👥\n\n\
         📌 stays as it is · 🌐 known wherever you speak to me · 👥 known where you said it\n\n\
         `/forget KEY`, `/pin KEY`, `/share KEY` and `/private KEY` change it; `/forget all` forgets it all."
    );
    assert_eq!(
        listed(&items[2..3], false, false, Lang::English),
        "Memory is off here: I remember nothing new, and use nothing that I know.\n\n\
         This is what I may know about you here.\n\n\
         **preferences**\n\n- `drink`: tea\n\n\
         Ask me in private for the rest: what you tell me there stays there.\n\n\
         `/forget KEY`, `/pin KEY`, `/share KEY` and `/private KEY` change it; `/forget all` forgets it all."
    );
}

#[test]
fn an_empty_list_says_how_things_get_into_it() {
    let how = "Facts about yourself are remembered when a conversation ends or grows long, or at once if you ask me \
               to remember it.";
    let off = "Memory is off here: I remember nothing new, and use nothing that I know.";
    let rest = "Ask me in private for the rest: what you tell me there stays there.";
    let none = [archived("identity", "name")];
    let cases = [
        (true, true, format!("I know nothing about you yet.\n\n{how}")),
        (true, false, format!("{off}\n\nI know nothing about you yet.")),
        (
            false,
            true,
            format!("I know nothing about you that I may tell here.\n\n{rest}\n\n{how}"),
        ),
        (
            false,
            false,
            format!("{off}\n\nI know nothing about you that I may tell here.\n\n{rest}"),
        ),
    ];
    for (private, remembers, expected) in cases {
        assert_eq!(listed(&none, private, remembers, Lang::English), expected);
    }
}

#[test]
fn a_key_is_found_however_it_is_typed() {
    let items = [
        item("identity", "cat_name", "Miez"),
        archived("identity", "cat_name"),
        item("identity", "name", "Ada"),
        item("projects", "name", "Clifford"),
        archived("recent_context", "trip"),
    ];
    let [cat, _, own, project, trip] = &items;
    let cases = [
        ("cat_name", Found::One(cat)),
        ("`Cat Name`", Found::One(cat)),
        (" identity.cat-name ", Found::One(cat)),
        ("name", Found::Several(vec![own, project])),
        ("projects.name", Found::One(project)),
        ("trip", Found::One(trip)),
        ("cat", Found::Nothing(vec![cat])),
        ("nmae", Found::Nothing(vec![own, project])),
        ("projects.nam", Found::Nothing(vec![cat, own, project])),
        ("environment.name", Found::Nothing(vec![cat, own, project])),
        ("tripp", Found::Nothing(vec![])),
        ("weather", Found::Nothing(vec![])),
        ("", Found::Nothing(vec![])),
    ];
    for (typed, expected) in cases {
        assert_eq!(find(&items, &plain(typed)), expected, "{typed}");
    }
}

#[test]
fn what_is_not_clear_is_explained_with_what_to_write() {
    let items = [item("identity", "name", "Ada"), item("projects", "name", "Clifford")];
    let cases = [
        ("", "Write what you mean: `/pin KEY`. `/memory` lists the keys."),
        (
            "`we\u{7}ather`",
            "I know nothing under the key `weather` here. `/memory` lists the keys.",
        ),
        (
            "nam",
            "I know nothing under the key `nam` here. Did you mean this?\n\n- `/pin identity.name`\n- `/pin projects.name`",
        ),
        (
            "name",
            "There are several with that key. Which one?\n\n- `/pin identity.name`\n- `/pin projects.name`",
        ),
    ];
    for (typed, expected) in cases {
        let wanted = plain(typed);
        assert_eq!(
            find(&items, &wanted).explained(CommandName::Pin, &wanted, Lang::English),
            expected,
            "{typed}"
        );
    }
}

#[test]
fn forgetting_all_says_what_goes_before_it_does() {
    let items = [
        item("identity", "name", "Ada"),
        item("projects", "name", "Clifford"),
        archived("projects", "name"),
    ];
    let asked = asks_for_all(&items, true, Lang::English);
    assert_eq!(
        asked.text,
        "This deletes all that I know about you for good:\n\n- `identity.name`\n- `projects.name`\n- one that is out of \
         use\n\nType `/forget all yes` to do it."
    );
    let button = Button::new("Forget it all", "forget all yes").in_place().negative();
    assert_eq!(asked.buttons, [button]);
    let here = asks_for_all(&items[..1], false, Lang::English);
    assert_eq!(
        (here.text.as_str(), here.buttons),
        (
            "This deletes what I may know about you here for good:\n\n- `identity.name`\n\nType `/forget all yes` to do it.",
            vec![]
        )
    );
    assert_eq!(
        [0, 1, 3].map(|count| forgotten(count, Lang::English)),
        [
            "There is nothing to forget.",
            "Forgotten: one item.",
            "Forgotten: all 3 items."
        ]
    );
}

#[test]
fn an_item_after_a_command_is_told_as_it_is() {
    let name = item("identity", "name", "Ada");
    let pinned = Item {
        pinned: true,
        ..name.clone()
    };
    let cases = [
        (
            Wish::Pin,
            &pinned,
            "`identity.name` is pinned: it stays as it is until you `/pin` it again, or `/forget` it.",
        ),
        (
            Wish::Pin,
            &name,
            "`identity.name` is not pinned any more: it may change with what you tell me.",
        ),
        (
            Wish::Share,
            &name,
            "`identity.name` is known wherever you speak to me now, in front of others too.",
        ),
        (Wish::Private, &name, "`identity.name` is known in private only now."),
    ];
    for (wish, item, expected) in cases {
        assert_eq!(now_is(wish, item, Lang::English), expected);
    }
}
