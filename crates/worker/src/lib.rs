//! Worker processes: all work on strangers' text whose cost the length of the text does not bound.
//!
//! An expression of 15 characters can overflow a stack, a page of 5 MB can take gigabytes of memory. Rust has no way to
//! survive either in the same process, so this work is done in another one, which may die.
//!
//! ```text
//! tool ─▶ Workers (permits, idle processes) ─▶ Process ──frame──▶ stdin  │ clifford worker
//!                                                      ◀──frame── stdout │ limits, then one task after the other
//! ```
//!
//! **In.** A tool calls [`Workers`] with the person it works for. A permit bounds how many processes work at once, and how
//! many of them for one person; the others wait in order. An idle process is taken, or a new one started: the same
//! binary with the hidden subcommand `worker`, an empty environment, the root directory, and no open file but its pipes.
//!
//! **There** ([`serve`]). The process first lowers its own limits (`limits`): address space, CPU time, no core dump, no
//! file written; then it reads frames from its standard input. A task runs in a thread with a large stack. The main
//! thread goes on reading: the end of its input ends the process in the middle of a task, so no worker process outlives
//! its parent, even one that was killed.
//!
//! **Frames** (`frame`). Four bytes of length of a JSON header, four bytes of length of a body, then both. The header is a
//! [`Task`] or a [`Reply`]; the body holds what a task works on (a page, later a document or an image), and a reply has
//! none. Both lengths have a maximum in each direction, which the reader checks before it allocates.
//!
//! **Out.** A reply is bounded by the worker (an excerpt, never the whole text) and again by the reader of the frame. A
//! task that is not done by its deadline has its process killed and reaped; so has one whose caller goes away. A
//! process that dies takes one task with it: its caller reads [`WorkError::TooCostly`], and the next task starts another
//! process. A process that has worked long enough is not used again; an idle one ends after a minute.
//!
//! Nothing is stored: a task whose process died is repeated like any tool call without a result.
//!
//! A new kind of work is a variant of [`Task`], one of [`Reply`], an arm in [`serve`] and a method of [`Workers`].

mod document;
mod expression;
mod frame;
#[doc(hidden)]
pub mod fuzzing;
mod limits;
mod page;
mod percent;
mod picture;
mod pool;
mod process;
mod scan;
mod separators;
mod serve;
mod task;

pub use document::PICTURES;
pub use expression::{TOO_COSTLY as EXPRESSION_TOO_COSTLY, fault as expression_fault};
pub use pool::Workers;
pub use process::Program;
pub use serve::serve;
pub use task::{About, Article, Document, Excerpt, Link, PageText, Reduced, Reply, Task, Window, excerpt};

/// Why a task came to nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WorkError {
    /// The input cannot be processed: the reason, for the caller.
    #[error("{0}")]
    Rejected(String),
    /// It took more time or memory than a task may; its process is gone.
    #[error("it takes more time or memory than it may")]
    TooCostly,
    /// No worker process could take it.
    #[error("{0}")]
    Unavailable(String),
}
