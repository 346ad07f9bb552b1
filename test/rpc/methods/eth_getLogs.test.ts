import type { Hex } from 'viem'
import { describe, expect, it } from 'vitest'
import { ask, askAll, probeCall, type Scene, send, startScene, tokenCall, UNKNOWN } from '../scene.ts'
import { FIRST, PRECONF_BLOCK, SECOND, TRANSFER_TOPIC } from '../sceneValues.ts'

const topicOf = (address: Hex): Hex => `0x${address.slice(2).padStart(64, '0')}`

/** The block numbers and indices of the matching logs, in order. */
async function places({ chain }: Scene, view: 'standard' | 'preconf', filter: object): Promise<string> {
  const logs = await ask(chain[view], 'eth_getLogs', [filter])
  if (!Array.isArray(logs)) return String(logs)
  return logs.map(({ blockNumber, logIndex }) => `${Number(blockNumber)}.${Number(logIndex)}`).join(' ')
}

async function allPlaces(scene: Scene, filters: Record<string, object>): Promise<Record<string, unknown>> {
  const answers: Record<string, unknown> = {}
  for (const [name, filter] of Object.entries(filters)) {
    const [standard, preconf] = [
      await places(scene, 'standard', filter),
      await places(scene, 'preconf', filter),
    ]
    answers[name] = standard === preconf ? standard : { standard, preconf }
  }
  return answers
}

describe('eth_getLogs', () => {
  it('returns logs in the shape of spec.md §2.4, those of the preconf block last (spec.md 15)', async () => {
    const { chain } = await startScene()
    const calls = { all: [{ fromBlock: 'earliest', toBlock: 'pending' }], default: [{}] }
    expect(await askAll(chain, 'eth_getLogs', calls)).toStrictEqual({
      all: {
        standard: [...FIRST.logs, ...SECOND.logs],
        preconf: [...FIRST.logs, ...SECOND.logs, ...PRECONF_BLOCK.logs],
      },
      default: { both: SECOND.logs },
    })
  })

  it('clips ranges at unknown blocks; only on preconf, `pending` is the preconf block (spec.md 25)', async () => {
    const scene = await startScene()
    expect(
      await allPlaces(scene, {
        'earliest to latest': { fromBlock: 'earliest', toBlock: 'latest' },
        numbers: { fromBlock: '0x1', toBlock: '0x1' },
        'safe to latest': { fromBlock: 'safe', toBlock: 'latest' },
        'finalized to safe': { fromBlock: 'finalized', toBlock: 'safe' },
        'pending to pending': { fromBlock: 'pending', toBlock: 'pending' },
        'latest to pending': { fromBlock: 'latest', toBlock: 'pending' },
        'pending to latest': { fromBlock: 'pending', toBlock: 'latest' },
        'from pending': { fromBlock: 'pending' },
        'to pending': { toBlock: 'pending' },
        "the preconf block's number": { fromBlock: '0x3', toBlock: '0x3' },
        'up to beyond the preconf block': { fromBlock: '0x2', toBlock: '0x64' },
        'beyond the preconf block': { fromBlock: '0x63', toBlock: '0x64' },
        'beyond the preconf block to pending': { fromBlock: '0x63', toBlock: 'pending' },
        "pending to the preconf block's number": { fromBlock: 'pending', toBlock: '0x3' },
        backwards: { fromBlock: '0x2', toBlock: '0x1' },
        'backwards by tags': { fromBlock: 'latest', toBlock: 'earliest' },
        'one hash': { blockHash: scene.first.block.hash },
        'a hash, range ignored': { blockHash: scene.first.block.hash, fromBlock: 'junk', toBlock: 7 },
        "the preconf block's hash": { blockHash: scene.preconfBlock.block.hash },
        'the hash of the preconf block before': { blockHash: scene.empty.block.hash },
        'unknown hash': { blockHash: UNKNOWN },
      }),
    ).toMatchInlineSnapshot(`
      {
        "a hash, range ignored": "1.0",
        "backwards": "error -32602 invalid block range params",
        "backwards by tags": "error -32602 invalid block range params",
        "beyond the preconf block": "",
        "beyond the preconf block to pending": "",
        "earliest to latest": "1.0 2.0",
        "finalized to safe": "1.0",
        "from pending": "",
        "latest to pending": {
          "preconf": "2.0 3.0",
          "standard": "2.0",
        },
        "numbers": "1.0",
        "one hash": "1.0",
        "pending to latest": "",
        "pending to pending": {
          "preconf": "3.0",
          "standard": "",
        },
        "pending to the preconf block's number": {
          "preconf": "3.0",
          "standard": "",
        },
        "safe to latest": "1.0 2.0",
        "the hash of the preconf block before": {
          "preconf": "",
          "standard": "error -32000 unknown block",
        },
        "the preconf block's hash": {
          "preconf": "3.0",
          "standard": "error -32000 unknown block",
        },
        "the preconf block's number": {
          "preconf": "3.0",
          "standard": "",
        },
        "to pending": {
          "preconf": "2.0 3.0",
          "standard": "2.0",
        },
        "unknown hash": "error -32000 unknown block",
        "up to beyond the preconf block": {
          "preconf": "2.0 3.0",
          "standard": "2.0",
        },
      }
    `)
  })

  it('matches addresses and topics', async () => {
    const scene = await startScene()
    const { chain, probe, token, accounts } = scene
    await send(chain, 4, { nonce: 0, to: probe, data: probeCall('emitLogs', [2n]) })
    await chain.tick()
    const all = { fromBlock: 'earliest', toBlock: 'pending' }
    const [alice, bob] = accounts as [Hex, Hex]
    expect(
      await allPlaces(scene, {
        'one address': { ...all, address: token },
        'upper case': { ...all, address: token.toUpperCase().replace('X', 'x') },
        addresses: { ...all, address: [token, probe] },
        'no addresses': { ...all, address: [] },
        'an address without logs': { ...all, address: alice },
        event: { ...all, topics: [TRANSFER_TOPIC] },
        'event and sender': { ...all, topics: [TRANSFER_TOPIC, topicOf(alice)] },
        'any event to bob': { ...all, topics: [null, null, topicOf(bob)] },
        'one of two': { ...all, topics: [null, [topicOf(alice), topicOf(accounts[4]!)]] },
        'null among several': { ...all, topics: [[TRANSFER_TOPIC, null]] },
        'empty position': { ...all, topics: [[], topicOf(alice)] },
        'no positions': { ...all, topics: [] },
        'a position more than Transfer has': { ...all, topics: [null, null, null, null] },
        'five positions': { ...all, topics: [null, null, null, null, null] },
        'unknown event': { ...all, topics: [UNKNOWN] },
      }),
    ).toMatchInlineSnapshot(`
      {
        "a position more than Transfer has": "",
        "addresses": {
          "preconf": "1.0 2.0 3.0 3.1 3.2",
          "standard": "1.0 2.0",
        },
        "an address without logs": "",
        "any event to bob": {
          "preconf": "2.0 3.0",
          "standard": "2.0",
        },
        "empty position": {
          "preconf": "2.0 3.0",
          "standard": "2.0",
        },
        "event": {
          "preconf": "1.0 2.0 3.0",
          "standard": "1.0 2.0",
        },
        "event and sender": {
          "preconf": "2.0 3.0",
          "standard": "2.0",
        },
        "five positions": "",
        "no addresses": {
          "preconf": "1.0 2.0 3.0 3.1 3.2",
          "standard": "1.0 2.0",
        },
        "no positions": {
          "preconf": "1.0 2.0 3.0 3.1 3.2",
          "standard": "1.0 2.0",
        },
        "null among several": {
          "preconf": "1.0 2.0 3.0 3.1 3.2",
          "standard": "1.0 2.0",
        },
        "one address": {
          "preconf": "1.0 2.0 3.0",
          "standard": "1.0 2.0",
        },
        "one of two": {
          "preconf": "2.0 3.0 3.1 3.2",
          "standard": "2.0",
        },
        "unknown event": "",
        "upper case": {
          "preconf": "1.0 2.0 3.0",
          "standard": "1.0 2.0",
        },
      }
    `)
  })

  it('enforces its limits (spec.md 31)', async () => {
    const scene = await startScene({ limits: { logBlockRange: 2, logResults: 2 } })
    await send(scene.chain, 4, { nonce: 0, to: scene.probe, data: probeCall('emitLogs', [3n]) })
    await scene.chain.tick()
    expect(
      await allPlaces(scene, {
        'as many blocks as allowed': { fromBlock: '0x1', toBlock: '0x2' },
        'one block more': { fromBlock: '0x0', toBlock: '0x2' },
        'clipped to what is allowed': { fromBlock: '0x2', toBlock: '0x64' },
        'too many pending logs': { fromBlock: 'pending', toBlock: 'pending' },
        'too many in one block': { blockHash: (await scene.chain.tick()).block.hash },
      }),
    ).toMatchInlineSnapshot(`
      {
        "as many blocks as allowed": "1.0 2.0",
        "clipped to what is allowed": {
          "preconf": "error -32602 more than 2 logs",
          "standard": "2.0",
        },
        "one block more": "error -32602 block range too large: 3, limit 2",
        "too many in one block": {
          "preconf": "error -32602 more than 2 logs",
          "standard": "error -32000 unknown block",
        },
        "too many pending logs": {
          "preconf": "error -32602 more than 2 logs",
          "standard": "",
        },
      }
    `)
  })

  it('uses the default block of the connection', async () => {
    const { chain } = await startScene()
    const provider = chain.provider('preconf', { defaultBlock: 'pending' })
    expect(await ask(provider, 'eth_getLogs', [{}])).toEqual(
      await ask(chain.preconf, 'eth_getLogs', [{ fromBlock: 'pending', toBlock: 'pending' }]),
    )
  })

  it('returns the same logs before and after the seal', async () => {
    const { chain, token, accounts } = await startScene()
    const filter = [{ fromBlock: 'earliest', toBlock: 'pending' }]
    await send(chain, 0, { nonce: 5, to: token, data: tokenCall('transfer', [accounts[1], 1n]) })
    await chain.tick()
    const pending = await ask(chain.preconf, 'eth_getLogs', filter)
    await chain.seal()
    expect(await ask(chain.preconf, 'eth_getLogs', filter)).toEqual(pending)
    expect(await ask(chain.standard, 'eth_getLogs', filter)).toEqual(pending)
  })
})
