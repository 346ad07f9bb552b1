/*
 * The operations of secp256k1 that Ethereum needs, by libsecp256k1, for WebAssembly without a C library.
 *
 * The caller writes arguments to `arguments` and reads results from `result`. Private keys, and whatever was derived
 * from them, are erased before an operation returns.
 */
#define SECP256K1_BUILD
#define ENABLE_MODULE_RECOVERY 1
#define USE_EXTERNAL_DEFAULT_CALLBACKS 1
/* A product of two 64-bit numbers would be computed from those of their halves. */
#define USE_FORCE_WIDEMUL_INT64 1

#include "group.h"
#include "ecmult.h"

/* Replaces precomputed_ecmult.h: the odd multiples of the generator are computed at run time, see `prepare`. */
#define SECP256K1_PRECOMPUTED_ECMULT_H
#define WINDOW_G ECMULT_WINDOW_SIZE
#define MULTIPLES ECMULT_TABLE_SIZE(WINDOW_G)
static secp256k1_ge_storage secp256k1_pre_g[MULTIPLES];
static secp256k1_ge_storage secp256k1_pre_g_128[MULTIPLES];

#include "secp256k1.c"
#include "precomputed_ecmult_gen.c"

#define EXPORT(name) __attribute__((export_name(#name)))

/* Calls with arguments that the API forbids, and broken invariants, end in a trap. */
void secp256k1_default_illegal_callback_fn(const char *message, void *data) {
  (void)message;
  (void)data;
  __builtin_trap();
}

void secp256k1_default_error_callback_fn(const char *message, void *data) {
  (void)message;
  (void)data;
  __builtin_trap();
}

typedef unsigned long long Word __attribute__((aligned(1), may_alias));

void *memcpy(void *target, const void *source, size_t length) {
  unsigned char *to = target;
  const unsigned char *from = source;
  for (; length >= sizeof(Word); length -= sizeof(Word), to += sizeof(Word), from += sizeof(Word)) {
    *(Word *)to = *(const Word *)from;
  }
  while (length-- > 0) *to++ = *from++;
  return target;
}

void *memset(void *target, int value, size_t length) {
  unsigned char *to = target;
  const Word repeated = 0x0101010101010101ULL * (unsigned char)value;
  for (; length >= sizeof(Word); length -= sizeof(Word), to += sizeof(Word)) *(Word *)to = repeated;
  while (length-- > 0) *to++ = (unsigned char)value;
  return target;
}

/* The hash, then r and s of a signature or a private key; 32 bytes each. */
static unsigned char arguments[96];
/* A public key without its prefix, or r and s; 64 bytes. */
static unsigned char result[64];

/* The stack, as the linker places it. */
extern unsigned char __stack_low[];
extern unsigned char __stack_high[];

/* Only functions that keep nothing on the stack may call this. */
static void erase_secrets(void) {
  memset(arguments + 32, 0, 32);
  memset(__stack_low, 0, (size_t)(__stack_high - __stack_low));
}

/* Without the blinding of secrets, which needs randomness. */
static const secp256k1_context *context(void) {
  static unsigned char memory[sizeof(secp256k1_context)] __attribute__((aligned(16)));
  static const secp256k1_context *created = NULL;
  if (created == NULL) created = secp256k1_context_preallocated_create(memory, SECP256K1_CONTEXT_NONE);
  return created;
}

/* The odd multiples of a point, up to the 2 * MULTIPLES - 1st. */
static void set_multiples(secp256k1_ge_storage *table, const secp256k1_gej *point) {
  static secp256k1_gej multiples[MULTIPLES];
  static secp256k1_ge affine[MULTIPLES];
  secp256k1_gej twice;
  secp256k1_ge step;
  int i;
  secp256k1_gej_double_var(&twice, point, NULL);
  secp256k1_ge_set_gej_var(&step, &twice);
  multiples[0] = *point;
  for (i = 1; i < MULTIPLES; i++) secp256k1_gej_add_ge_var(&multiples[i], &multiples[i - 1], &step, NULL);
  secp256k1_ge_set_all_gej_var(affine, multiples, MULTIPLES);
  for (i = 0; i < MULTIPLES; i++) secp256k1_ge_to_storage(&table[i], &affine[i]);
}

/* Computes the tables of recovery once. In the binary they would take more than all of its code. */
static void prepare(void) {
  static int prepared = 0;
  secp256k1_gej point;
  int i;
  if (prepared) return;
  secp256k1_gej_set_ge(&point, &secp256k1_ge_const_g);
  set_multiples(secp256k1_pre_g, &point);
  for (i = 0; i < 128; i++) secp256k1_gej_double_var(&point, &point, NULL);
  set_multiples(secp256k1_pre_g_128, &point);
  prepared = 1;
}

static void write_public_key(const secp256k1_pubkey *key) {
  unsigned char prefixed[65];
  size_t length = sizeof(prefixed);
  secp256k1_ec_pubkey_serialize(context(), prefixed, &length, key, SECP256K1_EC_UNCOMPRESSED);
  memcpy(result, prefixed + 1, sizeof(result));
}

static __attribute__((noinline)) int sign_recoverable(void) {
  secp256k1_ecdsa_recoverable_signature signature;
  int id;
  if (!secp256k1_ecdsa_sign_recoverable(context(), &signature, arguments, arguments + 32, NULL, NULL)) return -1;
  secp256k1_ecdsa_recoverable_signature_serialize_compact(context(), result, &id, &signature);
  return id;
}

static __attribute__((noinline)) int create_public_key(void) {
  secp256k1_pubkey key;
  if (!secp256k1_ec_pubkey_create(context(), &key, arguments + 32)) return 0;
  write_public_key(&key);
  return 1;
}

/* Where the arguments are. */
EXPORT(arguments) unsigned char *get_arguments(void) { return arguments; }

/* Where the result is. */
EXPORT(result) unsigned char *get_result(void) { return result; }

/* The public key that signed a hash; s in either half, id from 0 to 3. Returns 0 if there is none. */
EXPORT(recover) int recover(int id) {
  secp256k1_ecdsa_recoverable_signature signature;
  secp256k1_pubkey key;
  prepare();
  if (!secp256k1_ecdsa_recoverable_signature_parse_compact(context(), &signature, arguments + 32, id)) return 0;
  if (!secp256k1_ecdsa_recover(context(), &key, &signature, arguments)) return 0;
  write_public_key(&key);
  return 1;
}

/* Signs a hash by RFC 6979, with s in the lower half. Returns the recovery id, or -1 if the key is out of range. */
EXPORT(sign) int sign(void) {
  const int id = sign_recoverable();
  erase_secrets();
  return id;
}

/* The public key of a private key. Returns 0 if the key is out of range. */
EXPORT(publicKey) int public_key(void) {
  const int done = create_public_key();
  erase_secrets();
  return done;
}
