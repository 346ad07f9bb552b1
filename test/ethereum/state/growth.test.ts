import { describe, expect, it } from 'vitest'
import { Overlay } from '../../../src/ethereum/state/overlay.ts'
import { type WorldSize, WorldState } from '../../../src/ethereum/state/worldState.ts'
import { address, word } from '../../words.ts'

/** A world with `size` accounts, the first of which has as many slots, all in one version. */
function existing(size: number): WorldState {
  const world = new WorldState()
  const overlay = new Overlay(world.head)
  for (let i = 0; i < size; i++) {
    overlay.addBalance(address(i), 1n)
    overlay.setSlot(address(0), word(i), 1n)
  }
  const first = world.commit(overlay.changes())
  world.prune(first)
  return world
}

/** Adds blocks, keeping `history` versions. @returns the size of the world afterwards. */
function grow(
  world: WorldState,
  blocks: number,
  write: (overlay: Overlay, block: number) => void,
  history = blocks + 1,
) {
  const versions = [world.head]
  for (let block = 1; block <= blocks; block++) {
    const overlay = new Overlay(world.head)
    write(overlay, block)
    versions.push(world.commit(overlay.changes()))
    world.prune(versions.slice(-history)[0]!)
  }
  return world.size()
}

/** Writes three accounts and two slots per block. */
function busy(overlay: Overlay, block: number): void {
  for (const i of [1, 2, 3]) overlay.addBalance(address(i), 1n)
  for (const i of [0, 1]) overlay.setSlot(address(0), word(i), BigInt(block + 1))
}

const difference = (after: WorldSize, before: WorldSize) =>
  Object.fromEntries(
    Object.keys(after).map((key) => [key, after[key as keyof WorldSize] - before[key as keyof WorldSize]]),
  )

describe('the size of a world', () => {
  it.each([10, 1_000])('grows with what blocks change, not with the %i accounts that exist', (size) => {
    const world = existing(size)
    const before = world.size()
    expect(before).toEqual({ accounts: size, slots: size, codes: 0, entries: 2 * size, versions: 1 })
    expect(difference(grow(world, 200, busy), before)).toEqual({
      accounts: 0,
      slots: 0,
      codes: 0,
      entries: 200 * 5,
      versions: 200,
    })
  })

  it('stops growing once the history is full', () => {
    const world = existing(10)
    expect(grow(world, 50, busy, 20)).toEqual(grow(world, 500, busy, 20))
  })

  it('does not grow with blocks that write the values that are already set', () => {
    const world = existing(10)
    const before = world.size()
    const after = grow(world, 100, (overlay) => {
      overlay.addBalance(address(1), 0n)
      overlay.setSlot(address(0), word(0), 2n)
      overlay.setSlot(address(0), word(0), 1n)
    })
    expect(after).toEqual(before)
  })

  it('does not grow with storage that is created and cleared', () => {
    const world = existing(10)
    const createAndDelete = (overlay: Overlay, block: number) => {
      overlay.clearStorage(address(5))
      for (let i = 0; i < 50; i++) overlay.setSlot(address(5), word(i), BigInt(block))
    }
    const few = grow(world, 20, createAndDelete, 3)
    expect(grow(world, 200, createAndDelete, 3)).toEqual(few)
    expect(few.slots).toBe(10 + 3 * 50)
  })

  it('does not grow with accounts that are created and deleted', () => {
    const world = existing(10)
    const createAndDelete = (overlay: Overlay, block: number) => {
      overlay.deleteAccount(address(999 + block))
      overlay.addBalance(address(1000 + block), 1n)
      overlay.setSlot(address(1000 + block), word(0), 1n)
    }
    const few = grow(world, 20, createAndDelete, 3)
    expect(grow(world, 200, (overlay, block) => createAndDelete(overlay, block + 20), 3)).toEqual(few)
  })
})
