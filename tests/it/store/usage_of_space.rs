//! The usage of one space: of models and of tools, by all who wrote there.

use std::collections::BTreeSet;

use clifford_chat::inbound::{Place, PlaceKind, Space};
use clifford_core::{
    id::{SpaceId, UserId},
    models::{Grouping, Role},
    run::step::{LlmResponse, Spent, Step, StepKind, ToolOutcome, ToolResult},
};
use clifford_store::{
    places::channels,
    runs::{NewRun, steps},
    usage::{self, Call, Filter, tools},
};
use jiff::tz::TimeZone;
use serde_json::json;

use super::world::{NOW, World, place};

fn called(name: &str) -> Step {
    Step {
        seq: 1,
        at: NOW,
        kind: StepKind::ToolResult(ToolResult {
            name: name.into(),
            outcome: ToolOutcome::Success { result: json!({}) },
            origins: BTreeSet::new(),
            duration_ms: 5,
            spent: Spent {
                tokens: 1,
                written: 0,
                cost: 0.5,
            },
            undo: None,
            readers: None,
        }),
    }
}

pub async fn the_use_of_a_space_is_that_of_all_of_its_channels_and_of_no_other(world: World) {
    let (db, user) = (&world.db, world.user.id);
    let group = Place {
        kind: PlaceKind::Group,
        space: Some(Space {
            external_id: "garden".into(),
            name: Some("Garden".into()),
        }),
        ..place("garden")
    };
    let group = db
        .write(move |tx| Box::pin(async move { channels::find_or_create(tx, &group, None, NOW).await }))
        .await
        .expect("a channel");
    let space = group.space_id.expect("a space");
    for (channel, tool) in [(group.id, "web.fetch"), (world.channel.id, "compute.eval")] {
        let run = world.insert(NewRun {
            channel_id: Some(channel),
            ..world.loose_run()
        });
        let run = run.await.expect("inserts").id;
        let write = db.write(move |tx| {
            Box::pin(async move {
                let call = Call {
                    run: Some(run),
                    seq: Some(1),
                    user: Some(user),
                    channel: Some(channel),
                    role: Role::Executor,
                };
                usage::insert(tx, call, &LlmResponse::default(), NOW).await?;
                steps::append(tx, run, &[called(tool)]).await
            })
        });
        write.await.expect("stores");
    }
    let counted = async |filter: Filter| {
        let mut conn = db.read().await.expect("reads");
        let zone = TimeZone::UTC;
        let day = usage::grouped(&mut conn, Grouping::Day, filter, &zone, 9).await;
        let by = usage::grouped(&mut conn, Grouping::Channel, filter, &zone, 9).await;
        let total = usage::total(&mut conn, filter).await.expect("a sum").calls;
        let tools = tools::by_tool(&mut conn, filter, 9).await.expect("sums");
        (
            total,
            day.expect("sums").iter().map(|day| day.calls).sum::<i64>(),
            by.expect("sums").len(),
            tools.into_iter().map(|tool| (tool.tool, tool.cost)).collect::<Vec<_>>(),
        )
    };
    let of = |space, user| Filter {
        space,
        user,
        ..Filter::default()
    };
    let web = ("web.fetch".to_owned(), 0.5);
    let all = vec![("compute.eval".to_owned(), 0.5), web.clone()];
    assert_eq!(counted(of(None, None)).await, (2, 2, 2, all));
    assert_eq!(counted(of(Some(space), None)).await, (1, 1, 1, vec![web.clone()]));
    assert_eq!(counted(of(Some(space), Some(user))).await, (1, 1, 1, vec![web]));
    assert_eq!(
        counted(of(Some(space), Some(UserId::new()))).await,
        (0, 0, 0, Vec::new())
    );
    assert_eq!(counted(of(Some(SpaceId::new()), None)).await, (0, 0, 0, Vec::new()));
}
