//! Any body of a caller is a request or is refused as the caller's fault.
#![cfg_attr(feature = "linked", no_main)]

clifford_fuzz::target!(clifford::fuzzing::check_body);
