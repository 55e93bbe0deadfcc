//! People, channels, conversations, agents, memory and settings.

use std::time::Duration;

use clifford_chat::{
    inbound::{Names, Place, PlaceKind, Space},
    platform::Platform,
};
use clifford_core::{
    id::{AgentId, SpaceId},
    people::UserRole,
    runs::CancelReason,
};
use clifford_engine::memory::closing;
use clifford_store::{
    contexts,
    memory::items::{self as memory_items, Remembered, Viewer},
    people::users,
    places::{agents, channels, renaming, settings},
};

use super::world::{NOW, World, an_agent, item, place, remember, speaker};

pub async fn a_person_and_a_channel_are_known_again(world: World) {
    let (user, channel) = world
        .db
        .write(|tx| {
            Box::pin(async move {
                let user =
                    users::find_or_create(tx, Platform::new("telegram"), &speaker("1"), UserRole::Member, NOW).await?;
                let channel = channels::find_or_create(tx, &place("1"), Some((user.id, "1")), NOW).await?;
                Ok((user, channel))
            })
        })
        .await
        .expect("finds");
    assert_eq!(user, world.user);
    assert_eq!(
        (channel.id, channel.active_context_id),
        (world.channel.id, Some(world.context))
    );
}

pub async fn a_channel_that_speaks_again_is_enabled(world: World) {
    let id = world.channel.id;
    let channel = world
        .db
        .write(move |tx| {
            Box::pin(async move {
                channels::disable(tx, id, "blocked", NOW).await?;
                let disabled = channels::get(tx, id).await?;
                assert_eq!(
                    disabled.and_then(|channel| channel.disabled_reason).as_deref(),
                    Some("blocked")
                );
                channels::find_or_create(tx, &place("1"), None, NOW).await
            })
        })
        .await
        .expect("enables");
    assert!(channel.enabled && channel.disabled_reason.is_none());
}

pub async fn an_idle_context_closes_unless_a_run_is_in_it(world: World) {
    let later = NOW.after(Duration::from_secs(60));
    let close = || closing::close_idle(&world.db, later, later);
    let run = world.insert(world.run()).await.expect("inserts");
    assert_eq!(close().await.expect("looks"), 0);
    let id = run.id;
    world
        .db
        .write(move |tx| Box::pin(clifford_store::runs::cancel(tx, id, CancelReason::Cancelled, NOW)))
        .await
        .expect("cancels");
    assert_eq!(close().await.expect("closes"), 1);
    assert_eq!(close().await.expect("closed already"), 0);
    let channel = channels::get(&mut world.db.read().await.expect("reads"), world.channel.id).await;
    assert_eq!(
        channel.expect("reads").and_then(|channel| channel.active_context_id),
        None
    );
}

pub async fn a_context_in_which_somebody_has_just_spoken_stays_open(world: World) {
    let (context, since) = (world.context, NOW.after(Duration::from_secs(60)));
    let now = since.after(Duration::from_secs(60));
    let found = contexts::idle(&mut world.db.read().await.expect("reads"), since).await;
    assert_eq!(found.expect("looks"), [context]);
    let close = || {
        world
            .db
            .write(move |tx| Box::pin(closing::close_if_idle(tx, context, since, now)))
    };
    world
        .db
        .write(move |tx| Box::pin(contexts::touch(tx, context, now)))
        .await
        .expect("speaks");
    assert!(!close().await.expect("looks again"));
    let channel = channels::get(&mut world.db.read().await.expect("reads"), world.channel.id).await;
    assert_eq!(
        channel.expect("reads").and_then(|channel| channel.active_context_id),
        Some(context)
    );
    world
        .db
        .write(move |tx| Box::pin(contexts::touch(tx, context, NOW)))
        .await
        .expect("is silent");
    assert!(close().await.expect("closes"));
}

pub async fn agents_of_the_configuration_are_brought_in(world: World) {
    let changed = agents::Agent {
        prompt: "You are somebody else.".into(),
        ..an_agent(AgentId::new(), "clifford")
    };
    let put = changed.clone();
    let (known, left) = world
        .db
        .write(move |tx| {
            Box::pin(async move {
                agents::put(tx, &put, NOW).await?;
                let known = agents::for_channel(tx, None).await?;
                agents::disable_except(tx, &["other".to_owned()], NOW).await?;
                Ok((known, agents::for_channel(tx, None).await?))
            })
        })
        .await
        .expect("brings in");
    // The agent of that name keeps its id.
    assert_eq!(
        known,
        Some(agents::Agent {
            id: world.agent,
            ..changed
        })
    );
    assert_eq!(left, None);
}

pub async fn memory_said_in_private_stays_private(world: World) {
    let space = world
        .db
        .write(|tx| {
            Box::pin(async move {
                let group = Place {
                    kind: PlaceKind::Group,
                    space: Some(Space {
                        external_id: "g".into(),
                        name: None,
                    }),
                    ..place("g")
                };
                channels::find_or_create(tx, &group, None, NOW).await
            })
        })
        .await
        .expect("a group")
        .space_id
        .expect("a space");
    for (key, origin) in [("secret", None), ("said_there", Some(space))] {
        let item = item("identity", key, "x", 0);
        remember(&world.db, world.user.id, world.context, origin, item).await;
    }
    let cases = [
        (Viewer::Private, vec!["said_there", "secret"]),
        (Viewer::Shared(Some(space)), vec!["said_there"]),
        (Viewer::Shared(Some(SpaceId::new())), vec![]),
        (Viewer::Shared(None), vec![]),
    ];
    for (viewer, expected) in cases {
        let mut conn = world.db.read().await.expect("reads");
        let items = memory_items::active(&mut conn, world.user.id, viewer, clifford_content::memory::recall::MOST)
            .await
            .expect("reads");
        let items = items.into_iter().map(|item| Remembered {
            item,
            pinned: false,
            tainted: 0,
        });
        let items = clifford_content::memory::recall::selected(items.collect(), "");
        let mut keys: Vec<_> = (&items).into_iter().map(|item| item.key.as_str()).collect();
        keys.sort_unstable();
        assert_eq!(keys, expected, "{viewer:?}");
    }
}

pub async fn a_setting_is_taken_once(world: World) {
    world
        .db
        .write(|tx| Box::pin(settings::put(tx, settings::BOT, "claim", "code", NOW)))
        .await
        .expect("puts");
    let take = |value: &'static str| {
        world
            .db
            .write(move |tx| Box::pin(settings::take(tx, settings::BOT, "claim", value)))
    };
    assert!(!take("other").await.expect("looks"));
    let taken = futures::future::join_all((0..8).map(|_| take("code"))).await;
    assert_eq!(taken.into_iter().filter(|taken| matches!(taken, Ok(true))).count(), 1);
}

pub async fn names_that_changed_while_nobody_listened_are_taken_over(world: World) {
    let platform = Platform::new("discord");
    let general = Place {
        platform,
        kind: PlaceKind::Group,
        name: Some("general".into()),
        space: Some(Space {
            external_id: "9".into(),
            name: Some("Team".into()),
        }),
        ..place("5")
    };
    let told = |name: &str, channel: &str| Names {
        platform,
        space: "9".into(),
        name: Some(name.into()),
        places: [("5", channel), ("6", "where nobody spoke")]
            .map(|(id, name)| (id.into(), name.into()))
            .to_vec(),
    };
    let (first, second) = (told("Team", "general"), told("Crew", "lobby"));
    let named = world.db.write(move |tx| {
        Box::pin(async move {
            assert!(renaming::stale(tx, &first).await?.is_empty(), "nobody spoke there yet");
            let made = channels::find_or_create(tx, &general, None, NOW).await?;
            assert!(renaming::stale(tx, &first).await?.is_empty());
            let stale = renaming::stale(tx, &second).await?;
            renaming::renew(tx, &stale, NOW).await?;
            assert!(renaming::stale(tx, &second).await?.is_empty());
            channels::get(tx, made.id).await
        })
    });
    let named = named.await.expect("stores").and_then(|channel| channel.name);
    assert_eq!(named.as_deref(), Some("lobby"));
}
