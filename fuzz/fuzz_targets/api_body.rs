//! Any body of a caller is a request or is refused as the caller's fault.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| clifford::fuzzing::check_body(bytes));
