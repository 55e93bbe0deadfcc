//! The screen of a person: what was said stays, and above the prompt stands what is being made: an answer as far as it
//! has come, or the time that it takes.
//!
//! The line editor owns the prompt. It takes the prompt away, prints what it is given, and draws the prompt again, with
//! what was typed; so a print here begins where the prompt stood. The rows of what is being made are the last ones above
//! it: each print takes them away first.

use std::{io, time::Duration};

use clifford_text::{Lang, Terminal};

use crate::paint::{Dress, cut, harmless, height, rows};

/// The prompt, as it is shown and as it is counted.
pub(crate) const PROMPT: &str = "you> ";
const BOLD: &str = "\u{1b}[1m";
const DIM: &str = "\u{1b}[2m";
const PLAIN: &str = "\u{1b}[0m";
const FRAMES: [char; 10] = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
/// Rows of the screen that an answer in the making leaves to what was said and to the prompt.
const LEFT: usize = 6;

/// Where rows are printed above a prompt.
pub(crate) trait Surface: Send {
    fn print(&mut self, text: String) -> io::Result<()>;
    /// Columns and rows.
    fn size(&self) -> (usize, usize);
}

/// The screen.
pub(crate) struct Live {
    /// `None`: the keyboard is not open yet.
    surface: Option<Box<dyn Surface>>,
    /// The texts that came before it.
    waiting: Vec<(String, Dress)>,
    coloured: bool,
    lang: Lang,
    /// The answer as far as it has come.
    draft: String,
    /// For how long something has been at work.
    at_work: Option<Duration>,
    frame: usize,
    /// The rows above the prompt that are taken away next.
    shown: usize,
    /// Lines that follow the answer.
    costs: Vec<String>,
}

impl Live {
    pub(crate) fn new(coloured: bool, lang: Lang) -> Self {
        Self {
            surface: None,
            waiting: Vec::new(),
            coloured,
            lang,
            draft: String::new(),
            at_work: None,
            frame: 0,
            shown: 0,
            costs: Vec::new(),
        }
    }

    /// The keyboard is open: what waited is shown.
    pub(crate) fn open(&mut self, surface: Box<dyn Surface>) -> io::Result<()> {
        self.surface = Some(surface);
        let waiting = std::mem::take(&mut self.waiting);
        waiting.iter().try_for_each(|(text, dress)| self.print(text, *dress))
    }

    fn size(&self) -> (usize, usize) {
        self.surface.as_ref().map_or((80, 24), |surface| surface.size())
    }

    /// Shows a text for good; an answer takes the place of its draft.
    pub(crate) fn print(&mut self, text: &str, dress: Dress) -> io::Result<()> {
        if dress == Dress::Normal {
            self.draft.clear();
            self.at_work = None;
        }
        if self.surface.is_none() {
            self.waiting.push((text.to_owned(), dress));
            return Ok(());
        }
        let (width, _) = self.size();
        let text = rows(&harmless(text, self.coloured), width).join("\n");
        let text = match dress {
            Dress::Bold if self.coloured => format!("{BOLD}{text}{PLAIN}"),
            Dress::Dim if self.coloured => format!("{DIM}{text}{PLAIN}"),
            Dress::Normal | Dress::Bold | Dress::Dim => text,
        };
        self.emit(&format!("{text}\n"))
    }

    /// Keeps a line until the answer stands there.
    pub(crate) fn print_after(&mut self, text: &str) {
        self.costs.push(text.to_owned());
    }

    /// Shows an answer as far as it has come.
    pub(crate) fn draft(&mut self, text: &str) -> io::Result<()> {
        self.draft = harmless(text, self.coloured);
        self.emit("")
    }

    /// Nothing comes of the draft.
    pub(crate) fn end_draft(&mut self) -> io::Result<()> {
        self.draft.clear();
        self.emit("")
    }

    /// Something is at work, for so long.
    pub(crate) fn at_work(&mut self, since: Duration) -> io::Result<()> {
        self.at_work = Some(since);
        self.frame = self.frame.wrapping_add(1);
        if self.draft.is_empty() { self.emit("") } else { Ok(()) }
    }

    /// Something has begun to work or is still at it.
    pub(crate) const fn is_at_work(&self) -> bool {
        self.at_work.is_some()
    }

    /// Nothing is at work any more.
    pub(crate) fn idle(&mut self) -> io::Result<()> {
        self.at_work = None;
        self.draft.clear();
        let costs = std::mem::take(&mut self.costs);
        self.emit("")?;
        costs.iter().try_for_each(|cost| self.print(cost, Dress::Dim))
    }

    /// A message was typed: its rows stand below those of what is being made, which go below it.
    pub(crate) fn entered(&mut self, typed: &str) -> io::Result<()> {
        if self.shown == 0 {
            return Ok(());
        }
        let (width, _) = self.size();
        let typed = format!("{PROMPT}{typed}");
        self.shown += typed.split('\n').map(|line| height(line, width)).sum::<usize>();
        let (on, off) = if self.coloured { (BOLD, PLAIN) } else { ("", "") };
        let rest = harmless(&typed[PROMPT.len()..], false);
        self.emit(&format!("{on}{}{off} {rest}\n", PROMPT.trim_end()))
    }

    /// Prints rows for good, and below them what is being made.
    fn emit(&mut self, rows: &str) -> io::Result<()> {
        let making = self.making();
        if rows.is_empty() && making.is_empty() && self.shown == 0 {
            return Ok(());
        }
        let mut text = match self.shown {
            0 => String::new(),
            shown => format!("\u{1b}[{shown}A\r\u{1b}[J"),
        };
        text.push_str(rows);
        for row in &making {
            text.push_str(row);
            text.push('\n');
        }
        let Some(surface) = &mut self.surface else {
            return Ok(());
        };
        self.shown = making.len();
        surface.print(text)
    }

    /// The rows of what is being made: the newest, each within the width.
    fn making(&self) -> Vec<String> {
        let (width, height) = self.size();
        if !self.draft.is_empty() {
            let rows = rows(&self.draft, width);
            let most = height.saturating_sub(LEFT).max(1);
            let from = rows.len().saturating_sub(most);
            return rows[from..].iter().map(|row| cut(row, width)).collect();
        }
        let Some(since) = self.at_work else {
            return Vec::new();
        };
        let sign = FRAMES[self.frame % FRAMES.len()];
        let seconds = since.as_secs().to_string();
        let text = format!("{sign} {}", self.lang.say(Terminal::AtWork { seconds }));
        let text = cut(&text, width);
        vec![if self.coloured {
            format!("{DIM}{text}{PLAIN}")
        } else {
            text
        }]
    }
}

#[cfg(test)]
mod tests {
    use std::{
        num::NonZeroU16,
        sync::{Arc, Mutex},
    };

    use super::*;

    const COLUMNS: u16 = 40;
    const ROWS: u16 = 12;

    /// A line editor: it takes the prompt away, prints, and draws the prompt again.
    struct Editor(Arc<Mutex<vt100::Parser>>);

    impl Surface for Editor {
        fn print(&mut self, text: String) -> io::Result<()> {
            let text = format!("\r\u{1b}[K{text}{PROMPT}half").replace('\n', "\r\n");
            self.0.lock().expect("a screen").process(text.as_bytes());
            Ok(())
        }

        fn size(&self) -> (usize, usize) {
            (usize::from(COLUMNS), usize::from(ROWS))
        }
    }

    fn screen() -> (Live, Arc<Mutex<vt100::Parser>>) {
        let size = |length| NonZeroU16::new(length).expect("a size");
        let parser = Arc::new(Mutex::new(vt100::Parser::new(size(ROWS), size(COLUMNS), 100)));
        parser
            .lock()
            .expect("a screen")
            .process(format!("{PROMPT}half").as_bytes());
        let mut live = Live::new(false, Lang::English);
        live.open(Box::new(Editor(Arc::clone(&parser)))).expect("it prints");
        (live, parser)
    }

    fn seen(parser: &Mutex<vt100::Parser>) -> String {
        parser.lock().expect("a screen").screen().contents()
    }

    #[test]
    fn the_trace_stands_before_the_answer_and_the_cost_behind_it_however_they_come() {
        let (mut live, parser) = screen();
        live.draft("It is").expect("it prints");
        live.print_after("· 7 tokens");
        live.print("· plan: think", Dress::Dim).expect("it prints");
        live.draft("It is 4").expect("it prints");
        assert_eq!(seen(&parser), "· plan: think\nIt is 4\nyou> half");
        live.print("It is 42.", Dress::Normal).expect("it prints");
        live.idle().expect("it prints");
        assert_eq!(seen(&parser), "· plan: think\nIt is 42.\n· 7 tokens\nyou> half");
    }

    #[test]
    fn a_table_that_grows_is_drawn_once() {
        let (mut live, parser) = screen();
        for look in ["| a |", "| a | b |\n|--", "a  b", "a    b\none  2"] {
            live.draft(look).expect("it prints");
        }
        live.print("a    b\none  2", Dress::Normal).expect("it prints");
        assert_eq!(seen(&parser), "a    b\none  2\nyou> half");
    }

    #[test]
    fn a_sign_of_work_counts_the_seconds_and_goes_away() {
        let (mut live, parser) = screen();
        for seconds in [0, 1, 2] {
            live.at_work(Duration::from_secs(seconds)).expect("it prints");
        }
        assert_eq!(seen(&parser), "⠸ 2 s · Ctrl-C stops\nyou> half");
        live.idle().expect("it prints");
        assert_eq!(seen(&parser), "you> half");
        live.lang = Lang::German;
        live.at_work(Duration::from_secs(3)).expect("it prints");
        assert_eq!(seen(&parser), "⠼ 3 s · Strg-C hält an\nyou> half");
    }

    #[test]
    fn a_message_that_is_typed_meanwhile_stands_above_what_is_being_made() {
        let (mut live, parser) = screen();
        live.at_work(Duration::ZERO).expect("it prints");
        // The editor's line ends, and it draws a new prompt.
        let typed = "half and a half that is longer than one row";
        let rest = typed.strip_prefix("half").expect("it was typed");
        parser
            .lock()
            .expect("a screen")
            .process(format!("{rest}\r\n{PROMPT}").as_bytes());
        live.entered(typed).expect("it prints");
        let expected = format!("you> {typed}\n⠙ 0 s · Ctrl-C stops\nyou> half");
        assert_eq!(seen(&parser).replace("\n\n", "\n"), expected);
    }

    #[test]
    fn the_newest_rows_of_a_long_draft_are_shown_and_then_the_whole() {
        let (mut live, parser) = screen();
        let whole: Vec<_> = (1..=30).map(|line| format!("line {line}")).collect();
        live.draft(&whole.join("\n")).expect("it prints");
        let shown = seen(&parser);
        assert!(
            shown.starts_with("line 25\n") && shown.ends_with("line 30\nyou> half"),
            "{shown}"
        );
        live.print(&whole.join("\n"), Dress::Normal).expect("it prints");
        let mut parser = parser.lock().expect("a screen");
        parser.screen_mut().set_scrollback(100);
        assert!(parser.screen().contents().starts_with("line 1\nline 2\n"));
    }

    #[test]
    fn what_comes_before_the_keyboard_is_open_is_shown_when_it_is() {
        let (_, parser) = screen();
        let mut live = Live::new(false, Lang::English);
        live.print("A reminder", Dress::Normal).expect("it waits");
        live.draft("Not kept").expect("it waits");
        live.end_draft().expect("it waits");
        live.open(Box::new(Editor(Arc::clone(&parser)))).expect("it prints");
        assert_eq!(seen(&parser), "A reminder\nyou> half");
    }
}
