import { describe, expect, it } from 'vitest'
import { send as sendTransfer } from '../core/sequencer/support.ts'
import { startChain } from '../harness.ts'
import { ask, askAll, probeCall, send, startScene } from './scene.ts'

const STRANGER = `0x${'77'.repeat(20)}`

describe('requests for pruned or withdrawn blocks', () => {
  it('are refused if they need state, receipts or logs (spec.md 19)', async () => {
    const { chain, accounts, probe, first, second } = await startScene({ history: { blocks: 3, proofs: 2 } })
    for (let i = 0; i < 3; i++) {
      await chain.clock.advance(2000)
      await send(chain, 4, { nonce: i, to: probe, data: probeCall('emitLogs', [1n]) })
      await chain.seal()
    }
    // The head is block 5: state, receipts and logs reach back to block 3.
    expect(await ask(chain.standard, 'eth_blockNumber')).toBe('0x5')
    const [alice] = accounts
    const old = { blockHash: first.block.hash }
    const at = (block: unknown) => ({
      balance: ['eth_getBalance', [alice, block]],
      nonce: ['eth_getTransactionCount', [alice, block]],
      code: ['eth_getCode', [probe, block]],
      slot: ['eth_getStorageAt', [probe, '0x7', block]],
      call: ['eth_call', [{ to: probe, data: probeCall('context') }, block]],
      estimate: ['eth_estimateGas', [{ to: alice }, block]],
      receipts: ['eth_getBlockReceipts', [block]],
    })
    for (const block of ['0x0', '0x1', '0x2', 'earliest', first.block.hash, old, second.block.hash]) {
      for (const [method, params] of Object.values(at(block))) {
        expect([method, block, await ask(chain.preconf, method as string, params)]).toEqual([
          method,
          block,
          'error -32000 state not available',
        ])
      }
    }
    for (const block of ['0x3', '0x4', '0x5', 'latest', 'pending']) {
      for (const [method, params] of Object.values(at(block))) {
        expect([
          method,
          block,
          String(await ask(chain.preconf, method as string, params)).startsWith('error'),
        ]).toEqual([method, block, false])
      }
    }
    expect(
      await askAll(chain, 'eth_getLogs', {
        'by hash': [old],
        'range that begins before': [{ fromBlock: '0x1', toBlock: 'latest' }],
        'range that lies before': [{ fromBlock: '0x0', toBlock: '0x1' }],
      }),
    ).toMatchInlineSnapshot(`
      {
        "by hash": {
          "both": "error -32000 state not available",
        },
        "range that begins before": {
          "both": "error -32000 state not available",
        },
        "range that lies before": {
          "both": "error -32000 state not available",
        },
      }
    `)
  })

  it('return old blocks and their transactions unchanged, by number and by hash', async () => {
    const { chain, first } = await startScene({ history: { blocks: 3, proofs: 2 } })
    const requests: [string, unknown[]][] = [
      ['eth_getBlockByNumber', ['0x1', true]],
      ['eth_getBlockByNumber', ['0x1', false]],
      ['eth_getBlockByNumber', ['earliest', true]],
      ['eth_getBlockByHash', [first.block.hash, true]],
      ['eth_getBlockTransactionCountByNumber', ['0x1']],
      ['eth_getBlockTransactionCountByHash', [first.block.hash]],
      ['eth_getTransactionByBlockNumberAndIndex', ['0x1', '0x2']],
      ['eth_getTransactionByBlockHashAndIndex', [first.block.hash, '0x1']],
      ['eth_feeHistory', ['0x2', '0x2']],
      ['eth_feeHistory', ['0x2', '0x2', []]],
    ]
    const answers = () =>
      Promise.all(
        requests.map(async ([method, params]) => [method, await ask(chain.standard, method, params)]),
      )
    const before = await answers()
    for (let i = 0; i < 4; i++) await chain.seal()
    expect(await ask(chain.standard, 'eth_getBalance', [chain.accounts[0]!.address, '0x1'])).toBe(
      'error -32000 state not available',
    )
    expect(await answers()).toEqual(before)
  })

  it('are refused for pruned logs, also after a rollback of the head', async () => {
    const { chain, probe } = await startScene({ history: { blocks: 3, proofs: 2 } })
    await send(chain, 4, { nonce: 0, to: probe, data: probeCall('emitLogs', [1n]) })
    await chain.seal()
    for (let i = 0; i < 3; i++) await chain.seal()
    // The head was block 6, so that receipts and logs reach back to block 4.
    expect(await ask(chain.standard, 'anvil_rollback', [2])).toBeNull()
    for (const fromBlock of ['0x2', '0x3']) {
      expect(await ask(chain.standard, 'eth_getLogs', [{ fromBlock, toBlock: 'latest' }])).toBe(
        'error -32000 state not available',
      )
    }
    expect(await ask(chain.standard, 'eth_getLogs', [{ fromBlock: '0x4', toBlock: 'latest' }])).toEqual([])
  })

  it.each<[string, readonly unknown[]]>([
    ['eth_simulateV1', [{ blockStateCalls: [{}] }, '0x2']],
    ['eth_feeHistory', ['0x2', '0x2', [50]]],
    ['eth_getBlockByNumber', ['0x2', true]],
  ])('of %s succeed or fail with -32000 during a revert to a snapshot', async (method, params) => {
    const chain = await startChain()
    const id = await chain.snapshot()
    const steps = async (count: number) => {
      for (let i = 0; i < count; i++) await null
    }
    for (let offset = -3; offset <= 3; offset++) {
      await sendTransfer(chain, { nonce: 0 })
      await chain.seal()
      await chain.seal()
      const [answer] = await Promise.all([
        steps(offset).then(() => ask(chain.preconf, method, params)),
        steps(-offset).then(() => chain.revert(id)),
      ])
      expect([offset, String(answer)]).not.toEqual([offset, expect.stringMatching(/^error (?!-32000)/)])
    }
  })

  it('find nothing of a withdrawn block from its retracted event on', async () => {
    const chain = await startChain()
    const id = await chain.snapshot()
    const transaction = await sendTransfer(chain, { nonce: 0 })
    const { block } = await chain.seal()
    const read = () =>
      Promise.all([
        ...[chain.standard, chain.preconf].map((one) => ask(one, 'eth_getBlockByHash', [block.hash, true])),
        ask(chain.standard, 'eth_getBalance', [STRANGER, block.hash]),
        ask(chain.standard, 'eth_getTransactionReceipt', [transaction]),
      ])
    const reads: Promise<unknown>[] = []
    chain.on('retracted', () => reads.push(read()))
    await chain.revert(id)
    reads.push(read())
    const unknown = [null, null, 'error -32000 header not found', null]
    expect(await Promise.all(reads)).toEqual([unknown, unknown])
  })

  it('find a transaction that was sealed twice while the later block is in the history', async () => {
    const { chain, accounts } = await startScene({ history: { blocks: 3, proofs: 2 } })
    const draft = { nonce: 0, to: accounts[0]!, value: 1n }
    const hash = await send(chain, 5, draft)
    await chain.seal()
    await ask(chain.standard, 'anvil_setNonce', [accounts[5], '0x0'])
    await chain.seal()
    await send(chain, 5, draft)
    await chain.seal()
    await chain.seal()
    // The head is block 6. Blocks 3 and 5 include it, and block 3 is pruned.
    expect(await ask(chain.standard, 'eth_getTransactionReceipt', [hash])).toMatchObject({
      blockNumber: '0x5',
    })
  })
})
