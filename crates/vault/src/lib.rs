//! Secrets: reading, masking, hashing.
