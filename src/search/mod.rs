//! Search: how texts become terms, what a query asks for, who finds what, and the index that is kept beside messages.

mod find;
pub mod indexer;
mod query;
mod rank;
mod scope;
mod snippet;
pub mod terms;

pub use self::{
    find::{Cursor, Found, Page, Request, find},
    query::{Phrase, Query},
    scope::Scope,
    snippet::snippet,
};
