//! The question whether a call may be made: exactly the call, in a form that no argument can break out of.
//!
//! It is made to be read on a phone. The head names the command. If its person did not ask for the call and others may
//! have, that is said next, with the argument that only they wrote. Then the arguments follow, one below the other,
//! each exactly as it will be sent, with a line that begins with `←` and says where it comes from ([`Traced`]): no
//! argument can hold that sign, so none can claim an origin. Last comes why it is asked, and how long it can be
//! answered. A code is shown only where nothing can be pressed.
//!
//! **One question for a reply's calls.** An approval is bound to exact arguments, so a question holds only calls whose
//! arguments are known: those that a model gives in one reply (`then`, or a provider's parallel calls). They are asked
//! for together, those that their person did not ask for apart and last, and the one answer holds for exactly what was
//! shown. A plan names commands, not arguments: it decides what is apart, and approves nothing.

mod arguments;
mod in_words;

use std::time::Duration;

use clifford_chat::outbound::Button;
use clifford_markup::{inline::inline, shortened};
use clifford_text::{Approval, Because, Lang};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

pub use self::{arguments::Argument, in_words::in_words};
use super::step::{ConfirmAbout, ConfirmRequest, Proposal, ToolCall};
use crate::{
    clock::Timestamp,
    id::RunId,
    policy::{
        Reason,
        trace::{self, Traced},
    },
};

/// The most characters of arguments that stand in the question, where it is sent: a few messages.
const MOST: usize = 4000;
/// How much of the beginning of longer ones stands there: all of them are in a file.
const HEAD: usize = 800;
/// The name of that file.
const FILE: &str = "arguments.json";
/// How much of a person's name stands in a question.
const NAME: usize = 40;
/// How many characters of the digest name a question.
const CODE: usize = 12;

/// Names one question: the same only for the same call at the same place of its run. Answering it approves this call
/// and no other.
pub fn code(seq: u32, call: &ToolCall) -> String {
    digest(seq, std::iter::once(call))
}

/// The same for a question about several calls: it approves exactly these.
pub fn code_of(seq: u32, request: &ConfirmRequest) -> String {
    digest(seq, request.calls())
}

fn digest<'a>(seq: u32, calls: impl Iterator<Item = &'a ToolCall>) -> String {
    let mut all = seq.to_string();
    for call in calls {
        let args = clifford_action::canonical(&Value::Object(call.args.clone()));
        all.push_str(&format!(" {} {args}", call.name));
    }
    let digest = Sha256::digest(all);
    clifford_vault::hex(&digest).chars().take(CODE).collect()
}

/// A question as people answer it: the run and the code, short enough for a button.
pub fn id(run: RunId, code: &str) -> String {
    format!("{}:{code}", run.0.simple())
}

/// The run and the code of a question.
pub fn parse(id: &str) -> Option<(RunId, String)> {
    let (run, code) = id.split_once(':')?;
    Some((run.parse().ok()?, code.to_owned()))
}

/// Whether a word is meant as a question's id or code, whether or not there is such a question.
pub fn is_id(word: &str) -> bool {
    parse(word).is_some() || (word.len() == CODE && word.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

/// A question to a person.
#[derive(Clone, Copy, Debug)]
pub struct Question<'a> {
    /// The run that asks.
    pub run: RunId,
    /// The request.
    pub request: &'a ConfirmRequest,
    /// Its code.
    pub code: &'a str,
    /// It is only stored, and read where it is: it may be as long as it is.
    pub is_stored: bool,
    /// It is read where nothing can be pressed: it is answered by its code.
    pub is_typed: bool,
    /// The name of the person who is asked, where others read along.
    pub asked: Option<&'a str>,
    /// The time at which it is asked.
    pub now: Timestamp,
    /// The language of whoever is asked.
    pub lang: Lang,
}

impl Question<'_> {
    /// The text, Markdown.
    pub fn text(&self) -> String {
        let (request, whole) = (self.request, self.request.whole());
        let is_short = self.is_short(&whole);
        let mut parts = match request.also.is_empty() {
            true => self.one(is_short),
            false => self.several(is_short),
        };
        if !is_short {
            let head = fenced(&whole.chars().take(HEAD).collect::<String>());
            // That others may be behind it comes first.
            let at = 1 + usize::from(self.begins_with_doubt());
            parts.insert(at, head);
            let told = self.lang.say(Approval::TooLong {
                head: HEAD.to_string(),
                count: whole.chars().count().to_string(),
                file: FILE.to_owned(),
            });
            parts.insert(at + 1, told);
        }
        let code = match self.is_typed {
            true => format!(" {}", self.code),
            false => String::new(),
        };
        parts.push(self.lang.say(Approval::HowToAnswer {
            approve: format!("/approve{code}"),
            deny: format!("/deny{code}"),
            left: time_left(request.expires_at.since(self.now), self.lang),
        }));
        parts.join("\n\n")
    }

    /// Whether the first thing that is said of the calls is that nobody here asked for them.
    fn begins_with_doubt(&self) -> bool {
        let first = self.request.first();
        match self.request.also.is_empty() {
            true => first.unasked(self.lang).is_some(),
            false => first.is_apart() && self.request.also.iter().all(Proposal::is_apart),
        }
    }

    /// Says who is asked, where others read along.
    fn addressee(&self) -> String {
        let asked = self.asked.map(|person| {
            let person = inline(&shortened(person, NAME));
            format!("{} ", self.lang.say(Approval::IsAsked { person }))
        });
        asked.unwrap_or_default()
    }

    /// The question about one call.
    fn one(&self, is_short: bool) -> Vec<String> {
        let head = self.lang.say(match self.request.about {
            ConfirmAbout::Result => Approval::MayUseResult,
            ConfirmAbout::Call => Approval::MayCall,
        });
        let call = self.request.first();
        let mut parts = vec![format!("{}**{head}** `{}`", self.addressee(), call.call.name)];
        parts.extend(call.unasked(self.lang));
        parts.extend(call.shown(is_short, self.lang));
        parts.extend(call.reason(self.lang));
        parts
    }

    /// The question about several calls of one reply. Those that its person did not ask for stand apart, at the end.
    fn several(&self, is_short: bool) -> Vec<String> {
        let calls = self.request.proposals();
        let head = self.lang.say(Approval::MayCallSeveral {
            count: calls.len().into(),
        });
        let mut parts = vec![format!("{}{head}", self.addressee())];
        let (apart, asked): (Vec<_>, Vec<_>) = calls.iter().partition(|call| call.is_apart());
        let reasons: Vec<_> = calls.iter().filter_map(|call| call.reason(self.lang)).collect();
        for (place, call) in asked.iter().chain(&apart).enumerate() {
            if place == asked.len() {
                parts.push(self.lang.say(Approval::NotAskedForFollowing));
            }
            parts.push(format!("**{}.** `{}`", place + 1, call.call.name));
            parts.extend(call.unasked(self.lang));
            parts.extend(call.shown(is_short, self.lang));
        }
        let first_of = |place: usize| reasons[..place].iter().all(|earlier| *earlier != reasons[place]);
        parts.extend(
            (0..reasons.len())
                .filter(|place| first_of(*place))
                .map(|place| reasons[place].clone()),
        );
        parts
    }

    /// The file that goes along, its name and content: the whole arguments, where they are too long for a message.
    pub fn file(&self) -> Option<(String, String)> {
        let arguments = self.request.whole();
        (!self.is_short(&arguments)).then(|| (FILE.to_owned(), arguments))
    }

    fn is_short(&self, arguments: &str) -> bool {
        self.is_stored || arguments.chars().count() <= MOST
    }

    /// The buttons below it. A question that is not shown whole has no button that approves it.
    pub fn buttons(&self) -> Vec<Button> {
        let id = id(self.run, self.code);
        let deny = Button::new(&self.lang.say(Approval::Deny), format!("deny {id}")).negative();
        if !self.is_short(&self.request.whole()) {
            return vec![deny];
        }
        let mut buttons = vec![
            Button::new(&self.lang.say(Approval::Approve), format!("approve {id}")).positive(),
            deny,
        ];
        if self.request.may_be_rule {
            let label = self.lang.say(Approval::AlwaysHere);
            buttons.push(Button::new(&label, format!("approve {id} always")));
        }
        buttons
    }
}

impl ConfirmRequest {
    /// Its calls, each with why it is asked for, in the order in which they are made.
    pub fn proposals(&self) -> Vec<Proposal> {
        std::iter::once(self.first()).chain(self.also.iter().cloned()).collect()
    }

    /// The first of its calls.
    fn first(&self) -> Proposal {
        Proposal {
            call: self.call.clone(),
            why: self.why.clone(),
            reason: self.reason.clone(),
            traced: self.traced.clone(),
            is_unasked: self.is_unasked,
            was_announced: self.was_announced,
        }
    }

    /// The arguments of its calls, whole: of several, each with the name of its command.
    fn whole(&self) -> String {
        if self.also.is_empty() {
            return arguments(&self.call.args);
        }
        let calls: Vec<_> = (self.calls())
            .map(|call| serde_json::json!({ "name": call.name, "args": call.args }))
            .collect();
        arguments::escaped(&serde_json::to_string_pretty(&calls).unwrap_or_default())
    }
}

impl Proposal {
    /// Its arguments, each with where it comes from.
    pub fn arguments(&self, lang: Lang) -> Vec<Argument> {
        arguments::listed(&self.call.args, &self.traced, lang)
    }

    /// Whether it stands apart from what was asked for.
    pub const fn is_apart(&self) -> bool {
        self.is_unasked && !self.was_announced
    }

    /// Says that its person did not ask for the call, or for where it goes, and what stands in words of others alone.
    pub fn unasked(&self, lang: Lang) -> Option<String> {
        let of_others = OfOthers::of(&self.traced, self.was_announced, lang).filter(|_| self.is_unasked)?;
        let OfOthers { argument, source } = of_others;
        Some(lang.say(match self.was_announced {
            true => Approval::NotAskedForArgument { argument, source },
            false => Approval::NotAskedFor { argument, source },
        }))
    }

    /// Its arguments with their origins; of those that are too long, the origins alone.
    fn shown(&self, is_short: bool, lang: Lang) -> Option<String> {
        let shown = match (self.call.args.is_empty(), is_short) {
            (true, _) => lang.say(Approval::NoArguments),
            (false, true) => arguments::arguments(&self.call.args, &self.traced, lang),
            (false, false) => arguments::origins(&self.traced, lang),
        };
        (!shown.is_empty()).then(|| fenced(&shown))
    }

    /// Why it is asked for, unless it is told already that others may be behind it, and of what.
    pub fn reason(&self, lang: Lang) -> Option<String> {
        let is_told = self.is_unasked && self.reason.as_ref().is_some_and(Reason::may_be_others);
        (!is_told).then(|| lang.sentence(&reason_text(self.reason.as_ref(), &self.why, lang)))
    }
}

/// Why a question was asked, within a sentence.
pub fn reason(request: &ConfirmRequest, lang: Lang) -> String {
    let of_others = OfOthers::of(&request.traced, request.was_announced, lang);
    match of_others.filter(|_| request.is_unasked) {
        Some(OfOthers { argument, source }) => lang.say(Because::StandsIn { argument, source }),
        None => reason_text(request.reason.as_ref(), &request.why, lang),
    }
}

/// A reason as a part of a sentence; of an earlier version's question, as it is.
fn reason_text(reason: Option<&Reason>, why: &str, lang: Lang) -> String {
    match reason {
        Some(reason) => reason.text(lang),
        None => why.trim().trim_end_matches('.').to_owned(),
    }
}

/// The commands that a question is about, each once.
pub fn names(request: &ConfirmRequest) -> String {
    let mut names: Vec<&str> = Vec::new();
    for call in request.calls() {
        if !names.contains(&&*call.name) {
            names.push(&call.name);
        }
    }
    names.join(", ")
}

/// An argument that stands in words of others alone, and in whose, fit for a sentence.
struct OfOthers {
    argument: String,
    source: String,
}

impl OfOthers {
    fn of(traced: &[Traced], was_announced: bool, lang: Lang) -> Option<Self> {
        let (traced, source, more) = trace::of_others(traced, was_announced)?;
        Some(Self {
            argument: clifford_markup::within_sentence(&traced.argument, 60),
            source: format!(
                "{}{}",
                clifford_markup::within_sentence(&source.text(lang), 160),
                match more {
                    0 => String::new(),
                    more => lang.say(Approval::OtherArguments { count: more.into() }),
                }
            ),
        })
    }
}

/// Whether the calls of a question are so short that it shows them whole, and a person who has read that has read all.
pub fn is_shown_whole(request: &ConfirmRequest) -> bool {
    request.whole().chars().count() <= MOST
}

/// Arguments as they are, in JSON: what could end a block or be read as something else is written by its number.
pub fn arguments(args: &Map<String, Value>) -> String {
    arguments::escaped(&serde_json::to_string_pretty(args).unwrap_or_default())
}

fn fenced(text: &str) -> String {
    format!("```\n{text}\n```")
}

/// A time in words, rounded.
fn time_left(time: Duration, lang: Lang) -> String {
    let minutes = time.as_secs().div_ceil(60);
    lang.say(match minutes {
        0..100 => Approval::Minutes { count: minutes.into() },
        100..2880 => Approval::Hours {
            count: ((minutes + 30) / 60).into(),
        },
        _ => Approval::Days {
            count: ((minutes + 720) / 1440).into(),
        },
    })
}

#[cfg(test)]
mod tests;
