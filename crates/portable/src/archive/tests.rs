//! Archives that are whole, and ones that somebody made to do harm.

use std::{fs, path::PathBuf};

use clifford_core::{clock::Timestamp, id::FileId};
use clifford_store::portable::Record;
use proptest::prelude::*;
use sha2::{Digest as _, Sha256};
use tempfile::TempDir;

use super::{Archive, HEAD, Head, SUMS, Writer};
use crate::{ImportError, Item, Source};

const MOST: u64 = 100_000;
const SETTING: &str = r#"{"setting":{"scope":"00000000-0000-7000-8000-0000000000aa","name":"language","value":"en","updatedAt":"2026-01-01T00:00:00Z"}}"#;

/// An entry: its name, kind and content.
type Entry<'e> = (&'e str, tar::EntryType, &'e [u8]);

fn head() -> Vec<u8> {
    let head = Head::new("1.0.0", Timestamp(0), "everything".to_owned());
    serde_json::to_vec(&head).expect("JSON")
}

/// An archive of these entries, with the sums of all, if none are given.
fn tar(entries: &[Entry<'_>], sums: Option<&str>) -> Vec<u8> {
    let mut builder = tar::Builder::new(Vec::new());
    let mut all = String::new();
    let mut put = |name: &str, kind: tar::EntryType, content: &[u8]| {
        let mut header = tar::Header::new_gnu();
        // As it stands: a builder would refuse some of these names itself.
        let field = &mut header.as_old_mut().name;
        field[..name.len()].copy_from_slice(name.as_bytes());
        header.set_size(u64::try_from(content.len()).expect("small"));
        header.set_entry_type(kind);
        if kind == tar::EntryType::Symlink {
            header.set_link_name("/etc/passwd").expect("a link");
        }
        header.set_mode(0o600);
        header.set_cksum();
        builder.append(&header, content).expect("an entry");
    };
    for (name, kind, content) in entries {
        put(name, *kind, content);
        all.push_str(&format!("{}  {name}\n", clifford_vault::hex(&Sha256::digest(content))));
    }
    put(SUMS, tar::EntryType::Regular, sums.unwrap_or(&all).as_bytes());
    builder.into_inner().expect("an archive")
}

fn file(bytes: &[u8]) -> (TempDir, PathBuf) {
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path().join("a.tar");
    fs::write(&path, bytes).expect("a file");
    (dir, path)
}

/// The items of an archive, in words.
fn read(bytes: &[u8]) -> Result<Vec<String>, ImportError> {
    let (_dir, path) = file(bytes);
    let mut items = Vec::new();
    Archive::open(&path, MOST)?.read(&mut |item| {
        items.push(match item {
            Item::Record { record, at } => format!("{} {at}", record.kind().plural()),
            Item::Content { bytes, .. } => format!("content {:?}", bytes.map(|bytes| bytes.len())),
            Item::Skipped { what, why } => format!("skipped {what}: {why}"),
        });
        Ok(())
    })?;
    Ok(items)
}

#[test]
fn an_archive_is_read_as_it_was_written() {
    let mut writer =
        Writer::new(Vec::new(), &Head::new("1.0.0", Timestamp(0), "everything".to_owned())).expect("writes");
    let record: Record = serde_json::from_str(SETTING).expect("a record");
    for _ in 0..40_000 {
        writer.record(&record).expect("writes");
    }
    let bytes = writer.finish().expect("writes");
    let items = read(&bytes).expect("whole");
    assert_eq!(items.len(), 40_000);
    assert_eq!(items[0], "settings records/000001.jsonl, line 1");
    assert!(
        items[39_999].starts_with("settings records/000002.jsonl, line "),
        "{}",
        items[39_999]
    );
}

#[test]
fn an_archive_that_is_not_what_an_export_writes_is_refused_with_its_place() {
    let regular = tar::EntryType::Regular;
    let head = head();
    let first: Entry<'_> = (HEAD, regular, &head);
    let newer = String::from_utf8(head.clone())
        .expect("text")
        .replace("\"version\":2", "\"version\":3");
    let setting = SETTING.as_bytes();
    let records = "records/000001.jsonl";
    let id = FileId(uuid::Uuid::from_u128(0x0192_cafe_0000_7000_8000_0000_0000_00ab));
    let content = super::name_of_file(id);
    let unknown = SETTING.replace("\"name\"", "\"nane\"");
    let mut not_text = setting.to_vec();
    not_text[60] = 0xff;
    let half = &setting[..setting.len() - 9];
    let surrogate = SETTING.replace("\"en\"", r#""\ud800""#);
    let cases: Vec<(Vec<u8>, &str)> = vec![
        (
            tar(&[first, ("../../evil", regular, b"x")], None),
            "`../../evil` is nothing that an export holds",
        ),
        (
            tar(&[first, ("/etc/passwd", regular, b"x")], None),
            "`/etc/passwd` is nothing",
        ),
        (
            tar(&[first, ("records/../../x", regular, b"x")], None),
            "is nothing that an export holds",
        ),
        (
            tar(&[first, (records, tar::EntryType::Symlink, b"")], None),
            "is nothing that an export holds",
        ),
        (
            tar(&[first, (records, tar::EntryType::Link, b"")], None),
            "is nothing that an export holds",
        ),
        (
            tar(&[first, ("././@LongLink", tar::EntryType::GNULongName, b"x")], None),
            "`././@LongLink` is nothing that an export holds",
        ),
        (
            tar(&[first, (records, tar::EntryType::XHeader, b"9 path=x\n")], None),
            "is nothing that an export holds",
        ),
        (
            tar(&[first, ("files", tar::EntryType::Directory, b"")], None),
            "is nothing that an export holds",
        ),
        (
            tar(&[first, ("files/00/not-an-id", regular, b"x")], None),
            "is nothing that an export holds",
        ),
        (
            tar(&[first, ("clifford.db", regular, b"x")], None),
            "is nothing that an export holds",
        ),
        (
            tar(&[(records, regular, setting)], None),
            "it does not begin with clifford-export.json",
        ),
        (
            tar(&[first, ("records/000002.jsonl", regular, setting)], None),
            "comes where `records/000001.jsonl` belongs",
        ),
        (
            tar(&[first, (records, regular, setting), (records, regular, setting)], None),
            "comes where",
        ),
        (tar(&[first, first], None), "is in it twice"),
        (
            tar(&[first, (records, regular, setting)], Some("")),
            "its sums do not name",
        ),
        (
            tar(&[first], Some(&format!("{}  {HEAD}\n", "0".repeat(64)))),
            "`clifford-export.json` is damaged",
        ),
        (
            tar(&[first, (&content, regular, b"x")], None),
            "no record names the content",
        ),
        (
            tar(&[(HEAD, regular, newer.as_bytes())], None),
            "it has version 3 of the format",
        ),
        (tar(&[(HEAD, regular, b"{}")], None), "names no version"),
        (tar(&[(HEAD, regular, b"[")], None), "is no JSON"),
        (
            tar(&[first, (records, regular, unknown.as_bytes())], None),
            "records/000001.jsonl, line 1: column",
        ),
        (
            tar(&[first, (records, regular, &not_text)], None),
            "records/000001.jsonl, line 1: column",
        ),
        (
            tar(&[first, (records, regular, half)], None),
            "records/000001.jsonl, line 1: column",
        ),
        (
            tar(&[first, (records, regular, surrogate.as_bytes())], None),
            "records/000001.jsonl, line 1: column",
        ),
        (
            tar(&[first, (records, regular, b"\n\n")], None),
            "records/000001.jsonl, line 1: column",
        ),
        (
            tar(&[first, (records, regular, "[".repeat(200_000).as_bytes())], None),
            "records/000001.jsonl, line 1: column",
        ),
        (
            b"not a tar file at all".to_vec(),
            "it is no archive that `clifford export`",
        ),
        (Vec::new(), "it is no archive that `clifford export`"),
    ];
    for (bytes, expected) in cases {
        let refused = read(&bytes).expect_err(expected).to_string();
        assert!(refused.contains(expected), "{expected}: {refused}");
    }
}

/// Wherever an archive ends that is not whole, that is what is said: the reader's own words would not help anybody.
#[test]
fn an_archive_that_ends_anywhere_is_said_to_be_cut_short() {
    let regular = tar::EntryType::Regular;
    let head = head();
    let lines = format!("{SETTING}\n{SETTING}\n");
    let entries = [
        (HEAD, regular, head.as_slice()),
        ("records/000001.jsonl", regular, lines.as_bytes()),
    ];
    let whole = tar(&entries, None);
    let sums = whole
        .windows(SUMS.len())
        .position(|bytes| bytes == SUMS.as_bytes())
        .expect("sums");
    for end in 0..sums + 512 + 64 {
        let refused = read(&whole[..end]).expect_err("not whole").to_string();
        let expected = match end {
            0..512 => "it is no archive that `clifford export` has written",
            end if end < 512 + head.len() => "the archive is cut short in `clifford-export.json`: copy it again",
            512..1536 => "the archive is cut short before its sums: copy it again",
            end if end < sums => "the archive is cut short",
            end if end < sums + 512 => "the archive is cut short before its sums: copy it again",
            _ => "the archive is cut short in its sums: copy it again",
        };
        assert!(refused.contains(expected), "{end}: {refused}");
        assert!(!refused.contains("EOF while"), "{end}: {refused}");
    }
}

#[test]
fn an_archive_of_version_1_is_read() {
    let regular = tar::EntryType::Regular;
    let head = String::from_utf8(head())
        .expect("text")
        .replace("\"version\":2", "\"version\":1");
    let entries = [
        (HEAD, regular, head.as_bytes()),
        ("records/000001.jsonl", regular, SETTING.as_bytes()),
    ];
    assert_eq!(
        read(&tar(&entries, None)).expect("whole"),
        ["settings records/000001.jsonl, line 1"]
    );
    let old = r#"{"reminder":{"id":"0192cafe-0000-7000-8000-0000000000ab","channelId":null,"userId":null,"content":"x","cron":null,
        "timeZone":"UTC","catchUp":"once","enabled":true,"nextAt":null,"createdAt":"2026-01-01T00:00:00Z",
        "updatedAt":"2026-01-01T00:00:00Z","lastFiredAt":null}}"#;
    let Record::Reminder(old) = serde_json::from_str(old).expect("a record") else {
        panic!("a reminder");
    };
    assert_eq!((old.kind.as_str(), old.agent_id), ("reminder", None));
}

#[test]
fn an_entry_that_says_to_be_huge_takes_no_memory_and_a_large_file_is_left_out() {
    let regular = tar::EntryType::Regular;
    let head = head();
    // A header that promises 8 EB, and nothing behind it.
    let mut header = tar::Header::new_gnu();
    header.set_path("records/000001.jsonl").expect("a path");
    header.set_size(u64::MAX >> 1);
    header.set_entry_type(regular);
    header.set_cksum();
    let mut bytes = tar(&[(HEAD, regular, &head)], None);
    bytes.truncate(1024);
    bytes.extend(header.as_bytes());
    bytes.extend([b'['; 4096]);
    assert!(read(&bytes).is_err());

    let id = FileId(uuid::Uuid::from_u128(0x0192_cafe_0000_7000_8000_0000_0000_00ab));
    let large = vec![0; usize::try_from(MOST).expect("small") + 1];
    let sum = clifford_vault::hex(&Sha256::digest(&large));
    let record = format!(
        r#"{{"file":{{"id":"{id}","name":"x","size":100001,"sha256":"{sum}","ofOthers":false,"createdAt":"2026-01-01T00:00:00Z"}}}}"#
    );
    let entries = [
        (HEAD, regular, head.as_slice()),
        ("files/ab/0192cafe0000700080000000000000ab", regular, large.as_slice()),
        ("records/000001.jsonl", regular, record.as_bytes()),
    ];
    assert_eq!(
        read(&tar(&entries, None)).expect("whole"),
        ["content None", "files records/000001.jsonl, line 1"]
    );
    let other = record.replace(&sum, &"0".repeat(64));
    let entries = [
        entries[0],
        entries[1],
        ("records/000001.jsonl", regular, other.as_bytes()),
    ];
    let refused = read(&tar(&entries, None)).expect_err("another sum").to_string();
    assert_eq!(
        refused,
        "records/000001.jsonl, line 1: its content is missing, or another than it says"
    );
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(64) })]

    #[test]
    fn an_archive_that_is_cut_or_changed_anywhere_is_never_taken_for_whole(at in 0_usize..4096, is_cut: bool, by in 1_u8..=255) {
        let head = head();
        let entries = [
            (HEAD, tar::EntryType::Regular, head.as_slice()),
            ("records/000001.jsonl", tar::EntryType::Regular, SETTING.as_bytes()),
        ];
        let whole = tar(&entries, None);
        let mut bytes = whole.clone();
        let at = at % bytes.len();
        if is_cut {
            bytes.truncate(at);
        } else {
            bytes[at] ^= by;
        }
        if let Ok(items) = read(&bytes) {
            // Only what stands behind the sums, and what fills blocks up, may change.
            prop_assert_eq!(items, read(&whole).expect("whole"));
        }
    }

    #[test]
    fn no_bytes_are_a_panic(bytes in proptest::collection::vec(any::<u8>(), 0..2048)) {
        let _ = read(&bytes);
    }
}
