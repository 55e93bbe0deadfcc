//! Whatever is sent as a document is read within limits, or refused.
#![cfg_attr(feature = "linked", no_main)]

clifford_fuzz::target!(clifford::fuzzing::check_document);
