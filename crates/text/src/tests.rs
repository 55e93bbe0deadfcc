//! Every catalogue has every sentence, with exactly the arguments that are declared, and the forms of its language.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

use fluent_syntax::{
    ast::{Entry, Expression, InlineExpression, Pattern, PatternElement, Variant, VariantKey},
    parser,
};

use crate::{Count, Help, Lang, Localized, Menu, Message, areas, message::Area};

/// The arguments and plural forms that a message of a catalogue uses, and its faults.
#[derive(Debug, Default)]
struct Used<'a> {
    arguments: BTreeSet<&'a str>,
    /// The forms that are chosen from by an argument.
    forms: BTreeMap<&'a str, BTreeSet<&'a str>>,
    is_empty: bool,
    faults: Vec<String>,
}

/// The plural forms that whole numbers take in a language: <https://cldr.unicode.org/index/cldr-spec/plural-rules>. The one
/// of French, Portuguese and Spanish for millions is left to `other`.
fn forms(lang: Lang) -> BTreeSet<&'static str> {
    let forms: &[&str] = match lang {
        Lang::English | Lang::German | Lang::Spanish | Lang::French | Lang::Portuguese => &["one", "other"],
        Lang::Russian => &["one", "few", "many", "other"],
        Lang::Chinese | Lang::Japanese => &[],
    };
    forms.iter().copied().collect()
}

impl<'a> Used<'a> {
    fn of(pattern: &Pattern<&'a str>) -> Self {
        let mut used = Self::default();
        used.read(pattern);
        used
    }

    fn read(&mut self, pattern: &Pattern<&'a str>) {
        let says = |element: &PatternElement<&str>| match element {
            PatternElement::TextElement { value } => !value.trim().is_empty(),
            PatternElement::Placeable { .. } => true,
        };
        self.is_empty |= !pattern.elements.iter().any(says);
        for element in &pattern.elements {
            match element {
                PatternElement::TextElement { .. } => {}
                PatternElement::Placeable {
                    expression: Expression::Inline(inline),
                } => self.inline(inline),
                PatternElement::Placeable {
                    expression: Expression::Select { selector, variants },
                } => self.select(selector, variants),
            }
        }
    }

    fn inline(&mut self, inline: &InlineExpression<&'a str>) {
        match inline {
            InlineExpression::VariableReference { id } => {
                self.arguments.insert(id.name);
            }
            // A space at an end, or a brace.
            InlineExpression::StringLiteral { .. } => {}
            other => self.faults.push(format!("{other:?} is not for these catalogues")),
        }
    }

    fn select(&mut self, selector: &InlineExpression<&'a str>, variants: &[Variant<&'a str>]) {
        self.inline(selector);
        let InlineExpression::VariableReference { id } = selector else {
            return;
        };
        for variant in variants {
            match variant.key {
                VariantKey::Identifier { name } => {
                    self.forms.entry(id.name).or_default().insert(name);
                }
                // A number of its own, such as none at all.
                VariantKey::NumberLiteral { .. } => {}
            }
            self.read(&variant.value);
        }
    }
}

/// The faults in the catalogue of an area in a language.
fn faults(area: &Area, lang: Lang, source: &str) -> Vec<String> {
    let place = format!("{}/{}.ftl", lang.code(), area.name);
    let resource = match parser::parse(source) {
        Ok(resource) => resource,
        Err((_, errors)) => return vec![format!("{place}: {errors:?}")],
    };
    let mut found = Vec::new();
    let mut sentences = BTreeMap::new();
    for entry in &resource.body {
        match entry {
            Entry::Message(message) => {
                let Some(value) = &message.value else {
                    found.push(format!("{place}: {} has no value", message.id.name));
                    continue;
                };
                if !message.attributes.is_empty() {
                    found.push(format!("{place}: {} has attributes", message.id.name));
                }
                if sentences.insert(message.id.name, Used::of(value)).is_some() {
                    found.push(format!("{place}: {} stands there twice", message.id.name));
                }
            }
            Entry::Comment(_) | Entry::GroupComment(_) | Entry::ResourceComment(_) => {}
            other => found.push(format!("{place}: {other:?}")),
        }
    }
    for declared in area.messages {
        let Some(used) = sentences.remove(declared.id) else {
            found.push(format!("{place}: {} is missing", declared.id));
            continue;
        };
        let name = |argument: &&(&'static str, bool)| argument.0;
        let wanted: BTreeSet<_> = declared.arguments.iter().map(|argument| name(&argument)).collect();
        if used.arguments != wanted {
            found.push(format!(
                "{place}: {} uses {:?}, not {wanted:?}",
                declared.id, used.arguments
            ));
        }
        let counted = declared.arguments.iter().filter(|(_, is_count)| *is_count);
        for (argument, _) in counted {
            let chosen = used.forms.get(argument).cloned().unwrap_or_default();
            // Where a language has no forms, a choice has nothing but the usual one.
            if chosen != forms(lang) && !(forms(lang).is_empty() && chosen == BTreeSet::from(["other"])) {
                found.push(format!("{place}: {} counts {argument} by {chosen:?}", declared.id));
            }
        }
        if used.is_empty {
            found.push(format!("{place}: {} is empty somewhere", declared.id));
        }
        found.extend(
            used.faults
                .iter()
                .map(|fault| format!("{place}: {}: {fault}", declared.id)),
        );
    }
    found.extend(sentences.keys().map(|id| format!("{place}: {id} is said nowhere")));
    found
}

#[test]
fn every_catalogue_has_every_sentence_with_its_arguments_and_forms() {
    let mut found = Vec::new();
    for area in areas::all() {
        for (lang, source) in Lang::ALL.iter().zip(area.sources) {
            found.extend(faults(area, *lang, source));
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// A sentence as it is written, in the usual one of its forms.
fn written(pattern: &Pattern<&str>) -> String {
    let part = |element: &PatternElement<&str>| match element {
        PatternElement::TextElement { value } => (*value).to_owned(),
        PatternElement::Placeable {
            expression: Expression::Inline(InlineExpression::VariableReference { id }),
        } => format!("{{{}}}", id.name),
        PatternElement::Placeable {
            expression: Expression::Inline(_),
        } => String::new(),
        PatternElement::Placeable {
            expression: Expression::Select { variants, .. },
        } => {
            let usual = variants.iter().find(|variant| variant.default);
            usual.map(|variant| written(&variant.value)).unwrap_or_default()
        }
    };
    pattern.elements.iter().map(part).collect()
}

/// The beginnings of a text's pieces of code, which are commands and names, and how many marks of emphasis it has.
fn marks(text: &str) -> (BTreeSet<String>, usize) {
    let code = text.split('`').skip(1).step_by(2);
    let begins = code.filter_map(|code| code.split(' ').next());
    (begins.map(str::to_owned).collect(), text.matches("**").count())
}

#[test]
fn every_translation_keeps_the_commands_and_the_emphasis() {
    type Marks = (BTreeSet<String>, usize);
    let read = |source: &str| -> BTreeMap<String, Marks> {
        let resource = parser::parse(source).expect("a catalogue");
        let sentences = resource.body.iter().filter_map(|entry| match entry {
            Entry::Message(message) => {
                let value = message.value.as_ref()?;
                Some((message.id.name.to_owned(), marks(&written(value))))
            }
            _ => None,
        });
        sentences.collect()
    };
    for area in areas::all() {
        let [english, others @ ..] = area.sources;
        let english = read(english);
        for (lang, source) in Lang::ALL.iter().skip(1).zip(others) {
            for (name, marks) in read(source) {
                assert_eq!(Some(&marks), english.get(&name), "{lang:?} {}: {name}", area.name);
            }
        }
    }
}

#[test]
fn every_file_of_the_catalogues_is_of_a_language_and_an_area() {
    let catalogues = Path::new(env!("CARGO_MANIFEST_DIR")).join("catalogues");
    let names = |path: &Path| -> BTreeSet<String> {
        let entries = fs::read_dir(path).expect("a directory");
        let name =
            |entry: std::io::Result<fs::DirEntry>| entry.expect("an entry").file_name().into_string().expect("a name");
        entries.map(name).collect()
    };
    let languages: BTreeSet<_> = Lang::ALL.iter().map(|lang| lang.code().to_owned()).collect();
    assert_eq!(names(&catalogues), languages);
    let files: BTreeSet<_> = areas::all().iter().map(|area| format!("{}.ftl", area.name)).collect();
    for language in languages {
        assert_eq!(names(&catalogues.join(&language)), files, "{language}");
    }
}

#[test]
fn faults_of_a_catalogue_are_found() {
    static AREA: Area = Area::new(
        "test",
        [""; Lang::COUNT],
        &[
            crate::message::Declared {
                id: "Found",
                arguments: &[("count", true), ("name", false)],
            },
            crate::message::Declared {
                id: "Bye",
                arguments: &[],
            },
        ],
    );
    let good =
        "Found = { $count ->\n    [one] { $count } in { $name }\n   *[other] { $count } in { $name }\n}\nBye = Bye\n";
    assert_eq!(faults(&AREA, Lang::English, good), Vec::<String>::new());
    for (source, expected) in [
        (good, "ru/test.ftl: Found counts count by {\"one\", \"other\"}"),
        ("Bye = x\n", "ru/test.ftl: Found is missing"),
        ("Bye = { $who }\n", "ru/test.ftl: Bye uses {\"who\"}, not {}"),
        ("Bye = { \"\" }\nBye = x\n", "ru/test.ftl: Bye stands there twice"),
        ("More = x\n", "ru/test.ftl: More is said nowhere"),
        ("Bye = { OTHER }\n", "ru/test.ftl: Bye: "),
    ] {
        let found = faults(&AREA, Lang::Russian, source);
        assert!(
            found.iter().any(|fault| fault.starts_with(expected)),
            "{source}: {found:?}"
        );
    }
}

#[test]
fn descriptions_fit_into_the_menus_of_platforms() {
    for declared in Menu::area().messages {
        for lang in Lang::ALL {
            let text = Menu::area().text_of(*lang, declared.id);
            let most = if declared.id == "AskAbout" { 32 } else { 100 };
            let length = text.chars().count();
            assert!((1..=most).contains(&length), "{lang:?} {}: {length}", declared.id);
        }
    }
}

#[test]
fn a_sentence_is_said_in_each_language_as_it_is_written() {
    let unknown = |lang: Lang| lang.say(Help::Unknown { topic: "x".into() });
    assert_eq!(unknown(Lang::English), "I have no help on `x`.");
    assert_eq!(unknown(Lang::German), "Zu `x` habe ich keine Hilfe.");
    let owner = Lang::English.say(Help::Owner);
    assert!(
        owner.starts_with("**What an owner can do**\n\n- `/pair`: see who"),
        "{owner}"
    );
    assert_eq!(
        Localized::of(&Menu::Help).get(Lang::French),
        "Voir mes commandes par thème"
    );
    assert_eq!(
        [Count::from(3_usize), Count::from(u64::MAX)],
        [Count(3), Count(i64::MAX)]
    );
}

/// Whether each of `:;!?` behind a word has the space in front of it that French writes there.
fn is_spaced(text: &str) -> bool {
    // Code stands as it is typed.
    let outside: String = text.split('`').step_by(2).collect::<Vec<_>>().join("`");
    let signs: Vec<char> = outside.chars().collect();
    signs.windows(2).enumerate().all(|(place, pair)| {
        let ends = signs.get(place + 2).is_none_or(|next| next.is_whitespace());
        pair[0].is_whitespace() || !":;!?".contains(pair[1]) || !ends
    })
}

#[test]
fn french_writes_a_space_before_its_double_signs() {
    assert!(is_spaced("oui : `/x: y`, à 12:30 !") && !is_spaced("oui: non") && !is_spaced("`/x`: non"));
    for area in areas::all() {
        let (_, source) = Lang::ALL
            .iter()
            .zip(area.sources)
            .find(|(lang, _)| **lang == Lang::French)
            .unwrap();
        for line in source.lines() {
            assert!(is_spaced(line), "{}: {line}", area.name);
        }
    }
}
