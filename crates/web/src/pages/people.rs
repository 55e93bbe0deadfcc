//! People: who they are on which platform, their role, and what is theirs to take out.

pub(crate) mod own;

use axum::{
    http::Method,
    response::{IntoResponse, Redirect, Response},
};
use futures::try_join;
use maud::{Markup, html};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::pairings;
use crate::{
    address::{part, with_query},
    backend::{Asker, Page},
    extract::{Path, Query},
    failure::Failure,
    form::Form,
    handler,
    view::{
        clean,
        format::title,
        layout,
        parts::{Button, Fault, Filled, Tone, badge, choice_field, empty, head, older, seen, text_field},
        review::{Change, Review},
        words,
    },
};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Person {
    id: String,
    name: String,
    role: String,
    language: Option<String>,
    time_zone: Option<String>,
}

/// The fields of a person's form.
const FIELDS: [(&str, &str); 4] = [
    ("name", "Name"),
    ("role", "Role"),
    ("language", "Language"),
    ("timeZone", "Time zone"),
];

impl Person {
    fn value(&self, field: &str) -> &str {
        match field {
            "name" => &self.name,
            "role" => &self.role,
            "language" => self.language.as_deref().unwrap_or_default(),
            _ => self.time_zone.as_deref().unwrap_or_default(),
        }
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Identity {
    platform: String,
    platform_user_id: String,
    name: Option<String>,
}

/// The page of the list.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(crate) struct PeopleQuery {
    q: String,
    before: String,
}

const ROLES: [(&str, &str); 3] = [("owner", "Owner"), ("member", "Member"), ("stranger", "Stranger")];

/// The list.
#[handler]
pub(crate) async fn list(asker: Asker, Query(query): Query<PeopleQuery>) -> Result<Markup, Failure> {
    let sought = query.q.trim();
    let path = with_query("/api/users", &[("q", sought), ("before", &query.before)]);
    let (page, strangers) = try_join!(asker.get::<Page<Person>>(&path), pairings::open(&asker))?;
    let about = match asker.me().is_some_and(|me| me.is_person()) {
        true => "You, as the bot knows you: your accounts, your keys and what you may take out or erase.",
        false => "Everybody who has spoken to the bot, each once, on whatever platforms.",
    };
    let content = html! {
        (head("People", about, &html! {}))
        @if !asker.is_person() {
            form.card method="get" action="/people" role="search" {
                div.fields {
                    div.field {
                        label for="q" { "Name or account" }
                        input type="search" id="q" name="q" value=(clean(sought)) autocomplete="off";
                    }
                    button type="submit" { "Search" }
                    @if !sought.is_empty() { a.button href="/people" { "Show all" } }
                }
            }
        }
        (pairings::draw(&asker, &strangers))
        section id="people" data-live aria-label="People" {
            @if page.items.is_empty() && !sought.is_empty() {
                (empty("Nobody found", &html! { "Try a part of their name, or of their account on a platform." }))
            } @else if page.items.is_empty() {
                (empty("Nobody yet", &html! { "A person shows here with their first message." }))
            } @else {
                table.table.cards {
                    caption.hidden { "People, newest first" }
                    thead {
                        tr {
                            th scope="col" { "Name" } th scope="col" { "Role" }
                            th scope="col" { "Language" } th scope="col" { "Time zone" }
                        }
                    }
                    tbody {
                        @for person in &page.items {
                            tr {
                                td.lead { a href={ "/people/" (person.id) } { (words(&person.name)) } }
                                td data-label="Role" { (role(&asker, &person.role)) }
                                td data-label="Language" { (words(person.language.as_deref().unwrap_or("–"))) }
                                td data-label="Time zone" { (words(person.time_zone.as_deref().unwrap_or("–"))) }
                            }
                        }
                    }
                }
                (older("/people", &[("q", sought)], page.next.as_deref()))
            }
        }
    };
    Ok(layout::page(&asker, "People", &content))
}

/// A role; of a stranger's own, nothing: their page tells them who they are to the bot by what it lets them do.
fn role(asker: &Asker, role: &str) -> Markup {
    if role == "stranger" && asker.is_person() {
        return html! {};
    }
    let tone = match role {
        "owner" => Tone::Calm,
        "member" => Tone::Good,
        _ => Tone::Plain,
    };
    badge(tone, role)
}

/// One person.
#[handler]
pub(crate) async fn show(asker: Asker, Path(id): Path<String>) -> Result<Markup, Failure> {
    let path = format!("/api/users/{}", part(&id));
    let accounts = format!("{path}/identities");
    let keys = format!("{path}/keys");
    let (person, accounts, keys) = try_join!(
        asker.get::<Person>(&path),
        asker.get::<Page<Identity>>(&accounts),
        asker.get::<Page<own::Key>>(&keys)
    )?;
    let action = format!("/people/{}", person.id);
    // A browser and a token have one each, which is nobody's account elsewhere.
    let linked: Vec<_> = accounts
        .items
        .iter()
        .filter(|account| account.platform != "web")
        .collect();
    let content = html! {
        (head(&person.name, "", &html! {
            (role(&asker, &person.role))
            a.button href={ (path) "/export" } download { "Take everything out" }
        }))
        section.card aria-labelledby="accounts-title" {
            h2 id="accounts-title" { "Accounts" }
            @if linked.is_empty() { p.quiet { "None on a platform: they write here, or by a program." } }
            ul.list {
                @for account in linked {
                    li {
                        div.about { strong { (words(&title(&account.platform))) } " " (words(account.name.as_deref().unwrap_or_default())) }
                        code.small { (words(&account.platform_user_id)) }
                    }
                }
            }
            (own::linking(&asker, &person.id))
        }
        section.card aria-labelledby="settings-title" {
            h2 id="settings-title" { "Person" }
            (fields(&asker, &person, |name| person.value(name).to_owned(), None))
            p.row.small {
                a href={ "/runs?user=" (person.id) } { "Runs" }
                a href={ "/memory?userId=" (person.id) } { "Memory" }
                a href={ "/conversations?userId=" (person.id) } { "Conversations" }
                a href={ "/settings?scope=user:" (person.id) } { "Settings" }
                @if !asker.is_person() {
                    a href={ "/feedback?user=" (person.id) } { "Feedback" }
                    a href={ "/search?userId=" (person.id) } { "Search" }
                    a href={ "/tokens?user=" (person.id) } { "A token for them" }
                }
            }
        }
        (own::keys(&asker, &person.id, &keys))
        section.card aria-labelledby="erase-title" {
            h2 id="erase-title" { "Erase" }
            p { "All messages, memories, files and reminders of this person are deleted, and cannot be brought back." }
            div { (Button::new(&format!("{action}/erase"), "Erase this person").danger("Erase everything of this person for good?").leads_on().draw(&asker)) }
        }
    };
    Ok(layout::page(&asker, &person.name, &content))
}

/// The form of a person.
fn fields(asker: &Asker, person: &Person, value: impl Fn(&str) -> String, fault: Option<Fault<'_>>) -> Markup {
    let [name, role, language, zone] = FIELDS.map(|(name, _)| value(name));
    let may_choose = asker.me().is_some_and(|me| !me.is_person());
    html! {
        form method="post" action={ "/people/" (person.id) } {
            (layout::token(asker))
            @for (name, _) in FIELDS.iter().filter(|(name, _)| may_choose || *name != "role") { (seen(name, person.value(name))) }
            div.fields {
                (text_field("name", "Name", Filled::new("name", &name, fault), ""))
                @if may_choose { (choice_field("role", "Role", Filled::new("role", &role, fault), &ROLES)) }
                (text_field("language", "Language", Filled::new("language", &language, fault), "Such as en or pt-BR"))
                (text_field("timeZone", "Time zone", Filled::new("timeZone", &zone, fault), "Such as Europe/Berlin"))
                button.main type="submit" { "Show the difference" }
            }
        }
    }
}

/// Changes a person, after the writer has seen the difference.
#[handler]
pub(crate) async fn change(Path(id): Path<String>, form: Form) -> Result<Response, Failure> {
    let path = format!("/api/users/{}", part(&id));
    let person: Person = form.asker.get(&path).await?;
    let here = format!("/people/{}", person.id);
    let changes = FIELDS
        .iter()
        .filter_map(|(name, label)| Change::of(&form, name, label, person.value(name)));
    let given = |name: &str| form.raw(name).unwrap_or_else(|| person.value(name)).to_owned();
    let title = format!("Change {}", person.name);
    let review = Review {
        title: &title,
        action: &here,
        leave: &here,
        changes: changes.collect(),
        along: &[],
        form: Some(fields(&form.asker, &person, given, None)),
    };
    let again = |fault: Option<Fault<'_>>| fields(&form.asker, &person, given, fault);
    if review
        .changes
        .iter()
        .any(|change| change.name == "name" && change.now.is_empty())
    {
        return review.refused(&form.asker, Failure::Missing("name"), again);
    }
    if !review.is_sure(&form) {
        return Ok(review.show(&form.asker));
    }
    let mut change = Map::new();
    for Change { name, now, .. } in &review.changes {
        // A field that is left empty is unknown again.
        let is_unknown = now.is_empty() && name != "name";
        let value = if is_unknown { Value::Null } else { json!(now) };
        change.insert(name.clone(), value);
    }
    match form.send(Method::PATCH, &path, Some(&change.into())).await {
        Ok(_) => Ok(Redirect::to(&here).into_response()),
        Err(failure) => review.refused(&form.asker, failure, again),
    }
}

/// Erases one.
#[handler]
pub(crate) async fn erase(Path(id): Path<String>, form: Form) -> Result<Redirect, Failure> {
    form.send(Method::DELETE, &format!("/api/users/{}", part(&id)), None)
        .await?;
    Ok(Redirect::to("/people"))
}
