//! Triggers as they come due: by a clock that the test sets, through the engine's own firing.
//!
//! The file is long because each way in which a trigger comes due, or a clock jumps, is a case of its own.

use std::{sync::Arc, time::Duration};

use clifford_chat::{
    inbound::{Place, PlaceKind},
    platform::Platform,
};
use clifford_core::{
    clock::{Clock, Timestamp},
    id::{ChannelId, TriggerId, UserId},
    messages::Direction,
    places::Channel,
    runs::{RunStatus, WakeReason},
    schedule::trigger::{CatchUp, Trigger, TriggerKind},
    work::JobKind,
};
use clifford_delivery::outbound::Outbound;
use clifford_engine::{
    Context,
    models::encryption::Encryption,
    retry_from_outside,
    scheduler::wake,
    triggers::{fire, rollback, webhook},
};
use clifford_store::{
    Db, StoreError,
    jobs::{self, NewJob},
    messages,
    places::channels::{self, Change},
    runs, triggers,
};
use clifford_tools::triggers::editing;
use serde_json::json;

use super::{
    erasure::{column, script},
    search::group as in_group,
    world::{NOW, World, place, to},
};
use crate::in_process_engine::InProcessEngine;

const GRACE: Duration = Duration::from_secs(60);
const DAY: Duration = Duration::from_secs(86_400);

#[derive(Debug)]
struct Still;

impl Clock for Still {
    fn now(&self) -> Timestamp {
        NOW
    }
}

fn engine(db: &Db) -> Arc<Context> {
    let in_process = InProcessEngine {
        clock: Arc::new(Still),
        grace: GRACE,
        ..InProcessEngine::default()
    };
    Arc::clone(&in_process.runs(db).context)
}

pub async fn look(world: &World, now: Timestamp) -> usize {
    fire::fire_due(&engine(&world.db), now).await.expect("looks")
}

pub fn reminder(world: &World, at: Timestamp) -> Trigger {
    Trigger {
        content: "stretch".to_owned(),
        user_id: Some(world.user.id),
        channel_id: Some(world.channel.id),
        next_at: Some(at),
        ..Trigger::new(TriggerKind::Reminder, NOW)
    }
}

pub async fn add(db: &Db, trigger: &Trigger) -> TriggerId {
    let new = trigger.clone();
    let stored = db.write(move |tx| Box::pin(async move { triggers::insert(tx, &new, None).await }));
    stored.await.expect("stores").id
}

async fn get(db: &Db, id: TriggerId) -> Trigger {
    let trigger = triggers::get(&mut db.read().await.expect("reads"), id).await;
    trigger.expect("reads").expect("a trigger")
}

/// The messages, and their places, oldest first.
pub async fn said(db: &Db) -> Vec<(ChannelId, String)> {
    let mut conn = db.read().await.expect("reads");
    let mut all = messages::page(&mut conn, None, None, None, 100).await.expect("reads");
    all.retain(|message| message.direction == Direction::Outbound);
    all.reverse();
    all.into_iter()
        .map(|message| (message.channel_id, message.content))
        .collect()
}

async fn firings(db: &Db, id: TriggerId) -> Vec<Timestamp> {
    let firings = triggers::firings(&mut db.read().await.expect("reads"), id, 100).await;
    firings
        .expect("reads")
        .into_iter()
        .map(|firing| firing.due_at)
        .collect()
}

pub async fn a_due_time_is_claimed_by_one_of_many_and_the_trigger_moves_on(world: World) {
    let daily = Trigger {
        cron: Some("0 0 * * *".to_owned()),
        ..reminder(&world, NOW)
    };
    let (again, once) = (
        add(&world.db, &daily).await,
        add(&world.db, &reminder(&world, NOW)).await,
    );
    let early = look(&world, Timestamp(NOW.0 - 1)).await;
    let late = NOW.after(Duration::from_millis(90));
    let counts = futures::future::join_all((0..8).map(|_| look(&world, late))).await;
    assert_eq!((early, counts.iter().sum::<usize>()), (0, 2));

    let stretch = (world.channel.id, "⏰ stretch".to_owned());
    assert_eq!(said(&world.db).await, [stretch.clone(), stretch]);
    assert_eq!(firings(&world.db, again).await, [NOW]);
    assert_eq!(firings(&world.db, once).await, [NOW]);
    let (again, once) = (get(&world.db, again).await, get(&world.db, once).await);
    assert_eq!((again.next_at, again.last_fired_at), (Some(NOW.after(DAY)), Some(late)));
    assert_eq!((once.next_at, once.last_fired_at), (None, Some(late)));
    let mut conn = world.db.read().await.expect("reads");
    assert_eq!(
        triggers::next_due(&mut conn, late).await.expect("reads"),
        Some(NOW.after(DAY))
    );
    drop(conn);
    // The clock is stepped back, and comes to the same time again.
    assert_eq!((look(&world, NOW).await, look(&world, late).await), (0, 0));
}

pub async fn a_clock_that_ran_ahead_stops_no_recurring_trigger(world: World) {
    let daily = Trigger {
        cron: Some("0 0 * * *".to_owned()),
        ..reminder(&world, NOW)
    };
    let (ran, fine) = (
        add(&world.db, &daily).await,
        add(&world.db, &reminder(&world, NOW.after(DAY))).await,
    );
    let ahead = NOW.after(DAY * 400);
    assert_eq!(look(&world, ahead).await, 2);
    assert_eq!(get(&world.db, ran).await.next_at, Some(ahead.after(DAY)));
    // It is stepped back, and a trigger is made since.
    let new = Trigger {
        cron: daily.cron,
        ..reminder(&world, NOW.after(DAY * 2))
    };
    let new = add(&world.db, &new).await;
    for expected in [1, 0] {
        assert_eq!(rollback::plan_anew(&engine(&world.db)).await.expect("plans"), expected);
        assert_eq!(get(&world.db, ran).await.next_at, Some(NOW.after(DAY)));
    }
    assert_eq!(get(&world.db, new).await.next_at, Some(NOW.after(DAY * 2)));
    assert_eq!(get(&world.db, fine).await.next_at, None);
    assert_eq!(look(&world, NOW.after(DAY)).await, 1);
}

pub async fn a_clock_that_ran_ahead_holds_up_no_run_and_no_job(world: World) {
    let db = &world.db;
    let ahead = NOW.after(DAY * 400);
    let minute = Duration::from_secs(60);
    let mut runs = Vec::new();
    for (status, reason, written, until) in [
        ("waiting", "sleep", ahead, ahead.after(minute)),
        ("waiting", "tool_confirmed", ahead, ahead.after(minute)),
        ("pending", "time", ahead, ahead.after(minute)),
        // Those of the right clock wait as long as they are to.
        ("waiting", "sleep", NOW, ahead),
        // It sleeps by cron.
        ("waiting", "sleep", ahead, ahead.after(DAY)),
    ] {
        let run = world.insert(world.loose_run()).await.expect("inserts").id;
        let sql = format!(
            "UPDATE runs SET status = '{status}', wake_reason = '{reason}', wake_at = {}, updated_at = {}
             WHERE id = '{run}'",
            until.0, written.0
        );
        script(db, &sql).await;
        runs.push(run);
    }
    let by_cron = runs[4];
    let put = db.write(move |tx| {
        Box::pin(async move {
            triggers::put_wake(tx, by_cron, "0 0 * * *", "UTC", CatchUp::Skip, ahead.after(DAY), ahead).await?;
            let job = NewJob {
                kind: JobKind::Erase,
                mode: None,
                context_id: None,
                user_id: None,
                through: None,
                due_at: ahead.after(minute),
            };
            jobs::insert(tx, job, ahead).await
        })
    });
    put.await.expect("sets");
    let engine = engine(db);
    for expected in [1, 0] {
        assert_eq!(rollback::plan_anew(&engine).await.expect("plans"), expected);
        rollback::shorten_waits(&engine).await.expect("shortens");
        let mut wakes = Vec::new();
        for run in &runs {
            wakes.push(world.get(*run).await.wake_at);
        }
        let soon = Some(NOW.after(minute));
        assert_eq!(wakes, [soon, soon, soon, Some(ahead), Some(NOW.after(DAY))]);
        let due = column(db, "SELECT CAST(due_at AS TEXT) FROM jobs").await;
        assert_eq!(due, [NOW.after(minute).0.to_string()]);
    }
    let trigger = triggers::of_run(&mut db.read().await.expect("reads"), by_cron).await;
    let next = trigger.expect("reads").and_then(|trigger| trigger.next_at);
    assert_eq!(next, Some(NOW.after(DAY)));
}

pub async fn what_was_stored_to_fire_each_second_fires_once_a_minute(world: World) {
    let each_second = Trigger {
        cron: Some("* * * * * *".to_owned()),
        ..reminder(&world, NOW)
    };
    let id = add(&world.db, &each_second).await;
    let mut fired = Vec::new();
    for seconds in [0, 1, 59, 60, 61, 119, 120, 121] {
        let now = NOW.after(Duration::from_secs(seconds));
        if look(&world, now).await > 0 {
            fired.push(now);
        }
    }
    let expected: Vec<_> = (0..3)
        .map(|minute| NOW.after(Duration::from_secs(60 * minute)))
        .collect();
    assert_eq!(fired, expected);
    assert_eq!(firings(&world.db, id).await.len(), 3);
    assert_eq!(said(&world.db).await.len(), 3);
}

pub async fn a_call_that_is_repeated_makes_one_trigger(world: World) {
    let mut ids = Vec::new();
    for _ in 0..2 {
        let new = reminder(&world, NOW);
        let stored = (world.db)
            .write(move |tx| Box::pin(async move { triggers::insert(tx, &new, Some("run 1 call 2")).await }))
            .await;
        ids.push(stored.expect("stores").id);
    }
    assert_eq!(ids[0], ids[1]);
    let all = triggers::reminders(&mut world.db.read().await.expect("reads"), world.user.id, None).await;
    let all: Vec<_> = all.expect("reads").into_iter().map(|trigger| trigger.id).collect();
    assert_eq!(all, ids[..1]);
    // One that was made later and comes sooner is the next one.
    let sooner = reminder(&world, NOW.before(Duration::from_secs(60)));
    let sooner = (world.db)
        .write(move |tx| Box::pin(async move { triggers::insert(tx, &sooner, None).await }))
        .await
        .expect("stores");
    let mut conn = world.db.read().await.expect("reads");
    for (user, limit, expected) in [
        (None, 9, vec![sooner.id, ids[0]]),
        (Some(world.user.id), 1, vec![sooner.id]),
        (Some(UserId::new()), 9, vec![]),
    ] {
        let coming = triggers::upcoming(&mut conn, user, limit).await.expect("reads");
        let coming: Vec<_> = coming.into_iter().map(|trigger| trigger.id).collect();
        assert_eq!(coming, expected, "{user:?}");
    }
}

async fn group(world: &World) -> Channel {
    let group = Place {
        external_id: "-5".to_owned(),
        kind: PlaceKind::Group,
        platform: Platform::new("telegram"),
        ..place("-5")
    };
    let made = world
        .db
        .write(move |tx| Box::pin(async move { channels::find_or_create(tx, &group, None, NOW).await }));
    made.await.expect("stores")
}

async fn turn_off(db: &Db, id: ChannelId) {
    let off = Change {
        enabled: Some(false),
        ..Change::default()
    };
    let written = db.write(move |tx| Box::pin(async move { channels::change(tx, id, &off, NOW).await }));
    written.await.expect("changes");
}

pub async fn a_reminder_is_said_where_it_was_set_or_to_its_person_in_private(world: World) {
    let (db, group) = (&world.db, group(&world).await.id);
    let in_group = |minutes: u64| Trigger {
        channel_id: Some(group),
        ..reminder(&world, NOW.after(Duration::from_secs(60 * minutes)))
    };
    let ids = [
        add(db, &in_group(0)).await,
        add(db, &in_group(1)).await,
        add(db, &in_group(2)).await,
    ];
    assert_eq!(look(&world, NOW).await, 1);
    turn_off(db, group).await;
    assert_eq!(look(&world, NOW.after(GRACE)).await, 1);
    turn_off(db, world.channel.id).await;
    look(&world, NOW.after(GRACE * 2)).await;

    let expected = [
        (group, "⏰ Ada: stretch".to_owned()),
        (world.channel.id, "⏰ stretch".to_owned()),
    ];
    assert_eq!(said(db).await, expected);
    let last = get(db, ids[2]).await;
    assert_eq!(
        (last.next_at, last.last_error.as_deref()),
        (None, Some("there is no chat any more in which it could be said"))
    );
}

pub async fn due_times_that_passed_fire_once_together_or_not_at_all(world: World) {
    let db = &world.db;
    let daily = |catch_up| Trigger {
        cron: Some("0 0 * * *".to_owned()),
        catch_up,
        content: catch_up.to_string(),
        ..reminder(&world, NOW)
    };
    let ids = [
        add(db, &daily(CatchUp::Once)).await,
        add(db, &daily(CatchUp::Skip)).await,
    ];
    // Nobody was there for three of them.
    let back = NOW.after(DAY * 2 + DAY / 2);
    assert_eq!((look(&world, back).await, look(&world, back).await), (1, 0));
    assert_eq!(said(db).await, [(world.channel.id, "⏰ once (2 days late)".to_owned())]);
    assert_eq!(
        (firings(db, ids[0]).await, firings(db, ids[1]).await),
        (vec![NOW], vec![])
    );
    let next = NOW.after(DAY * 3);
    assert_eq!(
        (get(db, ids[0]).await.next_at, get(db, ids[1]).await.next_at),
        (Some(next), Some(next))
    );
    // Somebody is there.
    assert_eq!(look(&world, next).await, 2);
    assert_eq!(
        (firings(db, ids[0]).await, firings(db, ids[1]).await),
        (vec![next, NOW], vec![next])
    );
}

pub async fn in_a_group_a_run_takes_a_free_lane(world: World) {
    let room = world.elsewhere(in_group("g1", "s1"), None).await;
    let trigger = Trigger {
        context_id: Some(room.context),
        name: Some("news".to_owned()),
        kind: TriggerKind::Run,
        content: "tell the news".to_owned(),
        ..reminder(&room, NOW)
    };
    add(&world.db, &trigger).await;
    // Nobody is answered by two at once.
    let (_, own) = room.held(room.run()).await;
    assert_eq!(look(&room, NOW).await, 0);
    room.advance(own, RunStatus::Completed).await.expect("ends");
    let of_another = runs::NewRun {
        user_id: Some(room.stranger().await),
        ..room.run()
    };
    room.held(of_another).await;
    assert_eq!(look(&room, NOW).await, 1);
    let lanes = "SELECT CAST(lane AS TEXT) FROM runs WHERE status <> 'completed' ORDER BY lane";
    assert_eq!(column(&world.db, lanes).await, ["0", "1"]);
}

pub async fn in_a_group_what_the_command_line_begins_takes_a_free_lane(world: World) {
    let room = world.elsewhere(in_group("g1", "s1"), None).await;
    let (failed, lease) = room.held(room.run()).await;
    room.advance(lease, RunStatus::Failed).await.expect("ends");
    let of_another = runs::NewRun {
        user_id: Some(room.stranger().await),
        ..room.run()
    };
    room.held(of_another).await;
    let again = async |parallel| retry_from_outside(&world.db, failed.id, parallel, NOW).await;
    assert!(matches!(again(1).await, Err(StoreError::WrongState(_))));
    again(2).await.expect("begins beside the other");
    let trigger = Trigger {
        context_id: Some(room.context),
        user_id: None,
        kind: TriggerKind::Run,
        content: "tell the news".to_owned(),
        ..reminder(&room, NOW)
    };
    let id = add(&world.db, &trigger).await;
    let fire = async |parallel| {
        let outbound = Outbound::without_platforms();
        let fired = world
            .db
            .write(move |tx| Box::pin(async move { fire::fire_now(tx, &outbound, id, None, parallel, NOW).await }));
        fired.await
    };
    assert!(matches!(fire(2).await, Err(StoreError::Conflict(_))));
    fire(3).await.expect("fires");
    let lanes = "SELECT CAST(lane AS TEXT) FROM runs WHERE status <> 'failed' ORDER BY lane";
    assert_eq!(column(&world.db, lanes).await, ["0", "1", "2"]);
}

pub async fn in_a_group_a_run_that_slept_goes_on_in_a_free_lane(world: World) {
    let room = world.elsewhere(in_group("g1", "s1"), None).await;
    let (run, lease) = room.held(room.run()).await;
    let asleep = runs::Advance {
        wake_at: Some(NOW),
        wake_reason: Some(WakeReason::Sleep),
        ..to(RunStatus::Waiting)
    };
    let written = world
        .db
        .write(move |tx| Box::pin(async move { runs::advance(tx, &lease, &asleep, NOW).await }));
    written.await.expect("sleeps");
    let of_another = runs::NewRun {
        user_id: Some(room.stranger().await),
        ..room.run()
    };
    room.held(of_another).await;
    let woken = async |parallel| wake::wake_due(&world.db, GRACE, parallel, NOW).await.expect("looks");
    assert_eq!((woken(1).await, woken(2).await), (0, 1));
    assert_eq!(room.get(run.id).await.status, RunStatus::Pending);
    let lanes = "SELECT CAST(lane AS TEXT) FROM runs ORDER BY lane";
    assert_eq!(column(&world.db, lanes).await, ["0", "1"]);
}

pub async fn a_run_waits_until_its_conversation_is_free(world: World) {
    let trigger = Trigger {
        context_id: Some(world.context),
        name: Some("news".to_owned()),
        kind: TriggerKind::Run,
        content: "tell the news".to_owned(),
        ..reminder(&world, NOW)
    };
    let id = add(&world.db, &trigger).await;
    let (busy, lease) = world.held(world.run()).await;
    assert_eq!(look(&world, NOW).await, 0);
    world.advance(lease, RunStatus::Completed).await.expect("ends");
    assert_eq!((look(&world, NOW).await, look(&world, NOW).await), (1, 0));
    let made = column(&world.db, &format!("SELECT id FROM runs WHERE id <> '{}'", busy.id)).await;
    let run = world.get(made[0].parse().expect("an id")).await;
    assert_eq!(
        (
            made.len(),
            run.status,
            run.context_id,
            run.user_id,
            run.input_text.as_str()
        ),
        (
            1,
            RunStatus::Pending,
            Some(world.context),
            Some(world.user.id),
            "tell the news"
        )
    );
    assert_eq!(
        run.input_json.expect("data").0,
        json!({ "trigger": { "id": id, "name": "news" } })
    );
    assert_eq!(run.address.expect("an address").0.place, "1");
}

pub async fn what_is_put_off_is_no_longer_due_and_what_is_off_never(world: World) {
    let db = &world.db;
    let id = add(db, &reminder(&world, NOW)).await;
    let change = async |change: editing::Change, now: Timestamp| {
        let changed = editing::changed(get(db, id).await, change, now).expect("a change");
        let written = db.write(move |tx| Box::pin(async move { triggers::update(tx, &changed, now).await }));
        assert!(written.await.expect("changes"));
    };
    let later = NOW.after(DAY);
    let reschedule = editing::Change {
        at: Some(later),
        ..editing::Change::default()
    };
    change(reschedule.clone(), NOW).await;
    assert_eq!(look(&world, NOW).await, 0);
    let off = editing::Change {
        enabled: Some(false),
        ..editing::Change::default()
    };
    change(off, NOW).await;
    assert_eq!(look(&world, later).await, 0);
    let on = editing::Change {
        enabled: Some(true),
        ..reschedule
    };
    change(on, NOW).await;
    assert_eq!((look(&world, later).await, said(db).await.len()), (1, 1));
}

pub async fn a_signature_is_good_once_and_forgotten_when_it_is_stale(world: World) {
    let db = &world.db;
    let hook = Trigger {
        kind: TriggerKind::Run,
        name: Some("alarm".to_owned()),
        webhook: true,
        next_at: None,
        ..reminder(&world, NOW)
    };
    let id = add(db, &hook).await;
    let keys = tempfile::tempdir().unwrap();
    let encryption = Encryption::new(None, keys.path(), std::sync::Arc::default());
    let kept = webhook::encrypt(&encryption, id, "a secret").unwrap();
    assert!(!kept.contains("secret"));
    let put = db.write(move |tx| Box::pin(async move { triggers::put_secret(tx, id, &kept).await }));
    put.await.expect("keeps");
    let outbound = engine(db).delivery.outbound().clone();
    let call = async |name: &str, secret: &str, seconds: i64, body: &[u8], now: Timestamp| {
        let timestamp = (NOW.0 / 1000 + seconds).to_string();
        let pieces: [&[u8]; 3] = [timestamp.as_bytes(), b".", body];
        let signature = format!("sha256={}", clifford_vault::sign(secret, &pieces));
        let call = webhook::Call {
            name,
            timestamp: &timestamp,
            signature: &signature,
            body,
        };
        let taken = webhook::take(db, &encryption, &outbound, 3, call, now).await;
        taken.map(|fired| fired.run.is_some()).map_err(|refusal| match refusal {
            webhook::Refusal::NotSigned => "not signed",
            webhook::Refusal::Stale => "stale",
            webhook::Refusal::Repeated => "repeated",
            other => panic!("{other}"),
        })
    };
    assert_eq!(call("alarm", "a secret", 0, b"{\"level\":3}", NOW).await, Ok(true));
    assert_eq!(
        call("alarm", "a secret", 0, b"{\"level\":3}", NOW).await,
        Err("repeated")
    );
    assert_eq!(call("alarm", "a secret", 0, b"{\"level\":4}", NOW).await, Ok(true));
    assert_eq!(call("alarm", "a guess", 0, b"{}", NOW).await, Err("not signed"));
    assert_eq!(call("other", "a secret", 0, b"{}", NOW).await, Err("not signed"));
    assert_eq!(call("alarm", "a secret", -301, b"{}", NOW).await, Err("stale"));
    assert_eq!(call("alarm", "a secret", 301, b"{}", NOW).await, Err("stale"));
    let later = NOW.after(Duration::from_secs(301));
    assert_eq!(
        call("alarm", "a secret", 0, b"{\"level\":3}", later).await,
        Err("stale")
    );
    assert_eq!(call("alarm", "a secret", 301, b"{\"level\":3}", later).await, Ok(true));
    assert_eq!(column(db, "SELECT signature FROM webhook_calls").await.len(), 1);
    let inputs = column(db, "SELECT input_json FROM runs ORDER BY id").await;
    let first: serde_json::Value = serde_json::from_str(&inputs[0]).expect("JSON");
    let trigger = json!({ "id": id, "name": "alarm" });
    assert_eq!(
        (inputs.len(), first),
        (
            3,
            json!({ "trigger": trigger, "origins": ["webhook alarm"], "data": { "level": 3 } })
        )
    );
}

pub async fn a_sleeping_run_is_not_woken_twice_for_a_due_time_by_a_clock_that_is_put_back(world: World) {
    let db = &world.db;
    let run = world.insert(world.run()).await.expect("inserts").id;
    let sleeps = async |catch_up: CatchUp| {
        let put = db.write(move |tx| {
            Box::pin(async move { triggers::put_wake(tx, run, "0 0 * * *", "UTC", catch_up, NOW, NOW).await })
        });
        put.await.expect("sets");
        let sql = format!(
            "UPDATE runs SET status = 'waiting', wake_reason = 'sleep', wake_at = {} WHERE id = '{run}'",
            NOW.0
        );
        script(db, &sql).await;
    };
    sleeps(CatchUp::Once).await;
    assert_eq!(wake::wake_due(db, GRACE, 3, NOW).await.expect("looks"), 1);
    assert_eq!(world.get(run).await.status, RunStatus::Pending);
    // It went to sleep again while the clock stood before the due time that it had been woken for.
    sleeps(CatchUp::Once).await;
    assert_eq!(wake::wake_due(db, GRACE, 3, NOW).await.expect("looks"), 0);
    let asleep = world.get(run).await;
    assert_eq!(
        (asleep.status, asleep.wake_at),
        (RunStatus::Waiting, Some(NOW.after(DAY)))
    );
    let trigger = triggers::of_run(&mut db.read().await.expect("reads"), run)
        .await
        .expect("reads");
    assert_eq!(trigger.and_then(|trigger| trigger.next_at), Some(NOW.after(DAY)));
    // Nobody was there for three due times.
    script(db, "UPDATE triggers SET catch_up = 'skip'").await;
    let back = NOW.after(DAY * 3 + DAY / 2);
    assert_eq!(wake::wake_due(db, GRACE, 3, back).await.expect("looks"), 0);
    assert_eq!(world.get(run).await.wake_at, Some(NOW.after(DAY * 4)));
    assert_eq!(
        wake::wake_due(db, GRACE, 3, NOW.after(DAY * 4)).await.expect("looks"),
        1
    );
    let removed = db.write(move |tx| Box::pin(triggers::remove_wake(tx, run)));
    removed.await.expect("removes");
    assert_eq!(column(db, "SELECT trigger_id FROM trigger_firings").await, [""; 0]);
}

pub async fn a_run_that_waits_for_a_person_is_not_put_off_by_what_it_sleeps_by(world: World) {
    let db = &world.db;
    let run = world.insert(world.run()).await.expect("inserts").id;
    let put = db.write(move |tx| {
        Box::pin(async move { triggers::put_wake(tx, run, "0 0 * * *", "UTC", CatchUp::Skip, NOW, NOW).await })
    });
    put.await.expect("sets");
    let waits = async |reason: &str, at: Timestamp| {
        let sql = format!(
            "UPDATE runs SET status = 'waiting', wake_reason = '{reason}', wake_at = {} WHERE id = '{run}'",
            at.0
        );
        script(db, &sql).await;
    };
    waits("sleep", NOW).await;
    assert_eq!(wake::wake_due(db, GRACE, 3, NOW).await.expect("looks"), 1);
    // It was answered, or its subagents ended, long after it woke and long before it sleeps again.
    for reason in ["tool_confirmed", "subagents"] {
        let later = NOW.after(DAY / 2);
        waits(reason, later).await;
        assert_eq!(wake::wake_due(db, GRACE, 3, later).await.expect("looks"), 1, "{reason}");
        assert_eq!(world.get(run).await.status, RunStatus::Pending);
    }
}
