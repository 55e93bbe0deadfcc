//! People with accounts and all that can be theirs, for cases about their identity.

use clifford_chat::{
    inbound::{Place, Speaker},
    platform::Platform,
};
use clifford_core::{
    clock::Timestamp,
    id::{ContextId, PolicyId, UserId},
    memory::rows::Item,
    messages::MessageStatus,
    people::{User, UserRole},
    places::Channel,
    work::JobKind,
};
use clifford_ingress::identity::{self, Refusal};
use clifford_store::{
    BoxFuture, Db, Pools, StoreError, Tx, contexts,
    jobs::{self, NewJob},
    messages::NewInbound,
    people::{links::Account, merge, users},
    places::{channels, settings},
    runs::NewRun,
};
use sqlx::AssertSqlSafe;

use super::world::{self, NOW, World, item, place, speaker};

/// A person with an account, their private channel and a conversation in it.
#[derive(Clone)]
pub struct Person {
    pub account: Account,
    pub user: User,
    pub channel: Channel,
    pub context: ContextId,
}

pub fn account(platform: Platform, id: &str) -> Account {
    Account {
        platform,
        id: id.into(),
    }
}

pub async fn write<T: Send + 'static>(
    db: &Db,
    work: impl for<'t> FnOnce(&'t mut Tx) -> BoxFuture<'t, Result<T, StoreError>> + Send + 'static,
) -> T {
    db.write(work).await.expect("writes")
}

/// The person of the world, known by the account 1 on Telegram.
pub fn ada(world: &World) -> Person {
    Person {
        account: account(Platform::new("telegram"), "1"),
        user: world.user.clone(),
        channel: world.channel.clone(),
        context: world.context,
    }
}

/// Somebody else.
pub async fn meet(world: &World, platform: Platform, id: &'static str, role: UserRole) -> Person {
    let account = account(platform, id);
    let (user, channel, context) = write(&world.db, move |tx| {
        Box::pin(async move {
            let speaker = Speaker {
                name: format!("{platform} {id}"),
                ..speaker(id)
            };
            let place = Place { platform, ..place(id) };
            let user = users::find_or_create(tx, platform, &speaker, role, NOW).await?;
            let channel = channels::find_or_create(tx, &place, Some((user.id, id)), NOW).await?;
            let context = contexts::begin(tx, &channel, None, NOW).await?;
            Ok((user, channel, context))
        })
    })
    .await;
    Person {
        account,
        user,
        channel,
        context,
    }
}

pub async fn code_of(db: &Db, person: &Person, now: Timestamp) -> String {
    let account = person.account.clone();
    write(db, move |tx| {
        Box::pin(async move { identity::make_code(tx, &account, now).await })
    })
    .await
    .code
}

pub async fn enter(db: &Db, person: &Person, code: &str, now: Timestamp) -> Result<User, Refusal> {
    let (account, code) = (person.account.clone(), code.to_owned());
    write(db, move |tx| {
        Box::pin(async move { identity::enter_code(tx, &account, &code, now).await })
    })
    .await
}

pub async fn part(db: &Db, person: &Person) -> Result<User, Refusal> {
    let account = person.account.clone();
    write(db, move |tx| {
        Box::pin(async move { identity::part(tx, &account, NOW).await })
    })
    .await
}

/// The person behind an account now.
pub async fn behind(db: &Db, person: &Person) -> User {
    let mut conn = db.read().await.expect("reads");
    users::by_identity(&mut conn, person.account.platform, &person.account.id)
        .await
        .expect("reads")
        .expect("a person")
}

pub async fn texts(db: &Db, sql: impl Into<String>) -> Vec<String> {
    let sql = AssertSqlSafe(sql.into());
    match db.pools() {
        Pools::Sqlite { read, .. } => sqlx::query_scalar(sql).fetch_all(read).await.expect("reads"),
        Pools::Postgres(pool) => sqlx::query_scalar(sql).fetch_all(pool).await.expect("reads"),
    }
}

pub async fn count(db: &Db, from: &str) -> i64 {
    let sql = AssertSqlSafe(format!("SELECT COUNT(*) FROM {from}"));
    match db.pools() {
        Pools::Sqlite { read, .. } => sqlx::query_scalar(sql).fetch_one(read).await.expect("reads"),
        Pools::Postgres(pool) => sqlx::query_scalar(sql).fetch_one(pool).await.expect("reads"),
    }
}

pub async fn execute(db: &Db, sql: String) {
    let sql = AssertSqlSafe(sql);
    match db.pools() {
        // The writer keeps its own connection.
        Pools::Sqlite { read, .. } => drop(sqlx::query(sql).execute(read).await.expect("executes")),
        Pools::Postgres(pool) => drop(sqlx::query(sql).execute(pool).await.expect("executes")),
    }
}

pub fn said(world: &World, person: &Person, id: &str, context: Option<ContextId>) -> NewInbound {
    NewInbound {
        channel_id: person.channel.id,
        context_id: context,
        user_id: person.user.id,
        ..world.message(id, MessageStatus::History)
    }
}

pub fn run_of(world: &World, person: &Person) -> NewRun {
    NewRun {
        channel_id: Some(person.channel.id),
        user_id: Some(person.user.id),
        context_id: Some(person.context),
        ..world.loose_run()
    }
}

pub async fn remember(db: &Db, person: &Person, key: &str, value: &str, level: i64, seen: Timestamp) {
    let item = Item {
        last_seen_at: seen,
        ..item("preferences", key, value, level)
    };
    world::remember(db, person.user.id, person.context, None, item).await;
}

/// A row of a person in every table that has some: a message with a file, a run with its usage, a job, a token,
/// an item, a setting, a code.
pub async fn belongings(world: &World, person: &Person) {
    let message = said(world, person, "m", Some(person.context));
    assert!(world.store(message.clone()).await);
    assert!(world.store(said(world, person, "command", None)).await);
    let run = world.insert(run_of(world, person)).await.expect("inserts");
    remember(&world.db, person, "tea", "green", 1, NOW).await;
    code_of(&world.db, person, NOW).await;
    let (user, context) = (person.user.id, person.context);
    write(&world.db, move |tx| {
        Box::pin(async move {
            let job = NewJob {
                kind: JobKind::MemoryWrite,
                mode: None,
                context_id: Some(context),
                user_id: Some(user),
                through: None,
                due_at: NOW,
            };
            jobs::insert(tx, job, NOW).await?;
            settings::put(tx, &user.to_string(), "theme", "dark", NOW).await
        })
    })
    .await;
    for sql in [
        format!(
            "INSERT INTO usage (id, run_id, seq, user_id, role, provider, model, prompt_tokens, completion_tokens,
                 cached_tokens, cache_write_tokens, estimated, cost, created_at)
             VALUES ('usage of {user}', '{}', 1, '{user}', 'executor', 'p', 'm', 1, 1, 0, 0, FALSE, 0, 0)",
            run.id
        ),
        format!(
            "INSERT INTO files (id, user_id, message_id, name, location, created_at)
             VALUES ('file of {user}', '{user}', '{}', 'a.txt', 'x', 0)",
            message.id
        ),
        format!(
            "INSERT INTO api_tokens (id, name, token_hash, scopes, user_id, created_at)
             VALUES ('token of {user}', 't', '{user}', '[]', '{user}', 0)"
        ),
        format!(
            "INSERT INTO sessions (id, token_hash, user_id, account, created_at, seen_at, expires_at)
             VALUES ('session of {user}', 'session of {user}', '{user}', 'browser-{user}', 0, 0, 9)"
        ),
        format!(
            "INSERT INTO login_links (link_hash, user_id, created_at, expires_at) VALUES ('link of {user}', '{user}', 0, 9)"
        ),
        format!(
            "INSERT INTO passkeys (id, credential_id, user_id, user_handle, rp_id, public_key, sign_count, name, created_at)
             VALUES ('passkey of {user}', 'passkey of {user}', '{user}', 'h', 'localhost', 'k', 0, 'phone', 0)"
        ),
        format!(
            "INSERT INTO triggers (id, kind, user_id, channel_id, content, webhook, time_zone, catch_up, enabled,
                                   created_at, updated_at)
             VALUES ('trigger of {user}', 'reminder', '{user}', '{}', 'stretch', FALSE, 'UTC', 'once', TRUE, 0, 0)",
            person.channel.id
        ),
        format!(
            "INSERT INTO policies (id, rule, user_id, created_at, updated_at)
             VALUES ('{}', '{{\"action\":\"deny\"}}', '{user}', 0, 0)",
            PolicyId::new(),
        ),
        format!(
            "INSERT INTO documents (id, user_id, channel_id, title, created_at)
             VALUES ('document of {user}', '{user}', '{}', 't', 0)",
            person.channel.id
        ),
        format!(
            "INSERT INTO user_secrets (id, user_id, provider, sealed, created_at)
             VALUES ('secret of {user}', '{user}', 'main', 'sealed', 0)"
        ),
        format!(
            "INSERT INTO setting_changes (id, scope, name, new_value, user_id, changed_at)
             VALUES ('change of {user}', '{user}', 'language', 'de', '{user}', 0)"
        ),
        format!(
            "INSERT INTO run_feedback (run_id, user_id, verdict, given_by, given_at)
             VALUES ('{}', '{user}', 'liked', 'reaction', 0)",
            run.id
        ),
        format!("UPDATE contexts SET summary_of = '[\"{user}\"]' WHERE id = '{context}'"),
    ] {
        execute(&world.db, sql).await;
    }
}

/// How many rows of each table are a person's.
pub async fn owned(db: &Db, user: UserId) -> Vec<(&'static str, i64)> {
    let mut rows = Vec::new();
    for table in merge::GO_OVER.iter().copied().chain(merge::BY_RULE) {
        rows.push((table, count(db, &format!("{table} WHERE user_id = '{user}'")).await));
    }
    rows.push(("settings", count(db, &format!("settings WHERE scope = '{user}'")).await));
    let named = format!("contexts WHERE summary_of LIKE '%{user}%'");
    rows.push(("summaries", count(db, &named).await));
    rows
}
