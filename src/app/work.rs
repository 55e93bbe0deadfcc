//! What works beside the runs, from the start to the end: each a loop that is begun again if it panics.

use std::sync::Arc;

use clifford_channel::{Channel, Ingress};
use clifford_delivery::receiver::{self, Receiver};
use clifford_engine::{
    jobs::{self, housekeeping, left_spaces, retention},
    scheduler::{self, lease},
};
use clifford_store::leases::clock_guard::ClockGuard;
use clifford_telemetry::supervise::keep;

use super::{App, settings};

impl App {
    /// Begins what every process does, and, where it works on runs that nobody holds, what looks for work.
    pub(super) fn begin(&self, workers: bool) {
        let runs = Arc::clone(&self.runs);
        let held = self.empty_handed.clone();
        self.background.spawn(keep("leases", held.clone(), move || {
            lease::renew(Arc::clone(&runs), held.clone())
        }));
        let (db, clock, stop) = (self.db.clone(), Arc::clone(&self.clock), self.background_stop.clone());
        let windows = Arc::clone(self.context.models.windows());
        self.background.spawn(keep("windows of models", stop.clone(), move || {
            let (windows, db, clock, stop) = (Arc::clone(&windows), db.clone(), Arc::clone(&clock), stop.clone());
            async move { windows.run(db, clock, stop).await }
        }));
        if workers {
            self.look_for_work();
            self.tidy();
        }
    }

    fn look_for_work(&self) {
        let (runs, stop) = (Arc::clone(&self.runs), self.background_stop.clone());
        self.background.spawn(keep("scheduler", stop.clone(), move || {
            scheduler::run(Arc::clone(&runs), stop.clone())
        }));
        let (context, stop) = (Arc::clone(&self.context), self.background_stop.clone());
        self.background.spawn(keep("leases of the dead", stop.clone(), move || {
            lease::watch(Arc::clone(&context), stop.clone())
        }));
        let (runs, stop) = (Arc::clone(&self.runs), self.background_stop.clone());
        self.background.spawn(keep("jobs", stop.clone(), move || {
            jobs::run(Arc::clone(&runs), stop.clone())
        }));
    }

    fn tidy(&self) {
        let (context, stop) = (Arc::clone(&self.context), self.background_stop.clone());
        self.background.spawn(keep("left spaces", stop.clone(), move || {
            left_spaces::run(Arc::clone(&context), stop.clone())
        }));
        let (db, stop) = (self.db.clone(), self.background_stop.clone());
        self.background.spawn(keep("search index", stop.clone(), move || {
            clifford_content::search::indexer::run(db.clone(), stop.clone())
        }));
        let kept = settings::retention(&self.config);
        let (db, clock, stop) = (self.db.clone(), Arc::clone(&self.clock), self.background_stop.clone());
        self.background.spawn(keep("retention", stop.clone(), move || {
            retention::run(db.clone(), Arc::clone(&clock), kept, stop.clone())
        }));
        let idle = self.config.ingress.auto_close;
        let idle = (!idle.is_zero()).then_some(idle);
        let (context, stop) = (Arc::clone(&self.context), self.background_stop.clone());
        self.background.spawn(keep("housekeeping", stop.clone(), move || {
            housekeeping::run(Arc::clone(&context), idle, stop.clone())
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
                ingress: Arc::clone(&self.gatekeeper) as Arc<dyn Ingress>,
                db: self.db.clone(),
                careful: Arc::clone(&self.careful),
                clock_guard: Arc::new(ClockGuard::new(
                    Arc::clone(&self.clock),
                    self.context.worker,
                    self.context.settings.engine.lease.min(receiver::LEASE),
                )),
                again: Arc::clone(&self.connect_again),
            };
            self.receivers.spawn(receiver.run(self.stop.clone()));
        }
    }
}
