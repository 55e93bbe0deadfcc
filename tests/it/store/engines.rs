//! Runs every case on both engines.

use super::{
    claims, follow_ups, hands, keys, linking, lists, managing, memory_writes, moves, places, races, recollections,
    rows, search,
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
    claims::of_one_tree_no_more_than_its_share_is_at_work_over_all_processes,
    claims::what_subagents_used_is_told_with_what_theirs_did,
    claims::a_run_whose_lease_ran_out_is_taken_over,
    claims::a_heartbeat_keeps_a_run,
    claims::a_job_is_held_by_renewing_it_and_not_by_a_heartbeat,
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
    places::a_context_in_which_somebody_has_just_spoken_stays_open,
    places::agents_of_the_configuration_are_brought_in,
    places::memory_said_in_private_stays_private,
    places::a_setting_is_taken_once,
    hands::an_item_by_hand_comes_back_whole_and_its_key_is_taken_once,
    hands::a_full_level_archives_what_it_has_not_seen_for_longest_and_nothing_pinned,
    hands::items_are_paged_and_found_by_what_they_are,
    hands::what_is_forgotten_is_gone_with_its_past_as_far_as_the_viewer_sees,
    hands::a_value_by_hand_is_private_and_an_item_can_be_made_so,
    follow_ups::what_waits_in_another_chat_is_answered_by_the_agent_of_that_chat,
    follow_ups::what_waits_is_answered_by_the_default_agent_if_the_one_before_is_off,
    follow_ups::a_run_takes_in_what_its_person_wrote_here_unless_that_is_to_be_answered_by_chat,
    managing::people_are_listed_found_by_name_and_changed_but_the_last_owner_stays_one,
    managing::two_owners_that_step_back_at_once_leave_one,
    managing::whoever_asks_to_erase_a_person_gets_the_same_job,
    managing::a_setting_inherits_from_what_is_farther_and_the_bots_own_are_not_shown,
    managing::conversations_are_paged_by_person,
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
    search::what_was_said_is_found_best_first_with_what_was_asked_for_in_bold,
    search::a_word_is_found_in_every_script_however_it_is_written,
    search::what_is_edited_or_deleted_is_found_no_more,
    search::commands_and_what_the_asking_run_was_told_are_not_found,
    search::nobody_finds_what_was_said_elsewhere,
    search::a_person_finds_what_was_said_in_every_private_channel_of_theirs,
    search::two_indexers_at_once_take_each_message_once,
    search::a_batch_that_is_not_committed_is_taken_again,
    search::pages_show_every_match_once,
    search::any_text_is_a_query_that_an_engine_takes,
    search::conversations_are_listed_and_read_within_the_scope,
    search::what_is_gone_is_forgotten_and_the_rest_is_still_found,
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
    memory_writes::a_conversation_that_closes_by_itself_is_remembered,
    memory_writes::a_closed_conversation_is_remembered_if_somebody_spoke_in_it,
    memory_writes::the_older_half_leaves_and_only_once_at_a_time,
    memory_writes::a_summary_stands_for_what_it_tells,
    memory_writes::a_run_that_ends_learns_how_many_turns_its_conversation_has,
    memory_writes::items_are_added_changed_and_archived_unless_they_are_pinned,
    memory_writes::compacted_messages_are_deleted_in_batches_but_not_what_is_still_to_be_sent,
    memory_writes::a_compaction_is_kept_until_its_messages_are_gone,
    races::twenty_at_once_make_one_person_one_channel_and_one_context,
    races::two_subagents_that_end_at_once_wake_their_parent_once,
    races::a_parent_whose_context_is_busy_is_woken_later,
    races::no_message_is_left_behind_when_a_run_ends_as_it_arrives,
    races::what_is_remembered_of_a_person_is_written_by_one_at_a_time,
    linking::every_table_that_refers_to_a_person_is_merged,
    linking::who_enters_a_code_becomes_part_of_who_made_it_with_all_that_is_theirs,
    linking::of_two_items_for_one_key_the_one_seen_later_stays_and_levels_keep_their_size,
    linking::of_two_settings_the_one_set_later_stays,
    linking::a_code_is_good_once_for_ten_minutes_and_until_the_next_is_made,
    linking::the_sixth_try_within_an_hour_is_refused_whatever_the_code,
    linking::an_owner_does_not_become_part_of_somebody_who_is_none,
    linking::nobody_is_linked_who_is_being_deleted,
    linking::two_links_at_once_end_in_one_person,
    linking::one_code_entered_by_many_at_once_links_one_of_them,
    linking::two_codes_entered_at_once_by_accounts_of_one_person_chain,
    linking::what_was_looked_up_for_a_message_before_a_link_is_not_stored_after_it,
    linking::what_comes_in_while_accounts_are_linked_is_stored_or_fails_at_once,
    linking::a_parted_account_takes_what_began_there_and_leaves_the_rest,
    linking::an_account_whose_channel_says_nothing_of_it_takes_the_only_one_of_its_platform,
    linking::the_only_account_is_not_parted_and_an_owner_stays_with_the_rest,
    recollections::the_newest_messages_of_other_private_places_are_found_newest_place_first,
    recollections::what_others_say_or_was_closed_is_not_found_elsewhere,
    recollections::a_conversation_that_goes_on_in_several_places_is_found_once,
    recollections::a_prompts_parts_are_found_in_one_trip,
];
