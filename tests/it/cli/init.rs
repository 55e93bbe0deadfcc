//! `clifford init`.

use std::{fs, os::unix::fs::PermissionsExt};

use clifford_fakes::telegram::TelegramFake;

use super::Machine;

#[test]
fn without_anything_in_the_environment_a_file_is_written_that_works() {
    let machine = Machine::new();
    let out = machine.run(["init", "--yes"]).succeeds();
    assert!(out.contains("bot.toml is written."), "{out}");
    assert!(out.contains("Now run `clifford serve`"), "{out}");
    machine.run(["config", "check"]).succeeds();
    assert_eq!(machine.run(["ask", "what is 1 + 1?"]).succeeds(), "1 + 1 = 2\n");
}

#[test]
fn a_file_that_is_there_is_kept_unless_it_is_to_be_replaced() {
    let machine = Machine::new();
    machine.write("bot.toml", "# mine\n");
    machine
        .run(["init", "--yes"])
        .fails_with("bot.toml is there already: --force writes over it, or name another by --config");
    assert_eq!(fs::read_to_string(machine.path("bot.toml")).expect("it"), "# mine\n");
    machine.run(["init", "--yes", "--force"]).succeeds();
    assert_ne!(fs::read_to_string(machine.path("bot.toml")).expect("it"), "# mine\n");
}

#[test]
fn another_place_is_named_in_what_to_do_next() {
    let machine = Machine::new();
    let out = machine.run(["init", "--yes", "--config", "conf/other.toml"]).succeeds();
    assert!(
        out.contains("Now run `clifford --config conf/other.toml serve`"),
        "{out}"
    );
    machine.write("file", "");
    let ended = machine.run(["init", "--yes", "--config", "file/bot.toml"]);
    assert_eq!(ended.code, 1);
    assert!(
        ended.err.starts_with("clifford: file/bot.toml cannot be written; "),
        "{ended:?}"
    );
}

#[test]
fn questions_need_a_terminal() {
    Machine::new()
        .run(["init"])
        .fails_with("init asks questions, and this is no terminal: use --yes to take what is in the environment");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_in_the_environment_is_checked_and_referred_to() {
    let machine = Machine::new();
    let telegram = TelegramFake::start().await.expect("a fake");
    let set = format!("channels.telegram.api_url={}", telegram.api_url());
    let args = ["init", "--yes", "--set", &set];
    let env = [("TELEGRAM_BOT_TOKEN", "123:wrong".to_owned())];
    let ended = machine.run_beside(&args, &env).await;
    assert_eq!(ended.code, 1, "{ended:?}");
    assert!(
        ended
            .err
            .starts_with("clifford: TELEGRAM_BOT_TOKEN is not accepted: Telegram says: "),
        "{ended:?}"
    );
    assert!(!machine.path("bot.toml").exists());

    let env = [("TELEGRAM_BOT_TOKEN", telegram.token().to_owned())];
    let out = machine.run_beside(&args, &env).await.succeeds();
    assert!(out.starts_with("TELEGRAM_BOT_TOKEN: @clifford_bot\n"), "{out}");
    assert!(out.contains("Your code is "), "{out}");
    let text = fs::read_to_string(machine.path("bot.toml")).expect("it");
    assert!(text.contains("token = { env = \"TELEGRAM_BOT_TOKEN\" }"), "{text}");
    assert!(
        text.contains(telegram.api_url()) && !text.contains(telegram.token()),
        "{text}"
    );
    let mode = fs::metadata(machine.path("bot.toml")).expect("it").permissions().mode();
    assert_eq!(mode & 0o777, 0o644);
}
