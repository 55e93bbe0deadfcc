//! Builds the crate again when a migration changes: they are part of it.

fn main() {
    println!("cargo:rerun-if-changed=../../migrations");
}
