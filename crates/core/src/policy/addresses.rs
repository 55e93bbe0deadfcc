//! Addresses in texts, and the calls that a client would make for one. Pure.
//!
//! An address is compared in one form: as [`url::Url`] writes it, which is what a client calls (host in lower case and
//! in ASCII, no default port, dot segments resolved). Its fragment counts where somebody may follow it: it is not sent,
//! but the page reads it. One that is written without a scheme stands for both, http and https.

use std::ops::Range;

use unicode_normalization::UnicodeNormalization;
use url::Url;

use super::around::{Around, Opened, STOPS, closes};

/// The schemes by which something is called.
const SCHEMES: [&str; 5] = ["http", "https", "ftp", "ws", "wss"];

/// Characters that close an address without being part of it.
const CLOSERS: &[char] = &[
    ')', ']', '}', '\'', '`', '*', '|', '_', '~', '.', ',', ';', ':', '!', '?',
];

/// Characters that surround an address in running text.
const BREAKS: &str = "\"'`<>()[]{}|\\^*";

/// Other characters next to a host that are not part of it.
const PARTS: &str = ",;!=&$~+…–—‘’“”„«»‹›、「」『』";

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

/// The addresses that a client would call for this text: none, if it is no address.
pub(super) fn request_addresses(written: &str) -> Vec<String> {
    let written = written.trim();
    if let Ok(url) = crate::net::target::parse(written)
        && is_called(&url)
    {
        return vec![url.into()];
    }
    if !is_bare(written) {
        return Vec::new();
    }
    let host = written.trim_start_matches('/');
    ["http", "https"]
        .iter()
        .filter_map(|scheme| crate::net::target::parse(&format!("{scheme}://{host}")).ok())
        .map(String::from)
        .collect()
}

/// The part of an address that a client sends: all but its fragment.
pub(super) fn without_fragment(address: &str) -> &str {
    address.split('#').next().unwrap_or(address)
}

/// A text that would be called as one address, in the form in which that is compared. `Err`: it looks like one, and
/// would be refused.
pub(super) fn whole(text: &str) -> Result<Option<String>, ()> {
    match crate::net::target::parse(text) {
        Ok(url) if is_called(&url) => Ok(Some(url.into())),
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

/// A text in the letters that are meant, without what shows nothing: full-width letters and signs of other scripts that
/// are read as a dot are the plain ones.
pub(super) fn plain(text: &str) -> String {
    text.nfkc()
        .filter(|c| !clifford_markup::is_deceiving(*c) || c.is_whitespace())
        .map(|c| if is_dot(c) { '.' } else { c })
        .collect()
}

/// Whether a sign is read as a dot of a host.
const fn is_dot(c: char) -> bool {
    matches!(c, '.' | '。' | '．' | '｡' | '․')
}

/// An address in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Found {
    /// Where it stands, without what may close it.
    pub range: Range<usize>,
    /// The possible readings: the shortest first.
    pub readings: Vec<Range<usize>>,
    /// Nothing in it tells that it is an address but its two names.
    pub is_short: bool,
    /// As far as whoever makes links might take it.
    until: usize,
    /// The brackets and marks open around it, the innermost first.
    open: Vec<Opened>,
}

impl Found {
    /// Whether nothing stands behind a reading but what closes it.
    pub fn ends_with(&self, text: &str, reading: &Range<usize>) -> bool {
        closes(text.get(reading.end..self.until).unwrap_or_default(), &self.open)
    }
}

/// Every address of a text, in order, without overlaps.
pub(super) fn all(text: &str) -> Vec<Found> {
    let mut found = Vec::new();
    let mut around = Around::of(text);
    for run in runs(text) {
        in_run(text, run, &mut around, &mut found);
    }
    found
}

/// The stretches between white space and characters that no address holds.
fn runs(text: &str) -> impl Iterator<Item = Range<usize>> {
    text.split(|c: char| c.is_whitespace() || c.is_control() || "<>\"".contains(c))
        .filter(|run| !run.is_empty())
        .map(move |run| {
            let start = run.as_ptr() as usize - text.as_ptr() as usize;
            start..start + run.len()
        })
}

fn in_run(text: &str, run: Range<usize>, around: &mut Around<'_>, found: &mut Vec<Found>) {
    let breaks = |c: char| BREAKS.contains(c);
    let absolute = begin_of_scheme(&text[run.clone()]).map(|at| run.start + at);
    let before = &text[run.start..absolute.unwrap_or(run.end)];
    // A token before it is one of its own.
    for token in before
        .split(|c: char| breaks(c) || PARTS.contains(c))
        .flat_map(candidates)
    {
        if !is_bare(token) && !hides_scheme(token) {
            continue;
        }
        let start = token.as_ptr() as usize - text.as_ptr() as usize;
        let end = start + token.len();
        if found.last().is_some_and(|last| start < last.range.end) {
            continue;
        }
        let meant = plain(token);
        let is_short = !carries(&meant);
        if !meant.contains(['/', '?', '#']) {
            found.push(Found {
                range: start..end,
                readings: std::iter::once(start..end).collect(),
                is_short,
                until: end,
                open: Vec::new(),
            });
            continue;
        }
        // A link maker may take more of the path than we would, and a scheme-like text in it.
        let is_one = absolute.is_some_and(|at| !text[start..at].contains(breaks));
        let until = if is_one { run.end } else { run.start + before.len() };
        found.push(with_path(text, start, end, until, around, is_short));
        if is_one {
            return;
        }
    }
    if let Some(start) = absolute {
        let first = text[start..run.end].find(breaks).map_or(run.end, |at| start + at);
        let first = start + text[start..first].trim_end_matches(|c| STOPS.contains(c)).len();
        found.push(with_path(text, start, first, run.end, around, false));
    }
}

/// An address that goes on behind its host: `first` is where its shortest reading ends.
fn with_path(text: &str, start: usize, first: usize, until: usize, around: &mut Around<'_>, is_short: bool) -> Found {
    let end = start + text[start..until].trim_end_matches(CLOSERS).len();
    let readings = readings(text, start, first, end.max(first), until);
    Found {
        range: start..readings.iter().map(|reading| reading.end).max().unwrap_or(end),
        readings,
        is_short,
        until,
        open: around.open_at(start),
    }
}

/// The text that a token may be an address by: all of it, or else what is left where nothing goes on that could be a
/// host.
fn candidates(token: &str) -> Vec<&str> {
    let whole = trimmed(token);
    if is_bare(whole) || hides_scheme(whole) || (whole.is_ascii() && !whole.contains('.')) {
        return vec![whole];
    }
    let slashes = whole.len() - whole.trim_start_matches('/').len();
    let path = whole[slashes..].find(['/', '?', '#']);
    let path = path.map_or(whole.len(), |at| slashes + at);
    let mut pieces = Vec::new();
    let (mut start, mut was_dot) = (0, false);
    for (at, c) in whole[..path].char_indices() {
        let behind = &whole[at + c.len_utf8()..];
        let is_parted = match c {
            ':' | '：' => !begins_with_port(behind),
            '@' | '＠' => !begins_with_host(behind),
            c if is_dot(c) => was_dot,
            c => is_sign(c),
        };
        was_dot = is_dot(c);
        if is_parted {
            pieces.push(trimmed(&whole[start..at]));
            start = at + c.len_utf8();
        }
    }
    pieces.push(trimmed(&whole[start..]));
    pieces
}

fn hides_scheme(token: &str) -> bool {
    !token.is_ascii() && plain(token).contains("://")
}

/// Whether a character is a sign of its own, and no other way to write one of those that mean something in an address.
fn is_sign(c: char) -> bool {
    let is_itself = || plain(c.encode_utf8(&mut [0; 4])).chars().eq([c]);
    !c.is_ascii() && !c.is_alphanumeric() && !clifford_markup::is_deceiving(c) && is_itself()
}

/// A token without the signs around it that are no part of a host.
fn trimmed(token: &str) -> &str {
    let ends = |c: char| is_dot(c) || ":?".contains(c);
    let token = token.trim_start_matches(|c| ends(c) || c == '@').trim_end_matches(ends);
    if token.contains(['/', '?', '#']) {
        token
    } else {
        token.trim_end_matches(|c| ends(c) || "@_-%".contains(c))
    }
}

fn begins_with_port(text: &str) -> bool {
    let rest = text.trim_start_matches(|c: char| c.is_ascii_digit());
    rest.len() < text.len() && (rest.is_empty() || rest.starts_with(['/', '?', '#', ':']))
}

fn begins_with_host(text: &str) -> bool {
    is_bare(text.split([':', '@', '/', '?', '#']).next().unwrap_or_default())
}

/// The readings of an address that begins here: up to a character that breaks it, up to its last bracket that has a
/// partner, and all of it but closing characters.
fn readings(text: &str, start: usize, first: usize, end: usize, until: usize) -> Vec<Range<usize>> {
    let mut readings: Vec<_> = std::iter::once(start..first).collect();
    let mut depth = 0_u32;
    let (mut partner, mut alone) = (start, None);
    for (at, c) in text[start..until].char_indices() {
        match c {
            '(' => depth += 1,
            ')' if depth == 0 => {
                alone = Some(start + at);
                break;
            }
            ')' => {
                depth -= 1;
                partner = start + at + 1;
            }
            _ => {}
        }
    }
    let balanced = alone.unwrap_or(end).min(end).max(partner).max(first);
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
    // With nothing behind it, somebody writes of a scheme.
    let with_scheme = run.split_once("://").and_then(|(before, behind)| {
        let behind = behind.trim_start_matches('/').trim_end_matches(CLOSERS);
        (!behind.is_empty()).then(|| before.trim_end_matches(is_name).len())
    });
    let bare = run.find("//").filter(|at| {
        let token = run[*at..]
            .split(|c: char| BREAKS.contains(c))
            .next()
            .unwrap_or_default();
        (*at == 0 || run[..*at].ends_with(|c: char| BREAKS.contains(c))) && is_bare(token)
    });
    let www = lower
        .find("www.")
        .filter(|at| !ends_name(*at) && lower[at + 4..].starts_with(char::is_alphanumeric));
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
    let (user, name) = host.rsplit_once('@').unwrap_or(("", host));
    // A mail address calls nothing.
    if behind.is_empty() && is_mailbox(user) {
        return false;
    }
    let (name, port) = match name.split_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => (name, !port.is_empty()),
        Some(_) => return false,
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

/// Whether a text stands before the `@` of somebody's address of mail.
fn is_mailbox(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || "._%+-".contains(c))
}

/// Whether a bare address can tell anything: one of two names alone is a file, or the end of a sentence, as often as a
/// host. A number behind a file's name is one of its lines.
fn carries(token: &str) -> bool {
    let token = match token.rsplit_once(':') {
        Some((name, line)) if line.bytes().all(|byte| byte.is_ascii_digit()) && short(name) != Short::Host => name,
        _ => token,
    };
    is_absolute(token)
        || token.contains(['/', '?', '#', ':', '\\'])
        || token.trim_end_matches('.').matches('.').count() >= 2
}

/// The likely meaning of an address of two names alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Short {
    /// A host.
    Host,
    /// A file.
    File,
    /// A file, the end of a sentence, a name in a program, and a host perhaps.
    Unclear,
}

/// The likely meaning of an address of two names alone.
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

/// The pieces of a text between white space and what stands around an address, without the signs of a sentence.
pub(super) fn tokens(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| c.is_whitespace() || c.is_control() || BREAKS.contains(c))
        .map(|token| token.trim_matches(['.', ',', ';', ':', '!', '?']))
        .filter(|token| !token.is_empty())
}
