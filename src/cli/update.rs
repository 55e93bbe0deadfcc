//! `clifford update` and `clifford rollback`: newer releases, and the version before. Databases work with both: a newer
//! version only adds to them.

mod release;

use std::{
    fs::{self, File},
    io,
    path::{Path, PathBuf},
    process::{Command, ExitCode, Stdio},
};

use anyhow::{Context, bail};
use rustix::fs::{CWD, RenameFlags, renameat_with};
use serde_json::json;

use self::release::{Release, Version};
use super::{
    examples,
    output::{self, Format},
    parts::{Parts, UPDATE_PARTS},
};

/// The version of this program.
const CURRENT: &str = env!("CARGO_PKG_VERSION");
/// For what machine this program was built, as archives are named.
const TARGET: &str = env!("CLIFFORD_TARGET");
/// Where the version before stands, next to the program.
const PREVIOUS: &str = "clifford.previous";
/// Where the program waits there, in a rollback that takes several steps.
const ASIDE: &str = "clifford.aside";

/// Arguments of `update`.
#[derive(Debug, clap::Args)]
#[command(after_help = examples!(
    "clifford update --check          whether there is a newer release",
    "clifford update                  install it in place of this program",
    "clifford rollback                and back to the version before",
    "",
    "A program that a package manager installed is updated by that one.",
))]
pub(super) struct Args {
    /// Only tell whether there is a newer release.
    #[arg(long)]
    check: bool,
    /// The API of the repository's releases.
    #[arg(long, value_name = "URL", default_value = "https://api.github.com")]
    api_url: String,
    #[command(flatten)]
    format: Format,
}

/// Arguments of `rollback`.
#[derive(Debug, clap::Args)]
#[command(after_help = examples!(
    "clifford rollback                the version before takes this one's place, and the other way round",
    "systemctl restart clifford       then the service runs it",
))]
pub(super) struct RollbackArgs {
    #[command(flatten)]
    format: Format,
}

pub(super) async fn run(args: Args) -> anyhow::Result<ExitCode> {
    let newest = release::newest(&args.api_url).await?;
    let is_newer = newest.version > CURRENT.parse::<Version>().map_err(anyhow::Error::msg)?;
    if args.check || !is_newer {
        return tell(&newest, is_newer, args.format);
    }
    let program = own_path()?;
    if is_packaged(&program) {
        bail!(
            "{} belongs to a package: update it with the package manager, such as `apt install ./clifford_{}_….deb`",
            program.display(),
            newest.version
        );
    }
    let name = format!("clifford-{}-{TARGET}", newest.version);
    let archive = release::archive(&newest, &format!("{name}.tar.gz"), !args.format.json).await?;
    install(&program, &name, &archive, &newest)?;
    if args.format.json {
        output::json(&json!({ "installed": newest.version.to_string(), "before": CURRENT, "path": program }))?;
    } else {
        output::print(&format!(
            "{} is version {} now; restart the bot to run it. `clifford rollback` brings {CURRENT} back.",
            program.display(),
            newest.version
        ))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn tell(newest: &Release, is_newer: bool, format: Format) -> anyhow::Result<ExitCode> {
    if format.json {
        output::json(&json!({
            "current": CURRENT, "latest": newest.version.to_string(), "newer": is_newer, "url": newest.page,
        }))?;
    } else if is_newer {
        output::print(&format!(
            "{} is available, this is {CURRENT}: {}\n`clifford update` installs it.",
            newest.version, newest.page
        ))?;
    } else {
        output::print(&format!("{CURRENT} is the newest release"))?;
    }
    Ok(ExitCode::SUCCESS)
}

pub(super) fn rollback(args: &RollbackArgs) -> anyhow::Result<ExitCode> {
    let program = own_path()?;
    let (previous, aside) = (program.with_file_name(PREVIOUS), program.with_file_name(ASIDE));
    if !previous.exists() && aside.exists() {
        fs::rename(&aside, &previous)
            .with_context(|| format!("{} cannot be moved; are you its owner?", aside.display()))?;
    }
    if !previous.exists() {
        bail!(
            "there is no version before this one at {}; `clifford update` keeps it there",
            previous.display()
        );
    }
    let version = version_of(&previous)?;
    swap(&program, &previous)
        .with_context(|| format!("{} cannot be replaced; are you its owner?", program.display()))?;
    if args.format.json {
        output::json(&json!({ "installed": version, "before": CURRENT, "path": program }))?;
    } else {
        output::print(&format!(
            "{} is version {version} now; restart the bot to run it. Once more brings {CURRENT} back.",
            program.display()
        ))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Two files take each other's place, in one step where the file system can do that. One that was killed in between
/// leaves what the program was at [`ASIDE`].
fn swap(program: &Path, previous: &Path) -> io::Result<()> {
    if renameat_with(CWD, previous, CWD, program, RenameFlags::EXCHANGE).is_ok() {
        return Ok(());
    }
    let aside = program.with_file_name(ASIDE);
    // One of a rollback that was broken off may be this very file: it is not written to.
    fs::remove_file(&aside).ok();
    fs::hard_link(program, &aside).or_else(|_| fs::copy(program, &aside).map(|_| ()))?;
    fs::rename(previous, program)?;
    fs::rename(&aside, previous)
}

fn own_path() -> anyhow::Result<PathBuf> {
    let path = std::env::current_exe().context("the path of this program cannot be found")?;
    Ok(fs::canonicalize(&path).unwrap_or(path))
}

/// Whether a package manager installed the program.
fn is_packaged(program: &Path) -> bool {
    let asked = Command::new("dpkg-query")
        .arg("--search")
        .arg(program)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    asked.is_ok_and(|status| status.success())
}

/// Puts the program of an archive in this one's place, in one step, once it has shown that it runs here.
fn install(program: &Path, name: &str, archive: &[u8], newest: &Release) -> anyhow::Result<()> {
    let dir = program.parent().unwrap_or(Path::new("/"));
    let explain = || format!("{} cannot be written; are you its owner?", dir.display());
    let work = Parts::beside(dir, UPDATE_PARTS).with_context(explain)?;
    let packed = work.path().join("archive.tar.gz");
    fs::write(&packed, archive).with_context(explain)?;
    let member = format!("{name}/clifford");
    let unpacked = Command::new("tar")
        .arg("--extract")
        .arg("--gzip")
        .arg("--no-same-owner")
        .arg("--file")
        .arg(&packed)
        .arg("--directory")
        .arg(work.path())
        .arg(&member)
        .stdin(Stdio::null())
        .status()
        .context("tar cannot be started")?;
    if !unpacked.success() {
        bail!("the archive of version {} has no {member}", newest.version);
    }
    let new = work.path().join(&member);
    let told = version_of(&new)?;
    if told != newest.version.to_string() {
        bail!("the archive of version {} holds version {told}", newest.version);
    }
    File::open(&new)
        .and_then(|file| file.sync_all())
        .with_context(explain)?;
    // There is a version before this one at every moment.
    let current = work.path().join(PREVIOUS);
    fs::hard_link(program, &current)
        .or_else(|_| fs::copy(program, &current).map(|_| ()))
        .with_context(explain)?;
    fs::rename(&current, program.with_file_name(PREVIOUS)).with_context(explain)?;
    fs::rename(&new, program).with_context(explain)
}

/// The version that a program says it is.
fn version_of(program: &Path) -> anyhow::Result<String> {
    let told = Command::new(program)
        .arg("--version")
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output()
        .with_context(|| format!("{} does not run on this machine", program.display()))?;
    let told = String::from_utf8_lossy(&told.stdout).trim().to_owned();
    match told.strip_prefix("clifford ") {
        Some(version) if !version.is_empty() => Ok(version.to_owned()),
        _ => bail!("{} does not say that it is Clifford", program.display()),
    }
}
