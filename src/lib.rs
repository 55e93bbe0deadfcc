//! Clifford.
