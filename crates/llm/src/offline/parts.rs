//! From one intent to what is done for it: a sentence, or a tool's call and the sentence for its result.

use clifford_text::Rules;
use serde_json::{Value, json};

use super::{
    intent::Intent,
    language::Language,
    module,
    questions::Question,
    sentences,
    text::slug,
    transcript::{Memory, Transcript, memories},
    units::Conversion,
};

/// One thing to do for a message.
pub(super) enum Part {
    /// Nothing but a sentence.
    Say(String),
    Call(Call),
    Wait(u64),
}

/// A tool call, and what is said of it.
pub(super) struct Call {
    pub(super) name: &'static str,
    pub(super) args: Value,
    /// Its purpose, as a note.
    pub(super) purpose: String,
    /// The sentence for its result.
    pub(super) told: Box<dyn Fn(&Value) -> String>,
    /// The sentence if it could not be done.
    pub(super) failed: String,
}

pub(super) fn part(intent: Intent, alone: bool, transcript: &Transcript) -> Part {
    let (language, reader, name) = (transcript.language(), transcript.reader(), || transcript.name.clone());
    match intent {
        Intent::Greet if alone => Part::Say(reader.say(Rules::Greeting { name: name() })),
        Intent::Greet => Part::Say(reader.say(Rules::Hello)),
        Intent::Thanks => Part::Say(reader.say(Rules::Welcome)),
        Intent::Emoji => Part::Say("🙂".to_owned()),
        Intent::Help => Part::Say(reader.say(Rules::Help { name: name() })),
        Intent::Unknown => Part::Say(reader.say(Rules::NeedsModel)),
        Intent::RemindWhen => Part::Say(language.remind_when()),
        Intent::Remind { when, what } => Part::Call(remind(&when, what, language)),
        Intent::Wait(seconds) => Part::Wait(seconds),
        Intent::Calculate(expression) => Part::Call(calculate(expression, language)),
        Intent::Remember { key, value } => Part::Call(remember(&key, &value, language)),
        Intent::Recall(None) => Part::Call(recall_all(language)),
        Intent::Recall(Some(about)) => match describe(&transcript.memories, &about, language) {
            Some(text) => Part::Say(text),
            None => Part::Call(recall(about, language)),
        },
        Intent::Ask(question) => answer(question, transcript),
        Intent::Ping => Part::Call(Call {
            name: "system.ping",
            args: json!({}),
            purpose: "see whether the system answers".to_owned(),
            told: Box::new(|_| "Pong: the system answers.".to_owned()),
            failed: "The system does not answer.".to_owned(),
        }),
        Intent::ListTools => Part::Call(Call {
            name: "tools.list",
            args: json!({}),
            purpose: "look up the tools".to_owned(),
            told: Box::new(move |result| sentences::tools(result, language)),
            failed: language
                .pick(
                    "I could not list the tools.",
                    "Ich konnte die Werkzeuge nicht auflisten.",
                )
                .to_owned(),
        }),
    }
}

fn answer(question: Question, transcript: &Transcript) -> Part {
    let (language, today) = (transcript.language(), transcript.today);
    let (reader, name) = (transcript.reader(), || transcript.name.clone());
    let call = match question {
        Question::Name => return Part::Say(reader.say(Rules::Name { name: name() })),
        Question::Being => return Part::Say(reader.say(Rules::Being { name: name() })),
        Question::HowAreYou => return Part::Say(reader.say(Rules::Fine)),
        Question::Joke => return Part::Say(language.joke()),
        Question::Bye => return Part::Say(reader.say(Rules::Bye)),
        Question::Time(None) => date(json!({}), "look up the time", language, move |result| {
            sentences::time(result, None, language)
        }),
        Question::Time(Some((zone, place))) => {
            let purpose = format!("look up the time in {place}");
            date(json!({"to_zone": zone}), &purpose, language, move |result| {
                sentences::time(result, Some(&place), language)
            })
        }
        Question::Today => date(json!({}), "look up the date", language, move |result| {
            sentences::today(result, None, language)
        }),
        Question::DateIn(zone, place) => {
            let purpose = format!("look up the date in {place}");
            date(json!({"to_zone": zone}), &purpose, language, move |result| {
                sentences::today(result, Some(&place), language)
            })
        }
        Question::Week => date(json!({}), "look up the week", language, move |result| {
            sentences::week(result, language)
        }),
        Question::Shifted(span, words, ago) => {
            let add = if ago { format!("-{span}") } else { span.clone() };
            date(json!({"add": add}), "work out a date", language, move |result| {
                sentences::shifted(result, &span, &words, ago, language)
            })
        }
        Question::Weekday(day) => {
            let args = json!({"date": day.to_string()});
            date(args, "look up the day of the week", language, move |result| {
                sentences::weekday(result, day, today, language)
            })
        }
        Question::Until(day) => {
            let args = json!({"until": day.to_string()});
            date(args, "count the days", language, move |result| {
                sentences::until(result, day, language)
            })
        }
        Question::Between(from, to) => {
            let args = json!({"date": from.to_string(), "until": to.to_string()});
            date(args, "count the days", language, move |result| {
                sentences::between(result, from, to, language)
            })
        }
        Question::Convert(asked) => convert(asked, language),
        Question::Reminders => Call {
            name: "reminders.list",
            args: json!({}),
            purpose: "look up the reminders".to_owned(),
            told: Box::new(move |result| {
                sentences::reminders(result, language).unwrap_or_else(|| language.could_not_look_up())
            }),
            failed: language.could_not_look_up(),
        },
        Question::Weather { place, tomorrow } => {
            let home = || {
                let home = transcript
                    .memories
                    .iter()
                    .find(|item| item.key == "home" || item.key == "city");
                home.and_then(|item| item.value.as_str()).map(str::to_owned)
            };
            match place.or_else(home) {
                Some(place) => weather(&place, tomorrow, language),
                None => return Part::Say(language.which_place()),
            }
        }
    };
    Part::Call(call)
}

/// A call of `compute.date`. A result that is not as it should be is owned up to.
fn date(args: Value, purpose: &str, language: Language, told: impl Fn(&Value) -> Option<String> + 'static) -> Call {
    Call {
        name: "compute.date",
        args,
        purpose: purpose.to_owned(),
        told: Box::new(move |result| told(result).unwrap_or_else(|| language.could_not_look_up())),
        failed: language.could_not_look_up(),
    }
}

fn convert(asked: Conversion, language: Language) -> Call {
    Call {
        name: "compute.eval",
        args: json!({"expression": asked.expression}),
        purpose: format!("convert {}", asked.expression),
        failed: match language {
            Language::English => format!("I could not convert {}.", asked.from),
            Language::German => format!("{} konnte ich nicht umrechnen.", asked.from),
        },
        told: Box::new(move |result| {
            sentences::converted(result, &asked, language)
                .unwrap_or_else(|| format!("{} = {}", asked.from, sentences::words(&result["value"])))
        }),
    }
}

fn weather(place: &str, tomorrow: bool, language: Language) -> Call {
    Call {
        name: "weather.forecast",
        args: json!({"place": place}),
        purpose: format!("look up the weather in {place}"),
        told: Box::new(move |result| {
            sentences::weather(result, tomorrow, language).unwrap_or_else(|| language.could_not_look_up())
        }),
        failed: match language {
            Language::English => format!(
                "I could not get the weather for \"{place}\": there is no such place, or the weather service cannot be reached."
            ),
            Language::German => format!(
                "Das Wetter für „{place}“ konnte ich nicht nachsehen: Es gibt keinen solchen Ort, oder der Wetterdienst ist nicht erreichbar."
            ),
        },
    }
}

fn calculate(expression: String, language: Language) -> Call {
    Call {
        name: "compute.eval",
        args: json!({"expression": expression}),
        purpose: format!("work out {expression}"),
        failed: match language {
            Language::English => format!("I could not work out {expression}."),
            Language::German => format!("{expression} konnte ich nicht ausrechnen."),
        },
        told: Box::new(move |result| format!("{expression} = {}", sentences::words(&result["value"]))),
    }
}

fn remember(key: &str, value: &str, language: Language) -> Call {
    let name = key.replace('_', " ");
    let told = match language {
        Language::English => format!("I will remember that ({name}: {value})."),
        Language::German => format!("Das merke ich mir ({name}: {value})."),
    };
    Call {
        name: "memory.put",
        args: json!({"module": module::of(key), "key": key, "value": value}),
        purpose: format!("remember {name}"),
        told: Box::new(move |_| told.clone()),
        failed: language
            .pick("I could not store that.", "Das konnte ich mir nicht merken.")
            .to_owned(),
    }
}

fn remind(when: &str, what: String, language: Language) -> Call {
    let failed = match language {
        Language::English => format!(
            "I could not set the reminder: \"{when}\" is no time that I understand, it has passed, or there is no chat here in which I could say it."
        ),
        Language::German => format!(
            "Die Erinnerung konnte ich nicht stellen: „{when}“ ist keine Zeit, die ich verstehe, oder sie ist vorbei, oder es gibt hier keinen Chat, in dem ich es sagen könnte."
        ),
    };
    Call {
        name: "reminders.set",
        args: json!({"text": what, "when": when}),
        purpose: format!("remind of: {what}"),
        failed,
        told: Box::new(move |result| sentences::reminded(result, &what, language)),
    }
}

fn recall(about: String, language: Language) -> Call {
    let name = about.replace('_', " ");
    Call {
        name: "memory.get",
        args: json!({"key": about}),
        purpose: format!("look up the person's {name}"),
        told: Box::new(move |result| {
            describe(&memories(&result["items"]), &about, language)
                .unwrap_or_else(|| sentences::unknown_item(&name, language))
        }),
        failed: language.could_not_look_up(),
    }
}

fn recall_all(language: Language) -> Call {
    Call {
        name: "memory.get",
        args: json!({}),
        purpose: "look up all that is known of the person".to_owned(),
        told: Box::new(move |result| sentences::known_items(result, language)),
        failed: language.could_not_look_up(),
    }
}

/// The items about one thing, the closest key first.
fn describe(items: &[Memory], about: &str, language: Language) -> Option<String> {
    let exact = items.iter().find(|item| slug(&item.key) == about);
    let near = || {
        items
            .iter()
            .find(|item| slug(&item.key).split('_').any(|word| word == about))
    };
    exact.or_else(near).map(|item| sentences::item(item, language))
}
