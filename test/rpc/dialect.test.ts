import { numberToHex, parseGwei } from 'viem'
import { describe, expect, it } from 'vitest'
import type { Hash } from '../../src/index.ts'
import { ask, probeCall, type Scene, sign, startScene, tokenCall, UNKNOWN } from './scene.ts'

type Requests = Readonly<Record<string, readonly [method: string, params?: readonly unknown[]]>>

/** Sends requests to a view in both dialects; returns the answers that differ. */
async function differing(
  { chain }: Scene,
  view: 'standard' | 'preconf',
  requests: Requests,
): Promise<Record<string, unknown>> {
  const geth = chain.provider(view, { dialect: 'geth' })
  const answers: Record<string, unknown> = {}
  for (const [name, [method, params]] of Object.entries(requests)) {
    const [own, theirs] = [await ask(chain[view], method, params), await ask(geth, method, params)]
    if (JSON.stringify(own) !== JSON.stringify(theirs)) answers[name] = { preconf: own, geth: theirs }
  }
  return answers
}

describe('dialects', () => {
  it('differ in the error code of reverts, and in no other failure of calls and estimates', async () => {
    const scene = await startScene({ limits: { gasCap: 200_000n } })
    const { accounts, probe } = scene
    const to = (name: string) => ({ from: accounts[0], to: probe, data: probeCall(name) })
    const unfunded = `0x${'88'.repeat(20)}`
    const calls = {
      'custom error': to('fail'),
      'error string': to('failString'),
      'empty revert': to('failEmpty'),
      'invalid opcode': to('invalid'),
      'out of gas': to('loop'),
      'no funds': { from: unfunded, to: probe, value: '0x1' },
      'no funds for the fee': {
        from: unfunded,
        to: probe,
        gas: '0x5208',
        gasPrice: numberToHex(parseGwei('9')),
      },
      'fee cap below the base fee': { from: accounts[0], to: probe, gasPrice: '0x1' },
      'gas below the intrinsic': { from: accounts[0], to: probe, gas: '0x5207' },
      success: to('context'),
    }
    const requests = Object.fromEntries(
      ['eth_call', 'eth_estimateGas'].flatMap((method) =>
        Object.entries(calls).map(
          ([name, call]) => [`${method}: ${name}`, [method, [call, 'pending']]] as const,
        ),
      ),
    )
    const answers = await differing(scene, 'standard', requests)
    expect(answers).toMatchInlineSnapshot(`
      {
        "eth_call: custom error": {
          "geth": "error 3 execution reverted "0x63a2a81f000000000000000000000000000000000000000000000000000000000000002a"",
          "preconf": "error -32000 execution reverted "0x63a2a81f000000000000000000000000000000000000000000000000000000000000002a"",
        },
        "eth_call: empty revert": {
          "geth": "error 3 execution reverted "0x"",
          "preconf": "error -32000 execution reverted "0x"",
        },
        "eth_call: error string": {
          "geth": "error 3 execution reverted "100 bytes, keccak256 0x1db44c56184092c2"",
          "preconf": "error -32000 execution reverted "100 bytes, keccak256 0x1db44c56184092c2"",
        },
        "eth_estimateGas: custom error": {
          "geth": "error 3 execution reverted "0x63a2a81f000000000000000000000000000000000000000000000000000000000000002a"",
          "preconf": "error -32000 execution reverted "0x63a2a81f000000000000000000000000000000000000000000000000000000000000002a"",
        },
        "eth_estimateGas: empty revert": {
          "geth": "error 3 execution reverted "0x"",
          "preconf": "error -32000 execution reverted "0x"",
        },
        "eth_estimateGas: error string": {
          "geth": "error 3 execution reverted "100 bytes, keccak256 0x1db44c56184092c2"",
          "preconf": "error -32000 execution reverted "100 bytes, keccak256 0x1db44c56184092c2"",
        },
      }
    `)
    expect(await differing(scene, 'preconf', requests)).toEqual(answers)
  })

  it('differ in totalDifficulty, which only preconf includes, in answers and subscriptions', async () => {
    const scene = await startScene()
    const { chain, first } = scene
    const answers = await differing(scene, 'preconf', {
      number: ['eth_getBlockByNumber', ['pending', false]],
      hash: ['eth_getBlockByHash', [first.block.hash, true]],
      receipts: ['eth_getBlockReceipts', ['0x1']],
      transaction: ['eth_getTransactionByHash', [first.block.transactions[0]!.hash]],
    })
    const without = (answer: unknown) => {
      const { totalDifficulty, ...rest } = answer as Record<string, unknown>
      return { totalDifficulty, rest }
    }
    expect(Object.keys(answers)).toEqual(['number', 'hash'])
    for (const answer of Object.values(answers)) {
      const { preconf, geth } = answer as { preconf: unknown; geth: unknown }
      expect(without(preconf)).toEqual({ totalDifficulty: '0x0', rest: geth })
    }
    const messages: unknown[] = []
    const geth = chain.provider('preconf', { dialect: 'geth' })
    geth.on('message', ({ data }) => messages.push(data.result))
    await geth.request({ method: 'eth_subscribe', params: ['newFlashblocks'] })
    await chain.tick()
    expect(messages).toEqual([
      await geth.request({ method: 'eth_getBlockByNumber', params: ['pending', true] }),
    ])
  })

  it('differ in the log filters they refuse (spec.md 25)', async () => {
    const scene = await startScene()
    const { first } = scene
    const blockHash = first.block.hash
    const logs = (filter: object) => ['eth_getLogs', [filter]] as const
    const requests = {
      'hash and both ends': logs({ blockHash, fromBlock: '0x1', toBlock: '0x1' }),
      'hash and one end': logs({ blockHash, toBlock: 'latest' }),
      'hash and junk': logs({ blockHash, fromBlock: 'junk' }),
      'hash and nulls': logs({ blockHash, fromBlock: null, toBlock: null }),
      'unknown hash': logs({ blockHash: UNKNOWN }),
      'ends beyond the head': logs({ fromBlock: '0x2', toBlock: '0x5' }),
      'starts beyond the head': logs({ fromBlock: '0x5' }),
      'all beyond the head': logs({ fromBlock: '0x5', toBlock: '0x6' }),
      reversed: logs({ fromBlock: '0x2', toBlock: '0x1' }),
      'up to the block after the head': logs({ fromBlock: '0x3', toBlock: '0x3' }),
      'up to the head': logs({ fromBlock: '0x0', toBlock: '0x2' }),
      pending: logs({ fromBlock: 'pending', toBlock: 'pending' }),
      'up to pending': logs({ fromBlock: 'earliest', toBlock: 'pending' }),
      'filter with hash and end': ['eth_newFilter', [{ blockHash, fromBlock: '0x1' }]],
      'subscription with hash and end': ['eth_subscribe', ['logs', { blockHash, fromBlock: '0x1' }]],
    } as const
    const counted = async (view: 'standard' | 'preconf') => {
      const answers = await differing(scene, view, requests)
      return JSON.parse(JSON.stringify(answers), (_key, value) =>
        Array.isArray(value) && value.every((one) => typeof one === 'object')
          ? `${value.length} logs`
          : value,
      )
    }
    expect({ standard: await counted('standard'), preconf: await counted('preconf') }).toMatchInlineSnapshot(`
      {
        "preconf": {
          "all beyond the head": {
            "geth": "error -32602 block range extends beyond current head block",
            "preconf": "0 logs",
          },
          "ends beyond the head": {
            "geth": "error -32602 block range extends beyond current head block",
            "preconf": "2 logs",
          },
          "filter with hash and end": {
            "geth": "error -32602 cannot specify both blockHash and fromBlock/toBlock, choose one or the other",
            "preconf": "0x1",
          },
          "hash and both ends": {
            "geth": "error -32602 cannot specify both blockHash and fromBlock/toBlock, choose one or the other",
            "preconf": "1 logs",
          },
          "hash and junk": {
            "geth": "error -32602 cannot specify both blockHash and fromBlock/toBlock, choose one or the other",
            "preconf": "1 logs",
          },
          "hash and one end": {
            "geth": "error -32602 cannot specify both blockHash and fromBlock/toBlock, choose one or the other",
            "preconf": "1 logs",
          },
          "starts beyond the head": {
            "geth": "error -32602 block range extends beyond current head block",
            "preconf": "0 logs",
          },
        },
        "standard": {
          "all beyond the head": {
            "geth": "error -32602 block range extends beyond current head block",
            "preconf": "0 logs",
          },
          "ends beyond the head": {
            "geth": "error -32602 block range extends beyond current head block",
            "preconf": "1 logs",
          },
          "filter with hash and end": {
            "geth": "error -32602 cannot specify both blockHash and fromBlock/toBlock, choose one or the other",
            "preconf": "0x1",
          },
          "hash and both ends": {
            "geth": "error -32602 cannot specify both blockHash and fromBlock/toBlock, choose one or the other",
            "preconf": "1 logs",
          },
          "hash and junk": {
            "geth": "error -32602 cannot specify both blockHash and fromBlock/toBlock, choose one or the other",
            "preconf": "1 logs",
          },
          "hash and one end": {
            "geth": "error -32602 cannot specify both blockHash and fromBlock/toBlock, choose one or the other",
            "preconf": "1 logs",
          },
          "starts beyond the head": {
            "geth": "error -32602 block range extends beyond current head block",
            "preconf": "0 logs",
          },
          "up to the block after the head": {
            "geth": "error -32602 block range extends beyond current head block",
            "preconf": "0 logs",
          },
        },
      }
    `)
  })

  it('refuse transactions with the same messages', async () => {
    const scene = await startScene()
    const { chain, accounts, waiting } = scene
    const to = accounts[0]!
    const known = await chain.preconf.request({ method: 'eth_getRawTransactionByHash', params: [waiting] })
    const raws: Record<string, unknown> = {
      'nonce too low': await sign(chain, 1, { nonce: 0, to }),
      'already known': known,
      underpriced: await sign(chain, 2, { nonce: 0, to }),
      'no funds': await sign(chain, 5, { nonce: 0, to, value: 10n ** 24n }),
      'gas too low': await sign(chain, 5, { nonce: 0, to, gas: 20_999n }),
      'more than a block': await sign(chain, 5, { nonce: 0, to, gas: 30_000_001n }),
      'other chain': await sign(chain, 5, { nonce: 0, to, chainId: 1 }),
      'no transaction': '0x1234',
      'no type': '0x7f00',
      empty: '0x',
      'no hex': '0xzz',
    }
    const answers: Record<string, unknown> = {}
    const geth = chain.provider('standard', { dialect: 'geth' })
    for (const [name, raw] of Object.entries(raws)) {
      answers[name] = await ask(geth, 'eth_sendRawTransaction', [raw])
      expect(await ask(chain.preconf, 'eth_sendRawTransaction', [raw])).toEqual(answers[name])
    }
    expect(answers).toMatchInlineSnapshot(`
      {
        "already known": "error -32000 already known",
        "empty": "error -32602 invalid argument 0: expected a hex string of at least one byte",
        "gas too low": "error -32000 intrinsic gas too low: have 20999, want 21000",
        "more than a block": "error -32000 transaction gas limit too high (cap: 16777216, tx: 30000001); the option transactionGasCap: false lifts the cap",
        "no funds": "error -32000 insufficient funds for gas * price + value",
        "no hex": "error -32602 invalid argument 0: expected a hex string of at least one byte",
        "no transaction": "error -32000 transaction type not supported",
        "no type": "error -32000 transaction type not supported",
        "nonce too low": "error -32000 nonce too low",
        "other chain": "error -32000 invalid chain id for signer: have 1 want 31337",
        "underpriced": "error -32000 replacement transaction underpriced",
      }
    `)
  })

  it('execute identically on overridden state and blocks', async () => {
    const scene = await startScene()
    const { chain, accounts, token, probe } = scene
    const from = `0x${'77'.repeat(20)}`
    const onlyAt100 = '0x43606414600857fe5b00' // invalid unless NUMBER is 100
    const overrides = {
      funds: [
        { from, to: probe, data: probeCall('value'), value: '0x5' },
        'latest',
        { [from]: { balance: '0x5' } },
      ],
      slot: [
        { to: probe, data: probeCall('get', [7n]) },
        'pending',
        { [probe]: { stateDiff: { '0x7': '0x5' } } },
      ],
      'whole storage': [
        { to: token, data: tokenCall('balanceOf', [accounts[0]]) },
        'latest',
        { [token]: { state: {} } },
      ],
      'code and number': [{ to: from }, 'latest', { [from]: { code: onlyAt100 } }, { number: '0x64' }],
      context: [
        { to: probe, data: probeCall('context') },
        'pending',
        {},
        {
          time: '0x7fffffff',
          gasLimit: '0x989680',
          feeRecipient: from,
          prevRandao: UNKNOWN,
          baseFeePerGas: '0x9',
        },
      ],
    }
    const requests = ['eth_call', 'eth_estimateGas'].flatMap((method) =>
      Object.entries(overrides).map(([name, params]) => [`${method}: ${name}`, [method, params]] as const),
    )
    expect(await differing(scene, 'standard', Object.fromEntries(requests))).toEqual({})
    expect(await differing(scene, 'preconf', Object.fromEntries(requests))).toEqual({})
    for (const [, [method, params]] of requests) {
      expect(await ask(chain.preconf, method, params)).not.toMatch(/^error/)
    }
  })

  it('answer all other reads identically', async () => {
    const scene = await startScene()
    const { accounts, probe, preconfBlock, waiting } = scene
    const blocks = ['latest', 'pending', 'earliest', 'safe', '0x3', { blockNumber: '0x1' }, UNKNOWN]
    const perBlock = blocks.flatMap((block): readonly (readonly [string, readonly unknown[]])[] => [
      ['eth_getBalance', [accounts[1], block]],
      ['eth_getCode', [probe, block]],
      ['eth_getStorageAt', [probe, '0x7', block]],
      ['eth_getTransactionCount', [accounts[0], block]],
      ['eth_getBlockReceipts', [block]],
      ['eth_call', [{ to: probe, data: probeCall('context') }, block]],
    ])
    const hash: Hash = preconfBlock.block.transactions[0]!.hash
    const others: readonly (readonly [string, readonly unknown[]])[] = [
      ['eth_getTransactionByHash', [waiting]],
      ['eth_getTransactionByHash', [hash]],
      ['eth_getTransactionReceipt', [hash]],
      ['eth_getStorageAt', [probe, '0xasdf', 'latest']],
      ['eth_getStorageAt', [probe, `0x${'00'.repeat(33)}`, 'latest']],
      ['eth_feeHistory', ['0x2', 'pending', [50]]],
      ['eth_nonsense', []],
    ]
    const requests = Object.fromEntries(
      [...perBlock, ...others].map((request, i) => [`${i} ${request[0]}`, request]),
    )
    expect(await differing(scene, 'standard', requests)).toEqual({})
    expect(await differing(scene, 'preconf', requests)).toEqual({})
  })

  it('differ in the proof of an absent account: hashes of an empty account, or zero', async () => {
    const { chain } = await startScene()
    const params = [`0x${'99'.repeat(20)}`, ['0x1'], 'latest'] as const
    const proofs = await Promise.all(
      (['preconf', 'geth'] as const).map((dialect) =>
        chain.provider('preconf', { dialect }).request({ method: 'eth_getProof', params: [...params] }),
      ),
    )
    const zero = `0x${'00'.repeat(32)}`
    expect(proofs[1]).toEqual({ ...proofs[0], codeHash: zero, storageHash: zero })
    expect(proofs[0]).toMatchObject({
      codeHash: '0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470',
      storageHash: '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421',
    })
  })
})
