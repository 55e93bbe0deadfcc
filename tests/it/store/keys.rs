//! Credentials of people and programs: pairings and API tokens. And payloads that could not be read.

use std::time::Duration;

use clifford_chat::platform::Platform;
use clifford_core::{
    clock::Timestamp,
    id::{TokenId, UserId},
    json_text::JsonText,
};
use clifford_ingress::identity;
use clifford_store::{
    Db, Pools, StoreError,
    messages::unreadable,
    people::{
        links::Account,
        pairing_codes,
        pairings::{self, Pairing},
        tokens::{self, ApiToken, Bearer, NewToken},
        users,
    },
};

use super::{
    people::execute,
    world::{NOW, World},
};

const HOUR: Duration = Duration::from_secs(3600);
const MOMENT: Duration = Duration::from_millis(1);

fn pairing(platform: Platform, name: &str, expires_at: Timestamp) -> Pairing {
    Pairing {
        platform: platform.as_str().into(),
        platform_user_id: "7".into(),
        name: name.into(),
        expires_at,
    }
}

/// The account 7 of a platform asks to be let in, and gets a code that is good for an hour.
async fn ask(
    db: &Db,
    platform: Platform,
    name: &'static str,
    code: &'static str,
    now: Timestamp,
) -> Result<(), StoreError> {
    db.write(move |tx| Box::pin(pairings::put(tx, platform, "7", name, code, now, now.after(HOUR))))
        .await
}

async fn take(db: &Db, code: &'static str, now: Timestamp) -> Option<Pairing> {
    let taken = db.write(move |tx| {
        Box::pin(async move {
            let Some(asked) = pairings::of_code(tx, code, now).await? else {
                return Ok(None);
            };
            let is_there = pairings::remove(tx, &asked.platform, &asked.platform_user_id).await?;
            Ok(Some(asked).filter(|_| is_there))
        })
    });
    taken.await.expect("takes")
}

async fn of_account(db: &Db, platform: Platform, now: Timestamp) -> Option<Pairing> {
    pairings::of_account(&mut db.read().await.expect("reads"), platform, "7", now)
        .await
        .expect("reads")
}

async fn open(db: &Db, now: Timestamp) -> Vec<Pairing> {
    pairings::list(&mut db.read().await.expect("reads"), now)
        .await
        .expect("reads")
}

pub async fn a_pairing_code_is_good_once(world: World) {
    let db = &world.db;
    ask(db, Platform::new("telegram"), "Ada", "code", NOW)
        .await
        .expect("stores");
    let asked = pairing(Platform::new("telegram"), "Ada", NOW.after(HOUR));
    assert_eq!(
        of_account(db, Platform::new("telegram"), NOW).await,
        Some(asked.clone())
    );
    assert_eq!(of_account(db, Platform::new("discord"), NOW).await, None);
    assert_eq!(take(db, "another", NOW).await, None);
    let taken = futures::future::join_all((0..8).map(|_| take(db, "code", NOW))).await;
    let taken: Vec<_> = taken.into_iter().flatten().collect();
    assert_eq!(taken, [asked]);
    assert_eq!(
        (
            of_account(db, Platform::new("telegram"), NOW).await,
            open(db, NOW).await
        ),
        (None, vec![])
    );
}

pub async fn a_list_of_those_who_wait_tells_each_code(world: World) {
    let db = &world.db;
    let asks = async |account: &'static str, until| {
        let asked = db.write(move |tx| {
            let telegram = Platform::new("telegram");
            Box::pin(async move { pairing_codes::ask(tx, telegram, account, "Ada", NOW, until).await })
        });
        asked.await.expect("stores")
    };
    let listed = async || {
        let listed = pairing_codes::list(&mut db.read().await.expect("reads"), NOW).await;
        let mut listed = listed.expect("reads");
        listed.sort_by(|a, b| a.platform_user_id.cmp(&b.platform_user_id));
        let shown = listed.into_iter().map(|one| (one.platform_user_id, one.code));
        shown.collect::<Vec<_>>()
    };
    assert_eq!(listed().await, []);
    // By the version before, whose code nobody knows any more.
    ask(db, Platform::new("telegram"), "Ada", "hash", NOW)
        .await
        .expect("stores");
    assert_eq!(listed().await, [("7".to_owned(), None)]);
    let eight = asks("8", NOW.after(HOUR)).await;
    let nine = asks("9", NOW.after(HOUR)).await;
    assert_ne!(eight, nine);
    assert_eq!(
        listed().await,
        [
            ("7".to_owned(), None),
            ("8".to_owned(), Some(eight.clone())),
            ("9".to_owned(), Some(nine.clone()))
        ]
    );
    // Another code takes the place of the first.
    let again = asks("8", NOW.after(HOUR).after(MOMENT)).await;
    assert_ne!(again, eight);
    assert_eq!(listed().await[1], ("8".to_owned(), Some(again)));
    let found = pairings::of_code(&mut db.read().await.expect("reads"), &clifford_vault::hash(&nine), NOW).await;
    assert_eq!(
        found.expect("reads").map(|found| found.platform_user_id),
        Some("9".to_owned())
    );
}

pub async fn a_pairing_code_expires(world: World) {
    let db = &world.db;
    ask(db, Platform::new("telegram"), "Ada", "code", NOW)
        .await
        .expect("stores");
    let end = NOW.after(HOUR);
    assert_eq!(open(db, end.before(MOMENT)).await.len(), 1);
    assert_eq!(
        (
            of_account(db, Platform::new("telegram"), end).await,
            open(db, end).await,
            take(db, "code", end).await
        ),
        (None, vec![], None)
    );
    assert!(
        take(db, "code", end.before(MOMENT)).await.is_some(),
        "what has expired is kept until it is replaced"
    );
}

pub async fn a_new_pairing_code_replaces_the_old_one_of_that_account_only(world: World) {
    let db = &world.db;
    let later = NOW.after(MOMENT);
    ask(db, Platform::new("telegram"), "Ada", "old", NOW)
        .await
        .expect("stores");
    ask(db, Platform::new("discord"), "Bob", "other", NOW.after(MOMENT / 2))
        .await
        .expect("stores");
    ask(db, Platform::new("telegram"), "Ada L.", "new", later)
        .await
        .expect("stores");
    let (ada, bob) = (
        pairing(Platform::new("telegram"), "Ada L.", later.after(HOUR)),
        pairing(Platform::new("discord"), "Bob", NOW.after(HOUR)),
    );
    // In the order in which they asked (last).
    assert_eq!(open(db, later).await, [bob.clone(), ada.clone()]);
    assert_eq!(take(db, "old", later).await, None);
    assert_eq!(take(db, "new", later).await, Some(ada));
    assert_eq!(take(db, "other", later).await, Some(bob));
    // Two people never have the same code.
    ask(db, Platform::new("telegram"), "Ada", "same", NOW)
        .await
        .expect("stores");
    let refused = ask(db, Platform::new("discord"), "Bob", "same", NOW).await;
    assert!(matches!(refused, Err(StoreError::Conflict(_))), "{refused:?}");
}

async fn make(db: &Db, id: TokenId, hash: &'static str, scopes: &[&str]) -> Result<(), StoreError> {
    let scopes: Vec<_> = scopes.iter().map(|scope| (*scope).to_owned()).collect();
    db.write(move |tx| Box::pin(async move { tokens::insert(tx, id, "laptop", hash, &scopes, NOW).await }))
        .await
}

async fn by_hash(db: &Db, hash: &str) -> Option<ApiToken> {
    tokens::by_hash(&mut db.read().await.expect("reads"), hash)
        .await
        .expect("reads")
}

async fn bearer(db: &Db, hash: &str) -> Option<Bearer> {
    tokens::bearer(&mut db.read().await.expect("reads"), hash)
        .await
        .expect("reads")
}

pub async fn a_persons_token_is_known_with_them_and_goes_with_its_account(world: World) {
    let db = &world.db;
    let (id, user) = (TokenId::new(), world.user.id);
    let write = db.write(move |tx| {
        let scopes = ["read".to_owned()];
        Box::pin(async move { tokens::insert_for(tx, id, "phone", "hash", &scopes, user, NOW).await })
    });
    write.await.expect("stores");
    let theirs = Bearer {
        id,
        name: "phone".into(),
        scopes: JsonText(vec!["read".into()]),
        user_id: Some(user),
        role: Some(world.user.role),
        speaker: Some(user),
    };
    assert_eq!(bearer(db, "hash").await, Some(theirs.clone()));
    // Parted from its person it speaks as another one, and sees what that one may.
    let account = Account {
        platform: Platform::WEB,
        id: tokens::account(id),
    };
    let parted = db
        .write(move |tx| Box::pin(async move { identity::part(tx, &account, NOW).await }))
        .await
        .expect("parts")
        .expect("another account is left");
    assert_eq!(
        bearer(db, "hash").await,
        Some(Bearer {
            user_id: Some(parted.id),
            role: Some(parted.role),
            speaker: Some(parted.id),
            ..theirs
        })
    );
    // An operator's has nobody until it has spoken.
    make(db, TokenId::new(), "other", &[]).await.expect("stores");
    let other = bearer(db, "other").await.expect("a token");
    assert_eq!((other.user_id, other.role, other.speaker), (None, None, None));
}

pub async fn tokens_that_are_made_and_revoked_for_ever_do_not_add_up(world: World) {
    let db = &world.db;
    let user = world.user.id;
    let make = async |user: Option<UserId>, minutes: u32| {
        let new = NewToken {
            name: "loop".to_owned(),
            scopes: vec!["read".to_owned()],
            user,
        };
        let now = NOW.after(MOMENT * minutes);
        let write = db.write(move |tx| {
            Box::pin(async move {
                let (id, _) = tokens::create(tx, &new, now).await?;
                tokens::revoke(tx, id, now).await?;
                Ok(id)
            })
        });
        write.await.expect("stores")
    };
    let operators = make(None, 0).await;
    let spoke = make(Some(user), 0).await;
    let external = tokens::account(spoke);
    execute(
        db,
        format!(
            "UPDATE channels SET platform = 'web', external_id = '{external}' WHERE id = '{}'",
            world.channel.id
        ),
    )
    .await;
    for minutes in 1..60 {
        make(Some(user), minutes).await;
    }
    let mut conn = db.read().await.expect("reads");
    let kept = tokens::list(&mut conn, Some(user)).await.expect("reads");
    // The newest is revoked after it was made, when old ones go.
    assert_eq!(kept.len(), 51);
    assert!(
        kept.iter().all(|token| token.created_at >= NOW.after(MOMENT * 9)),
        "{kept:?}"
    );
    let accounts = users::identities(&mut conn, user).await.expect("reads");
    let of_tokens: Vec<_> = accounts.iter().filter(|account| account.platform == "web").collect();
    // That by which something was said stays.
    assert_eq!(of_tokens.len(), 52);
    assert!(of_tokens.iter().any(|account| account.platform_user_id == external));
    assert_eq!(tokens::in_use(&mut conn, user).await.expect("reads"), 0);
    assert!(tokens::get(&mut conn, operators).await.expect("reads").is_some());
    assert_eq!(tokens::list(&mut conn, None).await.expect("reads").len(), 52);
}

pub async fn a_token_is_known_by_its_hash_until_it_is_revoked(world: World) {
    let db = &world.db;
    let (first, second) = (TokenId::new(), TokenId::new());
    make(db, first, "hash 1", &["read", "write"]).await.expect("stores");
    make(db, second, "hash 2", &[]).await.expect("stores");
    let token = |id, scopes: &[&str], revoked_at| ApiToken {
        id,
        name: "laptop".into(),
        scopes: JsonText(scopes.iter().map(|scope| (*scope).to_owned()).collect()),
        user_id: None,
        created_at: NOW,
        revoked_at,
    };
    assert_eq!(
        by_hash(db, "hash 1").await,
        Some(token(first, &["read", "write"], None))
    );
    assert_eq!(by_hash(db, "hash 2").await, Some(token(second, &[], None)));
    assert_eq!(by_hash(db, "laptop").await, None);

    let later = NOW.after(HOUR);
    let revoke = |id, at| db.write(move |tx| Box::pin(tokens::revoke(tx, id, at)));
    assert!(revoke(first, later).await.expect("revokes"));
    assert!(
        !revoke(first, later.after(HOUR)).await.expect("looks"),
        "it is revoked already"
    );
    assert!(!revoke(TokenId::new(), later).await.expect("looks"));
    assert_eq!(by_hash(db, "hash 1").await, None);
    let listed = tokens::list(&mut db.read().await.expect("reads"), None)
        .await
        .expect("reads");
    assert_eq!(
        listed,
        [token(first, &["read", "write"], Some(later)), token(second, &[], None)]
    );
    let again = make(db, TokenId::new(), "hash 1", &["admin"]).await;
    assert!(matches!(again, Err(StoreError::Conflict(_))), "{again:?}");
}

/// Platform, payload, error and time of each payload that was kept, by its error.
async fn unread(db: &Db) -> Vec<(String, String, String, i64)> {
    let sql = "SELECT platform, payload, error, created_at FROM unreadable_events ORDER BY error";
    match db.pools() {
        Pools::Sqlite { read, .. } => sqlx::query_as(sql).fetch_all(read).await.expect("reads"),
        Pools::Postgres(pool) => sqlx::query_as(sql).fetch_all(pool).await.expect("reads"),
    }
}

pub async fn what_could_not_be_read_is_kept_within_limits(world: World) {
    let db = &world.db;
    let keep = |payload: String, error: &'static str| {
        db.write(move |tx| Box::pin(async move { unreadable::insert(tx, "telegram", &payload, error, NOW).await }))
    };
    keep("{\"a\":\"\0b\"}".into(), "no \0 chat").await.expect("keeps");
    keep("ü".repeat(20_000), "too long").await.expect("keeps");
    assert!(keep(String::new(), "empty").await.expect("keeps"));
    assert!(!keep(String::new(), "as before").await.expect("looks"));
    let row = |payload: &str, error: &str| ("telegram".to_owned(), payload.to_owned(), error.to_owned(), NOW.0);
    assert_eq!(
        unread(db).await,
        [
            row("", "empty"),
            row("{\"a\":\"b\"}", "no  chat"),
            row(&"ü".repeat(16_384), "too long"),
        ]
    );
}
