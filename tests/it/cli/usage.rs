//! `clifford usage`.

use super::{Machine, serving::Server};

/// The cells of the row that begins with this.
fn row(table: &str, first: &str) -> Vec<String> {
    let line = table.lines().find(|line| line.starts_with(first));
    let cells = line.unwrap_or_else(|| panic!("{first} is not in {table}")).split("  ");
    let cells = cells.map(str::trim).filter(|cell| !cell.is_empty());
    cells.map(str::to_owned).collect()
}

#[test]
fn the_calls_of_tools_are_summed_up_by_tool() {
    let machine = Machine::new();
    machine.run(["ask", "hello"]).succeeds();
    assert_eq!(
        machine.run(["usage", "--by", "tool"]).succeeds(),
        "no tool calls found in this time\n"
    );
    for question in ["what is 17 * 23?", "what is 2 + 2?"] {
        machine.run(["ask", question]).succeeds();
    }
    let table = machine.run(["usage", "--by", "tool"]).succeeds();
    assert!(table.starts_with("TOOL"), "{table}");
    let called = row(&table, "compute.eval");
    assert_eq!((called[1].as_str(), called[2].as_str()), ("2", "0"), "{table}");
    assert_eq!(called.len(), 7, "{table}");

    // The same as data, for one person, and of a time in which nothing was called.
    let told = machine.run(["usage", "--by", "tool", "--user", "you", "--json"]).json();
    let of_tool = &told["usage"][0];
    assert_eq!(
        (&of_tool["tool"], &of_tool["calls"], &of_tool["failures"]),
        (&"compute.eval".into(), &2.into(), &0.into()),
        "{told}"
    );
    assert_eq!(told["feedback"]["liked"], 0, "{told}");
    let none = machine
        .run(["usage", "--by", "tool", "--since", "2999-01-01", "--json"])
        .json();
    assert_eq!(none["usage"], serde_json::json!([]));
    let nobody = machine.run(["usage", "--by", "tool", "--user", "nobody"]);
    assert_eq!((nobody.code, nobody.out.as_str()), (1, ""), "{nobody:?}");
    let wrong = machine.run(["usage", "--by", "week"]);
    assert_eq!(wrong.code, 2, "{wrong:?}");
    assert!(
        wrong
            .err
            .contains("`week` is none of day, model, user, space, channel, role, tool"),
        "{wrong:?}"
    );
}

#[test]
fn the_usage_of_a_running_server_is_read_beside_it() {
    let machine = Machine::new();
    let mut server = Server::start(&machine, &[], &[]);
    server.says("dashboard");
    machine.run(["ask", "what is 17 * 23?"]).succeeds();
    let table = machine.run(["usage", "--by", "tool"]).succeeds();
    assert_eq!(row(&table, "compute.eval")[1], "1", "{table}");
    let table = machine.run(["usage", "--by", "model"]).succeeds();
    assert!(table.contains("offline"), "{table}");
    assert_eq!(server.stop().code, 0);
}
