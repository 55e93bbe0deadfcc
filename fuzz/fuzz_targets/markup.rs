//! Parts of any Markdown keep the platforms' limits and lose nothing.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| clifford_markup::fuzzing::check_any(bytes));
