//! A change before it is saved: what it makes different, and the buttons to save it, to write on or to leave it. The
//! form of a change comes twice: first without [`SURE`], which shows this page, then from this page with it.
//!
//! Each field goes along with the value that its writer saw (`was.NAME`). If that holds no more, somebody else changed
//! it meanwhile: that is told, and nothing is saved until the writer has seen the difference to what holds now.
//!
//! What is refused stands in its form once more (`Review::refused`): the page before it is the answer to a form
//! itself, so that a browser would ask whether to send that again. What can be known to be wrong is refused before
//! it is shown.

use axum::{
    http::StatusCode,
    response::{IntoResponse, Response},
};
use maud::{Markup, html};

use super::{
    clean, difference,
    format::field_name,
    layout,
    parts::{Fault, empty, head},
    with_code, words,
};
use crate::{
    backend::Asker,
    failure::Failure,
    form::{Form, plain_lines},
};

/// The field that says that its sender has seen the difference.
const SURE: &str = "sure";
/// Texts up to so many characters stand next to each other.
const SHORT: usize = 40;

/// A value that would become another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Change {
    /// The name of its field.
    pub(crate) name: String,
    /// The same as a person says it.
    pub(crate) label: String,
    /// The present value.
    pub(crate) then: String,
    /// The new value.
    pub(crate) now: String,
    /// Both as a person says them.
    told: [String; 2],
    /// Somebody else changed it since its writer looked.
    is_disputed: bool,
}

/// The change that is about to be saved.
pub(crate) struct Review<'a> {
    /// Its title.
    pub(crate) title: &'a str,
    /// Where its form goes.
    pub(crate) action: &'a str,
    /// The page to go back to without saving.
    pub(crate) leave: &'a str,
    /// The differences.
    pub(crate) changes: Vec<Change>,
    /// Fields that go along with those that change.
    pub(crate) along: &'a [(&'a str, &'a str)],
    /// The form once more, to write on.
    pub(crate) form: Option<Markup>,
}

impl Review<'_> {
    /// Whether the sender of the form has seen what would become different, and that still holds.
    pub(crate) fn is_sure(&self, form: &Form) -> bool {
        form.field(SURE).is_some() && !self.is_disputed()
    }

    fn is_disputed(&self) -> bool {
        self.changes.iter().any(|change| change.is_disputed)
    }

    /// The page.
    pub(crate) fn show(&self, asker: &Asker) -> Response {
        let status = match self.is_disputed() {
            true => StatusCode::CONFLICT,
            false => StatusCode::OK,
        };
        (status, layout::page(asker, self.title, &self.draw(asker))).into_response()
    }

    /// The page of a change that was refused: why, above its form and by the field that is at fault. What was typed stands
    /// in the form, and nothing was saved.
    ///
    /// # Errors
    /// The failure is about something else than the form: itself.
    pub(crate) fn refused(
        &self,
        asker: &Asker,
        failure: Failure,
        form: impl FnOnce(Option<Fault<'_>>) -> Markup,
    ) -> Result<Response, Failure> {
        let refused = failure.of_form()?;
        let fault = refused.field.as_deref().map(|name| (name, refused.why.as_str()));
        let title = refused.field.as_deref().map(|name| self.label(name));
        let content = html! {
            (head(self.title, "Nothing is saved yet.", &html! { a.button href=(self.leave) { "Leave it as it is" } }))
            div.note.bad role="alert" {
                p { strong { (words(title.as_deref().unwrap_or(&refused.title))) } }
                p { bdi { (with_code(&refused.why)) } }
            }
            section.card aria-label="Write on" { (form(fault)) }
        };
        Ok((refused.status, layout::page(asker, self.title, &content)).into_response())
    }

    /// The label of a field.
    fn label(&self, name: &str) -> String {
        let is = |change: &&Change| change.name.strip_prefix("set.").unwrap_or(&change.name) == name;
        let change = self.changes.iter().find(is);
        change.map_or_else(|| field_name(name), |change| change.label.clone())
    }

    fn draw(&self, asker: &Asker) -> Markup {
        html! {
            (head(self.title, "Nothing is saved yet.", &html! { a.button href=(self.leave) { "Leave it as it is" } }))
            @if self.is_disputed() {
                div.note.warn role="alert" {
                    p { strong { "Somebody changed this while you did" } }
                    p { "Nothing of theirs is overwritten yet: below is the difference between what they saved and what you wrote." }
                }
            }
            @if self.changes.is_empty() {
                (empty("Nothing would change", &html! { "What you wrote is what is there already." }))
            } @else {
                section.card aria-labelledby="changes-title" {
                    h2 id="changes-title" { "What changes" }
                    @for change in &self.changes { (change.draw()) }
                    form.row method="post" action=(self.action) {
                        (layout::token(asker))
                        input type="hidden" name=(SURE) value="yes";
                        @for (name, value) in self.along { input type="hidden" name=(name) value=(clean(value)); }
                        @for change in &self.changes {
                            input type="hidden" name=(change.name) value=(clean(&change.now));
                            input type="hidden" name={ "was." (change.name) } value=(clean(&change.then));
                        }
                        button.main type="submit" { @if self.is_disputed() { "Save mine" } @else { "Save" } }
                    }
                }
            }
            @if let Some(form) = &self.form {
                details.card open[self.changes.is_empty()] { summary { "Write on" } (form) }
            }
        }
    }
}

impl Change {
    /// The change of a field; `None`: it stays as it is. `then` is what holds now.
    pub(crate) fn of(form: &Form, name: &str, label: &str, then: &str) -> Option<Self> {
        let given = form.raw(name)?;
        Self::between(name, label, then, given, form.raw(&format!("was.{name}")))
    }

    /// The change from `then` to `given`, by a writer who saw `was`.
    pub(crate) fn between(name: &str, label: &str, then: &str, given: &str, was: Option<&str>) -> Option<Self> {
        let (then, now) = (plain_lines(then), plain_lines(given));
        let was = was.map(plain_lines);
        // A field that its writer left alone stays as somebody else changed it meanwhile.
        let is_meant = now != then && was.as_ref() != Some(&now);
        is_meant.then(|| Self {
            name: name.to_owned(),
            label: label.to_owned(),
            is_disputed: was.is_some_and(|was| was != then),
            told: [then.clone(), now.clone()],
            then,
            now,
        })
    }

    /// With its values as a person says them.
    pub(crate) fn told_as(mut self, named: impl Fn(&str) -> String) -> Self {
        self.told = [named(&self.then), named(&self.now)];
        self
    }

    fn draw(&self) -> Markup {
        let [then, now] = &self.told;
        let shown = |text: &str| {
            if text.is_empty() {
                "nothing".to_owned()
            } else {
                clean(text)
            }
        };
        let is_short = [then, now]
            .iter()
            .all(|text| text.lines().count() < 2 && text.chars().count() < SHORT);
        html! {
            div.change {
                h3 { (words(&self.label)) @if self.is_disputed { " " span.badge.warn { "changed meanwhile" } } }
                @if is_short {
                    p.row {
                        del { span.hidden { "Goes: " } bdi { (shown(then)) } } span aria-hidden="true" { "→" }
                        ins { span.hidden { "Comes: " } bdi { (shown(now)) } }
                    }
                } @else { (difference::draw(then, now)) }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_is_told_from_what_was_left_alone_and_from_what_somebody_else_changed() {
        let change = |then, given, was| {
            let change = Change::between("mode", "Mode", then, given, was);
            change.map(|change| (change.then, change.now, change.is_disputed))
        };
        let told = |then: &str, now: &str, is_disputed| Some((then.to_owned(), now.to_owned(), is_disputed));
        for (then, given, was, expected) in [
            ("a", "b", Some("a"), told("a", "b", false)),
            ("a", "b", None, told("a", "b", false)),
            ("a", "a", Some("a"), None),
            // Left alone, while somebody else changed it.
            ("c", "a", Some("a"), None),
            // Both changed it: to something else, and to the same.
            ("c", "b", Some("a"), told("c", "b", true)),
            ("b", "b", Some("a"), None),
            // Lines of a browser.
            ("a\nb", "a\r\nb\r\n", Some("a\r\nb"), None),
        ] {
            assert_eq!(change(then, given, was), expected, "{then:?} {given:?} {was:?}");
        }
    }
}
