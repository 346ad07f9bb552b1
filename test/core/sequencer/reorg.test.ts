import { describe, expect, it } from 'vitest'
import type {
  ChainOptions,
  Hash,
  Hex,
  PreconfBlock,
  PresealRpcLog,
  Retraction,
  SealedBlock,
} from '../../../src/index.ts'
import { startChain, type TestChain } from '../../harness.ts'
import { ask } from '../../rpc/scene.ts'
import { dump, hashesOf, LOGGING, RECIPIENT, send, sign } from './support.ts'

/** Seals three blocks with a transaction each, and pre-confirms a fourth. */
async function threeBlocks() {
  const chain = await startChain()
  const hashes = []
  const blocks = []
  for (const nonce of [0, 1, 2]) {
    hashes.push(await send(chain, { nonce, ...LOGGING }))
    blocks.push(await chain.seal())
  }
  hashes.push(await send(chain, { nonce: 3, ...LOGGING }))
  await chain.tick()
  return { chain, hashes, blocks }
}

/** Records the events, each reduced to the fields under test. */
function record(chain: TestChain): unknown[] {
  const events: unknown[] = []
  chain.on('retracted', ({ reason, blocks, transactions }: Retraction) =>
    events.push({ reason, blocks, transactions }),
  )
  chain.on('block', (block: SealedBlock) => events.push({ block: hashesOf(block) }))
  chain.on('dropped', ({ hash, reason }) => events.push({ dropped: hash, reason }))
  return events
}

describe('reorg', () => {
  it('replaces the last blocks, and lets their transactions wait again', async () => {
    const { chain, hashes, blocks } = await threeBlocks()
    const events = record(chain)
    const head = await chain.reorg({ depth: 2 })
    expect([Number(head.block.number), hashesOf(head)]).toEqual([3, []])
    expect(head.block.hash).not.toBe(blocks[2]!.block.hash)
    expect(events).toEqual([
      {
        reason: 'reorg',
        blocks: [blocks[2]!.block.hash, blocks[1]!.block.hash],
        transactions: hashes.slice(1),
      },
      { block: [] },
      { block: [] },
    ])
    expect(await ask(chain.standard, 'eth_getBlockByHash', [blocks[1]!.block.hash, false])).toBeNull()
    expect(await ask(chain.standard, 'txpool_status')).toEqual({ pending: '0x3', queued: '0x0' })
    expect(hashesOf(await chain.seal())).toEqual(hashes.slice(1))
  })

  it('reports a waiting transaction that a requeued one replaces', async () => {
    const chain = await startChain()
    const dear = await send(chain, { nonce: 0, cap: 2n * 10n ** 11n, tip: 2n })
    await chain.seal()
    await ask(chain.standard, 'anvil_setNonce', [chain.accounts[0]!.address, '0x0'])
    const cheap = await send(chain, { nonce: 0, value: 2n })
    const events = record(chain)
    await ask(chain.standard, 'anvil_rollback', [1])
    expect(events.slice(1)).toEqual([{ dropped: cheap, reason: 'replaced' }])
    expect(hashesOf(await chain.seal())).toEqual([dear])
  })

  it('gives other hashes even for the same transactions at the same time', async () => {
    const chain = await startChain()
    const raw = await sign(chain, { nonce: 0 })
    await ask(chain.standard, 'eth_sendRawTransaction', [raw])
    const first = await chain.seal()
    const second = await chain.reorg({ depth: 1, replace: [[raw]] })
    expect(hashesOf(second)).toEqual(hashesOf(first))
    expect(second.block.hash).not.toBe(first.block.hash)
    expect(second.block.timestamp).toBe(first.block.timestamp)
  })

  it('includes only the given transactions in the new blocks, without those that cannot be included', async () => {
    const { chain, hashes } = await threeBlocks()
    const events = record(chain)
    const other = await sign(chain, { nonce: 1, value: 9n })
    const gap = await sign(chain, { from: 1, nonce: 5 })
    await chain.reorg({ depth: 2, replace: [[], [other, gap]] })
    const [, ...after] = events as [unknown, ...object[]]
    const included = (after.at(-1) as { block: string[] }).block
    expect(included).toHaveLength(1)
    expect(after).toEqual([
      { block: [] },
      // `other` uses its nonce.
      { dropped: hashes[1], reason: 'nonce' },
      { block: included },
    ])
    expect(await ask(chain.standard, 'eth_getBalance', [RECIPIENT, 'latest'])).toBe('0x9')
    expect(hashesOf(await chain.seal())).toEqual(hashes.slice(2))
  })

  it('is rejected beyond genesis and for undecodable transactions, and changes nothing', async () => {
    const { chain } = await threeBlocks()
    const before = await dump(chain)
    await expect(chain.reorg({ depth: 4 })).rejects.toMatchObject({
      code: -32602,
      message:
        'invalid argument depth: expected an integer >= 1 and at most 3, the number of blocks after genesis',
    })
    await expect(chain.reorg({ depth: 1, replace: [['0x00']] })).rejects.toMatchObject({ code: -32000 })
    await expect(chain.reorg({ depth: 1, replace: [[], []] })).rejects.toMatchObject({
      message: 'invalid argument replace: expected at most 1 blocks',
    })
    await expect(chain.reorg({ depth: 0 })).rejects.toThrow('invalid option depth')
    await expect(chain.reorg({ depth: 1, replace: ['0x'] as never })).rejects.toThrow(
      'invalid option replace',
    )
    expect(await dump(chain)).toEqual(before)
  })

  it('invalidates snapshots of what it replaces', async () => {
    const { chain } = await threeBlocks()
    const id = await chain.snapshot()
    await chain.reorg({ depth: 1 })
    const before = await dump(chain)
    await expect(chain.revert(id)).rejects.toMatchObject({ message: 'state not available' })
    expect(await dump(chain)).toEqual(before)
  })

  it('makes a filter deliver logs older than itself that are included again, and their removal', async () => {
    const chain = await startChain()
    const hash = await send(chain, { nonce: 0, ...LOGGING })
    await chain.seal()
    const filters = [
      await ask(chain.standard, 'eth_newFilter', [{}]),
      await ask(chain.preconf, 'eth_newFilter', [{ toBlock: 'pending' }]),
    ]
    const changes = async () => {
      const found: unknown[] = []
      for (const [i, provider] of [chain.standard, chain.preconf].entries()) {
        const logs = (await ask(provider, 'eth_getFilterChanges', [filters[i]])) as PresealRpcLog[]
        found.push(logs.map(({ transactionHash, removed }) => ({ transactionHash, removed })))
      }
      return found
    }
    await ask(chain.standard, 'anvil_rollback')
    expect(await changes()).toEqual([[], []])
    await chain.seal()
    expect(await changes()).toEqual(Array(2).fill([{ transactionHash: hash, removed: false }]))
    await ask(chain.standard, 'anvil_rollback')
    expect(await changes()).toEqual(Array(2).fill([{ transactionHash: hash, removed: true }]))
  })

  it('is available by the names of anvil, like a rollback', async () => {
    const { chain, hashes } = await threeBlocks()
    const raw = await sign(chain, { from: 1, nonce: 0 })
    const request = (method: string, ...params: unknown[]) => ask(chain.standard, method, params)
    expect(await request('anvil_reorg', { depth: 2, tx_block_pairs: [[raw, 1]] })).toBeNull()
    expect(await request('eth_getBlockTransactionCountByNumber', '0x3')).toBe('0x1')
    expect(await request('anvil_reorg', 1, [[raw, '0x0']])).toBeNull()
    expect(await request('eth_getBlockTransactionCountByNumber', '0x3')).toBe('0x1')
    expect(await request('anvil_reorg', 1, [[raw, 1]])).toBe(
      'error -32602 invalid argument 0: expected block indexes below 1',
    )
    expect(await request('anvil_rollback', 2)).toBeNull()
    expect(await request('eth_blockNumber')).toBe('0x1')
    expect(await request('anvil_rollback')).toBeNull()
    expect(await request('eth_blockNumber')).toBe('0x0')
    expect(await request('anvil_rollback')).toBe(
      'error -32602 invalid argument depth: expected an integer >= 1 and at most 0, the number of blocks after genesis',
    )
    expect(hashesOf(await chain.seal())).toEqual(expect.arrayContaining(hashes))
  })
})

describe('retract', () => {
  async function twoTicks() {
    const chain = await startChain()
    const first = await send(chain, { nonce: 0, ...LOGGING })
    const early = await chain.tick()
    const second = await send(chain, { nonce: 1, ...LOGGING })
    const other = await send(chain, { from: 1, nonce: 0, ...LOGGING })
    await chain.tick()
    return { chain, first, second, other, early }
  }

  it('withdraws transactions, each with what cannot be included without it', async () => {
    const { chain, first, second, other } = await twoTicks()
    const events = record(chain)
    chain.on('preconf', (preconfBlock: PreconfBlock) => events.push({ preconf: hashesOf(preconfBlock) }))
    await chain.retract({ transactions: [first] })
    expect(events).toEqual([
      { reason: 'retract', blocks: [], transactions: [first, second] },
      { preconf: [other] },
    ])
    expect(await ask(chain.preconf, 'eth_getTransactionReceipt', [first])).toBeNull()
    expect(hashesOf(await chain.seal())).toEqual([other, first, second])
  })

  it('does not report a transaction that an earlier block includes too', async () => {
    const chain = await startChain()
    await send(chain, { nonce: 0 })
    await chain.seal()
    await ask(chain.standard, 'anvil_setNonce', [chain.accounts[0]!.address, '0x0'])
    await send(chain, { nonce: 0 })
    const other = await send(chain, { from: 1, nonce: 0 })
    await chain.tick()
    const events = record(chain)
    await chain.retract({ preconfBlocks: 1 })
    expect(events).toEqual([{ reason: 'retract', blocks: [], transactions: [other] }])
  })

  it('withdraws the last preconf blocks', async () => {
    const { chain, first, second, other } = await twoTicks()
    await chain.retract({ preconfBlocks: 1 })
    const pending = (await ask(chain.preconf, 'eth_getBlockByNumber', ['pending', false])) as {
      transactions: string[]
    }
    expect(pending.transactions).toEqual([first])
    await ask(chain.preconf, 'anvil_dropTransaction', [second])
    expect(hashesOf(await chain.seal())).toEqual([first, other])
  })

  it('is rejected for what is not pre-confirmed, and changes nothing', async () => {
    const { chain } = await twoTicks()
    const before = await dump(chain)
    const unknown = `0x${'12'.repeat(32)}` as const
    await expect(chain.retract({ transactions: [unknown] })).rejects.toMatchObject({
      code: -32000,
      message: `transaction ${unknown} is not pre-confirmed; if it is sealed, chain.reorg withdraws it`,
    })
    await expect(chain.retract({ preconfBlocks: 9 })).rejects.toMatchObject({ code: -32602 })
    await expect(chain.retract({ preconfBlocks: 0 })).rejects.toThrow('invalid option preconfBlocks')
    await expect(chain.retract({ transactions: 'x' } as never)).rejects.toThrow('invalid option transactions')
    for (const request of [undefined, {}, { blocks: 1 }] as never[]) {
      await expect(chain.retract(request)).rejects.toThrow(
        'invalid option request: expected an object with transactions or preconfBlocks',
      )
    }
    expect(await dump(chain)).toEqual(before)
  })
})

describe('a transaction that was sealed twice, after a cheat reset its nonce', () => {
  async function sealedTwice(options: ChainOptions = {}) {
    const chain = await startChain(options)
    const raw = await sign(chain, { nonce: 0 })
    const hashes: Hash[] = []
    for (let i = 0; i < 2; i++) {
      await ask(chain.standard, 'anvil_setNonce', [chain.accounts[0]!.address, '0x0'])
      await ask(chain.standard, 'eth_sendRawTransaction', [raw])
      const { block } = await chain.seal()
      hashes.push(block.transactions[0]!.hash)
    }
    const [hash] = hashes
    const found = async () =>
      Promise.all(
        [chain.standard, chain.preconf].flatMap((provider) => [
          ask(provider, 'eth_getTransactionReceipt', [hash]),
          ask(provider, 'eth_getTransactionByHash', [hash]),
          ask(provider, 'eth_getTransactionBySenderAndNonce', [chain.accounts[0]!.address, '0x0']),
        ]),
      ).then((answers) => answers.map((answer) => (answer as { blockNumber: Hex } | null)?.blockNumber))
    return { chain, hash, found }
  }
  const everywhere = (number: Hex) => Array(6).fill(number)

  it('is found in the newest canonical block with it', async () => {
    const { chain, hash, found } = await sealedTwice()
    expect(await found()).toEqual(everywhere('0x2'))
    await ask(chain.standard, 'anvil_rollback', [1])
    await ask(chain.standard, 'anvil_dropTransaction', [hash])
    expect(await found()).toEqual(everywhere('0x1'))
    await ask(chain.standard, 'anvil_rollback', [1])
    await ask(chain.standard, 'anvil_dropTransaction', [hash])
    expect(await found()).toEqual(Array(6).fill(undefined))
  })

  it('is found in the newer block once the older one has left the history', async () => {
    const { chain, found } = await sealedTwice({ history: { blocks: 2 } })
    await chain.seal()
    expect(await found()).toEqual(everywhere('0x2'))
    await chain.seal()
    expect(await found()).toEqual(Array(6).fill(undefined))
  })
})
