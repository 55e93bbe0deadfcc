//! Channels that move, that the bot is removed from, and those that it serves.
//!
//! The file is long because each way in which a place moves, is left or is renamed is a case of its own.

use std::time::Duration;

use clifford_chat::{
    inbound::{Place, PlaceKind, Renamed, Served, Space, Speaker},
    platform::Platform,
};
use clifford_core::{
    id::{MessageId, UserId},
    memory::levels,
    messages::MessageStatus,
    people::UserRole,
    places::Channel,
};
use clifford_store::{
    Pools, StoreError, Tx, contexts,
    messages::{self, NewInbound},
    people::{merge, users},
    places::{channels, moving, renaming, settings, spaces},
};
use sqlx::AssertSqlSafe;

use super::world::{NOW, World, place, speaker};

const MINUTE: Duration = Duration::from_secs(60);

/// A group that is a space of its own, as on Telegram; or a channel of a guild, as on Discord.
fn group(platform: Platform, id: &str, space: &str) -> Place {
    Place {
        platform,
        kind: PlaceKind::Group,
        space: Some(Space {
            external_id: space.into(),
            name: Some("Friends".into()),
        }),
        ..place(id)
    }
}

impl World {
    async fn change<T: Send + 'static>(
        &self,
        work: impl for<'t> FnOnce(&'t mut Tx) -> clifford_store::BoxFuture<'t, Result<T, StoreError>> + Send + 'static,
    ) -> T {
        self.db.write(work).await.expect("writes")
    }

    async fn speaks(&self, place: Place, after: Duration) -> Channel {
        let now = NOW.after(after);
        self.change(move |tx| Box::pin(async move { channels::find_or_create(tx, &place, None, now).await }))
            .await
    }

    async fn at(&self, platform: Platform, id: &str) -> Option<Channel> {
        channels::by_place(&mut self.db.read().await.expect("reads"), platform, id)
            .await
            .expect("reads")
    }

    async fn moved(&self, from: &'static str, to: &'static str) {
        self.change(move |tx| Box::pin(moving::moved(tx, Platform::new("telegram"), from, to, NOW)))
            .await;
    }

    async fn served(&self, platform: Platform, since: Duration) -> Vec<Served> {
        let mut conn = self.db.read().await.expect("reads");
        let mut served = channels::served(&mut conn, platform, NOW.after(since))
            .await
            .expect("reads");
        served.sort_by(|a, b| a.external_id.cmp(&b.external_id));
        served
    }

    /// A column of texts.
    async fn column(&self, sql: String) -> Vec<String> {
        let sql = AssertSqlSafe(sql);
        let rows: Vec<(String,)> = match self.db.pools() {
            Pools::Sqlite { read, .. } => sqlx::query_as(sql).fetch_all(read).await.expect("reads"),
            Pools::Postgres(pool) => sqlx::query_as(sql).fetch_all(pool).await.expect("reads"),
        };
        rows.into_iter().map(|(text,)| text).collect()
    }

    /// The ids of the spaces of a platform, and whether the bot has left them.
    async fn spaces(&self) -> Vec<(String, Option<i64>)> {
        let sql = "SELECT external_id, left_at FROM spaces ORDER BY external_id";
        match self.db.pools() {
            Pools::Sqlite { read, .. } => sqlx::query_as(sql).fetch_all(read).await.expect("reads"),
            Pools::Postgres(pool) => sqlx::query_as(sql).fetch_all(pool).await.expect("reads"),
        }
    }
}

pub async fn a_channel_that_moved_is_the_same_under_its_new_id(world: World) {
    let before = world
        .speaks(group(Platform::new("telegram"), "-1", "-1"), Duration::ZERO)
        .await;
    let elsewhere = world
        .speaks(group(Platform::new("discord"), "-1", "-1"), Duration::ZERO)
        .await;
    let numbered = |text: &str| NewInbound {
        channel_id: before.id,
        context_id: None,
        ..world.message(text, MessageStatus::History)
    };
    assert!(world.store(numbered("57")).await);
    assert!(!world.store(numbered("57")).await);
    let again = numbered("57");
    world.moved("-1", "-100").await;
    // There are new messages of the old numbers.
    assert!(world.store(again).await);
    let after = Channel {
        external_id: "-100".into(),
        ..before
    };
    assert_eq!(world.at(Platform::new("telegram"), "-100").await, Some(after.clone()));
    assert_eq!(world.at(Platform::new("telegram"), "-1").await, None);
    assert_eq!(world.at(Platform::new("discord"), "-1").await, Some(elsewhere));
    assert_eq!(
        world.spaces().await,
        [("-1".to_owned(), None), ("-100".to_owned(), None)]
    );
    // Told twice, or of a place that nobody knows: nothing changes.
    world.moved("-1", "-100").await;
    world.moved("-7", "-8").await;
    // A message under the new id belongs to the same channel.
    let spoken = world
        .speaks(group(Platform::new("telegram"), "-100", "-100"), MINUTE)
        .await;
    assert_eq!((spoken.id, spoken.space_id), (after.id, after.space_id));
    assert_eq!(world.at(Platform::new("telegram"), "-8").await, None);
}

pub async fn what_was_said_under_the_new_id_before_the_move_was_known_joins_the_rest(world: World) {
    let telegram = Platform::new("telegram");
    let old = world.speaks(group(telegram, "-1", "-1"), Duration::ZERO).await;
    // The first message under the new id came before the word that it is new.
    let new = world.speaks(group(telegram, "-100", "-100"), MINUTE).await;
    let (before, since) = (old.clone(), new.clone());
    let [first, second] = world
        .change(move |tx| {
            Box::pin(async move {
                let first = contexts::begin(tx, &before, None, NOW).await?;
                let second = contexts::begin(tx, &since, None, NOW.after(MINUTE)).await?;
                for (scope, name, value) in [
                    (before.id, "language", "de"),
                    (since.id, "language", "fr"),
                    (since.id, "threads", "auto"),
                ] {
                    settings::put(tx, &scope.to_string(), name, value, NOW).await?;
                }
                Ok([first, second])
            })
        })
        .await;
    let numbered = |channel| NewInbound {
        channel_id: channel,
        context_id: None,
        ..world.message("57", MessageStatus::History)
    };
    assert!(world.store(numbered(old.id)).await && world.store(numbered(new.id)).await);
    let spaces = [old.space_id, new.space_id].map(|space| space.expect("a space").to_string());
    for space in spaces {
        for sql in [
            "INSERT INTO budget_spending (subject, period, cost, tokens) VALUES",
            "INSERT INTO rate_buckets (subject, name, tokens, filled_at) VALUES",
        ] {
            let inserted = world.column(format!("{sql} ('{space}', 'day', 1.0, 1) RETURNING subject"));
            inserted.await;
        }
    }
    // It seemed to be removed from the old group, and was added to the new one.
    let removed = world.change(|tx| {
        Box::pin(channels::left_space(
            tx,
            Platform::new("telegram"),
            "-1",
            "removed",
            NOW,
        ))
    });
    removed.await;
    for _ in 0..2 {
        world.moved("-1", "-100").await;
    }
    assert_eq!(world.at(telegram, "-1").await, None);
    let after = world.at(telegram, "-100").await.expect("the group");
    assert_eq!(
        after,
        Channel {
            external_id: "-100".into(),
            active_context_id: Some(first),
            last_message_at: new.last_message_at,
            ..old.clone()
        }
    );
    assert_eq!(world.spaces().await, [("-100".to_owned(), None)]);
    let of = |what: &str| world.column(format!("SELECT {what} = '{}' ORDER BY 1", after.id));
    let mut began = [first.to_string(), second.to_string()];
    began.sort_unstable();
    assert_eq!(of("id FROM contexts WHERE channel_id").await, began);
    assert_eq!(
        of("platform_message_id FROM messages WHERE channel_id").await,
        ["-1:57", "57"]
    );
    assert_eq!(of("value FROM settings WHERE scope").await, ["auto", "de"]);
    // The usage of both is summed up anew.
    let space = after.space_id.expect("a space");
    let spent = world.column("SELECT subject FROM budget_spending".to_owned());
    assert_eq!(spent.await, Vec::<String>::new());
    let rates = world.column("SELECT subject FROM rate_buckets".to_owned());
    assert_eq!(rates.await, [space.to_string()]);
    // It does not introduce itself again where it was.
    let greets = world.change(move |tx| Box::pin(channels::joined_space(tx, space, NOW)));
    assert!(!greets.await);
}

pub async fn a_place_keeps_its_new_name_although_messages_go_on_to_tell_the_first(world: World) {
    let telegram = Platform::new("telegram");
    let topic = |name: &str| Place {
        kind: PlaceKind::Thread,
        parent: Some("-1".into()),
        name: Some(name.into()),
        ..group(telegram, "-1:4", "-1")
    };
    let name = |channel: Channel| channel.name.unwrap_or_default();
    let renamed = |place: &'static str, to: &'static str| {
        let renamed = Renamed {
            platform: telegram,
            place: Some(place.into()),
            space: None,
            name: to.into(),
            first_is_retold: true,
        };
        world.change(move |tx| Box::pin(async move { renaming::place(tx, place, &renamed, NOW).await }))
    };
    renamed("-1:4", "nobody spoke there yet").await;
    assert_eq!(name(world.speaks(topic("Steam"), Duration::ZERO).await), "Steam");
    for to in ["Diesel", "Turbines"] {
        renamed("-1:4", to).await;
        let spoken = world.speaks(topic("Steam"), MINUTE).await;
        assert_eq!(name(spoken.clone()), to);
        let touched = world.change(move |tx| Box::pin(channels::touched(tx, spoken, Some("Steam"), NOW)));
        assert_eq!(name(touched.await), to);
        assert_eq!(name(world.at(telegram, "-1:4").await.expect("a topic")), to);
    }
    // It was renamed while nobody listened.
    let spoken = world.speaks(topic("Coal"), MINUTE).await;
    assert_eq!(name(spoken.clone()), "Coal");
    let touched = world.change(move |tx| Box::pin(channels::touched(tx, spoken, Some("Wood"), NOW)));
    assert_eq!(name(touched.await), "Wood");
    let space = world.at(telegram, "-1:4").await.and_then(|channel| channel.space_id);
    world
        .change(move |tx| {
            Box::pin(async move {
                renaming::space(tx, telegram, "-1", "Engines").await?;
                let found = spaces::get(tx, space.expect("a space")).await?;
                assert_eq!(found.and_then(|space| space.name).as_deref(), Some("Engines"));
                Ok(())
            })
        })
        .await;
}

pub async fn a_person_is_called_as_their_account_is_unless_another_one_named_them(world: World) {
    let (telegram, discord) = (Platform::new("telegram"), Platform::new("discord"));
    let called = |id: &str, name: &str| Speaker {
        name: name.into(),
        ..speaker(id)
    };
    let (first, renamed) = (called("71", "Ada"), called("71", "Ada King"));
    let (former, other) = (called("72", "ada"), called("72", "ada99"));
    let user = world
        .change({
            let first = first.clone();
            move |tx| Box::pin(async move { users::find_or_create(tx, telegram, &first, UserRole::Member, NOW).await })
        })
        .await;
    let id = user.id;
    let names = world
        .change(move |tx| {
            Box::pin(async move {
                let second = users::find_or_create(tx, discord, &former, UserRole::Member, NOW).await?;
                merge::merge(tx, second.id, &user, &levels::caps(), NOW).await?;
                let same = users::learn_name(tx, user, telegram, &first, NOW).await?;
                let another = users::learn_name(tx, same, telegram, &renamed, NOW).await?;
                let known = users::learn_name(tx, another, discord, &other, NOW).await?;
                let stored = users::get(tx, id).await?.expect("a person");
                assert_eq!(stored.name, known.name);
                let accounts = users::identities(tx, id).await?;
                Ok((
                    known.name,
                    accounts.into_iter().map(|account| account.name).collect::<Vec<_>>(),
                ))
            })
        })
        .await;
    assert_eq!(
        names,
        ("Ada King".to_owned(), vec!["ada99".to_owned(), "Ada King".to_owned()])
    );
}

pub async fn a_channel_that_was_left_is_off_until_somebody_speaks_there(world: World) {
    let here = world
        .speaks(group(Platform::new("telegram"), "-1", "-1"), Duration::ZERO)
        .await;
    let other = world
        .speaks(group(Platform::new("telegram"), "-2", "-2"), Duration::ZERO)
        .await;
    let left = || {
        world.change(|tx| {
            Box::pin(channels::left(
                tx,
                Platform::new("telegram"),
                "-1",
                "the bot was removed",
                NOW.after(MINUTE),
            ))
        })
    };
    left().await;
    let off = Channel {
        enabled: false,
        disabled_reason: Some("the bot was removed".into()),
        ..here.clone()
    };
    assert_eq!(world.at(Platform::new("telegram"), "-1").await, Some(off));
    assert_eq!(world.at(Platform::new("telegram"), "-2").await, Some(other));
    let back = world
        .speaks(group(Platform::new("telegram"), "-1", "-1"), MINUTE * 2)
        .await;
    assert_eq!(
        back,
        Channel {
            last_message_at: Some(NOW.after(MINUTE * 2)),
            ..here
        }
    );
}

pub async fn a_channel_that_was_turned_off_stays_so_when_the_bot_is_removed_and_comes_back(world: World) {
    let here = world
        .speaks(group(Platform::new("telegram"), "-1", "-1"), Duration::ZERO)
        .await;
    let off = channels::Change {
        enabled: Some(false),
        ..channels::Change::default()
    };
    let id = here.id;
    world
        .change(move |tx| Box::pin(async move { channels::change(tx, id, &off, NOW).await }))
        .await;
    world
        .change(|tx| {
            Box::pin(channels::left(
                tx,
                Platform::new("telegram"),
                "-1",
                "the bot was removed",
                NOW,
            ))
        })
        .await;
    world
        .change(|tx| {
            Box::pin(channels::left_space(
                tx,
                Platform::new("telegram"),
                "-1",
                "the bot was removed",
                NOW,
            ))
        })
        .await;
    world
        .change(move |tx| Box::pin(channels::disable(tx, id, "the chat is gone", NOW)))
        .await;
    let back = world.speaks(group(Platform::new("telegram"), "-1", "-1"), MINUTE).await;
    assert!(back.is_turned_off(), "{back:?}");
}

pub async fn a_space_that_was_left_takes_all_of_its_channels_and_no_other(world: World) {
    for (platform, id, space) in [
        (Platform::new("discord"), "1", "guild"),
        (Platform::new("discord"), "2", "guild"),
        (Platform::new("discord"), "3", "other"),
        (Platform::new("telegram"), "4", "guild"),
    ] {
        world.speaks(group(platform, id, space), Duration::ZERO).await;
    }
    let then = NOW.after(MINUTE);
    world
        .change(move |tx| {
            Box::pin(channels::left_space(
                tx,
                Platform::new("discord"),
                "guild",
                "removed",
                then,
            ))
        })
        .await;
    let mut states = Vec::new();
    for (platform, id) in [
        (Platform::new("discord"), "1"),
        (Platform::new("discord"), "2"),
        (Platform::new("discord"), "3"),
        (Platform::new("telegram"), "4"),
    ] {
        let channel = world.at(platform, id).await.expect("a channel");
        states.push((channel.enabled, channel.disabled_reason));
    }
    let removed = || (false, Some("removed".to_owned()));
    assert_eq!(states, [removed(), removed(), (true, None), (true, None)]);
    let left_at = |spaces: Vec<(String, Option<i64>)>| {
        let mut left: Vec<_> = spaces.into_iter().map(|(_, at)| at).collect();
        left.sort_unstable();
        left
    };
    assert_eq!(left_at(world.spaces().await), [None, None, Some(then.0)]);
    // A new channel of the guild is made: the bot is back there.
    world
        .speaks(group(Platform::new("discord"), "5", "guild"), MINUTE * 2)
        .await;
    assert_eq!(left_at(world.spaces().await), [None, None, None]);
    // A channel that is known speaks again, by a command or by a message.
    for is_message in [false, true] {
        world
            .change(move |tx| {
                Box::pin(channels::left_space(
                    tx,
                    Platform::new("discord"),
                    "guild",
                    "removed",
                    then,
                ))
            })
            .await;
        assert_eq!(left_at(world.spaces().await), [None, None, Some(then.0)]);
        let known = world.at(Platform::new("discord"), "1").await.expect("a channel");
        if is_message {
            world
                .change(move |tx| Box::pin(async move { channels::touched(tx, known, None, then).await }))
                .await;
        } else {
            world
                .speaks(group(Platform::new("discord"), "1", "guild"), MINUTE)
                .await;
        }
        assert_eq!(left_at(world.spaces().await), [None, None, None]);
    }
}

pub async fn the_places_that_are_served_come_with_their_newest_message(world: World) {
    let (old, quiet, new, gone) = (
        group(Platform::new("discord"), "1", "guild"),
        group(Platform::new("discord"), "2", "guild"),
        group(Platform::new("discord"), "3", "guild"),
        group(Platform::new("discord"), "4", "guild"),
    );
    world.speaks(old, Duration::ZERO).await;
    world.speaks(quiet, MINUTE).await;
    let new = world.speaks(new, MINUTE * 2).await;
    world.speaks(gone, MINUTE * 2).await;
    world
        .change(|tx| Box::pin(channels::left(tx, Platform::new("discord"), "4", "removed", NOW)))
        .await;
    let said = |id: Option<&str>, by: UserId| NewInbound {
        id: MessageId::new(),
        channel_id: new.id,
        context_id: None,
        user_id: by,
        run_id: None,
        content: "hello".into(),
        attachments: vec![],
        quote: None,
        quoted_user_id: None,
        platform_message_id: id.map(str::to_owned),
        idempotency_key: None,
        request_hash: None,
        album: None,
        status: MessageStatus::History,
        sent_at: NOW,
    };
    // The ids of the platform are not texts to be sorted: 1000 is newer than 999. One message has no id.
    for id in [Some("999"), Some("1000"), None] {
        let message = said(id, world.user.id);
        world
            .change(move |tx| Box::pin(async move { messages::insert_inbound(tx, &message, NOW).await }))
            .await;
    }
    let served = |id: &str, last: Option<&str>| Served {
        external_id: id.into(),
        kind: PlaceKind::Group,
        space: Some("guild".into()),
        last_message_id: last.map(str::to_owned),
    };
    // Since a moment, that moment included; not those that the bot was removed from, nor of another platform.
    assert_eq!(
        world.served(Platform::new("discord"), MINUTE).await,
        [served("2", None), served("3", Some("1000"))]
    );
    assert_eq!(world.served(Platform::new("discord"), MINUTE * 3).await, []);
    assert_eq!(world.served(Platform::TERMINAL, Duration::ZERO).await, []);
}
