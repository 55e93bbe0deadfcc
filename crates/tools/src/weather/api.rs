//! Open-Meteo's two interfaces: places by name, and the weather of a place. No key is needed.

use clifford_chat::lenient;
use reqwest::StatusCode;
use serde::Serialize;
use serde_json::Value;

use super::{
    super::{ToolError, service::Service},
    Config, Units,
};

const OPEN_METEO: Service = Service {
    name: "Open-Meteo",
    reason: "/reason",
    remedy: |status| match status {
        StatusCode::TOO_MANY_REQUESTS => Some("try again in a while"),
        _ => None,
    },
};

/// The fields of the current weather; their order does not matter.
const CURRENT: &str =
    "temperature_2m,apparent_temperature,relative_humidity_2m,precipitation,weather_code,wind_speed_10m";
/// The fields of each day.
const DAILY: &str = "weather_code,temperature_2m_max,temperature_2m_min,precipitation_sum,\
                     precipitation_probability_max,wind_speed_10m_max,sunrise,sunset";
/// How many places with the same name are considered.
const PLACES: &str = "5";

/// A place, as the geocoder knows it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct GeocodedPlace {
    pub name: String,
    pub latitude: f64,
    pub longitude: f64,
    pub admin1: Option<String>,
    pub country: Option<String>,
}

impl GeocodedPlace {
    /// A place of an answer. `None`: it does not say what it is called, or where it is.
    fn of(place: &Value) -> Option<Self> {
        Some(Self {
            name: lenient::name(place, "name")?,
            latitude: lenient::number(place, "latitude")?,
            longitude: lenient::number(place, "longitude")?,
            admin1: lenient::name(place, "admin1"),
            country: lenient::name(place, "country"),
        })
    }
}

/// The weather of a place, in the units that were asked for. A field that is missing or odd is not known.
#[derive(Debug)]
pub(super) struct Forecast {
    pub timezone: Option<String>,
    pub current: Current,
    pub daily: Vec<Daily>,
}

#[derive(Debug)]
pub(super) struct Current {
    pub time: Option<String>,
    pub temperature_2m: Option<f64>,
    pub apparent_temperature: Option<f64>,
    pub relative_humidity_2m: Option<f64>,
    pub precipitation: Option<f64>,
    pub weather_code: Option<i64>,
    pub wind_speed_10m: Option<f64>,
}

/// A day.
#[derive(Debug)]
pub(super) struct Daily {
    pub date: String,
    pub weather_code: Option<i64>,
    pub temperature_2m_max: Option<f64>,
    pub temperature_2m_min: Option<f64>,
    pub precipitation_sum: Option<f64>,
    pub precipitation_probability_max: Option<f64>,
    pub wind_speed_10m_max: Option<f64>,
    pub sunrise: Option<String>,
    pub sunset: Option<String>,
}

impl Forecast {
    /// The weather of an answer. `None`: it holds neither a value of now nor a day.
    fn of(answer: &Value) -> Option<Self> {
        let current = Current::of(answer.get("current").unwrap_or(&Value::Null));
        let daily = Daily::all(answer.get("daily").unwrap_or(&Value::Null));
        let is_known = current.temperature_2m.is_some() || current.weather_code.is_some() || !daily.is_empty();
        is_known.then(|| Self {
            timezone: lenient::name(answer, "timezone"),
            current,
            daily,
        })
    }
}

impl Current {
    fn of(current: &Value) -> Self {
        let number = |name| lenient::number(current, name);
        Self {
            time: lenient::name(current, "time"),
            temperature_2m: number("temperature_2m"),
            apparent_temperature: number("apparent_temperature"),
            relative_humidity_2m: number("relative_humidity_2m"),
            precipitation: number("precipitation"),
            weather_code: number("weather_code").map(code),
            wind_speed_10m: number("wind_speed_10m"),
        }
    }
}

impl Daily {
    /// The days: in an answer, a column is a quantity, and a row a day.
    fn all(daily: &Value) -> Vec<Self> {
        let rows = lenient::list(daily, "time").len();
        let row = |row: usize| {
            let columns = daily.as_object()?.iter();
            let values = columns.map(|(name, column)| (name.clone(), column.get(row).cloned().unwrap_or_default()));
            Self::of(&values.collect())
        };
        (0..rows).filter_map(row).collect()
    }

    fn of(day: &Value) -> Option<Self> {
        let number = |name| lenient::number(day, name);
        Some(Self {
            date: lenient::name(day, "time")?,
            weather_code: number("weather_code").map(code),
            temperature_2m_max: number("temperature_2m_max"),
            temperature_2m_min: number("temperature_2m_min"),
            precipitation_sum: number("precipitation_sum"),
            precipitation_probability_max: number("precipitation_probability_max"),
            wind_speed_10m_max: number("wind_speed_10m_max"),
            sunrise: lenient::name(day, "sunrise"),
            sunset: lenient::name(day, "sunset"),
        })
    }
}

/// A code of the weather, which some servers write with a fraction.
#[expect(clippy::cast_possible_truncation, reason = "a code that is no code has no words")]
fn code(number: f64) -> i64 {
    number as i64
}

/// Places of a name, the likeliest first.
pub(super) async fn places(config: &Config, name: &str) -> Result<Vec<GeocodedPlace>, ToolError> {
    let request = OPEN_METEO
        .client()?
        .get(config.geocoding_url.join("v1/search"))
        .query(&[
            ("name", name),
            ("count", PLACES),
            ("language", "en"),
            ("format", "json"),
        ]);
    let answer: Value = OPEN_METEO.ask(request).await?;
    // The list is left out where nothing is found.
    let places = lenient::list(&answer, "results").iter();
    Ok(places.filter_map(GeocodedPlace::of).collect())
}

#[derive(Serialize)]
struct Query<'a> {
    latitude: f64,
    longitude: f64,
    current: &'a str,
    daily: &'a str,
    timezone: &'a str,
    forecast_days: u32,
    temperature_unit: &'a str,
    wind_speed_unit: &'a str,
    precipitation_unit: &'a str,
}

/// The weather of a place, now and for some days from today.
pub(super) async fn forecast(
    config: &Config,
    (latitude, longitude): (f64, f64),
    days: u32,
    units: Units,
) -> Result<Forecast, ToolError> {
    let (temperature_unit, wind_speed_unit, precipitation_unit) = match units {
        Units::Metric => ("celsius", "kmh", "mm"),
        Units::Imperial => ("fahrenheit", "mph", "inch"),
    };
    let request = OPEN_METEO
        .client()?
        .get(config.forecast_url.join("v1/forecast"))
        .query(&Query {
            latitude,
            longitude,
            current: CURRENT,
            daily: DAILY,
            timezone: "auto",
            forecast_days: days,
            temperature_unit,
            wind_speed_unit,
            precipitation_unit,
        });
    let answer: Value = OPEN_METEO.ask(request).await?;
    Forecast::of(&answer).ok_or_else(|| ToolError::Unavailable("Open-Meteo: its answer holds no weather".to_owned()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_odd_field_takes_no_other_one_away() {
        let answer = json!({
            "timezone": 7, "current": { "time": null, "temperature_2m": "7.4", "weather_code": 61.0, "precipitation": {} },
            "daily": {
                "time": ["2026-11-22", null, "2026-11-24"], "weather_code": [61, 3], "temperature_2m_max": 9.5,
                "temperature_2m_min": ["3", 4, "none"], "sunrise": [null, "x", 7], "unit": "mm",
            },
        });
        let forecast = Forecast::of(&answer).expect("weather");
        let current = forecast.current;
        assert_eq!((forecast.timezone.as_deref(), current.time), (Some("7"), None));
        assert_eq!(
            (current.temperature_2m, current.weather_code, current.precipitation),
            (Some(7.4), Some(61), None)
        );
        let days: Vec<_> = forecast
            .daily
            .into_iter()
            .map(|day| {
                (
                    day.date,
                    day.weather_code,
                    day.temperature_2m_max,
                    day.temperature_2m_min,
                    day.sunrise,
                )
            })
            .collect();
        assert_eq!(
            days,
            [
                ("2026-11-22".to_owned(), Some(61), None, Some(3.0), None),
                ("2026-11-24".to_owned(), None, None, None, Some("7".to_owned())),
            ]
        );
        for answer in [
            json!({}),
            json!([]),
            json!({ "current": 7, "daily": { "time": "x" } }),
            json!(null),
        ] {
            assert!(Forecast::of(&answer).is_none(), "{answer}");
        }
    }

    #[test]
    fn a_place_that_says_neither_name_nor_point_is_none() {
        let place = json!({ "name": "Bern", "latitude": "46.9", "longitude": 7.4, "admin1": 7, "country": null });
        let place = GeocodedPlace::of(&place).expect("a place");
        assert_eq!(
            (
                place.name.as_str(),
                place.latitude,
                place.admin1.as_deref(),
                place.country
            ),
            ("Bern", 46.9, Some("7"), None)
        );
        for place in [
            json!({ "name": "Bern", "latitude": 46.9 }),
            json!({ "latitude": 1, "longitude": 1 }),
            json!(7),
        ] {
            assert_eq!(GeocodedPlace::of(&place), None, "{place}");
        }
    }
}
