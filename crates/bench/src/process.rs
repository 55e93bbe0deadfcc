//! The processes that are measured: Clifford's own binary, and the bare loop.

use std::{
    net::{SocketAddr, TcpListener},
    path::{Path, PathBuf},
    process::Stdio,
    time::{Duration, Instant},
};

use anyhow::{Context, bail, ensure};
use tokio::process::{Child, Command};

use crate::{
    bare::Orders,
    world::{Bodies, World},
};

/// How many ticks of the processor's accounting are a second: Linux fixes it for programs.
const TICKS: f64 = 100.0;
/// The settings of a Bot API server without limits.
const UNLIMITED: &str = "rate_overall_per_second = 0\nrate_private_per_second = 0\nrate_group_per_minute = 0\n";
/// The token that may read its metrics.
const TOKEN: &str = "bench";

/// A process that ends with its handle.
pub struct Process {
    child: Child,
    /// When it was started.
    pub started: Instant,
    /// Where its metrics are, if it has any.
    metrics: Option<String>,
}

/// The database of a bot that is started in this directory.
pub fn database(dir: &Path) -> PathBuf {
    dir.join("bench.db")
}

/// Starts Clifford on what is in `dir` already, if anything is.
///
/// # Errors
/// It cannot be started.
pub fn clifford(binary: &Path, world: &World, dir: &Path) -> anyhow::Result<Process> {
    clifford_with(binary, world, dir, "")
}

/// Starts Clifford with the rates that it has by default.
///
/// # Errors
/// It cannot be started.
pub fn clifford_at_rates(binary: &Path, world: &World, dir: &Path) -> anyhow::Result<Process> {
    started(binary, dir, |api| settings(world, dir, api).replace(UNLIMITED, ""))
}

/// The same, with more sections of settings.
///
/// # Errors
/// It cannot be started.
pub fn clifford_with(binary: &Path, world: &World, dir: &Path, more: &str) -> anyhow::Result<Process> {
    started(binary, dir, |api| settings(world, dir, api) + more)
}

fn started(binary: &Path, dir: &Path, settings: impl FnOnce(SocketAddr) -> String) -> anyhow::Result<Process> {
    let config = dir.join("bot.toml");
    // Free a moment ago, and nobody else on this machine asks for that very port.
    let api = TcpListener::bind(("127.0.0.1", 0))?.local_addr()?;
    std::fs::write(&config, settings(api)).with_context(|| format!("{} cannot be written", config.display()))?;
    let mut command = Command::new(binary);
    command.arg("serve").arg("--config").arg(&config).current_dir(dir);
    // Nothing of this shell's settings counts.
    command.env_clear().env("CLIFFORD_API_TOKEN", TOKEN);
    let mut process = start(command)?;
    process.metrics = Some(format!("http://{api}/metrics"));
    Ok(process)
}

fn settings(world: &World, dir: &Path, api: SocketAddr) -> String {
    format!(
        r#"
[database]
url = "sqlite:{database}"
synchronous = "full"
[data]
dir = "{data}"
[http]
bind = "{api}"
[log]
level = "error"
[ingress]
user_messages_per_minute = 0
[delivery]
progress_after_seconds = 0
[channels.telegram]
token = "{token}"
api_url = "{telegram}"
access = "open"
{UNLIMITED}[[llm.providers]]
name = "bench"
kind = "openai"
base_url = "{model}"
model = "bench"
key = "none"
"#,
        database = database(dir).display(),
        data = dir.display(),
        token = world.telegram.token(),
        telegram = world.telegram.api_url(),
        model = world.model.base_url(),
    )
}

/// Asks Clifford one question by `clifford ask`, and waits for its end.
///
/// # Errors
/// It cannot be started, or did not answer.
pub async fn ask(binary: &Path, model: &str, dir: &Path, question: &str) -> anyhow::Result<()> {
    let config = dir.join("bot.toml");
    let settings = format!(
        "[data]\ndir = \"{}\"\n[[llm.providers]]\nname = \"bench\"\nbase_url = \"{model}\"\nmodel = \"bench\"\n",
        dir.display()
    );
    std::fs::write(&config, settings).with_context(|| format!("{} cannot be written", config.display()))?;
    let mut command = Command::new(binary);
    command
        .args(["ask", question, "--config"])
        .arg(&config)
        .current_dir(dir);
    let output = command.env_clear().env("HOME", dir).output().await?;
    let errors = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "clifford ask failed: {errors}");
    Ok(())
}

/// Starts the bare loop, with the calls that Clifford makes.
///
/// # Errors
/// It cannot be started.
pub fn bare(world: &World, dir: &Path, bodies: &Bodies) -> anyhow::Result<Process> {
    let orders = Orders {
        telegram: format!("{}/bot{}", world.telegram.api_url(), world.telegram.token()),
        model: format!("{}/chat/completions", world.model.base_url()),
        database: database(dir),
        bodies: bodies.clone(),
    };
    let path = dir.join("bare.json");
    std::fs::write(&path, serde_json::to_vec(&orders)?)
        .with_context(|| format!("{} cannot be written", path.display()))?;
    let mut command = Command::new(std::env::current_exe()?);
    command.arg("bare").arg(&path);
    start(command)
}

fn start(mut command: Command) -> anyhow::Result<Process> {
    let started = Instant::now();
    let child = command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .kill_on_drop(true)
        .spawn()
        .with_context(|| format!("{} cannot be started", command.as_std().get_program().display()))?;
    Ok(Process {
        child,
        started,
        metrics: None,
    })
}

impl Process {
    /// Ends it at once, as `kill -9` does.
    ///
    /// # Errors
    /// It had ended by itself.
    pub async fn kill(mut self) -> anyhow::Result<()> {
        if let Some(status) = self.child.try_wait()? {
            bail!("the process under measurement ended by itself: {status}");
        }
        Ok(self.child.kill().await?)
    }

    /// The memory that it holds now, in MB.
    ///
    /// # Errors
    /// It has ended.
    pub fn resident(&self) -> anyhow::Result<f64> {
        self.megabytes("VmRSS:")
    }

    /// The most that it has held in memory so far, in MB.
    ///
    /// # Errors
    /// It has ended.
    pub fn most_resident(&self) -> anyhow::Result<f64> {
        self.megabytes("VmHWM:")
    }

    fn megabytes(&self, field: &str) -> anyhow::Result<f64> {
        let status = self.proc("status")?;
        let line = status.lines().find_map(|line| line.strip_prefix(field));
        let kilobytes: f64 = line
            .and_then(|line| line.split_whitespace().next())
            .with_context(|| format!("/proc tells no {field}"))?
            .parse()?;
        Ok(kilobytes / 1024.0)
    }

    /// How many files, sockets and the like it has open.
    ///
    /// # Errors
    /// It has ended.
    pub fn handles(&self) -> anyhow::Result<usize> {
        let id = self.child.id().context("the process under measurement has ended")?;
        Ok(std::fs::read_dir(format!("/proc/{id}/fd"))?.count())
    }

    /// Its metrics now.
    ///
    /// # Errors
    /// It does not tell.
    pub async fn metrics(&self) -> anyhow::Result<Metrics> {
        let url = self.metrics.as_ref().context("a bare loop has no metrics")?;
        let answer = reqwest::Client::new().get(url).bearer_auth(TOKEN).send().await?;
        Ok(Metrics(answer.error_for_status()?.text().await?))
    }

    /// The answer of its API to JSON.
    ///
    /// # Errors
    /// It does not answer, or refuses.
    pub async fn post(&self, path: &str, body: &serde_json::Value) -> anyhow::Result<serde_json::Value> {
        let request = reqwest::Client::new().post(self.api(path)?).json(body);
        Ok(request
            .bearer_auth(TOKEN)
            .send()
            .await?
            .error_for_status()?
            .json()
            .await?)
    }

    /// The answer of its API, whose body is still to be read.
    ///
    /// # Errors
    /// It does not answer, or refuses.
    pub async fn get(&self, path: &str) -> anyhow::Result<reqwest::Response> {
        let request = reqwest::Client::new().get(self.api(path)?).bearer_auth(TOKEN);
        Ok(request.send().await?.error_for_status()?)
    }

    fn api(&self, path: &str) -> anyhow::Result<String> {
        let metrics = self.metrics.as_ref().context("a bare loop has no API")?;
        Ok(metrics.trim_end_matches("/metrics").to_owned() + path)
    }

    /// The processor's time that it has used so far.
    ///
    /// # Errors
    /// It has ended.
    pub fn processor_time(&self) -> anyhow::Result<Duration> {
        let stat = self.proc("stat")?;
        // The name in parentheses may hold anything; the fields are counted from behind it.
        let fields: Vec<_> = stat
            .rsplit_once(')')
            .map(|(_, rest)| rest.split_whitespace().collect())
            .unwrap_or_default();
        let ticks = |place: usize| fields.get(place).and_then(|field| field.parse::<f64>().ok());
        let used = ticks(11).zip(ticks(12)).context("/proc tells no processor time")?;
        Ok(Duration::from_secs_f64((used.0 + used.1) / TICKS))
    }

    fn proc(&self, file: &str) -> anyhow::Result<String> {
        let id = self.child.id().context("the process under measurement has ended")?;
        Ok(std::fs::read_to_string(format!("/proc/{id}/{file}"))?)
    }
}

/// The metrics of a process, in Prometheus' text format.
pub struct Metrics(String);

impl Metrics {
    /// The value of a series, by its name with its labels as they stand there.
    pub fn value(&self, series: &str) -> Option<f64> {
        let mut lines = self.0.lines();
        let value = lines.find_map(|line| line.strip_prefix(series)?.strip_prefix(' '))?;
        value.trim().parse().ok()
    }
}

/// The binary to measure: the one that was named, or Clifford's own next to this one, built now from what the sources
/// are, if cargo runs this.
///
/// # Errors
/// It cannot be built, or there is none.
pub async fn binary(named: Option<PathBuf>) -> anyhow::Result<PathBuf> {
    match named {
        Some(path) => Ok(path),
        None => built().await,
    }
}

async fn built() -> anyhow::Result<PathBuf> {
    let binary = std::env::current_exe()?.with_file_name("clifford");
    if let Some(cargo) = std::env::var_os("CARGO") {
        let mut command = Command::new(cargo);
        command.args(["build", "--quiet", "--package", "clifford", "--bin", "clifford"]);
        if !cfg!(debug_assertions) {
            command.arg("--release");
        }
        let status = command.status().await.context("cargo cannot be run")?;
        ensure!(status.success(), "the binary that is to be measured could not be built");
    }
    ensure!(
        binary.exists(),
        "there is no {}: build it with `cargo build --release -p clifford`, or name one with --clifford",
        binary.display()
    );
    Ok(binary)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_series_is_found_by_its_whole_name() {
        let metrics = Metrics("# TYPE a gauge\na_total 1\na 2\na{le=\"0.25\"} 3\n".to_owned());
        assert_eq!(metrics.value("a"), Some(2.0));
        assert_eq!(metrics.value("a{le=\"0.25\"}"), Some(3.0));
        assert_eq!(metrics.value("b"), None);
    }
}
