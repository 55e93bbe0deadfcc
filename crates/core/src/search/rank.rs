//! How well texts answer a query: BM25, whose rarity of words is counted among the texts that are ranked, so that what
//! others wrote moves nothing. Of messages also: when they were said, what stands next to them, and how much of the
//! query their whole conversation holds.

use std::collections::{BTreeMap, HashMap, HashSet};

use jiff::civil::Date;

use super::{
    dates::{Moment, Time},
    query::Query,
    terms::terms,
};
use crate::id::{ContextId, MessageId};

/// How soon more of the same counts no more.
const SATURATION: f64 = 1.2;
/// How much the length counts.
const BY_LENGTH: f64 = 0.4;
/// How much of a message's score each message next to it gets, by their distance.
const NEARBY: [f64; 2] = [0.3, 0.15];
/// How much the score of its conversation counts.
const CONVERSATION: f64 = 0.5;
/// Scores that differ by less are equal: of those the newer comes first.
const STEP: f64 = 1e-6;

/// How often a text holds each phrase of a query, and its length in terms.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PhraseCounts {
    counts: Vec<f64>,
    length: f64,
}

impl PhraseCounts {
    /// Counts in a text.
    pub fn by(query: &Query, text: &str) -> Self {
        let terms: Vec<_> = terms(text).collect();
        let count = |phrase: &super::Phrase| phrase.found_in(&terms).map(|(_, likeness)| likeness).sum();
        Self {
            counts: query.phrases().iter().map(count).collect(),
            length: real(terms.len()),
        }
    }

    /// The phrase of this place is held by what was not counted.
    pub fn further(&mut self, phrase: usize) {
        if let Some(count) = self.counts.get_mut(phrase).filter(|count| **count <= 0.0) {
            *count = 1.0;
        }
    }

    /// It holds something.
    pub fn is_any(&self) -> bool {
        self.counts.iter().any(|count| *count > 0.0)
    }
}

/// Statistics of the texts that are not ranked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Population {
    /// How many texts there are at least.
    pub size: usize,
    /// How many of them hold each phrase at least.
    pub holding: Vec<usize>,
}

/// The score of each text.
pub fn scores(texts: &[PhraseCounts], population: &Population) -> Vec<f64> {
    let phrases = texts.first().map_or(0, |text| text.counts.len());
    let rarities: Vec<f64> = (0..phrases)
        .map(|phrase| {
            let holding = texts
                .iter()
                .filter(|text| text.counts.get(phrase).is_some_and(|count| *count > 0.0));
            let known = population.holding.get(phrase).copied().unwrap_or(0);
            rarity(holding.count().max(known), texts.len().max(population.size))
        })
        .collect();
    let average = texts.iter().map(|text| text.length).sum::<f64>() / real(texts.len().max(1));
    let score = |text: &PhraseCounts| {
        let length = 1.0 - BY_LENGTH + BY_LENGTH * text.length / average.max(1.0);
        let counts = text.counts.iter().zip(&rarities);
        counts.map(|(count, rarity)| rarity * saturated(*count, length)).sum()
    };
    texts.iter().map(score).collect()
}

/// How rare something is that so many of all have.
fn rarity(holding: usize, all: usize) -> f64 {
    let (holding, all) = (real(holding), real(all));
    (1.0 + ((all - holding).max(0.0) + 0.5) / (holding + 0.5)).ln()
}

fn saturated(count: f64, length: f64) -> f64 {
    count * (SATURATION + 1.0) / (count + SATURATION * length)
}

/// A message that is ranked.
#[derive(Clone, Debug, PartialEq)]
pub struct Ranked {
    /// The message.
    pub id: MessageId,
    /// Its number in the index.
    pub number: i64,
    /// Its conversation.
    pub context: ContextId,
    /// When it was said.
    pub moment: Moment,
    /// The query terms that it holds.
    pub held: PhraseCounts,
}

/// A message with its score.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scored {
    /// The message.
    pub id: MessageId,
    /// Its number in the index.
    pub number: i64,
    /// Greater is better.
    pub score: f64,
}

/// A part of a conversation: what was said in it on one day.
type Session = (ContextId, Date);

/// Messages with their scores by themselves, and those of their conversations.
#[derive(Clone, Debug, Default)]
pub struct Ranking {
    own: HashMap<MessageId, (i64, f64, Session)>,
    sessions: HashMap<Session, f64>,
}

impl Ranking {
    /// Ranks messages by what they hold and when they were said.
    pub fn of(messages: &[Ranked], times: &[Time], population: &Population) -> Self {
        let held: Vec<PhraseCounts> = messages.iter().map(|message| message.held.clone()).collect();
        let by_words = scores(&held, population);
        let rarities: Vec<(Time, f64)> = (times.iter())
            .map(|time| {
                let of = messages.iter().filter(|message| message.moment.is_of(*time));
                (*time, rarity(of.count(), messages.len().max(population.size)))
            })
            .collect();
        let by_time = |message: &Ranked| -> f64 {
            let of = rarities.iter().filter(|(time, _)| message.moment.is_of(*time));
            of.map(|(_, rarity)| *rarity).sum()
        };
        let session = |message: &Ranked| (message.context, message.moment.date());
        let mut sums: BTreeMap<Session, PhraseCounts> = BTreeMap::new();
        for message in messages {
            let sum = sums.entry(session(message)).or_default();
            sum.counts.resize(message.held.counts.len(), 0.0);
            for (sum, count) in sum.counts.iter_mut().zip(&message.held.counts) {
                *sum += count;
            }
        }
        let (places, sums): (Vec<_>, Vec<_>) = sums.into_iter().unzip();
        let of_sessions = scores(&sums, &Population::default());
        Self {
            // A text whose words only begin like a queried word holds none of it.
            own: (messages.iter().zip(by_words))
                .map(|(message, score)| (message.id, (message.number, score + by_time(message), session(message))))
                .filter(|(_, (_, score, _))| *score > 0.0)
                .collect(),
            sessions: places.into_iter().zip(of_sessions).collect(),
        }
    }

    /// The best messages, so far as they are known without what stands next to them.
    pub fn best(&self, most: usize) -> Vec<Scored> {
        let mut best = self.scored(&HashMap::new());
        best.truncate(most);
        best
    }

    /// All messages, the best first; those next to a good one get some of its score, and are found by that alone.
    pub fn with_nearby(&self, nearby: &[Nearby]) -> Vec<Scored> {
        let mut given: HashMap<MessageId, Given> = HashMap::new();
        let mut known = HashSet::new();
        for near in nearby {
            let share = near.distance.checked_sub(1).and_then(|place| NEARBY.get(place));
            let score = self.own.get(&near.of).map_or(0.0, |(_, score, _)| *score);
            if known.insert((near.of, near.id)) {
                let given = given.entry(near.id).or_insert(Given {
                    number: near.number,
                    session: (near.context, near.date),
                    score: 0.0,
                });
                given.score += share.copied().unwrap_or(0.0) * score;
            }
        }
        self.scored(&given)
    }

    fn scored(&self, given: &HashMap<MessageId, Given>) -> Vec<Scored> {
        let session = |session: &Session| CONVERSATION * self.sessions.get(session).copied().unwrap_or(0.0);
        let own = self.own.iter().map(|(id, (number, score, of))| Scored {
            id: *id,
            number: *number,
            score: score + session(of) + given.get(id).map_or(0.0, |given| given.score),
        });
        let others = given.iter().filter(|(id, _)| !self.own.contains_key(id));
        let others = others.map(|(id, given)| Scored {
            id: *id,
            number: given.number,
            score: given.score + session(&given.session),
        });
        let mut scored: Vec<_> = own.chain(others).collect();
        #[expect(clippy::cast_possible_truncation, reason = "scores are at most a few hundred")]
        let steps = |one: &Scored| (one.score / STEP).round() as i64;
        scored.sort_by_key(|one| (std::cmp::Reverse(steps(one)), std::cmp::Reverse(one.number), one.id));
        scored
    }
}

/// The score that a message gets from its neighbours.
struct Given {
    number: i64,
    session: Session,
    score: f64,
}

/// A message that stands next to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Nearby {
    /// The other.
    pub of: MessageId,
    /// How many messages away it is, from 1.
    pub distance: usize,
    /// The message.
    pub id: MessageId,
    /// Its number in the index.
    pub number: i64,
    /// Its conversation.
    pub context: ContextId,
    /// The day on which it was said.
    pub date: Date,
}

#[expect(clippy::cast_precision_loss, reason = "nothing that is counted here reaches 2^52")]
fn real(count: usize) -> f64 {
    count as f64
}

#[cfg(test)]
mod tests;
