//! The adapter against the fake: over real sockets, with what Discord does wrong.

mod connecting;
mod interactions;
mod missed;
mod receiving;
mod sending;
mod support;
