import { describe, expect, it } from 'vitest'
import type { Hash, Hex, OtterscanTrace, PresealRpcBlock } from '../../../src/index.ts'
import { startChain, type TestChain } from '../../harness.ts'
import { ask, askAll, positions, probeCall, send, startScene, tokenCall, UNKNOWN } from '../scene.ts'

const FACTORY: Hex = `0x${'fa'.repeat(20)}`
const RECEIVER: Hex = `0x${'bb'.repeat(20)}`
/** The init code of a contract whose code is STOP. */
const INIT = '600060005360016000f3'
/** Sends 1 wei to RECEIVER, creates a contract, creates one with CREATE2, copies with a precompile, destroys itself. */
const FACTORY_CODE = [
  `5f5f5f5f600173${RECEIVER.slice(2)}5af150`,
  `69${INIT}5f52600a60165ff050`,
  '5f5f5f5ff550',
  '5f5f5f5f5f60045af150',
  '33ff',
].join('')

/** A chain with a block that has one transaction, to the factory. */
async function startFactory(): Promise<{ chain: TestChain; hash: Hash; sender: Hex }> {
  const chain = await startChain()
  await chain.setCode(FACTORY, `0x${FACTORY_CODE}`)
  await chain.setBalance(FACTORY, 9n)
  const hash = await send(chain, 0, { nonce: 0, to: FACTORY, data: '0x1234567890', gas: 1_000_000n })
  await chain.seal()
  return { chain, hash, sender: chain.accounts[0]!.address }
}

describe('ots_getApiLevel', () => {
  it('is the level that Otterscan requires', async () => {
    const chain = await startChain()
    expect(await ask(chain.standard, 'ots_getApiLevel')).toBe(8)
    expect(await ask(chain.preconf, 'ots_getApiLevel', [])).toBe(8)
  })
})

describe('erigon_getHeaderByNumber', () => {
  it('returns the header of a block by number, JSON numbers included, or tag', async () => {
    const { chain } = await startScene()
    for (const provider of [chain.standard, chain.preconf]) {
      for (const block of ['latest', '0x1', 'pending', 'earliest']) {
        const full = (await ask(provider, 'eth_getBlockByNumber', [block, false])) as PresealRpcBlock
        const { transactions, uncles, size, withdrawals, totalDifficulty, ...header } = full
        expect(await ask(provider, 'erigon_getHeaderByNumber', [block])).toEqual(header)
      }
      expect(await ask(provider, 'erigon_getHeaderByNumber', [1])).toMatchObject({ number: '0x1' })
      expect(await ask(provider, 'erigon_getHeaderByNumber', ['0x9'])).toBeNull()
      expect(await ask(provider, 'erigon_getHeaderByNumber', [-1])).toMatch(/^error -32602 /)
    }
  })
})

describe('ots_hasCode', () => {
  it('tells whether an account has code after a block', async () => {
    const { chain, token, accounts } = await startScene()
    const has = (account: Hex, block?: string) => ask(chain.standard, 'ots_hasCode', [account, block])
    expect(await has(token)).toBe(true)
    expect(await has(token, 'latest')).toBe(true)
    expect(await has(token, '0x0')).toBe(false)
    expect(await has(accounts[0]!, 'latest')).toBe(false)
    expect(await has(token, '0x9')).toBe('error -32000 header not found')
  })
})

describe('ots_getInternalOperations', () => {
  it('returns transfers, creations and SELFDESTRUCTs below the outermost frame', async () => {
    const { chain, hash, sender } = await startFactory()
    const created = (
      (await ask(chain.standard, 'ots_traceTransaction', [hash])) as readonly OtterscanTrace[]
    ).filter(({ type }) => type.startsWith('CREATE'))
    expect(await ask(chain.standard, 'ots_getInternalOperations', [hash])).toEqual([
      { type: 0, from: FACTORY, to: RECEIVER, value: '0x1' },
      { type: 2, from: FACTORY, to: created[0]!.to, value: '0x0' },
      { type: 3, from: FACTORY, to: created[1]!.to, value: '0x0' },
      { type: 1, from: FACTORY, to: sender, value: '0x8' },
    ])
  })

  it('returns none of a transfer, and refuses a transaction that is in no block', async () => {
    const { chain, first, snapshot, waiting } = await startScene()
    const read = (view: 'standard' | 'preconf', hash: unknown) =>
      ask(chain[view], 'ots_getInternalOperations', [hash])
    expect(await read('standard', first.block.transactions[0]!.hash)).toEqual([])
    expect(await read('preconf', snapshot.block.transactions[0]!.hash)).toEqual([])
    for (const hash of [UNKNOWN, waiting, snapshot.block.transactions[0]!.hash]) {
      expect(await read('standard', hash)).toBe('error -32000 transaction not found')
    }
  })
})

describe('ots_traceTransaction', () => {
  it('returns the frames with their depth, without precompiles', async () => {
    const { chain, hash, sender } = await startFactory()
    const traces = (await ask(chain.standard, 'ots_traceTransaction', [hash])) as readonly OtterscanTrace[]
    const common = { depth: 1, from: FACTORY, input: '0x', output: '0x' }
    expect(traces).toEqual([
      {
        type: 'CALL',
        depth: 0,
        from: sender,
        to: FACTORY,
        value: '0x0',
        input: '0x1234567890',
        output: '0x',
      },
      { type: 'CALL', ...common, to: RECEIVER, value: '0x1' },
      { type: 'CREATE', ...common, to: expect.any(String), value: '0x0', input: `0x${INIT}`, output: '0x00' },
      { type: 'CREATE2', ...common, to: expect.any(String), value: '0x0' },
      { type: 'SELFDESTRUCT', ...common, to: sender, value: '0x8' },
    ])
    expect(await ask(chain.standard, 'ots_hasCode', [traces[2]!.to])).toBe(true)
  })
})

describe('ots_getTransactionError', () => {
  it('returns the revert data, and 0x for a transaction that did not revert', async () => {
    const { chain, probe, first } = await startScene()
    const reverting = await send(chain, 5, { nonce: 0, to: probe, data: probeCall('fail') })
    const failing = await send(chain, 6, {
      nonce: 0,
      to: probe,
      data: probeCall('set', [1n, 1n]),
      gas: 22_000n,
    })
    await chain.seal()
    const data = await ask(chain.standard, 'debug_traceTransaction', [reverting, { tracer: 'callTracer' }])
    const error = (hash: Hash) => ask(chain.standard, 'ots_getTransactionError', [hash])
    expect(await error(reverting)).toBe((data as { output: Hex }).output)
    expect(await error(failing)).toBe('0x')
    expect(await error(first.block.transactions[0]!.hash)).toBe('0x')
    expect(await error(UNKNOWN)).toBe('error -32000 transaction not found')
  })
})

describe('ots_getBlockDetails and ots_getBlockDetailsByHash', () => {
  it('return a block without transactions and bloom, with its fees', async () => {
    const { chain, second } = await startScene()
    const { transactions, logsBloom, ...block } = second.block
    const [receipt] = second.receipts
    const fees = BigInt(receipt!.gasUsed) * BigInt(receipt!.effectiveGasPrice)
    const details = {
      block: { ...block, transactionCount: 1, logsBloom: null },
      issuance: { blockReward: '0x0', uncleReward: '0x0', issuance: '0x0' },
      totalFees: `0x${fees.toString(16)}`,
    }
    for (const provider of [chain.standard, chain.preconf]) {
      expect(await ask(provider, 'ots_getBlockDetails', ['0x2'])).toEqual(details)
      expect(await ask(provider, 'ots_getBlockDetails', [2])).toEqual(details)
      expect(await ask(provider, 'ots_getBlockDetailsByHash', [second.block.hash])).toEqual(details)
      expect(await ask(provider, 'ots_getBlockDetailsByHash', [UNKNOWN])).toBeNull()
    }
  })

  it('return the block under construction on preconf only', async () => {
    const { chain } = await startScene()
    const all = await askAll(
      chain,
      'ots_getBlockDetails',
      positions((block) => [block]),
    )
    const counts = JSON.parse(JSON.stringify(all, (_key, value) => value?.block?.transactionCount ?? value))
    expect(counts).toMatchObject({
      '0x1': 'as safe',
      '0x3': 'as pending',
      '0x4': { both: null },
      pending: { standard: null, preconf: 4 },
    })
  })
})

describe('ots_getBlockTransactions', () => {
  it('returns pages from the end of the block', async () => {
    const { chain, first } = await startScene()
    const page = async (number: number, size: number) => {
      const found = await chain.standard.request({
        method: 'ots_getBlockTransactions',
        params: ['0x1', number, size],
      })
      expect(found?.receipts.map(({ transactionHash }) => transactionHash)).toEqual(
        found?.fullblock.transactions.map(({ hash }) => hash),
      )
      return found!.fullblock.transactions.map(({ transactionIndex }) => Number(transactionIndex))
    }
    expect(first.block.transactions).toHaveLength(3)
    expect([
      await page(0, 2),
      await page(1, 2),
      await page(2, 2),
      await page(0, 9),
      await page(0, 0),
    ]).toEqual([[1, 2], [0], [], [0, 1, 2], []])
  })

  it('shortens inputs and leaves out logs', async () => {
    const { chain, second, accounts } = await startScene()
    const [tx] = second.block.transactions
    const [receipt] = second.receipts
    const { transactions, ...block } = second.block
    expect(await ask(chain.standard, 'ots_getBlockTransactions', [2, 0, 25])).toEqual({
      fullblock: {
        ...block,
        transactionCount: 1,
        logsBloom: null,
        transactions: [{ ...tx, input: tokenCall('transfer', [accounts[1], 2n]).slice(0, 10) }],
      },
      receipts: [{ ...receipt, logs: null, logsBloom: null }],
    })
    expect(await ask(chain.standard, 'ots_getBlockTransactions', [9, 0, 25])).toBeNull()
    expect(await ask(chain.standard, 'ots_getBlockTransactions', [2, -1, 25])).toMatch(/^error -32602 /)
  })
})

describe('ots_getTransactionBySenderAndNonce', () => {
  it('returns the hash of a transaction in a block', async () => {
    const { chain, accounts, first, snapshot } = await startScene()
    const read = (view: 'standard' | 'preconf', nonce: unknown, sender = accounts[0]) =>
      ask(chain[view], 'ots_getTransactionBySenderAndNonce', [sender, nonce])
    const sent = first.block.transactions.find(({ from, nonce }) => from === accounts[0] && nonce === '0x1')
    expect(await read('standard', 1)).toBe(sent!.hash)
    expect(await read('standard', '0x1')).toBe(sent!.hash)
    expect(await read('preconf', 3)).toBe(snapshot.block.transactions[0]!.hash)
    // The first is hidden on standard, the second waits.
    for (const nonce of [3, 9]) expect(await read('standard', nonce)).toBeNull()
    expect(await read('preconf', 0, accounts[2])).toBeNull()
  })
})

describe('ots_getContractCreator', () => {
  it('returns the transaction and the account that created a contract', async () => {
    const { chain, token, accounts, first } = await startScene()
    await chain.tick()
    const creation = first.receipts.find(({ contractAddress }) => contractAddress === token)
    for (const provider of [chain.standard, chain.preconf]) {
      expect(await ask(provider, 'ots_getContractCreator', [token])).toEqual({
        hash: creation!.transactionHash,
        creator: accounts[0],
      })
      expect(await ask(provider, 'ots_getContractCreator', [accounts[0]])).toBeNull()
      expect(await ask(provider, 'ots_getContractCreator', [RECEIVER])).toBeNull()
    }
  })

  it('finds a contract that another contract created', async () => {
    const { chain, hash } = await startFactory()
    const traces = (await ask(chain.standard, 'ots_traceTransaction', [hash])) as readonly OtterscanTrace[]
    await chain.mine(5)
    expect(await ask(chain.standard, 'ots_getContractCreator', [traces[2]!.to])).toEqual({
      hash,
      creator: FACTORY,
    })
    // Code that no transaction created: set by a cheat, and of genesis.
    expect(await ask(chain.standard, 'ots_getContractCreator', [FACTORY])).toBeNull()
    const proxy = '0x4e59b44847b379578588920ca78fbf26c0b4956c'
    expect(await ask(chain.standard, 'ots_getContractCreator', [proxy])).toBeNull()
  })

  it('does not find one that is older than the history', async () => {
    const { chain, token } = await startScene({ history: { blocks: 3 } })
    await chain.mine(9)
    expect(await ask(chain.standard, 'ots_getContractCreator', [token])).toMatch(/^error -32000 /)
  })
})
