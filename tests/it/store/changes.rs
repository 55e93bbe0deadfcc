//! The sources of live events: rows that changed, and rows of a person's spaces.

use std::time::Duration;

use clifford_chat::{outbound::Part, platform::Platform};
use clifford_core::{
    clock::Timestamp,
    id::{ChannelId, MessageId, SpaceId},
    messages::MessageStatus,
    runs::{RunStatus, WakeReason},
};
use clifford_store::{
    messages::{
        changes::{self, ChangedMessage},
        one_message,
        undelivered::{self, Recipients},
    },
    places::{channels, spaces},
    runs::views,
};

use super::{
    erasure::script,
    world::{NOW, World},
};

pub async fn runs_are_found_from_the_moment_of_their_change_on(world: World) {
    let first = world.insert(world.loose_run()).await.expect("inserts");
    let (_, lease) = world.held(world.run()).await;
    let later = NOW.after(Duration::from_secs(5));
    world.advance(lease, RunStatus::Waiting).await.expect("waits");
    let run = lease.run;
    let touched = world
        .db
        .write(move |tx| Box::pin(clifford_store::runs::wake(tx, run, WakeReason::Time, later)));
    assert!(touched.await.expect("wakes"));
    let mut conn = world.db.read().await.expect("reads");
    let since = async |conn: &mut clifford_store::Conn, moment: Timestamp, limit: u32| {
        let found = views::changed_since(conn, moment, limit, NOW).await.expect("reads");
        found.into_iter().map(|run| (run.id, run.status)).collect::<Vec<_>>()
    };
    let woken = (run, RunStatus::Pending);
    assert_eq!(since(&mut conn, NOW, 9).await, [(first.id, RunStatus::Pending), woken]);
    assert_eq!(since(&mut conn, NOW, 1).await, [(first.id, RunStatus::Pending)]);
    assert_eq!(since(&mut conn, later, 9).await, [woken]);
    assert_eq!(since(&mut conn, later.after(Duration::from_millis(1)), 9).await, []);
}

/// A channel of a space, by the number in their ids, and a message in it.
async fn channel(world: &World, number: u32, direction: &str, status: &str) -> (ChannelId, SpaceId, MessageId) {
    let id = |kind: &str| format!("00000000-0000-7000-8000-{kind}0000000000{number}");
    let (space, channel, message, user) = (id("5"), id("6"), id("7"), world.user.id);
    script(
        &world.db,
        &format!(
            "INSERT INTO spaces (id, platform, external_id, name, created_at)
                 VALUES ('{space}', 'telegram', '-{number}', 'Garden {number}', {number});
             INSERT INTO channels (id, platform, external_id, kind, name, space_id, enabled, mode, config,
                                   last_message_at, created_at, updated_at)
                 VALUES ('{channel}', 'telegram', '-{number}', 'group', NULL, '{space}', TRUE, 'run', '{{}}', {number},
                         {number}, {number});
             INSERT INTO messages (id, direction, channel_id, user_id, content, status, attempts, sent_at, created_at)
                 VALUES ('{message}', '{direction}', '{channel}', '{user}', 'hello', '{status}', 0, {number}, {number})"
        ),
    )
    .await;
    let parse = "an id";
    (
        channel.parse().expect(parse),
        space.parse().expect(parse),
        message.parse().expect(parse),
    )
}

pub async fn messages_are_found_from_an_id_on_and_on_their_way(world: World) {
    let (_, _, said) = channel(&world, 1, "inbound", "history").await;
    let (_, _, sent) = channel(&world, 2, "outbound", "sending").await;
    let mut conn = world.db.read().await.expect("reads");
    let ids = |found: Vec<ChangedMessage>| found.into_iter().map(|message| message.id).collect::<Vec<_>>();
    assert_eq!(
        ids(changes::from(&mut conn, said, 9).await.expect("reads")),
        [said, sent]
    );
    assert_eq!(ids(changes::from(&mut conn, sent, 9).await.expect("reads")), [sent]);
    assert_eq!(ids(changes::under_way(&mut conn, 9).await.expect("reads")), [sent]);
    let found = changes::these(&mut conn, &[sent, MessageId::new()])
        .await
        .expect("reads");
    assert_eq!(
        found
            .iter()
            .map(|message| (message.id, message.status))
            .collect::<Vec<_>>(),
        [(sent, MessageStatus::Sending)]
    );
    assert_eq!(ids(changes::these(&mut conn, &[]).await.expect("reads")), []);
}

pub async fn a_persons_spaces_are_those_where_they_spoke_with_what_is_undelivered_there(world: World) {
    let (spoken, here, _) = channel(&world, 1, "inbound", "history").await;
    let (silent, there, lost) = channel(&world, 2, "outbound", "failed").await;
    let mut conn = world.db.read().await.expect("reads");
    let me = world.user.id;
    let known = channels::one_of_each_space(&mut conn, me, 9).await.expect("reads");
    assert_eq!(known.iter().map(|channel| channel.id).collect::<Vec<_>>(), [spoken]);
    let within = channels::page_in(&mut conn, there, None, 9).await.expect("reads");
    assert_eq!(within.iter().map(|channel| channel.id).collect::<Vec<_>>(), [silent]);
    assert_eq!(
        channels::page_in(&mut conn, there, Some(silent), 9)
            .await
            .expect("reads"),
        []
    );
    let named = spaces::these(&mut conn, &[here, there]).await.expect("reads");
    assert_eq!(named.iter().map(|space| space.id).collect::<Vec<_>>(), [there, here]);
    assert_eq!(spaces::these(&mut conn, &[]).await.expect("reads"), []);
    let last = channels::last_message_on(&mut conn, Platform::new("telegram")).await;
    assert_eq!(
        last.expect("reads"),
        Some(Timestamp(2)).max(world.channel.last_message_at)
    );
    let none = channels::last_message_on(&mut conn, Platform::new("discord")).await;
    assert_eq!(none.expect("reads"), None);
    for (whose, expected) in [
        (Recipients::All, vec![lost]),
        (Recipients::Of(me, vec![here, there]), vec![lost]),
        (Recipients::Of(me, vec![here]), vec![]),
        (Recipients::Of(me, vec![]), vec![]),
    ] {
        let filter = undelivered::Filter {
            whose,
            ..undelivered::Filter::default()
        };
        let found = undelivered::page(&mut conn, filter, 9).await.expect("reads");
        assert_eq!(found.iter().map(|message| message.id).collect::<Vec<_>>(), expected);
    }
}

pub async fn what_was_added_to_one_message_is_found_with_what_changed_it(world: World) {
    let (channel, _, _) = channel(&world, 1, "inbound", "history").await;
    // The question, what changed it, what was added, what did not arrive, and the answer to another command.
    for (number, via, edits, text, status) in [
        (1, "guest q1", None, "May I?", "delivered"),
        (2, "", Some(1), "Approved.", "delivered"),
        (3, "guest q1", None, "It is 42.", "delivered"),
        (4, "guest q1", None, "lost", "failed"),
        (5, "guest q12", None, "Hello!", "delivered"),
    ] {
        let id = |number: i32| format!("00000000-0000-7000-9000-00000000000{number}");
        let message = id(number);
        let edits = edits.map_or("NULL".to_owned(), |of| format!("'{}'", id(of)));
        let via = match via {
            "" => "null".to_owned(),
            via => format!("\"{via}\""),
        };
        script(
            &world.db,
            &format!(
                r#"INSERT INTO messages (id, direction, channel_id, content, status, attempts, sent_at, created_at, edits,
                                       address)
                       VALUES ('{message}', 'outbound', '{channel}', 'x', '{status}', 0, 1, 1, {edits},
                               '{{"place":"guest:1:7","private":false,"reply_to":null,"via":{via}}}');
                   INSERT INTO message_parts (message_id, seq, delivery_key, body, status, platform_message_id)
                       VALUES ('{message}', 0, 'key{number}', '{{"type":"text","text":"{text}","plain":"{text}"}}',
                               '{status}', 'm')"#
            ),
        )
        .await;
    }
    let mut conn = world.db.read().await.expect("reads");
    let said = one_message::delivered_parts(&mut conn, channel, "guest q1")
        .await
        .expect("reads");
    let words = |part: &Part| match part {
        Part::Text { plain, .. } => plain.clone(),
        other => panic!("{other:?}"),
    };
    let found: Vec<_> = said
        .iter()
        .map(|said| (words(&said.body.0), said.changed.as_ref().map(|by| words(&by.0))))
        .collect();
    assert_eq!(
        found,
        [
            ("May I?".to_owned(), Some("Approved.".to_owned())),
            ("It is 42.".to_owned(), None)
        ]
    );
    assert!(said.iter().all(|said| said.platform_message_id.as_deref() == Some("m")));
    let nothing = one_message::delivered_parts(&mut conn, channel, "guest q2")
        .await
        .expect("reads");
    assert_eq!(nothing.len(), 0);
    let asked = "00000000-0000-7000-9000-000000000001".parse().expect("an id");
    let address = one_message::address(&mut conn, asked).await.expect("reads");
    assert_eq!(address.and_then(|address| address.via).as_deref(), Some("guest q1"));
    let unknown = one_message::address(&mut conn, MessageId::new()).await.expect("reads");
    assert_eq!(unknown, None);
}
