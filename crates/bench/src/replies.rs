//! The bot's replies: which question each answers, how long it took, which are lost and which come twice.

use std::{
    collections::HashMap,
    sync::Arc,
    time::{Duration, Instant},
};

use anyhow::bail;
use clifford_fakes::telegram::{Chat, Sent};
use serde::Serialize;
use tokio::sync::broadcast::{Receiver, error::RecvError};

/// How long an answer may take before it counts as lost.
pub const PATIENCE: Duration = Duration::from_secs(30);

/// The outcome of the messages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Tally {
    /// How many were written.
    pub asked: usize,
    /// How many were not answered.
    pub lost: usize,
    /// How many were answered more than once.
    pub repeated: usize,
    /// How many were answered after one that the same person wrote later.
    pub out_of_order: usize,
}

impl Tally {
    /// Adds another's counts.
    pub fn add(&mut self, other: Self) {
        self.asked += other.asked;
        self.lost += other.lost;
        self.repeated += other.repeated;
        self.out_of_order += other.out_of_order;
    }
}

/// The bot's replies as they come.
pub struct Replies {
    sent: Receiver<Arc<Sent>>,
    asked: HashMap<u64, Question>,
    open: usize,
    /// The newest question of each chat that is answered.
    newest: HashMap<Chat, u64>,
    out_of_order: usize,
    /// How long each answer took, in the order in which they came.
    pub took: Vec<Duration>,
    /// When the last answer came.
    pub last: Option<Instant>,
}

struct Question {
    at: Instant,
    answers: usize,
}

impl Replies {
    pub(crate) fn new(sent: Receiver<Arc<Sent>>) -> Self {
        Self {
            sent,
            asked: HashMap::new(),
            open: 0,
            newest: HashMap::new(),
            out_of_order: 0,
            took: Vec::new(),
            last: None,
        }
    }

    /// A question was asked.
    pub fn expect(&mut self, (number, at): (u64, Instant)) {
        self.asked.insert(number, Question { at, answers: 0 });
        self.open += 1;
    }

    /// Whether a question was asked and is not answered.
    pub fn is_open(&self, number: u64) -> bool {
        self.asked.get(&number).is_some_and(|question| question.answers == 0)
    }

    /// Waits for the first answer to a question. `false`: none came in time.
    ///
    /// # Errors
    /// More came than could be counted.
    pub async fn next(&mut self) -> anyhow::Result<bool> {
        loop {
            let Ok(sent) = tokio::time::timeout(PATIENCE, self.sent.recv()).await else {
                return Ok(false);
            };
            match sent {
                Ok(sent) => {
                    if self.count(&sent) {
                        return Ok(true);
                    }
                }
                Err(RecvError::Lagged(missed)) => bail!("{missed} replies came faster than they could be counted"),
                Err(RecvError::Closed) => bail!("the fake of Telegram has ended"),
            }
        }
    }

    /// Whether this is the first answer to a question.
    fn count(&mut self, sent: &Sent) -> bool {
        let Some(number) = number_in(&sent.text) else {
            return false;
        };
        let Some(question) = self.asked.get_mut(&number) else {
            return false;
        };
        question.answers += 1;
        if question.answers > 1 {
            return false;
        }
        let newest = self.newest.entry(sent.chat).or_default();
        if *newest > number {
            self.out_of_order += 1;
        }
        *newest = number.max(*newest);
        self.open -= 1;
        self.took.push(sent.at.saturating_duration_since(question.at));
        self.last = Some(sent.at);
        true
    }

    /// Waits until every question is answered, or nothing comes any more.
    ///
    /// # Errors
    /// More came than could be counted.
    pub async fn wait_for_all(&mut self) -> anyhow::Result<()> {
        while self.open > 0 {
            if !self.next().await? {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Counts what comes within a moment: answers that nobody waits for any more.
    pub async fn settle(&mut self, moment: Duration) {
        let until = tokio::time::Instant::now() + moment;
        while let Ok(Ok(sent)) = tokio::time::timeout_at(until, self.sent.recv()).await {
            self.count(&sent);
        }
    }

    /// The outcome of the questions so far.
    pub fn tally(&self) -> Tally {
        Tally {
            asked: self.asked.len(),
            lost: self.open,
            repeated: self.asked.values().filter(|question| question.answers > 1).count(),
            out_of_order: self.out_of_order,
        }
    }

    /// Each share of the answers, in percent, with what they took at most, in milliseconds.
    pub fn distribution(&self) -> Vec<(f64, f64)> {
        let shares = (1..=199).map(|half| f64::from(half) / 2.0);
        shares.map(|share| (share, self.percentile(share / 100.0))).collect()
    }

    /// The share of answers that took at most this long, in milliseconds: `0.5` is the median.
    pub fn percentile(&self, share: f64) -> f64 {
        let mut took: Vec<f64> = self.took.iter().map(|took| took.as_secs_f64() * 1000.0).collect();
        took.sort_by(f64::total_cmp);
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_precision_loss,
            clippy::cast_sign_loss,
            reason = "a place in a list of some thousands"
        )]
        let place = (took.len() as f64 * share) as usize;
        took.get(place.min(took.len().saturating_sub(1)))
            .copied()
            .unwrap_or_default()
    }
}

/// The answer to a question.
pub fn answer(number: u64) -> String {
    format!("This is all that I know about question #{number}.")
}

/// The last number with a `#` before it: an answer names the question that it answers.
pub fn number_in(text: &str) -> Option<u64> {
    let (_, rest) = text.rsplit_once('#')?;
    let digits = rest
        .find(|c: char| !c.is_ascii_digit())
        .map_or(rest, |end| &rest[..end]);
    digits.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_names_its_question_and_the_last_number_counts() {
        assert_eq!(number_in(&answer(17)), Some(17));
        assert_eq!(number_in(r##"{"conversation":["#1"],"input":"#23?"}"##), Some(23));
        assert_eq!(number_in("none"), None);
    }
}
