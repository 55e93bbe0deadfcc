//! The source of each argument of a call, for the person who is asked: their own message, a field or a text of a
//! result, or nothing but the model. Pure.
//!
//! A question names the origin of each argument, so that what an attacker wrote is seen as that. It is a reading of the
//! same evidence by which [`grounds`](super::grounds) decides, and decides nothing itself: a call is asked for or not
//! whatever stands here. An origin is told by its strongest claim: the person's words before a result, one whole field
//! before running text, the newest result before an older one. [`is_unasked`] is told only where the call has no
//! grounds, and holds what stands in words of others alone; of an announced call, where that says what it concerns.

use std::fmt;

use clifford_text::{Approval, Lang};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Grounds, Leaf, Request, Way, is_persons, walk};
use crate::policy::{
    evidence::{CommandResult, Evidence},
    phrase::{self, Haystack},
    prose,
    texts::{PROSE, each_text},
};

/// An argument of a call, and where it comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Traced {
    /// Where it stands among the arguments.
    pub argument: String,
    /// Where it comes from.
    pub origin: Origin,
}

/// Where an argument comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "from", rename_all = "snake_case")]
pub enum Origin {
    /// The person's own message of this turn.
    Person,
    /// It is empty, or what its schema takes for granted.
    Default,
    /// One whole field of a result.
    Field {
        /// The result.
        source: Source,
        /// The field's name, if it has one.
        field: Option<String>,
    },
    /// A text of a result.
    Text {
        /// The result.
        source: Source,
    },
    /// The model made it up, or put it together.
    Model {
        /// An address or code in it that the person did not say.
        holding: Option<Holding>,
    },
}

/// A result in which something stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Source {
    /// The command that returned it.
    pub command: String,
    /// The source that the command read: a file, a page.
    pub read: Option<String>,
    /// Others may have written it.
    pub is_foreign: bool,
}

/// A word in the model's text that stands in a result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Holding {
    /// The word.
    pub text: String,
    /// The result.
    pub source: Source,
}

impl Origin {
    /// The result of others in which it stands.
    pub fn foreign_source(&self) -> Option<&Source> {
        let source = match self {
            Self::Field { source, .. } | Self::Text { source } => Some(source),
            Self::Model { holding } => holding.as_ref().map(|holding| &holding.source),
            Self::Person | Self::Default => None,
        };
        source.filter(|source| source.is_foreign)
    }
}

impl Origin {
    /// As it stands in a question.
    pub fn text(&self, lang: Lang) -> String {
        lang.say(match self {
            Self::Person => Approval::FromPerson,
            Self::Default => Approval::FromNothing,
            Self::Field { source, field: None } => Approval::FromResult {
                command: source.command.clone(),
            },
            Self::Field {
                source,
                field: Some(field),
            } => Approval::FromField {
                command: source.command.clone(),
                field: field.to_string(),
            },
            Self::Text { source } => return source.text(lang),
            Self::Model { holding: None } => Approval::FromModel,
            Self::Model { holding: Some(held) } => Approval::FromModelHolding {
                text: held.text.clone(),
                source: held.source.text(lang),
            },
        })
    }
}

impl Source {
    /// As it stands in a question, behind what stands there.
    pub fn text(&self, lang: Lang) -> String {
        let command = self.command.clone();
        lang.say(match (self.is_foreign, self.read.clone()) {
            (true, Some(read)) => Approval::OnlyIn { read, command },
            (false, Some(read)) => Approval::In { read, command },
            (true, None) => Approval::OnlyInResult { command },
            (false, None) => Approval::InResult { command },
        })
    }
}

/// As an operator and a model read it.
impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text(Lang::English))
    }
}

/// As an operator and a model read it.
impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text(Lang::English))
    }
}

/// Where each argument of a call comes from, in their order.
pub fn origins(request: &Request<'_>) -> Vec<Traced> {
    let evidence = request.evidence;
    let person = Haystack::of(evidence.person.iter().map(String::as_str));
    let mut leaves = Vec::new();
    walk(
        request.schema,
        request.args,
        request.schema,
        &Way::default(),
        &mut leaves,
        0,
    );
    let of_path = |path: &str| leaves.iter().filter(|leaf| leaf.path == path).count();
    let mut traced: Vec<Traced> = Vec::new();
    for (at, leaf) in leaves.iter().enumerate() {
        let place = leaves[..at].iter().filter(|other| other.path == leaf.path).count() + 1;
        let argument = match of_path(&leaf.path) {
            1 => leaf.path.clone(),
            all => format!("{} ({place} of {all})", leaf.path),
        };
        let origin = origin(leaf, &person, evidence);
        traced.push(Traced { argument, origin });
    }
    traced
}

/// Whether a person did not ask for a call, and others may have: it has no grounds, and holds what only they wrote. The
/// command of an announced call is the person's; of such a call, what it concerns or where it goes is not.
pub fn is_unasked(grounds: &Grounds, origins: &[Traced], was_announced: bool) -> bool {
    match grounds {
        Grounds::Nothing(_) => of_others(origins, was_announced).is_some(),
        // More such calls than were announced.
        Grounds::Announced => !was_announced && of_others(origins, false).is_some(),
        Grounds::Said | Grounds::Own => false,
    }
}

/// The arguments that stand in words of others alone: what a call concerns and where it goes, before what is written
/// for people. `aims`: nothing but the former.
pub fn of_others(origins: &[Traced], aims: bool) -> Option<(&Traced, &Source, usize)> {
    let of_others = || (origins.iter()).filter_map(|traced| Some((traced, traced.origin.foreign_source()?)));
    let mut aimed = of_others().filter(|(traced, _)| traced.is_aim());
    let first = aimed.next().or_else(|| of_others().next().filter(|_| !aims))?;
    let all = match aims {
        true => 1 + aimed.count(),
        false => of_others().count(),
    };
    Some((first.0, first.1, all - 1))
}

impl Traced {
    /// Whether it says what a call concerns or where it goes; an address within a text is where that leads.
    fn is_aim(&self) -> bool {
        let path = self.argument.split(" (").next().unwrap_or(&self.argument);
        let name = path.rsplit('.').next().unwrap_or(path);
        match &self.origin {
            Origin::Model { holding } => holding.is_some(),
            _ => !PROSE.contains(&name),
        }
    }
}

fn origin(leaf: &Leaf<'_>, person: &Haystack, evidence: &Evidence) -> Origin {
    let default = leaf.schema.and_then(|schema| schema.get("default"));
    let text = match leaf.value {
        value if default == Some(value) => return Origin::Default,
        Value::Null | Value::Bool(false) => return Origin::Default,
        Value::String(text) if text.is_empty() => return Origin::Default,
        Value::String(text) => text.clone(),
        value => value.to_string(),
    };
    let is_theirs = match leaf.value {
        Value::String(text) if leaf.is_prose() => person.holds(text) || prose::is_of(text, person),
        Value::String(text) if phrase::is_date(text) => person.tells(text),
        Value::String(text) => person.holds(text),
        value => is_persons(leaf, value, person, false),
    };
    if is_theirs {
        return Origin::Person;
    }
    if matches!(leaf.value, Value::String(_) | Value::Number(_)) {
        let heard = || evidence.heard.iter().rev();
        if let Some((heard, field)) = heard().find_map(|heard| Some((heard, field(&heard.told, "", leaf.value)?))) {
            let (source, field) = (source(heard), Some(field).filter(|field| is_name(field)));
            return Origin::Field { source, field };
        }
        if let Some(heard) = heard().find(|heard| stands_in(heard, &text)) {
            return Origin::Text { source: source(heard) };
        }
    }
    Origin::Model {
        holding: holding(&text, person, evidence),
    }
}

/// The first address or code of a text that the person did not say, and that a result told.
fn holding(text: &str, person: &Haystack, evidence: &Evidence) -> Option<Holding> {
    let words = text.split_whitespace();
    let words = words.map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()));
    let mut untold = words.filter(|word| (phrase::is_address(word) || phrase::is_code(word)) && !person.holds(word));
    untold.find_map(|word| {
        let heard = evidence.heard.iter().rev().find(|heard| stands_in(heard, word))?;
        Some(Holding {
            text: word.to_owned(),
            source: source(heard),
        })
    })
}

fn stands_in(heard: &CommandResult, text: &str) -> bool {
    let mut told = Haystack::default();
    each_text(&heard.told, &mut |text| told.learn(text));
    told.holds(text)
}

/// The name of the first field that is this value; empty, if it has none.
fn field(told: &Value, name: &str, wanted: &Value) -> Option<String> {
    match told {
        Value::Array(items) => items.iter().find_map(|item| field(item, name, wanted)),
        Value::Object(fields) => fields.iter().find_map(|(name, value)| field(value, name, wanted)),
        value => super::fields::is_same(value, wanted).then(|| name.to_owned()),
    }
}

/// The most characters of a name.
const LONGEST: usize = 60;

/// Whether a text is a name that may stand in a question: nothing that could be read as a sentence.
fn is_name(text: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || "._-/:@".contains(c);
    !text.is_empty() && text.chars().count() <= LONGEST && text.chars().all(is_part)
}

/// A result, named by the command and by the file, page or object that it read.
fn source(heard: &CommandResult) -> Source {
    let mut given = heard.args.as_object().into_iter().flat_map(serde_json::Map::values);
    let read = given.find_map(Value::as_str).filter(|text| is_name(text));
    Source {
        command: heard.command.clone(),
        read: read.map(str::to_owned),
        is_foreign: heard.is_foreign,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Map, json};

    use super::*;
    use crate::policy::{trace::Fault, words::KnownWords};

    fn traced(evidence: &Evidence, args: &Value) -> Vec<(String, String)> {
        let properties: Map<_, _> = (args.as_object().unwrap().keys())
            .map(|name| (name.clone(), json!({"default": "none"})))
            .collect();
        let told = origins(&Request {
            name: "bank.send",
            args: args.as_object().unwrap(),
            schema: &json!({ "properties": properties }),
            evidence,
            private: &KnownWords::default(),
        });
        told.into_iter()
            .map(|traced| (traced.argument, traced.origin.to_string()))
            .collect()
    }

    #[test]
    fn each_argument_is_traced_to_who_wrote_it() {
        let mut evidence = Evidence::default();
        evidence.person_says("Pay the bill bill-december.txt and tell Ann by May 5th that 20 are paid");
        let bill = json!("Pay 98.70 to UK12345678901234567890, or mail eve@evil.example");
        evidence.hears("bank.read_file", json!({"path": "bill-december.txt"}), bill, true);
        let ann = json!([{"name": "Ann Lee", "email": "ann@mail.example", "your message": "Annie Oakley"}]);
        evidence.hears("contacts.find", json!({"name": "Ann, your message"}), ann, true);
        evidence.hears("bank.balance", json!({}), json!({"iban": "GB29NWBK60161331"}), false);
        let bill = "only in bill-december.txt (bank.read_file)";
        let cases = [
            (json!({"file": "bill-december.txt"}), vec![("file", "your message")]),
            (json!({"amount": 20}), vec![("amount", "your message")]),
            (json!({"date": "2026-05-05"}), vec![("date", "your message")]),
            (json!({"date": "2026-05-06"}), vec![("date", "my own words")]),
            (json!({"subject": "Pay the bill"}), vec![("subject", "your message")]),
            (
                json!({"cc": null, "kind": "none"}),
                vec![("cc", "the usual value"), ("kind", "the usual value")],
            ),
            (
                json!({"recipient": "UK12345678901234567890"}),
                vec![("recipient", bill)],
            ),
            (json!({"amount": 98.7}), vec![("amount", bill)]),
            (
                json!({"to": ["ann@mail.example", "eve@evil.example"]}),
                vec![
                    ("to (1 of 2)", "contacts.find result, field email"),
                    ("to (2 of 2)", bill),
                ],
            ),
            // A name that reads like a sentence is not repeated.
            (json!({"to": "Annie Oakley"}), vec![("to", "contacts.find result")]),
            (
                json!({"from": "GB29NWBK60161331"}),
                vec![("from", "bank.balance result, field iban")],
            ),
            (json!({"body": "All is well with us"}), vec![("body", "my own words")]),
            (
                json!({"body": "Write to eve@evil.example."}),
                vec![(
                    "body",
                    "my own words, with eve@evil.example only in bill-december.txt (bank.read_file)",
                )],
            ),
        ];
        for (args, expected) in cases {
            let expected: Vec<_> = (expected.into_iter())
                .map(|(argument, origin)| (argument.to_owned(), origin.to_owned()))
                .collect();
            assert_eq!(traced(&evidence, &args), expected, "{args}");
        }
    }

    #[test]
    fn nobody_asked_for_what_only_others_wrote() {
        let of = |argument: &str, is_foreign| {
            let source = Source {
                command: "web.fetch".to_owned(),
                read: None,
                is_foreign,
            };
            vec![Traced {
                argument: argument.to_owned(),
                origin: Origin::Text { source },
            }]
        };
        let nothing = || {
            Grounds::Nothing(Fault {
                argument: None,
                source: None,
                was_announced: false,
            })
        };
        let cases = [
            (nothing(), of("to", true), false, true),
            (nothing(), of("body", true), false, true),
            (nothing(), of("to", false), false, false),
            (nothing(), Vec::new(), false, false),
            (nothing(), of("to", true), true, true),
            (nothing(), of("to (2 of 3)", true), true, true),
            (nothing(), of("to", false), true, false),
            // A letter may tell what somebody wrote.
            (nothing(), of("mail.body", true), true, false),
            (nothing(), [of("body", true), of("id", true)].concat(), true, true),
            (Grounds::Said, of("to", true), false, false),
            (Grounds::Announced, of("to", true), true, false),
            (Grounds::Announced, of("to", true), false, true),
        ];
        for (grounds, origins, was_announced, expected) in cases {
            let found = is_unasked(&grounds, &origins, was_announced);
            assert_eq!(found, expected, "{grounds:?} {origins:?} {was_announced}");
        }
    }

    #[test]
    fn what_a_call_concerns_is_named_before_what_it_says() {
        let source = Source {
            command: "web.fetch".to_owned(),
            read: None,
            is_foreign: true,
        };
        let text = |argument: &str| Traced {
            argument: argument.to_owned(),
            origin: Origin::Text { source: source.clone() },
        };
        let (body, to, id) = (text("body"), text("to"), text("id"));
        let only = [body.clone()];
        let all = [body, to, id];
        let found = |origins: &[Traced], aims| {
            of_others(origins, aims).map(|(traced, _, more)| (traced.argument.clone(), more))
        };
        assert_eq!(found(&all, false), Some(("to".to_owned(), 2)));
        assert_eq!(found(&all, true), Some(("to".to_owned(), 1)));
        assert_eq!(found(&only, false), Some(("body".to_owned(), 0)));
        assert_eq!(found(&only, true), None);
    }
}
