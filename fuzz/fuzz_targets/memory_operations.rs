//! Whatever the memory writer's model replies, what is read of it keeps to its bounds.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| clifford::fuzzing::check_operations(bytes));
