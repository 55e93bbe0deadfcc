//! Shortens large values to their head and tail, with a mark between them that says how much is missing. Pure.
//!
//! A text is cut between sentences, else between words, never within a character; a list between its entries. The
//! result never exceeds its limit, and is the same for the same input.

use std::borrow::Cow;

use clifford_llm_api::tokens::{Quarters, weigh};
use serde_json::{Map, Value, json};
use unicode_segmentation::UnicodeSegmentation;

use super::weight::{Form, weigh_json};
use crate::messages::Gap;

/// The shortest mark: where nothing else has room.
const LEFT_OUT: &str = "[…]";
/// A character as it is seen has seldom more bytes than these.
const NEAR: usize = 64;
/// The least that a cut part of a value gets.
const LEAST: Quarters = 24;

/// A text that weighs at most so much. `whole` says where all of it can be had.
pub fn text<'a>(text: &'a str, most: Quarters, form: Form, whole: Option<&str>) -> Cow<'a, str> {
    if form.weigh(text) <= most {
        return Cow::Borrowed(text);
    }
    let characters = text.chars().count();
    let Some(room) = beside_mark(characters, most, form, whole) else {
        return shortest(most, form);
    };
    let head = head(text, room - room / 3, form);
    let tail = tail(&text[head.len()..], room / 3, form);
    Cow::Owned(joined(head, tail, characters, whole))
}

/// The same of a text of which only the head and the tail are there, where it has a gap.
pub fn gapped<'a>(text: &'a str, gap: Option<Gap>, most: Quarters, form: Form, whole: Option<&str>) -> Cow<'a, str> {
    let Some(gap) = gap else {
        return self::text(text, most, form, whole);
    };
    let (before, behind) = text.split_at(floor(text, gap.at));
    let characters = text.chars().count() + gap.missing;
    let Some(room) = beside_mark(characters, most, form, whole) else {
        return shortest(most, form);
    };
    let (head, tail) = if form.weigh(text) <= room {
        (before, behind)
    } else {
        (head(before, room - room / 3, form), tail(behind, room / 3, form))
    };
    Cow::Owned(joined(head, tail, characters, whole))
}

/// The room besides the mark of a text that has so many characters; `None`: there is none.
fn beside_mark(characters: usize, most: Quarters, form: Form, whole: Option<&str>) -> Option<Quarters> {
    // No other number in it is longer than this one.
    let longest = mark(characters, characters, whole);
    most.checked_sub(form.weigh(&longest)).filter(|room| *room > 0)
}

fn shortest<'a>(most: Quarters, form: Form) -> Cow<'a, str> {
    Cow::Borrowed(if form.weigh(LEFT_OUT) <= most { LEFT_OUT } else { "" })
}

fn joined(head: &str, tail: &str, characters: usize, whole: Option<&str>) -> String {
    let shown = head.chars().count() + tail.chars().count();
    format!("{head}{}{tail}", mark(characters - shown, characters, whole))
}

fn mark(missing: usize, of: usize, whole: Option<&str>) -> String {
    let whole = whole.map_or_else(String::new, |whole| format!("; {whole}"));
    format!("\n[… {missing} of {of} characters are left out here{whole} …]\n")
}

/// As much of the beginning as weighs at most that, to the end of a sentence or word if one is near.
fn head(text: &str, most: Quarters, form: Form) -> &str {
    let mut weight = 0;
    let mut end = 0;
    for (at, grapheme) in text.grapheme_indices(true) {
        weight += form.weigh(grapheme);
        if weight > most {
            break;
        }
        end = at + grapheme.len();
    }
    let fitting = &text[..end];
    let near = |part: usize| floor(fitting, end - end / part);
    let sentence = |at: &usize| ends_sentence(&fitting[..*at]);
    let breaks = |from: usize| (fitting[from..].char_indices().rev()).map(move |(at, c)| (from + at + c.len_utf8(), c));
    let sentence = breaks(near(4)).map(|(at, _)| at).find(sentence);
    let word = || breaks(near(8)).find(|(_, c)| c.is_whitespace()).map(|(at, _)| at);
    &text[..sentence.or_else(word).unwrap_or(end)]
}

/// The same of the end.
fn tail(text: &str, most: Quarters, form: Form) -> &str {
    // No byte weighs less than a quarter, so that no more than these are looked at.
    let bytes = usize::try_from(most).unwrap_or(usize::MAX).saturating_add(NEAR);
    let text = &text[floor(text, text.len().saturating_sub(bytes))..];
    let mut weight = 0;
    let mut start = text.len();
    for (at, grapheme) in text.grapheme_indices(true).rev() {
        weight += form.weigh(grapheme);
        if weight > most {
            break;
        }
        start = at;
    }
    let fitting = &text[start..];
    let near = |part: usize| floor(fitting, fitting.len() / part);
    let breaks = |to: usize| (fitting[..to].char_indices()).map(|(at, c)| (at + c.len_utf8(), c));
    let sentence = breaks(near(4))
        .map(|(at, _)| at)
        .find(|at| ends_sentence(&fitting[..*at]));
    let word = || breaks(near(8)).find(|(_, c)| c.is_whitespace()).map(|(at, _)| at);
    &fitting[sentence.or_else(word).unwrap_or(0)..]
}

/// The last place of a text at or before this one where a character begins.
fn floor(text: &str, at: usize) -> usize {
    text.floor_char_boundary(at)
}

fn ends_sentence(text: &str) -> bool {
    let mut last = text.chars().rev();
    match (last.next(), last.next()) {
        (Some('\n' | '。' | '！' | '？'), _) => true,
        (Some(space), Some(stop)) => space.is_whitespace() && matches!(stop, '.' | '!' | '?' | ':' | ';' | '…'),
        _ => false,
    }
}

/// A value that weighs at most so much as JSON. Its small parts stay whole; its large ones are cut, each with a mark in
/// its place.
pub fn value(value: &Value, most: Quarters) -> Cow<'_, Value> {
    if weigh_json(value) <= most {
        return Cow::Borrowed(value);
    }
    let cut = match value {
        Value::String(string) => string_within(string, most),
        Value::Array(entries) => array(entries, most),
        Value::Object(fields) => object(fields, most),
        Value::Null | Value::Bool(_) | Value::Number(_) => json!(LEFT_OUT),
    };
    if weigh_json(&cut) <= most {
        return Cow::Owned(cut);
    }
    // Too many parts for marks of their own: as the text that it is.
    Cow::Owned(string_within(&value.to_string(), most))
}

fn string_within(string: &str, most: Quarters) -> Value {
    json!(text(string, most.saturating_sub(2), Form::Json, None))
}

/// The first entries and the last ones.
fn array(entries: &[Value], most: Quarters) -> Value {
    let mark = |missing: usize| {
        json!(format!(
            "[… {missing} of {} entries are left out here …]",
            entries.len()
        ))
    };
    let Some(room) = most.checked_sub(weigh_json(&mark(entries.len())) + 3) else {
        return json!(LEFT_OUT);
    };
    let each = (room / 4).max(LEAST);
    let shown: Vec<_> = entries.iter().map(|entry| value(entry, each)).collect();
    let fitting = |entries: &mut dyn Iterator<Item = &Cow<'_, Value>>, most: Quarters| {
        let mut weight = 0;
        let fits = |entry: &&Cow<'_, Value>| {
            // With the comma behind it.
            weight += weigh_json(entry) + 1;
            weight <= most
        };
        entries.take_while(fits).count()
    };
    let head = fitting(&mut shown.iter(), room - room / 3);
    let tail = fitting(&mut shown[head..].iter().rev(), room / 3);
    let missing = shown.len() - head - tail;
    let mut list: Vec<Value> = shown[..head].iter().map(|entry| entry.as_ref().clone()).collect();
    if missing > 0 {
        list.push(mark(missing));
    }
    list.extend(shown[head + missing..].iter().map(|entry| entry.as_ref().clone()));
    Value::Array(list)
}

/// Every field, each within its share: what the small ones leave the large ones have.
fn object(fields: &Map<String, Value>, most: Quarters) -> Value {
    let names: Quarters = fields.keys().map(|name| weigh_json(name) + 2).sum();
    let Some(mut room) = most.checked_sub(names + 1) else {
        return json!(LEFT_OUT);
    };
    let mut weights: Vec<_> = fields.values().map(weigh_json).collect();
    weights.sort_unstable();
    let mut each = 0;
    for (place, weight) in weights.iter().enumerate() {
        each = room / (weights.len() - place) as Quarters;
        if *weight > each {
            break;
        }
        room -= weight;
    }
    let cut = fields
        .iter()
        .map(|(name, field)| (name.clone(), value(field, each).into_owned()));
    Value::Object(cut.collect())
}

/// Entries that weigh at most so much together, in their order: the first ones, or the last ones.
pub fn list<T>(entries: &[T], most: Quarters, newest: bool, weight: impl Fn(&T) -> Quarters) -> &[T] {
    let mut sum = 0;
    let fits = |entry: &&T| {
        sum += weight(entry);
        sum <= most
    };
    if newest {
        let count = entries.iter().rev().take_while(fits).count();
        &entries[entries.len() - count..]
    } else {
        let count = entries.iter().take_while(fits).count();
        &entries[..count]
    }
}

/// The weight of an entry with the comma behind it.
pub fn with_comma(json: &str) -> Quarters {
    weigh(json) + 1
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn within(input: &str, tokens: Quarters) -> String {
        text(input, tokens * 4, Form::Plain, None).into_owned()
    }

    #[test]
    fn a_long_text_is_cut_between_sentences_and_says_how_much_is_missing() {
        let sentence = "This is a sentence. ";
        let long = sentence.repeat(100);
        let shown = within(&long, 60);
        assert_eq!(
            shown,
            format!(
                "{}\n[… 1820 of 2000 characters are left out here …]\n{}",
                sentence.repeat(6),
                sentence.repeat(3)
            )
        );
        assert_eq!(within("short", 2), "short");
        assert_eq!(within(&long, 5), "[…]");
        let whole = text(&long, 400, Form::Plain, Some("files.read {\"id\":\"step-3\"}"));
        assert!(
            whole.contains("characters are left out here; files.read {\"id\":\"step-3\"} …]"),
            "{whole}"
        );
    }

    #[test]
    fn a_text_of_which_a_part_was_not_read_says_how_much_is_missing() {
        let (head, tail) = ("Begins here. ".repeat(20), "It ends so. ".repeat(20));
        let read = format!("{head}{tail}");
        let gap = Some(Gap {
            at: head.len(),
            missing: 100_000,
        });
        let shown = |tokens: Quarters| gapped(&read, gap, tokens * 4, Form::Plain, None).into_owned();
        assert_eq!(
            shown(1_000),
            format!("{head}\n[… 100000 of 100500 characters are left out here …]\n{tail}")
        );
        let short = shown(60);
        let (before, behind) = (
            short.find("\n[…").expect("a mark"),
            short.find("…]\n").expect("its end") + 5,
        );
        assert!(
            head.starts_with(&short[..before]) && tail.ends_with(&short[behind..]),
            "{short}"
        );
        let missing = 100_500 - before - (short.len() - behind);
        assert!(short.contains(&format!("[… {missing} of 100500 characters")), "{short}");
        assert_eq!(shown(5), "[…]");
        assert_eq!(gapped("short", None, 80, Form::Plain, None), "short");
    }

    #[test]
    fn a_text_is_never_cut_within_a_character() {
        let family = "👩‍👩‍👧‍👦";
        let shown = within(&family.repeat(200), 100);
        let (head, tail) = shown.split_once("\n[…").expect("a mark");
        let (_, tail) = tail.split_once("…]\n").expect("its end");
        for part in [head, tail] {
            assert_eq!(part.replace(family, ""), "", "{shown}");
        }
    }

    #[test]
    fn the_large_fields_of_a_value_are_cut_and_the_small_ones_stay() {
        let list: Vec<_> = (0..200).map(|n| format!("entry {n}")).collect();
        let given = json!({ "name": "web.fetch", "success": true, "result": { "title": "A page", "text": "word ".repeat(500), "links": list } });
        let shown = value(&given, 600);
        assert_eq!((&shown["name"], &shown["success"]), (&given["name"], &given["success"]));
        assert_eq!(shown["result"]["title"], "A page");
        let links = shown["result"]["links"].as_array().expect("a list");
        assert_eq!(
            (&links[0], links.last()),
            (&json!("entry 0"), Some(&json!("entry 199")))
        );
        assert!(links.iter().any(|link| {
            link.as_str()
                .is_some_and(|link| link.ends_with("of 200 entries are left out here …]"))
        }));
        assert!(
            shown["result"]["text"]
                .as_str()
                .is_some_and(|text| text.contains("of 2500 characters"))
        );
        assert!(weigh_json(&*shown) <= 600);
    }

    fn any_value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            "\\PC{0,200}".prop_map(Value::from),
            "[a\"\n\u{0}😀é. ]{0,400}".prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 60, 12, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..12).prop_map(Value::from),
                prop::collection::btree_map("[a-z]{1,20}", inner, 0..8)
                    .prop_map(|fields| Value::Object(fields.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn no_excerpt_weighs_more_than_it_may(input in "[a\"\n\u{0}😀é字. ]{0,600}", most in 0_u64..800, json in any::<bool>()) {
            let form = if json { Form::Json } else { Form::Plain };
            let shown = text(&input, most, form, None);
            prop_assert!(form.weigh(&shown) <= most);
            // A whole text has no mark, and a text without one is whole.
            prop_assert_eq!(shown == input, form.weigh(&input) <= most || shown.is_empty() && input.is_empty());
        }

        #[test]
        fn no_excerpt_of_a_text_with_a_gap_weighs_more_than_it_may(
            head in "[a\"\n😀é字. ]{0,300}", tail in "[a\"😀é字. ]{0,300}", missing in 1_usize..1_000_000, most in 0_u64..800, json in any::<bool>()
        ) {
            let form = if json { Form::Json } else { Form::Plain };
            let text = format!("{head}{tail}");
            let shown = gapped(&text, Some(Gap { at: head.len(), missing }), most, form, None);
            prop_assert!(form.weigh(&shown) <= most);
            prop_assert!(shown.is_empty() || shown == LEFT_OUT || shown.contains("characters are left out here"));
        }

        #[test]
        fn no_value_weighs_more_than_it_may(input in any_value(), most in 20_u64..3000) {
            let shown = value(&input, most);
            prop_assert!(weigh_json(&*shown) <= most, "{} > {}", weigh_json(&*shown), most);
            if weigh_json(&input) <= most {
                prop_assert_eq!(&*shown, &input);
            } else {
                prop_assert_ne!(&*shown, &input);
            }
        }
    }
}
