//! Any environment is a configuration or has faults that say where they are.
#![cfg_attr(feature = "linked", no_main)]

clifford_fuzz::target!(clifford::fuzzing::check_environment);
