import fc from 'fast-check'
import { encodeFunctionData } from 'viem'
import { describe, expect, it } from 'vitest'
import type { PreconfBlock, SealedBlock } from '../../../src/index.ts'
import { Probe } from '../../contracts/artifacts.ts'
import { runs } from '../../full.ts'
import { startChain, viemOn } from '../../harness.ts'
import { hashesOf, send } from './support.ts'

const withoutHash = (receipts: readonly object[]) =>
  JSON.parse(JSON.stringify(receipts, (key, value) => (key === 'blockHash' ? undefined : value))) as unknown[]

describe('seal', () => {
  it('seals the last preconf block as it is', async () => {
    const chain = await startChain()
    await send(chain, { nonce: 0 })
    const { index, added, ...preconfBlock } = await chain.tick()
    expect(await chain.seal()).toEqual(preconfBlock)
  })

  it('publishes what waits before it seals, as one more preconf block', async () => {
    const chain = await startChain()
    const events: string[] = []
    chain.on('preconf', ({ index, added, block }) =>
      events.push(`${Number(block.number)}.${index}: ${block.transactions.length}, new from ${added}`),
    )
    chain.on('block', ({ block }) => events.push(`sealed ${Number(block.number)}`))
    await send(chain, { nonce: 0 })
    await chain.tick()
    await chain.tick()
    await send(chain, { nonce: 1 })
    await chain.seal()
    await chain.seal()
    expect(events).toEqual([
      '1.1: 1, new from 0',
      '1.2: 1, new from 1',
      '1.3: 2, new from 1',
      'sealed 1',
      '2.0: 0, new from 0',
      'sealed 2',
      '3.0: 0, new from 0',
    ])
  })

  it('increments only the index of a preconf block to which nothing was added', async () => {
    const chain = await startChain()
    await send(chain, { nonce: 0 })
    const first = await chain.tick()
    expect(await chain.tick()).toEqual({ ...first, index: 2, added: 1 })
  })

  it('grows every block from preconf block to preconf block, and seals the last of them', async () => {
    const step = fc.oneof(
      {
        weight: 4,
        arbitrary: fc.record({ send: fc.nat(2), logs: fc.nat(2), gap: fc.constantFrom(0, 0, 0, 1) }),
      },
      { weight: 2, arbitrary: fc.constant('tick' as const) },
      { weight: 1, arbitrary: fc.constant('seal' as const) },
      { weight: 1, arbitrary: fc.constant('second' as const) },
    )
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (steps) => {
        const chain = await startChain({ gasLimit: 2_000_000n })
        await viemOn(chain).wallet(9).deployContract(Probe)
        const to = (await chain.seal()).receipts[0]!.contractAddress
        const preconfBlocks: PreconfBlock[] = []
        const blocks: { sealed: SealedBlock; preconfBlocks: PreconfBlock[] }[] = []
        chain.on('preconf', (preconfBlock) => preconfBlocks.push(preconfBlock))
        chain.on('block', (sealed) => blocks.push({ sealed, preconfBlocks: preconfBlocks.splice(0) }))
        const nonces = [0, 0, 0]
        for (const step of steps) {
          if (step === 'tick') await chain.tick()
          else if (step === 'seal') await chain.seal()
          else if (step === 'second') await chain.clock.advance(1000)
          else {
            const nonce = nonces[step.send]! + step.gap
            nonces[step.send] = nonce + 1
            const args = [BigInt(step.logs)] as const
            const data = encodeFunctionData({ abi: Probe.abi, functionName: 'emitLogs', args })
            await send(chain, { from: step.send, nonce, to, data, value: 0n, gas: 500_000n })
          }
        }
        await chain.seal()
        for (const { sealed, preconfBlocks } of blocks) {
          const last = preconfBlocks.at(-1)
          if (last !== undefined) {
            const { index: _index, added: _added, ...promoted } = last
            expect(sealed).toEqual(promoted)
          }
          for (const [i, preconfBlock] of preconfBlocks.entries()) {
            const before = preconfBlocks[i - 1]
            if (before === undefined) continue
            expect(preconfBlock.index).toBe(before.index + 1)
            expect(preconfBlock.added).toBe(before.block.transactions.length)
            expect(hashesOf(preconfBlock).slice(0, preconfBlock.added)).toEqual(hashesOf(before))
            expect(withoutHash(preconfBlock.receipts).slice(0, preconfBlock.added)).toEqual(
              withoutHash(before.receipts),
            )
          }
        }
      }),
      runs(12, 100),
    )
  })

  it('runs writers one after the other, in order of arrival', async () => {
    const chain = await startChain()
    const events: string[] = []
    chain.on('preconf', ({ index, block }) => events.push(`${Number(block.number)}.${index}`))
    chain.on('block', ({ block }) => events.push(`sealed ${Number(block.number)}`))
    for (let nonce = 0; nonce < 3; nonce++) await send(chain, { nonce })
    await Promise.all([chain.tick(), chain.tick(), chain.seal(), chain.tick(), chain.seal(), chain.seal()])
    expect(events).toEqual(['1.1', '1.2', 'sealed 1', '2.0', '2.1', 'sealed 2', '3.0', 'sealed 3', '4.0'])
  })
})
