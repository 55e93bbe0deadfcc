//! The screen: whole lines, and on a terminal a prompt or a sign of work below them.

use std::io;

use tokio::io::{AsyncWrite, AsyncWriteExt as _};

use crate::config::Look;

const PROMPT: &str = "\u{1b}[1myou>\u{1b}[0m ";
const CONTINUED: &str = "\u{1b}[1m ..>\u{1b}[0m ";
const AT_WORK: &str = "\u{1b}[2m…\u{1b}[0m";
const ERASE: &str = "\r\u{1b}[K";

/// How a line is dressed on a terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dress {
    Normal,
    Bold,
    Dim,
}

/// The output, and what stands on its last line.
pub(crate) struct Screen {
    out: Box<dyn AsyncWrite + Send + Unpin>,
    look: Look,
    foot: Foot,
    /// The part of an answer that is on the screen before the answer is whole.
    draft: String,
    /// Lines that came while it stood there: they follow the answer.
    held: Vec<String>,
}

/// The content of the cursor's line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Foot {
    Nothing,
    Prompt,
    AtWork,
    Draft,
}

impl Screen {
    pub(crate) fn new(out: Box<dyn AsyncWrite + Send + Unpin>, look: Look) -> Self {
        Self {
            out,
            look,
            foot: Foot::Nothing,
            draft: String::new(),
            held: Vec::new(),
        }
    }

    /// Shows a text from outside, without anything in it that the terminal would obey. An answer goes on where its
    /// draft stands.
    pub(crate) async fn print(&mut self, text: &str, dress: Dress) -> io::Result<()> {
        let text = harmless(text);
        if self.foot == Foot::Draft {
            if dress != Dress::Normal {
                self.held.push(text);
                return Ok(());
            }
            let draft = std::mem::take(&mut self.draft);
            if let Some(more) = text.strip_prefix(draft.as_str()) {
                self.foot = Foot::Nothing;
                self.write(&format!("{more}\n")).await?;
                return self.print_held().await;
            }
            self.foot = Foot::Nothing;
            self.write("\n").await?;
            self.line(&text, dress).await?;
            return self.print_held().await;
        }
        self.line(&text, dress).await
    }

    /// Shows an answer as far as it has arrived, unless somebody may be typing there. Written text cannot be changed: a
    /// draft that does not begin with it is left out, and a later one may continue it.
    pub(crate) async fn draft(&mut self, text: &str) -> io::Result<()> {
        let text = harmless(text);
        if self.look == Look::Piped || self.foot == Foot::Prompt {
            return Ok(());
        }
        let shown = match (self.foot, text.strip_prefix(self.draft.as_str())) {
            (Foot::Draft, Some(more)) => more.to_owned(),
            (Foot::Draft, None) => return Ok(()),
            (Foot::Nothing, _) => text.clone(),
            (Foot::AtWork | Foot::Prompt, _) => format!("{ERASE}{text}"),
        };
        self.foot = Foot::Draft;
        self.draft = text;
        self.write(&shown).await
    }

    /// Ends the draft; its text stays.
    pub(crate) async fn end_draft(&mut self) -> io::Result<()> {
        if self.foot != Foot::Draft {
            return Ok(());
        }
        self.foot = Foot::Nothing;
        self.draft.clear();
        self.write("\n").await?;
        self.print_held().await
    }

    async fn print_held(&mut self) -> io::Result<()> {
        for line in std::mem::take(&mut self.held) {
            self.line(&line, Dress::Dim).await?;
        }
        Ok(())
    }

    async fn line(&mut self, text: &str, dress: Dress) -> io::Result<()> {
        let (on, off) = match (self.look, dress) {
            (Look::Piped, _) | (_, Dress::Normal) => ("", ""),
            (Look::Interactive, Dress::Bold) => ("\u{1b}[1m", "\u{1b}[0m"),
            (Look::Interactive, Dress::Dim) => ("\u{1b}[2m", "\u{1b}[0m"),
        };
        let had_prompt = self.foot == Foot::Prompt;
        let erase = if self.foot == Foot::Nothing { "" } else { ERASE };
        self.foot = if had_prompt { Foot::Prompt } else { Foot::Nothing };
        let foot = if had_prompt { PROMPT } else { "" };
        self.write(&format!("{erase}{on}{text}{off}\n{foot}")).await
    }

    /// Asks for the next message.
    pub(crate) async fn prompt(&mut self) -> io::Result<()> {
        self.end_draft().await?;
        self.stand(Foot::Prompt, PROMPT).await
    }

    /// Asks for the next line of the same message.
    pub(crate) async fn prompt_continued(&mut self) -> io::Result<()> {
        self.stand(Foot::Prompt, CONTINUED).await
    }

    /// Shows that something is at work, unless somebody may be typing there.
    pub(crate) async fn at_work(&mut self) -> io::Result<()> {
        if matches!(self.foot, Foot::Prompt | Foot::Draft) {
            Ok(())
        } else {
            self.stand(Foot::AtWork, AT_WORK).await
        }
    }

    /// Takes back the sign of work.
    pub(crate) async fn rest(&mut self) -> io::Result<()> {
        self.end_draft().await?;
        if self.foot == Foot::AtWork {
            self.stand(Foot::Nothing, "").await
        } else {
            Ok(())
        }
    }

    /// Enter was pressed: the cursor stands on a fresh line.
    pub(crate) const fn entered(&mut self) {
        self.foot = Foot::Nothing;
    }

    /// Leaves the prompt's line.
    pub(crate) async fn leave(&mut self) -> io::Result<()> {
        if self.foot == Foot::Prompt {
            self.foot = Foot::Nothing;
            self.write("\n").await?;
        }
        self.rest().await
    }

    async fn stand(&mut self, foot: Foot, shown: &str) -> io::Result<()> {
        if self.look == Look::Piped || self.foot == foot {
            return Ok(());
        }
        let erase = if self.foot == Foot::Nothing { "" } else { ERASE };
        self.foot = foot;
        self.write(&format!("{erase}{shown}")).await
    }

    async fn write(&mut self, text: &str) -> io::Result<()> {
        self.out.write_all(text.as_bytes()).await?;
        self.out.flush().await
    }
}

/// A text without anything that the terminal would obey.
fn harmless(text: &str) -> String {
    clifford_markup::for_terminal(text.trim_end()).into_owned()
}

#[cfg(test)]
mod tests {
    use tokio::io::AsyncReadExt as _;

    use super::*;

    /// What stands on a screen after this was done.
    async fn shown(look: Look, done: impl AsyncFnOnce(&mut Screen) -> io::Result<()>) -> String {
        let (out, mut paper) = tokio::io::duplex(1024);
        let mut screen = Screen::new(Box::new(out), look);
        done(&mut screen).await.unwrap();
        drop(screen);
        let mut text = String::new();
        paper.read_to_string(&mut text).await.unwrap();
        text
    }

    #[tokio::test]
    async fn an_answer_grows_where_it_stands_and_what_it_cost_follows_it() {
        let text = shown(Look::Interactive, async |screen| {
            screen.draft("One").await?;
            screen.draft("One two").await?;
            screen.print("7 tokens", Dress::Dim).await?;
            screen.print("One two three.", Dress::Normal).await
        });
        assert_eq!(text.await, "One two three.\n\u{1b}[2m7 tokens\u{1b}[0m\n");
    }

    #[tokio::test]
    async fn an_answer_that_became_another_one_is_shown_whole() {
        let text = shown(Look::Interactive, async |screen| {
            screen.at_work().await?;
            screen.draft("One").await?;
            screen.print("Two.", Dress::Normal).await
        });
        assert_eq!(text.await, format!("{AT_WORK}{ERASE}One\nTwo.\n"));
    }

    #[tokio::test]
    async fn a_look_that_does_not_go_on_from_what_stands_there_is_left_out() {
        let text = shown(Look::Interactive, async |screen| {
            for look in [
                "This is",
                "This is **very",
                "This is very important",
                "This is very important.",
            ] {
                screen.draft(look).await?;
            }
            screen.print("7 tokens", Dress::Dim).await?;
            screen.print("This is very important. Really.", Dress::Normal).await
        });
        let whole = "This is **very\nThis is very important. Really.\n\u{1b}[2m7 tokens\u{1b}[0m\n";
        assert_eq!(text.await, whole);
    }

    #[tokio::test]
    async fn an_answer_goes_on_growing_when_a_look_fits_again() {
        let text = shown(Look::Interactive, async |screen| {
            for look in ["See", "Se", "See the link", "See the link below"] {
                screen.draft(look).await?;
            }
            screen.print("See the link below.", Dress::Normal).await
        });
        assert_eq!(text.await, "See the link below.\n");
    }

    #[tokio::test]
    async fn a_table_that_grows_is_shown_once_more_at_most() {
        let text = shown(Look::Interactive, async |screen| {
            for look in [
                "| a |",
                "| a | b |\n|--",
                "a  b",
                "a    b\none  2",
                "a      b\none    2\nthree  4",
            ] {
                screen.draft(look).await?;
            }
            screen.print("a      b\none    2\nthree  4", Dress::Normal).await
        });
        assert_eq!(text.await, "| a | b |\n|--\na      b\none    2\nthree  4\n");
    }

    #[tokio::test]
    async fn nothing_grows_where_somebody_types_or_a_program_reads() {
        for look in [Look::Interactive, Look::Piped] {
            let text = shown(look, async |screen| {
                screen.prompt().await?;
                screen.draft("One").await
            });
            let prompt = if look == Look::Interactive { PROMPT } else { "" };
            assert_eq!(text.await, prompt);
        }
    }
}
