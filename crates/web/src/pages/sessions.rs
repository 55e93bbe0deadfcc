//! The browsers that are logged in: which they are, and which of them this one is. A section of the settings.

use axum::{http::Method, response::Redirect};
use maud::{Markup, html};
use serde::Deserialize;

use crate::{
    address::part,
    backend::{Asker, Page},
    extract::Path,
    failure::Failure,
    form::Form,
    handler,
    view::{
        clean,
        format::{At, when},
        parts::{Button, Tone, badge, empty, older, short},
        words,
    },
};

/// A session of somebody.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Session {
    id: String,
    user_id: Option<String>,
    user_agent: Option<String>,
    created_at: At,
    seen_at: At,
}

impl Session {
    /// Whether the page is shown in it.
    fn is_here(&self, asker: &Asker) -> bool {
        let here = asker.me().and_then(|me| me.session_id.as_ref());
        here == Some(&self.id)
    }

    /// Whether it is the reader's own.
    fn is_mine(&self, asker: &Asker) -> bool {
        asker.me().is_some_and(|me| me.user_id == self.user_id)
    }
}

/// The section on the page of a scope's settings: this browser first.
pub(crate) fn section(asker: &Asker, sessions: &Page<Session>, scope: &str) -> Markup {
    let (here, others): (Vec<_>, Vec<_>) = sessions.items.iter().partition(|session| session.is_here(asker));
    let in_session = asker.me().is_some_and(|me| me.session_id.is_some());
    let has_others = in_session && others.iter().any(|session| session.is_mine(asker));
    let question = "Log out all of your other browsers? Each of them needs a link or a passkey to come in again.";
    html! {
        section.card id="sessions" data-live aria-labelledby="sessions-title" {
            h2 id="sessions-title" { "Logged in" }
            @if sessions.items.is_empty() {
                (empty("No browser is logged in", &html! { "A link of " code { "clifford login" } " lets one in." }))
            } @else {
                ul.list {
                    @for session in here { (line(asker, session, true)) }
                    @for session in others { (line(asker, session, false)) }
                }
                (older("/settings", &[("scope", scope)], sessions.next.as_deref()))
            }
            @if has_others {
                (Button::new("/sessions/end-others", "Log out my other browsers").danger(question).draw(asker))
            }
        }
    }
}

fn line(asker: &Asker, session: &Session, is_here: bool) -> Markup {
    let agent = session.user_agent.as_deref();
    let (ending, now) = (format!("/sessions/{}/end", part(&session.id)), asker.now());
    html! {
        li {
            div.about {
                div.row {
                    span title=[agent.map(clean)] { (words(&browser(agent))) }
                    @if is_here { (badge(Tone::Good, "this browser")) }
                }
                div.small.quiet.row {
                    @match session.user_id.as_ref() {
                        _ if session.is_mine(asker) => {}
                        Some(other) => { span { "of " a href={ "/people/" (part(other)) } { "another person" } } }
                        None => { span { "of the operator" } }
                    }
                    span { "since " (when(session.created_at, now)) }
                    span { "last used " (when(session.seen_at, now)) }
                }
            }
            @if is_here {
                (Button::new("/logout", "Log out").danger("Log out of this browser?").leads_on().draw(asker))
            } @else {
                (Button::new(&ending, "Log out").danger("Log that browser out?").draw(asker))
            }
        }
    }
}

/// A browser's own name, in two words; the whole stands in the title.
fn browser(agent: Option<&str>) -> String {
    const BROWSERS: [(&str, &str); 9] = [
        ("Edg", "Edge"),
        ("OPR/", "Opera"),
        ("SamsungBrowser/", "Samsung Internet"),
        ("FxiOS/", "Firefox"),
        ("CriOS/", "Chrome"),
        ("Firefox/", "Firefox"),
        ("Chrome/", "Chrome"),
        ("Chromium/", "Chromium"),
        ("Safari/", "Safari"),
    ];
    const SYSTEMS: [(&str, &str); 7] = [
        ("Android", "Android"),
        ("iPhone", "iPhone"),
        ("iPad", "iPad"),
        ("Windows", "Windows"),
        ("Mac OS X", "macOS"),
        ("CrOS", "ChromeOS"),
        ("Linux", "Linux"),
    ];
    let Some(agent) = agent.filter(|agent| !agent.trim().is_empty()) else {
        return "A browser without a name".to_owned();
    };
    let named = |names: &[(&str, &'static str)]| {
        let found = names.iter().find(|(part, _)| agent.contains(part));
        found.map(|(_, name)| *name)
    };
    match (named(&BROWSERS), named(&SYSTEMS)) {
        (Some(browser), Some(system)) => format!("{browser} on {system}"),
        _ => short(agent, 90),
    }
}

/// Logs a browser out.
#[handler]
pub(crate) async fn end(Path(id): Path<String>, form: Form) -> Result<Redirect, Failure> {
    let path = format!("/api/sessions/{}", part(&id));
    form.send(Method::DELETE, &path, None).await?;
    Ok(Redirect::to("/settings"))
}

/// Logs the other browsers of the reader out.
#[handler]
pub(crate) async fn end_others(form: Form) -> Result<Redirect, Failure> {
    form.send(Method::DELETE, "/api/sessions/others", None).await?;
    Ok(Redirect::to("/settings"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_browser_is_told_in_two_words() {
        for (agent, expected) in [
            (
                "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36",
                "Chrome on Linux",
            ),
            (
                "Mozilla/5.0 (iPhone; CPU iPhone OS 19_1 like Mac OS X) AppleWebKit/605.1.15 Version/19.1 Safari/604.1",
                "Safari on iPhone",
            ),
            (
                "Mozilla/5.0 (iPhone; CPU iPhone OS 19_1 like Mac OS X) AppleWebKit/605.1.15 CriOS/156.0 Mobile/15E148 \
                 Safari/604.1",
                "Chrome on iPhone",
            ),
            (
                "Mozilla/5.0 (Linux; Android 17) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/31.0 Chrome/151.0.0.0 \
                 Mobile Safari/537.36",
                "Samsung Internet on Android",
            ),
            (
                "Mozilla/5.0 (X11; CrOS x86_64 16503.0.0) AppleWebKit/537.36 Chrome/156.0.0.0 Safari/537.36",
                "Chrome on ChromeOS",
            ),
            ("curl/8.9", "curl/8.9"),
            ("  a\tb  ", "a b"),
            ("", "A browser without a name"),
        ] {
            assert_eq!(browser(Some(agent)), expected);
        }
        assert_eq!(browser(None), "A browser without a name");
        assert_eq!(browser(Some(&"x".repeat(200))), format!("{}…", "x".repeat(89)));
    }
}
