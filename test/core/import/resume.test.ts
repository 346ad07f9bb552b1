import { MemoryLevel } from 'memory-level'
import type { Hex } from 'viem'
import { describe, expect, it } from 'vitest'
import { toGethGenesis } from '../../../src/core/open/genesis.ts'
import { resolveOptions } from '../../../src/core/options.ts'
import {
  type ChainOptions,
  createManualClock,
  GenesisMismatchError,
  type PresealChain,
} from '../../../src/index.ts'
import { Delegate, Token } from '../../contracts/artifacts.ts'
import { startChain, type TestChain, viemOn } from '../../harness.ts'
import { withFailingWrites } from '../ledger/failingDatabase.ts'

type Level = MemoryLevel<never, never>

/** An in-memory database of the caller. */
const memory = (): Level => new MemoryLevel({ storeEncoding: 'view' })

/** Opens a chain on a database that may already contain one. */
async function reopen(database: Level, options: ChainOptions = {}): Promise<PresealChain> {
  // Another instance, as another process has: the chain before may not have closed its own.
  const other = withFailingWrites(database as never, () => false) as never
  return startChain({ clock: createManualClock(1_800_000_000_000), database: other, ...options })
}

/** Seals a block with a transaction of every type, with logs and a revert, and two empty ones. */
async function fill(chain: TestChain): Promise<void> {
  const { wallet } = viemOn(chain)
  const [first, second] = [wallet(0), wallet(1)]
  const to = chain.accounts[2]!.address
  const gasPrice = 2_000_000_000n
  const token = '0x5fbdb2315678afecb367f032d93f642f64180aa3'
  await first.deployContract({ ...Token, gas: 2_000_000n, nonce: 0, gasPrice })
  await first.sendTransaction({ to, value: 1n, type: 'legacy', gas: 21_000n, nonce: 1, gasPrice })
  await chain.seal()
  await chain.seal()
  const accessList = [{ address: to, storageKeys: [`0x${'00'.repeat(32)}` as Hex] }]
  await first.sendTransaction({ to, value: 2n, accessList, gas: 30_000n, nonce: 2, gasPrice })
  await first.writeContract({
    ...Token,
    address: token,
    functionName: 'transfer',
    args: [to, 5n],
    gas: 100_000n,
    nonce: 3,
    maxFeePerGas: gasPrice,
    maxPriorityFeePerGas: 1n,
  })
  await second.writeContract({
    ...Token,
    address: token,
    functionName: 'transfer',
    args: [to, 5n],
    gas: 100_000n,
    nonce: 0,
    gasPrice,
  })
  await second.deployContract({ ...Delegate, gas: 2_000_000n, nonce: 1, gasPrice } as never)
  const authorization = await second.signAuthorization({
    contractAddress: token,
    nonce: 0,
    executor: first.account,
  })
  await first.sendTransaction({
    to,
    authorizationList: [{ ...authorization }],
    gas: 100_000n,
    nonce: 4,
    maxFeePerGas: gasPrice,
    maxPriorityFeePerGas: 1n,
  })
  await chain.seal()
  await chain.seal()
}

/** Everything that the standard view shows of a chain. */
async function observe(chain: PresealChain): Promise<unknown> {
  const ask = (method: string, ...params: unknown[]) => chain.standard.request({ method, params })
  const head = Number(await ask('eth_blockNumber'))
  const blocks: unknown[] = []
  for (let number = 0; number <= head; number++) {
    const at = `0x${number.toString(16)}`
    const block = (await ask('eth_getBlockByNumber', at, true)) as { transactions: { hash: string }[] }
    const accounts = [
      ...chain.accounts.slice(0, 3).map(({ address }) => address),
      `0x5fbdb2315678afecb367f032d93f642f64180aa3`,
    ]
    blocks.push({
      block,
      receipts: await ask('eth_getBlockReceipts', at),
      transactions: await Promise.all(
        block.transactions.map(({ hash }) => ask('eth_getTransactionByHash', hash)),
      ),
      accounts: await Promise.all(
        accounts.map(async (address) => [
          await ask('eth_getBalance', address, at),
          await ask('eth_getTransactionCount', address, at),
          await ask('eth_getCode', address, at),
          await ask('eth_getStorageAt', address, '0x0', at),
        ]),
      ),
    })
  }
  return { blocks, logs: await ask('eth_getLogs', { fromBlock: 'earliest', toBlock: 'latest' }) }
}

describe('a database with a chain', () => {
  it.each(['view', 'buffer'] as const)('is resumed at its head: %s', async (storeEncoding) => {
    const database: Level = new MemoryLevel({ storeEncoding })
    const chain = await startChain({ database })
    await fill(chain)
    const before = await observe(chain)
    await chain.close()
    expect(database.status).toBe('open')

    const again = await reopen(database)
    expect(await observe(again)).toEqual(before)
    const { block } = await again.seal()
    expect(block.number).toBe('0x5')
    const after = await observe(again)
    await again.close()
    expect(await observe(await reopen(database))).toEqual(after)
  })

  it('is resumed after the process died without closing it', async () => {
    const database = memory()
    const chain = await startChain({ database })
    await fill(chain)
    expect(await observe(await reopen(database))).toEqual(await observe(chain))
  })

  it('is resumed at the block before if the process died while it was writing a block', async () => {
    const database = memory()
    let isFull = false
    const chain = await startChain({ database: withFailingWrites(database as never, () => isFull) as never })
    await fill(chain)
    const before = await observe(chain)
    isFull = true
    await expect(chain.seal()).rejects.toMatchObject({
      code: -32000,
      message: 'the database cannot be written: disk full',
    })
    expect(await observe(chain)).toEqual(before)

    const again = await reopen(database)
    expect(await observe(again)).toEqual(before)
    const { block } = await again.seal()
    const after = await observe(again)
    expect(block.number).toBe('0x5')
    expect(await observe(await reopen(database))).toEqual(after)
  })

  it('keeps its genesis and its blocks under a later clock and other options for new blocks', async () => {
    const database = memory()
    const coinbase = `0x${'c0'.repeat(20)}` as const
    const chain = await startChain({ database, coinbase, extraData: '0x0102' })
    await fill(chain)
    const before = await observe(chain)
    const again = await reopen(database, { extraData: '0xff' })
    expect(await observe(again)).toEqual(before)
    const { block } = await again.seal()
    expect([block.extraData, block.miner]).toEqual(['0xff', `0x${'00'.repeat(20)}`])
  })

  it('keeps the fixed base fee and the equal timestamps of its blocks', async () => {
    const database = memory()
    const chain = await startChain({ database, fixedBaseFee: 7n, allowBlocksWithSameTimestamp: true })
    await fill(chain)
    const before = await observe(chain)
    expect(await observe(await reopen(database, { fixedBaseFee: 7n }))).toEqual(before)
  })

  it('is resumed with the history of the options', async () => {
    const database = memory()
    const chain = await startChain({ database })
    await fill(chain)
    const again = await reopen(database, { history: { blocks: 2, proofs: 1 } })
    const { address } = again.accounts[0]!
    const balance = (at: string) =>
      again.standard.request({ method: 'eth_getBalance', params: [address, at] })
    await expect(balance('0x2')).rejects.toMatchObject({ code: -32000, message: 'state not available' })
    expect(await balance('0x3')).toBe(
      await chain.standard.request({ method: 'eth_getBalance', params: [address, '0x3'] }),
    )
  })

  it('is rejected if it has another genesis block', async () => {
    const database = memory()
    const chain = await startChain({ database, chainId: 1337 })
    const hashOf = async (of: PresealChain) =>
      (
        (await of.standard.request({ method: 'eth_getBlockByNumber', params: ['0x0', false] })) as {
          hash: Hex
        }
      ).hash
    const options = { accounts: { count: 1 } }
    const { timestamp } = (await chain.standard.request({
      method: 'eth_getBlockByNumber',
      params: ['0x0', false],
    })) as { timestamp: string }
    const expected = await hashOf(
      await startChain({ ...options, clock: createManualClock(Number(timestamp) * 1000) }),
    )
    // Made first: a promise that is rejected before it is looked at counts as unhandled.
    const mismatch = new GenesisMismatchError(await hashOf(chain), expected as Hex)
    await expect(reopen(database, options)).rejects.toThrow(mismatch)
    expect(new GenesisMismatchError('0x01', '0x02').message).toBe(
      'the database holds a different chain: its genesis is 0x01, expected 0x02',
    )
    expect(database.status).toBe('open')
  })

  it('is resumed with a given genesis, with its own accounts', async () => {
    const resolved = resolveOptions({ hardfork: 'cancun', chainId: 7 })
    const genesis = toGethGenesis(
      resolved,
      [{ address: `0x${'aa'.repeat(20)}`, privateKey: '0x' }],
      1_600_000_000n,
    )
    const database = memory()
    const chain = await startChain({ database, genesis })
    await chain.seal()
    const before = await observe(chain)
    expect(await observe(await reopen(database, { genesis }))).toEqual(before)
  })
})
