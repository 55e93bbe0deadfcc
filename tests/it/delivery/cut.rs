//! Messages of which a part is refused, and suspects that wait for their turn.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use clifford_chat::error::SendError;
use clifford_content::files::{Files, NewFile, Storage};
use clifford_core::{
    id::{FileId, MessageId, RunId},
    messages::MessageStatus,
    run::attachments::AttachedFile,
    settings::{self, Delivery as Section},
    work::Kind,
};
use clifford_delivery::DeliverySettings;
use clifford_store::{
    deaths,
    leases::ClaimWindow,
    messages::{
        self, NewOutbound,
        outbox::{self, Delivered, Refused},
    },
};
use tempfile::TempDir;

use super::{Given, LEASE, NOW, Picky, SECTION, SETTINGS, by_itself::homes, with};
use crate::store::{
    erasure::{column, script},
    world::Home,
};

/// The delivery, with files in a directory.
struct Keeping {
    given: Given,
    files: Arc<Files>,
    _dir: TempDir,
}

impl Keeping {
    async fn on(home: Home, channel: &Arc<Picky>, settings: DeliverySettings) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let storage = Storage::new(dir.path(), None);
        let files = Arc::new(Files::new(storage, settings::Files::default(), Default::default()));
        let given = Given::with_files(home, channel, settings, Arc::clone(&files)).await;
        Self {
            given,
            files,
            _dir: dir,
        }
    }

    async fn file(&self, name: &str) -> AttachedFile {
        let new = NewFile {
            name: name.to_owned(),
            content: "words".into(),
            user: self.given.to.user,
            place: Some((self.given.to.channel, None)),
            root_run: None,
            key: None,
        };
        let made = self.files.create(&self.given.home.db, new, NOW).await.unwrap();
        AttachedFile {
            id: made.id,
            name: made.name,
            media_type: "text/markdown".to_owned(),
            size: 5,
        }
    }

    /// Says something with these files behind it.
    async fn says(&self, text: &str, files: &[AttachedFile]) -> MessageId {
        let to = self.given.to.clone();
        let message = self
            .given
            .outbound
            .run_message(to, RunId::new(), 0, text, with(files), NOW);
        self.given.stored(message).await
    }
}

/// A file that nobody has any more.
fn gone() -> AttachedFile {
    AttachedFile {
        id: FileId::new(),
        name: "gone.md".to_owned(),
        media_type: "text/markdown".to_owned(),
        size: 5,
    }
}

const REFUSED: &str =
    "Sorry, I could not send my answer here: it was refused. Please ask again, or ask for a shorter answer.";

fn sorry(name: &str) -> String {
    format!("Sorry, I could not send you the file {name}. Please ask for it again, or in another form.")
}

async fn ended(home: &Home, id: MessageId) -> (MessageStatus, Option<String>) {
    let message = Given::message(home, id).await;
    (message.status, message.error)
}

#[tokio::test]
async fn files_that_are_refused_are_named_at_once_and_take_none_behind_them_along() {
    for home in homes().await {
        let channel = Picky::new(|text| match text {
            "large.md" => Err(SendError::Rejected("it is too large".to_owned())),
            _ => Ok(()),
        });
        let keeping = Keeping::on(home, &channel, SETTINGS).await;
        let given = &keeping.given;
        given.delivery.deliver(given.pending.clone());
        let files = [
            keeping.file("large.md").await,
            keeping.file("small.md").await,
            gone(),
            keeping.file("last.md").await,
        ];
        let id = keeping.says("Here they are.", &files).await;
        given.settled().await;
        let took = ["hello", "Here they are.", "small.md", "last.md"].map(str::to_owned);
        let told =
            "Sorry, I could not send you the files large.md, gone.md. Please ask for them again, or in another form.";
        assert_eq!(*channel.took.borrow(), [&took[..], &[told.to_owned()]].concat());
        let why = "the file large.md: it is too large; the file gone.md: it was deleted";
        assert_eq!(
            ended(&given.home, id).await,
            (MessageStatus::Failed, Some(why.to_owned()))
        );
        let statuses = format!("SELECT status FROM message_parts WHERE message_id = '{id}' ORDER BY seq");
        assert_eq!(
            column(&given.home.db, &statuses).await,
            ["delivered", "failed", "delivered", "failed", "delivered"]
        );
        given.home.db.close().await;
    }
}

#[tokio::test]
async fn a_file_that_is_given_up_in_time_takes_none_behind_it_along() {
    let channel = Picky::new(|text| match text {
        "broken.md" => Err(SendError::Failed("HTTP 500".to_owned())),
        _ => Ok(()),
    });
    let section = Section {
        give_up_after: Duration::from_nanos(1),
        ..SECTION
    };
    let settings = DeliverySettings { section, ..SETTINGS };
    let keeping = Keeping::on(Home::sqlite().await, &channel, settings).await;
    let given = &keeping.given;
    given.delivery.deliver(given.pending.clone());
    let files = [keeping.file("broken.md").await, keeping.file("whole.md").await];
    let id = keeping.says("Here they are.", &files).await;
    given.settled().await;
    let took = ["hello", "Here they are.", "whole.md", &sorry("broken.md")].map(str::to_owned);
    assert_eq!(*channel.took.borrow(), took);
    let why = "the file broken.md: not sent for too long: HTTP 500";
    assert_eq!(
        ended(&given.home, id).await,
        (MessageStatus::Failed, Some(why.to_owned()))
    );
}

#[tokio::test]
async fn what_an_outage_outlasts_is_given_up_whole_and_its_chat_is_told_once() {
    let healed = Arc::new(AtomicBool::new(false));
    let (of_sends, of_probes) = (Arc::clone(&healed), Arc::clone(&healed));
    let channel = Arc::new(Picky {
        rule: Box::new(move |text| match of_sends.load(Ordering::SeqCst) || text == "hello" {
            true => Ok(()),
            false => Err(SendError::Failed("HTTP 500".to_owned())),
        }),
        // The outage ends as soon as it was noticed.
        probes: Box::new(move || {
            of_probes.store(true, Ordering::SeqCst);
            Err(SendError::Failed("HTTP 500".to_owned()))
        }),
        took: tokio::sync::watch::Sender::default(),
    });
    let section = Section {
        give_up_after: Duration::from_nanos(1),
        ..SECTION
    };
    let settings = DeliverySettings { section, ..SETTINGS };
    let keeping = Keeping::on(Home::sqlite().await, &channel, settings).await;
    let given = &keeping.given;
    given.delivery.deliver(given.pending.clone());
    let files = [
        keeping.file("a.md").await,
        keeping.file("b.md").await,
        keeping.file("c.md").await,
    ];
    let id = keeping.says("Here they are.", &files).await;
    given.settled().await;
    let told = "Sorry, an answer of mine could not be sent here for a long time. Please ask again. Its files were not \
                sent either: a.md, b.md, c.md.";
    assert_eq!(*channel.took.borrow(), ["hello", told]);
    let why = "not sent for too long: HTTP 500";
    assert_eq!(
        ended(&given.home, id).await,
        (MessageStatus::Failed, Some(why.to_owned()))
    );
}

#[tokio::test]
async fn a_text_that_is_refused_in_every_form_takes_no_file_along() {
    let channel = Picky::new(|text| match text.contains("long") {
        true => Err(SendError::Rejected("message is too long".to_owned())),
        false => Ok(()),
    });
    let keeping = Keeping::on(Home::sqlite().await, &channel, SETTINGS).await;
    let given = &keeping.given;
    given.delivery.deliver(given.pending.clone());
    let id = keeping.says("long", &[keeping.file("small.md").await]).await;
    given.settled().await;
    assert_eq!(*channel.took.borrow(), ["hello", "small.md", REFUSED]);
    assert_eq!(
        ended(&given.home, id).await,
        (MessageStatus::Failed, Some("message is too long".to_owned()))
    );
}

/// Stores a message that whoever claims it is to send.
async fn unclaimed(given: &Given, mut message: NewOutbound) -> MessageId {
    message.lease = None;
    let id = message.id;
    let stored = given
        .home
        .db
        .write(move |tx| Box::pin(async move { messages::insert_outbound(tx, &message, NOW).await }));
    stored.await.unwrap();
    id
}

#[tokio::test]
async fn what_is_left_of_a_message_is_sent_by_the_next_process_and_the_message_stays_failed() {
    for home in homes().await {
        let channel = Picky::new(|_| Ok(()));
        let keeping = Keeping::on(home, &channel, SETTINGS).await;
        let given = &keeping.given;
        given.delivery.deliver(given.pending.clone());
        channel.took(1).await;
        let files = [keeping.file("large.md").await, keeping.file("small.md").await];
        let to = given.to.clone();
        let (message, _) = (given.outbound).run_message(to, RunId::new(), 0, "Here.", with(&files), NOW);
        let id = unclaimed(given, message).await;
        let worker = given.worker;
        let begun = given.home.db.write(move |tx| {
            Box::pin(async move {
                let text = Delivered {
                    message: id,
                    seq: 0,
                    is_last: false,
                    platform_id: Some("1"),
                    worker,
                };
                let file = Refused {
                    message: id,
                    seq: 1,
                    next: 2,
                    reason: "the file large.md: it is too large",
                    worker,
                };
                outbox::part_delivered(tx, text, NOW).await?;
                assert!(outbox::part_refused(tx, file).await?);
                outbox::attempt_failed(tx, id, worker, "HTTP 500").await
            })
        });
        begun.await.unwrap();
        given.settled().await;
        assert_eq!(*channel.took.borrow(), ["hello", "small.md", &sorry("large.md")]);
        let why = "the file large.md: it is too large";
        assert_eq!(
            ended(&given.home, id).await,
            (MessageStatus::Failed, Some(why.to_owned()))
        );
        given.home.db.close().await;
    }
}

/// Stores a message of a text and a file, whose text was refused, and quarantines it.
async fn quarantined(keeping: &Keeping) -> MessageId {
    let given = &keeping.given;
    let files = [keeping.file("small.md").await];
    let to = given.to.clone();
    let (message, _) = (given.outbound).run_message(to, RunId::new(), 0, "Here.", with(&files), NOW);
    let id = unclaimed(given, message).await;
    let worker = given.worker;
    let set_aside = given.home.db.write(move |tx| {
        Box::pin(async move {
            let text = Refused {
                message: id,
                seq: 0,
                next: 1,
                reason: "message is too long",
                worker,
            };
            assert!(outbox::part_refused(tx, text).await?);
            outbox::quarantine(tx, id, worker, "quarantined: 3 processes died; try again", NOW).await
        })
    });
    assert!(set_aside.await.unwrap());
    id
}

async fn retried(given: &Given, id: MessageId) {
    let released = given
        .home
        .db
        .write(move |tx| Box::pin(async move { deaths::release(tx, Kind::Message, &id.to_string(), NOW).await }));
    released.await.unwrap();
}

async fn statuses(given: &Given, id: MessageId) -> Vec<String> {
    let statuses = format!("SELECT status FROM message_parts WHERE message_id = '{id}' ORDER BY seq");
    column(&given.home.db, &statuses).await
}

#[tokio::test]
async fn a_retry_out_of_quarantine_sends_what_was_pending_and_nothing_that_was_refused() {
    for home in homes().await {
        let channel = Picky::new(|_| Ok(()));
        let keeping = Keeping::on(home, &channel, SETTINGS).await;
        let given = &keeping.given;
        given.delivery.deliver(given.pending.clone());
        channel.took(1).await;
        let id = quarantined(&keeping).await;
        let why = "message is too long; quarantined: 3 processes died; try again";
        assert_eq!(
            ended(&given.home, id).await,
            (MessageStatus::Failed, Some(why.to_owned()))
        );
        assert_eq!(statuses(given, id).await, ["failed", "pending"]);
        retried(given, id).await;
        given.settled().await;
        assert_eq!(*channel.took.borrow(), ["hello", "small.md", REFUSED]);
        assert_eq!(
            ended(&given.home, id).await,
            (MessageStatus::Failed, Some("message is too long".to_owned()))
        );
        // An older version failed all parts of what it quarantined: which were refused, nobody knows.
        let id = quarantined(&keeping).await;
        script(
            &given.home.db,
            &format!("UPDATE message_parts SET status = 'failed' WHERE message_id = '{id}'"),
        )
        .await;
        retried(given, id).await;
        given.settled().await;
        let took = ["hello", "small.md", REFUSED, "Here.", "small.md"];
        assert_eq!(*channel.took.borrow(), took);
        // A file of a failed message is not kept to be sent.
        let id = quarantined(&keeping).await;
        let forgotten = given
            .home
            .db
            .write(move |tx| Box::pin(async move { deaths::forget(tx, Kind::Message, &id.to_string(), NOW).await }));
        assert!(forgotten.await.unwrap());
        assert_eq!(statuses(given, id).await, ["failed", "failed"]);
        given.home.db.close().await;
    }
}

#[tokio::test]
async fn a_suspect_waits_for_its_turn_however_long_that_takes() {
    for home in homes().await {
        let channel = Picky::new(|_| Ok(()));
        let given = Given::on(home, &channel, SETTINGS).await;
        given.delivery.deliver(given.pending.clone());
        channel.took(1).await;
        let (message, _) = given.outbound.message(given.to.clone(), "suspect", NOW);
        let id = unclaimed(&given, message).await;
        script(
            &given.home.db,
            &format!("UPDATE messages SET deaths = 2 WHERE id = '{id}'"),
        )
        .await;
        let isolation = given.delivery.isolation();
        let turn = isolation.turn().await;
        given
            .delivery
            .claim(ClaimWindow::new(given.worker, NOW, LEASE))
            .await
            .unwrap();
        // An innocent part goes on again and again meanwhile, and the turn is not over.
        for _ in 0..6 {
            isolation.pass().await;
        }
        assert_eq!(*channel.took.borrow(), ["hello"]);
        let marks = format!("SELECT COALESCE(isolation, 'none') FROM messages WHERE id = '{id}'");
        assert_eq!(column(&given.home.db, &marks).await, ["none"]);
        drop(turn);
        assert_eq!(channel.took(2).await, ["hello", "suspect"]);
        let end = tokio::time::Instant::now() + Duration::from_secs(30);
        given.delivery.flush(end, end).await;
        assert_eq!(ended(&given.home, id).await, (MessageStatus::Delivered, None));
        given.home.db.close().await;
    }
}
