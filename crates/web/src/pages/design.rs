//! The design system on one page: every token and component, as all pages use them.

use axum::extract::State;
use clifford_core::clock::Timestamp;
use maud::{Markup, html};
use serde_json::json;

use super::{approval, run};
use crate::{
    Shared, handler,
    view::{
        chart, difference, document,
        format::{At, cost, count, date, duration, size, when},
        parts::{Tone, badge, choice_field, data, empty, head, status, text_field},
        prose, words,
    },
};

const COLOURS: [(&str, Tone); 5] = [
    ("good", Tone::Good),
    ("warn", Tone::Warn),
    ("bad", Tone::Bad),
    ("calm", Tone::Calm),
    ("plain", Tone::Plain),
];

/// The page. It shows nothing of anybody, so it needs no session.
#[handler]
pub(crate) async fn show(State(web): State<Shared>) -> Markup {
    let now = web.clock.now();
    document::open(
        "Design",
        &html! {
            (head("Design", "The components of every page, for those who change one.", &html! {}))
            (section("Words", &html! {
                h1 { "Title" } h2 { "Part" } h3 { "Section" }
                p { "Text with " a href="/design" { "a link" } ", " code { "code" } " and " span.quiet { "what matters less" } "." }
                p { "Found words are " mark { "marked" } "." }
                p { "Words from outside are escaped: " (words("<script>alert(1)</script>\u{202e}")) }
                (prose("Markdown becomes a *safe* **subset**:\n\n- a list\n- `code`\n\n| a | b |\n|---|--:|\n| 1 | 2 |"))
            }))
            (section("Badges", &html! {
                div.row { @for (name, tone) in COLOURS { (badge(tone, name)) } }
                div.row {
                    @for state in ["pending", "running", "waiting", "completed", "failed", "cancelled"] { (status(state, None)) }
                }
            }))
            (section("Numbers and times", &html! {
                dl.figures {
                    div { dt { "count" } dd { (count(1_234_567)) } }
                    div { dt { "cost" } dd { (cost(0.0123)) } }
                    div { dt { "duration" } dd { (duration(61_500)) } }
                    div { dt { "size" } dd { (size(2_345_678)) } }
                    div { dt { "ago" } dd { (when(At(Timestamp(now.0 - 150_000)), now)) } }
                    div { dt { "date" } dd { (date(At(now))) } }
                }
                p.small.quiet { "The server writes them in English and UTC; the script writes them in the reader's language and zone." }
            }))
            (section("Form", &html! {
                form method="get" action="/design" {
                    div.fields {
                        (text_field("name", "Name", "", "A hint says what is right."))
                        (choice_field("kind", "Choice", "b", &[("a", "First"), ("b", "Second")]))
                        label.check { input type="checkbox" name="on"; "On" }
                        button.main type="submit" { "Main" }
                        button type="submit" { "Other" }
                        button.danger type="submit" { "Cannot be undone" }
                    }
                }
            }))
            (section("Notes", &html! {
                @for (name, tone) in COLOURS.into_iter().take(4) {
                    div class={ "note " (tone.class()) } { p { "A note that is " (name) ", with the way on." } }
                }
                (empty("Nothing is here yet", &html! { "An empty state says what to do." }))
            }))
            (section("Table", &html! {
                table.table.cards {
                    caption { "A table is a list of cards on a phone" }
                    thead { tr { th scope="col" { "Name" } th scope="col" { "Status" } th.number scope="col" { "Tokens" } } }
                    tbody {
                        @for (name, tokens) in [("First", 1200), ("Second", 90)] {
                            tr { td.lead { (name) } td data-label="Status" { (badge(Tone::Good, "well")) } td.number data-label="Tokens" { (count(tokens)) } }
                        }
                    }
                }
            }))
            (section("List", &html! {
                ul.list {
                    @for (name, about) in [("A line with its button", "what matters less stands below"), ("Another", "and wraps on a phone")] {
                        li {
                            div.about { (name) div.small.quiet { (about) } }
                            button type="button" { "Do it" }
                        }
                    }
                }
            }))
            (section("Messages", &html! {
                ol.messages {
                    li.message.person.sought { div.by { strong { "You" } (when(At(Timestamp(now.0 - 60_000)), now)) } div.body { "How many jars for 7 kg of quinces?" } }
                    li.message { div.by { strong { "Bot" } (when(At(Timestamp(now.0 - 57_000)), now)) } div.body { (prose("About **14 jars** of 330 ml.")) } div.row.rate { button type="button" aria-pressed="true" { "Good answer" } button type="button" aria-pressed="false" { "Bad answer" } } }
                }
            }))
            (section("Difference", &html! {
                p { "What a text or a set of settings would become, before it is saved." }
                (difference::draw("You are Ada.\nYou answer briefly.", "You are Ada.\nYou answer in one sentence."))
                p.row { del { "Off" } span aria-hidden="true" { "→" } ins { "On" } }
            }))
            (section("Question about a call", &html! {
                (approval::example())
                div.row { button.main type="button" { "Approve" } button type="button" { "Deny" } }
            }))
            (section("Error", &html! {
                div.note.bad { p { strong { "What is wrong" } } p { "Why, and what to do about it." } }
                div { a.button href="/design" { "The way out" } }
            }))
            (section("Timeline", &html! {
                (run::legend())
                ol.timeline {
                    li.wait { div.what { strong { "Waits for its turn" } span.small.quiet { "240 ms" } } (chart::span(0.0, 2.0, 10.0, "wait")) }
                    li.model { div.what { strong { "Asks the model" } span.small.quiet { "240 ms" } } (chart::span(2.0, 2.0, 10.0, "")) }
                    li.tool { div.what { strong { "Calls a tool" } span.small.quiet { "300 ms" } } (chart::span(4.0, 3.0, 10.0, "tool")) (data("Arguments", &json!({ "expression": "6*7" }))) }
                    li.good { div.what { strong { "Ends" } } }
                    li.good { div.what { strong { "Is delivered" } span.small.quiet { "360 ms" } } (chart::span(7.0, 3.0, 10.0, "delivery")) }
                }
            }))
            (section("Chart", &html! {
                (chart::columns("Calls a day", &[("Mon".into(), 3.0), ("Tue".into(), 8.0), ("Wed".into(), 5.0)], chart::whole))
                (chart::share(3.0, 10.0))
            }))
        },
    )
}

fn section(name: &str, content: &Markup) -> Markup {
    html! { section.card { header { h2 { (name) } } (content) } }
}
