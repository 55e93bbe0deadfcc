//! The commands of the documentation, executed as they stand there: each block of `sh` in a shell beside a bot that
//! people talk to. `clifford` is the real binary, and `serve` is a bot of its own, which is ended as soon as it runs.

use std::{collections::BTreeMap, fs, os::unix::fs::PermissionsExt as _, path::Path, process::Stdio};

use clifford_core::{clock::Timestamp, runs::RunStatus};
use clifford_fakes::postgres::Cluster;
use clifford_store::people::claim;
use serde_json::json;
use tempfile::TempDir;
use tokio::process::Command;

use crate::{
    api_watch::{TOKEN, Watch, watched},
    approvals::{
        self,
        transcripts::{server, tool},
    },
    docs::{pages, read, root},
    harness::{Bot, Site, binary},
    quarantine,
};

/// Lines that are not executed, by how they begin, and why. Each must still be needed.
const NOT_HERE: [(&str, &str); 16] = [
    ("cargo ", "builds; continuous integration and the README's reader do it"),
    ("python3 -m venv voices", "holds the packages that the next lines fetch"),
    ("voices/bin/", "fetches models of somebody else, and runs them"),
    ("cd voices/", "is where those packages are"),
    ("../../../bin/python ", "runs those models"),
    ("tests/browser/look", "drives a browser; continuous integration does it"),
    ("systemctl ", "needs systemd as the first process"),
    ("journalctl ", "needs systemd as the first process"),
    ("clifford mcp add disk ", "fetches a server of somebody else"),
    ("clifford mcp add tracker ", "connects to a server of somebody else"),
    (
        "clifford eval eval/",
        "needs a language model; other journeys do it against the fake",
    ),
    ("clifford erase ", "asks at a terminal; other journeys do it with --yes"),
    ("clifford db copy ", "needs a bot that is stopped; other journeys do it"),
    (
        "clifford restore ",
        "replaces what a bot works with; other journeys do it",
    ),
    ("clifford tools set disk ", "needs the server that was added above it"),
    (
        "clifford",
        "on its own it is a conversation at a terminal, and serves platforms",
    ),
];

/// `clifford` in a shell: `serve` with data of its own until it says that it runs, all else as it is.
const SHIM: &str = r#"#!/usr/bin/env bash
set -u
if [ "${1:-}" != serve ]; then exec "$CLIFFORD_REAL" "$@" </dev/null; fi
own=$(mktemp -d -p "$HOME")
CLIFFORD_DATA__DIR=$own "$CLIFFORD_REAL" "$@" --config "$EMPTY_CONFIG" --set http.bind=127.0.0.1:0 >"$own/out" 2>&1 </dev/null &
until grep -q "^Clifford .* runs" "$own/out"; do kill -0 $! 2>/dev/null || { cat "$own/out" >&2; exit 1; }; done
kill -INT $!
wait $!
"#;

/// Pages whose blocks of text, where they follow a command, are its whole output.
const EXACT: [&str; 1] = ["docs/how-to/write-rules.md"];

/// A block of `sh` of a page.
struct Block {
    page: String,
    text: String,
    /// The block of text that follows it.
    output: Option<String>,
}

/// All blocks, in the order of their pages.
fn blocks() -> Vec<Block> {
    let mut paths = pages(&root().join("docs"));
    paths.push(root().join("README.md"));
    paths.push(root().join("CONTRIBUTING.md"));
    paths.sort();
    paths.iter().flat_map(|path| blocks_of(path)).collect()
}

fn blocks_of(path: &Path) -> Vec<Block> {
    let page = path
        .strip_prefix(root())
        .expect("a page of this repository")
        .display()
        .to_string();
    let text = read(path);
    let mut found: Vec<Block> = Vec::new();
    // Of which kind the block is that is being read, and what of it was.
    let mut inside: Option<(&str, String)> = None;
    for line in text.lines() {
        match (line.trim_start(), &mut inside) {
            ("```", Some(_)) => match inside.take() {
                Some(("sh", text)) => found.push(Block {
                    page: page.clone(),
                    text,
                    output: None,
                }),
                Some(("text", text)) => {
                    if let Some(block) = found.last_mut() {
                        block.output.get_or_insert(text);
                    }
                }
                _ => (),
            },
            (fence, None) => inside = fence.strip_prefix("```").map(|kind| (kind, String::new())),
            (_, Some((_, block))) => {
                block.push_str(line);
                block.push('\n');
            }
        }
    }
    found
}

/// Why a line is left out, if it is: by the beginning, or, for a whole command, by all of it.
fn left_out(line: &str) -> Option<usize> {
    let begins = |beginning: &str| match beginning {
        "clifford" => line == beginning,
        _ => line.starts_with(beginning),
    };
    NOT_HERE.iter().position(|(beginning, _)| begins(beginning))
}

/// The shell in which blocks are executed, and what stands for the names that the pages use.
struct Shell {
    home: TempDir,
    names: Vec<(&'static str, String)>,
    /// The placeholder of an id on the page, at each place where it is named.
    ids: BTreeMap<&'static str, Vec<String>>,
    /// `export …` of earlier blocks of this page, and the secret that one has shown.
    kept: String,
    page: String,
}

impl Shell {
    /// Beside a bot, with names of its chats.
    async fn beside(bot: &Bot) -> Self {
        let home = tempfile::tempdir().expect("a directory");
        let path = home.path();
        fs::create_dir_all(path.join("bin")).expect("a directory");
        fs::create_dir_all(path.join("srv/backup")).expect("a directory");
        fs::write(path.join("empty.toml"), "").expect("a file");
        // Telegram's export of a chat.
        fs::create_dir_all(path.join("DataExport")).expect("a directory");
        let chat = r#"{"name": "Bob", "type": "personal_chat", "id": 8, "messages": [{"id": 2, "type": "message",
            "date_unixtime": "1700000000", "from": "Bob", "from_id": "user8", "text": "hello"}]}"#;
        fs::write(path.join("DataExport/result.json"), chat).expect("a file");
        let shim = path.join("bin/clifford");
        fs::write(&shim, SHIM).expect("a file");
        fs::set_permissions(&shim, fs::Permissions::from_mode(0o755)).expect("permissions");
        let look = bot.look().await;
        let channel = look
            .texts("SELECT id FROM channels ORDER BY id LIMIT 1")
            .await
            .remove(0);
        let space = look.texts("SELECT id FROM spaces ORDER BY id LIMIT 1").await.pop();
        let user = look.texts("SELECT id FROM users WHERE name = 'Ada'").await.remove(0);
        let settings = bot.settings().replace("127.0.0.1:0", Watch::on(bot).address());
        fs::write(path.join("bot.toml"), settings).expect("a file");
        let names = vec![
            ("01a20a60-9472-73e3-a387-97367567f624", channel.clone()),
            ("channel:ID", format!("channel:{channel}")),
            ("space:ID", format!("space:{}", space.unwrap_or_default())),
            ("user:ID", format!("user:{user}")),
            ("/srv/", format!("{}/srv/", path.display())),
            ("~/.local/share/clifford", bot.home().display().to_string()),
            ("http://127.0.0.1:8088", format!("http://{}", Watch::on(bot).address())),
        ];
        Self {
            home,
            names,
            ids: BTreeMap::new(),
            kept: String::new(),
            page: String::new(),
        }
    }

    /// The text of a block with what its names stand for; the lines that cannot be executed here are left out.
    fn script(&mut self, block: &Block) -> (String, Vec<usize>) {
        let mut skipped = Vec::new();
        let mut lines = Vec::new();
        for line in block.text.lines().map(str::trim_start) {
            match left_out(line) {
                Some(why) => skipped.push(why),
                None => lines.push(line),
            }
        }
        let mut text = lines.join("\n");
        for (name, value) in &self.names {
            text = text.replace(name, value);
        }
        if let Some(ids) = self.ids.get_mut(block.page.as_str()) {
            const ID: &str = "01a20a64-cc41-767e-a118-e5efdf93c8b8";
            while text.contains(ID) && !ids.is_empty() {
                text = text.replacen(ID, &ids.remove(0), 1);
            }
        }
        (text, skipped)
    }

    /// Executes a block; each of its commands must succeed.
    async fn execute(&mut self, block: &Block, environment: &[(&str, String)]) -> (usize, Vec<usize>) {
        if self.page != block.page {
            self.page.clone_from(&block.page);
            self.kept.clear();
        }
        let (text, skipped) = self.script(block);
        let commands = text.lines().filter(|line| !line.trim().is_empty()).count();
        if commands == 0 {
            return (0, skipped);
        }
        let script = format!("set -euo pipefail\n{}{text}\n", self.kept);
        let path = format!(
            "{}/bin:{}",
            self.home.path().display(),
            std::env::var("PATH").expect("a path")
        );
        let output = Command::new("bash")
            .args(["-c", &script])
            .current_dir(self.home.path())
            .env_clear()
            .env("PATH", path)
            .env("HOME", self.home.path())
            .env("CLIFFORD_REAL", binary())
            .env("CLIFFORD_API_TOKEN", TOKEN)
            .env("EMPTY_CONFIG", self.home.path().join("empty.toml"))
            .envs(environment.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::null())
            .kill_on_drop(true)
            .output()
            .await
            .expect("a shell");
        let told = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(
            output.status.success(),
            "{}:\n{text}\n--- {}\n{told}\n{}",
            block.page,
            output.status,
            String::from_utf8_lossy(&output.stderr)
        );
        if let Some(output) = block.output.as_ref().filter(|_| EXACT.contains(&&*block.page)) {
            assert_eq!(told.trim_end(), output.trim_end(), "{}", block.page);
        }
        for line in text.lines().filter(|line| line.starts_with("export ")) {
            self.kept.push_str(line);
            self.kept.push('\n');
        }
        if let Some((_, rest)) = told.split_once("This is the only time that it is shown:") {
            let secret = rest.split_whitespace().next().unwrap_or_default();
            self.kept.push_str(&format!("SECRET='{secret}'\n"));
        }
        (commands, skipped)
    }
}

/// The requirements of a page.
struct Lively {
    bot: Bot,
    /// The directory of an MCP server.
    _bank: TempDir,
    /// The runs of Ada and Bob that wait for an approval.
    waiting: Vec<String>,
    /// A run that has ended.
    ended: String,
    /// The code of somebody who asks to be let in.
    code: String,
}

/// A bot owned by Ada. She and her friend Bob wait for an approval each, and three strangers ask to be let in.
async fn lively() -> Lively {
    let bank = tempfile::tempdir().expect("a directory");
    let send = tool("send", &["to", "amount"], &json!({"destructiveHint": false}));
    let read = tool("read", &[], &json!({"readOnlyHint": true}));
    let mut bot = watched(approvals::asking(Site::Telegram))
        .set("channels.telegram.access", "pairing")
        .set(
            "tools.mcp",
            vec![server(bank.path(), "bank", &json!([send, read]), &[])],
        )
        .prepare()
        .await;
    bot.model.respond_with(approvals::remembers);
    bot.start().await;
    let now: Timestamp = jiff::Timestamp::now().into();
    let made = bot
        .look()
        .await
        .db
        .write(move |tx| Box::pin(claim::make(tx, now)))
        .await;
    let ada = bot.room(Site::Telegram, 7, "Ada");
    bot.says(ada, &made.expect("writes").expect("a code"));
    bot.answers(ada, 1).await;
    let bob = bot.room(Site::Telegram, 10, "Bob");
    bot.says(bob, "hello");
    bot.answers(bob, 1).await;
    bot.command(&["pair", "approve", "telegram:10"]).await;
    let team = bot.telegram.supergroup(-1_001_234, "Team");
    bot.telegram.add(team, 7);
    bot.telegram.wait_for_sent(team, 1).await;
    // It has a key of its own from the first secret on, and a directory from the first file on.
    bot.command(&["triggers", "add", "look", "--webhook", "first", "--user", "Ada"])
        .await;
    fs::create_dir_all(bot.home().join("files")).expect("a directory");
    bot.says(ada, "hello");
    let ended = bot
        .until("an answer", async |look| {
            let runs = look.runs().await;
            let ended = runs.iter().find(|run| run.status == RunStatus::Completed);
            ended.map(|run| run.id.to_string())
        })
        .await;
    bot.says(ada, "Ada drinks tea");
    bot.says(bob, "Bob drinks milk");
    let waiting = bot
        .until("two questions", async |look| {
            let runs = look.runs().await;
            let waiting = runs.iter().filter(|run| run.status == RunStatus::Waiting);
            let waiting: Vec<_> = waiting.map(|run| run.id.to_string()).collect();
            (waiting.len() == 2).then_some(waiting)
        })
        .await;
    let [eve, mallory, carol] =
        [(8, "Eve"), (9, "Mallory"), (11, "Carol")].map(|(id, name)| bot.room(Site::Telegram, id, name));
    for room in [eve, mallory, carol] {
        bot.says(room, "hello");
        bot.answers(room, 1).await;
    }
    let told = bot.texts(carol).remove(0);
    let words = told.split(|c: char| !c.is_ascii_alphanumeric());
    let code = words
        .filter(|word| word.len() == 8)
        .find(|word| word.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit()));
    let code = code.unwrap_or_else(|| panic!("no code: {told}")).to_owned();
    Lively {
        bot,
        _bank: bank,
        waiting,
        ended,
        code,
    }
}

#[tokio::test]
async fn every_command_of_the_documentation_does_what_it_says() {
    let Lively {
        mut bot,
        _bank,
        waiting,
        ended,
        code,
    } = lively().await;
    let mut shell = Shell::beside(&bot).await;
    shell.names.push(("QL5K3QM2", code));
    let added = bot
        .command(&[
            "triggers",
            "add",
            "stretch",
            "--reminder",
            "--user",
            "Ada",
            "--when",
            "in 3 hours",
            "--json",
        ])
        .await;
    let added: serde_json::Value = serde_json::from_str(&added).expect("a trigger");
    let trigger = added["id"].as_str().expect("an id").to_owned();
    shell.ids.insert("docs/how-to/approve.md", waiting);
    shell.ids.insert("docs/how-to/schedules.md", vec![trigger]);
    let environment = vec![("TOKEN", TOKEN.to_owned()), ("RUN", ended)];
    let postgres = tokio::task::spawn_blocking(|| Cluster::shared().database()).await;
    let postgres = postgres.expect("a cluster");
    let has_postgres = postgres.is_some();
    shell
        .names
        .extend(postgres.map(|url| ("postgres://clifford:PASSWORD@db.example/clifford", url)));
    let (mut executed, mut skipped) = (0, Vec::new());
    for block in blocks() {
        // That page has a bot of its own below; without PostgreSQL there is nothing to show on that one.
        let other = block.page.ends_with("how-to/quarantine.md")
            || (block.page.ends_with("how-to/postgresql.md") && !has_postgres);
        if !other {
            let (commands, left_out) = shell.execute(&block, &environment).await;
            executed += commands;
            skipped.extend(left_out);
        }
    }
    assert!(executed > 50, "only {executed} commands were executed");
    for (index, (beginning, _)) in NOT_HERE.iter().enumerate() {
        assert!(skipped.contains(&index), "nothing begins with {beginning:?} any more");
    }
    bot.finish().await;
}

#[tokio::test]
async fn the_commands_about_quarantined_work_do_what_they_say() {
    let (mut bot, ids) = quarantine::with_two_set_aside().await;
    let mut shell = Shell::beside(&bot).await;
    shell.ids.insert("docs/how-to/quarantine.md", ids);
    let page = root().join("docs/how-to/quarantine.md");
    let mut executed = 0;
    for block in blocks_of(&page) {
        executed += shell.execute(&block, &[]).await.0;
    }
    assert!(executed >= 3, "only {executed} commands were executed");
    assert!(bot.doctor().await.contains("nothing is in quarantine"));
    bot.finish().await;
}
