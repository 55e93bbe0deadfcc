//! Any bytes of Telegram are an update or are kept as unreadable.
#![cfg_attr(feature = "linked", no_main)]

clifford_fuzz::target!(clifford_telegram::fuzzing::check_update);
