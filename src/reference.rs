//! The generated pages of `docs/reference`, and `bot.toml.example`: each is made from the code and compared with its file.
//!
//! `UPDATE_DOCS=1 cargo test --workspace --lib reference` writes all of them, here and in the other crates.

mod actions;
mod chat_commands;
mod commands;
mod configuration;
mod example;
mod exit_codes;
mod samples;
mod settings;
mod tools;

use std::{env, fs, path::PathBuf};

/// The root of the repository.
fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// The directory of the documentation.
fn docs() -> PathBuf {
    root().join("docs")
}

/// Compares a generated page with its file, or writes the file.
fn compare(page: &str, generated: &str) {
    compare_file(&format!("docs/reference/{page}"), generated);
}

/// Compares a generated file, named from the root, with what it is on disk, or writes it.
fn compare_file(file: &str, generated: &str) {
    let path = root().join(file);
    if env::var_os("UPDATE_DOCS").is_some() {
        fs::write(&path, generated).unwrap();
    }
    let written = fs::read_to_string(&path).unwrap_or_default();
    let differs = (written.lines().zip(generated.lines())).find(|(written, generated)| written != generated);
    assert!(
        written == generated,
        "{file} is stale, first at {differs:?}; to write it: UPDATE_DOCS=1 cargo test --workspace --lib reference"
    );
}

/// A text as one cell of a table.
fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ")
}
