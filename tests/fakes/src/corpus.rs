//! Long conversations of several people with known answers, which a search must find or must not. Made of a seed, so
//! that each is the same everywhere.
//!
//! Each person has a private conversation over many days; some share a group, where every line begins with its
//! speaker's name. Questions are asked as people ask them: with other words and forms than those of the answer, with
//! names, and with times. Lines of the same kind about other things stand all around.

/// A conversation over some days.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conversation {
    /// The owner; `None`: it is a group's.
    pub person: Option<&'static str>,
    /// Its days, in order.
    pub sessions: Vec<Session>,
}

/// The talk of one day.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Session {
    /// When it began, in milliseconds since the epoch.
    pub at: i64,
    /// The lines, in order.
    pub lines: Vec<String>,
}

/// A question whose answer is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// The conversation that holds the answer.
    pub conversation: usize,
    /// The question.
    pub text: String,
    /// The lines that answer it: session and line.
    pub answers: Vec<(usize, usize)>,
}

/// Conversations and what is asked of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Corpus {
    /// The conversations.
    pub conversations: Vec<Conversation>,
    /// The questions.
    pub questions: Vec<Question>,
}

const PEOPLE: [&str; 8] = ["Ada", "Bob", "Carla", "Dmitri", "Elif", "Femi", "Greta", "Hugo"];
const DAY: i64 = 86_400_000;
/// 9 January 2023, 18:00 UTC.
const BEGIN: i64 = 1_673_287_200_000;

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];
const ANIMALS: [&str; 8] = [
    "cat", "dog", "parrot", "tortoise", "rabbit", "hamster", "pony", "lizard",
];
const PET_NAMES: [&str; 8] = [
    "Zorro", "Biscuit", "Nimbus", "Pepper", "Waffle", "Comet", "Olive", "Maple",
];
const PLACES: [&str; 8] = ["Lisbon", "Oslo", "Kyoto", "Tbilisi", "Quito", "Dakar", "Hobart", "Riga"];
const JOBS: [&str; 8] = [
    "nurse",
    "carpenter",
    "pilot",
    "baker",
    "lawyer",
    "welder",
    "florist",
    "chemist",
];
const INSTRUMENTS: [&str; 8] = [
    "cello", "oboe", "banjo", "trumpet", "harp", "ukulele", "bassoon", "piano",
];
const CLASSES: [&str; 8] = [
    "pottery",
    "sailing",
    "salsa",
    "archery",
    "drawing",
    "judo",
    "calligraphy",
    "juggling",
];
const DISHES: [&str; 8] = [
    "lasagna",
    "ramen",
    "paella",
    "goulash",
    "dumplings",
    "risotto",
    "curry",
    "moussaka",
];
const BOOKS: [&str; 8] = [
    "dragons",
    "lighthouses",
    "submarines",
    "beekeeping",
    "glaciers",
    "orchids",
    "castles",
    "comets",
];
const RACES: [&str; 8] = [
    "marathon",
    "triathlon",
    "regatta",
    "relay",
    "biathlon",
    "rally",
    "decathlon",
    "steeplechase",
];

const SMALL_TALK: [&str; 24] = [
    "The weather was lovely here, we sat outside until it got dark.",
    "I'm so tired, work has been a lot lately.",
    "That sounds great! Tell me more about it.",
    "What are you up to this weekend?",
    "I totally get that, it's hard to find the time.",
    "My phone keeps dying, I need another battery.",
    "We watched a film last night but I fell asleep halfway.",
    "Thanks for asking, things are going fine.",
    "The traffic was terrible again this morning.",
    "I've been meaning to call my brother for days.",
    "Let me know how it goes, fingers crossed!",
    "It was nice to see everybody again after such a long time.",
    "I cleaned the whole kitchen and found the missing spoon.",
    "Do you remember that restaurant near the station?",
    "My neighbour plays loud music every evening.",
    "I went to bed early and still overslept.",
    "Honestly, a quiet day is all that I need.",
    "The kids were excited about the snow.",
    "I should really drink less coffee.",
    "We talked about moving, but nothing is decided.",
    "The meeting was moved again, of course.",
    "I love how calm it is at the lake.",
    "He said that he would be late, as always.",
    "Good luck with that, you will do well!",
];

/// The numbers of a seed.
struct Draw(u64);

impl Draw {
    fn below(&mut self, count: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap_or(0) % count.max(1)
    }

    fn of<'a>(&mut self, texts: &[&'a str]) -> &'a str {
        texts[self.below(texts.len())]
    }

    /// One of these that is not this one.
    fn other<'a>(&mut self, texts: &[&'a str], than: &str) -> &'a str {
        loop {
            let text = self.of(texts);
            if text != than {
                return text;
            }
        }
    }
}

/// A person's fact, and the question for it.
struct Fact {
    /// The lines, one after another; the first person speaks.
    lines: Vec<String>,
    /// The line that answers.
    answer: usize,
    question: String,
}

/// Makes a corpus: so many days for each conversation, so many lines on each.
pub fn corpus(seed: u64, days: usize, lines: usize) -> Corpus {
    let mut draw = Draw(seed);
    let mut corpus = Corpus::default();
    for (place, person) in PEOPLE.iter().enumerate() {
        converse(&mut corpus, &mut draw, Some((place, person)), days, lines);
    }
    converse(&mut corpus, &mut draw, None, days, lines);
    corpus
}

fn converse(corpus: &mut Corpus, draw: &mut Draw, person: Option<(usize, &'static str)>, days: usize, lines: usize) {
    let conversation = corpus.conversations.len();
    let mut sessions = Vec::with_capacity(days);
    let mut at = BEGIN;
    for day in 0..days {
        at += DAY * i64::try_from(5 + draw.below(16)).unwrap_or(5);
        let place = person.map_or(day, |(place, _)| place);
        let speaker = person.map_or(PEOPLE[day % 3], |(_, person)| person);
        let mut said: Vec<Vec<String>> = (0..lines).map(|_| vec![draw.of(&SMALL_TALK).to_owned()]).collect();
        said.extend((0..4).map(|_| vec![distractor(draw, place)]));
        let kinds = [day * 2 % 10, (day * 2 + 1) % 10];
        // Of each kind once, so that no other line answers as well.
        let facts: Vec<_> = (kinds.into_iter())
            .filter(|_| day < 5)
            .map(|kind| fact(kind, draw, place, speaker, at))
            .collect();
        let mut answers = Vec::new();
        for fact in facts {
            let at = draw.below(said.len());
            said.insert(at, fact.lines.clone());
            answers.push(fact);
        }
        let mut flat = Vec::new();
        for group in said {
            if let Some(fact) = answers.iter().find(|fact| fact.lines == group) {
                corpus.questions.push(Question {
                    conversation,
                    text: fact.question.clone(),
                    answers: vec![(day, flat.len() + fact.answer)],
                });
            }
            flat.extend(group);
        }
        if person.is_none() {
            flat = flat.into_iter().map(|line| format!("[{speaker}] {line}")).collect();
        }
        sessions.push(Session { at, lines: flat });
    }
    corpus.conversations.push(Conversation {
        person: person.map(|(_, person)| person),
        sessions,
    });
}

fn of<'a>(texts: &[&'a str; 8], place: usize, further: usize) -> &'a str {
    texts[(place + further) % 8]
}

fn fact(kind: usize, draw: &mut Draw, place: usize, speaker: &str, at: i64) -> Fact {
    let one = |lines: &[String], question: String| Fact {
        lines: lines.to_vec(),
        answer: lines.len() - 1,
        question,
    };
    let (month, year) = month(at);
    match kind {
        0 => {
            let (animal, name) = (of(&ANIMALS, place, 0), of(&PET_NAMES, place, 0));
            one(
                &[format!(
                    "We adopted a {animal} from the shelter, and her name is {name}."
                )],
                format!("What is {speaker}'s {animal} named?"),
            )
        }
        1 => {
            let town = of(&PLACES, place, 1);
            one(
                &[format!(
                    "I flew to {town} with my cousins and we hiked along the coast."
                )],
                format!("Who did {speaker} fly to {town} with?"),
            )
        }
        2 => {
            let job = of(&JOBS, place, 2);
            one(
                &[format!("My sister started working as a {job}, she is thrilled.")],
                format!("When did {speaker}'s sister start to work as a {job}?"),
            )
        }
        3 => {
            let instrument = of(&INSTRUMENTS, place, 3);
            one(
                &[
                    "Which instrument did you learn at school?".to_owned(),
                    format!("The {instrument}, for almost six years!"),
                ],
                format!("What instrument did {speaker} learn?"),
            )
        }
        4 => {
            let class = of(&CLASSES, place, 4);
            one(
                &[format!("I finally signed up for {class} classes with a friend.")],
                format!("What classes did {speaker} sign up for in {} {year}?", MONTHS[month]),
            )
        }
        5 => {
            let dish = of(&DISHES, place, 5);
            one(
                &[format!("Grandma taught me to cook her {dish}, I burnt the first one.")],
                format!("Who teaches {speaker} how to cook {dish}?"),
            )
        }
        6 => {
            let book = of(&BOOKS, place, 6);
            one(
                &[format!("I'm reading a novel about {book}, could not put it down.")],
                format!("what was the book on {book} that {speaker} read"),
            )
        }
        7 => {
            let race = of(&RACES, place, 7);
            one(
                &[
                    format!("So how was the {race}?"),
                    "I came third, my legs still hurt!".to_owned(),
                ],
                format!("How did {speaker} do in the {race}?"),
            )
        }
        8 => {
            let number = 1000 + draw.below(9000);
            one(
                &[format!("The code for the garden gate is {number}, don't tell anybody.")],
                format!("garden gate {number}"),
            )
        }
        _ => {
            let town = of(&PLACES, place, 5);
            one(
                &[format!("My parents sold their house and are moving to {town}.")],
                format!(
                    "Where are {speaker}'s parents going to move after selling the house in {}?",
                    MONTHS[month]
                ),
            )
        }
    }
}

/// A line of the same kind as those that are asked for, about something else.
fn distractor(draw: &mut Draw, place: usize) -> String {
    match draw.below(8) {
        0 => format!(
            "My aunt has a {}, it eats everything.",
            draw.other(&ANIMALS, of(&ANIMALS, place, 0))
        ),
        1 => format!(
            "I would love to see {} one day.",
            draw.other(&PLACES, of(&PLACES, place, 1))
        ),
        2 => format!("A friend of mine became a {}.", draw.other(&JOBS, of(&JOBS, place, 2))),
        3 => format!(
            "Somebody plays the {} next door.",
            draw.other(&INSTRUMENTS, of(&INSTRUMENTS, place, 3))
        ),
        4 => format!(
            "They offer {} lessons at the centre.",
            draw.other(&CLASSES, of(&CLASSES, place, 4))
        ),
        5 => format!(
            "We ordered {} and it was cold.",
            draw.other(&DISHES, of(&DISHES, place, 5))
        ),
        6 => format!(
            "There was a documentary about {}.",
            draw.other(&BOOKS, of(&BOOKS, place, 6))
        ),
        _ => format!(
            "My colleague trains for a {}.",
            draw.other(&RACES, of(&RACES, place, 7))
        ),
    }
}

/// The month (from 0) and year of a moment.
fn month(at: i64) -> (usize, i64) {
    let (mut days, mut year) = (at.div_euclid(DAY), 1970);
    loop {
        let of_year = if is_leap(year) { 366 } else { 365 };
        if days < of_year {
            break;
        }
        days -= of_year;
        year += 1;
    }
    let lengths = [
        31,
        if is_leap(year) { 29 } else { 28 },
        31,
        30,
        31,
        30,
        31,
        31,
        30,
        31,
        30,
        31,
    ];
    let mut month = 0;
    for length in lengths {
        if days < length {
            break;
        }
        days -= length;
        month += 1;
    }
    (month, year)
}

fn is_leap(year: i64) -> bool {
    (year % 4 == 0 && year % 100 != 0) || year % 400 == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_corpus_is_the_same_for_a_seed_and_its_answers_stand_where_it_says() {
        let one = corpus(7, 6, 10);
        assert_eq!(one, corpus(7, 6, 10));
        assert_ne!(one, corpus(8, 6, 10));
        assert_eq!(one.conversations.len(), 9);
        assert_eq!(one.questions.len(), 90);
        for question in &one.questions {
            for (session, line) in &question.answers {
                assert!(one.conversations[question.conversation].sessions[*session].lines.len() > *line);
            }
        }
        let named = &one.questions[0];
        let (session, line) = named.answers[0];
        let said = &one.conversations[0].sessions[session].lines[line];
        assert!(
            said.starts_with("We adopted a cat") || said.starts_with("I flew to"),
            "{said}"
        );
    }

    #[test]
    fn a_moment_is_of_its_month() {
        for (at, expected) in [
            (0, (0, 1970)),
            (BEGIN, (0, 2023)),
            (1_709_164_800_000, (1, 2024)),
            (1_709_251_200_000, (2, 2024)),
            (1_704_067_199_999, (11, 2023)),
        ] {
            assert_eq!(month(at), expected, "{at}");
        }
    }
}
