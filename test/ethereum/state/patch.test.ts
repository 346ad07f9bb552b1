import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { loadCrypto } from '../../../src/base/crypto/crypto.ts'
import type { Address, Hash } from '../../../src/base/types.ts'
import { Overlay } from '../../../src/ethereum/state/overlay.ts'
import {
  type AccountPatch,
  applyPatch,
  mergePatches,
  type Patches,
  type StatePatch,
} from '../../../src/ethereum/state/patch.ts'
import { WorldState } from '../../../src/ethereum/state/worldState.ts'
import { ADDRESSES, KEYS } from './model.ts'

const word = (value: number): Hash => `0x${value.toString(16).padStart(64, '0')}`

const slots = fc
  .array(fc.tuple(fc.constantFrom(...KEYS), fc.nat(2).map(word)), { maxLength: 3 })
  .map((entries): ReadonlyMap<Hash, Hash> => new Map(entries))

const accountPatch: fc.Arbitrary<AccountPatch> = fc
  .tuple(
    fc.record(
      { balance: fc.bigInt(0n, 3n), nonce: fc.bigInt(0n, 3n), code: fc.uint8Array({ maxLength: 2 }) },
      { requiredKeys: [] },
    ),
    fc.oneof(fc.record({ state: slots }), fc.record({ stateDiff: slots }), fc.constant({})),
  )
  .map(([fields, storage]) => ({ ...fields, ...storage }))

const patch: fc.Arbitrary<StatePatch> = fc
  .array(fc.tuple(fc.constantFrom(...ADDRESSES), accountPatch), { minLength: 1, maxLength: 3 })
  .map((entries) => new Map(entries))

describe('patch', () => {
  it('has the same effect merged as patch by patch', async () => {
    const crypto = await loadCrypto()
    const read = (overlay: Overlay) =>
      ADDRESSES.map((address: Address) => {
        const account = overlay.account(address)
        const storage = KEYS.map((key) => account && overlay.slot(account.storageId, key))
        return [account?.balance, account?.nonce, account?.codeHash, account?.slotCount, storage]
      })
    fc.assert(
      fc.property(fc.array(patch, { minLength: 1, maxLength: 6 }), (all) => {
        const oneByOne = new Overlay(new WorldState().head)
        let patches: Patches | undefined
        for (const one of all) {
          applyPatch(oneByOne, one, crypto)
          patches = { last: one, before: patches }
        }
        const atOnce = new Overlay(new WorldState().head)
        applyPatch(atOnce, mergePatches(patches!), crypto)
        expect(read(atOnce)).toEqual(read(oneByOne))
      }),
    )
  })
})
