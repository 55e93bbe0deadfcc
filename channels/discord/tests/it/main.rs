//! The adapter against the fake: over real sockets, with Discord's faults.

#[expect(
    clippy::panic,
    clippy::unwrap_used,
    reason = "what a helper misses is its test's failure"
)]
mod acting;
#[expect(clippy::unwrap_used, reason = "what a helper misses is its test's failure")]
mod conformance;
mod connecting;
mod interactions;
mod missed;
#[expect(clippy::unwrap_used, reason = "what a helper misses is its test's failure")]
mod pressing;
mod receiving;
mod sending;
#[expect(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "what a helper misses is its test's failure"
)]
mod support;
