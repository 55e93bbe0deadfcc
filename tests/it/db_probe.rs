//! A look into the database of a bot that runs, through the bot's own store.

use clifford_core::{
    clock::Timestamp,
    id::RunId,
    messages::{Direction, MessageStatus},
    places::Channel,
    runs::Run,
    settings::{Database, Synchronous},
};
use clifford_store::{
    Db, DbOptions, Pools,
    messages::{self, Message},
    places::{channels, settings},
    runs::{Filter, steps, views as run_views},
};
use serde_json::Value;

/// More rows than any journey makes.
const ALL: u32 = 10_000;
/// When no lease lives any more, so that runs are seen as their rows are.
const AS_STORED: Timestamp = Timestamp(i64::MAX);

/// A look into a database.
pub struct DbProbe {
    pub db: Db,
}

impl DbProbe {
    pub async fn open(url: &str) -> Self {
        let options = DbOptions {
            url: url.to_owned(),
            section: Database {
                synchronous: Synchronous::Normal,
                max_connections: 2,
                ..Database::default()
            },
            exclusive: false,
            migrate: false,
        };
        Self {
            db: Db::open(&options).await.unwrap(),
        }
    }

    /// Every run, oldest first.
    pub async fn runs(&self) -> Vec<Run> {
        let mut conn = self.db.read().await.unwrap();
        let mut runs = run_views::page(&mut conn, &Filter::default(), ALL, AS_STORED)
            .await
            .unwrap();
        runs.reverse();
        runs
    }

    /// The only run.
    pub async fn run(&self) -> Run {
        let mut runs = self.runs().await;
        assert_eq!(runs.len(), 1, "{runs:#?}");
        runs.remove(0)
    }

    /// The types of a run's steps; of those of type `message` their events.
    pub async fn steps(&self, run: RunId) -> Vec<String> {
        let steps = steps::of_run(&mut self.db.read().await.unwrap(), run).await.unwrap();
        let places: Vec<_> = steps.iter().map(|step| step.seq).collect();
        assert_eq!(places, (1..=u32::try_from(steps.len()).unwrap()).collect::<Vec<_>>());
        let name = |kind| match (clifford_core::run::columns::parts(kind).1, kind.type_name()) {
            (Some(Value::Object(result)), "message") => result["event"].as_str().unwrap().to_owned(),
            (_, name) => name.to_owned(),
        };
        steps.iter().map(|step| name(&step.kind)).collect()
    }

    /// Every channel, oldest first.
    pub async fn channels(&self) -> Vec<Channel> {
        let mut channels = channels::page(&mut self.db.read().await.unwrap(), None, ALL)
            .await
            .unwrap();
        channels.reverse();
        channels
    }

    /// Every message of one direction, oldest first.
    pub async fn messages(&self, direction: Direction) -> Vec<Message> {
        let mut conn = self.db.read().await.unwrap();
        let mut messages = messages::page(&mut conn, None, None, None, ALL).await.unwrap();
        messages.retain(|message| message.direction == direction);
        messages.reverse();
        messages
    }

    /// How many outbound messages wait, or are being sent.
    pub async fn undelivered(&self) -> usize {
        let waits = |message: &Message| matches!(message.status, MessageStatus::Pending | MessageStatus::Sending);
        self.messages(Direction::Outbound)
            .await
            .into_iter()
            .filter(waits)
            .count()
    }

    /// Where everything stands, for the text of a failure.
    pub async fn dump(&self) -> String {
        let mut lines = Vec::new();
        for run in self.runs().await {
            let steps = self.steps(run.id).await.join(" ");
            lines.push(format!(
                "{} {} {} epoch {}: {steps}",
                run.id, run.kind, run.status, run.epoch
            ));
        }
        for message in self.messages(Direction::Outbound).await {
            let text: String = message.content.chars().take(30).collect();
            lines.push(format!("{} {} {:?} {text}", message.id, message.status, message.error));
        }
        lines.join("\n")
    }

    /// Changes what no function of the store changes.
    pub async fn run_sql(&self, sql: &str) {
        let sql = sqlx::raw_sql(sqlx::AssertSqlSafe(sql.to_owned()));
        match self.db.pools() {
            Pools::Sqlite { read, .. } => drop(sql.execute(read).await.unwrap()),
            Pools::Postgres(pool) => drop(sql.execute(pool).await.unwrap()),
        }
    }

    /// Sets something for the whole bot, or for a space or channel.
    pub async fn set(&self, scope: &str, name: &'static str, value: &'static str) {
        let scope = scope.to_owned();
        let written = self
            .db
            .write(move |tx| Box::pin(async move { settings::put(tx, &scope, name, value, Timestamp(0)).await }));
        written.await.unwrap();
    }

    /// The workers that hold a run at this moment. PostgreSQL only.
    pub async fn at_work(&self) -> Vec<String> {
        self.texts("SELECT DISTINCT lease_owner FROM runs WHERE lease_owner IS NOT NULL AND status = 'running'")
            .await
    }

    /// The holders of each lease whose name begins so and that has not run out. PostgreSQL only.
    pub async fn holders(&self, prefix: &str) -> Vec<String> {
        let now = clifford_core::clock::Clock::now(&clifford_core::clock::SystemClock);
        self.texts(&format!(
            "SELECT owner FROM leases WHERE name LIKE '{prefix}%' AND until > {} ORDER BY name",
            now.0
        ))
        .await
    }

    /// The texts that a question has for an answer.
    pub async fn texts(&self, sql: &str) -> Vec<String> {
        let sql = sqlx::AssertSqlSafe(sql.to_owned());
        // The server may be away for a moment.
        match self.db.pools() {
            Pools::Sqlite { read, .. } => sqlx::query_scalar(sql).fetch_all(read).await.unwrap_or_default(),
            Pools::Postgres(pool) => sqlx::query_scalar(sql).fetch_all(pool).await.unwrap_or_default(),
        }
    }

    /// How many rows a table has.
    pub async fn count(&self, table: &str) -> i64 {
        self.number(&format!("SELECT COUNT(*) FROM {table}")).await
    }

    /// The one number that a question has for an answer.
    pub async fn number(&self, sql: &str) -> i64 {
        let sql = sqlx::AssertSqlSafe(sql.to_owned());
        match self.db.pools() {
            Pools::Sqlite { read, .. } => sqlx::query_scalar(sql).fetch_one(read).await.unwrap(),
            Pools::Postgres(pool) => sqlx::query_scalar(sql).fetch_one(pool).await.unwrap(),
        }
    }
}
