//! Runs every case on both engines.

use super::{
    claims, keys, lists, moves, places, races, rows,
    world::{Home, World},
};

macro_rules! on_both_engines {
    ($($module:ident :: $case:ident),* $(,)?) => {
        mod sqlite {
            use super::*;
            $(#[tokio::test(flavor = "multi_thread")]
            async fn $case() {
                let home = Home::sqlite().await;
                $module::$case(World::new(&home.db).await).await;
            })*
        }

        mod postgres {
            use super::*;
            $(#[tokio::test(flavor = "multi_thread")]
            async fn $case() {
                if let Some(home) = Home::postgres().await {
                    $module::$case(World::new(&home.db).await).await;
                    home.db.close().await;
                }
            })*
        }
    };
}

on_both_engines![
    lists::conversations_of_other_private_chats_are_found_with_where_and_what_was_said_last,
    lists::a_conversation_that_went_on_elsewhere_is_found_where_it_began,
    lists::a_conversation_may_go_on_where_it_began_and_in_private_wherever_its_person_is,
    lists::nothing_of_others_or_of_shared_channels_is_found,
    lists::a_chat_lists_its_own_conversations_and_the_active_one_wherever_it_began,
    claims::two_workers_never_claim_the_same_run,
    claims::a_run_whose_lease_ran_out_is_taken_over,
    claims::a_heartbeat_keeps_a_run,
    claims::a_released_run_is_claimed_at_once,
    claims::a_run_that_may_not_begin_yet_is_not_claimed,
    claims::a_lost_lease_writes_nothing,
    claims::an_ended_run_takes_no_more_steps,
    claims::a_cancelled_run_is_its_workers_no_more,
    claims::a_context_has_one_coordinator_at_work,
    claims::a_waiting_coordinator_blocks_nobody,
    claims::a_run_is_not_woken_while_its_context_is_busy,
    claims::a_lease_by_name_is_held_by_one,
    places::a_person_and_a_channel_are_known_again,
    places::a_channel_that_speaks_again_is_enabled,
    places::an_idle_context_closes_unless_a_run_is_in_it,
    places::agents_of_the_configuration_are_brought_in,
    places::memory_said_in_private_stays_private,
    places::a_setting_is_taken_once,
    rows::steps_come_back_as_they_were,
    rows::more_steps_than_one_statement_takes_are_stored,
    rows::a_step_number_is_taken_once,
    rows::an_inbound_message_is_stored_once,
    rows::queued_messages_come_in_the_order_of_their_writing,
    rows::outgoing_messages_are_claimed_by_one_worker_and_delivered_part_by_part,
    rows::a_refused_message_is_given_up_with_its_parts,
    rows::a_trigger_fires_once_for_a_due_time,
    rows::nul_bytes_are_left_out_of_texts,
    rows::a_transaction_that_fails_leaves_nothing,
    keys::a_pairing_code_is_good_once,
    keys::a_pairing_code_expires,
    keys::a_new_pairing_code_replaces_the_old_one_of_that_account_only,
    keys::a_token_is_known_by_its_hash_until_it_is_revoked,
    keys::what_could_not_be_read_is_kept_within_limits,
    moves::a_channel_that_moved_is_the_same_under_its_new_id,
    moves::a_channel_is_not_moved_onto_another,
    moves::a_channel_that_was_left_is_off_until_somebody_speaks_there,
    moves::a_channel_that_was_turned_off_stays_so_when_the_bot_is_removed_and_comes_back,
    moves::a_space_that_was_left_takes_all_of_its_channels_and_no_other,
    moves::the_places_that_are_served_come_with_their_newest_message,
    races::twenty_at_once_make_one_person_one_channel_and_one_context,
    races::two_subagents_that_end_at_once_wake_their_parent_once,
    races::a_parent_whose_context_is_busy_is_woken_later,
    races::no_message_is_left_behind_when_a_run_ends_as_it_arrives,
];
