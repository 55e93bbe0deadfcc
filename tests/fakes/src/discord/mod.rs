//! A fake of discord.
