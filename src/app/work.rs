//! The background loops of a process, from start to shutdown: each is supervised and restarted after a panic.
//!
//! Work that comes due has a row and is claimed by lease, so a loop stands here only if it cannot be such work: it
//! renews leases or finds those that a clock rollback left behind, it claims and schedules (runs, jobs, maintenance
//! jobs), or it keeps what this process alone has in memory (windows of models, connections).

use std::sync::Arc;

use clifford_channel::{Channel, Ingress};
use clifford_delivery::receiver::{self, Receiver};
use clifford_engine::{
    jobs::{self, maintenance},
    scheduler::{self, lease},
};
use clifford_store::leases::clock_guard::ClockGuard;
use clifford_telemetry::supervise::restart_on_panic;

use super::App;

impl App {
    /// Begins what every process does, and, where it works on runs that nobody holds, what looks for work.
    pub(super) fn begin(&self, workers: bool) {
        let runs = Arc::clone(&self.runs);
        let held = self.empty_handed.clone();
        self.background.spawn(restart_on_panic("leases", held.clone(), move || {
            lease::renew(Arc::clone(&runs), held.clone())
        }));
        let (db, clock, stop) = (self.db.clone(), Arc::clone(&self.clock), self.background_stop.clone());
        let windows = Arc::clone(self.context.models.windows());
        self.background
            .spawn(restart_on_panic("windows of models", stop.clone(), move || {
                let (windows, db, clock, stop) = (Arc::clone(&windows), db.clone(), Arc::clone(&clock), stop.clone());
                async move { windows.run(db, clock, stop).await }
            }));
        if workers {
            self.look_for_work();
        }
    }

    fn look_for_work(&self) {
        let (runs, stop) = (Arc::clone(&self.runs), self.background_stop.clone());
        self.background
            .spawn(restart_on_panic("scheduler", stop.clone(), move || {
                scheduler::run(Arc::clone(&runs), stop.clone())
            }));
        let (context, stop) = (Arc::clone(&self.context), self.background_stop.clone());
        self.background
            .spawn(restart_on_panic("leases of the dead", stop.clone(), move || {
                lease::watch(Arc::clone(&context), stop.clone())
            }));
        let (runs, stop) = (Arc::clone(&self.runs), self.background_stop.clone());
        self.background.spawn(restart_on_panic("jobs", stop.clone(), move || {
            jobs::run(Arc::clone(&runs), stop.clone())
        }));
        let (context, stop) = (Arc::clone(&self.context), self.background_stop.clone());
        self.background
            .spawn(restart_on_panic("maintenance", stop.clone(), move || {
                maintenance::run(Arc::clone(&context), stop.clone())
            }));
    }

    /// Begins failed connections anew at once, where they would wait.
    pub fn connect_again(&self) {
        self.connect_again.notify_waiters();
    }

    /// Receives from these channels, each in a task of its own.
    pub(super) fn receive(&self, channels: impl Iterator<Item = Arc<dyn Channel>>) {
        for channel in channels {
            let receiver = Receiver {
                channel,
                ingress: Arc::clone(&self.ingress) as Arc<dyn Ingress>,
                db: self.db.clone(),
                careful: Arc::clone(&self.careful),
                clock_guard: Arc::new(ClockGuard::new(
                    Arc::clone(&self.clock),
                    self.context.worker(),
                    self.context.settings.engine().lease.min(receiver::LEASE),
                )),
                again: Arc::clone(&self.connect_again),
            };
            self.receivers.spawn(receiver.run(self.stop.clone()));
        }
    }
}
