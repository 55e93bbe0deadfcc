//! A disk that can be filled, and limits of a process that runs.

use std::{
    fs::{self, File},
    io::Write,
    path::PathBuf,
    process::Command,
};

use rustix::process::{Resource, Rlimit};
use tempfile::TempDir;

use crate::harness::Bot;

/// A place for a database. A small file system of its own where that may be mounted; else the process's own limit on the
/// size of files takes the part of a full disk.
pub struct Disk {
    dir: TempDir,
    is_mounted: bool,
}

impl Disk {
    pub fn mount() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let mounted = Command::new("mount")
            .args(["-t", "tmpfs", "-o", "size=32m", "none"])
            .arg(dir.path())
            .output();
        let is_mounted = mounted.is_ok_and(|mounted| mounted.status.success());
        match is_mounted {
            true => println!("the disk is a file system of its own"),
            false => {
                println!("nothing may be mounted here: a limit on the size of files takes the part of a full disk")
            }
        }
        Self { dir, is_mounted }
    }

    pub fn database(&self) -> String {
        format!("sqlite:{}", self.dir.path().join("clifford.db").display())
    }

    fn ballast(&self) -> PathBuf {
        self.dir.path().join("ballast")
    }

    /// Nothing more can be written.
    pub fn fill(&self, bot: &Bot) {
        if self.is_mounted {
            let mut ballast = File::create(self.ballast()).unwrap();
            while ballast.write_all(&[0; 4096]).is_ok() {}
        } else {
            lower(bot, Resource::Fsize, 1024);
        }
    }

    /// There is room again.
    pub fn free(&self, bot: &Bot) {
        if self.is_mounted {
            fs::remove_file(self.ballast()).unwrap();
        } else {
            restore(bot, Resource::Fsize, None);
        }
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        if self.is_mounted {
            // A mount that is still in use goes with its last user.
            drop(Command::new("umount").arg("-l").arg(self.dir.path()).status());
        }
    }
}

/// Lowers a limit of a bot's process while it runs, and returns what it was.
pub fn lower(bot: &Bot, resource: Resource, to: u64) -> Option<u64> {
    // The highest limit stays: what it was before is that, in a process that nobody limited.
    let old = rustix::process::prlimit(
        Some(bot.pid()),
        resource,
        Rlimit {
            current: Some(to),
            maximum: highest(resource),
        },
    );
    old.unwrap().current
}

/// Sets it back.
pub fn restore(bot: &Bot, resource: Resource, to: Option<u64>) {
    let limit = Rlimit {
        current: to.or(highest(resource)),
        maximum: highest(resource),
    };
    rustix::process::prlimit(Some(bot.pid()), resource, limit).unwrap();
}

/// A child has its parent's.
fn highest(resource: Resource) -> Option<u64> {
    rustix::process::getrlimit(resource).maximum
}
