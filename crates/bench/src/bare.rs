//! The bare loop: the same calls and the same commits as Clifford makes for a message, and nothing else.
//!
//! getUpdates → commit → chat/completions → commit → sendMessage → commit. Commits that are ready at the
//! same moment share one, and an update is confirmed by the first poll after its commit, as in Clifford.
//! It knows no person, no conversation, no run; after a crash it would know nothing.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use anyhow::Context;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sqlx::Connection;
use sqlx_sqlite::{SqliteConnectOptions, SqliteConnection, SqliteJournalMode, SqliteSynchronous};
use tokio::{
    sync::{mpsc, oneshot},
    task::JoinSet,
};

use crate::{
    replies::{answer, number_in},
    world::Bodies,
};

/// The most commits that become one, as in Clifford.
const BATCH: usize = 64;

/// The orders of a bare loop.
#[derive(Debug, Serialize, Deserialize)]
pub struct Orders {
    /// Where Telegram's methods are.
    pub telegram: String,
    /// Where the model is.
    pub model: String,
    /// The database, made if it is not there.
    pub database: PathBuf,
    /// The bodies to send.
    pub bodies: Bodies,
}

struct Bare {
    orders: Orders,
    http: reqwest::Client,
    writer: mpsc::Sender<Write>,
}

/// One row's commit, and whom to tell of it.
struct Write {
    sql: &'static str,
    update: i64,
    text: String,
    done: oneshot::Sender<()>,
}

const ACCEPTED: &str = "INSERT INTO messages (id, question, state) VALUES ($1, $2, 'accepted')";
const ANSWERED: &str = "UPDATE messages SET answer = $2, state = 'answered' WHERE id = $1";
const DELIVERED: &str = "UPDATE messages SET receipt = $2, state = 'delivered' WHERE id = $1";

/// Runs until it is killed.
///
/// # Errors
/// A call or a commit fails.
pub async fn run(orders: &Path) -> anyhow::Result<()> {
    let orders: Orders = serde_json::from_slice(&std::fs::read(orders)?)?;
    let database = SqliteConnectOptions::new()
        .filename(&orders.database)
        .create_if_missing(true)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(SqliteSynchronous::Full);
    let mut database = SqliteConnection::connect_with(&database).await?;
    sqlx::query(
        "CREATE TABLE IF NOT EXISTS messages \
         (id BIGINT PRIMARY KEY, question TEXT, answer TEXT, receipt TEXT, state TEXT)",
    )
    .execute(&mut database)
    .await?;
    let (writer, writes) = mpsc::channel(4096);
    let http = reqwest::Client::builder().tcp_nodelay(true).build()?;
    let bare = Arc::new(Bare { orders, http, writer });
    let mut tasks = JoinSet::new();
    tasks.spawn(write(database, writes));
    tasks.spawn(poll(bare));
    match tasks.join_next().await {
        Some(ended) => ended?,
        None => Ok(()),
    }
}

async fn write(mut database: SqliteConnection, mut writes: mpsc::Receiver<Write>) -> anyhow::Result<()> {
    let mut batch = Vec::with_capacity(BATCH);
    while writes.recv_many(&mut batch, BATCH).await > 0 {
        let mut tx = database.begin_with("BEGIN IMMEDIATE").await?;
        for write in &batch {
            sqlx::query(write.sql)
                .bind(write.update)
                .bind(&write.text)
                .execute(&mut *tx)
                .await?;
        }
        tx.commit().await?;
        for write in batch.drain(..) {
            write.done.send(()).ok();
        }
    }
    Ok(())
}

async fn poll(bare: Arc<Bare>) -> anyhow::Result<()> {
    let mut tasks = JoinSet::new();
    let mut params = bare.orders.bodies.poll.clone();
    loop {
        while let Some(ended) = tasks.try_join_next() {
            let ended: anyhow::Result<()> = ended?;
            ended?;
        }
        let answer = bare.telegram("GetUpdates", &params).await?;
        let updates = answer["result"].as_array().map(Vec::as_slice).unwrap_or_default();
        let mut accepted = Vec::with_capacity(updates.len());
        for update in updates {
            let id = update["update_id"].as_i64().unwrap_or_default();
            params["offset"] = json!(id + 1);
            let (done, committed) = oneshot::channel();
            tasks.spawn(Arc::clone(&bare).answer(update.clone(), done));
            accepted.push(committed);
        }
        for committed in accepted {
            committed.await.context("an update was not committed")?;
        }
    }
}

impl Bare {
    async fn answer(self: Arc<Self>, update: Value, accepted: oneshot::Sender<()>) -> anyhow::Result<()> {
        let Bodies {
            model_head,
            model_tail,
            send,
            ..
        } = &self.orders.bodies;
        let id = update["update_id"].as_i64().unwrap_or_default();
        let message = &update["message"];
        let text = message["text"].as_str().unwrap_or_default();
        let number = number_in(text).unwrap_or_default();
        self.commit(ACCEPTED, id, text.to_owned()).await?;
        accepted.send(()).ok();
        let reply = self
            .http
            .post(&self.orders.model)
            .header("content-type", "application/json")
            .body(format!("{model_head}{number}{model_tail}"))
            .send()
            .await?
            .error_for_status()?
            .text()
            .await?;
        anyhow::ensure!(reply.contains("send_message"), "the model did not answer: {reply}");
        self.commit(ANSWERED, id, reply).await?;
        let mut params = send.clone();
        params["chat_id"] = message["chat"]["id"].clone();
        params["text"] = json!(answer(number));
        params["reply_parameters"]["message_id"] = message["message_id"].clone();
        let sent = self.telegram("SendMessage", &params).await?;
        self.commit(DELIVERED, id, sent["result"]["message_id"].to_string())
            .await
    }

    async fn telegram(&self, method: &str, params: &Value) -> anyhow::Result<Value> {
        let answer = self
            .http
            .post(format!("{}/{method}", self.orders.telegram))
            .timeout(Duration::from_secs(60))
            .json(params)
            .send()
            .await?
            .error_for_status()?
            .bytes()
            .await?;
        Ok(serde_json::from_slice(&answer)?)
    }

    async fn commit(&self, sql: &'static str, update: i64, text: String) -> anyhow::Result<()> {
        let (done, committed) = oneshot::channel();
        let write = Write {
            sql,
            update,
            text,
            done,
        };
        self.writer.send(write).await.context("the writer has ended")?;
        committed.await.context("the writer has ended")
    }
}
