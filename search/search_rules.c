/* search_rules.c - see search_rules.h. */
#include "search_rules.h"

const SearchRules search_rules_transformers = { 0 };

const SearchRules search_rules_marian = {
    .program = "Marian", .beam_shrinks_with_finished = true, .first_step_has_one_row = true, .ignores_start_token = true
};

const SearchRules search_rules_ctranslate2 = { .program = "CTranslate2",
                                               .ends_with_finished_count = true,
                                               .first_step_has_one_row = true,
                                               .processes_logits_before_normalizing = true,
                                               .ignores_start_token = true,
                                               .forced_bos_is_prefix = true,
                                               .length_includes_prefix = true,
                                               .only_best_ends_after_prefix = true,
                                               .draws_from_all_rows = true,
                                               .prefix_bias_by_position = true,
                                               .alternatives_forget_prefix = true };
