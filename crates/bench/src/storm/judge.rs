//! The verdict on each message, from the texts sent and the texts received. Pure.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    time::{Duration, Instant},
};

use serde::Serialize;

use super::{marks::Piece, plan::Platform};

/// How long after a message was taken a kill may still keep its sender from knowing that.
pub const IN_FLIGHT: Duration = Duration::from_secs(1);

/// A message that was said.
#[derive(Clone, Copy, Debug)]
pub struct JudgedMessage {
    /// Where.
    pub room: usize,
    /// By whom.
    pub person: usize,
    /// Its platform answered its answer with errors, and nothing else: others went out past it.
    pub may_be_late: bool,
    /// On which platform.
    pub platform: Platform,
    /// The platform was told that it was taken.
    pub accepted: bool,
    /// How many runs it was given to.
    pub runs: usize,
    /// Its run ended with a sentence that says what went wrong.
    pub honest_error: bool,
}

/// A part of an answer that a platform took.
#[derive(Clone, Copy, Debug)]
pub struct Heard {
    /// The part of the answer.
    pub piece: Piece,
    /// Where.
    pub room: usize,
    /// When.
    pub at: Instant,
    /// The platform broke the connection before it had told the bot that it took it.
    pub answer_lost: bool,
}

/// The counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Tally {
    /// Messages of which the platform was told that they were taken.
    pub accepted: usize,
    /// Those that were answered whole.
    pub answered: usize,
    /// Those whose answer is a sentence that says what went wrong.
    pub honest_errors: usize,
    /// Those of which nothing came, or not all.
    pub lost: usize,
    /// Parts of answers that came again, and messages that were worked on twice.
    pub duplicated: usize,
    /// Parts of which Telegram did not tell that it took them, whether they came again or not.
    pub ambiguous: usize,
    /// Answers in a chat where nobody asked.
    pub wrong_chat: usize,
    /// Answers that came after the answer to a later message of the same person in the same chat.
    pub out_of_order: usize,
}

impl Tally {
    /// Whether everything that was said was taken, and is as it must be. Saying what went wrong is no answer where
    /// everybody is told so: one in ten may be.
    pub fn is_clean(&self, said: usize) -> bool {
        self.accepted == said
            && self.answered + self.honest_errors == said
            && self.honest_errors <= said.div_ceil(10)
            && [self.lost, self.duplicated, self.wrong_chat, self.out_of_order] == [0; 4]
    }

    /// Adds another's counts.
    pub fn add(&mut self, other: &Self) {
        let Self {
            accepted,
            answered,
            honest_errors,
            lost,
            duplicated,
            ambiguous,
            wrong_chat,
            out_of_order,
        } = other;
        self.accepted += accepted;
        self.answered += answered;
        self.honest_errors += honest_errors;
        self.lost += lost;
        self.duplicated += duplicated;
        self.ambiguous += ambiguous;
        self.wrong_chat += wrong_chat;
        self.out_of_order += out_of_order;
    }
}

/// Something that is wrong with a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wrong {
    /// The message.
    pub question: usize,
    /// The fault.
    pub what: String,
}

/// Counts, and says what is wrong with which message. `breaks` are the moments at which a process died or could not
/// reach its database.
pub fn judge(asked: &[JudgedMessage], heard: &[Heard], breaks: &[Instant]) -> (Tally, Vec<Wrong>) {
    let mut tally = Tally::default();
    let mut wrong = Vec::new();
    let mut note = |question: usize, what: String| wrong.push(Wrong { question, what });
    let mut copies: BTreeMap<Piece, Vec<&Heard>> = BTreeMap::new();
    for one in heard {
        match asked.get(one.piece.question) {
            Some(question) if question.room == one.room => copies.entry(one.piece).or_default().push(one),
            _ => {
                tally.wrong_chat += 1;
                note(one.piece.question, format!("{:?} came in room {}", one.piece, one.room));
            }
        }
    }
    let mut answers: HashMap<usize, BTreeSet<(usize, usize)>> = HashMap::new();
    for (piece, copies) in &mut copies {
        copies.sort_by_key(|copy| copy.at);
        answers
            .entry(piece.question)
            .or_default()
            .insert((piece.of, piece.part));
        let telegram = asked[piece.question].platform == Platform::Telegram;
        let unsure = |copy: &Heard, again: Option<Instant>| {
            let until = |again: Instant| again.min(copy.at + IN_FLIGHT);
            let broke = |again| breaks.iter().any(|at| *at >= copy.at && *at <= until(again));
            telegram && (copy.answer_lost || again.is_some_and(broke))
        };
        for (place, copy) in copies.iter().enumerate() {
            let again = copies.get(place + 1).map(|copy| copy.at);
            if unsure(copy, again) {
                tally.ambiguous += 1;
            } else if again.is_some() {
                tally.duplicated += 1;
                note(piece.question, format!("{piece:?} came again"));
            }
        }
    }
    for (number, question) in asked.iter().enumerate() {
        tally.accepted += usize::from(question.accepted);
        if question.runs > 1 {
            tally.duplicated += 1;
            note(number, format!("{} runs worked on it", question.runs));
        }
        let parts = answers.remove(&number).unwrap_or_default();
        let of = parts.first().map_or(0, |(of, _)| *of);
        if parts.iter().any(|part| part.0 != of) {
            tally.duplicated += 1;
            note(number, "two different answers came".to_owned());
        }
        if of > 0 && parts.iter().filter(|part| part.0 == of).count() == of {
            tally.answered += 1;
            if question.honest_error {
                tally.duplicated += 1;
                note(number, "it was answered, and something went wrong as well".to_owned());
            }
        } else if question.honest_error {
            tally.honest_errors += 1;
        } else if question.accepted {
            tally.lost += 1;
            note(number, format!("{} of {of} parts of its answer came", parts.len()));
        } else {
            note(number, "it was never taken".to_owned());
        }
    }
    for (question, what) in out_of_order(asked, heard) {
        tally.out_of_order += 1;
        note(question, what);
    }
    (tally, wrong)
}

/// The first copy of each part, in the order in which they came: each person's in a room follow each other. In a shared
/// room people are answered in turn, so what one said twice may be answered before what another said in between.
fn out_of_order(asked: &[JudgedMessage], heard: &[Heard]) -> Vec<(usize, String)> {
    let mut in_time: Vec<_> = heard.iter().collect();
    in_time.sort_by_key(|one| one.at);
    let mut seen = BTreeSet::new();
    let mut newest: HashMap<(usize, usize), Piece> = HashMap::new();
    let mut found = Vec::new();
    for one in in_time {
        let here = asked
            .get(one.piece.question)
            .filter(|question| question.room == one.room);
        let in_turn = here.filter(|question| !question.may_be_late);
        let Some(question) = in_turn.filter(|_| seen.insert(one.piece)) else {
            continue;
        };
        let whose = (one.room, question.person);
        match newest.get(&whose).copied() {
            Some(newest) if newest > one.piece => {
                found.push((one.piece.question, format!("{:?} came after {newest:?}", one.piece)));
            }
            _ => drop(newest.insert(whose, one.piece)),
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(platform: Platform) -> JudgedMessage {
        JudgedMessage {
            room: 0,
            person: 0,
            may_be_late: false,
            platform,
            accepted: true,
            runs: 1,
            honest_error: false,
        }
    }

    fn heard(start: Instant, question: usize, part: usize, ms: u64) -> Heard {
        Heard {
            piece: Piece { question, part, of: 1 },
            room: 0,
            at: start + Duration::from_millis(ms),
            answer_lost: false,
        }
    }

    #[test]
    fn one_answer_in_order_each_is_clean() {
        let now = Instant::now();
        let questions = [asked(Platform::Telegram), asked(Platform::Telegram)];
        let (tally, wrong) = judge(&questions, &[heard(now, 0, 1, 0), heard(now, 1, 1, 1)], &[]);
        let expected = Tally {
            accepted: 2,
            answered: 2,
            ..Tally::default()
        };
        assert_eq!((tally, wrong), (expected, vec![]));
        assert!(tally.is_clean(2) && !tally.is_clean(3));
    }

    #[test]
    fn an_answer_and_an_apology_are_one_too_many_and_nothing_but_apologies_are_no_answers() {
        let sorry = JudgedMessage {
            honest_error: true,
            ..asked(Platform::Discord)
        };
        let (tally, _) = judge(&[sorry], &[heard(Instant::now(), 0, 1, 0)], &[]);
        assert_eq!((tally.answered, tally.honest_errors, tally.duplicated), (1, 0, 1));
        let (tally, wrong) = judge(&[sorry; 20], &[], &[]);
        assert!(wrong.is_empty() && !tally.is_clean(20), "{tally:?}");
    }

    #[test]
    fn silence_is_a_loss_unless_an_error_was_told_or_nothing_was_taken() {
        let (failed, refused) = (
            JudgedMessage {
                honest_error: true,
                ..asked(Platform::Discord)
            },
            JudgedMessage {
                accepted: false,
                ..asked(Platform::Discord)
            },
        );
        let (tally, wrong) = judge(&[asked(Platform::Discord), failed, refused], &[], &[]);
        assert_eq!(
            (tally.accepted, tally.lost, tally.honest_errors, tally.answered),
            (2, 1, 1, 0)
        );
        assert_eq!(wrong.iter().map(|wrong| wrong.question).collect::<Vec<_>>(), [0, 2]);
    }

    #[test]
    fn a_repeat_is_excused_on_telegram_alone_and_only_where_it_could_not_know() {
        let now = Instant::now();
        let twice = [heard(now, 0, 1, 0), heard(now, 0, 1, 3_000)];
        let lost = [
            Heard {
                answer_lost: true,
                ..twice[0]
            },
            twice[1],
        ];
        let kill = |ms| now + Duration::from_millis(ms);
        let counts = |platform, heard: &[Heard], breaks: &[Instant]| {
            let tally = judge(&[asked(platform)], heard, breaks).0;
            (tally.duplicated, tally.ambiguous)
        };
        assert_eq!(counts(Platform::Telegram, &twice, &[]), (1, 0));
        assert_eq!(counts(Platform::Telegram, &twice, &[kill(100)]), (0, 1));
        assert_eq!(counts(Platform::Telegram, &twice, &[kill(1_500)]), (1, 0));
        // A process died after the repeat, which did not bring it about.
        let at_once = [heard(now, 0, 1, 0), heard(now, 0, 1, 50)];
        assert_eq!(counts(Platform::Telegram, &at_once, &[kill(100)]), (1, 0));
        assert_eq!(counts(Platform::Telegram, &lost, &[]), (0, 1));
        assert_eq!(counts(Platform::Discord, &lost, &[kill(100)]), (1, 0));
    }

    #[test]
    fn what_comes_late_elsewhere_or_from_two_runs_is_told() {
        let now = Instant::now();
        let questions = [
            asked(Platform::Discord),
            JudgedMessage {
                runs: 2,
                ..asked(Platform::Discord)
            },
        ];
        let elsewhere = Heard {
            room: 1,
            ..heard(now, 0, 1, 2)
        };
        let came = [heard(now, 1, 1, 0), heard(now, 0, 1, 1), elsewhere];
        let (tally, _) = judge(&questions, &came, &[]);
        assert_eq!((tally.out_of_order, tally.wrong_chat, tally.duplicated), (1, 1, 1));
        let another = JudgedMessage {
            person: 1,
            ..questions[1]
        };
        let (tally, _) = judge(&[questions[0], another], &came, &[]);
        assert_eq!(tally.out_of_order, 0);
        let late = JudgedMessage {
            may_be_late: true,
            ..questions[0]
        };
        let (tally, _) = judge(&[late, questions[1]], &came, &[]);
        assert_eq!(tally.out_of_order, 0);
    }
}
