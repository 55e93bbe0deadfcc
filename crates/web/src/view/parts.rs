//! Components: heads, badges, empty states, fields, buttons, pages of a list.

use maud::{Markup, html};
use serde_json::Value;

use super::{clean, layout, words};
use crate::{address::with_query, backend::Asker};

/// The meaning of a colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tone {
    Good,
    Warn,
    Bad,
    Calm,
    Plain,
}

impl Tone {
    pub(crate) const fn class(self) -> &'static str {
        match self {
            Self::Good => "good",
            Self::Warn => "warn",
            Self::Bad => "bad",
            Self::Calm => "calm",
            Self::Plain => "",
        }
    }
}

/// The head of a page.
pub(crate) fn head(title: &str, about: &str, beside: &Markup) -> Markup {
    html! {
        div.head {
            div { h1 { (words(title)) } @if !about.is_empty() { p { (about) } } }
            div.row { (beside) }
        }
    }
}

/// A word of state. The colour only repeats what the word says.
pub(crate) fn badge(tone: Tone, word: &str) -> Markup {
    html! { span class={ "badge " (tone.class()) } { (clean(word)) } }
}

/// The state of a run, as its person says it.
pub(crate) fn status(status: &str, wake_reason: Option<&str>) -> Markup {
    let (tone, word) = match (status, wake_reason) {
        ("pending", _) => (Tone::Plain, "queued"),
        ("running", _) => (Tone::Calm, "at work"),
        ("waiting", Some("tool_confirm")) => (Tone::Warn, "asks for approval"),
        ("waiting", Some("sleep")) => (Tone::Plain, "sleeps"),
        ("waiting", Some("subagents")) => (Tone::Calm, "waits for subagents"),
        ("waiting", _) => (Tone::Plain, "waits"),
        ("completed", _) => (Tone::Good, "completed"),
        ("failed", _) => (Tone::Bad, "failed"),
        (other, _) => (Tone::Plain, other),
    };
    let live = status == "running";
    html! { span class={ "badge " (tone.class()) @if live { " live" } } { (clean(word)) } }
}

/// Nothing is there yet: what that means, and what to do.
pub(crate) fn empty(title: &str, way_on: &Markup) -> Markup {
    html! { div.empty { p { strong { (title) } } p { (way_on) } } }
}

/// One button that changes something.
pub(crate) struct Button<'a> {
    /// Where the form goes.
    pub(crate) action: &'a str,
    /// Its label.
    pub(crate) label: &'a str,
    /// `main`, `danger` or nothing.
    pub(crate) class: &'a str,
    /// A question that is asked before.
    pub(crate) confirm: Option<&'a str>,
    /// Further fields.
    pub(crate) fields: &'a [(&'a str, &'a str)],
    /// The page stays, and its parts change in place.
    stays: bool,
}

impl<'a> Button<'a> {
    /// A plain one.
    pub(crate) const fn new(action: &'a str, label: &'a str) -> Self {
        Self {
            action,
            label,
            class: "",
            confirm: None,
            fields: &[],
            stays: true,
        }
    }

    /// The one that most people want.
    pub(crate) const fn main(mut self) -> Self {
        self.class = "main";
        self
    }

    /// One that cannot be taken back, with its question.
    pub(crate) const fn danger(mut self, question: &'a str) -> Self {
        self.class = "danger";
        self.confirm = Some(question);
        self
    }

    /// With these fields.
    pub(crate) const fn with(mut self, fields: &'a [(&'a str, &'a str)]) -> Self {
        self.fields = fields;
        self
    }

    /// One that leads to a page of its own.
    pub(crate) const fn leads_on(mut self) -> Self {
        self.stays = false;
        self
    }

    /// As a form. Without a script the page loads anew; with it, its parts change in place.
    pub(crate) fn draw(&self, asker: &Asker) -> Markup {
        html! {
            form.inline method="post" action=(self.action) data-inplace[self.stays] {
                (layout::token(asker))
                input type="hidden" name="back" value=(asker.path);
                @for (name, value) in self.fields { input type="hidden" name=(name) value=(clean(value)); }
                button class=[Some(self.class).filter(|class| !class.is_empty())] type="submit"
                    data-confirm=[self.confirm] { (clean(self.label)) }
            }
        }
    }
}

/// A field for a line of text.
pub(crate) fn text_field(id: &str, label: &str, value: &str, hint: &str) -> Markup {
    line_field(id, label, (value, false), hint)
}

/// A field for a line of text that must be there: the browser sends no form without it.
pub(crate) fn needed_field(id: &str, label: &str, value: &str, hint: &str) -> Markup {
    line_field(id, label, (value, true), hint)
}

fn line_field(id: &str, label: &str, (value, is_needed): (&str, bool), hint: &str) -> Markup {
    // Browsers do not bring back what was typed where they are to complete nothing, so a needed field lets them.
    let completes = (!is_needed).then_some("off");
    html! {
        div.field {
            label for=(id) { (label) }
            input id=(id) name=(id) value=(clean(value)) required[is_needed] autocomplete=[completes] aria-describedby=[described(id, hint)];
            @if !hint.is_empty() { span.hint id={ (id) "-hint" } { (hint) } }
        }
    }
}

/// A field for a text of several lines.
pub(crate) fn long_field(id: &str, label: &str, value: &str, hint: &str) -> Markup {
    let rows = value.lines().map(|line| 1 + line.chars().count() / 90).sum::<usize>() + 1;
    html! {
        div.field.wide {
            label for=(id) { (label) }
            textarea id=(id) name=(id) rows=(rows.clamp(3, 24)) aria-describedby=[described(id, hint)] { (clean(value)) }
            @if !hint.is_empty() { span.hint id={ (id) "-hint" } { (hint) } }
        }
    }
}

/// The value that the writer of a form sees: what somebody else makes of it meanwhile is told by it.
pub(crate) fn seen(name: &str, value: &str) -> Markup {
    html! { input type="hidden" name={ "was." (name) } value=(clean(value)); }
}

/// A field with a choice: values and their labels.
pub(crate) fn choice_field(id: &str, label: &str, value: &str, choices: &[(&str, &str)]) -> Markup {
    html! {
        div.field.narrow {
            label for=(id) { (label) }
            select id=(id) name=(id) {
                @for (choice, name) in choices {
                    option value=(clean(choice)) selected[*choice == value] { (clean(name)) }
                }
            }
        }
    }
}

fn described(id: &str, hint: &str) -> Option<String> {
    (!hint.is_empty()).then(|| format!("{id}-hint"))
}

/// The way to older items of a list, if there are any.
pub(crate) fn older(path: &str, parameters: &[(&str, &str)], next: Option<&str>) -> Markup {
    let Some(next) = next else { return html! {} };
    let all: Vec<_> = parameters.iter().copied().chain([("before", next)]).collect();
    html! { nav aria-label="Pages of the list" { a.button rel="next" href=(with_query(path, &all)) { "Older" } } }
}

/// Above the messages of a conversation: older ones come there as their reader scrolls up, where there is a script;
/// `part`: the id of the part that has the newer ones.
pub(crate) fn past(part: &str) -> Markup {
    html! { div.past data-past=(part) {} }
}

/// Data, for those who want to see it as it is.
pub(crate) fn data(label: &str, value: &Value) -> Markup {
    let text = match value {
        Value::String(text) => text.clone(),
        other => serde_json::to_string_pretty(other).unwrap_or_default(),
    };
    html! { details { summary { (label) } pre tabindex="0" { (words(&text)) } } }
}

/// The first characters of a text, for one line of a list.
pub(crate) fn short(text: &str, longest: usize) -> String {
    clifford_markup::shortened(text, longest)
}
