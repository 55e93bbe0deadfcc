//! The document of every page, as a browser needs it, and the pages without navigation.

use clifford_core::clock::Timestamp;
use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::clean;
use crate::assets::{ICON, SCRIPT, STYLE};

/// A page without the frame: for those who are not in.
pub(crate) fn alone(title: &str, content: &Markup) -> Markup {
    document(
        title,
        None,
        &html! {
            main.alone id="main" {
                a.brand href="/" { (logo()) "Clifford" }
                h1.hidden { (clean(title)) }
                (content)
            }
        },
    )
}

/// A page without the frame and with all the room: for everybody.
pub(crate) fn open(title: &str, content: &Markup) -> Markup {
    document(title, None, &html! { main id="main" { (content) } })
}

/// `now`: by which the script tells how long ago something was, whatever the browser's clock says.
pub(super) fn document(title: &str, now: Option<Timestamp>, body: &Markup) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta name="description" content="The dashboard of a self-hosted chat bot";
                title { (clean(title)) " · Clifford" }
                link rel="icon" href=(ICON.path) type="image/svg+xml";
                link rel="stylesheet" href=(STYLE.path);
                script src=(SCRIPT.path) defer {}
            }
            body data-now=[now.map(|now| now.0)] { (body) }
        }
    }
}

pub(super) fn logo() -> Markup {
    PreEscaped(
        concat!(
            r##"<svg viewBox="0 0 32 32" aria-hidden="true"><rect width="32" height="32" rx="8" fill="#3552c8"/>"##,
            r##"<path d="M21.5 11.6A7 7 0 1 0 21.5 20.4" fill="none" stroke="#fff" stroke-width="3.4" "##,
            r##"stroke-linecap="round"/><circle cx="16.6" cy="16" r="2.2" fill="#fff"/></svg>"##,
        )
        .to_owned(),
    )
}
