/* What libsecp256k1 uses of stdio.h: messages before it aborts, which have no place to go. */
#ifndef STDIO_H
#define STDIO_H

#define stderr 0
#define fprintf(...) ((void)0)
#define printf(...) ((void)0)

#endif
