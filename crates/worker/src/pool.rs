//! The pool of worker processes: their number, their assignment and their end.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
    time::Duration,
};

use clifford_telemetry::measures::{self, WorkerDeath};
use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore},
    time::Instant,
};
use tokio_util::task::TaskTracker;
use url::Url;

use super::{
    Article, Document, PageText, Reduced, Reply, Task, Window, WorkError,
    process::{Lost, Process, Program},
};

/// How many processes work at once, and how many of them for one person: who sends what is costly waits for
/// themselves, and not others for them.
const PERMITS: usize = 4;
const PERMITS_EACH: usize = 2;
/// How long a task waits for a permit.
const PATIENCE: Duration = Duration::from_secs(15);
/// How long an idle process is kept.
const IDLE: Duration = Duration::from_secs(60);
/// A process that has worked for so long is not used again, so that none reaches its limit of CPU time by small tasks.
const WORN: Duration = Duration::from_secs(20);
/// How long after the calculator's own limit its process is killed: on a busy machine a process of low priority has only
/// just been started by then.
const SLACK: Duration = Duration::from_secs(8);
/// How long a page may take.
const PAGE: Duration = Duration::from_secs(10);
/// How long a document may take.
const DOCUMENT: Duration = Duration::from_secs(30);
/// How long an image may take.
const IMAGE: Duration = Duration::from_secs(15);

/// Has tasks done by worker processes. Clones share the processes.
#[derive(Clone, Debug, Default)]
pub struct Workers(Arc<Pool>);

#[derive(Debug)]
struct Pool {
    /// `None`: there are no worker processes here.
    program: Option<Program>,
    permits: Arc<Semaphore>,
    /// Those of each person who has work now.
    each: Mutex<HashMap<String, Weak<Semaphore>>>,
    idle: Mutex<Idle>,
    tasks: TaskTracker,
}

#[derive(Debug, Default)]
struct Idle {
    /// The one that was used last is last.
    processes: Vec<(Process, Instant)>,
    /// A task waits for the time of the first.
    is_watched: bool,
}

impl Default for Pool {
    fn default() -> Self {
        Self {
            program: None,
            permits: Arc::new(Semaphore::new(PERMITS)),
            each: Mutex::default(),
            idle: Mutex::default(),
            tasks: TaskTracker::new(),
        }
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Workers {
    /// Worker processes of this program, started on demand.
    pub fn of(program: Program) -> Self {
        Self(Arc::new(Pool {
            program: Some(program),
            ..Pool::default()
        }))
    }

    /// Worker processes of this process's own binary, which must be `clifford`.
    pub fn of_this_program() -> Self {
        match Program::this() {
            Ok(program) => Self::of(program),
            Err(error) => {
                tracing::error!(%error, "failed to find the binary of worker processes");
                Self::default()
            }
        }
    }

    /// The value of an expression, for somebody: permits are shared out among those who ask.
    ///
    /// # Errors
    /// See [`WorkError`].
    pub async fn evaluate(&self, whose: &str, expression: &str, limit: Duration) -> Result<String, WorkError> {
        let max_ms = u64::try_from(limit.as_millis()).unwrap_or(u64::MAX);
        let task = Task::Expression { max_ms };
        match self.perform(whose, &task, expression.as_bytes(), limit + SLACK).await? {
            Reply::Value { value } => Ok(value),
            _ => Err(unexpected(&task)),
        }
    }

    /// A part of all text of a page.
    ///
    /// # Errors
    /// See [`WorkError`].
    pub async fn page_text(&self, whose: &str, html: &str, window: Window) -> Result<PageText, WorkError> {
        let task = Task::PageText { window };
        match self.perform(whose, &task, html.as_bytes(), PAGE).await? {
            Reply::PageText(page) => Ok(page),
            _ => Err(unexpected(&task)),
        }
    }

    /// The article of a page.
    ///
    /// # Errors
    /// See [`WorkError`].
    pub async fn article(&self, whose: &str, html: &str, url: &Url, window: Window) -> Result<Article, WorkError> {
        let task = Task::Article {
            url: url.to_string(),
            window,
        };
        match self.perform(whose, &task, html.as_bytes(), PAGE).await? {
            Reply::Article(article) => Ok(article),
            _ => Err(unexpected(&task)),
        }
    }

    /// The text of a document.
    ///
    /// # Errors
    /// See [`WorkError`].
    pub async fn document(&self, whose: &str, content: &[u8]) -> Result<Document, WorkError> {
        match self.perform(whose, &Task::Document, content, DOCUMENT).await? {
            Reply::Document(document) => Ok(document),
            _ => Err(unexpected(&Task::Document)),
        }
    }

    /// An image in a size that models look at; `None`: it has that.
    ///
    /// # Errors
    /// See [`WorkError`].
    pub async fn reduce_image(&self, whose: &str, content: &[u8]) -> Result<Option<Reduced>, WorkError> {
        match self.perform(whose, &Task::Image, content, IMAGE).await? {
            Reply::Image { reduced } => Ok(reduced),
            _ => Err(unexpected(&Task::Image)),
        }
    }

    /// The picture of a page of a PDF, counted from 1.
    ///
    /// # Errors
    /// See [`WorkError`].
    pub async fn page_image(&self, whose: &str, content: &[u8], page: u32) -> Result<Reduced, WorkError> {
        let task = Task::PageImage { page };
        match self.perform(whose, &task, content, DOCUMENT).await? {
            Reply::Image { reduced: Some(shown) } => Ok(shown),
            _ => Err(unexpected(&task)),
        }
    }

    async fn perform(&self, whose: &str, task: &Task, body: &[u8], within: Duration) -> Result<Reply, WorkError> {
        let _permits = self.permits(whose).await?;
        let mut process = self.process().await?;
        let began = Instant::now();
        let outcome = process.perform(task, body, within).await;
        let (death, error) = match outcome {
            Ok(reply) => {
                measures::worker_done(task.kind(), began.elapsed());
                self.park(process);
                return match reply {
                    Reply::Rejected { reason } => Err(WorkError::Rejected(reason)),
                    other => Ok(other),
                };
            }
            Err(Lost::TooLong(error)) => {
                self.park(process);
                return Err(WorkError::Rejected(error.to_string()));
            }
            Err(Lost::Late) => (WorkerDeath::Deadline, None),
            Err(Lost::Died(error)) => (WorkerDeath::Died, Some(error)),
        };
        let elapsed_ms = began.elapsed().as_millis();
        let status = process.kill().await;
        measures::worker_died(death);
        let error = error.map(tracing::field::display);
        tracing::warn!(
            task = task.kind(),
            bytes = body.len(),
            elapsed_ms,
            reason = death.as_str(),
            %status,
            error,
            "worker process died"
        );
        Err(WorkError::TooCostly)
    }

    /// A permit of all, behind one of one's own.
    async fn permits(&self, whose: &str) -> Result<[OwnedSemaphorePermit; 2], WorkError> {
        let own = self.own_permits(whose);
        let both = async {
            let own = own.acquire_owned().await.ok()?;
            let of_all = Arc::clone(&self.0.permits).acquire_owned().await.ok()?;
            Some([own, of_all])
        };
        match tokio::time::timeout(PATIENCE, both).await {
            Ok(Some(permits)) => Ok(permits),
            _ => Err(WorkError::Unavailable(
                "too much is being worked out at the moment; try again later".to_owned(),
            )),
        }
    }

    fn own_permits(&self, whose: &str) -> Arc<Semaphore> {
        let mut each = locked(&self.0.each);
        if let Some(own) = each.get(whose).and_then(Weak::upgrade) {
            return own;
        }
        each.retain(|_, own| own.strong_count() > 0);
        let own = Arc::new(Semaphore::new(PERMITS_EACH));
        each.insert(whose.to_owned(), Arc::downgrade(&own));
        own
    }

    /// An idle process, else a new one.
    async fn process(&self) -> Result<Process, WorkError> {
        loop {
            let idle = locked(&self.0.idle).processes.pop();
            let Some((mut process, _)) = idle else { break };
            if process.runs() {
                return Ok(process);
            }
            let status = process.kill().await;
            measures::worker_died(WorkerDeath::Idle);
            tracing::warn!(%status, "idle worker process died");
        }
        let none = || WorkError::Unavailable("no worker process can be started".to_owned());
        let program = self.0.program.as_ref().ok_or_else(none)?;
        match Process::start(program) {
            Ok(process) => {
                measures::worker_started();
                tracing::debug!("worker process started");
                Ok(process)
            }
            Err(error) => {
                tracing::error!(%error, "failed to start a worker process");
                Err(none())
            }
        }
    }

    /// Keeps a process for the next task, or ends it if it has worked enough.
    fn park(&self, process: Process) {
        if process.worked >= WORN {
            self.0.tasks.spawn(process.end());
            return;
        }
        let mut idle = locked(&self.0.idle);
        idle.processes.push((process, Instant::now()));
        if !idle.is_watched {
            idle.is_watched = true;
            let pool = Arc::downgrade(&self.0);
            self.0.tasks.spawn(end_idle(pool));
        }
    }
}

/// Ends processes that have been idle for long, until there are none.
async fn end_idle(pool: Weak<Pool>) {
    loop {
        let Some(next) = ({
            let Some(pool) = pool.upgrade() else { return };
            let mut idle = locked(&pool.idle);
            // The one in front has been idle for longest.
            let next = idle.processes.first().map(|(_, since)| *since + IDLE);
            idle.is_watched = next.is_some();
            next
        }) else {
            return;
        };
        tokio::time::sleep_until(next).await;
        let Some(pool) = pool.upgrade() else { return };
        let now = Instant::now();
        let over: Vec<_> = {
            let mut idle = locked(&pool.idle);
            let over = idle
                .processes
                .iter()
                .take_while(|(_, since)| *since + IDLE <= now)
                .count();
            idle.processes.drain(..over).map(|(process, _)| process).collect()
        };
        drop(pool);
        for process in over {
            process.end().await;
        }
    }
}

/// A process of the same program replies of the same kind.
fn unexpected(task: &Task) -> WorkError {
    tracing::error!(task = task.kind(), "worker process sent a reply of another kind");
    WorkError::Unavailable("no worker process can be used".to_owned())
}
