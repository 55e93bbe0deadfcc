//! A terminal in which the real binary runs: keys are pressed, and the screen is seen as a person sees it.

use std::{
    fs::{File, OpenOptions},
    io::{Read, Write},
    num::NonZeroU16,
    os::{fd::OwnedFd, unix::process::ExitStatusExt},
    process::{Child, Command},
    sync::{Arc, Mutex},
    time::Duration,
};

use rustix::{
    process::{Pid, Signal, kill_process},
    pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt},
    termios::{LocalModes, Winsize, tcgetattr, tcsetwinsize},
};
use tokio::{sync::watch, time::timeout};

use crate::harness::PATIENCE;

pub(super) const COLUMNS: u16 = 60;
const ROWS: u16 = 30;
/// How often to look whether a program has ended.
const LOOK: Duration = Duration::from_millis(20);

/// A program in a terminal of its own.
pub(super) struct Terminal {
    keyboard: File,
    screen: Arc<Mutex<vt100::Parser>>,
    changed: watch::Sender<()>,
    program: Child,
    /// How it treated keys before the program.
    pub(super) before: LocalModes,
}

impl Terminal {
    pub(super) fn start(command: &mut Command) -> Self {
        let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a terminal");
        grantpt(&ours).expect("it is ours");
        unlockpt(&ours).expect("it opens");
        let name = ptsname(&ours, Vec::new()).expect("a name").into_string().expect("text");
        let theirs = OpenOptions::new().read(true).write(true).open(name).expect("it opens");
        let size = Winsize {
            ws_row: ROWS,
            ws_col: COLUMNS,
            ws_xpixel: 0,
            ws_ypixel: 0,
        };
        tcsetwinsize(&theirs, size).expect("a size");
        let end = || OwnedFd::from(theirs.try_clone().expect("another end"));
        if command.get_envs().all(|(name, _)| name != "TERM") {
            command.env("TERM", "xterm");
        }
        let before = tcgetattr(&theirs).expect("its modes").local_modes;
        let command = command.stdin(end()).stdout(end()).stderr(end());
        let program = command.spawn().expect("the binary runs");
        // The command holds the ends of the program, which must be closed for reading to end.
        command.stdin(std::process::Stdio::null());
        command.stdout(std::process::Stdio::null());
        command.stderr(std::process::Stdio::null());
        let length = |length| NonZeroU16::new(length).expect("a length");
        let parser = vt100::Parser::new(length(ROWS), length(COLUMNS), 1_000);
        let (screen, changed) = (Arc::new(Mutex::new(parser)), watch::Sender::default());
        let (mut output, seen, told) = (File::from(ours), Arc::clone(&screen), changed.clone());
        let keyboard = output.try_clone().expect("a keyboard");
        // Reading fails when the program has ended and nothing is left.
        std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(count @ 1..) = output.read(&mut bytes) {
                seen.lock().expect("a screen").process(&bytes[..count]);
                told.send_replace(());
            }
        });
        Self {
            keyboard,
            screen,
            changed,
            program,
            before,
        }
    }

    /// Makes the terminal another number of columns wide.
    pub(super) fn resizes(&self, columns: u16) {
        let size = Winsize {
            ws_row: ROWS,
            ws_col: columns,
            ws_xpixel: 0,
            ws_ypixel: 0,
        };
        let length = |length| NonZeroU16::new(length).expect("a length");
        let mut screen = self.screen.lock().expect("a screen");
        screen.set_size(length(ROWS), length(columns));
        tcsetwinsize(&self.keyboard, size).expect("a size");
        drop(screen);
        // It is not the terminal that controls the program, which would be told by itself.
        kill_process(Pid::from_child(&self.program), Signal::WINCH).expect("it runs");
    }

    /// Presses keys.
    pub(super) fn types(&mut self, keys: &str) {
        self.sends(keys.as_bytes());
    }

    /// Types keys of a terminal of any encoding.
    pub(super) fn sends(&mut self, keys: &[u8]) {
        self.keyboard.write_all(keys).expect("it reads");
    }

    /// The screen as it is.
    pub(super) fn seen(&self) -> String {
        self.screen.lock().expect("a screen").screen().contents()
    }

    /// Whether a text on the screen has a colour.
    pub(super) fn is_coloured(&self, text: &str) -> bool {
        let parser = self.screen.lock().expect("a screen");
        let screen = parser.screen();
        let found = (screen.rows(0, COLUMNS).enumerate()).find_map(|(row, line)| Some((row, line.find(text)?)));
        let (row, column) = found.expect("it is on the screen");
        let place = |place| u16::try_from(place).expect("a place");
        let cell = screen.cell(place(row), place(column)).expect("a cell");
        cell.fgcolor() != vt100::Color::Default
    }

    /// Waits until the screen is so.
    pub(super) async fn until(&self, what: &str, is_so: impl Fn(&str) -> bool) -> String {
        let mut changed = self.changed.subscribe();
        let waiting = async {
            loop {
                let seen = self.seen();
                if is_so(&seen) {
                    return seen;
                }
                changed.changed().await.expect("it reads");
            }
        };
        match timeout(PATIENCE, waiting).await {
            Ok(seen) => seen,
            Err(_) => panic!("not seen: {what}:\n{}", self.seen()),
        }
    }

    /// Waits until this is on the screen.
    pub(super) async fn shows(&self, text: &str) -> String {
        self.until(text, |seen| seen.contains(text)).await
    }

    /// Waits until the program has ended well.
    pub(super) async fn ends(mut self) {
        let waiting = async {
            loop {
                if let Some(status) = self.program.try_wait().expect("a child") {
                    return status;
                }
                tokio::time::sleep(LOOK).await;
            }
        };
        match timeout(PATIENCE, waiting).await {
            Ok(status) => assert!(status.success(), "{status}:\n{}", self.seen()),
            Err(_) => panic!("it goes on:\n{}", self.seen()),
        }
    }
}

impl Terminal {
    /// How the terminal treats keys.
    pub(super) fn modes(&self) -> LocalModes {
        tcgetattr(&self.keyboard).expect("its modes").local_modes
    }

    /// Signals the program; returns by which signal it has ended, and how the terminal treats keys then.
    pub(super) async fn is_signalled(&mut self, signal: Signal) -> (Option<i32>, LocalModes) {
        kill_process(Pid::from_child(&self.program), signal).expect("it runs");
        let waiting = async {
            loop {
                if let Some(status) = self.program.try_wait().expect("a child") {
                    return status.signal();
                }
                tokio::time::sleep(LOOK).await;
            }
        };
        let ended = timeout(PATIENCE, waiting).await.expect("it ends");
        (ended, self.modes())
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        // A test that failed leaves nothing behind.
        let _ended = self.program.kill();
        let _ended = self.program.wait();
    }
}
