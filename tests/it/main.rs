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
mod busy;
mod buttons;
mod canary;
mod chats;
mod cli;
mod commands;
mod continuing;
mod crashes;
mod cron;
mod delivery;
mod direct_chat;
mod drafts;
mod edits;
mod hands;
mod harness;
mod linking;
mod look;
mod own_data;
mod races;
mod recall;
mod remembering;
mod sleeps;
mod store;
mod story;
mod subagents;
mod toolset;
mod trouble;
mod typing;
