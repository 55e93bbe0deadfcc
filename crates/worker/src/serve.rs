//! The worker process itself: reads tasks from standard input, writes replies to standard output.

use std::{
    io::{self, Write},
    process::ExitCode,
    sync::mpsc,
    thread,
};

use super::{
    Reply, Task, document, expression,
    frame::{self, REPLY, TASK},
    limits, page, picture, scan,
};

/// The stack of the thread that works, in bytes: what nests in a text nests in functions that read it.
const STACK: usize = 64 << 20;

/// Works until standard input ends. Its output is for a parent process, not for people.
pub fn serve() -> ExitCode {
    if limits::lower().is_err() {
        return ExitCode::FAILURE;
    }
    let (tasks, next) = mpsc::sync_channel::<(Task, Vec<u8>)>(1);
    let working = thread::Builder::new().stack_size(STACK).spawn(move || {
        // A task that panics ends the process, like one that takes too much.
        let _guard = ExitOnDrop;
        while let Ok((task, body)) = next.recv() {
            if reply(&perform(task, &body)).is_err() {
                return;
            }
        }
    });
    if working.is_err() {
        return ExitCode::FAILURE;
    }
    let mut stdin = io::stdin().lock();
    while let Ok(read) = frame::read(&mut stdin, TASK) {
        if tasks.send(read).is_err() {
            return ExitCode::FAILURE;
        }
    }
    // Nobody waits for what is being worked on.
    ExitCode::SUCCESS
}

/// Ends the process with the thread that works.
struct ExitOnDrop;

impl Drop for ExitOnDrop {
    fn drop(&mut self) {
        std::process::exit(1);
    }
}

/// Does a task.
pub(super) fn perform(task: Task, body: &[u8]) -> Reply {
    let text = String::from_utf8_lossy(body);
    let done = match task {
        Task::Expression { max_ms } => expression::evaluate(&text, max_ms).map(|value| Reply::Value { value }),
        Task::PageText { window } => page::whole(&text, window)
            .map(Reply::PageText)
            .map_err(|error| error.to_string()),
        Task::Article { url, window } => match url.parse() {
            Ok(url) => page::article(&text, &url, window)
                .map(Reply::Article)
                .map_err(|error| error.to_string()),
            Err(error) => Err(format!("{url} is no address: {error}")),
        },
        Task::Document => document::text(body)
            .map(Reply::Document)
            .map_err(|error| error.to_string()),
        Task::PageImage { page } => scan::page(body, page)
            .map(|shown| Reply::Image { reduced: Some(shown) })
            .map_err(|error| error.to_string()),
        Task::Image => picture::reduced(body)
            .map(|reduced| Reply::Image { reduced })
            .map_err(|error| error.to_string()),
    };
    done.unwrap_or_else(|reason| Reply::Rejected { reason })
}

fn reply(reply: &Reply) -> Result<(), frame::FrameError> {
    let mut stdout = io::stdout().lock();
    stdout.write_all(&frame::head(reply, 0, REPLY)?)?;
    Ok(stdout.flush()?)
}
