//! As much of Prometheus's query language as tells which metrics and labels a query uses.

use std::collections::BTreeSet;

/// The metrics of a query: each with the labels that it is chosen or grouped by.
pub type Used = Vec<(String, BTreeSet<String>)>;

/// Words before a list of labels.
const GROUPINGS: [&str; 4] = ["by", "without", "on", "ignoring"];
/// Functions, aggregations and operators that are known.
const KNOWN: [&str; 14] = [
    "sum",
    "max",
    "min",
    "avg",
    "topk",
    "rate",
    "increase",
    "histogram_quantile",
    "clamp_min",
    "time",
    "and",
    "or",
    "unless",
    "sort_desc",
];

#[derive(Clone, Debug, PartialEq)]
enum Token {
    Word(String),
    Text(String),
    Sign(char),
}

/// Reads a query.
///
/// # Errors
/// It cannot be one.
pub fn read(query: &str) -> Result<Used, String> {
    let tokens = tokens(query)?;
    let mut used = Used::new();
    let mut grouped = BTreeSet::new();
    let mut open = Vec::new();
    let mut rest = tokens.as_slice();
    while let [token, after @ ..] = rest {
        rest = after;
        match token {
            Token::Word(word) if GROUPINGS.contains(&word.as_str()) => {
                let (labels, after) = list(rest, ('(', ')'))?;
                rest = after;
                for label in labels {
                    match label.as_slice() {
                        [Token::Word(name)] if name == "le" || !name.is_empty() => drop(grouped.insert(name.clone())),
                        other => return Err(format!("no label: {other:?}")),
                    }
                }
            }
            Token::Word(word) if rest.first() == Some(&Token::Sign('(')) => {
                if !KNOWN.contains(&word.as_str()) {
                    return Err(format!("no function: {word}"));
                }
            }
            Token::Word(word) if KNOWN.contains(&word.as_str()) => {}
            Token::Word(word) if word.starts_with(|first: char| first.is_ascii_digit()) => {}
            Token::Word(word) => {
                let mut labels = BTreeSet::new();
                if rest.first() == Some(&Token::Sign('{')) {
                    let (matchers, after) = list(rest, ('{', '}'))?;
                    rest = after;
                    for matcher in matchers {
                        match matcher.as_slice() {
                            [Token::Word(name), Token::Sign('=' | '~' | '!'), .., Token::Text(_)] => {
                                labels.insert(name.clone());
                            }
                            other => return Err(format!("no matcher: {other:?}")),
                        }
                    }
                }
                used.push((word.clone(), labels));
            }
            Token::Sign(sign @ ('(' | '[' | '{')) => open.push(*sign),
            Token::Sign(sign @ (')' | ']' | '}')) => {
                let expected = open.pop();
                if !matches!((expected, sign), (Some('('), ')') | (Some('['), ']') | (Some('{'), '}')) {
                    return Err(format!("`{sign}` closes nothing"));
                }
            }
            Token::Sign(_) | Token::Text(_) => {}
        }
    }
    if !open.is_empty() || used.is_empty() {
        return Err("it is not whole".to_owned());
    }
    // The labels of a grouping must be on every metric in it.
    for (_, labels) in &mut used {
        labels.extend(grouped.iter().cloned());
    }
    Ok(used)
}

type List<'a> = (Vec<Vec<Token>>, &'a [Token]);

/// The text between two signs, divided at commas, and the rest.
fn list(tokens: &[Token], (begin, end): (char, char)) -> Result<List<'_>, String> {
    let closes = tokens.iter().position(|token| *token == Token::Sign(end));
    match (tokens.first(), closes) {
        (Some(first), Some(closes)) if *first == Token::Sign(begin) => {
            let items = tokens[1..closes].split(|token| *token == Token::Sign(','));
            let items = items.filter(|item| !item.is_empty()).map(<[Token]>::to_vec);
            Ok((items.collect(), &tokens[closes + 1..]))
        }
        _ => Err(format!("no list between {begin} and {end}")),
    }
}

fn tokens(query: &str) -> Result<Vec<Token>, String> {
    let mut tokens = Vec::new();
    let mut rest = query.trim_start();
    while let Some(first) = rest.chars().next() {
        let length = if first == '"' {
            let end = rest[1..].find('"').ok_or("a text has no end")?;
            tokens.push(Token::Text(rest[1..=end].to_owned()));
            end + 2
        } else if first.is_ascii_alphanumeric() || first == '_' || first == '$' {
            let is_word = |c: char| c.is_ascii_alphanumeric() || "_:.$".contains(c);
            let length = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
            let word = &rest[..length];
            // A range such as `[$__rate_interval]` names nothing.
            if !word.starts_with('$') {
                tokens.push(Token::Word(word.to_owned()));
            }
            length
        } else if "(){}[],=~!+-*/<>".contains(first) {
            tokens.push(Token::Sign(first));
            1
        } else {
            return Err(format!("`{first}` is nothing known"));
        };
        rest = rest[length..].trim_start();
    }
    Ok(tokens)
}

#[test]
fn a_query_is_read_for_its_metrics_and_labels_and_a_broken_one_is_refused() {
    let set = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<BTreeSet<_>>();
    let query = "sum by (le, tool) (rate(a_bucket{tool=~\"x.*\", outcome!=\"y\"}[$__rate_interval])) / 2 > b";
    assert_eq!(
        read(query),
        Ok(vec![
            ("a_bucket".to_owned(), set(&["le", "outcome", "tool"])),
            ("b".to_owned(), set(&["le", "tool"])),
        ])
    );
    for broken in [
        "",
        "sum(",
        "rate(a[5m]",
        "guess(a)",
        "a{b}",
        "a{b=\"c}",
        "sum by a (b)",
        "1 + 2",
        "a)",
    ] {
        assert!(read(broken).is_err(), "{broken}");
    }
}
