//! Search: the terms of texts, the parts of a query, the scope of a searcher, the rank of a text, and the index that is
//! kept next to messages.
//!
//! A question comes in as text ([`Query::parse`], [`dates::named`]). The index names, for each of its words, the newest
//! messages of the asker's places that hold it in some form (`store::search::lists`); those of the rarest words are
//! read (`candidates`) and ranked here, among themselves ([`rank`]), with what stands next to the best of them. A page
//! of the ranking goes out (`search::find`). Nothing is stored on the way but messages that were not in the index yet.

pub mod dates;
pub(crate) mod language;
pub mod near;
pub mod query;
pub mod rank;
pub mod request;
mod scope;
mod snippet;
mod spelling;
pub mod terms;
mod verbs;
pub mod word;

pub use self::{
    query::Query,
    request::{Cursor, Fault, Request, SearchInput},
    scope::Scope,
    snippet::{Form, snippet},
    word::Phrase,
};
