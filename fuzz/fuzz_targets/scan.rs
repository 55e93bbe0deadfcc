//! Whatever is sent as a scanned document is shown within limits, or refused.
#![cfg_attr(feature = "linked", no_main)]

clifford_fuzz::target!(clifford::fuzzing::check_scan);
