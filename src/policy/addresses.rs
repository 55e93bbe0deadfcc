//! Addresses in texts: which there are, and what would be called for one. Pure.
//!
//! An address is compared in one form: as [`url::Url`] writes it, which is what a client calls (host in lower case and
//! in ASCII, no default port, dot segments resolved), without its fragment, which is never sent. One that is written
//! without a scheme stands for both, http and https.

use std::ops::Range;

use unicode_normalization::UnicodeNormalization;
use url::Url;

use crate::fetch;

/// The schemes by which something is called.
const SCHEMES: [&str; 5] = ["http", "https", "ftp", "ws", "wss"];

/// What closes an address without being part of it.
const CLOSERS: &[char] = &[
    ')', ']', '}', '\'', '`', '*', '|', '_', '~', '.', ',', ';', ':', '!', '?',
];

/// What stands around an address in running text.
const BREAKS: &str = "\"'`<>()[]{}|\\^*";

/// What else stands before a host that is not part of it.
const PARTS: &str = ",;!=&$~+…";

/// Endings of names that are files, and no hosts.
const FILE_ENDINGS: [&str; 52] = [
    "avi", "bak", "bash", "bat", "bmp", "cfg", "conf", "cpp", "css", "csv", "db", "doc", "docx", "epub", "gif", "go",
    "gz", "hpp", "htm", "html", "ics", "ini", "java", "jpeg", "jpg", "js", "json", "jsonl", "jsx", "kt", "lock", "log",
    "mkv", "mp3", "mp4", "odt", "pdf", "php", "png", "rb", "sql", "svg", "toml", "ts", "tsx", "txt", "wav", "webp",
    "xlsx", "xml", "yaml", "yml",
];

/// Endings of files far more often than of hosts, which they are as well.
const OF_BOTH: [&str; 9] = ["ai", "cc", "md", "mov", "pl", "ps", "py", "rs", "zip"];

/// Endings of hosts that are longer than the two letters of a country, as far as they are seen every day. Of a name
/// with another ending no link is made, but it stays readable.
const USUAL_ENDINGS: [&str; 40] = [
    "academy", "app", "biz", "blog", "cloud", "club", "com", "dev", "digital", "edu", "email", "expert", "fun", "gov",
    "host", "info", "int", "invalid", "life", "link", "live", "media", "mil", "mobi", "name", "net", "news", "online",
    "org", "page", "pro", "shop", "site", "space", "store", "tech", "test", "top", "world", "xyz",
];

/// What would be called for an address that is written like this: nothing, if it is none.
pub(super) fn called(written: &str) -> Vec<String> {
    let written = written.trim();
    if let Ok(url) = fetch::parse(written)
        && is_called(&url)
    {
        return vec![form(url)];
    }
    if !is_bare(written) {
        return Vec::new();
    }
    let host = written.trim_start_matches('/');
    ["http", "https"]
        .iter()
        .filter_map(|scheme| fetch::parse(&format!("{scheme}://{host}")).ok())
        .map(form)
        .collect()
}

/// A text that would be called as one address, in the form in which that is compared. `Err`: it looks like one, and
/// would be refused.
pub(super) fn whole(text: &str) -> Result<Option<String>, ()> {
    match fetch::parse(text) {
        Ok(url) if is_called(&url) => Ok(Some(form(url))),
        Ok(_) => Ok(None),
        Err(_) if has_scheme(text) => Err(()),
        Err(_) => Ok(None),
    }
}

/// Whether a text begins as an address does, with its scheme, whatever is hidden in it.
fn has_scheme(text: &str) -> bool {
    let plain: String = plain(text).chars().filter(|c| !c.is_whitespace()).take(24).collect();
    SCHEMES.iter().any(|scheme| {
        let head = plain.get(..scheme.len());
        head.is_some_and(|head| head.eq_ignore_ascii_case(scheme)) && plain[scheme.len()..].starts_with(':')
    })
}

fn is_called(url: &Url) -> bool {
    SCHEMES.contains(&url.scheme()) || url.scheme() == "data" || url.has_host()
}

fn form(mut url: Url) -> String {
    url.set_fragment(None);
    url.into()
}

/// A text in the letters that are meant, without what shows nothing: full-width letters and signs of other scripts that
/// are read as a dot are the plain ones.
pub(super) fn plain(text: &str) -> String {
    text.nfkc()
        .filter(|c| !clifford_markup::is_deceiving(*c) || c.is_whitespace())
        .map(|c| {
            if matches!(c, '。' | '．' | '｡' | '․') {
                '.'
            } else {
                c
            }
        })
        .collect()
}

/// An address in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Found {
    /// Where it stands, as far as whoever makes links might take it.
    pub range: Range<usize>,
    /// What it may be read as: the shortest reading first.
    pub readings: Vec<Range<usize>>,
    /// Nothing in it tells that it is an address but its two names.
    pub is_short: bool,
}

/// Every address of a text, in order, without overlaps.
pub(super) fn all(text: &str) -> Vec<Found> {
    let mut found = Vec::new();
    for run in runs(text) {
        in_run(text, run, &mut found);
    }
    found
}

/// What stands between white space and what no address holds.
fn runs(text: &str) -> impl Iterator<Item = Range<usize>> {
    text.split(|c: char| c.is_whitespace() || c.is_control() || "<>\"".contains(c))
        .filter(|run| !run.is_empty())
        .map(move |run| {
            let start = run.as_ptr() as usize - text.as_ptr() as usize;
            start..start + run.len()
        })
}

fn in_run(text: &str, run: Range<usize>, found: &mut Vec<Found>) {
    let whole = &text[run.clone()];
    let absolute = begin_of_scheme(whole);
    let before = &whole[..absolute.unwrap_or(whole.len())];
    // What stands before it is one of its own.
    for token in before.split(|c: char| BREAKS.contains(c) || PARTS.contains(c)) {
        let at = run.start + (token.as_ptr() as usize - whole.as_ptr() as usize);
        let begun = token.trim_start_matches(['.', ':', '?']);
        let trimmed = begun.trim_end_matches(['.', ':', '?']);
        let start = at + (token.len() - begun.len());
        let end = start + trimmed.len();
        let hides_scheme = || !trimmed.is_ascii() && plain(trimmed).contains("://");
        if !is_bare(trimmed) && !hides_scheme() {
            continue;
        }
        if found.last().is_some_and(|last| start < last.range.end) {
            continue;
        }
        let meant = plain(trimmed);
        let is_short = !carries(&meant);
        // Whoever makes a link of it takes more of the path than we would.
        let rest = text[start..run.start + before.len()].trim_end_matches(CLOSERS);
        let goes_on = meant.contains(['/', '?']);
        let until = if goes_on { end.max(start + rest.len()) } else { end };
        found.push(Found {
            readings: readings(text, start, end, until),
            range: start..until,
            is_short,
        });
    }
    if let Some(at) = absolute {
        let start = run.start + at;
        let end = start + text[start..run.end].trim_end_matches(CLOSERS).len();
        let first = text[start..end]
            .find(|c: char| BREAKS.contains(c))
            .map_or(end, |at| start + at);
        let first = start
            + text[start..first]
                .trim_end_matches(['.', ',', ';', ':', '!', '?'])
                .len();
        let range = start..end.max(first);
        let rest = text[range.clone()].split_once("://").map(|(_, rest)| rest);
        // Somebody writes of a scheme.
        if rest.is_some_and(|rest| rest.trim_matches('/').is_empty()) {
            return;
        }
        found.push(Found {
            range,
            readings: readings(text, start, first, end),
            is_short: false,
        });
    }
}

/// What an address may be read as that begins here: up to what breaks it, up to its last bracket that has a partner, and
/// all of it.
fn readings(text: &str, start: usize, first: usize, end: usize) -> Vec<Range<usize>> {
    let mut readings: Vec<_> = std::iter::once(start..first).collect();
    let mut depth = 0_i32;
    let balanced = text[start..end].char_indices().find(|(_, c)| {
        depth += match c {
            '(' => 1,
            ')' => -1,
            _ => 0,
        };
        depth < 0
    });
    let balanced = balanced.map_or(end, |(at, _)| start + at);
    for end in [balanced, end] {
        if !readings.iter().any(|reading| reading.end == end) {
            readings.push(start..end);
        }
    }
    readings
}

/// Where an address with a scheme, or one that begins with `//` or `www.`, begins in a run.
fn begin_of_scheme(run: &str) -> Option<usize> {
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.');
    let lower = run.to_ascii_lowercase();
    let ends_name = |at: usize| run[..at].ends_with(char::is_alphanumeric);
    let with_scheme = run.find("://").map(|at| run[..at].trim_end_matches(is_name).len());
    let bare = run.find("//").filter(|at| {
        let token = run[*at..]
            .split(|c: char| BREAKS.contains(c))
            .next()
            .unwrap_or_default();
        (*at == 0 || run[..*at].ends_with(|c: char| BREAKS.contains(c))) && is_bare(token)
    });
    let www = lower.find("www.").filter(|at| !ends_name(*at));
    // Browsers read a backslash as a slash, and need no slash at all.
    let odd = SCHEMES.iter().chain(&["data"]).filter_map(|scheme| {
        let at = lower.find(&format!("{scheme}:")).filter(|at| !ends_name(*at))?;
        let behind = lower[at + scheme.len() + 1..].trim_start_matches(['/', '\\']);
        (!behind.is_empty() && behind.starts_with(|c: char| c.is_alphanumeric() || c == '[')).then_some(at)
    });
    [with_scheme, bare, www].into_iter().flatten().chain(odd).min()
}

fn is_absolute(token: &str) -> bool {
    token.contains("://") || token.starts_with("//") || token.to_lowercase().starts_with("www.")
}

/// Whether a piece of text is read as a host, with or without what follows it, though it has no scheme.
fn is_bare(token: &str) -> bool {
    if token.is_ascii() && !token.contains('.') && !token.starts_with("//") {
        return false;
    }
    let token = plain(token);
    let bare = token.trim_start_matches('/');
    if token.len() - bare.len() > 2 || bare.contains(char::is_whitespace) {
        return false;
    }
    let host = bare.split(['/', '?', '#', '\\']).next().unwrap_or_default();
    let behind = &bare[host.len()..];
    // Whoever writes to somebody calls nothing.
    if host.contains('@') && behind.is_empty() {
        return false;
    }
    let name = host.rsplit('@').next().unwrap_or_default();
    let (name, port) = match name.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => (name, !port.is_empty()),
        // Something stands before it.
        Some((_, name)) => (name, false),
        None => (name, false),
    };
    let name = name.strip_suffix('.').unwrap_or(name);
    let parts: Vec<_> = name.split('.').collect();
    if parts.len() < 2 || parts.iter().any(|part| part.is_empty()) {
        return token.starts_with("//") && !name.is_empty() && (port || !behind.is_empty());
    }
    let last = parts.last().copied().unwrap_or_default();
    // A network is written like this.
    let is_network = behind
        .strip_prefix('/')
        .is_some_and(|bits| (1..=2).contains(&bits.len()) && bits.bytes().all(|byte| byte.is_ascii_digit()));
    let is_number = |part: &&str| part.len() <= 3 && part.bytes().all(|byte| byte.is_ascii_digit());
    if parts.len() == 4 && parts.iter().all(is_number) {
        return port || (!behind.is_empty() && !is_network) || token.starts_with("//");
    }
    let is_ending = last.chars().count() >= 2 && last.chars().all(char::is_alphabetic);
    let is_encoded = last.len() > 4 && last.to_lowercase().starts_with("xn--");
    let fits = |part: &&str| {
        part.chars()
            .all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '%') || !c.is_ascii())
    };
    (is_ending || is_encoded) && parts.iter().all(fits)
}

/// Whether a bare address can tell anything: one of two names alone is a file, or the end of a sentence, as often as a
/// host. A number behind a file's name is one of its lines.
fn carries(token: &str) -> bool {
    let token = match token.rsplit_once(':') {
        Some((name, line)) if line.bytes().all(|byte| byte.is_ascii_digit()) && short(name) != Short::Host => name,
        _ => token,
    };
    is_absolute(token) || token.contains(['/', '?', ':', '\\']) || token.trim_end_matches('.').matches('.').count() >= 2
}

/// What an address of two names alone most likely is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Short {
    /// A host.
    Host,
    /// A file.
    File,
    /// A file, the end of a sentence, a name in a program, and a host perhaps.
    Unclear,
}

/// What an address of two names alone most likely is.
pub(super) fn short(token: &str) -> Short {
    let token = plain(token);
    let ending = token.rsplit('.').next().unwrap_or_default().to_lowercase();
    let is_country = ending.len() == 2 && ending.is_ascii() && ending != "js";
    if OF_BOTH.contains(&&*ending) {
        Short::Unclear
    } else if FILE_ENDINGS.contains(&&*ending) {
        Short::File
    } else if is_country || !ending.is_ascii() || ending.starts_with("xn--") || USUAL_ENDINGS.contains(&&*ending) {
        Short::Host
    } else {
        Short::Unclear
    }
}

/// Whether all of what follows an address closes it.
pub(super) fn only_closes(text: &str) -> bool {
    text.chars().all(|c| CLOSERS.contains(&c))
}

/// The pieces of a text between white space and what stands around an address, without the signs of a sentence.
pub(super) fn tokens(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| c.is_whitespace() || c.is_control() || BREAKS.contains(c))
        .map(|token| token.trim_matches(['.', ',', ';', ':', '!', '?']))
        .filter(|token| !token.is_empty())
}
