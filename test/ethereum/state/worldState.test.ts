import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { StateChanges, StateReader } from '../../../src/ethereum/state/account.ts'
import { StateUnavailableError } from '../../../src/ethereum/state/errors.ts'
import { changesSince, Layer, stackLayer } from '../../../src/ethereum/state/layer.ts'
import { Overlay } from '../../../src/ethereum/state/overlay.ts'
import { type StateVersion, WorldState } from '../../../src/ethereum/state/worldState.ts'
import {
  ADDRESSES,
  applyWrites,
  codeHashOf,
  codeOf,
  KEYS,
  type Model,
  seenBy,
  seenIn,
  type Write,
  writes,
} from './model.ts'

const [alice, bob] = ADDRESSES as [`0x${string}`, `0x${string}`]
const [first, second] = KEYS as [`0x${string}`, `0x${string}`]

/** The changes of `fill` over `base`. */
function changesOver(base: StateReader, fill: (overlay: Overlay) => void): StateChanges {
  const overlay = new Overlay(base)
  fill(overlay)
  return overlay.changes()
}

function commit(world: WorldState, fill: (overlay: Overlay) => void): StateVersion {
  return world.commit(changesOver(world.head, fill))
}

/** A reader that keeps a state. */
interface Pinned {
  readonly reader: StateReader
  readonly model: Model
  readonly base: StateVersion
}

type Command =
  | { kind: 'grow'; writes: Write[] }
  | { kind: 'leaf'; writes: Write[] }
  | { kind: 'overlay'; on: number; writes: Write[] }
  | { kind: 'seal' }
  | { kind: 'revert' | 'prune'; to: number }

const command: fc.Arbitrary<Command> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('grow' as const), writes }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('leaf' as const), writes }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('overlay' as const), on: fc.nat(), writes }) },
  { weight: 4, arbitrary: fc.constant({ kind: 'seal' as const }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constantFrom('revert' as const, 'prune' as const), to: fc.nat() }),
  },
)

/** Applies commands to a world and to the model; every reader stays pinned. */
class Run {
  readonly world = new WorldState()
  readonly pinned: Pinned[] = []
  retained: { version: StateVersion; model: Model }[] = []
  /** The block under construction. */
  top: StateReader
  model: Model = new Map()

  constructor() {
    this.top = this.world.head
    this.retained.push({ version: this.world.head, model: this.model })
    this.pin(this.top, this.model)
  }

  pin(reader: StateReader, model: Model, base = this.world.head): void {
    this.pinned.push({ reader, model, base })
  }

  do(command: Command): void {
    const { world } = this
    switch (command.kind) {
      case 'grow': {
        const overlay = new Overlay(this.top)
        this.model = applyWrites(overlay, this.model, command.writes)
        this.top = stackLayer(this.top, overlay.changes(), world.head)
        this.pin(this.top, this.model)
        break
      }
      case 'leaf': {
        const overlay = new Overlay(this.top)
        const model = applyWrites(overlay, this.model, command.writes)
        this.pin(new Layer(this.top, overlay.changes()), model)
        break
      }
      case 'overlay': {
        const readable = this.pinned.filter(({ base }) => this.isRetained(base))
        const { reader, model, base } = readable[command.on % readable.length]!
        const overlay = new Overlay(reader)
        this.pin(overlay, applyWrites(overlay, model, command.writes), base)
        break
      }
      case 'seal': {
        this.top = world.commit(changesSince(this.top, world.head))
        if (this.retained.at(-1)!.version !== this.top)
          this.retained.push({ version: world.head, model: this.model })
        this.pin(this.top, this.model)
        break
      }
      case 'revert': {
        const index = command.to % this.retained.length
        this.retained = this.retained.slice(0, index + 1)
        const { version, model } = this.retained[index]!
        world.revert(version)
        this.top = version
        this.model = model
        break
      }
      case 'prune': {
        const index = command.to % this.retained.length
        this.retained = this.retained.slice(index)
        world.prune(this.retained[0]!.version)
      }
    }
  }

  isRetained(version: StateVersion): boolean {
    return this.retained.some((entry) => entry.version === version)
  }

  /** If the base is retained, every read gives the original value; otherwise the same or an error, never another. */
  check(): void {
    for (const { reader, model, base } of this.pinned) {
      const seen = seenBy(reader)
      const expected = seenIn(model)
      if (!this.isRetained(base)) {
        for (const place of Object.keys(expected)) {
          if (reader === base || seen[place] === 'unavailable') expected[place] = 'unavailable'
        }
      }
      expect(seen).toEqual(expected)
    }
  }
}

describe('WorldState', () => {
  it('shows every reader its own state, or none once its version is pruned or reverted', () => {
    fc.assert(
      fc.property(fc.array(command, { maxLength: 40 }), (commands) => {
        const run = new Run()
        for (const command of commands) {
          run.do(command)
          if (command.kind === 'revert' || command.kind === 'prune') run.check()
        }
        run.check()
      }),
      { numRuns: 200 },
    )
  })

  it('contains exactly the existing state once it is pruned to its head', () => {
    fc.assert(
      fc.property(fc.array(command, { maxLength: 40 }), (commands) => {
        const run = new Run()
        for (const command of commands) run.do(command)
        run.do({ kind: 'seal' })
        const { version, model } = run.retained.at(-1)!
        run.world.prune(version)
        const slots = [...model.values()].reduce((sum, account) => sum + account.slots.size, 0)
        const { codes: _, ...size } = run.world.size()
        expect(size).toEqual({ accounts: model.size, slots, entries: model.size + slots, versions: 1 })
      }),
      { numRuns: 200 },
    )
  })

  it('lists all contents of a version, and nothing of others', () => {
    fc.assert(
      fc.property(fc.array(command, { maxLength: 40 }), (commands) => {
        const run = new Run()
        for (const command of commands) run.do(command)
        for (const { version, model } of run.retained) {
          const { accounts, slots } = run.world.everythingAt(version)
          const copy = new WorldState()
          copy.commit(run.world.everythingAt(version))
          expect(seenBy(copy.head)).toEqual(seenIn(model))
          expect([accounts.size, [...slots.values()].reduce((sum, { size }) => sum + size, 0)]).toEqual([
            model.size,
            [...model.values()].reduce((sum, account) => sum + account.slots.size, 0),
          ])
        }
      }),
      { numRuns: 100 },
    )
  })

  it('has its earlier contents once it is reverted', () => {
    fc.assert(
      fc.property(
        fc.array(command, { maxLength: 20 }),
        fc.array(writes, { maxLength: 6 }),
        (before, after) => {
          const run = new Run()
          for (const command of before) run.do(command)
          run.do({ kind: 'seal' })
          const { head } = run.world
          const size = run.world.size()
          for (const list of after) {
            run.do({ kind: 'grow', writes: list })
            run.do({ kind: 'seal' })
          }
          run.world.revert(head)
          expect(run.world.size()).toEqual(size)
        },
      ),
      { numRuns: 100 },
    )
  })

  it('creates no version if nothing differs from the head', () => {
    const world = new WorldState()
    const head = commit(world, (overlay) => overlay.setSlot(alice, first, 1n))
    const again = commit(world, (overlay) => {
      overlay.setSlot(alice, first, 2n)
      overlay.setSlot(alice, first, 1n)
      overlay.addBalance(alice, 0n)
    })
    expect(again).toBe(head)
    expect(world.size()).toEqual({ accounts: 1, slots: 1, codes: 0, entries: 2, versions: 2 })
  })

  it('rejects a revert or a prune to a version that is not retained', () => {
    const world = new WorldState()
    const genesis = world.head
    const cut = commit(world, (overlay) => overlay.addBalance(alice, 1n))
    world.revert(genesis)
    const other = commit(world, (overlay) => overlay.addBalance(alice, 2n))
    expect(other.position).toBe(cut.position)
    expect(() => world.revert(cut)).toThrow(new StateUnavailableError())
    expect(() => world.prune(cut)).toThrow(new StateUnavailableError())
    expect(() => cut.account(alice)).toThrow(new StateUnavailableError())
    expect(() => cut.slot(0, first)).toThrow(new StateUnavailableError())
    expect(() => cut.code(codeHashOf(0))).toThrow(new StateUnavailableError())
    expect(other.account(alice)?.balance).toBe(2n)
  })

  it('frees the slots of a storage with the last version whose account referred to it', () => {
    const world = new WorldState()
    commit(world, (overlay) => {
      overlay.setSlot(alice, first, 1n)
      overlay.setSlot(alice, second, 1n)
      overlay.setSlot(bob, first, 1n)
    })
    const full = commit(world, (overlay) => overlay.setSlot(alice, first, 2n))
    const cleared = commit(world, (overlay) => {
      overlay.clearStorage(alice)
      overlay.setSlot(alice, first, 3n)
      overlay.deleteAccount(bob)
    })
    world.prune(full)
    expect(world.size()).toEqual({ accounts: 2, slots: 4, codes: 0, entries: 8, versions: 2 })
    world.prune(cleared)
    expect(world.size()).toEqual({ accounts: 1, slots: 1, codes: 0, entries: 2, versions: 1 })
    expect(seenBy(cleared)).toMatchObject({ '0': '0 0 1', '0 slot 0': 3n, '0 slot 1': 0n, '1': undefined })
  })

  it('keeps the slots of a storage that an account has again in a later version', () => {
    const world = new WorldState()
    const before = commit(world, (overlay) => overlay.setSlot(alice, first, 5n))
    const everything = world.everythingAt(before)
    commit(world, (overlay) => overlay.deleteAccount(alice))
    const again = world.commit(everything)
    world.prune(again)
    expect(again.slot(again.account(alice)!.storageId, first)).toBe(5n)
  })

  it('never stores storage that was cleared before the end of the block', () => {
    const world = new WorldState()
    commit(world, (overlay) => {
      overlay.setSlot(alice, first, 1n)
      overlay.deleteAccount(alice)
      overlay.setSlot(bob, first, 1n)
      overlay.clearStorage(bob)
    })
    expect(world.size()).toEqual({ accounts: 1, slots: 0, codes: 0, entries: 1, versions: 2 })
  })

  it('removes code with the versions that introduced it, and only then', () => {
    const world = new WorldState()
    const genesis = world.head
    const one = commit(world, (overlay) => overlay.setCode(alice, codeHashOf(1), codeOf(1)))
    commit(world, (overlay) => {
      overlay.setCode(bob, codeHashOf(1), codeOf(1))
      overlay.setCode(alice, codeHashOf(2), codeOf(2))
    })
    expect(world.size().codes).toBe(2)
    world.revert(one)
    expect(world.size().codes).toBe(1)
    expect(one.code(codeHashOf(1))).toEqual(codeOf(1))
    world.revert(genesis)
    expect(world.size().codes).toBe(0)
  })

  it('finds every one of 100,000 versions of a key, also while the oldest are pruned', () => {
    const world = new WorldState()
    const versions: StateVersion[] = []
    const BLOCKS = 100_000
    for (let block = 1; block <= BLOCKS; block++) {
      versions.push(commit(world, (overlay) => overlay.addBalance(alice, 1n)))
    }
    const wrong = (from: number) =>
      versions.slice(from).findIndex((version, i) => version.account(alice)?.balance !== BigInt(from + i + 1))
    expect(wrong(0)).toBe(-1)
    for (let oldest = 0; oldest < BLOCKS - 10_000; oldest++) world.prune(versions[oldest]!)
    expect(wrong(BLOCKS - 10_001)).toBe(-1)
    expect(world.size()).toEqual({ accounts: 1, slots: 0, codes: 0, entries: 10_001, versions: 10_001 })
  })
})
