/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Inside of the loader: tables of keys, and what the parts share.
 */
#ifndef SIM_SCENARIO_LOAD_H
#define SIM_SCENARIO_LOAD_H

#include "sim/scenario/scenario.h"
#include "sim/scenario/yaml.h"

#define RESOURCES_MAX 2048	/* a thousand tasks with a timer each, and then some */
/* Events and phases of all tasks and instances: what bounds the memory of a scenario. */
#define STEPS_MAX 400000

struct loader {
	struct doc doc;
	struct scenario *s;
	bool rtapp;		/* a .json file: rt-app's rules for references */
	bool pi;		/* rt-app: mutexes inherit */
	bool in_handler;	/* reading the events of an interrupt */
	int default_policy;	/* rt-app's; enum bridge_policy */
	size_t nr_steps;	/* of STEPS_MAX */
	const yaml_node_t *watch_lists[RESOURCES_MAX];	/* epoll resources, read when all are known */
	int task;		/* being read */
};

/* One key of a mapping; the tables are also what --schema prints. */
struct key {
	const char *name;
	int (*read)(struct loader *l, const yaml_node_t *value, void *object);
	const char *type;
	const char *help;
};

/* A mapping of the language: its name for messages and its keys (NULL-terminated). */
struct mapping {
	const char *what;
	const struct key *keys;
	const char *help;
};

extern const struct mapping mapping_top, mapping_machine, mapping_softirq, mapping_global,
	mapping_group, mapping_resource, mapping_interrupt, mapping_task, mapping_phase,
	mapping_event, mapping_hold, mapping_trigger, mapping_when, mapping_do, mapping_expect,
	mapping_limits, mapping_wait;

/* Reads every pair of @n by the table; an unknown key is an error with the nearest one. */
int load_mapping(struct loader *l, const yaml_node_t *n, const struct mapping *m, void *object);
/* Calls @fn for each pair of a mapping whose keys are names. */
int load_each(struct loader *l, const yaml_node_t *n, const char *what,
	      int (*fn)(struct loader *l, const char *name, const yaml_node_t *value, size_t i));

/* References: index, or an error at the node. */
int load_resource_ref(struct loader *l, const yaml_node_t *n, int *out);
int load_task_ref(struct loader *l, const yaml_node_t *n, int *out);
int load_group_ref(struct loader *l, const yaml_node_t *n, int *out);
int load_interrupt_ref(struct loader *l, const yaml_node_t *n, int *out);
/* rt-app makes resources by using them. */
int load_implicit(struct loader *l, const yaml_node_t *n, const char *name,
		  enum resource_type type, int *out);

/* A CPU the machine has. */
int load_cpu(struct loader *l, const yaml_node_t *n, const char *what, int *out);
int load_cpu_list(struct loader *l, const yaml_node_t *n, uint64_t *out);
int load_epoll_events(struct loader *l, const yaml_node_t *n, uint32_t *out);

/* load_set.c */
int load_set(struct loader *l, const char *set);

/* Counts one more event or phase; an error at the node when there are too many. */
int load_count_step(struct loader *l, const yaml_node_t *n);

/* load_event.c: an event into @steps, its type the longest known prefix of @key. */
bool load_is_event(const char *key);
int load_event(struct loader *l, const char *key, const yaml_node_t *key_node,
	       const yaml_node_t *value, struct steps *steps);

/* load_task.c */
int load_policy(struct loader *l, const yaml_node_t *n, int *policy);
/* Is the priority one that goes with the policy?  0 of a real-time policy becomes 10. */
int load_check_priority(struct loader *l, const yaml_node_t *n, int policy, int *priority);
int load_task(struct loader *l, const char *name, const yaml_node_t *n, size_t i);
int load_task_names(struct loader *l, const yaml_node_t *n);

/* load_resource.c */
int load_resources(struct loader *l, const yaml_node_t *n);
int load_watches(struct loader *l);
struct resource *load_add_resource(struct loader *l, const char *name, enum resource_type type);

/* load_machine.c */
int load_machine(struct loader *l, const yaml_node_t *n, void *object);
int load_limits(struct loader *l, const yaml_node_t *n, void *object);
int load_global(struct loader *l, const yaml_node_t *n, void *object);
int load_groups(struct loader *l, const yaml_node_t *n, void *object);
int load_interrupts(struct loader *l, const yaml_node_t *n, void *object);
int load_name_one_interrupt(struct loader *l, const char *name, const yaml_node_t *n, size_t i);
int load_ignore(struct loader *l, const yaml_node_t *n, void *object);

/* load_rules.c: holds, triggers, expectations */
int load_holds(struct loader *l, const yaml_node_t *n, void *object);
int load_triggers(struct loader *l, const yaml_node_t *n, void *object);
int load_expectations(struct loader *l, const yaml_node_t *n, void *object);

extern const char *const verdict_names[];

#endif
