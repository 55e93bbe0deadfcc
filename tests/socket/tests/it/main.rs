//! One more platform: the adapter does what every adapter does, and all of Clifford knows its row.

#![expect(clippy::unwrap_used, reason = "a test's helpers panic as the test does")]

mod conformance;
mod guide;
mod journey;
mod machine;
mod server;
mod terminal;
