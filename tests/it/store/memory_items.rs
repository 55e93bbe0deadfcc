//! Memory items that people add, change and forget themselves.

use std::time::Duration;

use clifford_chat::inbound::{Place, PlaceKind, Space};
use clifford_core::{
    clock::Timestamp,
    fault::Fault,
    id::{MemoryItemId, SpaceId, UserId},
    memory::{content::Content, levels::LEVELS},
};
use clifford_engine::memory::editing::{self, Change, NewItem, Visibility};
use clifford_store::{
    StoreError,
    memory::{
        admin::{self as memory_admin, Filter, Item},
        items::Viewer,
    },
    places::channels,
};

use super::world::{NOW, World, place};

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

    /// A group's channel, with a space.
    pub async fn group(&self, id: &'static str) -> clifford_core::places::Channel {
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
    let cap = u64::try_from(LEVELS[0].items).expect("a small number");
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
        known: Some(Visibility::Everywhere),
        ..Change::default()
    };
    world.amend(town.id, share).await.expect("stores").expect("fits");
    world.added("quiet", 1, NOW).await;
    let all = |viewer| {
        world
            .db
            .write(move |tx| Box::pin(memory_admin::forget_all(tx, user, viewer)))
    };
    assert_eq!(all(viewer).await.expect("deletes"), 1);
    assert_eq!(keys(&world.seen_by(Viewer::Private).await), ["quiet"]);
    assert_eq!(all(Viewer::Private).await.expect("deletes"), 1);
    let id = town.id;
    let deleted = world.db.write(move |tx| Box::pin(memory_admin::delete(tx, id))).await;
    assert!(!deleted.expect("looks"));
}

pub async fn a_value_by_hand_is_private_and_an_item_can_be_made_so(world: World) {
    let space = world.group("g").await.space_id.expect("a space");
    for (place, (change, expected)) in [
        (
            Change {
                value: Some("else".into()),
                ..Change::default()
            },
            (None, false),
        ),
        (
            Change {
                known: Some(Visibility::InPrivate),
                ..Change::default()
            },
            (None, false),
        ),
        (
            Change {
                known: Some(Visibility::Everywhere),
                ..Change::default()
            },
            (Some(space), true),
        ),
    ]
    .into_iter()
    .enumerate()
    {
        let key = ["one", "two", "three"][place];
        let item = world.added(key, 3, NOW).await;
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
