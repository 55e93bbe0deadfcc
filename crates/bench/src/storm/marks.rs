//! The marks by which answers are matched to messages: `q17` in a question, `a17p1of2` in its answer.

/// A part of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Piece {
    /// The number of the message that it answers.
    pub question: usize,
    /// Its place among the parts of the answer, from 1.
    pub part: usize,
    /// How many there are.
    pub of: usize,
}

/// A message's mark.
pub fn question(number: usize) -> String {
    format!("q{number}")
}

/// An answer's mark.
pub fn answer(piece: Piece) -> String {
    let Piece { question, part, of } = piece;
    format!("a{question}p{part}of{of}")
}

/// How the mark of each part of a message's answer begins.
pub fn start_of_answer(number: usize) -> String {
    format!("a{number}p")
}

/// The messages that a text holds, in order.
pub fn questions(text: &str) -> Vec<usize> {
    let number = |word: &str| word.strip_prefix('q')?.parse().ok();
    words(text).filter_map(number).collect()
}

/// The parts of answers that a text holds, in order.
pub fn pieces(text: &str) -> Vec<Piece> {
    words(text).filter_map(piece).collect()
}

fn piece(word: &str) -> Option<Piece> {
    let (question, rest) = word.strip_prefix('a')?.split_once('p')?;
    let (part, of) = rest.split_once("of")?;
    Some(Piece {
        question: question.parse().ok()?,
        part: part.parse().ok()?,
        of: of.parse().ok()?,
    })
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_ascii_alphanumeric())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_found_among_words_and_nothing_else_is_one() {
        let piece = Piece {
            question: 17,
            part: 2,
            of: 3,
        };
        assert_eq!(pieces(&format!("Here: {}, as asked. a1 apart", answer(piece))), [piece]);
        let text = format!("[Ada] @clifford_bot {} and {}? quick", question(4), question(5));
        assert_eq!(questions(&text), [4, 5]);
    }
}
