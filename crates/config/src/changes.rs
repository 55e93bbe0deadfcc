//! The difference between two configurations: names of keys, never values.

use std::collections::BTreeSet;

use clifford_vault::Secret;
use serde_json::Value;

use super::{Config, Secrets};

/// The sections that belong to a process from its start to its end.
const OF_PROCESS: [&str; 2] = ["log", "telemetry"];

/// The keys that differ.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changes {
    /// Settings that can be put in force while a process runs.
    pub in_force: Vec<String>,
    /// Settings that a process reads only when it starts.
    pub of_process: Vec<String>,
}

/// The keys that differ between two configurations in force, each with its secrets: as `llm.providers[0].model`, or as
/// the list if one is longer than the other.
pub fn changes(old: (&Config, &Secrets), new: (&Config, &Secrets)) -> Changes {
    let mut keys = BTreeSet::new();
    let [before, after] = [old.0, new.0].map(|config| serde_json::to_value(config).unwrap_or_default());
    differing(&before, &after, "", &mut keys);
    keys.extend(secrets(old, new));
    let is_of_process = |key: &String| {
        let section = key.split('.').next().unwrap_or_default();
        OF_PROCESS.contains(&section)
    };
    let (of_process, in_force) = keys.into_iter().partition(is_of_process);
    Changes { in_force, of_process }
}

fn differing(old: &Value, new: &Value, path: &str, keys: &mut BTreeSet<String>) {
    match (old, new) {
        (Value::Object(old), Value::Object(new)) => {
            let names: BTreeSet<_> = old.keys().chain(new.keys()).collect();
            for name in names {
                let path = match path {
                    "" => name.clone(),
                    path => format!("{path}.{name}"),
                };
                let entry = |entries: &serde_json::Map<_, _>| entries.get(name).cloned().unwrap_or_default();
                differing(&entry(old), &entry(new), &path, keys);
            }
        }
        (Value::Array(old), Value::Array(new)) if old.len() == new.len() => {
            for (index, (old, new)) in old.iter().zip(new).enumerate() {
                differing(old, new, &format!("{path}[{index}]"), keys);
            }
        }
        _ if old != new => drop(keys.insert(path.to_owned())),
        _ => {}
    }
}

/// The keys whose secrets differ, which are hidden where settings are shown, or stand in a file or a variable.
fn secrets(old: (&Config, &Secrets), new: (&Config, &Secrets)) -> BTreeSet<String> {
    let (old, new) = (named_secrets(old.0, old.1), named_secrets(new.0, new.1));
    let only = |some: &[Named], others: &[Named]| {
        let differ = some.iter().filter(|one| !others.contains(one));
        differ.map(|(key, _)| key.clone()).collect::<Vec<_>>()
    };
    only(&old, &new).into_iter().chain(only(&new, &old)).collect()
}

type Named = (String, Secret);

fn named_secrets(config: &Config, secrets: &Secrets) -> Vec<Named> {
    let single = [
        ("http.token", &secrets.http_token),
        ("secrets.key", &secrets.encryption_key),
        ("llm.roles.transcription.key", &secrets.transcription_key),
        ("llm.roles.speech.key", &secrets.speech_key),
    ];
    let mut named: Vec<_> = (single.into_iter())
        .filter_map(|(key, secret)| Some((key.to_owned(), secret.clone()?)))
        .collect();
    for (platform, token) in &secrets.tokens {
        named.push((format!("channels.{platform}.token"), token.clone()));
    }
    for (name, key) in &secrets.provider_keys {
        let place = (config.llm.providers.iter()).position(|provider| provider.name == *name);
        named.push((format!("llm.providers[{}].key", place.unwrap_or_default()), key.clone()));
    }
    if let Some((access, secret)) = &secrets.bucket_keys {
        named.push(("files.access_key".to_owned(), access.clone()));
        named.push(("files.secret_key".to_owned(), secret.clone()));
    }
    for (path, secret) in &secrets.tools {
        named.push((format!("tools.{path}"), secret.clone()));
    }
    for password in &secrets.url_passwords {
        named.push(("a password in an address".to_owned(), password.clone()));
    }
    named
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use clifford_channel::{Platform, Platforms};

    use super::*;

    fn config(text: &str) -> (Config, Secrets) {
        let config = Config::parse(text, Path::new("bot.toml"), Platforms::default()).unwrap();
        (config, Secrets::default())
    }

    #[test]
    fn keys_that_differ_are_named_and_those_of_the_process_apart() {
        let provider = "[[llm.providers]]\nname = \"a\"\nkind = \"openai\"\nbase_url = \"http://127.0.0.1:1\"\n";
        let cases: &[(String, String, &[&str], &[&str])] = &[
            (String::new(), String::new(), &[], &[]),
            // A key that is set to the value in effect changes nothing.
            (String::new(), "[engine]\nmax_iterations = 20".to_owned(), &[], &[]),
            (
                String::new(),
                "[engine]\nmax_iterations = 21\n[ingress]\ndebounce_ms = 7\n[log]\nlevel = \"warn\"".to_owned(),
                &["engine.max_iterations", "ingress.debounce_ms"],
                &["log.level"],
            ),
            (
                format!("{provider}model = \"m\""),
                format!("{provider}model = \"n\""),
                &["llm.providers[0].model"],
                &[],
            ),
            (
                String::new(),
                format!("{provider}model = \"m\""),
                &["llm.providers"],
                &[],
            ),
            (
                String::new(),
                "[telemetry]\notlp_endpoint = \"http://127.0.0.1:2\"".to_owned(),
                &[],
                &["telemetry.otlp_endpoint"],
            ),
        ];
        for (old, new, in_force, of_process) in cases {
            let (old, new) = (config(old), config(new));
            let expected = Changes {
                in_force: in_force.iter().map(|&key| key.to_owned()).collect(),
                of_process: of_process.iter().map(|&key| key.to_owned()).collect(),
            };
            assert_eq!(changes((&old.0, &old.1), (&new.0, &new.1)), expected, "{new:?}");
        }
    }

    #[test]
    fn a_secret_that_differs_is_named_by_its_key_alone() {
        let old = config("");
        let mut new = old.clone();
        let token = (Platform::new("chat"), Secret::new("1:hunter22"));
        new.1.tokens.push(token);
        new.1.tools.insert("web.key".to_owned(), Secret::new("hunter23"));
        let changed = changes((&old.0, &old.1), (&new.0, &new.1));
        assert_eq!(changed.in_force, ["channels.chat.token", "tools.web.key"]);
        assert_eq!(changes((&new.0, &new.1), (&new.0, &new.1)), Changes::default());
    }
}
