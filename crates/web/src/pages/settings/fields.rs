//! The form of the settings of a scope: each with its value, what is inherited, and the fault of one that is wrong.

use maud::{Markup, html};
use serde::Deserialize;
use serde_json::Value;

use crate::{
    backend::Asker,
    view::{
        clean,
        format::title,
        layout,
        parts::{Fault, Tone, badge, seen},
        with_code, words,
    },
};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Setting {
    pub(super) name: String,
    #[serde(default)]
    pub(super) value: Value,
    #[serde(default)]
    inherited: Value,
    #[serde(default)]
    inherited_from: Option<String>,
    #[serde(default)]
    values: Vec<String>,
    #[serde(default)]
    fixed_by: Option<String>,
    description: String,
    scope: String,
}

impl Setting {
    /// Where its inherited value comes from, in words.
    fn origin(&self) -> &'static str {
        let from = self.inherited_from.as_deref().unwrap_or_default();
        match from.split(':').next().unwrap_or_default() {
            "configuration" => "bot.toml",
            "platform" => "their app",
            "bot" => "the bot",
            "space" => "the server or group",
            "channel" => "the channel around it",
            _ => "",
        }
    }

    fn said(&self, value: &str) -> String {
        if self.values.is_empty() {
            value.to_owned()
        } else {
            named(value)
        }
    }

    /// The value where nothing is set at all. A setting that a person leaves open is decided where they write.
    fn open(&self) -> &'static str {
        match self.scope.starts_with("user:") {
            true => "As it is where they write",
            false => "Not set here",
        }
    }

    /// The value that holds without one of its own; where it comes from stands next to it.
    fn blank(&self) -> String {
        match plain(&self.inherited).as_str() {
            "" => self.open().to_owned(),
            inherited => format!("Inherited: {}", self.said(inherited)),
        }
    }

    /// A value of it as people say it; blank: what is inherited.
    pub(super) fn told(&self, value: &str) -> String {
        match (value, plain(&self.inherited).as_str()) {
            ("", "") => self.open().to_owned(),
            ("", inherited) => match self.origin() {
                "" => format!("As inherited: {}", self.said(inherited)),
                origin => format!("As inherited: {}, by {origin}", self.said(inherited)),
            },
            (value, _) => self.said(value),
        }
    }
}

/// The form of all settings of a scope: with the value that stands in each field, and the fault of one of them.
pub(super) fn fields(
    asker: &Asker,
    scope: &str,
    settings: &[Setting],
    (value, fault): (impl Fn(&Setting) -> String, Option<Fault<'_>>),
) -> Markup {
    html! {
        form.stack method="post" action="/settings" {
            (layout::token(asker))
            input type="hidden" name="scope" value=(clean(scope));
            ul.list {
                @for setting in settings {
                    @let why = fault.filter(|(name, _)| *name == setting.name).map(|(_, why)| why);
                    (line(asker, setting, &value(setting), why))
                }
            }
            div.save { button.main type="submit" { "Show the difference" } span.small.quiet { "Nothing is saved before you have seen it." } }
        }
    }
}

fn line(asker: &Asker, setting: &Setting, value: &str, why: Option<&str>) -> Markup {
    let origin = if setting.inherited.is_null() {
        ""
    } else {
        setting.origin()
    };
    let (id, hint) = (format!("set-{}", setting.name), format!("hint-{}", setting.name));
    let label = words(&title(&setting.name));
    let is_fixed = setting.fixed_by.is_some() && asker.is_person();
    html! {
        li {
            div.about {
                @if is_fixed { span.label { (label) } } @else { label.label for=(id) { (label) } }
                div.small.quiet id=(hint) {
                    (with_code(&setting.description))
                    @if !origin.is_empty() { " Inherited from " (origin) "." }
                    @match &setting.fixed_by {
                        Some(_) if is_fixed => { " The bot's owner fixed it." }
                        Some(key) => { " Only owners change it: " code { (words(key)) } " of " code { "bot.toml" } " says so." }
                        None => {}
                    }
                }
            }
            div.field.narrow {
                @if is_fixed {
                    span { (clean(&setting.told(&plain(&setting.value)))) " " (badge(Tone::Plain, "fixed")) }
                } @else {
                    (input(setting, value, (&id, &hint), why))
                }
            }
        }
    }
}

fn input(setting: &Setting, value: &str, (id, hint): (&str, &str), why: Option<&str>) -> Markup {
    let name = format!("set.{}", setting.name);
    let inherited = setting.blank();
    let described = why.map_or_else(|| hint.to_owned(), |_| format!("{id}-fault {hint}"));
    let invalid = why.map(|_| "true");
    html! {
        (seen(&name, &plain(&setting.value)))
        @if setting.values.is_empty() {
            input id=(id) name=(name) value=(clean(value)) placeholder=(clean(&inherited)) aria-describedby=(described)
                aria-invalid=[invalid] autofocus[why.is_some()] autocomplete="off";
        } @else {
            select id=(id) name=(name) aria-describedby=(described) aria-invalid=[invalid] autofocus[why.is_some()] {
                option value="" selected[value.is_empty()] { (clean(&inherited)) }
                @for one in &setting.values {
                    option value=(clean(one)) selected[one.as_str() == value] { (clean(&named(one))) }
                }
            }
        }
        @if let Some(why) = why { span.hint id={ (id) "-fault" } { strong { (with_code(why)) } } }
    }
}

pub(super) fn plain(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// A value as people say it.
fn named(value: &str) -> String {
    match value {
        "true" => "On".to_owned(),
        "false" => "Off".to_owned(),
        other => title(other),
    }
}
