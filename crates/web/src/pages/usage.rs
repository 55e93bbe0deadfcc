//! Use and cost of models: a chart with its table, by day, model, person, place or role, and as CSV; and of tools.

mod tools;

use axum::response::Response;
use jiff::{ToSpan, civil::Date};
use maud::{Markup, html};
use serde::Deserialize;

use super::{budgets, names::Names};
use crate::{
    address::with_query,
    backend::{Asker, Page},
    extract::Query,
    failure::Failure,
    handler,
    view::{
        chart, csv,
        format::{cost, count, of_bot, title},
        layout,
        parts::{choice_field, empty, head, short},
        words,
    },
};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Group {
    key: Option<String>,
    name: Option<String>,
    calls: u64,
    prompt_tokens: u64,
    cached_tokens: u64,
    completion_tokens: u64,
    estimated_calls: u64,
    cost: f64,
    own_key_calls: u64,
    own_key_cost: f64,
}

impl Group {
    fn label(&self) -> &str {
        let label = self.name.as_deref().or(self.key.as_deref());
        label.unwrap_or("(none)")
    }

    /// The bot's share of the cost.
    fn cost(&self) -> f64 {
        of_bot(self.cost, self.own_key_cost)
    }

    /// Those that were sent and received.
    fn tokens(&self) -> f64 {
        chart::of_count(self.prompt_tokens.saturating_add(self.completion_tokens))
    }
}

/// The number of a group that a chart shows.
type Reading = fn(&Group) -> f64;
/// The way in which a chart writes a number.
type Unit = fn(f64) -> String;

/// The sums that are asked for.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(crate) struct UsageQuery {
    by: String,
    days: String,
    /// Only in this server or group, by its id.
    space: String,
}

const BY: [(&str, &str); 7] = [
    ("day", "Day"),
    ("model", "Model"),
    ("user", "Person"),
    ("space", "Server or group"),
    ("channel", "Channel"),
    ("role", "Role"),
    ("tool", "Tool"),
];
const SPANS: [(&str, &str); 3] = [("7", "7 days"), ("30", "30 days"), ("90", "90 days")];
/// The most lines of a table: those that cost most. One more is asked for, which a page of the API still holds.
const MOST: usize = 199;
/// The most columns of a chart that is not by day.
const COLUMNS: usize = 60;

impl UsageQuery {
    fn by(&self) -> &str {
        let known = BY.iter().find(|(name, _)| *name == self.by);
        known.map_or("day", |(name, _)| *name)
    }

    fn days(&self) -> u64 {
        let known = SPANS.iter().find(|(name, _)| *name == self.days);
        known.and_then(|(name, _)| name.parse().ok()).unwrap_or(30)
    }

    async fn groups(&self, asker: &Asker) -> Result<Vec<Group>, Failure> {
        let (days, most) = (self.days().to_string(), (MOST + 1).to_string());
        let asked = [
            ("by", self.by()),
            ("days", days.as_str()),
            ("spaceId", self.space.as_str()),
            ("limit", most.as_str()),
        ];
        let path = with_query("/api/usage", &asked);
        let page: Page<Group> = asker.get(&path).await?;
        Ok(page.items)
    }
}

/// The page.
#[handler]
pub(crate) async fn show(asker: Asker, Query(wanted): Query<UsageQuery>) -> Result<Markup, Failure> {
    let drawn = if wanted.by() == "tool" {
        tools::draw(&asker, &tools::called(&asker, &wanted).await?)
    } else {
        drawn(&asker, &wanted, &wanted.groups(&asker).await?)
    };
    let spaces = Names::of_spaces(&asker).await?;
    let everywhere = if asker.is_person() {
        "My own, everywhere"
    } else {
        "Everywhere"
    };
    let spaces = spaces.filter(everywhere);
    let limits = budgets::all(&asker, &wanted.space).await?;
    let days = wanted.days().to_string();
    let by = wanted.by();
    let file = with_query("/usage.csv", &[("by", by), ("days", &days), ("space", &wanted.space)]);
    let content = html! {
        (head("Usage", "What models were asked, which tools were called, and what that cost, in the providers' currency. Calls by people's own keys are paid by them, and stand apart.", &html! {
            a.button href=(file) download="usage.csv" { "Export as CSV" }
        }))
        form.card method="get" action="/usage" {
            div.fields {
                (choice_field("by", "By", by, &BY))
                (choice_field("days", "In the last", &days, &SPANS))
                @if spaces.len() > 1 { (choice_field("space", "Where", &wanted.space, &spaces)) }
                button type="submit" { "Show" }
            }
        }
        div.column id="usage" data-live {
            (drawn)
            (budgets::draw(&limits))
        }
    };
    Ok(layout::page(&asker, "Usage", &content))
}

/// The charts of models with their table.
fn drawn(asker: &Asker, wanted: &UsageQuery, groups: &[Group]) -> Markup {
    let by = wanted.by();
    let is_paid = groups.iter().any(|group| group.cost() > 0.0);
    let values = |value: Reading| -> Vec<_> {
        if by == "day" {
            return by_day(groups, asker.today(), wanted.days(), value);
        }
        let most = groups.iter().take(COLUMNS);
        most.map(|group| (short(group.label(), 24), value(group))).collect()
    };
    let (name, spent, unit): (&str, Reading, Unit) = if is_paid {
        ("Cost", Group::cost, chart::amount)
    } else {
        ("Model calls", |group| chart::of_count(group.calls), chart::whole)
    };
    html! {
        @if groups.is_empty() {
            (empty("Nothing was used in this time", &html! { "Each call of a model is counted here as it is made." }))
        } @else {
            div.grid.even {
                (card("chart-title", name, by, &values(spent), unit))
                (card("tokens-title", "Tokens", by, &values(Group::tokens), chart::whole))
            }
            (table(groups, by))
            @if groups.len() > MOST { p.small.quiet { "These are the " (MOST) " that cost most." } }
        }
    }
}

/// A chart with its title.
fn card(id: &str, name: &str, by: &str, values: &[(String, f64)], unit: Unit) -> Markup {
    html! {
        section.card aria-labelledby=(id) {
            h2 id=(id) { (name) " by " (title(by).to_lowercase()) }
            (chart::columns(&format!("{name} by {by}; the table below has the numbers"), values, unit))
        }
    }
}

/// The days of a span, oldest first, those on which nothing was asked too.
fn by_day(groups: &[Group], today: &str, days: u64, value: Reading) -> Vec<(String, f64)> {
    let Ok(today) = today.parse::<Date>() else {
        return Vec::new();
    };
    let ago = (0..i64::try_from(days).unwrap_or(0)).rev();
    ago.map(|ago| {
        let day = today.saturating_sub(ago.days()).to_string();
        let spent = groups.iter().find(|group| group.key.as_ref() == Some(&day));
        (day, spent.map_or(0.0, value))
    })
    .collect()
}

fn table(groups: &[Group], by: &str) -> Markup {
    html! {
        table.table.cards {
            caption.hidden { "Usage by " (by) }
            thead {
                tr {
                    th scope="col" { (title(by)) } th.number scope="col" { "Calls" }
                    th.number scope="col" { "Sent" } th.number scope="col" { "Cached" }
                    th.number scope="col" { "Received" } th.number scope="col" { "Cost" } th.number scope="col" { "By own keys" }
                }
            }
            tbody {
                @for group in groups.iter().take(MOST) {
                    tr {
                        td.lead { (words(group.label())) }
                        td.number data-label="Calls" { (count(group.calls)) }
                        td.number data-label="Sent" { (count(group.prompt_tokens)) }
                        td.number data-label="Cached" { (count(group.cached_tokens)) }
                        td.number data-label="Received" { (count(group.completion_tokens)) }
                        td.number data-label="Cost" { (cost(group.cost())) }
                        td.number data-label="By own keys" {
                            (cost(group.own_key_cost))
                            @if group.own_key_calls > 0 { " " span.small.quiet { (own_calls(group.own_key_calls)) } }
                        }
                    }
                }
            }
        }
    }
}

/// How many calls people paid for.
fn own_calls(calls: u64) -> Markup {
    html! { "in " (count(calls)) @if calls == 1 { " call" } @else { " calls" } }
}

/// The same as CSV.
#[handler]
pub(crate) async fn csv(asker: Asker, Query(wanted): Query<UsageQuery>) -> Result<Response, Failure> {
    if wanted.by() == "tool" {
        return Ok(tools::csv(&tools::called(&asker, &wanted).await?));
    }
    let groups = wanted.groups(&asker).await?;
    let mut out = format!(
        "{},key,calls,estimated_calls,prompt_tokens,cached_tokens,completion_tokens,cost,own_key_calls,own_key_cost\r\n",
        wanted.by()
    );
    for group in groups.iter().take(MOST) {
        out.push_str(&csv_line(group));
    }
    if groups.len() > MOST {
        out.push_str(&csv::line(&ending("cost most", MOST, 10)));
    }
    Ok(csv::file("usage.csv", out))
}

fn csv_line(group: &Group) -> String {
    csv::line(&[
        csv::cell(group.label()),
        csv::cell(group.key.as_deref().unwrap_or_default()),
        group.calls.to_string(),
        group.estimated_calls.to_string(),
        group.prompt_tokens.to_string(),
        group.cached_tokens.to_string(),
        group.completion_tokens.to_string(),
        group.cost().to_string(),
        group.own_key_calls.to_string(),
        group.own_key_cost.to_string(),
    ])
}

/// The last line of a file that does not hold all: it says so in the first of so many cells.
fn ending(by: &str, most: usize, cells: usize) -> Vec<String> {
    let mut line = vec![String::new(); cells];
    if let Some(first) = line.first_mut() {
        *first = csv::cell(&format!("(not all: these are the {most} that {by})"));
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    fn group(day: &str, calls: u64) -> Group {
        Group {
            key: Some(day.to_owned()),
            name: None,
            calls,
            prompt_tokens: 0,
            cached_tokens: 0,
            completion_tokens: 0,
            estimated_calls: 0,
            cost: 0.0,
            own_key_calls: 0,
            own_key_cost: 0.0,
        }
    }

    #[test]
    fn a_file_tells_the_cost_as_the_page_does() {
        let paid = Group {
            cost: 0.75,
            own_key_calls: 1,
            own_key_cost: 0.5,
            ..group("2026-03-01", 2)
        };
        let line = csv_line(&paid);
        assert!(line.ends_with(",0.25,1,0.5\r\n"), "{line}");
    }

    #[test]
    fn a_day_without_calls_is_a_gap_of_the_chart() {
        let drawn = by_day(
            &[group("2026-03-01", 2), group("2026-02-27", 5)],
            "2026-03-01",
            4,
            |group| chart::of_count(group.calls),
        );
        let drawn: Vec<_> = drawn.iter().map(|(day, calls)| (&day[5..], *calls)).collect();
        assert_eq!(drawn, [("02-26", 0.0), ("02-27", 5.0), ("02-28", 0.0), ("03-01", 2.0)]);
    }

    #[test]
    fn a_file_that_does_not_hold_all_says_so_in_a_line_of_its_own() {
        let line = csv::line(&ending("cost most", 200, 3));
        assert_eq!(line, "\"(not all: these are the 200 that cost most)\",,\r\n");
    }

    #[test]
    fn what_is_not_known_is_the_default() {
        let wanted = |by: &str, days: &str| UsageQuery {
            by: by.to_owned(),
            days: days.to_owned(),
            ..UsageQuery::default()
        };
        assert_eq!((wanted("x", "x").by(), wanted("x", "x").days()), ("day", 30));
        assert_eq!((wanted("model", "7").by(), wanted("model", "7").days()), ("model", 7));
    }
}
