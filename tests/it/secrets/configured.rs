//! Every secret that can be configured, each with a value of its own.

use std::{collections::BTreeMap, path::Path};

use clifford_fakes::{discord::DiscordFake, s3::S3Fake, telegram::TelegramFake};

use crate::{
    api_watch::{TOKEN, watched},
    harness::{Setup, Site},
};

const EXAMPLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/bot.toml.example");
const MCP: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fakes/mcp.sh");

/// The provider's key. In JSON and in web addresses it is written otherwise.
pub const KEY: &str = "sk-planted\"one/two";
pub const ENCRYPTION_KEY: &str = "cGxhbnRlZC1zZWFsaW5nLWtleS1vZi0zMi1ieXRlcyE=";

/// By their places in `bot.toml`.
const CONFIGURED: [(&str, &str); 15] = [
    ("channels.discord.token", DiscordFake::TOKEN),
    ("channels.telegram.token", TelegramFake::TOKEN),
    ("files.access_key", S3Fake::ACCESS_KEY),
    ("files.secret_key", S3Fake::SECRET_KEY),
    ("http.token", TOKEN),
    ("llm.providers.key", KEY),
    ("llm.roles.speech.key", "planted voice key"),
    ("llm.roles.transcription.key", "planted-ears-key"),
    ("secrets.key", ENCRYPTION_KEY),
    ("tools.image.key", "planted image key"),
    ("tools.mcp.env", "planted=mcp&environment"),
    ("tools.mcp.headers", "planted-mcp-header"),
    ("tools.mcp.token", "planted-mcp-token"),
    ("tools.retrieval.key", "planted embedding key"),
    ("tools.web.key", "planted/search\\key"),
];

/// Those that this build can use: without buckets nobody reads the keys of one.
pub fn all() -> Vec<String> {
    let usable = CONFIGURED
        .iter()
        .filter(|(path, _)| cfg!(feature = "s3") || !path.starts_with("files."));
    usable.map(|(_, secret)| (*secret).to_owned()).collect()
}

fn of(path: &str) -> &'static str {
    CONFIGURED.iter().find(|(known, _)| *known == path).unwrap().1
}

/// A bot with all of them. Its own MCP server works in this directory, and says what stands there.
pub fn setup(bucket: &S3Fake, mcp: &Path) -> Setup {
    let table = |pairs: &[(&str, toml::Value)]| {
        let pairs = pairs.iter().map(|(key, value)| ((*key).to_owned(), value.clone()));
        toml::Value::Table(pairs.collect())
    };
    let own = table(&[
        ("name", "fake".into()),
        ("command", "sh".into()),
        ("args", vec![MCP].into()),
        ("cwd", mcp.display().to_string().into()),
        ("env", table(&[("SECRET_KEY", of("tools.mcp.env").into())])),
    ]);
    let far = table(&[
        ("name", "far".into()),
        ("url", "http://127.0.0.1:9/mcp".into()),
        ("token", of("tools.mcp.token").into()),
        ("headers", table(&[("X-Api-Key", of("tools.mcp.headers").into())])),
    ]);
    watched(Setup::on(Site::Telegram).and(Site::Discord))
        .set("log.level", "debug")
        .set("secrets.key", ENCRYPTION_KEY)
        .set("files.store", if cfg!(feature = "s3") { "s3" } else { "directory" })
        .set("files.endpoint", bucket.endpoint())
        .set("files.bucket", S3Fake::BUCKET)
        .set("files.region", S3Fake::REGION)
        .set("files.access_key", S3Fake::ACCESS_KEY)
        .set("files.secret_key", S3Fake::SECRET_KEY)
        .set("llm.roles.speech.key", of("llm.roles.speech.key"))
        .set("llm.roles.transcription.key", of("llm.roles.transcription.key"))
        .set("tools.image.key", of("tools.image.key"))
        .set("tools.retrieval.key", of("tools.retrieval.key"))
        .set("tools.web.key", of("tools.web.key"))
        .set("tools.mcp", toml::Value::Array(vec![own, far]))
        .provider("key", KEY)
}

/// The keys of `bot.toml.example` that hold secrets, by their examples: it has every key that there is.
fn in_example() -> Vec<String> {
    let text = std::fs::read_to_string(EXAMPLE).unwrap();
    let mut found = BTreeMap::new();
    let mut section = String::new();
    for line in text.lines().skip_while(|line| !line.starts_with('[')) {
        let line = line.trim_start_matches('#');
        if line.starts_with('[') && line.ends_with(']') {
            line.trim_matches(['[', ']']).clone_into(&mut section);
        } else if let Some((key, value)) = line.split_once(" = ")
            && value.contains("{ env = ")
        {
            found.insert(format!("{section}.{key}"), ());
        }
    }
    found.into_keys().collect()
}

#[test]
fn every_secret_that_can_be_configured_is_planted() {
    let planted: Vec<_> = CONFIGURED.iter().map(|(path, _)| (*path).to_owned()).collect();
    assert_eq!(planted, in_example());
}
