//! The generated pages of `docs/reference`: each is made from the code and compared with its file.
//!
//! `UPDATE_DOCS=1 cargo test --workspace --lib reference` writes all of them, here and in the other crates.

mod actions;
mod chat_commands;
mod commands;
mod configuration;
mod exit_codes;
mod samples;
mod settings;
mod tools;

use std::{env, fs, path::PathBuf};

/// The directory of the documentation.
fn docs() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/docs"))
}

/// Compares a generated page with its file, or writes the file.
fn compare(page: &str, generated: &str) {
    let path = docs().join("reference").join(page);
    if env::var_os("UPDATE_DOCS").is_some() {
        fs::write(&path, generated).unwrap();
    }
    let written = fs::read_to_string(&path).unwrap_or_default();
    let differs = (written.lines().zip(generated.lines())).find(|(written, generated)| written != generated);
    assert!(
        written == generated,
        "docs/reference/{page} is stale, first at {differs:?}; to write it: \
         UPDATE_DOCS=1 cargo test --workspace --lib reference"
    );
}

/// A text as one cell of a table.
fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ")
}
