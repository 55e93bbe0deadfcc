use std::sync::atomic::Ordering;

use clifford_channel::{
    Addressed, Deleted, Edit, Inbound, Left, Message, Place, PlaceKind, Platform, Quoted, Renamed, Space, Speaker,
    Unreadable,
};
use serde_json::json;

use crate::support::{Bot, texts, to};

fn place(id: u64, kind: PlaceKind, name: Option<&str>, space: Option<Space>) -> Place {
    Place {
        platform: Platform::new("discord"),
        external_id: id.to_string(),
        parent: None,
        kind,
        name: name.map(str::to_owned),
        space,
    }
}

fn ada(id: u64) -> Speaker {
    Speaker {
        id: id.to_string(),
        name: "Ada".into(),
        handle: Some("ada".into()),
        is_bot: false,
        language: None,
        roles: None,
    }
}

fn message(event: &Inbound) -> &Message {
    match event {
        Inbound::Message(message) => message,
        other => panic!("{other:?} is no message"),
    }
}

#[tokio::test]
async fn a_message_comes_in_and_its_answer_goes_out() {
    let bot = Bot::start().await;
    let user = bot.fake.user("Ada");
    let dm = bot.fake.dm(user);
    let id = bot.fake.user_says(dm, user, "Hello");
    let events = bot.kept.wait_for_events(1).await;
    let expected = Message {
        place: place(dm, PlaceKind::Private, None, None),
        // Nobody has a role in a direct message.
        speaker: Speaker {
            roles: Some(Vec::new()),
            ..ada(user)
        },
        id: id.to_string(),
        text: "Hello".to_owned(),
        sent_at: message(&events[0]).sent_at,
        reply_to: None,
        addressed: Addressed::default(),
        attachments: Vec::new(),
        album: None,
        backfilled: false,
        via: None,
        quoted: None,
    };
    assert_eq!(events, [Inbound::Message(expected)]);
    let receipt = bot.send(&to(dm), "World", "key-1").await.unwrap();
    let sent = bot.fake.sent(dm);
    assert_eq!(
        (sent[0].id.to_string(), sent[0].content.as_str()),
        (receipt.id, "World")
    );
    bot.finish().await;
}

#[tokio::test]
async fn places_are_channels_threads_and_direct_messages() {
    let bot = Bot::start().await;
    let guild = bot.fake.guild("Home");
    let channel = bot.fake.channel(guild, "general");
    let thread = bot.fake.thread(channel, "a thread");
    let user = bot.fake.user("Ada");
    for room in [channel, thread, bot.fake.dm(user)] {
        bot.fake.user_says(room, user, &format!("in {room}"));
    }
    let mut events = bot.kept.wait_for_events(3).await;
    events.sort_by_key(|event| message(event).id.clone());
    let space = Some(Space {
        external_id: guild.to_string(),
        name: Some("Home".to_owned()),
    });
    let places: Vec<&Place> = events.iter().map(|event| &message(event).place).collect();
    let expected = [
        place(channel, PlaceKind::Group, Some("general"), space.clone()),
        Place {
            parent: Some(channel.to_string()),
            ..place(thread, PlaceKind::Thread, Some("a thread"), space)
        },
        place(bot.fake.dm(user), PlaceKind::Private, None, None),
    ];
    assert_eq!(places, expected.iter().collect::<Vec<_>>());
    bot.finish().await;
}

#[tokio::test]
async fn a_mention_and_a_reply_speak_to_the_bot() {
    let bot = Bot::start().await;
    let (channel, user) = bot.channel();
    let own = bot
        .send(&to(channel), "Here I am", "key-1")
        .await
        .unwrap()
        .id
        .parse()
        .unwrap();
    bot.fake
        .user_says(channel, user, &format!("<@{}> hello", bot.fake.bot()));
    bot.fake.user_replies(channel, user, own, "indeed");
    bot.fake.user_says(channel, user, "by the way");
    let events = bot.kept.wait_for_events(3).await;
    let read: Vec<(&str, Addressed, Option<String>)> = events
        .iter()
        .map(message)
        .map(|message| (message.text.as_str(), message.addressed, message.reply_to.clone()))
        .collect();
    let expected = [
        (
            "hello",
            Addressed {
                mention: true,
                reply: false,
                in_thread: false,
            },
            None,
        ),
        (
            "indeed",
            Addressed {
                mention: false,
                reply: true,
                in_thread: false,
            },
            Some(own.to_string()),
        ),
        ("by the way", Addressed::default(), None),
    ];
    assert_eq!(read, expected);
    bot.finish().await;
}

#[tokio::test]
async fn messages_of_a_channel_are_handed_in_in_the_order_of_their_ids() {
    let bot = Bot::start().await;
    let (channel, user) = bot.channel();
    bot.fake.swap_next_two();
    let expected: Vec<String> = (0..20).map(|n| format!("message {n}")).collect();
    for text in &expected {
        bot.fake.user_says(channel, user, text);
    }
    assert_eq!(bot.kept.wait_for_texts(20).await, expected);
    bot.finish().await;
}

#[tokio::test]
async fn what_cannot_be_stored_is_handed_in_again_in_order() {
    let bot = Bot::start().await;
    let (channel, user) = bot.channel();
    bot.kept.unavailable.store(4, Ordering::SeqCst);
    for n in 0..5 {
        bot.fake.user_says(channel, user, &format!("{n}"));
    }
    assert_eq!(bot.kept.wait_for_texts(5).await, ["0", "1", "2", "3", "4"]);
    bot.finish().await;
}

#[tokio::test]
async fn an_edit_by_a_person_comes_in_and_a_preview_does_not() {
    let bot = Bot::start().await;
    let (channel, user) = bot.channel();
    let id = bot.fake.user_says(channel, user, "see https://example.org");
    bot.fake.embed(channel, id);
    bot.fake.edit(channel, id, "see that");
    let events = bot.kept.wait_for_events(2).await;
    let edit = Edit {
        place: message(&events[0]).place.clone(),
        speaker: ada(user),
        id: id.to_string(),
        text: "see that".to_owned(),
    };
    assert_eq!(events[1..], [Inbound::Edit(edit)]);
    bot.finish().await;
}

#[tokio::test]
async fn leaving_is_told_and_an_outage_is_not() {
    let bot = Bot::start().await;
    let (channel, _) = bot.channel();
    bot.fake.delete_channel(channel);
    let other = bot.fake.guild("Elsewhere");
    bot.fake.outage(other);
    bot.fake.leave_guild(other);
    let mut events = bot.kept.wait_for_events(2).await;
    let left = |place: Option<u64>, space: Option<u64>, reason: &str| {
        Inbound::Left(Left {
            platform: Platform::new("discord"),
            place: place.map(|id| id.to_string()),
            space: space.map(|id| id.to_string()),
            reason: reason.to_owned(),
        })
    };
    let expected = [
        left(Some(channel), None, "the channel was deleted"),
        left(None, Some(other), "the bot was removed from the guild"),
    ];
    events.sort_by_key(|event| format!("{event:?}").contains("guild"));
    assert_eq!(events, expected);
    bot.finish().await;
}

#[tokio::test]
async fn what_cannot_be_read_is_kept_and_the_connection_goes_on() {
    let bot = Bot::start().await;
    let (channel, user) = bot.channel();
    bot.fake.dispatch("MESSAGE_CREATE", &json!({"id": "no id at all"}));
    bot.fake.dispatch("SOMETHING_NEW", &json!({"a": 1}));
    bot.fake.dispatch("PRESENCE_UPDATE", &json!([]));
    bot.fake.dispatch("INTERACTION_CREATE", &json!({"id": "1", "type": 2}));
    bot.fake.dispatch("GUILD_ROLE_UPDATE", &json!({"not": "needed"}));
    bot.fake.raw_frame("{ not json");
    bot.fake.raw_frame(r#"{"op": 99}"#);
    bot.fake.user_says(channel, user, "still there?");
    let events = bot.kept.wait_for_events(5).await;
    let payloads: Vec<&str> = events
        .iter()
        .filter_map(|event| match event {
            Inbound::Unreadable(Unreadable { payload, .. }) => Some(payload.as_str()),
            _ => None,
        })
        .collect();
    let expected = [
        r#"MESSAGE_CREATE {"id":"no id at all"}"#,
        r#"INTERACTION_CREATE {"id":"1","type":2}"#,
        "{ not json",
        r#"{"op": 99}"#,
    ];
    assert_eq!(payloads, expected);
    assert_eq!(texts(&events), ["still there?"]);
    assert_eq!(bot.fake.identifies(), 1);
    bot.finish().await;
}

#[tokio::test]
async fn a_channel_that_is_not_known_is_looked_up() {
    let bot = Bot::start().await;
    let (channel, user) = bot.channel();
    let thread = bot.fake.thread(channel, "hidden");
    bot.fake
        .dispatch("THREAD_DELETE", &json!({"id": thread.to_string(), "type": 11}));
    bot.kept.wait_for_events(1).await;
    bot.fake.user_says(thread, user, "hello");
    let events = bot.kept.wait_for_events(2).await;
    let place = &message(&events[1]).place;
    assert_eq!((place.kind, place.name.as_deref()), (PlaceKind::Thread, Some("hidden")));
    bot.finish().await;
}

#[tokio::test]
async fn the_role_of_the_bot_speaks_to_it_as_its_name_does() {
    let bot = Bot::start().await;
    let guild = bot.fake.guild("Home");
    let channel = bot.fake.channel(guild, "general");
    let user = bot.fake.user("Ada");
    let role = bot.fake.bot_role(guild);
    bot.fake.user_says(channel, user, &format!("<@&{role}> hello"));
    bot.fake.user_says(channel, user, "<@&7> hello");
    let events = bot.kept.wait_for_events(2).await;
    let read: Vec<(&str, bool)> = events
        .iter()
        .map(message)
        .map(|message| (message.text.as_str(), message.addressed.mention))
        .collect();
    assert_eq!(read, [("hello", true), ("<@&7> hello", false)]);
    bot.finish().await;
}

#[tokio::test]
async fn what_is_answered_and_forwarded_comes_along() {
    let bot = Bot::start().await;
    let (channel, user) = bot.channel();
    let bob = bot.fake.user("Bob");
    let said = bot.fake.user_says(channel, bob, "The rocket launches at noon");
    bot.fake.user_replies(channel, user, said, "when is it?");
    bot.fake.user_forwards(channel, said, channel, user);
    // Discord does not always tell what is answered: then it is asked.
    let reference = json!({"type": 0, "message_id": said.to_string(), "channel_id": channel.to_string()});
    let untold = json!({"type": 19, "message_reference": reference});
    bot.fake.user_sends(channel, user, "and now?", &untold);
    let events = bot.kept.wait_for_events(4).await;
    let quoted = Quoted {
        id: Some(said.to_string()),
        is_own: false,
        author_id: Some(bob.to_string()),
        author: "Bob".to_owned(),
        text: "The rocket launches at noon".to_owned(),
        is_part: false,
        attachments: Vec::new(),
    };
    let read: Vec<_> = events
        .iter()
        .map(message)
        .map(|message| (message.text.as_str(), message.quoted.clone()))
        .collect();
    let expected = [
        ("The rocket launches at noon", None),
        ("when is it?", Some(quoted.clone())),
        ("[forwarded] (from #general) The rocket launches at noon", None),
        ("and now?", Some(quoted)),
    ];
    assert_eq!(read, expected);
    bot.finish().await;
}

#[tokio::test]
async fn deletions_come_in_behind_what_was_said() {
    let bot = Bot::start().await;
    let (channel, user) = bot.channel();
    let said: Vec<u64> = ["one", "two", "three"]
        .iter()
        .map(|text| bot.fake.user_says(channel, user, text))
        .collect();
    bot.fake.delete(channel, &said[..1]);
    bot.fake.delete(channel, &said[1..]);
    let events = bot.kept.wait_for_events(5).await;
    let deleted = |ids: &[u64]| {
        Inbound::Deleted(Deleted {
            platform: Platform::new("discord"),
            place: channel.to_string(),
            ids: ids.iter().map(u64::to_string).collect(),
        })
    };
    let of = |event: &Inbound| events.iter().position(|other| other == event);
    let (one, rest) = (of(&deleted(&said[..1])), of(&deleted(&said[1..])));
    assert!(one.is_some() && rest.is_some(), "{events:#?}");
    let is_at = |at: Option<usize>, text: &str| {
        let said = events
            .iter()
            .position(|event| matches!(event, Inbound::Message(said) if said.text == text));
        assert!(said < at, "{text} comes behind its deletion: {events:#?}");
    };
    is_at(one, "one");
    is_at(rest, "three");
    bot.finish().await;
}

#[tokio::test]
async fn another_name_of_a_channel_a_thread_or_a_guild_is_told_once() {
    let bot = Bot::start().await;
    let guild = bot.fake.guild("Home");
    let channel = bot.fake.channel(guild, "general");
    let thread = bot.fake.thread(channel, "Plans");
    for (place, names) in [(channel, ["lobby", "lobby"]), (thread, ["Plans", "Tours"])] {
        for name in names {
            bot.fake.rename(place, name);
        }
    }
    for name in ["Home", "House"] {
        bot.fake.rename_guild(guild, name);
    }
    let renamed = |place: Option<u64>, space: Option<u64>, name: &str| {
        Inbound::Renamed(Renamed {
            platform: Platform::new("discord"),
            place: place.map(|id| id.to_string()),
            space: space.map(|id| id.to_string()),
            name: name.to_owned(),
            first_is_retold: false,
        })
    };
    let events = bot.kept.wait_for_events(3).await;
    for expected in [
        renamed(Some(channel), None, "lobby"),
        renamed(Some(thread), None, "Tours"),
        renamed(None, Some(guild), "House"),
    ] {
        assert!(events.contains(&expected), "{expected:?} in {events:?}");
    }
    assert_eq!(events.len(), 3, "{events:?}");
    bot.finish().await;
}
