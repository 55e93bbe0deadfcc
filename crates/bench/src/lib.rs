//! Load generator and limits.
