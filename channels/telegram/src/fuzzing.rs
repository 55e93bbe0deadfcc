//! Properties of any update that Telegram may send, for the tests of this crate and the fuzzer.

use clifford_channel::Inbound;
use jiff::Timestamp;
use teloxide::types::UserId;

use crate::{
    me::Me,
    press::query_id,
    read::{inbound, update_id},
};

/// An update is read, means nothing to the bot, or is kept as one that could not be read; nothing panics.
///
/// # Panics
/// It does not hold.
pub fn check_update(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let me = Me {
        id: UserId(4711),
        username: Some("clifford_bot".to_owned()),
        name: "@clifford_bot".to_owned(),
        takes_guests: true,
    };
    let is_object = text.trim_start().starts_with('{') && serde_json::from_str::<serde_json::Value>(&text).is_ok();
    let _ = (update_id(&text), query_id(&text));
    match inbound(&text, &me, Timestamp::UNIX_EPOCH) {
        Some(Inbound::Unreadable(kept)) => {
            assert_eq!((kept.platform, kept.payload.as_str()), (crate::PLATFORM, &*text));
            assert!(!kept.error.is_empty());
        }
        read => {
            assert!(is_object, "{text:?} was taken for an update: {read:?}");
            if let Some(event) = read {
                check_event(&event);
            }
        }
    }
}

fn check_event(event: &Inbound) {
    match event {
        Inbound::Message(message) => {
            assert_eq!(message.place.platform, crate::PLATFORM);
            assert!(!message.id.is_empty() && !message.speaker.id.is_empty(), "{message:?}");
        }
        Inbound::Command(command) => {
            assert_eq!(command.place.platform, crate::PLATFORM);
            assert!(!command.id.is_empty() && !command.name.is_empty(), "{command:?}");
            assert!(!command.name.contains(char::is_whitespace), "{command:?}");
        }
        Inbound::Edit(edit) => assert_eq!(edit.place.platform, crate::PLATFORM),
        Inbound::Deleted(deleted) => panic!("Telegram tells bots of no deletion: {deleted:?}"),
        Inbound::Reaction(reaction) => {
            assert!(
                !reaction.message.is_empty() && !reaction.speaker.id.is_empty(),
                "{reaction:?}"
            );
        }
        Inbound::Joined(joined) => assert!(joined.place.space.is_some(), "{joined:?}"),
        Inbound::Left(left) => assert!(left.place.is_some() || left.space.is_some(), "{left:?}"),
        Inbound::Renamed(renamed) => assert!(renamed.place.is_some() && !renamed.name.is_empty(), "{renamed:?}"),
        Inbound::Moved(moved) => assert_ne!(moved.from, moved.to, "{moved:?}"),
        Inbound::Unreadable(kept) => panic!("{kept:?}"),
    }
}

#[cfg(test)]
mod tests {
    use proptest::{prelude::*, sample::select};

    use super::check_update;

    /// Updates as Telegram sends them.
    const UPDATES: [&str; 4] = [
        r#"{"update_id":7,"message":{"message_id":5,"date":1700000000,"chat":{"id":-1001,"type":"supergroup","title":"t","is_forum":true},"message_thread_id":3,"is_topic_message":true,"from":{"id":9,"is_bot":false,"first_name":"Ada"},"text":"hi @clifford_bot 👋","entities":[{"type":"mention","offset":3,"length":13}]}}"#,
        r#"{"update_id":8,"edited_message":{"message_id":5,"date":1700000000,"edit_date":1700000001,"chat":{"id":9,"type":"private","first_name":"Ada"},"from":{"id":9,"is_bot":false,"first_name":"Ada"},"caption":"see","photo":[{"file_id":"a","file_unique_id":"b","width":1,"height":1,"file_size":3}]}}"#,
        r#"{"update_id":9,"callback_query":{"id":"1","from":{"id":9,"is_bot":false,"first_name":"Ada"},"chat_instance":"2","message":{"message_id":5,"date":0,"chat":{"id":9,"type":"private","first_name":"Ada"}},"data":"/stop 5"}}"#,
        r#"{"update_id":10,"my_chat_member":{"chat":{"id":-5,"type":"group","title":"g"},"from":{"id":9,"is_bot":false,"first_name":"Ada"},"date":1,"old_chat_member":{"user":{"id":4711,"is_bot":true,"first_name":"C"},"status":"member"},"new_chat_member":{"user":{"id":4711,"is_bot":true,"first_name":"C"},"status":"left"}}}"#,
    ];

    #[test]
    fn what_the_fuzzer_begins_with_holds() {
        let seeds =
            std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fuzz/seeds/telegram_update")).unwrap();
        let seeds: Vec<_> = seeds.map(|seed| std::fs::read(seed.unwrap().path()).unwrap()).collect();
        assert!(!seeds.is_empty());
        for seed in seeds {
            check_update(&seed);
        }
    }

    proptest! {
        #[test]
        fn any_text_is_an_update_or_unreadable(text in ".{0,200}") {
            check_update(text.as_bytes());
        }

        #[test]
        fn an_update_with_a_part_replaced_is_an_update_or_unreadable(
            update in select(&UPDATES[..]),
            at in any::<prop::sample::Index>(),
            length in 0_usize..12,
            other in select(vec!["", "0", "-1", "null", "{}", "[]", "\"", "\"x\"", "99999999999999999999", "1e400", "\\ud800", "true", ","]),
        ) {
            let mut bytes = update.as_bytes().to_vec();
            let at = at.index(bytes.len());
            let end = (at + length).min(bytes.len());
            bytes.splice(at..end, other.bytes());
            check_update(&bytes);
        }
    }
}
