//! Sessions in a browser, and the links by which they begin.

use std::time::Duration;

use clifford_chat::platform::Platform;
use clifford_core::{clock::Timestamp, id::UserId, people::UserRole};
use clifford_store::{
    Db,
    people::sessions::{self, Begun, LINK_FOR, Session, SessionOf, UNUSED_FOR},
};
use clifford_vault::{Token, hash};

use super::{
    erasure::column,
    people::{ada, belongings, code_of, enter, execute, meet, part, texts},
    world::{NOW, World},
};

const MOMENT: Duration = Duration::from_millis(1);

async fn link(db: &Db, user: Option<UserId>) -> Token {
    db.write(move |tx| Box::pin(sessions::create_link(tx, user, NOW)))
        .await
        .expect("makes a link")
}

async fn redeem(db: &Db, link: &Token, now: Timestamp) -> Option<Begun> {
    let hash = link.hash();
    let write = db.write(move |tx| Box::pin(async move { sessions::redeem(tx, &hash, Some("Firefox"), now).await }));
    write.await.expect("redeems")
}

async fn session_of(db: &Db, token: &Token, now: Timestamp) -> Option<SessionOf> {
    sessions::session_of(&mut db.read().await.expect("reads"), &token.hash(), now)
        .await
        .expect("reads")
}

async fn list(db: &Db, only: Option<UserId>) -> Vec<Session> {
    sessions::page(&mut db.read().await.expect("reads"), only, None, 200, NOW)
        .await
        .expect("reads")
}

pub async fn a_login_link_is_good_once_and_for_minutes_and_a_new_one_replaces_it(world: World) {
    let (db, user) = (&world.db, Some(world.user.id));
    let (first, operators) = (link(db, user).await, link(db, None).await);
    let second = link(db, user).await;
    assert_eq!(redeem(db, &first, NOW).await, None, "it was replaced");
    let late = NOW.after(LINK_FOR);
    assert_eq!(redeem(db, &second, late).await, None, "it is over");
    let begun = redeem(db, &second, late.before(MOMENT)).await.expect("a session");
    assert_eq!(begun.session.user_id, user);
    assert_eq!(begun.session.user_agent.as_deref(), Some("Firefox"));
    assert_eq!(redeem(db, &second, NOW).await, None, "it was used");
    let begun = redeem(db, &operators, NOW).await.expect("a session");
    assert_eq!(begun.session.user_id, None);
    let stored = column(db, "SELECT token_hash FROM sessions WHERE user_id IS NULL").await;
    assert_eq!(stored, [hash(begun.token.expose())]);
}

pub async fn a_session_is_its_persons_until_it_is_ended_or_nobody_uses_it(world: World) {
    let (db, user) = (&world.db, world.user.id);
    let begin = async || {
        let link = link(db, Some(user)).await;
        redeem(db, &link, NOW).await.expect("a session")
    };
    let (one, other) = (begin().await, begin().await);
    let known = session_of(db, &one.token, NOW).await.expect("a session");
    assert_eq!((known.user_id, known.role), (Some(user), Some(world.user.role)));
    let same = session_of(db, &other.token, NOW).await.expect("a session");
    assert_eq!(
        known.account, same.account,
        "a person speaks by one account in all browsers"
    );
    assert_eq!(list(db, Some(user)).await, [other.session.clone(), one.session.clone()]);
    assert_eq!(list(db, None).await.len(), 2);
    let mut conn = db.read().await.expect("reads");
    let before = Some(other.session.id);
    let older = sessions::page(&mut conn, Some(user), before, 1, NOW)
        .await
        .expect("reads");
    assert_eq!(older, std::slice::from_ref(&one.session));
    drop(conn);
    assert_eq!(list(db, Some(UserId::new())).await, []);

    let id = one.session.id;
    let ended = async || db.write(move |tx| Box::pin(sessions::end(tx, id))).await.expect("ends");
    assert!(ended().await);
    assert!(!ended().await);
    assert_eq!(session_of(db, &one.token, NOW).await, None);

    let third = begin().await;
    let hash = third.token.hash();
    let ended_by = async |hash: String| {
        let write = db.write(move |tx| Box::pin(async move { sessions::end_by(tx, &hash).await }));
        write.await.expect("ends")
    };
    assert!(!ended_by("nobody's".to_owned()).await);
    assert!(ended_by(hash.clone()).await);
    assert!(!ended_by(hash).await);
    assert_eq!(session_of(db, &third.token, NOW).await, None);
    assert!(session_of(db, &other.token, NOW).await.is_some());

    let unused = NOW.after(UNUSED_FOR);
    let before = unused.before(MOMENT);
    assert!(
        session_of(db, &other.token, before)
            .await
            .is_some_and(|known| known.is_to_be_noted(before))
    );
    assert_eq!(session_of(db, &other.token, unused).await, None);
    let id = other.session.id;
    db.write(move |tx| Box::pin(sessions::note(tx, id, before)))
        .await
        .expect("notes");
    let used = session_of(db, &other.token, unused).await.expect("it was used");
    assert!(!used.is_to_be_noted(unused));
}

pub async fn the_other_sessions_of_a_person_end_and_those_of_others_stay(world: World) {
    let (db, user) = (&world.db, Some(world.user.id));
    let begin = async |user| {
        let link = link(db, user).await;
        redeem(db, &link, NOW).await.expect("a session").session
    };
    let (first, _, operators) = (begin(user).await, begin(user).await, begin(None).await);
    let end_others = async |of, kept| {
        let write = db.write(move |tx| Box::pin(sessions::end_others(tx, of, kept)));
        write.await.expect("ends");
    };
    end_others(user, first.id).await;
    assert_eq!(list(db, None).await, [operators.clone(), first.clone()]);
    // An id of another person keeps none of one's own.
    end_others(user, operators.id).await;
    assert_eq!(list(db, None).await, [operators]);
    let again = begin(None).await;
    end_others(None, again.id).await;
    assert_eq!(list(db, None).await, [again]);
}

pub async fn neither_of_two_who_part_stays_logged_in_as_the_other(world: World) {
    let db = &world.db;
    let (ada, other) = (
        ada(&world),
        meet(&world, Platform::new("discord"), "2", UserRole::Member).await,
    );
    // Made before the other account was known: that cannot have made them.
    belongings(&world, &ada).await;
    enter(db, &other, &code_of(db, &ada, NOW).await, NOW)
        .await
        .expect("links");
    let user = ada.user.id;
    for sql in [
        format!(
            "INSERT INTO api_tokens (id, name, token_hash, scopes, user_id, created_at)
             VALUES ('new token', 't', 'new token', '[]', '{user}', {})",
            NOW.0
        ),
        format!(
            "INSERT INTO sessions (id, token_hash, user_id, account, created_at, seen_at, expires_at)
             VALUES ('new session', 'new session', '{user}', 'browser-new', {}, 0, 9)",
            NOW.0
        ),
        format!(
            "INSERT INTO login_links (link_hash, user_id, created_at, expires_at) VALUES ('new link', '{user}', {}, 9)",
            NOW.0
        ),
        format!(
            "INSERT INTO passkeys (id, credential_id, user_id, user_handle, rp_id, public_key, sign_count, name, created_at)
             VALUES ('new passkey', 'new passkey', '{user}', 'h', 'localhost', 'k', 0, 'phone', {})",
            NOW.0
        ),
        // A session of another person.
        "INSERT INTO sessions (id, token_hash, account, created_at, seen_at, expires_at)
         VALUES ('operator', 'operator', 'owner', 9999999999999, 0, 9)"
            .to_owned(),
    ] {
        execute(db, sql).await;
    }
    part(db, &other).await.expect("parts");
    for (sql, left) in [
        (
            "SELECT id FROM sessions ORDER BY id",
            vec!["operator".to_owned(), format!("session of {user}")],
        ),
        ("SELECT link_hash FROM login_links", vec![format!("link of {user}")]),
        ("SELECT id FROM passkeys", vec![format!("passkey of {user}")]),
        (
            "SELECT id FROM api_tokens WHERE revoked_at IS NULL",
            vec![format!("token of {user}")],
        ),
    ] {
        assert_eq!(texts(db, sql).await, left, "{sql}");
    }
}
