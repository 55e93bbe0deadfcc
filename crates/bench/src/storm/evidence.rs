//! Evidence from the bot's database: which run each message was given to, and the text of that run in the end.

use std::{
    collections::{HashMap, HashSet},
    sync::LazyLock,
    time::Instant,
};

use clifford_core::{
    clock::{Clock as _, SystemClock, Timestamp},
    id::RunId,
    messages::{Direction, MessageStatus},
    run::sentences,
    runs::{Run, RunKind},
    settings::{Database, Synchronous},
};
use clifford_store::{
    Db, DbOptions,
    messages::{self, Message},
    runs::{Filter, views as run_views},
};
use clifford_text::{Lang, Outcome};

use super::{marks, set_aside::SetAside};

/// Sentences that a person reads where no answer could be had.
static ERRORS: LazyLock<Vec<String>> = LazyLock::new(|| {
    let apologies = [
        sentences::QUARANTINED,
        sentences::BAD_REPLY,
        sentences::STUCK,
        sentences::ERROR,
        sentences::MODEL_DOWN,
        sentences::MODEL_BUSY,
        sentences::MODEL_REFUSED,
        sentences::BUDGET,
    ];
    let plain = [Outcome::Repeating, Outcome::HowToGoOn].map(|plain| Lang::English.say(plain));
    let apologies = apologies.map(|sentence| sentence.text(Lang::English));
    apologies.into_iter().chain(plain).collect()
});

/// Whether a text says that something went wrong.
pub fn is_error(text: &str) -> bool {
    ERRORS.iter().any(|sentence| text.contains(sentence.as_str()))
}

/// A look into the database.
pub struct Evidence {
    runs: Vec<Run>,
    messages: Vec<Message>,
}

impl Evidence {
    /// Looks, alongside the processes that are at work.
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn of(url: &str) -> anyhow::Result<Self> {
        let options = DbOptions {
            url: url.to_owned(),
            section: Database {
                synchronous: Synchronous::Normal,
                max_connections: 1,
                ..Database::default()
            },
            exclusive: false,
            migrate: false,
        };
        let db = Db::open(&options).await?;
        let mut conn = db.read().await?;
        let now = SystemClock.now();
        let runs = run_views::page(&mut conn, &Filter::default(), i32::MAX.unsigned_abs(), now).await?;
        let messages = messages::page(&mut conn, None, None, None, i32::MAX.unsigned_abs()).await?;
        drop(conn);
        db.close().await;
        Ok(Self { runs, messages })
    }

    /// How many messages wait to be sent.
    pub fn undelivered(&self) -> usize {
        let waits = |message: &&Message| matches!(message.status, MessageStatus::Pending | MessageStatus::Sending);
        self.outbound().filter(waits).count()
    }

    /// How many runs each message was given to.
    pub fn runs_of(&self) -> HashMap<usize, usize> {
        let mut count = HashMap::new();
        for run in self.coordinators() {
            for question in marks::questions(&run.input_text) {
                *count.entry(question).or_default() += 1;
            }
        }
        count
    }

    /// The messages whose run has said that something went wrong: those of each run together.
    pub fn errors(&self) -> Vec<Vec<usize>> {
        let told: HashSet<RunId> = self
            .outbound()
            .filter(|message| message.status == MessageStatus::Delivered && is_error(&message.content))
            .filter_map(|message| message.run_id)
            .collect();
        self.coordinators()
            .filter(|run| told.contains(&run.id))
            .map(|run| marks::questions(&run.input_text))
            .collect()
    }

    /// The runs that were quarantined because processes died of them.
    pub fn quarantined(&self) -> Vec<SetAside> {
        let (now, today) = (Instant::now(), SystemClock.now());
        let moment = |at: Timestamp| now.checked_sub(today.since(at)).unwrap_or(now);
        let quarantined = self.coordinators().filter_map(|run| {
            let why = run.error.as_deref()?.strip_prefix("quarantined: ")?;
            Some(SetAside {
                questions: marks::questions(&run.input_text),
                deaths: why.split(' ').next()?.parse().unwrap_or(usize::MAX),
                from: moment(run.created_at),
                // The last that happened to it.
                until: moment(run.updated_at),
            })
        });
        quarantined.collect()
    }

    /// All that is known of a message, a line each.
    pub fn of_question(&self, number: usize) -> Vec<String> {
        let is_it = |text: &str| marks::questions(text).contains(&number);
        let mut lines = Vec::new();
        for message in self
            .messages
            .iter()
            .filter(|message| message.direction == Direction::Inbound)
        {
            if is_it(&message.content) {
                lines.push(line("inbound", message));
            }
        }
        for run in self.coordinators().filter(|run| is_it(&run.input_text)) {
            let output = run.output_text.as_deref().unwrap_or_default();
            lines.push(format!(
                "run {} {} epoch {}, {} model calls: {} -> {}",
                run.id,
                run.status,
                run.epoch,
                run.llm_calls,
                short(&run.input_text),
                short(output)
            ));
            let said = self.outbound().filter(|message| message.run_id == Some(run.id));
            lines.extend(said.map(|message| line("outbound", message)));
        }
        lines
    }

    fn coordinators(&self) -> impl Iterator<Item = &Run> {
        self.runs.iter().filter(|run| run.kind == RunKind::Coordinator)
    }

    fn outbound(&self) -> impl Iterator<Item = &Message> {
        let is_outbound = |message: &&Message| message.direction == Direction::Outbound;
        self.messages.iter().filter(is_outbound)
    }
}

fn line(direction: &str, message: &Message) -> String {
    let error = message
        .error
        .as_deref()
        .map(|error| format!(" ({error})"))
        .unwrap_or_default();
    format!(
        "{direction} {} {}{error}: {}",
        message.id,
        message.status,
        short(&message.content)
    )
}

fn short(text: &str) -> String {
    text.chars().take(60).collect()
}
