//! An event that processes died of is stored in its turn, however long it waits for that.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use clifford::{
    access::{Access, Policy},
    ingress::{Gatekeeper, Settings},
    store::inbound_attempts,
};
use clifford_channel::Ingress as _;
use clifford_chat::{
    inbound::{Addressed, Inbound, Message, Place, PlaceKind, Speaker},
    platform::Platform,
};

use crate::{
    store::{
        erasure::column,
        world::{Home, NOW, World},
    },
    workshop::Workshop,
};

fn message(id: &str) -> Message {
    Message {
        place: Place {
            platform: Platform::Telegram,
            external_id: "1".to_owned(),
            kind: PlaceKind::Private,
            name: None,
            space: None,
        },
        speaker: Speaker {
            id: "1".to_owned(),
            name: "Ada".to_owned(),
            handle: None,
            is_bot: false,
            language: None,
        },
        id: id.to_owned(),
        text: id.to_owned(),
        sent_at: NOW.to_jiff(),
        reply_to: None,
        addressed: Addressed::default(),
        attachments: Vec::new(),
        album: None,
        backfilled: false,
        via: None,
        quoted: None,
    }
}

#[tokio::test]
async fn a_suspected_event_waits_for_its_turn_and_others_are_taken_meanwhile() {
    for home in [Some(Home::sqlite().await), Home::postgres().await]
        .into_iter()
        .flatten()
    {
        World::new(&home.db).await;
        let engine = Workshop::default().engine(&home.db);
        let open = Policy {
            access: Access::Open,
            ..Policy::default()
        };
        let settings = Settings {
            policies: BTreeMap::from([(Platform::Telegram, open)]),
            debounce: Duration::ZERO,
            album: Duration::ZERO,
            catch_up: Duration::MAX,
            auto_close: Duration::ZERO,
            user_messages_per_minute: 0,
            quoted_characters: 1_000,
        };
        let gatekeeper = Gatekeeper::new(Arc::clone(&engine), settings);
        // Announcements of long ago are forgotten.
        let now = engine.clock.now();
        let died = home.db.write(move |tx| {
            Box::pin(async move {
                let id = clifford_vault::hash("telegram/message/1/suspect");
                inbound_attempts::announce(tx, &id, "telegram", now).await
            })
        });
        died.await.unwrap();
        engine.careful.connect(true);
        let turn = engine.isolation.turn().await;
        let inbound = "SELECT content FROM messages WHERE direction = 'inbound' ORDER BY id";
        let suspect = gatekeeper.accept(Inbound::Message(message("suspect")));
        // Behind it in line, and no suspect.
        let other = async {
            gatekeeper.accept(Inbound::Message(message("other"))).await.unwrap();
            for _ in 0..4 {
                engine.isolation.pass().await;
            }
            assert_eq!(column(&home.db, inbound).await, ["other"]);
            drop(turn);
        };
        tokio::join!(suspect, other).0.unwrap();
        assert_eq!(column(&home.db, inbound).await, ["other", "suspect"]);
        assert_eq!(column(&home.db, "SELECT id FROM inbound_attempts").await, [""; 0]);
    }
}
