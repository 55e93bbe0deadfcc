//! The words of others that a prompt shows, and who may read what it shows: the labels with which a run begins.

use std::collections::BTreeSet;

use clifford_chat::inbound::is_of_others;
use clifford_core::{
    messages::{Direction, quotes_others},
    policy::{
        evidence,
        labels::{LabelledSource, Readers},
        repeats::PromptWords,
        sources::{self, FORWARDED, NAMED, QUOTED, TASK},
        words::has_telling_name,
    },
    runs::{Run, RunKind},
};
use clifford_store::{
    memory::{items::Viewer, prompt_context::Outside},
    messages::Foreign,
};

use super::Recalled;

/// Where the words of a prompt came from, as far as they are not its person's. Only what the prompt shows counts: words
/// that left the conversation, and that no summary or item tells, cannot have led to anything in this run.
pub fn origins(run: &Run, recalled: &Recalled) -> BTreeSet<String> {
    let outside = &recalled.outside;
    let turns = &recalled.conversation.turns;
    let others = || recalled.elsewhere.into_iter().flat_map(|place| &place.turns);
    let is_shown = |foreign| turns.iter().any(|turn| turn.foreign == foreign);
    let stands = |is_so: fn(&str) -> bool| {
        let mut said = turns
            .iter()
            .chain(others())
            .filter(|turn| turn.direction == Direction::Inbound);
        is_so(&run.input_text) || said.any(|turn| is_so(&turn.content))
    };
    let told = [
        (is_shown(Foreign::Answer), sources::READ),
        (is_shown(Foreign::Others), sources::OTHERS),
        (outside.answers, sources::READ_SUMMARY),
        (outside.others, sources::OTHERS_SUMMARY),
        (recalled.has_tainted_item, sources::LEARNED),
        (
            others().any(|turn| turn.foreign != Foreign::None),
            sources::READ_ELSEWHERE,
        ),
        (stands(is_of_others), FORWARDED),
        (stands(quotes_others), QUOTED),
        (stands(has_telling_name), NAMED),
    ];
    told.into_iter()
        .filter(|(is_so, _)| *is_so)
        .map(|(_, origin)| origin.to_owned())
        .collect()
}

/// Of these sources, those that are history alone: nothing forwarded or quoted, which may come with what is asked now.
pub fn origins_of_history(origins: &BTreeSet<String>) -> BTreeSet<String> {
    let is_now = |origin: &&String| [FORWARDED, QUOTED, NAMED].contains(&origin.as_str());
    origins.iter().filter(|origin| !is_now(origin)).cloned().collect()
}

/// The words of others in what a prompt shows, and its person's own. Nothing, if all of it is the person's.
pub fn shown(run: &Run, recalled: &Recalled) -> PromptWords {
    let mut shown = PromptWords::default();
    let conversation = &recalled.conversation;
    shown.add_own(&evidence::own_words(&run.input_text));
    let elsewhere = recalled.elsewhere.into_iter().flat_map(|place| &place.turns);
    for turn in conversation.turns.iter().chain(elsewhere) {
        match (turn.foreign, turn.direction) {
            (Foreign::None, Direction::Inbound) => shown.add_own(&evidence::own_words(&turn.content)),
            (Foreign::None, Direction::Outbound) => {}
            (Foreign::Answer | Foreign::Others, _) => shown.add_foreign(&turn.content),
        }
    }
    if recalled.outside != Outside::default() {
        shown.add_foreign(conversation.summary.as_deref().unwrap_or_default());
    }
    if recalled.has_tainted_item {
        recalled
            .items
            .into_iter()
            .for_each(|item| shown.add_foreign(&item.value));
    }
    shown
}

/// The sources of a prompt's words, with the people who may read them: those who read along where it is answered, or its
/// person alone.
pub fn labelled_sources(run: &Run, recalled: &Recalled, viewer: Viewer) -> Vec<LabelledSource> {
    let here = match viewer {
        Viewer::Private => Readers::Person,
        Viewer::Shared(_) => Readers::Place,
    };
    let given = run.input_json.as_ref().map(|json| &json.0["private"]);
    let is_private = given
        .and_then(|words| words.as_array())
        .is_some_and(|words| !words.is_empty());
    let conversation = &recalled.conversation;
    let (message, readers) = match run.kind {
        RunKind::Coordinator => (sources::MESSAGE, here),
        RunKind::Subagent if is_private => (TASK, Readers::Person),
        RunKind::Subagent => (TASK, Readers::Place),
    };
    let told = [
        (true, message, readers),
        (
            !conversation.turns.is_empty() || conversation.summary.is_some(),
            sources::CONVERSATION,
            here,
        ),
        (!recalled.items.is_empty(), sources::REMEMBERED, here),
        (!recalled.elsewhere.is_empty(), sources::ELSEWHERE, Readers::Person),
    ];
    let shown = told.into_iter().filter(|(is_so, ..)| *is_so);
    let held = shown.map(|(_, from, readers)| LabelledSource {
        from: from.to_owned(),
        readers,
    });
    held.collect()
}
