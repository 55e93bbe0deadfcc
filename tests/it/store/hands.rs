//! Memory items, people and settings in people's hands.

use std::time::Duration;

use clifford::{
    clock::Timestamp,
    id::{MemoryItemId, SpaceId, UserId},
    memory::{
        editing::{self, Change, Known, NewItem},
        rules::{Content, Fault, LEVELS},
    },
    settings::{
        PlaceSettings, WhenBusy,
        catalogue::{self, Scope},
    },
    store::{
        StoreError, channels, contexts, jobs,
        memory_admin::{self, Filter, Item},
        memory_items::Viewer,
        settings,
        users::{self, UserRole},
    },
};
use clifford_channel::{Place, PlaceKind, Platform, Space};

use super::world::{NOW, World, place, speaker};

fn later(seconds: u64) -> Timestamp {
    NOW.after(Duration::from_secs(seconds))
}

fn new(user: UserId, key: &str, level: i64) -> NewItem {
    NewItem {
        user,
        content: Content {
            module: "identity".into(),
            key: key.into(),
            value: format!("the {key}"),
            level,
            confidence: 1.0,
        },
        shareable: false,
        pinned: false,
    }
}

impl World {
    async fn add(&self, new: NewItem, now: Timestamp) -> Result<Result<Item, Fault>, StoreError> {
        self.db
            .write(move |tx| Box::pin(async move { editing::add(tx, new, now).await }))
            .await
    }

    async fn added(&self, key: &str, level: i64, now: Timestamp) -> Item {
        let added = self.add(new(self.user.id, key, level), now).await;
        added.expect("stores").expect("fits")
    }

    async fn amend(&self, id: MemoryItemId, change: Change) -> Result<Result<Item, Fault>, StoreError> {
        self.db
            .write(move |tx| Box::pin(async move { editing::change(tx, id, change, later(100)).await }))
            .await
    }

    async fn seen_by(&self, viewer: Viewer) -> Vec<Item> {
        memory_admin::seen_by(&mut self.db.read().await.expect("reads"), self.user.id, viewer)
            .await
            .expect("reads")
    }

    async fn group(&self, id: &'static str) -> channels::Channel {
        self.db
            .write(move |tx| {
                Box::pin(async move {
                    let group = Place {
                        kind: PlaceKind::Group,
                        space: Some(Space {
                            external_id: id.into(),
                            name: None,
                        }),
                        ..place(id)
                    };
                    channels::find_or_create(tx, &group, None, NOW).await
                })
            })
            .await
            .expect("a group")
    }

    /// As if it had been said there.
    async fn said_in(&self, item: &Item, space: SpaceId) {
        let item = Item {
            origin_space: Some(space),
            ..item.clone()
        };
        self.db
            .write(move |tx| Box::pin(async move { memory_admin::update(tx, &item).await }))
            .await
            .expect("stores");
    }
}

fn keys(items: &[Item]) -> Vec<&str> {
    items.iter().map(|item| item.key.as_str()).collect()
}

pub async fn an_item_by_hand_comes_back_whole_and_its_key_is_taken_once(world: World) {
    let item = world.added("name", 0, NOW).await;
    let stored = memory_admin::get(&mut world.db.read().await.expect("reads"), item.id).await;
    assert_eq!(stored.expect("reads"), Some(item.clone()));
    let again = world.add(new(world.user.id, "name", 1), NOW).await;
    assert!(matches!(again, Err(StoreError::Conflict(_))), "{again:?}");
    let other = world.added("nick", 0, NOW).await;
    let onto = Change {
        key: Some("name".into()),
        ..Change::default()
    };
    let onto = world.amend(other.id, onto).await;
    assert!(matches!(onto, Err(StoreError::Conflict(_))), "{onto:?}");
    let gone = world.amend(MemoryItemId::new(), Change::default()).await;
    assert!(matches!(gone, Err(StoreError::NotFound(_))), "{gone:?}");
    let nobody = world.add(new(UserId::new(), "name", 1), NOW).await;
    assert!(matches!(nobody, Err(StoreError::Conflict(_))), "{nobody:?}");
    assert_eq!(world.seen_by(Viewer::Private).await, [item, other]);
}

pub async fn a_full_level_archives_what_it_has_not_seen_for_longest_and_nothing_pinned(world: World) {
    let cap = u64::from(LEVELS[0].items);
    for place in 0..cap {
        world.added(&format!("k{place}"), 0, later(place)).await;
    }
    let first = world.seen_by(Viewer::Private).await.remove(0);
    let pin = Change {
        pinned: Some(true),
        ..Change::default()
    };
    let pinned = world.amend(first.id, pin.clone()).await.expect("stores").expect("fits");
    world.added("newest", 0, later(50)).await;
    let archived: Vec<_> = world.seen_by(Viewer::Private).await;
    let archived: Vec<_> = archived.iter().filter(|item| item.archived).collect();
    assert_eq!(archived.len(), 1);
    assert_eq!((archived[0].key.as_str(), pinned.pinned), ("k1", true));
    for item in world.seen_by(Viewer::Private).await {
        if !item.archived {
            world.amend(item.id, pin.clone()).await.expect("stores").expect("fits");
        }
    }
    let refused = world
        .add(new(world.user.id, "more", 0), later(60))
        .await
        .expect("looks");
    assert_eq!(refused.map_err(|fault| fault.field), Err("level"));
    let back = Change {
        archived: Some(false),
        ..Change::default()
    };
    let refused = world.amend(archived[0].id, back).await.expect("looks");
    assert_eq!(refused.map_err(|fault| fault.field), Err("level"));
    // Other levels have room.
    world.added("more", 1, later(60)).await;
}

pub async fn items_are_paged_and_found_by_what_they_are(world: World) {
    for (place, (key, level)) in [("name", 0), ("cat_name", 1), ("town", 1)].into_iter().enumerate() {
        let mut item = new(world.user.id, key, level);
        item.content.value = ["Ada", "Miez, 100% CAT", "Zürich"][place].into();
        item.pinned = key == "name";
        world.add(item, NOW).await.expect("stores").expect("fits");
    }
    let old = world.added("old", 2, NOW).await;
    let archive = Change {
        archived: Some(true),
        ..Change::default()
    };
    world.amend(old.id, archive).await.expect("stores").expect("fits");
    let user = Some(world.user.id);
    let text = |text: &str| Filter {
        text: Some(text.into()),
        ..Filter::default()
    };
    let all = || Filter {
        user,
        ..Filter::default()
    };
    let cases = [
        (all(), vec!["old", "town", "cat_name", "name"]),
        (
            Filter {
                user: Some(UserId::new()),
                ..all()
            },
            vec![],
        ),
        (
            Filter {
                level: Some(1),
                ..all()
            },
            vec!["town", "cat_name"],
        ),
        (
            Filter {
                archived: Some(true),
                ..all()
            },
            vec!["old"],
        ),
        (
            Filter {
                archived: Some(false),
                level: Some(2),
                ..all()
            },
            vec![],
        ),
        (
            Filter {
                module: Some("projects".into()),
                ..all()
            },
            vec![],
        ),
        (
            Filter {
                before: Some(old.id),
                ..all()
            },
            vec!["town", "cat_name", "name"],
        ),
        (text("NAME"), vec!["cat_name", "name"]),
        (text("t_name"), vec!["cat_name"]),
        (text("t%name"), vec![]),
        (text("100%"), vec!["cat_name"]),
        (text("cat"), vec!["cat_name"]),
        (text("zürich"), vec!["town"]),
        (text("Zürich"), vec!["town"]),
    ];
    let mut conn = world.db.read().await.expect("reads");
    for (filter, expected) in cases {
        let found = memory_admin::page(&mut conn, &filter, 10).await.expect("reads");
        assert_eq!(keys(&found), expected, "{filter:?}");
    }
    let two = memory_admin::page(&mut conn, &all(), 2).await.expect("reads");
    assert_eq!(keys(&two), ["old", "town"]);
}

pub async fn what_is_forgotten_is_gone_with_its_past_as_far_as_the_viewer_sees(world: World) {
    let space = world.group("g").await.space_id.expect("a space");
    let viewer = Viewer::Shared(Some(space));
    let old = world.added("name", 0, NOW).await;
    let archive = Change {
        archived: Some(true),
        ..Change::default()
    };
    world
        .amend(old.id, archive.clone())
        .await
        .expect("stores")
        .expect("fits");
    let name = world.added("name", 0, NOW).await;
    world.said_in(&name, space).await;
    let town = world.added("town", 0, NOW).await;
    assert_eq!(keys(&world.seen_by(viewer).await), ["name"]);
    assert_eq!(keys(&world.seen_by(Viewer::Private).await), ["name", "name", "town"]);

    let user = world.user.id;
    let forget = |key: &'static str, viewer| {
        world
            .db
            .write(move |tx| Box::pin(memory_admin::forget(tx, user, "identity", key, viewer)))
    };
    assert_eq!(forget("town", viewer).await.expect("looks"), 0);
    assert_eq!(forget("name", viewer).await.expect("deletes"), 1);
    assert_eq!(forget("name", Viewer::Private).await.expect("deletes"), 1);
    let share = Change {
        known: Some(Known::Everywhere),
        ..Change::default()
    };
    world.amend(town.id, share).await.expect("stores").expect("fits");
    world.added("secret", 1, NOW).await;
    let all = |viewer| {
        world
            .db
            .write(move |tx| Box::pin(memory_admin::forget_all(tx, user, viewer)))
    };
    assert_eq!(all(viewer).await.expect("deletes"), 1);
    assert_eq!(keys(&world.seen_by(Viewer::Private).await), ["secret"]);
    assert_eq!(all(Viewer::Private).await.expect("deletes"), 1);
    let id = town.id;
    let deleted = world.db.write(move |tx| Box::pin(memory_admin::delete(tx, id))).await;
    assert!(!deleted.expect("looks"));
}

pub async fn a_value_by_hand_is_private_and_an_item_can_be_made_so(world: World) {
    let space = world.group("g").await.space_id.expect("a space");
    for (change, expected) in [
        (
            Change {
                value: Some("else".into()),
                ..Change::default()
            },
            (None, false),
        ),
        (
            Change {
                known: Some(Known::InPrivate),
                ..Change::default()
            },
            (None, false),
        ),
        (
            Change {
                known: Some(Known::Everywhere),
                ..Change::default()
            },
            (Some(space), true),
        ),
    ] {
        let key = format!("k{}", MemoryItemId::new().to_string().replace('-', ""));
        let item = world.added(&key, 3, NOW).await;
        world.said_in(&item, space).await;
        let item = world
            .amend(item.id, change.clone())
            .await
            .expect("stores")
            .expect("fits");
        assert_eq!((item.origin_space, item.shareable), expected, "{change:?}");
        let stored = memory_admin::get(&mut world.db.read().await.expect("reads"), item.id).await;
        assert_eq!(stored.expect("reads"), Some(item));
    }
}

pub async fn people_are_listed_found_by_name_and_changed_but_the_last_owner_stays_one(world: World) {
    let bob = world
        .db
        .write(|tx| {
            Box::pin(
                async move { users::find_or_create(tx, Platform::Discord, &speaker("2"), UserRole::Owner, NOW).await },
            )
        })
        .await
        .expect("makes");
    let change = |id: UserId, change: users::Change| {
        world
            .db
            .write(move |tx| Box::pin(async move { users::change(tx, id, &change, later(1)).await }))
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
    let expected = users::User {
        id: world.user.id,
        name: "Ürsula".into(),
        role: UserRole::Owner,
        language: Some("de".into()),
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
        users::User {
            language: None,
            ..expected
        }
    );
    let bob = change(bob.id, to(UserRole::Member))
        .await
        .expect("there is another owner");
    let gone = change(UserId::new(), to(UserRole::Member)).await;
    assert!(matches!(gone, Err(StoreError::NotFound(_))), "{gone:?}");

    let mut conn = world.db.read().await.expect("reads");
    let filter = users::Filter::default();
    assert_eq!(users::page(&mut conn, filter, 1).await.expect("reads"), [bob.clone()]);
    let before = users::Filter {
        before: Some(bob.id),
        ..filter
    };
    assert_eq!(
        users::page(&mut conn, before, 9).await.expect("reads"),
        [ursula.clone()]
    );
    let owners = users::Filter {
        role: Some(UserRole::Owner),
        ..filter
    };
    assert_eq!(
        users::page(&mut conn, owners, 9).await.expect("reads"),
        [ursula.clone()]
    );
    for (name, expected) in [("Ürsula", vec![ursula]), ("ada", vec![bob]), ("nobody", vec![])] {
        assert_eq!(
            users::by_name(&mut conn, name, 9).await.expect("reads"),
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
                    let user = users::find_or_create(tx, Platform::Discord, &speaker(id), UserRole::Owner, NOW).await?;
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
        (Some(jobs::JobKind::Erase), 1),
        (Some(jobs::JobKind::MemoryWrite), 0),
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
        memory: true,
        cross_channel: true,
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
            "cross_channel - true"
        ]
    );
    assert_eq!(
        shown(space).await,
        [r#"when_busy - "steer""#, "memory false true", "cross_channel - true"]
    );
    assert_eq!(
        shown(channel).await,
        [
            r#"when_busy "interrupt" "steer""#,
            "memory - false",
            "cross_channel - true"
        ]
    );
    let place = defaults
        .of(&mut world.db.read().await.expect("reads"), group.space_id, group.id)
        .await;
    let expected = PlaceSettings {
        when_busy: WhenBusy::Interrupt,
        memory: false,
        cross_channel: true,
    };
    assert_eq!(place.expect("reads"), expected);

    let user = Scope::User(world.user.id);
    set(user, "time_zone", "Europe/Berlin").await.expect("sets");
    assert_eq!(shown(user).await, ["language - -", r#"time_zone "Europe/Berlin" -"#]);
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
    assert_eq!(shown(user).await, ["language - -", "time_zone - -"]);
    for (scope, name) in [
        (Scope::Space(SpaceId::new()), "memory"),
        (Scope::Channel(clifford::id::ChannelId::new()), "memory"),
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
