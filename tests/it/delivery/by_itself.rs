//! Messages that fail by themselves, for whatever reason: their chat gets everything else, and their end is recorded.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use clifford_chat::{error::SendError, platform::Platform};
use clifford_core::{
    clock::{Clock as _, SystemClock},
    id::{FileId, MessageId, RunId},
    messages::MessageStatus,
    run::attachments::AttachedFile,
    settings::Delivery as Section,
};
use clifford_delivery::DeliverySettings;
use clifford_store::{
    files::{self, File},
    leases::ClaimWindow,
    messages::{self, outbox},
};
use uuid::{NoContext, Uuid};

use super::{Given, LEASE, NOW, Picky, SECTION, SETTINGS};
use crate::store::world::Home;

const HOUR: Duration = Duration::from_secs(3600);

pub(super) async fn homes() -> impl Iterator<Item = Home> {
    [Some(Home::sqlite().await), Home::postgres().await]
        .into_iter()
        .flatten()
}

/// A file that goes out with a message: in a bucket, and there is none.
fn attached() -> AttachedFile {
    AttachedFile {
        id: FileId::new(),
        name: "list.md".to_owned(),
        media_type: "text/markdown".to_owned(),
        size: 5,
    }
}

async fn kept_in_a_bucket(given: &Given, attached: &AttachedFile) {
    let file = File {
        id: attached.id,
        user_id: given.to.user,
        channel_id: Some(given.to.channel),
        space_id: None,
        message_id: None,
        root_run_id: None,
        name: attached.name.clone(),
        media_type: Some(attached.media_type.clone()),
        size: Some(5),
        sha256: None,
        location: "s3:clifford/list".to_owned(),
        created_at: NOW,
        came_as: None,
        seconds: None,
        of_others: false,
    };
    let inserted = given
        .home
        .db
        .write(move |tx| Box::pin(async move { files::insert(tx, &file, None).await }));
    assert!(inserted.await.unwrap());
}

/// Says something with a file behind it.
async fn says_with(given: &Given, text: &str, file: &AttachedFile) -> MessageId {
    let file = std::slice::from_ref(file);
    let message = given
        .outbound
        .run_message(given.to.clone(), RunId::new(), 0, text, super::with(file), NOW);
    given.stored(message).await
}

#[tokio::test]
async fn no_answer_to_one_message_alone_holds_up_nobody_either() {
    type Fails = fn() -> SendError;
    let errors: [Fails; 2] = [
        || SendError::Unreachable("it timed out".to_owned()),
        || SendError::NotSent("no connection".to_owned()),
    ];
    for error in errors {
        let healed = Arc::new(AtomicBool::new(false));
        let is_healed = Arc::clone(&healed);
        let channel = Picky::new(move |text| match text {
            "poison" if !is_healed.load(Ordering::SeqCst) => Err(error()),
            _ => Ok(()),
        });
        let given = Given::stuck_after(&channel, true, Duration::ZERO).await;
        given.says("poison").await;
        given.says("after it").await;
        assert_eq!(channel.took(1).await, ["after it"]);
        healed.store(true, Ordering::SeqCst);
        assert_eq!(channel.took(2).await, ["after it", "poison"]);
    }
}

#[tokio::test]
async fn a_file_that_cannot_be_read_holds_up_nobody_and_was_never_sent() {
    for home in homes().await {
        let channel = Picky::new(|_| Ok(()));
        let section = Section {
            resend_ambiguous: false,
            ..SECTION
        };
        let settings = DeliverySettings { section, ..SETTINGS };
        let given = Given::on(home, &channel, settings).await;
        let file = attached();
        kept_in_a_bucket(&given, &file).await;
        given.delivery.deliver(given.pending.clone());
        let id = says_with(&given, "Here is your list.", &file).await;
        given.says("after it").await;
        assert_eq!(channel.took(3).await, ["hello", "Here is your list.", "after it"]);
        let late = given.delivery.late(Platform::new("telegram"));
        let reasons: Vec<_> = late.iter().map(|late| late.reason.as_str()).collect();
        assert_eq!(reasons, ["the storage of files does not answer"]);
        let now = tokio::time::Instant::now();
        given.delivery.flush(now, now + Duration::from_secs(30)).await;
        // Else the next process would take it for one that may have arrived, and give it up.
        let parts = outbox::parts(&mut given.home.db.read().await.unwrap(), id).await;
        let left: Vec<_> = parts.unwrap().iter().map(|part| (part.seq, part.status)).collect();
        assert_eq!(left, [(1, MessageStatus::Pending)]);
    }
}

#[tokio::test]
async fn where_only_a_file_is_gone_its_chat_is_told_of_the_file() {
    let channel = Picky::new(|_| Ok(()));
    let given = Given::to(&channel, true).await;
    let id = says_with(&given, "Here is your list.", &attached()).await;
    given.delivery.deliver(given.pending.clone());
    let sorry = "Sorry, I could not send you the file list.md. Please ask for it again, or in another form.";
    given.settled().await;
    assert_eq!(*channel.took.borrow(), ["Here is your list.", "hello", sorry]);
    assert_eq!(Given::message(&given.home, id).await.status, MessageStatus::Failed);
}

#[tokio::test]
async fn the_time_for_which_earlier_processes_tried_a_message_counts() {
    // Attempts of earlier processes, half an hour apart, and how old the message is.
    let cases = [(3, HOUR * 48, true), (1, HOUR * 48, false), (3, HOUR / 2, false)];
    for (attempts, age, is_given_up) in cases {
        let channel = Picky::new(|text| match text {
            "old" => Err(SendError::Failed("HTTP 500".to_owned())),
            _ => Ok(()),
        });
        let section = Section {
            backoff: HOUR / 2,
            max_backoff: HOUR / 2,
            stuck_after: HOUR * 2,
            ..SECTION
        };
        let settings = DeliverySettings { section, ..SETTINGS };
        let given = Given::on(Home::sqlite().await, &channel, settings).await;
        // Earlier messages are not in the way.
        given.delivery.deliver(given.pending.clone());
        channel.took(1).await;
        let (mut message, _) = given.outbound.message(given.to.clone(), "old", NOW);
        let made = SystemClock.now().before(age).0.unsigned_abs();
        message.id = MessageId(Uuid::new_v7(uuid::Timestamp::from_unix(NoContext, made / 1000, 0)));
        message.lease = None;
        let (id, worker) = (message.id, given.worker);
        let stored = given.home.db.write(move |tx| {
            Box::pin(async move {
                messages::insert_outbound(tx, &message, NOW).await?;
                for _ in 0..attempts {
                    outbox::attempt_failed(tx, id, worker, "earlier").await?;
                }
                Ok(())
            })
        });
        stored.await.unwrap();
        given
            .delivery
            .claim(ClaimWindow::new(worker, NOW, LEASE))
            .await
            .unwrap();
        let tried = async {
            loop {
                let message = Given::message(&given.home, id).await;
                let is_over = message.status == MessageStatus::Failed;
                if is_over || (!is_given_up && message.error.as_deref() == Some("HTTP 500")) {
                    return;
                }
                tokio::task::yield_now().await;
            }
        };
        let case = format!("{attempts} attempts in {age:?}");
        let tried = tokio::time::timeout(Duration::from_secs(30), tried).await;
        tried.unwrap_or_else(|_| panic!("{case}"));
        let now = tokio::time::Instant::now();
        given.delivery.flush(now, now + Duration::from_secs(30)).await;
        let status = Given::message(&given.home, id).await.status;
        assert_eq!(status == MessageStatus::Failed, is_given_up, "{case}");
    }
}
