//! Panics, in the log like everything else: where, but not with which words, which may be a person's.

use std::{backtrace::Backtrace, panic, thread};

/// Makes a panic a line of the log from now on. Its message is shown from the level `debug` on.
pub(super) fn report() {
    panic::set_hook(Box::new(|panic| {
        let place = panic.location().map(ToString::to_string);
        tell(&place.unwrap_or_default(), panic.payload_as_str().unwrap_or_default());
    }));
}

fn tell(place: &str, said: &str) {
    let thread = thread::current();
    tracing::error!(place, thread = thread.name().unwrap_or_default(), "task panicked");
    tracing::debug!(said, backtrace = %Backtrace::capture(), "task panicked (details)");
}

#[cfg(test)]
mod tests {
    use std::{
        io::{self, Write},
        sync::{Arc, Mutex},
    };

    use super::*;

    #[derive(Clone, Default)]
    struct Lines(Arc<Mutex<Vec<u8>>>);

    impl Write for Lines {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn told(level: &str) -> String {
        let lines = Lines::default();
        let writer = lines.clone();
        let subscriber = tracing_subscriber::fmt()
            .with_env_filter(level)
            .with_writer(move || writer.clone())
            .finish();
        tracing::subscriber::with_default(subscriber, || {
            tell("src/a.rs:1:2", "it is inside 'é' of `what somebody wrote`");
        });
        String::from_utf8(lines.0.lock().unwrap().clone()).unwrap()
    }

    #[test]
    fn a_panic_is_told_by_its_place_and_only_for_those_who_look_closer_by_its_words() {
        let usual = told("info");
        assert!(
            usual.contains("src/a.rs:1:2") && !usual.contains("what somebody wrote"),
            "{usual}"
        );
        assert!(told("debug").contains("what somebody wrote"));
    }
}
