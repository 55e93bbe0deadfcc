//! Feedback on answers, by person and answer, with a link to the run; also as CSV.

use axum::response::Response;
use futures::{stream, try_join};
use maud::{Markup, html};
use serde::Deserialize;

use super::names::Names;
use crate::{
    address::with_query,
    backend::{Asker, Page},
    extract::Query,
    failure::Failure,
    handler,
    view::{
        csv,
        format::{At, when},
        layout,
        parts::{Tone, badge, choice_field, empty, head, older, short},
        words,
    },
};

/// How much of a question and of its answer stands in a row.
const SHOWN: usize = 160;

const VERDICTS: [(&str, &str); 3] = [("", "All"), ("disliked", "Bad answers"), ("liked", "Good answers")];

/// A verdict of the API.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Given {
    run_id: String,
    channel_id: Option<String>,
    user_id: String,
    verdict: String,
    given_by: String,
    given_at: At,
    asked: Option<String>,
    answered: Option<String>,
}

impl Given {
    fn badge(&self) -> Markup {
        match self.verdict.as_str() {
            "liked" => badge(Tone::Good, "good answer"),
            _ => badge(Tone::Bad, "bad answer"),
        }
    }
}

/// The filters and the page of the list.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(crate) struct FeedbackQuery {
    verdict: String,
    user: String,
    /// `channel:ID` or `space:ID`.
    place: String,
    before: String,
}

impl FeedbackQuery {
    /// As the API takes them.
    fn filters(&self) -> Vec<(&'static str, &str)> {
        let (kind, id) = self.place.split_once(':').unwrap_or_default();
        let place = match kind {
            "channel" => ("channelId", id),
            _ => ("spaceId", if kind == "space" { id } else { "" }),
        };
        vec![
            ("verdict", self.verdict.as_str()),
            ("userId", self.user.as_str()),
            place,
        ]
    }

    /// As the page takes them.
    fn chosen(&self) -> [(&'static str, &str); 3] {
        [
            ("verdict", self.verdict.as_str()),
            ("user", self.user.as_str()),
            ("place", self.place.as_str()),
        ]
    }
}

/// The page.
#[handler]
pub(crate) async fn list(asker: Asker, Query(query): Query<FeedbackQuery>) -> Result<Markup, Failure> {
    let mut asked = query.filters();
    asked.push(("before", query.before.as_str()));
    let path = with_query("/api/feedback", &asked);
    let (page, mut people, mut channels, spaces) = try_join!(
        asker.get::<Page<Given>>(&path),
        Names::of_people_with(&asker, &query.user),
        Names::of_channels_in(&asker, query.place.strip_prefix("space:").unwrap_or_default()),
        Names::of_spaces(&asker),
    )?;
    let givers = page.items.iter().map(|given| Some(given.user_id.as_str()));
    people.complete_people(&asker, givers).await?;
    let places = page.items.iter().map(|given| given.channel_id.as_deref());
    channels.complete_channels(&asker, places).await?;
    let is_chosen = query.chosen().iter().any(|(_, value)| !value.is_empty());
    let file = with_query("/feedback.csv", &query.chosen());
    let content = html! {
        (head("Feedback", "What people think of answers.", &html! { a.button href=(file) download { "Export as CSV" } }))
        form.card method="get" action="/feedback" {
            div.fields {
                (choice_field("verdict", "Verdict", &query.verdict, &VERDICTS))
                (people.person_field("user", "Person", &query.user, "Everybody"))
                (place_field(&query.place, &spaces, &channels))
                button type="submit" { "Show" }
                @if is_chosen { a.button href="/feedback" { "Show all" } }
            }
        }
        section id="feedback" data-live aria-label="Feedback" {
            @if page.items.is_empty() {
                (empty("No feedback here", &html! {
                    "Rate an answer below it in " a href="/chat" { "Chat" } ", or by a thumb on a platform."
                }))
            } @else {
                (table(&asker, &page.items, &people, &channels))
                (older("/feedback", &query.chosen(), page.next.as_deref()))
            }
        }
    };
    Ok(layout::page(&asker, "Feedback", &content))
}

fn choice_of(id: &str, label: &str, value: &str, all: &'static str, choices: Vec<(&str, &str)>) -> Markup {
    let choices: Vec<_> = [("", all)].into_iter().chain(choices).collect();
    choice_field(id, label, value, &choices)
}

/// Where: the spaces, and the channels.
fn place_field(value: &str, spaces: &Names, channels: &Names) -> Markup {
    let named = |kind: &str, names: &Names| -> Vec<(String, String)> {
        let choices = names.choices().into_iter();
        choices
            .map(|(id, name)| (format!("{kind}:{id}"), name.to_owned()))
            .collect()
    };
    let all: Vec<_> = named("space", spaces)
        .into_iter()
        .chain(named("channel", channels))
        .collect();
    let choices = all.iter().map(|(id, name)| (id.as_str(), name.as_str())).collect();
    html! {
        (choice_of("place", "Place", value, "Everywhere", choices))
        @if channels.has_more() { p.small.quiet { "These are the newest channels." } }
    }
}

fn table(asker: &Asker, items: &[Given], people: &Names, channels: &Names) -> Markup {
    html! {
        table.table.cards {
            caption.hidden { "Verdicts on answers, newest first" }
            thead {
                tr {
                    th scope="col" { "Question and answer" } th scope="col" { "Verdict" } th scope="col" { "Given by" }
                    th scope="col" { "Place" } th scope="col" { "When" }
                }
            }
            tbody {
                @for given in items {
                    tr {
                        td.lead {
                            @if let Some(asked) = &given.asked {
                                a href={ "/runs/" (given.run_id) } { (words(&named(asked))) }
                                @if let Some(answered) = &given.answered {
                                    div.small.quiet { (words(&short(answered, SHOWN))) }
                                }
                            } @else {
                                span.quiet { "An answer to somebody else" }
                            }
                        }
                        td data-label="Verdict" { (given.badge()) }
                        td data-label="Given by" { (people.show(Some(&given.user_id))) }
                        td data-label="Place" { (channels.show(given.channel_id.as_deref())) }
                        td.nowrap data-label="When" { (when(given.given_at, asker.now())) }
                    }
                }
            }
        }
    }
}

/// A question in one line.
fn named(asked: &str) -> String {
    let line = short(asked, SHOWN);
    if line.is_empty() { "(no text)".to_owned() } else { line }
}

/// A file that is being written.
struct Export {
    asker: Asker,
    query: FeedbackQuery,
    people: Names,
    /// Where its next page begins; nothing: it is whole.
    before: Option<String>,
}

impl Export {
    /// The lines of the next page.
    async fn lines(&mut self) -> Result<Option<String>, Failure> {
        let Some(before) = self.before.take() else {
            return Ok(None);
        };
        let mut asked = self.query.filters();
        asked.extend([("limit", "200"), ("before", before.as_str())]);
        let page: Page<Given> = self.asker.get(&with_query("/api/feedback", &asked)).await?;
        let givers = page.items.iter().map(|given| Some(given.user_id.as_str()));
        self.people.complete_people(&self.asker, givers).await?;
        self.before = page.next;
        Ok(Some(page.items.iter().map(|given| line(given, &self.people)).collect()))
    }
}

fn line(given: &Given, people: &Names) -> String {
    csv::line(&[
        given.given_at.0.to_string(),
        given.verdict.clone(),
        given.given_by.clone(),
        given.user_id.clone(),
        csv::cell(people.name(&given.user_id).unwrap_or_default()),
        given.run_id.clone(),
        given.channel_id.clone().unwrap_or_default(),
        csv::cell(given.asked.as_deref().unwrap_or_default()),
        csv::cell(given.answered.as_deref().unwrap_or_default()),
    ])
}

/// The same as CSV, of all pages: a page at a time.
#[handler]
pub(crate) async fn export(asker: Asker, Query(query): Query<FeedbackQuery>) -> Result<Response, Failure> {
    let people = Names::of_people(&asker).await?;
    let mut export = Export {
        asker,
        query,
        people,
        before: Some(String::new()),
    };
    // A reader who may not see it gets a page that says so.
    let first = export.lines().await?.unwrap_or_default();
    let head = "given_at,verdict,given_by,person_id,person,run,channel,question,answer\r\n";
    let rest = stream::try_unfold(export, async |mut export: Export| {
        Ok(export.lines().await?.map(|lines| (lines, export)))
    });
    Ok(csv::streamed("feedback.csv", format!("{head}{first}"), rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_a_space_or_a_channel() {
        for (place, expected) in [
            ("", ("spaceId", "")),
            ("space:1", ("spaceId", "1")),
            ("channel:2", ("channelId", "2")),
            ("other:3", ("spaceId", "")),
            ("4", ("spaceId", "")),
        ] {
            let query = FeedbackQuery {
                place: place.to_owned(),
                ..FeedbackQuery::default()
            };
            assert_eq!(query.filters()[2], expected, "{place}");
        }
    }
}
