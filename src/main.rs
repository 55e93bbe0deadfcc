//! Clifford's binary.
fn main() {}
