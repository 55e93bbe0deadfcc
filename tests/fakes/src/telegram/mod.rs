//! A fake of telegram.
