//! The end of `clifford init`: the bot runs here until its owner has written to it and was answered.

use std::time::Duration;

use clifford_config::{Loaded, Secrets};
use clifford_core::{
    clock::Timestamp,
    messages::{Direction, MessageStatus},
};
use clifford_store::{
    Db, StoreError,
    messages::{self, Message},
    people::{claim, users},
};
use clifford_telemetry as telemetry;
use clifford_worker::Workers;
use inquire::Confirm;
use tokio::signal::unix::SignalKind;

use super::{answers::Answers, questions::prompt, say};
use crate::{
    app::{App, Options},
    cli::{
        interrupt, output,
        serve::Stops,
        setup::{self, Globals},
    },
};

/// How often it is looked whether somebody wrote.
const LOOK: Duration = Duration::from_millis(300);
/// How many of the newest messages are looked at.
const NEWEST: u32 = 20;
/// The most characters that are shown of an answer.
const SHOWN: usize = 200;

/// Runs the bot until it has answered the first message, if its owner wants that. `false`: it was not run.
///
/// # Errors
/// The bot cannot be started, or its database does not answer.
pub(super) async fn wait(globals: &Globals, answers: &Answers) -> anyhow::Result<bool> {
    let loaded = globals.load()?;
    if answers.connections.is_empty() || setup::is_held(&loaded) {
        return Ok(false);
    }
    // A variable that is not set yet: the owner is told to set it.
    let Ok(secrets) = loaded.secrets(&setup::environment()) else {
        return Ok(false);
    };
    let question = "Start the bot now, and wait for your first message?";
    if !prompt(|| Confirm::new(question).with_default(true).prompt()).unwrap_or(false) {
        return Ok(false);
    }
    telemetry::init_quiet(&loaded.config.log, &secrets.masker)?;
    let mut stops = Stops::listen()?;
    interrupt::handle(&[SignalKind::interrupt(), SignalKind::terminate()]);
    let app = start(&loaded, &secrets).await?;
    let talked = tokio::select! {
        talked = talk(&app, answers) => talked,
        () = stops.next() => Ok(false),
    };
    app.shutdown().await;
    let flag = match &globals.config {
        Some(path) if path.as_path() != std::path::Path::new("bot.toml") => format!("--config {} ", path.display()),
        _ => String::new(),
    };
    let how = if talked? {
        "\nEverything works."
    } else {
        "\nThe bot is stopped."
    };
    say(&format!(
        "{how} `clifford {flag}serve` runs it, `clifford {flag}service install` keeps it running."
    ))?;
    Ok(true)
}

async fn start(loaded: &Loaded, secrets: &Secrets) -> anyhow::Result<App> {
    let options = Options {
        channels: true,
        workers: true,
        worker_processes: Workers::of_this_program(),
        ..Options::default()
    };
    setup::start(loaded, secrets, options).await
}

/// Goes with the owner through the first conversation.
async fn talk(app: &App, answers: &Answers) -> anyhow::Result<bool> {
    let began = setup::now();
    let bots: Vec<_> = answers
        .connections
        .iter()
        .map(|connection| {
            let title = connection.row.about.title;
            match &connection.bot {
                Some(bot) => format!("{} on {title}", bot.name),
                None => format!("the bot on {title}"),
            }
        })
        .collect();
    let bots = bots.join(" or ");
    let has_owner = users::has_owner(&mut app.db.read().await?).await?;
    if answers.pairs() && !has_owner {
        let code = app.db.write(move |tx| Box::pin(claim::make(tx, began))).await?;
        let code = code.unwrap_or_default();
        say(&format!(
            "\nSend this code to {bots}, in a private chat, to become its owner:\n\n  {code}"
        ))?;
        say("\nWaiting for it; Ctrl-C leaves.")?;
        until(async || Ok(users::has_owner(&mut app.db.read().await?).await?.then_some(()))).await?;
        say("  ✓ you are its owner\n\nNow say hello to it.")?;
    } else {
        say(&format!("\nWrite something to {bots}; Ctrl-C leaves."))?;
    }
    let answer = until(async || newest_answer(&app.db, began).await).await?;
    say(&format!("  ✓ it answered: {}", output::head(&answer.content, SHOWN)))?;
    Ok(true)
}

/// Waits for something to be there.
async fn until<T>(mut find: impl AsyncFnMut() -> Result<Option<T>, StoreError>) -> Result<T, StoreError> {
    loop {
        if let Some(found) = find().await? {
            return Ok(found);
        }
        tokio::time::sleep(LOOK).await;
    }
}

/// The first answer of a run that has arrived since then.
async fn newest_answer(db: &Db, since: Timestamp) -> Result<Option<Message>, StoreError> {
    let newest = messages::page(&mut db.read().await?, None, None, None, NEWEST).await?;
    let arrived = |message: &Message| {
        message.direction == Direction::Outbound
            && message.status == MessageStatus::Delivered
            && message.run_id.is_some()
            && message.created_at >= since
    };
    Ok(newest.into_iter().rev().find(arrived))
}
