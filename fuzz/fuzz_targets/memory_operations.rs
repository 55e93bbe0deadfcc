//! Operations read from any reply of the memory writer's model keep to their bounds.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| clifford::fuzzing::check_operations(bytes));
