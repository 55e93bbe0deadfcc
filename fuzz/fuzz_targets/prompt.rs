//! A prompt of any parts fits its model's window.
#![cfg_attr(feature = "linked", no_main)]

clifford_fuzz::target!(clifford::fuzzing::check_prompt);
