//! A reminder as its person writes it: its words, and a time in their zone.

use axum::{http::Method, response::Redirect};
use jiff::{civil::DateTime, tz::TimeZone};
use maud::{Markup, html};
use serde_json::json;

use super::Trigger;
use crate::{
    address::part,
    backend::Asker,
    failure::Failure,
    form::Form,
    handler,
    view::{clean, format::At, layout, parts::seen},
};

/// The form of a new one. Who has no account has no chat to be reminded in.
pub(super) fn new(asker: &Asker) -> Markup {
    html! {
        @if asker.me().is_some_and(|me| me.user_id.is_some()) {
            details.card id="new-reminder" {
                summary { strong { "New reminder" } }
                form.stack method="post" action="/reminders" data-inplace {
                    (layout::token(asker))
                    (fields(asker, "new", "", None))
                    div { button.main type="submit" { "Remind me" } }
                }
            }
        }
    }
}

/// The form that changes one.
pub(super) fn change(asker: &Asker, trigger: &Trigger) -> Markup {
    html! {
        details.small id={ "change-" (trigger.id) } {
            summary { "Change" }
            form.stack method="post" action={ "/reminders/" (trigger.id) } data-inplace {
                (layout::token(asker))
                input type="hidden" name="do" value="change";
                (fields(asker, &trigger.id, &trigger.content, trigger.next_at.filter(|_| trigger.cron.is_none())))
                div { button.main type="submit" { "Save" } }
            }
        }
    }
}

fn fields(asker: &Asker, id: &str, content: &str, at: Option<At>) -> Markup {
    let (text, time) = (format!("text-{id}"), format!("at-{id}"));
    let zone = asker.me().map_or("UTC", |me| &me.time_zone);
    html! {
        div.fields {
            div.field.wide {
                label for=(text) { "What" }
                textarea id=(text) name="content" rows="2" required { (clean(content)) }
            }
            @if at.is_some() || id == "new" {
                div.field {
                    label for=(time) { "When" }
                    input type="datetime-local" id=(time) name="at" required[id == "new"] value=[at.map(|at| civil(at, zone))]
                        aria-describedby={ (time) "-hint" };
                    span.hint id={ (time) "-hint" } { "In the time of " (clean(zone)) }
                    @if let Some(at) = at { (seen("at", &civil(at, zone))) }
                }
            }
        }
    }
}

fn zone(name: &str) -> TimeZone {
    TimeZone::get(name).unwrap_or(TimeZone::UTC)
}

/// A time as such a field has it.
fn civil(at: At, name: &str) -> String {
    let time = at.0.to_jiff().to_zoned(zone(name)).datetime();
    time.strftime("%Y-%m-%dT%H:%M").to_string()
}

/// A time as the API takes it, from what such a field has.
fn instant(text: &str, name: &str) -> Option<String> {
    let time: DateTime = text.parse().ok()?;
    let time = time.to_zoned(zone(name)).ok()?;
    Some(time.timestamp().to_string())
}

fn time_of(form: &Form) -> Result<Option<String>, Failure> {
    let Some(text) = form.field("at") else {
        return Ok(None);
    };
    let name = form.asker.me().map_or("UTC", |me| &me.time_zone);
    let time = instant(text, name);
    let wrong = || Failure::field("at", format!("“{text}” is not a time; write it as 2027-03-01T09:00"));
    time.ok_or_else(wrong).map(Some)
}

/// Makes one.
#[handler]
pub(crate) async fn make(form: Form) -> Result<Redirect, Failure> {
    let user = form.asker.me().and_then(|me| me.user_id.clone());
    let at = time_of(&form)?.ok_or(Failure::Missing("at"))?;
    let new = json!({ "kind": "reminder", "content": form.needed("content")?, "at": at, "userId": user });
    form.send(Method::POST, "/api/triggers", Some(&new)).await?;
    Ok(Redirect::to("/reminders"))
}

/// Changes one.
pub(super) async fn save(id: &str, form: &Form) -> Result<(), Failure> {
    let mut change = json!({ "content": form.needed("content")? });
    // A field has no seconds, and of an hour that comes twice it means the first: one that was left as it is means the
    // time that the reminder has.
    let is_as_it_was = form.field("at") == form.field("was.at");
    if let Some(at) = time_of(form)?.filter(|_| !is_as_it_was) {
        change["at"] = json!(at);
    }
    let path = format!("/api/triggers/{}", part(id));
    form.send(Method::PATCH, &path, Some(&change)).await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_of_a_field_is_one_of_its_zone() {
        for (text, zone, expected) in [
            ("2026-07-01T09:00", "Europe/Berlin", Some("2026-07-01T07:00:00Z")),
            ("2026-12-01T09:00", "Europe/Berlin", Some("2026-12-01T08:00:00Z")),
            ("2026-12-01T09:00:30", "nowhere", Some("2026-12-01T09:00:30Z")),
            ("tomorrow", "UTC", None),
            ("", "UTC", None),
        ] {
            assert_eq!(instant(text, zone).as_deref(), expected, "{text} {zone}");
        }
        let at: At = serde_json::from_str("\"2026-07-01T07:00:00Z\"").unwrap();
        assert_eq!(civil(at, "Europe/Berlin"), "2026-07-01T09:00");
    }
}
