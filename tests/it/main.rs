//! Journeys: what people do, through the real binary over real sockets.

#![expect(
    clippy::expect_used,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a test's helpers panic and print as the test does"
)]

mod access;
mod api;
mod architecture;
mod asks;
mod brain;
mod buttons;
mod chats;
mod cli;
mod commands;
mod continuing;
mod crashes;
mod cron;
mod delivery;
mod harness;
mod look;
mod races;
mod sleeps;
mod store;
mod trouble;
mod typing;
