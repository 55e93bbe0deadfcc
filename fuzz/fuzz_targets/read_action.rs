//! The reader of actions does not panic on any reply, and its result survives being stored.
#![cfg_attr(feature = "linked", no_main)]

use clifford_action::{Reply, read, read_native};

fn check(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    if let Ok(reply) = read(&text) {
        let stored = reply.to_value();
        assert_eq!(read(&stored.to_string()).as_ref(), Ok(&reply), "read again");
        assert_eq!(serde_json::from_value::<Reply>(stored).ok(), Some(reply), "restored");
    }
    if let Ok(reply) = read_native("web__fetch", &text) {
        assert_eq!(read(&reply.to_value().to_string()), Ok(reply), "native, read again");
    }
}

clifford_fuzz::target!(check);
