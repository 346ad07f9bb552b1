import { Common, Mainnet } from '@ethereumjs/common'
import {
  createAccessList2930Tx,
  createEOACode7702Tx,
  createLegacyTx,
  getCalldataFloorGas,
} from '@ethereumjs/tx'
import { bytesToHex } from '@ethereumjs/util'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Hex } from '../../src/base/types.ts'
import { floorGas, type GasFields, intrinsicGas } from '../../src/ethereum/gas.ts'
import type { Authorization } from '../../src/ethereum/transaction.ts'
import { forksUpTo, STOCK_FORKS } from '../forks.ts'

const forks = STOCK_FORKS.map((name) => ({ name, fork: forksUpTo(name) }))

const hexOf = (bytes: number) =>
  fc.uint8Array({ minLength: bytes, maxLength: bytes }).map((bytes): Hex => bytesToHex(bytes))
const data = fc.oneof(
  fc.uint8Array({ maxLength: 300 }),
  fc.array(fc.constantFrom(0, 0, 1), { maxLength: 300 }).map((bytes) => Uint8Array.from(bytes)),
)
const accessList = fc.array(
  fc.record({ address: hexOf(20), storageKeys: fc.array(hexOf(32), { maxLength: 3 }) }),
  { maxLength: 3 },
)
const authorization: fc.Arbitrary<Authorization> = fc.record({
  chainId: fc.constantFrom(0n, 1n),
  address: hexOf(20),
  nonce: fc.constantFrom(0n, 1n, 2n),
  yParity: fc.constantFrom(0, 1),
  r: fc.bigInt({ min: 1n, max: 2n ** 256n - 1n }),
  s: fc.bigInt({ min: 1n, max: 2n ** 255n }),
})

const gasLimit = 16_000_000n
const quantity = (value: bigint | number): Hex => `0x${value.toString(16)}`

/** A transaction as an object of @ethereumjs/tx. */
function oracle(tx: GasFields, common: Common) {
  const fields = { gasLimit, data: tx.data, ...(tx.to === null ? {} : { to: tx.to }) }
  const list = tx.accessList?.map(({ address, storageKeys }) => ({ address, storageKeys: [...storageKeys] }))
  if (tx.authorizationList && tx.to) {
    const authorizationList = tx.authorizationList.map((a) => ({
      chainId: quantity(a.chainId),
      address: a.address,
      nonce: quantity(a.nonce),
      yParity: quantity(a.yParity),
      r: quantity(a.r),
      s: quantity(a.s),
    }))
    return createEOACode7702Tx(
      { ...fields, to: tx.to, accessList: list ?? [], authorizationList },
      { common },
    )
  }
  if (list) return createAccessList2930Tx({ ...fields, accessList: list }, { common })
  return createLegacyTx(fields, { common })
}

describe('gas', () => {
  describe.each(forks)('on $name', ({ name, fork }) => {
    const common = new Common({ chain: Mainnet, hardfork: name })
    const call: fc.Arbitrary<GasFields> = fc.record(
      { to: fc.option(hexOf(20), { nil: null }), data, ...(fork.berlin && { accessList }) },
      { requiredKeys: ['to', 'data'] },
    )
    const setCode: fc.Arbitrary<GasFields> = fc.record({
      to: hexOf(20),
      data,
      accessList,
      authorizationList: fc.array(authorization, { minLength: 1, maxLength: 3 }),
    })

    test('intrinsic and floor gas equal those of @ethereumjs/tx', () => {
      fc.assert(
        fc.property(fork.prague ? fc.oneof(call, setCode) : call, (tx) => {
          const expected = oracle(tx, common)
          expect({ intrinsic: intrinsicGas(tx, fork), floor: floorGas(tx, fork) }).toEqual({
            intrinsic: expected.getIntrinsicGas(),
            floor: getCalldataFloorGas(expected),
          })
        }),
        { numRuns: 200 },
      )
    })
  })

  test('a plain transfer costs 21,000', () => {
    const transfer = { to: '0x00000000000000000000000000000000000000aa', data: new Uint8Array() } as const
    expect(intrinsicGas(transfer, forksUpTo('paris'))).toBe(21_000n)
  })

  test('the floor exceeds the intrinsic gas of plain data, from Prague on', () => {
    const tx = { to: '0x00000000000000000000000000000000000000aa', data: Uint8Array.of(0, 1, 2, 3) } as const
    const prague = forksUpTo('prague')
    expect([intrinsicGas(tx, prague), floorGas(tx, prague), floorGas(tx, forksUpTo('paris'))]).toEqual([
      21_052n,
      21_130n,
      0n,
    ])
  })
})
