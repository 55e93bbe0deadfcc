//! The weather's codes, as the World Meteorological Organization numbers it (table 4677, as Open-Meteo uses it).

/// The meaning of a code, in words.
pub(super) fn words(code: i64) -> &'static str {
    match code {
        0 => "clear sky",
        1 => "mainly clear",
        2 => "partly cloudy",
        3 => "overcast",
        45 => "fog",
        48 => "fog with rime",
        51 => "light drizzle",
        53 => "drizzle",
        55 => "dense drizzle",
        56 => "light freezing drizzle",
        57 => "dense freezing drizzle",
        61 => "light rain",
        63 => "rain",
        65 => "heavy rain",
        66 => "light freezing rain",
        67 => "heavy freezing rain",
        71 => "light snowfall",
        73 => "snowfall",
        75 => "heavy snowfall",
        77 => "snow grains",
        80 => "light showers",
        81 => "showers",
        82 => "violent showers",
        85 => "light snow showers",
        86 => "heavy snow showers",
        95 => "thunderstorm",
        96 => "thunderstorm with light hail",
        99 => "thunderstorm with heavy hail",
        _ => "unknown",
    }
}
