import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Hash, Hex, OtterscanTransactions, Provider } from '../../../src/index.ts'
import { startForkScene } from '../../core/fork/forkScene.ts'
import { runs } from '../../full.ts'
import { startChain } from '../../harness.ts'
import { ask, send, startScene, tokenCall } from '../scene.ts'

type Direction = 'Before' | 'After'

async function page(
  provider: Provider,
  direction: Direction,
  address: Hex,
  block: number,
  size: number,
): Promise<OtterscanTransactions> {
  const method = `ots_searchTransactions${direction}` as const
  const found = await provider.request({ method, params: [address, block, size] })
  expect(found.receipts.map(({ transactionHash }) => transactionHash)).toEqual(
    found.txs.map(({ hash }) => hash),
  )
  return found
}

/** All pages, in the order of the search. */
async function all(provider: Provider, direction: Direction, address: Hex, size: number): Promise<Hash[]> {
  const hashes: Hash[] = []
  let block = 0
  for (;;) {
    const { txs, firstPage, lastPage } = await page(provider, direction, address, block, size)
    const [isStart, isEnd] = direction === 'Before' ? [firstPage, lastPage] : [lastPage, firstPage]
    expect(isStart).toBe(block === 0)
    const found = txs.map(({ hash }) => hash)
    hashes.push(...(direction === 'Before' ? found : found.reverse()))
    if (isEnd) return hashes
    expect(txs.length).toBeGreaterThanOrEqual(size)
    block = Number(txs.at(direction === 'Before' ? -1 : 0)!.blockNumber)
  }
}

const CALLER: Hex = `0x${'ca'.repeat(20)}`
const CALLED: Hex = `0x${'cb'.repeat(20)}`

describe('ots_searchTransactionsBefore', () => {
  it('find what an address sent, received, created and was called by', async () => {
    const { chain, accounts, token, first, second, preconfBlock } = await startScene()
    const hashes = async (provider: Provider, address: Hex) =>
      (await page(provider, 'Before', address, 0, 25)).txs.map(({ hash }) => hash)
    const newestFirst = [...first.block.transactions, ...second.block.transactions].reverse()
    const sent = newestFirst.filter(({ from }) => from === accounts[0]).map(({ hash }) => hash)
    expect(await hashes(chain.standard, accounts[0]!)).toEqual(sent)
    const own = preconfBlock.block.transactions
      .filter(({ from }) => from === accounts[0])
      .map(({ hash }) => hash)
    expect(await hashes(chain.preconf, accounts[0]!)).toEqual([...own.reverse(), ...sent])
    const creation = first.receipts.find(({ contractAddress }) => contractAddress === token)!.transactionHash
    expect(await hashes(chain.standard, token)).toEqual([second.block.transactions[0]!.hash, creation])
    expect(await hashes(chain.standard, CALLED)).toEqual([])
  })

  it('find calls between contracts, also in frames that failed', async () => {
    const chain = await startChain()
    await chain.setCode(CALLED, '0x5f5ffd')
    await chain.setCode(CALLER, `0x5f5f5f5f5f73${CALLED.slice(2)}5af100`)
    const calling = await send(chain, 0, { nonce: 0, to: CALLER })
    await send(chain, 0, { nonce: 1, to: chain.accounts[1]!.address, value: 1n })
    const { block } = await chain.seal()
    const receipt = await chain.standard.request({ method: 'eth_getTransactionReceipt', params: [calling] })
    for (const direction of ['Before', 'After'] as const) {
      expect(await page(chain.standard, direction, CALLED, 0, 25)).toEqual({
        txs: [await ask(chain.standard, 'eth_getTransactionByHash', [calling])],
        receipts: [{ ...receipt, timestamp: Number(block.timestamp) }],
        firstPage: true,
        lastPage: true,
      })
    }
  })

  it('page through the same transactions in both directions, whatever the size of a page', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 0, max: 4 }), { minLength: 1, maxLength: 8 }),
        fc.integer({ min: 1, max: 6 }),
        async (counts, size) => {
          const chain = await startChain()
          const [from, to] = [chain.accounts[0]!.address, chain.accounts[1]!.address]
          const sent: Hash[] = []
          for (const count of counts) {
            for (let i = 0; i < count; i++) sent.push(await send(chain, 0, { nonce: sent.length, to }))
            await chain.seal()
          }
          expect(await all(chain.standard, 'After', from, size)).toEqual(sent)
          expect(await all(chain.standard, 'Before', to, size)).toEqual([...sent].reverse())
          await chain.finish()
        },
      ),
      runs(4, 60),
    )
  })

  it('refuse a page without a size, or of more than 1,000 transactions', async () => {
    const chain = await startChain()
    for (const size of [0, 1001, -1, null]) {
      for (const direction of ['Before', 'After']) {
        const answer = await ask(chain.standard, `ots_searchTransactions${direction}`, [CALLED, 0, size])
        expect(answer).toBe('error -32602 invalid argument 2: expected an integer from 1 to 1000')
      }
    }
  })

  it('find what is within the history', async () => {
    const chain = await startChain({ history: { blocks: 3 } })
    const [from, to] = [chain.accounts[0]!.address, chain.accounts[1]!.address]
    const sent: Hash[] = []
    for (let i = 0; i < 6; i++) {
      sent.push(await send(chain, 0, { nonce: i, to }))
      await chain.seal()
    }
    expect(await all(chain.standard, 'Before', from, 1)).toEqual(sent.slice(-3).reverse())
    expect(await all(chain.standard, 'After', to, 2)).toEqual(sent.slice(-3))
  })

  it('find what happened since a fork', async () => {
    const { remote, fork } = await startForkScene()
    const { accounts, token } = remote
    expect(await page(fork.standard, 'Before', token, 0, 25)).toEqual({
      txs: [],
      receipts: [],
      firstPage: true,
      lastPage: true,
    })
    await fork.impersonateAccount(accounts[0]!)
    const call = { from: accounts[0]!, to: token, data: tokenCall('transfer', [accounts[1], 1n]) }
    const hash = await fork.standard.request({ method: 'eth_sendTransaction', params: [call] })
    await fork.mine()
    const { txs } = await page(fork.standard, 'After', token, 0, 25)
    expect(txs.map((tx) => tx.hash)).toEqual([hash])
  })
})
