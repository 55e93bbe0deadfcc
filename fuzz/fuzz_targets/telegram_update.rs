//! Any bytes of Telegram are an update or are kept as unreadable.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| clifford_telegram::fuzzing::check_update(bytes));
