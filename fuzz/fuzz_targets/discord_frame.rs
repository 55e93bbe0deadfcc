//! Any bytes of Discord are a frame or are kept as unreadable.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| clifford_discord::fuzzing::check_frame(bytes));
