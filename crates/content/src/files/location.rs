//! Where a file's content is, as it stands in its row.

use std::{convert::Infallible, fmt, str::FromStr};

use clifford_chat::platform::Platform;

/// Where a file's content is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Location {
    /// In the data directory: a path relative to it.
    Directory(String),
    /// In the bucket, by this key.
    Bucket(String),
    /// With a platform, by its id or address there.
    Platform(Platform, String),
}

impl FromStr for Location {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        if let Some(key) = text.strip_prefix("s3:") {
            return Ok(Self::Bucket(key.to_owned()));
        }
        let platform = text
            .split_once(':')
            .and_then(|(platform, id)| Some((platform.parse().ok()?, id)));
        Ok(match platform {
            Some((platform, id)) => Self::Platform(platform, id.to_owned()),
            None => Self::Directory(text.to_owned()),
        })
    }
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Directory(path) => f.write_str(path),
            Self::Bucket(key) => write!(f, "s3:{key}"),
            Self::Platform(platform, id) => write!(f, "{platform}:{id}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_location_is_written_as_it_is_read() {
        let cases = [
            ("files/0a/b1", Location::Directory("files/0a/b1".to_owned())),
            ("s3:clifford/0a", Location::Bucket("clifford/0a".to_owned())),
            (
                "telegram:BQAC:1",
                Location::Platform(Platform::new("telegram"), "BQAC:1".to_owned()),
            ),
            (
                "discord:https://cdn.discordapp.com/a",
                Location::Platform(Platform::new("discord"), "https://cdn.discordapp.com/a".to_owned()),
            ),
        ];
        for (text, location) in cases {
            assert_eq!(text.parse(), Ok(location.clone()));
            assert_eq!(location.to_string(), text);
        }
    }
}
