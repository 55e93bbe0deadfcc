//! Operations read from any reply of the memory writer's model keep to their bounds.
#![cfg_attr(feature = "linked", no_main)]

clifford_fuzz::target!(clifford::fuzzing::check_operations);
