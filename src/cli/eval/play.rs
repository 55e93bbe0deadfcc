//! One golden task, through the real engine: a new database, the items known before, the turns, then a look at it all.

use std::time::{Duration, Instant};

use anyhow::{Context, anyhow, bail};
use clifford_chat::{
    inbound::{Place, PlaceKind, Speaker},
    platform::Platform,
};
use clifford_core::{
    id::{RunId, UserId},
    memory::content::Content,
    people::UserRole,
    run::step::ToolOutcome,
    runs::{Run, RunStatus},
};
use clifford_engine::{
    by_hand,
    memory::editing::{self, NewItem},
};
use clifford_ingress::ApiMessage;
use clifford_store::{people::users, runs::steps};
use clifford_worker::Workers;

use super::{
    Score, Task,
    checks::{self, Played},
};
use crate::{
    app::{App, Options},
    cli::{
        ask,
        setup::{self, Globals},
    },
};

/// How long one turn may take.
const PATIENCE: Duration = Duration::from_secs(300);
/// How often a run is looked at: one that sleeps is not waited for.
const LOOK: Duration = Duration::from_millis(200);

/// Plays a task and scores it.
///
/// # Errors
/// It could not be played at all: the settings, the database.
pub(super) async fn task(globals: &Globals, provider: Option<&str>, task: &Task) -> anyhow::Result<Score> {
    let dir = tempfile::tempdir().context("no directory for a database can be made")?;
    let app = start(globals, provider, dir.path()).await?;
    let began = Instant::now();
    let played = Box::pin(play(&app, task)).await;
    app.shutdown().await;
    let (played, tokens) = played?;
    let faults = checks::faults(&task.expect, &played);
    Ok(Score {
        name: task.name.clone(),
        passed: faults.is_empty(),
        faults,
        tool_calls: played.calls.iter().map(|(name, _)| name.clone()).collect(),
        model_calls: played.model_calls,
        answer: played.answer,
        tokens,
        seconds: began.elapsed().as_secs_f64(),
    })
}

/// An engine of its own: the settings as they are, but for where things are kept, and the provider.
async fn start(globals: &Globals, provider: Option<&str>, dir: &std::path::Path) -> anyhow::Result<App> {
    let mut globals = globals.clone();
    globals.set.extend([
        ("data.dir".to_owned(), dir.display().to_string()),
        (
            "database.url".to_owned(),
            format!("sqlite:{}", dir.join("eval.db").display()),
        ),
    ]);
    let (mut loaded, secrets) = globals.load_with_secrets()?;
    if let Some(name) = provider {
        let providers = &mut loaded.config.llm.providers;
        let names: Vec<_> = providers.iter().map(|provider| provider.name.clone()).collect();
        providers.retain(|provider| provider.name == name);
        if providers.is_empty() {
            bail!("there is no provider `{name}`; there are {}", names.join(", "));
        }
    }
    let options = Options {
        workers: true,
        worker_processes: Workers::of_this_program(),
        ..Options::default()
    };
    setup::start(&loaded, &secrets, options).await
}

fn speaker() -> Speaker {
    Speaker {
        id: "eval".to_owned(),
        name: "Ada".to_owned(),
        handle: None,
        is_bot: false,
        language: None,
        roles: None,
    }
}

async fn play(app: &App, task: &Task) -> anyhow::Result<(Played, i64)> {
    let user = person(app, task).await?;
    let (mut played, mut tokens) = (Played::default(), 0);
    for turn in &task.turns {
        let run = wait_for_end(app, say(app, turn).await?).await?;
        let steps = steps::of_run(&mut app.db.read().await?, run.id).await?;
        played.answer = ask::answers(&steps).join("\n\n");
        played.take_calls(&steps);
        played.model_calls += run.llm_calls;
        tokens += run.prompt_tokens + run.completion_tokens;
    }
    for reading in &task.expect.afterwards {
        let outcome = by_hand::call(&app.runs, &reading.name, reading.args.clone(), Some(user)).await;
        played.readings.push(match outcome {
            Ok(ToolOutcome::Success { result }) => Ok(result.to_string()),
            Ok(ToolOutcome::Failure { error, .. }) => Err(error),
            Err(error) => Err(error.to_string()),
        });
    }
    Ok((played, tokens))
}

/// The person, with what is known of them.
async fn person(app: &App, task: &Task) -> anyhow::Result<UserId> {
    let now = app.clock.now();
    let made = app.db.write(move |tx| {
        Box::pin(async move { users::find_or_create(tx, Platform::WEB, &speaker(), UserRole::Member, now).await })
    });
    let user = made.await?.id;
    for known in &task.memory {
        let content = Content {
            module: known.module.clone(),
            key: known.key.clone(),
            value: known.value.clone(),
            level: known.level,
            confidence: 1.0,
        };
        let new = NewItem {
            user,
            content,
            shareable: false,
            pinned: false,
        };
        app.db
            .write(move |tx| Box::pin(async move { editing::add(tx, new, now).await }))
            .await?
            .map_err(|fault| anyhow!("{}: memory: {fault}", task.name))?;
    }
    Ok(user)
}

/// The person says something.
async fn say(app: &App, text: &str) -> anyhow::Result<RunId> {
    let message = ApiMessage {
        files: Vec::new(),
        place: Place {
            platform: Platform::WEB,
            external_id: "eval".to_owned(),
            parent: None,
            kind: PlaceKind::Private,
            name: Some("eval".to_owned()),
            space: None,
        },
        speaker: speaker(),
        text: text.to_owned(),
        key: None,
        context: None,
        mode: None,
        reply_to: None,
        is_limited: false,
    };
    let accepted = app.ingress.api_message(message).await?;
    accepted.run.context("the message waits for another run")
}

/// The run once it has ended, or sleeps.
async fn wait_for_end(app: &App, id: RunId) -> anyhow::Result<Run> {
    let deadline = Instant::now() + PATIENCE;
    loop {
        let run = app.runs.wait_for_end(id, LOOK).await?;
        let sleeps = run.status == RunStatus::Waiting && run.wake_at.is_some();
        if run.status.is_ended() || sleeps {
            return Ok(run);
        }
        if Instant::now() > deadline {
            return Ok(app.runs.cancel(id).await?);
        }
    }
}
