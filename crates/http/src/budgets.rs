//! Budgets, and what is spent of them: the bot's for owners, a person's for themself, a space's for who manages it.

use axum::{Json, extract::State};
use clifford_core::{
    budget::{self, Amount, BOT, Budget, Period, Scope},
    clock::Timestamp,
    id::{SpaceId, UserId},
};
use clifford_store::{
    budgets,
    places::{place_settings::PlaceWords, settings},
};
use serde::{Deserialize, Serialize};

use super::{
    Shared,
    access::{Caller, Need, Object, Reader},
    extract::Query,
    handler,
    page::Page,
    problem::{Problem, ProblemBody},
};

/// The query of a list of budgets.
#[derive(Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub(super) struct BudgetsQuery {
    /// Also those of this person; left out: with a person's token their own.
    #[param(value_type = Option<String>)]
    user_id: Option<UserId>,
    /// Those of this space in their place: everybody's there together, and the caller's own there.
    #[param(value_type = Option<String>)]
    space_id: Option<SpaceId>,
}

/// A budget, and what is spent of it in its present period.
#[derive(Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Budget)]
pub(super) struct BudgetView {
    /// `bot`: everybody's together. `user`: the person's. `space`: everybody's in a space together. `member`: the
    /// caller's there.
    #[schema(value_type = String)]
    scope: Scope,
    /// `day` or `month`.
    #[schema(value_type = String)]
    period: Period,
    /// The most money.
    cost: Option<f64>,
    /// The most tokens.
    tokens: Option<u64>,
    /// The money that is spent.
    spent_cost: f64,
    /// The tokens that are spent.
    spent_tokens: u64,
    /// When it begins anew.
    #[schema(value_type = String)]
    until: Timestamp,
}

/// Budgets with what is spent of them: the bot's, for an owner, and a person's; by `spaceId` those of a space that a
/// person manages.
#[utoipa::path(get, path = "/api/budgets", tag = "usage", security(("bearer" = [])), params(BudgetsQuery),
    responses((status = 200, body = Page<BudgetView>), (status = 400, body = ProblemBody),
        (status = 404, body = ProblemBody)))]
#[handler]
pub(super) async fn list(
    State(api): State<Shared>,
    _: Reader,
    caller: Caller,
    Query(wanted): Query<BudgetsQuery>,
) -> Result<Json<Page<BudgetView>>, Problem> {
    let user = caller.owner_filter(&api, wanted.user_id).await?;
    if let Some(space) = wanted.space_id {
        let (object, what) = (Object::Space(space), format!("space {space}"));
        caller.allow_field(&api, Need::See, &object, "spaceId", what).await?;
    }
    let zone = api.context.settings.zone();
    let now = api.clock.now();
    let mut conn = api.db.read().await?;
    // A manager of a space sets budgets of it besides the owner's.
    let set = match wanted.space_id {
        Some(space) => PlaceWords::of(&settings::of_scope(&mut conn, &space.to_string()).await?).budgets,
        None => Vec::new(),
    };
    let all = budget::for_roles(&api.context.settings.budgets, &[]);
    let mut shown = Vec::new();
    for budget in all.into_iter().chain(&set) {
        let subject = match (budget.scope, user, wanted.space_id) {
            (Scope::Bot, _, None) if caller.only().is_none() => BOT.to_owned(),
            (Scope::User, Some(user), None) => user.to_string(),
            (Scope::Space, _, Some(space)) => space.to_string(),
            (Scope::Member, Some(user), Some(space)) => budget::member(user, space),
            _ => continue,
        };
        let window = budget.period.window(now, &zone);
        let spent = budgets::spent(&mut conn, budget.scope, &subject, &window).await?;
        shown.push(view(budget, spent, window.until));
    }
    Ok(Json(Page::whole(shown)))
}

fn view(budget: &Budget, spent: Amount, until: Timestamp) -> BudgetView {
    BudgetView {
        scope: budget.scope,
        period: budget.period,
        cost: budget.cost,
        tokens: budget.tokens,
        spent_cost: spent.cost,
        spent_tokens: spent.tokens,
        until,
    }
}
