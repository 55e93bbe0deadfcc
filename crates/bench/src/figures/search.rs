//! Search in a channel of 100,000 messages, on SQLite and, where it is installed, on PostgreSQL.

use std::time::{Duration, Instant};

use anyhow::ensure;
use clifford_chat::{
    inbound::{Place, PlaceKind, Speaker},
    platform::Platform,
};
use clifford_content::search::indexer;
use clifford_core::{
    clock::Timestamp,
    id::{AgentId, ChannelId, MessageId, UserId},
    messages::MessageStatus,
    people::UserRole,
    places::Mode,
    search::{Request, Scope, SearchInput},
};
use clifford_fakes::postgres::Cluster;
use clifford_store::{
    Db, contexts,
    messages::{self, NewInbound},
    people::users,
    places::{
        agents::{self, Agent},
        channels,
    },
};
use jiff::tz::TimeZone;

use super::Bench;
use crate::{
    process,
    recall::{database, plan_as_in_the_long_run},
    replies::Tally,
    report::{Figure, Limit, Round},
};

const MESSAGES: u32 = 100_000;
/// How many are stored in one transaction.
const BATCH: u32 = 1000;
/// How often each query is asked.
const TIMES: usize = 20;
const NOW: Timestamp = Timestamp(1_767_225_600_000);
/// How long before the next one each message was said, in milliseconds: two years in all.
const APART: i64 = 630_720;
/// Words of every frequency, alone and together, and beginnings of few and of many.
const QUERIES: [&str; 11] = [
    "every",
    "every be",
    "be bi bo",
    "needle",
    "every needle",
    "\"every be\"",
    "ste",
    "stera",
    "nowhere",
    "what did every needle be?",
    "when was stera at be bi bo in May?",
];
/// Times of every length, near and far, and where they begin.
const LISTINGS: [(&str, Option<&str>); 6] = [
    ("yesterday", None),
    ("in May", None),
    ("what did we talk about in January 2024?", None),
    (
        "in January, in March, in May, in July, in August, in October, in November or in December",
        None,
    ),
    ("", Some("2020")),
    ("", Some("2025-12")),
];

/// Measures it.
///
/// # Errors
/// The database cannot be used.
pub async fn measure(bench: &Bench) -> anyhow::Result<Round> {
    let dir = bench.dir()?;
    let sqlite = format!("sqlite:{}", process::database(dir.path()).display());
    let mut figures = of_engine(sqlite, ["search of 100,000, median", "search of 100,000, 99 of 100"]).await?;
    let postgres = tokio::task::spawn_blocking(|| Cluster::shared().database()).await?;
    if let Some(url) = postgres {
        figures.extend(
            of_engine(
                url,
                ["the same on PostgreSQL, median", "the same on PostgreSQL, 99 of 100"],
            )
            .await?,
        );
    }
    Ok(Round {
        figures,
        tally: Tally::default(),
        curves: Vec::new(),
    })
}

async fn of_engine(url: String, names: [&'static str; 2]) -> anyhow::Result<Vec<Figure>> {
    let db = database(url).await?;
    let channel = fill(&db).await?;
    plan_as_in_the_long_run(&db).await?;
    let queries = QUERIES.map(|text| (text, None));
    let mut took = Vec::with_capacity((QUERIES.len() + LISTINGS.len()) * TIMES);
    for _ in 0..TIMES {
        for (text, from) in queries.into_iter().chain(LISTINGS) {
            let began = Instant::now();
            let asked = SearchInput { text, from, to: None };
            let request = Request {
                limit: 20,
                ..Request::read(asked, Scope::Channel(channel), TimeZone::UTC, NOW)?
            };
            let found = clifford_content::search::find::find(&db, request).await?.items.len();
            took.push(began.elapsed());
            ensure!((found == 0) == (text == "nowhere"), "`{text}` found {found} messages");
        }
    }
    db.close().await;
    took.sort_unstable();
    let figure = |name, place: usize| {
        let value = took.get(place).map_or(0.0, Duration::as_secs_f64) * 1000.0;
        Figure::new(name, "ms", value, Limit::Under(50.0))
    };
    Ok(vec![
        figure(names[0], took.len() / 2),
        figure(names[1], took.len() * 99 / 100),
    ])
}

/// A channel full of messages, all of them in the index.
async fn fill(db: &Db) -> anyhow::Result<ChannelId> {
    let (user, channel, context) = db
        .write(|tx| {
            Box::pin(async move {
                let agent = Agent {
                    id: AgentId::new(),
                    name: "bench".to_owned(),
                    prompt: String::new(),
                    mode: Mode::Run,
                    enabled: true,
                    is_default: true,
                };
                agents::put(tx, &agent, NOW).await?;
                let speaker = Speaker {
                    id: "1".to_owned(),
                    name: "Ada".to_owned(),
                    handle: None,
                    is_bot: false,
                    language: None,
                    roles: None,
                };
                let user: UserId = users::find_or_create(tx, Platform::WEB, &speaker, UserRole::Member, NOW)
                    .await?
                    .id;
                let place = Place {
                    platform: Platform::WEB,
                    external_id: "1".to_owned(),
                    parent: None,
                    kind: PlaceKind::Private,
                    name: None,
                    space: None,
                };
                let channel = channels::find_or_create(tx, &place, Some((user, "1")), NOW).await?;
                let context = contexts::begin(tx, &channel, None, NOW).await?;
                Ok((user, channel.id, context))
            })
        })
        .await?;
    for batch in 0..MESSAGES / BATCH {
        let said_at = move |number: u32| {
            let behind = i64::from(MESSAGES - batch * BATCH - number);
            Timestamp(NOW.0 - behind * APART)
        };
        let message = move |number: u32| NewInbound {
            id: MessageId::first_at(said_at(number)),
            channel_id: channel,
            context_id: Some(context),
            user_id: user,
            run_id: None,
            content: text(batch * BATCH + number),
            attachments: Vec::new(),
            quote: None,
            quoted_user_id: None,
            platform_message_id: None,
            idempotency_key: None,
            request_hash: None,
            album: None,
            status: MessageStatus::Received,
            sent_at: said_at(number),
        };
        db.write(move |tx| {
            Box::pin(async move {
                for number in 0..BATCH {
                    let message = message(number);
                    messages::insert_inbound(tx, &message, message.sent_at).await?;
                    // Messages that wait are sent now and then.
                    if number % 50 == 0 {
                        messages::get(tx, MessageId::new()).await?;
                    }
                }
                Ok(())
            })
        })
        .await?;
    }
    while indexer::take(db).await? > 0 {}
    Ok(channel)
}

/// A message of 10 to 41 words, of which few are common and most are rare, as in a language.
fn text(number: u32) -> String {
    let mut random = number.wrapping_mul(2_654_435_761).wrapping_add(97);
    let mut next = |below: u32| {
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (random >> 8) % below
    };
    let length = 8 + next(32);
    let mut words = vec!["every".to_owned()];
    for _ in 0..length {
        let rarity = next(16);
        words.push(word(next(1 << (rarity + 1))));
    }
    if number.is_multiple_of(997) {
        words.push("needle".to_owned());
    }
    words.push("every".to_owned());
    words.push(word(next(4)));
    words.join(" ")
}

/// The word of a rank in the language.
fn word(rank: u32) -> String {
    const CONSONANTS: [&str; 22] = [
        "b", "br", "c", "ch", "d", "f", "g", "k", "l", "m", "n", "p", "r", "s", "st", "t", "tr", "v", "w", "z", "h",
        "j",
    ];
    const VOWELS: [&str; 5] = ["e", "i", "o", "u", "a"];
    let mut word = String::new();
    let mut rest = rank;
    loop {
        let (consonant, vowel) = ((rest / 5) % 22, rest % 5);
        word.push_str(CONSONANTS[consonant as usize]);
        word.push_str(VOWELS[vowel as usize]);
        rest /= 110;
        if rest == 0 {
            return word;
        }
    }
}
