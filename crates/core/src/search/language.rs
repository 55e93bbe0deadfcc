//! The stop words of languages, and the stems of their words. Pure. The language of a question is guessed by its stop
//! words; where that tells nothing, every language is tried.

use std::{collections::HashSet, sync::LazyLock};

use rust_stemmers::{Algorithm, Stemmer};

use super::terms::terms;

/// A language whose stop words and stems are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// English.
    English,
    /// German.
    German,
    /// Spanish.
    Spanish,
    /// French.
    French,
    /// Portuguese.
    Portuguese,
    /// Russian.
    Russian,
    /// Italian.
    Italian,
    /// Dutch.
    Dutch,
}

/// Words with which a question is asked rather than answered; the lists of the library lack them.
const ASKING: &[(Language, &[&str])] = &[
    (
        Language::English,
        &[
            "could",
            "would",
            "might",
            "may",
            "shall",
            "must",
            "us",
            "tell",
            "told",
            "said",
            "say",
            "says",
            "talk",
            "talked",
            "mention",
            "mentioned",
            "remember",
            "know",
            "please",
            "also",
            "ever",
            "many",
            "much",
            "kind",
            "kinds",
            "type",
            "types",
            "anything",
            "something",
            "everything",
            "let",
            "get",
            "got",
            "conversation",
        ],
    ),
    (
        Language::German,
        &[
            "wann", "wer", "wen", "wem", "warum", "wieso", "wohin", "woher", "welche", "welcher", "welches", "bitte",
            "sag", "gesagt", "weisst",
        ],
    ),
    (
        Language::Spanish,
        &[
            "cual", "cuales", "cuantos", "cuantas", "cuanto", "puedes", "dijo", "dije", "hizo",
        ],
    ),
    (
        Language::French,
        &[
            "quand", "quel", "quelle", "quels", "quelles", "comment", "pourquoi", "combien", "est", "où",
        ],
    ),
    (
        Language::Portuguese,
        &["onde", "quem", "quantos", "quantas", "porque", "disse"],
    ),
    (
        Language::Russian,
        &["какой", "какая", "какие", "какое", "сколько", "почему", "зачем"],
    ),
    (
        Language::Italian,
        &["quando", "quale", "quali", "quanti", "quante", "dove", "perche"],
    ),
    (Language::Dutch, &["wanneer", "waarom", "welke", "hoeveel", "zeg"]),
];

/// Words for what was said or happened: next to a time, a question asks for all of it by them.
const OF_TALK: &[(Language, &str)] = &[
    (
        Language::English,
        "message messages chat chats chatted conversations discuss discussed happen happened happens speak spoke spoken \
         talking wrote written show list find",
    ),
    (
        Language::German,
        "nachricht nachrichten gesprach gesprache gesprochen besprochen geredet geschrieben passiert passierte geschah \
         geschehen los zeig zeige sagte sagten",
    ),
    (
        Language::Spanish,
        "mensaje mensajes hablamos hablado dijimos dicho paso",
    ),
    (Language::French, "message messages quoi dit discute parle passe"),
    (
        Language::Portuguese,
        "mensagem mensagens falamos falado dissemos dito aconteceu",
    ),
    (
        Language::Russian,
        "сказал сказала говорил говорила говорили обсуждали писал писала было произошло случилось сообщения",
    ),
    (Language::Italian, "detto parlato successo messaggio messaggi"),
    (
        Language::Dutch,
        "bericht berichten besproken gesproken gepraat gebeurde gebeurd",
    ),
];

static STOP_WORDS: LazyLock<Vec<HashSet<String>>> = LazyLock::new(|| {
    let of = |language: &Language| {
        let listed = stop_words::lookup(language.code()).unwrap_or_default();
        let asking = ASKING
            .iter()
            .filter(|(of, _)| of == language)
            .flat_map(|(_, words)| *words);
        let words = listed.iter().chain(asking).flat_map(|word| terms(word));
        words.map(|term| term.text).collect()
    };
    Language::ALL.iter().map(of).collect()
});

impl Language {
    /// Every one of them.
    pub const ALL: [Self; 8] = [
        Self::English,
        Self::German,
        Self::Spanish,
        Self::French,
        Self::Portuguese,
        Self::Russian,
        Self::Italian,
        Self::Dutch,
    ];

    const fn code(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::German => "de",
            Self::Spanish => "es",
            Self::French => "fr",
            Self::Portuguese => "pt",
            Self::Russian => "ru",
            Self::Italian => "it",
            Self::Dutch => "nl",
        }
    }

    const fn algorithm(self) -> Algorithm {
        match self {
            Self::English => Algorithm::English,
            Self::German => Algorithm::German,
            Self::Spanish => Algorithm::Spanish,
            Self::French => Algorithm::French,
            Self::Portuguese => Algorithm::Portuguese,
            Self::Russian => Algorithm::Russian,
            Self::Italian => Algorithm::Italian,
            Self::Dutch => Algorithm::Dutch,
        }
    }

    /// Whether a term says nothing by itself in this language.
    pub(crate) fn is_stop_word(self, term: &str) -> bool {
        let place = Self::ALL.iter().position(|language| *language == self);
        let words = place.and_then(|place| STOP_WORDS.get(place));
        words.is_some_and(|words| words.contains(term))
    }

    /// Whether a term is one for what was said or happened in this language.
    pub(crate) fn is_of_talk(self, term: &str) -> bool {
        let words = OF_TALK.iter().filter(|(of, _)| *of == self);
        words.flat_map(|(_, words)| words.split(' ')).any(|word| word == term)
    }

    /// The stem of a word in this language, as a term.
    pub fn stem(self, term: &str) -> String {
        Stemmer::create(self.algorithm()).stem(term).into_owned()
    }
}

/// The languages that these terms of a question may be of: those with the most stop words among them, and those with
/// at least half as many. `None`: no stop word tells.
pub fn of_question<'a>(question: impl IntoIterator<Item = &'a str> + Clone) -> Option<Vec<Language>> {
    with_most_stop_words(question, |count, most| count * 2 >= most)
}

/// The languages that these terms of a question are most likely of. `None`: no stop word tells.
pub fn likeliest<'a>(question: impl IntoIterator<Item = &'a str> + Clone) -> Option<Vec<Language>> {
    with_most_stop_words(question, |count, most| count == most)
}

fn with_most_stop_words<'a>(
    question: impl IntoIterator<Item = &'a str> + Clone,
    is_enough: impl Fn(usize, usize) -> bool,
) -> Option<Vec<Language>> {
    let count = |language: &Language| {
        let words = question.clone().into_iter();
        words.filter(|word| language.is_stop_word(word)).count()
    };
    let counts = Language::ALL.map(|language| (language, count(&language)));
    let most = counts.iter().map(|(_, count)| *count).max().unwrap_or(0);
    let likely = counts.iter().filter(|(_, count)| is_enough(*count, most));
    (most > 0).then(|| likely.map(|(language, _)| *language).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn likely(question: &str) -> Option<Vec<Language>> {
        let words: Vec<_> = terms(question).map(|term| term.text).collect();
        of_question(words.iter().map(String::as_str))
    }

    #[test]
    fn the_language_of_a_question_is_told_by_its_stop_words() {
        use Language::{Dutch, English, French, German, Russian, Spanish};
        let cases = [
            ("When did Caroline go to the meeting?", Some(vec![English])),
            ("Wann war ich bei der Zahnärztin?", Some(vec![German])),
            ("¿Cuándo fue la fiesta de mi hermana?", Some(vec![Spanish])),
            ("Quand est-ce que nous avons adopté le chien ?", Some(vec![French])),
            ("Когда я был у врача?", Some(vec![Russian])),
            ("Wanneer ging ik naar de tandarts?", Some(vec![Dutch])),
            ("Caroline adoption", None),
            ("東京タワー", None),
        ];
        for (question, expected) in cases {
            assert_eq!(likely(question), expected, "{question}");
        }
        // A few words may be of several languages.
        let several = likely("the war").expect("stop words");
        assert!(several.contains(&English) && several.contains(&German), "{several:?}");
    }

    #[test]
    fn forms_of_a_word_have_a_stem_in_common() {
        for (language, forms) in [
            (Language::English, &["adopt", "adopted", "adopting", "adopts"][..]),
            (Language::English, &["city", "cities"]),
            (Language::German, &["katze", "katzen"]),
            (Language::Spanish, &["gato", "gatos"]),
            (Language::French, &["chanter", "chantait", "chanterons"]),
            (Language::Portuguese, &["menino", "meninos"]),
            (Language::Russian, &["собака", "собаки", "собаку"]),
            (Language::Italian, &["gatto", "gatti"]),
            (Language::Dutch, &["boek", "boeken"]),
        ] {
            let stems: HashSet<_> = forms.iter().map(|form| language.stem(form)).collect();
            assert_eq!(stems.len(), 1, "{language:?}: {stems:?}");
        }
    }

    #[test]
    fn stop_words_are_those_of_the_language() {
        for (language, word, expected) in [
            (Language::English, "when", true),
            (Language::English, "don", true),
            (Language::English, "cat", false),
            (Language::English, "hat", false),
            (Language::German, "hat", true),
            (Language::German, "fur", true),
            (Language::French, "ou", true),
            (Language::Russian, "еще", true),
            (Language::Spanish, "perro", false),
        ] {
            assert_eq!(language.is_stop_word(word), expected, "{word}");
        }
    }
}
