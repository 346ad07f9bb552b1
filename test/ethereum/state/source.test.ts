import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Missing, whenLoaded } from '../../../src/base/waiting.ts'
import { EMPTY_STATE, type StateChanges, type StateReader } from '../../../src/ethereum/state/account.ts'
import { Overlay } from '../../../src/ethereum/state/overlay.ts'
import { type StateVersion, WorldState } from '../../../src/ethereum/state/worldState.ts'
import { ADDRESSES, applyWrites, KEYS, type Write, writes } from './model.ts'
import { createSlowSource } from './slowSource.ts'

const [alice, bob] = ADDRESSES as [`0x${string}`, `0x${string}`]
const [first, second] = KEYS as [`0x${string}`, `0x${string}`]

type Step =
  | { readonly kind: 'commit'; readonly writes: Write[] }
  | { readonly kind: 'revert' | 'prune'; readonly to: number }

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('commit' as const), writes }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constantFrom('revert' as const, 'prune' as const), to: fc.nat() }),
  },
)

/** The changes that a list of writes makes. */
function changesOf(state: StateReader, list: Write[]): StateChanges {
  const overlay = new Overlay(state)
  applyWrites(overlay, new Map(), list)
  return overlay.changes()
}

/** All accounts with their records, slots and codes. */
function accountsOf(state: StateReader): unknown {
  return ADDRESSES.map((address) => {
    const account = state.account(address)
    if (account === undefined) return undefined
    const slots = KEYS.map((key) => (account.storageId === 0 ? 0n : state.slot(account.storageId, key)))
    return { account, slots, code: state.code(account.codeHash) }
  })
}

/** The accounts of all versions that can be read, and all that the newest contains. */
async function dump(world: WorldState, versions: readonly StateVersion[]): Promise<unknown> {
  const { accounts, slots, lastStorageId } = await whenLoaded(() => world.everythingAt(world.head))
  return {
    versions: await Promise.all(
      versions.map((version) => version.isRetained && whenLoaded(() => accountsOf(version))),
    ),
    accounts: [...accounts].filter(([, account]) => account !== null).sort(),
    slots: [...slots]
      .map(([id, entries]) => [id, [...entries].filter(([, value]) => value !== 0n).sort()])
      .sort(),
    lastStorageId,
  }
}

/** A world whose first version is a source with alice, who has two slots. */
function createWorld(): WorldState {
  const overlay = new Overlay(EMPTY_STATE)
  overlay.addBalance(alice, 5n)
  overlay.setSlot(alice, first, 1n)
  overlay.setSlot(alice, second, 2n)
  const { source, loaded } = createSlowSource(overlay.changes())
  for (const address of ADDRESSES) loaded.add(`account ${address}`)
  for (const key of KEYS) loaded.add(`slot 1 ${key}`)
  loaded.add('everything')
  return new WorldState(source)
}

describe('a state source', () => {
  it('is read as if its entries had been written to the first version', async () => {
    await fc.assert(
      fc.asyncProperty(writes, fc.array(step, { maxLength: 15 }), async (start, steps) => {
        const written = new WorldState()
        const version = written.commit(changesOf(EMPTY_STATE, start))
        // Not the changes themselves: reverted writes leave an unused storage id in them.
        const sourced = new WorldState(createSlowSource(written.everythingAt(version)).source)
        const worlds = [
          { world: written, versions: [version] },
          { world: sourced, versions: [sourced.head] },
        ]
        for (const one of steps) {
          for (const { world, versions } of worlds) {
            if (one.kind === 'commit') {
              const next = await whenLoaded(() => changesOf(world.head, one.writes))
              versions.push(world.commit(next))
            } else {
              const retained = versions.filter(({ isRetained }) => isRetained)
              world[one.kind](retained[one.to % retained.length]!)
            }
          }
          const [expected, actual] = await Promise.all(
            worlds.map(({ world, versions }) => dump(world, versions)),
          )
          expect(actual).toEqual(expected)
        }
      }),
    )
  })

  it('loads an entry once, and only entries that no version has written', async () => {
    const world = createWorld()
    const { source, loaded } = createSlowSource(world.everythingAt(world.head))
    const slow = new WorldState(source)
    const overlay = await whenLoaded(() => {
      const attempt = new Overlay(slow.head)
      attempt.addBalance(alice, 1n)
      return attempt
    })
    const version = slow.commit(overlay.changes())
    loaded.clear()
    expect(version.account(alice)?.balance).toBe(6n)
    expect(() => version.account(bob)).toThrow(Missing)
    expect(() => version.slot(1, first)).toThrow(Missing)
    expect(() => slow.everythingAt(version)).toThrow(Missing)
  })

  it('shows nothing of an account that was deleted, when older versions are pruned and the account is created again', () => {
    const world = createWorld()
    const deleted = new Overlay(world.head)
    deleted.deleteAccount(alice)
    world.prune(world.commit(deleted.changes()))
    expect(world.head.account(alice)).toBeUndefined()

    const created = new Overlay(world.head)
    created.setSlot(alice, second, 7n)
    world.prune(world.commit(created.changes()))
    const { storageId, ...account } = world.head.account(alice)!
    expect(account).toMatchObject({ balance: 0n, slotCount: 1 })
    expect([first, second].map((key) => world.head.slot(storageId, key))).toEqual([0n, 7n])
  })

  it('shows nothing of a slot that was cleared, when older versions are pruned', () => {
    const world = createWorld()
    const cleared = new Overlay(world.head)
    cleared.setSlot(alice, first, 0n)
    world.prune(world.commit(cleared.changes()))
    const { storageId, slotCount } = world.head.account(alice)!
    expect(slotCount).toBe(1)
    expect([first, second].map((key) => world.head.slot(storageId, key))).toEqual([0n, 2n])
  })

  it('has storage ids that no later storage reuses', () => {
    const world = createWorld()
    const overlay = new Overlay(world.head)
    overlay.setSlot(bob, first, 1n)
    world.commit(overlay.changes())
    expect([alice, bob].map((address) => world.head.account(address)!.storageId)).toEqual([1, 2])
  })
})
