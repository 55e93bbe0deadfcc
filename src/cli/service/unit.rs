//! Units of systemd: where they are, and their text for this machine.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use anyhow::{anyhow, bail};

/// The unit's name.
pub(in crate::cli) const NAME: &str = "clifford.service";

/// The units as packages hold them: `ExecStart` and the like name the paths of a package.
const SYSTEM: &str = include_str!("../../../packaging/clifford.service");
const USER: &str = include_str!("../../../packaging/clifford.user.service");

/// Where the units of the machine are: those of its administrator, and those of packages.
const PLACES: [&str; 3] = ["/etc/systemd/system", "/usr/lib/systemd/system", "/lib/systemd/system"];

/// The user of the service.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::cli) enum Scope {
    /// The machine's.
    System,
    /// One person's.
    User,
}

impl Scope {
    pub(in crate::cli) const fn of(system: bool) -> Self {
        if system { Self::System } else { Self::User }
    }

    pub(in crate::cli) const fn as_str(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::User => "user",
        }
    }

    /// Where `install` writes the unit.
    ///
    /// # Errors
    /// The person has no directory of settings.
    pub(super) fn path(self, env: &BTreeMap<String, String>) -> anyhow::Result<PathBuf> {
        match self {
            Self::System => Ok(Path::new(PLACES[0]).join(NAME)),
            Self::User => user_path(env).ok_or_else(|| anyhow!("there is no HOME: set it, or use --system")),
        }
    }

    /// A call of systemctl.
    pub(super) fn systemctl(self, args: &[&str]) -> Vec<String> {
        let mut call = vec!["systemctl".to_owned()];
        if self == Self::User {
            call.push("--user".to_owned());
        }
        call.extend(args.iter().map(|arg| (*arg).to_owned()));
        call
    }

    /// The answer of systemctl to a question about the unit, in a word.
    pub(super) fn ask(self, question: &str) -> String {
        let call = self.systemctl(&[question, NAME]);
        let asked = Command::new(&call[0])
            .args(&call[1..])
            .stdin(Stdio::null())
            .stderr(Stdio::null())
            .output();
        let word = asked.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned());
        word.ok()
            .filter(|word| !word.is_empty())
            .unwrap_or_else(|| "unknown".to_owned())
    }
}

fn user_path(env: &BTreeMap<String, String>) -> Option<PathBuf> {
    let config = clifford_config::config_dir(env)?;
    Some(config.parent()?.join("systemd/user").join(NAME))
}

/// The units that are there.
pub(in crate::cli) fn installed(env: &BTreeMap<String, String>) -> Vec<(Scope, PathBuf)> {
    let user = user_path(env).into_iter().map(|path| (Scope::User, path));
    let system = PLACES.iter().map(|place| (Scope::System, Path::new(place).join(NAME)));
    let mut found: Vec<(Scope, PathBuf)> = user.chain(system).filter(|(_, path)| path.exists()).collect();
    // /lib may be /usr/lib, and the administrator's unit comes before a package's.
    found.dedup_by_key(|(scope, _)| *scope);
    found
}

/// The unit for this program and these settings.
///
/// # Errors
/// A path cannot stand in a unit.
pub(super) fn text(scope: Scope, binary: &Path, config: Option<&Path>) -> anyhow::Result<String> {
    let binary = quoted(binary)?;
    let config = match config {
        Some(path) => format!(" --config {}", quoted(path)?),
        None => String::new(),
    };
    let template = match scope {
        Scope::System => SYSTEM,
        Scope::User => USER,
    };
    let lines = template
        .lines()
        .filter(|line| !line.starts_with('#') || !line.contains("clifford service install"));
    let lines = lines.map(|line| {
        let Some((key, value)) = line
            .split_once('=')
            .filter(|(_, value)| value.starts_with("/usr/bin/clifford "))
        else {
            return line.to_owned();
        };
        let command = value.split(" --config ").next().unwrap_or(value);
        let command = command.replacen("/usr/bin/clifford", &binary, 1);
        format!("{key}={command}{config}")
    });
    let mut text: String = lines.map(|line| line + "\n").collect();
    if scope == Scope::System && config.contains("/home/") {
        bail!("a service of the machine cannot read settings in /home; put bot.toml into /etc/clifford");
    }
    if scope == Scope::System && binary.contains("/home/") {
        bail!("a service of the machine cannot run a program in /home; put clifford into /usr/local/bin");
    }
    text.insert_str(0, "# Written by `clifford service install`.\n");
    Ok(text)
}

/// A path as a word of a command in a unit.
fn quoted(path: &Path) -> anyhow::Result<String> {
    let text = path.to_str().filter(|text| !text.chars().any(char::is_control));
    let Some(text) = text else {
        bail!("the path {} cannot stand in a unit", path.display());
    };
    let text = text.replace('%', "%%").replace('$', "$$");
    if text
        .chars()
        .any(|c| c.is_whitespace() || matches!(c, '"' | '\'' | '\\' | ';'))
    {
        return Ok(format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"")));
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_unit_runs_this_program_with_these_settings() {
        let unit = text(
            Scope::User,
            Path::new("/opt/my bots/clifford"),
            Some(Path::new("/home/ada/100%/bot.toml")),
        );
        let unit = unit.unwrap();
        for line in [
            "ExecStart=\"/opt/my bots/clifford\" serve --config /home/ada/100%%/bot.toml",
            "ExecReload=\"/opt/my bots/clifford\" config check --config /home/ada/100%%/bot.toml",
            "ExecReload=/bin/kill -HUP $MAINPID",
            "WantedBy=default.target",
        ] {
            assert!(unit.lines().any(|own| own == line), "{line} is not in\n{unit}");
        }
        let unit = text(Scope::System, Path::new("/usr/bin/clifford"), None).unwrap();
        assert!(
            unit.lines().any(|line| line == "ExecStart=/usr/bin/clifford serve"),
            "{unit}"
        );
        assert!(unit.contains("ProtectSystem=strict"), "{unit}");
    }

    #[test]
    fn a_service_of_the_machine_reads_no_settings_and_runs_no_program_of_a_person() {
        let path = Path::new("/home/ada/bot.toml");
        assert!(text(Scope::System, Path::new("/usr/bin/clifford"), Some(path)).is_err());
        assert!(text(Scope::User, Path::new("/usr/bin/clifford\n"), None).is_err());
        let own = Path::new("/home/ada/.local/bin/clifford");
        assert!(text(Scope::System, own, None).is_err());
        assert!(text(Scope::User, own, None).is_ok());
    }
}
