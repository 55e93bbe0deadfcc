//! Work that ends the process is found and set aside, so that no start dies of it for ever.
//!
//! A claim leaves its owner and its lease in the row. The process that takes over an expired lease, or that opens a
//! SQLite database whose leases were not given back, counts one death (`store::deaths`) in the statement that takes the
//! work. An orderly end gives the lease back, so nothing is counted; the work's rest sets the count back. The count
//! therefore costs no commit and no statement on a plain message's way.
//!
//! `clifford_core::quarantine` says what a count means. A suspect is worked on in [`isolation`]: one at a time, announced in its row by a
//! commit of its own, while nothing else begins; the mark changes before anything else does. Only a death under it is proof. Work that is proven guilty is
//! set aside: a run fails with a sentence to its person, everything else keeps its rows for an operator.
//!
//! **Work that kills** (`quarantine`). A lease that was not given back is a death of the process that held it:
//! whoever takes the work over counts it in the same statement, so counting costs nothing before somebody dies.
//! `core/quarantine.rs` is pure and says what a count means. A suspect (`engine/runs/suspects.rs`,
//! `engine/jobs/mod.rs`, `delivery/gate/attempt.rs`) has its turn in `quarantine/isolation.rs`, and its row says so
//! while it is at work: only a death under that mark is proof. If others wait for too long, the mark changes before
//! they begin. What is proven is ended without being read (`engine/run/unread.rs`), or left for an operator
//! (`clifford quarantine`). A claim says that a run is set aside, so a death before its end changes nothing. What
//! people wrote for it is left out wherever deleted messages are (`store/deaths.rs`).

mod careful;
pub mod isolation;

pub use careful::Careful;
pub use clifford_core::quarantine::{Evidence, Limits, Mark, Verdict};
pub use isolation::Isolation;
