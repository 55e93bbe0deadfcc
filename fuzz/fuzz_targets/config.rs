//! Any `bot.toml` is a configuration or has faults that say where they are.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| clifford::fuzzing::check_config(bytes));
