//! Journeys: what people do, through the real binary over real sockets.

mod access;
mod api;
mod asks;
mod brain;
mod chats;
mod cli;
mod commands;
mod crashes;
mod harness;
mod look;
mod races;
mod sleeps;
mod store;
mod trouble;
