//! Budgets: the limits on a run's spending, its spending so far, and the notices about them.
//!
//! **Budgets.** Before a model call `budget/reserve.rs` locks the rows of the accounts that it is charged to, and
//! writes the most that the call may cost; `core/budget/rules.rs` is pure and says whether it may be made, must wait
//! for calls under way, or is refused. The commit that records the reply writes its usage, charges it, and drops the
//! reservation. A reservation names the claim (run or job, and epoch) that it was made under and is worth nothing
//! without it: its own process holds a claim until it releases it, another one for a lease longer than its row says.
//! Replies that no commit records are charged when their run is released (`run/unpaid.rs`). `budget_spending` is a sum
//! of `usage`, kept because it is asked before each call: a missing row is made and locked, then summed up again.
//! Without budgets there is no further statement.

pub(crate) mod charge;
pub(crate) mod notice;
pub(crate) mod reserve;
