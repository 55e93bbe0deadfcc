//! Charts, drawn on the server. A table with the same numbers stands behind each.

use maud::{Markup, PreEscaped, html};

use super::{clean, format};

const WIDTH: u32 = 720;
const HEIGHT: u32 = 180;
const FLOOR: u32 = 156;
const TOP: u32 = 18;

/// Columns, one a label; `unit` writes a value.
pub(crate) fn columns(title: &str, values: &[(String, f64)], unit: fn(f64) -> String) -> Markup {
    let most = values.iter().map(|(_, value)| *value).fold(0.0, f64::max);
    let step = f64::from(WIDTH) / f64::from(u32::try_from(values.len().max(1)).unwrap_or(1));
    let bars = values.iter().enumerate().map(|(place, (label, value))| {
        let share = if most > 0.0 { value / most } else { 0.0 };
        let height = (share * f64::from(FLOOR - TOP)).max(if *value > 0.0 { 1.0 } else { 0.0 });
        let place = f64::from(u32::try_from(place).unwrap_or(0));
        let width = (step * 0.72).min(64.0);
        let x = place.mul_add(step, (step - width) / 2.0);
        let y = f64::from(FLOOR) - height;
        let told = clean(&format!("{label}: {}", unit(*value)));
        html! {
            rect.col x=(digits(x)) y=(digits(y)) width=(digits(width)) height=(digits(height)) rx="2" { title { (told) } }
        }
    });
    let labels = values
        .first()
        .into_iter()
        .chain(values.last().filter(|_| values.len() > 1));
    let ends = labels.zip(["start", "end"]).map(|((label, _), anchor)| {
        let x = if anchor == "start" { 0 } else { WIDTH };
        html! { text x=(x) y=(HEIGHT - 6) text-anchor=(anchor) { (clean(label)) } }
    });
    html! {
        svg.chart viewBox={ "0 0 " (WIDTH) " " (HEIGHT) } role="img" aria-label=(title) {
            line.axis x1="0" x2=(WIDTH) y1=(FLOOR) y2=(FLOOR) {}
            text x="0" y="12" { "most: " tspan data-number { (unit(most)) } }
            @for bar in bars { (bar) }
            @for end in ends { (end) }
        }
    }
}

/// A share of a whole as a bar.
pub(crate) fn share(part: f64, whole: f64) -> Markup {
    span(0.0, part, whole, "")
}

/// A stretch of a whole as a bar; `class`: of what kind.
pub(crate) fn span(from: f64, length: f64, whole: f64, class: &str) -> Markup {
    let percent = |part: f64| {
        if whole > 0.0 {
            (part / whole * 100.0).clamp(0.0, 100.0)
        } else {
            0.0
        }
    };
    let x = percent(from);
    let width = percent(length).clamp(0.6, (100.0 - x).max(0.6));
    html! {
        svg.bar viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true" {
            rect width="100" height="4" {}
            rect class={ "fill " (class) } x=(digits(x)) width=(digits(width)) height="4" {}
        }
    }
}

fn digits(number: f64) -> PreEscaped<String> {
    PreEscaped(format!("{number:.2}"))
}

/// A cost, for a chart.
pub(crate) fn amount(value: f64) -> String {
    format::cost(value).to_string()
}

/// A count as the height of a column.
pub(crate) fn of_count(number: u64) -> f64 {
    let half = |number: u64| f64::from(u32::try_from(number & u64::from(u32::MAX)).unwrap_or(u32::MAX));
    half(number >> 32).mul_add(4_294_967_296.0, half(number))
}

/// A count, for a chart.
pub(crate) fn whole(value: f64) -> String {
    // Below 2⁵³ a count is exact.
    format::count(format!("{:.0}", value.max(0.0)).parse().unwrap_or(u64::MAX)).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_count_is_as_high_as_it_is_and_written_out() {
        for (number, written) in [
            (0, "0"),
            (1_234, "1,234"),
            (9_007_199_254_740_000, "9,007,199,254,740,000"),
        ] {
            assert_eq!(whole(of_count(number)), written);
        }
    }

    #[test]
    fn columns_are_as_high_as_their_share_and_say_their_value() {
        let drawn = columns("Cost", &[("a".into(), 1.0), ("b<".into(), 2.0)], whole).into_string();
        assert!(
            drawn.contains("height=\"69.00\" rx=\"2\"><title>a: 1</title>"),
            "{drawn}"
        );
        assert!(
            drawn.contains("height=\"138.00\" rx=\"2\"><title>b&lt;: 2</title>"),
            "{drawn}"
        );
        let turned = columns("Cost", &[("a\u{202e}".into(), 1.0)], whole).into_string();
        assert!(!turned.contains('\u{202e}'), "{turned}");
        assert!(
            columns("None", &[], whole)
                .into_string()
                .contains("most: <tspan data-number>0<")
        );
    }

    #[test]
    fn a_bar_stays_within_its_whole() {
        for (from, length, whole) in [(0.0, 5.0, 0.0), (9.0, 99.0, 10.0), (0.0, -1.0, 10.0)] {
            let drawn = span(from, length, whole, "tool").into_string();
            for word in ["NaN", "inf", "\"-"] {
                assert!(!drawn.contains(word), "{drawn}");
            }
        }
    }
}
