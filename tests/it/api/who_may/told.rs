//! The readers of each event of `GET /api/events`: each kind of event, by whose its object is, for each kind of reader.
//! The events of connections, which only owners are told of, stand in `api::events`.

use std::collections::BTreeSet;

use reqwest::Method;
use serde_json::Value;

use super::{
    Adas, Bobs, BobsThere, Groups, MIA, MessageId, Nobodys, Somebody, TelegramFake, Whose, World, script, world,
};
use crate::sse::{Event, Sse};

/// For whose object who is told: Ada, Bob, Mia who manages the group, an owner by a token of their own, and the
/// operator by `read` and by `admin`.
const READERS: [(Whose, &str); 5] = [
    (Adas, "+--+++"),
    (Bobs, "-+-+++"),
    (BobsThere, "-+++++"),
    (Groups, "--++++"),
    (Nobodys, "---+++"),
];

/// Each kind of event, and whose its object can be.
const KINDS: [(&str, &[Whose]); 7] = [
    ("run", &[Adas, Bobs, BobsThere, Groups, Nobodys]),
    ("approval", &[Adas, Bobs, BobsThere, Groups, Nobodys]),
    ("message", &[Adas, Bobs, BobsThere, Groups]),
    ("outbox", &[Adas, Bobs, Groups]),
    // Somebody gave it.
    ("feedback", &[Adas, Bobs, BobsThere]),
    // The bot's own.
    ("pairing", &[Nobodys]),
    ("quarantine", &[Nobodys]),
];

/// The object of an event.
fn object(event: &Event) -> String {
    let field = match event.name.as_str() {
        "approval" | "feedback" => "runId",
        "pairing" => "platformUserId",
        _ => "id",
    };
    event.data[field].as_str().unwrap_or_default().to_owned()
}

/// One who reads, and what they were told.
struct Told {
    stream: Sse,
    events: BTreeSet<(String, String)>,
}

impl Told {
    async fn open(world: &World, token: &str) -> Self {
        let request = world.bot.request(Method::GET, "/api/events").bearer_auth(token);
        let mut stream = Sse::open(request, None).await;
        assert_eq!(stream.next().await.unwrap().name, "mark");
        Self {
            stream,
            events: BTreeSet::new(),
        }
    }

    async fn until(&mut self, kind: &str, id: &str) {
        let wanted = (kind.to_owned(), id.to_owned());
        while !self.events.contains(&wanted) {
            let event = self.stream.next().await.expect("the stream goes on");
            self.events.insert((event.name.clone(), object(&event)));
        }
    }
}

impl World {
    /// Makes the object of an event of a kind; its id.
    async fn happens(&self, kind: &str, whose: Whose, (ada, bob): (&Somebody, &Somebody)) -> String {
        let (db, now) = (&self.bot.app.db, self.bot.app.clock.now().0);
        let (person, channel) = match whose {
            Adas => (Some(ada), Some(&ada.chat)),
            Bobs => (Some(bob), Some(&bob.chat)),
            BobsThere => (Some(bob), Some(&self.group)),
            Groups => (None, Some(&self.group)),
            Nobodys => (None, None),
        };
        let run = async || self.run(person.map(|person| person.user.id), channel.cloned()).await;
        let message = async |direction: &str, status: &str, person: Option<&Somebody>| {
            let (id, channel) = (MessageId::new(), channel.unwrap().id);
            let user = person.map_or_else(|| "NULL".to_owned(), |person| format!("'{}'", person.user.id));
            let insert = format!(
                "INSERT INTO messages (id, direction, channel_id, user_id, content, status, attempts, sent_at, created_at)
                 VALUES ('{id}', '{direction}', '{channel}', {user}, 'hello', '{status}', 0, {now}, {now})"
            );
            script(db, &insert).await;
            id.to_string()
        };
        match kind {
            "run" => run().await,
            "approval" => {
                let id = run().await;
                let asks = format!(
                    "UPDATE runs SET status = 'waiting', wake_reason = 'tool_confirm', wake_at = {}, updated_at = {now}
                     WHERE id = '{id}'",
                    now + 86_400_000
                );
                script(db, &asks).await;
                id
            }
            "message" => message("inbound", "received", person).await,
            "outbox" => message("outbound", "pending", None).await,
            "feedback" => {
                let (id, user) = (run().await, person.unwrap().user.id);
                let given = format!(
                    "INSERT INTO run_feedback (run_id, user_id, verdict, given_by, given_at)
                     VALUES ('{id}', '{user}', 'liked', 'button', {now})"
                );
                script(db, &given).await;
                id
            }
            "pairing" => {
                let asks = format!(
                    "INSERT INTO pairings (platform, platform_user_id, name, code_hash, created_at, expires_at)
                     VALUES ('telegram', '99', 'Eve', 'x', 1, {})",
                    now + 86_400_000
                );
                script(db, &asks).await;
                "99".to_owned()
            }
            _ => {
                let aside = "INSERT INTO inbound_attempts (id, platform, deaths, quarantined_at, updated_at)
                             VALUES ('an-event', 'telegram', 3, 5, 5)";
                script(db, aside).await;
                "an-event".to_owned()
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn each_reader_is_told_each_kind_of_event_by_whose_its_object_is() {
    let telegram = TelegramFake::start().await.unwrap();
    let world = world(&telegram).await;
    let (ada, bob) = (world.person(1, "Ada").await, world.person(2, "Bob").await);
    let mia = world.person(MIA, "Mia").await;
    let spoke = format!(
        "INSERT INTO messages (id, direction, channel_id, user_id, content, status, attempts, sent_at, created_at)
             VALUES ('{}', 'inbound', '{}', '{}', 'hello', 'history', 0, 9, 9)",
        MessageId::new(),
        world.group.id,
        mia.user.id
    );
    script(&world.bot.app.db, &spoke).await;
    let mut readers = Vec::new();
    let tokens = [&ada.tokens[0], &bob.tokens[0], &world.mia, &world.owner[0]];
    for token in tokens.into_iter().chain([&world.operator[0], &world.operator[2]]) {
        readers.push(Told::open(&world, token).await);
    }

    let people = (&ada, &bob);
    let mut happened = Vec::new();
    for (kind, all) in KINDS {
        for whose in all {
            happened.push((kind, *whose, world.happens(kind, *whose, people).await));
        }
    }
    let operator = readers.last_mut().unwrap();
    for (kind, _, id) in &happened {
        let kind = if *kind == "outbox" { "message" } else { *kind };
        operator.until(kind, id).await;
    }
    let failed = "UPDATE messages SET status = 'failed' WHERE direction = 'outbound'";
    script(&world.bot.app.db, failed).await;
    for (kind, _, id) in &happened {
        operator.until(kind, id).await;
    }
    // A reader is told of all that, as far as they are, before the next run of their own.
    for (place, reader) in readers.iter_mut().enumerate() {
        let whose = [Adas, Bobs, Groups].into_iter().nth(place).unwrap_or(Nobodys);
        let last = world.happens("run", whose, people).await;
        reader.until("run", &last).await;
    }
    let mut wrong = Vec::new();
    for (kind, whose, id) in happened {
        let (_, expected) = READERS.iter().find(|(of, _)| *of == whose).unwrap();
        let got: String = readers
            .iter()
            .map(|reader| match reader.events.contains(&(kind.to_owned(), id.clone())) {
                true => '+',
                false => '-',
            })
            .collect();
        if got != *expected {
            wrong.push(format!("{kind} {whose:?}: {got}, not {expected}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));

    // A kind that is new has to stand here.
    let description = world.bot.get("/api/openapi.json").await.json();
    let of = |schema: &Value| schema["properties"]["event"]["enum"][0].as_str().map(str::to_owned);
    let schema = &description["components"]["schemas"]["LiveEvent"]["oneOf"];
    let described: BTreeSet<_> = schema.as_array().unwrap().iter().filter_map(of).collect();
    let known = KINDS
        .iter()
        .map(|(kind, _)| *kind)
        .chain(["mark", "reset", "connection"]);
    assert_eq!(described, known.map(str::to_owned).collect::<BTreeSet<_>>());
    world.bot.app.shutdown().await;
}
