//! Journeys: what people do, through the real binary over real sockets.

#![expect(
    clippy::expect_used,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a test's helpers panic and print as the test does"
)]

mod access;
mod across_platforms;
mod api;
mod api_watch;
mod approvals;
mod architecture;
mod asks;
mod budgets;
mod busy;
mod buttons;
mod byok;
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
mod db_probe;
mod degradation;
mod delivery;
mod direct_chat;
mod docs;
mod drafts;
mod edits;
mod fetching;
mod files;
mod first_command;
mod fitting;
mod harness;
mod in_process_engine;
mod injection;
mod linking;
mod logs;
mod many_processes;
mod mcp;
mod memory_commands;
mod metrics;
mod misbehaving_services;
mod models;
mod overspending;
mod own_data;
mod progress;
mod quarantine;
mod quotes;
mod races;
mod recall;
mod receiving;
mod reload;
mod remembering;
mod reminders;
mod scripted_model;
mod secrets;
mod sleeps;
mod stopping;
mod store;
mod subagents;
mod tcp_proxy;
mod tool_journeys;
mod tools_of_files;
mod toolset;
#[cfg(feature = "otlp")]
mod traces;
mod typing;
mod upgrade;
mod weather;
mod web;
mod windows;
mod worker_processes;
