//! Exports of people's data as archives, and imports: of such archives, and of what other bots and platforms export.
//!
//! Everything that is imported becomes records of the store (`clifford_store::portable`), one after another, out of a
//! [`Source`]: a file a format. An import reads its source twice. First everything is checked, and compared with what is
//! here: that is the [`Plan`], which a dry run shows. Then the records are written in batches, a transaction each, with a
//! mark of how far it is. Nothing is half done: a source that is wrong anywhere is refused before anything is written, a
//! killed import goes on at its mark, and a record that is here already stays as it is.
//!
//! **Separation.** What comes in may have been made up by anybody, so by itself an archive links no accounts, grants no
//! rights, and puts nothing where several people read: what is private comes into private channels of its person, and
//! everything else is left out. An owner who brings the archive of their own bot says so ([`Options::is_trusted`]).

mod archive;
mod characters;
mod check;
mod conversation;
mod discord;
mod error;
mod hermes;
mod ids;
mod mapping;
mod openclaw;
mod plan;
mod run;
mod source;
mod telegram;
mod tree;

pub use self::{
    archive::{Archive, Head, Writer},
    discord::Discord,
    error::ImportError,
    hermes::Hermes,
    openclaw::OpenClaw,
    plan::{Options, PersonPlan, PlacePlan, Plan, Skipped},
    run::{Outcome, Phase, Step, import, plan},
    source::{Format, Item, Position, Source, detect},
    telegram::Telegram,
    tree::{Summed, Watched},
};
