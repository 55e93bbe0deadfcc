//! Ways in which a text tells a word that does not stand in it: in signs that look like its letters (`alike`), turned
//! around, shifted or encoded (`spelling`), in pieces (`pieces`) or by the letters of several words (`together`). Pure:
//! these readings know nothing of who said what.

pub(super) mod alike;
pub(super) mod pieces;
pub(super) mod spelling;
pub(super) mod together;
