//! The texts that answer better.

use jiff::tz::TimeZone;
use proptest::prelude::*;

use super::*;
use crate::clock::Timestamp;

fn held(query: &Query, texts: &[&str]) -> Vec<PhraseCounts> {
    texts.iter().map(|text| PhraseCounts::by(query, text)).collect()
}

fn score_all(query: &str, texts: &[&str]) -> Vec<f64> {
    let query = Query::parse(query).expect("terms");
    scores(&held(&query, texts), &Population::default())
}

#[test]
fn better_answers_have_higher_scores() {
    let filler = "and so on ".repeat(40);
    // (query, the better text, the other)
    let cases = [
        ("cat", "the cat and the cat", "the cat and the dog"),
        ("cat", "a cat", &*format!("a cat {filler}")),
        ("cat dog", "cat dog cat dog", "cat dog cat cat"),
        ("port", "the port", "the portrait"),
        ("cat name", "the cat has a name", "the cat and the cat and the cat"),
        (
            "What is my cat named?",
            "my cats have names",
            "what is it with the name",
        ),
    ];
    for (query, better, other) in cases {
        let scores = score_all(query, &[better, other, "nothing of it", "nor of this"]);
        assert!(scores[0] > scores[1], "{query}: {scores:?}");
        assert!(scores[2] == 0.0, "{query}: {scores:?}");
    }
}

#[test]
fn a_rare_word_counts_more_than_a_common_one() {
    let mut texts = vec!["caroline has a parrot", "caroline caroline"];
    texts.extend(["caroline again"; 20]);
    let scores = score_all("caroline parrot", &texts);
    assert!(scores[0] > scores[1] + 1.0, "{scores:?}");
    // Statistics of the other texts make a word as common as it is.
    let query = Query::parse("caroline parrot").expect("terms");
    let few = held(&query, &["a parrot", "caroline"]);
    let known = Population {
        size: 1000,
        holding: vec![900, 0],
    };
    let by_all = super::scores(&few, &known);
    assert!(by_all[0] > 10.0 * by_all[1], "{by_all:?}");
}

fn message(number: u8, context: ContextId, query: &Query, text: &str) -> Ranked {
    Ranked {
        id: id(number),
        number: i64::from(number),
        context,
        moment: Moment::of(
            Timestamp(1_773_831_600_000 + i64::from(number) * 60_000),
            &TimeZone::UTC,
        ),
        held: PhraseCounts::by(query, text),
    }
}

fn id(number: u8) -> MessageId {
    MessageId(uuid::Uuid::from_u128(u128::from(number)))
}

fn places(scored: &[Scored]) -> Vec<i64> {
    scored.iter().map(|one| one.number).collect()
}

#[test]
fn what_stands_beside_a_good_answer_is_found_and_ranked_behind_it() {
    let context = ContextId::new();
    let query = Query::parse("cat called").expect("terms");
    let texts = ["What is your cat called?", "a cat"];
    let messages: Vec<_> = (texts.iter().zip([5, 20]))
        .map(|(text, number)| message(number, context, &query, text))
        .collect();
    let ranking = Ranking::of(
        &messages,
        &[],
        &Population {
            size: 50,
            holding: vec![],
        },
    );
    assert_eq!(places(&ranking.best(10)), [5, 20]);
    let near = |of: u8, number: u8| Nearby {
        of: id(of),
        distance: usize::from(of.abs_diff(number)),
        id: id(number),
        number: i64::from(number),
        context,
        date: messages[0].moment.date(),
    };
    let nearby = [near(5, 4), near(5, 6), near(5, 7), near(20, 21), near(5, 6)];
    assert_eq!(places(&ranking.with_nearby(&nearby)), [5, 20, 6, 4, 21, 7]);
}

#[test]
fn the_whole_conversation_counts_and_so_does_the_time() {
    let query = Query::parse("cat doctor").expect("terms");
    let (one, other) = (ContextId::new(), ContextId::new());
    let messages = [
        message(1, one, &query, "my cat sleeps"),
        message(2, one, &query, "the doctor called"),
        message(3, other, &query, "your cat sleeps"),
        message(4, other, &query, "so it does"),
    ];
    let ranking = Ranking::of(&messages, &[], &Population::default());
    let found = places(&ranking.best(10));
    assert_eq!(found[..3], [2, 1, 3]);
    let minute = |number: u8| messages[usize::from(number) - 1].moment;
    let at = Timestamp(1_773_831_600_000 + 3 * 60_000);
    let time = Time::Between(at, Timestamp(at.0 + 1));
    assert!(minute(3).is_of(time) && !minute(1).is_of(time));
    let ranking = Ranking::of(&messages, &[time], &Population::default());
    assert_eq!(places(&ranking.best(1)), [3]);
}

#[test]
fn of_equals_the_newest_comes_first() {
    let query = Query::parse("train").expect("terms");
    let context = ContextId::new();
    let messages: Vec<_> = (1..=5)
        .map(|number| message(number, context, &query, "the train"))
        .collect();
    let ranking = Ranking::of(&messages, &[], &Population::default());
    assert_eq!(places(&ranking.best(10)), [5, 4, 3, 2, 1]);
}

proptest! {
    #[test]
    fn scores_are_finite_and_nothing_is_below_zero(texts in prop::collection::vec("([a-e]{1,2} ?){0,12}", 0..20), query in "([a-e]{1,2} ){1,5}") {
        let query = Query::parse(&query).expect("terms");
        let texts: Vec<_> = texts.iter().map(|text| PhraseCounts::by(&query, text)).collect();
        for (text, score) in texts.iter().zip(scores(&texts, &Population::default())) {
            prop_assert!(score.is_finite() && score >= 0.0);
            prop_assert_eq!(score > 0.0, text.is_any());
        }
    }
}
