//! The search over messages, and the upkeep of its index.
//!
//! **Search.** Nothing is indexed on a message's way in: `search/indexer.rs` takes in what has no `search_id` some
//! moments later, as a maintenance job, and a search first takes in what is missing of the places that it looks in.
//! Terms are made in Rust, alike for both engines (`core/search/terms.rs`); who finds what is one pure rule
//! (`core/search/scope.rs`). The index only says where to look: whose a message is, its row says (`store/search.rs`,
//! `Reach::rule`). A question (`core/search/query.rs`) becomes words without stop words, each with the forms that its
//! stem allows (`core/search/word.rs`, `core/search/language.rs`, `core/search/verbs.rs`), and times
//! (`core/search/dates.rs`). The index names the newest messages of each word; those of the rarest words are ranked
//! (`search/window.rs`) by BM25, with rarity counted in the asker's places alone, with the messages next to them and
//! their conversation (`core/search/rank.rs`). Nothing of a stem is stored: forms are found by what they begin with, so
//! an index of an older version serves, and both versions work on one database. Items for a prompt (`memory/recall.rs`)
//! and documents (`retrieval/find.rs`) are ranked by the same rule. A question of nothing but a time lists what was
//! said then (`store/search/listing.rs`): ids tell when a message was stored, and what was stored more than a day after
//! it was said has a small index of its own. On PostgreSQL a sample of a place's newest messages tells how common a
//! word is, and so whether to walk back to the newest that hold it or to take what the index names
//! (`store/search/lookup.rs`). On SQLite a search and its statements run on threads for blocking work
//! (`Db::read_blocking`).

pub mod find;
pub mod indexer;
pub(crate) mod window;
