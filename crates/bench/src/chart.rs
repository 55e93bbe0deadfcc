//! The chart of a load: the latency of answers, and the cost of a long history.

use std::path::Path;

use anyhow::Context;
use plotters::{
    coord::{Shift, types::RangedCoordf64},
    prelude::*,
};

use crate::report::{Chart, Curve};

const SIZE: (u32, u32) = (900, 760);
const FONT: &str = "sans-serif";
const COLOURS: [RGBColor; 4] = [
    RGBColor(31, 99, 181),
    RGBColor(214, 110, 36),
    RGBColor(46, 125, 50),
    RGBColor(123, 31, 162),
];
type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

/// Draws both charts into one SVG file, one below the other.
///
/// # Errors
/// There is nothing to draw, or the file cannot be written.
pub fn draw(path: &Path, curves: &[Curve]) -> anyhow::Result<()> {
    let of = |chart: Chart| {
        curves
            .iter()
            .filter(move |curve| curve.chart == chart)
            .collect::<Vec<_>>()
    };
    let charts: Vec<_> = [Chart::Latency, Chart::Growth]
        .into_iter()
        .map(|chart| (chart, of(chart)))
        .filter(|(_, curves)| !curves.is_empty())
        .collect();
    anyhow::ensure!(
        !charts.is_empty(),
        "none of these figures has anything to draw: overhead, history and database have"
    );
    let root = SVGBackend::new(path, SIZE).into_drawing_area();
    root.fill(&WHITE)?;
    for (area, (chart, curves)) in root.split_evenly((charts.len(), 1)).iter().zip(charts) {
        match chart {
            Chart::Latency => latency(area, &curves)?,
            Chart::Growth => growth(area, &curves)?,
        }
    }
    root.present()
        .with_context(|| format!("{} cannot be written", path.display()))
}

fn latency(area: &Area<'_>, curves: &[&Curve]) -> anyhow::Result<()> {
    let mut chart = ChartBuilder::on(area)
        .caption("How long answers take, one at a time", (FONT, 20))
        .margin(16)
        .x_label_area_size(40)
        .y_label_area_size(56)
        .build_cartesian_2d(0.0..100.0, 0.0..highest(curves))?;
    chart
        .configure_mesh()
        .x_desc("share of the answers that took at most as long, %")
        .y_desc("ms")
        .draw()?;
    lines(&mut chart, curves, SeriesLabelPosition::UpperLeft)
}

fn growth(area: &Area<'_>, curves: &[&Curve]) -> anyhow::Result<()> {
    let numbers = || curves.iter().flat_map(|curve| curve.points.iter().map(|(x, _)| *x));
    let (least, most) = (numbers().fold(f64::INFINITY, f64::min), numbers().fold(0.0, f64::max));
    let mut chart = ChartBuilder::on(area)
        .caption("Cost of a turn by length of history", (FONT, 20))
        .margin(16)
        .x_label_area_size(40)
        .y_label_area_size(56)
        .build_cartesian_2d((least / 1.5..most * 1.5).log_scale(), 0.0..highest(curves))?;
    chart
        .configure_mesh()
        .x_desc("messages")
        .x_label_formatter(&|count| format!("{count:.0}"))
        .y_desc("ms")
        .draw()?;
    for (curve, colour) in curves.iter().zip(COLOURS) {
        chart.draw_series(curve.points.iter().map(|point| Circle::new(*point, 4, colour.filled())))?;
    }
    lines(&mut chart, curves, SeriesLabelPosition::LowerRight)
}

/// Draws each curve as a line, and says which is which.
fn lines<'a, X: Ranged<ValueType = f64>>(
    chart: &mut ChartContext<'a, SVGBackend<'a>, Cartesian2d<X, RangedCoordf64>>,
    curves: &[&Curve],
    names: SeriesLabelPosition,
) -> anyhow::Result<()> {
    for (curve, colour) in curves.iter().zip(COLOURS) {
        chart
            .draw_series(LineSeries::new(curve.points.iter().copied(), colour.stroke_width(2)))?
            .label(curve.name)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 18, y)], colour.stroke_width(2)));
    }
    chart
        .configure_series_labels()
        .position(names)
        .label_font((FONT, 14))
        .border_style(WHITE)
        .draw()?;
    Ok(())
}

/// Where the axis of milliseconds ends.
fn highest(curves: &[&Curve]) -> f64 {
    let values = curves.iter().flat_map(|curve| curve.points.iter().map(|(_, y)| *y));
    1.15 * values.fold(0.1, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_curve_is_drawn_with_its_name() -> anyhow::Result<()> {
        let dir = tempfile::tempdir()?;
        let path = dir.path().join("load.svg");
        let curve = |chart, name| Curve {
            chart,
            name,
            points: vec![(10.0, 1.0), (90.0, 2.0)],
        };
        draw(
            &path,
            &[curve(Chart::Latency, "Clifford"), curve(Chart::Growth, "others")],
        )?;
        let svg = std::fs::read_to_string(&path)?;
        assert!(svg.contains("Clifford") && svg.contains("others"), "{svg}");
        assert_eq!(svg.matches("<circle").count(), 2);
        assert!(draw(&path, &[]).is_err());
        Ok(())
    }
}
