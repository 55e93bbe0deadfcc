//! Any search over any messages is read within its bounds.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| clifford::fuzzing::check_question(bytes));
