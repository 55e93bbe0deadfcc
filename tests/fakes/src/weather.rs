//! Open-Meteo: the geocoder (`/v1/search`) and the forecast (`/v1/forecast`), which checks its parameters.

use std::{
    collections::BTreeMap,
    io,
    net::Ipv4Addr,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use axum::{
    Json, Router,
    extract::{Query, State},
    http::StatusCode,
    response::{IntoResponse, Response},
    routing::get,
};
use serde_json::{Map, Value, json};

use crate::serving::Server;

/// Units of each quantity: metric, imperial.
const UNITS: [(&str, &str, [&str; 2]); 3] = [
    ("temperature_unit", "celsius", ["celsius", "fahrenheit"]),
    ("wind_speed_unit", "kmh", ["kmh", "mph"]),
    ("precipitation_unit", "mm", ["mm", "inch"]),
];

#[derive(Debug, Default)]
struct Shared {
    places: Vec<Value>,
    forecasts: Vec<BTreeMap<String, String>>,
    violations: Vec<String>,
    refuse: Option<u16>,
}

type Parameters = Query<BTreeMap<String, String>>;

/// Both servers on one socket.
#[derive(Debug)]
pub struct WeatherFake {
    shared: Arc<Mutex<Shared>>,
    server: Server,
}

impl WeatherFake {
    /// Starts on a free port of 127.0.0.1.
    ///
    /// # Errors
    /// No port could be bound.
    pub async fn start() -> io::Result<Self> {
        let shared = Arc::new(Mutex::new(Shared::default()));
        let router = Router::new()
            .route("/v1/search", get(search))
            .route("/v1/forecast", get(forecast))
            .with_state(Arc::clone(&shared));
        let server = Server::start(Ipv4Addr::LOCALHOST.into(), router).await?;
        Ok(Self { shared, server })
    }

    /// Where both interfaces begin.
    pub fn base_url(&self) -> String {
        format!("http://{}", self.server.address)
    }

    /// The geocoder knows one more place.
    pub fn place(&self, name: &str, region: &str, country: &str, (latitude, longitude): (f64, f64)) {
        let mut shared = lock(&self.shared);
        let id = shared.places.len() + 1;
        shared.places.push(
            json!({ "id": id, "name": name, "latitude": latitude, "longitude": longitude,
            "elevation": 400.0, "feature_code": "PPL", "country_code": "XX", "timezone": "Europe/Zurich",
            "country": country, "admin1": region }),
        );
    }

    /// From now on every forecast is refused with this status.
    pub fn refuse(&self, status: u16) {
        lock(&self.shared).refuse = Some(status);
    }

    /// The parameters of each forecast, in order.
    pub fn forecasts(&self) -> Vec<BTreeMap<String, String>> {
        lock(&self.shared).forecasts.clone()
    }

    /// Every way in which a request broke the interface.
    pub fn violations(&self) -> Vec<String> {
        lock(&self.shared).violations.clone()
    }
}

fn lock(shared: &Mutex<Shared>) -> MutexGuard<'_, Shared> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

fn refuse(status: u16, reason: &str) -> Response {
    let status = StatusCode::from_u16(status).unwrap_or(StatusCode::BAD_REQUEST);
    (status, Json(json!({ "error": true, "reason": reason }))).into_response()
}

fn violated(shared: &Mutex<Shared>, reason: String) -> Response {
    let response = refuse(400, &reason);
    lock(shared).violations.push(reason);
    response
}

async fn search(State(shared): State<Arc<Mutex<Shared>>>, Query(parameters): Parameters) -> Response {
    let strange = parameters
        .keys()
        .find(|name| !["name", "count", "language", "format", "countryCode"].contains(&name.as_str()));
    if let Some(name) = strange {
        return violated(&shared, format!("Unknown parameter '{name}'."));
    }
    let Some(name) = parameters.get("name") else {
        return violated(&shared, "Parameter 'name' is required.".to_owned());
    };
    let count = parameters
        .get("count")
        .map_or(Some(10), |count| count.parse::<usize>().ok());
    let Some(count) = count.filter(|count| (1..=100).contains(count)) else {
        return violated(&shared, "Parameter count must be between 1 and 100.".to_owned());
    };
    let wanted = name.to_lowercase();
    let shared = lock(&shared);
    let found = shared
        .places
        .iter()
        .filter(|place| place["name"].as_str().is_some_and(|name| name.to_lowercase() == wanted));
    let results: Vec<_> = found.take(count).cloned().collect();
    let mut body = json!({ "generationtime_ms": 0.5 });
    if !results.is_empty() {
        body["results"] = results.into();
    }
    Json(body).into_response()
}

async fn forecast(State(shared): State<Arc<Mutex<Shared>>>, Query(parameters): Parameters) -> Response {
    let checked = check(&parameters);
    let refused = {
        let mut shared = lock(&shared);
        shared.forecasts.push(parameters.clone());
        shared.refuse
    };
    let days = match checked {
        Ok(days) => days,
        Err(reason) => return violated(&shared, reason),
    };
    if let Some(status) = refused {
        return refuse(
            status,
            "Minutely API request limit exceeded. Please try again in one minute.",
        );
    }
    let asked = |key: &str| parameters.get(key).map(String::as_str).unwrap_or_default();
    let values = |list: &str, time: Value, value: &dyn Fn(&str) -> Value| {
        let mut table = Map::from_iter([("time".to_owned(), time)]);
        table.extend(list.split(',').map(|name| (name.to_owned(), value(name))));
        Value::Object(table)
    };
    let current = values(asked("current"), json!("2026-11-22T12:15"), &|name| value(name, 0));
    let dates: Vec<_> = (0..days).map(|day| format!("2026-11-{:02}", 22 + day)).collect();
    let daily = values(asked("daily"), json!(dates), &|name| {
        (0..days).map(|day| value(name, day)).collect()
    });
    Json(
        json!({ "latitude": 47.38, "longitude": 8.54, "generationtime_ms": 0.1, "utc_offset_seconds": 3600,
        "timezone": "Europe/Zurich", "timezone_abbreviation": "CET", "elevation": 429.0,
        "current": current, "daily": daily }),
    )
    .into_response()
}

/// How many days are asked for; or the reason of a refusal.
fn check(parameters: &BTreeMap<String, String>) -> Result<u32, String> {
    for (name, limit) in [("latitude", 90.0), ("longitude", 180.0)] {
        let value = parameters.get(name).and_then(|value| value.parse::<f64>().ok());
        if value.is_none_or(|value| value.abs() > limit) {
            return Err(format!("{name} must be in range of -{limit} to {limit}°."));
        }
    }
    for (name, default, known) in UNITS {
        let given = parameters.get(name).map_or(default, String::as_str);
        if !known.contains(&given) {
            return Err(format!("Cannot initialize {name} from invalid String value {given}."));
        }
    }
    for list in ["current", "daily"] {
        let names = parameters.get(list).map(String::as_str).unwrap_or_default();
        if let Some(name) = names.split(',').find(|name| value(name, 0).is_null()) {
            return Err(format!(
                "Cannot initialize variable from invalid String value {name} for key {list}."
            ));
        }
    }
    if !parameters.contains_key("timezone") {
        return Err("Timezone is required when daily values are requested.".to_owned());
    }
    let days = parameters
        .get("forecast_days")
        .map_or(Some(7), |days| days.parse().ok());
    days.filter(|days| *days <= 16)
        .ok_or_else(|| "Forecast days is invalid. Allowed range 0 to 16.".to_owned())
}

/// A value of a quantity on a day; null: there is no such quantity.
fn value(name: &str, day: u32) -> Value {
    match name {
        "temperature_2m" => json!(7.4),
        "apparent_temperature" => json!(5.1),
        "relative_humidity_2m" => json!(81),
        "precipitation" => json!(0.2),
        "weather_code" => json!(if day == 0 { 61 } else { 3 }),
        "wind_speed_10m" => json!(12.6),
        "temperature_2m_max" => json!(9.5 + f64::from(day)),
        "temperature_2m_min" => json!(3.0 + f64::from(day)),
        "precipitation_sum" => json!(4.1),
        "precipitation_probability_max" => json!(70),
        "wind_speed_10m_max" => json!(20.2),
        "sunrise" => json!(format!("2026-11-{:02}T07:36", 22 + day)),
        "sunset" => json!(format!("2026-11-{:02}T16:42", 22 + day)),
        _ => Value::Null,
    }
}
