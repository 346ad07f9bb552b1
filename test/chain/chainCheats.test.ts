import { encodeFunctionData, getContractAddress } from 'viem'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import type { Hex, PresealChain } from '../../src/index.ts'
import { CallCounter, isolateChain } from '../../src/kits/vitest/preparedChain.ts'
import type { RemoteChain } from '../../src/kits/worker/index.ts'
import { Token } from '../contracts/artifacts.ts'
import { startChain, type TestChain } from '../harness.ts'
import { startRemote } from '../kits/worker/support.ts'
import { ask, send } from '../rpc/scene.ts'

const STRANGER = `0x${'ab'.repeat(20)}` as const
const CONTRACT = `0x${'cd'.repeat(20)}` as const
const LONG_WORD: Hex = `0x${'0'.repeat(63)}7`

type AnyChain = PresealChain | RemoteChain

/** A chain, and its methods as a user calls them. */
interface Pair {
  readonly chain: TestChain
  readonly user: AnyChain
}

const KINDS: readonly (readonly [name: string, start: () => Promise<Pair>])[] = [
  [
    'a chain',
    async () => {
      const chain = await startChain()
      return { chain, user: chain }
    },
  ],
  [
    'a chain in a worker',
    async () => {
      const { chain, remote } = await startRemote()
      return { chain: chain as TestChain, user: remote }
    },
  ],
  [
    'a chain isolated for a test',
    async () => {
      const chain = await startChain()
      const isolated = isolateChain(chain, new CallCounter())
      onTestFinished(() => isolated.end())
      return { chain, user: isolated.chain }
    },
  ],
]

const balanceOf = (owner: Hex) =>
  encodeFunctionData({ abi: Token.abi, functionName: 'balanceOf', args: [owner] })

/** Deploys the token with the first account; returns its address. */
async function deployToken(chain: TestChain): Promise<Hex> {
  await send(chain, 0, { nonce: 0, data: Token.bytecode, gas: 2_000_000n })
  await chain.seal()
  return getContractAddress({ from: chain.accounts[0].address, nonce: 0n })
}

/** The state that refused calls must not change. */
const observe = async ({ standard }: PresealChain) => ({
  state: await ask(standard, 'anvil_dumpState'),
  head: await ask(standard, 'eth_getBlockByNumber', ['latest', true]),
  accounts: await ask(standard, 'eth_accounts'),
  pending: await ask(standard, 'eth_getBlockByNumber', ['pending', true]),
})

describe.each(KINDS)('the cheats of %s', (_kind, start) => {
  let chain: TestChain
  let user: AnyChain
  beforeEach(async () => {
    const pair = await start()
    chain = pair.chain
    user = pair.user
  })

  it.each<[string, (chain: AnyChain) => Promise<unknown>, string, unknown[]]>([
    [
      'setBalance',
      (chain) => chain.setBalance(STRANGER, 2n ** 255n),
      'anvil_setBalance',
      [STRANGER, `0x8${'0'.repeat(63)}`],
    ],
    ['setCode', (chain) => chain.setCode(CONTRACT, '0x6001'), 'anvil_setCode', [CONTRACT, '0x6001']],
    [
      'setStorageAt',
      (chain) => chain.setStorageAt(CONTRACT, 1n, 7n),
      'anvil_setStorageAt',
      [CONTRACT, '0x1', '0x7'],
    ],
    [
      'setStorageAt of words',
      (chain) => chain.setStorageAt(CONTRACT, '0x01', LONG_WORD),
      'anvil_setStorageAt',
      [CONTRACT, '0x1', '0x7'],
    ],
    ['increaseTime', (chain) => chain.increaseTime(3600), 'evm_increaseTime', ['0xe10']],
    ['mine', (chain) => chain.mine(), 'anvil_mine', []],
    ['mine of several', (chain) => chain.mine(3), 'anvil_mine', ['0x3']],
  ])('have the effect of the JSON-RPC method: %s', async (_name, cheat, method, params) => {
    const other = await startChain()
    // Without a nonce, the contract would be empty and not be part of the state.
    for (const one of [chain, other]) await ask(one.standard, 'anvil_setNonce', [CONTRACT, '0x1'])
    const before = await observe(chain)
    await cheat(user)
    await ask(other.standard, method, params)
    expect(await observe(chain)).not.toEqual(before)
    expect(await observe(chain)).toEqual(await observe(other))
    expect((await chain.seal()).block).toEqual((await other.seal()).block)
  })

  it('resolve to nothing, except mine, which returns the newest sealed block (chain/DECISIONS.md 65)', async () => {
    const token = await deployToken(chain)
    expect([
      await user.increaseTime(1),
      await user.setBalance(STRANGER, 1n),
      await user.setCode(CONTRACT, '0x00'),
      await user.setStorageAt(CONTRACT, 0n, 1n),
      await user.impersonateAccount(STRANGER),
      await user.stopImpersonatingAccount(STRANGER),
      await user.deal(token, STRANGER, 1n),
    ]).toEqual(new Array(7).fill(undefined))
    const blocks: unknown[] = []
    chain.on('block', (block) => blocks.push(block))
    expect(await user.mine(2)).toEqual(blocks[1])
    expect(await user.mine(0)).toEqual(blocks[1])
    expect(blocks).toHaveLength(2)
  })

  it('include waiting transactions in the first mined block', async () => {
    const hash = await send(chain, 0, { nonce: 0, to: STRANGER, value: 1n })
    await user.mine(2)
    expect(await ask(chain.standard, 'eth_getTransactionReceipt', [hash])).toMatchObject({
      blockNumber: '0x1',
    })
    expect(await ask(chain.standard, 'eth_blockNumber')).toBe('0x2')
  })

  it('change the visible state at once', async () => {
    await user.setBalance(STRANGER, 5n)
    await user.setCode(CONTRACT, '0x60FF')
    await user.setStorageAt(CONTRACT, '0x0', 9n)
    const shown = [
      await ask(chain.standard, 'eth_getBalance', [STRANGER]),
      await ask(chain.preconf, 'eth_getCode', [CONTRACT, 'pending']),
      await ask(chain.preconf, 'eth_getStorageAt', [CONTRACT, '0x0', 'latest']),
    ]
    expect(shown).toEqual(['0x5', '0x60ff', `0x${'0'.repeat(63)}9`])
    await user.setBalance(STRANGER, 0n)
    await user.setCode(CONTRACT, '0x')
    await user.setStorageAt(CONTRACT, 0n, '0x')
    expect([
      await ask(chain.standard, 'eth_getBalance', [STRANGER]),
      await ask(chain.standard, 'eth_getCode', [CONTRACT]),
      await ask(chain.standard, 'eth_getStorageAt', [CONTRACT, '0x0']),
    ]).toEqual(['0x0', '0x', `0x${'0'.repeat(64)}`])
  })

  it('let an account send without its key, until the impersonation ends', async () => {
    const sending = { method: 'eth_sendTransaction', params: [{ from: STRANGER, to: CONTRACT }] } as const
    await user.setBalance(STRANGER, 10n ** 18n)
    await user.impersonateAccount(STRANGER.toUpperCase().replace('0X', '0x') as Hex)
    expect(await ask(chain.standard, 'eth_accounts')).toContain(STRANGER)
    const hash = await chain.live.request(sending)
    await user.mine()
    expect(await ask(chain.standard, 'eth_getTransactionReceipt', [hash])).toMatchObject({
      from: STRANGER,
      status: '0x1',
    })
    await user.stopImpersonatingAccount(STRANGER)
    expect(await ask(chain.standard, 'eth_accounts')).not.toContain(STRANGER)
    await expect(chain.live.request(sending)).rejects.toMatchObject({ code: 4100 })
  })

  it('deal tokens to one account only', async () => {
    const token = await deployToken(chain)
    const read = (owner: Hex) => ask(chain.live, 'eth_call', [{ to: token, data: balanceOf(owner) }])
    const before = await read(chain.accounts[0].address)
    await user.deal(token, STRANGER, 100n)
    expect(BigInt((await read(STRANGER)) as Hex)).toBe(100n)
    expect(await read(chain.accounts[0].address)).toBe(before)
  })

  it.each<[string, (chain: AnyChain) => Promise<unknown>, string, number?]>([
    [
      'setBalance: no address',
      (chain) => chain.setBalance('0x12', 1n),
      'invalid argument address: expected a 20-byte address',
    ],
    [
      'setBalance: below zero',
      (chain) => chain.setBalance(STRANGER, -1n),
      'invalid argument wei: expected an integer >= 0 of up to 256 bits',
    ],
    [
      'setBalance: beyond 256 bits',
      (chain) => chain.setBalance(STRANGER, 2n ** 256n),
      'invalid argument wei: expected an integer >= 0 of up to 256 bits',
    ],
    [
      'setBalance: a fraction',
      (chain) => chain.setBalance(STRANGER, 0.5 as never),
      'invalid argument wei: expected an integer >= 0 of up to 256 bits',
    ],
    [
      'setCode: half a byte',
      (chain) => chain.setCode(CONTRACT, '0x6'),
      'invalid argument code: expected a hex string of whole bytes',
    ],
    [
      'setCode: nothing',
      (chain) => chain.setCode(CONTRACT, undefined as never),
      'invalid argument code: expected a hex string of whole bytes',
    ],
    [
      'setStorageAt: a slot below zero',
      (chain) => chain.setStorageAt(CONTRACT, -1n, 1n),
      'invalid argument slot: expected a hex string of up to 32 bytes',
    ],
    [
      'setStorageAt: a value beyond a word',
      (chain) => chain.setStorageAt(CONTRACT, 1n, `0x${'1'.repeat(65)}`),
      'invalid argument value: expected a hex string of up to 32 bytes',
    ],
    ['mine: half a block', (chain) => chain.mine(0.5), 'invalid argument blocks: expected an integer >= 0'],
    [
      'mine: a negative number',
      (chain) => chain.mine(-1),
      'invalid argument blocks: expected an integer >= 0',
    ],
    ['mine: too many', (chain) => chain.mine(1_000_001), 'too many blocks: 1000001, limit 1000000'],
    [
      'increaseTime: backwards',
      (chain) => chain.increaseTime(-1),
      'invalid argument seconds: expected an integer >= 0',
    ],
    [
      'increaseTime: no number',
      (chain) => chain.increaseTime(Number.NaN),
      'invalid argument seconds: expected an integer >= 0',
    ],
    [
      'impersonateAccount: a name',
      (chain) => chain.impersonateAccount('alice' as never),
      'invalid argument address: expected a 20-byte address',
    ],
    [
      'stopImpersonatingAccount: nothing',
      (chain) => chain.stopImpersonatingAccount(undefined as never),
      'invalid argument address: expected a 20-byte address',
    ],
    [
      'deal: no token',
      (chain) => chain.deal('0x', STRANGER, 1n),
      'invalid argument token: expected a 20-byte address',
    ],
    [
      'deal: no owner',
      (chain) => chain.deal(CONTRACT, '0x', 1n),
      'invalid argument address: expected a 20-byte address',
    ],
    [
      'deal: below zero',
      (chain) => chain.deal(CONTRACT, STRANGER, -1n),
      'invalid argument amount: expected an integer >= 0 of up to 256 bits',
    ],
    [
      'deal: a token without a slot',
      (chain) => chain.deal(CONTRACT, STRANGER, 1n),
      `no storage slot of token ${CONTRACT} controls this value`,
      -32000,
    ],
  ])('change nothing if they are refused: %s', async (_name, cheat, message, code = -32602) => {
    const before = await observe(chain)
    await expect(cheat(user)).rejects.toMatchObject({ code, message })
    expect(await observe(chain)).toEqual(before)
  })

  it('are refused with 4900 after it is closed, with any arguments', async () => {
    await chain.close()
    const refused = { code: 4900, message: 'disconnected' }
    await expect(user.mine(0)).rejects.toMatchObject(refused)
    await expect(user.increaseTime(-1)).rejects.toMatchObject(refused)
    await expect(user.setBalance(STRANGER, 1n)).rejects.toMatchObject(refused)
    await expect(user.setCode(CONTRACT, '0x')).rejects.toMatchObject(refused)
    await expect(user.setStorageAt(CONTRACT, 0n, 0n)).rejects.toMatchObject(refused)
    await expect(user.impersonateAccount(STRANGER)).rejects.toMatchObject(refused)
    await expect(user.stopImpersonatingAccount(STRANGER)).rejects.toMatchObject(refused)
    await expect(user.deal(CONTRACT, STRANGER, 1n)).rejects.toMatchObject(refused)
  })
})
