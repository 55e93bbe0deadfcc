//! The samples in the documentation: configurations are read, and command lines are parsed, as the binary does it.

use std::{
    fs,
    path::{Path, PathBuf},
};

use clifford_config::Config;

use super::docs;
use crate::cli;

/// Every page, with its path below the repository.
fn pages() -> Vec<(PathBuf, String)> {
    fn walk(dir: &Path, pages: &mut Vec<(PathBuf, String)>) {
        for entry in fs::read_dir(dir).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                walk(&path, pages);
            } else if path.extension().is_some_and(|ending| ending == "md") {
                let text = fs::read_to_string(&path).unwrap();
                pages.push((path, text));
            }
        }
    }
    let mut pages = vec![(
        docs().join("../README.md"),
        fs::read_to_string(docs().join("../README.md")).unwrap(),
    )];
    walk(&docs(), &mut pages);
    pages
}

/// The blocks of code in a language.
fn blocks<'a>(page: &'a str, language: &str) -> Vec<&'a str> {
    let fence = format!("```{language}\n");
    let blocks = page.split(fence.as_str()).skip(1);
    blocks.map(|rest| rest.split("```").next().unwrap()).collect()
}

#[test]
fn every_configuration_in_the_documentation_is_valid() {
    let mut read = 0;
    for (path, page) in pages() {
        for block in blocks(&page, "toml") {
            if let Err(errors) = Config::parse(block, &path, crate::app::PLATFORMS) {
                panic!("{}: {errors}\n{block}", path.display());
            }
            read += 1;
        }
    }
    assert!(read > 15, "{read} configurations");
}

#[test]
fn every_command_line_in_the_documentation_is_understood() {
    let mut parsed = 0;
    for (path, page) in pages() {
        for line in blocks(&page, "sh").into_iter().flat_map(str::lines) {
            let command = line.split(" | ").find_map(|part| part.trim().strip_prefix("clifford "));
            let Some(command) = command else { continue };
            let command = command
                .split(" #")
                .next()
                .unwrap()
                .split([';', '<', '>'])
                .next()
                .unwrap();
            let words = std::iter::once("clifford".to_owned()).chain(words(command));
            let outcome = cli::definition().try_get_matches_from(words);
            let fault = outcome.err().filter(clap::Error::use_stderr);
            assert!(fault.is_none(), "{}: {line}\n{}", path.display(), fault.unwrap());
            parsed += 1;
        }
    }
    assert!(parsed > 40, "{parsed} command lines");
}

/// The words of a command line, as a shell parts them.
fn words(command: &str) -> Vec<String> {
    let (mut words, mut quote) = (vec![String::new()], None);
    for sign in command.trim().chars() {
        match quote {
            Some(open) if sign == open => quote = None,
            None if sign == '\'' || sign == '"' => quote = Some(sign),
            None if sign == ' ' => words.push(String::new()),
            _ => words.last_mut().unwrap().push(sign),
        }
    }
    words.retain(|word| !word.is_empty());
    words
}
