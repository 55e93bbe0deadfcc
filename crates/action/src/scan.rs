//! Where JSON values begin and end in any text, in linear time.
//!
//! A scan starts at a bracket and follows JSON's grammar until the bracket closes or the text can no longer be
//! JSON. It remembers the fate of every bracket on its way, so that no bracket outside a string is scanned for
//! twice. A later scan can only start inside what an earlier one took for a string; it then takes for strings
//! what the other took for structure, and both never run over the same byte with the same view. So every byte
//! is read at most twice, plus one byte where each scan fails.

use std::collections::HashMap;

/// Finds the ends of the objects and arrays of one text.
pub(crate) struct Scanner<'a> {
    text: &'a str,
    /// The fate of every bracket seen.
    fates: HashMap<usize, Fate>,
    work: usize,
}

/// The fate of an opening bracket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    /// It closes, and what lies between is JSON: the offset behind its partner.
    Whole(usize),
    /// The text ends before it closes; all up to there could be JSON.
    Cut,
    /// No JSON follows it.
    Broken,
}

/// The reading of an opening brace in the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Object<'a> {
    /// A whole object.
    Whole(&'a str),
    /// An object that the end of the text cuts off.
    Cut(&'a str),
}

/// The token that may come next.
#[derive(Clone, Copy)]
enum Next {
    Value,
    FirstItem,
    FirstKey,
    Key,
    Colon,
    CommaOrEnd,
}

impl<'a> Scanner<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        Self {
            text,
            fates: HashMap::new(),
            work: 0,
        }
    }

    /// The whole object or array that begins at `start`, if there is one.
    pub(crate) fn value_at(&mut self, start: usize) -> Option<&'a str> {
        match self.fate(start) {
            Fate::Whole(end) => self.text.get(start..end),
            Fate::Cut | Fate::Broken => None,
        }
    }

    /// The first object at or behind `from` that is whole or cut off, and its offset.
    pub(crate) fn object_from(&mut self, from: usize) -> Option<(usize, Object<'a>)> {
        let mut at = from;
        loop {
            at += self.text.get(at..)?.find('{')?;
            match self.fate(at) {
                Fate::Whole(end) => return Some((at, Object::Whole(self.text.get(at..end)?))),
                Fate::Cut => return Some((at, Object::Cut(self.text.get(at..)?))),
                Fate::Broken => at += 1,
            }
        }
    }

    fn fate(&mut self, start: usize) -> Fate {
        if let Some(fate) = self.fates.get(&start) {
            return *fate;
        }
        if !matches!(self.text.as_bytes().get(start), Some(b'{' | b'[')) {
            return Fate::Broken;
        }
        let mut open = Vec::new();
        let stop = self.scan(start, &mut open);
        self.work += stop - start + 1;
        if stop == self.text.len() {
            self.fates.extend(open.into_iter().map(|opened| (opened, Fate::Cut)));
        }
        self.fates.get(&start).copied().unwrap_or(Fate::Broken)
    }

    /// How many bytes were looked at so far.
    #[cfg(test)]
    pub(crate) fn work(&self) -> usize {
        self.work
    }

    /// Follows the grammar from the bracket at `start`, and returns where it stopped. `open` keeps the brackets that
    /// were not closed by then.
    fn scan(&mut self, start: usize, open: &mut Vec<usize>) -> usize {
        let bytes = self.text.as_bytes();
        let mut next = Next::Value;
        let mut at = start;
        while let Some(&byte) = bytes.get(at) {
            match (next, byte) {
                (_, b' ' | b'\t' | b'\n' | b'\r') => at += 1,
                (Next::Value | Next::FirstItem, b'{' | b'[') => {
                    self.fates.insert(at, Fate::Broken);
                    open.push(at);
                    next = if byte == b'{' { Next::FirstKey } else { Next::FirstItem };
                    at += 1;
                }
                (Next::FirstKey | Next::CommaOrEnd, b'}') | (Next::FirstItem | Next::CommaOrEnd, b']') => {
                    let partner = if byte == b'}' { b'{' } else { b'[' };
                    let Some(opened) = open.pop().filter(|&opened| bytes.get(opened) == Some(&partner)) else {
                        return at;
                    };
                    at += 1;
                    self.fates.insert(opened, Fate::Whole(at));
                    if open.is_empty() {
                        return at;
                    }
                    next = Next::CommaOrEnd;
                }
                (Next::CommaOrEnd, b',') => {
                    let in_object = open.last().and_then(|&opened| bytes.get(opened)) == Some(&b'{');
                    next = if in_object { Next::Key } else { Next::Value };
                    at += 1;
                }
                (Next::Colon, b':') => {
                    next = Next::Value;
                    at += 1;
                }
                (Next::FirstKey | Next::Key | Next::Value | Next::FirstItem, b'"') => {
                    match string_end(bytes, at) {
                        Ok(end) => at = end,
                        Err(stop) => return stop,
                    }
                    next = if matches!(next, Next::FirstKey | Next::Key) {
                        Next::Colon
                    } else {
                        Next::CommaOrEnd
                    };
                }
                (Next::Value | Next::FirstItem, _) => {
                    match scalar_end(self.text, at) {
                        Ok(end) => at = end,
                        Err(stop) => return stop,
                    }
                    next = Next::CommaOrEnd;
                }
                _ => return at,
            }
        }
        at
    }
}

/// The offset behind the string whose quote stands at `start`, or where it stops being one.
fn string_end(bytes: &[u8], start: usize) -> Result<usize, usize> {
    let mut at = start + 1;
    loop {
        at += match bytes.get(at) {
            Some(b'"') => return Ok(at + 1),
            Some(b'\\') => match bytes.get(at + 1) {
                Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => 2,
                Some(b'u') => 2 + unicode_digits(bytes, at + 2)?,
                Some(_) => return Err(at),
                None => return Err(bytes.len()),
            },
            Some(0x20..) => 1,
            Some(_) | None => return Err(at),
        };
    }
}

/// The four digits at `start`, or where they stop being such.
fn unicode_digits(bytes: &[u8], start: usize) -> Result<usize, usize> {
    let digits = bytes
        .iter()
        .skip(start)
        .take(4)
        .take_while(|byte| byte.is_ascii_hexdigit())
        .count();
    if digits == 4 { Ok(digits) } else { Err(start + digits) }
}

/// The offset behind the number or literal at `start`, or where it stops being one.
fn scalar_end(text: &str, start: usize) -> Result<usize, usize> {
    let rest = text.get(start..).unwrap_or_default();
    for literal in ["true", "false", "null"] {
        if rest.starts_with(literal) {
            return Ok(start + literal.len());
        }
        if literal.starts_with(rest) {
            return Err(text.len());
        }
    }
    let length = rest
        .bytes()
        .take_while(|byte| matches!(byte, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E'))
        .count();
    let number = rest.get(..length).unwrap_or_default();
    if number.parse::<serde_json::Number>().is_ok() {
        Ok(start + length)
    } else {
        Err(start + length)
    }
}

#[cfg(test)]
mod tests {
    use super::{Object, Scanner};

    fn objects(text: &str) -> Vec<&str> {
        let mut scanner = Scanner::new(text);
        let mut found = Vec::new();
        let mut from = 0;
        while let Some((start, object)) = scanner.object_from(from) {
            from = start + 1;
            if let Object::Whole(object) = object {
                found.push(object);
                from = start + object.len();
            }
        }
        found
    }

    /// How many bytes were looked at to find all that is in `text`.
    fn work(text: &str) -> usize {
        let mut scanner = Scanner::new(text);
        for (at, _) in text.match_indices(['{', '[']) {
            scanner.value_at(at);
        }
        scanner.work()
    }

    #[test]
    fn whole_objects_are_found_from_the_front() {
        let cases: &[(&str, &[&str])] = &[
            ("", &[]),
            ("no brackets", &[]),
            ("a {} b {} c", &["{}", "{}"]),
            (r#"{"a":{"b":[{}]}}"#, &[r#"{"a":{"b":[{}]}}"#]),
            (r#"say "{"a":1}" now"#, &[r#"{"a":1}"#]),
            (r#"{"a":"} \" {"} {"#, &[r#"{"a":"} \" {"}"#]),
            (r#"{ cut {"a":-1.5e+3,"b":null}"#, &[r#"{"a":-1.5e+3,"b":null}"#]),
            (
                r#"{"cut":[true,{"a":1},{"b":false},"#,
                &[r#"{"a":1}"#, r#"{"b":false}"#],
            ),
            (r#"{ it's "odd } {"a":1}"#, &[r#"{"a":1}"#]),
            (r#"{"odd { quote" {"a":1}"#, &[r#"{"a":1}"#]),
            (
                r#"{"a":1,} {"b":01} {"c":+1} {"d" 1} {"e":tru} {"f":"\x"} {"g":"\u12g4"}"#,
                &[],
            ),
            (
                "{\"raw\":\"new\nline\"} {\"a\":\"\\u00e9\\/\"}",
                &["{\"a\":\"\\u00e9\\/\"}"],
            ),
            (r#"{"a":[1} {"b":{]} [} ]"#, &[]),
            (
                r#"{"é":"ü"} ✓ {"日本":["語"]}"#,
                &[r#"{"é":"ü"}"#, r#"{"日本":["語"]}"#],
            ),
        ];
        for (text, expected) in cases {
            assert_eq!(&objects(text), expected, "{text}");
        }
    }

    #[test]
    fn every_bracket_knows_its_end_whatever_scan_saw_it() {
        let text = r#"[{"a":[1,2]}, {"#;
        let mut scanner = Scanner::new(text);
        let values: Vec<_> = (0..=text.len()).filter_map(|at| scanner.value_at(at)).collect();
        assert_eq!(values, [r#"{"a":[1,2]}"#, "[1,2]"]);
    }

    #[test]
    fn an_object_that_the_end_cuts_off_is_told_from_one_that_is_broken() {
        let first = |text| Scanner::new(text).object_from(0).map(|(_, object)| object);
        for cut in [
            "{",
            "{\"",
            "{\"a",
            "{\"a\\",
            "{\"a\\u00",
            "{\"a\"",
            "{\"a\":",
            "{\"a\":tr",
            "{\"a\":1",
            "{\"a\":[{\"b\":2},",
        ] {
            assert_eq!(first(cut), Some(Object::Cut(cut)));
        }
        for broken in ["{a", "{\"a\" b", "{\"a\":x", "{\"a\":[}", "{,", "{\"\\x"] {
            assert_eq!(first(broken), None, "{broken}");
        }
    }

    #[test]
    fn work_is_linear_whatever_the_text() {
        let units = [
            "{",
            "}",
            "[",
            "]",
            "[{",
            "{}",
            "[]",
            "\"",
            "{\"",
            "\"{",
            "{\"a\":",
            "{\"a\":[",
            "{\"a\":\"",
            "{\"{\":\"{\",",
            "[\"[\",",
            "{\"a\":{},",
            "{\"a\":{\"b\":1},\"c\":",
            "\\",
            "{\"\\",
            "[\"\\\"",
            "{ ",
            "{\"a\":1",
            "[1,",
            "[-",
            "{\"x\":\"{\\\"",
            "\",\"[",
            "[\",\",[\"",
            "{\"é\":",
            "```{",
            "[{\"a\":\"}]\"},",
        ];
        for unit in units {
            for tail in ["", "\"", "}", "]", "\"}"] {
                let n = 2_000;
                let once = work(&(unit.repeat(n) + tail));
                let twice = work(&(unit.repeat(2 * n) + tail));
                let length = unit.len() * n + tail.len();
                assert!(once <= 3 * length, "{unit:?} {tail:?}: {once} steps for {length} bytes");
                assert!(
                    twice <= 2 * once + 2 * unit.len() + 8,
                    "{unit:?} {tail:?}: {once} steps, then {twice}"
                );
            }
        }
    }

    #[test]
    fn a_megabyte_of_opening_brackets_is_survived() {
        assert_eq!(objects(&"{".repeat(1 << 20)), Vec::<&str>::new());
        assert_eq!(objects(&"{\"a\":".repeat(1 << 18)), Vec::<&str>::new());
        let deep = "{\"a\":".repeat(1 << 16) + "1" + &"}".repeat(1 << 16);
        assert_eq!(objects(&deep), [&deep]);
    }
}
