//! `clifford db`, `clifford token` and `clifford pair`.

use super::{Machine, shown};

/// A statement of a version that is not written yet.
fn from_the_future(machine: &Machine, name: &str) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.expect("a runtime").block_on(async {
        let url = format!("sqlite:{}", shown(&machine.database()));
        let pool = sqlx_sqlite::SqlitePool::connect(&url).await.expect("the database");
        sqlx::query(
            "INSERT INTO _sqlx_migrations (version, description, installed_on, success, checksum, execution_time)
             VALUES (9999, $1, '2030-01-01', TRUE, x'00', 0)",
        )
        .bind(name)
        .execute(&pool)
        .await
        .expect("a row");
        pool.close().await;
    });
}

#[test]
fn what_only_reads_makes_no_database() {
    let machine = Machine::new();
    for args in [
        &["db", "status"][..],
        &["db", "check"],
        &["db", "backup", "copy.db"],
        &["runs", "list"],
        &["runs", "show", "last"],
        &["memory", "list", "you"],
        &["users", "list"],
        &["contexts", "list"],
        &["settings", "list"],
        &["token", "list"],
        &["pair", "list"],
    ] {
        machine.run(args).fails_with(&format!(
            "there is no database at {} yet: `clifford serve` makes it, or name another by --config or --set database.url=…",
            shown(&machine.database())
        ));
    }
    assert!(!machine.database().exists());
}

#[test]
fn a_database_is_made_looked_at_checked_and_copied() {
    let machine = Machine::new();
    assert!(machine.run(["db", "migrate"]).succeeds().ends_with(", up to date\n"));
    assert_eq!(machine.run(["db", "status", "--json"]).json()["upToDate"], true);
    assert_eq!(machine.run(["db", "check"]).succeeds(), "the database is whole\n");
    machine.run(["ask", "what is 1 + 1?"]).succeeds();
    machine.run(["db", "backup", "copy.db"]).succeeds();
    machine
        .run(["db", "backup", "copy.db"])
        .fails_with("copy.db exists already: name a new file");
    let copied = machine.run(["runs", "list", "--json", "--set", "database.url=sqlite:copy.db"]);
    assert_eq!(copied.json()[0]["inputText"], "what is 1 + 1?");
}

#[test]
fn a_database_that_needs_a_newer_version_is_refused_by_all_and_named_by_status() {
    let machine = Machine::asked("hello");
    from_the_future(&machine, "drop runs needs 9998");
    let newest = machine.run(["db", "status", "--json"]).json()["known"]
        .as_array()
        .map_or(0, Vec::len);
    for args in [
        &["ask", "hello"][..],
        &["serve", "--set", "http.bind=127.0.0.1:0"],
        &["runs", "list"],
        &["db", "migrate"],
    ] {
        machine.run(args).fails_with(&format!(
            "the database has schema version 9999 and needs a Clifford that knows version 9998; this one knows {newest}: \
             run the newer Clifford, or restore a backup from before the upgrade",
        ));
    }
    let ended = machine.run(["db", "status"]);
    assert_eq!(ended.code, 1);
    assert!(
        ended
            .out
            .contains("schema    version 9999, needs a Clifford that knows version 9998"),
        "{ended:?}"
    );
    let ended = machine.run(["doctor", "--json"]);
    assert_eq!((ended.code, &ended.json()["ok"]), (1, &false.into()));
}

#[test]
fn a_database_that_a_newer_version_added_to_is_worked_with() {
    let machine = Machine::asked("hello");
    from_the_future(&machine, "add what nobody here knows");
    machine.run(["ask", "what is 1 + 1?"]).succeeds();
    let told = machine.run(["db", "status"]).succeeds();
    assert!(
        told.contains("schema    version 9999, newer than this Clifford, which knows version ")
            && told.contains(" and can work with it"),
        "{told}"
    );
    let status = machine.run(["db", "status", "--json"]).json();
    assert_eq!(
        (&status["upToDate"], &status["usable"]),
        (&false.into(), &true.into()),
        "{status}"
    );
}

/// The file with bytes that mean nothing in place of its page that holds these words.
fn without_page(whole: &[u8], words: &str) -> Vec<u8> {
    let place = whole.windows(words.len()).position(|bytes| bytes == words.as_bytes());
    let page = place.expect("the words are stored") / 4096 * 4096;
    let mut file = whole.to_vec();
    file[page..page + 4096].fill(0xff);
    file
}

#[test]
fn a_damaged_database_is_named_with_the_way_out_whatever_is_asked_of_it() {
    let machine = Machine::asked("is this a quincunx?");
    let [database, backup] = [machine.database(), machine.path("all.tar")].map(|path| shown(&path));
    let whole = std::fs::read(&database).expect("the database");
    let malformed = [&whole[..4096], &vec![7; whole.len() - 4096]].concat();
    let anything = [
        &["serve"][..],
        &["chat"],
        &["ask", "hello"],
        &["status"],
        &["doctor"],
        &["runs", "list"],
        &["export"],
        &["db", "status"],
        &["db", "check"],
        &["db", "migrate"],
        &["db", "backup", "copy.db"],
        &["backup", "copy.tar"],
    ];
    // Only what reads all of it comes upon damage deep in it.
    let reads_all = [&["doctor"][..], &["db", "check"], &["backup", "copy.tar"], &["export"]];
    let damaged = [
        (b"no database ".repeat(1000), &anything[..]),
        (malformed, &anything[..]),
        (without_page(&whole, "is this a quincunx?"), &reads_all),
    ];
    let way_out = format!(
        "{database} is damaged: no backup is known here. Stop the bot and put the data back (`clifford restore BACKUP --force`)"
    );
    for (place, (bytes, commands)) in damaged.iter().enumerate() {
        std::fs::write(&database, bytes).expect("a file");
        for args in *commands {
            let ended = machine.run(args.iter().copied());
            let said = [ended.out, ended.err].concat();
            assert_eq!(ended.code, 1, "{place} {args:?}: {said}");
            let is_said = said.contains(&way_out) && said.contains("the database is damaged: ");
            let misleading = ["writable", "room", "not available", "db check", "(code"];
            let misleads = misleading.iter().any(|words| said.contains(words));
            assert!(is_said && !misleads, "{place} {args:?}: {said}");
        }
    }
    std::fs::write(&database, &whole).expect("a file");
    machine.run(["backup", &backup]).succeeds();
    std::fs::write(&database, &damaged[0].0).expect("a file");
    let said = machine.run(["status"]).err;
    assert!(said.contains(&format!("`clifford restore {backup} --force`")), "{said}");
    machine.run(["restore", &backup, "--force"]).succeeds();
    machine.run(["db", "check"]).succeeds();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_database_that_another_program_has_locked_is_told_so() {
    let machine = Machine::asked("hello");
    let url = format!("sqlite:{}", shown(&machine.database()));
    let other = sqlx_sqlite::SqlitePool::connect(&url).await.expect("the database");
    let mut other = other.acquire().await.expect("a connection");
    let lock = sqlx::raw_sql("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE");
    lock.execute(&mut *other).await.expect("a lock");
    let ended = machine.run_beside(&["runs", "list"], &[]).await;
    ended.fails_with(&format!(
        "the database is not available: another program has locked {}: end that one, or set database.url",
        shown(&machine.database())
    ));
}

#[test]
fn a_damaged_source_or_backup_is_not_taken_for_the_database_of_the_bot() {
    let machine = Machine::asked("hello");
    machine.write("broken.db", &"not a database ".repeat(1000));
    let ended = machine.run(["db", "copy", "--from", "sqlite:broken.db", "--to", "sqlite:new.db"]);
    ended.fails_with("sqlite:broken.db is damaged: file is not a database");
}

#[test]
fn a_token_is_shown_once_listed_without_itself_and_revoked() {
    let machine = Machine::new();
    let made = machine
        .run([
            "token", "create", "--name", "laptop", "--scope", "read", "--scope", "admin", "--json",
        ])
        .json();
    let token = made["token"].as_str().expect("a token");
    let id = made["id"].as_str().expect("an id");
    assert!(token.starts_with("clf_"), "{token}");
    assert_eq!(made["scopes"], serde_json::json!(["read", "admin"]));
    let list = machine.run(["token", "list"]).succeeds();
    assert!(
        list.contains(id) && list.contains("laptop") && !list.contains(token),
        "{list}"
    );
    assert_eq!(
        machine.run(["token", "revoke", id]).succeeds(),
        format!("{id}: revoked\n")
    );
    machine.run(["token", "revoke", id]).fails_with(&format!(
        "there is no token {id} in use; `clifford token list` shows them"
    ));
    assert!(!machine.run(["token", "list", "--json"]).json()[0]["revokedAt"].is_null());
}

#[test]
fn a_claim_code_is_printed_and_a_wrong_code_lets_nobody_in() {
    let machine = Machine::new();
    let first = machine.run(["pair", "claim", "--json"]).json();
    let second = machine.run(["pair", "claim", "--json"]).json();
    assert_eq!(first["code"].as_str().map(str::len), Some(8));
    assert_ne!(first, second);
    assert_eq!(machine.run(["pair", "list"]).succeeds(), "no pending requests found\n");
    machine.run(["pair", "approve", "ABCDEFGH"]).fails_with(
        "no open request has the code ABCDEFGH: codes are good once and for an hour; the person gets a new one by writing to \
         the bot again",
    );
}

#[test]
fn people_are_named_by_id_account_or_name_and_refusals_say_the_way_out() {
    let machine = Machine::asked("hello");
    let made = machine.run(["link", "code", "terminal:you", "--json"]);
    assert_eq!((made.code, made.err.as_str()), (0, ""), "{made:?}");
    let made = made.json();
    let (id, code) = (
        made["userId"].as_str().expect("an id"),
        made["code"].as_str().expect("a code"),
    );
    assert_eq!(
        machine.run(["link", "code", id, "--json"]).json()["userId"],
        made["userId"]
    );
    machine.run(["link", "use", code, id]).fails_with(
        "there is no such code: codes are good once and for ten minutes; `/link` on the other account makes a new one",
    );
    machine
        .run(["link", "code", "telegram:4711"])
        .fails_with("no user matches `telegram:4711`: use an id or its beginning, platform:account or a unique name; see `clifford users list`");
    machine.run(["link", "code", "Bob"]).fails_with(
        "no user matches `Bob`: use an id or its beginning, platform:account or a unique name; see `clifford users list`",
    );
    machine
        .run(["link", "code", "0190d7b2-6b7e-7cc0-8f4e-2f1f3a0b1c2d"])
        .fails_with(
            "no user matches `0190d7b2-6b7e-7cc0-8f4e-2f1f3a0b1c2d`: use an id or its beginning, platform:account or a unique name; see `clifford users list`",
        );
}

#[test]
fn a_data_directory_may_have_any_name() {
    let machine = Machine::new();
    let dir = machine.path("100% mine? #1 %23");
    let set = format!("data.dir={}", shown(&dir));
    for args in [&["ask", "what is 1 + 1?"][..], &["db", "check"], &["db", "status"]] {
        machine.run([args, &["--set", &set]].concat()).succeeds();
    }
    let runs = machine.run(["runs", "list", "--json", "--set", &set]);
    assert_eq!(runs.json()[0]["inputText"], "what is 1 + 1?");
    let made: Vec<_> = std::fs::read_dir(machine.path("."))
        .expect("a directory")
        .map(|entry| entry.expect("an entry").file_name())
        .collect();
    assert_eq!(made, ["100% mine? #1 %23"]);
    assert!(dir.join("clifford.db").is_file());
}

#[test]
fn a_persons_token_says_whose_it_is() {
    let machine = Machine::asked("hello");
    let made = machine
        .run(["token", "create", "--user", "terminal:you", "--name", "phone", "--json"])
        .json();
    let shown = machine.run(["users", "show", "terminal:you", "--json"]).json();
    let you = &shown["user"];
    assert_eq!(made["userId"], you["id"]);
    let list = machine.run(["token", "list", "--json"]).json();
    assert_eq!((&list[0]["name"], &list[0]["userId"]), (&"phone".into(), &you["id"]));
    let shown = machine.run(["token", "list"]).succeeds();
    assert!(shown.contains(you["name"].as_str().expect("a name")), "{shown}");
    machine.run(["token", "create", "--name", "laptop"]).succeeds();
    let shown = machine.run(["token", "list"]).succeeds();
    assert!(shown.contains("the operator"), "{shown}");
    // Somebody at this machine who is no more than a stranger is let in nowhere.
    machine
        .run(["users", "set", "terminal:you", "--role", "member"])
        .succeeds();
    let good = machine.run(["login", "--user", "terminal:you"]);
    assert!(!good.err.contains("warning"), "{good:?}");
    machine
        .run(["users", "set", "terminal:you", "--role", "stranger"])
        .succeeds();
    for command in [&["token", "create"][..], &["login"]] {
        let warned = machine.run([command, &["--user", "terminal:you", "--json"]].concat());
        assert_eq!(warned.code, 0, "{warned:?}");
        let told = "may not speak to the bot in private, so this is refused";
        assert!(warned.err.contains(told), "{warned:?}");
    }
    let nobody = machine.run(["token", "create", "--user", "telegram:99"]);
    assert!(nobody.err.contains("no user matches `telegram:99`"), "{nobody:?}");
}

#[test]
fn what_is_kept_is_private_whatever_the_umask_and_what_was_open_is_restricted() {
    use std::{fs, os::unix::fs::PermissionsExt, path::Path};

    let mode = |path: &Path| fs::metadata(path).expect("it is there").permissions().mode() & 0o777;
    let machine = Machine::asked("hello");
    let database = machine.database();
    let data = database.parent().expect("a directory").to_owned();
    assert_eq!((mode(&data), mode(&database)), (0o700, 0o600));
    machine.run(["db", "backup", "copy.db"]).succeeds();

    // As an older version left it.
    let old = data.join("files/aa");
    fs::create_dir_all(&old).expect("makes it");
    fs::write(old.join("a"), "text").expect("writes it");
    for (path, open) in [
        (&data, 0o755),
        (&old, 0o755),
        (&old.join("a"), 0o644),
        (&database, 0o644),
    ] {
        fs::set_permissions(path, fs::Permissions::from_mode(open)).expect("opens it");
    }
    let doctor = machine
        .run(["doctor", "--json", "--set", "http.bind=127.0.0.1:0"])
        .json();
    let checks = doctor["checks"].as_array().expect("checks");
    let private = checks
        .iter()
        .find(|check| check["check"] == "private")
        .expect("a check");
    assert_eq!(private["status"], "warn", "{private}");
    // A directory that its owner shares on purpose is left alone.
    machine.run(["ask", "hello", "--set", "data.private=false"]).succeeds();
    assert_eq!((mode(&data), mode(&database)), (0o755, 0o644));
    machine.run(["ask", "hello"]).succeeds();
    assert_eq!(
        (mode(&data), mode(&old), mode(&old.join("a")), mode(&database)),
        (0o700, 0o700, 0o600, 0o600)
    );
    let doctor = machine
        .run(["doctor", "--json", "--set", "http.bind=127.0.0.1:0"])
        .json();
    let checks = doctor["checks"].as_array().expect("checks");
    let private = checks
        .iter()
        .find(|check| check["check"] == "private")
        .expect("a check");
    assert_eq!(private["status"], "ok", "{private}");
}
