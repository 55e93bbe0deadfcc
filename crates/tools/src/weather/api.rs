//! Open-Meteo's two interfaces: places by name, and the weather of a place. No key is needed.

use reqwest::StatusCode;
use serde::{Deserialize, Serialize};

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
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub(super) struct GeocodedPlace {
    pub name: String,
    pub latitude: f64,
    pub longitude: f64,
    #[serde(default)]
    pub admin1: Option<String>,
    #[serde(default)]
    pub country: Option<String>,
}

#[derive(Deserialize)]
struct Places {
    /// Left out where nothing is found.
    #[serde(default)]
    results: Vec<GeocodedPlace>,
}

/// The weather of a place, in the units that were asked for.
#[derive(Debug, Deserialize)]
pub(super) struct Forecast {
    pub timezone: String,
    pub current: Current,
    pub daily: Daily,
}

#[derive(Debug, Deserialize)]
pub(super) struct Current {
    pub time: String,
    pub temperature_2m: Option<f64>,
    pub apparent_temperature: Option<f64>,
    pub relative_humidity_2m: Option<f64>,
    pub precipitation: Option<f64>,
    pub weather_code: Option<i64>,
    pub wind_speed_10m: Option<f64>,
}

/// A column a quantity, a row a day.
#[derive(Debug, Deserialize)]
pub(super) struct Daily {
    pub time: Vec<String>,
    pub weather_code: Vec<Option<i64>>,
    pub temperature_2m_max: Vec<Option<f64>>,
    pub temperature_2m_min: Vec<Option<f64>>,
    pub precipitation_sum: Vec<Option<f64>>,
    pub precipitation_probability_max: Vec<Option<f64>>,
    pub wind_speed_10m_max: Vec<Option<f64>>,
    pub sunrise: Vec<Option<String>>,
    pub sunset: Vec<Option<String>>,
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
    Ok(OPEN_METEO.ask::<Places>(request).await?.results)
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
    OPEN_METEO.ask(request).await
}
