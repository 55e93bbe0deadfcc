//! `settings.md`: the settings at run time.

use std::fmt::Write;

use clifford_tools::settings::catalogue::{CATALOGUE, Kind};

use super::{cell, compare};

const HEAD: &str = "\
# Reference: settings while the bot runs

These settings are rows of the database: they hold at once, without a restart. `clifford settings`, `/api/settings` and `/settings` in a chat change them.
A test generates this page from the code.

```sh
clifford settings list
clifford settings set bot when_busy steer
```

A scope is `bot`, `space:ID`, `channel:ID` or `user:ID`. A narrower scope overrides a wider one. Where nothing is set,
[`bot.toml`](configuration.md) decides.

| setting | scopes | values | effect |
| --- | --- | --- | --- |
";

const TAIL: &str = "
Two more kinds of settings are changed while the bot runs: [options of tools](tools.md) and
[rules](../how-to/write-rules.md).
";

fn page() -> String {
    let mut text = HEAD.to_owned();
    for known in CATALOGUE {
        let values = match known.kind {
            Kind::Word(words) => words
                .iter()
                .map(|word| format!("`{word}`"))
                .collect::<Vec<_>>()
                .join(", "),
            Kind::Switch => "`on`, `off`".to_owned(),
            Kind::Number(most) => format!("0 to {most}"),
            Kind::Language => "a BCP 47 tag, such as `de`".to_owned(),
            Kind::TimeZone => "an IANA name, such as `Europe/Berlin`".to_owned(),
            Kind::Name => "a name".to_owned(),
            Kind::Text(most) => format!("a text of up to {most} characters"),
            Kind::List => "names with commas between them".to_owned(),
            Kind::Budget => "an amount, such as `5/month` or `0.5/day`".to_owned(),
        };
        let scopes: Vec<_> = known.scopes.iter().map(|scope| format!("`{scope}`")).collect();
        let (name, told) = (known.name, cell(known.description));
        writeln!(text, "| `{name}` | {} | {values} | {told} |", scopes.join(", ")).unwrap();
    }
    text + TAIL
}

#[test]
fn the_page_of_settings_is_what_the_catalogue_says() {
    compare("settings.md", &page());
}
