import { MemoryLevel } from 'memory-level'
import { getContractAddress } from 'viem'
import { describe, expect, it } from 'vitest'
import type { PreconfBlock, Retraction } from '../../../src/index.ts'
import { Token } from '../../contracts/artifacts.ts'
import { startChain, type TestChain, viemOn } from '../../harness.ts'
import { ask, cheat } from '../../rpc/scene.ts'
import { dump, hashesOf, LOGGING, RECIPIENT, send } from '../sequencer/support.ts'

const STRANGER = `0x${'ab'.repeat(20)}` as const

async function balances(chain: TestChain, of: string, tags: readonly string[]): Promise<unknown[]> {
  const found = []
  for (const provider of [chain.standard, chain.preconf]) {
    for (const tag of tags) found.push(await ask(provider, 'eth_getBalance', [of, tag]))
  }
  return found
}

describe('state that cheats write', () => {
  it('is visible at the head of both views at once, and not in earlier blocks', async () => {
    const chain = await startChain()
    await chain.seal()
    const head = await ask(chain.standard, 'eth_getBlockByNumber', ['latest', true])
    expect(await cheat(chain, 'anvil_setBalance', STRANGER, '0x10')).toBe(true)
    expect(await ask(chain.standard, 'eth_getBlockByNumber', ['latest', true])).toEqual(head)
    const tags = ['latest', 'pending', '0x1', '0x0']
    expect(await balances(chain, STRANGER, tags)).toEqual([
      '0x10',
      '0x10',
      '0x10',
      '0x0',
      '0x10',
      '0x10',
      '0x10',
      '0x0',
    ])
  })

  it('can be proven from the next block on, not at the head', async () => {
    const chain = await startChain()
    await cheat(chain, 'anvil_setBalance', STRANGER, 5)
    const proof = (tag: string) => ask(chain.preconf, 'eth_getProof', [STRANGER, [], tag])
    expect(await proof('latest')).toBe('error -32000 state not available')
    expect(await proof('pending')).toMatchObject({ balance: '0x5' })
    await chain.seal()
    expect(await proof('latest')).toMatchObject({ balance: '0x5' })
    expect(await proof('0x0')).toBe('error -32000 state not available')
  })

  it('has pre-confirmed transactions executed again on it, after a retraction', async () => {
    const chain = await startChain()
    const hash = await send(chain, { nonce: 0, ...LOGGING })
    const tick = await chain.tick()
    const removed: unknown[] = []
    await ask(chain.preconf, 'eth_subscribe', ['pendingLogs'])
    chain.preconf.on('message', ({ data }) => {
      const log = data.result as Record<string, unknown>
      removed.push([log['removed'], log['transactionHash'], log['blockHash']])
    })
    const events: unknown[] = []
    chain.on('retracted', (retracted: Retraction) => events.push(retracted))
    chain.on('preconf', (preconfBlock: PreconfBlock) => events.push(preconfBlock))
    await cheat(chain, 'anvil_setBalance', STRANGER, '0x10')
    const preconfBlock = events[1] as PreconfBlock
    expect(events[0]).toEqual({
      reason: 'cheat',
      preconfBlocks: [expect.any(String), tick.block.hash],
      blocks: [],
      transactions: [],
    })
    expect([preconfBlock.index, preconfBlock.added, hashesOf(preconfBlock)]).toEqual([2, 0, [hash]])
    expect(removed).toEqual([
      [true, hash, tick.block.hash],
      [false, hash, preconfBlock.block.hash],
    ])
    expect((await chain.seal()).block.hash).toBe(preconfBlock.block.hash)
  })

  it('drops pre-confirmed transactions that can no longer be paid for', async () => {
    const chain = await startChain()
    const hash = await send(chain, { nonce: 0 })
    await chain.tick()
    const events: unknown[] = []
    chain.on('retracted', ({ transactions }) => events.push(transactions))
    chain.on('dropped', (drop) => events.push(drop))
    await cheat(chain, 'anvil_setBalance', chain.accounts[0]!.address, '0x0')
    expect(events).toEqual([[hash], expect.objectContaining({ hash, reason: 'funds' })])
    expect((await chain.seal()).block.transactions).toEqual([])
  })

  it('drops waiting transactions with a nonce that is now used', async () => {
    const chain = await startChain()
    const hash = await send(chain, { nonce: 0 })
    const later = await send(chain, { nonce: 3 })
    const drops: unknown[] = []
    chain.on('dropped', (drop) => drops.push(drop))
    await cheat(chain, 'anvil_setNonce', chain.accounts[0]!.address, 3)
    expect(drops).toEqual([{ hash, reason: 'nonce' }])
    expect(hashesOf(await chain.seal())).toEqual([later])
  })

  it('has no empty accounts', async () => {
    const chain = await startChain()
    const before = await dump(chain)
    await cheat(chain, 'anvil_setBalance', STRANGER, '0x0')
    await cheat(chain, 'anvil_setBalance', STRANGER, '0x5')
    await cheat(chain, 'anvil_setBalance', STRANGER, '0x0')
    const fresh = await startChain()
    expect((await chain.seal()).block.stateRoot).toBe((await fresh.seal()).block.stateRoot)
    expect(before).not.toEqual(await dump(chain))
  })

  it('caps balances at their maximum', async () => {
    const chain = await startChain()
    const most = `0x${'f'.repeat(64)}`
    await cheat(chain, 'anvil_addBalance', STRANGER, '7')
    await cheat(chain, 'anvil_addBalance', STRANGER, 8)
    expect(await balances(chain, STRANGER, ['latest'])).toEqual(['0xf', '0xf'])
    await cheat(chain, 'anvil_addBalance', STRANGER, most)
    expect(await balances(chain, STRANGER, ['latest'])).toEqual([most, most])
  })

  it("can be written by ganache's names too", async () => {
    const chain = await startChain()
    await cheat(chain, 'evm_setAccountBalance', STRANGER, '0x1')
    await cheat(chain, 'evm_setAccountNonce', STRANGER, '0x2')
    await cheat(chain, 'evm_setAccountCode', STRANGER, '0x6003')
    await cheat(chain, 'evm_setAccountStorageAt', STRANGER, '0x4', '0x5')
    const read = (method: string, ...params: unknown[]) =>
      ask(chain.standard, method, [STRANGER, ...params, 'latest'])
    expect([
      await read('eth_getBalance'),
      await read('eth_getTransactionCount'),
      await read('eth_getCode'),
      await read('eth_getStorageAt', '0x4'),
    ]).toEqual(['0x1', '0x2', '0x6003', `0x${'5'.padStart(64, '0')}`])
  })

  it('is restored from a database', async () => {
    const database = new MemoryLevel<Uint8Array, Uint8Array>()
    const chain = await startChain({ database })
    await cheat(chain, 'anvil_setBalance', STRANGER, '0x10')
    await send(chain, { nonce: 0 })
    await chain.seal()
    await cheat(chain, 'anvil_setStorageAt', STRANGER, '0x1', '0x2')
    await cheat(chain, 'anvil_setCode', STRANGER, '0x6001')
    const id = await chain.snapshot()
    await cheat(chain, 'anvil_setBalance', RECIPIENT, '0x99')
    await chain.seal()
    await chain.revert(id)
    const before = await balances(chain, STRANGER, ['latest', '0x0'])
    await chain.finish()
    const again = await startChain({ database })
    expect(await ask(again.standard, 'eth_blockNumber')).toBe('0x1')
    expect(await balances(again, STRANGER, ['latest', '0x0'])).toEqual(before)
    expect(await balances(again, RECIPIENT, ['latest'])).toEqual(['0x1', '0x1'])
    expect(await ask(again.standard, 'eth_getStorageAt', [STRANGER, '0x1', 'latest'])).toMatch(/2$/)
    await cheat(again, 'anvil_reset')
    expect(await balances(again, STRANGER, ['latest'])).toEqual(['0x0', '0x0'])
    await again.finish()
    const reset = await startChain({ database })
    expect(await ask(reset.standard, 'eth_blockNumber')).toBe('0x0')
    expect(await balances(reset, STRANGER, ['latest'])).toEqual(['0x0', '0x0'])
  })

  it('is unchanged after invalid parameters', async () => {
    const chain = await startChain()
    const before = await dump(chain)
    expect(await cheat(chain, 'anvil_setBalance', STRANGER, -1)).toBe(
      'error -32602 invalid argument 1: expected an integer >= 0 of up to 256 bits',
    )
    expect(await cheat(chain, 'anvil_setBalance', STRANGER, `0x1${'0'.repeat(64)}`)).toMatch(/^error -32602/)
    expect(await cheat(chain, 'anvil_setCode', STRANGER, '0x1')).toMatch(/^error -32602/)
    expect(await cheat(chain, 'anvil_setNonce', '0x1', 1)).toMatch(/^error -32602/)
    expect(await cheat(chain, 'anvil_setStorageAt', STRANGER, '0x1', `0x${'0'.repeat(65)}`)).toMatch(
      /^error -32602/,
    )
    expect(await dump(chain)).toEqual(before)
  })
})

describe('token cheats', () => {
  async function withToken() {
    const chain = await startChain()
    const { wallet, standard } = viemOn(chain)
    const token = getContractAddress({ from: chain.accounts[0]!.address, nonce: 0n })
    await wallet().deployContract(Token)
    await chain.seal()
    const read = (functionName: 'balanceOf' | 'allowance', args: readonly `0x${string}`[]) =>
      standard.readContract({ address: token, abi: Token.abi, functionName, args } as never)
    return { chain, token, read }
  }

  it('set the slot that balanceOf reads', async () => {
    const { chain, token, read } = await withToken()
    await cheat(chain, 'anvil_dealERC20', STRANGER, token, '0x64')
    expect(await read('balanceOf', [STRANGER])).toBe(100n)
    expect(await read('balanceOf', [chain.accounts[0]!.address])).toBe(1_000_000n * 10n ** 18n)
  })

  it('set the slot that allowance reads', async () => {
    const { chain, token, read } = await withToken()
    await cheat(chain, 'anvil_setERC20Allowance', STRANGER, RECIPIENT, token, '77')
    expect(await read('allowance', [STRANGER, RECIPIENT])).toBe(77n)
    expect(await read('allowance', [RECIPIENT, STRANGER])).toBe(0n)
  })

  it('refuse a token without a slot for balances', async () => {
    const { chain } = await withToken()
    expect(await cheat(chain, 'anvil_dealERC20', RECIPIENT, STRANGER, '0x64')).toBe(
      `error -32000 no storage slot of token ${STRANGER} controls this value`,
    )
  })
})
