//! Rebuilds the binary when a migration changes: they are part of it.

fn main() {
    println!("cargo:rerun-if-changed=migrations");
}
