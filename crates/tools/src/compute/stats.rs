//! Statistics of a list of numbers.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{ToolContext, ToolError};

/// The most numbers of one list.
const MOST: usize = 10_000;

#[derive(Deserialize, JsonSchema)]
pub(super) struct StatsArgs {
    /// The numbers.
    values: Vec<f64>,
    /// Which percentile to tell, from 0 to 100.
    #[schemars(range(min = 0, max = 100))]
    percentile: Option<f64>,
}

/// The figures of a list. Deviations are those of a sample (divided by n − 1).
#[derive(Debug, PartialEq, Serialize)]
pub(super) struct Stats {
    count: usize,
    sum: f64,
    mean: f64,
    median: f64,
    min: f64,
    max: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    standard_deviation: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    percentile: Option<f64>,
}

pub(super) async fn stats(_: ToolContext, args: StatsArgs) -> Result<Stats, ToolError> {
    describe(args.values, args.percentile).map_err(ToolError::TellModel)
}

fn describe(mut values: Vec<f64>, percentile: Option<f64>) -> Result<Stats, String> {
    if values.len() > MOST {
        return Err(format!("values: at most {MOST} numbers"));
    }
    values.sort_by(f64::total_cmp);
    let (Some(min), Some(max)) = (values.first().copied(), values.last().copied()) else {
        return Err("values: at least one number".to_owned());
    };
    let (sum, count) = (total(&values), length(&values));
    let mean = sum / count;
    let squares: Vec<f64> = values.iter().map(|value| (value - mean).powi(2)).collect();
    let standard_deviation = (values.len() > 1).then(|| (total(&squares) / (count - 1.0)).sqrt());
    if !sum.is_finite() || standard_deviation.is_some_and(|deviation| !deviation.is_finite()) {
        return Err("values: the numbers are too great".to_owned());
    }
    Ok(Stats {
        count: values.len(),
        sum,
        mean,
        median: between(&values, 50.0),
        min,
        max,
        standard_deviation,
        percentile: percentile.map(|percent| between(&values, percent)),
    })
}

/// A percentile of sorted values, linear between the two that are nearest.
fn between(sorted: &[f64], percent: f64) -> f64 {
    let place = percent / 100.0 * (length(sorted) - 1.0);
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a place within a list of at most 10,000"
    )]
    let (below, above) = (place.floor() as usize, place.ceil() as usize);
    let at = |place: usize| sorted.get(place).copied().unwrap_or_default();
    at(below) + (at(above) - at(below)) * place.fract()
}

/// The sum, with what each addition rounds off added at the end (Neumaier): 0.1 ten times is 1.
fn total(values: &[f64]) -> f64 {
    let (mut sum, mut lost) = (0.0_f64, 0.0_f64);
    for value in values {
        let next = sum + value;
        lost += if sum.abs() >= value.abs() {
            (sum - next) + value
        } else {
            (value - next) + sum
        };
        sum = next;
    }
    sum + lost
}

#[expect(clippy::cast_precision_loss, reason = "at most 10,000")]
fn length(values: &[f64]) -> f64 {
    values.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_come_to_what_they_do_by_hand() {
        let of = |values: &[f64], percentile| describe(values.to_vec(), percentile);
        assert_eq!(
            of(&[8.0, 3.0, 4.0, 5.0], Some(75.0)),
            Ok(Stats {
                count: 4,
                sum: 20.0,
                mean: 5.0,
                median: 4.5,
                min: 3.0,
                max: 8.0,
                standard_deviation: Some((14.0_f64 / 3.0).sqrt()),
                percentile: Some(5.75),
            })
        );
        assert_eq!(
            of(&[-2.0], Some(0.0)),
            Ok(Stats {
                count: 1,
                sum: -2.0,
                mean: -2.0,
                median: -2.0,
                min: -2.0,
                max: -2.0,
                standard_deviation: None,
                percentile: Some(-2.0),
            })
        );
        assert_eq!(of(&[0.1; 10], None).map(|stats| stats.sum), Ok(1.0));
    }

    #[test]
    fn what_has_no_statistics_says_why() {
        assert_eq!(describe(vec![], None), Err("values: at least one number".to_owned()));
        assert_eq!(
            describe(vec![0.0; 10_001], None),
            Err("values: at most 10000 numbers".to_owned())
        );
        assert_eq!(
            describe(vec![f64::MAX, f64::MAX], None),
            Err("values: the numbers are too great".to_owned())
        );
    }
}
