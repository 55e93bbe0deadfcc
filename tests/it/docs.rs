//! The documentation as files: every page says its kind, the index names it, and every link leads somewhere.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

/// The directories of the four kinds, and how the first line of a page begins.
const KINDS: [(&str, &str); 4] = [
    ("tutorials", "# Tutorial: "),
    ("how-to", "# How to "),
    ("reference", "# Reference: "),
    ("explanation", "# Explanation: "),
];

pub fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

pub fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The pages of a directory, those below it included.
pub fn pages(dir: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(dir).unwrap_or_else(|error| panic!("{}: {error}", dir.display()));
    let paths = entries.map(|entry| entry.unwrap().path());
    paths
        .flat_map(|path| if path.is_dir() { pages(&path) } else { vec![path] })
        .filter(|path| path.extension().is_some_and(|ending| ending == "md"))
        .collect()
}

/// A page without its blocks of code.
fn prose(page: &str) -> String {
    let mut inside = false;
    let lines = page.lines().filter(|line| {
        let fence = line.trim_start().starts_with("```");
        inside ^= fence;
        !inside && !fence
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// The targets of a page's links.
fn links(page: &str) -> Vec<String> {
    let prose = prose(page);
    let targets = prose.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    targets.map(str::to_owned).collect()
}

/// The anchors of a page, as GitHub makes them of its headings.
fn anchors(page: &str) -> BTreeSet<String> {
    let prose = prose(page);
    let headings = prose.lines().filter(|line| line.starts_with('#'));
    let slug = |heading: &str| {
        let text = heading.trim_start_matches('#').trim().to_lowercase();
        let kept = text
            .chars()
            .filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
        kept.map(|c| if c == ' ' { '-' } else { c }).collect::<String>()
    };
    headings.map(slug).collect()
}

#[test]
fn every_page_says_its_kind_on_its_first_line() {
    for (dir, beginning) in KINDS {
        let pages = pages(&root().join("docs").join(dir));
        assert!(pages.len() >= 3, "{dir}: {} pages", pages.len());
        for path in pages {
            assert!(
                read(&path).starts_with(beginning),
                "{} does not begin with {beginning:?}",
                path.display()
            );
        }
    }
    let beside = [
        ("ADDING-A-TOOL.md", "# How to "),
        ("ADDING-A-CHANNEL.md", "# How to "),
        ("ARCHITECTURE.md", "# Explanation: "),
    ];
    for (name, beginning) in beside {
        let page = read(&root().join("docs").join(name));
        assert!(page.starts_with(beginning), "{name} does not begin with {beginning:?}");
    }
}

#[test]
fn the_index_names_every_page() {
    let docs = root().join("docs");
    let named: BTreeSet<_> = links(&read(&docs.join("README.md")))
        .into_iter()
        .map(|link| docs.join(link))
        .collect();
    let mut missing: Vec<_> = pages(&docs).into_iter().filter(|path| !named.contains(path)).collect();
    missing.sort();
    assert_eq!(missing, [docs.join("README.md"), docs.join("SUMMARY.md")]);
}

/// A line of the site's contents: the title without its kind, and the path.
fn entry(docs: &Path, path: &Path) -> String {
    let page = read(path);
    let title = page.lines().next().unwrap_or_default();
    let kind = KINDS.iter().find_map(|(_, beginning)| title.strip_prefix(beginning));
    let mut title = kind.unwrap_or_else(|| title.trim_start_matches("# ")).to_owned();
    if let Some(first) = title.get(..1) {
        title = first.to_uppercase() + title.get(1..).unwrap_or_default();
    }
    format!("- [{title}]({})", path.strip_prefix(docs).unwrap().display())
}

/// `docs/SUMMARY.md`, the contents of the site, is made of the pages' first lines.
#[test]
fn the_contents_of_the_site_are_what_the_pages_say() {
    let docs = root().join("docs");
    let of = |dir: &str| {
        let mut paths = pages(&docs.join(dir));
        paths.sort();
        paths.iter().map(|path| entry(&docs, path)).collect::<Vec<_>>()
    };
    let mut lines = vec![
        "# Contents".to_owned(),
        String::new(),
        "[Clifford](README.md)".to_owned(),
    ];
    for (dir, heading) in [
        ("tutorials", "Tutorials"),
        ("how-to", "How to"),
        ("explanation", "How it works"),
        ("reference", "Reference"),
    ] {
        lines.extend([String::new(), format!("# {heading}"), String::new()]);
        lines.extend(of(dir));
    }
    lines.extend([String::new(), "# For contributors".to_owned(), String::new()]);
    let beside = ["ARCHITECTURE.md", "ADDING-A-TOOL.md", "ADDING-A-CHANNEL.md"];
    lines.extend(beside.map(|name| entry(&docs, &docs.join(name))));
    let expected = lines.join("\n") + "\n";
    let path = docs.join("SUMMARY.md");
    if std::env::var_os("UPDATE_DOCS").is_some() {
        fs::write(&path, &expected).unwrap();
    }
    let here = fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(
        here, expected,
        "write it anew: UPDATE_DOCS=1 cargo test --test it -- docs::the_contents"
    );
}

#[test]
fn every_link_of_the_documentation_leads_somewhere() {
    let mut dead = Vec::new();
    let mut followed = 0;
    let top = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md"].map(|name| root().join(name));
    for path in pages(&root().join("docs")).into_iter().chain(top) {
        let page = read(&path);
        for link in links(&page)
            .into_iter()
            .filter(|link| !link.contains("://") && !link.starts_with("mailto:"))
        {
            let (file, anchor) = link.split_once('#').unwrap_or((&link, ""));
            let target = if file.is_empty() {
                path.clone()
            } else {
                path.parent().unwrap().join(file)
            };
            let found = target.exists() && (anchor.is_empty() || anchors(&read(&target)).contains(anchor));
            if !found {
                dead.push(format!("{}: {link}", path.display()));
            }
            followed += 1;
        }
    }
    assert_eq!(dead, Vec::<String>::new());
    assert!(followed > 100, "{followed} links");
}

#[test]
fn every_page_that_the_code_names_is_there() {
    let mut named = 0;
    for dir in ["src", "crates", "channels"] {
        for path in sources(&root().join(dir)) {
            let text = read(&path);
            for rest in text.split("docs/").skip(1) {
                let name: String = rest
                    .chars()
                    .take_while(|c| c.is_ascii_alphanumeric() || "/-_.".contains(*c))
                    .collect();
                let name = name.trim_end_matches('.');
                if name.ends_with(".md") && !path.ends_with("markup/tests/flavors.rs") {
                    assert!(
                        root().join("docs").join(name).exists(),
                        "{} names docs/{name}",
                        path.display()
                    );
                    named += 1;
                }
            }
        }
    }
    assert!(named > 3, "{named} pages");
}

/// The message of a log line as a page shows one, such as `2026-11-23T21:46:42Z  INFO serving the API address=…`.
fn logged(line: &str) -> Option<&str> {
    let (_, rest) = line.split_once("Z  INFO ").or_else(|| line.split_once("Z  WARN "))?;
    let end = rest
        .find('=')
        .map_or(rest.len(), |at| rest[..at].rfind(' ').unwrap_or(at));
    Some(&rest[..end])
}

#[test]
fn every_log_line_of_the_documentation_is_one_of_the_program() {
    let directories = ["crates", "channels", "src"].map(|name| sources(&root().join(name)));
    let code: Vec<_> = directories.into_iter().flatten().map(|path| read(&path)).collect();
    let mut seen = 0;
    for path in pages(&root().join("docs")) {
        let page = read(&path);
        for message in page.lines().filter_map(logged) {
            let literal = format!("\"{message}\"");
            let is_known = code.iter().any(|source| source.contains(&literal));
            assert!(is_known, "{}: {message}", path.display());
            seen += 1;
        }
    }
    assert!(seen > 0);
}

#[test]
fn the_documentation_shows_the_present_version_of_the_schema() {
    let newest = fs::read_dir(root().join("migrations/sqlite")).unwrap();
    let numbers = newest.filter_map(|entry| entry.unwrap().file_name().to_str()?.get(..4)?.parse::<u32>().ok());
    let shown = format!("schema version {},", numbers.max().unwrap());
    for page in ["tutorials/telegram.md", "tutorials/discord.md"] {
        assert!(
            read(&root().join("docs").join(page)).contains(&shown),
            "{page}: {shown}"
        );
    }
}

/// The account of how calls are judged is read in one go: one screenful of prose and tables, and one picture.
#[test]
fn the_account_of_the_policy_is_one_page_with_one_picture() {
    let page = read(&root().join("docs/explanation/policy.md"));
    let (lines, words) = (page.lines().count(), page.split_whitespace().count());
    assert!(lines <= 60 && words <= 1000, "{lines} lines, {words} words");
    assert_eq!(page.matches("![").count(), 1);
}

fn sources(dir: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(dir).unwrap_or_else(|error| panic!("{}: {error}", dir.display()));
    let paths = entries.map(|entry| entry.unwrap().path());
    paths
        .flat_map(|path| if path.is_dir() { sources(&path) } else { vec![path] })
        .filter(|path| path.extension().is_some_and(|ending| ending == "rs"))
        .collect()
}
