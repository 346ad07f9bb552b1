import { describe, expect, it } from 'vitest'
import { hexToBytes } from '../../../src/base/bytes.ts'
import type { Hash, Provider } from '../../../src/index.ts'
import { startChain } from '../../harness.ts'
import { abbreviate, ask, probeCall, send, startScene, tokenCall } from '../scene.ts'

/** Subscribes; the returned function returns the results since its last call. */
async function listen(provider: Provider, ...params: [string, unknown?]): Promise<() => unknown[]> {
  const id = await ask(provider, 'eth_subscribe', params)
  let results: unknown[] = []
  provider.on('message', ({ type, data }) => {
    if (data.subscription === id) results.push(type === 'eth_subscription' ? data.result : { type })
  })
  return () => {
    const taken = results
    results = []
    return taken
  }
}

describe('subscriptions', () => {
  it('newHeads: sends the header of each sealed block on both views, and no preconf block', async () => {
    const { chain } = await startScene()
    const takes = [await listen(chain.standard, 'newHeads'), await listen(chain.preconf, 'newHeads')]
    await chain.tick()
    expect(takes.map((take) => take())).toEqual([[], []])
    await chain.seal()
    const [standard, preconf] = takes.map((take) => take())
    expect(standard).toEqual(preconf)
    expect(abbreviate(standard)).toMatchInlineSnapshot(`
      [
        {
          "baseFeePerGas": "0x28444a2a",
          "blobGasUsed": "0x0",
          "difficulty": "0x0",
          "excessBlobGas": "0x0",
          "extraData": "0x",
          "gasLimit": "0x1c9c380",
          "gasUsed": "0x22899",
          "hash": "<subscriptions: block 3>",
          "logsBloom": "256 bytes, keccak256 0x042cc1805aa6ca5e",
          "miner": "0x0000000000000000000000000000000000000000",
          "mixHash": "<scene: block 3, randao>",
          "nonce": "0x0000000000000000",
          "number": "0x3",
          "parentBeaconBlockRoot": "0x0000000000000000000000000000000000000000000000000000000000000000",
          "parentHash": "<scene: block 2>",
          "receiptsRoot": "0x35c55eacefffaf506fe89613ceb0b2496d9ae5c89ad48c72eb941c0b26a8c795",
          "requestsHash": "0xe3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
          "sha3Uncles": "0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347",
          "stateRoot": "<subscriptions: block 3, state>",
          "timestamp": "0x6553f104",
          "transactionsRoot": "0x44b3214f01171c3508141ada94ae106e9300069b6cf4c0e4b953fad0fbc4397c",
          "withdrawalsRoot": "0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421",
        },
      ]
    `)
  })

  it('logs: sends sealed logs only, matched as by eth_getLogs (spec.md 26)', async () => {
    const { chain, probe, token, accounts } = await startScene()
    const all = [await listen(chain.standard, 'logs'), await listen(chain.preconf, 'logs', {})]
    const filtered = await listen(chain.preconf, 'logs', {
      address: token,
      topics: [null, `0x${accounts[0]!.slice(2).padStart(64, '0')}`],
    })
    const none = await listen(chain.preconf, 'logs', { topics: [null, null, null, null] })
    await send(chain, 4, { nonce: 0, to: probe, data: probeCall('emitLogs', [2n]) })
    await chain.tick()
    expect([...all, filtered].map((take) => take())).toEqual([[], [], []])
    await chain.seal()
    const logs = await chain.standard.request({ method: 'eth_getLogs', params: [{}] })
    expect(logs).toHaveLength(3)
    expect(all.map((take) => take())).toEqual([logs, logs])
    expect(filtered()).toEqual(logs.slice(0, 1))
    expect(none()).toEqual([])
  })

  it('newPendingTransactions: sends hashes or transactions that enter the mempool, on both views', async () => {
    const { chain, accounts } = await startScene()
    const hashes = await listen(chain.standard, 'newPendingTransactions')
    const whole = await listen(chain.preconf, 'newPendingTransactions', true)
    const explicit = await listen(chain.preconf, 'newPendingTransactions', false)
    const hash = await send(chain, 5, { nonce: 1, to: accounts[0]! })
    const tx = await chain.standard.request({ method: 'eth_getTransactionByHash', params: [hash] })
    expect([hashes(), explicit(), whole()]).toEqual([[hash], [hash], [tx]])
    await chain.tick()
    expect([hashes(), explicit(), whole()]).toEqual([[], [], []])
  })

  it('newPreconfTransactions: sends each pre-confirmed transaction once, in order (spec.md 8)', async () => {
    const { chain, accounts, waiting } = await startScene()
    const hashes = await listen(chain.preconf, 'newPreconfTransactions')
    const alias = await listen(chain.preconf, 'newFlashblockTransactions')
    const whole = await listen(chain.preconf, 'newPreconfTransactions', true)
    await chain.tick()
    const second = await send(chain, 5, { nonce: 0, to: accounts[0]! })
    await chain.tick()
    expect(hashes()).toEqual([waiting, second])
    expect(alias()).toEqual([waiting, second])
    expect(abbreviate(whole().slice(1))).toMatchInlineSnapshot(`
      [
        {
          "accessList": [],
          "blockHash": "<subscriptions: full transactions>",
          "blockNumber": "0x3",
          "blockTimestamp": "0x6553f104",
          "chainId": "0x7a69",
          "contractAddress": null,
          "cumulativeGasUsed": "0x27aa1",
          "effectiveGasPrice": "0x63df142a",
          "from": "0x9965507d1a55bcc2695c58ba16fb37d819b0a4dc",
          "gas": "0x186a0",
          "gasPrice": "0x63df142a",
          "gasUsed": "0x5208",
          "hash": "0x1008811a1cae1d321b6d838320633af67b3d14fec32aae1883f449bfeb742151",
          "input": "0x",
          "logs": [],
          "logsBloom": "256 zero bytes",
          "maxFeePerGas": "0x2540be400",
          "maxPriorityFeePerGas": "0x3b9aca00",
          "nonce": "0x0",
          "r": "0x974867911aaa94a12f5eb5be225b9abb6fc8e5ad43be7aad5aad3b47ef670f7e",
          "s": "0x65eb2c57071ab0309bf26ac04f5ccd342999873241307f130da13316082c6739",
          "status": "0x1",
          "to": "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266",
          "transactionIndex": "0x5",
          "type": "0x2",
          "v": "0x1",
          "value": "0x0",
          "yParity": "0x1",
        },
      ]
    `)
    await chain.tick()
    await chain.seal()
    await chain.tick()
    expect([hashes(), alias(), whole()]).toEqual([[], [], []])
  })

  it('newPreconfTransactions with stages: sends all stage changes, drops with a reason (spec.md 14a)', async () => {
    const chain = await startChain()
    const plain = await listen(chain.preconf, 'newPreconfTransactions', {})
    const stages = await listen(chain.preconf, 'newPreconfTransactions', { stages: true })
    const whole = await listen(chain.preconf, 'newFlashblockTransactions', {
      stages: true,
      transactions: true,
    })
    const to = chain.accounts[1]!.address
    const second = await send(chain, 0, { nonce: 1, to })
    const first = await send(chain, 0, { nonce: 0, to })
    expect(stages()).toEqual([
      { hash: second, stage: 'queued' },
      { hash: first, stage: 'pending' },
    ])
    await chain.tick()
    expect(stages()).toEqual([first, second])
    const id = await chain.snapshot()
    await chain.retract({ transactions: [second] })
    // The block is rebuilt with the transactions that stay.
    expect(stages()).toEqual([{ hash: second, stage: 'pending' }, first])
    const fees = { maxFeePerGas: 10n ** 11n, maxPriorityFeePerGas: 10n ** 10n }
    const other = await send(chain, 0, { nonce: 1, to, ...fees })
    expect(stages()).toEqual([
      { hash: second, stage: 'replaced', reason: 'replaced' },
      { hash: other, stage: 'pending' },
    ])
    await ask(chain.preconf, 'anvil_dropTransaction', [other])
    expect(stages()).toEqual([{ hash: other, stage: 'dropped', reason: 'removed' }])
    const last = await send(chain, 0, { nonce: 1, to, value: 2n })
    await chain.seal()
    expect(stages()).toEqual([{ hash: last, stage: 'pending' }, last])
    await chain.revert(id)
    // Later transactions are dropped; those of the snapshot are pre-confirmed again.
    expect(stages()).toEqual([{ hash: last, stage: 'dropped', reason: 'removed' }, first, second])
    const preconfirmed = [first, second, first, last, first, second]
    expect(plain()).toEqual(preconfirmed)
    const sent = whole().filter((message) => !Object.hasOwn(message as object, 'stage'))
    expect(sent.map((message) => (message as { hash: Hash }).hash)).toEqual(preconfirmed)
  })

  it('newPreconfTransactions with stages: sends one drop if a fault drops a transaction (spec.md 14a)', async () => {
    const chain = await startChain({ faults: { dropEvery: 1 } })
    const stages = await listen(chain.preconf, 'newPreconfTransactions', { stages: true })
    const hash = await send(chain, 0, { nonce: 0, to: chain.accounts[1]!.address })
    await chain.tick()
    await chain.tick()
    const message = 'dropped by the fault dropEvery'
    expect(stages()).toEqual([
      { hash, stage: 'pending' },
      hash,
      { hash, stage: 'dropped', reason: 'removed', message },
    ])
  })

  it('pendingLogs: sends the logs of each pre-confirmed transaction once (spec.md 8)', async () => {
    const { chain, probe, token, accounts } = await startScene()
    const all = await listen(chain.preconf, 'pendingLogs')
    const filtered = await listen(chain.preconf, 'pendingLogs', { address: probe })
    await chain.tick()
    expect(all()).toEqual([])
    await send(chain, 0, { nonce: 5, to: token, data: tokenCall('transfer', [accounts[1], 1n]) })
    await send(chain, 4, { nonce: 0, to: probe, data: probeCall('emitLogs', [1n]) })
    await chain.tick()
    const pending = await chain.preconf.request({
      method: 'eth_getLogs',
      params: [{ fromBlock: 'pending', toBlock: 'pending' }],
    })
    expect(all()).toEqual(pending.slice(1))
    expect(filtered()).toEqual(pending.slice(2))
    await chain.tick()
    await chain.seal()
    expect([all(), filtered()]).toEqual([[], []])
  })

  it('pendingLogs: sends the logs of an imported block after it withdraws pre-confirmed ones', async () => {
    const { chain } = await startScene()
    await chain.seal()
    const raw = await chain.standard.request({ method: 'debug_getRawBlock', params: ['latest'] })
    const takes = [await listen(chain.preconf, 'pendingLogs'), await listen(chain.standard, 'logs')]
    await ask(chain.standard, 'anvil_rollback', [1])
    await chain.tick()
    const [log] = takes.map((take) => take().at(-1))
    await chain.importBlocks(hexToBytes(raw))
    const [pending, sealed] = takes.map((take) => take())
    expect(pending).toEqual([{ ...(log as object), removed: true }, ...sealed!])
    expect(sealed).toMatchObject([{ removed: false, blockNumber: '0x3' }])
  })

  it('newPreconfBlocks: sends every preconf block; newFlashblocks: its block only (spec.md 8, 14, 20)', async () => {
    const { chain } = await startScene()
    const preconfBlocks = await listen(chain.preconf, 'newPreconfBlocks')
    const blocks = await listen(chain.preconf, 'newFlashblocks')
    const ticks = [await chain.tick(), await chain.tick()]
    expect(preconfBlocks()).toEqual(ticks)
    expect(blocks()).toEqual(ticks.map(({ block }) => block))
    expect(ticks.map(({ index, added, receipts }) => ({ index, added, receipts: receipts.length }))).toEqual([
      { index: 3, added: 4, receipts: 5 },
      { index: 4, added: 5, receipts: 5 },
    ])
    const { block } = await chain.seal()
    const [first, ...rest] = preconfBlocks() as typeof ticks
    expect(rest).toEqual([])
    expect(first).toMatchObject({
      index: 0,
      added: 0,
      receipts: [],
      block: { parentHash: block.hash, transactions: [] },
    })
    expect(blocks()).toEqual([first!.block])
  })

  it('send a sealed block before the next preconf block, both visible to reads in listeners (spec.md 20)', async () => {
    const { chain } = await startScene()
    const order: unknown[] = []
    const heads = await chain.preconf.request({ method: 'eth_subscribe', params: ['newHeads'] })
    await chain.preconf.request({ method: 'eth_subscribe', params: ['newPreconfBlocks'] })
    chain.preconf.on('message', async ({ data }) => {
      const kind = data.subscription === heads ? 'head' : 'preconf block'
      const entry = [kind, '']
      order.push(entry)
      entry[1] = await chain.preconf.request({ method: 'eth_blockNumber' })
    })
    await chain.seal()
    // The waiting transaction is published before the block it enters is sealed.
    expect(order).toEqual([
      ['preconf block', '0x2'],
      ['head', '0x3'],
      ['preconf block', '0x3'],
    ])
  })

  it('send each listener its own objects (spec.md 16)', async () => {
    const { chain } = await startScene()
    const mine = await listen(chain.preconf, 'newPreconfBlocks')
    const other = chain.provider('preconf')
    const theirs = await listen(other, 'newPreconfBlocks')
    await chain.tick()
    const [preconfBlock] = mine() as { block: { transactions: { hash: Hash }[] } }[]
    preconfBlock!.block.transactions.length = 0
    expect((theirs()[0] as typeof preconfBlock)!.block.transactions).toHaveLength(5)
    const read = await chain.preconf.request({ method: 'eth_getBlockByNumber', params: ['pending', true] })
    expect(read!.transactions).toHaveLength(5)
  })

  it('end with their connection', async () => {
    const { chain } = await startScene()
    const other = chain.provider('preconf')
    const mine = await listen(chain.preconf, 'newHeads')
    const theirs = await listen(other, 'newHeads')
    other.close()
    await chain.seal()
    expect([mine().length, theirs().length]).toEqual([1, 0])
  })

  it('isolate and report errors of listeners', async () => {
    const { chain } = await startScene()
    const errors: string[] = []
    chain.on('error', (error) => errors.push(error.message))
    await chain.preconf.request({ method: 'eth_subscribe', params: ['newHeads'] })
    chain.preconf.on('message', () => {
      throw new Error('mine')
    })
    const other = await listen(chain.preconf, 'newHeads')
    await chain.seal()
    expect(other()).toHaveLength(1)
    expect(errors).toEqual(['mine', 'mine'])
  })
})
