//! An event that processes died of is stored in its turn, however long it waits for that.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use clifford_channel::Ingress as _;
use clifford_chat::{
    inbound::{Addressed, Inbound, Message, Place, PlaceKind, Speaker},
    platform::Platform,
};
use clifford_core::{
    access::{Access, Audience},
    clock::{Clock as _, SystemClock},
    settings::Ingress,
};
use clifford_engine::Runs;
use clifford_ingress::{IngressService, IngressSettings};
use clifford_store::messages::inbound_attempts;
use clifford_telemetry::quarantine::Careful;

use crate::{
    in_process_engine::InProcessEngine,
    store::{
        erasure::column,
        world::{Home, NOW, World},
    },
};

fn message(id: &str) -> Message {
    Message {
        place: Place {
            platform: Platform::new("telegram"),
            external_id: "1".to_owned(),
            parent: None,
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
            roles: None,
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

const INBOUND: &str = "SELECT content FROM messages WHERE direction = 'inbound' ORDER BY id";

/// A process that follows one that died of the event `suspect`.
async fn after_a_death(home: &Home) -> (Arc<Runs>, Arc<IngressService>) {
    World::new(&home.db).await;
    let runs = InProcessEngine::default().runs(&home.db);
    let open = Audience {
        access: Access::Open,
        ..Audience::default()
    };
    let settings = IngressSettings {
        audiences: BTreeMap::from([(Platform::new("telegram"), open)]),
        section: Ingress {
            debounce: Duration::ZERO,
            album: Duration::ZERO,
            catch_up: Duration::MAX,
            auto_close: Duration::ZERO,
            user_messages_per_minute: 0,
            ..Ingress::default()
        },
        dashboard: None,
    };
    let careful = Arc::<Careful>::default();
    let ingress = IngressService::new(
        home.db.clone(),
        Arc::new(SystemClock),
        Arc::clone(&runs),
        Arc::clone(&careful),
        settings,
    );
    // Announcements of long ago are forgotten.
    let now = SystemClock.now();
    let died = home.db.write(move |tx| {
        Box::pin(async move {
            let id = clifford_vault::hash("telegram/message/1/suspect");
            inbound_attempts::announce(tx, &id, "telegram", now).await
        })
    });
    died.await.unwrap();
    careful.connect(true);
    (runs, ingress)
}

#[tokio::test]
async fn a_suspected_event_waits_for_its_turn_and_others_are_taken_meanwhile() {
    for home in [Some(Home::sqlite().await), Home::postgres().await]
        .into_iter()
        .flatten()
    {
        let (runs, ingress) = after_a_death(&home).await;
        let turn = runs.context.delivery.isolation().turn().await;
        let suspect = ingress.accept(Inbound::Message(message("suspect")));
        // Behind it in line, and no suspect.
        let other = async {
            ingress.accept(Inbound::Message(message("other"))).await.unwrap();
            for _ in 0..4 {
                runs.context.delivery.isolation().pass().await;
            }
            assert_eq!(column(&home.db, INBOUND).await, ["other"]);
            drop(turn);
        };
        tokio::join!(suspect, other).0.unwrap();
        assert_eq!(column(&home.db, INBOUND).await, ["other", "suspect"]);
        assert_eq!(column(&home.db, "SELECT id FROM inbound_attempts").await, [""; 0]);
    }
}

#[tokio::test]
async fn a_suspected_event_is_stored_though_other_suspects_are_always_in_line() {
    for home in [Some(Home::sqlite().await), Home::postgres().await]
        .into_iter()
        .flatten()
    {
        let (runs, ingress) = after_a_death(&home).await;
        // A suspect that anything waits for works so long, and is in line again.
        let works = async || {
            for _ in 0..6 {
                let _turn = runs.context.delivery.isolation().turn().await;
                tokio::time::sleep(Duration::from_millis(500)).await;
            }
        };
        let suspects = async { tokio::join!(works(), works(), works()) };
        tokio::select! {
            biased;
            _ = suspects => panic!("it had no turn"),
            taken = ingress.accept(Inbound::Message(message("suspect"))) => drop(taken.unwrap()),
        }
        assert_eq!(column(&home.db, INBOUND).await, ["suspect"]);
    }
}
