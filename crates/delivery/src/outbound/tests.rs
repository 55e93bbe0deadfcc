//! Keys of parts, and texts of which nothing can be seen.

use std::collections::BTreeSet;

use super::*;

fn to(run: Option<RunId>) -> To {
    To {
        platform: Platform::new("discord"),
        channel: ChannelId::new(),
        context: None,
        user: None,
        run,
        address: Address {
            place: "1".to_owned(),
            private: true,
            reply_to: None,
            via: None,
        },
    }
}

#[test]
fn keys_are_short_enough_for_a_nonce_and_differ() {
    let part = Part::Text {
        text: "x".into(),
        plain: "x".into(),
        rich: None,
        buttons: Vec::new(),
    };
    let mut keys = BTreeSet::new();
    let names = (0..100).map(|_| URL_SAFE_NO_PAD.encode(MessageId::new().0.as_bytes()));
    let run = RunId::new();
    for name in names.chain((0..100).map(|number| run_message_name(run, number))) {
        for (key, _) in keyed(&name, vec![part.clone(), part.clone()]) {
            assert!(key.len() <= 25 && key.is_ascii(), "{key}");
            assert!(keys.insert(key));
        }
    }
}

#[test]
fn what_shows_nothing_is_sent_as_a_mark_and_never_counts_as_delivered() {
    let outbound = Outbound::without_platforms();
    for blank in ["", "\u{200b}", "```\n```", "[]()"] {
        let (message, _) = outbound.message(to(None), blank, Timestamp(0));
        let texts: Vec<_> = (message.parts.iter())
            .map(|(_, part)| match part {
                Part::Text { plain, .. } => plain.as_str(),
                other => panic!("{other:?}"),
            })
            .collect();
        assert_eq!((message.content.as_str(), texts), ("…", vec!["…"]), "{blank:?}");
    }
    // A file that goes by itself needs no words.
    let file = Some(("a.md".to_owned(), "a".to_owned()));
    let (message, _) = outbound.message_with(to(None), "", Vec::new(), file, Timestamp(0));
    assert!(matches!(message.parts[..], [(_, Part::File { .. })]), "{message:?}");
}

#[test]
fn what_a_run_will_say_has_its_key_beforehand() {
    let outbound = Outbound::without_platforms();
    let run = RunId::new();
    let (message, _) = outbound.run_message(to(Some(run)), run, 3, "hello", Below::default(), Timestamp(0));
    assert_eq!(message.parts[0].0, Outbound::run_message_key(run, 3).0);
}
