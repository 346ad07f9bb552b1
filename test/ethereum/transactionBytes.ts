/** Random signed transactions of every type, and random changes of their bytes. */
import fc from 'fast-check'
import { type Hex, numberToHex, type TransactionSerializable } from 'viem'
import { bigintToBytes, bytesToHex, concatBytes, hexToBytes } from '../../src/base/bytes.ts'
import { CURVE_ORDER, HALF_CURVE_ORDER } from '../../src/base/crypto/crypto.ts'
import { decodeRlp, encodeRlp, type RlpItem, rlpListPrefix } from '../../src/base/rlp.ts'
import { ALICE_KEY, signTransaction } from '../signing.ts'

/** The chain that most transactions are signed for. */
export const CHAIN_ID = 31337

/** An integer of up to so many bits; each size is as likely as the others. */
const bits = (most: number) => fc.nat(most).chain((size) => fc.bigInt(0n, 2n ** BigInt(size) - 1n))
const hexOf = (length: number) => fc.uint8Array({ minLength: length, maxLength: length }).map(bytesToHex)
const address = hexOf(20)
const word = hexOf(32)

const transaction: fc.Arbitrary<TransactionSerializable> = fc
  .record({
    type: fc.constantFrom('legacy', 'eip2930', 'eip1559', 'eip4844', 'eip7702'),
    chainId: fc.constantFrom(CHAIN_ID, CHAIN_ID, CHAIN_ID, undefined, 1),
    nonce: fc.oneof(fc.nat(300), fc.maxSafeNat()),
    gas: fc.oneof(fc.bigInt(21_000n, 2n ** 25n), bits(64)),
    to: fc.oneof({ weight: 4, arbitrary: address }, { weight: 1, arbitrary: fc.constant(undefined) }),
    value: bits(256),
    data: fc
      .oneof(
        { weight: 20, arbitrary: fc.uint8Array({ maxLength: 80 }) },
        { weight: 1, arbitrary: fc.constant(new Uint8Array(49_153)) },
      )
      .map(bytesToHex),
    prices: fc.tuple(bits(200), bits(200)).map((pair) => pair.sort((a, b) => (a < b ? -1 : 1))),
    accessList: fc.array(fc.record({ address, storageKeys: fc.array(word, { maxLength: 3 }) }), {
      maxLength: 3,
    }),
    maxFeePerBlobGas: bits(256),
    blobVersionedHashes: fc.array(
      hexOf(31).map((rest): Hex => `0x01${rest.slice(2)}`),
      {
        minLength: 1,
        maxLength: 15,
      },
    ),
    authorizationList: fc.array(
      fc.record({
        chainId: fc.nat(),
        address,
        nonce: fc.nat(),
        yParity: fc.nat(1),
        r: fc.bigInt(1n, CURVE_ORDER - 1n).map((r) => numberToHex(r, { size: 32 })),
        s: fc.bigInt(1n, CURVE_ORDER - 1n).map((s) => numberToHex(s, { size: 32 })),
      }),
      { minLength: 1, maxLength: 3 },
    ),
  })
  .map(({ prices: [tip, fee], type, chainId, accessList, maxFeePerBlobGas, ...rest }) => {
    const { blobVersionedHashes, authorizationList, ...base } = rest
    if (type === 'legacy') return { ...base, type, chainId, gasPrice: fee }
    const typed = { ...base, chainId: chainId ?? CHAIN_ID, accessList }
    if (type === 'eip2930') return { ...typed, type, gasPrice: fee }
    const dynamic = { ...typed, maxFeePerGas: fee, maxPriorityFeePerGas: tip }
    if (type === 'eip1559') return { ...dynamic, type }
    if (type === 'eip4844') return { ...dynamic, type, maxFeePerBlobGas, blobVersionedHashes }
    return { ...dynamic, type, authorizationList }
  }) as fc.Arbitrary<TransactionSerializable>

/** Signs a random transaction by viem, and gives its bytes. */
export const signedBytes: fc.Arbitrary<() => Promise<Uint8Array>> = transaction.map(
  (one) => async () => hexToBytes(await signTransaction(ALICE_KEY, one)),
)

/** An item of RLP that can be changed. */
type Tree = Uint8Array | Tree[]

/** A change of a transaction's bytes, which may leave them as they are. */
export type Change = (raw: Uint8Array) => Uint8Array

const INTEGERS = [
  ...[0n, 1n, 2n, 26n, 27n, 28n, 29n, 35n, 36n, 37n, 38n],
  ...[0n, 1n, 2n].map((parity) => 2n * BigInt(CHAIN_ID) + 35n + parity),
  ...[2n ** 64n - 2n, 2n ** 64n - 1n, 2n ** 64n, 2n ** 256n - 1n, 2n ** 256n, 2n ** 1030n],
  ...[CURVE_ORDER - 1n, CURVE_ORDER, HALF_CURVE_ORDER, HALF_CURVE_ORDER + 1n],
]

const { tree } = fc.letrec<{ tree: Tree }>((tie) => ({
  tree: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom(...INTEGERS).map(bigintToBytes),
    fc.uint8Array({ maxLength: 40 }),
    fc.constantFrom(20, 32).chain((length) => fc.uint8Array({ minLength: length, maxLength: length })),
    fc.constantFrom(6, 20, 32).map((length) => Array<Tree>(length).fill(new Uint8Array(0))),
    fc.array(tie('tree'), { maxLength: 7 }),
  ),
}))

const lists = (item: Tree): Tree[][] => (item instanceof Uint8Array ? [] : [item, ...item.flatMap(lists)])

/** Changes an item; undefined removes it. */
const edit: fc.Arbitrary<(item: Tree) => Tree | undefined> = fc.oneof(
  { weight: 4, arbitrary: tree.map((other) => () => other) },
  fc.constant(() => undefined),
  fc.constant((item: Tree) => [item]),
  fc.constant((item: Tree) => (item instanceof Uint8Array ? concatBytes(Uint8Array.of(0), item) : item[0])),
  fc.constant((item: Tree) => (item instanceof Uint8Array ? item.slice(1) : item.slice(1))),
  fc.constant((item: Tree) => (item instanceof Uint8Array ? item : [...item, ...item])),
)

/** Splits bytes into the type and the fields; undefined if the fields are not RLP. */
function split(raw: Uint8Array): { readonly type: Uint8Array; readonly fields: Tree } | undefined {
  const typed = raw[0]! < 0x80 ? 1 : 0
  try {
    return { type: raw.slice(0, typed), fields: decodeRlp(raw.subarray(typed)) as Tree }
  } catch {
    return undefined
  }
}

/** Changes one item: a field of the transaction, or any item within. */
const structural: fc.Arbitrary<Change> = fc
  .record({ deep: fc.boolean(), list: fc.nat(), item: fc.nat(), change: edit })
  .map(({ deep, list, item, change }) => (raw) => {
    const parts = split(raw)
    if (parts === undefined) return raw
    const { type, fields } = parts
    const all = lists(fields).filter(({ length }) => length > 0)
    const chosen = all[deep ? list % all.length : 0]
    if (chosen === undefined) return raw
    const at = item % chosen.length
    const changed = change(chosen[at]!)
    chosen.splice(at, 1, ...(changed === undefined ? [] : [changed]))
    return concatBytes(type, encodeRlp(fields as RlpItem))
  })

/** Encodes one item in a form that is not canonical. */
const uncanonical: fc.Arbitrary<Change> = fc
  .record({ item: fc.nat(), zeros: fc.nat(2) })
  .map(({ item, zeros }) => (raw) => {
    const parts = split(raw)
    if (parts === undefined) return raw
    const count = (one: Tree): number =>
      one instanceof Uint8Array ? 1 : 1 + one.reduce((sum, each) => sum + count(each), 0)
    let left = item % count(parts.fields)
    const encode = (one: Tree): Uint8Array => {
      const isChosen = left-- === 0
      const content = one instanceof Uint8Array ? one : concatBytes(...one.map(encode))
      if (!isChosen) {
        return one instanceof Uint8Array
          ? encodeRlp(one)
          : concatBytes(rlpListPrefix(content.length), content)
      }
      const offset = one instanceof Uint8Array ? 0x80 : 0xc0
      if (zeros === 0 && content.length < 56)
        return concatBytes(Uint8Array.of(offset + content.length), content)
      const length = concatBytes(new Uint8Array(zeros), bigintToBytes(BigInt(content.length)))
      return concatBytes(Uint8Array.of(offset + 55 + length.length), length, content)
    }
    return concatBytes(parts.type, encode(parts.fields))
  })

const flipped: fc.Arbitrary<Change> = fc.tuple(fc.nat(), fc.nat(7)).map(([at, bit]) => (raw) => {
  const changed = raw.slice()
  changed[at % raw.length]! ^= 1 << bit
  return changed
})

/** A change of a transaction's bytes. */
export const change: fc.Arbitrary<Change> = fc.oneof(
  { weight: 6, arbitrary: structural },
  { weight: 2, arbitrary: uncanonical },
  { weight: 2, arbitrary: flipped },
  fc.nat().map((length) => (raw: Uint8Array) => raw.slice(0, length % (raw.length + 1))),
  fc.uint8Array({ minLength: 1, maxLength: 3 }).map((more) => (raw: Uint8Array) => concatBytes(raw, more)),
  fc
    .nat(6)
    .map(
      (type) => (raw: Uint8Array) => concatBytes(Uint8Array.of(type), raw[0]! < 0x80 ? raw.slice(1) : raw),
    ),
)
