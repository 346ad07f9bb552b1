/** Random operations on chains whose parts fail: in memory, on databases, on disk, with clients that come and go. */
import { describe, expect, it } from 'vitest'
import { runs } from '../full.ts'
import { batchOf, createSurroundings, runBatch } from './batch.ts'
import { type Connect, LINKS, type Line } from './clients.ts'
import { DISK } from './disk.ts'
import { MEDIA } from './media.ts'
import { runRound } from './round.ts'
import { connectSocket } from './sockets.ts'
import type { Action, Step } from './steps.ts'

const ALL_MEDIA = [...MEDIA, DISK]
/** Of the chains that are not in memory alone; `npm run chaos` runs them for longer. */
const SHORT = { numRuns: 3, seed: 1 }

const toStep = (action: Action): Step => ({ action, meanwhile: [], failure: undefined })
const STEPS: readonly Step[] = [
  toStep({ kind: 'join', view: 'preconf', link: 'text' }),
  toStep({ kind: 'use', client: 0, method: 'eth_subscribe', params: ['newHeads'] }),
  toStep({ kind: 'operation', operation: { kind: 'seal' } }),
  toStep({ kind: 'operation', operation: { kind: 'seal' } }),
]

describe('chaos', () => {
  it.each(ALL_MEDIA.map((medium, index) => ({ medium: medium.name, index })))(
    'breaks no law of a chain: $medium',
    async ({ index }) => {
      const surroundings = await createSurroundings({ ...LINKS, socket: connectSocket })
      const { numRuns, seed } = index === 0 ? runs(3, 300) : SHORT
      for (let batch = 0; batch * 3 < numRuns; batch++) {
        // Each batch has another configuration.
        const number = seed + index + batch * ALL_MEDIA.length
        const chosen = { ...batchOf(number, ALL_MEDIA), medium: ALL_MEDIA[index]! }
        const { failure } = await runBatch(
          { ...chosen, seed: number, rounds: 3, checkEvery: 3 },
          surroundings,
        )
        expect({ number, ...chosen, failure }).toMatchObject({ failure: undefined })
      }
    },
  )

  it('finds a client that misses a head', async () => {
    const { named } = await createSurroundings({})
    const lossy: Connect = (chain, view, notify) => {
      let count = 0
      return LINKS.text!(chain, view, (notification) => {
        count += 1
        if (count !== 2) notify(notification)
      })
    }
    const circumstances = { options: {}, medium: MEDIA[0]!, named, isChecked: false }
    await expect(runRound(STEPS, { ...circumstances, links: LINKS })).resolves.toMatchObject({
      operations: 4,
      compared: 1,
    })
    await expect(runRound(STEPS, { ...circumstances, links: { text: lossy } })).rejects.toThrow(
      'a subscriber gets each head once and in order',
    )
  })

  it('finds a client that leaves listeners behind', async () => {
    const { named } = await createSurroundings({})
    const leaking: Connect = (chain, view, notify) => {
      const line = LINKS.text!(chain, view, notify) as Line
      return { ...line, leave: () => {} }
    }
    const circumstances = { options: {}, medium: MEDIA[0]!, named, isChecked: false }
    await expect(runRound(STEPS, { ...circumstances, links: { text: leaking } })).rejects.toThrow(
      'clients that left leave no listeners',
    )
  })
})
