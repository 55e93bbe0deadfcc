//! Budgets: what a run may spend, what it has spent, and who is told.
//!
//! **Budgets.** Before a model call `budget/reserve.rs` locks the rows of what it is charged to, and writes what the
//! call may cost at most; `core/budget/rules.rs` is pure and says whether it may be made, must wait for calls under
//! way, or is refused. The commit that records the reply writes its usage, charges that, and drops the reservation. A
//! reservation names the claim (run or job, and epoch) that it was made under and is worth nothing without it: its
//! own process holds a claim until it gives it back, another one for a lease longer than its row says. Replies that
//! no commit records are charged when their run is let go of (`run/unpaid.rs`). `budget_spending` is a sum of
//! `usage`, kept because it is asked before each call: a missing row is made and locked, then summed anew. Without
//! budgets there is no statement more.

pub mod charge;
pub mod notice;
pub mod reserve;
