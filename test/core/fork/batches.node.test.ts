/** The batches that a fork sends over HTTP when it starts, and for its first call. */
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Hash } from '../../../src/base/types.ts'
import { SETTLED_DEPTH } from '../../../src/core/fork/stateReads.ts'
import { type ChainOptions, createChain, createManualClock } from '../../../src/index.ts'
import { ask } from '../../rpc/scene.ts'
import { listOf, serveNode, type Trip } from './scriptedNode.ts'

const OTHER = 'legal winner thank year wave sausage worth useful legal winner thank yellow'

/** Serves a chain with blocks on top of its block 1. */
async function serveRemote(blocksOnTop: number) {
  const remote = await createChain({ mining: 'manual', clock: createManualClock() })
  onTestFinished(() => remote.close())
  await remote.mine(1)
  const { hash } = (await ask(remote.standard, 'eth_getBlockByNumber', ['0x1', false])) as { hash: Hash }
  await ask(remote.standard, 'hardhat_mine', [blocksOnTop])
  return { node: await serveNode(remote), hash }
}

/** The sizes of the batches of a start, and of a call after it. */
async function batchesOf(url: string, trips: readonly Trip[], { fork, ...options }: ChainOptions) {
  const first = trips.length
  const chain = await createChain({
    mining: 'manual',
    clock: createManualClock(),
    ...options,
    fork: { url, ...fork },
  })
  onTestFinished(() => chain.close())
  const started = trips.length
  const call = { from: `0x${'57'.repeat(20)}`, to: `0x${'58'.repeat(20)}` }
  expect(await ask(chain.standard, 'eth_call', [call])).toBe('0x')
  const sizes = trips.map((trip) => listOf(trip).length)
  return { start: sizes.slice(first, started), call: sizes.slice(started) }
}

describe('the start of a fork', () => {
  it('is one batch, or two if not all is known before the block is', async () => {
    const { node, hash } = await serveRemote(Number(SETTLED_DEPTH))
    const starts = {
      'by number': { fork: { block: 1 } },
      'by hash': { fork: { block: hash } },
      'by tag': {},
      'with an own mnemonic': { fork: { block: 1 }, accounts: { mnemonic: OTHER } },
    }
    const batches: Record<string, object> = {}
    for (const [name, options] of Object.entries(starts)) {
      batches[name] = await batchesOf(node.url, node.trips, options)
    }
    expect(batches).toEqual({
      // Chain id, block and eth_config; the head's number; 16 accounts and 8 slots.
      'by number': { start: [3 + 1 + 48 + 8], call: [6] },
      'by hash': { start: [3 + 48 + 8], call: [6] },
      'by tag': { start: [3, 48 + 8], call: [6] },
      // The accounts are derived while the block is asked for.
      'with an own mnemonic': { start: [3 + 1 + 18 + 8, 30], call: [6] },
    })
  })

  it('is two if the block may be reorganised, however much of it was asked for early', async () => {
    const { node } = await serveRemote(1)
    const options = { fork: { block: 1 }, accounts: { mnemonic: OTHER } }
    const batches = await batchesOf(node.url, node.trips, options)
    expect(batches).toEqual({ start: [3 + 1 + 18 + 8, 48 + 8], call: [6] })
  })
})
