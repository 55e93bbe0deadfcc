//! Components: heads, badges, empty states, fields, buttons, pages of a list.

use maud::{Markup, html};
use serde_json::Value;

use super::{clean, layout, with_code, words};
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

/// The field of a form that is at fault, and why.
pub(crate) type Fault<'a> = (&'a str, &'a str);

/// The text that stands in a field, and why it was refused, if it was.
#[derive(Clone, Copy)]
pub(crate) struct Filled<'a> {
    text: &'a str,
    why: Option<&'a str>,
}

impl<'a> Filled<'a> {
    /// The text of the field of this name, in a form of which one field may be at fault.
    pub(crate) fn new(name: &str, text: &'a str, fault: Option<Fault<'a>>) -> Self {
        let why = fault.filter(|(at, _)| *at == name).map(|(_, why)| why);
        Self { text, why }
    }

    fn invalid(self) -> Option<&'static str> {
        self.why.map(|_| "true")
    }

    /// The ids of what describes the field.
    fn described(self, id: &str, hint: &str) -> Option<String> {
        let fault = self.why.map(|_| format!("{id}-fault"));
        let hint = (!hint.is_empty()).then(|| format!("{id}-hint"));
        let all: Vec<_> = fault.into_iter().chain(hint).collect();
        (!all.is_empty()).then(|| all.join(" "))
    }

    /// Why it was refused, below the field.
    fn fault(self, id: &str) -> Markup {
        html! { @if let Some(why) = self.why { span.hint id={ (id) "-fault" } { strong { (with_code(why)) } } } }
    }
}

impl<'a> From<&'a str> for Filled<'a> {
    fn from(text: &'a str) -> Self {
        Self { text, why: None }
    }
}

impl<'a> From<&'a String> for Filled<'a> {
    fn from(text: &'a String) -> Self {
        Self::from(text.as_str())
    }
}

/// A field for a line of text.
pub(crate) fn text_field<'a>(id: &str, label: &str, value: impl Into<Filled<'a>>, hint: &str) -> Markup {
    line_field(id, label, (value.into(), false), hint)
}

/// A field for a line of text that must be there: the browser sends no form without it.
pub(crate) fn needed_field<'a>(id: &str, label: &str, value: impl Into<Filled<'a>>, hint: &str) -> Markup {
    line_field(id, label, (value.into(), true), hint)
}

fn line_field(id: &str, label: &str, (value, is_needed): (Filled<'_>, bool), hint: &str) -> Markup {
    // Browsers do not bring back what was typed where they are to complete nothing, so a needed field lets them.
    let completes = (!is_needed).then_some("off");
    html! {
        div.field {
            label for=(id) { (label) }
            input id=(id) name=(id) value=(clean(value.text)) required[is_needed] autocomplete=[completes]
                aria-describedby=[value.described(id, hint)] aria-invalid=[value.invalid()] autofocus[value.why.is_some()];
            (value.fault(id))
            @if !hint.is_empty() { span.hint id={ (id) "-hint" } { (hint) } }
        }
    }
}

/// A field for a text of several lines.
pub(crate) fn long_field<'a>(id: &str, label: &str, value: impl Into<Filled<'a>>, hint: &str) -> Markup {
    let value = value.into();
    let rows = value
        .text
        .lines()
        .map(|line| 1 + line.chars().count() / 90)
        .sum::<usize>()
        + 1;
    html! {
        div.field.wide {
            label for=(id) { (label) }
            textarea id=(id) name=(id) rows=(rows.clamp(3, 24)) aria-describedby=[value.described(id, hint)]
                aria-invalid=[value.invalid()] autofocus[value.why.is_some()] { (clean(value.text)) }
            (value.fault(id))
            @if !hint.is_empty() { span.hint id={ (id) "-hint" } { (hint) } }
        }
    }
}

/// The value that the writer of a form sees: what somebody else makes of it meanwhile is told by it.
pub(crate) fn seen(name: &str, value: &str) -> Markup {
    html! { input type="hidden" name={ "was." (name) } value=(clean(value)); }
}

/// A field with a choice: values and their labels.
pub(crate) fn choice_field<'a>(
    id: &str,
    label: &str,
    value: impl Into<Filled<'a>>,
    choices: &[(&str, &str)],
) -> Markup {
    let value = value.into();
    html! {
        div.field.narrow {
            label for=(id) { (label) }
            select id=(id) name=(id) aria-describedby=[value.described(id, "")] aria-invalid=[value.invalid()]
                autofocus[value.why.is_some()] {
                @for (choice, name) in choices {
                    option value=(clean(choice)) selected[*choice == value.text] { (clean(name)) }
                }
            }
            (value.fault(id))
        }
    }
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
