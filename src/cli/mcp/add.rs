//! `clifford mcp add`: a server is connected to before it is written down, and its owner says once what its tools may do
//! where the server does not.
//!
//! Questions are lines, and so are answers: a person types them, a script pipes them, and `--yes` asks none.

use std::{
    collections::BTreeMap,
    io::{BufRead, Write},
};

use anyhow::{anyhow, bail};
use clifford_core::policy::class::Class;
use clifford_tools::{
    Services,
    mcp::{self, About, Surveyed},
};
use serde_json::json;
use toml_edit::{Array, InlineTable, Table, value};

use super::file::SettingsFile;
use crate::cli::{
    output,
    setup::{self, Globals},
};

/// Arguments of `mcp add`.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The name of its tool: letters, digits, `_` and `-`.
    name: String,
    /// The address, for a server that speaks over HTTP.
    #[arg(long, conflicts_with = "command", required_unless_present = "command", value_parser = address)]
    url: Option<String>,
    /// The variable of the environment that holds its token.
    #[arg(long, value_name = "VARIABLE", requires = "url")]
    token_env: Option<String>,
    /// The program, for a server that speaks over its standard input and output.
    #[arg(long)]
    command: Option<String>,
    /// A variable of the environment that the program gets; can be repeated.
    #[arg(long, value_name = "VARIABLE", requires = "command")]
    env: Vec<String>,
    /// The class of a tool: READ, WRITE, DESTRUCT or SENSITIVE; a `*` at the end of its name stands for anything. Can be
    /// repeated.
    #[arg(long, value_name = "TOOL=CLASS", value_parser = classed)]
    class: Vec<(String, Class)>,
    /// A tool whose results nobody but you or the service writes; can be repeated.
    #[arg(long, value_name = "TOOL")]
    trust: Vec<String>,
    /// Ask nothing: a tool that does not say what it may do counts as DESTRUCT.
    #[arg(long, short)]
    yes: bool,
    /// Print JSON, for programs: with --yes.
    #[arg(long, requires = "yes")]
    json: bool,
    /// The program's arguments, behind `--`.
    #[arg(last = true, requires = "command")]
    args: Vec<String>,
}

const CLASSES: [(&str, Class); 4] = [
    ("READ", Class::Read),
    ("WRITE", Class::Write),
    ("DESTRUCT", Class::Destruct),
    ("SENSITIVE", Class::Sensitive),
];

fn class(text: &str) -> Option<Class> {
    let named = CLASSES.iter().find(|(name, _)| name.eq_ignore_ascii_case(text.trim()));
    named.map(|(_, class)| *class)
}

fn name(class: Class) -> &'static str {
    let named = CLASSES.iter().find(|(_, other)| *other == class);
    named.map_or("DESTRUCT", |(name, _)| name)
}

fn address(text: &str) -> Result<String, String> {
    let is_one = ["http://", "https://"].iter().any(|scheme| text.starts_with(scheme));
    is_one
        .then(|| text.to_owned())
        .ok_or_else(|| "write an address, such as https://mcp.example.com/mcp".to_owned())
}

fn classed(text: &str) -> Result<(String, Class), String> {
    let found = text
        .split_once('=')
        .and_then(|(tool, given)| Some((tool.to_owned(), class(given)?)));
    found.ok_or_else(|| "write TOOL=CLASS, such as send_mail=SENSITIVE".to_owned())
}

/// The owner's decisions about a server's tools.
#[derive(Default)]
struct Decided {
    classes: BTreeMap<String, Class>,
    trusted: Vec<String>,
}

pub(super) async fn run(globals: &Globals, args: Args) -> anyhow::Result<()> {
    let mut file = SettingsFile::open(globals)?;
    if file.names().contains(&args.name) {
        bail!(
            "there is an MCP server `{}` already; `clifford mcp remove {0}` takes it out, or choose another name",
            args.name
        );
    }
    let mut decided = Decided {
        classes: args.class.iter().cloned().collect(),
        trusted: args.trust.clone(),
    };
    file.put(section(&args, &decided))?;
    let (about, tools) = survey(globals, &file, &args.name).await?;
    let (title, version) = (output::cell(&about.name), output::cell(&about.version));
    if !args.json {
        let offered = output::count(tools.len(), "tool", None);
        output::print(&format!("{title} {version} offers {offered}:"))?;
        print_tools(&tools)?;
    }
    check_names(&args, &tools)?;
    if !args.yes {
        ask(&tools, &mut decided)?;
    }
    file.put(section(&args, &decided))?;
    file.save(globals)?;
    if args.json {
        let offered: Vec<_> = (tools.iter())
            .map(|tool| json!({ "name": tool.name, "class": name(tool.class) }))
            .collect();
        return output::json(&json!({
            "name": args.name, "server": about.name, "version": about.version, "tools": offered, "path": file.path(),
        }));
    }
    output::print(&format!("\n{} is in {}.", args.name, file.path().display()))
}

/// Asks the server what it offers, by the settings as they would be.
async fn survey(globals: &Globals, file: &SettingsFile, server: &str) -> anyhow::Result<(About, Vec<Surveyed>)> {
    let loaded = file.preview(globals)?;
    let services = Services {
        secrets: loaded.secrets(&setup::environment())?.tools,
        config: loaded.config.tools,
        ..Services::default()
    };
    let endpoint = mcp::endpoints(&services)
        .into_iter()
        .find(|endpoint| endpoint.name == server);
    let endpoint = endpoint.ok_or_else(|| anyhow!("{server} is not used by these settings"))?;
    (mcp::survey(&endpoint).await).map_err(|why| anyhow!("{server} cannot be used, and nothing was written: {why}"))
}

fn print_tools(tools: &[Surveyed]) -> anyhow::Result<()> {
    let rows = tools.iter().map(|tool| {
        let says = if tool.says.is_empty() { "nothing" } else { &tool.says };
        [tool.name.clone(), says.to_owned(), name(tool.class).to_owned()]
    });
    output::table(["TOOL", "SAYS", "CLASS"], rows.collect(), "it offers no tools")
}

/// A flag that names no tool is a mistake.
fn check_names(args: &Args, tools: &[Surveyed]) -> anyhow::Result<()> {
    let covers = |entry: &str, tool: &str| {
        let beginning = entry.strip_suffix('*');
        beginning.map_or(entry == tool, |beginning| tool.starts_with(beginning))
    };
    let named = args.class.iter().map(|(tool, _)| tool).chain(&args.trust);
    let unknown = named.filter(|entry| !tools.iter().any(|tool| covers(entry, &tool.name)));
    match unknown.map(|entry| &**entry).collect::<Vec<_>>()[..] {
        [] => Ok(()),
        ref names => bail!("{} offers no tool {}", args.name, names.join(", ")),
    }
}

/// Asks what each tool may do that does not say so, and whose results can be trusted.
fn ask(tools: &[Surveyed], decided: &mut Decided) -> anyhow::Result<()> {
    let mut lines = std::io::stdin().lock().lines();
    let mut answer = |question: &str| -> anyhow::Result<String> {
        let mut out = std::io::stdout();
        write!(out, "{question} ")?;
        out.flush()?;
        let line = lines.next().transpose()?;
        line.map(|line| line.trim().to_owned())
            .ok_or_else(|| anyhow!("stopped; nothing was written (--yes asks nothing)"))
    };
    let is_set = |tool: &Surveyed, decided: &Decided| {
        decided.classes.keys().any(|entry| match entry.strip_suffix('*') {
            Some(beginning) => tool.name.starts_with(beginning),
            None => *entry == tool.name,
        })
    };
    let silent: Vec<_> = (tools.iter())
        .filter(|tool| tool.says.is_empty() && !is_set(tool, decided))
        .collect();
    if !silent.is_empty() {
        output::print(
            "\nREAD only reads; WRITE can be changed back; DESTRUCT and SENSITIVE are always asked for. Enter: DESTRUCT.",
        )?;
    }
    for tool in silent {
        let chosen = loop {
            match &*answer(&format!("The class of {}? [READ/WRITE/DESTRUCT/SENSITIVE]", tool.name))? {
                "" => break Class::Destruct,
                text => match class(text) {
                    Some(class) => break class,
                    None => output::print("Write one of READ, WRITE, DESTRUCT, SENSITIVE.")?,
                },
            }
        };
        decided.classes.insert(tool.name.clone(), chosen);
    }
    if tools.is_empty() || !decided.trusted.is_empty() {
        return Ok(());
    }
    output::print(
        "\nResults can hold what strangers wrote: then the bot asks before it changes anything. Name the tools whose \
         results nobody but you or the service writes.",
    )?;
    decided.trusted = loop {
        let line = answer("Trusted tools, with spaces between, or Enter for none:")?;
        let named: Vec<_> = (line.split([' ', ',']))
            .filter(|name| !name.is_empty())
            .map(str::to_owned)
            .collect();
        let unknown = named.iter().find(|name| !tools.iter().any(|tool| tool.name == **name));
        match unknown {
            None => break named,
            Some(name) => output::print(&format!("It offers no tool {}.", output::cell(name)))?,
        }
    };
    Ok(())
}

/// The section of a server.
fn section(args: &Args, decided: &Decided) -> Table {
    let mut server = Table::new();
    let list = |items: &[String]| items.iter().map(String::as_str).collect::<Array>();
    let variable = |name: &str| {
        let mut source = InlineTable::new();
        source.insert("env", name.into());
        source
    };
    server["name"] = value(&args.name);
    if let Some(url) = &args.url {
        server["url"] = value(url);
    }
    if let Some(token) = &args.token_env {
        server["token"] = value(variable(token));
    }
    if let Some(command) = &args.command {
        server["command"] = value(command);
    }
    if !args.args.is_empty() {
        server["args"] = value(list(&args.args));
    }
    if !args.env.is_empty() {
        let all = args
            .env
            .iter()
            .map(|name| (name.as_str(), toml_edit::Value::from(variable(name))));
        server["env"] = value(all.collect::<InlineTable>());
    }
    if !decided.classes.is_empty() {
        let all = decided
            .classes
            .iter()
            .map(|(tool, class)| (tool.as_str(), name(*class)));
        server["classes"] = value(all.collect::<InlineTable>());
    }
    if !decided.trusted.is_empty() {
        server["trusted"] = value(list(&decided.trusted));
    }
    server
}
