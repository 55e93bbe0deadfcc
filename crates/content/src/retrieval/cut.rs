//! Cuts a text into pieces that a model can take: between paragraphs or sentences, else between words.

use clifford_llm_api::tokens::estimate_tokens;
use unicode_segmentation::UnicodeSegmentation;

/// The most tokens of a piece.
const TOKENS: u64 = 320;
/// How many of them a piece may share with the one before, so that what belongs together is not torn apart.
const OVERLAP: u64 = 40;
/// From how many on a piece ends where a paragraph does.
const ENOUGH: u64 = 200;

/// How many bytes are looked through for the ends of sentences at a time.
const WINDOW: usize = 1_024;

/// The pieces of a text, in order; none is empty.
pub fn cut(text: &str) -> Vec<String> {
    let mut pieces = Vec::new();
    let mut current: Vec<&str> = Vec::new();
    for unit in units(text) {
        let size = estimate_tokens(&current.concat());
        let is_full = estimate_tokens(&[current.concat().as_str(), unit].concat()) > TOKENS;
        let is_rounded = size >= ENOUGH && current.last().is_some_and(|last| last.trim().is_empty());
        if is_full || is_rounded {
            pieces.push(current.concat());
            current = if is_rounded { Vec::new() } else { tail(&current, unit) };
        }
        current.push(unit);
    }
    pieces.push(current.concat());
    let trimmed = pieces
        .iter()
        .map(|piece| piece.trim())
        .filter(|piece| !piece.is_empty());
    trimmed.map(str::to_owned).collect()
}

/// The units that are not cut: sentences (lines end them, too); words of a sentence that is too long; characters of
/// such a word.
fn units(text: &str) -> impl Iterator<Item = &str> {
    let fits = |unit: &str| estimate_tokens(unit) <= TOKENS;
    sentences(text).flat_map(move |sentence| {
        if fits(sentence) {
            return vec![sentence];
        }
        let words = sentence.split_word_bounds();
        words
            .flat_map(|word| {
                if fits(word) {
                    vec![word]
                } else {
                    word.graphemes(true).collect()
                }
            })
            .collect()
    })
}

/// The sentences of a text, found window by window: a full stop and ten thousand brackets behind it cost the square of
/// their number. A sentence that is longer than a window is cut between words.
fn sentences(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    let windows = std::iter::from_fn(move || {
        if rest.len() <= WINDOW {
            let last = std::mem::take(&mut rest);
            return (!last.is_empty()).then(|| last.split_sentence_bounds().collect::<Vec<_>>());
        }
        let window = &rest[..rest.floor_char_boundary(WINDOW)];
        let mut found: Vec<_> = window.split_sentence_bounds().collect();
        // The last one may go on behind the window.
        if found.len() > 1 {
            found.pop();
        } else {
            let end = window.rfind(char::is_whitespace).filter(|end| *end > 0);
            found = vec![&window[..end.unwrap_or(window.len())]];
        }
        rest = &rest[found.iter().map(|sentence| sentence.len()).sum()..];
        Some(found)
    });
    windows.flatten()
}

/// The end of a piece with which the next one begins, if it leaves room for what comes.
fn tail<'a>(piece: &[&'a str], next: &str) -> Vec<&'a str> {
    let mut tail: Vec<&str> = Vec::new();
    for unit in piece.iter().rev() {
        let longer = [unit, tail.concat().as_str()].concat();
        if estimate_tokens(&longer) > OVERLAP || estimate_tokens(&[longer.as_str(), next].concat()) > TOKENS {
            break;
        }
        tail.insert(0, unit);
    }
    tail
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_short_text_is_one_piece_and_nothing_is_none() {
        assert_eq!(cut("One.\n\nTwo."), ["One.\n\nTwo."]);
        assert_eq!(cut(" \n "), Vec::<String>::new());
    }

    #[test]
    fn a_long_text_is_cut_between_sentences() {
        let sentence = "The quick brown fox jumps over the lazy dog near the river. ";
        let pieces = cut(&sentence.repeat(200));
        assert!(pieces.len() > 5, "{}", pieces.len());
        for piece in &pieces {
            assert!(piece.starts_with("The quick") && piece.ends_with("river."), "{piece}");
        }
    }

    #[test]
    fn a_piece_that_is_long_enough_ends_with_its_paragraph() {
        let paragraph = "A sentence of a paragraph that goes on for a while. ".repeat(20);
        let pieces = cut(&format!(
            "{}\n\n{}\n\n{}",
            paragraph.trim(),
            paragraph.trim(),
            paragraph.trim()
        ));
        assert_eq!(pieces, vec![paragraph.trim(); 3]);
    }

    #[test]
    fn what_makes_the_search_for_sentences_quadratic_is_cut_in_time() {
        for unit in [")", "\u{201d}", "'", " "] {
            let text = format!("a.{}", unit.repeat(40_000));
            assert_eq!(sentences(&text).collect::<String>(), text);
            assert!(!cut(&text).is_empty());
        }
    }

    proptest! {
        #[test]
        fn sentences_are_the_whole_text_and_those_of_a_short_one_as_they_are(text in "[a-zA-Zé .!?)\n]{0,3000}") {
            prop_assert_eq!(sentences(&text).collect::<String>(), text.as_str());
            let short = &text[..text.floor_char_boundary(WINDOW)];
            prop_assert_eq!(sentences(short).collect::<Vec<_>>(), short.split_sentence_bounds().collect::<Vec<_>>());
        }

        #[test]
        fn every_word_is_in_a_piece_and_no_piece_is_too_long(words in prop::collection::vec("[a-zé語]{1,12}[.,\n]?", 0..400)) {
            let pieces = cut(&words.join(" "));
            for piece in &pieces {
                prop_assert!(estimate_tokens(piece) <= TOKENS && !piece.trim().is_empty());
            }
            for word in &words {
                prop_assert!(pieces.iter().any(|piece| piece.contains(word.trim())));
            }
        }

        #[test]
        fn any_text_is_cut(text in "\\PC{0,200}", times in 1_usize..30) {
            for piece in cut(&text.repeat(times)) {
                prop_assert!(estimate_tokens(&piece) <= TOKENS);
            }
        }
    }
}
