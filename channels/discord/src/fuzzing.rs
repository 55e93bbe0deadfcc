//! Invariants that hold for any frame: for the tests of this crate and for the fuzzer.

use clifford_channel::{Inbound, Place};

use crate::{
    directory::Directory,
    gateway::payload::Incoming,
    intake::{
        event::{self, Event},
        unreadable,
    },
    map::{self, InteractionKind, InteractionPayload, Me},
};

/// The bot.
const ME: Me = Me {
    user: 4711,
    application: 4712,
    role: None,
};

/// A frame of the gateway is read, means nothing to the bot, or is kept as one that could not be read; nothing panics.
///
/// # Panics
/// It does not hold.
pub fn check_frame(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let frame: Incoming = match serde_json::from_str(&text) {
        Ok(frame) => frame,
        Err(error) => {
            check_unreadable(&text, &error.to_string());
            return;
        }
    };
    let (Some(name), Some(data)) = (frame.t.as_deref(), frame.d.as_deref()) else {
        return;
    };
    match event::read(name, data) {
        Ok(Some(event)) => check_event(event),
        Ok(None) => {}
        Err(error) => check_unreadable(&format!("{name} {data}"), &error),
    }
}

fn check_unreadable(payload: &str, error: &str) {
    assert!(!error.is_empty(), "{payload}");
    let kept = unreadable(payload.to_owned(), error.to_owned());
    assert_eq!(kept.lane, 0);
}

fn check_event(event: Event) {
    let directory = Directory::default();
    let place = |channel, guild| directory.place_within(channel, guild);
    match event {
        Event::Message(message) => {
            let place = place(message.channel, message.guild);
            let read = map::message(&message, ME, place, &|_| Some("a-channel".to_owned()), false);
            if let Some(read) = read {
                assert_eq!((read.id.parse(), read.backfilled), (Ok(message.id), false));
                check_place(&read.place);
            }
        }
        Event::Edit(update) => {
            let place = place(update.channel, update.guild);
            if let Some(edit) = map::edit(&update, ME, place, &|_| None) {
                check_place(&edit.place);
            }
        }
        Event::Interaction(interaction) => match interaction.payload {
            Ok(payload) => {
                let place = place(payload.channel, payload.guild);
                check_interaction(interaction.kind, &payload, place);
            }
            Err(error) => assert!(!error.is_empty()),
        },
        Event::Deleted(gone) => assert!(!gone.ids.is_empty()),
        Event::Reaction(reaction) => assert!(reaction.place.parse::<u64>().is_ok()),
        Event::Role { guild, role } => directory.role(guild, role),
        Event::RoleGone { guild, role } => directory.forget_role(guild, role),
        Event::Guild(guild) => drop(directory.guild(guild)),
        Event::Channel(channel) => {
            let id = channel.id();
            directory.channel(channel);
            if let Some(id) = id {
                assert!(
                    directory
                        .place(id)
                        .is_none_or(|place| place.external_id == id.to_string())
                );
            }
        }
        Event::GuildGone(gone) => directory.forget_guild(gone.id),
        Event::ChannelGone { channel, .. } => {
            if let Some(id) = channel.id() {
                directory.forget_channel(id);
            }
        }
    }
}

fn check_interaction(kind: InteractionKind, payload: &InteractionPayload, place: Place) {
    match kind {
        InteractionKind::Command => {
            let me = map::Me {
                user: 1,
                application: 2,
                role: None,
            };
            if let Some(message) = map::about(payload, me, place.clone(), &|_| None, None) {
                check_place(&message.place);
            }
            match map::command(payload, place, None) {
                Inbound::Message(message) => check_place(&message.place),
                Inbound::Command(command) => check_place(&command.place),
                other => panic!("a command became {other:?}"),
            }
        }
        InteractionKind::Press => {
            let _ = map::press(payload, place, None);
        }
        InteractionKind::Typed => {
            let _ = map::typed(payload, place);
        }
    }
}

fn check_place(place: &Place) {
    assert_eq!(place.platform, crate::PLATFORM);
    assert!(place.external_id.parse::<u64>().is_ok(), "{place:?}");
}

#[cfg(test)]
mod tests {
    use proptest::{prelude::*, sample::select};

    use super::check_frame;

    /// Frames as Discord sends them.
    const FRAMES: [&str; 5] = [
        r#"{"op":0,"s":2,"t":"MESSAGE_CREATE","d":{"id":"1100000000000000001","channel_id":"5","guild_id":"6","author":{"id":"7","username":"ada","discriminator":"0","avatar":null,"global_name":"Ada"},"member":{"nick":"A","roles":[],"joined_at":"2024-01-01T00:00:00Z","deaf":false,"mute":false,"flags":0},"content":"hi <@4711> <#5> <:x:9>","timestamp":"2024-01-01T00:00:00Z","edited_timestamp":null,"tts":false,"mention_everyone":false,"mentions":[{"id":"4711","username":"c","discriminator":"0","avatar":null}],"mention_roles":[],"attachments":[{"id":"8","filename":"a.txt","size":3,"url":"https://x.y/a","proxy_url":"https://x.y/a"}],"embeds":[],"pinned":false,"type":0}}"#,
        r#"{"op":0,"s":3,"t":"MESSAGE_UPDATE","d":{"id":"1100000000000000001","channel_id":"5","author":{"id":"7","username":"ada","discriminator":"0","avatar":null},"content":"ho","edited_timestamp":"2024-01-01T00:00:01Z","timestamp":"2024-01-01T00:00:00Z","type":0}}"#,
        r#"{"op":0,"s":4,"t":"INTERACTION_CREATE","d":{"id":"846462639134605312","application_id":"4712","type":2,"token":"t","channel_id":"5","user":{"id":"7","username":"ada","discriminator":"0","avatar":null},"locale":"en-GB","version":1,"data":{"id":"9","name":"ask","type":1,"options":[{"type":3,"name":"text","value":"hello"}]}}}"#,
        r#"{"op":0,"s":5,"t":"INTERACTION_CREATE","d":{"id":"846462639134605312","application_id":"4712","type":3,"token":"t","channel_id":"5","user":{"id":"7","username":"ada","discriminator":"0","avatar":null},"locale":"de","version":1,"data":{"custom_id":"/stop 5","component_type":2}}}"#,
        r#"{"op":0,"s":6,"t":"GUILD_CREATE","d":{"id":"6","name":"G","channels":[{"id":"5","type":0,"name":"general"}],"threads":[]}}"#,
    ];

    #[test]
    fn what_the_fuzzer_begins_with_holds() {
        let seeds = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fuzz/seeds/discord_frame")).unwrap();
        let seeds: Vec<_> = seeds.map(|seed| std::fs::read(seed.unwrap().path()).unwrap()).collect();
        assert!(!seeds.is_empty());
        for seed in seeds {
            check_frame(&seed);
        }
    }

    proptest! {
        #[test]
        fn any_text_is_a_frame_or_unreadable(text in ".{0,200}") {
            check_frame(text.as_bytes());
        }

        #[test]
        fn a_frame_with_a_part_replaced_is_a_frame_or_unreadable(
            frame in select(&FRAMES[..]),
            at in any::<prop::sample::Index>(),
            length in 0_usize..12,
            other in select(vec![
                "", "0", "-1", "null", "{}", "[]", "\"", "\"x\"", "18446744073709551615", "1e400", "\\ud800", "true", ",", "é",
            ]),
        ) {
            let mut bytes = frame.as_bytes().to_vec();
            let at = at.index(bytes.len());
            let end = (at + length).min(bytes.len());
            bytes.splice(at..end, other.bytes());
            check_frame(&bytes);
        }
    }
}
