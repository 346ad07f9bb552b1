import { describe, expect, it } from 'vitest'
import { startChain, type TestChain } from '../../harness.ts'
import { ask, cheat } from '../../rpc/scene.ts'
import { hashesOf, send } from '../sequencer/support.ts'

const latest = async (chain: TestChain) =>
  (await cheat(chain, 'eth_getBlockByNumber', 'latest', false)) as Record<string, string>

describe('cheats for blocks', () => {
  describe('settings of the next block', () => {
    it('apply prevRandao and the base fee to one block, under every name', async () => {
      const chain = await startChain({}, {}, { skipHeaderValidation: true })
      const word = `0x${'5'.padStart(64, '0')}`
      expect(await cheat(chain, 'hardhat_setPrevRandao', word)).toBeNull()
      await cheat(chain, 'hardhat_setNextBlockBaseFeePerGas', '0x1234')
      const pending = (await ask(chain.preconf, 'eth_getBlockByNumber', ['pending', false])) as Record<
        string,
        string
      >
      expect([pending['mixHash'], pending['baseFeePerGas']]).toEqual([word, '0x1234'])
      const history = (await cheat(chain, 'eth_feeHistory', '0x1', 'latest')) as { baseFeePerGas: string[] }
      expect(history.baseFeePerGas[1]).toBe('0x1234')
      await chain.seal()
      expect((await latest(chain))['mixHash']).toBe(word)
      await chain.seal()
      expect((await latest(chain))['mixHash']).not.toBe(word)
    })

    it('execute pre-confirmed transactions again; those with too low a fee wait', async () => {
      const chain = await startChain({}, {}, { skipHeaderValidation: true })
      const poor = await send(chain, { nonce: 0, cap: 2n * 10n ** 9n })
      const rich = await send(chain, { from: 1, nonce: 0 })
      await chain.tick()
      await cheat(chain, 'anvil_setNextBlockBaseFeePerGas', 10 ** 10)
      expect(hashesOf(await chain.seal())).toEqual([rich])
      expect(await cheat(chain, 'chain_transactionStatus', poor)).toEqual({
        status: 'Known',
        stage: 'queued',
      })
    })

    it('include the fee recipient that eth_coinbase returns', async () => {
      const chain = await startChain()
      const address = `0x${'cd'.repeat(20)}`
      await cheat(chain, 'anvil_setCoinbase', address)
      expect(await cheat(chain, 'eth_coinbase')).toBe(address)
    })
  })

  describe('mining switches', () => {
    it('can turn on sealing at each send and sealing by the clock together', async () => {
      const chain = await startChain({ mining: 'interval' })
      await cheat(chain, 'evm_setAutomine', true)
      await send(chain, { nonce: 0 })
      expect(await cheat(chain, 'eth_blockNumber')).toBe('0x1')
      await chain.clock.advance(2000)
      expect(await cheat(chain, 'eth_blockNumber')).toBe('0x2')
      expect(await cheat(chain, 'eth_mining')).toBe(true)
      expect(await cheat(chain, 'anvil_getIntervalMining')).toBe(2)
    })

    it('turn both off by miner_stop, and restore the options by miner_start', async () => {
      const chain = await startChain({ mining: 'interval' })
      await cheat(chain, 'miner_stop')
      await chain.clock.advance(10_000)
      expect([await cheat(chain, 'eth_blockNumber'), await cheat(chain, 'eth_mining')]).toEqual([
        '0x0',
        false,
      ])
      await cheat(chain, 'miner_start')
      await chain.clock.advance(2000)
      expect([await cheat(chain, 'eth_blockNumber'), await cheat(chain, 'anvil_getAutomine')]).toEqual([
        '0x1',
        false,
      ])
    })

    it('take an interval in seconds by the name of anvil, in milliseconds from 100 on by that of Hardhat', async () => {
      const chain = await startChain()
      await cheat(chain, 'anvil_setIntervalMining', 120)
      expect(await cheat(chain, 'anvil_getIntervalMining')).toBe(120)
      await cheat(chain, 'evm_setIntervalMining', 500)
      expect(await cheat(chain, 'anvil_getIntervalMining')).toBe(0.5)
      await chain.clock.advance(1000)
      expect(await cheat(chain, 'eth_blockNumber')).toBe('0x2')
      await cheat(chain, 'evm_setIntervalMining', 0)
      expect(await cheat(chain, 'anvil_getIntervalMining')).toBeNull()
    })
  })

  describe('waiting transactions', () => {
    it('are dropped by sender or all at once, also pre-confirmed ones', async () => {
      const chain = await startChain()
      const mine = await send(chain, { nonce: 0 })
      const other = await send(chain, { from: 1, nonce: 0 })
      await chain.tick()
      const later = await send(chain, { from: 1, nonce: 1 })
      const drops: unknown[] = []
      chain.on('dropped', (drop) => drops.push(drop))
      await cheat(chain, 'anvil_removePoolTransactions', chain.accounts[0]!.address)
      expect(drops).toEqual([{ hash: mine, reason: 'removed' }])
      expect(await cheat(chain, 'anvil_dropTransaction', mine)).toBe(false)
      await cheat(chain, 'anvil_dropAllTransactions')
      expect(drops.slice(1)).toEqual([other, later].map((hash) => ({ hash, reason: 'removed' })))
      expect((await chain.seal()).block.transactions).toEqual([])
      const again = await send(chain, { nonce: 0, value: 2n })
      expect(hashesOf(await chain.seal())).toEqual([again])
    })
  })

  it('refuse to drop a sealed transaction by the name of Hardhat, and return false by others', async () => {
    const chain = await startChain()
    const hash = await send(chain, { nonce: 0 })
    await chain.seal()
    expect(await cheat(chain, 'anvil_dropTransaction', hash)).toBe(false)
    expect(await cheat(chain, 'hardhat_dropTransaction', hash)).toBe(
      `error -32602 transaction ${hash} cannot be dropped because it's already mined`,
    )
    expect(await cheat(chain, 'hardhat_dropTransaction', `0x${'00'.repeat(32)}`)).toBe(false)
    const next = await send(chain, { nonce: 1 })
    await chain.tick()
    expect(await cheat(chain, 'hardhat_dropTransaction', next)).toBe(true)
  })

  it('return a new instance id for each chain and after each reset', async () => {
    const chain = await startChain()
    const instance = async (of = chain) =>
      ((await cheat(of, 'hardhat_metadata')) as { instanceId: string }).instanceId
    const ids = [await instance()]
    ids.push(await instance(await startChain()))
    await chain.seal()
    expect(await instance()).toBe(ids[0])
    for (let i = 0; i < 2; i++) {
      await cheat(chain, 'hardhat_reset')
      ids.push(await instance())
    }
    expect(new Set(ids).size).toBe(4)
    for (const id of ids) expect(id).toMatch(/^0x[0-9a-f]{64}$/)
  })

  it('return metadata of the chain', async () => {
    const chain = await startChain()
    await chain.seal()
    const { hash } = await latest(chain)
    const metadata = {
      clientVersion: expect.stringMatching(/^preseal\/v/),
      chainId: 31337,
      instanceId: expect.stringMatching(/^0x[0-9a-f]{64}$/),
      latestBlockNumber: 1,
      latestBlockHash: hash,
    }
    const asHardhat = (await cheat(chain, 'hardhat_metadata')) as object
    expect(asHardhat).toEqual(metadata)
    // Hardhat's clients treat a chain as a fork if the field is present, even if it is null.
    expect(asHardhat).not.toHaveProperty('forkedNetwork')
    expect(await cheat(chain, 'anvil_metadata')).toEqual({ ...metadata, forkedNetwork: null })
    expect(await cheat(chain, 'anvil_nodeInfo')).toMatchInlineSnapshot(`
      {
        "currentBlockHash": "<mine: head>",
        "currentBlockNumber": "0x1",
        "currentBlockTimestamp": 1700000001,
        "environment": {
          "baseFee": "0x2da282a8",
          "chainId": 31337,
          "gasLimit": "0x1c9c380",
          "gasPrice": "0x2da282a8",
        },
        "forkConfig": {
          "forkBlockNumber": null,
          "forkRetryBackoff": null,
          "forkUrl": null,
        },
        "hardFork": "osaka",
        "transactionOrder": "fees",
      }
    `)
  })
})
