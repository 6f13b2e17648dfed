/* SPDX-License-Identifier: GPL-2.0-only */
/* In the library by itself: a program that has a main() of its own leaves it there. */
#include "sim/test/lockstep/test.h"

int main(int argc, char **argv)
{
	return lab_main(argc, argv);
}
