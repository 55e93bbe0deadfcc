//! How the intents of a message are found: by a few fixed phrases, in English and the commonest in German.

mod reminder;

use jiff::civil::Date;

use self::reminder::{remind, wait};
use super::{
    arithmetic,
    facts::{self, Fact},
    intent::Intent,
    language::Language,
    others,
    phrases::{
        ALL_MEMORIES, ASKING, GREETINGS, HELP, IS, RECALLING, REMEMBERING, REMINDING, THANKS, TOOLS, WAITING,
        WHERE_I_LIVE, WHO_I_AM,
    },
    questions,
    text::{slug, strip},
};

/// Characters of a message that are read.
const LONGEST_MESSAGE: usize = 2_000;
/// Bytes of a question that is looked up in the table of questions.
const LONGEST_QUESTION: usize = 200;
/// Characters of a name in front of what was said in a group.
const LONGEST_NAME: usize = 100;
/// Things that are done for one message.
const MOST_INTENTS: usize = 6;

/// Reads a whole message. There is always at least one intent; what is not understood is named once. `today`: by the
/// calendar of the person, where it is known.
pub(super) fn understand(message: &str, today: Option<Date>) -> Vec<Intent> {
    let language = Language::of(message);
    let message = &without_speakers(message);
    // A date holds signs and words that end a clause elsewhere.
    if message.len() <= LONGEST_QUESTION
        && let Some(question) = questions::read(&plain(message), language, today)
    {
        return vec![Intent::Ask(question)];
    }
    if let Some(intent) = others::read(message) {
        return vec![intent];
    }
    let mut intents = facts::only_facts(message)
        .into_iter()
        .filter_map(learned)
        .collect::<Vec<_>>();
    if !intents.is_empty() {
        intents.truncate(MOST_INTENTS);
        return intents;
    }
    let end = message
        .char_indices()
        .nth(LONGEST_MESSAGE)
        .map_or(message.len(), |(index, _)| index);
    let mut rest = message[..end].trim();
    while !rest.is_empty() {
        // These take all that follows: what is to be remembered may hold any word and sign.
        let (intent, tail) = match to_the_end(rest) {
            Some(intent) => (Some(intent), ""),
            None => {
                let (clause, tail) = first_clause(rest);
                let intent = in_clause(clause, language, today);
                // A question tells nothing.
                let asks = rest[clause.len()..].starts_with('?');
                let tells = intent.as_ref() == Some(&Intent::Unknown) && !asks;
                (personal_fact(clause).filter(|_| tells).or(intent), tail)
            }
        };
        intents.extend(intent.filter(|intent| !intents.contains(intent)));
        rest = tail.trim_start();
    }
    if intents.is_empty() {
        intents.push(Intent::Unknown);
    }
    intents.truncate(MOST_INTENTS);
    intents
}

/// The words without the names of those who said it, `[Bob] hello`, without what it answers, and of a voice message
/// its words alone.
pub(super) fn without_speakers(message: &str) -> String {
    let said = |line: &str| -> Option<usize> {
        let end = line.strip_prefix('[')?.find("] ")?;
        (1..=LONGEST_NAME).contains(&end).then_some(end + 3)
    };
    let is_quoted = |line: &&str| line.starts_with("In reply to ") || line.starts_with("> ");
    let is_recording = |line: &&str| line.starts_with("[voice") && line.ends_with(']');
    let lines: Vec<_> = message
        .lines()
        .map(|line| line.get(said(line).unwrap_or_default()..).unwrap_or_default())
        .filter(|line| !is_quoted(line) && !is_recording(line))
        .map(|line| line.strip_prefix("Spoken: ").unwrap_or(line))
        .collect();
    lines.join("\n")
}

fn to_the_end(text: &str) -> Option<Intent> {
    if let Some(fact) = after_any(text, &REMEMBERING) {
        return Some(remember(fact));
    }
    if let Some(reminder) = after_any(text, &REMINDING) {
        return Some(remind(reminder));
    }
    let question = plain(text);
    ALL_MEMORIES
        .iter()
        .any(|phrase| question.starts_with(phrase))
        .then_some(Intent::Recall(None))
}

/// Splits at the first sign or word that ends a clause. A sign only does before white space: `3.5`, `1,000`.
fn first_clause(text: &str) -> (&str, &str) {
    let ends = text.char_indices().find_map(|(index, character)| {
        let tail = &text[index..];
        let next = tail.chars().nth(1);
        let sign = matches!(character, '.' | ',' | ';' | '?' | '!') && next.is_none_or(char::is_whitespace);
        if sign || character == '\n' {
            return Some((index, index + character.len_utf8()));
        }
        let word = [" and ", " und ", " then "]
            .into_iter()
            .find(|word| strip(tail, word).is_some())?;
        Some((index, index + word.len()))
    });
    ends.map_or((text, ""), |(end, next)| (&text[..end], &text[next..]))
}

/// The intent of one clause; none if it is only a filler.
fn in_clause(clause: &str, language: Language, today: Option<Date>) -> Option<Intent> {
    let text = plain(clause);
    if ["", "please", "bitte", "clifford", "and", "then", "und", "dann"].contains(&text.as_str()) {
        return None;
    }
    if is_emoji(&text) {
        return Some(Intent::Emoji);
    }
    if let Some(intent) = others::read(&text) {
        return Some(intent);
    }
    let whole = |phrases: &[&str]| phrases.contains(&text.as_str());
    let starts = |phrases: &[&str]| phrases.iter().any(|phrase| text.starts_with(phrase));
    let intent = if whole(&GREETINGS)
        || text
            .strip_suffix(" clifford")
            .is_some_and(|text| GREETINGS.contains(&text))
    {
        Intent::Greet
    } else if whole(&THANKS) {
        Intent::Thanks
    } else if whole(&HELP) {
        Intent::Help
    } else if whole(&["ping", "/ping"]) {
        Intent::Ping
    } else if starts(&TOOLS) {
        Intent::ListTools
    } else if let Some(seconds) = after_any(&text, &WAITING).and_then(wait) {
        Intent::Wait(seconds)
    } else if let Some(expression) = calculation(&text) {
        Intent::Calculate(expression)
    } else if let Some(question) = Some(&text)
        .filter(|text| text.len() <= LONGEST_QUESTION)
        .and_then(|text| questions::read(text, language, today))
    {
        Intent::Ask(question)
    } else if let Some(about) = recall(&text) {
        Intent::Recall(Some(about))
    } else {
        Intent::Unknown
    };
    Some(intent)
}

/// Whether a text has no letters and no digits, but signs that are pictures.
fn is_emoji(text: &str) -> bool {
    let is_picture = |c: char| matches!(u32::from(c), 0x2190..=0x2bff | 0x1f000..=0x1faff);
    text.contains(is_picture) && !text.contains(|c: char| c.is_alphanumeric() || c.is_ascii_punctuation())
}

/// A fact that people tell of themselves: their name, their home, what they like, the name of who is theirs.
fn personal_fact(clause: &str) -> Option<Intent> {
    let clause = clause.trim().trim_end_matches(['.', '!', ',']);
    let lower = clause.to_lowercase();
    let begins = |words: &[&str]| words.iter().any(|word| lower.starts_with(word));
    let is_named = [" is called ", " are called ", " is named ", "'s name is ", " heißt "]
        .iter()
        .any(|word| lower.contains(word));
    if begins(&["my ", "mein ", "meine "]) && (is_named || begins(&["my favourite ", "my favorite "])) {
        return Some(remember(clause));
    }
    facts::fact(clause).and_then(learned)
}

/// A fact that is worth keeping: "I love it" tells nothing.
fn learned(fact: Fact) -> Option<Intent> {
    const VAGUE: [&str; 13] = [
        "you", "that", "this", "it", "your", "how", "to", "when", "dich", "das", "es", "dein", "wie",
    ];
    let lower = fact.value.to_lowercase();
    let liked = ["i like ", "i love ", "i prefer ", "i hate ", "ich mag ", "ich liebe "]
        .iter()
        .find_map(|verb| lower.strip_prefix(verb));
    let is_vague = liked.is_some_and(|liked| liked.split(' ').next().is_some_and(|word| VAGUE.contains(&word)));
    (!is_vague).then_some(Intent::Remember {
        key: fact.key,
        value: fact.value,
    })
}

fn calculation(text: &str) -> Option<String> {
    let text = after_any(text, &["please", "bitte"]).unwrap_or(text);
    let text = after_any(text, &ASKING).unwrap_or(text);
    arithmetic::expression(text.strip_suffix("please").unwrap_or(text))
}

fn recall(text: &str) -> Option<String> {
    if WHO_I_AM.contains(&text) {
        return Some("name".to_owned());
    }
    if WHERE_I_LIVE.contains(&text) {
        return Some("home".to_owned());
    }
    RECALLING.iter().find_map(|(before, after)| {
        let about = strip(text, before)?.strip_suffix(after)?;
        // German "mein" may go on: "meine Katze".
        let about = if before.ends_with("mein") {
            about.strip_prefix('e').unwrap_or(about)
        } else {
            about
        };
        let about = about.strip_prefix(' ')?.trim().trim_end_matches("'s");
        Some(slug(about)).filter(|key| !key.is_empty())
    })
}

fn remember(fact: &str) -> Intent {
    let fact = fact.trim().trim_end_matches(['.', '!']).trim();
    if fact.is_empty() {
        return Intent::Unknown;
    }
    let mine = ["my ", "mein ", "meine "]
        .into_iter()
        .find_map(|word| strip(fact, word));
    if let Some((key, value)) = mine.and_then(verb_last) {
        return Intent::Remember { key, value };
    }
    let named = mine.and_then(|mine| {
        let is = |word: &&str| {
            let at = mine
                .to_lowercase()
                .find(&format!("{}{word} ", if word.starts_with('\'') { "" } else { " " }))?;
            let (key, tail) = (mine.get(..at)?, mine.get(at..)?);
            Some((slug(key), tail.trim_start().get(word.len()..)?.trim().to_owned()))
        };
        IS.iter().find_map(is)
    });
    let (key, value) = match named {
        Some((key, value)) if !key.is_empty() && !value.is_empty() => (key, value),
        _ => (
            slug(&fact.split_whitespace().take(4).collect::<Vec<_>>().join(" ")),
            fact.to_owned(),
        ),
    };
    Intent::Remember {
        key: if key.is_empty() { "note".to_owned() } else { key },
        value,
    }
}

/// "Katze Miro heißt": German puts the verb last after "dass".
fn verb_last(mine: &str) -> Option<(String, String)> {
    let (rest, verb) = mine.rsplit_once(' ')?;
    if !["heißt", "heisst", "ist", "sind"].contains(&verb) {
        return None;
    }
    let (key, value) = rest.trim().split_once(' ')?;
    let key = slug(key);
    (!key.is_empty()).then(|| (key, value.trim().to_owned()))
}

/// The rest behind the first of these phrases, if the text starts with it as whole words.
fn after_any<'a>(text: &'a str, phrases: &[&str]) -> Option<&'a str> {
    let whole = |tail: &&str| !tail.starts_with(char::is_alphanumeric);
    phrases
        .iter()
        .find_map(|phrase| strip(text, phrase).filter(whole))
        .map(str::trim_start)
}

/// Lower case, without the signs and blanks around it.
fn plain(text: &str) -> String {
    text.trim_matches(|c: char| c.is_whitespace() || matches!(c, '?' | '!' | '.' | ',' | ';' | ':'))
        .to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn calculate(expression: &str) -> Intent {
        Intent::Calculate(expression.to_owned())
    }

    fn remember(key: &str, value: &str) -> Intent {
        Intent::Remember {
            key: key.to_owned(),
            value: value.to_owned(),
        }
    }

    fn recall(about: &str) -> Intent {
        Intent::Recall(Some(about.to_owned()))
    }

    fn remind(when: &str, what: &str) -> Intent {
        Intent::Remind {
            when: when.to_owned(),
            what: what.to_owned(),
        }
    }

    #[test]
    fn messages_are_understood() {
        let cases = [
            ("Hi!", vec![Intent::Greet]),
            ("hello Clifford", vec![Intent::Greet]),
            ("Hello, what is 2+2?", vec![Intent::Greet, calculate("2+2")]),
            ("what is 17 * 23?", vec![calculate("17 * 23")]),
            ("What's 1.5 + 1,000?", vec![calculate("1.5 + 1,000")]),
            ("(3+4)*2", vec![calculate("(3+4)*2")]),
            ("please calculate 12% of 80", vec![calculate("12% of 80")]),
            ("what is 2+2 and 3*3", vec![calculate("2+2"), calculate("3*3")]),
            ("what is 2+2 and 2+2", vec![calculate("2+2")]),
            (
                "What is 2+2, and who is the king?",
                vec![calculate("2+2"), Intent::Unknown],
            ),
            ("remember that my cat is called Miro.", vec![remember("cat", "Miro")]),
            (
                "Remember my favourite colour is blue and green",
                vec![remember("favourite_colour", "blue and green")],
            ),
            ("remember my sister's name is Ann", vec![remember("sister", "Ann")]),
            ("merk dir, dass meine Katze Miro heißt", vec![remember("katze", "Miro")]),
            ("merk dir mein Auto ist rot", vec![remember("auto", "rot")]),
            ("remember I like cake", vec![remember("i_like_cake", "I like cake")]),
            ("remember ???", vec![remember("note", "???")]),
            ("what is my cat called?", vec![recall("cat")]),
            ("What's my favourite colour", vec![recall("favourite_colour")]),
            ("was ist meine Farbe?", vec![recall("farbe")]),
            ("who am I?", vec![recall("name")]),
            ("what is my name?", vec![recall("name")]),
            ("what is my cat's name?", vec![recall("cat")]),
            ("What do you know about me and my cat?", vec![Intent::Recall(None)]),
            (
                "remind me in 10 minutes to stretch",
                vec![remind("in 10 minutes", "stretch")],
            ),
            (
                "Remind me to buy milk and bread in an hour!",
                vec![remind("in an hour", "buy milk and bread")],
            ),
            ("remind me in 90s about tea", vec![remind("in 90s", "tea")]),
            (
                "remind me in half an hour",
                vec![remind("in half an hour", "it is time")],
            ),
            ("erinnere mich in zwei Minuten", vec![Intent::RemindWhen]),
            (
                "erinnere mich in 2 Minuten daran, zu trinken",
                vec![remind("in 2 Minuten", "zu trinken")],
            ),
            (
                "remind me to look in the box in two days",
                vec![remind("in two days", "look in the box")],
            ),
            (
                "remind me every weekday at 8 to stretch",
                vec![remind("every weekday at 8", "stretch")],
            ),
            (
                "remind me to look at the moon tomorrow at 21:30",
                vec![remind("tomorrow at 21:30", "look at the moon")],
            ),
            (
                "erinnere mich jeden Werktag um 8 daran, zu lüften",
                vec![remind("jeden Werktag um 8", "zu lüften")],
            ),
            ("wait 10 hours", vec![Intent::Wait(36_000)]),
            ("Wait a minute!", vec![Intent::Wait(60)]),
            ("wait for me", vec![Intent::Unknown]),
            ("remind me to stretch", vec![Intent::RemindWhen]),
            ("remind me in 99999999999999999999 minutes", vec![Intent::RemindWhen]),
            ("remind me in 400 days", vec![Intent::RemindWhen]),
            ("ping", vec![Intent::Ping]),
            ("What tools do you have?", vec![Intent::ListTools]),
            ("help", vec![Intent::Help]),
            ("thanks!", vec![Intent::Thanks]),
            ("Write me a poem", vec![Intent::Unknown]),
            ("what is my 💥?", vec![Intent::Unknown]),
            ("💥", vec![Intent::Emoji]),
            ("👍🏽 ❤️", vec![Intent::Emoji]),
            (
                "my name is Ada and I live in Rome.",
                vec![remember("name", "Ada"), remember("home", "Rome")],
            ),
            ("My dog is called Rex.", vec![remember("dog", "Rex")]),
            ("I like green tea", vec![remember("like_green_tea", "I like green tea")]),
            ("I love you", vec![Intent::Unknown]),
            ("My name is Bob?", vec![Intent::Unknown]),
            ("[Bob] hello", vec![Intent::Greet]),
            ("[Bob] [voice]\nSpoken: hello", vec![Intent::Greet]),
            ("[voice: a.ogg]\nSpoken: hello", vec![Intent::Greet]),
            (
                "[Bob] In reply to Ann: \"hm\"\n[Bob] what is 2+2?",
                vec![calculate("2+2")],
            ),
            (
                "[Ann] hi\n[Bob] what is my cat called?",
                vec![Intent::Greet, recall("cat")],
            ),
            ("where do I live?", vec![recall("home")]),
            ("", vec![Intent::Unknown]),
            ("  ?!  ", vec![Intent::Unknown]),
            ("ﬁ İ ẞ 💥", vec![Intent::Unknown]),
        ];
        for (message, expected) in cases {
            let today = "2026-06-03".parse().ok();
            assert_eq!(understand(message, today), expected, "{message}");
        }
    }
}
