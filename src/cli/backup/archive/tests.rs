use proptest::prelude::*;
use sha2::{Digest as _, Sha256};

use super::*;

/// An archive of these entries, with a head and sums that fit them.
fn archive(entries: &[(&str, &str)]) -> Vec<u8> {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("archive");
    let mut archive = Writer::create(&path, &Head::new(Timestamp(1), 24)).unwrap();
    for (name, content) in entries {
        raw(&mut archive, name, content);
    }
    archive.finish().unwrap();
    fs::read(&path).unwrap()
}

/// Puts an entry in, whatever its name.
fn raw(archive: &mut Writer, name: &str, content: &str) {
    let mut header = tar::Header::new_gnu();
    let field = header.as_old_mut();
    field.name[..name.len()].copy_from_slice(name.as_bytes());
    header.set_size(content.len() as u64);
    header.set_mode(0o600);
    header.set_cksum();
    archive.tar.append(&header, content.as_bytes()).unwrap();
    let sum = clifford_vault::hex(&Sha256::digest(content.as_bytes()));
    archive.sums.push_str(&format!("{sum}  {name}\n"));
}

fn refused(archive: &[u8]) -> String {
    let dir = tempfile::tempdir().unwrap();
    let into = dir.path().join("into");
    fs::create_dir(&into).unwrap();
    let error = take_apart(archive, &into).expect_err("refused");
    assert_eq!(
        fs::read_dir(dir.path()).unwrap().count(),
        1,
        "nothing is written elsewhere"
    );
    format!("{error:#}")
}

#[test]
fn what_was_put_in_comes_out() {
    let entries = [
        (DATABASE_FILE, "rows"),
        (KEY_FILE, "key"),
        ("files/aa/1aa", "text"),
        ("files/bb/2bb", ""),
    ];
    let bytes = archive(&entries);
    let dir = tempfile::tempdir().unwrap();
    let (head, files) = take_apart(bytes.as_slice(), dir.path()).unwrap();
    assert_eq!((head, files), (Head::new(Timestamp(1), 24), 2));
    for (name, content) in entries {
        assert_eq!(fs::read_to_string(dir.path().join(name)).unwrap(), content, "{name}");
    }
}

#[test]
fn what_leads_out_of_the_directory_or_is_no_part_of_a_backup_is_refused() {
    for name in [
        "../evil",
        "/tmp/evil",
        "files/../../evil",
        "files/aa/../../../evil",
        "files",
        "files/aa",
        "files/aa/bb/cc",
        "bot.toml",
        "./clifford.db",
    ] {
        let error = refused(&archive(&[(DATABASE_FILE, "rows"), (name, "x")]));
        assert_eq!(error, format!("`{name}` is nothing that a backup holds"));
    }
}

#[test]
fn a_link_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("archive");
    let mut archive = Writer::create(&path, &Head::new(Timestamp(1), 24)).unwrap();
    let mut header = tar::Header::new_gnu();
    header.set_entry_type(tar::EntryType::Symlink);
    header.set_size(0);
    archive
        .tar
        .append_link(&mut header, "files/aa/1aa", "/etc/passwd")
        .unwrap();
    archive.finish().unwrap();
    assert_eq!(
        refused(&fs::read(&path).unwrap()),
        "`files/aa/1aa` is nothing that a backup holds"
    );
}

#[test]
fn what_is_damaged_missing_doubled_or_cut_off_is_named() {
    let whole = archive(&[(DATABASE_FILE, "these rows"), (KEY_FILE, "key")]);
    let place = whole.windows(10).position(|bytes| bytes == b"these rows").unwrap();
    let mut damaged = whole.clone();
    damaged[place] = b'T';
    assert_eq!(refused(&damaged), "`clifford.db` is damaged");
    assert_eq!(refused(&archive(&[(KEY_FILE, "key")])), "it has no database");
    // The second one cannot be made where the first one is.
    assert!(!refused(&archive(&[(DATABASE_FILE, "rows"), (DATABASE_FILE, "rows")])).is_empty());
    assert_eq!(refused(b"no archive at all"), NO_BACKUP);
    assert_eq!(refused(b""), NO_BACKUP);
}

#[test]
fn an_archive_that_ends_anywhere_is_said_to_be_cut_short() {
    let whole = archive(&[(DATABASE_FILE, "these rows"), (KEY_FILE, "key")]);
    let sums = whole
        .windows(SUMS.len())
        .position(|bytes| bytes == SUMS.as_bytes())
        .unwrap();
    for end in 0..sums + 512 + 64 {
        let error = refused(&whole[..end]);
        let is_said = error.starts_with("it is cut short ") && error.ends_with(": copy it again");
        assert!(is_said || (end < 512 && error == NO_BACKUP), "{end}: {error}");
    }
    let dir = tempfile::tempdir().unwrap();
    let without_its_end = &whole[..whole.len() - 1024 - 32];
    assert!(take_apart(without_its_end, dir.path()).is_ok());
}

#[test]
fn a_newer_format_is_refused_by_its_number() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("archive");
    let head = Head {
        version: 2,
        ..Head::new(Timestamp(1), 24)
    };
    Writer::create(&path, &head).unwrap().finish().unwrap();
    assert_eq!(
        refused(&fs::read(&path).unwrap()),
        "it has version 2 of the format, and this Clifford reads up to 1: restore it with a newer one"
    );
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn any_files_come_out_as_they_were_put_in(
        rows in ".{1,2000}",
        files in prop::collection::btree_map("files/[0-9a-f]{2}/[0-9a-f]{32}", ".{0,700}", 0..8),
    ) {
        let mut entries = vec![(DATABASE_FILE, rows.as_str())];
        entries.extend(files.iter().map(|(name, content)| (name.as_str(), content.as_str())));
        let dir = tempfile::tempdir().unwrap();
        let (_, count) = take_apart(archive(&entries).as_slice(), dir.path()).unwrap();
        prop_assert_eq!(count, u64::try_from(files.len()).unwrap());
        for (name, content) in entries {
            prop_assert_eq!(fs::read_to_string(dir.path().join(name)).unwrap(), content);
        }
    }

    #[test]
    fn a_byte_that_changed_is_noticed_or_changes_nothing(place in any::<prop::sample::Index>(), byte in any::<u8>()) {
        let mut bytes = archive(&[(DATABASE_FILE, "rows"), (KEY_FILE, "key")]);
        let place = place.index(bytes.len());
        bytes[place] = byte;
        let dir = tempfile::tempdir().unwrap();
        if take_apart(bytes.as_slice(), dir.path()).is_ok() {
            for (name, content) in [(DATABASE_FILE, "rows"), (KEY_FILE, "key")] {
                prop_assert_eq!(fs::read_to_string(dir.path().join(name)).unwrap(), content);
            }
        }
    }
}
