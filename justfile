# `just` lists these. `.ci/run` is what decides whether a change lands.

[private]
default:
    @just --list

# Formatting, lints, layers and docs: a few minutes
check:
    .ci/run formatting lints layers docs dependencies

# All tests, or those whose names hold the words: `just test budgets`
test *words:
    cargo test --workspace -- {{words}}

# Storms of seeds that nobody chose, on both databases: `just storm 3`
storm count="1":
    .ci/storms {{count}}

# Writes bot.toml.example anew
example:
    UPDATE_DOCS=1 cargo test --package clifford --lib -- reference::example

# Writes the generated pages of docs/reference anew, and the example
reference:
    UPDATE_DOCS=1 cargo test --workspace --lib -- reference

# The documentation of every crate, in a browser
docs:
    cargo doc --workspace --no-deps --open

# The documentation as a site, in target/book
book:
    .ci/run book

# The dashboard in Chromium: every figure, or some parts: `just look pages keyboard`
look *parts:
    cargo build && tests/browser/look {{parts}}

# The pictures of the documentation anew (needs chromium, chromedriver and tmux)
images:
    cargo build && tests/browser/look --images docs/images

# Every figure, as a table
bench *arguments:
    cargo run --release --package clifford-bench -- {{arguments}}
