//! People: accounts, roles, keys, links between accounts, codes, merges, sessions, passkeys.

pub mod claim;
pub mod erasure;
pub mod export;
pub mod keys;
pub mod links;
pub mod merge;
pub mod pairing_codes;
pub mod pairings;
pub mod passkeys;
pub mod quotes;
pub mod reading;
pub mod sessions;
pub mod tokens;
pub mod users;
