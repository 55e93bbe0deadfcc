//! Any bytes on the pipes of a worker process are a frame or an error.
#![cfg_attr(feature = "linked", no_main)]

clifford_fuzz::target!(clifford::fuzzing::check_frames);
