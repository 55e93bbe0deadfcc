//! The results of a search, their order, and their owners.
//!
//! The file is long because each rule of what is found, in which order and by whom is a case of its own.

use clifford_chat::{
    inbound::{Place, PlaceKind, Space},
    platform::Platform,
};
use clifford_content::search::{find::SearchHit, indexer};
use clifford_core::{
    id::{ChannelId, ContextId, MessageId, RunId, UserId},
    messages::MessageStatus,
    people::UserRole,
    search::{Form, Query, Request, Scope, SearchInput},
};
use clifford_store::{
    Pools, StoreError,
    contexts::{
        self,
        sessions::{self, MessageRange},
    },
    db::free_space,
    messages::{self, NewInbound},
    people, places, search as index,
};
use futures::future::join_all;
use jiff::tz::TimeZone;
use proptest::{prelude::*, strategy::ValueTree, test_runner::TestRunner};

use super::world::{Home, NOW, World, place, speaker};

impl World {
    /// Cleans the space that deleted rows left, as after somebody was erased.
    async fn clean(&self) {
        while !free_space::clean(&self.db).await.expect("cleans") {
            tokio::task::yield_now().await;
        }
    }

    pub(super) fn text(&self, text: &str) -> NewInbound {
        NewInbound {
            content: text.into(),
            platform_message_id: None,
            ..self.message("", MessageStatus::Received)
        }
    }

    /// Says it in the conversation.
    pub(super) async fn say(&self, text: &str) -> MessageId {
        let message = self.text(text);
        let id = message.id;
        assert!(self.store(message).await);
        id
    }

    pub(super) async fn say_all(&self, texts: Vec<String>) {
        let messages: Vec<_> = texts.iter().map(|text| self.text(text)).collect();
        let stored = self.db.write(move |tx| {
            Box::pin(async move {
                for message in &messages {
                    messages::insert_inbound(tx, message, NOW).await?;
                }
                Ok(())
            })
        });
        stored.await.expect("stores");
    }

    pub(super) async fn search(&self, scope: Scope, query: &str) -> Vec<SearchHit> {
        let request = request(scope, query);
        clifford_content::search::find::find(&self.db, request)
            .await
            .expect("searches")
            .items
    }

    /// The snippets of what the world's person finds in private.
    pub(super) async fn finds(&self, query: &str) -> Vec<String> {
        let found = self.search(Scope::Person(self.user.id), query).await;
        found.into_iter().map(|found| found.snippet).collect()
    }

    /// Another channel with a conversation in it, of a person or of a group.
    pub(super) async fn elsewhere(&self, place: Place, person: Option<UserId>) -> Self {
        let opened = self.db.write(move |tx| {
            Box::pin(async move {
                let channel = places::channels::find_or_create(tx, &place, person.map(|user| (user, "x")), NOW).await?;
                let context = contexts::begin(tx, &channel, Some("elsewhere"), NOW).await?;
                Ok((channel, context))
            })
        });
        let (channel, context) = opened.await.expect("opens");
        Self {
            channel,
            context,
            ..self.clone()
        }
    }

    pub(super) async fn stranger(&self) -> UserId {
        let found = self.db.write(|tx| {
            Box::pin(people::users::find_or_create(
                tx,
                Platform::new("telegram"),
                &SPEAKER,
                UserRole::Member,
                NOW,
            ))
        });
        found.await.expect("a stranger").id
    }

    async fn delete(&self, id: MessageId) {
        const SQL: &str = "DELETE FROM messages WHERE id = $1";
        let id = id.to_string();
        match self.db.pools() {
            Pools::Sqlite { read, .. } => drop(sqlx::query(SQL).bind(id).execute(read).await.expect("deletes")),
            Pools::Postgres(pool) => drop(sqlx::query(SQL).bind(id).execute(pool).await.expect("deletes")),
        }
    }
}

fn request(scope: Scope, query: &str) -> Request {
    let asked = SearchInput {
        text: query,
        ..SearchInput::default()
    };
    Request {
        limit: 20,
        form: Form::Markdown,
        ..Request::read(asked, scope, TimeZone::UTC, NOW).expect("terms")
    }
}

pub(super) fn group(id: &str, space: &str) -> Place {
    Place {
        kind: PlaceKind::Group,
        space: Some(Space {
            external_id: space.into(),
            name: None,
        }),
        ..place(id)
    }
}

pub async fn what_was_said_is_found_best_first_with_what_was_asked_for_in_bold(world: World) {
    for text in [
        "The cat sleeps.",
        "Dogs bark, and after a while of that even the most patient of neighbours says so to the cat.",
        "Cat, cat, cat!",
        "A category of its own.",
        "The dog sleeps.",
        "My cat sleeps.",
    ] {
        world.say(text).await;
    }
    // A message between answers comes before one that stands alone, and one that is no answer behind all of them.
    let expected = [
        "**Cat**, **cat**, **cat**!",
        "Dogs bark, and after a while of that even the most patient of neighbours says so to the **cat**.",
        "The **cat** sleeps.",
        "My **cat** sleeps.",
        "A **category** of its own.",
        "The dog sleeps.",
    ];
    assert_eq!(world.finds("cat").await, expected);
    assert_eq!(world.finds("sleeps DOG").await[0], "The **dog** **sleeps**.");
    assert_eq!(
        world.finds("\"cat sleeps\" my").await,
        ["My **cat sleeps**.", "The **cat sleeps**."]
    );
    assert_eq!(world.finds("\"sleeps cat\"").await, Vec::<String>::new());
    assert_eq!(world.finds("cat elephant").await[0], expected[0]);
    assert_eq!(world.finds("\"elephant\" cat").await, Vec::<String>::new());
    assert_eq!(world.finds("elephant").await, Vec::<String>::new());
}

pub async fn what_is_edited_or_deleted_is_found_no_more(world: World) {
    let (edited, deleted) = (world.say("a red kite").await, world.say("a red kite too").await);
    assert_eq!(world.finds("kite").await.len(), 2);
    world
        .db
        .write(move |tx| Box::pin(messages::edit(tx, edited, "a blue whale", NOW)))
        .await
        .expect("edits");
    world.delete(deleted).await;
    assert_eq!(world.finds("kite").await, Vec::<String>::new());
    assert_eq!(world.finds("whale").await, ["a blue **whale**"]);
    world.delete(edited).await;
    // A number may be taken again.
    world.say("a grey whale").await;
    assert_eq!(world.finds("whale").await, ["a grey **whale**"]);
}

pub async fn commands_and_what_the_asking_run_was_told_are_not_found(world: World) {
    let run = world.insert(world.run()).await.expect("a run").id;
    world.say("the secret word is plum").await;
    let asked = NewInbound {
        run_id: Some(run),
        ..world.text("what is the secret word?")
    };
    let command = NewInbound {
        context_id: None,
        status: MessageStatus::History,
        ..world.text("/forget secret")
    };
    for message in [asked, command] {
        assert!(world.store(message).await);
    }
    let except = |run: Option<RunId>| Request {
        except: run,
        ..request(Scope::Person(world.user.id), "secret")
    };
    for (run, expected) in [
        (Some(run), vec!["the **secret** word is plum"]),
        (
            None,
            vec!["what is the **secret** word?", "the **secret** word is plum"],
        ),
    ] {
        // Neither is it shown beside what is found.
        let page = clifford_content::search::find::find(&world.db, except(run))
            .await
            .expect("searches");
        let snippets: Vec<_> = page.items.iter().map(|found| found.snippet.as_str()).collect();
        assert_eq!(snippets, expected);
        let beside: Vec<_> = page
            .items
            .iter()
            .flat_map(|found| [&found.before, &found.after])
            .flatten()
            .collect();
        assert_eq!(beside.len(), if run.is_some() { 0 } else { 2 });
    }
    // A message that is not searched does not wait to be indexed.
    assert_eq!(indexer::take(&world.db).await.expect("looks"), 0);
}

pub async fn nobody_finds_what_was_said_elsewhere(world: World) {
    let stranger = world.stranger().await;
    let strangers = world.elsewhere(place("2"), Some(stranger)).await;
    let room = world.elsewhere(group("g1", "s1"), None).await;
    let neighbour = world.elsewhere(group("g2", "s1"), None).await;
    let other_space = world.elsewhere(group("g3", "s2"), None).await;
    let homes = [&world, &strangers, &room, &neighbour, &other_space];
    for home in homes {
        let others: Vec<_> = homes
            .iter()
            .map(|home| home.channel.id.0.simple().to_string())
            .collect();
        // Naming the terms by which places are told apart changes nothing.
        home.say(&format!("canary {} @{}", home.channel.id, others.join(" @")))
            .await;
    }
    let of = |channel: ChannelId| vec![channel];
    for (scope, expected) in [
        (Scope::Person(world.user.id), of(world.channel.id)),
        (Scope::Person(stranger), of(strangers.channel.id)),
        (Scope::Channel(room.channel.id), of(room.channel.id)),
        (Scope::Channel(neighbour.channel.id), of(neighbour.channel.id)),
        (Scope::Both(world.user.id, world.channel.id), of(world.channel.id)),
        (Scope::Both(world.user.id, strangers.channel.id), vec![]),
        (Scope::Both(world.user.id, room.channel.id), vec![]),
        (Scope::Person(UserId::new()), vec![]),
        (Scope::Channel(ChannelId::new()), vec![]),
        (Scope::Nothing, vec![]),
    ] {
        let found: Vec<_> = world
            .search(scope, "canary")
            .await
            .iter()
            .map(|found| found.message.channel_id)
            .collect();
        assert_eq!(found, expected, "{scope:?}");
    }
}

pub async fn a_person_finds_what_was_said_in_every_private_channel_of_theirs(world: World) {
    // More than a search looks in: the latest are.
    let mut homes = vec![world.clone()];
    for n in 0..120 {
        homes.push(world.elsewhere(place(&format!("own {n}")), Some(world.user.id)).await);
    }
    for home in &homes {
        home.say("needle").await;
    }
    let request = Request {
        limit: 500,
        ..request(Scope::Person(world.user.id), "needle")
    };
    let page = clifford_content::search::find::find(&world.db, request)
        .await
        .expect("searches");
    let mut channels: Vec<_> = page.items.iter().map(|found| found.message.channel_id).collect();
    channels.sort();
    let mut expected: Vec<_> = homes.iter().map(|home| home.channel.id).collect();
    expected.sort();
    assert_eq!(channels, expected);
}

pub async fn two_indexers_at_once_take_each_message_once(world: World) {
    world
        .say_all((0..900).map(|n| format!("word number{n}")).collect())
        .await;
    let take_all = || async {
        let mut taken = 0;
        loop {
            match indexer::take(&world.db).await.expect("takes") {
                0 => return taken,
                some => taken += some,
            }
        }
    };
    let mut taken: usize = join_all((0..4).map(|_| take_all())).await.iter().sum();
    // One that found the rest in the hands of another went away.
    taken += take_all().await;
    assert_eq!(taken, 900);
    for n in [0, 450, 899] {
        assert_eq!(world.finds(&format!("\"word number{n}\"")).await.len(), 1);
    }
}

pub async fn a_batch_that_is_not_committed_is_taken_again(world: World) {
    world.say_all((0..3).map(|n| format!("word number{n}")).collect()).await;
    let died: Result<(), StoreError> = world
        .db
        .write(|tx| {
            Box::pin(async move {
                assert_eq!(index::index(tx, None, 2).await?, 2);
                Err(StoreError::Unavailable("it died".into()))
            })
        })
        .await;
    assert!(died.is_err());
    // PostgreSQL lets the rows of a dead transaction go some moments later.
    let mut taken = 0;
    while taken < 3 {
        taken += indexer::take(&world.db).await.expect("takes");
    }
    assert_eq!(taken, 3);
    assert_eq!(indexer::take(&world.db).await.expect("takes"), 0);
    assert_eq!(world.finds("word").await.len(), 3);
}

pub async fn pages_show_every_match_once(world: World) {
    world
        // More than are ranked at once.
        .say_all((0..900).map(|n| format!("needle number{n}")).collect())
        .await;
    while indexer::take(&world.db).await.expect("takes") > 0 {}
    let mut seen = Vec::new();
    let mut cursor = None;
    loop {
        let request = Request {
            cursor,
            limit: 225,
            ..request(Scope::Channel(world.channel.id), "needle")
        };
        let page = clifford_content::search::find::find(&world.db, request)
            .await
            .expect("searches");
        seen.extend(page.items.into_iter().map(|found| found.message.id));
        if seen.len() == 225 {
            // A message that comes meanwhile moves nothing.
            world.say("needle of late").await;
        }
        cursor = page.next;
        if cursor.is_none() {
            break;
        }
    }
    assert_eq!(seen.len(), 900);
    // The newest first, but for the few that have others beside them on one side alone.
    let out_of_order = seen.windows(2).filter(|pair| pair[0] <= pair[1]).count();
    assert!(out_of_order < 10, "{out_of_order}");
    seen.sort();
    seen.dedup();
    assert_eq!(seen.len(), 900);
}

pub async fn any_text_is_a_query_that_an_engine_takes(world: World) {
    world.say("a plain word").await;
    let mut runner = TestRunner::deterministic();
    let texts = prop_oneof![
        ".{0,80}",
        "\\PC{0,200}",
        "[\"'*():&|!<>\\-^~a-c \\\\\u{0}]{1,40}",
        "((NEAR|OR|AND|NOT|terms|rowid)[ :(\"*]{0,2}){1,6}",
    ];
    let mut queries: Vec<String> = (0..300)
        .map(|_| texts.new_tree(&mut runner).expect("a text").current())
        .collect();
    queries.push("x ".repeat(5000));
    queries.push("語".repeat(10_000));
    queries.push(format!("\"{}\"", "a b ".repeat(2500)));
    for (n, text) in queries.iter().enumerate() {
        if Query::parse(text).is_some() {
            let request = request(Scope::Person(world.user.id), text);
            clifford_content::search::find::find(&world.db, request)
                .await
                .unwrap_or_else(|error| panic!("{text:?}: {error}"));
        }
        world.say(&format!("zebra{n} {text}")).await;
        assert!(!world.finds(&format!("zebra{n}")).await.is_empty());
    }
    assert_eq!(world.finds("\"plain word\"").await, ["a **plain word**"]);
}

pub async fn conversations_are_listed_and_read_within_the_scope(world: World) {
    let room = world.elsewhere(group("g1", "s1"), None).await;
    let second = world.elsewhere(place("own"), Some(world.user.id)).await;
    for (home, text) in [(&world, "one"), (&world, "two"), (&room, "three"), (&second, "four")] {
        home.say(text).await;
    }
    let mut conn = world.db.read().await.expect("reads");
    let private = index::places(&mut conn, Scope::Person(world.user.id))
        .await
        .expect("reads");
    let of = sessions::of_channels(&mut conn, &private, None, 10)
        .await
        .expect("reads");
    let names: Vec<_> = of.iter().map(|session| (session.id, session.name.as_deref())).collect();
    assert_eq!(names, [(second.context, Some("elsewhere")), (world.context, None)]);
    let behind = of[0].position();
    assert_eq!(behind.to_string().parse(), Ok(behind));
    assert_eq!(
        contexts::sessions::position(&mut conn, second.context)
            .await
            .expect("reads"),
        Some(behind)
    );
    let older = sessions::of_channels(&mut conn, &private, Some(behind), 10)
        .await
        .expect("reads");
    assert_eq!(older, of[1..]);
    // Somebody goes on with one that was listed: the next page is the same.
    let spoken_in = second.context;
    let later = NOW.after(std::time::Duration::from_secs(60));
    world
        .db
        .write(move |tx| Box::pin(contexts::touch(tx, spoken_in, later)))
        .await
        .expect("speaks");
    let again = sessions::of_channels(&mut conn, &private, Some(behind), 10).await;
    assert_eq!(again.expect("reads"), older);
    let unknown = contexts::sessions::position(&mut conn, ContextId::new()).await;
    assert_eq!(unknown.expect("reads"), None);

    let said = sessions::messages(&mut conn, world.context, &private, MessageRange::Newest, 1)
        .await
        .expect("reads")
        .expect("visible");
    assert_eq!(
        said.iter().map(|said| said.content.as_str()).collect::<Vec<_>>(),
        ["two"]
    );
    let older = sessions::messages(&mut conn, world.context, &private, MessageRange::Before(said[0].id), 5).await;
    let older = older.expect("reads").expect("visible");
    assert_eq!(
        older.iter().map(|said| said.content.as_str()).collect::<Vec<_>>(),
        ["one"]
    );
    let mut ids = vec![said[0].id];
    for text in ["five", "six", "seven", "eight"] {
        ids.push(world.say(text).await);
    }
    for (limit, expected) in [
        (1, vec![1]),
        (2, vec![1, 0]),
        (3, vec![2, 1, 0]),
        (9, vec![4, 3, 2, 1, 0]),
    ] {
        let around = sessions::messages(&mut conn, world.context, &private, MessageRange::Around(ids[1]), limit).await;
        let around = around.expect("reads").expect("visible");
        let expected: Vec<_> = expected.into_iter().map(|place: usize| ids[place]).collect();
        assert_eq!(
            around
                .iter()
                .map(|said| said.id)
                .take(expected.len())
                .collect::<Vec<_>>(),
            expected
        );
        assert!(around.len() <= limit as usize);
    }
    for (context, channels) in [
        (room.context, &private[..]),
        (world.context, &[room.channel.id]),
        (world.context, &[]),
    ] {
        assert_eq!(
            sessions::messages(&mut conn, context, channels, MessageRange::Newest, 5)
                .await
                .expect("reads"),
            None
        );
    }
}

pub async fn what_is_gone_is_forgotten_and_the_rest_is_still_found(world: World) {
    world.say("the rest stays").await;
    let gone = world.say("zyzzyva").await;
    assert_eq!(world.finds("zyzzyva").await[0], "**zyzzyva**");
    world.delete(gone).await;
    world.clean().await;
    assert_eq!(world.finds("zyzzyva").await, Vec::<String>::new());
    assert_eq!(world.finds("rest").await, ["the **rest** stays"]);
}

/// Somebody else.
static SPEAKER: std::sync::LazyLock<clifford_chat::inbound::Speaker> = std::sync::LazyLock::new(|| speaker("2"));

#[tokio::test(flavor = "multi_thread")]
async fn a_copy_of_the_database_holds_no_word_that_was_forgotten() {
    let home = Home::sqlite().await;
    let world = World::new(&home.db).await;
    world.say("the rest stays").await;
    let gone = world.say("zyzzyva").await;
    world.finds("zyzzyva").await;
    world.delete(gone).await;
    world.clean().await;
    let dir = tempfile::tempdir().expect("a directory");
    let copy = dir.path().join("copy.db");
    home.db.backup(&copy).await.expect("copies");
    let bytes = std::fs::read(copy).expect("a copy");
    let holds = |word: &str| bytes.windows(word.len()).any(|window| window == word.as_bytes());
    assert!(holds("stays") && !holds("zyzzyva"));
}
