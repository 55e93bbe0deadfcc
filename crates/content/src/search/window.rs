//! The messages that are ranked: those of the rarest words first, so many at a time. Pure.

use std::collections::HashSet;

use clifford_core::search::{dates::Time, query::Query, rank::Population, word::Phrase};
use clifford_store::search::{Form, PostingsQuery};

/// The most messages that are ranked at a time.
pub(crate) const MOST: usize = 800;
/// The most messages that are named for one form of a word: the newest.
pub(crate) const EACH: u32 = 800;

/// The lists that a query needs from the index, and their purpose.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    /// The content of each list.
    pub sought: Vec<PostingsQuery>,
    /// Of each list.
    kinds: Vec<Kind>,
    phrases: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// Anything: tells how many messages there are.
    All,
    /// All of the phrases.
    Every,
    /// Forms of this phrase.
    Sure(usize),
    /// Words that begin like this phrase.
    Perhaps,
    /// Messages of a time that is named.
    Time,
}

/// The messages to rank now, and those left for later.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Window {
    /// The messages' numbers.
    pub numbers: Vec<i64>,
    /// Up to where the next one looks, if there may be more.
    pub next: Option<i64>,
    /// The statistics of all messages.
    pub population: Population,
}

impl Plan {
    /// The lists that a query needs from the index.
    pub fn of(query: &Query, times: &[Time]) -> Self {
        let required: Vec<Vec<Form>> = query.required().map(|phrase| vec![literal(phrase)]).collect();
        let mut plan = Self {
            sought: vec![PostingsQuery::All],
            kinds: vec![Kind::All],
            phrases: query.phrases().len(),
        };
        let with_required = |forms: Vec<Form>| {
            let mut all = required.clone();
            all.push(forms);
            PostingsQuery::Forms(all)
        };
        if let Some(first) = query.phrases().iter().position(|phrase| phrase.is_required) {
            plan.add(Kind::Sure(first), PostingsQuery::Forms(required.clone()));
        }
        let mut every = required.clone();
        for (place, phrase) in query
            .phrases()
            .iter()
            .enumerate()
            .filter(|(_, phrase)| !phrase.is_required)
        {
            let (sure, perhaps) = forms(phrase);
            // Beginnings are dear to look up, and are looked for by themselves.
            every.push(sure.clone());
            plan.add(Kind::Sure(place), with_required(sure));
            if !perhaps.is_empty() {
                plan.add(Kind::Perhaps, with_required(perhaps));
            }
        }
        if every.len() > required.len().max(1) {
            plan.add(Kind::Every, PostingsQuery::Forms(every));
        }
        for time in times {
            if let (Time::Between(from, to), true) = (time, required.is_empty()) {
                plan.add(Kind::Time, PostingsQuery::Stored(*from, *to));
            }
        }
        plan
    }

    fn add(&mut self, kind: Kind, sought: PostingsQuery) {
        self.kinds.push(kind);
        self.sought.push(sought);
    }

    /// How many messages there are at least, and the number of the newest.
    pub fn newest(&self, lists: &[Vec<i64>]) -> Option<i64> {
        lists.first().and_then(|all| all.first()).copied()
    }

    /// The messages of these lists to rank, without those that were ranked before.
    pub fn window(&self, lists: &[Vec<i64>], ranked: &HashSet<i64>) -> Window {
        let each = usize::try_from(EACH).unwrap_or(usize::MAX);
        let mut of: Vec<(Kind, &Vec<i64>)> = self.kinds.iter().copied().zip(lists).collect();
        // Messages with all of the words come first, then those with the rarest words; uncertain matches come behind
        // certain ones.
        of.sort_by_key(|(kind, list)| {
            let order = match kind {
                Kind::Every => 0,
                Kind::Sure(_) => 1,
                Kind::Perhaps => 2,
                Kind::Time => 3,
                Kind::All => 4,
            };
            (order, list.len())
        });
        let mut chosen = HashSet::new();
        let mut window = Window::default();
        let (mut is_full, mut incomplete) = (false, None);
        for (_, list) in of.iter().filter(|(kind, _)| *kind != Kind::All) {
            if list.len() >= each {
                incomplete = incomplete.max(list.last().copied());
            }
            for number in list.iter().filter(|number| !ranked.contains(number)) {
                if chosen.contains(number) {
                    continue;
                }
                if window.numbers.len() >= MOST {
                    is_full = true;
                    break;
                }
                chosen.insert(*number);
                window.numbers.push(*number);
            }
        }
        let all = lists.first().map_or(0, Vec::len);
        let union: HashSet<i64> = lists.iter().flatten().copied().collect();
        window.population = Population {
            // Of many messages it is not known how many they are.
            size: if all >= each {
                union.len().max(4 * each)
            } else {
                union.len()
            },
            holding: self.holding(lists, each),
        };
        let through = of.iter().filter_map(|(_, list)| list.first()).max().copied();
        window.next = if is_full {
            through
        } else {
            incomplete.map(|lowest| lowest - 1)
        };
        window
    }

    /// How many messages hold each phrase, where that is more than what is ranked tells.
    fn holding(&self, lists: &[Vec<i64>], each: usize) -> Vec<usize> {
        let mut holding = vec![0; self.phrases];
        for (kind, list) in self.kinds.iter().zip(lists).filter(|(_, list)| list.len() >= each) {
            if let Kind::Sure(phrase) = kind
                && let Some(count) = holding.get_mut(*phrase)
            {
                *count = list.len();
            }
        }
        holding
    }

    /// The phrases of which the index knows that a message holds them.
    pub fn held_by<'a>(&'a self, lists: &'a [Vec<i64>], number: i64) -> impl Iterator<Item = usize> + 'a {
        self.kinds.iter().zip(lists).filter_map(move |(kind, list)| match kind {
            // The newest come first.
            Kind::Sure(phrase) if list.binary_search_by(|one| number.cmp(one)).is_ok() => Some(*phrase),
            _ => None,
        })
    }
}

fn literal(phrase: &Phrase) -> Form {
    Form {
        terms: phrase.terms.clone(),
        is_open: phrase.is_open,
    }
}

/// The forms of a phrase: those that are it for sure, and those that may only begin like it.
fn forms(phrase: &Phrase) -> (Vec<Form>, Vec<Form>) {
    let one = |term: &str, is_open| Form {
        terms: vec![term.to_owned()],
        is_open,
    };
    if phrase.forms.is_none() {
        return (vec![literal(phrase)], Vec::new());
    }
    let sure = phrase.exact().iter().map(|form| one(form, false)).collect();
    let beginnings = phrase.beginnings().into_iter();
    let mut perhaps: Vec<Form> = beginnings.map(|beginning| one(beginning, true)).collect();
    if perhaps.is_empty() && phrase.is_open {
        perhaps.push(literal(phrase));
    }
    (sure, perhaps)
}

#[cfg(test)]
mod tests {
    use clifford_core::clock::Timestamp;

    use super::*;

    fn plan(query: &str) -> Plan {
        Plan::of(&Query::parse(query).expect("terms"), &[])
    }

    fn shown(sought: &PostingsQuery) -> String {
        match sought {
            PostingsQuery::All => "all".to_owned(),
            PostingsQuery::Stored(from, to) => format!("{from}/{to}"),
            PostingsQuery::Forms(phrases) => {
                let form = |form: &Form| format!("{}{}", form.terms.join(" "), if form.is_open { "*" } else { "" });
                let forms = |forms: &Vec<Form>| forms.iter().map(form).collect::<Vec<_>>().join("|");
                phrases.iter().map(forms).collect::<Vec<_>>().join(" & ")
            }
        }
    }

    #[test]
    fn a_query_asks_the_index_for_each_word_in_its_forms() {
        for (query, expected) in [
            ("2023", &["all", "2023*"][..]),
            ("the research!", &["all", "research", "research*"]),
            (
                "the 11 research!",
                &["all", "11", "research", "research*", "11 & research"],
            ),
            ("\"red car\"", &["all", "red car"]),
            (
                "\"red car\" 2023 ",
                &["all", "red car", "red car & 2023", "red car & 2023"],
            ),
        ] {
            let sought: Vec<_> = plan(query).sought.iter().map(shown).collect();
            assert_eq!(sought, expected, "{query}");
        }
        let time = [Time::Between(Timestamp(0), Timestamp(86_400_000)), Time::Month(5)];
        let query = Query::parse("2023!").expect("terms");
        let last = Plan::of(&query, &time).sought.pop();
        assert_eq!(last, Some(PostingsQuery::Stored(Timestamp(0), Timestamp(86_400_000))));
    }

    #[test]
    fn a_word_is_asked_for_in_both_of_its_spellings() {
        for query in ["Müller!", "Mueller!"] {
            let sought: Vec<_> = plan(query).sought.iter().map(shown).collect();
            let [_, sure, perhaps] = &sought[..] else {
                panic!("{sought:?}")
            };
            for spelling in ["muller", "mueller"] {
                assert!(sure.split('|').any(|form| form == spelling), "{query}: {sure}");
            }
            let mut begun: Vec<_> = perhaps.split('|').collect();
            begun.sort_unstable();
            assert_eq!(begun, ["muel*", "mull*"], "{query}");
        }
    }

    #[test]
    fn the_rarest_words_come_first_and_the_rest_later() {
        let plan = plan("11 22!");
        assert_eq!(plan.kinds, [Kind::All, Kind::Sure(0), Kind::Sure(1), Kind::Every]);
        let common: Vec<i64> = (1..=800).rev().collect();
        let lists = vec![common.clone(), common.clone(), vec![900, 3], vec![3]];
        let window = plan.window(&lists, &HashSet::new());
        assert_eq!(window.numbers[..4], [3, 900, 800, 799]);
        assert_eq!(window.numbers.len(), MOST);
        assert_eq!(window.next, Some(900));
        assert_eq!(
            window.population,
            Population {
                size: 3200,
                holding: vec![800, 0]
            }
        );
        assert_eq!(plan.held_by(&lists, 3).collect::<Vec<_>>(), [0, 1]);
        assert_eq!(plan.held_by(&lists, 900).collect::<Vec<_>>(), [1]);

        // Two common words are more than is ranked at a time.
        let other: Vec<i64> = (801..=1600).rev().collect();
        let lists = vec![other.clone(), common, other, vec![]];
        let first = plan.window(&lists, &HashSet::new());
        assert_eq!((first.numbers.len(), first.next), (MOST, Some(1600)));
        let ranked: HashSet<i64> = first.numbers.into_iter().collect();
        let second = plan.window(&lists, &ranked);
        assert_eq!((second.numbers.len(), second.next), (MOST, Some(800)));
        assert!(second.numbers.iter().all(|number| !ranked.contains(number)));
    }

    #[test]
    fn where_nothing_is_left_out_there_is_no_more() {
        let plan = plan("11 22!");
        let window = plan.window(&[vec![9, 2, 1], vec![2, 1], vec![9], vec![]], &HashSet::new());
        assert_eq!((window.numbers, window.next), (vec![9, 2, 1], None));
        assert_eq!(
            window.population,
            Population {
                size: 3,
                holding: vec![0, 0]
            }
        );
        assert_eq!(
            plan.window(&vec![vec![]; 4], &HashSet::new()),
            Window {
                population: Population {
                    size: 0,
                    holding: vec![0, 0]
                },
                ..Window::default()
            }
        );
    }
}
