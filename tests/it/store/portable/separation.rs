//! Archives that somebody else put together: nothing private of one person comes to another, and no id is a way to what
//! is here.

use bytes::Bytes;
use clifford_core::{
    id::FileId,
    messages::{Direction, MessageStatus},
};
use clifford_portable::ImportError;
use clifford_store::portable::{Channel, Context, File, Message, Person, Record};

use super::{
    TRUSTED, UNTRUSTED, archive,
    generated::{self, Draw},
    places, source,
};
use crate::store::erasure::column;

/// A person with a private chat and a conversation, all of whose ids are drawn.
struct Private {
    person: Person,
    channel: Channel,
    context: Context,
    message: Message,
}

fn private(draw: &mut Draw, number: u64, words: &str) -> Private {
    let person = generated::person(draw, number);
    let channel = loop {
        if let Some(channel) = generated::private(draw, &person) {
            break channel;
        }
    };
    let context = generated::context(draw, &channel);
    let message = Message {
        content: words.to_owned(),
        context_id: Some(context.id),
        direction: Direction::Inbound,
        status: MessageStatus::History,
        deleted_at: None,
        ..generated::message(draw, &context, std::slice::from_ref(&person), &[])
    };
    Private {
        person,
        channel,
        context,
        message,
    }
}

impl Private {
    fn records(&self) -> Vec<Record> {
        vec![
            Record::Person(self.person.clone().into()),
            Record::Channel(self.channel.clone().into()),
            Record::Context(self.context.clone().into()),
            Record::Message(self.message.clone().into()),
        ]
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_archive_that_is_not_trusted_links_nobody_and_speaks_nowhere() {
    for place in places().await {
        let dir = tempfile::tempdir().expect("a directory");
        let mut draw = Draw::new(3);
        let bob = private(&mut draw, 8, "bob's secret");
        let path = archive(dir.path(), &bob.records(), &[]);
        place.take_in(&source(&path), TRUSTED).await.expect("comes in");

        // Mallory says that an account of hers is Bob's as well, that she owns a group, and that she may do anything.
        let mut mallory = private(&mut draw, 9, "mallory's words");
        mallory.person.accounts = bob.person.accounts.clone();
        let mut account = bob.person.accounts[0].clone();
        account.platform = "matrix".to_owned();
        account.account = "mallory".to_owned();
        mallory.person.accounts.push(account);
        mallory.person.is_allowed = true;
        mallory.channel.external_id = "777".to_owned();
        mallory.channel.account = Some("777".to_owned());
        let space = generated::space(&mut draw, 1);
        let group = generated::shared(&mut draw, &space, 1);
        let mut records = mallory.records();
        records.insert(1, Record::Space(space.into()));
        records.insert(2, Record::Channel(group.into()));
        let path = archive(dir.path(), &records, &[]);
        let plan = place.look_at(&source(&path), UNTRUSTED).await.expect("a plan");
        assert_eq!((plan.people.len(), plan.people[0].id), (1, bob.person.id));
        assert_eq!(plan.people[0].not_linked, ["matrix:mallory"]);
        assert_eq!(plan.places.len(), 1);
        assert_eq!(
            (plan.places[0].platform.as_str(), plan.places[0].messages),
            ("import", 1)
        );
        let left: Vec<_> = plan.skipped.iter().map(|one| (one.what.as_str(), one.count)).collect();
        assert_eq!(left, [("channels", 1), ("spaces", 1)]);
        place.take_in(&source(&path), UNTRUSTED).await.expect("comes in");
        let accounts = "SELECT platform || ':' || platform_user_id FROM identities ORDER BY 1";
        assert!(
            !column(place.db(), accounts)
                .await
                .contains(&"matrix:mallory".to_owned())
        );
        assert_eq!(
            place
                .number("SELECT COUNT(*) FROM channels WHERE external_id = '777'")
                .await,
            0
        );
        assert_eq!(
            place
                .number("SELECT COUNT(*) FROM channels WHERE kind <> 'private'")
                .await,
            0
        );
        assert_eq!(place.number("SELECT COUNT(*) FROM spaces").await, 0);

        // Somebody new comes with one account and no rights, though the archive says more.
        let carol = private(&mut draw, 11, "carol's words");
        let mut records = carol.records();
        let Record::Person(person) = &mut records[0] else {
            panic!("a person")
        };
        person.is_allowed = true;
        let path = archive(dir.path(), &records, &[]);
        place.take_in(&source(&path), UNTRUSTED).await.expect("comes in");
        let id = carol.person.id;
        assert_eq!(
            place
                .number(&format!(
                    "SELECT COUNT(*) FROM users WHERE id = '{id}' AND role = 'stranger'"
                ))
                .await,
            1
        );
        assert_eq!(
            place
                .number(&format!("SELECT COUNT(*) FROM identities WHERE user_id = '{id}'"))
                .await,
            1
        );
        place.home.db.close().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn no_id_of_somebody_else_is_a_way_to_them() {
    for place in places().await {
        let dir = tempfile::tempdir().expect("a directory");
        let mut draw = Draw::new(5);
        let bob = private(&mut draw, 1, "bob's secret");
        let file = File {
            id: FileId(draw.id()),
            user_id: Some(bob.person.id),
            channel_id: Some(bob.channel.id),
            space_id: None,
            message_id: Some(bob.message.id),
            name: "secret.txt".to_owned(),
            media_type: None,
            size: Some(6),
            sha256: Some(clifford_vault::hex(&<sha2::Sha256 as sha2::Digest>::digest(b"secret"))),
            came_as: None,
            seconds: None,
            of_others: false,
            created_at: bob.message.created_at,
        };
        let mut records = bob.records();
        records.push(Record::File(file.clone().into()));
        let path = archive(dir.path(), &records, &[(file.id, Bytes::from_static(b"secret"))]);
        place.take_in(&source(&path), TRUSTED).await.expect("comes in");
        let before = place.given_out(clifford_store::portable::Scope::Everything).await;

        let mallory = || private(&mut Draw::new(99), 2, "mallory's words");
        // Her conversation, her run or her channel have the id of one of Bob's; her messages stand in his.
        let mut conversation = mallory();
        conversation.context.id = bob.context.id;
        conversation.message.context_id = Some(bob.context.id);
        conversation.channel.active_context_id = None;
        let mut channel = mallory();
        channel.channel.id = bob.channel.id;
        channel.context.channel_id = bob.channel.id;
        channel.message.channel_id = bob.channel.id;
        let mut person = mallory();
        person.person.id = bob.person.id;
        person.channel.user_id = Some(bob.person.id);
        person.context.user_id = Some(bob.person.id);
        person.context.summary_of = None;
        person.message.user_id = Some(bob.person.id);
        for (what, archived) in [
            ("conversation", conversation),
            ("channel", channel),
            ("id here", person),
        ] {
            let path = archive(dir.path(), &archived.records(), &[]);
            for options in [TRUSTED, UNTRUSTED] {
                let refused = place.take_in(&source(&path), options).await.expect_err(what);
                assert!(
                    matches!(&refused, ImportError::Refused(why) if why.contains(what)),
                    "{what}: {refused}"
                );
            }
        }
        // A reference out of the archive is refused, whether or not its row is here.
        let mut stranger = mallory();
        stranger.message.context_id = Some(bob.context.id);
        let path = archive(dir.path(), &stranger.records(), &[]);
        let refused = place.take_in(&source(&path), TRUSTED).await.expect_err("refused");
        assert!(
            refused
                .to_string()
                .starts_with("records/000001.jsonl, line 4: it names conversation "),
            "{refused}"
        );
        // A message or file of the same id stays Bob's, as it was.
        let mut thief = mallory();
        thief.message.id = bob.message.id;
        let mut records = thief.records();
        let stolen = File {
            user_id: Some(thief.person.id),
            channel_id: Some(thief.channel.id),
            message_id: None,
            sha256: Some(clifford_vault::hex(&<sha2::Sha256 as sha2::Digest>::digest(b"forged"))),
            ..file.clone()
        };
        records.push(Record::File(stolen.into()));
        let path = archive(dir.path(), &records, &[(file.id, Bytes::from_static(b"forged"))]);
        place.take_in(&source(&path), TRUSTED).await.expect("comes in");
        let storage = place.storage();
        let content = storage.get(&storage.place(file.id)).await.expect("a content");
        assert_eq!(content, Bytes::from_static(b"secret"));
        let after = place.given_out(clifford_store::portable::Scope::Everything).await;
        for record in &before {
            assert!(after.contains(record), "{record:?}");
        }
        place.home.db.close().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_imported_counts_as_read_from_outside() {
    for place in places().await {
        let dir = tempfile::tempdir().expect("a directory");
        let (records, contents) = generated::records(42);
        let path = archive(dir.path(), &records, &contents);
        place.take_in(&source(&path), TRUSTED).await.expect("comes in");
        let unknown = "SELECT COUNT(*) FROM messages m WHERE m.direction = 'outbound' AND m.context_id IS NOT NULL
            AND NOT EXISTS (SELECT 1 FROM runs r WHERE r.tainted AND (r.id = m.run_id OR (m.run_id IS NULL AND r.context_id = m.context_id)))";
        assert_eq!(place.number(unknown).await, 0);
        assert_eq!(place.number("SELECT COUNT(*) FROM runs WHERE NOT tainted").await, 0);
        assert_eq!(
            place
                .number("SELECT COUNT(*) FROM memory_items WHERE own_at IS NULL OR own_at <> 0")
                .await,
            0
        );
        place.home.db.close().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_text_of_a_million_letters_comes_in_and_a_name_of_as_many_does_not() {
    for place in places().await {
        let dir = tempfile::tempdir().expect("a directory");
        let mut bob = private(&mut Draw::new(21), 1, "");
        bob.message.content = format!("{}\0", "y".repeat(1_000_000));
        let path = archive(dir.path(), &bob.records(), &[]);
        place.take_in(&source(&path), TRUSTED).await.expect("comes in");
        assert_eq!(place.number("SELECT LENGTH(content) FROM messages").await, 1_000_000);

        let mut long = private(&mut Draw::new(22), 2, "");
        long.person.name = "n".repeat(1_000_000);
        let path = archive(dir.path(), &long.records(), &[]);
        let refused = place.take_in(&source(&path), TRUSTED).await.expect_err("refused");
        assert_eq!(
            refused.to_string(),
            "records/000001.jsonl, line 1: name is longer than 4096 bytes"
        );
        place.home.db.close().await;
    }
}
