//! Any bytes of Discord are a frame or are kept as unreadable.
#![cfg_attr(feature = "linked", no_main)]

clifford_fuzz::target!(clifford_discord::fuzzing::check_frame);
