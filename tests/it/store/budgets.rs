//! The spending and the reservations of budgets; sums of usage. This file is long because all who reserve, and all ways
//! that they come to an end, share the same few accounts.

use std::time::Duration;

use clifford_core::{
    budget::{Account, Amount, BOT, Budget, Period, Scope, Settlement},
    clock::Timestamp,
    id::{RunId, UserId, WorkerId},
    models::{Grouping, Role},
    run::step::LlmResponse,
    runs::CancelReason,
    work::JobKind,
};
use clifford_store::{
    Db, StoreError, Tx,
    budgets::{self, BudgetSpending},
    jobs::{self, NewJob},
    leases::{self, ClaimWindow},
    runs::{self, NewRun, queue as run_queue},
    usage::{self, Call, Filter, Group},
};
use futures::future::join_all;
use jiff::tz::TimeZone;
use tokio::sync::oneshot;

use super::world::{LEASE, NOW, World};

const DAY: Duration = Duration::from_secs(86_400);

fn account(scope: Scope, subject: impl ToString) -> Account {
    Account {
        budget: Budget {
            scope,
            period: Period::Day,
            platform_roles: Vec::new(),
            cost: Some(1.0),
            tokens: None,
        },
        subject: subject.to_string(),
        window: Period::Day.window(NOW, &TimeZone::UTC),
    }
}

fn amount(cost: f64, tokens: u64) -> Amount {
    Amount { cost, tokens }
}

async fn standing(db: &Db, account: &Account, holder: &str, now: Timestamp) -> BudgetSpending {
    seen_by(db, account, holder, ClaimWindow::new(WorkerId::new(), now, LEASE)).await
}

async fn seen_by(db: &Db, account: &Account, holder: &str, look: ClaimWindow) -> BudgetSpending {
    let (account, holder) = (account.clone(), holder.to_owned());
    db.write(move |tx| Box::pin(async move { budgets::standing(tx, &account, &holder, look).await }))
        .await
        .expect("a standing")
}

async fn reserve(db: &Db, holder: impl ToString, epoch: i64, subject: &str, worst: Amount) {
    let (holder, subject) = (holder.to_string(), subject.to_owned());
    db.write(move |tx| Box::pin(async move { budgets::reserve(tx, &holder, epoch, &[&subject], worst).await }))
        .await
        .expect("reserves");
}

fn settlement(holder: RunId, epoch: i64, account: &Account) -> Settlement {
    Settlement {
        holder: holder.to_string(),
        epoch,
        charged: vec![account.clone()],
    }
}

async fn settle(db: &Db, holder: RunId, epoch: i64, account: &Account, spent: Amount) {
    let settlement = settlement(holder, epoch, account);
    db.write(move |tx| Box::pin(async move { budgets::settle(tx, &settlement, spent).await }))
        .await
        .expect("settles");
}

async fn used(tx: &mut Tx, call: Call, cost: f64, at: Timestamp) -> Result<(), StoreError> {
    let response = LlmResponse {
        provider: "main".to_owned(),
        model: "small".to_owned(),
        usage: clifford_llm_api::model::Usage {
            prompt_tokens: 90,
            completion_tokens: 10,
            cached_tokens: 30,
            cache_write_tokens: 0,
            estimated: cost > 1.0,
        },
        cost,
        ..LlmResponse::default()
    };
    usage::insert(tx, call, &response, at).await
}

pub async fn what_calls_under_way_may_cost_is_reserved_until_they_are_settled(world: World) {
    let (db, bot) = (&world.db, account(Scope::Bot, BOT));
    let (first, lease) = world.held(world.loose_run()).await;
    reserve(db, first.id, lease.epoch, BOT, amount(0.5, 100)).await;
    let other = RunId::new().to_string();
    let expected = BudgetSpending {
        settled: Amount::default(),
        reserved: amount(0.5, 100),
    };
    assert_eq!(standing(db, &bot, &other, NOW).await, expected);
    // One's own does not count against oneself.
    assert_eq!(
        standing(db, &bot, &first.id.to_string(), NOW).await,
        BudgetSpending::default()
    );
    // A release by an earlier claim does not touch this one's reservation.
    settle(db, first.id, lease.epoch - 1, &bot, Amount::default()).await;
    assert_eq!(standing(db, &bot, &other, NOW).await, expected);
    settle(db, first.id, lease.epoch, &bot, amount(0.25, 40)).await;
    let expected = BudgetSpending {
        settled: amount(0.25, 40),
        reserved: Amount::default(),
    };
    assert_eq!(standing(db, &bot, &other, NOW).await, expected);
}

pub async fn a_reservation_ends_with_the_claim_that_it_was_made_under(world: World) {
    let (db, bot) = (&world.db, account(Scope::Bot, BOT));
    let (run, lease) = world.held(world.loose_run()).await;
    reserve(db, run.id, lease.epoch, BOT, amount(0.5, 100)).await;
    let reserved = async |worker, now| {
        let look = ClaimWindow::new(worker, now, LEASE);
        seen_by(db, &bot, "another", look).await.reserved
    };
    let (other, half, nothing) = (WorkerId::new(), amount(0.5, 100), Amount::default());
    assert_eq!(reserved(other, NOW).await, half);
    // Its process may be late to renew the lease, and does not lose the run to itself.
    assert_eq!(reserved(lease.owner, NOW.after(LEASE * 100)).await, half);
    assert_eq!(reserved(other, NOW.after(LEASE)).await, half);
    assert_eq!(reserved(other, NOW.after(LEASE * 2)).await, nothing);
    // A clock that was put tells nothing.
    let patient = ClaimWindow::new(other, NOW.after(LEASE * 2), LEASE).patient();
    assert_eq!(seen_by(db, &bot, "another", patient).await.reserved, half);
    db.write(move |tx| Box::pin(async move { run_queue::release(tx, &lease).await }))
        .await
        .expect("gives back");
    assert_eq!(reserved(lease.owner, NOW).await, nothing);
    assert_eq!(seen_by(db, &bot, "another", patient).await.reserved, nothing);
    // The process that takes the run over reserves anew.
    let taken = world.claim(other, NOW, 1).await[0];
    assert_eq!(reserved(other, NOW).await, nothing);
    reserve(db, run.id, taken.epoch, BOT, amount(0.75, 1)).await;
    assert_eq!(reserved(lease.owner, NOW).await, amount(0.75, 1));
}

pub async fn a_cancelled_run_holds_what_it_reserved_until_it_is_charged(world: World) {
    let (db, bot) = (&world.db, account(Scope::Bot, BOT));
    let reserved = async |now| standing(db, &bot, "another", now).await.reserved;
    let (half, nothing) = (amount(0.5, 100), Amount::default());
    let mut cancelled = Vec::new();
    for _ in 0..2 {
        let (run, lease) = world.held(world.loose_run()).await;
        reserve(db, run.id, lease.epoch, BOT, half).await;
        db.write(move |tx| Box::pin(async move { runs::cancel(tx, run.id, CancelReason::Cancelled, NOW).await }))
            .await
            .expect("cancels");
        cancelled.push(lease);
    }
    assert_eq!(reserved(NOW).await, amount(1.0, 200));
    settle(db, cancelled[0].run, cancelled[0].epoch, &bot, amount(0.25, 40)).await;
    assert_eq!(reserved(NOW).await, half);
    // The process of the other one died.
    assert_eq!(reserved(NOW.after(LEASE)).await, nothing);
}

pub async fn a_job_holds_what_it_reserved_as_a_run_does(world: World) {
    let (db, bot) = (&world.db, account(Scope::Bot, BOT));
    let job = NewJob {
        kind: JobKind::Erase,
        mode: None,
        context_id: None,
        user_id: None,
        through: None,
        due_at: NOW,
    };
    let look = ClaimWindow::new(WorkerId::new(), NOW, LEASE);
    let claimed = db.write(move |tx| {
        Box::pin(async move {
            jobs::insert(tx, job, NOW).await?;
            jobs::claim(tx, JobKind::Erase, look).await
        })
    });
    let (_, lease) = claimed.await.expect("claims").expect("a job");
    reserve(db, lease.job, lease.epoch, BOT, amount(0.5, 100)).await;
    let reserved = async |worker, now| {
        let look = ClaimWindow::new(worker, now, LEASE);
        seen_by(db, &bot, "another", look).await.reserved
    };
    let (half, late) = (amount(0.5, 100), NOW.after(LEASE * 2));
    assert_eq!(reserved(lease.owner, late).await, half);
    assert_eq!(reserved(WorkerId::new(), NOW.after(LEASE)).await, half);
    assert_eq!(reserved(WorkerId::new(), late).await, Amount::default());
}

pub async fn a_lease_holds_what_was_reserved_by_its_name(world: World) {
    let (db, bot) = (&world.db, account(Scope::Bot, BOT));
    let (name, owner) = ("rerun:one", WorkerId::new());
    let window = ClaimWindow::new(owner, NOW, LEASE);
    reserve(db, name, 0, BOT, amount(0.5, 100)).await;
    let reserved = async |worker, now| {
        let look = ClaimWindow::new(worker, now, LEASE);
        seen_by(db, &bot, "another", look).await.reserved
    };
    let (half, nothing, late) = (amount(0.5, 100), Amount::default(), NOW.after(LEASE * 2));
    // Without a lease it is worth nothing.
    assert_eq!(reserved(owner, NOW).await, nothing);
    // A lease is renewed under a higher epoch, and the reservation stays.
    for _ in 0..2 {
        let held = db.write(move |tx| Box::pin(async move { leases::hold(tx, name, window).await }));
        assert!(held.await.expect("a lease"));
    }
    assert_eq!(reserved(owner, late).await, half);
    assert_eq!(reserved(WorkerId::new(), NOW.after(LEASE)).await, half);
    assert_eq!(reserved(WorkerId::new(), late).await, nothing);
    let sum_up = async || {
        let summed = db.write(move |tx| Box::pin(async move { budgets::sum_up_anew(tx).await }));
        summed.await.expect("sums up");
    };
    sum_up().await;
    assert_eq!(reserved(owner, NOW).await, half);
    let ended = db.write(move |tx| Box::pin(async move { leases::end(tx, name).await }));
    ended.await.expect("ends");
    assert_eq!(reserved(owner, NOW).await, nothing);
    // A reservation that nobody holds is dropped: a new lease by its name finds none.
    sum_up().await;
    let held = db.write(move |tx| Box::pin(async move { leases::hold(tx, name, window).await }));
    assert!(held.await.expect("a lease"));
    assert_eq!(reserved(owner, NOW).await, nothing);
}

/// A charge while nobody has summed up the spending, or while somebody does, is in the sum once.
pub async fn a_charge_that_is_not_committed_yet_is_in_the_sum(world: World) {
    let user = world.user.id;
    let (db, account) = (&world.db, account(Scope::User, user));
    let (run, lease) = world.held(world.loose_run()).await;
    let charge = |begun: Option<oneshot::Sender<()>>, go_on: Option<oneshot::Receiver<()>>| {
        let (settlement, db) = (settlement(run.id, lease.epoch, &account), db.clone());
        let call = Call {
            run: None,
            seq: None,
            user: Some(user),
            channel: None,
            role: Role::Executor,
        };
        async move {
            let charged = db.write(move |tx| {
                Box::pin(async move {
                    used(tx, call, 0.25, NOW).await?;
                    budgets::settle(tx, &settlement, amount(0.25, 100)).await?;
                    if let Some(begun) = begun {
                        begun.send(()).expect("somebody waits");
                    }
                    if let Some(go_on) = go_on {
                        go_on.await.expect("it goes on");
                    }
                    Ok(())
                })
            });
            charged.await.expect("charges");
        }
    };
    let settled = async || standing(db, &account, "x", NOW).await.settled;
    // A charge first, then whoever asks.
    let ((begun, has_begun), (goes_on, go_on)) = (oneshot::channel(), oneshot::channel());
    let asking = async {
        has_begun.await.expect("it begins");
        let (asked, ()) = tokio::join!(settled(), async { goes_on.send(()).expect("it waits") });
        asked
    };
    let ((), asked) = tokio::join!(charge(Some(begun), Some(go_on)), asking);
    assert_eq!(asked, amount(0.25, 100));
    // Several at once, where there is no row again.
    db.write(|tx| Box::pin(budgets::sum_up_anew(tx)))
        .await
        .expect("forgets");
    join_all((0..4).map(|_| charge(None, None))).await;
    assert_eq!(settled().await, amount(1.25, 500));
    db.write(|tx| Box::pin(budgets::sum_up_anew(tx)))
        .await
        .expect("forgets");
    assert_eq!(settled().await, amount(1.25, 500));
}

pub async fn many_at_once_reserve_no_more_than_there_is(world: World) {
    let bot = account(Scope::Bot, BOT);
    let asking = (0..20).map(|_| {
        let (world, bot) = (world.clone(), bot.clone());
        async move {
            let (run, lease) = world.held(world.loose_run()).await;
            world
                .db
                .write(move |tx| {
                    Box::pin(async move {
                        let holder = run.id.to_string();
                        let look = ClaimWindow::new(lease.owner, NOW, LEASE);
                        let found = budgets::standing(tx, &bot, &holder, look).await?;
                        let free = found.reserved.cost < 1.0;
                        if free {
                            budgets::reserve(tx, &holder, lease.epoch, &[BOT], amount(0.25, 1)).await?;
                        }
                        Ok(free)
                    })
                })
                .await
                .expect("asks")
        }
    });
    let free = join_all(asking).await.into_iter().filter(|free| *free).count();
    assert_eq!(free, 4);
}

pub async fn what_was_used_before_there_was_a_budget_counts(world: World) {
    let (user, channel) = (world.user.id, world.channel.id);
    let call = move |user: Option<UserId>| Call {
        run: None,
        seq: None,
        user,
        channel: Some(channel),
        role: Role::Memory,
    };
    world
        .db
        .write(move |tx| {
            Box::pin(async move {
                used(tx, call(Some(user)), 0.25, NOW).await?;
                used(tx, call(None), 0.125, NOW).await?;
                used(tx, call(Some(user)), 0.5, NOW.before(Duration::from_millis(1))).await?;
                used(tx, call(Some(user)), 0.5, NOW.after(DAY)).await
            })
        })
        .await
        .expect("stores");
    let settled = async |account| standing(&world.db, &account, "x", NOW).await.settled;
    assert_eq!(settled(account(Scope::User, user)).await, amount(0.25, 100));
    assert_eq!(settled(account(Scope::Bot, BOT)).await, amount(0.375, 200));
    assert_eq!(settled(account(Scope::User, UserId::new())).await, Amount::default());
}

pub async fn who_was_told_is_known_by_whose_end_told_them(world: World) {
    let tell = async |recipient: &'static str, holder: &'static str| {
        let bot = account(Scope::Bot, BOT);
        world
            .db
            .write(move |tx| Box::pin(async move { budgets::notice(tx, &bot, recipient, holder).await }))
            .await
            .expect("notes")
    };
    assert!(tell("ada", "run 1").await);
    // A run that is resumed has told nobody yet.
    assert!(tell("ada", "run 1").await);
    assert!(!tell("ada", "run 2").await);
    assert!(tell("owner", "run 2").await);
}

pub async fn usage_is_summed_up_by_everything_that_it_belongs_to(world: World) {
    let (run, _) = world
        .held(NewRun {
            context_id: None,
            ..world.loose_run()
        })
        .await;
    let (user, channel, id) = (world.user.id, world.channel.id, run.id);
    world
        .db
        .write(move |tx| {
            Box::pin(async move {
                let call = |seq, role| Call {
                    run: Some(id),
                    seq: Some(seq),
                    user: Some(user),
                    channel: Some(channel),
                    role,
                };
                used(tx, call(1, Role::Executor), 0.25, NOW).await?;
                used(tx, call(2, Role::Executor), 1.5, NOW.before(Duration::from_secs(60))).await?;
                let nobodys = Call {
                    run: None,
                    seq: None,
                    user: None,
                    channel: None,
                    role: Role::Memory,
                };
                used(tx, nobodys, 0.5, NOW.after(DAY)).await
            })
        })
        .await
        .expect("stores");
    let group = |key: Option<&str>, name: Option<&str>, calls: i64, cost: f64, estimated_calls: i64| Group {
        key: key.map(str::to_owned),
        name: name.map(str::to_owned),
        calls,
        prompt_tokens: 90 * calls,
        cached_tokens: 30 * calls,
        completion_tokens: 10 * calls,
        estimated_calls,
        cost,
        ..Group::default()
    };
    let found = async |by, zone: &str, limit| {
        let zone = TimeZone::get(zone).expect("a zone");
        let mut conn = world.db.read().await.expect("reads");
        usage::grouped(&mut conn, by, Filter::default(), &zone, limit)
            .await
            .expect("sums")
    };
    let (user, channel) = (user.to_string(), channel.to_string());
    assert_eq!(
        found(Grouping::User, "UTC", 9).await,
        [
            group(Some(&user), Some(&world.user.name), 2, 1.75, 1),
            group(None, None, 1, 0.5, 0)
        ]
    );
    assert_eq!(
        found(Grouping::Role, "UTC", 1).await,
        [group(Some("executor"), None, 2, 1.75, 1)]
    );
    assert_eq!(
        found(Grouping::Model, "UTC", 9).await,
        [group(Some("main/small"), None, 3, 2.25, 1)]
    );
    let channels = found(Grouping::Channel, "UTC", 9).await;
    assert_eq!(channels[0].key.as_deref(), Some(channel.as_str()));
    assert_eq!(
        found(Grouping::Day, "UTC", 9).await,
        [
            group(Some("2026-01-02"), None, 1, 0.5, 0),
            group(Some("2026-01-01"), None, 1, 0.25, 0),
            group(Some("2025-12-31"), None, 1, 1.5, 1)
        ]
    );
    // An hour ahead of UTC both are of the same day.
    assert_eq!(
        found(Grouping::Day, "Europe/Berlin", 9).await,
        [
            group(Some("2026-01-02"), None, 1, 0.5, 0),
            group(Some("2026-01-01"), None, 2, 1.75, 1)
        ]
    );
    let total = usage::total(&mut world.db.read().await.expect("reads"), Filter::default()).await;
    assert_eq!(total.expect("a sum"), group(None, None, 3, 2.25, 1));
}

pub async fn no_number_that_was_ever_reported_overflows_a_sum(world: World) {
    let (user, most) = (world.user.id, i64::MAX.unsigned_abs());
    let absurd = move |cost| LlmResponse {
        provider: "main".to_owned(),
        model: "small".to_owned(),
        usage: clifford_llm_api::model::Usage {
            prompt_tokens: most,
            completion_tokens: most,
            cached_tokens: most,
            cache_write_tokens: most,
            estimated: false,
        },
        cost,
        ..LlmResponse::default()
    };
    let call = Call {
        run: None,
        seq: None,
        user: Some(user),
        channel: None,
        role: Role::Executor,
    };
    // As a version stored them that took whatever a provider reported.
    world
        .db
        .write(move |tx| {
            Box::pin(async move {
                for cost in [1e300, f64::MAX, -5.0, 0.5] {
                    usage::insert(tx, call, &absurd(cost), NOW).await?;
                }
                Ok(())
            })
        })
        .await
        .expect("stores");
    let expected = Group {
        calls: 4,
        prompt_tokens: 4_000_000_000,
        cached_tokens: 4_000_000_000,
        completion_tokens: 4_000_000_000,
        cost: 2_000_000_000.5,
        ..Group::default()
    };
    let mut conn = world.db.read().await.expect("reads");
    let total = usage::total(&mut conn, Filter::default()).await;
    assert_eq!(total.expect("a sum"), expected);
    for by in Grouping::ALL {
        let groups = usage::grouped(&mut conn, *by, Filter::default(), &TimeZone::UTC, 9).await;
        let [group] = groups.expect("sums").try_into().expect("one group");
        let unnamed = Group {
            key: None,
            name: None,
            ..group
        };
        assert_eq!(unnamed, expected, "{by}");
    }
    drop(conn);
    let account = account(Scope::Bot, BOT);
    let mut conn = world.db.read().await.expect("reads");
    let spent = budgets::spent(&mut conn, Scope::Bot, BOT, &account.window).await;
    assert_eq!(spent.expect("a sum"), amount(2_000_000_000.5, 8_000_000_000));
    drop(conn);
    // A charge to a budget saturates too.
    let (run, lease) = world.held(world.loose_run()).await;
    reserve(&world.db, run.id, lease.epoch, BOT, amount(1.0, most)).await;
    let other = RunId::new().to_string();
    assert_eq!(
        standing(&world.db, &account, &other, NOW).await.reserved,
        amount(1.0, 1_000_000_000)
    );
    for _ in 0..3 {
        settle(
            &world.db,
            run.id,
            lease.epoch,
            &account,
            amount(0.0, 2_000_000_000_000_000),
        )
        .await;
    }
    let settled = standing(&world.db, &account, &other, NOW).await.settled;
    assert_eq!(settled.tokens, 1_000_000_000_000_000);
}
