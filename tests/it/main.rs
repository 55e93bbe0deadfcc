//! Journeys: what people do, through the real binary over real sockets.

#![expect(
    clippy::expect_used,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a test's helpers panic and print as the test does"
)]

mod access;
mod api;
mod approvals;
mod architecture;
mod asks;
mod brain;
mod budgets;
mod busy;
mod buttons;
mod calls;
mod canary;
mod chats;
mod cli;
mod commands;
mod connections;
mod continuing;
mod corruption;
mod crashes;
mod cron;
mod degradation;
mod delivery;
mod direct_chat;
mod docs;
mod drafts;
mod edits;
mod fetching;
mod files;
mod first;
mod fitting;
mod hands;
mod harness;
mod in_process_engine;
mod injection;
mod linking;
mod logs;
mod look;
mod many_processes;
mod mcp;
mod metrics;
mod models;
mod overspending;
mod own_data;
mod own_keys;
mod progress;
mod quarantine;
mod quotes;
mod races;
mod recall;
mod receiving;
mod reload;
mod remembering;
mod reminders;
mod secrets;
mod sleeps;
mod stopping;
mod store;
mod story;
mod subagents;
mod tools_of_files;
mod toolset;
mod toolstory;
#[cfg(feature = "otlp")]
mod traces;
mod trouble;
mod typing;
mod upgrade;
mod watch;
mod way;
mod weather;
mod web;
mod windows;
mod worker_processes;
