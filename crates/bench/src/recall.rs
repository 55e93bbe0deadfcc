//! The recall of searches: a corpus of long conversations with known answers is stored on SQLite and, where it is
//! installed, on PostgreSQL; each question is asked of its own conversation, and of everybody else's.
//!
//! It fails if too few questions find their answer among the first ten, if anybody finds what is not theirs, or if a
//! search takes too long.

use std::{
    collections::HashSet,
    time::{Duration, Instant},
};

use anyhow::Context;
use clap::Args;
use clifford_chat::{
    inbound::{Place, PlaceKind, Space, Speaker},
    platform::Platform,
};
use clifford_content::search::{find::Page, indexer};
use clifford_core::{
    clock::Timestamp,
    id::{AgentId, ChannelId, MessageId, UserId},
    messages::MessageStatus,
    people::UserRole,
    places::Mode,
    search::{Request, Scope, SearchInput},
    settings::{Database, Synchronous},
};
use clifford_fakes::{
    corpus::{self, Conversation, Corpus},
    postgres::Cluster,
};
use clifford_store::{
    Db, DbOptions, Pools, contexts,
    messages::{self, NewInbound},
    people::users,
    places::{
        agents::{self, Agent},
        channels,
    },
};
use jiff::tz::TimeZone;

/// How many of a hundred questions find their answer among the first ten.
const LEAST_FOUND: f64 = 80.0;
/// The longest of 99 of 100 searches.
const LONGEST: Duration = Duration::from_millis(50);
/// How many messages of a conversation are stored in one transaction.
const BATCH: usize = 1000;
/// When the questions are asked.
const NOW: Timestamp = Timestamp(1_767_225_600_000);

/// The corpus to search.
#[derive(Clone, Debug, Args)]
pub struct Options {
    /// The seed of the corpus: the same corpus for the same number.
    #[arg(long, default_value_t = 11)]
    seed: u64,
    /// On how many days people speak.
    #[arg(long, default_value_t = 20)]
    days: usize,
    /// How many lines each of them has, besides those that are asked for and those like them.
    #[arg(long, default_value_t = 30)]
    lines: usize,
    /// Only on SQLite.
    #[arg(long)]
    sqlite: bool,
}

/// The results on one engine.
#[derive(Clone, Debug, Default)]
struct Found {
    questions: usize,
    of_five: usize,
    of_ten: usize,
    nothing: usize,
    foreign: usize,
    took: Vec<Duration>,
}

/// Searches, and says whether it found what it should.
///
/// # Errors
/// A database cannot be used.
pub async fn run(options: Options) -> anyhow::Result<bool> {
    let corpus = corpus::corpus(options.seed, options.days, options.lines);
    let lines: usize = corpus.conversations.iter().map(count).sum();
    say(&format!(
        "{} conversations, {lines} messages, {} questions (seed {})",
        corpus.conversations.len(),
        corpus.questions.len(),
        options.seed
    ));
    let dir = tempfile::tempdir()?;
    let mut engines = vec![("SQLite", format!("sqlite:{}", dir.path().join("clifford.db").display()))];
    if !options.sqlite
        && let Some(url) = tokio::task::spawn_blocking(|| Cluster::shared().database()).await?
    {
        engines.push(("PostgreSQL", url));
    }
    let mut holds = true;
    for (name, url) in engines {
        let found = of_engine(url, &corpus).await?;
        holds &= report(name, found);
    }
    Ok(holds)
}

fn count(conversation: &Conversation) -> usize {
    conversation.sessions.iter().map(|session| session.lines.len()).sum()
}

/// Prints what was found, and whether that is enough.
fn report(engine: &str, mut found: Found) -> bool {
    found.took.sort_unstable();
    let at = |place: usize| found.took.get(place).copied().unwrap_or_default();
    let (median, late) = (at(found.took.len() / 2), at(found.took.len() * 99 / 100));
    #[expect(clippy::cast_precision_loss, reason = "a few thousand questions")]
    let percent = |count: usize| count as f64 * 100.0 / found.questions.max(1) as f64;
    let of_ten = percent(found.of_ten);
    say(&format!(
        "{engine}: any@5 {:.1} %, any@10 {of_ten:.1} %, nothing found {}, of others {}, p50 {:.1} ms, p99 {:.1} ms",
        percent(found.of_five),
        found.nothing,
        found.foreign,
        median.as_secs_f64() * 1000.0,
        late.as_secs_f64() * 1000.0,
    ));
    let faults = [
        (of_ten < LEAST_FOUND, "too few answers were found"),
        (found.foreign > 0, "somebody found what is not theirs"),
        (late > LONGEST, "a search took too long"),
    ];
    for (_, fault) in faults.iter().filter(|(is_so, _)| *is_so) {
        say(&format!("{engine}: FAILED: {fault}"));
    }
    faults.iter().all(|(is_so, _)| !is_so)
}

#[expect(clippy::print_stdout, reason = "what a command says belongs on standard output")]
fn say(line: &str) {
    println!("{line}");
}

/// A conversation as it is stored.
struct Stored {
    scope: Scope,
    channel: ChannelId,
    /// Of each session.
    messages: Vec<Vec<MessageId>>,
}

async fn of_engine(url: String, corpus: &Corpus) -> anyhow::Result<Found> {
    let db = database(url).await?;
    db.write(|tx| Box::pin(async move { agents::put(tx, &agent(), NOW).await }))
        .await?;
    let mut stored = Vec::new();
    for (place, conversation) in corpus.conversations.iter().enumerate() {
        stored.push(store(&db, place, conversation).await?);
    }
    while indexer::take(&db).await? > 0 {}
    plan_as_in_the_long_run(&db).await?;
    let mut found = Found::default();
    for question in &corpus.questions {
        let Some(own) = stored.get(question.conversation) else {
            continue;
        };
        let began = Instant::now();
        let page = ask(&db, &question.text, own.scope).await?;
        found.took.push(began.elapsed());
        let wanted: HashSet<MessageId> = (question.answers.iter())
            .filter_map(|(session, line)| own.messages.get(*session)?.get(*line).copied())
            .collect();
        let place = page.items.iter().position(|item| wanted.contains(&item.message.id));
        found.questions += 1;
        found.of_five += usize::from(place.is_some_and(|place| place < 5));
        found.of_ten += usize::from(place.is_some());
        found.nothing += usize::from(page.items.is_empty());
        for other in &stored {
            let page = if other.channel == own.channel {
                page.clone()
            } else {
                ask(&db, &question.text, other.scope).await?
            };
            found.foreign += strangers(&page, other);
        }
    }
    db.close().await;
    Ok(found)
}

/// A new database to search in.
pub async fn database(url: String) -> anyhow::Result<Db> {
    Db::open(&DbOptions {
        url,
        section: Database {
            synchronous: Synchronous::Normal,
            max_connections: 4,
            ..Database::default()
        },
        exclusive: false,
        migrate: true,
    })
    .await
    .context("the database to search cannot be made")
}

/// Has PostgreSQL count what it holds, as its autovacuum does within a minute: nobody searches in the seconds after all
/// of it was stored at once.
pub async fn plan_as_in_the_long_run(db: &Db) -> anyhow::Result<()> {
    if let Pools::Postgres(pool) = db.pools() {
        sqlx::query("ANALYZE").execute(pool).await?;
    }
    Ok(())
}

/// How much of a page is of another place than the one that was searched.
fn strangers(page: &Page, place: &Stored) -> usize {
    let own: HashSet<MessageId> = place.messages.iter().flatten().copied().collect();
    let shown = page.items.iter().flat_map(|item| {
        let beside = item.before.iter().chain(&item.after).map(|text| text.id);
        beside.chain([item.message.id])
    });
    let ids = shown.filter(|id| !own.contains(id)).count();
    ids + page
        .items
        .iter()
        .filter(|item| item.message.channel_id != place.channel)
        .count()
}

async fn ask(db: &Db, text: &str, scope: Scope) -> anyhow::Result<Page> {
    let asked = SearchInput {
        text,
        ..SearchInput::default()
    };
    let request = Request::read(asked, scope, TimeZone::UTC, NOW)?;
    Ok(clifford_content::search::find::find(db, request).await?)
}

/// Stores a conversation: a private channel of its person, or a group.
async fn store(db: &Db, place: usize, conversation: &Conversation) -> anyhow::Result<Stored> {
    let name = conversation.person.unwrap_or("Club");
    let is_private = conversation.person.is_some();
    let speaker = Speaker {
        id: place.to_string(),
        name: name.to_owned(),
        handle: None,
        is_bot: false,
        language: None,
        roles: None,
    };
    let chat = Place {
        platform: Platform::new("telegram"),
        external_id: place.to_string(),
        parent: None,
        kind: if is_private {
            PlaceKind::Private
        } else {
            PlaceKind::Group
        },
        name: None,
        space: (!is_private).then(|| Space {
            external_id: place.to_string(),
            name: None,
        }),
    };
    let (user, channel) = db
        .write(move |tx| {
            Box::pin(async move {
                let user: UserId =
                    users::find_or_create(tx, Platform::new("telegram"), &speaker, UserRole::Member, NOW)
                        .await?
                        .id;
                let account = is_private.then_some((user, "account"));
                let channel = channels::find_or_create(tx, &chat, account, NOW).await?;
                Ok((user, channel))
            })
        })
        .await?;
    let id = channel.id;
    let mut ids = Vec::with_capacity(conversation.sessions.len());
    for session in &conversation.sessions {
        let (here, at) = (channel.clone(), Timestamp(session.at));
        let context = db
            .write(move |tx| Box::pin(async move { contexts::begin(tx, &here, None, at).await }))
            .await?;
        let mut of_session = Vec::with_capacity(session.lines.len());
        for batch in session.lines.chunks(BATCH) {
            let batch: Vec<_> = batch
                .iter()
                .map(|line| NewInbound {
                    id: MessageId::new(),
                    channel_id: id,
                    context_id: Some(context),
                    user_id: user,
                    run_id: None,
                    content: line.clone(),
                    attachments: Vec::new(),
                    quote: None,
                    quoted_user_id: None,
                    platform_message_id: None,
                    idempotency_key: None,
                    request_hash: None,
                    album: None,
                    status: MessageStatus::Received,
                    sent_at: at,
                })
                .collect();
            of_session.extend(batch.iter().map(|message| message.id));
            db.write(move |tx| {
                Box::pin(async move {
                    for message in &batch {
                        messages::insert_inbound(tx, message, at).await?;
                    }
                    Ok(())
                })
            })
            .await?;
        }
        ids.push(of_session);
    }
    Ok(Stored {
        scope: if is_private {
            Scope::Person(user)
        } else {
            Scope::Channel(id)
        },
        channel: id,
        messages: ids,
    })
}

fn agent() -> Agent {
    Agent {
        id: AgentId::new(),
        name: "bench".to_owned(),
        prompt: String::new(),
        mode: Mode::Run,
        enabled: true,
        is_default: true,
    }
}
