/** Reads of blocks at or before the fork: the forked node's answers, whatever method asks. */
import { describe, expect, it } from 'vitest'
import { createManualClock } from '../../../src/index.ts'
import { ask, tokenCall } from '../../rpc/scene.ts'
import { startForkScene } from './forkScene.ts'
import { FORWARDED, forwardedParams } from './forwardedParams.ts'

const TAGS = ['latest', 'pending', 'safe', 'finalized']

describe('reads of a fork at or before its first block', () => {
  it.each(FORWARDED)('%s is answered as the forked node answers it, on both views', async (method) => {
    const { remote, fork } = await startForkScene()
    const requests = (await forwardedParams(remote))[method]!
    for (const params of requests) {
      const expected = await ask(remote.chain.preconf, method, params)
      expect(String(expected)).not.toMatch(/^error -(32601|32602)/)
      const label = `${method} ${JSON.stringify(params)}`
      // Its specification defines it for preconf only.
      if (method !== 'eth_simulateV1') {
        expect({ [label]: await ask(fork.standard, method, params) }).toEqual({ [label]: expected })
      }
      expect({ [label]: await ask(fork.preconf, method, params) }).toEqual({ [label]: expected })
    }
  })

  it('never asks the forked node for a tag, nor for a block after the fork', async () => {
    const { remote, fork, spy } = await startForkScene()
    spy.calls.length = 0
    for (const [method, requests] of Object.entries(await forwardedParams(remote))) {
      for (const params of requests) await ask(fork.preconf, method, params)
    }
    expect(spy.calls.length).toBeGreaterThan(100)
    const named = spy.calls.filter(({ params }) =>
      TAGS.some((tag) => JSON.stringify(params).includes(`"${tag}"`)),
    )
    expect(named).toEqual([])
  })
})

describe('what the forked node has after the fork', () => {
  it('is not shown by hash, number or tag', async () => {
    const { remote, fork } = await startForkScene()
    const { token, chain } = remote
    const third = await chain.seal()
    await chain.clock.advance(2000)
    const hash = third.block.hash
    const tx = third.block.transactions[0]!.hash
    const answers: Record<string, unknown> = {}
    const requests: Record<string, readonly unknown[]> = {
      eth_blockNumber: [],
      eth_getBlockByHash: [hash, true],
      eth_getBlockByNumber: ['0x3', false],
      eth_getBlockReceipts: [hash],
      eth_getBlockTransactionCountByHash: [hash],
      eth_getUncleCountByBlockHash: [hash],
      eth_getTransactionByBlockHashAndIndex: [hash, '0x0'],
      eth_getTransactionByHash: [tx],
      eth_getTransactionReceipt: [tx],
      eth_getRawTransactionByHash: [tx],
      eth_getTransactionBySenderAndNonce: [remote.accounts[0], '0x3'],
      chain_transactionStatus: [tx],
      debug_getRawBlock: [hash],
      debug_getRawTransaction: [tx],
      debug_traceBlockByHash: [hash],
      debug_traceTransaction: [tx],
      trace_block: [hash],
      trace_transaction: [tx],
      trace_get: [tx, []],
      eth_getLogs: [{ blockHash: hash }],
      eth_call: [{ to: token, data: tokenCall('balanceOf', [remote.accounts[1]]) }, { blockHash: hash }],
      eth_getBalance: [token, hash],
      eth_getProof: [token, [], hash],
    }
    for (const [method, params] of Object.entries(requests)) {
      answers[method] = await ask(fork.standard, method, params)
    }
    expect(answers).toMatchInlineSnapshot(`
      {
        "chain_transactionStatus": {
          "status": "Unknown",
        },
        "debug_getRawBlock": "error -32000 header not found",
        "debug_getRawTransaction": "0x",
        "debug_traceBlockByHash": "error -32000 header not found",
        "debug_traceTransaction": "error -32000 transaction not found",
        "eth_blockNumber": "0x2",
        "eth_call": "error -32000 header not found",
        "eth_getBalance": "error -32000 header not found",
        "eth_getBlockByHash": null,
        "eth_getBlockByNumber": null,
        "eth_getBlockReceipts": null,
        "eth_getBlockTransactionCountByHash": null,
        "eth_getLogs": "error -32000 unknown block",
        "eth_getProof": "error -32000 header not found",
        "eth_getRawTransactionByHash": null,
        "eth_getTransactionByBlockHashAndIndex": null,
        "eth_getTransactionByHash": null,
        "eth_getTransactionBySenderAndNonce": null,
        "eth_getTransactionReceipt": null,
        "eth_getUncleCountByBlockHash": null,
        "trace_block": null,
        "trace_get": null,
        "trace_transaction": null,
      }
    `)
  })

  it('a transaction that waits there is unknown here', async () => {
    const { remote, fork } = await startForkScene()
    const { waiting } = remote
    expect(await ask(remote.chain.standard, 'eth_getTransactionByHash', [waiting])).toMatchObject({
      hash: waiting,
      blockNumber: null,
    })
    expect(await ask(fork.standard, 'eth_getTransactionByHash', [waiting])).toBeNull()
  })

  it('the fork has blocks of its own after it', async () => {
    const { remote, fork } = await startForkScene()
    await remote.chain.seal()
    const own = await fork.seal()
    expect(own.block.parentHash).toBe(remote.second.block.hash)
    expect(await ask(fork.standard, 'eth_getBlockByNumber', ['0x3', false])).toMatchObject({
      hash: own.block.hash,
    })
    expect(await ask(fork.standard, 'eth_getBlockByHash', [own.block.hash, false])).toMatchObject({
      number: '0x3',
    })
    expect(await ask(fork.standard, 'eth_getProof', [remote.token, [], '0x3'])).toBe(
      'error -32000 a fork has no proofs of the blocks that it makes; to fork it, set fork.verify to false',
    )
  })
})

describe('a reset of a fork', () => {
  it('goes back to the forked block, or without forking to a genesis block of its own', async () => {
    const { remote, fork } = await startForkScene()
    await fork.seal()
    expect(await ask(fork.standard, 'anvil_reset', [{ forking: {} }])).toBe(true)
    expect(await ask(fork.standard, 'eth_getBlockByNumber', ['latest', true])).toEqual(
      await ask(remote.chain.standard, 'eth_getBlockByNumber', ['0x2', true]),
    )
    expect(await ask(fork.standard, 'anvil_reset')).toBe(true)
    expect(await ask(fork.standard, 'eth_getBlockByNumber', ['latest', false])).toMatchObject({
      number: '0x0',
    })
    expect(await ask(fork.standard, 'eth_getCode', [remote.token, 'latest'])).toBe('0x')
    expect(await ask(fork.standard, 'anvil_metadata')).toMatchObject({ forkedNetwork: null })
    expect((await fork.seal()).block.number).toBe('0x1')
  })

  it('leaves the fork on its block, with its node, at whichever reading of its clock it fails', async () => {
    const clock = createManualClock()
    const now = clock.now.bind(clock)
    let readings = Number.POSITIVE_INFINITY
    clock.now = () => {
      readings -= 1
      if (readings === -1) throw new Error('the clock fails')
      return now()
    }
    const { fork, remote } = await startForkScene({ mining: 'interval', clock })
    await fork.seal()
    const blocks = [await ask(remote.chain.standard, 'eth_getBlockByNumber', ['0x1', true]), '0x3']
    let failures = 0
    const reset = async () => {
      readings = failures
      const answer = await ask(fork.standard, 'anvil_reset', [{ forking: { blockNumber: 1 } }])
      readings = Number.POSITIVE_INFINITY
      return answer
    }
    while ((await reset()) !== true) {
      failures += 1
      const block = await ask(fork.standard, 'eth_getBlockByNumber', ['0x1', true])
      expect([block, await ask(fork.standard, 'eth_blockNumber')]).toEqual(blocks)
    }
    expect(failures).toBeGreaterThan(1)
    expect(await ask(fork.standard, 'eth_blockNumber')).toBe('0x1')
  })
})

describe('the forked node reorganised', () => {
  it('is an error from then on', async () => {
    const { spy, fork } = await startForkScene()
    const params = ['0x1', false]
    expect(await ask(fork.standard, 'eth_getBlockByNumber', params)).toMatchObject({ number: '0x1' })
    spy.lie = ({ method, params }, answer) =>
      method === 'eth_getBlockByNumber' && params[0] === '0x2'
        ? { ...(answer as object), hash: `0x${'11'.repeat(32)}` }
        : answer
    const error = 'error -32000 the forked chain no longer has block 2 as it was when it was forked'
    expect(await ask(fork.standard, 'eth_getBlockReceipts', ['0x1'])).toBe(error)
    spy.lie = (_call, answer) => answer
    expect(await ask(fork.standard, 'eth_getBlockReceipts', ['0x0'])).toBe(error)
  })
})

describe('errors of the forked node', () => {
  it('come through with their code and message, and never as -32603', async () => {
    const { spy, fork, remote } = await startForkScene()
    const fail = (code: number, message: string) => {
      spy.lie = ({ method }, answer) =>
        method === 'debug_traceBlockByNumber' || method === 'eth_getBalance'
          ? Object.assign(new Error(message), { code })
          : answer
    }
    fail(-32601, 'the method debug_traceBlockByNumber does not exist')
    expect(await ask(fork.standard, 'debug_traceBlockByNumber', ['0x1'])).toBe(
      'error -32601 the method debug_traceBlockByNumber does not exist',
    )
    fail(-32603, 'something broke there')
    expect(await ask(fork.standard, 'eth_getBalance', [remote.token, '0x1'])).toBe(
      'error -32000 something broke there',
    )
  })
})

describe('what is forked', () => {
  it('is in the metadata that clients of anvil and Hardhat read', async () => {
    const { remote, fork } = await startForkScene()
    const forkedNetwork = { chainId: 31_337, forkBlockNumber: 2, forkBlockHash: remote.second.block.hash }
    expect(await ask(fork.standard, 'anvil_metadata')).toMatchObject({ forkedNetwork })
    expect(await ask(fork.standard, 'hardhat_metadata')).toMatchObject({ forkedNetwork })
    expect(await ask(fork.standard, 'anvil_nodeInfo')).toMatchObject({
      forkConfig: { forkUrl: null, forkBlockNumber: 2 },
    })
    expect(await ask(remote.chain.standard, 'anvil_metadata')).toMatchObject({ forkedNetwork: null })
    expect(await ask(remote.chain.standard, 'hardhat_metadata')).not.toHaveProperty('forkedNetwork')
  })
})
