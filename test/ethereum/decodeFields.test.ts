import {
  type Hex,
  keccak256,
  parseTransaction,
  serializeTransaction,
  type TransactionSerializable,
} from 'viem'
import { beforeAll, describe, expect, it } from 'vitest'
import { bytesToHex, hexToBytes } from '../../src/base/bytes.ts'
import { type Crypto, loadCrypto } from '../../src/base/crypto/crypto.ts'
import { decodeFields, decodeTransaction, recoverSender } from '../../src/ethereum/decodeTransaction.ts'
import { rulesOf } from '../forks.ts'
import { ALICE_KEY, accountOf, signTransaction } from '../signing.ts'

const to: Hex = `0x${'11'.repeat(20)}`
const sender = accountOf(ALICE_KEY).address.toLowerCase()
const fees = { maxFeePerGas: 9n, maxPriorityFeePerGas: 1n }

/** One transaction of each form that is signed in its own way. */
const TRANSACTIONS: Readonly<Record<string, object>> = {
  'legacy without a chain id': { type: 'legacy', gasPrice: 9n, chainId: undefined },
  'legacy with a chain id': { type: 'legacy', gasPrice: 9n },
  'with an access list': { type: 'eip2930', gasPrice: 9n, accessList: [{ address: to, storageKeys: [] }] },
  'with a fee cap': { ...fees, type: 'eip1559', data: `0x${'05'.repeat(300)}` },
  'with blobs': {
    ...fees,
    type: 'eip4844',
    maxFeePerBlobGas: 1n,
    blobVersionedHashes: [`0x01${'22'.repeat(31)}`],
  },
  'with an authorisation': {
    ...fees,
    type: 'eip7702',
    authorizationList: [{ chainId: 1, address: to, nonce: 0, yParity: 1, r: to, s: to }],
  },
}

async function sign(fields: object): Promise<Hex> {
  const base = { chainId: 31337, nonce: 3, gas: 50_000n, to, value: 4n }
  return signTransaction(ALICE_KEY, { ...base, ...fields } as TransactionSerializable)
}

let crypto: Crypto
describe('decodeFields', () => {
  beforeAll(async () => {
    crypto = await loadCrypto()
  })

  it.each(Object.entries(TRANSACTIONS))(
    'gives all fields but the sender, and the hash that it is recovered from: %s',
    async (_name, transaction) => {
      const raw = await sign(transaction)
      const { r, s, v, yParity, ...unsigned } = parseTransaction(raw) as Record<string, unknown>
      const withoutRecovery: Crypto = {
        ...crypto,
        recover: () => {
          throw new Error('a sender was recovered')
        },
      }
      const { fields, signed } = decodeFields(hexToBytes(raw), rulesOf('osaka'), withoutRecovery)
      expect(bytesToHex(signed.hash)).toBe(keccak256(serializeTransaction(unsigned as never)))
      expect(recoverSender(signed, crypto)).toBe(sender)
      const { from, ...rest } = decodeTransaction(hexToBytes(raw), rulesOf('osaka'), crypto)
      expect({ from, rest }).toEqual({ from: sender, rest: fields })
    },
  )

  it('recovers no sender of an unsigned transaction', async () => {
    const raw = hexToBytes(await sign(TRANSACTIONS['with a fee cap']!))
    const { from, unsigned } = decodeTransaction(raw, rulesOf('osaka'), crypto, to)
    expect({ from, unsigned }).toEqual({ from: to, unsigned: true })
  })

  it('shares the data and the access list of transactions without any', async () => {
    const { data, accessList, ...one } = await decoded({ ...fees, type: 'eip1559', value: 1n })
    const other = await decoded({ ...fees, type: 'eip1559', value: 2n })
    expect([one.value, other.value, data, accessList]).toEqual([1n, 2n, new Uint8Array(0), []])
    expect(other.data).toBe(data)
    expect(other.accessList).toBe(accessList)
  })

  it('copies the data', async () => {
    const raw = hexToBytes(await sign({ ...fees, type: 'eip1559', data: '0x050505' }))
    const { data } = decodeTransaction(raw, rulesOf('osaka'), crypto)
    raw.fill(0)
    expect([data, data.buffer.byteLength]).toEqual([Uint8Array.of(5, 5, 5), 3])
  })

  it.each([
    ['with an access list', 'istanbul', 'berlin'],
    ['with a fee cap', 'berlin', 'london'],
    ['with blobs', 'shanghai', 'cancun'],
    ['with an authorisation', 'cancun', 'prague'],
  ])('refuses a transaction %s before its hardfork: %s, not %s', async (name, before, since) => {
    const raw = hexToBytes(await sign(TRANSACTIONS[name]!))
    expect(() => decodeTransaction(raw, rulesOf(before), crypto)).toThrow('transaction type not supported')
    expect(decodeTransaction(raw, rulesOf(since), crypto).from).toBe(sender)
  })

  const decoded = async (fields: object) =>
    decodeTransaction(hexToBytes(await sign(fields)), rulesOf('osaka'), crypto)
})
