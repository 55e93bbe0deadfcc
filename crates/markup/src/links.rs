//! The links that are kept as links, and the text of the others.

use crate::{runs::StyledText, style::Style, tree::Link};

const SCHEMES: [&str; 4] = ["http://", "https://", "tg://", "mailto:"];

/// The links of a message while it is read.
#[derive(Debug)]
pub(crate) struct Links {
    longest: usize,
    targets: Vec<Link>,
    open: Vec<Open>,
}

#[derive(Debug)]
struct Open {
    /// An index into the targets, unless it is shown as text alone.
    target: Option<usize>,
    /// Where its text starts.
    start: usize,
}

impl Links {
    pub(crate) const fn new(longest: usize) -> Self {
        Self {
            longest,
            targets: Vec::new(),
            open: Vec::new(),
        }
    }

    /// Opens a link or image whose text starts here. Returns the link that is in force.
    pub(crate) fn open(&mut self, url: &str, start: usize) -> Option<usize> {
        let outer = self.current();
        let target = if outer.is_none() && is_followed(url) {
            self.targets.push(Link {
                url: without_spaces(url),
                maskable: true,
            });
            Some(self.targets.len() - 1)
        } else {
            None
        };
        self.open.push(Open { target, start });
        outer.or(target)
    }

    /// Opens a link that is shown as its text alone.
    pub(crate) fn open_none(&mut self) {
        self.open.push(Open { target: None, start: 0 });
    }

    /// Closes the link that was opened last, and returns the one that is in force then.
    pub(crate) fn close(&mut self, open: &mut StyledText, style: Style) -> Option<usize> {
        if let Some(Open {
            target: Some(target),
            start,
        }) = self.open.pop()
        {
            let link = &mut self.targets[target];
            let unlinked = Style { link: None, ..style };
            let text = open.text.get(start..).unwrap_or_default();
            let shown = display(&link.url);
            if text.trim().is_empty() {
                open.unlink(start);
                open.push(shown, unlinked);
            } else if text == link.url || text == shown {
                open.unlink(start);
            } else if link.url.len() > self.longest {
                open.unlink(start);
                open.push(&format!(" ({shown})"), unlinked);
            } else {
                link.maskable = is_maskable(text);
            }
        }
        self.current()
    }

    pub(crate) fn targets(&self) -> &[Link] {
        &self.targets
    }

    pub(crate) fn into_targets(self) -> Vec<Link> {
        self.targets
    }

    /// Links do not nest, and only the outermost has a target.
    fn current(&self) -> Option<usize> {
        self.open.iter().find_map(|link| link.target)
    }
}

/// An address as it is shown in text.
pub(crate) fn display(url: &str) -> &str {
    match url.split_at_checked("mailto:".len()) {
        Some((scheme, address)) if scheme.eq_ignore_ascii_case("mailto:") => address,
        _ => url,
    }
}

/// Platforms follow these; anything else would be refused or do something unexpected. A link to a person would notify
/// them.
fn is_followed(url: &str) -> bool {
    let is_of_person = url.to_ascii_lowercase().contains("user_id=") || is_user(url);
    let is_telegram = url.get(..3).is_some_and(|scheme| scheme.eq_ignore_ascii_case("tg:"));
    if is_telegram && is_of_person {
        return false;
    }
    SCHEMES.iter().any(|scheme| {
        let start = url.get(..scheme.len()).unwrap_or_default();
        start.eq_ignore_ascii_case(scheme) && url.len() > scheme.len()
    })
}

/// `tg://user?id=…`
fn is_user(url: &str) -> bool {
    let path = url.get(3..).unwrap_or_default().trim_start_matches('/');
    path.get(..4).is_some_and(|head| head.eq_ignore_ascii_case("user"))
}

fn without_spaces(url: &str) -> String {
    if !url.contains(|c: char| c.is_whitespace() || c.is_control()) {
        return url.to_owned();
    }
    url.split(|c: char| c.is_whitespace() || c.is_control())
        .collect::<Vec<_>>()
        .join("%20")
}

/// Brackets in the text of a Discord link must come in pairs, at most one within another.
fn is_maskable(text: &str) -> bool {
    let mut depth = 0_i32;
    for c in text.chars() {
        depth += match c {
            '[' => 1,
            ']' => -1,
            _ => 0,
        };
        if !(0..=1).contains(&depth) {
            return false;
        }
    }
    depth == 0
}
