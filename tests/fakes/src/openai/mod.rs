//! A fake of openai.
