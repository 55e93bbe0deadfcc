//! Rules, what counts against them, and answers.

use std::time::Duration;

use clifford_chat::platform::Platform;
use clifford_core::{
    clock::Timestamp,
    id::{RunId, SpaceId},
    people::{User, UserRole},
    policy::{Action, By as Counted, Limit, Per, Reason, Rule},
    run::{
        question,
        step::{Answerer, ConfirmAbout, ConfirmRequest, Event, NoteAbout, Step, StepKind, ToolCall},
    },
    runs::{Run, RunStatus, WakeReason},
};
use clifford_engine::{
    jobs::maintenance::retention::Lifetimes,
    run::answering::{self, AnswerOutcome, AnsweredBy, ApprovalAnswer},
};
use clifford_store::{
    places::policies,
    runs::{self, Advance, approvals, steps},
};
use serde_json::json;
use tokio_util::task::TaskTracker;

use super::{
    people::{execute, meet, texts},
    world::{LEASE, NOW, World, to},
};

pub async fn a_rule_comes_back_as_it_was_and_goes_with_whom_it_is_about(world: World) {
    let db = &world.db;
    let rule = Rule {
        name: "few".into(),
        priority: 3,
        action: Action::Limit,
        tools: vec!["web.*".into()],
        calls: 2,
        user: Some(world.user.id),
        context: Some(world.context),
        ..Rule::default()
    };
    let insert = async |rule: Rule| {
        db.write(move |tx| Box::pin(async move { policies::insert(tx, &rule, NOW).await }))
            .await
    };
    let made = insert(rule.clone()).await.unwrap();
    let list = async || policies::list(&mut db.read().await.unwrap()).await.unwrap();
    assert_eq!((made.rule.clone(), list().await), (rule.clone(), vec![made.clone()]));
    let (id, changed) = (made.id, Rule { priority: 4, ..rule });
    let later = NOW.after(LEASE);
    let put = changed.clone();
    let was_there = db
        .write(move |tx| Box::pin(async move { policies::change(tx, id, &put, later).await }))
        .await
        .unwrap();
    let found = policies::get(&mut db.read().await.unwrap(), id).await.unwrap().unwrap();
    assert!(was_there);
    assert_eq!((found.rule, found.created_at, found.updated_at), (changed, NOW, later));
    let nobody = Rule {
        user: Some(clifford_core::id::UserId::new()),
        ..Rule::default()
    };
    assert!(insert(nobody).await.is_err());
    // A version before knows no roles of platforms: what it reads of a rule that allows fits no call.
    for action in [Action::Allow, Action::Deny] {
        let of_roles = Rule {
            action,
            platform_roles: vec!["Moderator".into(), "7".into()],
            ..Rule::default()
        };
        let made = insert(of_roles.clone()).await.unwrap();
        let found = policies::get(&mut db.read().await.unwrap(), made.id)
            .await
            .unwrap()
            .unwrap();
        assert_eq!(found.rule, of_roles);
        let sql = format!("SELECT rule FROM policies WHERE id = '{}'", made.id);
        let stored: serde_json::Value = serde_json::from_str(&texts(db, sql).await[0]).unwrap();
        let fits_none = stored["args"].as_array().is_some_and(|args| !args.is_empty());
        assert_eq!(
            (fits_none, stored.get("platform_roles")),
            (action == Action::Allow, None)
        );
        db.write(move |tx| Box::pin(policies::remove(tx, made.id)))
            .await
            .unwrap();
    }
    execute(
        db,
        format!(
            "UPDATE channels SET active_context_id = NULL WHERE id = '{}'",
            world.channel.id
        ),
    )
    .await;
    execute(db, format!("DELETE FROM contexts WHERE id = '{}'", world.context)).await;
    assert_eq!(list().await, []);
}

fn limit(calls: u32, by: Counted) -> Limit {
    Limit {
        key: "few".into(),
        reason: Reason::OnlyReads,
        calls,
        per: Per::Hour,
        by,
    }
}

async fn count(world: &World, limit: Limit, run: RunId, call: &str, now: Timestamp) -> bool {
    let call = call.to_owned();
    world
        .db
        .write(move |tx| Box::pin(async move { policies::count(tx, &limit, run, &call, now).await }))
        .await
        .expect("counts")
}

pub async fn of_many_calls_at_once_no_more_count_than_the_limit_allows(world: World) {
    let run = world.insert(world.loose_run()).await.unwrap().id;
    let calls = (0..20).map(|place| {
        let world = world.clone();
        TaskTracker::new()
            .spawn(async move { count(&world, limit(7, Counted::Bot), run, &format!("call {place}"), NOW).await })
    });
    let mut counted = Vec::new();
    for (place, call) in calls.collect::<Vec<_>>().into_iter().enumerate() {
        if call.await.unwrap() {
            counted.push(place);
        }
    }
    assert_eq!(counted.len(), 7);
    // The same call again is the same call.
    let again = format!("call {}", counted[0]);
    assert!(count(&world, limit(7, Counted::Bot), run, &again, NOW).await);
    assert!(!count(&world, limit(7, Counted::Bot), run, "one more", NOW).await);
    let later = NOW.after(Per::Hour.length());
    assert!(count(&world, limit(7, Counted::Bot), run, "an hour later", later).await);
}

pub async fn whoever_is_counted_has_a_limit_of_their_own(world: World) {
    let other = meet(&world, Platform::new("discord"), "2", UserRole::Member).await;
    let own = world.insert(world.loose_run()).await.unwrap().id;
    let mut theirs = world.loose_run();
    theirs.user_id = Some(other.user.id);
    let theirs = world.insert(theirs).await.unwrap().id;
    assert!(count(&world, limit(1, Counted::User), own, "a", NOW).await);
    assert!(!count(&world, limit(1, Counted::User), own, "b", NOW).await);
    assert!(count(&world, limit(1, Counted::User), theirs, "c", NOW).await);
    assert!(!count(&world, limit(2, Counted::Bot), own, "d", NOW).await);
    assert!(count(&world, limit(3, Counted::Bot), own, "d", NOW).await);
    assert!(!count(&world, limit(1, Counted::Space), theirs, "e", NOW).await);
}

pub async fn a_limit_remembers_a_call_for_as_long_as_it_counts_back(world: World) {
    let db = &world.db;
    // The ids of runs are of the time of their making: this is after it.
    let then = Timestamp(4_000_000_000_000);
    let days = |days: u64| then.after(Duration::from_secs(days * 86_400));
    let run = world.insert(world.loose_run()).await.unwrap().id;
    let ended = format!(
        "UPDATE runs SET status = 'completed', ended_at = {} WHERE id = '{run}'",
        then.0
    );
    execute(db, ended).await;
    let monthly = Limit {
        per: Per::Month,
        ..limit(1, Counted::User)
    };
    assert!(count(&world, monthly.clone(), run, "a", then).await);
    let forget = async |per: Per, now: Timestamp| {
        let limits = vec![("few".to_owned(), per.length())];
        db.write(move |tx| Box::pin(async move { policies::forget_uses(tx, &limits, now).await }))
            .await
            .unwrap()
    };
    let retention = Lifetimes {
        runs: Some(Duration::from_secs(7 * 86_400)),
        ..Lifetimes::default()
    };
    let deleted = async |now: Timestamp| retention.apply(db, now).await.unwrap().runs;
    // Runs are kept for a week, and the month of the limit is not over.
    assert_eq!((forget(Per::Month, days(20)).await, deleted(days(20)).await), (0, 0));
    assert!(!count(&world, monthly, run, "b", days(20)).await);
    // Once it is, or the rule counts back less, nothing needs the run any more.
    assert_eq!((forget(Per::Day, days(20)).await, deleted(days(20)).await), (1, 1));
}

/// A run that asks, and the question's code.
async fn asking(world: &World) -> (Run, String) {
    let (run, lease) = world.held(world.run()).await;
    let call = ToolCall {
        name: "files.delete".into(),
        args: json!({ "name": "a.txt" }).as_object().cloned().unwrap(),
        idempotency_key: "k".into(),
    };
    let code = question::code(1, &call);
    let step = Step {
        seq: 1,
        at: NOW,
        kind: StepKind::Event(Event::ConfirmRequest(ConfirmRequest {
            call,
            about: ConfirmAbout::Call,
            why: "it destroys something".into(),
            reason: None,
            expires_at: NOW.after(LEASE),
            may_be_rule: true,
            traced: Vec::new(),
            is_unasked: false,
            was_announced: false,
            also: Vec::new(),
        })),
    };
    let waits = Advance {
        wake_at: Some(NOW.after(LEASE)),
        wake_reason: Some(WakeReason::ToolConfirm),
        ..to(RunStatus::Waiting)
    };
    world
        .db
        .write(move |tx| {
            Box::pin(async move {
                steps::append(tx, lease.run, &[step]).await?;
                runs::advance(tx, &lease, &waits, NOW).await
            })
        })
        .await
        .unwrap();
    (world.get(run.id).await, code)
}

async fn answer(world: &World, answer: ApprovalAnswer, now: Timestamp) -> AnswerOutcome {
    world
        .db
        .write(move |tx| Box::pin(async move { answering::answer(tx, &answer, now).await }))
        .await
        .expect("answers")
}

fn by(user: &User, run: &Run, code: &str, approved: bool) -> ApprovalAnswer {
    ApprovalAnswer {
        run: run.id,
        code: Some(code.to_owned()),
        approved,
        always: false,
        words: None,
        by: AnsweredBy::User(user.clone()),
    }
}

pub async fn denied_questions_are_found_with_their_answers(world: World) {
    // Another run asks as well, and nobody has answered it.
    asking(&world).await;
    let (denied, code) = asking(&world).await;
    let note = Step {
        seq: 2,
        at: NOW,
        kind: StepKind::Event(Event::SystemNote {
            about: NoteAbout::LastIteration,
            text: "no question".into(),
        }),
    };
    let run = denied.id;
    let notes = (world.db).write(move |tx| Box::pin(async move { steps::append(tx, run, &[note]).await }));
    notes.await.unwrap();
    answer(&world, by(&world.user, &denied, &code, false), NOW).await;
    let found = approvals::denials_in(&mut world.db.read().await.unwrap(), world.user.id, world.context).await;
    let places: Vec<Vec<u32>> = (found.unwrap().iter())
        .map(|steps| steps.iter().map(|step| step.seq).collect())
        .collect();
    assert_eq!(
        places,
        [[1, 3]],
        "the question and its answer, without the note between them"
    );
}

pub async fn of_two_answers_at_once_one_is_taken(world: World) {
    let (run, code) = asking(&world).await;
    let answers = (0..8).map(|place| {
        let (world, given) = (world.clone(), by(&world.user, &run, &code, place % 2 == 0));
        TaskTracker::new().spawn(async move { (given.approved, answer(&world, given, NOW).await) })
    });
    let mut taken = Vec::new();
    for given in answers.collect::<Vec<_>>() {
        match given.await.unwrap() {
            (approved, AnswerOutcome::Taken(_)) => taken.push(approved),
            (_, other) => assert_eq!(other, AnswerOutcome::NothingAsked),
        }
    }
    assert_eq!(taken.len(), 1);
    let found = steps::of_run(&mut world.db.read().await.unwrap(), run.id)
        .await
        .unwrap();
    let expected = StepKind::Event(Event::Confirm {
        approved: taken[0],
        code,
        by: Answerer::User(world.user.id),
        words: None,
    });
    assert_eq!(
        found.iter().map(|step| &step.kind).skip(1).collect::<Vec<_>>(),
        [&expected]
    );
    assert_eq!(world.get(run.id).await.status, RunStatus::Pending);
}

pub async fn an_answer_is_taken_from_whom_it_may_come_and_to_what_is_asked(world: World) {
    let stranger = meet(&world, Platform::new("discord"), "2", UserRole::Member).await.user;
    let owner = meet(&world, Platform::new("discord"), "3", UserRole::Owner).await.user;
    let (run, code) = asking(&world).await;
    assert_eq!(
        answer(&world, by(&stranger, &run, &code, true), NOW).await,
        AnswerOutcome::NotTheirs
    );
    let manages_elsewhere = ApprovalAnswer {
        by: AnsweredBy::Manager(stranger.clone(), SpaceId::new()),
        ..by(&stranger, &run, &code, true)
    };
    assert_eq!(answer(&world, manages_elsewhere, NOW).await, AnswerOutcome::NotTheirs);
    assert_eq!(
        answer(&world, by(&world.user, &run, "000000000000", true), NOW).await,
        AnswerOutcome::Other
    );
    let late = NOW.after(LEASE);
    assert_eq!(
        answer(&world, by(&world.user, &run, &code, true), late).await,
        AnswerOutcome::NothingAsked
    );
    assert_eq!(world.get(run.id).await.status, RunStatus::Waiting);
    // Its conversation is busy: the answer holds, and it is woken later.
    let busy = world.insert(world.run()).await.unwrap();
    let always = ApprovalAnswer {
        always: true,
        words: None,
        ..by(&owner, &run, &code, true)
    };
    assert!(matches!(answer(&world, always, NOW).await, AnswerOutcome::Taken(_)));
    let waits = world.get(run.id).await;
    assert_eq!((waits.status, waits.wake_at), (RunStatus::Waiting, Some(NOW)));
    assert_eq!(
        answer(&world, by(&world.user, &run, &code, false), NOW).await,
        AnswerOutcome::NothingAsked
    );
    execute(
        &world.db,
        format!("UPDATE runs SET status = 'completed' WHERE id = '{}'", busy.id),
    )
    .await;
    assert_eq!(
        clifford_engine::scheduler::wake::wake_due(&world.db, std::time::Duration::ZERO, 3, NOW)
            .await
            .unwrap(),
        1
    );
    let made = policies::list(&mut world.db.read().await.unwrap()).await.unwrap();
    let rule = Rule {
        name: "files.delete, approved in chat".into(),
        action: Action::Allow,
        tools: vec!["files.delete".into()],
        user: Some(world.user.id),
        context: Some(world.context),
        ..Rule::default()
    };
    assert_eq!(made.into_iter().map(|policy| policy.rule).collect::<Vec<_>>(), [rule]);
}
