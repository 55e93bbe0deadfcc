//! The parts of a rule that are written as text: conditions on arguments, patterns, times of day.

use jiff::civil::Time;
use serde_json::{Map, Value};

/// How an argument is compared. Longer signs stand first, so that they are found whole.
const SIGNS: [(&str, Sign); 6] = [
    (">=", Sign::AtLeast),
    ("<=", Sign::AtMost),
    ("!=", Sign::IsNot),
    ("=", Sign::Is),
    (">", Sign::Over),
    ("<", Sign::Under),
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sign {
    AtLeast,
    AtMost,
    IsNot,
    Is,
    Over,
    Under,
}

/// A condition on one argument: `field sign value`.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Condition<'a> {
    field: &'a str,
    sign: Sign,
    value: &'a str,
}

impl<'a> Condition<'a> {
    pub(super) fn parse(text: &'a str) -> Result<Self, String> {
        let fault = || format!("`{text}` is no condition; write one as `amount > 100` or `path = /etc/*`");
        let at = text.find(['<', '>', '=', '!']).ok_or_else(fault)?;
        let (field, rest) = text.split_at(at);
        let (written, sign) = SIGNS
            .iter()
            .find(|(sign, _)| rest.starts_with(sign))
            .ok_or_else(fault)?;
        let (field, value) = (field.trim(), rest[written.len()..].trim());
        if field.is_empty() || field.contains(char::is_whitespace) {
            return Err(fault());
        }
        if !matches!(sign, Sign::Is | Sign::IsNot) && value.parse::<f64>().is_err() {
            return Err(format!("`{text}`: `{value}` is no number"));
        }
        Ok(Self {
            field,
            sign: *sign,
            value,
        })
    }

    pub(super) fn holds(&self, args: &Map<String, Value>) -> bool {
        let mut parts = self.field.split('.');
        let first = parts.next().and_then(|name| args.get(name));
        let found = parts.fold(first, |value, name| value.and_then(|value| value.get(name)));
        let found = found.filter(|value| !value.is_null());
        match (self.sign, found) {
            (Sign::IsNot, None) => true,
            (_, None) => false,
            (Sign::Is, Some(value)) => wild(self.value, &text(value)),
            (Sign::IsNot, Some(value)) => !wild(self.value, &text(value)),
            (sign, Some(value)) => compared(sign, value, self.value),
        }
    }
}

fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

fn compared(sign: Sign, value: &Value, bound: &str) -> bool {
    let number = value.as_f64().or_else(|| value.as_str()?.trim().parse().ok());
    let (Some(number), Ok(bound)) = (number, bound.parse::<f64>()) else {
        return false;
    };
    match sign {
        Sign::AtLeast => number >= bound,
        Sign::AtMost => number <= bound,
        Sign::Over => number > bound,
        Sign::Under => number < bound,
        Sign::Is | Sign::IsNot => false,
    }
}

/// Whether a text is as a pattern says, in which `*` stands for anything. Takes no more than the product of both
/// lengths.
pub(super) fn wild(pattern: &str, text: &str) -> bool {
    let Some((head, mut rest)) = pattern.split_once('*') else {
        return pattern == text;
    };
    let Some(mut left) = text.strip_prefix(head) else {
        return false;
    };
    // The first place of each piece is the best one: it leaves most for what follows.
    while let Some((piece, behind)) = rest.split_once('*') {
        let Some(at) = left.find(piece) else { return false };
        left = &left[at + piece.len()..];
        rest = behind;
    }
    left.ends_with(rest)
}

/// A time of the day; it may go over midnight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Hours {
    from: Time,
    to: Time,
}

impl Hours {
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let fault = || format!("`{text}` is no time of day; write one as `22:00-06:00`");
        let (from, to) = text.split_once('-').ok_or_else(fault)?;
        let time = |text: &str| {
            let (hour, minute) = text.trim().split_once(':')?;
            Time::new(hour.parse().ok()?, minute.parse().ok()?, 0, 0).ok()
        };
        match (time(from), time(to)) {
            (Some(from), Some(to)) => Ok(Self { from, to }),
            _ => Err(fault()),
        }
    }

    pub(super) fn hold(self, time: Time) -> bool {
        if self.from <= self.to {
            (self.from..self.to).contains(&time)
        } else {
            time >= self.from || time < self.to
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_argument_is_compared_as_its_condition_says() {
        let args = json!({ "amount": 150, "text": "20", "path": "/etc/passwd", "to": { "name": "Ada" }, "now": true });
        let args = args.as_object().unwrap();
        let cases = [
            ("amount > 100", true),
            ("amount>150", false),
            ("amount >= 150", true),
            ("amount < 150", false),
            ("amount <= 150", true),
            ("text >= 20", true),
            ("path > 3", false),
            ("path = /etc/*", true),
            ("path = /etc", false),
            ("path != /etc/*", false),
            ("to.name = Ada", true),
            ("to.name.first = Ada", false),
            ("now = true", true),
            ("missing = *", false),
            ("missing != x", true),
            ("missing < 5", false),
        ];
        for (text, expected) in cases {
            assert_eq!(Condition::parse(text).unwrap().holds(args), expected, "{text}");
        }
        for wrong in ["amount", "> 5", "a b = c", "amount > many", ""] {
            assert!(Condition::parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_star_stands_for_anything() {
        let cases = [
            ("web.*", "web.fetch", true),
            ("web.*", "webs.fetch", false),
            ("*.delete", "files.delete", true),
            ("*.delete", "files.deleted", false),
            ("*a*b", "xaxxb", true),
            ("a*a", "a", false),
            ("*", "", true),
            ("web.fetch", "web.fetch", true),
        ];
        for (pattern, text, expected) in cases {
            assert_eq!(wild(pattern, text), expected, "{pattern} {text}");
        }
    }

    #[test]
    fn hours_may_go_over_midnight() {
        let hold = |hours: &str, hour| Hours::parse(hours).unwrap().hold(Time::new(hour, 30, 0, 0).unwrap());
        assert!(hold("22:00-06:00", 23) && hold("22:00-06:00", 5) && !hold("22:00-06:00", 6));
        assert!(hold("09:00-17:30", 9) && !hold("09:00-17:30", 17) && !hold("09:00-17:30", 8));
        for wrong in ["9-17", "25:00-06:00", "noon", "09:00"] {
            assert!(Hours::parse(wrong).is_err(), "{wrong}");
        }
    }
}
