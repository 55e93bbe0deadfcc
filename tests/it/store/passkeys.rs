//! Passkeys, and the challenges that browsers answer with them.

use std::time::Duration;

use clifford_core::{
    clock::Timestamp,
    id::{PasskeyId, UserId},
};
use clifford_store::{
    Db, StoreError,
    people::{
        passkeys::{self, CHALLENGE_FOR, Credential, MOST, NewPasskey, Passkey, Purpose},
        sessions::{self, Begun},
    },
};

use super::{
    erasure::column,
    people::{count, write},
    world::{NOW, World},
};

const MOMENT: Duration = Duration::from_millis(1);

fn new(credential: &str, sign_count: i64) -> NewPasskey {
    NewPasskey {
        credential_id: credential.to_owned(),
        user_handle: "handle".to_owned(),
        rp_id: "localhost".to_owned(),
        public_key: "key".to_owned(),
        sign_count,
        name: "phone".to_owned(),
    }
}

async fn add(db: &Db, user: Option<UserId>, new: NewPasskey) -> Result<Passkey, StoreError> {
    db.write(move |tx| Box::pin(async move { passkeys::add(tx, user, &new, NOW).await }))
        .await
}

async fn challenge(db: &Db, purpose: Purpose, now: Timestamp) -> String {
    let made = write(db, move |tx| {
        Box::pin(async move { passkeys::challenge(tx, &purpose, now).await })
    });
    made.await.expect("not too many are open")
}

async fn spend(db: &Db, challenge: &str, now: Timestamp) -> Option<Purpose> {
    let challenge = challenge.to_owned();
    write(db, move |tx| {
        Box::pin(async move { passkeys::spend(tx, &challenge, now).await })
    })
    .await
}

async fn log_in(db: &Db, id: PasskeyId, count: i64, now: Timestamp) -> Option<Begun> {
    write(db, move |tx| {
        Box::pin(passkeys::log_in(tx, id, count, Some("Firefox"), now))
    })
    .await
}

async fn credential(db: &Db, id: &str) -> Option<Credential> {
    passkeys::credential(&mut db.read().await.expect("reads"), id)
        .await
        .expect("reads")
}

async fn session(db: &Db, user: UserId) -> Begun {
    let begun = write(db, move |tx| {
        Box::pin(async move {
            let link = sessions::create_link(tx, Some(user), NOW).await?;
            sessions::redeem(tx, &link.hash(), None, NOW).await
        })
    });
    begun.await.expect("a session")
}

pub async fn a_challenge_is_good_once_for_minutes_and_for_what_it_was_made(world: World) {
    let (db, user) = (&world.db, world.user.id);
    let one = challenge(db, Purpose::LogIn, NOW).await;
    let two = challenge(db, Purpose::LogIn, NOW).await;
    assert_ne!(one, two);
    assert_eq!(spend(db, "another", NOW).await, None, "nobody made it");
    let late = NOW.after(CHALLENGE_FOR);
    assert_eq!(spend(db, &one, late).await, None, "it is over");
    assert_eq!(spend(db, &two, late.before(MOMENT)).await, Some(Purpose::LogIn));
    assert_eq!(spend(db, &two, NOW).await, None, "it was answered");

    let session = session(db, user).await.session.id;
    let purpose = |handle: &str| Purpose::Add {
        session,
        user_handle: handle.to_owned(),
    };
    let older = challenge(db, purpose("a"), NOW).await;
    let newer = challenge(db, purpose("b"), NOW).await;
    assert_eq!(
        spend(db, &older, NOW).await,
        None,
        "a newer one of its session replaced it"
    );
    assert_eq!(spend(db, &newer, NOW).await, Some(purpose("b")));
    let last = challenge(db, purpose("c"), NOW).await;
    write(db, move |tx| Box::pin(sessions::end(tx, session))).await;
    assert_eq!(spend(db, &last, NOW).await, None, "it went with its session");
    // Those that are over are dropped with the next one; of it only the hash is kept.
    let next = challenge(db, Purpose::LogIn, late).await;
    let left = column(db, "SELECT challenge_hash FROM passkey_challenges").await;
    assert_eq!(left, [clifford_vault::hash(&next)]);
}

pub async fn a_passkey_lets_its_person_in_as_long_as_its_counter_goes_up(world: World) {
    let (db, user) = (&world.db, Some(world.user.id));
    let counts = add(db, user, new("counts", 5)).await.expect("adds");
    let silent = add(db, None, new("silent", 0)).await.expect("adds");
    let found = credential(db, "counts").await.expect("a passkey");
    assert_eq!(
        (found.id, found.user_id, found.role, found.sign_count),
        (counts.id, user, Some(world.user.role), 5)
    );
    assert_eq!(credential(db, "silent").await.expect("a passkey").role, None);
    assert_eq!(credential(db, "other").await, None);

    for count in [0, 4, 5] {
        assert_eq!(
            log_in(db, counts.id, count, NOW).await,
            None,
            "{count} is no more than 5"
        );
    }
    let later = NOW.after(MOMENT);
    let begun = log_in(db, counts.id, 6, later).await.expect("a session");
    assert_eq!((begun.session.user_id, begun.session.created_at), (user, later));
    assert_eq!(begun.session.user_agent.as_deref(), Some("Firefox"));
    let known = sessions::session_of(&mut db.read().await.expect("reads"), &begun.token.hash(), later).await;
    assert_eq!(known.expect("reads").expect("a session").user_id, user);
    assert_eq!(log_in(db, counts.id, 6, later).await, None, "a copy of it signed");

    // One that does not count may not begin to, and go back.
    assert!(log_in(db, silent.id, 0, NOW).await.is_some());
    assert!(log_in(db, silent.id, 0, NOW).await.is_some());
    assert!(log_in(db, silent.id, 1, NOW).await.is_some());
    assert_eq!(log_in(db, silent.id, 0, NOW).await, None);

    let mut conn = db.read().await.expect("reads");
    let hers = passkeys::list(&mut conn, user).await.expect("reads");
    let used = Passkey {
        used_at: Some(later),
        ..counts.clone()
    };
    assert_eq!(hers, [used]);
    assert_eq!(passkeys::list(&mut conn, None).await.expect("reads").len(), 2);
    assert_eq!(passkeys::list(&mut conn, Some(UserId::new())).await.expect("reads"), []);
    drop(conn);
    let id = counts.id;
    let renamed = write(db, move |tx| Box::pin(passkeys::rename(tx, id, "tablet"))).await;
    assert_eq!(renamed.map(|passkey| passkey.name).as_deref(), Some("tablet"));
    let remove = || write(db, move |tx| Box::pin(passkeys::remove(tx, id)));
    assert_eq!((remove().await, remove().await), (true, false));
    assert_eq!(log_in(db, id, 9, NOW).await, None);
    assert_eq!(write(db, move |tx| Box::pin(passkeys::rename(tx, id, "x"))).await, None);
}

pub async fn a_person_has_so_many_passkeys_and_each_is_one_persons(world: World) {
    let (db, user) = (&world.db, Some(world.user.id));
    for number in 0..MOST {
        add(db, user, new(&format!("hers {number}"), 0)).await.expect("adds");
    }
    let refused = add(db, user, new("one more", 0)).await;
    assert!(matches!(refused, Err(StoreError::WrongState(_))), "{refused:?}");
    let taken = add(db, None, new("hers 1", 0)).await;
    assert!(matches!(taken, Err(StoreError::Conflict(_))), "{taken:?}");
    let handle = NewPasskey {
        user_handle: "the operator's".to_owned(),
        ..new("the operator's", 0)
    };
    add(db, None, handle).await.expect("adds");
    let mut conn = db.read().await.expect("reads");
    let (hers, handle) = passkeys::known(&mut conn, user).await.expect("reads");
    assert_eq!((hers.len(), handle.as_str()), (20, "handle"));
    let operators = passkeys::known(&mut conn, None).await.expect("reads");
    assert_eq!(
        operators,
        (vec!["the operator's".to_owned()], "the operator's".to_owned())
    );
    let nobodys = passkeys::known(&mut conn, Some(UserId::new())).await;
    let (none, handle) = nobodys.expect("reads");
    assert_eq!((none.len(), handle.len()), (0, 43));
}

pub async fn of_two_logins_with_one_count_one_comes_in(world: World) {
    let db = &world.db;
    let passkey = add(db, Some(world.user.id), new("phone", 1)).await.expect("adds");
    for round in 2..6 {
        let both = tokio::join!(log_in(db, passkey.id, round, NOW), log_in(db, passkey.id, round, NOW));
        assert_eq!([both.0.is_some(), both.1.is_some()].iter().filter(|is| **is).count(), 1);
    }
    assert_eq!(count(db, "sessions").await, 4);
}
