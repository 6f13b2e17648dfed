/* SPDX-License-Identifier: GPL-2.0-only */
#include "sim/base/digest.h"

#include <openssl/evp.h>
#include <stdlib.h>

#include "sim/base/check.h"

#define SHA256_BYTES 32

struct digest {
	EVP_MD_CTX *context;
};

struct digest *digest_new(void)
{
	struct digest *d = malloc(sizeof(*d));

	SIM_CHECK(d);
	d->context = EVP_MD_CTX_new();
	SIM_CHECK(d->context && EVP_DigestInit_ex(d->context, EVP_sha256(), NULL));
	return d;
}

void digest_add(struct digest *d, const void *bytes, size_t n)
{
	SIM_CHECK(EVP_DigestUpdate(d->context, bytes, n));
}

void digest_end(struct digest *d, char text[DIGEST_TEXT])
{
	static const char digits[] = "0123456789abcdef";
	unsigned char sum[SHA256_BYTES];

	SIM_CHECK(EVP_DigestFinal_ex(d->context, sum, NULL));
	EVP_MD_CTX_free(d->context);
	free(d);
	if (!text)
		return;
	for (int i = 0; i < SHA256_BYTES; i++) {
		*text++ = digits[sum[i] >> 4];
		*text++ = digits[sum[i] & 15];
	}
	*text = 0;
}
