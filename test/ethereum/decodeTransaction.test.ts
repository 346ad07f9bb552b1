import type { Common } from '@ethereumjs/common'
import { RLP } from '@ethereumjs/rlp'
import { createTxFromRLP } from '@ethereumjs/tx'
import fc from 'fast-check'
import { type Hex, hexToBytes, parseGwei } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Crypto, loadCrypto } from '../../src/base/crypto/crypto.ts'
import { PresealRpcError } from '../../src/base/errors.ts'
import { toGethGenesis } from '../../src/core/open/genesis.ts'
import { resolveOptions } from '../../src/core/options.ts'
import { decodeTransaction } from '../../src/ethereum/decodeTransaction.ts'
import { commonOf } from '../../src/ethereum/evm/ethereumjs/common.ts'
import { createChainRules, type Rules } from '../../src/ethereum/rules.ts'
import type { Hardfork } from '../../src/index.ts'
import { rulesOf as rulesOfFork } from '../forks.ts'
import { runs } from '../full.ts'

const account = privateKeyToAccount('0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80')
const to: Hex = `0x${'11'.repeat(20)}`
const blobHash: Hex = `0x01${'22'.repeat(31)}`
const N = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n

let crypto: Crypto
describe('decodeTransaction', () => {
  beforeAll(async () => {
    crypto = await loadCrypto()
  })

  function rulesOf(hardfork: Hardfork = 'prague'): Rules {
    const genesis = toGethGenesis(resolveOptions({ hardfork }), [], 0n)
    return createChainRules(genesis).at(1n, 1n)
  }

  type Fields = (Uint8Array | Fields)[]
  const bytes = (value: bigint | Hex): Uint8Array => {
    if (typeof value === 'string') return hexToBytes(value)
    const hex = value.toString(16)
    return value === 0n ? new Uint8Array(0) : hexToBytes(`0x${hex.length % 2 ? '0' : ''}${hex}`)
  }

  /** The fields of each type, in order; the signature is the last three. */
  const NAMES = {
    0: ['nonce', 'gasPrice', 'gas', 'to', 'value', 'data', 'v', 'r', 's'],
    1: ['chainId', 'nonce', 'gasPrice', 'gas', 'to', 'value', 'data', 'accessList', 'v', 'r', 's'],
    2: ['chainId', 'nonce', 'tip', 'maxFee', 'gas', 'to', 'value', 'data', 'accessList', 'v', 'r', 's'],
    3: [
      'chainId',
      'nonce',
      'tip',
      'maxFee',
      'gas',
      'to',
      'value',
      'data',
      'accessList',
      'maxBlobFee',
      'hashes',
      'v',
      'r',
      's',
    ],
    4: [
      'chainId',
      'nonce',
      'tip',
      'maxFee',
      'gas',
      'to',
      'value',
      'data',
      'accessList',
      'auths',
      'v',
      'r',
      's',
    ],
  } as const
  type Type = keyof typeof NAMES

  const authorization = (): Fields => [bytes(31337n), bytes(to), bytes(0n), bytes(1n), bytes(1n), bytes(1n)]

  /** A transaction's bytes with some fields replaced, the signature left as it is. */
  async function encode(
    type: Type,
    changes: Record<string, Uint8Array | Fields> = {},
    keep?: number,
  ): Promise<Uint8Array> {
    const fees = { maxFeePerGas: parseGwei('10'), maxPriorityFeePerGas: 1n }
    const base = { chainId: 31337, nonce: 3, gas: 50_000n, to, value: 4n, data: '0x05' as Hex }
    const auth = {
      chainId: 31337,
      address: to,
      nonce: 0,
      yParity: 1,
      r: `0x${'1'.padStart(64, '0')}`,
      s: `0x${'1'.padStart(64, '0')}`,
    } as const
    const signed = await {
      0: () => account.signTransaction({ ...base, type: 'legacy', gasPrice: parseGwei('10') }),
      1: () =>
        account.signTransaction({
          ...base,
          type: 'eip2930',
          gasPrice: parseGwei('10'),
          accessList: [{ address: to, storageKeys: [`0x${'22'.repeat(32)}`] }],
        }),
      2: () => account.signTransaction({ ...base, type: 'eip1559', ...fees }),
      3: () =>
        account.signTransaction({
          ...base,
          ...fees,
          type: 'eip4844',
          maxFeePerBlobGas: 7n,
          blobVersionedHashes: [blobHash],
        } as never) as Promise<Hex>,
      4: () => account.signTransaction({ ...base, type: 'eip7702', ...fees, authorizationList: [auth] }),
    }[type]()
    const raw = hexToBytes(signed)
    const fields = RLP.decode(type === 0 ? raw : raw.subarray(1)) as Fields
    for (const [name, value] of Object.entries(changes)) fields[NAMES[type].indexOf(name as never)] = value
    const encoded = RLP.encode(fields.slice(0, keep))
    return type === 0 ? encoded : Uint8Array.from([type, ...encoded])
  }

  function decode(raw: Uint8Array, hardfork?: Hardfork): string {
    try {
      return decodeTransaction(raw, rulesOf(hardfork), crypto).from
    } catch (error) {
      if (!(error instanceof PresealRpcError)) return `not a PresealRpcError: ${error}`
      return `${error.code} ${error.name}: ${error.message}`
    }
  }

  it.each([0, 1, 2, 3, 4] as const)(
    'decodes a transaction of type %i with its sender, hash and bytes',
    async (type) => {
      const raw = await encode(type)
      const tx = decodeTransaction(raw, rulesOf(), crypto)
      expect(tx).toMatchObject({
        type,
        from: account.address.toLowerCase(),
        to,
        nonce: 3n,
        gasLimit: 50_000n,
        value: 4n,
        data: Uint8Array.of(5),
        chainId: 31337n,
        hash: crypto.keccak256Hex(raw),
        raw,
      })
      expect(tx.gasPrice).toBe(type < 2 ? parseGwei('10') : undefined)
      expect([tx.maxFeePerGas, tx.maxPriorityFeePerGas]).toEqual(
        type < 2 ? [undefined, undefined] : [parseGwei('10'), 1n],
      )
      expect(tx.accessList).toEqual(
        [undefined, [{ address: to, storageKeys: [`0x${'22'.repeat(32)}`] }], [], [], []][type],
      )
      expect(tx.authorizationList).toEqual(
        type < 4 ? undefined : [{ chainId: 31337n, address: to, nonce: 0n, yParity: 1, r: 1n, s: 1n }],
      )
    },
  )

  it('decodes a transaction that binds no chain, and a creation', async () => {
    const signed = await account.signTransaction({
      type: 'legacy',
      nonce: 0,
      gas: 21_000n,
      gasPrice: 7n,
      data: '0x00',
    })
    const tx = decodeTransaction(hexToBytes(signed), rulesOf(), crypto)
    expect([tx.chainId, tx.v === 27n || tx.v === 28n, tx.to, tx.from]).toEqual([
      undefined,
      true,
      null,
      account.address.toLowerCase(),
    ])
  })

  it('recovers no sender of an unsigned transaction', async () => {
    const { from, unsigned } = decodeTransaction(await encode(2), rulesOf(), crypto, to)
    expect({ from, unsigned }).toEqual({ from: to, unsigned: true })
  })

  it('shares the data and the access list of transactions without any', async () => {
    const decoded = async (value: bigint) =>
      decodeTransaction(await encode(2, { value: bytes(value), data: bytes(0n) }), rulesOf(), crypto)
    const { data, accessList, ...one } = await decoded(1n)
    const other = await decoded(2n)
    expect([one.value, other.value, data, accessList]).toEqual([1n, 2n, new Uint8Array(0), []])
    expect(other.data).toBe(data)
    expect(other.accessList).toBe(accessList)
  })

  it('copies the data', async () => {
    const raw = await encode(2, { data: Uint8Array.of(5, 5, 5) })
    const { data } = decodeTransaction(raw, rulesOf(), crypto)
    raw.fill(0)
    expect([data, data.buffer.byteLength]).toEqual([Uint8Array.of(5, 5, 5), 3])
  })

  it.each([
    [1, 'istanbul', 'berlin'],
    [2, 'berlin', 'london'],
    [3, 'shanghai', 'cancun'],
    [4, 'cancun', 'prague'],
  ] as const)('refuses type %i before its hardfork: %s, not %s', async (type, before, since) => {
    const raw = await encode(type)
    expect(() => decodeTransaction(raw, rulesOfFork(before), crypto)).toThrow(
      'transaction type not supported',
    )
    expect(decodeTransaction(raw, rulesOfFork(since), crypto).from).toBe(account.address.toLowerCase())
  })

  it('rejects types that are unknown or not active yet', async () => {
    expect({
      'type 0 as a typed one': decode(Uint8Array.from([0, 0xc0])),
      'type 3 before Cancun': decode(Uint8Array.from([3, 0xc0]), 'shanghai'),
      'type 4 before Prague': decode(await encode(4), 'cancun'),
      'type 5': decode(Uint8Array.from([5, 0xc0])),
      'type 0x7f': decode(Uint8Array.from([0x7f, 0xc0])),
    }).toMatchInlineSnapshot(`
      {
        "type 0 as a typed one": "-32000 TransactionTypeError: transaction type not supported",
        "type 0x7f": "-32000 TransactionTypeError: transaction type not supported",
        "type 3 before Cancun": "-32000 TransactionTypeError: transaction type not supported",
        "type 4 before Prague": "-32000 TransactionTypeError: transaction type not supported",
        "type 5": "-32000 TransactionTypeError: transaction type not supported",
      }
    `)
  })

  it('decodes the blob fields of a transaction in the form of blocks', async () => {
    const { blobVersionedHashes, maxFeePerBlobGas } = decodeTransaction(await encode(3), rulesOf(), crypto)
    expect({ blobVersionedHashes, maxFeePerBlobGas }).toEqual({
      blobVersionedHashes: [blobHash],
      maxFeePerBlobGas: 7n,
    })
  })

  it('rejects invalid blob transactions', async () => {
    const hashes = (count: number) => Array.from({ length: count }, () => bytes(blobHash))
    expect({
      'no blobs': decode(await encode(3, { hashes: [] })),
      'a creation': decode(await encode(3, { to: bytes('0x') })),
      'a hash of another version': decode(await encode(3, { hashes: [bytes(blobHash), new Uint8Array(32)] })),
      'a hash of 31 bytes': decode(await encode(3, { hashes: [bytes(blobHash).subarray(1)] })),
      'as many as a block of Cancun has': decode(await encode(3, { hashes: hashes(6) }), 'cancun'),
      'more than a block of Cancun has': decode(await encode(3, { hashes: hashes(7) }), 'cancun'),
      'as many as a block of Prague has': decode(await encode(3, { hashes: hashes(9) })),
      'more than a block of Prague has': decode(await encode(3, { hashes: hashes(10) })),
      'more than a transaction of Osaka has': decode(await encode(3, { hashes: hashes(7) }), 'osaka'),
    }).toMatchInlineSnapshot(`
      {
        "a creation": "-32000 BlobCreationError: blob transaction of type create",
        "a hash of 31 bytes": "-32000 TransactionDecodeError: rlp: versioned hash is invalid length",
        "a hash of another version": "-32000 BlobHashVersionError: blob 1 has invalid hash version",
        "as many as a block of Cancun has": "0xb9ee9143677089bec8eb46682de24272ca594015",
        "as many as a block of Prague has": "0xb6f5a029522beac8d1453b87404ef253059b429e",
        "more than a block of Cancun has": "-32000 TooManyBlobsError: too many blobs in transaction: have 7, permitted 6",
        "more than a block of Prague has": "-32000 TooManyBlobsError: too many blobs in transaction: have 10, permitted 9",
        "more than a transaction of Osaka has": "-32000 TooManyBlobsError: too many blobs in transaction: have 7, permitted 6",
        "no blobs": "-32000 MissingBlobHashesError: blob transaction missing blob hashes",
      }
    `)
  })

  it('rejects bytes that are not a transaction', async () => {
    const whole = await encode(2)
    expect({
      'a string': decode(Uint8Array.from([0x80])),
      'a long string': decode(Uint8Array.from([0xb8, 0x40])),
      'an empty list': decode(Uint8Array.from([0xc0])),
      'a list too short': decode(Uint8Array.from([0xc3, 1, 2])),
      'a length beyond the end': decode(
        Uint8Array.from([0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]),
      ),
      'a type alone': decode(Uint8Array.from([2])),
      'a type and a string': decode(Uint8Array.from([2, 0x80])),
      'cut off': decode(whole.subarray(0, -1)),
      'a byte more': decode(Uint8Array.from([...whole, 0])),
      'unsigned, legacy': decode(await encode(0, {}, 6)),
      'unsigned, 2930': decode(await encode(1, {}, 8)),
      'unsigned, 1559': decode(await encode(2, {}, 9)),
      'unsigned, 7702': decode(await encode(4, {}, 10)),
      'a field short': decode(await encode(2, {}, 11)),
      'a field short, legacy': decode(await encode(0, {}, 8)),
      'a field short, 2930': decode(await encode(1, {}, 10)),
      'a field short, 7702': decode(await encode(4, {}, 12)),
      'a list as nonce': decode(await encode(2, { nonce: [] })),
      'a list as nonce, legacy': decode(await encode(0, { nonce: [] })),
      'a list as data': decode(await encode(2, { data: [] })),
      'a list as data, legacy': decode(await encode(0, { data: [] })),
      'a list as `to`': decode(await encode(2, { to: [] })),
      'a list as v': decode(await encode(2, { v: [] })),
      'a list as r': decode(await encode(0, { r: [] })),
      'a nested list as value': decode(await encode(1, { value: [bytes(1n), [bytes(2n)]] })),
      'a string as access list': decode(await encode(2, { accessList: bytes(1n) })),
      'an empty string as access list': decode(await encode(2, { accessList: bytes(0n) })),
      'a string as authorisation list': decode(await encode(4, { auths: bytes(0n) })),
    }).toMatchInlineSnapshot(`
      {
        "a byte more": "-32000 TransactionDecodeError: rlp: invalid RLP: remainder must be zero",
        "a field short": "-32000 TransactionDecodeError: rlp: Invalid EIP-1559 transaction. Only expecting 9 values",
        "a field short, 2930": "-32000 TransactionDecodeError: rlp: Invalid EIP-2930 transaction. Only expecting 8 values",
        "a field short, 7702": "-32000 TransactionDecodeError: rlp: Invalid EIP-7702 transaction. Only expecting 10 values",
        "a field short, legacy": "-32000 TransactionDecodeError: rlp: Invalid transaction. Only expecting 6 values",
        "a length beyond the end": "-32000 TransactionDecodeError: rlp: invalid RLP: total length is larger than the data",
        "a list as \`to\`": "-32000 TransactionDecodeError: rlp: to cannot be an array",
        "a list as data": "-32000 TransactionDecodeError: rlp: data cannot be an array",
        "a list as data, legacy": "-32000 TransactionDecodeError: rlp: data cannot be an array",
        "a list as nonce": "-32000 TransactionDecodeError: rlp: nonce cannot be an array",
        "a list as nonce, legacy": "-32000 TransactionDecodeError: rlp: nonce cannot be an array",
        "a list as r": "-32000 TransactionDecodeError: rlp: r cannot be an array",
        "a list as v": "-32000 TransactionDecodeError: rlp: v cannot be an array",
        "a list too short": "-32000 TransactionDecodeError: rlp: invalid RLP",
        "a long string": "-32000 TransactionDecodeError: rlp: invalid RLP: not enough bytes for string length",
        "a nested list as value": "-32000 TransactionDecodeError: rlp: value cannot be an array",
        "a string": "-32000 TransactionDecodeError: rlp: Invalid serialized tx input. Must be array",
        "a string as access list": "-32000 TransactionDecodeError: rlp: invalid transaction",
        "a string as authorisation list": "-32000 EmptyAuthorizationListError: EIP-7702 transaction with empty auth list",
        "a type alone": "-32000 TransactionDecodeError: rlp: Invalid serialized tx input: must be array",
        "a type and a string": "-32000 TransactionDecodeError: rlp: Invalid serialized tx input: must be array",
        "an empty list": "-32000 TransactionDecodeError: rlp: Invalid transaction. Only expecting 6 values",
        "an empty string as access list": "-32000 TransactionDecodeError: rlp: invalid transaction",
        "cut off": "-32000 TransactionDecodeError: rlp: invalid RLP: total length is larger than the data",
        "unsigned, 1559": "-32000 TransactionDecodeError: rlp: not a canonical encoding",
        "unsigned, 2930": "-32000 TransactionDecodeError: rlp: not a canonical encoding",
        "unsigned, 7702": "-32000 TransactionDecodeError: rlp: not a canonical encoding",
        "unsigned, legacy": "-32000 TransactionDecodeError: rlp: not a canonical encoding",
      }
    `)
  })

  describe('rejects invalid fields', () => {
    it('numbers', async () => {
      const max256 = 2n ** 256n
      expect({
        'nonce at its maximum': decode(await encode(2, { nonce: bytes(2n ** 64n - 1n) })),
        'nonce at its maximum, legacy': decode(await encode(0, { nonce: bytes(2n ** 64n - 1n) })),
        'nonce beyond': decode(await encode(2, { nonce: bytes(2n ** 64n) })),
        'nonce with a leading zero': decode(await encode(2, { nonce: Uint8Array.of(0, 1) })),
        'nonce zero as a byte': decode(await encode(0, { nonce: Uint8Array.of(0) })),
        'gas beyond 64 bits': decode(await encode(2, { gas: bytes(2n ** 64n) })),
        'value beyond 256 bits': decode(await encode(2, { value: bytes(max256) })),
        'gas price beyond 256 bits': decode(await encode(1, { gasPrice: bytes(max256) })),
        'gas price times gas beyond 256 bits': decode(await encode(0, { gasPrice: bytes(max256 - 1n) })),
        'gas price times gas beyond 256 bits, 2930': decode(
          await encode(1, { gasPrice: bytes(max256 - 1n) }),
        ),
        'fee cap times gas beyond 256 bits': decode(await encode(2, { maxFee: bytes(max256 - 1n) })),
        'fee cap times gas beyond 256 bits, 7702': decode(await encode(4, { maxFee: bytes(max256 - 1n) })),
        'tip above the fee cap': decode(await encode(2, { tip: bytes(parseGwei('10') + 1n) })),
        'tip above the fee cap, 7702': decode(await encode(4, { tip: bytes(parseGwei('10') + 1n) })),
        'value with a leading zero': decode(await encode(1, { value: Uint8Array.of(0, 1) })),
        'gas above what Osaka allows': decode(await encode(2, { gas: bytes(16_777_217n) }), 'osaka'),
        'gas above what Osaka allows, legacy': decode(await encode(0, { gas: bytes(16_777_217n) }), 'osaka'),
      }).toMatchInlineSnapshot(`
        {
          "fee cap times gas beyond 256 bits": "-32000 TransactionDecodeError: rlp: gasLimit * maxFeePerGas cannot exceed MAX_INTEGER",
          "fee cap times gas beyond 256 bits, 7702": "-32000 TransactionDecodeError: rlp: gasLimit * maxFeePerGas cannot exceed MAX_INTEGER",
          "gas above what Osaka allows": "-32000 TransactionGasLimitError: transaction gas limit too high (cap: 16777216, tx: 16777217); the option transactionGasCap: false lifts the cap",
          "gas above what Osaka allows, legacy": "-32000 TransactionGasLimitError: transaction gas limit too high (cap: 16777216, tx: 16777217); the option transactionGasCap: false lifts the cap",
          "gas beyond 64 bits": "-32000 TransactionDecodeError: rlp: gasLimit cannot exceed MAX_UINT64",
          "gas price beyond 256 bits": "-32000 TransactionDecodeError: rlp: gasPrice cannot exceed MAX_INTEGER",
          "gas price times gas beyond 256 bits": "-32000 TransactionDecodeError: rlp: gas limit * gasPrice cannot exceed MAX_INTEGER",
          "gas price times gas beyond 256 bits, 2930": "-32000 TransactionDecodeError: rlp: gasLimit * gasPrice cannot exceed MAX_INTEGER",
          "nonce at its maximum": "-32000 NonceMaxError: nonce has max value",
          "nonce at its maximum, legacy": "-32000 NonceMaxError: nonce has max value",
          "nonce beyond": "-32000 NonceMaxError: nonce has max value",
          "nonce with a leading zero": "-32000 TransactionDecodeError: rlp: nonce cannot have leading zeroes, received: 0x0001",
          "nonce zero as a byte": "-32000 TransactionDecodeError: rlp: nonce cannot have leading zeroes, received: 0x00",
          "tip above the fee cap": "-32000 TipAboveFeeCapError: max priority fee per gas higher than max fee per gas",
          "tip above the fee cap, 7702": "-32000 TipAboveFeeCapError: max priority fee per gas higher than max fee per gas",
          "value beyond 256 bits": "-32000 TransactionDecodeError: rlp: value cannot exceed MAX_INTEGER",
          "value with a leading zero": "-32000 TransactionDecodeError: rlp: value cannot have leading zeroes, received: 0x0001",
        }
      `)
    })

    it('addresses, lists and data', async () => {
      const key = new Uint8Array(32)
      const withAuth = async (at: number, value: Uint8Array | Fields) => {
        const one = authorization()
        one[at] = value
        return decode(await encode(4, { auths: [one] }))
      }
      expect({
        'a short address': decode(await encode(2, { to: new Uint8Array(19) })),
        'a long address': decode(await encode(0, { to: new Uint8Array(21) })),
        'init code too large': decode(await encode(2, { to: bytes(0n), data: new Uint8Array(49_153) })),
        'init code too large, legacy': decode(
          await encode(0, { to: bytes(0n), data: new Uint8Array(49_153) }),
        ),
        'access list of a string': decode(await encode(2, { accessList: [bytes(1n)] })),
        'access list entry too short': decode(await encode(2, { accessList: [[bytes(to)]] })),
        'access list entry too long': decode(await encode(1, { accessList: [[bytes(to), [], []]] })),
        'access list with a short address': decode(await encode(2, { accessList: [[bytes(1n), []]] })),
        'access list with a list as address': decode(await encode(2, { accessList: [[[], []]] })),
        'access list with a string as keys': decode(
          await encode(2, { accessList: [[bytes(to), bytes(1n)]] }),
        ),
        'access list with an empty string as keys': decode(
          await encode(2, { accessList: [[bytes(to), bytes(0n)]] }),
        ),
        'access list with a short key': decode(
          await encode(2, { accessList: [[bytes(to), [key.subarray(1)]]] }),
        ),
        'access list with a list as key': decode(await encode(2, { accessList: [[bytes(to), [[]]]] })),
        'creation with authorisations': decode(await encode(4, { to: bytes(0n) })),
        'no authorisations': decode(await encode(4, { auths: [] })),
        'authorisation of a string': decode(await encode(4, { auths: [bytes(1n)] })),
        'authorisation too short': decode(await encode(4, { auths: [authorization().slice(1)] })),
        'authorisation with a list': await withAuth(0, []),
        'authorisation with a long chain id': await withAuth(0, new Uint8Array(33).fill(1)),
        'authorisation with a short address': await withAuth(1, new Uint8Array(19)),
        'authorisation without address': await withAuth(1, bytes(0n)),
        'authorisation with a long nonce': await withAuth(2, bytes(2n ** 64n)),
        'authorisation with the largest nonce': await withAuth(2, bytes(2n ** 64n - 1n)),
        'authorisation with a long yParity': await withAuth(3, bytes(256n)),
        'authorisation with a long r': await withAuth(4, new Uint8Array(33).fill(1)),
        'authorisation with a long s': await withAuth(5, new Uint8Array(33).fill(1)),
        'authorisation with a leading zero': await withAuth(2, Uint8Array.of(0)),
      }).toMatchInlineSnapshot(`
        {
          "a long address": "-32000 TransactionDecodeError: rlp: Invalid address length",
          "a short address": "-32000 TransactionDecodeError: rlp: Invalid address length",
          "access list entry too long": "-32000 TransactionDecodeError: rlp: Invalid EIP-2930 transaction: access list item should have 2 elements",
          "access list entry too short": "-32000 TransactionDecodeError: rlp: Invalid EIP-2930 transaction: access list item should have 2 elements",
          "access list of a string": "-32000 TransactionDecodeError: rlp: invalid transaction",
          "access list with a list as address": "-32000 TransactionDecodeError: rlp: Invalid EIP-2930 transaction: address length should be 20 bytes",
          "access list with a list as key": "-32000 TransactionDecodeError: rlp: Invalid EIP-2930 transaction: storage slot length should be 32 bytes",
          "access list with a short address": "-32000 TransactionDecodeError: rlp: Invalid EIP-2930 transaction: address length should be 20 bytes",
          "access list with a short key": "-32000 TransactionDecodeError: rlp: Invalid EIP-2930 transaction: storage slot length should be 32 bytes",
          "access list with a string as keys": "-32000 TransactionDecodeError: rlp: Invalid EIP-2930 transaction: storage slot length should be 32 bytes",
          "access list with an empty string as keys": "-32000 TransactionDecodeError: rlp: Invalid EIP-2930 transaction: storage slot length should be 32 bytes",
          "authorisation of a string": "-32000 TransactionDecodeError: rlp: EIP-7702 authorization list invalid: chainId is not defined",
          "authorisation too short": "-32000 TransactionDecodeError: rlp: Invalid EIP-7702 transaction: authorization list item should have 6 elements",
          "authorisation with a leading zero": "-32000 TransactionDecodeError: rlp: nonce cannot have leading zeroes, received: 0x00",
          "authorisation with a list": "-32000 TransactionDecodeError: rlp: Invalid EIP-7702 transaction: authority list element is a list, not bytes",
          "authorisation with a long chain id": "-32000 TransactionDecodeError: rlp: Invalid EIP-7702 transaction: chainId exceeds 2^256 - 1",
          "authorisation with a long nonce": "-32000 TransactionDecodeError: rlp: Invalid EIP-7702 transaction: nonce exceeds 2^64 - 1",
          "authorisation with a long r": "-32000 TransactionDecodeError: rlp: Invalid EIP-7702 transaction: r exceeds 2^256 - 1",
          "authorisation with a long s": "-32000 TransactionDecodeError: rlp: Invalid EIP-7702 transaction: s exceeds 2^256 - 1",
          "authorisation with a long yParity": "-32000 TransactionDecodeError: rlp: Invalid EIP-7702 transaction: yParity should be fit within 1 byte",
          "authorisation with a short address": "-32000 TransactionDecodeError: rlp: Invalid EIP-7702 transaction: address length should be 20 bytes",
          "authorisation with the largest nonce": "0x96a3a3be31eefc4c1e3019205e4ad5488789586b",
          "authorisation without address": "-32000 TransactionDecodeError: rlp: Invalid EIP-7702 transaction: address length should be 20 bytes",
          "creation with authorisations": "-32000 SetCodeCreationError: EIP-7702 transaction cannot be used to create contract",
          "init code too large": "-32000 InitCodeTooLargeError: max initcode size exceeded: code size 49153 limit 49152",
          "init code too large, legacy": "-32000 InitCodeTooLargeError: max initcode size exceeded: code size 49153 limit 49152",
          "no authorisations": "-32000 EmptyAuthorizationListError: EIP-7702 transaction with empty auth list",
        }
      `)
    })
  })

  it('rejects invalid signatures', async () => {
    const { s } = decodeTransaction(await encode(2), rulesOf(), crypto)
    const legacy = decodeTransaction(await encode(0), rulesOf(), crypto)
    expect({
      'high s': decode(await encode(2, { s: bytes(N - s) })),
      'high s, legacy': decode(await encode(0, { s: bytes(N - legacy.s) })),
      'high s, 2930': decode(await encode(1, { s: bytes(N - 1n) })),
      'high s, 7702': decode(await encode(4, { s: bytes(N - 1n) })),
      's zero': decode(await encode(2, { s: bytes(0n) })),
      's beyond 256 bits': decode(await encode(2, { s: bytes(2n ** 256n) })),
      's with a leading zero': decode(await encode(2, { s: Uint8Array.of(0, 1) })),
      'r zero': decode(await encode(0, { r: bytes(0n) })),
      'r at the order': decode(await encode(2, { r: bytes(N) })),
      'r beyond 256 bits': decode(await encode(0, { r: bytes(2n ** 256n) })),
      'r that is on no curve': decode(await encode(2, { r: bytes(5n) })),
      'yParity 2': decode(await encode(2, { v: bytes(2n) })),
      'yParity 27, 2930': decode(await encode(1, { v: bytes(27n) })),
      'yParity beyond, 7702': decode(await encode(4, { v: bytes(2n ** 64n) })),
      'v 0, legacy': decode(await encode(0, { v: bytes(0n) })),
      'v 1, legacy': decode(await encode(0, { v: bytes(1n) })),
      'v 26, legacy': decode(await encode(0, { v: bytes(26n) })),
      'v 29, legacy': decode(await encode(0, { v: bytes(29n) })),
      'v 35, legacy': decode(await encode(0, { v: bytes(35n) })),
      'v beyond 256 bits, legacy': decode(await encode(0, { v: bytes(2n ** 256n) })),
    }).toMatchInlineSnapshot(`
      {
        "high s": "-32000 InvalidSenderError: invalid sender",
        "high s, 2930": "-32000 InvalidSenderError: invalid sender",
        "high s, 7702": "-32000 InvalidSenderError: invalid sender",
        "high s, legacy": "-32000 InvalidSenderError: invalid sender",
        "r at the order": "-32000 InvalidSenderError: invalid sender",
        "r beyond 256 bits": "-32000 TransactionDecodeError: rlp: r cannot exceed MAX_INTEGER",
        "r that is on no curve": "-32000 InvalidSenderError: invalid sender",
        "r zero": "-32000 InvalidSenderError: invalid sender",
        "s beyond 256 bits": "-32000 TransactionDecodeError: rlp: s cannot exceed MAX_INTEGER",
        "s with a leading zero": "-32000 TransactionDecodeError: rlp: s cannot have leading zeroes, received: 0x0001",
        "s zero": "-32000 InvalidSenderError: invalid sender",
        "v 0, legacy": "-32000 InvalidSenderError: invalid sender",
        "v 1, legacy": "-32000 InvalidSenderError: invalid sender",
        "v 26, legacy": "-32000 InvalidSenderError: invalid sender",
        "v 29, legacy": "-32000 InvalidSenderError: invalid sender",
        "v 35, legacy": "-32000 InvalidSenderError: invalid sender",
        "v beyond 256 bits, legacy": "-32000 ChainIdMismatchError: invalid chain id for signer: have 57896044618658097711785492504343953926634992332820282019728792003956564819950 want 31337",
        "yParity 2": "-32000 InvalidSenderError: invalid sender",
        "yParity 27, 2930": "-32000 InvalidSenderError: invalid sender",
        "yParity beyond, 7702": "-32000 InvalidSenderError: invalid sender",
      }
    `)
  })

  it('rejects transactions of another chain', async () => {
    const encoded = async (type: Type, chainId: bigint) =>
      decode(await encode(type, { chainId: bytes(chainId) }))
    expect({
      legacy: decode(await encode(0, { v: bytes(37n) })),
      'legacy, 31338': decode(await encode(0, { v: bytes(31338n * 2n + 35n) })),
      'legacy, a chain id of 70 bits': decode(await encode(0, { v: bytes(2n ** 70n * 2n + 36n) })),
      2930: await encoded(1, 1n),
      1559: await encoded(2, 31338n),
      7702: await encoded(4, 2n ** 70n),
      'no chain id': await encoded(2, 0n),
    }).toMatchInlineSnapshot(`
      {
        "1559": "-32000 ChainIdMismatchError: invalid chain id for signer: have 31338 want 31337",
        "2930": "-32000 ChainIdMismatchError: invalid chain id for signer: have 1 want 31337",
        "7702": "-32000 ChainIdMismatchError: invalid chain id for signer: have 1180591620717411303424 want 31337",
        "legacy": "-32000 ChainIdMismatchError: invalid chain id for signer: have 1 want 31337",
        "legacy, 31338": "-32000 ChainIdMismatchError: invalid chain id for signer: have 31338 want 31337",
        "legacy, a chain id of 70 bits": "-32000 ChainIdMismatchError: invalid chain id for signer: have 1180591620717411303424 want 31337",
        "no chain id": "-32000 ChainIdMismatchError: invalid chain id for signer: have 0 want 31337",
      }
    `)
  })

  it('returns a transaction or throws a PresealRpcError for any bytes, and accepts only canonical encodings', async () => {
    const seeds = await Promise.all(([0, 1, 2, 3, 4] as const).map((type) => encode(type)))
    const mutated = fc
      .tuple(
        fc.constantFrom(...seeds),
        fc.array(fc.tuple(fc.nat(400), fc.nat(255)), { minLength: 1, maxLength: 3 }),
      )
      .map(([seed, edits]) => {
        const raw = seed.slice()
        for (const [at, value] of edits) raw[at % raw.length] = value
        return raw
      })
    const structured = fc
      .tuple(
        fc.constantFrom<Type>(0, 1, 2, 3, 4),
        fc.nat(13),
        fc.letrec<{ field: Uint8Array | Fields }>((tie) => ({
          field: fc.oneof(
            { maxDepth: 3 },
            fc.uint8Array({ maxLength: 40 }),
            fc.array(tie('field'), { maxLength: 4 }),
          ),
        })).field,
      )
      .map(([type, at, field]) => {
        const raw = seeds[type]!
        const fields = RLP.decode(type === 0 ? raw : raw.subarray(1)) as Fields
        fields[at % fields.length] = field
        const encoded = RLP.encode(fields)
        return type === 0 ? encoded : Uint8Array.from([type, ...encoded])
      })
    const junk = fc.uint8Array({ minLength: 1, maxLength: 100 })
    const rules = rulesOf()
    const stock = commonOf(rules, crypto)
    // @ethereumjs parses no blob transaction without a KZG library, which it does not call here.
    const customCrypto = { ...stock.customCrypto, kzg: {} }
    const common: Common = Object.create(stock, { customCrypto: { value: customCrypto } })
    fc.assert(
      fc.property(fc.oneof(mutated, structured, junk), (raw) => {
        try {
          decodeTransaction(raw, rules, crypto)
          expect(createTxFromRLP(raw, { common }).serialize()).toEqual(raw)
        } catch (error) {
          if (!(error instanceof PresealRpcError)) throw error
          expect((error as PresealRpcError).code).toBe(-32000)
        }
      }),
      runs(1000, 20_000),
    )
  })
})
