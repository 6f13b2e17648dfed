/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reports of one run: for people and for programs.
 */
#ifndef SIM_SCENARIO_REPORT_H
#define SIM_SCENARIO_REPORT_H

#include <stdio.h>

#include "sim/scenario/run.h"

void report_text(FILE *f, const struct run_result *r);
/* One object; its keys are in the man page. */
void report_json(FILE *f, const struct run_result *r);
/* A quoted JSON string. */
void json_string(FILE *f, const char *s);
/* A row per CPU and per task of the window worth looking at; at most 100 columns. */
void timeline_print(FILE *f, const struct run_result *r);

#endif
