//! `weather`: now and for the next days, by Open-Meteo.

mod api;
mod wmo;

use clifford_core::policy::class::Class;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use self::api::{Forecast, GeocodedPlace};
use super::{Command, Tool, ToolContext, ToolError, service::BaseUrl};

/// Days if none are asked for: today and tomorrow.
const USUAL: u32 = 2;

/// The weather, by Open-Meteo.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
struct Config {
    /// The base address of the geocoder.
    #[schemars(extend("format" = "http-url"))]
    geocoding_url: BaseUrl,
    /// The base address of the forecast.
    #[schemars(extend("format" = "http-url"))]
    forecast_url: BaseUrl,
    /// The units if nobody asks for others: `metric` or `imperial`.
    units: Units,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            geocoding_url: BaseUrl::fixed("https://geocoding-api.open-meteo.com"),
            forecast_url: BaseUrl::fixed("https://api.open-meteo.com"),
            units: Units::Metric,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Units {
    /// °C, km/h and mm.
    Metric,
    /// °F, mph and inches.
    Imperial,
}

#[derive(Deserialize, JsonSchema)]
struct ForecastArgs {
    /// A place's name; a region or country may follow: `Springfield, Missouri`. Else give latitude and longitude.
    #[schemars(length(min = 1, max = 200))]
    place: Option<String>,
    #[schemars(range(min = -90, max = 90))]
    latitude: Option<f64>,
    #[schemars(range(min = -180, max = 180))]
    longitude: Option<f64>,
    /// How many days, today included; left out: 2.
    #[schemars(range(min = 1, max = 16))]
    days: Option<u32>,
    /// `metric` or `imperial`; left out: as it is set.
    units: Option<Units>,
}

#[derive(Debug, PartialEq, Serialize)]
struct Weather {
    place: String,
    /// Other places of that name: perhaps one of them was meant.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    other_places: Vec<String>,
    time_zone: Option<String>,
    now: Now,
    days: Vec<Day>,
}

#[derive(Debug, PartialEq, Serialize)]
struct Now {
    time: Option<String>,
    weather: &'static str,
    temperature: Option<String>,
    feels_like: Option<String>,
    humidity: Option<String>,
    precipitation: Option<String>,
    wind: Option<String>,
}

#[derive(Debug, PartialEq, Serialize)]
struct Day {
    date: String,
    weather: &'static str,
    low: Option<String>,
    high: Option<String>,
    precipitation: Option<String>,
    chance_of_precipitation: Option<String>,
    wind_up_to: Option<String>,
    sunrise: Option<String>,
    sunset: Option<String>,
}

pub(super) fn tool() -> Tool {
    Tool::new("weather", "⛅", "weather anywhere")
        .about("The weather of a place, now and for up to 16 days, by Open-Meteo.")
        .config::<Config>()
        .command(
            Command::new("forecast", "{place, days?}: now and next days", Class::Read, forecast)
                .about("The weather of a place, now and for some days from today. Times are those of the place.")
                .example(json!({ "place": "Zürich", "days": 3 }))
                .untrusted()
                .reaches_out()
                .exposes_errors(),
        )
}

async fn forecast(cx: ToolContext, args: ForecastArgs) -> Result<Weather, ToolError> {
    let config: Config = cx.config("weather")?;
    let units = args.units.unwrap_or(config.units);
    let days = args.days.unwrap_or(USUAL).clamp(1, 16);
    cx.came_from(config.forecast_url.host());
    let (place, others, point) = match (&args.place, args.latitude, args.longitude) {
        (None, Some(latitude), Some(longitude)) => {
            (format!("{latitude}, {longitude}"), Vec::new(), (latitude, longitude))
        }
        (Some(name), None, None) => {
            let (place, others) = find_place(&config, name).await?;
            let others = others.iter().map(full_name).collect();
            (full_name(&place), others, (place.latitude, place.longitude))
        }
        _ => {
            return Err(ToolError::TellModel(
                "give either a place, or a latitude and a longitude".to_owned(),
            ));
        }
    };
    let forecast = api::forecast(&config, point, days, units).await?;
    Ok(weather(place, others, forecast, units))
}

/// The place that is meant, and others of the same name. The geocoder knows bare names only, so what follows a comma
/// is looked for in what it tells of each.
async fn find_place(config: &Config, asked: &str) -> Result<(GeocodedPlace, Vec<GeocodedPlace>), ToolError> {
    let mut parts = asked.split(',').map(str::trim).filter(|part| !part.is_empty());
    let name = parts.next().unwrap_or(asked);
    let wanted: Vec<_> = parts.map(str::to_lowercase).collect();
    let places = api::places(config, name).await?;
    let fits = |place: &GeocodedPlace| {
        let told = full_name(place).to_lowercase();
        wanted.iter().all(|word| told.contains(word.as_str()))
    };
    let (mut fitting, others): (Vec<_>, Vec<_>) = places.into_iter().partition(fits);
    if fitting.is_empty() {
        let others: Vec<_> = others.iter().map(full_name).collect();
        return Err(ToolError::TellModel(if others.is_empty() {
            format!("no place is called {asked}")
        } else {
            format!("no place is called {asked}; there are: {}", others.join("; "))
        }));
    }
    Ok((fitting.remove(0), fitting))
}

fn full_name(place: &GeocodedPlace) -> String {
    let parts = [Some(&place.name), place.admin1.as_ref(), place.country.as_ref()];
    let mut parts: Vec<_> = parts.into_iter().flatten().map(String::as_str).collect();
    parts.dedup();
    parts.join(", ")
}

fn weather(place: String, other_places: Vec<String>, forecast: Forecast, units: Units) -> Weather {
    let (degrees, speed, depth) = match units {
        Units::Metric => ("°C", "km/h", "mm"),
        Units::Imperial => ("°F", "mph", "in"),
    };
    let with = |value: Option<f64>, unit: &str| value.map(|value| format!("{value} {unit}"));
    let words = |code: Option<i64>| code.map_or("unknown", wmo::words);
    let Forecast {
        timezone,
        current,
        daily,
    } = forecast;
    let days = daily.into_iter().map(|day| Day {
        date: day.date,
        weather: words(day.weather_code),
        low: with(day.temperature_2m_min, degrees),
        high: with(day.temperature_2m_max, degrees),
        precipitation: with(day.precipitation_sum, depth),
        chance_of_precipitation: with(day.precipitation_probability_max, "%"),
        wind_up_to: with(day.wind_speed_10m_max, speed),
        sunrise: day.sunrise,
        sunset: day.sunset,
    });
    Weather {
        place,
        other_places,
        time_zone: timezone,
        now: Now {
            time: current.time,
            weather: words(current.weather_code),
            temperature: with(current.temperature_2m, degrees),
            feels_like: with(current.apparent_temperature, degrees),
            humidity: with(current.relative_humidity_2m, "%"),
            precipitation: with(current.precipitation, depth),
            wind: with(current.wind_speed_10m, speed),
        },
        days: days.collect(),
    }
}
