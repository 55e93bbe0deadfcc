//! Conversions of units: which units are meant, and the expression for the calculator.

use super::language::Language;

/// A quantity: only units of one kind become each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Length,
    Mass,
    Temperature,
    Volume,
    Speed,
    Time,
    Area,
    Data,
    Energy,
    Pressure,
}

struct Unit {
    kind: Kind,
    /// As the calculator knows it.
    name: &'static str,
    /// As it is told, in English and in German.
    english: &'static str,
    german: &'static str,
    /// As people write it, in lower case, with `|` between them; a word may have an `s` more.
    words: &'static str,
}

impl Unit {
    fn shown(&self, language: Language) -> &'static str {
        match language {
            Language::English => self.english,
            Language::German => self.german,
        }
    }

    fn is(&self, word: &str) -> bool {
        // `ms` are not metres.
        let one = word.strip_suffix('s').filter(|one| one.len() >= 3).unwrap_or(word);
        self.words.split('|').any(|known| known == word || known == one)
    }
}

/// A table of units: of each kind, a row a unit, with its fields in their order.
macro_rules! units {
    ($($kind:ident { $($name:literal, $english:literal, $german:literal, $words:literal;)* })*) => {
        &[$($(Unit {
            kind: Kind::$kind,
            name: $name,
            english: $english,
            german: $german,
            words: $words,
        },)*)*]
    };
}

/// The units that are known. A word that means different amounts in different countries is not among them, or told with
/// the country.
const UNITS: &[Unit] = units! {
    Length {
        "mm", "mm", "mm", "mm|millimeter|millimetre";
        "cm", "cm", "cm", "cm|centimeter|centimetre|zentimeter";
        "m", "m", "m", "m|meter|metre|metern";
        "km", "km", "km", "km|kilometer|kilometre|kilometern";
        "inch", "inches", "Zoll", "inch|inches|zoll";
        "foot", "feet", "Fuß", "ft|foot|feet|fuß|fuss";
        "yard", "yards", "Yards", "yd|yard";
        "mile", "miles", "Meilen", "mi|mile|meile|meilen";
        "nautical_mile", "nautical miles", "Seemeilen", "nmi|nautical mile|seemeile|seemeilen";
        "lightyear", "light years", "Lichtjahre", "light year|lightyear|lichtjahr|lichtjahre";
    }
    Mass {
        "mg", "mg", "mg", "mg|milligram|milligramm";
        "g", "g", "g", "g|gram|gramm";
        "kg", "kg", "kg", "kg|kilo|kilogram|kilogramm";
        "tonne", "tonnes", "Tonnen", "tonne|tonnen|metric tons";
        "oz", "oz", "Unzen", "oz|ounce|unze|unzen";
        "lb", "lb", "lb", "lb|lbs|pound";
        "stone", "stone", "Stone", "stone";
    }
    Temperature {
        "°C", "°C", "°C", "c|°c|celsius|degrees celsius|degree celsius|grad celsius|degrees c";
        "°F", "°F", "°F", "f|°f|fahrenheit|degrees fahrenheit|degree fahrenheit|grad fahrenheit|degrees f";
        "kelvin", "K", "K", "kelvin";
    }
    Volume {
        "ml", "ml", "ml", "ml|milliliter|millilitre";
        "L", "l", "l", "l|liter|litre|litern";
        "gallon", "US gallons", "US-Gallonen", "gallon|us gallon|gallone|gallonen";
        "pint", "US pints", "US-Pints", "pint|us pint";
        "cup", "US cups", "US-Cups", "cup|us cups";
        "tbsp", "US tablespoons", "US-Esslöffel", "tbsp|tablespoon";
        "tsp", "US teaspoons", "US-Teelöffel", "tsp|teaspoon";
    }
    Speed {
        "km/h", "km/h", "km/h", "km/h|kmh|kph|kilometers per hour|kilometres per hour";
        "mph", "mph", "mph", "mph|miles per hour|meilen pro stunde";
        "m/s", "m/s", "m/s", "m/s|meters per second|metres per second";
        "knot", "knots", "Knoten", "kn|knot|knoten";
    }
    Time {
        "seconds", "seconds", "Sekunden", "second|sekunde|sekunden";
        "minutes", "minutes", "Minuten", "minute|minuten";
        "hours", "hours", "Stunden", "hour|stunde|stunden";
        "days", "days", "Tage", "day|tag|tage|tagen";
        "weeks", "weeks", "Wochen", "week|woche|wochen";
    }
    Area {
        "m^2", "m²", "m²", "m²|m2|m^2|sqm|square meters|square metres|quadratmeter";
        "ft^2", "ft²", "ft²", "ft²|ft2|ft^2|sq ft|sqft|square feet";
        "hectare", "hectares", "Hektar", "ha|hectare|hektar";
        "acre", "acres", "Acres", "acre";
        "km^2", "km²", "km²", "km²|km2|km^2|square kilometers|square kilometres|quadratkilometer";
    }
    Data {
        "kB", "kB", "kB", "kb|kilobyte";
        "MB", "MB", "MB", "mb|megabyte";
        "GB", "GB", "GB", "gb|gigabyte";
        "TB", "TB", "TB", "tb|terabyte";
        "MiB", "MiB", "MiB", "mib|mebibyte";
        "GiB", "GiB", "GiB", "gib|gibibyte";
    }
    Energy {
        "kcal", "kcal", "kcal", "kcal|kilocalories|kilokalorien";
        "kJ", "kJ", "kJ", "kj|kilojoule";
        "kWh", "kWh", "kWh", "kwh|kilowatt hours|kilowattstunden";
    }
    Pressure {
        "bar", "bar", "bar", "bar";
        "psi", "psi", "psi", "psi";
    }
};

/// A conversion that is to be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Conversion {
    /// For the calculator.
    pub(super) expression: String,
    /// The given amount, as it is told.
    pub(super) from: String,
    /// The wanted unit, as it is told.
    pub(super) to: &'static str,
}

/// Reads `5 km in miles`, `how many miles are 5 km`, `rechne 5 km in meilen um`, without signs around it, in lower case.
pub(super) fn read(text: &str, language: Language) -> Option<Conversion> {
    asked_for_first(text, language).or_else(|| given_first(text, language))
}

fn given_first(text: &str, language: Language) -> Option<Conversion> {
    const BEFORE: [&str; 15] = [
        "convert ",
        "what is ",
        "what are ",
        "how much is ",
        "how much are ",
        "how many is ",
        "calculate ",
        "was sind ",
        "was ist ",
        "wie viel sind ",
        "wie viel ist ",
        "wieviel sind ",
        "wieviel ist ",
        "rechne ",
        "wie viele sind ",
    ];
    let text = BEFORE
        .iter()
        .find_map(|phrase| text.strip_prefix(phrase))
        .unwrap_or(text);
    let text = text.strip_suffix(" um").unwrap_or(text);
    [" in ", " to ", " into ", " as ", " nach ", " zu "]
        .iter()
        .find_map(|word| {
            let (amount, unit) = text.rsplit_once(word)?;
            conversion(amount, unit, language)
        })
}

fn asked_for_first(text: &str, language: Language) -> Option<Conversion> {
    const BEFORE: [&str; 4] = ["how many ", "how much ", "wie viele ", "wieviele "];
    const BETWEEN: [&str; 10] = [
        " are there in ",
        " are in ",
        " is in ",
        " in ",
        " are ",
        " is ",
        " make ",
        " sind in ",
        " sind ",
        " hat ",
    ];
    let text = BEFORE.iter().find_map(|phrase| text.strip_prefix(phrase))?;
    BETWEEN.iter().find_map(|word| {
        let (unit, amount) = text.split_once(word)?;
        conversion(amount, unit, language)
    })
}

fn conversion(amount: &str, to: &str, language: Language) -> Option<Conversion> {
    let (number, unit) = split(amount.trim())?;
    let number = number_of(number, language)?;
    let (from, to) = (find(unit)?, find(to)?);
    if from.kind != to.kind || from.name == to.name {
        return None;
    }
    let number = number.trim_start_matches('+');
    let given = if number.starts_with('-') {
        format!("({number})")
    } else {
        number.to_owned()
    };
    Some(Conversion {
        expression: format!("{given} {} to {}", from.name, to.name),
        from: format!(
            "{} {}",
            localized(number, language),
            unit_word(unit, from, number, language)
        ),
        to: to.shown(language),
    })
}

/// A number with the point of the language.
fn localized(number: &str, language: Language) -> String {
    match language {
        Language::English => number.to_owned(),
        Language::German => number.replace('.', ","),
    }
}

/// The unit of the given amount: as it was written where it is a word, for `1 mile` is no `1 miles`.
fn unit_word(written: &str, unit: &Unit, number: &str, language: Language) -> String {
    let shown = unit.shown(language);
    if language == Language::English && number == "1" && shown.ends_with('s') && !shown.starts_with("US") {
        return written.trim().to_owned();
    }
    shown.to_owned()
}

fn find(word: &str) -> Option<&'static Unit> {
    let word = word.trim();
    UNITS.iter().find(|unit| unit.is(word))
}

/// The number in front, and what follows it.
fn split(amount: &str) -> Option<(&str, &str)> {
    for one in ["a ", "an ", "one ", "ein ", "eine ", "einem ", "einer "] {
        if let Some(unit) = amount.strip_prefix(one) {
            return Some(("1", unit));
        }
    }
    let is_part = |c: char| c.is_ascii_digit() || matches!(c, '.' | ',' | '-' | '+');
    let end = amount.find(|c| !is_part(c))?;
    let (number, unit) = amount.split_at(end);
    number
        .contains(|c: char| c.is_ascii_digit())
        .then(|| (number, unit.trim()))
}

/// A number as the language writes it, in the calculator's form. Where a sign could mean either, none.
fn number_of(text: &str, language: Language) -> Option<String> {
    let (sign, digits) = match text.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", text.strip_prefix('+').unwrap_or(text)),
    };
    let (groups, point) = match language {
        Language::English => (',', '.'),
        Language::German => ('.', ','),
    };
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let (whole, rest) = match digits.split_once(point) {
        Some((whole, rest)) if is_number(rest) => (whole, format!(".{rest}")),
        Some(_) => return None,
        None => (digits, String::new()),
    };
    let mut parts = whole.split(groups);
    let first = parts.next()?;
    let parts: Vec<_> = parts.collect();
    // German is also written with the point of computers: `2.5 km`.
    if language == Language::German && rest.is_empty() && parts.len() == 1 && parts.iter().all(|part| part.len() != 3) {
        let (rest, is_right) = (parts.concat(), is_number(first));
        return (is_right && is_number(&rest)).then(|| format!("{sign}{first}.{rest}"));
    }
    let grouped = parts.iter().all(|part| part.len() == 3 && is_number(part)) && (parts.is_empty() || first.len() <= 3);
    (is_number(first) && grouped && digits.len() <= 20).then(|| format!("{sign}{first}{}{rest}", parts.concat()))
}

/// The calculator's value as a person reads it: six digits of it. `None`: it is no number.
pub(super) fn rounded(value: &str, language: Language) -> Option<(bool, String)> {
    let number = value.strip_prefix("approx. ").unwrap_or(value);
    let (is_cut, number) = (number.len() < value.len(), number.split(' ').next()?);
    let exact: f64 = number.parse().ok()?;
    if !exact.is_finite() {
        return None;
    }
    let digits = if exact == 0.0 { 0.0 } else { exact.abs().log10().floor() };
    let places = (5.0 - digits).clamp(0.0, 12.0) as usize;
    let text = format!("{exact:.places$}");
    let text = if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text
    };
    let is_rounded = text.parse::<f64>().is_ok_and(|told| told != exact);
    Some((is_cut || is_rounded, localized(&text, language)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expression(text: &str, language: Language) -> Option<String> {
        read(text, language).map(|conversion| conversion.expression)
    }

    #[test]
    fn conversions_are_read_in_the_forms_in_which_people_ask() {
        let (en, de) = (Language::English, Language::German);
        let cases = [
            ("5 km in miles", en, "5 km to mile"),
            ("5km to miles", en, "5 km to mile"),
            ("convert 10 km to miles", en, "10 km to mile"),
            ("how many miles are 5 km", en, "5 km to mile"),
            ("how many cm is an inch", en, "1 inch to cm"),
            ("how many feet are in a mile", en, "1 mile to foot"),
            ("what is 100 fahrenheit in celsius", en, "100 °F to °C"),
            ("what is -40 f in c", en, "(-40) °F to °C"),
            ("1,000.5 kg in lbs", en, "1000.5 kg to lb"),
            ("2,5 km in meilen", de, "2.5 km to mile"),
            ("2.5 km in meilen", de, "2.5 km to mile"),
            ("1.500 m in km", de, "1500 m to km"),
            ("rechne 20 °c in °f um", de, "20 °C to °F"),
            ("wie viele meter sind 6 fuß", de, "6 foot to m"),
            ("wie viel sind 3 zoll in cm", de, "3 inch to cm"),
        ];
        for (text, language, expected) in cases {
            assert_eq!(expression(text, language).as_deref(), Some(expected), "{text}");
        }
    }

    #[test]
    fn what_does_not_measure_the_same_or_is_unclear_is_no_conversion() {
        let cases = [
            "5 km in kg",
            "5 km in km",
            "100 usd in eur",
            "how many people are in a room",
            "5 apples in m",
            "km in miles",
            "1,00 km in miles",
            "5 ms in km",
            "5 pfund in kg",
            "",
            "in",
            "5.5.5 km in miles",
        ];
        for text in cases {
            assert_eq!(expression(text, Language::English), None, "{text}");
        }
    }

    #[test]
    fn values_are_told_in_six_digits() {
        let cases = [
            ("approx. 3.1068559612 miles", Some((true, "3.10686"))),
            ("68 °F", Some((false, "68"))),
            ("9460730472580.8 km", Some((true, "9460730472581"))),
            ("85.048569375 g", Some((true, "85.0486"))),
            ("0.01 m", Some((false, "0.01"))),
            ("-40 °C", Some((false, "-40"))),
            ("many", None),
        ];
        for (value, expected) in cases {
            let expected = expected.map(|(cut, text)| (cut, text.to_owned()));
            assert_eq!(rounded(value, Language::English), expected, "{value}");
        }
        assert_eq!(rounded("2.5 m", Language::German), Some((false, "2,5".to_owned())));
    }
}
