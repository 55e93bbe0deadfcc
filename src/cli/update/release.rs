//! Releases of the repository: the newest one, and its archives with their checksums.

use std::{collections::BTreeMap, fmt, str::FromStr, time::Duration};

use anyhow::{Context, anyhow, bail};
use serde::Deserialize;
use sha2::{Digest, Sha256};

use crate::cli::{
    bar::{Bar, Unit},
    words,
};

/// The repository whose releases count.
const REPOSITORY: &str = env!("CARGO_PKG_REPOSITORY");
/// How long the API may take, and an archive.
const PATIENCE: Duration = Duration::from_secs(20);
const LONG_PATIENCE: Duration = Duration::from_secs(600);
/// The most of an answer, and of an archive.
const LONGEST_ANSWER: usize = 4 * 1024 * 1024;
const LONGEST_ARCHIVE: usize = 512 * 1024 * 1024;

/// A version: three numbers. A suffix (`-rc.1`) makes it earlier than the same without.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Version {
    numbers: [u64; 3],
    is_final: bool,
    rest: String,
}

impl FromStr for Version {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let text = text.trim().trim_start_matches('v');
        let refused = || format!("`{text}` is not a version");
        let (plain, rest) = match text.split_once('-') {
            Some((plain, rest)) => (plain, rest),
            None => (text, ""),
        };
        let numbers: Result<Vec<u64>, _> = plain.split('.').map(str::parse).collect();
        let numbers: [u64; 3] = numbers.map_err(|_| refused())?.try_into().map_err(|_| refused())?;
        if rest.len() > 40 || !rest.chars().all(|c| c.is_ascii_alphanumeric() || c == '.' || c == '-') {
            return Err(refused());
        }
        Ok(Self {
            numbers,
            is_final: rest.is_empty(),
            rest: rest.to_owned(),
        })
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [major, minor, patch] = self.numbers;
        write!(f, "{major}.{minor}.{patch}")?;
        if self.is_final {
            Ok(())
        } else {
            write!(f, "-{}", self.rest)
        }
    }
}

/// A release.
#[derive(Debug)]
pub(super) struct Release {
    pub version: Version,
    /// Its page, for people.
    pub page: String,
    /// The addresses of its files, by name.
    files: BTreeMap<String, String>,
}

/// A release as the API tells it.
#[derive(Deserialize)]
struct Answer {
    tag_name: String,
    #[serde(default)]
    html_url: String,
    #[serde(default)]
    assets: Vec<Asset>,
}

#[derive(Deserialize)]
struct Asset {
    name: String,
    browser_download_url: String,
}

/// The newest release.
///
/// # Errors
/// The API does not answer, or there is none.
pub(super) async fn newest(api_url: &str) -> anyhow::Result<Release> {
    let repository = REPOSITORY.trim_end_matches('/');
    let name: Vec<_> = repository.rsplit('/').take(2).collect();
    let [repository, owner] = name[..] else {
        bail!("the repository of this program is not known");
    };
    let url = format!(
        "{}/repos/{owner}/{repository}/releases/latest",
        api_url.trim_end_matches('/')
    );
    let body = get(&url, PATIENCE, LONGEST_ANSWER, &Bar::none()).await?;
    let answer: Answer =
        serde_json::from_slice(&body).with_context(|| format!("{url} did not answer with a release"))?;
    let version: Version = answer
        .tag_name
        .parse()
        .map_err(|why: String| anyhow!("the newest release: {why}"))?;
    let files = answer
        .assets
        .into_iter()
        .map(|asset| (asset.name, asset.browser_download_url));
    Ok(Release {
        version,
        page: answer.html_url,
        files: files.collect(),
    })
}

/// A file of a release, which has the checksum that stands next to it.
///
/// # Errors
/// It is not there, does not come whole, or is another one.
pub(super) async fn archive(release: &Release, name: &str, shown: bool) -> anyhow::Result<Vec<u8>> {
    let address = |name: &str| {
        let found = release.files.get(name);
        found.ok_or_else(|| anyhow!("release {} has no {name}; see {}", release.version, release.page))
    };
    let checksum = get(
        address(&format!("{name}.sha256"))?,
        PATIENCE,
        LONGEST_ANSWER,
        &Bar::none(),
    )
    .await?;
    let checksum = String::from_utf8_lossy(&checksum).trim().to_lowercase();
    let expected = checksum.split_whitespace().next().unwrap_or_default();
    let bar = Bar::new(shown, "downloading", Unit::Bytes, None);
    let content = get(address(name)?, LONG_PATIENCE, LONGEST_ARCHIVE, &bar).await?;
    drop(bar);
    let found: String = Sha256::digest(&content)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    if found != expected {
        bail!("{name} does not have the checksum of its release; nothing was installed");
    }
    Ok(content)
}

async fn get(url: &str, patience: Duration, most: usize, bar: &Bar) -> anyhow::Result<Vec<u8>> {
    let client = reqwest::Client::builder()
        .user_agent(concat!("clifford/", env!("CARGO_PKG_VERSION")))
        .timeout(patience)
        .build()?;
    let unanswered = |error: reqwest::Error| anyhow!("{url} {}", words::unanswered(&error));
    let mut response = client.get(url).send().await.map_err(unanswered)?;
    if response.status() == reqwest::StatusCode::NOT_FOUND {
        bail!("there is no release at {url}");
    }
    if !response.status().is_success() {
        bail!("{url} answers {}", response.status());
    }
    let mut body = Vec::new();
    while let Some(piece) = response.chunk().await.map_err(unanswered)? {
        if body.len() + piece.len() > most {
            bail!("{url} answers with more than {most} bytes");
        }
        body.extend_from_slice(&piece);
        bar.add(u64::try_from(piece.len()).unwrap_or(0));
    }
    Ok(body)
}

#[cfg(test)]
mod tests {
    use super::Version;

    #[test]
    fn versions_are_told_apart_by_their_numbers() {
        let version = |text: &str| text.parse::<Version>().unwrap();
        let ordered = ["0.1.0", "v0.1.9", "0.1.10", "0.2.0-rc.1", "0.2.0", "1.0.0"].map(version);
        assert!(ordered.is_sorted(), "{ordered:?}");
        assert_eq!(version("v0.2.0-rc.1").to_string(), "0.2.0-rc.1");
        for text in ["", "1", "1.2", "1.2.3.4", "a.b.c", "1.2.3-\u{1b}[0m", "latest"] {
            assert!(text.parse::<Version>().is_err(), "{text}");
        }
    }
}
