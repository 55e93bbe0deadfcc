//! Any bytes on the pipes of a worker process are a frame or an error.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| clifford::fuzzing::check_frames(bytes));
