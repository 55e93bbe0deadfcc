//! The questions that the responder knows, as a table of sentences; `*` stands for what a question is about.

use jiff::civil::Date;

use super::{
    dates,
    language::Language,
    units::{self, Conversion},
    zones,
};

/// A question that was understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Question {
    /// The time here, or in a place: its zone, and its name as it is written.
    Time(Option<(String, String)>),
    Today,
    /// The date in a place.
    DateIn(String, String),
    Week,
    /// The date or time that is so far away: the span, and as it was said; `true`: ago.
    Shifted(String, String, bool),
    /// The day of the week.
    Weekday(Date),
    /// How many days until or since a date.
    Until(Date),
    /// From one date to another.
    Between(Date, Date),
    Convert(Conversion),
    Weather {
        /// `None`: where the person lives.
        place: Option<String>,
        tomorrow: bool,
    },
    Name,
    Being,
    HowAreYou,
    Joke,
    Bye,
    Reminders,
}

/// The question of a sentence of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Asks {
    Time,
    TimeIn,
    Today,
    Week,
    /// A span from now, or a place.
    DateIn,
    After,
    Ago,
    Tomorrow,
    Yesterday,
    Weekday,
    Until,
    Since,
    Between,
    Weather,
    WeatherTomorrow,
    WeatherIn,
    WeatherTomorrowIn,
    Name,
    Being,
    HowAreYou,
    Joke,
    Bye,
    Reminders,
}

/// The sentences of each question, in lower case, without signs at their ends and with `|` between them. Where two match,
/// the first one that makes sense of its `*` counts.
const TABLE: &[(Asks, &str)] = &[
    (
        Asks::Time,
        "time | what time is it | what is the time | what time is it here | tell me the time | the time | \
         time now | current time | what is the current time | what time do we have | what time it is | \
         do you have the time | what time | wie spät ist es | wie spät | wie spät ist es hier | \
         wie spät es ist | wie viel uhr ist es | wieviel uhr ist es | uhrzeit | welche uhrzeit haben wir | \
         was ist die uhrzeit | wie viel uhr haben wir | die uhrzeit",
    ),
    (
        Asks::TimeIn,
        "what time is it in * | what is the time in * | what is the current time in * | time in * | \
         current time in * | the time in * | what time is it now in * | what time it is in * | local time in * | \
         * time | what time is it at * | wie spät ist es in * | wie viel uhr ist es in * | \
         wieviel uhr ist es in * | uhrzeit in * | wie spät es in * ist | wie spät ist es gerade in * | \
         wie spät ist es jetzt in * | welche uhrzeit ist es in * | uhrzeit *",
    ),
    (
        Asks::Today,
        "date | what is the date | what is the date today | what is today's date | today's date | \
         what day is it | what day is it today | what day is today | what is today | which day is it | \
         what date is it | the date | what date is it today | what is the current date | what weekday is it | \
         what day of the week is it | what year is it | what month is it | which year is it | datum | \
         welcher tag ist heute | welches datum ist heute | welches datum haben wir | \
         welches datum haben wir heute | was ist heute für ein tag | was für ein tag ist heute | \
         der wievielte ist heute | den wievielten haben wir heute | welchen tag haben wir heute | \
         welchen tag haben wir | was ist das heutige datum | welcher wochentag ist heute | \
         welches jahr haben wir | welchen monat haben wir | das datum | welcher tag ist es | was ist heute",
    ),
    (
        Asks::Week,
        "what week is it | which week is it | what week number is it | what is the week number | week number | \
         which calendar week is it | what calendar week is it | what week of the year is it | \
         welche kalenderwoche ist heute | welche kalenderwoche haben wir | welche woche haben wir | \
         kalenderwoche | welche kw haben wir | welche kalenderwoche ist es | in welcher kalenderwoche sind wir",
    ),
    (
        Asks::Tomorrow,
        "what day is tomorrow | what is tomorrow's date | what is the date tomorrow | what date is tomorrow | \
         what day is it tomorrow | what day of the week is tomorrow | welcher tag ist morgen | \
         welches datum ist morgen | was ist morgen für ein tag | der wievielte ist morgen | \
         welches datum haben wir morgen | was für ein tag ist morgen",
    ),
    (
        Asks::Yesterday,
        "what day was yesterday | what was yesterday's date | what was the date yesterday | \
         what day was it yesterday | welcher tag war gestern | welches datum war gestern | \
         was war gestern für ein tag | der wievielte war gestern",
    ),
    (
        Asks::Ago,
        "what day was it * ago | what was the date * ago | what date was it * ago | which day was * ago | \
         what day was * ago | what date was * ago | what time was it * ago | welcher tag war vor * | \
         welches datum war vor * | was war vor * für ein tag | der wievielte war vor * | \
         welches datum hatten wir vor * | wie spät war es vor *",
    ),
    (
        Asks::After,
        "what day is it in * | what day will it be in * | what date is it in * | what date will it be in * | \
         what day is in * | what date is in * | what is the day in * | which day is it in * | \
         what time is it in * | what time will it be in * | what will the date be in * | \
         what day is * from now | what date is * from now | what is the date in * | what is * from now | \
         what is the date * from now | what day is it * from now | welcher tag ist in * | \
         welches datum ist in * | was ist in * für ein tag | der wievielte ist in * | \
         welches datum haben wir in * | wie spät ist es in * | welchen tag haben wir in * | was ist heute in *",
    ),
    (
        Asks::DateIn,
        "what is the date in * | what day is it in * | what date is it in * | date in * | \
         what day is it now in * | welches datum ist in * | welcher tag ist in * | datum in * | \
         welches datum haben sie in *",
    ),
    (
        Asks::Weekday,
        "what day is * | what day was * | what weekday is * | what weekday was * | what day of the week is * | \
         what day of the week was * | which weekday is * | which weekday was * | what day will * be | \
         which day is * | on what day is * | on what day was * | on which day is * | on which weekday is * | \
         when is * | what day of the week will * be | on what day does * fall | weekday of * | what date is * | \
         welcher wochentag ist * | welcher wochentag war * | welcher tag ist * | welcher tag war * | \
         auf welchen wochentag fällt * | auf welchen tag fällt * | an welchem wochentag ist * | wann ist * | \
         was für ein tag ist * | was für ein tag war * | was für ein wochentag ist * | \
         was für ein wochentag war * | was ist * für ein wochentag | was ist * für ein tag | wochentag *",
    ),
    (
        Asks::Until,
        "how many days are there until * | how many days until * | how many days till * | how many days to * | how many days is it until * | \
         how many days are left until * | how many days left until * | days until * | how long until * | \
         how long is it until * | how long till * | how many days are it until * | days to * | \
         how far away is * | countdown to * | how many sleeps until * | wie viele tage bis * | \
         wie viele tage sind es bis * | wie viele tage sind es noch bis * | wie viele tage noch bis * | \
         wieviele tage bis * | wie lange noch bis * | wie lange ist es noch bis * | wie lange ist es bis * | \
         tage bis * | wie lange dauert es noch bis *",
    ),
    (
        Asks::Since,
        "how many days since * | how many days is it since * | \
         how long ago was * | days since * | how many days have passed since * | how many days ago was * | \
         wie viele tage seit * | wie viele tage sind seit * vergangen | wie lange ist * her | \
         wie viele tage ist * her | tage seit * | wie viele tage sind es seit *",
    ),
    (
        Asks::Between,
        "how many days between * | how many days are between * | how many days are there between * | \
         days between * | how many days lie between * | how many days from * | how many days is it from * | \
         days from * | wie viele tage zwischen * | wie viele tage liegen zwischen * | \
         wie viele tage sind zwischen * | tage zwischen * | wie viele tage sind es von * | wie viele tage von *",
    ),
    (
        Asks::WeatherTomorrowIn,
        "what is the weather tomorrow in * | what is the weather in * tomorrow | weather in * tomorrow | \
         weather tomorrow in * | how is the weather in * tomorrow | what will the weather be in * tomorrow | \
         what will the weather be like in * tomorrow | will it rain in * tomorrow | will it rain tomorrow in * | \
         what is the forecast for * tomorrow | weather * tomorrow | how will the weather be in * tomorrow | \
         what is the weather like in * tomorrow | wie wird das wetter morgen in * | \
         wie wird das wetter in * morgen | wetter morgen in * | wetter in * morgen | \
         wie ist das wetter morgen in * | wird es morgen in * regnen | regnet es morgen in * | wetter * morgen | \
         wie ist das wetter in * morgen | wie wird morgen das wetter in *",
    ),
    (
        Asks::WeatherTomorrow,
        "what is the weather tomorrow | weather tomorrow | how is the weather tomorrow | will it rain tomorrow | \
         what will the weather be tomorrow | what will the weather be like tomorrow | tomorrow's weather | \
         wie wird das wetter morgen | wie wird morgen das wetter | wetter morgen | wie ist das wetter morgen | \
         regnet es morgen | wird es morgen regnen",
    ),
    (
        Asks::WeatherIn,
        "what is the weather in * | what is the weather like in * | how is the weather in * | weather in * | \
         what is the weather today in * | what is the weather in * today | how is the weather in * today | \
         weather for * | what is the forecast for * | forecast for * | is it raining in * | will it rain in * | \
         how warm is it in * | how cold is it in * | how hot is it in * | what is the temperature in * | \
         temperature in * | what is the weather like today in * | what is the weather like in * today | \
         weather * | will it rain in * today | does it rain in * | weather in * today | \
         wie ist das wetter in * | wie ist das wetter heute in * | wie ist das wetter in * heute | wetter in * | \
         wie wird das wetter in * | wie wird das wetter heute in * | regnet es in * | wie warm ist es in * | \
         wie kalt ist es in * | temperatur in * | wetter für * | wetterbericht für * | wetter heute in * | \
         wetter * | wie ist in * das wetter | regnet es heute in * | was ist das wetter in *",
    ),
    (
        Asks::Weather,
        "weather | what is the weather | what is the weather like | how is the weather | \
         what is the weather today | what is the weather like today | how is the weather today | is it raining | \
         will it rain | will it rain today | weather today | today's weather | how warm is it | how cold is it | \
         what is the temperature | weather forecast | wetter | wie ist das wetter | wie ist das wetter heute | \
         wie wird das wetter | wie wird das wetter heute | regnet es | regnet es heute | wetter heute | \
         wie warm ist es | wie kalt ist es | wetterbericht",
    ),
    (
        Asks::Name,
        "what is your name | your name | do you have a name | who am i talking to | what are you called | \
         what should i call you | wie heißt du | wie heisst du | wie ist dein name | was ist dein name | \
         hast du einen namen | mit wem spreche ich",
    ),
    (
        Asks::Being,
        "who are you | what are you | are you a bot | are you a robot | are you an ai | are you human | \
         are you a human | are you chatgpt | are you real | which model are you | what model are you | \
         what model is this | are you claude | introduce yourself | what is clifford | who is clifford | \
         are you a person | what llm are you | are you gpt | wer bist du | was bist du | bist du ein bot | \
         bist du ein mensch | bist du eine ki | bist du echt | welches modell bist du | stell dich vor | \
         was ist clifford | wer ist clifford | bist du ein roboter",
    ),
    (
        Asks::HowAreYou,
        "how are you | how are you doing | how is it going | how do you do | are you ok | what is up | sup | \
         how are you today | how are things | how are you doing today | are you there | you there | \
         wie geht es dir | wie geht's | wie gehts | wie geht es | wie geht es ihnen | alles gut | alles klar | \
         na | wie geht's dir | wie gehts dir | bist du da | was geht | wie läuft es",
    ),
    (
        Asks::Joke,
        "tell me a joke | joke | tell a joke | make me laugh | do you know a joke | another joke | \
         say something funny | a joke | erzähl einen witz | erzähl mir einen witz | erzähle einen witz | \
         erzähle mir einen witz | witz | ein witz | kennst du einen witz | noch einen witz | einen witz",
    ),
    (
        Asks::Bye,
        "bye | goodbye | good bye | bye bye | see you | see you later | see you soon | exit | quit | cu | cya | \
         /exit | good night | have a nice day | /quit | farewell | q | :q | logout | tschüss | tschüß | tschau | \
         ciao | auf wiedersehen | bis später | bis bald | bis dann | bis morgen | gute nacht | beenden | ende | \
         mach's gut | machs gut | schönen tag noch | schönen abend noch | adieu",
    ),
    (
        Asks::Reminders,
        "reminders | my reminders | list reminders | list my reminders | show my reminders | show reminders | \
         what reminders do i have | which reminders do i have | what are my reminders | do i have reminders | \
         do i have any reminders | what will you remind me of | list all reminders | list all my reminders | \
         erinnerungen | meine erinnerungen | welche erinnerungen habe ich | zeig meine erinnerungen | \
         zeige meine erinnerungen | zeig mir meine erinnerungen | was sind meine erinnerungen | \
         habe ich erinnerungen | woran erinnerst du mich | liste meine erinnerungen | \
         liste meine erinnerungen auf",
    ),
];

/// Phrases of courtesy before a question; they are no part of it.
const COURTESY: [&str; 17] = [
    "please ",
    "bitte ",
    "clifford ",
    "can you tell me ",
    "could you tell me ",
    "can you please tell me ",
    "tell me ",
    "do you know ",
    "hey clifford ",
    "kannst du mir sagen ",
    "kannst du mir bitte sagen ",
    "weißt du ",
    "sag mir bitte ",
    "sag mir ",
    "so ",
    "ok ",
    "und ",
];
const COURTESY_AFTER: [&str; 9] = [
    " please",
    " bitte",
    " clifford",
    " right now",
    " now",
    " exactly",
    " gerade",
    " jetzt",
    " eigentlich",
];

/// The question of a sentence, in lower case and without signs around it. `today`: by the calendar of the person.
pub(super) fn read(text: &str, language: Language, today: Option<Date>) -> Option<Question> {
    let text = bare(text);
    let matched = TABLE.iter().find_map(|(asks, sentences)| {
        sentences
            .split(" | ")
            .filter_map(|sentence| about(sentence, &text))
            .find_map(|about| question(*asks, about, today))
    });
    matched.or_else(|| units::read(&text, language).map(Question::Convert))
}

/// The part of a text that stands for the `*` of a sentence; empty if it has none.
fn about<'a>(sentence: &str, text: &'a str) -> Option<&'a str> {
    match sentence.split_once('*') {
        None => (sentence == text).then_some(""),
        Some((before, after)) => {
            let about = text.strip_prefix(before)?.strip_suffix(after)?.trim();
            (!about.is_empty()).then_some(about)
        }
    }
}

/// Without courtesy, with short forms in full.
fn bare(text: &str) -> String {
    let mut text = text.replace('\u{2019}', "'");
    text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    for (short, long) in [
        ("what's ", "what is "),
        ("whats ", "what is "),
        ("how's ", "how is "),
        ("who's ", "who is "),
    ] {
        if let Some(rest) = text.strip_prefix(short) {
            text = format!("{long}{rest}");
        }
    }
    let mut rest = text.as_str();
    loop {
        let before = COURTESY.iter().find_map(|words| rest.strip_prefix(words));
        let behind = || {
            let after = COURTESY_AFTER.iter().find_map(|words| rest.strip_suffix(words));
            after.filter(|_| !rest.ends_with("from now"))
        };
        let shorter = before.or_else(behind);
        match shorter.map(|text| text.trim_matches([' ', ','])) {
            Some(shorter) if !shorter.is_empty() => rest = shorter,
            _ => return rest.to_owned(),
        }
    }
}

/// `None`: what it is about makes no sense in this question.
fn question(asks: Asks, about: &str, today: Option<Date>) -> Option<Question> {
    let place = || zones::of(about);
    let date = || dates::read(about, today?);
    let shifted = |ago| Some(Question::Shifted(dates::span(about)?, about.to_owned(), ago));
    let day = |said: &str, ago| Some(Question::Shifted("1 days".to_owned(), said.to_owned(), ago));
    let weather = |place: Option<&str>, tomorrow| {
        Some(Question::Weather {
            place: place.map(str::to_owned),
            tomorrow,
        })
    };
    match asks {
        Asks::Time => Some(Question::Time(None)),
        Asks::TimeIn => place().map(|place| Question::Time(Some(place))),
        Asks::Today => Some(Question::Today),
        Asks::Week => Some(Question::Week),
        Asks::DateIn => place().map(|(zone, shown)| Question::DateIn(zone, shown)),
        Asks::After => shifted(false),
        Asks::Ago => shifted(true),
        Asks::Tomorrow => day("tomorrow", false),
        Asks::Yesterday => day("yesterday", true),
        Asks::Weekday => date().map(Question::Weekday),
        Asks::Until => date().map(Question::Until),
        Asks::Since => since(about, today?).map(Question::Until),
        Asks::Between => between(about, today?),
        Asks::Weather => weather(None, false),
        Asks::WeatherTomorrow => weather(None, true),
        Asks::WeatherIn => weather(Some(place_of(about)?), false),
        Asks::WeatherTomorrowIn => weather(Some(place_of(about)?), true),
        Asks::Name => Some(Question::Name),
        Asks::Being => Some(Question::Being),
        Asks::HowAreYou => Some(Question::HowAreYou),
        Asks::Joke => Some(Question::Joke),
        Asks::Bye => Some(Question::Bye),
        Asks::Reminders => Some(Question::Reminders),
    }
}

/// Words that can be the name of a place: the weather service looks it up, so it gets no whole sentences.
fn place_of(text: &str) -> Option<&str> {
    const NONE: &str = "here there general space hier my meiner your today heute tomorrow morgen app report forecast is was \
        ist so very and und or oder it es tonight yesterday gestern now jetzt next nächste week woche bericht what why";
    let today = [" today", " heute"].iter().find_map(|word| text.strip_suffix(word));
    let text = today.unwrap_or(text);
    let is_name = |c: char| c.is_alphabetic() || matches!(c, ' ' | '-' | '\'' | ',' | '.');
    let names = |word: &str| !NONE.split_ascii_whitespace().any(|none| none == word);
    let is_place =
        text.split_whitespace().count() <= 5 && text.chars().all(is_name) && text.split_whitespace().all(names);
    is_place.then_some(text)
}

/// A date that has passed: one without a year is the last of its kind.
fn since(text: &str, today: Date) -> Option<Date> {
    let next = dates::read(text, today)?;
    if next <= today {
        return Some(next);
    }
    let year_before = today.checked_sub(jiff::Span::new().years(1)).ok()?;
    dates::read(text, year_before)
}

/// Two dates; one without a year is of this year, and the second follows the first.
fn between(about: &str, today: Date) -> Option<Question> {
    let read = |text: &str, after: Date| {
        let is_relative = ["today", "tomorrow", "yesterday", "heute", "morgen", "gestern"].contains(&text.trim());
        dates::read(text, if is_relative { today } else { after })
    };
    let begin = today.first_of_year();
    let ends = [" and ", " und ", " to ", " until ", " bis zum ", " bis ", " till "];
    ends.iter().find_map(|word| {
        let (from, to) = about.split_once(word)?;
        let from = read(from, begin)?;
        Some(Question::Between(from, read(to, from)?))
    })
}
