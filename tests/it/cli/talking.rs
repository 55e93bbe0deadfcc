//! `clifford ask` and `clifford chat`.

use std::{
    io::{BufRead, BufReader},
    process::Stdio,
};

use super::{Machine, shown};

#[test]
fn a_question_is_answered_on_standard_output() {
    let machine = Machine::new();
    assert_eq!(
        machine.run(["ask", "what", "is", "17 * 23?"]).succeeds(),
        "17 * 23 = 391\n"
    );
    assert_eq!(machine.pipe("what is 2 + 2?", &["ask"]).succeeds(), "2 + 2 = 4\n");
    assert_eq!(
        machine.pipe("what is 2 + 3?\n", &["ask", "-"]).succeeds(),
        "2 + 3 = 5\n"
    );
}

#[test]
fn input_that_ends_at_once_is_told_with_the_command_that_needs_none() {
    let machine = Machine::new();
    let hint = "clifford: standard input held no message; `clifford serve` runs the bot without a terminal\n";
    for command in [&["--set", "http.bind=127.0.0.1:0"][..], &["chat"]] {
        let ended = machine.pipe("", command);
        assert_eq!(
            (ended.code, ended.out.as_str(), ended.err.as_str()),
            (0, "", hint),
            "{command:?}"
        );
    }
    assert_eq!(machine.pipe("what is 2 + 2?", &["chat"]).err, "");
}

#[test]
fn a_terminal_without_a_server_gives_no_link_to_one() {
    let machine = Machine::new();
    let told = "There is no dashboard beside this terminal: clifford serve has one, and prints a link to it.\n";
    assert_eq!(machine.pipe("/dashboard", &["chat"]).succeeds(), told);
    let told = "Neben diesem Terminal gibt es kein Dashboard: clifford serve hat eines und gibt einen Link dazu aus.\n";
    let german = machine.pipe("/settings language de\n/dashboard", &["chat"]).succeeds();
    assert!(german.ends_with(told), "{german}");
}

#[test]
fn the_rules_that_need_no_model_answer_by_the_real_tools() {
    let machine = Machine::new();
    let cases = [
        ("what time is it in Tokyo?", "It is ", " in Tokyo ("),
        ("Wie spät ist es in Tokio?", "In Tokio ist es ", "UTC+09:00)."),
        ("5 km in miles", "5 km ≈ 3.10686 miles", ""),
        ("Wie viele Zentimeter sind 6 Fuß?", "6 Fuß = 182,88 cm", ""),
        ("wurzel aus 16", "sqrt 16 = 4", ""),
        (
            "how many days between 2026-01-01 and 2026-03-01?",
            "From 1 January 2026 to 1 March 2026 it is 59 days.",
            "",
        ),
        ("What weekday was July 20th, 1969?", "20 July 1969 was a Sunday.", ""),
        ("what date is it in 3 weeks?", "In 3 weeks it will be ", ""),
        ("my reminders", "No reminders are set.", ""),
        (
            "Write me a poem",
            "I'm only a few rules; give me a model",
            "clifford init",
        ),
    ];
    for (question, begin, within) in cases {
        let answer = machine.run(["ask", question]).succeeds();
        assert!(
            answer.starts_with(begin) && answer.contains(within),
            "{question}: {answer}"
        );
    }
}

#[test]
fn the_rules_tell_what_they_are_in_the_language_of_whoever_asks() {
    let machine = Machine::new();
    for (question, begin, within) in [
        ("¡Hola!", "¡Hola! Soy Clifford.", "«ayuda»"),
        ("Aide", "Je suis Clifford.", "- calculer et convertir"),
        ("Quem é você?", "Eu sou Clifford, um bot de chat.", "\"ajuda\""),
        ("Что ты умеешь?", "Я Clifford.", "clifford init"),
        ("你好", "你好！我是 Clifford。", "帮助"),
        ("詩を書いてください", "私はいくつかのルール", "clifford init"),
    ] {
        let answer = machine.run(["ask", question]).succeeds();
        assert!(
            answer.starts_with(begin) && answer.contains(within),
            "{question}: {answer}"
        );
    }
    // A language that was chosen holds for every message, and also for what tools tell, where there are words for it.
    machine
        .run(["settings", "set", "user:you", "language", "de"])
        .succeeds();
    let answer = machine.run(["ask", "hello"]).succeeds();
    assert!(answer.starts_with("Hallo! Ich bin Clifford."), "{answer}");
    let answer = machine.run(["ask", "what time is it?"]).succeeds();
    assert!(answer.starts_with("Es ist "), "{answer}");
}

#[test]
fn without_a_command_the_bot_talks_here_and_shows_its_plan_and_its_tool() {
    let machine = Machine::new();
    let said = machine.pipe("what is 17 * 23?\n", &[]).succeeds();
    for line in ["· plan: ", "→ compute.eval ", "← {\"value\":\"391\"}", "17 * 23 = 391"] {
        assert!(said.contains(line), "{line} is not in:\n{said}");
    }
}

#[test]
fn without_a_command_a_platform_that_is_turned_off_is_none() {
    let machine = Machine::new();
    machine.write("bot.toml", "[channels.telegram]\nenabled = false\ntoken = \"1:a\"\n");
    let said = machine.pipe("what is 17 * 23?\n", &[]).succeeds();
    assert!(said.contains("17 * 23 = 391"), "{said}");
}

#[test]
fn an_agent_that_chats_answers_in_one_call_and_its_run_can_be_shown_and_replayed() {
    let machine = Machine::new();
    let chat = ["--set", "agent.mode=chat"];
    let asked = [&["ask", "hi"][..], &chat].concat();
    assert!(machine.run(asked).succeeds().starts_with("Hello! I'm Clifford."));
    let shown = machine.run(["runs", "show", "last", "--json"]).json();
    assert_eq!(
        (&shown["run"]["mode"], &shown["run"]["llmCalls"]),
        (&"chat".into(), &1.into())
    );
    machine.run(["runs", "show", "last"]).succeeds();
    let replayed = machine.run(["runs", "replay", "last"]).succeeds();
    assert!(replayed.contains("Hello!"), "{replayed}");
    let said = machine
        .pipe("hi\n", &[&["chat", "--quiet"][..], &chat].concat())
        .succeeds();
    assert!(said.contains("Hello! I'm Clifford."), "{said}");
}

#[test]
fn what_comes_by_a_pipe_stands_below_the_question() {
    let machine = Machine::new();
    for args in [&["ask", "what is this?", "-"][..], &["ask", "what is this?"]] {
        machine.pipe("one\ntwo\n", args).succeeds();
        let shown = machine.run(["runs", "show", "last", "--json"]).json();
        assert_eq!(shown["run"]["inputText"], "what is this?\n\none\ntwo", "{args:?}");
    }
}

#[test]
fn an_answer_as_json_names_its_run() {
    let machine = Machine::new();
    let ended = machine.run(["ask", "--json", "what is 17 * 23?"]);
    let answer = ended.json();
    assert_eq!(
        (&answer["answer"], &answer["status"], &answer["error"]),
        (&"17 * 23 = 391".into(), &"completed".into(), &serde_json::Value::Null)
    );
    let run = machine.run(["runs", "show", answer["runId"].as_str().expect("an id"), "--json"]);
    assert_eq!(run.json()["run"]["status"], "completed");
}

#[test]
fn a_question_without_an_answer_fails_with_one_line_that_tells_why_once() {
    let machine = Machine::new();
    let provider = "llm.providers=[{ name = \"main\", model = \"m\", base_url = \"http://127.0.0.1:9/v1\" }]";
    let ask = |more: &[&str]| {
        let args = [&["ask", "hello", "--set", provider, "--set", "llm.retries=0"], more].concat();
        machine.run(args)
    };
    let told = ask(&[]);
    let json = ask(&["--json"]);
    assert_eq!((told.code, told.out.as_str(), json.code), (1, "", 1), "{told:?}");
    assert_eq!((told.err.lines().count(), json.err.as_str()), (1, ""), "{told:?}");
    let (reply, run) = told.err.trim_end().rsplit_once(" (run ").expect("a run");
    let json = json.json();
    // People need no number of an error.
    let plain = |field: &str| json[field].as_str().map(|text| text.replace(" (os error 111)", ""));
    assert_eq!(
        reply.strip_prefix("clifford: "),
        plain("answer").as_deref(),
        "the reply, whole"
    );
    assert!(reply.contains(&plain("error").expect("a reason")), "{reply}");
    assert!(run.contains(" failed; `clifford runs show "), "{run}");
}

#[test]
fn no_question_and_too_long_a_question_are_refused() {
    let machine = Machine::new();
    machine
        .run(["ask"])
        .fails_with("there is no question: give it as an argument, or by a pipe");
    machine
        .pipe(&"x".repeat(300_000), &["ask"])
        .fails_with("the question is longer than 262144 bytes: ask about a part of it");
}

#[test]
fn what_is_remembered_in_one_chat_is_known_in_the_next() {
    let machine = Machine::new();
    let quiet = ["chat", "--quiet"];
    let out = machine.pipe("remember that my cat is called Miro\n", &quiet).succeeds();
    assert!(out.contains("I will remember that (cat: Miro)."), "{out}");
    let out = machine.pipe("what is my cat called?\n", &quiet).succeeds();
    assert!(out.contains("Your cat: Miro"), "{out}");
}

#[test]
fn exit_ends_a_conversation_by_a_pipe_as_well_and_whoever_has_no_name_is_at_this_machine() {
    let machine = Machine::new();
    for word in ["exit", "/quit", "Quit"] {
        for args in [&["chat"][..], &[]] {
            let said = machine.pipe(&format!("{word}\n1 + 2\n"), args).succeeds();
            assert_eq!(said, "", "{word} {args:?}");
        }
    }
    let said = machine.pipe("/whoami\n", &["chat", "--quiet"]).succeeds();
    assert!(said.starts_with("You are the person at this machine."), "{said}");
    let listed = machine.run(["users", "list"]).succeeds();
    assert!(listed.contains("you (this machine)"), "{listed}");
    machine
        .run(["users", "set", "you (this machine)", "--name", "Ada"])
        .succeeds();
    machine.run(["users", "show", "this machine"]).succeeds();
    let said = machine.pipe("/whoami\n", &["chat", "--quiet"]).succeeds();
    assert!(said.starts_with("You are Ada."), "{said}");
}

#[test]
fn a_chat_shows_how_it_came_to_its_answer_unless_it_is_quiet() {
    let machine = Machine::new();
    let loud = machine.pipe("what is 17 * 23?\n", &["chat"]).succeeds();
    let place = |line: &str| loud.find(line).unwrap_or_else(|| panic!("{line} is not in:\n{loud}"));
    let lines = ["· plan: ", "→ compute.eval ", "← {\"value\"", "17 * 23 = 391"];
    assert!(lines.map(place).is_sorted(), "{loud}");
    let quiet = machine.pipe("what is 17 * 23?\n", &["chat", "--quiet"]).succeeds();
    assert!(loud.contains("→ compute.eval"), "{loud}");
    assert!(
        !quiet.contains("compute.eval") && quiet.contains("17 * 23 = 391"),
        "{quiet}"
    );
}

#[test]
fn what_is_asked_in_a_chat_is_approved_by_typing_its_id_in_the_next() {
    let machine = Machine::new();
    let rule = "[[policies]]\naction = \"confirm\"\ntools = [\"compute.eval\"]\n";
    machine.write("bot.toml", rule);
    let chat = ["chat", "--quiet", "--config", "bot.toml"];
    let asked = machine.pipe("what is 17 * 23?\n/quit\n", &chat).succeeds();
    assert!(asked.contains("compute.eval") && asked.contains("17 * 23"), "{asked}");
    let list = ["runs", "list", "--status", "waiting", "--json", "--config", "bot.toml"];
    let run = machine.run(list).json()[0]["id"]
        .as_str()
        .expect("a run")
        .replace('-', "");
    let code = asked
        .split("/approve ")
        .nth(1)
        .and_then(|rest| rest.split_whitespace().next());
    let code = code.expect("a code").trim_matches('`');
    let mut next = machine
        .command(chat)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the binary runs");
    let mut stdin = next.stdin.take().expect("a pipe");
    let line = format!("/approve {run}:{code}\n");
    std::io::Write::write_all(&mut stdin, line.as_bytes()).expect("it reads");
    let said = BufReader::new(next.stdout.take().expect("a pipe")).lines();
    let answer = said.map_while(Result::ok).find(|line| line.contains("17 * 23 = 391"));
    assert!(answer.is_some());
    drop(stdin);
    assert!(next.wait().expect("it ends").success());
}

#[test]
fn beside_a_process_that_has_the_database_people_ask_and_chat_and_a_second_server_is_refused() {
    let machine = Machine::new();
    let mut chat = machine
        .command(["chat", "--quiet"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the binary runs");
    let mut stdin = chat.stdin.take().expect("a pipe");
    std::io::Write::write_all(&mut stdin, b"hello\n").expect("it reads");
    let mut answer = String::new();
    let mut stdout = BufReader::new(chat.stdout.take().expect("a pipe"));
    stdout.read_line(&mut answer).expect("an answer");
    let expected = format!(
        "{} is in use by another Clifford (`clifford serve`?): stop that one, talk to it with `clifford chat` or `clifford \
         ask`, or take another database here with --set database.url=sqlite:PATH; several processes can share PostgreSQL",
        shown(&machine.database())
    );
    for args in [
        &["serve", "--set", "http.bind=127.0.0.1:0"][..],
        &["serve", "--only", "api", "--set", "http.bind=127.0.0.1:0"],
    ] {
        machine.run(args).fails_with(&expected);
    }
    // Questions are answered by the process that has the database, or beside it.
    assert_eq!(machine.run(["ask", "what is 17 * 23?"]).succeeds(), "17 * 23 = 391\n");
    let asked = machine.run(["ask", "--json", "what is 17 * 23?"]).json();
    assert_eq!(
        (&asked["answer"], &asked["status"]),
        (&"17 * 23 = 391".into(), &"completed".into())
    );
    let said = machine.pipe("what is 17 * 23?\n", &["chat"]).succeeds();
    for line in ["→ compute.eval ", "17 * 23 = 391"] {
        assert!(said.contains(line), "{line} is not in:\n{said}");
    }
    let called = machine
        .run(["tools", "call", "compute.eval", "{\"expression\": \"17 * 23\"}"])
        .succeeds();
    assert_eq!(called, "391\n");
    machine.run(["runs", "list"]).succeeds();
    machine.run(["token", "create"]).succeeds();
    machine.run(["db", "status"]).succeeds();
    machine
        .run(["ask", "hello", "--set", "database.url=sqlite:other.db"])
        .succeeds();
    drop(stdin);
    assert!(chat.wait().expect("it ends").success());
}

#[test]
fn a_data_directory_that_cannot_be_made_is_named() {
    let machine = Machine::new();
    machine.write("data", "a file in the way");
    for args in [
        &["ask", "hello"][..],
        &["serve", "--set", "http.bind=127.0.0.1:0"],
        &["chat"],
        &["db", "migrate"],
        &["token", "create"],
    ] {
        let ended = machine.run(args);
        assert_eq!(ended.code, 1, "{args:?}: {ended:?}");
        let line = ended.err.trim_end();
        assert!(
            line.starts_with("clifford: ") && line.lines().count() == 1,
            "{args:?}: {ended:?}"
        );
        assert!(
            line.contains(&shown(&machine.database())) && line.contains("set database.url"),
            "{ended:?}"
        );
    }
}
