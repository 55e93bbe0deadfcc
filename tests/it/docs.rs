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

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The pages of a directory, those below it included.
fn pages(dir: &Path) -> Vec<PathBuf> {
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
}

#[test]
fn the_index_names_every_page() {
    let docs = root().join("docs");
    let named: BTreeSet<_> = links(&read(&docs.join("README.md")))
        .into_iter()
        .map(|link| docs.join(link))
        .collect();
    let missing: Vec<_> = pages(&docs).into_iter().filter(|path| !named.contains(path)).collect();
    assert_eq!(missing, [docs.join("README.md")]);
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

fn sources(dir: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(dir).unwrap_or_else(|error| panic!("{}: {error}", dir.display()));
    let paths = entries.map(|entry| entry.unwrap().path());
    paths
        .flat_map(|path| if path.is_dir() { sources(&path) } else { vec![path] })
        .filter(|path| path.extension().is_some_and(|ending| ending == "rs"))
        .collect()
}
