//! The messages of a channel, from either kind of file, without ever holding more than one.

use std::{fmt, io::BufReader, path::Path};

use serde::{
    Deserialize, Deserializer as _,
    de::{Error as _, SeqAccess, Visitor},
};
use serde_json::Value as Json;

use crate::{
    ImportError,
    characters::Whole,
    tree::{self, Summed},
};

/// How much of a file is read at a time.
const BUFFER: usize = 256 * 1024;

/// The callback for each message.
type Each<'a> = &'a mut dyn FnMut(Message) -> Result<(), ImportError>;

/// A message.
#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct Message {
    #[serde(rename = "ID")]
    pub id: Json,
    pub timestamp: String,
    #[serde(default)]
    pub contents: Option<String>,
    /// The addresses of its files, with blanks between them.
    #[serde(default)]
    pub attachments: Option<String>,
}

/// Reads a list of JSON, and returns its sum.
///
/// # Errors
/// It is no list of messages, cannot be read, or those of `each`.
pub(super) fn of_json(path: &Path, each: Each<'_>) -> Result<String, ImportError> {
    let mut summed = Summed::new(tree::open(path)?);
    let mut json = serde_json::Deserializer::from_reader(BufReader::with_capacity(BUFFER, Whole::new(&mut summed)));
    let mut refused = None;
    let list = List {
        each,
        refused: &mut refused,
    };
    let outcome = (&mut json).deserialize_seq(list).and_then(|()| json.end());
    drop(json);
    match (refused, outcome) {
        (Some(error), _) => Err(error),
        (None, Err(error)) => Err(ImportError::json(path, &error)),
        (None, Ok(())) => Ok(summed.sum()),
    }
}

struct List<'a, 'e> {
    each: Each<'e>,
    /// Why the reading ended, where that is not the JSON's fault.
    refused: &'a mut Option<ImportError>,
}

impl<'de> Visitor<'de> for List<'_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of messages")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        while let Some(message) = seq.next_element::<Message>()? {
            if let Err(error) = (self.each)(message) {
                *self.refused = Some(error);
                return Err(A::Error::custom("a message was refused"));
            }
        }
        Ok(())
    }
}

/// Reads a table (RFC 4180), whose first line names its columns, and returns its sum.
///
/// # Errors
/// Columns are missing, a row has not as many cells as the first, the file cannot be read, or those of `each`.
pub(super) fn of_csv(path: &Path, each: Each<'_>) -> Result<String, ImportError> {
    #[derive(Deserialize)]
    #[serde(rename_all = "PascalCase")]
    struct Row {
        #[serde(rename = "ID")]
        id: String,
        timestamp: String,
        contents: String,
        #[serde(default)]
        attachments: Option<String>,
    }
    let mut summed = Summed::new(tree::open(path)?);
    let mut table = csv::ReaderBuilder::new()
        .buffer_capacity(BUFFER)
        .from_reader(&mut summed);
    let head = table.headers().map_err(|error| in_words(path, error))?;
    let has = |name: &str| head.iter().any(|column| column == name);
    if !["ID", "Timestamp", "Contents"].into_iter().all(has) {
        return Err(ImportError::of(
            path,
            "its first line does not name ID, Timestamp and Contents",
        ));
    }
    for row in table.deserialize::<Row>() {
        let row = row.map_err(|error| in_words(path, error))?;
        each(Message {
            id: Json::String(row.id),
            timestamp: row.timestamp,
            contents: Some(row.contents),
            attachments: row.attachments,
        })?;
    }
    drop(table);
    Ok(summed.sum())
}

/// A CSV error in words for people.
fn in_words(path: &Path, error: csv::Error) -> ImportError {
    let line = error.position().map_or(1, csv::Position::line);
    match error.into_kind() {
        csv::ErrorKind::Io(error) => ImportError::unreadable(path, error),
        csv::ErrorKind::Utf8 { .. } => ImportError::of(path, format_args!("line {line}: not UTF-8")),
        csv::ErrorKind::UnequalLengths { expected_len, len, .. } => ImportError::of(
            path,
            format_args!("line {line}: {len} cells, where the first line has {expected_len}: it may be cut short"),
        ),
        _ => ImportError::of(path, format_args!("line {line}: no row of messages")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The identifiers and texts of a file's messages.
    fn read(name: &str, content: &str) -> Result<Vec<(String, String)>, String> {
        let dir = tempfile::tempdir().expect("a directory");
        let path = dir.path().join(name);
        std::fs::write(&path, content).expect("written");
        let mut found = Vec::new();
        let mut each = |message: Message| {
            let id = message.id.as_str().map_or(message.id.to_string(), str::to_owned);
            found.push((id, message.contents.unwrap_or_default()));
            Ok(())
        };
        let outcome = if name.ends_with("json") {
            of_json(&path, &mut each)
        } else {
            of_csv(&path, &mut each)
        };
        let sum = outcome.map_err(|error| error.to_string().replace(&format!("{}/", dir.path().display()), ""))?;
        assert_eq!(sum.len(), 64, "{sum}");
        Ok(found)
    }

    #[test]
    fn a_table_is_read_with_its_quotes() {
        let text = "\u{feff}ID,Timestamp,Contents,Attachments\r\n1,t,\"a, \"\"b\"\"\nc\",\n2,t,plain,https://x\n";
        let found = read("m.csv", text).expect("a table");
        assert_eq!(
            found,
            [
                ("1".to_owned(), "a, \"b\"\nc".to_owned()),
                ("2".to_owned(), "plain".to_owned())
            ]
        );
        let without = read("m.csv", "ID,Timestamp,Contents\n1,t,a\n").expect("a table without files");
        assert_eq!(without.len(), 1);
        let columns = "m.csv: its first line does not name ID, Timestamp and Contents";
        assert_eq!(read("m.csv", "id,when\n1,2").expect_err("other columns"), columns);
        assert_eq!(read("m.csv", "").expect_err("nothing"), columns);
        assert_eq!(
            read("m.csv", "ID,Timestamp,Contents,Attachments\n1,t,\"a").expect_err("cut short"),
            "m.csv: line 2: 3 cells, where the first line has 4: it may be cut short"
        );
    }

    #[test]
    fn a_list_is_read_one_message_at_a_time_until_one_is_refused() {
        let list = r#"[{"ID": 1, "Timestamp": "t", "Contents": "a"}, {"ID": "2", "Timestamp": "t"}]"#;
        let found = read("m.json", list).expect("a list");
        assert_eq!(
            found,
            [("1".to_owned(), "a".to_owned()), ("2".to_owned(), String::new())]
        );
        let cut = read("m.json", &list[..60]).expect_err("cut short");
        assert_eq!(
            cut,
            "m.json: it is cut short: it ends in the middle of a value; copy it again"
        );
        let object = read("m.json", "{}").expect_err("an object");
        assert_eq!(
            object,
            "m.json: line 1, column 1: map stands where a list of messages belongs"
        );

        let dir = tempfile::tempdir().expect("a directory");
        let path = dir.path().join("m.json");
        // The rest behind a message that is refused is not even read.
        std::fs::write(&path, &list[..60]).expect("written");
        let refused = of_json(&path, &mut |_| Err(ImportError::Stopped));
        assert!(matches!(refused, Err(ImportError::Stopped)), "{refused:?}");
    }
}
