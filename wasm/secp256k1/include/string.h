/* What libsecp256k1 uses of string.h. curve.c defines the functions, except memmove, which nothing that is linked calls. */
#ifndef STRING_H
#define STRING_H

#include <stddef.h>

void *memcpy(void *target, const void *source, size_t length);
void *memmove(void *target, const void *source, size_t length);
void *memset(void *target, int value, size_t length);

#endif
