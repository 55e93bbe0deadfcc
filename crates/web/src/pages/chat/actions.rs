//! Actions of a reader on messages: they rate an answer, and have their last message answered anew.

use std::collections::BTreeMap;

use maud::{Markup, html};
use serde::Deserialize;

use crate::{
    backend::Asker,
    failure::Failure,
    pages::{message::Message, run::Whole},
    view::{
        clean, layout,
        parts::{Button, Tone, badge},
        words,
    },
};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Given {
    run_id: String,
    verdict: String,
}

/// The verdicts of the reader, by run.
#[derive(Default)]
pub(super) struct Verdicts(BTreeMap<String, String>);

impl Verdicts {
    /// All that a person said of answers in a conversation.
    pub(super) async fn of(asker: &Asker, context: &str, person: &str) -> Result<Self, Failure> {
        let filters = [("contextId", context), ("userId", person)];
        let all: Vec<Given> = asker.all("/api/feedback", &filters).await?;
        Ok(Self(
            all.into_iter().map(|given| (given.run_id, given.verdict)).collect(),
        ))
    }

    /// The buttons below an answer. The one that was pressed takes it back.
    pub(super) fn draw(&self, asker: &Asker, run: &str) -> Markup {
        let given = self.0.get(run).map(String::as_str);
        html! {
            div.row.rate role="group" aria-label="Is this answer good?" {
                @for (verdict, label) in [("liked", "Good answer"), ("disliked", "Bad answer")] {
                    @let is_given = given == Some(verdict);
                    form.inline method="post" action={ "/runs/" (run) "/rate" } data-inplace {
                        (layout::token(asker))
                        input type="hidden" name="back" value=(asker.path);
                        @if !is_given { input type="hidden" name="verdict" value=(verdict); }
                        button id={ "rate-" (verdict) "-" (run) } type="submit" aria-pressed=(is_given) { (label) }
                    }
                }
            }
        }
    }
}

/// The way to write the last message anew, and to send it again.
pub(super) fn anew(asker: &Asker, context: &str, message: &Message) -> Markup {
    let action = format!("/chat/{context}/messages/{}", message.id);
    html! {
        details.small.anew {
            summary { "Edit and ask again" }
            form.stack method="post" action=(action) data-inplace {
                (layout::token(asker))
                label.hidden for={ "edit-" (message.id) } { "Your message" }
                textarea id={ "edit-" (message.id) } name="content" rows="3" required { (clean(message.own_words())) }
                div.row {
                    button.main type="submit" { "Ask again" }
                    span.quiet { "The answer below is taken back. What it did stays done." }
                }
            }
        }
    }
}

/// Says that no answer came, and has it tried once more.
pub(super) fn failed(asker: &Asker, context: &str, whole: &Whole, last: Option<&Message>) -> Markup {
    let run = &whole.run;
    let told = match run.status.as_str() {
        "failed" => "No answer came",
        "cancelled" => "This was stopped",
        _ => return html! {},
    };
    let resent = last.filter(|message| message.run_id.as_ref() == Some(&run.id) && message.may_be_written_anew());
    let retry = format!("/runs/{}/retry", run.id);
    html! {
        div.note.bad.row.apart role="group" aria-label=(told) {
            div {
                strong { (told) }
                @if let Some(why) = &run.error { div.small { (words(why)) } }
            }
            @match resent {
                Some(message) => {
                    @let action = format!("/chat/{context}/messages/{}", message.id);
                    (Button::new(&action, "Send again").main().with(&[("content", message.own_words())]).draw(asker))
                }
                None => (Button::new(&retry, "Try again").main().draw(asker)),
            }
        }
    }
}

/// Below a message that waits for its turn.
pub(super) fn queued(message: &Message) -> Markup {
    html! { @if message.is_queued() { div.small { (badge(Tone::Calm, "waits for its turn")) } } }
}
