import { MemoryLevel } from 'memory-level'
import { encodeFunctionData } from 'viem'
import { describe, expect, it } from 'vitest'
import type { ChainOptions, Hash, PresealChain } from '../../../src/index.ts'
import { Probe } from '../../contracts/artifacts.ts'
import { startChain, viemOn } from '../../harness.ts'
import { underManualClock } from '../../package/stories/story.ts'
import { dump, send } from './support.ts'

/** Runs a chain for six seconds with the same transactions at the same times, and returns every published hash. */
async function run(
  between: (chain: PresealChain) => Promise<unknown> = async () => {},
  options: ChainOptions = {},
): Promise<Hash[]> {
  const chain = await startChain({ mining: 'interval', blockTime: 1000, ...options })
  const hashes: Hash[] = []
  chain.on('preconf', ({ block }) => hashes.push(block.hash))
  chain.on('block', ({ block }) => hashes.push(block.hash))
  await viemOn(chain)
    .wallet(9)
    .deployContract({
      ...Probe,
      gas: 2_000_000n,
      maxFeePerGas: 10n ** 11n,
      maxPriorityFeePerGas: 1n,
      nonce: 0,
    })
  const to = await new Promise<Hash>((resolve) => {
    chain.once('preconf', ({ receipts }) => resolve(receipts[0]!.contractAddress!))
    void chain.clock.advance(200)
  })
  const data = encodeFunctionData({ abi: Probe.abi, functionName: 'emitLogs', args: [3n] })
  for (let step = 0; step < 12; step++) {
    await send(chain, { from: step % 3, nonce: Math.floor(step / 3), tip: BigInt(1 + (step % 4)) })
    if (step % 4 === 0) await send(chain, { from: 4, nonce: step / 4, to, data, value: 0n, gas: 200_000n })
    await between(chain)
    await chain.clock.advance(step % 2 === 0 ? 150 : 850)
    await between(chain)
  }
  return hashes
}

describe('determinism', () => {
  it('gives the same hashes for the same inputs, whatever is read meanwhile', async () => {
    const hashes = await run()
    expect(await run()).toEqual(hashes)
    expect(await run(dump)).toEqual(hashes)
    expect(new Set(hashes).size).toBeGreaterThan(12)
    // Every runtime gives these.
    expect([hashes.length, hashes.at(-1)]).toMatchInlineSnapshot(`
      [
        37,
        "<determinism: last block>",
      ]
    `)
  })

  it('gives the same hashes with a database', async () => {
    const database = new MemoryLevel({ storeEncoding: 'view' }) as never
    expect(await run(dump, { database })).toEqual(await run())
  })

  it('gives the hash that the trials of the package expect', async () => {
    expect(await underManualClock()).toMatchInlineSnapshot(`
      {
        "knownBefore": false,
        "preconfirmed": "<package: block 1>",
        "sealed": "<package: block 1>",
      }
    `)
  })
})
