/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the epoll benchmarks of tools/perf/bench take from the rest of perf, behind perf's own headers:
 * options, mutexes, CPUs and statistics.  Compiled by lockstep cc with a benchmark as it is; BENCH
 * names its function.
 */
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <linux/compiler.h>
#include <linux/kernel.h>
#include <perf/cpumap.h>
#include <subcmd/parse-options.h>

#include "bench/bench.h"
#include "util/mutex.h"
#include "util/stat.h"

struct timeval bench__start, bench__end, bench__runtime;

/* ---- options: --name VALUE, --name=VALUE, -n VALUE, and flags */

static const struct option *find(const struct option *o, const char *word, size_t len)
{
	for (; o->type != OPTION_END; o++) {
		if (len == 2 && word[0] == '-' && word[1] == o->short_name)
			return o;
		if (len > 2 && o->long_name && strlen(o->long_name) == len - 2 &&
		    !strncmp(word, "--", 2) && !strncmp(word + 2, o->long_name, len - 2))
			return o;
	}
	return NULL;
}

int parse_options(int argc, const char **argv, const struct option *options,
		  const char * const usagestr[], int flags)
{
	int at = 1;

	for (; at < argc && argv[at][0] == '-'; at++) {
		const char *equals = strchr(argv[at], '=');
		const struct option *o = find(options, argv[at], equals ? (size_t)(equals - argv[at]) :
					      strlen(argv[at]));

		if (!o)
			break;
		if (o->type == OPTION_BOOLEAN)
			*(bool *)o->value = true;
		else if (o->type == OPTION_UINTEGER && equals)
			*(unsigned int *)o->value = strtoul(equals + 1, NULL, 10);
		else if (o->type == OPTION_UINTEGER && at + 1 < argc)
			*(unsigned int *)o->value = strtoul(argv[++at], NULL, 10);
		else
			break;
	}
	return argc - at;
}

void usage_with_options(const char * const *usagestr, const struct option *options)
{
	fprintf(stderr, "usage: %s\n", usagestr[0]);
	exit(129);
}

/* ---- mutexes */

void mutex_init(struct mutex *m)
{
	pthread_mutex_init(&m->lock, NULL);
}

void mutex_destroy(struct mutex *m)
{
	pthread_mutex_destroy(&m->lock);
}

void mutex_lock(struct mutex *m)
{
	pthread_mutex_lock(&m->lock);
}

void mutex_unlock(struct mutex *m)
{
	pthread_mutex_unlock(&m->lock);
}

void cond_init(struct cond *c)
{
	pthread_cond_init(&c->cond, NULL);
}

void cond_destroy(struct cond *c)
{
	pthread_cond_destroy(&c->cond);
}

void cond_wait(struct cond *c, struct mutex *m)
{
	pthread_cond_wait(&c->cond, &m->lock);
}

void cond_signal(struct cond *c)
{
	pthread_cond_signal(&c->cond);
}

void cond_broadcast(struct cond *c)
{
	pthread_cond_broadcast(&c->cond);
}

/* ---- CPUs: all of the machine's, numbered from 0 */

struct perf_cpu_map *perf_cpu_map__new_online_cpus(void);	/* later than 6.1 */

struct perf_cpu_map *perf_cpu_map__new_online_cpus(void)
{
	return calloc(1, 1);
}

struct perf_cpu_map *perf_cpu_map__new(const char *list)
{
	return perf_cpu_map__new_online_cpus();
}

void perf_cpu_map__put(struct perf_cpu_map *map)
{
	free(map);
}

int perf_cpu_map__nr(const struct perf_cpu_map *map)
{
	return sysconf(_SC_NPROCESSORS_ONLN);
}

struct perf_cpu perf_cpu_map__cpu(const struct perf_cpu_map *map, int i)
{
	return (struct perf_cpu){ .cpu = i };
}

struct perf_cpu cpu__max_cpu(void)
{
	return (struct perf_cpu){ .cpu = sysconf(_SC_NPROCESSORS_ONLN) };
}

/* ---- statistics: mean and deviation as they come */

void update_stats(struct stats *s, u64 value)
{
	double delta = value - s->mean;

	s->n++;
	s->mean += delta / s->n;
	s->M2 += delta * (value - s->mean);
}

double avg_stats(struct stats *s)
{
	return s->mean;
}

double stddev_stats(struct stats *s)
{
	return s->n < 2 ? 0 : sqrt(s->M2 / (s->n - 1) / s->n);
}

double rel_stddev_stats(double stddev, double avg)
{
	return avg ? 100 * stddev / avg : 0;
}

int main(int argc, const char **argv)
{
	return BENCH(argc, argv);
}
