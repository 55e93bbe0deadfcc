//! A question to the server: it begins the run and tells when that ends. Should it end before the run does, the rows are
//! followed.

use clifford_config::Loaded;
use clifford_core::{id::RunId, run::step::Step, runs::Run};
use clifford_store::{
    Db,
    places::agents,
    runs::{steps, views},
};
use futures::StreamExt;
use reqwest::Method;
use serde::Deserialize;
use serde_json::json;
use tokio::signal::unix::{Signal, SignalKind, signal};

use super::{follow, masked};
use crate::cli::{local, server::Server, setup};

/// A run that was begun.
#[derive(Deserialize)]
struct Begun {
    id: RunId,
}

/// An event of a run; only its end matters here.
#[derive(Deserialize)]
struct Event {
    event: String,
}

pub(super) async fn ask(loaded: &Loaded, server: &Server, question: &str) -> anyhow::Result<(Run, Vec<Step>)> {
    let db = setup::database_or_new(loaded).await?;
    let user = local::meet(&db, setup::now()).await?;
    let agent = agents::for_channel(&mut db.read().await?, None).await?;
    let asked = json!({
        "inputText": masked(loaded, question), "userId": user.id, "mode": agent.map(|agent| agent.mode),
    });
    // From now on Ctrl-C stops the run.
    let interrupts = signal(SignalKind::interrupt())?;
    let begun: Begun = server.ask_for(Method::POST, "/api/runs", Some(asked)).await?;
    let run = begun.id;
    if !until_done(server, run, interrupts).await {
        return follow(loaded, db, run).await;
    }
    let ended = ended(&db, run).await?;
    match ended {
        Some(ended) => {
            db.close().await;
            Ok(ended)
        }
        None => follow(loaded, db, run).await,
    }
}

/// Waits for the end of a run; Ctrl-C cancels it. `false`: the server ended first.
async fn until_done(server: &Server, run: RunId, mut interrupts: Signal) -> bool {
    let Ok(mut events) = server.events::<Event>(&format!("/api/runs/{run}/stream")).await else {
        return false;
    };
    loop {
        tokio::select! {
            event = events.next() => match event {
                Some(event) if event.event == "done" => return true,
                Some(_) => {}
                None => return false,
            },
            _ = interrupts.recv() => {
                let cancel = format!("/api/runs/{run}/cancel");
                // It may have ended meanwhile, and its stream tells that.
                server.ask(Method::POST, &cancel, None).await.ok();
            }
        }
    }
}

/// A run that has ended, with its steps.
async fn ended(db: &Db, run: RunId) -> anyhow::Result<Option<(Run, Vec<Step>)>> {
    let mut conn = db.read().await?;
    let found = views::get(&mut conn, run, setup::now()).await?;
    match found.filter(|run| run.status.is_ended()) {
        Some(found) => Ok(Some((found, steps::of_run(&mut conn, run).await?))),
        None => Ok(None),
    }
}
