/* SPDX-License-Identifier: GPL-2.0-only */
#include <stdio.h>

#include "sim/cli/cli.h"
#include "sim/scenario/scenario.h"

static const struct cli_option options[] = {
	{ "--schema", NULL, "print every key, its type and its meaning" },
	{ 0 }
};

static int scenario(const struct command *c, int argc, char **argv)
{
	struct cli_args a = { argc, 0, argv };
	bool schema = false;
	const char *value;
	int which, kind;

	while ((kind = cli_next(c, &a, &which, &value)) >= 0) {
		if (kind == 1)
			return cli_usage(c, "takes no argument, not %.60s", value);
		schema = true;
	}
	if (kind == -2)
		return EXIT_BAD_INPUT;
	if (!schema)
		return cli_usage(c, "what about scenarios?");
	scenario_schema_print(stdout);
	return 0;
}

const struct command command_scenario = {
	"scenario", "scenario --schema", "Documents the scenario language.", options, scenario
};
