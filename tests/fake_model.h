/* fake_model.h - the model of the program with fake_engine.h: it has no weights,
 * and fake_config is its configuration. */
#ifndef DRAGOMAN_FAKE_MODEL_H
#define DRAGOMAN_FAKE_MODEL_H

#include "fake_engine.h"

#include <sys/stat.h>
#include <unistd.h>

#include "model.h"

extern ModelConfig fake_config;
/* Returns a configuration with a few small layers. */
ModelConfig fake_small_config(void);

extern size_t fake_guess; /* max_positions before the weights are read; 0: as in fake_config */
extern bool fake_no_weights;

/* For TESTS_WITH(): enters a new folder with the folder that the options name as the model, and leaves it. A program
 * that hangs ends after four minutes. */
static inline int fake_enter_folder(void **state)
{
    alarm(240);
    return support_setup_folder(state) || chdir(*state) || mkdir("folder", 0700);
}

static inline int fake_leave_folder(void **state)
{
    return rmdir("folder") || chdir("/") || support_teardown_folder(state);
}

#endif
