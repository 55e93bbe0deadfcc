//! Work that ends the process is found and set aside, so that no start dies of it for ever.
//!
//! A claim leaves its owner and its lease in the row. The process that takes over an expired lease, or that opens a
//! SQLite database whose leases were not given back, counts one death (`store::deaths`) in the statement that takes the
//! work. An orderly end gives the lease back, so nothing is counted; the work's rest sets the count back. The count
//! therefore costs no commit and no statement on a plain message's way.
//!
//! `clifford_core::quarantine` says what a count means. A suspect is worked on in [`isolation`]: one at a time,
//! announced in its row by a commit of its own, while nothing else begins; the mark changes before anything else does.
//! Only a death under it is proof. Work that is proven guilty is set aside: a run fails with a sentence to its person,
//! everything else keeps its rows for an operator.
//!
//! A suspect has its turn in `engine/runs/suspects.rs` (runs), `engine/jobs.rs` (jobs) or `delivery/gate/attempt.rs`
//! (messages). If others wait too long, its mark changes before they begin. A guilty run is ended unread
//! (`engine/run/unread.rs`); the claim says that it is set aside, so a death before that end changes nothing. Messages
//! that people wrote for it are left out wherever deleted messages are (`store/withheld.rs`).

mod careful;
pub mod isolation;

pub use careful::Careful;
pub use clifford_core::quarantine::{Evidence, Limits, Mark, Verdict};
pub use isolation::Isolation;
