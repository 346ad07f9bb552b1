import { describe, expect, it } from 'vitest'
import type { Hash, PreconfBlock, PresealChain } from '../../../src/index.ts'
import { Probe } from '../../contracts/artifacts.ts'
import { startChain, viemOn } from '../../harness.ts'
import { dump, hashesOf, send } from './support.ts'

describe('events of a chain', () => {
  it('report a transaction that waits', async () => {
    const chain = await startChain()
    const events: unknown[] = []
    chain.on('transaction', (tx) => events.push(tx))
    await send(chain, { nonce: 0 })
    expect(events).toMatchInlineSnapshot(`
      [
        {
          "accessList": [],
          "blockHash": null,
          "blockNumber": null,
          "chainId": "0x7a69",
          "from": "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266",
          "gas": "0x5208",
          "gasPrice": "0x174876e800",
          "hash": "0x239a2ad582d486bc58c5a7a349c374ae07f95f4491fcaaf08260178a56ea791e",
          "input": "0x",
          "maxFeePerGas": "0x174876e800",
          "maxPriorityFeePerGas": "0x1",
          "nonce": "0x0",
          "r": "0x6ce2def2ae5629a99b7f0882124b447aee0167ac1603ea2896b6dc660468df93",
          "s": "0x3c31f0b99835ed24eef6ddce704151454eb4e5bcfc27321c40362c7805c4b72a",
          "to": "0xc0dec0dec0dec0dec0dec0dec0dec0dec0dec0de",
          "transactionIndex": null,
          "type": "0x2",
          "v": "0x0",
          "value": "0x1",
          "yParity": "0x0",
        },
      ]
    `)
  })

  it('report a preconf block with full transactions, their receipts and the index of the first new one', async () => {
    const chain = await startChain()
    await send(chain, { nonce: 0 })
    await chain.tick()
    const events: PreconfBlock[] = []
    chain.on('preconf', (preconfBlock) => events.push(preconfBlock))
    await viemOn(chain).wallet(1).deployContract(Probe)
    const published = await chain.tick()
    expect(events).toEqual([published])
    const { block, ...rest } = published
    expect({ ...rest, transactions: hashesOf(published) }).toMatchInlineSnapshot(`
      {
        "added": 1,
        "index": 2,
        "receipts": [
          {
            "blockHash": "<events: preconf block>",
            "blockNumber": "0x1",
            "contractAddress": null,
            "cumulativeGasUsed": "0x5208",
            "effectiveGasPrice": "0x342770c1",
            "from": "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266",
            "gasUsed": "0x5208",
            "logs": [],
            "logsBloom": "0x00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000",
            "status": "0x1",
            "to": "0xc0dec0dec0dec0dec0dec0dec0dec0dec0dec0de",
            "transactionHash": "0x239a2ad582d486bc58c5a7a349c374ae07f95f4491fcaaf08260178a56ea791e",
            "transactionIndex": "0x0",
            "type": "0x2",
          },
          {
            "blockHash": "<events: preconf block>",
            "blockNumber": "0x1",
            "contractAddress": "0x8464135c8f25da09e49bc8782676a84730c318bc",
            "cumulativeGasUsed": "0x6c1d2",
            "effectiveGasPrice": "0x6fc23ac0",
            "from": "0x70997970c51812dc3a010c7d01b50e0d17dc79c8",
            "gasUsed": "0x66fca",
            "logs": [],
            "logsBloom": "0x00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000",
            "status": "0x1",
            "to": null,
            "transactionHash": "0x6c485a630a227bb82bd66d0d0ebe0632b0bbc3150463f388a0c58955259c8dda",
            "transactionIndex": "0x1",
            "type": "0x2",
          },
        ],
        "transactions": [
          "0x239a2ad582d486bc58c5a7a349c374ae07f95f4491fcaaf08260178a56ea791e",
          "0x6c485a630a227bb82bd66d0d0ebe0632b0bbc3150463f388a0c58955259c8dda",
        ],
      }
    `)
  })

  it('report a sealed block', async () => {
    const chain = await startChain()
    const events: unknown[] = []
    chain.on('block', (block) => events.push(block))
    await send(chain, { nonce: 0 })
    const sealed = await chain.seal()
    expect(events).toEqual([sealed])
    expect(sealed).toMatchInlineSnapshot(`
      {
        "block": {
          "baseFeePerGas": "0x342770c0",
          "blobGasUsed": "0x0",
          "difficulty": "0x0",
          "excessBlobGas": "0x0",
          "extraData": "0x",
          "gasLimit": "0x1c9c380",
          "gasUsed": "0x5208",
          "hash": "<events: block 1>",
          "logsBloom": "0x00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000",
          "miner": "0x0000000000000000000000000000000000000000",
          "mixHash": "<block 1: randao>",
          "nonce": "0x0000000000000000",
          "number": "0x1",
          "parentBeaconBlockRoot": "0x0000000000000000000000000000000000000000000000000000000000000000",
          "parentHash": "<genesis>",
          "receiptsRoot": "0xf78dfb743fbd92ade140711c8bbc542b5e307f0ab7984eff35d751969fe57efa",
          "requestsHash": "0xe3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
          "sha3Uncles": "0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347",
          "size": "0x2d9",
          "stateRoot": "<events: block 1, state>",
          "timestamp": "0x6553f101",
          "totalDifficulty": "0x0",
          "transactions": [
            {
              "accessList": [],
              "blockHash": "<events: block 1>",
              "blockNumber": "0x1",
              "blockTimestamp": "0x6553f101",
              "chainId": "0x7a69",
              "from": "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266",
              "gas": "0x5208",
              "gasPrice": "0x342770c1",
              "hash": "0x239a2ad582d486bc58c5a7a349c374ae07f95f4491fcaaf08260178a56ea791e",
              "input": "0x",
              "maxFeePerGas": "0x174876e800",
              "maxPriorityFeePerGas": "0x1",
              "nonce": "0x0",
              "r": "0x6ce2def2ae5629a99b7f0882124b447aee0167ac1603ea2896b6dc660468df93",
              "s": "0x3c31f0b99835ed24eef6ddce704151454eb4e5bcfc27321c40362c7805c4b72a",
              "to": "0xc0dec0dec0dec0dec0dec0dec0dec0dec0dec0de",
              "transactionIndex": "0x0",
              "type": "0x2",
              "v": "0x0",
              "value": "0x1",
              "yParity": "0x0",
            },
          ],
          "transactionsRoot": "0x687f09ce60b46be855bc7fcee49e79455790765c6ad598e43711e2b35bd8ee58",
          "uncles": [],
          "withdrawals": [],
          "withdrawalsRoot": "0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421",
        },
        "receipts": [
          {
            "blockHash": "<events: block 1>",
            "blockNumber": "0x1",
            "contractAddress": null,
            "cumulativeGasUsed": "0x5208",
            "effectiveGasPrice": "0x342770c1",
            "from": "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266",
            "gasUsed": "0x5208",
            "logs": [],
            "logsBloom": "0x00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000",
            "status": "0x1",
            "to": "0xc0dec0dec0dec0dec0dec0dec0dec0dec0dec0de",
            "transactionHash": "0x239a2ad582d486bc58c5a7a349c374ae07f95f4491fcaaf08260178a56ea791e",
            "transactionIndex": "0x0",
            "type": "0x2",
          },
        ],
      }
    `)
  })

  it('report replaced and evicted transactions', async () => {
    const chain = await startChain({ mempool: { maxTransactions: 2 } })
    const drops: unknown[] = []
    chain.on('dropped', (drop) => drops.push(drop))
    const first = await send(chain, { from: 0, nonce: 0 })
    await send(chain, { from: 0, nonce: 0, tip: 2n, cap: 2n * 10n ** 11n })
    const second = await send(chain, { from: 1, nonce: 0 })
    await send(chain, { from: 2, nonce: 0, tip: 9n })
    expect(drops).toEqual([
      { hash: first, reason: 'replaced' },
      { hash: second, reason: 'evicted' },
    ])
  })

  it('come after the change: a listener never reads an older state', async () => {
    const chain = await startChain({ mempool: { maxTransactions: 1 } })
    const checks: Promise<unknown>[] = []
    const ask = (provider: PresealChain['preconf'], method: string, ...params: unknown[]) =>
      provider.request({ method, params })
    chain.on('transaction', ({ hash, from, nonce }) => {
      checks.push(
        ask(chain.preconf, 'eth_getTransactionByHash', hash).then((tx) => expect(tx).toMatchObject({ hash })),
        ask(chain.standard, 'eth_getTransactionCount', from, 'pending').then((count) =>
          expect(Number(count)).toBe(Number(nonce) + 1),
        ),
      )
    })
    chain.on('preconf', ({ block, receipts }) => {
      checks.push(
        ask(chain.preconf, 'eth_getBlockByNumber', 'pending', true).then((pending) =>
          expect(pending).toEqual(block),
        ),
        ask(chain.preconf, 'eth_getBlockReceipts', 'pending').then((got) => expect(got).toEqual(receipts)),
      )
      const [tx] = block.transactions
      if (tx === undefined) return
      checks.push(
        ask(chain.preconf, 'chain_transactionStatus', tx.hash).then((status) =>
          expect(status).toEqual({ status: 'Known', stage: 'preconfirmed' }),
        ),
        ask(chain.preconf, 'eth_getTransactionCount', tx.from, 'pending').then((count) =>
          expect(Number(count)).toBe(Number(tx.nonce) + 1),
        ),
      )
    })
    chain.on('block', ({ block, receipts }) => {
      for (const provider of [chain.standard, chain.preconf]) {
        checks.push(
          ask(provider, 'eth_blockNumber').then((number) => expect(number).toBe(block.number)),
          ask(provider, 'eth_getBlockByNumber', 'latest', true).then((latest) =>
            expect(latest).toEqual(block),
          ),
          ask(provider, 'eth_getBlockReceipts', block.hash).then((got) => expect(got).toEqual(receipts)),
        )
      }
      // The next block is already under construction.
      checks.push(
        ask(chain.preconf, 'eth_getBlockByNumber', 'pending', false).then((pending) =>
          expect(pending).toMatchObject({ parentHash: block.hash, transactions: [] }),
        ),
      )
    })
    chain.on('dropped', ({ hash }) => {
      checks.push(
        ask(chain.preconf, 'chain_transactionStatus', hash).then((status) =>
          expect(status).toEqual({ status: 'Unknown', stage: 'replaced' }),
        ),
      )
    })
    for (let nonce = 0; nonce < 4; nonce++) {
      await send(chain, { nonce })
      await send(chain, { nonce, tip: 2n, cap: 2n * 10n ** 11n })
      await chain.tick()
      await chain.seal()
    }
    // Per round: 2 sends, a replacement, preconf blocks with and without a transaction, and a block.
    expect(checks).toHaveLength(4 * (2 * 2 + 1 + 4 + 2 + 7))
    await Promise.all(checks)
  })

  it('are isolated from listeners that throw or reject, which is reported as an error', async () => {
    const chain = await startChain()
    const errors: string[] = []
    const preconfBlocks: number[] = []
    chain.on('error', ({ message }) => errors.push(message))
    chain.on('preconf', () => {
      throw new Error('thrown')
    })
    chain.on('preconf', async () => {
      throw new Error('rejected')
    })
    chain.once('block', async () => {
      throw new Error('rejected once')
    })
    chain.on('transaction', () => {
      throw 'not an error'
    })
    chain.on('preconf', ({ index }) => preconfBlocks.push(index))
    const hash = await send(chain, { nonce: 0 })
    await chain.tick()
    expect(hashesOf(await chain.seal())).toEqual([hash])
    expect(errors).toEqual(['not an error', 'thrown', 'rejected', 'thrown', 'rejected once', 'rejected'])
    expect(preconfBlocks).toEqual([1, 0])
  })

  it('are unaffected by listeners that mutate their arguments', async () => {
    const chain = await startChain()
    const deleteAll = (value: object) => {
      for (const part of Object.values(value)) if (typeof part === 'object' && part !== null) deleteAll(part)
      for (const key of Object.keys(value)) Reflect.deleteProperty(value, key)
    }
    const control = await startChain()
    for (const event of ['transaction', 'preconf', 'block'] as const) chain.on(event, deleteAll)
    for (const each of [chain, control]) {
      await viemOn(each).wallet(1).deployContract(Probe)
      await each.tick()
      deleteAll(await each.seal())
      await send(each, { nonce: 0 })
      deleteAll(await each.tick())
    }
    expect(await dump(chain)).toEqual(await dump(control))
  })

  it('call a listener of `once` once', async () => {
    const chain = await startChain()
    const calls: string[] = []
    const first = () => calls.push('first')
    const both = () => calls.push('both')
    chain.once('preconf', first).once('preconf', first)
    chain.on('preconf', both).once('preconf', both).on('preconf', both)
    await chain.tick()
    await chain.tick()
    expect(calls).toEqual(['first', 'both', 'both'])
  })

  it('call no listener that was removed, however it was added', async () => {
    const chain = await startChain()
    const calls: string[] = []
    const listener = () => calls.push('called')
    chain.on('preconf', listener).off('preconf', listener).once('preconf', listener).off('preconf', listener)
    await chain.tick()
    chain.once('preconf', listener).on('preconf', listener)
    await chain.tick()
    await chain.tick()
    expect(calls).toEqual(['called', 'called'])
  })

  it('let a listener tick and seal', async () => {
    const chain = await startChain()
    const sealed = new Promise<Hash[]>((resolve) => {
      chain.once('preconf', () => {
        chain.seal().then((block) => resolve(hashesOf(block)))
      })
    })
    const hash = await send(chain, { nonce: 0 })
    await chain.tick()
    expect(await sealed).toEqual([hash])
  })
})
