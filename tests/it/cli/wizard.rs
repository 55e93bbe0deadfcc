//! `clifford init` in a terminal: its questions, the file that follows, and the first message.

use std::{fs, os::unix::fs::PermissionsExt, process::Stdio, time::Duration};

use clifford_fakes::{
    discord::DiscordFake,
    openai::{OpenAiFake, Reply},
    telegram::TelegramFake,
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    process::{Child, ChildStdin, ChildStdout, Command},
};

use super::Machine;
use crate::{harness::PATIENCE, scripted_model};

/// The keys of a terminal.
const ENTER: &str = "\r";
const DOWN: &str = "\u{1b}[B";
const CTRL_C: &str = "\u{3}";

/// A command in a terminal of its own: `script` makes one.
struct Session {
    child: Child,
    keys: ChildStdin,
    screen: ChildStdout,
    shown: String,
    /// How far the screen was read.
    at: usize,
}

impl Session {
    fn start(machine: &Machine, args: &str) -> Self {
        let binary = env!("CARGO_BIN_EXE_clifford");
        let mut child = Command::new("script")
            .args([
                "-qefc",
                &format!("stty cols 100 rows 40; exec {binary} {args}"),
                "/dev/null",
            ])
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("TERM", "xterm")
            .env("SHELL", "/bin/sh")
            .env("HOME", machine.home.path())
            .env("XDG_DATA_HOME", machine.path("data"))
            .current_dir(machine.home.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .expect("script runs");
        Self {
            keys: child.stdin.take().expect("a pipe"),
            screen: child.stdout.take().expect("a pipe"),
            child,
            shown: String::new(),
            at: 0,
        }
    }

    /// Waits until this is shown, below what was waited for before.
    async fn sees(&mut self, text: &str) -> &mut Self {
        let seen = tokio::time::timeout(PATIENCE, async {
            loop {
                if let Some(place) = self.shown[self.at..].find(text) {
                    self.at += place + text.len();
                    return;
                }
                let mut bytes = [0; 4096];
                let count = self.screen.read(&mut bytes).await.expect("a screen");
                assert!(count > 0, "it ended before `{text}` was shown:\n{}", self.shown);
                self.shown.push_str(&String::from_utf8_lossy(&bytes[..count]));
            }
        });
        if seen.await.is_err() {
            panic!("`{text}` was not shown:\n{}", self.shown);
        }
        self
    }

    async fn types(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).await.expect("it reads");
    }

    /// Waits for its end; returns what was shown, and the exit code.
    async fn ends(mut self) -> (String, Option<i32>) {
        let mut rest = Vec::new();
        let read = tokio::time::timeout(PATIENCE, self.screen.read_to_end(&mut rest)).await;
        read.expect("it ends").ok();
        let status = tokio::time::timeout(Duration::from_secs(10), self.child.wait()).await;
        let code = status.expect("it ends").expect("a status").code();
        self.shown.push_str(&String::from_utf8_lossy(&rest));
        (self.shown, code)
    }
}

/// The code that becomes the owner's.
fn code(shown: &str) -> String {
    let after = shown.split("to become its owner:").nth(1).expect("a code");
    after.split_whitespace().next().expect("a code").to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn from_a_token_to_the_first_answer_on_telegram_with_a_model_of_the_list() {
    let machine = Machine::new();
    let telegram = TelegramFake::start().await.expect("a fake");
    let model = OpenAiFake::start().await;
    model.respond_with(scripted_model::reply);
    model.only_models(["small", "large"]);
    // The wizard's own question.
    model.push(Reply::text("OK"));
    let args = format!(
        "init --set channels.telegram.api_url={} --set engine.planning_gate=off --set http.enabled=false",
        telegram.api_url()
    );
    let mut wizard = Session::start(&machine, &args);
    wizard
        .sees("Which chat platforms should the bot join?")
        .await
        .types(" \r")
        .await;
    wizard.sees("Send /newbot").await;
    wizard.sees("Telegram bot token:").await.types("1:wrong\r").await;
    wizard.sees("✗ not accepted").await;
    wizard
        .sees("Telegram bot token:")
        .await
        .types(&format!(" \"{}\"\r", telegram.token()))
        .await;
    wizard.sees("✓ this is @clifford_bot").await;
    wizard.sees("Where should it be kept?").await.types(ENTER).await;
    wizard.sees("https://t.me/clifford_bot").await;
    wizard.sees("█").await;
    wizard.sees("Who may talk to it in private?").await.types(ENTER).await;
    wizard
        .sees("Which language model?")
        .await
        .types(&format!("{DOWN}{DOWN}\r"))
        .await;
    // Without its scheme it is no address.
    let bare = model.base_url().replace("http://", "");
    wizard.sees("API base URL").await.types(&format!("{bare}\r")).await;
    wizard.sees("✗ it begins with http:// or https://").await;
    wizard
        .sees("API base URL")
        .await
        .types(&format!("{}\r", model.base_url()))
        .await;
    wizard
        .sees("API key (empty if it needs none):")
        .await
        .types(ENTER)
        .await;
    wizard.sees("Which model?").await.types(ENTER).await;
    wizard.sees("✓ it answers").await;
    wizard.sees("bot.toml is written.").await;
    wizard.sees("Start the bot now").await.types(ENTER).await;
    wizard.sees("to become its owner:").await;
    wizard.sees("Ctrl-C leaves.").await;
    let ada = telegram.user(7, "Ada");
    telegram.user_says(ada, 7, &code(&wizard.shown));
    wizard.sees("✓ you are its owner").await;
    telegram.user_says(ada, 7, "hello");
    wizard.sees("✓ it answered: You said: hello").await;
    wizard.sees("Everything works. `clifford serve` runs it").await;
    let (shown, code) = wizard.ends().await;
    assert_eq!(code, Some(0), "{shown}");
    assert!(!shown.contains(telegram.token()), "{shown}");
    let path = machine.path("bot.toml");
    let mode = fs::metadata(&path).expect("it").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let text = fs::read_to_string(&path).expect("it");
    assert!(
        text.contains(telegram.token()) && text.contains(model.base_url().as_str()),
        "{text}"
    );
    assert!(text.contains("model = \"large\"\n"), "{text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn enter_alone_chooses_no_platform_and_is_no_key() {
    let machine = Machine::new();
    let mut wizard = Session::start(&machine, "init");
    wizard.sees("Enter goes on").await.types(ENTER).await;
    wizard.sees("none").await;
    wizard.sees("Which language model?").await.types(ENTER).await;
    wizard.sees("API key:").await.types(ENTER).await;
    wizard.sees("✗ nothing was typed").await;
    wizard.sees("API key:").await.types(CTRL_C).await;
    let (shown, code) = wizard.ends().await;
    assert_eq!(code, Some(1), "{shown}");
    assert!(!machine.path("bot.toml").exists(), "{shown}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_existing_file_gains_discord_and_ctrl_c_leaves_with_it() {
    let machine = Machine::new();
    let discord = DiscordFake::start().await;
    let mine = "# my own bot\n[agent]\nname = \"Rex\" # the dog\n\n[channels.telegram]\ntoken = \"1:secret\" # mine\n\
                enabled = false\n";
    machine.write("bot.toml", mine);
    let args = format!(
        "init --set channels.discord.api_url={} --set http.enabled=false",
        discord.api_url()
    );
    let mut wizard = Session::start(&machine, &args);
    wizard
        .sees("What do you want to change?")
        .await
        .types(&format!("{DOWN} \r"))
        .await;
    wizard.sees("Message Content Intent").await;
    wizard
        .sees("Discord bot token:")
        .await
        .types(&format!("{}\r", DiscordFake::TOKEN))
        .await;
    wizard.sees("Where should it be kept?").await.types(ENTER).await;
    wizard.sees("https://discord.com/oauth2/authorize?client_id=").await;
    wizard
        .sees("&scope=bot+applications.commands&permissions=2885427749047360")
        .await;
    wizard.sees("Who may talk to it in private?").await.types(ENTER).await;
    wizard.sees("bot.toml is written.").await;
    wizard.sees("Start the bot now").await.types(ENTER).await;
    wizard.sees("Ctrl-C leaves.").await.types(CTRL_C).await;
    wizard.sees("The bot is stopped.").await;
    let (shown, code) = wizard.ends().await;
    assert_eq!(code, Some(0), "{shown}");
    let text = fs::read_to_string(machine.path("bot.toml")).expect("it");
    assert!(text.starts_with(mine), "{text}");
    assert!(
        text.contains(&format!("[channels.discord]\ntoken = \"{}\"\n", DiscordFake::TOKEN)),
        "{text}"
    );
    machine.run(["config", "check"]).succeeds();
}
