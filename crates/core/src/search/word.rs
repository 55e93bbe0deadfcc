//! One thing that is asked for: a word in any of its forms, several that stand one behind another, or the beginning of
//! a word.

use super::{
    language::Language,
    spelling,
    terms::{Term, is_spaced},
    verbs,
};

/// The fewest characters of a last word that may be unfinished: shorter ones would begin most words there are.
const LEAST_OPEN: usize = 3;
/// The fewest characters that the forms of a word begin with alike.
const LEAST_STEM: usize = 3;
/// Up to so many characters, a beginning is that of too many other words: the usual endings are looked for, too.
const SHORT_STEM: usize = 4;
/// The usual endings of short words.
const ENDINGS: &[&str] = &[
    "s", "es", "ed", "d", "ing", "er", "ers", "r", "e", "n", "en", "o", "os", "a", "as", "i",
];
/// How much another form counts next to the word itself.
const OTHER_FORM: f64 = 0.95;
/// How much the other spelling of a word counts next to the word itself.
const OTHER_SPELLING: f64 = 0.95;
/// How much a word counts that only begins as the last one.
const BEGUN: f64 = 0.2;

/// Terms that stand one behind another; mostly one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Phrase {
    /// The terms; at least one.
    pub terms: Vec<String>,
    /// It was quoted: what does not hold it is not found, and no other form of its words is it.
    pub is_required: bool,
    /// Whether the last term may go on.
    pub is_open: bool,
    /// The other forms of the only term.
    pub forms: Option<Forms>,
    /// The other spelling of the only term, with its own forms.
    other_spelling: Option<Box<Phrase>>,
}

/// The forms of a word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Forms {
    /// Their common prefix.
    begin: String,
    /// Its stem in each language that it may be of.
    stems: Vec<(Language, String)>,
    /// The forms with another prefix.
    pub irregular: Vec<&'static str>,
}

impl Forms {
    /// The forms of a term in these languages; `None`: a number, or a script whose words have none.
    fn of(term: &str, languages: &[Language]) -> Option<Self> {
        if !is_spaced(term) || term.chars().any(char::is_numeric) {
            return None;
        }
        let cyrillic = term.chars().any(|c| matches!(c, '\u{400}'..='\u{4ff}'));
        let fitting = languages.iter().filter(|of| (**of == Language::Russian) == cyrillic);
        let stems: Vec<_> = fitting.map(|language| (*language, language.stem(term))).collect();
        let alike = stems.iter().map(|(_, stem)| alike(term, stem)).min()?;
        let english = stems.iter().find(|(language, _)| *language == Language::English);
        Some(Self {
            begin: term.chars().take(alike.max(1)).collect(),
            irregular: english.map_or_else(Vec::new, |(_, stem)| verbs::other_forms(term, stem)),
            stems,
        })
    }

    /// Their common prefix, unless too many other words share it.
    fn beginning(&self) -> Option<&str> {
        (self.begin.chars().count() >= LEAST_STEM).then_some(self.begin.as_str())
    }

    fn hold(&self, term: &str) -> bool {
        let is_stem = |(language, stem): &(Language, String)| language.stem(term) == *stem;
        self.irregular.contains(&term) || (term.starts_with(&self.begin) && self.stems.iter().any(is_stem))
    }
}

/// How many characters a word and the other words of its stem begin with alike.
fn alike(term: &str, stem: &str) -> usize {
    let common = term.chars().zip(stem.chars()).take_while(|(a, b)| a == b).count();
    // "happi" stands for "happy" and "happiness", "citi" for "city" and "cities".
    let is_softened = common == stem.chars().count() && stem.ends_with('i');
    common - usize::from(is_softened)
}

impl Phrase {
    /// A word, in any of its forms in these languages.
    pub(super) fn word(term: String, languages: &[Language]) -> Self {
        Self {
            forms: Forms::of(&term, languages),
            terms: vec![term],
            is_required: false,
            is_open: false,
            other_spelling: None,
        }
    }

    /// The same, also as it is written with two letters for one, or with one for two; `word`: as it was typed.
    pub(super) fn spelled(mut self, word: &str, languages: &[Language]) -> Self {
        if let ([term], Some(_)) = (&self.terms[..], &self.forms) {
            let other = spelling::other(word, term).map(|other| Self {
                is_open: self.is_open,
                ..Self::word(other, languages)
            });
            self.other_spelling = other.map(Box::new);
        }
        self
    }

    /// Terms one behind another.
    pub(crate) fn of(terms: Vec<String>, is_required: bool) -> Self {
        Self {
            terms,
            is_required,
            is_open: false,
            forms: None,
            other_spelling: None,
        }
    }

    /// The same, perhaps unfinished.
    pub(super) fn unfinished(mut self) -> Self {
        let length = self.terms.last().map_or(0, |term| term.chars().count());
        self.is_open =
            !self.is_required && length >= LEAST_OPEN && self.terms.last().is_some_and(|term| is_spaced(term));
        self
    }

    /// The forms that are looked for as they are, one of them for sure: the term itself, those that begin otherwise,
    /// and of short words those with the usual endings.
    pub fn exact(&self) -> Vec<String> {
        let (Some(forms), [term]) = (&self.forms, &self.terms[..]) else {
            return Vec::new();
        };
        let mut exact = vec![term.clone()];
        exact.extend(forms.irregular.iter().map(|form| (*form).to_owned()));
        let short = forms.stems.iter().map(|(_, stem)| stem);
        for stem in short.filter(|stem| stem.chars().count() <= SHORT_STEM) {
            let doubled = stem.chars().last().map(|last| format!("{stem}{last}"));
            exact.push(stem.clone());
            exact.extend(ENDINGS.iter().map(|ending| format!("{stem}{ending}")));
            exact.extend(
                doubled
                    .iter()
                    .flat_map(|stem| ["ed", "ing", "er"].map(|ending| format!("{stem}{ending}"))),
            );
        }
        exact.retain(|form| form == term || forms.hold(form));
        exact.extend(self.other_spelling.iter().flat_map(|other| other.exact()));
        exact.sort();
        exact.dedup();
        exact
    }

    /// The prefixes that the forms of the word and of its other spelling have in common, unless too many other words
    /// share them.
    pub fn beginnings(&self) -> Vec<&str> {
        let own = self.forms.as_ref().and_then(Forms::beginning);
        let other = self
            .other_spelling
            .as_ref()
            .and_then(|other| other.forms.as_ref()?.beginning());
        own.into_iter().chain(other).collect()
    }

    /// How much a term of a text is of the word, in either spelling.
    fn likeness_in_any_spelling(&self, wanted: &str, term: &str) -> f64 {
        let own = self.likeness(wanted, term);
        let other = self.other_spelling.as_deref().and_then(|other| {
            let wanted = other.terms.first()?;
            Some(other.likeness(wanted, term) * OTHER_SPELLING)
        });
        own.max(other.unwrap_or(0.0))
    }

    /// How much a term of a text is of the only term of this phrase: 1 for the same, less for another form.
    fn likeness(&self, wanted: &str, term: &str) -> f64 {
        if term == wanted {
            return 1.0;
        }
        if self.forms.as_ref().is_some_and(|forms| forms.hold(term)) {
            return OTHER_FORM;
        }
        if self.is_open && term.starts_with(wanted) {
            BEGUN
        } else {
            0.0
        }
    }

    /// The places in a text's terms where the phrase begins, and how much each counts.
    pub fn found_in<'a>(&'a self, text: &'a [Term]) -> impl Iterator<Item = (usize, f64)> + 'a {
        let last = self.terms.len().saturating_sub(1);
        let windows = text.windows(self.terms.len().max(1)).enumerate();
        windows.filter_map(move |(place, window)| {
            let likeness = if let ([wanted], [found]) = (&self.terms[..], window) {
                self.likeness_in_any_spelling(wanted, &found.text)
            } else {
                let all = self.terms.iter().zip(window).enumerate().all(|(at, (term, found))| {
                    found.text == *term || (self.is_open && at == last && found.text.starts_with(term.as_str()))
                });
                f64::from(u8::from(all))
            };
            (likeness > 0.0).then_some((place, likeness))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{super::terms::terms, *};

    fn word(text: &str) -> Phrase {
        Phrase::word(text.to_owned(), &Language::ALL)
    }

    fn english(text: &str) -> Phrase {
        Phrase::word(text.to_owned(), &[Language::English])
    }

    #[test]
    fn a_word_is_found_in_its_other_forms() {
        let found = |phrase: &Phrase, text: &str| {
            let terms: Vec<_> = terms(text).collect();
            phrase.found_in(&terms).count()
        };
        for (asked, said, times) in [
            ("cats", "My cat is a category of its own", 1),
            ("named", "his name is Zorro", 1),
            ("happy", "such happiness", 1),
            ("cities", "a city", 1),
            ("buy", "I bought it, she buys, they are buying", 3),
            ("run", "she ran and was running", 2),
            ("research", "researched and researching", 2),
            ("car", "I care for Caroline's car", 1),
            ("2023", "2023 and 20234", 1),
        ] {
            assert_eq!(found(&english(asked), said), times, "{asked} in {said}");
        }
        for (asked, said) in [
            ("katzen", "eine Katze"),
            ("gatos", "el gato"),
            ("chevaux", "des chevaux"),
            ("собаки", "моя собака"),
            ("livros", "um livro"),
        ] {
            assert_eq!(found(&word(asked), said), 1, "{asked} in {said}");
        }
    }

    #[test]
    fn a_short_word_is_looked_for_with_its_usual_endings() {
        assert_eq!(english("cat").exact(), ["cat", "cats", "catted", "catting"]);
        assert!(english("run").exact().contains(&"running".to_owned()));
        assert_eq!(english("research").exact(), ["research"]);
        assert_eq!(english("research").beginnings(), ["research"]);
        assert_eq!(english("happy").beginnings(), ["happ"]);
        assert_eq!(english("tv").beginnings(), Vec::<&str>::new());
        assert_eq!(
            Phrase::of(vec!["red".into(), "car".into()], true).exact(),
            Vec::<String>::new()
        );
    }

    #[test]
    fn numbers_and_scripts_without_spaces_have_no_other_forms() {
        for term in ["2023", "3d", "猫"] {
            assert_eq!(word(term).forms, None, "{term}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_word_has_forms_or_none_and_is_one_of_them(text in "\\PC{1,20}|[a-zа-яäöüßéñ]{1,20}") {
            for term in terms(&text) {
                let phrase = word(&term.text);
                proptest::prop_assert!(phrase.found_in(std::slice::from_ref(&term)).next().is_some());
                let exact = phrase.exact();
                proptest::prop_assert!(phrase.forms.is_none() || exact.contains(&term.text));
            }
        }
    }
}
