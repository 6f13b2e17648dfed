/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reports of one run: for people and for programs.
 */
#ifndef SIM_SCENARIO_REPORT_H
#define SIM_SCENARIO_REPORT_H

#include <stdio.h>

#include "sim/scenario/run.h"

#define TIMELINE_WIDTH 100	/* no line of the timeline is longer */

void report_text(FILE *f, const struct run_result *r);
/* One object; its keys are in the man page. */
void report_json(FILE *f, const struct run_result *r);
/* A row per CPU and per task of the window worth looking at. */
void timeline_print(FILE *f, const struct run_result *r);

/* A quoted JSON string; what is no UTF-8 becomes U+FFFD. */
void json_string(FILE *f, const char *s);
/* "key": "value" and then @end. */
void json_member(FILE *f, const char *key, const char *value, const char *end);

/* A column of @width characters: cut or filled; what would move the cursor becomes '?'. */
void print_column(FILE *f, const char *s, int width);
/* As lock modes are written everywhere. */
const char *mode_name(enum lock_mode m);
/* "" when there is no such task. */
const char *task_name(const struct run_result *r, int64_t id);

#endif
