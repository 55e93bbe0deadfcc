//! The trend of a measure: a straight line through its samples, and the confidence of the slope.
//!
//! Samples of neighbouring seconds are correlated, so the line goes through the means of [`BLOCKS`] stretches of
//! time, which hardly are. Something grows if even the low end of what its slope may be (95 of 100) is over
//! [`PER_HOUR`], and it has grown by more than what a process may well gather by chance: in a short run five in a
//! hundred an hour are less than a page of memory. The longer the run, the less of that is excused.

use serde::Serialize;

/// Into how many stretches the time after the warm-up is cut.
pub const BLOCKS: usize = 12;
/// Student's t for 95 of 100 with that many points, two of which the line takes.
const T: f64 = 2.228;
/// How much something may grow in an hour, as a share of itself.
pub const PER_HOUR: f64 = 0.05;

/// The resources that are watched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Resident memory, in MB.
    Memory,
    /// Open files.
    Handles,
    /// Tasks of the runtime.
    Tasks,
    /// The database with its log, in MB.
    Database,
}

impl Kind {
    /// Every one.
    pub const ALL: [Self; 4] = [Self::Memory, Self::Handles, Self::Tasks, Self::Database];

    /// Its name, with its unit.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Memory => "memory, MB",
            Self::Handles => "open files",
            Self::Tasks => "tasks",
            Self::Database => "database, MB",
        }
    }

    /// The growth that chance may cause in so many seconds: in an hour nothing that counts.
    fn by_chance(self, seconds: f64) -> f64 {
        let in_a_moment = match self {
            Self::Memory => 4.0,
            // Twenty people write at a time; each of their turns has up to three connections open.
            Self::Handles => 16.0,
            Self::Tasks => 20.0,
            Self::Database => 2.0,
        };
        in_a_moment * (1.0 - seconds / 3600.0).max(0.0)
    }
}

/// Everything at one moment.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Sample {
    /// Seconds since the beginning.
    pub at: f64,
    /// The values then.
    pub values: [(Kind, f64); 4],
}

impl Sample {
    /// One of its values.
    pub fn value(&self, kind: Kind) -> f64 {
        let of_kind = self.values.iter().find(|(measured, _)| *measured == kind);
        of_kind.map_or(f64::NAN, |(_, value)| *value)
    }
}

/// How something went on.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Trend {
    /// The resource.
    pub kind: Kind,
    /// Its mean in the first stretch after the warm-up.
    pub first: f64,
    /// Its mean in the last.
    pub last: f64,
    /// The most that was seen.
    pub most: f64,
    /// By how much of its mean it grows in an hour.
    pub per_hour: f64,
    /// How far off that may be in either direction, 95 of 100.
    pub unsure: f64,
    /// Whether it grows.
    pub grows: bool,
}

impl Trend {
    /// How one thing went on in these samples. `None`: there are too few for a line.
    pub fn of(kind: Kind, samples: &[Sample]) -> Option<Self> {
        let points = blocks(kind, samples)?;
        let (first, last) = (points.first()?.1, points.last()?.1);
        let line = Line::through(&points);
        let hour = 3600.0 / line.mean.max(f64::MIN_POSITIVE);
        let (per_hour, unsure) = (line.slope * hour, T * line.error * hour);
        let span = points.last()?.0 - points.first()?.0;
        Some(Self {
            kind,
            first,
            last,
            most: samples.iter().map(|sample| sample.value(kind)).fold(0.0, f64::max),
            per_hour,
            unsure,
            grows: per_hour - unsure > PER_HOUR && line.slope * span > kind.by_chance(span),
        })
    }
}

/// The means of stretches of time, with their middles.
fn blocks(kind: Kind, samples: &[Sample]) -> Option<Vec<(f64, f64)>> {
    let (begin, end) = (samples.first()?.at, samples.last()?.at);
    let length = (end - begin) / f64::from(u32::try_from(BLOCKS).ok()?);
    let mut points = Vec::with_capacity(BLOCKS);
    let mut rest = samples;
    for block in 1..=u32::try_from(BLOCKS).ok()? {
        let border = begin + length * f64::from(block);
        let inside = rest.iter().take_while(|sample| sample.at <= border).count();
        // The last border may be missed by rounding.
        let inside = if points.len() + 1 == BLOCKS { rest.len() } else { inside };
        let (block, later) = rest.split_at(inside);
        rest = later;
        points.push((
            mean(block.iter().map(|sample| sample.at))?,
            mean(block.iter().map(|sample| sample.value(kind)))?,
        ));
    }
    Some(points)
}

fn mean(values: impl ExactSizeIterator<Item = f64>) -> Option<f64> {
    let count = u32::try_from(values.len()).ok().filter(|count| *count > 0)?;
    Some(values.sum::<f64>() / f64::from(count))
}

/// The line of the least squares.
struct Line {
    slope: f64,
    /// The standard error of the slope.
    error: f64,
    mean: f64,
}

impl Line {
    fn through(points: &[(f64, f64)]) -> Self {
        #[expect(clippy::cast_precision_loss, reason = "a handful")]
        let count = points.len() as f64;
        let mean_x = points.iter().map(|(x, _)| x).sum::<f64>() / count;
        let mean_y = points.iter().map(|(_, y)| y).sum::<f64>() / count;
        let spread: f64 = points.iter().map(|(x, _)| (x - mean_x).powi(2)).sum();
        let slope = points.iter().map(|(x, y)| (x - mean_x) * (y - mean_y)).sum::<f64>() / spread;
        let missed: f64 = points
            .iter()
            .map(|(x, y)| (y - mean_y - slope * (x - mean_x)).powi(2))
            .sum();
        Self {
            slope,
            error: (missed / (count - 2.0) / spread).sqrt(),
            mean: mean_y,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// So many seconds of memory that begins at 50 MB, grows by so much a second, and jumps to and fro.
    fn memory(seconds: u32, growth: f64, jumps: f64) -> Vec<Sample> {
        let value = |second: u32| 50.0 + growth * f64::from(second) + jumps * f64::from(second * 7919 % 13) / 13.0;
        (0..seconds)
            .map(|second| Sample {
                at: f64::from(second),
                values: [
                    (Kind::Memory, value(second)),
                    (Kind::Handles, 40.0),
                    (Kind::Tasks, 90.0),
                    (Kind::Database, 3.0),
                ],
            })
            .collect()
    }

    #[test]
    fn a_leak_is_found_in_a_minute_and_a_slow_one_in_an_hour() {
        let trend = |samples: &[Sample]| Trend::of(Kind::Memory, samples).expect("enough samples");
        let leak = trend(&memory(60, 0.5, 3.0));
        assert!(leak.grows, "{leak:?}");
        assert!((leak.per_hour - 0.5 * 3600.0 / 66.0).abs() < 2.0, "{leak:?}");
        assert!(trend(&memory(3600, 0.003, 3.0)).grows);
        assert!(
            trend(&memory(3600, 0.001, 0.5)).grows,
            "3.6 MB, seven in a hundred of it"
        );
        assert!(!trend(&memory(60, 0.003, 3.0)).grows, "too little to tell from chance");
        assert!(!trend(&memory(3600, 0.0002, 3.0)).grows, "less than is allowed");
        assert!(!trend(&memory(60, -1.0, 3.0)).grows, "it shrinks");
    }

    #[test]
    fn what_stays_as_it_is_does_not_grow_and_is_sure() {
        let trend = Trend::of(Kind::Handles, &memory(120, 0.0, 0.0)).expect("enough samples");
        let expected = Trend {
            kind: Kind::Handles,
            first: 40.0,
            last: 40.0,
            most: 40.0,
            per_hour: 0.0,
            unsure: 0.0,
            grows: false,
        };
        assert_eq!(trend, expected);
    }

    #[test]
    fn too_few_samples_are_no_line() {
        assert_eq!(Trend::of(Kind::Memory, &memory(5, 0.0, 0.0)), None);
        assert_eq!(Trend::of(Kind::Memory, &[]), None);
    }
}
