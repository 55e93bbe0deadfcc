//! Whatever is sent as an image is made smaller within limits, or refused.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| clifford::fuzzing::check_image(bytes));
