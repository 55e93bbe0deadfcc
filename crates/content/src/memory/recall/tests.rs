//! The items and messages that come into a prompt, by tables.

use clifford_core::{
    id::{AgentId, ChannelId, SpaceId},
    places::{ChannelKind, Mode, Threads, VoiceReplies, WhenBusy},
};
use clifford_store::places::settings::Setting;

use super::*;

fn item(level: i64, key: &str, value: &str) -> MemoryItem {
    MemoryItem {
        module: "identity".into(),
        key: key.into(),
        value: value.into(),
        level,
    }
}

fn remembered(items: Vec<MemoryItem>) -> Vec<Remembered> {
    let unpinned = |item| Remembered {
        item,
        pinned: false,
        tainted: 0,
    };
    items.into_iter().map(unpinned).collect()
}

fn keys(items: Vec<MemoryItem>) -> Vec<String> {
    keys_for("", items).0
}

/// The keys in front of the conversation, and behind it.
fn keys_for(question: &str, items: Vec<MemoryItem>) -> (Vec<String>, Vec<String>) {
    let Placed { front, back } = selected(remembered(items), question).map(|item| item.key.clone());
    (front, back)
}

#[test]
fn what_answers_the_question_stands_behind_what_stands_there_whatever_is_asked() {
    let mut items: Vec<_> = (0..6).map(|n| item(4, &format!("a{n}"), "something else")).collect();
    items.push(item(4, "cat_name", "Zorro"));
    items.push(item(4, "b", "two cats"));
    for item in &mut items {
        item.module = "preferences".into();
    }
    let front = ["a0", "a1", "a2", "a3", "a4"];
    for (question, back) in [
        ("", [].as_slice()),
        ("What is my cat called?", &["b", "cat_name"]),
        ("something else", &["a5"]),
    ] {
        let (first, mut behind) = keys_for(question, items.clone());
        behind.sort_unstable();
        assert_eq!(
            (first.as_slice(), behind.as_slice()),
            (
                &front.map(str::to_owned)[..],
                &back.iter().map(|key| (*key).to_owned()).collect::<Vec<_>>()[..]
            )
        );
    }
}

#[test]
fn pinned_items_and_who_the_person_is_come_whatever_is_asked() {
    let other = |key: &str| MemoryItem {
        module: "projects".into(),
        ..item(1, key, "the garden")
    };
    let mut items: Vec<_> = remembered((0..6).map(|n| other(&format!("k{n}"))).collect());
    items.push(Remembered {
        item: MemoryItem {
            module: "preferences".into(),
            ..item(1, "pinned", "nothing of it")
        },
        pinned: true,
        tainted: 0,
    });
    items.extend(remembered(vec![item(1, "name", "Ada")]));
    let chosen = selected(items, "the garden").map(|item| item.key.clone());
    assert_eq!(chosen.front, ["name", "pinned", "k0", "k1", "k2"]);
    assert_eq!(chosen.back, ["k3", "k4", "k5"]);
}

#[test]
fn what_stands_whatever_is_asked_leaves_room_for_what_answers() {
    let other = |n: usize, value: &str| MemoryItem {
        module: "projects".into(),
        ..item(5 - i64::try_from(n % 4).unwrap_or(0), &format!("k{n:02}"), value)
    };
    let mut items: Vec<_> = (0..20).map(|n| other(n, &"a thing ".repeat(12))).collect();
    items.extend((20..30).map(|n| other(n, &"the garden ".repeat(9))));
    let chosen = selected(remembered(items), "the garden");
    let characters = |items: &[MemoryItem]| items.iter().map(|item| line(item).chars().count() + 1).sum::<usize>();
    let (front, back) = (characters(&chosen.front), characters(&chosen.back));
    assert!(front <= STEADY && chosen.back.len() >= 3, "{front}, {back}");
    assert!(front + back + ITEMS_HEADING.len() <= BLOCK, "{front}, {back}");
    assert!(chosen.back.iter().all(|item| item.value.contains("garden")));
}

#[test]
fn items_that_answer_a_query_are_found_best_first() {
    let query = |text| Query::parse(text).expect("terms");
    let items = vec![
        item(1, "cat", "Zorro, who likes the garden"),
        item(2, "garden", "roses"),
        item(3, "car", "red"),
    ];
    let found = |text| {
        let found = answering(&query(text), items.clone());
        found.into_iter().map(|item| item.key).collect::<Vec<_>>()
    };
    assert_eq!(found("gardens and cats"), ["cat", "garden"]);
    assert_eq!(found("\"the garden\" roses"), ["cat"]);
    assert_eq!(found("the house"), Vec::<String>::new());
}

#[test]
fn five_of_each_level_come_into_the_prompt_in_the_order_in_which_they_were_found() {
    let mut items: Vec<_> = (0..7).map(|n| item(0, &format!("a{n}"), "v")).collect();
    items.extend((0..6).map(|n| item(3, &format!("d{n}"), "v")));
    assert_eq!(
        keys(items),
        ["a0", "a1", "a2", "a3", "a4", "d0", "d1", "d2", "d3", "d4"]
    );
}

#[test]
fn the_block_stops_before_it_would_be_too_long() {
    // 14 of the heading; each line has 15 around its value, and its line break.
    let line_of = |n: usize, length: usize| item(5, &format!("k{n}"), &"ä".repeat(length));
    let fits = 1200 - 14 - 3 * 316 - 16;
    for (last, expected) in [(fits, 4), (fits + 1, 3)] {
        let mut items: Vec<_> = (0..3).map(|n| line_of(n, 300)).collect();
        items.push(line_of(3, last));
        items.push(line_of(4, 1));
        let chosen = selected(remembered(items), "").front;
        assert_eq!(chosen.len(), expected, "{last}");
        let lines: Vec<_> = chosen.iter().map(line).collect();
        let block = format!("{ITEMS_HEADING}\n{}", lines.join("\n"));
        assert!(block.chars().count() <= BLOCK, "{}", block.chars().count());
    }
}

#[test]
fn a_value_is_one_line_and_cut_at_its_levels_characters_between_two_of_them() {
    for (level, characters) in [(0, 50), (1, 120), (2, 180), (3, 200), (4, 240), (5, 300)] {
        let chosen = selected(remembered(vec![item(level, "k", &"😀".repeat(400))]), "").front;
        assert_eq!(chosen, [item(level, "k", &"😀".repeat(characters))], "{level}");
    }
    let chosen = selected(remembered(vec![item(0, "k", " two\n- identity.x: y ")]), "").front;
    assert_eq!(line(&chosen[0]), "- identity.k: two - identity.x: y");
}

fn turn(direction: Direction, content: &str) -> Turn {
    Turn {
        id: None,
        direction,
        content: content.to_owned(),
        gap: None,
        foreign: clifford_store::messages::Foreign::None,
        readers: None,
    }
}

/// A place whose heading has 7 tokens, with inbound turns of so many tokens each.
fn place(platform: &str, tokens: &[usize]) -> Elsewhere {
    Elsewhere {
        platform: platform.to_owned(),
        name: None,
        turns: tokens
            .iter()
            .map(|tokens| turn(Direction::Inbound, &"x".repeat(tokens * 4 - 6)))
            .collect(),
        messages: Vec::new(),
    }
}

#[test]
fn the_newest_messages_of_the_newest_places_come_first_within_the_tokens() {
    /// The tokens of each message of each place.
    type Places = &'static [&'static [usize]];
    let cases: [(u64, Places, Places); 8] = [
        (0, &[&[2]], &[]),
        (8, &[&[2]], &[]),
        (9, &[&[2]], &[&[2]]),
        (100, &[&[2, 3, 4]], &[&[2, 3, 4]]),
        // The oldest go first, and no message is cut.
        (14, &[&[2, 3, 4]], &[&[3, 4]]),
        (13, &[&[2, 3, 4]], &[&[4]]),
        // The newest place comes first.
        (21, &[&[7, 7], &[2]], &[&[7, 7]]),
        // A place leaves the rest to the next; one that shows nothing costs nothing.
        (20, &[&[90], &[5, 8]], &[&[5, 8]]),
    ];
    for (tokens, places, expected) in cases {
        let named = |places: Places| {
            places
                .iter()
                .map(|tokens| place("telegram", tokens))
                .collect::<Vec<_>>()
        };
        assert_eq!(
            within(named(places), tokens),
            named(expected),
            "{tokens} for {places:?}"
        );
    }
}

#[test]
fn places_where_something_was_said_since_the_conversation_began_stand_behind_it() {
    let ids: Vec<_> = (0..3).map(|_| MessageId::new()).collect();
    let at = |platform: &str, newest: MessageId| Elsewhere {
        messages: vec![newest],
        ..place(platform, &[2])
    };
    let places = || vec![at("web", ids[2]), at("tui", ids[0])];
    let named = |begun: Option<MessageId>| {
        let Placed { front, back } = split_by_time(places(), begun, 100).map(|place| place.platform.clone());
        (front, back)
    };
    let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    assert_eq!(named(None), (owned(&["web", "tui"]), vec![]));
    assert_eq!(named(Some(ids[1])), (owned(&["tui"]), owned(&["web"])));
    // Each has its part of the tokens.
    let narrow = split_by_time(places(), Some(ids[1]), 15);
    assert_eq!((narrow.front.len(), narrow.back.len()), (1, 0));
}

#[test]
fn another_place_is_told_in_lines() {
    let mut place = Elsewhere {
        name: Some("Ada\nL.".to_owned()),
        ..place("discord", &[])
    };
    assert_eq!(heading(&place), "Active context in discord (Ada L.):");
    place.name = None;
    assert_eq!(heading(&place), "Active context in discord:");
    assert_eq!(
        [
            turn_line(&turn(Direction::Inbound, "hi\nClifford: no")),
            turn_line(&turn(Direction::Outbound, "Hello!")),
        ],
        ["User: hi Clifford: no", "Clifford: Hello!"]
    );
}

#[test]
fn what_is_set_for_the_place_decides_what_is_shown() {
    let defaults = PlaceSettings {
        when_busy: WhenBusy::FollowUp,
        shared_parallel: 3,
        memory: true,
        cross_channel: true,
        voice_replies: VoiceReplies::Never,
        threads: Threads::Off,
        follow_threads: None,
        ambient_messages: 0,
    };
    let off = |name: &str| Setting {
        name: name.to_owned(),
        value: "false".to_owned(),
    };
    let cases = [
        (vec![], (1, 1)),
        (vec![off("memory")], (0, 1)),
        (vec![off("cross_channel")], (1, 0)),
        (vec![off("memory"), off("cross_channel")], (0, 0)),
    ];
    for (settings, expected) in cases {
        let found = PromptContext {
            items: remembered(vec![item(0, "k", "v")]),
            elsewhere: vec![place("telegram", &[2])],
            settings: settings.clone(),
            ..PromptContext::default()
        };
        let recalled = recall(found, "", defaults, 100);
        assert_eq!(
            (recalled.items.front.len(), recalled.elsewhere.front.len()),
            expected,
            "{settings:?}"
        );
    }
}

fn channel(kind: ChannelKind, user: Option<UserId>) -> Channel {
    Channel {
        id: ChannelId::new(),
        platform: "telegram".to_owned(),
        external_id: "1".to_owned(),
        parent_id: None,
        kind,
        name: None,
        space_id: Some(SpaceId::new()),
        user_id: user,
        enabled: true,
        disabled_reason: None,
        agent_id: None,
        mode: Mode::Run,
        active_context_id: None,
        last_message_at: None,
    }
}

#[test]
fn other_places_are_looked_for_only_where_a_person_is_alone_with_the_bot() {
    let ada = UserId::new();
    let run = |kind: RunKind| Run {
        kind,
        user_id: Some(ada),
        ..Run::sample()
    };
    let amounts = Amounts { turns: 40, each: 12 };
    let private = |user: Option<UserId>| Some(channel(ChannelKind::Private, user));
    let cases = [
        (RunKind::Coordinator, private(Some(ada)), Some(ada)),
        (RunKind::Coordinator, private(Some(UserId::new())), None),
        (RunKind::Coordinator, private(None), None),
        (RunKind::Coordinator, None, None),
        (RunKind::Coordinator, Some(channel(ChannelKind::Group, Some(ada))), None),
        (
            RunKind::Coordinator,
            Some(channel(ChannelKind::Thread, Some(ada))),
            None,
        ),
        (RunKind::Subagent, private(Some(ada)), None),
        (RunKind::Subagent, Some(channel(ChannelKind::Group, None)), None),
    ];
    for (kind, channel, expected) in cases {
        let found = prompt_parts(&run(kind), channel.as_ref(), amounts);
        assert_eq!(found.elsewhere, expected, "{kind} in {channel:?}");
        if let Some(channel) = channel.filter(|_| kind == RunKind::Coordinator) {
            assert_eq!(
                wanted_soon(ada, &channel, AgentId::new(), amounts).elsewhere,
                expected,
                "{channel:?}"
            );
        }
    }
}

#[test]
fn only_a_persons_own_private_channel_is_private_to_them() {
    let (ada, space) = (UserId::new(), SpaceId::new());
    let group = Channel {
        space_id: Some(space),
        ..channel(ChannelKind::Group, None)
    };
    for (channel, expected) in [
        (None, Viewer::Private),
        (Some(channel(ChannelKind::Private, Some(ada))), Viewer::Private),
        (
            Some(channel(ChannelKind::Private, Some(UserId::new()))),
            Viewer::Shared(None),
        ),
        (Some(channel(ChannelKind::Private, None)), Viewer::Shared(None)),
        (Some(group), Viewer::Shared(Some(space))),
    ] {
        assert_eq!(viewer(Some(ada), channel.as_ref()), expected, "{channel:?}");
    }
}

#[test]
fn among_others_a_person_is_called_by_a_name_that_is_known_there() {
    let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    for (known, input, expected) in [
        (names(&["lovelace"]), "hello", Some("lovelace")),
        (names(&["one", "two"]), "[eve] hi\n[two] hello", Some("two")),
        (names(&["one", "two"]), "hello", None),
        (names(&[]), "[eve] hello", None),
    ] {
        assert_eq!(name_there(&known, input).as_deref(), expected, "{known:?} {input}");
    }
}
