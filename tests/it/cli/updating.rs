//! `clifford update` and `clifford rollback`, `clifford service` and `clifford logs`.

use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::Command,
};

use clifford_fakes::site::{Answer, SiteFake};
use serde_json::json;
use sha2::{Digest, Sha256};

use super::{Ended, Machine};

const RELEASES: &str = "/repos/clifford-bot/clifford/releases/latest";

fn executable(path: &Path, script: &str) {
    fs::write(path, script).expect("a file");
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("its mode");
}

/// An archive of a release, whose program only tells its version.
fn archive(machine: &Machine, version: &str) -> (String, Vec<u8>) {
    let name = format!("clifford-{version}-{}", env!("CLIFFORD_TARGET"));
    let dir = machine.path("release");
    fs::create_dir_all(dir.join(&name)).expect("a directory");
    executable(
        &dir.join(&name).join("clifford"),
        &format!("#!/bin/sh\necho clifford {version}\n"),
    );
    let packed = Command::new("tar")
        .args(["--create", "--gzip", "--file", "archive.tar.gz", &name])
        .current_dir(&dir)
        .status();
    assert!(packed.expect("tar runs").success());
    (name, fs::read(dir.join("archive.tar.gz")).expect("an archive"))
}

/// A site with a newest release; the archive's checksum is that of `told`.
async fn releases(name: &str, version: &str, content: &[u8], told: &[u8]) -> SiteFake {
    let site = SiteFake::start().await.expect("a site");
    let checksum: String = Sha256::digest(told).iter().map(|byte| format!("{byte:02x}")).collect();
    let file = format!("{name}.tar.gz");
    let asset = |name: &str| json!({ "name": name, "browser_download_url": site.url(&format!("/{name}")) });
    let release = json!({
        "tag_name": format!("v{version}"), "html_url": "https://example.com/release",
        "assets": [asset(&file), asset(&format!("{file}.sha256"))],
    });
    site.put(RELEASES, Answer::body("application/json", release.to_string()));
    site.put(&format!("/{file}"), Answer::body("application/gzip", content.to_vec()));
    site.put(
        &format!("/{file}.sha256"),
        Answer::body("text/plain", format!("{checksum}  {file}\n")),
    );
    site
}

/// A program of one's own: this one, where it may be replaced.
fn own(machine: &Machine) -> PathBuf {
    let dir = machine.path("bin");
    fs::create_dir_all(&dir).expect("a directory");
    let program = dir.join("clifford");
    let built = env!("CARGO_BIN_EXE_clifford");
    fs::hard_link(built, &program)
        .or_else(|_| fs::copy(built, &program).map(|_| ()))
        .expect("a copy");
    program
}

async fn run(program: &Path, args: &[&str]) -> Ended {
    let mut command = Command::new(program);
    command
        .args(args)
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default());
    let output = tokio::task::spawn_blocking(move || command.output()).await;
    Ended::of(output.expect("the thread ends").expect("it runs"))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_newer_release_is_told_of_installed_and_taken_back() {
    let machine = Machine::new();
    let (name, content) = archive(&machine, "99.1.0");
    let site = releases(&name, "99.1.0", &content, &content).await;
    let (program, api) = (own(&machine), site.url(""));
    // As an update leaves it that was killed.
    fs::create_dir_all(machine.path("bin/.clifford-update-killed/unpacked")).expect("a directory");
    let told = run(&program, &["update", "--check", "--json", "--api-url", &api])
        .await
        .json();
    assert_eq!(
        (&told["latest"], &told["newer"]),
        (&"99.1.0".into(), &true.into()),
        "{told}"
    );
    let told = run(&program, &["update", "--api-url", &api]).await.succeeds();
    assert!(told.contains("is version 99.1.0 now"), "{told}");
    assert_eq!(run(&program, &["--version"]).await.succeeds(), "clifford 99.1.0\n");
    let before = program.with_file_name("clifford.previous");
    let own = format!("clifford {}\n", env!("CARGO_PKG_VERSION"));
    assert_eq!(run(&before, &["--version"]).await.succeeds(), own);
    // The new one is only a script: the one before takes itself back.
    fs::rename(&program, program.with_file_name("new")).expect("it moves");
    fs::rename(&before, &program).expect("it moves");
    fs::rename(program.with_file_name("new"), &before).expect("it moves");
    let told = run(&program, &["rollback", "--json"]).await.json();
    assert_eq!(told["installed"], "99.1.0");
    assert_eq!(run(&program, &["--version"]).await.succeeds(), "clifford 99.1.0\n");
    assert_eq!(run(&before, &["--version"]).await.succeeds(), own);
    let left: Vec<_> = fs::read_dir(machine.path("bin"))
        .expect("it")
        .flatten()
        .map(|file| file.file_name())
        .collect();
    assert_eq!(left.len(), 2, "{left:?}");
    // As a rollback leaves it that was killed in the middle.
    fs::rename(&program, program.with_file_name("new")).expect("it moves");
    fs::rename(&before, &program).expect("it moves");
    fs::rename(program.with_file_name("new"), program.with_file_name("clifford.aside")).expect("it moves");
    let told = run(&program, &["rollback", "--json"]).await.json();
    assert_eq!(told["installed"], "99.1.0");
    assert_eq!(run(&before, &["--version"]).await.succeeds(), own);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_archive_with_another_checksum_or_version_is_not_installed() {
    let machine = Machine::new();
    let program = own(&machine);
    let (name, content) = archive(&machine, "99.1.0");
    let site = releases(&name, "99.1.0", &content, b"another").await;
    run(&program, &["update", "--api-url", &site.url("")])
        .await
        .fails_with(&format!(
            "{name}.tar.gz does not have the checksum of its release; nothing was installed"
        ));
    let site = releases(&name.replace("99.1.0", "99.2.0"), "99.2.0", &content, &content).await;
    let ended = run(&program, &["update", "--api-url", &site.url("")]).await;
    assert_eq!(ended.code, 1, "{ended:?}");
    let version = run(&program, &["--version"]).await.succeeds();
    assert_eq!(version, format!("clifford {}\n", env!("CARGO_PKG_VERSION")));
    let site = releases("clifford-0.0.1", "0.0.1", &content, &content).await;
    let told = run(&program, &["update", "--api-url", &site.url("")]).await.succeeds();
    assert!(told.contains("is the newest release"), "{told}");
    let ended = run(&program, &["rollback"]).await;
    assert!(ended.err.contains("there is no version before this one"), "{ended:?}");
}

#[test]
fn a_service_is_shown_installed_and_removed_and_its_journal_found() {
    let machine = Machine::new();
    machine.write("bot.toml", "");
    let systemctl = machine.path("bin");
    fs::create_dir_all(&systemctl).expect("a directory");
    let calls = machine.path("calls");
    executable(
        &systemctl.join("systemctl"),
        &format!("#!/bin/sh\necho \"$@\" >> {}\necho enabled\n", calls.display()),
    );
    executable(&systemctl.join("journalctl"), "#!/bin/sh\necho journal \"$@\"\n");
    let run = |args: &[&str]| {
        let mut command = machine.command(args);
        command.env("PATH", format!("{}:/usr/bin:/bin", systemctl.display()));
        Ended::of(command.output().expect("the binary runs"))
    };
    let unit = machine.path(".config/systemd/user/clifford.service");
    let shown = run(&["service", "install", "--dry-run"]).succeeds();
    let line = format!(
        "ExecStart={} serve --config {}",
        fs::canonicalize(env!("CARGO_BIN_EXE_clifford")).expect("it").display(),
        fs::canonicalize(machine.path("bot.toml")).expect("it").display()
    );
    assert!(
        shown.contains(&line) && shown.contains("systemctl --user enable --now clifford.service"),
        "{shown}"
    );
    assert!(!unit.exists() && !calls.exists());
    assert!(run(&["logs"]).err.contains("standard error of the process"));
    run(&["service", "install"]).succeeds();
    assert!(fs::read_to_string(&unit).expect("a unit").contains(&line));
    assert_eq!(
        fs::read_to_string(&calls).expect("calls"),
        "--user daemon-reload\n--user enable --now clifford.service\n"
    );
    let status = run(&["service", "status", "--json"]).json();
    assert_eq!(
        (&status[0]["scope"], &status[0]["enabled"]),
        (&"user".into(), &"enabled".into()),
        "{status}"
    );
    assert_eq!(
        run(&["logs", "--lines", "7", "--follow"]).succeeds(),
        "journal --user-unit clifford --lines 7 --output cat --follow\n"
    );
    assert_eq!(
        run(&["logs", "--where"]).succeeds(),
        "journalctl --user-unit clifford --lines 50 --output cat\n"
    );
    run(&["service", "uninstall"]).succeeds();
    assert!(!unit.exists());
    let ended = run(&["service", "uninstall"]);
    assert!(ended.err.contains("there is no unit at "), "{ended:?}");
}
