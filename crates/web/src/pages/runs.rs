//! The list of runs: by status, person and channel, page by page.

use futures::try_join;
use maud::{Markup, html};
use serde::Deserialize;
use serde_json::Value;

use super::names::Names;
use crate::{
    address::with_query,
    backend::{Asker, Page},
    extract::Query,
    failure::Failure,
    handler,
    view::{
        format::{At, cost, count, when},
        layout,
        parts::{choice_field, empty, head, older, short, status},
        words,
    },
};

/// A run of the API.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Run {
    pub(crate) id: String,
    pub(crate) channel_id: Option<String>,
    pub(crate) user_id: Option<String>,
    pub(crate) context_id: Option<String>,
    pub(crate) parent_run_id: Option<String>,
    pub(crate) kind: String,
    pub(crate) input_text: String,
    #[serde(default)]
    pub(crate) input_json: Value,
    pub(crate) output_text: Option<String>,
    pub(crate) status: String,
    pub(crate) error: Option<String>,
    pub(crate) wake_at: Option<At>,
    pub(crate) wake_reason: Option<String>,
    pub(crate) llm_calls: u64,
    pub(crate) prompt_tokens: u64,
    pub(crate) completion_tokens: u64,
    pub(crate) cached_tokens: u64,
    pub(crate) cost: f64,
    pub(crate) created_at: At,
    pub(crate) updated_at: At,
}

impl Run {
    /// It asks a person about a call.
    pub(crate) fn asks(&self) -> bool {
        self.status == "waiting" && self.wake_reason.as_deref() == Some("tool_confirm")
    }

    /// Its question in one line.
    pub(crate) fn title(&self) -> String {
        let title = short(&self.input_text, 100);
        if title.is_empty() {
            "(no text)".to_owned()
        } else {
            title
        }
    }

    /// Where it stands, as a badge.
    pub(crate) fn badge(&self) -> Markup {
        status(&self.status, self.wake_reason.as_deref())
    }
}

/// The runs that are asked for.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(crate) struct RunsQuery {
    status: String,
    user: String,
    channel: String,
    before: String,
}

const STATUSES: [(&str, &str); 7] = [
    ("", "All"),
    ("running", "At work"),
    ("waiting", "Waiting"),
    ("pending", "Queued"),
    ("completed", "Completed"),
    ("failed", "Failed"),
    ("cancelled", "Cancelled"),
];

/// The list.
#[handler]
pub(crate) async fn list(asker: Asker, Query(wanted): Query<RunsQuery>) -> Result<Markup, Failure> {
    let filters = [
        ("status", wanted.status.as_str()),
        ("user", wanted.user.as_str()),
        ("channel", wanted.channel.as_str()),
    ];
    let all: Vec<_> = filters
        .into_iter()
        .chain([("before", wanted.before.as_str())])
        .collect();
    let path = with_query("/api/runs", &all);
    let (page, mut people, all_channels) = try_join!(
        asker.get::<Page<Run>>(&path),
        Names::of_people_with(&asker, &wanted.user),
        Names::of_channels_with(&asker, &wanted.channel)
    )?;
    let askers = page.items.iter().map(|run| run.user_id.as_deref());
    people.complete_people(&asker, askers).await?;
    let channels = all_channels.filter("Everywhere");
    // A reader who sees nobody else needs no names.
    let names = (people.choices().len() > 1).then_some(&people);
    let content = html! {
        (head("Runs", "Every answer is a run: what the bot was asked, did and spent.", &html! {}))
        form.card method="get" action="/runs" {
            div.fields {
                (choice_field("status", "Status", &wanted.status, &STATUSES))
                @if let Some(people) = names { (people.person_field("user", "Person", &wanted.user, "Everybody")) }
                @if channels.len() > 2 || !wanted.channel.is_empty() { (all_channels.channel_field("channel", &wanted.channel, "Everywhere")) }
                button type="submit" { "Show" }
                @if filters.iter().any(|(_, value)| !value.is_empty()) { a.button href="/runs" { "Show all" } }
            }
        }
        section id="runs" data-live aria-label="Runs" {
            @if page.items.is_empty() {
                (empty("No runs here", &html! {
                    "Write to the bot in " a href="/chat" { "Chat" } ", or choose another status."
                }))
            } @else {
                (table(&asker, &page.items, names))
                (older("/runs", &filters, page.next.as_deref()))
            }
        }
    };
    Ok(layout::page(&asker, "Runs", &content))
}

/// Runs as a table, with whose each is where names are given.
fn table(asker: &Asker, runs: &[Run], people: Option<&Names>) -> Markup {
    html! {
        table.table.cards {
            caption.hidden { "Runs, newest first" }
            thead {
                tr {
                    th scope="col" { "Question" }
                    @if people.is_some() { th scope="col" { "Person" } }
                    th scope="col" { "Status" } th scope="col" { "Begun" }
                    th.number scope="col" { "Calls" } th.number scope="col" { "Tokens" } th.number scope="col" { "Cost" }
                }
            }
            tbody {
                @for run in runs {
                    tr {
                        td.lead {
                            a href={ "/runs/" (run.id) } { (words(&run.title())) }
                            @if run.kind == "subagent" { " " span.quiet.small { "subagent" } }
                        }
                        @if let Some(people) = people { td data-label="Person" { (people.show(run.user_id.as_deref())) } }
                        td data-label="Status" { (run.badge()) }
                        td.nowrap data-label="Begun" { (when(run.created_at, asker.now())) }
                        td.number data-label="Calls" { (count(run.llm_calls)) }
                        td.number data-label="Tokens" { (count(run.prompt_tokens.saturating_add(run.completion_tokens))) }
                        td.number data-label="Cost" { (cost(run.cost)) }
                    }
                }
            }
        }
    }
}
