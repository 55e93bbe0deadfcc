//! A terminal for a program that asks: what it shows is read, and answers are typed.

use std::{
    fs::{File, OpenOptions},
    io::{Read, Write},
    os::fd::OwnedFd,
    sync::{Arc, Mutex},
    time::Duration,
};

use rustix::{
    pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt},
    termios::{Winsize, tcsetwinsize},
};
use tokio::{
    process::{Child, Command},
    sync::watch,
    time::timeout,
};

/// How long a question may take to come.
const PATIENCE: Duration = Duration::from_secs(60);

/// A program in a terminal of its own.
pub struct Terminal {
    keyboard: File,
    shown: Arc<Mutex<String>>,
    changed: watch::Sender<()>,
    /// Up to where it was read.
    read: usize,
    program: Child,
}

impl Terminal {
    pub fn start(mut command: Command) -> Self {
        let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&ours).unwrap();
        unlockpt(&ours).unwrap();
        let name = ptsname(&ours, Vec::new()).unwrap().into_string().unwrap();
        let theirs = OpenOptions::new().read(true).write(true).open(name).unwrap();
        let size = Winsize {
            ws_row: 40,
            ws_col: 120,
            ws_xpixel: 0,
            ws_ypixel: 0,
        };
        tcsetwinsize(&theirs, size).unwrap();
        let end = || OwnedFd::from(theirs.try_clone().unwrap());
        let program = command.stdin(end()).stdout(end()).stderr(end()).spawn().unwrap();
        drop(command);
        let (shown, changed) = (Arc::<Mutex<String>>::default(), watch::Sender::default());
        let (mut screen, all, told) = (File::from(ours), Arc::clone(&shown), changed.clone());
        let keyboard = screen.try_clone().unwrap();
        // Reading fails when the program has ended and nothing is left.
        std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(count @ 1..) = screen.read(&mut bytes) {
                all.lock().unwrap().push_str(&String::from_utf8_lossy(&bytes[..count]));
                told.send_replace(());
            }
        });
        Self {
            keyboard,
            shown,
            changed,
            read: 0,
            program,
        }
    }

    /// Waits until this is asked behind what was read before, and types an answer.
    pub async fn answer(&mut self, question: &str, keys: &str) {
        self.shows(question).await;
        self.keyboard.write_all(keys.as_bytes()).unwrap();
    }

    /// Waits until this is shown behind what was read before.
    pub async fn shows(&mut self, text: &str) {
        let mut changed = self.changed.subscribe();
        let found = |shown: &str, from: usize| shown[from..].find(text).map(|at| from + at + text.len());
        let waiting = async {
            loop {
                if let Some(end) = found(&self.shown.lock().unwrap(), self.read) {
                    return end;
                }
                changed.changed().await.unwrap();
            }
        };
        let waited = timeout(PATIENCE, waiting).await;
        self.read = waited.unwrap_or_else(|_| panic!("not shown: {text}: {}", self.shown.lock().unwrap()));
    }

    /// Waits until the program has ended well.
    pub async fn ends(mut self) {
        let status = timeout(PATIENCE, self.program.wait()).await.unwrap().unwrap();
        assert!(status.success(), "{status}: {}", self.shown.lock().unwrap());
    }
}
