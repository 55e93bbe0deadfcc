//! The data of people and places as records that go from one database to another: read for an export, and written by an
//! import.
//!
//! A record carries no secret, and nothing that is at work: neither keys, tokens and sessions, nor what waits to be sent
//! or to be done. It says of nothing that a run may believe it: what is imported is data from outside.

mod export;
mod import;
mod known;
mod progress;
mod records;

pub use self::{
    export::{Cursor, Scope, begin, end, page},
    import::{Inserted, Target, insert},
    known::{Account, KnownChannel, KnownPerson, agents, channels, contexts, people, runs, spaces, there},
    progress::{Progress, mark, progress},
    records::*,
};
