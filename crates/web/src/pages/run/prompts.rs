//! The exact prompt of a question to the model, and what is new in it since the question before.

use clifford_core::alignment::{Row, align};
use maud::{Markup, html};
use serde::Deserialize;
use serde_json::Value;

use super::{Whole, step::Step};
use crate::{
    address::part,
    backend::Asker,
    extract::{Path, Query},
    failure::Failure,
    handler,
    view::{
        difference,
        format::{count, title},
        layout,
        parts::{Tone, badge, data, empty, head},
        words,
    },
};

/// The question to show.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(crate) struct PromptsQuery {
    step: String,
}

/// A recorded prompt of the API.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Recorded {
    prompt_hash: String,
    estimated_tokens: u64,
    sections: Value,
    messages: Vec<Message>,
}

#[derive(Clone, Deserialize, PartialEq, Eq)]
struct Message {
    role: String,
    content: String,
}

/// The page.
#[handler]
pub(crate) async fn show(
    asker: Asker,
    Path(id): Path<String>,
    Query(query): Query<PromptsQuery>,
) -> Result<Markup, Failure> {
    let whole: Whole = asker.get(&format!("/api/runs/{}", part(&id))).await?;
    let asked: Vec<_> = whole.run_steps.iter().filter(|step| step.asks_model()).collect();
    let place = asked
        .iter()
        .position(|step| step.seq.to_string() == query.step)
        .unwrap_or(asked.len().saturating_sub(1));
    let here = asked.get(place).copied();
    let before = place.checked_sub(1).and_then(|place| asked.get(place)).copied();
    let (now, then) = (found(&asker, &id, here).await?, found(&asker, &id, before).await?);
    let content = html! {
        (head("Prompt", "What the model was sent, and what is new in it since the question before.", &html! {
            a.button href={ "/runs/" (id) } { "The run" }
        }))
        nav.row aria-label="Questions to the model" {
            @for (number, step) in asked.iter().enumerate() {
                a.button href={ "/runs/" (id) "/prompt?step=" (step.seq) } aria-current=[(number == place).then_some("true")] {
                    "Step " (step.seq)
                }
            }
        }
        @match now {
            Some(now) => (drawn(&now, then.as_ref())),
            None if here.is_some_and(Step::lost_prompt) => (empty("This prompt was deleted", &html! {
                "Recorded prompts are deleted after a while"
                @if !asker.is_person() { ": " code { "[retention] prompts_days" } " in " code { "bot.toml" } }
                "."
            })),
            None if whole.steps_are_deleted() => (super::deleted_notice(&asker)),
            None => (empty("This prompt was not recorded", &html! {
                @if asker.is_person() { "The bot's owner can have those of later runs kept." } @else {
                    "Set " code { "engine.record_prompts = true" } " in " code { "bot.toml" } " to keep the prompts of later runs."
                }
            })),
        }
    };
    Ok(layout::page(&asker, "Prompt", &content))
}

async fn found(asker: &Asker, run: &str, step: Option<&Step>) -> Result<Option<Recorded>, Failure> {
    match step.filter(|step| step.has_prompt()) {
        Some(step) => {
            asker
                .find(&format!("/api/runs/{}/steps/{}/prompt", part(run), step.seq))
                .await
        }
        None => Ok(None),
    }
}

fn drawn(now: &Recorded, then: Option<&Recorded>) -> Markup {
    let messages = then.map_or(&[][..], |then| &then.messages);
    html! {
        section.card aria-label="Summary" {
            dl.figures {
                div { dt { "messages" } dd { (now.messages.len()) } }
                div { dt { "tokens, about" } dd { (count(now.estimated_tokens)) } }
            }
            (data("Its sections, in tokens", &now.sections))
            p.small.quiet { "SHA-256 " code { (now.prompt_hash) } }
        }
        section.card aria-labelledby="new-title" {
            h2 id="new-title" { @if then.is_some() { "What is new" } @else { "The whole prompt" } }
            @if then.is_some_and(|then| then.messages == now.messages) {
                p.quiet { "Nothing: the same was asked once more." }
            }
            @for (message, was) in changed(&now.messages, messages) {
                div {
                    div.row { strong { (title(&message.role)) } @if was.is_some() { (badge(Tone::Warn, "changed")) } }
                    @match was {
                        Some(was) => (difference::draw(&pretty(&was.content), &pretty(&message.content))),
                        None => pre tabindex="0" { (words(&pretty(&message.content))) },
                    }
                }
            }
        }
        @if then.is_some() {
            section.card aria-labelledby="whole-title" {
                h2 id="whole-title" { "The whole prompt" }
                @for message in &now.messages { (data(&title(&message.role), &Value::String(pretty(&message.content)))) }
            }
        }
    }
}

/// The messages that the prompt before did not have, each with the one of the same role that stood in its place.
fn changed<'a>(now: &'a [Message], then: &'a [Message]) -> Vec<(&'a Message, Option<&'a Message>)> {
    let mut gone: Vec<&Message> = Vec::new();
    let mut changed = Vec::new();
    for row in align(then, now) {
        match row {
            Row::Both(..) => gone.clear(),
            Row::Left(place) => gone.extend(then.get(place)),
            Row::Right(place) => {
                let Some(message) = now.get(place) else { continue };
                let was = gone.iter().position(|was| was.role == message.role);
                changed.push((message, was.map(|place| gone.remove(place))));
            }
        }
    }
    changed
}

/// A message in lines: JSON over several.
fn pretty(content: &str) -> String {
    match serde_json::from_str::<Value>(content) {
        Ok(value @ (Value::Object(_) | Value::Array(_))) => serde_json::to_string_pretty(&value).unwrap_or_default(),
        _ => content.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(role: &str, content: &str) -> Message {
        Message {
            role: role.to_owned(),
            content: content.to_owned(),
        }
    }

    #[test]
    fn what_is_new_in_a_prompt_stands_beside_what_it_replaced() {
        let then = [message("system", "be kind"), message("user", r#"{"input":"hi"}"#)];
        let longer = [&then[..], &[message("assistant", "x"), message("user", "y")]].concat();
        let added: Vec<_> = changed(&longer, &then);
        assert!(added.iter().all(|(_, was)| was.is_none()));
        assert_eq!(added.len(), 2);
        let other = [then[0].clone(), message("user", r#"{"input":"hello"}"#)];
        let replaced = changed(&other, &then);
        assert!(matches!(replaced[..], [(_, Some(was))] if *was == then[1]));
        assert!(changed(&then, &then).is_empty());
    }

    #[test]
    fn json_is_compared_in_lines() {
        let shown = difference::draw(&pretty(r#"{"a":1,"b":2}"#), &pretty(r#"{"a":1,"b":3}"#)).into_string();
        for part in [
            "&quot;b&quot;: <mark>2</mark>",
            "&quot;b&quot;: <mark>3</mark>",
            "&quot;a&quot;: 1,",
        ] {
            assert!(shown.contains(part), "{part}: {shown}");
        }
    }
}
