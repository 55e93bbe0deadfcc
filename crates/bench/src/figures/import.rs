//! An import of a million messages by the real binary, on SQLite and, where it is installed, on PostgreSQL. What is
//! measured is the whole command: everything is read and checked, read again, written and committed. The index for search
//! is filled by a running bot afterwards, and is not in it.

use std::{
    fs::File,
    io::BufWriter,
    path::{Path, PathBuf},
    process::Stdio,
    time::Instant,
};

use anyhow::{Context, ensure};
use clifford_core::{
    clock::Timestamp,
    id::{ChannelId, ContextId, MessageId, UserId},
    messages::{Direction, MessageStatus},
    places::{ChannelKind, Mode},
};
use clifford_fakes::postgres::Cluster;
use clifford_portable::{Head, Writer};
use clifford_store::portable::{Channel, Context as Conversation, Message, Person, PersonAccount, Record};
use tokio::process::Command;
use uuid::Builder;

use super::Bench;
use crate::{
    replies::Tally,
    report::{Figure, Limit, Round},
};

const PEOPLE: u64 = 1000;
const MESSAGES: u64 = 1_000_000;
const FEW: u64 = 20_000;
/// When the first message was sent, and how long after it each next one, in milliseconds.
const BEGAN: u64 = 1_700_000_000_000;
const APART: u64 = 50;
/// The longest that an import of all may take, in seconds.
const LONGEST: f64 = 60.0;

/// Measures it.
///
/// # Errors
/// The import fails, or stores something else than there is.
pub async fn measure(bench: &Bench) -> anyhow::Result<Round> {
    let dir = bench.dir()?;
    let messages = bench.amount(MESSAGES, FEW);
    let archive = dir.path().join("million.tar");
    write(&archive, messages)?;
    let sqlite = format!("sqlite:{}", dir.path().join("import.db").display());
    let took = import(bench, dir.path(), &archive, &sqlite, messages).await?;
    let mut figures = of(
        took,
        messages,
        ["import of 1,000,000 messages", "messages imported a second"],
    );
    let postgres = tokio::task::spawn_blocking(|| Cluster::shared().database()).await?;
    if let Some(url) = postgres {
        let took = import(bench, dir.path(), &archive, &url, messages).await?;
        figures.extend(of(
            took,
            messages,
            ["the same on PostgreSQL", "messages a second, PostgreSQL"],
        ));
    }
    Ok(Round {
        figures,
        tally: Tally::default(),
        curves: Vec::new(),
    })
}

#[expect(clippy::cast_precision_loss, reason = "a million is exact")]
fn of(took: f64, messages: u64, names: [&'static str; 2]) -> Vec<Figure> {
    let messages = messages as f64;
    let whole = took * MESSAGES as f64 / messages;
    vec![
        Figure::new(names[0], "s", whole, Limit::Under(LONGEST)),
        Figure::new(names[1], "/s", messages / took, Limit::Over(MESSAGES as f64 / LONGEST)),
    ]
}

/// How many seconds an import takes.
async fn import(bench: &Bench, dir: &Path, archive: &PathBuf, url: &str, messages: u64) -> anyhow::Result<f64> {
    let config = dir.join("import.toml");
    let data = dir.join("data").display().to_string();
    std::fs::write(
        &config,
        format!("[database]\nurl = \"{url}\"\n[data]\ndir = \"{data}\"\n"),
    )?;
    let began = Instant::now();
    let mut command = Command::new(&bench.clifford);
    command
        .arg("import")
        .arg(archive)
        .args(["--trusted", "--json", "--config"])
        .arg(&config);
    let output = command
        .env_clear()
        .current_dir(dir)
        .stdin(Stdio::null())
        .output()
        .await?;
    let took = began.elapsed().as_secs_f64();
    ensure!(
        output.status.success(),
        "the import failed: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    let told: serde_json::Value = serde_json::from_slice(&output.stdout).context("the import tells no JSON")?;
    ensure!(
        told["stored"]["messages"] == messages,
        "{} messages were stored",
        told["stored"]["messages"]
    );
    Ok(took)
}

fn id(millis: u64, number: u64) -> uuid::Uuid {
    let mut random = [0; 10];
    for (to, from) in random.iter_mut().skip(2).zip(number.to_be_bytes()) {
        *to = from;
    }
    Builder::from_unix_timestamp_millis(millis, &random).into_uuid()
}

/// An archive of so many messages of a thousand people, each in private.
fn write(path: &Path, messages: u64) -> anyhow::Result<()> {
    let head = Head::new("bench", Timestamp(0), "everything".to_owned());
    let mut writer = Writer::new(BufWriter::new(File::create(path)?), &head)?;
    let began = Timestamp(i64::try_from(BEGAN)?);
    let people: Vec<_> = (0..PEOPLE).map(|number| (number, UserId(id(BEGAN, number)))).collect();
    for (number, person) in &people {
        let account = PersonAccount {
            platform: "telegram".to_owned(),
            account: number.to_string(),
            name: "Person".to_owned(),
            handle: None,
            created_at: began,
        };
        writer.record(&Record::Person(Box::new(Person {
            id: *person,
            name: format!("Person {number}"),
            is_allowed: true,
            language: None,
            language_set: false,
            time_zone: None,
            created_at: began,
            accounts: vec![account],
        })))?;
    }
    let channel = |number: u64| ChannelId(id(BEGAN, PEOPLE + number));
    let context = |number: u64| ContextId(id(BEGAN, 2 * PEOPLE + number));
    for (number, person) in &people {
        writer.record(&Record::Channel(Box::new(Channel {
            id: channel(*number),
            platform: "telegram".to_owned(),
            external_id: number.to_string(),
            kind: ChannelKind::Private,
            name: None,
            space_id: None,
            user_id: Some(*person),
            account: Some(number.to_string()),
            enabled: true,
            disabled_reason: None,
            mode: Mode::Run,
            agent_id: None,
            parent_id: None,
            followed_at: None,
            active_context_id: Some(context(*number)),
            last_message_at: None,
            created_at: began,
        })))?;
    }
    for (number, person) in &people {
        writer.record(&Record::Context(Box::new(Conversation {
            id: context(*number),
            channel_id: channel(*number),
            user_id: Some(*person),
            space_id: None,
            name: None,
            summary: None,
            summary_of: None,
            compacted_through: None,
            remembered_through: None,
            continued_from: None,
            model: None,
            turn_count: 0,
            last_user_interaction_at: began,
            closed_at: None,
            created_at: began,
        })))?;
    }
    for number in 0..messages {
        let millis = BEGAN + number * APART;
        let at = Timestamp(i64::try_from(millis)?);
        let of = number % PEOPLE;
        let is_inbound = (number / PEOPLE).is_multiple_of(2);
        let person = people.get(usize::try_from(of)?).map(|(_, person)| *person);
        writer.record(&Record::Message(Box::new(Message {
            id: MessageId(id(millis, number)),
            direction: if is_inbound {
                Direction::Inbound
            } else {
                Direction::Outbound
            },
            channel_id: channel(of),
            context_id: Some(context(of)),
            user_id: person,
            run_id: None,
            content: format!(
                "message {number}: what shall we plant in the garden this year, and when is it to be watered?"
            ),
            quote: None,
            quoted_user_id: None,
            attachments: None,
            platform_message_id: is_inbound.then(|| number.to_string()),
            status: if is_inbound {
                MessageStatus::Received
            } else {
                MessageStatus::Delivered
            },
            error: None,
            sent_at: at,
            edited_at: None,
            deleted_at: None,
            created_at: at,
        })))?;
    }
    writer.finish()?;
    Ok(())
}
