import { describe, expect, test } from 'vitest'
import {
  effectiveGasPrice,
  effectiveTip,
  feeCapOf,
  maxCost,
  type TxEnv,
  tipCapOf,
} from '../../src/ethereum/transaction.ts'

const base = {
  from: '0x00000000000000000000000000000000000000aa',
  to: null,
  nonce: 0n,
  gasLimit: 100n,
  value: 5n,
  data: new Uint8Array(),
} as const

const legacy: TxEnv = { ...base, type: 0, gasPrice: 20n }
const dynamic: TxEnv = { ...base, type: 2, maxFeePerGas: 20n, maxPriorityFeePerGas: 3n }
const blob: TxEnv = {
  ...dynamic,
  type: 3,
  blobVersionedHashes: ['0x01', '0x02'],
  maxFeePerBlobGas: 10n,
}

function fees(tx: TxEnv, baseFee: bigint) {
  return {
    cap: feeCapOf(tx),
    tipCap: tipCapOf(tx),
    price: effectiveGasPrice(tx, baseFee),
    tip: effectiveTip(tx, baseFee),
    cost: maxCost(tx),
  }
}

describe('transaction', () => {
  test('a gas price is both caps: all of it is paid, and the tip is the part above the base fee', () => {
    expect(fees(legacy, 7n)).toEqual({ cap: 20n, tipCap: 20n, price: 20n, tip: 13n, cost: 2_005n })
  })

  test('a dynamic fee pays base fee and tip if the cap allows both', () => {
    expect(fees(dynamic, 7n)).toEqual({ cap: 20n, tipCap: 3n, price: 10n, tip: 3n, cost: 2_005n })
  })

  test('a fee cap close to the base fee limits the tip', () => {
    expect(fees(dynamic, 19n)).toEqual({ cap: 20n, tipCap: 3n, price: 20n, tip: 1n, cost: 2_005n })
  })

  test('a fee cap below the base fee is the price, and the tip is negative', () => {
    expect(fees(dynamic, 22n)).toEqual({ cap: 20n, tipCap: 3n, price: 20n, tip: -2n, cost: 2_005n })
  })

  test('blobs add their gas at the blob fee cap', () => {
    expect(maxCost(blob)).toBe(2_005n + 2n * 131_072n * 10n)
  })

  test('a call without fee fields pays nothing', () => {
    expect(fees({ ...base, type: 2 }, 0n)).toEqual({ cap: 0n, tipCap: 0n, price: 0n, tip: 0n, cost: 5n })
  })
})
