//! Time zones by the names of places, as people say them.

use jiff::tz;

/// Places that the database of time zones does not name, or not by this name. Only those of one zone.
const PLACES: &[(&str, &[&str])] = &[
    ("Africa/Cairo", &["kairo", "egypt", "ägypten"]),
    (
        "Africa/Johannesburg",
        &["cape town", "kapstadt", "south africa", "südafrika", "pretoria"],
    ),
    ("Africa/Lagos", &["nigeria", "abuja"]),
    ("Africa/Nairobi", &["kenya", "kenia"]),
    (
        "America/Argentina/Buenos_Aires",
        &["buenos aires", "argentina", "argentinien"],
    ),
    (
        "America/Chicago",
        &["dallas", "houston", "austin", "new orleans", "minneapolis", "memphis"],
    ),
    ("America/Denver", &["salt lake city"]),
    (
        "America/Los_Angeles",
        &[
            "san francisco",
            "sf",
            "la",
            "seattle",
            "san diego",
            "las vegas",
            "california",
            "kalifornien",
            "silicon valley",
        ],
    ),
    ("America/Mexico_City", &["mexico city", "mexiko-stadt"]),
    (
        "America/New_York",
        &[
            "nyc",
            "new york city",
            "boston",
            "miami",
            "atlanta",
            "philadelphia",
            "washington dc",
            "washington d.c",
        ],
    ),
    ("America/Sao_Paulo", &["são paulo", "rio de janeiro", "rio"]),
    ("America/Toronto", &["ottawa", "montreal"]),
    ("Asia/Dubai", &["abu dhabi"]),
    ("Asia/Ho_Chi_Minh", &["hanoi", "vietnam"]),
    ("Asia/Hong_Kong", &["hongkong"]),
    ("Asia/Jerusalem", &["tel aviv", "israel"]),
    ("Asia/Kathmandu", &["nepal"]),
    (
        "Asia/Kolkata",
        &[
            "mumbai",
            "delhi",
            "new delhi",
            "neu-delhi",
            "bangalore",
            "bengaluru",
            "chennai",
            "hyderabad",
            "india",
            "indien",
        ],
    ),
    ("Asia/Manila", &["philippines", "philippinen"]),
    ("Asia/Riyadh", &["saudi arabia", "saudi-arabien"]),
    ("Asia/Seoul", &["korea", "south korea", "südkorea"]),
    ("Asia/Shanghai", &["beijing", "peking", "shenzhen", "china"]),
    ("Asia/Singapore", &["singapur"]),
    ("Asia/Bangkok", &["thailand"]),
    ("Asia/Tokyo", &["tokio", "japan", "osaka", "kyoto"]),
    ("Atlantic/Reykjavik", &["iceland", "island"]),
    ("Australia/Sydney", &["canberra"]),
    (
        "Europe/Amsterdam",
        &[
            "netherlands",
            "the netherlands",
            "holland",
            "niederlande",
            "den niederlanden",
            "rotterdam",
        ],
    ),
    ("Europe/Athens", &["greece", "griechenland", "athen"]),
    (
        "Europe/Berlin",
        &[
            "germany",
            "deutschland",
            "munich",
            "münchen",
            "hamburg",
            "cologne",
            "köln",
            "frankfurt",
            "stuttgart",
            "leipzig",
            "düsseldorf",
        ],
    ),
    ("Europe/Brussels", &["belgium", "belgien", "brüssel"]),
    ("Europe/Bucharest", &["romania", "rumänien", "bukarest"]),
    ("Europe/Budapest", &["hungary", "ungarn"]),
    ("Europe/Copenhagen", &["kopenhagen", "denmark", "dänemark"]),
    ("Europe/Dublin", &["ireland", "irland"]),
    ("Europe/Helsinki", &["finland", "finnland"]),
    ("Europe/Istanbul", &["turkey", "türkei", "der türkei", "ankara"]),
    ("Europe/Kyiv", &["kiev", "kiew", "ukraine", "der ukraine"]),
    ("Europe/Lisbon", &["lissabon"]),
    (
        "Europe/London",
        &[
            "uk",
            "the uk",
            "england",
            "great britain",
            "großbritannien",
            "united kingdom",
            "manchester",
            "edinburgh",
        ],
    ),
    ("Europe/Madrid", &["barcelona"]),
    ("Europe/Moscow", &["moskau"]),
    ("Europe/Oslo", &["norway", "norwegen"]),
    ("Europe/Paris", &["france", "frankreich", "lyon", "marseille"]),
    ("Europe/Prague", &["prag", "czechia", "tschechien"]),
    ("Europe/Rome", &["rom", "italy", "italien", "milan", "mailand"]),
    ("Europe/Stockholm", &["sweden", "schweden"]),
    ("Europe/Vienna", &["wien", "austria", "österreich", "salzburg", "graz"]),
    ("Europe/Warsaw", &["warschau", "poland", "polen", "krakow", "krakau"]),
    (
        "Europe/Zurich",
        &[
            "zürich",
            "switzerland",
            "schweiz",
            "der schweiz",
            "geneva",
            "genf",
            "basel",
            "bern",
        ],
    ),
    ("Pacific/Auckland", &["new zealand", "neuseeland", "wellington"]),
    ("Pacific/Honolulu", &["hawaii"]),
    ("UTC", &["utc", "gmt", "greenwich"]),
];
/// The parts of the world by which the database sorts its cities.
const CONTINENTS: [&str; 8] = [
    "Africa/",
    "America/",
    "Asia/",
    "Atlantic/",
    "Australia/",
    "Europe/",
    "Indian/",
    "Pacific/",
];

/// The IANA name of a place's time zone, and the place as it is written. `None`: it is not known, or has several.
pub(super) fn of(place: &str) -> Option<(String, String)> {
    let place = place.trim().to_lowercase();
    let listed = PLACES.iter().find(|(_, names)| names.contains(&place.as_str()));
    if let Some((zone, _)) = listed {
        return Some(((*zone).to_owned(), place_name(&place)));
    }
    let name = place.replace([' ', '-'], "_");
    let is = |zone: &str| {
        let city = CONTINENTS
            .iter()
            .any(|continent| zone.starts_with(continent))
            .then(|| zone.rsplit('/').next())
            .flatten();
        zone.eq_ignore_ascii_case(&name) && zone.contains('/')
            || city.is_some_and(|city| city.replace('-', "_").eq_ignore_ascii_case(&name))
    };
    let zone = tz::db()
        .available()
        .map(|zone| zone.as_str().to_owned())
        .find(|zone| is(zone))?;
    let shown = if place.contains('/') {
        zone.clone()
    } else {
        place_name(&place)
    };
    Some((zone, shown))
}

/// A place with capital letters, as names have them.
fn place_name(place: &str) -> String {
    const SMALL: [&str; 6] = ["the", "der", "den", "de", "dc", "of"];
    const SHORT: [&str; 8] = ["uk", "utc", "gmt", "nyc", "sf", "la", "dc", "d.c"];
    let word = |word: &str| {
        if SHORT.contains(&word) {
            return word.to_uppercase();
        }
        let mut letters = word.chars();
        match letters.next() {
            Some(first) if !SMALL.contains(&word) => first.to_uppercase().chain(letters).collect(),
            _ => word.to_owned(),
        }
    };
    place.split(' ').map(word).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_found_by_the_names_that_people_use() {
        let cases = [
            ("Tokyo", "Asia/Tokyo", "Tokyo"),
            ("tokio", "Asia/Tokyo", "Tokio"),
            ("new york", "America/New_York", "New York"),
            ("NYC", "America/New_York", "NYC"),
            ("london", "Europe/London", "London"),
            ("münchen", "Europe/Berlin", "München"),
            ("der schweiz", "Europe/Zurich", "der Schweiz"),
            ("europe/berlin", "Europe/Berlin", "Europe/Berlin"),
            ("utc", "UTC", "UTC"),
        ];
        for (place, zone, shown) in cases {
            assert_eq!(of(place), Some((zone.to_owned(), shown.to_owned())), "{place}");
        }
    }

    #[test]
    fn what_is_no_place_or_has_several_zones_has_none() {
        for place in ["", "mars", "usa", "russia", "3 weeks", "your opinion", "gmt+2"] {
            assert_eq!(of(place), None, "{place}");
        }
    }

    #[test]
    fn every_zone_of_the_table_exists() {
        for (zone, _) in PLACES {
            assert!(tz::TimeZone::get(zone).is_ok(), "{zone}");
        }
    }
}
