//! Fires triggers: the claim of a due time and its effects are one commit, so nothing fires twice or is lost.

mod suspects;

use std::{sync::Arc, time::Duration};

use clifford_core::{
    clock::Timestamp,
    id::{RunId, TriggerId},
    places::{Channel, Mode},
    schedule::{
        due as schedule,
        trigger::{Due, Trigger, TriggerKind},
    },
};
use clifford_delivery::outbound::{Outbound, PendingDelivery, To};
use clifford_store::{
    Db, StoreError, Tx,
    db::notify,
    messages,
    people::{reading, users},
    places::{agents, channels},
    runs, triggers,
};
use clifford_telemetry::{failpoint as crash, measures};
use clifford_text::{Answer, Lang};
use clifford_vault::Masker;
use serde_json::{Value, json};

use crate::{Context, run::follow_up::lane_in, work::Task};

/// How many triggers are looked up at once.
const BATCH: u32 = 200;

/// The result of a firing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fired {
    /// The message to be delivered, if this process delivers it.
    pub pending: Option<PendingDelivery>,
    /// The new run; its first claim begins it.
    pub run: Option<RunId>,
    /// Why it came to nothing, if it did.
    pub error: Option<String>,
}

/// Fires everything that is due, and returns how much that was. Safe to call from several processes: a due time is
/// whose row says so first.
pub async fn fire_due(cx: &Arc<Context>, now: Timestamp) -> Result<usize, StoreError> {
    let (mut count, mut last) = (0, None);
    loop {
        let due = triggers::due(&mut cx.db.read().await?, now, last, BATCH).await?;
        let found = due.len();
        // A trigger that waits for its conversation does not hold up those that came due later.
        last = due.last().and_then(Trigger::due);
        count += suspects::fire_page(cx, due, now).await?;
        if found < usize::try_from(BATCH).unwrap_or(usize::MAX) {
            return Ok(count);
        }
    }
}

/// Fires one that was found to be due, in a transaction of its own: one that is refused does not hold up the others.
/// `false`: it has not fired.
async fn try_to_fire(cx: &Arc<Context>, trigger: &Trigger, now: Timestamp) -> Result<bool, StoreError> {
    match fire(cx, trigger, now).await {
        Ok(fired) => return Ok(fired),
        Err(StoreError::Conflict(error)) => {
            tracing::debug!(trigger_id = %trigger.id, error, "trigger waits for its conversation");
            waits(&cx.db, trigger).await?;
        }
        Err(error) => tracing::warn!(trigger_id = %trigger.id, %error, "failed to fire a trigger, retrying"),
    }
    Ok(false)
}

/// A due time that was not missed is none later on, however long its conversation is busy.
async fn waits(db: &Db, trigger: &Trigger) -> Result<(), StoreError> {
    match trigger.due() {
        Some(due) if trigger.waiting_at != Some(due.at) => db.write(move |tx| Box::pin(triggers::waits(tx, due))).await,
        _ => Ok(()),
    }
}

/// Fires one that was found to be due. `false`: somebody else did, or its time was missed.
async fn fire(cx: &Arc<Context>, trigger: &Trigger, now: Timestamp) -> Result<bool, StoreError> {
    let Some(due) = trigger.due() else { return Ok(false) };
    let (outbound, grace) = (cx.delivery.outbound().clone(), cx.settings.triggers.grace);
    let parallel = cx.settings.ingress.shared_parallel;
    let claimed = cx
        .db
        .write(move |tx| Box::pin(async move { claim(tx, &outbound, parallel, grace, due, now).await }))
        .await?;
    let Some(fired) = claimed else { return Ok(false) };
    measures::trigger_fired(trigger.kind);
    if let Some(error) = &fired.error {
        tracing::warn!(trigger_id = %trigger.id, error, "trigger fired, but its target is gone");
    }
    if let Some(pending) = fired.pending {
        crash::reach(crash::Point::MessageRecorded);
        cx.delivery.deliver(pending);
    }
    Ok(true)
}

/// Claims a due time and does what it is for.
async fn claim(
    tx: &mut Tx,
    outbound: &Outbound,
    parallel: u32,
    grace: Duration,
    due: Due,
    now: Timestamp,
) -> Result<Option<Fired>, StoreError> {
    let Some(trigger) = lock_trigger(tx, due.id)
        .await?
        .filter(|trigger| trigger.next_at == Some(due.at))
    else {
        return Ok(None);
    };
    crash::strike(crash::Way::Trigger, || trigger.content.clone());
    let plan = schedule::plan(&trigger, due.at, now, grace);
    if !triggers::claim(tx, due, plan.next, plan.fires, plan.error.as_deref(), now).await? || !plan.fires {
        return Ok(None);
    }
    let fired = cause(tx, outbound, parallel, &trigger, None, now).await?;
    if let Some(error) = &fired.error {
        triggers::set_error(tx, due.id, error).await?;
    }
    Ok(Some(fired))
}

/// A trigger whose person is locked: two accounts that are being linked are one or two for all of a firing.
async fn lock_trigger(tx: &mut Tx, id: TriggerId) -> Result<Option<Trigger>, StoreError> {
    triggers::hold_person(tx, id).await?;
    triggers::get(tx, id).await
}

/// Fires a trigger now, without a change to its schedule; `data`: the content of a webhook's request; `parallel`: how
/// many people are answered at the same time in a shared place.
///
/// # Errors
/// [`StoreError::NotFound`]: it is gone. [`StoreError::WrongState`]: it wakes a sleeping run, or is turned off.
/// [`StoreError::Conflict`]: its conversation is busy.
pub async fn fire_now(
    tx: &mut Tx,
    outbound: &Outbound,
    id: TriggerId,
    data: Option<Value>,
    parallel: u32,
    now: Timestamp,
) -> Result<Fired, StoreError> {
    let trigger = lock_trigger(tx, id).await?;
    let trigger = trigger.ok_or_else(|| StoreError::NotFound(format!("trigger {id}")))?;
    if !trigger.enabled {
        return Err(StoreError::WrongState(format!("trigger {id} is turned off")));
    }
    triggers::fired_now(tx, id, now).await?;
    let fired = cause(tx, outbound, parallel, &trigger, data, now).await?;
    if let Some(error) = &fired.error {
        triggers::set_error(tx, id, error).await?;
    }
    Ok(fired)
}

async fn cause(
    tx: &mut Tx,
    outbound: &Outbound,
    parallel: u32,
    trigger: &Trigger,
    data: Option<Value>,
    now: Timestamp,
) -> Result<Fired, StoreError> {
    match (trigger.kind, trigger.run_id) {
        (TriggerKind::Reminder, _) => remind(tx, outbound, trigger, now).await,
        (TriggerKind::Run, _) => begin(tx, outbound.masker(), trigger, data, parallel, now).await,
        (TriggerKind::Wake, run) => Err(StoreError::WrongState(format!(
            "trigger {} wakes run {}; wake the run instead",
            trigger.id,
            run.map(|run| run.to_string()).unwrap_or_default()
        ))),
    }
}

/// It fired, and there was nothing to do it to.
fn without_target(error: impl Into<String>) -> Fired {
    Fired {
        error: Some(error.into()),
        ..Fired::default()
    }
}

/// Says a reminder where it was set, or to its person in private if nothing can be said there any more.
async fn remind(tx: &mut Tx, outbound: &Outbound, trigger: &Trigger, now: Timestamp) -> Result<Fired, StoreError> {
    let Some(channel) = place(tx, trigger).await? else {
        return Ok(without_target("there is no chat any more in which it could be said"));
    };
    let name = match trigger.user_id.filter(|_| !channel.is_private()) {
        Some(user) => name_in(tx, user, &channel).await?,
        None => None,
    };
    let to = To {
        platform: channel.platform().map_err(StoreError::Corrupt)?,
        channel: channel.id,
        context: channel.active_context_id,
        user: trigger.user_id,
        run: None,
        address: channel.address(),
    };
    let late = match trigger.next_at {
        Some(due) => {
            let lang = reading::by_id(tx, trigger.user_id, Some(channel.id)).await?;
            lateness(now.since(due), lang)
        }
        None => None,
    };
    let text = reminder_text(&trigger.content, name.as_deref(), late.as_deref());
    let (message, pending) = outbound.message(to, &text, now);
    messages::insert_outbound(tx, &message, now).await?;
    if pending.is_none() {
        notify::work(tx).await?;
    }
    Ok(Fired {
        pending,
        ..Fired::default()
    })
}

/// A reminder as it is said; where others read along it names its person.
fn reminder_text(content: &str, name: Option<&str>, late: Option<&str>) -> String {
    let text = match name {
        Some(name) => format!("⏰ {}: {content}", clifford_markup::inline::inline(name)),
        None => format!("⏰ {content}"),
    };
    match late {
        Some(late) => format!("{text} ({late})"),
        None => text,
    }
}

/// How late it is, in the largest unit of which it is two at least; `None`: on time.
fn lateness(late: Duration, lang: Lang) -> Option<String> {
    let minutes = late.as_secs() / 60;
    Some(lang.say(match minutes {
        0..2 => return None,
        2..120 => Answer::MinutesLate { count: minutes.into() },
        120..2_880 => Answer::HoursLate {
            count: (minutes / 60).into(),
        },
        _ => Answer::DaysLate {
            count: (minutes / 1_440).into(),
        },
    }))
}

async fn place(tx: &mut Tx, trigger: &Trigger) -> Result<Option<Channel>, StoreError> {
    if let Some(id) = trigger.channel_id
        && let Some(channel) = channels::get(tx, id).await?
        && channel.enabled
        && !channel.only_answers()
    {
        return Ok(Some(channel));
    }
    // Nobody else is to read what may have been said in private.
    match trigger.user_id {
        Some(user) => channels::last_private(tx, user).await,
        None => Ok(None),
    }
}

async fn name_in(
    tx: &mut Tx,
    user: clifford_core::id::UserId,
    channel: &Channel,
) -> Result<Option<String>, StoreError> {
    let identities = users::identities(tx, user).await?;
    let there = identities
        .into_iter()
        .find(|identity| identity.platform == channel.platform);
    Ok(there.map(|identity| identity.name))
}

/// Makes a run that begins with its first claim.
async fn begin(
    tx: &mut Tx,
    masker: &Masker,
    trigger: &Trigger,
    data: Option<Value>,
    parallel: u32,
    now: Timestamp,
) -> Result<Fired, StoreError> {
    let channel = match trigger.channel_id {
        Some(id) => match channels::get(tx, id).await?.filter(|channel| channel.enabled) {
            Some(channel) => Some(channel),
            None => return Ok(without_target("its channel is turned off")),
        },
        None => None,
    };
    let own = match trigger.agent_id {
        Some(id) => agents::get(tx, id).await?.filter(|agent| agent.enabled),
        None => None,
    };
    let agent = match own {
        Some(agent) => Some(agent),
        None => agents::for_channel(tx, channel.as_ref()).await?,
    };
    let Some(agent) = agent else {
        return Ok(without_target("no agent is enabled"));
    };
    let mode = match &channel {
        Some(channel) => agents::mode_in(tx, agent.id, channel.id).await?,
        None => Mode::Run,
    };
    let task = Task {
        agent: agent.id,
        channel: trigger.channel_id,
        user: trigger.user_id,
        context: trigger.context_id,
        mode,
        input: masker.mask(&trigger.content).into_owned(),
        address: channel.as_ref().map(Channel::address),
        platform_roles: None,
        not_before: None,
    };
    let mut run = task.into_run(None);
    run.lane = lane_in(tx, run.context_id, channel.as_ref(), run.user_id, parallel).await?;
    // The content of a request is stored, and shown to those who may see the run.
    run.input_json = Some(masker.mask_json(input(trigger, data)));
    let run = runs::insert(tx, &run, now).await?;
    notify::work(tx).await?;
    Ok(Fired {
        run: Some(run.id),
        ..Fired::default()
    })
}

/// The input of a run besides its task: its trigger, and the data from outside, marked as that.
fn input(trigger: &Trigger, data: Option<Value>) -> Value {
    let mut input = json!({ "trigger": { "id": trigger.id, "name": trigger.name } });
    if let Some(data) = data {
        input["origins"] = json!([origin(trigger)]);
        input["data"] = data;
    }
    input
}

/// Where what came with a webhook's request is from.
fn origin(trigger: &Trigger) -> String {
    format!("webhook {}", trigger.name.as_deref().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reminder_names_its_person_only_where_others_read_along() {
        assert_eq!(reminder_text("stretch", None, None), "⏰ stretch");
        assert_eq!(reminder_text("stretch", Some("A*da"), None), "⏰ A\\*da: stretch");
    }

    #[test]
    fn a_reminder_that_is_late_says_how_late() {
        let cases = [
            (119, None, None),
            (600, Some("10 minutes late"), Some("10 Minuten zu spät")),
            (7_199, Some("119 minutes late"), Some("119 Minuten zu spät")),
            (7_200, Some("2 hours late"), Some("2 Stunden zu spät")),
            (200_000, Some("2 days late"), Some("2 Tage zu spät")),
        ];
        for (seconds, english, german) in cases {
            let told = [Lang::English, Lang::German].map(|lang| lateness(Duration::from_secs(seconds), lang));
            assert_eq!([told[0].as_deref(), told[1].as_deref()], [english, german], "{seconds}");
        }
        assert_eq!(
            reminder_text("stretch", None, Some("2 days late")),
            "⏰ stretch (2 days late)"
        );
    }

    #[test]
    fn what_came_with_a_request_is_marked_as_from_outside() {
        let trigger = Trigger {
            name: Some("alarm".to_owned()),
            ..Trigger::new(TriggerKind::Run, Timestamp(0))
        };
        let id = trigger.id;
        assert_eq!(
            input(&trigger, None),
            json!({ "trigger": { "id": id, "name": "alarm" } })
        );
        assert_eq!(
            input(&trigger, Some(json!({ "level": 3 }))),
            json!({
                "trigger": { "id": id, "name": "alarm" },
                "origins": ["webhook alarm"],
                "data": { "level": 3 },
            })
        );
    }
}
