//! A person's own things besides data: keys for model providers, and the way to link another account.

use axum::{http::Method, response::Redirect};
use maud::{Markup, html};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::{
    address::part,
    backend::{Asker, Page},
    extract::Path,
    failure::Failure,
    form::Form,
    handler,
    view::{
        format::{At, when},
        layout,
        parts::{Button, empty, head, needed_field},
        words,
    },
};

/// A key, without itself.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Key {
    provider: String,
    created_at: At,
}

/// A code that was just made.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Code {
    code: String,
    expires_at: At,
}

/// The keys, as a part of the person's page.
pub(super) fn keys(asker: &Asker, person: &str, keys: &Page<Key>) -> Markup {
    let action = format!("/people/{person}/keys");
    let removal = format!("{action}/remove");
    html! {
        section.card id="keys" aria-labelledby="keys-title" {
            h2 id="keys-title" { "Keys of their own" }
            div id="keys-given" data-live {
                @if keys.items.is_empty() {
                    (empty("No keys", &html! { "With a key for a model provider, that provider bills this person's runs to them." }))
                } @else {
                    ul.list {
                        @for key in &keys.items {
                            li {
                                div.about {
                                    strong { (words(&key.provider)) }
                                    div.small.quiet { "given " (when(key.created_at, asker.now())) }
                                }
                                (Button::new(&removal, "Remove").with(&[("provider", &key.provider)]).danger("Remove this key? It cannot be read back.").draw(asker))
                            }
                        }
                    }
                }
            }
            form method="post" action=(action) {
                (layout::token(asker))
                div.fields {
                    (needed_field("provider", "Provider", "", "Such as openai, as the bot calls it"))
                    div.field {
                        label for="key" { "Key" }
                        input type="password" id="key" name="key" required autocomplete="off" aria-describedby="key-hint";
                        span.hint id="key-hint" { "It is encrypted, and shown nowhere" }
                    }
                    button type="submit" { "Give this key" }
                }
            }
        }
    }
}

/// The way to link another account, below the list of accounts.
pub(super) fn linking(asker: &Asker, person: &str) -> Markup {
    html! {
        div.row.apart {
            p.small.quiet { "Linked accounts are one person, with the same memory everywhere." }
            (Button::new(&format!("/people/{person}/code"), "Link another account").leads_on().draw(asker))
        }
    }
}

/// Takes a key.
#[handler]
pub(crate) async fn give(Path(id): Path<String>, form: Form) -> Result<Redirect, Failure> {
    let path = format!("/api/users/{}/keys/{}", part(&id), part(form.needed("provider")?));
    let key = json!({ "key": form.needed("key")? });
    form.send(Method::PUT, &path, Some(&key)).await?;
    Ok(Redirect::to(&format!("/people/{}#keys", part(&id))))
}

/// Removes one.
#[handler]
pub(crate) async fn remove(Path(id): Path<String>, form: Form) -> Result<Redirect, Failure> {
    let path = format!("/api/users/{}/keys/{}", part(&id), part(form.needed("provider")?));
    form.send(Method::DELETE, &path, None).await?;
    Ok(Redirect::to(&format!("/people/{}", part(&id))))
}

/// Makes a code for another account. The answer is the only page that shows it.
#[handler]
pub(crate) async fn code(Path(id): Path<String>, form: Form) -> Result<Markup, Failure> {
    let path = format!("/api/users/{}/link-code", part(&id));
    let made: Value = form.send(Method::POST, &path, None).await?;
    let made: Code = serde_json::from_value(made).map_err(|_| Failure::Unreadable)?;
    let content = html! {
        (head("Link another account", "", &html! { a.button href={ "/people/" (part(&id)) } { "Back" } }))
        section.card aria-label="The code" {
            p { "Write this to the bot in a private chat, from the account that is to belong to the same person. It asks there before it links." }
            div.field.wide {
                label for="made" { "Message" }
                input id="made" value={ "/link " (made.code) } readonly autocomplete="off" spellcheck="false" data-select;
            }
            div.note.warn { p { "Give it to nobody else: whoever enters it can read everything that was told to the bot." } }
            p.small.quiet { "It is good once, and ends " (when(made.expires_at, form.asker.now())) "." }
        }
    };
    Ok(layout::page(&form.asker, "Link another account", &content))
}
