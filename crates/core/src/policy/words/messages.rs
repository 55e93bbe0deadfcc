//! The addresses of a message that nobody outside knows: whoever shows them may fetch them.

use std::{borrow::Cow, ops::Range};

use clifford_markup::Fate;
use clifford_text::{Lang, Outcome};
use url::Url;

use super::KnownWords;
use crate::policy::addresses::{self, Short};

/// A message without the addresses that nobody outside knows: whoever shows it may fetch them, and so tell what stands
/// in them.
pub fn without_unknown<'a>(text: &'a str, known: &[&KnownWords], lang: Lang) -> Cow<'a, str> {
    clifford_markup::cleaned(text, &lang.say(Outcome::LinkRemoved), &Messages(known))
}

/// Judges the addresses of a message: those that one of these knows may stand in it, and those of mail, which nobody
/// fetches.
struct Messages<'a>(&'a [&'a KnownWords]);

impl Messages<'_> {
    /// The addresses of a text that nobody knows.
    fn unknown(&self, text: &str) -> Vec<(Range<usize>, Fate)> {
        let unknown = addresses::all(text)
            .into_iter()
            .filter(|found| !self.0.iter().any(|known| known.has_found(text, found)) && !is_mail(text, &found.range));
        unknown
            .filter_map(|found| {
                let fate = match (found.is_short, addresses::short(text.get(found.range.clone())?)) {
                    (false, _) | (true, Short::Host) => Fate::Removed,
                    (true, Short::Unclear) => Fate::Code,
                    (true, Short::File) => return None,
                };
                Some((found.range, fate))
            })
            .collect()
    }

    /// The same of the text that is left where platforms show some characters and others leave them out.
    fn unknown_if_joined(&self, text: &str) -> Vec<(Range<usize>, Fate)> {
        let (mut joined, mut places) = (String::new(), Vec::new());
        for (at, c) in text.char_indices().filter(|(_, c)| !clifford_markup::is_left_out(*c)) {
            joined.push(c);
            places.extend(at..at + c.len_utf8());
        }
        let placed = |range: Range<usize>| Some(*places.get(range.start)?..places.get(range.end.checked_sub(1)?)? + 1);
        let unknown = self.unknown(&joined).into_iter();
        unknown
            .filter_map(|(range, fate)| Some((placed(range)?, fate)))
            .collect()
    }
}

impl clifford_markup::Judge for Messages<'_> {
    fn may_lead_to(&self, target: &str) -> bool {
        // Browsers pass over these.
        let target: String = target.chars().filter(|c| !matches!(c, '\t' | '\n' | '\r')).collect();
        let target = target.trim_matches(|c: char| c.is_whitespace() || c.is_control());
        let begins = |scheme: &str| {
            target
                .get(..scheme.len())
                .is_some_and(|head| head.eq_ignore_ascii_case(scheme))
        };
        if begins("mailto:") || begins("tel:") {
            return true;
        }
        if !addresses::request_addresses(target).is_empty() {
            return self.0.iter().any(|known| known.has(target));
        }
        // The rest leads nowhere but within the page that shows it.
        addresses::whole(target) == Ok(None)
            && Url::parse(target).is_err()
            && !target.starts_with("//")
            && !target.contains('\\')
    }

    fn unwanted(&self, text: &str) -> Vec<(Range<usize>, Fate)> {
        let mut unwanted = self.unknown(text);
        if !text.contains(clifford_markup::is_left_out) {
            return unwanted;
        }
        unwanted.extend(self.unknown_if_joined(text));
        unwanted.sort_by_key(|(range, _)| (range.start, range.end));
        unwanted.dedup_by(|(next, fate), (last, before)| {
            let overlaps = next.start < last.end;
            if overlaps {
                last.end = last.end.max(next.end);
                *before = if *fate == *before { *fate } else { Fate::Removed };
            }
            overlaps
        });
        unwanted
    }

    fn is_unwanted_in_code(&self, text: &str) -> bool {
        let joined: String = text.chars().filter(|c| !clifford_markup::is_left_out(*c)).collect();
        let tells = |text: &str| {
            let found = addresses::all(text).into_iter();
            let mut unknown = found.filter(|found| {
                !found.is_short
                    && !is_mail(text, &found.range)
                    && !self.0.iter().any(|known| known.has_found(text, found))
            });
            unknown.next().is_some()
        };
        tells(text) || (joined != text && tells(&joined))
    }
}

/// Whether what stands at a place is the host of an address of mail, and nothing more: a name, `@`, a host.
fn is_mail(text: &str, host: &Range<usize>) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || "._%+-@".contains(c);
    let before: String = text[..host.start].chars().rev().take_while(|c| is_part(*c)).collect();
    let written = text.get(host.clone()).unwrap_or_default();
    let behind = text[host.end..].chars().next();
    let is_host = written.chars().all(is_part) && !behind.is_some_and(|c| "/?#:=&\\".contains(c) || is_part(c));
    let name = match written.split_once('@') {
        Some((name, _)) => name.to_owned(),
        None if before.starts_with('@') => before[1..].chars().rev().collect(),
        None => return false,
    };
    // Behind another sign than these it is a part of something longer.
    let start = text[..host.start].len() - if written.contains('@') { 0 } else { before.len() };
    let opens = text[..start].chars().next_back();
    let is_alone = opens.is_none_or(|c| c.is_whitespace() || "([<{\"'`*|,;".contains(c));
    is_host && is_alone && !name.is_empty() && !name.contains('@') && written.matches('@').count() <= 1
}
