//! Where the configuration says that a secret is to be found.

use std::{
    collections::BTreeMap,
    fmt::{self, Display},
    fs::{self, File},
    io::{self, Read},
    path::{Path, PathBuf},
};

use schemars::JsonSchema;
use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{Error, MapAccess, Unexpected, Visitor},
};

use crate::Secret;

/// How a secret is referred to: `{ env = "NAME" }`, `{ file = "PATH" }` or the secret itself as a text.
///
/// Neither printing nor serialising it shows a secret, nor does an error of reading it from a configuration.
#[derive(Clone, Debug, PartialEq, Eq, JsonSchema)]
#[schemars(rename_all = "snake_case")]
pub enum SecretSource {
    /// In an environment variable.
    Env(String),
    /// In a file that holds nothing else.
    File(PathBuf),
    /// In the configuration itself.
    #[schemars(untagged)]
    Inline(#[schemars(with = "String")] Secret),
}

/// Why there is no secret where one should be. The remedy is left to whoever knows the name of the setting.
#[derive(Debug, thiserror::Error)]
pub enum SecretError {
    /// The variable must be set, or another source named.
    #[error("the environment variable {0} is not set")]
    Missing(String),
    /// The path or the file's permissions must be mended.
    #[error("the file {} cannot be read: {source}", .path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// The path must be mended: what it leads to is not a secret.
    #[error("the file {} is longer than {MAX_FILE} bytes, too long for a secret", .0.display())]
    TooLong(PathBuf),
    /// The secret must be written there.
    #[error("{0} is empty")]
    Empty(String),
}

/// The most bytes that a file with a secret may have.
const MAX_FILE: u64 = 16 * 1024;

impl SecretSource {
    /// Reads the secret. White space around what a variable or a file holds is not part of it, and a variable that
    /// holds nothing else counts as not set.
    ///
    /// # Errors
    /// [`SecretError`] says what is missing; it never holds a secret.
    pub fn resolve(&self, env: &BTreeMap<String, String>) -> Result<Secret, SecretError> {
        match self {
            Self::Env(name) => match env.get(name).map(|value| value.trim()) {
                None | Some("") => Err(SecretError::Missing(name.clone())),
                Some(value) => Ok(Secret::new(value)),
            },
            Self::File(path) => match read(path)?.trim() {
                "" => Err(SecretError::Empty(format!("the file {}", path.display()))),
                text => Ok(Secret::new(text)),
            },
            Self::Inline(secret) if secret.expose().trim().is_empty() => Err(SecretError::Empty("the text".into())),
            Self::Inline(secret) => Ok(secret.clone()),
        }
    }
}

fn read(path: &Path) -> Result<String, SecretError> {
    let unreadable = |source| SecretError::Unreadable {
        path: path.to_owned(),
        source,
    };
    let file = open_regular(path).map_err(unreadable)?;
    let mut bytes = Vec::new();
    file.take(MAX_FILE + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() as u64 > MAX_FILE {
        return Err(SecretError::TooLong(path.to_owned()));
    }
    String::from_utf8(bytes).map_err(|_| unreadable(io::Error::new(io::ErrorKind::InvalidData, "it is not UTF-8 text")))
}

/// Opens a file; a pipe or a terminal would wait for somebody who writes there.
pub(crate) fn open_regular(path: &Path) -> io::Result<File> {
    if fs::metadata(path)?.is_file() {
        File::open(path)
    } else {
        Err(io::Error::other("it is no regular file"))
    }
}

impl Serialize for SecretSource {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Env(name) => serializer.collect_map([("env", name)]),
            Self::File(path) => serializer.collect_map([("file", path)]),
            Self::Inline(secret) => secret.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for SecretSource {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Reader)
    }
}

/// Reads a source by hand, because the errors that serde makes by itself repeat what they found.
struct Reader;

const FIELDS: &[&str] = &["env", "file"];

impl<'de> Visitor<'de> for Reader {
    type Value = SecretSource;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(r#"{ env = "NAME" }, { file = "PATH" } or a text"#)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<SecretSource, E> {
        Ok(SecretSource::Inline(Secret::new(text)))
    }

    fn visit_i64<E: Error>(self, _: i64) -> Result<SecretSource, E> {
        Err(E::invalid_type(Unexpected::Other("a number"), &self))
    }

    fn visit_u64<E: Error>(self, _: u64) -> Result<SecretSource, E> {
        Err(E::invalid_type(Unexpected::Other("a number"), &self))
    }

    fn visit_f64<E: Error>(self, _: f64) -> Result<SecretSource, E> {
        Err(E::invalid_type(Unexpected::Other("a number"), &self))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<SecretSource, A::Error> {
        let wrong = |message: &dyn Display| Err(A::Error::custom(message));
        let Some(field) = map.next_key::<String>()? else {
            return wrong(&"a secret needs one of `env` and `file`");
        };
        let source = match field.as_str() {
            "env" => SecretSource::Env(map.next_value::<Name>()?.0),
            "file" => SecretSource::File(map.next_value::<Name>()?.0.into()),
            _ => return Err(A::Error::unknown_field(&field, FIELDS)),
        };
        match map.next_key::<String>()? {
            None => Ok(source),
            Some(second) if FIELDS.contains(&second.as_str()) => {
                wrong(&"a secret needs one of `env` and `file`, not both")
            }
            Some(unknown) => Err(A::Error::unknown_field(&unknown, FIELDS)),
        }
    }
}

/// The name of a variable or file: a text that is not blank.
struct Name(String);

impl<'de> Deserialize<'de> for Name {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match deserializer.deserialize_any(Reader) {
            Ok(SecretSource::Inline(text)) if !text.expose().trim().is_empty() => Ok(Self(text.expose().to_owned())),
            _ => Err(D::Error::custom("`env` and `file` must be texts that are not blank")),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{collections::BTreeMap, fs, process::Command};

    use serde::{Deserialize, Serialize};
    use serde_json::json;

    use super::SecretSource;
    use crate::Secret;

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Section {
        key: SecretSource,
    }

    fn parse(text: &str) -> Result<SecretSource, String> {
        toml::from_str(text)
            .map(|section: Section| section.key)
            .map_err(|error| error.message().to_owned())
    }

    fn resolve(source: &SecretSource) -> Result<String, String> {
        let env = BTreeMap::from([("KEY", " sk-1\n"), ("BLANK", " ")].map(|(k, v)| (k.to_owned(), v.to_owned())));
        source
            .resolve(&env)
            .map(|secret| secret.expose().to_owned())
            .map_err(|error| error.to_string())
    }

    #[test]
    fn a_source_is_a_variable_a_file_or_a_text() {
        assert_eq!(parse("key = { env = \"KEY\" }"), Ok(SecretSource::Env("KEY".into())));
        assert_eq!(
            parse("[key]\nfile = \"/run/key\""),
            Ok(SecretSource::File("/run/key".into()))
        );
        assert_eq!(parse("key = \"sk-1\""), Ok(SecretSource::Inline(Secret::new("sk-1"))));
        assert_eq!(
            serde_json::from_value::<SecretSource>(json!("sk-1")).unwrap(),
            SecretSource::Inline(Secret::new("sk-1"))
        );
    }

    #[test]
    fn a_wrong_source_is_told_without_what_may_be_a_secret() {
        let cases = [
            (
                "key = 123456",
                r#"invalid type: a number, expected { env = "NAME" }, { file = "PATH" } or a text"#,
            ),
            (
                "key = 1.5",
                r#"invalid type: a number, expected { env = "NAME" }, { file = "PATH" } or a text"#,
            ),
            (
                "key = [\"hunter2\"]",
                r#"invalid type: sequence, expected { env = "NAME" }, { file = "PATH" } or a text"#,
            ),
            ("key = {}", "a secret needs one of `env` and `file`"),
            (
                "key = { evn = \"hunter2\" }",
                "unknown field `evn`, expected `env` or `file`",
            ),
            (
                "key = { env = \"KEY\", x = \"hunter2\" }",
                "unknown field `x`, expected `env` or `file`",
            ),
            (
                "key = { env = \"KEY\", file = \"hunter2\" }",
                "a secret needs one of `env` and `file`, not both",
            ),
            (
                "key = { env = 123456 }",
                "`env` and `file` must be texts that are not blank",
            ),
            (
                "key = { file = \" \" }",
                "`env` and `file` must be texts that are not blank",
            ),
            (
                "key = { file = { env = \"A\" } }",
                "`env` and `file` must be texts that are not blank",
            ),
        ];
        for (text, expected) in cases {
            assert_eq!(parse(text), Err(expected.to_owned()), "{text}");
        }
    }

    #[test]
    fn a_source_is_shown_without_the_secret() {
        let sources = [
            SecretSource::Env("KEY".into()),
            SecretSource::File("/run/key".into()),
            SecretSource::Inline(Secret::new("hunter2")),
        ];
        assert_eq!(
            serde_json::to_value(&sources).unwrap(),
            json!([{ "env": "KEY" }, { "file": "/run/key" }, "[secret]"])
        );
        assert_eq!(
            format!("{sources:?}"),
            r#"[Env("KEY"), File("/run/key"), Inline([secret])]"#
        );
    }

    #[test]
    fn its_schema_has_the_three_forms() {
        let reference = |way: &str| json!({ "type": "object", "properties": { way: { "type": "string" } }, "required": [way], "additionalProperties": false });
        let mut schema = schemars::schema_for!(SecretSource).to_value();
        for form in schema["anyOf"].as_array_mut().unwrap() {
            form.as_object_mut().unwrap().remove("description");
        }
        assert_eq!(
            schema["anyOf"],
            json!([reference("env"), reference("file"), { "type": "string" }])
        );
    }

    #[test]
    fn variables_and_texts_are_read() {
        let cases = [
            (SecretSource::Env("KEY".into()), Ok("sk-1")),
            (
                SecretSource::Env("NONE".into()),
                Err("the environment variable NONE is not set"),
            ),
            (
                SecretSource::Env("BLANK".into()),
                Err("the environment variable BLANK is not set"),
            ),
            (SecretSource::Inline(Secret::new("sk-1")), Ok("sk-1")),
            (SecretSource::Inline(Secret::new(" ")), Err("the text is empty")),
        ];
        for (source, expected) in cases {
            assert_eq!(
                resolve(&source),
                expected.map(str::to_owned).map_err(str::to_owned),
                "{source:?}"
            );
        }
    }

    #[test]
    fn files_are_read_without_their_last_newline() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("key");
        let shown = path.display();
        let cases: [(&[u8], Result<&str, String>); 5] = [
            (b"sk-1\r\n", Ok("sk-1")),
            (b"sk 1", Ok("sk 1")),
            (b"\n", Err(format!("the file {shown} is empty"))),
            (
                b"\xff\xfe",
                Err(format!("the file {shown} cannot be read: it is not UTF-8 text")),
            ),
            (
                &[b'x'; 20_000],
                Err(format!(
                    "the file {shown} is longer than 16384 bytes, too long for a secret"
                )),
            ),
        ];
        let source = SecretSource::File(path.clone());
        for (content, expected) in cases {
            fs::write(&path, content).unwrap();
            assert_eq!(resolve(&source), expected.map(str::to_owned));
        }
        fs::remove_file(&path).unwrap();
        let other = Err(format!("the file {shown} cannot be read: it is no regular file"));
        fs::create_dir(&path).unwrap();
        assert_eq!(resolve(&source), other, "a directory");
        fs::remove_dir(&path).unwrap();
        let socket = std::os::unix::net::UnixListener::bind(&path).unwrap();
        assert_eq!(resolve(&source), other, "a socket");
        drop(socket);
        fs::remove_file(&path).unwrap();
        assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
        assert_eq!(resolve(&source), other, "a pipe that nobody writes to");
        fs::remove_file(&path).unwrap();
        let missing = format!("the file {shown} cannot be read: No such file or directory (os error 2)");
        assert_eq!(resolve(&source), Err(missing));
    }
}
