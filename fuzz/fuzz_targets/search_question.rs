//! Any search over any messages is read within its bounds.
#![cfg_attr(feature = "linked", no_main)]

clifford_fuzz::target!(clifford::fuzzing::check_question);
