//! People and settings in people's hands.

use std::time::Duration;

use clifford_chat::platform::Platform;
use clifford_core::{
    id::{ChannelId, SpaceId, UserId},
    people::UserRole,
    places::{Threads, VoiceReplies, WhenBusy},
};
use clifford_store::{
    StoreError, contexts, jobs,
    people::users,
    places::{place_settings::PlaceSettings, settings},
};
use clifford_tools::settings::catalogue::{self, Scope};

use super::world::{NOW, World, speaker};

pub async fn people_are_listed_found_by_name_and_changed_but_the_last_owner_stays_one(world: World) {
    let bob = world
        .db
        .write(|tx| {
            Box::pin(async move {
                users::find_or_create(tx, Platform::new("discord"), &speaker("2"), UserRole::Owner, NOW).await
            })
        })
        .await
        .expect("makes");
    let change = |id: UserId, change: users::Change| {
        world.db.write(move |tx| {
            Box::pin(async move { users::change(tx, id, &change, NOW.after(Duration::from_secs(1))).await })
        })
    };
    let to = |role: UserRole| users::Change {
        role: Some(role),
        ..users::Change::default()
    };
    let refused = change(bob.id, to(UserRole::Member)).await;
    assert!(matches!(refused, Err(StoreError::WrongState(_))), "{refused:?}");
    let renamed = users::Change {
        name: Some("Ürsula".into()),
        language: Some(Some("de".into())),
        time_zone: Some(Some("Europe/Berlin".into())),
        ..to(UserRole::Owner)
    };
    let ursula = change(world.user.id, renamed).await.expect("changes");
    let expected = clifford_core::people::User {
        id: world.user.id,
        name: "Ürsula".into(),
        role: UserRole::Owner,
        language: Some("de".into()),
        language_set: true,
        time_zone: Some("Europe/Berlin".into()),
    };
    assert_eq!(ursula, expected);
    let cleared = users::Change {
        language: Some(None),
        ..users::Change::default()
    };
    let ursula = change(world.user.id, cleared).await.expect("changes");
    assert_eq!(
        ursula,
        clifford_core::people::User {
            language: None,
            language_set: false,
            ..expected
        }
    );
    let bob = change(bob.id, to(UserRole::Member))
        .await
        .expect("there is another owner");
    let gone = change(UserId::new(), to(UserRole::Member)).await;
    assert!(matches!(gone, Err(StoreError::NotFound(_))), "{gone:?}");

    let mut conn = world.db.read().await.expect("reads");
    assert_eq!(
        users::page(&mut conn, users::Filter::default(), 1)
            .await
            .expect("reads"),
        std::slice::from_ref(&bob)
    );
    let before = users::Filter {
        before: Some(bob.id),
        ..users::Filter::default()
    };
    assert_eq!(
        users::page(&mut conn, before, 9).await.expect("reads"),
        std::slice::from_ref(&ursula)
    );
    let owners = users::Filter {
        role: Some(UserRole::Owner),
        ..users::Filter::default()
    };
    assert_eq!(
        users::page(&mut conn, owners, 9).await.expect("reads"),
        std::slice::from_ref(&ursula)
    );
    for (text, expected) in [
        ("ürs", vec![]),
        ("Ürs", vec![ursula.clone()]),
        ("ÜRSULA%", vec![]),
        ("RSUL", vec![ursula.clone()]),
        // Their accounts are called so.
        ("aD", vec![bob.clone(), ursula.clone()]),
        ("_", vec![]),
    ] {
        let like = users::Filter {
            like: Some(text.to_owned()),
            ..users::Filter::default()
        };
        let found = users::page(&mut conn, like, 9).await.expect("reads");
        // PostgreSQL knows the case of every letter.
        let is_exact = text.is_ascii() || !conn.is_postgres();
        assert!(found == expected || !is_exact, "{text}: {found:?}");
    }
    for (name, expected) in [
        ("Ürsula", vec![ursula.clone()]),
        // Her account is called so still.
        ("ada", vec![ursula, bob]),
        ("nobody", vec![]),
    ] {
        assert_eq!(
            users::named(&mut conn, name, 9).await.expect("reads"),
            expected,
            "{name}"
        );
    }
}

pub async fn two_owners_that_step_back_at_once_leave_one(world: World) {
    for _ in 0..5 {
        let mut owners = Vec::new();
        for id in ["8", "9"] {
            let made = world.db.write(move |tx| {
                Box::pin(async move {
                    let user =
                        users::find_or_create(tx, Platform::new("discord"), &speaker(id), UserRole::Owner, NOW).await?;
                    users::set_role(tx, user.id, UserRole::Owner, NOW).await?;
                    Ok(user.id)
                })
            });
            owners.push(made.await.expect("makes"));
        }
        let step_back = |id: UserId| {
            let change = users::Change {
                role: Some(UserRole::Member),
                ..users::Change::default()
            };
            world
                .db
                .write(move |tx| Box::pin(async move { users::change(tx, id, &change, NOW).await }))
        };
        let (one, other) = tokio::join!(step_back(owners[0]), step_back(owners[1]));
        assert_eq!([one.is_ok(), other.is_ok()].iter().filter(|ok| **ok).count(), 1);
    }
}

pub async fn whoever_asks_to_erase_a_person_gets_the_same_job(world: World) {
    let user = world.user.id;
    let erase = || world.db.write(move |tx| Box::pin(jobs::erase(tx, user, NOW)));
    let asked = futures::future::join_all((0..4).map(|_| erase())).await;
    let asked: Vec<_> = asked.into_iter().map(|job| job.expect("makes").id).collect();
    assert!(asked.windows(2).all(|two| two[0] == two[1]), "{asked:?}");
    let nobody = UserId::new();
    let gone = world.db.write(move |tx| Box::pin(jobs::erase(tx, nobody, NOW))).await;
    assert!(matches!(gone, Err(StoreError::NotFound(_))), "{gone:?}");
    let filter = |kind| jobs::Filter {
        kind,
        user: Some(user),
        ..jobs::Filter::default()
    };
    let mut conn = world.db.read().await.expect("reads");
    for (kind, count) in [
        (None, 1),
        (Some(clifford_core::work::JobKind::Erase), 1),
        (Some(clifford_core::work::JobKind::MemoryWrite), 0),
    ] {
        let found = jobs::page(&mut conn, &filter(kind), 9).await.expect("reads");
        assert_eq!(found.len(), count, "{kind:?}");
    }
}

pub async fn a_setting_inherits_from_what_is_farther_and_the_bots_own_are_not_shown(world: World) {
    let group = world.group("g").await;
    let space = Scope::Space(group.space_id.expect("a space"));
    let channel = Scope::Channel(group.id);
    let defaults = PlaceSettings {
        when_busy: WhenBusy::FollowUp,
        shared_parallel: 3,
        memory: true,
        cross_channel: true,
        voice_replies: VoiceReplies::Never,
        threads: Threads::Off,
        follow_threads: None,
        ambient_messages: 0,
    };
    world
        .db
        .write(|tx| Box::pin(settings::put(tx, settings::BOT, "claim", "a hash", NOW)))
        .await
        .expect("puts");
    let set = |scope: Scope, name: &'static str, value: &'static str| {
        let known = catalogue::known(scope, name).expect("is known");
        world
            .db
            .write(move |tx| Box::pin(async move { catalogue::set(tx, scope, known, value, NOW).await }))
    };
    let shown = async |scope: Scope| {
        let found = catalogue::list(&mut world.db.read().await.expect("reads"), scope, defaults).await;
        found
            .expect("reads")
            .into_iter()
            .map(|one| {
                let text = |value: Option<serde_json::Value>| value.map_or("-".into(), |value| value.to_string());
                format!("{} {} {}", one.name, text(one.value), text(one.inherited))
            })
            .collect::<Vec<_>>()
    };
    set(Scope::Bot, "when_busy", "steer").await.expect("sets");
    set(space, "memory", "false").await.expect("sets");
    set(channel, "when_busy", "interrupt").await.expect("sets");
    assert_eq!(
        shown(Scope::Bot).await,
        [
            r#"when_busy "steer" "follow_up""#,
            "memory - true",
            "cross_channel - true",
            r#"voice_replies - "never""#,
            "model - -",
            r#"threads - "off""#,
            "follow_threads - -",
            "ambient_messages - 0"
        ]
    );
    assert_eq!(
        shown(space).await,
        [
            r#"when_busy - "steer""#,
            "memory false true",
            "cross_channel - true",
            r#"voice_replies - "never""#,
            "language - -",
            "agent - -",
            "model - -",
            "mode - -",
            "persona - -",
            "speaks - -",
            "use_roles - -",
            "approve_roles - -",
            "other_bots - -",
            "budget - -",
            "member_budget - -",
            r#"threads - "off""#,
            "follow_threads - -",
            "ambient_messages - 0"
        ]
    );
    assert_eq!(
        shown(channel).await,
        [
            r#"when_busy "interrupt" "steer""#,
            "memory - false",
            "cross_channel - true",
            r#"voice_replies - "never""#,
            "language - -",
            "agent - -",
            "model - -",
            "mode - -",
            "persona - -",
            "speaks - -",
            "use_roles - -",
            "approve_roles - -",
            "other_bots - -",
            r#"threads - "off""#,
            "follow_threads - -",
            "ambient_messages - 0"
        ]
    );
    let place = defaults
        .of(&mut world.db.read().await.expect("reads"), group.space_id, group.id)
        .await;
    let expected = PlaceSettings {
        when_busy: WhenBusy::Interrupt,
        shared_parallel: 3,
        memory: false,
        cross_channel: true,
        voice_replies: VoiceReplies::Never,
        threads: Threads::Off,
        follow_threads: None,
        ambient_messages: 0,
    };
    assert_eq!(place.expect("reads"), expected);

    let user = Scope::User(world.user.id);
    set(user, "time_zone", "Europe/Berlin").await.expect("sets");
    let voice = "voice_replies - -";
    assert_eq!(
        shown(user).await,
        [
            "memory - -",
            voice,
            "language - -",
            r#"time_zone "Europe/Berlin" -"#,
            "model - -"
        ]
    );
    for (scope, name) in [(user, "time_zone"), (channel, "when_busy")] {
        let known = catalogue::known(scope, name).expect("is known");
        let unset = || {
            world
                .db
                .write(move |tx| Box::pin(async move { catalogue::unset(tx, scope, known, NOW).await }))
        };
        assert_eq!(
            (unset().await.expect("unsets"), unset().await.expect("looks")),
            (true, false)
        );
    }
    assert_eq!(
        shown(user).await,
        ["memory - -", voice, "language - -", "time_zone - -", "model - -"]
    );
    for (scope, name) in [
        (Scope::Space(SpaceId::new()), "memory"),
        (Scope::Channel(ChannelId::new()), "memory"),
        (Scope::User(UserId::new()), "language"),
    ] {
        let refused = set(scope, name, "true").await;
        assert!(matches!(refused, Err(StoreError::NotFound(_))), "{scope}: {refused:?}");
    }
}

pub async fn conversations_are_paged_by_person(world: World) {
    let mut conn = world.db.read().await.expect("reads");
    let mine = contexts::page(&mut conn, None, Some(world.user.id), None, 9)
        .await
        .expect("reads");
    assert_eq!(
        mine.iter().map(|context| context.id).collect::<Vec<_>>(),
        [world.context]
    );
    let others = contexts::page(&mut conn, None, Some(UserId::new()), None, 9).await;
    assert_eq!(others.expect("reads"), []);
}
