//! `reminders`: texts that a person gets later, without a model.

use clifford_core::{
    clock::Timestamp,
    id::{ChannelId, UserId},
    policy::{class::Class, sources},
    run::undo::{KeptReminder, Undo},
    schedule::{
        cron, phrase as when,
        trigger::{Trigger, TriggerKind},
    },
};
use clifford_store::{StoreError, places::channels, runs::approvals, triggers};
use clifford_text::Lang;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{Command, Tool, ToolContext, ToolError};
use crate::triggers::reminders;

#[derive(Deserialize, JsonSchema)]
struct SetArgs {
    /// The text of the reminder, as it is to be said to the person.
    text: String,
    /// When, as the person said it: `in 20 minutes`, `tomorrow at 8`, `every weekday at 8`, `jeden Werktag um 8`, or
    /// `2030-01-02T15:04:05`, by their own time zone.
    when: String,
    /// How often from then on, if `when` does not say it: `daily`, `weekdays`, `every 2 hours`, or a cron expression.
    repeat: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
struct ListArgs {}

#[derive(Deserialize, JsonSchema)]
struct UpdateArgs {
    /// The reminder's id, or words that only it has.
    id: String,
    /// The new text of the reminder.
    text: Option<String>,
    /// When from now on. An hour alone keeps the days on which it is repeated, a day alone its hour.
    when: Option<String>,
    /// How often from now on; `none`: once more only.
    repeat: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
struct RemoveArgs {
    /// The reminder's id, or words that only it has.
    id: String,
}

/// Limits of reminders.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
struct Config {
    /// The most reminders of one person.
    #[schemars(range(min = 1, max = 10_000))]
    max_per_user: usize,
    /// The most characters of a reminder.
    #[schemars(range(min = 1, max = 4000))]
    max_characters: usize,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            max_per_user: 50,
            max_characters: 500,
        }
    }
}

#[derive(Serialize)]
struct Reminder {
    id: String,
    text: String,
    /// By the person's calendar.
    next: Option<String>,
    time_zone: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    repeats: Option<String>,
}

#[derive(Serialize)]
struct Reminders {
    reminders: Vec<Reminder>,
}

#[derive(Serialize)]
struct Removed {
    removed: Reminder,
}

pub(super) fn tool() -> Tool {
    Tool::new("reminders", "⏰", "tell the user something later")
        .config::<Config>()
        .command(
            Command::new("set", "{text, when}: when as they said", Class::Write, set)
                .about("Reminds the user, where they are now. `when` is read in the person's own language, and may repeat.")
                .example(json!({ "text": "stretch", "when": "every weekday at 8" }))
                .idempotent()
                .exposes_errors(),
        )
        .command(Command::new("list", "what is set", Class::Read, list))
        .command(
            Command::new("update", "{id, text?, when?}: change it", Class::Write, update)
                .example(json!({ "id": "3fa9c1", "when": "every weekday at 9" }))
                .exposes_errors(),
        )
        .command(
            // A reminder is quickly set again, so this needs no confirmation as destroying something does.
            Command::new("remove", "{id}: take it back", Class::Write, remove)
                .example(json!({ "id": "3fa9c1" }))
                .exposes_errors(),
        )
}

impl Reminder {
    fn of(trigger: &Trigger) -> Self {
        Self {
            id: reminders::short_id(trigger),
            text: trigger.content.clone(),
            next: reminders::next(trigger, Lang::English),
            time_zone: trigger.time_zone.clone(),
            repeats: reminders::repeats(trigger, Lang::English),
        }
    }
}

fn person(cx: &ToolContext) -> Result<UserId, ToolError> {
    cx.user
        .ok_or_else(|| ToolError::TellModel("this run has no user to remind".to_owned()))
}

/// Refusals of the store that concern the request are returned; other errors are not the model's to mend.
fn tool_error(error: StoreError) -> ToolError {
    match error {
        StoreError::WrongState(why) => ToolError::TellModel(why),
        other => other.into(),
    }
}

fn checked(text: &str, config: &Config) -> Result<String, ToolError> {
    let text = text.trim();
    let most = config.max_characters;
    match text.chars().count() {
        0 => Err(ToolError::TellModel("text is empty: say what to remind of".to_owned())),
        count if count > most => Err(ToolError::TellModel(format!("text is longer than {most} characters"))),
        _ => Ok(text.to_owned()),
    }
}

fn scheduled(when: &str, repeat: Option<&str>, time_zone: &str, now: Timestamp) -> Result<when::Schedule, ToolError> {
    let zone = cron::zone(time_zone).map_err(ToolError::TellModel)?;
    when::read(when, repeat, &zone, now).map_err(ToolError::TellModel)
}

/// The channel in which a reminder that is set here is said; `None`: where its person spoke in private last.
async fn said_in(cx: &ToolContext, user: UserId) -> Result<Option<ChannelId>, ToolError> {
    let mut conn = cx.db.read().await?;
    let here = match cx.place {
        Some((id, _)) => channels::get(&mut conn, id).await?,
        None => None,
    };
    if let Some(here) = here.filter(|here| !here.only_answers()) {
        return Ok(Some(here.id));
    }
    match channels::last_private(&mut conn, user).await? {
        Some(_) => Ok(None),
        None => Err(ToolError::TellModel(
            "there is no chat with this user where it could be said".to_owned(),
        )),
    }
}

async fn set(cx: ToolContext, args: SetArgs) -> Result<Reminder, ToolError> {
    let user = person(&cx)?;
    let config = cx.config::<Config>("reminders")?;
    let text = checked(&args.text, &config)?;
    let now = cx.clock.now();
    let schedule = scheduled(&args.when, args.repeat.as_deref(), &cx.time_zone, now)?;
    let place = said_in(&cx, user).await?;
    let trigger = Trigger {
        user_id: Some(user),
        channel_id: place,
        content: text,
        cron: schedule.cron,
        time_zone: cx.time_zone.clone(),
        next_at: Some(schedule.at),
        catch_up: cx.catch_up,
        created_by: Some(format!("run {}", cx.run)),
        ..Trigger::new(TriggerKind::Reminder, now)
    };
    let (key, most) = (cx.idempotency_key.clone(), config.max_per_user);
    let stored = cx
        .db
        .write(move |tx| {
            Box::pin(async move {
                let stored = triggers::insert(tx, &trigger, Some(&key)).await?;
                reminders::within(tx, user, most).await?;
                Ok(stored)
            })
        })
        .await
        .map_err(tool_error)?;
    cx.services.notify.notify_one();
    cx.undoable(Undo::ReminderSet {
        now: KeptReminder::of(&stored),
    });
    Ok(Reminder::of(&stored))
}

/// A reminder of a run that had read words from outside may say the same.
async fn mark<'a>(cx: &ToolContext, told: impl IntoIterator<Item = &'a Trigger>) -> Result<(), StoreError> {
    let runs: Vec<_> = (told.into_iter())
        .filter_map(|trigger| trigger.created_by.as_deref()?.strip_prefix("run ")?.parse().ok())
        .collect();
    if approvals::any_is_tainted(&mut cx.db.read().await?, &runs).await? {
        cx.came_from(sources::REMINDER);
    }
    Ok(())
}

async fn visible(cx: &ToolContext, user: UserId) -> Result<Vec<Trigger>, ToolError> {
    let channel = cx.place.map(|(channel, _)| channel);
    Ok(reminders::visible(&mut cx.db.read().await?, user, cx.viewer, channel).await?)
}

async fn list(cx: ToolContext, _: ListArgs) -> Result<Reminders, ToolError> {
    let user = person(&cx)?;
    let all = visible(&cx, user).await?;
    mark(&cx, &all).await?;
    Ok(Reminders {
        reminders: all.iter().map(Reminder::of).collect(),
    })
}

async fn update(cx: ToolContext, args: UpdateArgs) -> Result<Reminder, ToolError> {
    let user = person(&cx)?;
    let config = cx.config::<Config>("reminders")?;
    let all = visible(&cx, user).await?;
    let mut trigger = reminders::find(&all, &args.id).map_err(ToolError::TellModel)?.clone();
    let before = KeptReminder::of(&trigger);
    mark(&cx, [&trigger]).await?;
    if args.text.is_none() && args.when.is_none() && args.repeat.is_none() {
        let why = "nothing is to change: give text, when or repeat".to_owned();
        return Err(ToolError::TellModel(why));
    }
    let now = cx.clock.now();
    if let Some(text) = &args.text {
        trigger.content = checked(text, &config)?;
    }
    if args.when.is_some() || args.repeat.is_some() {
        let schedule = match (trigger.cron.as_deref(), &args.when, args.repeat.as_deref()) {
            (Some(cron), Some(when), None) => {
                let zone = cron::zone(&cx.time_zone).map_err(ToolError::TellModel)?;
                when::again(cron, when, &zone, now).map_err(ToolError::TellModel)?
            }
            (_, when, repeat) => {
                let before = trigger.next_at.map(|at| at.to_string()).unwrap_or_default();
                scheduled(when.as_ref().unwrap_or(&before), repeat, &cx.time_zone, now)?
            }
        };
        (trigger.next_at, trigger.cron) = (Some(schedule.at), schedule.cron);
        trigger.time_zone.clone_from(&cx.time_zone);
    }
    let stored = trigger.clone();
    let there = cx
        .db
        .write(move |tx| Box::pin(async move { triggers::update(tx, &stored, now).await }))
        .await?;
    if !there {
        return Err(ToolError::TellModel(
            "it is gone by now; reminders.list shows what is set".to_owned(),
        ));
    }
    cx.services.notify.notify_one();
    cx.undoable(Undo::ReminderChanged {
        before,
        now: KeptReminder::of(&trigger),
    });
    Ok(Reminder::of(&trigger))
}

async fn remove(cx: ToolContext, args: RemoveArgs) -> Result<Removed, ToolError> {
    let user = person(&cx)?;
    let all = visible(&cx, user).await?;
    let trigger = reminders::find(&all, &args.id).map_err(ToolError::TellModel)?;
    let id = trigger.id;
    mark(&cx, [trigger]).await?;
    cx.db.write(move |tx| Box::pin(triggers::delete(tx, id))).await?;
    cx.undoable(Undo::ReminderRemoved {
        before: KeptReminder::of(trigger),
    });
    Ok(Removed {
        removed: Reminder::of(trigger),
    })
}
