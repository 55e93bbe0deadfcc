//! Whatever Discord sends, it is a frame or is kept as unreadable.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| clifford_discord::fuzzing::check_frame(bytes));
