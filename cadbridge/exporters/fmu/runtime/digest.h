/* SHA-256 of bytes (FIPS 180-4, section 6.2): the token of a model is the beginning of that of its table. */

#ifndef CADBRIDGE_DIGEST_H
#define CADBRIDGE_DIGEST_H

#include <stddef.h>
#include <stdint.h>

void digest_of(const uint8_t *bytes, size_t size, uint8_t digest[32]);

#endif
