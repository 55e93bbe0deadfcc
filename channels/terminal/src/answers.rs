//! Which messages still wait for their answer.

/// Ids of messages and commands that will be answered.
///
/// One run works at a time; what is written meanwhile is answered together by the run after it. So its end
/// settles all that was waiting when it began, unless it names the message that it answered.
#[derive(Debug, Default)]
pub(crate) struct Answers {
    /// The answers of the run at work.
    current: Vec<String>,
    /// The answers that arrived since it began.
    next: Vec<String>,
    /// The answers to commands, which are independent of runs.
    commands: Vec<String>,
}

impl Answers {
    /// A message is about to be handed in.
    pub(crate) fn expect_message(&mut self, id: String) {
        if self.current.is_empty() {
            self.current.push(id);
        } else {
            self.next.push(id);
        }
    }

    /// A command is about to be handed in.
    pub(crate) fn expect_command(&mut self, id: String) {
        self.commands.push(id);
    }

    /// It will not be answered after all.
    pub(crate) fn forget(&mut self, id: &str) {
        for ids in [&mut self.current, &mut self.next, &mut self.commands] {
            ids.retain(|known| known != id);
        }
        self.promote();
    }

    /// Something was answered: this message, if it is named.
    pub(crate) fn settle(&mut self, id: Option<&str>) {
        let place = |ids: &[String]| id.and_then(|id| ids.iter().position(|known| known == id));
        if let Some(command) = place(&self.commands) {
            self.commands.remove(command);
        } else if let Some(message) = place(&self.next) {
            self.current.clear();
            self.next.drain(..=message);
        } else if self.current.is_empty() {
            self.commands.clear();
        } else {
            self.current.clear();
        }
        self.promote();
    }

    /// Nothing waits.
    pub(crate) const fn are_all_given(&self) -> bool {
        self.current.is_empty() && self.next.is_empty() && self.commands.is_empty()
    }

    fn promote(&mut self) {
        if self.current.is_empty() {
            self.current = std::mem::take(&mut self.next);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn waiting(messages: &[&str]) -> Answers {
        let mut answers = Answers::default();
        for message in messages {
            answers.expect_message((*message).to_owned());
        }
        answers
    }

    #[test]
    fn what_was_written_while_a_run_worked_is_answered_by_the_next_one() {
        let mut answers = waiting(&["1", "2", "3"]);
        answers.settle(None);
        assert!(!answers.are_all_given());
        answers.settle(None);
        assert!(answers.are_all_given());
    }

    #[test]
    fn an_answer_to_a_later_message_settles_the_earlier_ones() {
        let mut answers = waiting(&["1", "2", "3"]);
        answers.settle(Some("2"));
        assert!(!answers.are_all_given());
        answers.settle(Some("3"));
        assert!(answers.are_all_given());
    }

    #[test]
    fn a_commands_answer_settles_no_message() {
        let mut answers = waiting(&["1"]);
        answers.expect_command("2".to_owned());
        answers.settle(Some("2"));
        assert!(!answers.are_all_given());
        answers.settle(Some("1"));
        assert!(answers.are_all_given());
    }

    #[test]
    fn what_is_forgotten_is_not_waited_for() {
        let mut answers = waiting(&["1", "2"]);
        answers.forget("1");
        answers.settle(None);
        assert!(answers.are_all_given());
    }
}
