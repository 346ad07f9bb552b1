import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { EMPTY_CODE_HASH } from '../../../src/ethereum/state/account.ts'
import { Overlay } from '../../../src/ethereum/state/overlay.ts'
import { WorldState } from '../../../src/ethereum/state/worldState.ts'
import { ADDRESSES, applyWrites, codeHashOf, codeOf, KEYS, seenBy, seenIn, writes } from './model.ts'

const [alice, bob] = ADDRESSES as [`0x${string}`, `0x${string}`]
const [first, second] = KEYS as [`0x${string}`, `0x${string}`]
const empty = () => new Overlay(new WorldState().head)

describe('Overlay', () => {
  it('reads as the naive model does after any writes, marks, reverts and children', () => {
    fc.assert(
      fc.property(writes, writes, (below, above) => {
        const parent = empty()
        const before = applyWrites(parent, new Map(), below)
        const overlay = new Overlay(parent)
        const after = applyWrites(overlay, before, above)
        expect(seenBy(overlay)).toEqual(seenIn(after))
        expect(seenBy(parent)).toEqual(seenIn(before))
      }),
      { numRuns: 1000 },
    )
  })

  it('returns to its own mark once a merged child is reverted', () => {
    fc.assert(
      fc.property(writes, writes, (own, childs) => {
        const overlay = empty()
        const before = applyWrites(overlay, new Map(), own)
        const mark = overlay.mark()
        const child = overlay.child()
        const after = applyWrites(child, before, childs)
        expect(seenBy(overlay)).toEqual(seenIn(before))
        child.merge()
        expect(seenBy(overlay)).toEqual(seenIn(after))
        overlay.revert(mark)
        expect(seenBy(overlay)).toEqual(seenIn(before))
        expect(overlay.mark()).toBe(mark)
      }),
      { numRuns: 500 },
    )
  })

  it('has no changes left once everything is reverted', () => {
    fc.assert(
      fc.property(writes, (list) => {
        const world = new WorldState()
        const overlay = new Overlay(world.head)
        const start = overlay.mark()
        applyWrites(overlay, new Map(), list)
        overlay.revert(start)
        expect(overlay.changes().accounts.size).toBe(0)
        expect(overlay.changes().codes.size).toBe(0)
        expect(world.commit(overlay.changes())).toBe(world.head)
      }),
    )
  })

  it('distinguishes an absent account from an empty one', () => {
    const overlay = empty()
    expect(overlay.account(alice)).toBeUndefined()
    overlay.addBalance(alice, 0n)
    const account = { nonce: 0n, balance: 0n, codeHash: EMPTY_CODE_HASH, storageId: 0, slotCount: 0 }
    expect(overlay.account(alice)).toEqual(account)
    overlay.deleteAccount(alice)
    expect(overlay.account(alice)).toBeUndefined()
  })

  it('clears the slots of an account that is created again', () => {
    const overlay = empty()
    overlay.setSlot(alice, first, 1n)
    overlay.setSlot(alice, second, 2n)
    const { storageId } = overlay.account(alice)!
    overlay.deleteAccount(alice)
    overlay.setSlot(alice, second, 3n)
    expect(overlay.account(alice)!.storageId).not.toBe(storageId)
    expect(seenBy(overlay)).toMatchObject({ '0': '0 0 1', '0 slot 0': 0n, '0 slot 1': 3n })
  })

  it('counts each slot once, however often it is written', () => {
    const overlay = empty()
    const counts = [1n, 2n, 2n, 0n, 0n, 5n].map((value) => {
      overlay.setSlot(alice, first, value)
      return overlay.account(alice)!.slotCount
    })
    expect(counts).toEqual([1, 1, 1, 0, 0, 1])
  })

  it('does not create an account by clearing a slot it never had', () => {
    const overlay = empty()
    overlay.setSlot(alice, first, 0n)
    overlay.clearStorage(alice)
    overlay.deleteAccount(alice)
    expect(overlay.changes().accounts.size).toBe(0)
  })

  it('keeps the storage if nonce, balance or code are set', () => {
    const overlay = empty()
    overlay.setSlot(alice, first, 1n)
    overlay.setAccount(alice, { nonce: 1n, balance: 2n, codeHash: EMPTY_CODE_HASH })
    overlay.setCode(alice, codeHashOf(1), codeOf(1))
    expect(seenBy(overlay)).toMatchObject({ '0': '1 2 1', '0 slot 0': 1n, '0 code': codeOf(1).join() })
  })

  it('records an account whose slot changed even if its slot count is the same', () => {
    const world = new WorldState()
    const seed = new Overlay(world.head)
    seed.setSlot(bob, first, 1n)
    const overlay = new Overlay(world.commit(seed.changes()))
    overlay.setSlot(bob, first, 2n)
    expect([...overlay.changes().accounts.keys()]).toEqual([bob])
  })

  it('cannot be merged into anything but an overlay', () => {
    expect(() => empty().merge()).toThrow(new TypeError('only a child of an overlay can be merged'))
  })
})
