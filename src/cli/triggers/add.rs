//! `clifford triggers add`.

use clifford_core::{
    id::{AgentId, ChannelId},
    people::User,
    schedule::{
        cron,
        phrase::{self as when, Schedule},
        trigger::{CatchUp, TriggerKind},
    },
};
use clifford_engine::{models::encryption::Encryption, triggers::webhook};
use clifford_store::{
    Conn,
    places::{agents, channels},
    triggers,
};
use clifford_tools::triggers::editing::NewTrigger;
use serde_json::{Value, json};

use super::next;
use crate::cli::{
    ids::{self, IdArg},
    output::{self, Format},
    people,
    setup::{self, Globals},
};

/// Arguments of `triggers add`.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The prompt of a run, or the text of a reminder.
    content: String,
    /// Send the text as it is, without a model.
    #[arg(long)]
    reminder: bool,
    /// The time: "in 20 minutes", "tomorrow at 8", "every weekday at 8", 2030-01-02T15:04:05, or a cron expression.
    #[arg(
        long,
        alias = "cron",
        required_unless_present = "webhook",
        conflicts_with = "webhook"
    )]
    when: Option<String>,
    /// How often from then on, if --when does not say it: daily, weekdays, "every 2 hours", or a cron expression.
    #[arg(long, requires = "when")]
    repeat: Option<String>,
    /// A signed request to /api/hooks/NAME fires it.
    #[arg(long, value_name = "NAME", conflicts_with = "reminder")]
    webhook: Option<String>,
    /// Name of the trigger: a-z, 0-9, - and _.
    #[arg(long, conflicts_with = "webhook")]
    name: Option<String>,
    /// The channel of the answer: its id, as `clifford channels list` shows it, or its beginning.
    #[arg(long)]
    channel: Option<IdArg<ChannelId>>,
    /// The person: an id, `platform:account`, or a name that nobody else has.
    #[arg(long)]
    user: Option<String>,
    /// The agent that answers: its id, as `clifford agents list` shows it, or its beginning [default: the channel's
    /// agent].
    #[arg(long)]
    agent: Option<IdArg<AgentId>>,
    /// The time zone of --when, such as Europe/Berlin [default: the person's, else engine.time_zone].
    #[arg(long)]
    time_zone: Option<String>,
    /// Treatment of due times that pass while the bot is down: once or skip [default: triggers.catch_up].
    #[arg(long)]
    catch_up: Option<CatchUp>,
    #[command(flatten)]
    format: Format,
}

pub(super) async fn run(globals: &Globals, args: Args) -> anyhow::Result<()> {
    let (loaded, secrets) = globals.load_with_secrets()?;
    let db = globals.database().await?;
    let now = setup::now();
    let mut conn = db.read().await?;
    let References { user, channel, agent } = references(&mut conn, &args).await?;
    drop(conn);
    let zone = (args.time_zone)
        .or_else(|| user.as_ref().and_then(|user| user.time_zone.clone()))
        .unwrap_or_else(|| loaded.config.engine.time_zone.clone());
    let schedule = match &args.when {
        Some(when) => {
            let calendar = cron::zone(&zone).map_err(anyhow::Error::msg)?;
            Some(when::read(when, args.repeat.as_deref(), &calendar, now).map_err(anyhow::Error::msg)?)
        }
        None => None,
    };
    let (at, cron) = schedule.map_or((None, None), |Schedule { at, cron }| (Some(at), cron));
    let new = NewTrigger {
        kind: if args.reminder {
            TriggerKind::Reminder
        } else {
            TriggerKind::Run
        },
        webhook: args.webhook.is_some(),
        name: args.webhook.or(args.name),
        content: args.content,
        agent_id: agent,
        channel_id: channel,
        user_id: user.map(|user| user.id),
        context_id: None,
        at,
        cron,
        time_zone: zone,
        catch_up: args.catch_up.unwrap_or(loaded.config.triggers.catch_up),
        created_by: "command line".to_owned(),
    };
    let trigger = new.into_trigger(now)?;
    let secret = trigger.webhook.then(webhook::new_secret);
    let kept = match &secret {
        Some(secret) => {
            let encryption = Encryption::new(secrets.encryption_key, &loaded.data_dir, secrets.masker);
            Some(webhook::encrypt(&encryption, trigger.id, secret)?)
        }
        None => None,
    };
    let stored = trigger.clone();
    db.write(move |tx| {
        Box::pin(async move {
            triggers::insert(tx, &stored, None).await?;
            match &kept {
                Some(secret) => triggers::put_secret(tx, stored.id, secret).await,
                None => Ok(()),
            }
        })
    })
    .await
    .map_err(|error| name_taken(error, trigger.name.as_deref()))?;
    db.close().await;
    if args.format.json {
        let mut shown = serde_json::to_value(&trigger)?;
        if let Some(secret) = secret {
            shown["secret"] = Value::String(secret);
        }
        return output::json(&json!(shown));
    }
    let mut lines = vec![format!("{}: {}", trigger.id, next(&trigger))];
    if let (Some(secret), Some(name)) = (secret, &trigger.name) {
        lines.push(format!(
            "\nPOST /api/hooks/{name}, signed by this secret. This is the only time that it is shown:\n\n{secret}\n"
        ));
        lines.push("docs/how-to/webhooks.md tells how to sign.".to_owned());
    }
    output::print(&lines.join("\n"))
}

/// The things that a new trigger refers to.
struct References {
    user: Option<User>,
    channel: Option<ChannelId>,
    agent: Option<AgentId>,
}

/// Finds what the new trigger refers to.
async fn references(conn: &mut Conn, args: &Args) -> anyhow::Result<References> {
    let channel = ids::optional(conn, args.channel.as_ref()).await?;
    if let Some(id) = channel
        && channels::get(conn, id).await?.is_none()
    {
        anyhow::bail!("there is no channel {id}; `clifford channels list` shows them");
    }
    let agent = ids::optional(conn, args.agent.as_ref()).await?;
    if let Some(id) = agent
        && agents::get(conn, id).await?.is_none()
    {
        anyhow::bail!("there is no agent {id}; `clifford agents list` shows them");
    }
    let user = match &args.user {
        Some(user) => Some(people::find(conn, user).await?),
        None => None,
    };
    Ok(References { user, channel, agent })
}

fn name_taken(error: clifford_store::StoreError, name: Option<&str>) -> anyhow::Error {
    match (&error, name) {
        (clifford_store::StoreError::Conflict(_), Some(name)) => {
            anyhow::anyhow!("there is a trigger called {name} already; `clifford triggers show {name}` shows it")
        }
        _ => error.into(),
    }
}
