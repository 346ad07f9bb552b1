import { describe, expect, it, onTestFinished } from 'vitest'
import { Canonical } from '../../../src/core/ledger/canonical.ts'
import { Ledger, type SealedEntry } from '../../../src/core/ledger/ledger.ts'
import { indexLogs } from '../../../src/core/ledger/logIndex.ts'
import { openCore } from '../../../src/core/open/core.ts'
import { resolveOptions } from '../../../src/core/options.ts'
import type { Block } from '../../../src/ethereum/block.ts'
import { StateUnavailableError } from '../../../src/ethereum/state/errors.ts'
import type { StateVersion } from '../../../src/ethereum/state/worldState.ts'
import { createManualClock, type PresealChain } from '../../../src/index.ts'
import { startChain, viemOn } from '../../harness.ts'
import { word as hash } from '../../words.ts'
import { externalChain, GENESIS, toBytes } from '../import/externalChain.ts'

const address = `0x${'ad'.repeat(20)}` as const

/** A block with a transaction with two logs and a transaction with a third. */
function blockAt(number: number): Block {
  const log = (n: number) => ({ address, topics: [hash(n)], data: '0x' as const })
  return {
    hash: hash(number),
    number: BigInt(number),
    timestamp: BigInt(number) * 2n,
    transactions: [{ hash: hash(1000 + 2 * number) }, { hash: hash(1001 + 2 * number) }],
    receipts: [
      { logs: [log(1), log(2)], firstLogIndex: 0 },
      { logs: [log(1)], firstLogIndex: 2 },
    ],
  } as unknown as Block
}

/** A ledger of `length` blocks from genesis on, and the block that each append returned for pruning. */
function filled(length: number, history: { blocks: number; proofs: number }) {
  const ledger = new Ledger(undefined as never, undefined as never, undefined as never, history)
  let canonical = new Canonical([hash(0)])
  const pruned: (number | undefined)[] = []
  for (let number = 0; number < length; number++) {
    if (number > 0) canonical = canonical.append(hash(number))
    const state = { position: number, isRetained: true } as StateVersion
    const entry: SealedEntry = { block: blockAt(number), state, stateTrie: null }
    pruned.push(ledger.append(entry, (at) => canonical.at(at))?.position)
  }
  return { ledger, pruned }
}

describe('Ledger', () => {
  it('finds blocks and transactions within its history, and returns older ones for pruning', async () => {
    const { ledger, pruned } = filled(6, { blocks: 3, proofs: 3 })
    expect(pruned).toEqual([undefined, undefined, undefined, 1, 2, 3])
    const known = [0, 1, 2, 3, 4, 5].map((number) => ledger.get(hash(number))?.block.number)
    expect(known).toEqual([undefined, undefined, undefined, 3n, 4n, 5n])
    expect(ledger.findTransaction(hash(1005))).toBeUndefined()
    expect(ledger.findTransaction(hash(1007))).toEqual({ block: blockAt(3), index: 1 })
    const query = { topics: [[hash(1)]] }
    const logs = await ledger.logs.query(query, 0n, 5n, hash, 100, () => undefined)
    expect(logs.map((log) => [log.blockNumber, log.logIndex])).toEqual(
      [3n, 4n, 5n].flatMap((n) => [
        [n, 0],
        [n, 2],
      ]),
    )
  })

  it('drops roots before blocks', () => {
    const { ledger } = filled(6, { blocks: 100, proofs: 2 })
    const hasRoot = [0, 1, 2, 3, 4, 5].map((number) => ledger.get(hash(number))!.stateTrie !== undefined)
    expect(hasRoot).toEqual([false, false, false, false, true, true])
  })

  it('always keeps the newest block with its root', () => {
    const { ledger } = filled(3, { blocks: 1, proofs: 0 })
    expect([0, 1, 2].map((number) => ledger.get(hash(number)) !== undefined)).toEqual([false, false, true])
    expect(ledger.get(hash(2))!.stateTrie).toBe(null)
    const rootless = filled(4, { blocks: 100, proofs: 0 }).ledger
    const hasRoot = [0, 1, 2, 3].map((number) => rootless.get(hash(number))!.stateTrie !== undefined)
    expect(hasRoot).toEqual([false, false, false, true])
  })

  it('returns a block older than the history from the database, without its receipts', async () => {
    const chain = await startChain({ history: { blocks: 2 } })
    const { wallet } = viemOn(chain)
    const gas = { gas: 21_000n, gasPrice: 2_000_000_000n }
    await wallet().sendTransaction({ to: address, value: 1n, type: 'legacy', ...gas })
    const { block } = await chain.seal()
    const ask = (of: PresealChain, method: string, ...params: unknown[]) =>
      of.standard.request({ method, params })
    const before = await ask(chain, 'eth_getBlockByNumber', '0x1', true)
    for (let i = 0; i < 3; i++) await chain.seal()
    expect(await ask(chain, 'eth_getBlockByNumber', '0x1', true)).toEqual(before)
    expect(await ask(chain, 'eth_getBlockByHash', block.hash, true)).toEqual(before)
    await expect(ask(chain, 'eth_getBalance', address, '0x1')).rejects.toThrow(new StateUnavailableError())
  })

  it('decodes a block older than the history by the rules of its time, even before the merge', async () => {
    const blocks = await externalChain()
    // Without a block number of the merge, its rules follow from the difficulty.
    const { mergeNetsplitBlock: _, ...config } = GENESIS.config
    const options = resolveOptions({
      genesis: { ...GENESIS, config: config as typeof GENESIS.config },
      blocks: toBytes(blocks),
      history: { blocks: 2 },
      mining: 'manual',
      clock: createManualClock(1_000_000),
    })
    const { sequencer, close } = await openCore(options, {}, (error) => {
      throw error
    })
    onTestFinished(close)
    const { ledger } = sequencer.tip.base
    const hardforks: (string | undefined)[] = []
    for (const { hash } of blocks.slice(0, 13)) hardforks.push((await ledger.getPruned(hash))?.rules.hardfork)
    expect(hardforks).toEqual([
      'homestead',
      'tangerineWhistle',
      'spuriousDragon',
      'byzantium',
      'constantinople',
      'petersburg',
      'istanbul',
      'berlin',
      'london',
      'london',
      'london',
      'paris',
      'shanghai',
    ])
  })
})

describe('indexLogs', () => {
  it('gives every log its position in block and chain', () => {
    const place = { address, data: '0x', blockHash: hash(7), blockNumber: 7n, blockTimestamp: 14n }
    expect(indexLogs(blockAt(7))).toEqual([
      { ...place, topics: [hash(1)], transactionHash: hash(1014), transactionIndex: 0, logIndex: 0 },
      { ...place, topics: [hash(2)], transactionHash: hash(1014), transactionIndex: 0, logIndex: 1 },
      { ...place, topics: [hash(1)], transactionHash: hash(1015), transactionIndex: 1, logIndex: 2 },
    ])
  })
})
