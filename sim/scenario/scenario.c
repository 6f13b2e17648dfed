/* SPDX-License-Identifier: GPL-2.0-only */
#include "sim/scenario/scenario.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "sim/scenario/load.h"

static void free_tasks(struct scenario *s)
{
	for (size_t i = 0; i < s->nr_tasks; i++) {
		struct scenario_task *t = &s->tasks[i];

		for (size_t p = 0; p < t->nr_phases; p++) {
			free(t->phases[p].name);
			free(t->phases[p].steps.all);
		}
		free(t->phases);
		free(t->name);
		free(t->origin);
	}
	free(s->tasks);
}

static void free_rules(struct scenario *s)
{
	for (size_t i = 0; i < s->nr_holds; i++) {
		free(s->holds[i].lock);
		free(s->holds[i].function);
	}
	for (size_t i = 0; i < s->nr_triggers; i++) {
		free(s->triggers[i].lock);
		free(s->triggers[i].function);
	}
	for (size_t i = 0; i < s->nr_expectations; i++) {
		free(s->expectations[i].image);
		for (int k = 0; k < s->expectations[i].nr_chain; k++)
			free(s->expectations[i].chain[k]);
		for (int k = 0; k < s->expectations[i].nr_waits; k++) {
			free(s->expectations[i].waits[k].lock);
			free(s->expectations[i].waits[k].holder);
		}
	}
	free(s->holds);
	free(s->triggers);
	free(s->expectations);
}

void scenario_free(struct scenario *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->nr_groups; i++)
		free(s->groups[i].name);
	for (size_t i = 0; i < s->nr_resources; i++)
		free(s->resources[i].name);
	for (size_t i = 0; i < s->nr_interrupts; i++) {
		free(s->interrupts[i].name);
		free(s->interrupts[i].handler.all);
	}
	free_tasks(s);
	free_rules(s);
	free(s->groups);
	free(s->resources);
	free(s->interrupts);
	free(s->image);
	free(s->name);
	free(s->file);
	free(s);
}

static const struct expectation *expects_exactly(const struct scenario *s, const char *image)
{
	for (size_t i = 0; i < s->nr_expectations; i++)
		if (!strcmp(s->expectations[i].image, image))
			return &s->expectations[i];
	return NULL;
}

/* Whose scheduler an image has, say, is nothing to an expectation that does not name it. */
const struct expectation *scenario_expects(const struct scenario *s, const char *image)
{
	const struct expectation *x = expects_exactly(s, image);
	char base[64];

	snprintf(base, sizeof(base), "%.*s", (int)strcspn(image, "@"), image);
	if (!x)
		x = expects_exactly(s, base);
	for (size_t i = 0; !x && i < s->nr_expectations; i++)
		if (!fnmatch(s->expectations[i].image, image, 0) ||
		    !fnmatch(s->expectations[i].image, base, 0))
			x = &s->expectations[i];
	return x;
}

void scenario_schema_print(FILE *f)
{
	static const struct mapping *const all[] = {
		&mapping_top, &mapping_machine, &mapping_softirq, &mapping_limits, &mapping_global,
		&mapping_group, &mapping_resource, &mapping_interrupt, &mapping_task,
		&mapping_phase, &mapping_event, &mapping_hold, &mapping_trigger, &mapping_when,
		&mapping_do, &mapping_expect, &mapping_wait
	};

	fprintf(f, "Keys of a scenario file (YAML; a plain rt-app JSON file is one too).\n"
		   "A time without a unit is in microseconds; units are ns, us, ms, s.\n"
		   "The type of an event is the longest known prefix of its key: run0, lock_a.\n");
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		fprintf(f, "\n%s: %s\n", all[i]->what, all[i]->help);
		for (const struct key *k = all[i]->keys; k->name; k++)
			fprintf(f, "  %-16s %s\n  %-16s   %s\n", k->name, k->type, "", k->help);
	}
}
