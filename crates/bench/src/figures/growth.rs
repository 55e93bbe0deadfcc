//! The same turn with less and with more behind it, side by side.

use std::time::Duration;

use crate::{
    replies::{Replies, Tally},
    report::{Chart, Curve, Figure, Limit, Round},
    world::World,
};

/// How many times more a turn may cost with much behind it.
const LIMIT: f64 = 1.3;
/// How often more turns are taken before something counts as growth: a busy machine is not it.
const BATCHES: usize = 3;

/// The person who asks: a world, and a place among its people.
pub type Asker<'a> = (&'a World, usize);

/// The cost of turns.
pub struct Growth {
    /// Of each asker, what a turn took, in milliseconds.
    pub took: Vec<f64>,
    /// How many times what the first's took the last's did.
    pub times: f64,
    /// The outcome of the messages.
    pub tally: Tally,
}

impl Growth {
    /// How many times more the last's turns take.
    pub fn figure(&self, name: &'static str) -> Figure {
        Figure::new(name, "x", self.times, Limit::Growth(LIMIT))
    }

    /// A round of these figures, and the curve of what turns take with so much behind them.
    pub fn round(self, figures: Vec<Figure>, name: &'static str, behind: &[u32]) -> Round {
        let behind = behind.iter().copied().map(f64::from);
        Round {
            figures,
            tally: self.tally,
            curves: vec![Curve {
                chart: Chart::Growth,
                name,
                points: behind.zip(self.took).collect(),
            }],
        }
    }
}

/// Lets all ask in turn, so that what else the machine does meets all alike.
///
/// # Errors
/// More came than could be counted.
pub async fn side_by_side(askers: &[Asker<'_>], turns: usize) -> anyhow::Result<Growth> {
    // One for all turns of an asker: what comes again or late counts whenever it comes.
    let mut heard: Vec<_> = askers.iter().map(|(world, _)| world.replies()).collect();
    let mut batch = 0;
    loop {
        batch += 1;
        for turn in 0..turns {
            for place in 0..askers.len() {
                // Each begins as often as the others.
                let who = (turn + place) % askers.len();
                let (world, person) = askers[who];
                heard[who].expect(world.ask(person));
                heard[who].wait_for_all().await?;
            }
        }
        let took = |replies: &Replies| replies.took.iter().map(Duration::as_secs_f64).collect();
        let quarters: Vec<f64> = heard.iter().map(|replies| 1000.0 * quarter(took(replies))).collect();
        let times = quarters[askers.len() - 1] / quarters[0];
        if times < LIMIT || batch == BATCHES {
            let mut tally = Tally::default();
            for replies in &heard {
                tally.add(replies.tally());
            }
            return Ok(Growth {
                took: quarters,
                times,
                tally,
            });
        }
    }
}

/// The upper bound of the fastest quarter of the turns: other work of the machine can only add to a turn.
fn quarter(mut seconds: Vec<f64>) -> f64 {
    seconds.sort_by(f64::total_cmp);
    seconds.get(seconds.len() / 4).copied().unwrap_or(f64::INFINITY)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_few_slow_turns_do_not_count() {
        assert!((quarter(vec![9.0, 1.0, 2.0, 8.0, 7.0, 2.5, 9.0, 9.0]) - 2.5).abs() < 1e-9);
        assert!(quarter(Vec::new()).is_infinite());
    }
}
