import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { StateReader } from '../../../src/ethereum/state/account.ts'
import { changesSince, isUnchanged, Layer, stackLayer } from '../../../src/ethereum/state/layer.ts'
import { Overlay } from '../../../src/ethereum/state/overlay.ts'
import { WorldState } from '../../../src/ethereum/state/worldState.ts'
import { address } from '../../words.ts'
import { ADDRESSES, applyWrites, KEYS, type Model, seenBy, seenIn, writes } from './model.ts'

function depthOf(top: StateReader): number {
  return top instanceof Layer ? 1 + depthOf(top.parent) : 0
}

/** The layers of a slot's preconf blocks; `sizes` has the number of accounts that each changes. */
function stack(
  base: StateReader,
  sizes: readonly number[],
  distinct: boolean,
): { top: StateReader; depth: number } {
  let top = base
  let depth = 0
  let next = 0
  for (const size of sizes) {
    const overlay = new Overlay(top)
    for (let i = 0; i < size; i++) overlay.addBalance(address(distinct ? next++ : i), 1n)
    top = stackLayer(top, overlay.changes(), base)
    depth = Math.max(depth, depthOf(top))
  }
  return { top, depth }
}

describe('stackLayer', () => {
  it('gives layers that read as if nothing were merged, and does not change those below', () => {
    fc.assert(
      fc.property(fc.array(writes, { maxLength: 20 }), (blocks) => {
        const base = new WorldState().head
        const seen: { layer: StateReader; model: Model }[] = [{ layer: base, model: new Map() }]
        for (const block of blocks) {
          const { layer, model } = seen.at(-1)!
          const overlay = new Overlay(layer)
          const after = applyWrites(overlay, model, block)
          seen.push({ layer: stackLayer(layer, overlay.changes(), base), model: after })
        }
        for (const { layer, model } of seen) expect(seenBy(layer)).toEqual(seenIn(model))
      }),
      { numRuns: 200 },
    )
  })

  const sizes = (size: (i: number) => number) => Array.from({ length: 1000 }, (_, i) => size(i))
  it.each<[string, number[], boolean, number]>([
    ['one account each', sizes(() => 1), true, 10],
    ['the same account each', sizes(() => 1), false, 1],
    ['ever fewer accounts', sizes((i) => 1000 - i), false, 10],
    ['many accounts, then ever fewer', sizes((i) => Math.max(1, 512 >> (i % 10))), true, 17],
  ])('is at most logarithmically deep after 1,000 layers of %s', (_name, list, distinct, most) => {
    expect(stack(new WorldState().head, list, distinct).depth).toBeLessThanOrEqual(most)
  })

  it('does not merge below its base', () => {
    const world = new WorldState()
    const below = new Overlay(world.head)
    below.addBalance(ADDRESSES[0]!, 1n)
    const base = new Layer(world.head, below.changes())
    const above = new Overlay(base)
    above.addBalance(ADDRESSES[0]!, 1n)
    expect(stackLayer(base, above.changes(), base).parent).toBe(base)
  })
})

describe('changesSince', () => {
  it('folds a stack of layers into the changes that lead from its base to its top', () => {
    fc.assert(
      fc.property(writes, fc.array(writes, { maxLength: 8 }), (below, blocks) => {
        const world = new WorldState()
        const first = new Overlay(world.head)
        let model = applyWrites(first, new Map(), below)
        const base = new Layer(world.head, first.changes())
        let top: StateReader = base
        for (const block of blocks) {
          const overlay = new Overlay(top)
          model = applyWrites(overlay, model, block)
          top = stackLayer(top, overlay.changes(), base)
        }
        const folded = new Layer(base, changesSince(top, base))
        expect(seenBy(folded)).toEqual(seenIn(model))
      }),
      { numRuns: 200 },
    )
  })

  it('is empty between a state and itself', () => {
    const { head } = new WorldState()
    expect(isUnchanged(changesSince(head, head))).toBe(true)
  })

  it('has only the last value of each change', () => {
    const { head } = new WorldState()
    const { top } = stack(
      head,
      Array.from({ length: 50 }, () => 3),
      false,
    )
    expect(changesSince(top, head).accounts.size).toBe(3)
  })
})

describe('isUnchanged', () => {
  it('is true if every write was undone', () => {
    const overlay = new Overlay(new WorldState().head)
    const start = overlay.mark()
    overlay.setSlot(ADDRESSES[0]!, KEYS[0]!, 1n)
    expect(isUnchanged(overlay.changes())).toBe(false)
    overlay.revert(start)
    expect(isUnchanged(overlay.changes())).toBe(true)
  })
})
