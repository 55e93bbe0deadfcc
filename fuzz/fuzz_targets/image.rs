//! Whatever is sent as an image is made smaller within limits, or refused.
#![cfg_attr(feature = "linked", no_main)]

clifford_fuzz::target!(clifford::fuzzing::check_image);
