//! Memory: the items of a person, and their way into prompts.
//!
//! **Out of a conversation.** The end of a run counts its turn; past `max_turns_per_context`, or when the conversation
//! takes more than half of its room in a prompt, it makes a `memory_write` job in the same commit, and so does closing
//! a conversation (`memory/closing.rs`). `jobs.rs` claims jobs by lease. `jobs/memory_write.rs` reads a piece of the
//! conversation, asks the model for operations (`core/memory/operations.rs` reads the reply, however noisy) and, where
//! it compacts, for a summary; `core/memory/rules.rs` is pure and applies the operations to the person's items; one
//! commit applies that and moves `remembered_through` and `compacted_through` on. So a crash or a failing model repeats
//! one piece and loses nothing. In a shared place each person's piece holds their own words and the answers to them
//! alone. Notes of a run (`tools/memory/noting.rs`) and changes that people make by hand (`memory/editing.rs`:
//! commands, `/api/memories`, `clifford memory`) go by the same table of levels.
//! `jobs/maintenance/compacted_messages.rs` deletes messages that a summary has covered for long enough.

pub mod closing;
pub mod editing;

pub use clifford_content::memory::recall::answering;
