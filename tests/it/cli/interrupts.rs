//! Signals in the middle of commands: what has to be finished is, at a second one no more, and nothing is left behind.

use std::{
    io::Write,
    process::{Child, Stdio},
    time::Duration,
};

use clifford_fakes::openai::OpenAiFake;
use rustix::process::{Pid, Signal, kill_process};

use super::{Machine, killed::has_name, terminal::Terminal};
use crate::{
    harness::{PATIENCE, Setup, Site},
    scripted_model,
};

/// A machine whose model is this one, and whose bot waits for an hour until its work is finished.
fn patient(model: &OpenAiFake) -> Machine {
    let machine = Machine::new();
    machine.write(
        "bot.toml",
        &format!(
            "[engine]\nshutdown_seconds = 3600\n[[llm.providers]]\nname = \"fake\"\nmodel = \"fake-1\"\nbase_url = \"{}\"\n",
            model.base_url()
        ),
    );
    machine
}

/// Presses Ctrl-C until the command ends, and returns how it ended.
async fn interrupt(mut child: Child) -> Option<i32> {
    let mut often = tokio::time::interval(Duration::from_millis(100));
    let ended = tokio::time::timeout(PATIENCE, async {
        loop {
            often.tick().await;
            if let Some(status) = child.try_wait().expect("a child") {
                return status.code();
            }
            kill_process(Pid::from_child(&child), Signal::INT).expect("it runs");
        }
    });
    let ended = ended.await;
    // One that does not end must not outlive the test.
    child.kill().ok();
    ended.expect("it ends")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_chat_that_waits_for_the_model_ends_at_the_second_interrupt() {
    let model = OpenAiFake::start().await;
    model.respond_with(scripted_model::reply);
    let hold = model.hold();
    let machine = patient(&model);
    let mut chat = machine
        .command(["chat"])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the binary runs");
    let mut stdin = chat.stdin.take().expect("a pipe");
    stdin.write_all(b"hello\n").expect("it reads");
    model.wait_for_requests(1).await;
    assert_eq!(interrupt(chat).await, Some(1));
    drop((stdin, hold));
    // The interrupted run goes on at the next start.
    let left = machine.run(["runs", "list", "--json"]).json();
    assert_eq!(left.as_array().map(Vec::len), Some(1), "{left}");
    assert!(
        left[0]["status"] == "pending" || left[0]["status"] == "running",
        "{left}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_waits_for_the_model_ends_at_the_second_interrupt_and_loses_nothing() {
    let mut bot = Setup::on(Site::Telegram)
        .set("engine.shutdown_seconds", 3600)
        .start()
        .await;
    let room = bot.room(Site::Telegram, 7, "Ada");
    let hold = bot.model.hold();
    bot.says(room, "hello");
    bot.model.wait_for_requests(1).await;
    assert_eq!(bot.interrupted().await.code(), Some(1));
    hold.release();
    bot.spawn(None);
    assert_eq!(bot.answers(room, 1).await, ["You said: hello"]);
    bot.finish().await;
    assert_eq!(bot.texts(room), ["You said: hello"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_that_is_broken_off_by_a_signal_leaves_the_terminal_as_it_was() {
    let machine = Machine::new();
    let mut command = machine.command(["init"]);
    let mut terminal = Terminal::start(&mut command);
    let before = terminal.before;
    terminal.shows("Which chat platforms").await;
    assert_ne!(terminal.modes(), before);
    // No other is sure to be heard: whoever runs the tests may have others ignored, as `nohup` has.
    let ended = terminal.is_signalled(Signal::TERM).await;
    assert_eq!(ended, (Some(Signal::TERM.as_raw()), before));
}

#[test]
fn an_export_that_is_interrupted_or_killed_leaves_nothing_beside_its_place() {
    let machine = Machine::asked("what is 17 * 23?");
    let begun = |to: &str| {
        let mut command = machine.command(["export", "--out", to]);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = command.spawn().expect("the binary runs");
        while !has_name(machine.home.path(), ".clifford-export-") && child.try_wait().expect("a child").is_none() {
            std::thread::yield_now();
        }
        child
    };
    let mut interrupted = begun("first.tar");
    // One that was faster has ended.
    kill_process(Pid::from_child(&interrupted), Signal::INT).ok();
    interrupted.wait().expect("it is over");
    assert!(!has_name(machine.home.path(), ".clifford-export-"));
    let mut killed = begun("second.tar");
    killed.kill().ok();
    killed.wait().expect("it is over");
    machine.run(["export", "--out", "third.tar"]).succeeds();
    assert!(!has_name(machine.home.path(), ".clifford-export-"));
    machine
        .run(["import", "third.tar", "--trusted", "--dry-run"])
        .succeeds();
}
