/* SPDX-License-Identifier: GPL-2.0-only */
#include "sim/core/oracle.h"

static uint64_t splitmix64(uint64_t *x)
{
	uint64_t z = (*x += 0x9e3779b97f4a7c15u);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

static uint64_t rotl(uint64_t x, int k)
{
	return (x << k) | (x >> (64 - k));
}

/* xoshiro256** by Blackman and Vigna, public domain reference algorithm. */
static uint64_t next(uint64_t s[4])
{
	uint64_t result = rotl(s[1] * 5, 7) * 9, t = s[1] << 17;

	s[2] ^= s[0];
	s[3] ^= s[1];
	s[1] ^= s[2];
	s[0] ^= s[3];
	s[2] ^= t;
	s[3] = rotl(s[3], 45);
	return result;
}

static uint32_t random_choose(struct oracle *o, uint32_t n)
{
	struct oracle_random *r = (struct oracle_random *)o;

	/* The bias of a multiplication is below n / 2^32: nothing here is that fine. */
	return (uint32_t)(((next(r->state) >> 32) * n) >> 32);
}

void oracle_random_init(struct oracle_random *o, uint64_t seed)
{
	o->base.choose = random_choose;
	for (int i = 0; i < 4; i++)
		o->state[i] = splitmix64(&seed);
}
