//! A prompt of any parts fits its model's window.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| clifford::fuzzing::check_prompt(bytes));
