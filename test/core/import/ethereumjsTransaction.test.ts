import fc from 'fast-check'
import type { Hex, TransactionSerializable } from 'viem'
import { beforeAll, describe, expect, it } from 'vitest'
import { bigintToBytes, bytesToBigint, concatBytes, hexToBytes } from '../../../src/base/bytes.ts'
import { type Crypto, CURVE_ORDER, HALF_CURVE_ORDER, loadCrypto } from '../../../src/base/crypto/crypto.ts'
import { PresealRpcError } from '../../../src/base/errors.ts'
import { decodeRlp, encodeRlp, type RlpItem } from '../../../src/base/rlp.ts'
import type { Address } from '../../../src/base/types.ts'
import { decodeEthereumjsTransaction } from '../../../src/core/import/ethereumjsTransaction.ts'
import { type DecodeTransaction, decodeTransaction } from '../../../src/ethereum/decodeTransaction.ts'
import type { Rules } from '../../../src/ethereum/rules.ts'
import { GAS_PER_BLOB, type Transaction } from '../../../src/ethereum/transaction.ts'
import { CHAIN_ID, change, signedBytes } from '../../ethereum/transactionBytes.ts'
import { rulesOf, WITH_BLOB_FORK } from '../../forks.ts'
import { runs } from '../../full.ts'
import { ALICE_KEY, signTransaction } from '../../signing.ts'

type Outcome = string | { readonly tx: Transaction; readonly order: readonly string[] }

let crypto: Crypto
beforeAll(async () => {
  crypto = await loadCrypto()
})

/** The transaction with the order of its fields, or the error. */
function run(decode: DecodeTransaction, raw: Uint8Array, rules: Rules, sender?: Address): Outcome {
  try {
    const tx = decode(raw, rules, crypto, sender)
    return { tx, order: Object.keys(tx) }
  } catch (error) {
    if (!(error instanceof PresealRpcError)) throw error
    return `${error.code} ${error.name}: ${error.message}`
  }
}

const isList = (item: RlpItem | undefined): item is readonly RlpItem[] => Array.isArray(item)
const integer = (item: RlpItem | undefined): bigint => (item instanceof Uint8Array ? bytesToBigint(item) : 0n)

/** A transaction's type and fields. */
interface Parts {
  readonly type: number
  readonly fields: readonly RlpItem[]
}

/** Undefined if the bytes are not the RLP of a list. */
function split(raw: Uint8Array): Parts | undefined {
  const type = raw.length > 0 && raw[0]! < 0x80 ? raw[0]! : 0
  try {
    const fields = decodeRlp(type === 0 ? raw : raw.subarray(1))
    return isList(fields) ? { type, fields } : undefined
  } catch {
    return undefined
  }
}

function hashesOf({ type, fields }: Parts): readonly RlpItem[] {
  const hashes = type === 3 ? fields[10] : undefined
  return isList(hashes) ? hashes : []
}

const vOf = ({ type, fields }: Parts): bigint => (type === 0 ? integer(fields[6]) : 0n)

/** What @ethereumjs gets wrong: what is right, and whether a transaction depends on it. */
const DIFFERENCES: Readonly<Record<string, (tx: Parts, rules: Rules) => boolean>> = {
  'an access list is a list of pairs of a string and a list of strings (EIP-2930)': ({ type, fields }) => {
    const accessList = type === 0 ? undefined : fields[type === 1 ? 7 : 8]
    if (!isList(accessList)) return accessList !== undefined
    return accessList.some((entry) => {
      const [address, keys] = isList(entry) ? entry : []
      return isList(address) || !isList(keys) || keys.some(isList)
    })
  },
  'the version of a blob hash is its first byte, not two decimal digits (EIP-4844)': (tx) =>
    hashesOf(tx).some((hash) => !isList(hash) && hash[0]! > 9),
  'a blob hash is not a list (EIP-4844)': (tx) => hashesOf(tx).some(isList),
  'a transaction may have six blobs, even if a block may have more (EIP-7594)': (tx, { fork, blobs }) =>
    fork.osaka && BigInt(hashesOf(tx).length) * GAS_PER_BLOB > blobs.maxGas,
  'v is 27 or 28 before EIP-155': (tx, { fork }) => !fork.spuriousDragon && vOf(tx) > 36n,
  'v is an integer of any size (EIP-155)': (tx, { chainId }) =>
    vOf(tx) >= 2n ** 1024n || (chainId > 2n ** 52n && vOf(tx) > 36n),
  's is in either half before Homestead (EIP-2)': ({ type, fields }, { fork }) =>
    !fork.homestead && type === 0 && integer(fields[8]) > HALF_CURVE_ORDER,
}

const to: Hex = `0x${'11'.repeat(20)}`

/** The bytes of a transaction that was signed, with some fields replaced afterwards, by their index. */
async function signed(
  transaction: Readonly<Record<string, unknown>>,
  changes: Readonly<Record<number, (field: RlpItem) => RlpItem>> = {},
): Promise<Uint8Array> {
  const base = { nonce: 3, gas: 50_000n, to, value: 4n, chainId: CHAIN_ID }
  const raw = hexToBytes(
    await signTransaction(ALICE_KEY, { ...base, ...transaction } as TransactionSerializable),
  )
  const { type, fields } = split(raw)!
  const encoded = encodeRlp(fields.map((field, i) => changes[i]?.(field) ?? field))
  return type === 0 ? encoded : concatBytes(Uint8Array.of(type), encoded)
}

describe('decodeEthereumjsTransaction', () => {
  it('gives the same transaction or the same error as the own decoder, but for known differences', async () => {
    const every = WITH_BLOB_FORK.map((fork) => rulesOf(fork))
    const rules = fc.oneof(fc.constantFrom(...every), fc.constantFrom(...every.slice(-3)))
    const sender = fc.option(fc.constant<Address>(`0x${'5e'.repeat(20)}`), { nil: undefined, freq: 5 })
    const seen = { decoded: 0, refused: 0 }
    await fc.assert(
      fc.asyncProperty(
        signedBytes,
        fc.array(change, { maxLength: 3 }),
        rules,
        sender,
        async (signed, changes, at, from) => {
          const raw = changes.reduce((bytes, one) => one(bytes), await signed())
          const own = run(decodeTransaction, raw, at, from)
          const theirs = run(decodeEthereumjsTransaction, raw, at, from)
          seen[typeof own === 'string' ? 'refused' : 'decoded'] += 1
          const tx = split(raw)
          const known = tx !== undefined && Object.values(DIFFERENCES).some((applies) => applies(tx, at))
          if (!known) expect(own).toEqual(theirs)
          // On Frontier one of the differences is that it refuses what is valid.
          else if (at.fork.homestead) expect(own).toBeTypeOf('string')
        },
      ),
      runs(400, 10_000),
    )
    expect(Math.min(seen.decoded, seen.refused)).toBeGreaterThan(50)
  })

  it('differs from the own decoder in what it gets wrong', async () => {
    const legacy = { type: 'legacy', gasPrice: 9n } as const
    const fees = { maxFeePerGas: 9n, maxPriorityFeePerGas: 1n }
    const dynamic = { ...fees, type: 'eip1559' } as const
    const hash: Hex = `0x01${'22'.repeat(31)}`
    const blobs = (count: number) =>
      ({
        ...fees,
        type: 'eip4844',
        maxFeePerBlobGas: 7n,
        blobVersionedHashes: Array(count).fill(hash),
      }) as const
    const [empty, address] = [new Uint8Array(0), hexToBytes(to)]
    const items = (count: number) => Array<Uint8Array>(count).fill(empty)
    const hashWith = (version: number) => concatBytes(Uint8Array.of(version), new Uint8Array(31))
    const prague = rulesOf('prague')
    const longChainId = 2 ** 53 - 1
    const examples: Readonly<Record<string, readonly [Uint8Array, Rules]>> = {
      'a string as access list': [await signed(dynamic, { 8: () => empty }), prague],
      'a string as keys': [await signed(dynamic, { 8: () => [[address, empty]] }), prague],
      'a list as address': [await signed(dynamic, { 8: () => [[items(20), []]] }), prague],
      'a list as key': [await signed(dynamic, { 8: () => [[address, [items(32)]]] }), prague],
      'version 0x1f': [await signed(blobs(1), { 10: () => [hashWith(0x1f)] }), prague],
      'version 0xff': [await signed(blobs(1), { 10: () => [hashWith(0xff)] }), prague],
      'a list as hash': [await signed(blobs(1), { 10: () => [[Uint8Array.of(49), ...items(31)]] }), prague],
      'ten blobs': [await signed(blobs(10)), rulesOf('osaka')],
      'EIP-155 before it': [await signed(legacy), rulesOf('tangerineWhistle')],
      'v of 1025 bits': [await signed(legacy, { 6: () => bigintToBytes(2n ** 1024n) }), prague],
      'a long chain id': [await signed({ ...legacy, chainId: longChainId }), rulesOf('prague', longChainId)],
      'high s on Frontier': [
        await signed(
          { ...legacy, chainId: undefined },
          {
            6: (v) => bigintToBytes(55n - integer(v)),
            8: (s) => bigintToBytes(CURVE_ORDER - integer(s)),
          },
        ),
        rulesOf('chainstart'),
      ],
    }
    const show = (outcome: Outcome) =>
      (typeof outcome === 'string' ? outcome : `sent by ${outcome.tx.from}`).replace(/\d{99,}/, 'N')
    const shown = Object.entries(examples).map(([name, [raw, rules]]) => {
      const tx = split(raw)!
      return {
        name,
        right: Object.keys(DIFFERENCES).filter((difference) => DIFFERENCES[difference]!(tx, rules)),
        own: show(run(decodeTransaction, raw, rules)),
        ethereumjs: show(run(decodeEthereumjsTransaction, raw, rules)),
      }
    })
    expect([...new Set(shown.flatMap(({ right }) => right))]).toEqual(Object.keys(DIFFERENCES))
    expect(shown).toMatchInlineSnapshot(`
      [
        {
          "ethereumjs": "sent by 0xca7c501ba89295615fa727ef31dfb465522f794a",
          "name": "a string as access list",
          "own": "-32000 TransactionDecodeError: rlp: invalid transaction",
          "right": [
            "an access list is a list of pairs of a string and a list of strings (EIP-2930)",
          ],
        },
        {
          "ethereumjs": "sent by 0x6ee0532daa726e07e154a13dd6abab80f4df3f29",
          "name": "a string as keys",
          "own": "-32000 TransactionDecodeError: rlp: Invalid EIP-2930 transaction: storage slot length should be 32 bytes",
          "right": [
            "an access list is a list of pairs of a string and a list of strings (EIP-2930)",
          ],
        },
        {
          "ethereumjs": "sent by 0x82030e58f6de5a2dddcd13ccf1b3bb2111efd8d0",
          "name": "a list as address",
          "own": "-32000 TransactionDecodeError: rlp: Invalid EIP-2930 transaction: address length should be 20 bytes",
          "right": [
            "an access list is a list of pairs of a string and a list of strings (EIP-2930)",
          ],
        },
        {
          "ethereumjs": "sent by 0xb4ca2e657b2ea6a49b80745e42b711e17ef33a59",
          "name": "a list as key",
          "own": "-32000 TransactionDecodeError: rlp: Invalid EIP-2930 transaction: storage slot length should be 32 bytes",
          "right": [
            "an access list is a list of pairs of a string and a list of strings (EIP-2930)",
          ],
        },
        {
          "ethereumjs": "sent by 0xd8da40e723c1d72c32f5bebf5aa7cdd45e122afd",
          "name": "version 0x1f",
          "own": "-32000 BlobHashVersionError: blob 0 has invalid hash version",
          "right": [
            "the version of a blob hash is its first byte, not two decimal digits (EIP-4844)",
          ],
        },
        {
          "ethereumjs": "-32000 TransactionDecodeError: rlp: The number NaN cannot be converted to a BigInt because it is not an integer",
          "name": "version 0xff",
          "own": "-32000 BlobHashVersionError: blob 0 has invalid hash version",
          "right": [
            "the version of a blob hash is its first byte, not two decimal digits (EIP-4844)",
          ],
        },
        {
          "ethereumjs": "-32000 BlobHashVersionError: blob 0 has invalid hash version",
          "name": "a list as hash",
          "own": "-32000 TransactionDecodeError: rlp: versioned hash is invalid length",
          "right": [
            "a blob hash is not a list (EIP-4844)",
          ],
        },
        {
          "ethereumjs": "-32000 TooManyBlobsError: too many blobs in transaction: have 10, permitted 9",
          "name": "ten blobs",
          "own": "-32000 TooManyBlobsError: too many blobs in transaction: have 10, permitted 6",
          "right": [
            "a transaction may have six blobs, even if a block may have more (EIP-7594)",
          ],
        },
        {
          "ethereumjs": "sent by 0x38795d3e23bdbd2b33c5d62b458b40f32acc8567",
          "name": "EIP-155 before it",
          "own": "-32000 InvalidSenderError: invalid sender",
          "right": [
            "v is 27 or 28 before EIP-155",
          ],
        },
        {
          "ethereumjs": "-32000 TransactionDecodeError: rlp: The number Infinity cannot be converted to a BigInt because it is not an integer",
          "name": "v of 1025 bits",
          "own": "-32000 ChainIdMismatchError: invalid chain id for signer: have N want 31337",
          "right": [
            "v is an integer of any size (EIP-155)",
          ],
        },
        {
          "ethereumjs": "-32000 ChainIdMismatchError: invalid chain id for signer: have 9007199254740990 want 9007199254740991",
          "name": "a long chain id",
          "own": "sent by 0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266",
          "right": [
            "v is an integer of any size (EIP-155)",
          ],
        },
        {
          "ethereumjs": "-32000 InvalidSenderError: invalid sender",
          "name": "high s on Frontier",
          "own": "sent by 0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266",
          "right": [
            "s is in either half before Homestead (EIP-2)",
          ],
        },
      ]
    `)
  })
})
