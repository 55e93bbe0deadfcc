//! `/model`: the models that may be chosen here, with their prices, and the choice of one for this conversation or for
//! good.

use clifford_chat::{completion::Choice, outbound::Button};
use clifford_core::clock::Timestamp;
use clifford_engine::models::roles::Offer;
use clifford_markup::inline::inline;
use clifford_store::{StoreError, Tx, contexts, places::settings};
use clifford_text::{Lang, Setting};

use super::{Choices, CommandContext, Done, fitting::narrowed, items::code, settings as command};

/// The name of the usual model.
const USUAL: &str = "default";
/// The word that chooses for good.
const ALWAYS: &str = "always";

pub(super) async fn run(
    tx: &mut Tx,
    argument: &str,
    given: CommandContext<'_>,
    now: Timestamp,
) -> Result<Done, StoreError> {
    let lang = given.lang;
    let argument = argument.split_whitespace().collect::<Vec<_>>().join(" ");
    if argument.is_empty() {
        return list(tx, given, None).await;
    }
    if !given.channel.is_private() && !given.manages {
        return Ok(Done::refuse(lang.say(Setting::ModelNotTheirs)));
    }
    if given.choices.fixed.iter().any(|fixed| fixed == "model") {
        return Ok(Done::say(lang.say(Setting::ModelFixed)));
    }
    let is_offered = |name: &str| {
        given
            .choices
            .models
            .iter()
            .any(|offer| offer.name.as_deref() == Some(name))
    };
    // A name may have several words.
    let is_known = |name: &str| name == USUAL || is_offered(name);
    let without_always = argument.strip_suffix(ALWAYS).and_then(|name| name.strip_suffix(' '));
    let for_good = without_always.filter(|name| is_known(name));
    let name = match for_good {
        _ if is_known(&argument) => &*argument,
        Some(name) => name,
        None if argument.split_once(' ').is_some_and(|(name, _)| is_known(name)) => {
            return Ok(Done::say(lang.say(Setting::HowToModel)));
        }
        None => {
            let name = code(without_always.unwrap_or(&argument));
            return Ok(Done::say(lang.say(Setting::NoSuchModel { name })));
        }
    };
    match name.len() < argument.len() {
        true => {
            let value = if name == USUAL { "reset" } else { name };
            command::run(tx, &format!("model {value}"), given, now).await
        }
        false => {
            let Some(context) = given.channel.active_context_id else {
                let name = name.to_owned();
                return Ok(Done::say(lang.say(Setting::NoConversation { name })));
            };
            contexts::set_model(tx, context, Some(name).filter(|name| *name != USUAL)).await?;
            let told = lang.say(Setting::GoesOnWith {
                model: choice_name(Some(name), given),
            });
            list(tx, given, Some(told)).await
        }
    }
}

/// The completions of the argument: a model for this conversation, or for good.
pub(super) fn choices(typed: &str, offered: &Choices) -> Vec<Choice> {
    if offered.models.len() < 2 || offered.fixes("model") {
        return Vec::new();
    }
    let of = |offer: &Offer, more: &str| {
        let name = offer.name.as_deref().unwrap_or(USUAL);
        let value = format!("{name}{more}");
        let choice = Choice {
            label: format!("{value} ({}, {})", offer.model.model, offer.model.provider),
            value: value.clone(),
        };
        (value, choice)
    };
    let now = offered.models.iter().map(|offer| of(offer, ""));
    let always = offered.models.iter().map(|offer| of(offer, &format!(" {ALWAYS}")));
    narrowed(now.chain(always).collect(), typed)
}

fn choice_name(name: Option<&str>, given: CommandContext<'_>) -> String {
    let offer = given.choices.models.iter().find(|offer| match name {
        None | Some(USUAL) => offer.name.is_none(),
        name => offer.name.as_deref() == name,
    });
    offer.map_or_else(
        || given.lang.say(Setting::UsualModel),
        |offer| {
            format!(
                "`{}` ({})",
                offer.name.as_deref().unwrap_or(USUAL),
                inline(&offer.model.model)
            )
        },
    )
}

/// The model that answers here: chosen for the conversation, by the person in private, or for the place.
async fn current(tx: &mut Tx, given: CommandContext<'_>) -> Result<Option<String>, StoreError> {
    if let Some(context) = given.channel.active_context_id
        && let Some(name) = contexts::model(tx, context).await?
    {
        return Ok(Some(name));
    }
    if given.channel.is_private()
        && let Some(name) = settings::get(tx, &given.user.id.to_string(), "model").await?
    {
        return Ok(Some(name));
    }
    let rows = settings::of_place(tx, given.channel.space_id, given.channel.id).await?;
    Ok(rows
        .into_iter()
        .rev()
        .find(|row| row.name == "model")
        .map(|row| row.value))
}

async fn list(tx: &mut Tx, given: CommandContext<'_>, told: Option<String>) -> Result<Done, StoreError> {
    let (lang, current) = (given.lang, current(tx, given).await?);
    let models = &given.choices.models;
    let mut text = told.map_or_else(String::new, |told| format!("{told}\n\n"));
    text.push_str(
        &models
            .iter()
            .map(|offer| line(offer, lang))
            .collect::<Vec<_>>()
            .join("\n"),
    );
    if models.len() < 2 {
        text.push_str(&format!("\n\n{}", lang.say(Setting::NoOtherModel)));
        return Ok(Done::say(text));
    }
    let answers = lang.say(Setting::HereAnswers {
        model: choice_name(current.as_deref(), given),
    });
    text.push_str(&format!("\n\n{answers}"));
    let chosen = current.as_deref().unwrap_or(USUAL);
    let button = |offer: &Offer| {
        let name = offer.name.as_deref().unwrap_or(USUAL);
        let label = if name == chosen {
            format!("✓ {name}")
        } else {
            name.to_owned()
        };
        Button::new(&label, format!("model {name}")).in_place()
    };
    let mut buttons: Vec<_> = models.iter().map(button).collect();
    if chosen != USUAL {
        let label = lang.say(Setting::AlwaysModel {
            model: chosen.to_owned(),
        });
        buttons.push(Button::new(&label, format!("model {chosen} always")).positive());
    }
    Ok(Done {
        text,
        buttons,
        ..Done::default()
    })
}

/// A model and its price.
fn line(offer: &Offer, lang: Lang) -> String {
    let prices = offer.prices;
    let price = match prices.prompt > 0.0 || prices.completion > 0.0 {
        true => lang.say(Setting::Price {
            prompt: lang.amount(prices.prompt),
            completion: lang.amount(prices.completion),
        }),
        false => lang.say(Setting::NoPrice),
    };
    let name = offer.name.as_deref().unwrap_or(USUAL);
    let model = format!("{} ({})", inline(&offer.model.model), inline(&offer.model.provider));
    format!("- {}, {price}", lang.labelled(&format!("`{name}`"), &model))
}

#[cfg(test)]
mod tests {
    use clifford_core::models::{Prices, Requested};

    use super::*;

    #[test]
    fn a_model_is_listed_with_its_price() {
        let offer = |name: Option<&str>, prompt, completion| Offer {
            name: name.map(str::to_owned),
            model: Requested {
                provider: "main".to_owned(),
                model: "gpt_5".to_owned(),
            },
            prices: Prices {
                prompt,
                completion,
                ..Prices::default()
            },
        };
        assert_eq!(
            line(&offer(Some("strong"), 2.5, 10.0), Lang::English),
            "- `strong`: gpt\\_5 (main), 2.5 read, 10 written, for a million tokens"
        );
        assert_eq!(
            line(&offer(None, 0.0, 0.0), Lang::English),
            "- `default`: gpt\\_5 (main), no price set"
        );
    }
}
