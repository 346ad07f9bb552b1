/* What libsecp256k1 uses of stdlib.h: it allocates nothing here, since the caller supplies the memory of its context. */
#ifndef STDLIB_H
#define STDLIB_H

#include <stddef.h>

#define abort() __builtin_trap()
#define malloc(size) ((void)(size), (void *)0)
#define free(pointer) ((void)(pointer))

#endif
