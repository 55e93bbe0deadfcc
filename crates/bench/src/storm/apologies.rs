//! Sentences that say that something went wrong: one for each run that failed, in its chat. Pure.
//!
//! They carry no mark, so they are counted by chat.

use std::{collections::BTreeMap, time::Instant};

use super::{
    judge::{IN_FLIGHT, Tally, Wrong},
    plan::Platform,
};

/// A run of which the bot's database says that a person was told of its failure.
#[derive(Clone, Copy, Debug)]
pub struct Failed {
    /// The first message that it was given.
    pub question: usize,
    /// The chat of that.
    pub room: usize,
}

/// A sentence that a platform took.
#[derive(Clone, Copy, Debug)]
pub struct Sentence {
    /// In which chat; `None`: in one that is none of the plan's.
    pub room: Option<usize>,
    /// When.
    pub at: Instant,
    /// Telegram took it, and the bot was not told.
    pub answer_lost: bool,
}

/// Counts what is there too often, not at all, or elsewhere.
pub fn judge(
    failed: &[Failed],
    heard: &[Sentence],
    platform_of: impl Fn(usize) -> Platform,
    breaks: &[Instant],
) -> (Tally, Vec<Wrong>) {
    let mut tally = Tally::default();
    let mut wrong = Vec::new();
    let mut rooms: BTreeMap<usize, (Vec<usize>, Vec<&Sentence>)> = BTreeMap::new();
    for Failed { question, room } in failed {
        rooms.entry(*room).or_default().0.push(*question);
    }
    for sentence in heard {
        match sentence.room {
            Some(room) => rooms.entry(room).or_default().1.push(sentence),
            None => tally.wrong_chat += 1,
        }
    }
    for (room, (questions, sentences)) in rooms {
        let Some(question) = questions.first().copied() else {
            tally.wrong_chat += sentences.len();
            continue;
        };
        let mut note = |what: String| wrong.push(Wrong { question, what });
        let missing = questions.len().saturating_sub(sentences.len());
        if missing > 0 {
            tally.lost += missing;
            note(format!("{missing} sentences that say what went wrong did not come"));
        }
        let unsure = |sentence: &&&Sentence| {
            let broke = |at: &Instant| (sentence.at..=sentence.at + IN_FLIGHT).contains(at);
            platform_of(room) == Platform::Telegram && (sentence.answer_lost || breaks.iter().any(broke))
        };
        let again = sentences.len().saturating_sub(questions.len());
        let excused = again.min(sentences.iter().filter(unsure).count());
        tally.ambiguous += excused;
        tally.duplicated += again - excused;
        if again > excused {
            note(format!(
                "{} sentences that say what went wrong came again",
                again - excused
            ));
        }
    }
    (tally, wrong)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn counts(failed: &[usize], heard: &[(Option<usize>, u64)], platform: Platform, breaks: &[u64]) -> [usize; 4] {
        let now = Instant::now();
        let after = |ms: &u64| now + Duration::from_millis(*ms);
        let failed: Vec<_> = failed
            .iter()
            .map(|room| Failed {
                question: 0,
                room: *room,
            })
            .collect();
        let heard: Vec<_> = heard
            .iter()
            .map(|(room, ms)| Sentence {
                room: *room,
                at: after(ms),
                answer_lost: false,
            })
            .collect();
        let breaks: Vec<_> = breaks.iter().map(after).collect();
        let tally = judge(&failed, &heard, |_| platform, &breaks).0;
        [tally.lost, tally.duplicated, tally.ambiguous, tally.wrong_chat]
    }

    #[test]
    fn each_failure_has_one_sentence_in_its_chat() {
        use Platform::{Discord, Telegram};
        let (here, elsewhere, nowhere) = ((Some(0), 0), (Some(1), 0), (None, 0));
        assert_eq!(counts(&[0, 0], &[here, here], Discord, &[]), [0, 0, 0, 0]);
        assert_eq!(counts(&[0, 0], &[here], Discord, &[]), [1, 0, 0, 0]);
        assert_eq!(counts(&[0], &[here, here], Discord, &[100]), [0, 1, 0, 0]);
        assert_eq!(counts(&[0], &[here, here], Telegram, &[]), [0, 1, 0, 0]);
        assert_eq!(counts(&[0], &[here, here], Telegram, &[100]), [0, 0, 1, 0]);
        assert_eq!(counts(&[0], &[here, here], Telegram, &[60_000]), [0, 1, 0, 0]);
        assert_eq!(counts(&[0], &[here, elsewhere, nowhere], Telegram, &[]), [0, 0, 0, 2]);
    }
}
