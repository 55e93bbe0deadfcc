//! Sentences that the responder makes of tool results, in English and German. Those about itself are in the catalogues.

use jiff::civil::{Date, DateTime};
use serde_json::Value;

use super::{
    dates,
    language::Language,
    transcript::{Memory, memories},
    units::{self, Conversion},
};

impl Language {
    /// The one of a pair that is in this language, as owned text.
    fn say(self, (english, german): (&str, &str)) -> String {
        self.pick(english, german).to_owned()
    }

    /// A sentence about what could not be done, with the reason if one is known.
    pub(super) fn failed(self, sentence: &str, why: Option<&str>) -> String {
        let Some(why) = why else {
            return sentence.to_owned();
        };
        let why = match why {
            "division by zero" => self.pick(why, "Division durch null"),
            other => other,
        };
        format!("{}: {why}.", sentence.trim_end_matches('.'))
    }

    pub(super) fn joke(self) -> String {
        self.say((
            "There are 10 kinds of people: those who understand binary, and those who don't.",
            "Es gibt 10 Arten von Menschen: die, die Binärzahlen verstehen, und die anderen.",
        ))
    }

    pub(super) fn waited(self) -> String {
        self.say(("I have waited.", "Ich habe gewartet."))
    }

    pub(super) fn could_not_wait(self) -> String {
        self.say(("I could not wait.", "Ich konnte nicht warten."))
    }

    pub(super) fn remind_when(self) -> String {
        self.say((
            "I only understand reminders such as \"remind me in 10 minutes to stretch\" or \"remind me every weekday at 8 to stretch\".",
            "Ich verstehe nur Erinnerungen wie „Erinnere mich in 10 Minuten daran, zu lüften“ oder „Erinnere mich jeden Werktag um 8 daran, zu lüften“.",
        ))
    }

    pub(super) fn which_place(self) -> String {
        self.say((
            "I don't know where you are: ask for \"weather in Oslo\", or tell me \"I live in Oslo\".",
            "Ich weiß nicht, wo du bist: Frag nach „Wetter in Oslo“, oder sag mir „Ich wohne in Oslo“.",
        ))
    }

    pub(super) fn could_not_look_up(self) -> String {
        self.say(("I could not look that up.", "Das konnte ich nicht nachsehen."))
    }
}

/// The date and time of a result of `compute.date`, and the offset from UTC.
fn moment(result: &Value) -> Option<(DateTime, &str)> {
    let text = result["date"].as_str()?;
    Some((text.get(..19)?.parse().ok()?, text.get(19..)?))
}

/// `12:04`, and the day.
pub(super) fn time(result: &Value, place: Option<&str>, language: Language) -> Option<String> {
    let (at, offset) = moment(result)?;
    let (date, clock) = (at.date(), at.strftime("%H:%M"));
    let (weekday, day) = (dates::weekday(date, language), dates::date_text(date, language));
    let zone = match place {
        Some(_) => format!("UTC{offset}"),
        None => result["zone"].as_str()?.to_owned(),
    };
    Some(match (language, place) {
        (Language::English, Some(place)) => format!("It is {clock} in {place} ({weekday}, {day}, {zone})."),
        (Language::English, None) => format!("It is {clock} ({weekday}, {day}, {zone})."),
        (Language::German, Some(place)) => format!("In {place} ist es {clock} Uhr ({weekday}, {day}, {zone})."),
        (Language::German, None) => format!("Es ist {clock} Uhr ({weekday}, {day}, {zone})."),
    })
}

pub(super) fn today(result: &Value, place: Option<&str>, language: Language) -> Option<String> {
    let (at, _) = moment(result)?;
    let (weekday, day) = (
        dates::weekday(at.date(), language),
        dates::date_text(at.date(), language),
    );
    Some(match (language, place) {
        (Language::English, Some(place)) => format!("In {place} it is {weekday}, {day}."),
        (Language::English, None) => format!("Today is {weekday}, {day}."),
        (Language::German, Some(place)) => format!("In {place} ist {weekday}, der {day}."),
        (Language::German, None) => format!("Heute ist {weekday}, der {day}."),
    })
}

pub(super) fn week(result: &Value, language: Language) -> Option<String> {
    let week = result["week"].as_i64()?;
    Some(match language {
        Language::English => format!("It is week {week} of the year (ISO)."),
        Language::German => format!("Wir haben Kalenderwoche {week}."),
    })
}

/// The day, or the time, that is so far away from now.
pub(super) fn shifted(result: &Value, span: &str, said: &str, ago: bool, language: Language) -> Option<String> {
    let (at, _) = moment(result)?;
    let (weekday, day) = (
        dates::weekday(at.date(), language),
        dates::date_text(at.date(), language),
    );
    let what = match (dates::is_of_hours(span), language) {
        (true, Language::English) => format!("{} on {weekday}, {day}", at.strftime("%H:%M")),
        (true, Language::German) => format!("{weekday}, der {day}, {} Uhr", at.strftime("%H:%M")),
        (false, Language::English) => format!("{weekday}, {day}"),
        (false, Language::German) => format!("{weekday}, der {day}"),
    };
    Some(match (language, said, ago) {
        (Language::English, "tomorrow", _) => format!("Tomorrow is {what}."),
        (Language::English, "yesterday", _) => format!("Yesterday was {what}."),
        (Language::German, "tomorrow", _) => format!("Morgen ist {what}."),
        (Language::German, "yesterday", _) => format!("Gestern war {what}."),
        (Language::English, _, false) => format!("In {said} it will be {what}."),
        (Language::English, _, true) => format!("{} ago it was {what}.", capital(said)),
        (Language::German, _, false) => format!("In {} ist {what}.", german_span(said)),
        (Language::German, _, true) => format!("Vor {} war {what}.", german_span(said)),
    })
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|first| first.to_uppercase().to_string());
    first.unwrap_or_default() + letters.as_str()
}

/// The unit has a capital letter again: `3 Wochen`.
fn german_span(said: &str) -> String {
    match said.split_once(' ') {
        Some((number, unit)) => format!("{number} {}", capital(unit)),
        None => said.to_owned(),
    }
}

/// The day of the week of a date.
pub(super) fn weekday(result: &Value, date: Date, today: Option<Date>, language: Language) -> Option<String> {
    let (at, _) = moment(result)?;
    let (weekday, day) = (dates::weekday(at.date(), language), dates::date_text(date, language));
    let is_past = today.is_some_and(|today| date < today);
    Some(match (language, is_past) {
        (Language::English, false) => format!("{day} is a {weekday}."),
        (Language::English, true) => format!("{day} was a {weekday}."),
        (Language::German, false) => format!("Der {day} ist ein {weekday}."),
        (Language::German, true) => format!("Der {day} war ein {weekday}."),
    })
}

/// How far away a date is from today.
pub(super) fn until(result: &Value, date: Date, language: Language) -> Option<String> {
    let days = result["until"]["days"].as_i64()?;
    let (day, count) = (dates::date_text(date, language), counted(days, language));
    Some(match (language, days.signum()) {
        (Language::English, 1) => format!("It is {count} until {day}."),
        (Language::English, -1) => format!("{day} was {count} ago."),
        (Language::English, _) => "That is today.".to_owned(),
        (Language::German, 1) => format!("Bis zum {day} {} es {count}.", if days == 1 { "ist" } else { "sind" }),
        (Language::German, -1) => format!("Der {day} war vor {count}{}.", if days == -1 { "" } else { "n" }),
        (Language::German, _) => "Das ist heute.".to_owned(),
    })
}

pub(super) fn between(result: &Value, from: Date, to: Date, language: Language) -> Option<String> {
    let days = result["until"]["days"].as_i64()?;
    let (from, to, count) = (
        dates::date_text(from, language),
        dates::date_text(to, language),
        counted(days, language),
    );
    Some(match language {
        Language::English => format!("From {from} to {to} it is {count}."),
        Language::German => {
            let verb = if days.abs() == 1 { "ist" } else { "sind" };
            format!("Vom {from} bis zum {to} {verb} es {count}.")
        }
    })
}

fn counted(days: i64, language: Language) -> String {
    match (days.abs(), language) {
        (1, Language::English) => "1 day".to_owned(),
        (1, Language::German) => "1 Tag".to_owned(),
        (days, Language::English) => format!("{days} days"),
        (days, Language::German) => format!("{days} Tage"),
    }
}

pub(super) fn converted(result: &Value, asked: &Conversion, language: Language) -> Option<String> {
    let (is_rounded, value) = units::rounded(result["value"].as_str()?, language)?;
    let sign = if is_rounded { "≈" } else { "=" };
    Some(format!("{} {sign} {value} {}", asked.from, asked.to))
}

/// The weather now, or the day after today's.
pub(super) fn weather(result: &Value, tomorrow: bool, language: Language) -> Option<String> {
    let place = result["place"].as_str()?;
    let word = |value: &Value| sky(value.as_str().unwrap_or_default(), language).to_owned();
    let day = |at: usize| {
        let day = &result["days"][at];
        let (low, high) = (day["low"].as_str()?, day["high"].as_str()?);
        let rain = day["chance_of_precipitation"].as_str().map(|chance| match language {
            Language::English => format!(", {chance} chance of rain"),
            Language::German => format!(", Regenrisiko {chance}"),
        });
        let to = language.pick("to", "bis");
        Some(format!(
            "{}, {low} {to} {high}{}",
            word(&day["weather"]),
            rain.unwrap_or_default()
        ))
    };
    if tomorrow {
        let word = language.pick("Tomorrow", "Morgen");
        return Some(format!("{word}, {place}: {}.", day(1)?));
    }
    let now = &result["now"];
    let temperature = now["temperature"].as_str()?;
    let mut told = format!("{place}: {}, {temperature}", word(&now["weather"]));
    if let Some(wind) = now["wind"].as_str() {
        told.push_str(&format!(", {} {wind}", language.pick("wind", "Wind")));
    }
    told.push('.');
    if let Some(today) = day(0) {
        told.push_str(&format!(" {}: {today}.", language.pick("Today", "Heute")));
    }
    Some(told)
}

/// The weather tool's words, in German.
fn sky(words: &str, language: Language) -> &str {
    const GERMAN: [(&str, &str); 28] = [
        ("clear sky", "klarer Himmel"),
        ("mainly clear", "meist klar"),
        ("partly cloudy", "teilweise bewölkt"),
        ("overcast", "bedeckt"),
        ("fog", "Nebel"),
        ("fog with rime", "Nebel mit Reif"),
        ("light drizzle", "leichter Nieselregen"),
        ("drizzle", "Nieselregen"),
        ("dense drizzle", "starker Nieselregen"),
        ("light freezing drizzle", "leichter gefrierender Nieselregen"),
        ("dense freezing drizzle", "starker gefrierender Nieselregen"),
        ("light rain", "leichter Regen"),
        ("rain", "Regen"),
        ("heavy rain", "starker Regen"),
        ("light freezing rain", "leichter gefrierender Regen"),
        ("heavy freezing rain", "starker gefrierender Regen"),
        ("light snowfall", "leichter Schneefall"),
        ("snowfall", "Schneefall"),
        ("heavy snowfall", "starker Schneefall"),
        ("snow grains", "Schneegriesel"),
        ("light showers", "leichte Schauer"),
        ("showers", "Schauer"),
        ("violent showers", "heftige Schauer"),
        ("light snow showers", "leichte Schneeschauer"),
        ("heavy snow showers", "starke Schneeschauer"),
        ("thunderstorm", "Gewitter"),
        ("thunderstorm with light hail", "Gewitter mit leichtem Hagel"),
        ("thunderstorm with heavy hail", "Gewitter mit starkem Hagel"),
    ];
    match language {
        Language::English => words,
        Language::German => GERMAN
            .iter()
            .find(|(english, _)| *english == words)
            .map_or(words, |(_, german)| german),
    }
}

pub(super) fn reminders(result: &Value, language: Language) -> Option<String> {
    let list = result["reminders"].as_array()?;
    if list.is_empty() {
        return Some(language.say(("No reminders are set.", "Es sind keine Erinnerungen gestellt.")));
    }
    let line = |reminder: &Value| {
        let (next, text) = (due(&reminder["next"], language), words(&reminder["text"]));
        match reminder["repeats"].as_str() {
            Some(repeats) => format!("\n- {next}: {text} ({})", dates::repeated(repeats, language)),
            None => format!("\n- {next}: {text}"),
        }
    };
    let head = language.pick("Your reminders:", "Deine Erinnerungen:");
    Some(format!("{head}{}", list.iter().map(line).collect::<String>()))
}

/// When a reminder is due, as its tool tells it (`Fri 2026-11-27 08:00`), in a language.
fn due(told: &Value, language: Language) -> String {
    let told = words(told);
    let day = told.split(' ').nth(1).and_then(|day| day.parse::<Date>().ok());
    match (language, day, told.rsplit_once(' ')) {
        (Language::German, Some(day), Some((_, time))) => {
            let (weekday, day) = (dates::weekday(day, language), dates::date_text(day, language));
            format!("{weekday}, {day}, {time} Uhr")
        }
        _ => told,
    }
}

pub(super) fn reminded(result: &Value, what: &str, language: Language) -> String {
    let (next, zone) = (due(&result["next"], language), words(&result["time_zone"]));
    match (language, result["repeats"].as_str()) {
        (Language::English, Some(repeats)) => {
            format!("I will remind you {repeats}, next on {next} ({zone}): {what}")
        }
        (Language::English, None) => format!("I will remind you on {next} ({zone}): {what}"),
        (Language::German, Some(repeats)) => {
            let repeats = dates::repeated(repeats, language);
            format!("Ich erinnere dich {repeats}, das nächste Mal am {next} ({zone}): {what}")
        }
        (Language::German, None) => format!("Ich erinnere dich am {next} ({zone}): {what}"),
    }
}

/// All that is known of the person.
pub(super) fn known_items(result: &Value, language: Language) -> String {
    let items = memories(&result["items"]);
    let lines = items
        .iter()
        .map(|item| format!("\n- {}: {}", item.key.replace('_', " "), words(&item.value)));
    match lines.collect::<String>() {
        lines if lines.is_empty() => language.say(("I know nothing about you yet.", "Ich weiß noch nichts über dich.")),
        lines => format!(
            "{}{lines}",
            language.pick("This is what I know about you:", "Das weiß ich über dich:")
        ),
    }
}

/// One item that is known of the person.
pub(super) fn item(item: &Memory, language: Language) -> String {
    let (key, value) = (item.key.replace('_', " "), words(&item.value));
    match language {
        Language::English => format!("Your {key}: {value}"),
        Language::German => format!("{}: {value}", capital(&key)),
    }
}

pub(super) fn unknown_item(name: &str, language: Language) -> String {
    match language {
        Language::English => format!("I know nothing about your {name}."),
        Language::German => format!("Dazu weiß ich nichts: {name}."),
    }
}

/// The names of the tools, each with what it is for.
pub(super) fn tools(result: &Value, language: Language) -> String {
    let list = result["tools"].as_array().map(Vec::as_slice).unwrap_or_default();
    let line = |tool: &Value| {
        let name = tool["name"].as_str()?;
        Some(match tool["summary"].as_str() {
            Some(summary) => format!("\n- {name}: {summary}"),
            None => format!("\n- {name}"),
        })
    };
    match list.iter().filter_map(line).collect::<String>() {
        lines if lines.is_empty() => language.say(("I have no tools.", "Ich habe keine Werkzeuge.")),
        lines => format!(
            "{}{lines}",
            language.pick("These are my tools:", "Das sind meine Werkzeuge:")
        ),
    }
}

/// A value as a person reads it.
pub(super) fn words(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_reminder_is_told_in_the_language_of_whoever_asks() {
        let set = json!({ "next": "Thu 2026-11-26 19:37", "time_zone": "UTC" });
        let list = json!({ "reminders": [{ "next": "Thu 2026-11-26 19:37", "text": "Tee" }] });
        let cases = [
            (
                Language::English,
                "I will remind you on Thu 2026-11-26 19:37 (UTC): Tee",
                "Your reminders:\n- Thu 2026-11-26 19:37: Tee",
            ),
            (
                Language::German,
                "Ich erinnere dich am Donnerstag, 26. November 2026, 19:37 Uhr (UTC): Tee",
                "Deine Erinnerungen:\n- Donnerstag, 26. November 2026, 19:37 Uhr: Tee",
            ),
        ];
        for (language, told, listed) in cases {
            assert_eq!(reminded(&set, "Tee", language), told);
            assert_eq!(reminders(&list, language).as_deref(), Some(listed));
        }
    }
}
