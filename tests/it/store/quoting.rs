//! The quoted message, as it is kept, found and shown; and messages that were deleted on their platform.

use clifford_chat::platform::Platform;
use clifford_core::{
    id::{MessageId, RunId, UserId},
    messages::{Author, Direction, Gap, MessageStatus, Quote},
};
use clifford_store::{
    memory::write as memory_write,
    messages::{self, NewInbound, Turn, conversation, quoting, replies},
    runs::queue as run_queue,
};

use super::world::{NOW, World};

fn bob() -> Quote {
    Quote {
        by: Author::Other(Some("Bob".to_owned())),
        text: format!("at noon {}", "and so on ".repeat(40)),
        media: vec!["photo".to_owned()],
    }
}

fn turn(content: &str) -> Turn {
    Turn {
        id: None,
        direction: Direction::Inbound,
        content: content.to_owned(),
        gap: None,
        foreign: clifford_store::messages::Foreign::None,
        readers: None,
    }
}

async fn turns_of(world: &World) -> Vec<Turn> {
    let mut conn = world.db.read().await.expect("reads");
    let turns = messages::conversation(&mut conn, world.context, RunId::new(), 10).await;
    let without_ids = turns.expect("turns").into_iter().map(|turn| Turn { id: None, ..turn });
    without_ids.collect()
}

pub async fn a_quote_is_shown_whole_to_the_run_and_shorter_in_the_conversation(world: World) {
    let first = world.message("1", MessageStatus::Received);
    let quoting = NewInbound {
        quote: Some(bob()),
        quoted_user_id: Some(UserId::new()),
        ..world.message("2", MessageStatus::Queued)
    };
    let asked = format!("{}\nmessage 2", bob().lines(usize::MAX));
    assert_eq!(quoting.asked(), asked);
    assert!(world.store(first).await && world.store(quoting.clone()).await);
    let mut conn = world.db.read().await.expect("reads");
    let queued = messages::queued(&mut conn, world.context).await.expect("what waits");
    drop(conn);
    assert_eq!(
        queued.iter().map(messages::Queued::as_input).collect::<Vec<_>>(),
        [asked]
    );
    let context = world.context;
    let dropped = world
        .db
        .write(move |tx| Box::pin(messages::drop_queued(tx, context, None)))
        .await;
    assert_eq!(dropped.expect("drops what waits").len(), 1);
    let shorter = format!("{}\nmessage 2", bob().lines(replies::IN_HISTORY));
    assert_eq!(turns_of(&world).await, [turn("message 1"), turn(&shorter)]);
}

pub async fn a_long_message_is_read_by_its_head_and_its_tail(world: World) {
    // Bytes do not count, characters do: the second has more than 24,000 bytes, and is whole.
    let long = format!("{}{}{}", "a".repeat(16_000), "é".repeat(5_000), "z".repeat(8_000));
    let texts = [long, "é".repeat(20_000), "a".repeat(24_000), "short".to_owned()];
    for (place, content) in texts.iter().enumerate() {
        let stored = NewInbound {
            content: content.clone(),
            ..world.message(&place.to_string(), MessageStatus::Received)
        };
        assert!(world.store(stored).await);
    }
    let read = turns_of(&world).await;
    let gap = Gap {
        at: 16_000,
        missing: 5_000,
    };
    let head_and_tail = format!("{}{}", "a".repeat(16_000), "z".repeat(8_000));
    assert_eq!((read[0].gap, &read[0].content), (Some(gap), &head_and_tail));
    for (turn, text) in read.iter().zip(&texts).skip(1) {
        assert_eq!((turn.gap, &turn.content), (None, text));
    }
    let mut conn = world.db.read().await.expect("reads");
    let (nobody, all) = (RunId::new(), MessageId(uuid::Uuid::nil()));
    let behind = conversation::since(&mut conn, world.context, nobody, all, 10)
        .await
        .expect("reads");
    assert_eq!((behind[0].gap, behind[1].gap), (Some(gap), None));
    let (first, count) = (behind[0].id, behind.len());
    let whole = conversation::one(&mut conn, world.context, first)
        .await
        .expect("reads")
        .expect("it");
    assert_eq!((whole.gap, &whole.content), (None, &texts[0]));
    let counted = conversation::count_since(&mut conn, world.context, nobody, first)
        .await
        .expect("counts");
    assert_eq!((count, counted), (4, 3));
}

pub async fn what_is_answered_is_found_by_the_platforms_id_and_withheld_once_it_was_deleted(world: World) {
    assert!(world.store(world.message("11", MessageStatus::Received)).await);
    let find = async |id: &'static str, account: &'static str| {
        let place = world.channel.external_id.clone();
        let mut conn = world.db.read().await.expect("reads");
        replies::find(&mut conn, Platform::new("telegram"), &place, id, account)
            .await
            .expect("looks")
    };
    let found = find("11", "nobody").await.expect("the message");
    assert_eq!(
        (
            found.content.as_str(),
            found.user_id,
            found.is_of_speaker,
            found.is_withheld
        ),
        ("message 11", Some(world.user.id), 0, 0)
    );
    assert_eq!(find("12", "nobody").await, None);
    let deleted = |id| world.db.write(move |tx| Box::pin(messages::deleted(tx, id, NOW)));
    assert!(deleted(found.id).await.expect("notes it"));
    assert!(!deleted(found.id).await.expect("knows it"));
    assert_eq!(find("11", "nobody").await.expect("the message").is_withheld, 1);
}

pub async fn what_a_run_is_set_aside_for_is_quoted_no_more(world: World) {
    let (run, lease) = world.held(world.run()).await;
    let killer = NewInbound {
        run_id: Some(run.id),
        ..world.message("11", MessageStatus::Received)
    };
    let answering = |id: &str| NewInbound {
        quote: Some(bob()),
        ..world.message(id, MessageStatus::Queued)
    };
    let (before, of_another) = (answering("12"), answering("13"));
    let after = answering("14");
    let note = |message: NewInbound, of: &'static str| {
        world.db.write(move |tx| {
            let message = message.clone();
            Box::pin(async move {
                messages::insert_inbound(tx, &message, NOW).await?;
                quoting::note(tx, message.id, &bob(), of).await
            })
        })
    };
    assert!(world.store(killer).await);
    note(before, "11").await.expect("stores");
    note(of_another, "10").await.expect("stores");
    let set_aside = (world.db).write(move |tx| Box::pin(async move { run_queue::quarantine(tx, &lease, NOW).await }));
    assert!(set_aside.await.expect("writes"));
    // It was read before the run was set aside, and is stored after.
    note(after, "11").await.expect("stores");
    let mut conn = world.db.read().await.expect("reads");
    let queued = messages::queued(&mut conn, world.context).await.expect("what waits");
    let asked: Vec<_> = queued.iter().map(messages::Queued::as_input).collect();
    let quoted = format!("{}\nmessage 13", bob().lines(usize::MAX));
    assert_eq!(asked, ["message 12", quoted.as_str(), "message 14"]);
    let place = &world.channel.external_id;
    let found = replies::find(&mut conn, Platform::new("telegram"), place, "11", "nobody").await;
    assert_eq!(found.expect("looks").expect("the message").is_withheld, 1);
}

pub async fn a_deleted_message_waits_no_more_and_leaves_prompts_and_memory(world: World) {
    let gone = world.message("1", MessageStatus::Queued);
    let (id, stays) = (gone.id, world.message("2", MessageStatus::Received));
    assert!(world.store(gone).await && world.store(stays).await);
    let noted = world.db.write(move |tx| Box::pin(messages::deleted(tx, id, NOW))).await;
    assert!(noted.expect("notes it"));
    assert_eq!(turns_of(&world).await, [turn("message 2")]);
    let mut conn = world.db.read().await.expect("reads");
    assert_eq!(
        messages::queued(&mut conn, world.context).await.expect("what waits"),
        []
    );
    let read = memory_write::next(&mut conn, world.context, None, None, 10)
        .await
        .expect("what was said");
    assert_eq!(
        read.iter().map(|said| said.content.as_str()).collect::<Vec<_>>(),
        ["message 2"]
    );
    let row = messages::get(&mut conn, id)
        .await
        .expect("reads")
        .expect("the row stays");
    assert_eq!(
        (row.status, row.content.as_str()),
        (MessageStatus::History, "message 1")
    );
}
