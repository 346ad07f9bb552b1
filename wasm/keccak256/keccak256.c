/*
 * keccak256 for WebAssembly without a C library: Keccak-f[1600] with a rate of 136 bytes and the padding of Ethereum.
 *
 * The caller writes bytes to `input` and calls `finish`; before that `update` for those that do not fit. The hash is at
 * `output`.
 */
typedef unsigned long long Lane;
typedef Lane UnalignedLane __attribute__((aligned(1), may_alias));

enum { RATE = 136, LANES = 25, RATE_LANES = RATE / 8, HASH_LANES = 4, ROUNDS = 24, CAPACITY = 240 * RATE };

/* All zero between two hashes. */
static Lane state[LANES];
static Lane output[HASH_LANES];
/* With space for the padding. */
static unsigned char input[CAPACITY + RATE];

static const Lane CONSTANTS[ROUNDS] = {
    0x0000000000000001, 0x0000000000008082, 0x800000000000808a, 0x8000000080008000, 0x000000000000808b,
    0x0000000080000001, 0x8000000080008081, 0x8000000000008009, 0x000000000000008a, 0x0000000000000088,
    0x0000000080008009, 0x000000008000000a, 0x000000008000808b, 0x800000000000008b, 0x8000000000008089,
    0x8000000000008003, 0x8000000000008002, 0x8000000000000080, 0x000000000000800a, 0x800000008000000a,
    0x8000000080008081, 0x8000000000008080, 0x0000000080000001, 0x8000000080008008,
};

#define EXPORT(name) __attribute__((export_name(#name)))
/* Loops over lanes are unrolled, so that the lanes are locals and not in memory. */
#define UNROLLED _Pragma("clang loop unroll(full)")
#define ROTATED(lane, bits) (((lane) << (bits)) | ((lane) >> (64 - (bits))))

/* One row after theta, rho and pi, and chi of it. */
#define ROW(first, v0, v1, v2, v3, v4)  \
  do {                                  \
    const Lane b0 = (v0), b1 = (v1), b2 = (v2), b3 = (v3), b4 = (v4); \
    next[first] = b0 ^ (~b1 & b2);      \
    next[first + 1] = b1 ^ (~b2 & b3);  \
    next[first + 2] = b2 ^ (~b3 & b4);  \
    next[first + 3] = b3 ^ (~b4 & b0);  \
    next[first + 4] = b4 ^ (~b0 & b1);  \
  } while (0)

/* XORs a block of RATE bytes into the state and permutes it. */
static void absorb(const unsigned char *block) {
  const UnalignedLane *lanes = (const UnalignedLane *)block;
  Lane a[LANES];
  UNROLLED for (int i = 0; i < LANES; i++) a[i] = i < RATE_LANES ? state[i] ^ lanes[i] : state[i];
  for (int round = 0; round < ROUNDS; round++) {
    Lane c[5], d[5], next[LANES];
    UNROLLED for (int x = 0; x < 5; x++) c[x] = a[x] ^ a[x + 5] ^ a[x + 10] ^ a[x + 15] ^ a[x + 20];
    UNROLLED for (int x = 0; x < 5; x++) d[x] = c[(x + 4) % 5] ^ ROTATED(c[(x + 1) % 5], 1);
    ROW(0, a[0] ^ d[0], ROTATED(a[6] ^ d[1], 44), ROTATED(a[12] ^ d[2], 43), ROTATED(a[18] ^ d[3], 21),
        ROTATED(a[24] ^ d[4], 14));
    ROW(5, ROTATED(a[3] ^ d[3], 28), ROTATED(a[9] ^ d[4], 20), ROTATED(a[10] ^ d[0], 3),
        ROTATED(a[16] ^ d[1], 45), ROTATED(a[22] ^ d[2], 61));
    ROW(10, ROTATED(a[1] ^ d[1], 1), ROTATED(a[7] ^ d[2], 6), ROTATED(a[13] ^ d[3], 25),
        ROTATED(a[19] ^ d[4], 8), ROTATED(a[20] ^ d[0], 18));
    ROW(15, ROTATED(a[4] ^ d[4], 27), ROTATED(a[5] ^ d[0], 36), ROTATED(a[11] ^ d[1], 10),
        ROTATED(a[17] ^ d[2], 15), ROTATED(a[23] ^ d[3], 56));
    ROW(20, ROTATED(a[2] ^ d[2], 62), ROTATED(a[8] ^ d[3], 55), ROTATED(a[14] ^ d[4], 39),
        ROTATED(a[15] ^ d[0], 41), ROTATED(a[21] ^ d[1], 2));
    UNROLLED for (int i = 0; i < LANES; i++) a[i] = next[i];
    a[0] ^= CONSTANTS[round];
  }
  UNROLLED for (int i = 0; i < LANES; i++) state[i] = a[i];
}

/* Where the input is. */
EXPORT(input) unsigned char *get_input(void) { return input; }

/* The bytes that fit there, a multiple of RATE. */
EXPORT(capacity) int get_capacity(void) { return CAPACITY; }

/* Where the hash is. */
EXPORT(output) Lane *get_output(void) { return output; }

/* Absorbs the whole blocks of the input; returns the end of the last one. */
EXPORT(update) unsigned char *update(int length) {
  unsigned char *block = input;
  for (; length >= RATE; length -= RATE, block += RATE) absorb(block);
  return block;
}

/* Absorbs the rest of the input, and writes the hash. */
EXPORT(finish) void finish(int length) {
  unsigned char *const last = update(length);
  unsigned char *const end = input + length;
  for (unsigned char *at = end; at < last + RATE; at++) *at = 0;
  *end = 0x01;
  last[RATE - 1] |= 0x80;
  absorb(last);
  for (int i = 0; i < HASH_LANES; i++) output[i] = state[i];
  for (int i = 0; i < LANES; i++) state[i] = 0;
}
