//! Journeys of people, through the real binary over real sockets.

#![expect(
    clippy::expect_used,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a test's helpers panic and print as the test does"
)]

mod access;
mod across_platforms;
mod albums;
mod alone;
mod ambient;
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
mod chat_settings;
mod chats;
mod cli;
mod commands;
mod connections;
mod continuing;
mod conversations;
mod corruption;
mod crashes;
mod cron;
mod dashboard;
mod db_probe;
mod degradation;
mod delivery;
mod direct_chat;
mod doc_commands;
mod docs;
mod drafts;
mod edits;
mod feedback;
mod fetching;
mod files;
mod first_command;
mod fitting;
mod harness;
mod images;
mod in_process_engine;
mod injection;
mod joining;
mod languages;
mod limits;
mod linking;
mod logs;
mod maintenance;
mod many_processes;
mod mcp;
mod memory_commands;
mod metrics;
mod misbehaving_services;
mod models;
mod on_discord;
mod overspending;
mod own_data;
mod pairing;
mod platform_roles;
mod progress;
mod quarantine;
mod quotes;
mod races;
mod recall;
mod receiving;
mod reload;
mod remembering;
mod reminders;
mod rerun;
mod scans;
mod scripted_model;
mod secrets;
mod shown_words;
mod sleeps;
mod sse;
mod status_messages;
mod stopping;
mod store;
mod subagents;
mod tcp_proxy;
mod threads;
mod tool_journeys;
mod tools_of_files;
mod toolset;
#[cfg(feature = "otlp")]
mod traces;
mod typing;
mod undelivered;
mod undo;
mod upgrade;
mod voice;
mod weather;
mod web;
mod webhook;
mod windows;
mod worker_processes;
