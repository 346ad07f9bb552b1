/** Two slots of a chain, with every method of the wire specification requested on both views at each step. */
import { encodeDeployData, getContractAddress, parseEther, parseGwei } from 'viem'
import { describe, expect, it } from 'vitest'
import type { Hash, Hex, Provider } from '../src/index.ts'
import { Token } from './contracts/artifacts.ts'
import { startChain } from './harness.ts'
import { ask, send, sign, tokenCall } from './rpc/scene.ts'
import { TRANSFER_TOPIC } from './rpc/sceneValues.ts'

/** The slot of Token's supply. */
const SUPPLY_SLOT = '0x0'

describe('a chain', () => {
  it('shows each block on preconf while it is built, and on both views once it is sealed', async () => {
    const chain = await startChain({ mining: 'interval' })
    const [alice, bob] = chain.accounts.map(({ address }) => address) as [Hex, Hex]
    const token = getContractAddress({ from: alice, nonce: 0n }).toLowerCase() as Hex
    const sealedHashes = new Set<Hash>([
      (await chain.standard.request({ method: 'eth_getBlockByNumber', params: ['earliest', false] }))!.hash!,
    ])
    chain.on('block', ({ block }) => sealedHashes.add(block.hash))

    const balanceCall = { from: alice, to: token, data: tokenCall('balanceOf', [bob]) }
    const transferCall = { from: alice, to: token, data: tokenCall('transfer', [bob, 1n]) }
    /** Every read of spec.md §4.2 at one block. */
    const read = async (provider: Provider, block: string) => {
      const blocks = (await ask(provider, 'eth_getBlockByNumber', [block, false])) as Record<string, unknown>
      const receipts = (await ask(provider, 'eth_getBlockReceipts', [block])) as {
        status: Hex
        gasUsed: Hex
        blockHash: Hash
      }[]
      const logs = (await ask(provider, 'eth_getLogs', [
        { fromBlock: block, toBlock: block, topics: [TRANSFER_TOPIC] },
      ])) as {
        data: Hex
        logIndex: Hex
        blockHash: Hash
      }[]
      return {
        block: [
          blocks['number'],
          blocks['hash'],
          blocks['timestamp'],
          blocks['gasUsed'],
          blocks['stateRoot'],
        ].join(' '),
        transactions: blocks['transactions'],
        receipts: receipts.map(({ status, gasUsed, blockHash }) => `${status} ${gasUsed} ${blockHash}`),
        logs: logs.map(({ data, logIndex, blockHash }) => `${logIndex} ${BigInt(data)} ${blockHash}`),
        nonces: [
          await ask(provider, 'eth_getTransactionCount', [alice, block]),
          await ask(provider, 'eth_getTransactionCount', [bob, block]),
        ],
        balance: await ask(provider, 'eth_getBalance', [bob, block]),
        code: await ask(provider, 'eth_getCode', [token, block]),
        supply: await ask(provider, 'eth_getStorageAt', [token, SUPPLY_SLOT, block]),
        call: await ask(provider, 'eth_call', [balanceCall, block]),
        estimate: await ask(provider, 'eth_estimateGas', [transferCall, block]),
      }
    }
    /** Everything at `latest` and `pending`; equal answers are returned once. */
    const readAll = async () => {
      const standard = {
        latest: await read(chain.standard, 'latest'),
        pending: await read(chain.standard, 'pending'),
      }
      const preconf = {
        latest: await read(chain.preconf, 'latest'),
        pending: await read(chain.preconf, 'pending'),
      }
      expect(preconf.latest).toEqual(standard.latest)

      // Standard shows nothing that is not sealed: the state of the head, no transaction, no receipt, no log.
      const {
        block: head,
        transactions: _t,
        receipts: _r,
        logs: _l,
        nonces: _n,
        estimate: _e,
        ...sealedState
      } = standard.latest
      const {
        block: candidate,
        transactions,
        receipts,
        logs,
        nonces: _p,
        estimate: _c,
        ...pendingState
      } = standard.pending
      expect(pendingState).toEqual(sealedState)
      expect([transactions, receipts, logs]).toEqual([[], [], []])
      expect(candidate.startsWith(' ')).toBe(true)
      expect(sealedHashes).toContain(head.split(' ')[1])
      for (const hash of preconf.pending.transactions as Hash[]) {
        expect(await ask(chain.standard, 'eth_getTransactionReceipt', [hash])).toBeNull()
        expect(await ask(chain.standard, 'eth_getTransactionByHash', [hash])).toMatchObject({
          blockHash: null,
        })
      }
      const everything = await chain.standard.request({
        method: 'eth_getLogs',
        params: [{ fromBlock: 'earliest', toBlock: 'pending' }],
      })
      for (const { blockHash } of everything) expect(sealedHashes).toContain(blockHash)
      return {
        latest: standard.latest,
        'pending on standard': {
          nonces: standard.pending.nonces,
          estimate: standard.pending.estimate,
          block: standard.pending.block,
        },
        'pending on preconf': preconf.pending,
      }
    }

    /** What is pending, if what is sealed is `latest`. */
    const readPending = async (latest: object) => {
      const { latest: sealed, ...pending } = await readAll()
      expect(sealed).toStrictEqual(latest)
      return pending
    }

    // Nothing has happened yet.
    const start = await readAll()
    expect(start).toMatchInlineSnapshot(`
      {
        "latest": {
          "balance": "0x21e19e0c9bab2400000",
          "block": "0x0 <genesis> 0x6553f100 0x0 <genesis: state>",
          "call": "0x",
          "code": "0x",
          "estimate": "0x579e",
          "logs": [],
          "nonces": [
            "0x0",
            "0x0",
          ],
          "receipts": [],
          "supply": "0x0000000000000000000000000000000000000000000000000000000000000000",
          "transactions": [],
        },
        "pending on preconf": {
          "balance": "0x21e19e0c9bab2400000",
          "block": "0x1 <two slots: block 1, preconf block 0> 0x6553f102 0x0 <two slots: block 1, preconf block 0, state>",
          "call": "0x",
          "code": "0x",
          "estimate": "0x579e",
          "logs": [],
          "nonces": [
            "0x0",
            "0x0",
          ],
          "receipts": [],
          "supply": "0x0000000000000000000000000000000000000000000000000000000000000000",
          "transactions": [],
        },
        "pending on standard": {
          "block": "  0x6553f102 0x0 <genesis: state>",
          "estimate": "0x579e",
          "nonces": [
            "0x0",
            "0x0",
          ],
        },
      }
    `)

    // 200 ms: Token is deployed.
    await send(chain, 0, { nonce: 0, data: encodeDeployData(Token), gas: 2_000_000n })
    await chain.clock.advance(200)
    expect(await readPending(start.latest)).toMatchInlineSnapshot(`
      {
        "pending on preconf": {
          "balance": "0x21e19e0c9bab2400000",
          "block": "0x1 <two slots: block 1, preconf block 1> 0x6553f102 0x5f1ce <two slots: block 1, preconf block 1, state>",
          "call": "0x0000000000000000000000000000000000000000000000000000000000000000",
          "code": "1337 bytes, keccak256 0xfd5cd3bb0666e8dc",
          "estimate": "0xc930",
          "logs": [
            "0x0 1000000000000000000000000 <two slots: block 1, preconf block 1>",
          ],
          "nonces": [
            "0x1",
            "0x0",
          ],
          "receipts": [
            "0x1 0x5f1ce <two slots: block 1, preconf block 1>",
          ],
          "supply": "0x00000000000000000000000000000000000000000000d3c21bcecceda1000000",
          "transactions": [
            "0xca46f45af71e7ebe53bf79ba91cf9deacd46499af1cdf4d5107af0b9e7f03dde",
          ],
        },
        "pending on standard": {
          "block": "  0x6553f102 0x0 <genesis: state>",
          "estimate": "0x579e",
          "nonces": [
            "0x1",
            "0x0",
          ],
        },
      }
    `)

    // 400 ms: a transfer of tokens, one of ether, and one that reverts.
    await send(chain, 0, { nonce: 1, to: token, data: tokenCall('transfer', [bob, 7n]) })
    await send(chain, 0, { nonce: 2, to: bob, value: parseEther('1') })
    await send(chain, 1, { nonce: 0, to: token, data: tokenCall('transfer', [alice, 8n]) })
    await chain.clock.advance(200)
    expect(await readPending(start.latest)).toMatchInlineSnapshot(`
      {
        "pending on preconf": {
          "balance": "0x21e27c156ef29378980",
          "block": "0x1 <two slots: block 1, preconf block 2> 0x6553f102 0x76c14 <two slots: block 1, preconf block 2, state>",
          "call": "0x0000000000000000000000000000000000000000000000000000000000000007",
          "code": "1337 bytes, keccak256 0xfd5cd3bb0666e8dc",
          "estimate": "0x8664",
          "logs": [
            "0x0 1000000000000000000000000 <two slots: block 1, preconf block 2>",
            "0x1 7 <two slots: block 1, preconf block 2>",
          ],
          "nonces": [
            "0x3",
            "0x1",
          ],
          "receipts": [
            "0x1 0x5f1ce <two slots: block 1, preconf block 2>",
            "0x1 0xc930 <two slots: block 1, preconf block 2>",
            "0x1 0x5208 <two slots: block 1, preconf block 2>",
            "0x0 0x5f0e <two slots: block 1, preconf block 2>",
          ],
          "supply": "0x00000000000000000000000000000000000000000000d3c21bcecceda1000000",
          "transactions": [
            "0xca46f45af71e7ebe53bf79ba91cf9deacd46499af1cdf4d5107af0b9e7f03dde",
            "0x09e7686463b47f7b5985c4ba526bd3ab8c9d0291170118014fc5c93d1ba3bcb4",
            "0x18b43c05eff63a320944cbdfa2969706862a565b16ddb166de97f8024d9be94c",
            "0x082937169b65e19ec3015ecdf1dbfdcc3d6557627e1e05549ae62d202fda457f",
          ],
        },
        "pending on standard": {
          "block": "  0x6553f102 0x0 <genesis: state>",
          "estimate": "0x579e",
          "nonces": [
            "0x3",
            "0x1",
          ],
        },
      }
    `)

    // 600 ms: a waiting transaction was replaced before the tick; a pre-confirmed one cannot be.
    const cheap = await send(chain, 0, { nonce: 3, to: token, data: tokenCall('transfer', [bob, 1n]) })
    const better = { maxFeePerGas: parseGwei('20'), maxPriorityFeePerGas: parseGwei('2') }
    await send(chain, 0, { nonce: 3, to: token, data: tokenCall('transfer', [bob, 100n]), ...better })
    expect(
      await ask(chain.preconf, 'eth_sendRawTransaction', [
        await sign(chain, 0, { nonce: 2, to: bob, ...better }),
      ]),
    ).toBe('error -32000 nonce too low')
    await chain.clock.advance(200)
    expect(await ask(chain.preconf, 'chain_transactionStatus', [cheap])).toEqual({
      status: 'Unknown',
      stage: 'replaced',
    })
    expect(await readPending(start.latest)).toMatchInlineSnapshot(`
      {
        "pending on preconf": {
          "balance": "0x21e27c156ef29378980",
          "block": "0x1 <two slots: block 1> 0x6553f102 0x7f278 <two slots: block 1, state>",
          "call": "0x000000000000000000000000000000000000000000000000000000000000006b",
          "code": "1337 bytes, keccak256 0xfd5cd3bb0666e8dc",
          "estimate": "0x8664",
          "logs": [
            "0x0 1000000000000000000000000 <two slots: block 1>",
            "0x1 7 <two slots: block 1>",
            "0x2 100 <two slots: block 1>",
          ],
          "nonces": [
            "0x4",
            "0x1",
          ],
          "receipts": [
            "0x1 0x5f1ce <two slots: block 1>",
            "0x1 0xc930 <two slots: block 1>",
            "0x1 0x5208 <two slots: block 1>",
            "0x0 0x5f0e <two slots: block 1>",
            "0x1 0x8664 <two slots: block 1>",
          ],
          "supply": "0x00000000000000000000000000000000000000000000d3c21bcecceda1000000",
          "transactions": [
            "0xca46f45af71e7ebe53bf79ba91cf9deacd46499af1cdf4d5107af0b9e7f03dde",
            "0x09e7686463b47f7b5985c4ba526bd3ab8c9d0291170118014fc5c93d1ba3bcb4",
            "0x18b43c05eff63a320944cbdfa2969706862a565b16ddb166de97f8024d9be94c",
            "0x082937169b65e19ec3015ecdf1dbfdcc3d6557627e1e05549ae62d202fda457f",
            "0x1ed0a510c8fc77cb32ce450b1caf766a811f16953c66dd3abf0a2f0d53f031b2",
          ],
        },
        "pending on standard": {
          "block": "  0x6553f102 0x0 <genesis: state>",
          "estimate": "0x579e",
          "nonces": [
            "0x4",
            "0x1",
          ],
        },
      }
    `)

    // 1.8 s: unchanged ticks.
    const before = await readAll()
    await chain.clock.advance(1200)
    expect(await readAll()).toEqual(before)

    // 2 s: sealed as it was pre-confirmed, and index 0 of the next block.
    await chain.clock.advance(200)
    const sealed = before['pending on preconf']
    expect(await readPending(sealed)).toMatchInlineSnapshot(`
      {
        "pending on preconf": {
          "balance": "0x21e27c156ef29378980",
          "block": "0x2 <two slots: block 2, preconf block 0> 0x6553f104 0x0 <two slots: block 2, preconf block 0, state>",
          "call": "0x000000000000000000000000000000000000000000000000000000000000006b",
          "code": "1337 bytes, keccak256 0xfd5cd3bb0666e8dc",
          "estimate": "0x8664",
          "logs": [],
          "nonces": [
            "0x4",
            "0x1",
          ],
          "receipts": [],
          "supply": "0x00000000000000000000000000000000000000000000d3c21bcecceda1000000",
          "transactions": [],
        },
        "pending on standard": {
          "block": "  0x6553f104 0x0 <two slots: block 1, state>",
          "estimate": "0x8664",
          "nonces": [
            "0x4",
            "0x1",
          ],
        },
      }
    `)

    // 2.2 s: the next block's first transaction.
    await send(chain, 1, { nonce: 1, to: token, data: tokenCall('transfer', [alice, 7n]) })
    await chain.clock.advance(200)
    const next = await readPending(sealed)
    expect(next).toMatchInlineSnapshot(`
      {
        "pending on preconf": {
          "balance": "0x21e27c11f918b7d5b14",
          "block": "0x2 <two slots: block 2> 0x6553f104 0x8664 <two slots: block 2, state>",
          "call": "0x0000000000000000000000000000000000000000000000000000000000000064",
          "code": "1337 bytes, keccak256 0xfd5cd3bb0666e8dc",
          "estimate": "0x8664",
          "logs": [
            "0x0 7 <two slots: block 2>",
          ],
          "nonces": [
            "0x4",
            "0x2",
          ],
          "receipts": [
            "0x1 0x8664 <two slots: block 2>",
          ],
          "supply": "0x00000000000000000000000000000000000000000000d3c21bcecceda1000000",
          "transactions": [
            "0x62556eb44075390c48a6e0d3929768cfb04b1f309448c5379146e63439d1caf3",
          ],
        },
        "pending on standard": {
          "block": "  0x6553f104 0x0 <two slots: block 1, state>",
          "estimate": "0x8664",
          "nonces": [
            "0x4",
            "0x2",
          ],
        },
      }
    `)

    // 4 s: sealed too.
    await chain.clock.advance(1800)
    expect(await readPending(next['pending on preconf'])).toMatchInlineSnapshot(`
      {
        "pending on preconf": {
          "balance": "0x21e27c11f918b7d5b14",
          "block": "0x3 <two slots: block 3, preconf block 0> 0x6553f106 0x0 <two slots: block 3, preconf block 0, state>",
          "call": "0x0000000000000000000000000000000000000000000000000000000000000064",
          "code": "1337 bytes, keccak256 0xfd5cd3bb0666e8dc",
          "estimate": "0x8664",
          "logs": [],
          "nonces": [
            "0x4",
            "0x2",
          ],
          "receipts": [],
          "supply": "0x00000000000000000000000000000000000000000000d3c21bcecceda1000000",
          "transactions": [],
        },
        "pending on standard": {
          "block": "  0x6553f106 0x0 <two slots: block 2, state>",
          "estimate": "0x8664",
          "nonces": [
            "0x4",
            "0x2",
          ],
        },
      }
    `)
  })
})
