//! Parts of any Markdown keep the platforms' limits and lose nothing.
#![cfg_attr(feature = "linked", no_main)]

clifford_fuzz::target!(clifford_markup::fuzzing::check_any);
