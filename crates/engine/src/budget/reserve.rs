//! The reservation of a call's highest cost, and notices about spent budgets.

use std::time::Duration;

use clifford_chat::role::PlatformRole;
use clifford_core::{
    budget::{Account, Amount, Budget, Scope, Settlement, Verdict, accounts, verdict},
    id::{SpaceId, UserId},
    run::sentences::Sentence,
};
use clifford_delivery::outbound::{PendingDelivery, To};
use clifford_store::{
    StoreError, Tx, budgets,
    leases::ClaimWindow,
    messages,
    people::{reading, users},
};
use clifford_telemetry::measures;
use clifford_text::{Lang, Notice};

use super::notice;
use crate::Context;

/// How long to wait for calls under way before looking again: those of other processes notify nobody here, and those of
/// processes that died none at all.
const LOOK_AGAIN: Duration = Duration::from_secs(2);

/// The claim that a reservation is made under.
#[derive(Clone, Debug)]
pub struct Claim {
    /// A run's id, or a job's.
    pub holder: String,
    /// Its claim: what is reserved ends with it.
    pub epoch: i64,
    /// The person who is charged.
    pub user: Option<UserId>,
    /// The roles that they have on the platform.
    pub platform_roles: Vec<PlatformRole>,
    /// Where.
    pub space: Option<SpaceId>,
    /// The budgets that the managers of the space set, besides those of the configuration.
    pub budgets: Vec<Budget>,
}

/// The recipients of the notice that a budget is spent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Telling {
    /// The person whose request is refused, and the owner.
    Person,
    /// The owner: nobody waits for it.
    Nobody,
}

/// Whether a call may be made.
#[derive(Clone, Debug, PartialEq)]
pub enum ReserveOutcome {
    /// It may; to be settled when it has ended. `None`: no budget concerns it.
    Reserved(Option<Settlement>),
    /// It may not.
    Refused(Box<Refusal>),
}

/// A budget is spent.
#[derive(Clone, Debug, PartialEq)]
pub struct Refusal {
    /// Which.
    pub account: Account,
    /// The message to its person.
    pub sentence: Sentence,
    /// The message in the trace.
    pub error: String,
    /// The person had the notice before, in this period.
    pub was_told: bool,
}

enum Found {
    Free,
    Busy,
    Spent {
        account: Account,
        was_told: bool,
        owner: Option<Box<PendingDelivery>>,
    },
}

/// Reserves what a call may cost. Waits while calls under way may use up what is left.
pub async fn reserve(
    cx: &Context,
    claim: &Claim,
    worst: Amount,
    telling: Telling,
) -> Result<ReserveOutcome, StoreError> {
    let budgets: Vec<_> = cx.settings.budgets.iter().chain(&claim.budgets).cloned().collect();
    if budgets.is_empty() {
        return Ok(ReserveOutcome::Reserved(None));
    }
    let zone = cx.settings.zone();
    let mut has_waited = false;
    loop {
        let accounts = accounts(
            &budgets,
            claim.user,
            &claim.platform_roles,
            claim.space,
            cx.clock.now(),
            &zone,
        );
        if accounts.is_empty() {
            return Ok(ReserveOutcome::Reserved(None));
        }
        let asked = ReservationRequest {
            accounts: accounts.clone(),
            claim: claim.clone(),
            worst,
            telling,
            outbound: cx.delivery.outbound().clone(),
            window: cx.process.window(),
            zone: zone.clone(),
        };
        let found = cx.db.write(move |tx| Box::pin(asked.find(tx))).await?;
        // Each settlement wakes one waiting call; a call that need not wait any more wakes the next.
        if has_waited && !matches!(found, Found::Busy) {
            cx.notify.budget.notify_one();
        }
        match found {
            Found::Free => {
                let mut charged = accounts;
                charged.dedup_by(|a, b| (&a.subject, &a.window.key) == (&b.subject, &b.window.key));
                return Ok(ReserveOutcome::Reserved(Some(Settlement {
                    holder: claim.holder.clone(),
                    epoch: claim.epoch,
                    charged,
                })));
            }
            Found::Busy => {
                has_waited = true;
                tokio::select! {
                    () = cx.notify.budget.notified() => {}
                    () = tokio::time::sleep(LOOK_AGAIN) => {}
                }
            }
            Found::Spent {
                account,
                was_told,
                owner,
            } => {
                measures::budget_refused();
                if let Some(pending) = owner {
                    cx.delivery.deliver(*pending);
                }
                return Ok(ReserveOutcome::Refused(Box::new(Refusal {
                    sentence: notice::sentence(&account, &zone),
                    error: notice::error(&account),
                    account,
                    was_told,
                })));
            }
        }
    }
}

/// Gives back what was reserved for a call that came to nothing.
pub async fn release(cx: &Context, settlement: Settlement) -> Result<(), StoreError> {
    cx.db
        .write(move |tx| Box::pin(async move { budgets::settle(tx, &settlement, Amount::default()).await }))
        .await?;
    cx.notify.budget.notify_one();
    Ok(())
}

/// A question to the budgets, with all that its transaction needs.
struct ReservationRequest {
    accounts: Vec<Account>,
    claim: Claim,
    worst: Amount,
    telling: Telling,
    outbound: clifford_delivery::outbound::Outbound,
    window: ClaimWindow,
    zone: jiff::tz::TimeZone,
}

impl ReservationRequest {
    async fn find(self, tx: &mut Tx) -> Result<Found, StoreError> {
        let mut is_busy = false;
        for account in &self.accounts {
            let standing = budgets::standing(tx, account, &self.claim.holder, self.window).await?;
            match verdict(&account.budget, standing.settled, standing.reserved) {
                Verdict::Free => {}
                Verdict::Busy => is_busy = true,
                Verdict::Spent => return self.refuse(tx, account.clone()).await,
            }
        }
        if is_busy {
            return Ok(Found::Busy);
        }
        let mut subjects: Vec<_> = self.accounts.iter().map(|account| account.subject.as_str()).collect();
        subjects.dedup();
        budgets::reserve(tx, &self.claim.holder, self.claim.epoch, &subjects, self.worst).await?;
        Ok(Found::Free)
    }

    async fn refuse(&self, tx: &mut Tx, account: Account) -> Result<Found, StoreError> {
        let holder = &self.claim.holder;
        let was_told = match self.claim.user.filter(|_| self.telling == Telling::Person) {
            Some(user) => !budgets::notice(tx, &account, &user.to_string(), holder).await?,
            None => false,
        };
        let owner = if budgets::notice(tx, &account, "owner", holder).await? {
            self.tell_owner(tx, &account).await?
        } else {
            None
        };
        Ok(Found::Spent {
            account,
            was_told,
            owner,
        })
    }

    /// A message to the owner, where they were last seen alone with the bot.
    async fn tell_owner(&self, tx: &mut Tx, account: &Account) -> Result<Option<Box<PendingDelivery>>, StoreError> {
        let Some(channel) = budgets::owners_channel(tx).await? else {
            tracing::warn!(
                subject = account.subject,
                period = account.window.key,
                "budget spent, but no owner's chat to announce it in"
            );
            return Ok(None);
        };
        let lang = reading::by_id(tx, channel.user_id, Some(channel.id)).await?;
        let whose = self.owner_text(tx, account, lang).await?;
        let text = notice::to_owner(account, whose, &self.zone, lang);
        let (message, pending) = self
            .outbound
            .message(To::everybody_in(&channel)?, &text, self.window.now);
        messages::insert_outbound(tx, &message, self.window.now).await?;
        Ok(pending.map(Box::new))
    }

    async fn owner_text(&self, tx: &mut Tx, account: &Account, lang: Lang) -> Result<String, StoreError> {
        Ok(match (account.budget.scope, self.claim.user) {
            (Scope::Bot, _) => lang.say(Notice::TheBot),
            (Scope::User | Scope::Member, Some(user)) => match users::get(tx, user).await? {
                Some(user) => user.name,
                None => lang.say(Notice::APerson),
            },
            (Scope::User | Scope::Member, None) => lang.say(Notice::APerson),
            (Scope::Space, _) => budgets::space_name(tx, &account.subject)
                .await?
                .unwrap_or_else(|| lang.say(Notice::ASpace)),
        })
    }
}
