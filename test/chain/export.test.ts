import fc from 'fast-check'
import { MemoryLevel } from 'memory-level'
import { describe, expect, it } from 'vitest'
import { type ChainOptions, createChain, createManualClock, type ExportedChain } from '../../src/index.ts'
import { CONFIGURATIONS, type Configuration, runsOf } from '../configurations.ts'
import { forkOf } from '../core/fork/remoteChain.ts'
import { LOGGING, send } from '../core/sequencer/support.ts'
import { everythingOf } from '../database/everything.ts'
import { startChain, type TestChain } from '../harness.ts'
import { operations, orRevert, perform, STRANGER } from '../operations.ts'
import { cheat, sorted } from '../rpc/scene.ts'

const OTHER = '0x00000000000000000000000000000000000fedcb'

/** A base fee that a cheat has set does not follow from the parent's. */
const ORACLE = { skipHeaderValidation: true }

/** An export as it is read from a file. */
const asJson = (exported: ExportedChain): ExportedChain => JSON.parse(JSON.stringify(exported))

async function again(chain: TestChain, options: ChainOptions = {}): Promise<TestChain> {
  const exported = asJson(await chain.export())
  const clock = createManualClock(chain.clock.now())
  return startChain({ mining: undefined, clock, ...exported, ...options } as never, {}, ORACLE)
}

/** A chain with a transfer, a log, a transaction of an impersonated account, and writes to two states. */
async function filled(options: ChainOptions = {}): Promise<TestChain> {
  const chain = await startChain(options, {}, ORACLE)
  await chain.setBalance(STRANGER, 10n ** 18n)
  await chain.impersonateAccount(STRANGER)
  await cheat(chain, 'eth_sendTransaction', { from: STRANGER, to: STRANGER, gas: '0x5208' })
  await send(chain, { nonce: 0 })
  await send(chain, { nonce: 1, ...LOGGING })
  await chain.seal()
  await chain.setCode(STRANGER, '0x6001')
  await chain.seal()
  return chain
}

const steps = operations((operation) => fc.array(orRevert(operation), { minLength: 1, maxLength: 15 }))

describe('an exported chain', () => {
  it.each(CONFIGURATIONS)(
    'gives a chain that answers the same, and goes on the same: $name',
    async (configuration) => {
      await fc.assert(
        fc.asyncProperty(steps, async (steps) => checkExport(configuration, steps)),
        runsOf(configuration),
      )
    },
  )

  it('has genesis, blocks and settings alone, and is the same each time', async () => {
    const chain = await filled()
    const exported = await chain.export()
    expect(Object.keys(exported)).toEqual(['genesis', 'blocks', 'settings'])
    expect(asJson(exported)).toEqual(exported)
    expect(await (await again(chain)).export()).toEqual(exported)
  })

  it('keeps options that change blocks, settings of the blocks to come, impersonation and modes', async () => {
    const options = {
      gasLimit: 20_000_000n,
      coinbase: STRANGER,
      extraData: '0x01',
      blockTime: 4000,
      preconfInterval: 300,
      hardfork: 'osaka',
      accounts: { count: 3 },
    } as const
    const chain = await filled(options)
    await cheat(chain, 'evm_increaseTime', 1000)
    await cheat(chain, 'anvil_setNextBlockBaseFeePerGas', '0x77')
    await cheat(chain, 'evm_setAutomine', true)
    const other = await again(chain)
    expect([other.accounts, other.blockTime, other.preconfInterval, other.chainId]).toEqual([
      chain.accounts,
      4000,
      300,
      31_337,
    ])
    expect(await cheat(other, 'anvil_getAutomine')).toBe(true)
    expect(await cheat(other, 'eth_accounts')).toContain(STRANGER)
    const [expected, { block }] = [(await chain.seal()).block, await other.seal()]
    expect(block).toEqual(expected)
    expect(block).toMatchObject({
      baseFeePerGas: '0x77',
      gasLimit: '0x1312d00',
      extraData: '0x01',
      miner: STRANGER,
    })
  })

  it('does not keep what waits, nor keys that are not those of the default mnemonic', async () => {
    const privateKey = `0x${'11'.repeat(32)}` as const
    const chain = await startChain({ accounts: [{ privateKey }] })
    await cheat(chain, 'eth_sendTransaction', { to: STRANGER, gas: '0x5208' })
    await chain.tick()
    const exported = await chain.export()
    expect(JSON.stringify(exported)).not.toContain('11'.repeat(32))
    const other = await again(chain)
    expect([other.accounts.length, await cheat(other, 'txpool_status')]).toEqual([
      0,
      { pending: '0x0', queued: '0x0' },
    ])
    expect((await again(chain, { accounts: [{ privateKey }] })).accounts).toEqual(chain.accounts)
  })

  it('is replaced in part by options that are given', async () => {
    const chain = await filled()
    const other = await again(chain, { coinbase: `0x${'77'.repeat(20)}`, mining: 'auto' })
    await send(other, { nonce: 2 })
    expect(await cheat(other, 'eth_getBlockByNumber', 'latest', false)).toMatchObject({
      number: '0x3',
      miner: `0x${'77'.repeat(20)}`,
    })
  })

  it('lets every account send by the option or a request of the exported chain, unless its own option is given', async () => {
    const attempt = (chain: TestChain) =>
      cheat(chain, 'eth_sendTransaction', { from: OTHER, to: OTHER, gas: '0x5208', gasPrice: '0x0' })
    const refused = `error 4100 unknown account ${OTHER}`
    const chain = await startChain(
      { autoImpersonate: true, fixedBaseFee: 0n, initialBaseFeePerGas: 0n },
      {},
      ORACLE,
    )
    expect(await attempt(await again(chain))).toMatch(/^0x/)
    expect(await attempt(await again(chain, { autoImpersonate: false }))).toBe(refused)
    await cheat(chain, 'anvil_autoImpersonateAccount', false)
    expect(await attempt(await again(chain))).toBe(refused)
    expect(await attempt(await again(chain, { autoImpersonate: true }))).toMatch(/^0x/)
  })

  it('goes back to its genesis by a reset', async () => {
    const chain = await again(await filled())
    await cheat(chain, 'anvil_reset')
    expect(await cheat(chain, 'eth_blockNumber')).toBe('0x0')
    expect(await cheat(chain, 'eth_getBalance', STRANGER, 'latest')).toBe('0x0')
  })

  it('goes back to its genesis from loaded blocks too', async () => {
    const chain = await again(await filled())
    const { hash } = (await cheat(chain, 'eth_getBlockByNumber', '0x0', false)) as { hash: string }
    const file = await chain.standard.request({ method: 'anvil_dumpState' })
    await chain.seal()
    expect(await cheat(chain, 'anvil_loadState', file)).toBe(true)
    expect(await cheat(chain, 'eth_blockNumber')).toBe('0x2')
    expect(await cheat(chain, 'anvil_reset')).toBe(true)
    expect(await cheat(chain, 'eth_blockNumber')).toBe('0x0')
    expect(await cheat(chain, 'eth_getBlockByNumber', 'latest', false)).toMatchObject({ hash })
    expect(await cheat(chain, 'eth_getBalance', STRANGER, 'latest')).toBe('0x0')
  })

  it('is that of a chain with a database too, also of one that was started again', async () => {
    const database = new MemoryLevel({ storeEncoding: 'view' }) as never
    const first = await filled({ database })
    const exported = await first.export()
    await first.finish()
    const second = await startChain({ database })
    expect({ ...(await second.export()), settings: undefined }).toEqual({ ...exported, settings: undefined })
    expect((await second.export()).settings['blocks']).toEqual(exported.settings['blocks'])
  })

  it('is refused of a fork, of loaded blocks, beyond the history, and after close', async () => {
    const chain = await filled()
    const file = await chain.standard.request({ method: 'anvil_dumpState' })
    const short = await startChain({ history: { blocks: 2 } })
    for (let i = 0; i < 4; i++) await short.seal()
    const loaded = await startChain()
    await cheat(loaded, 'anvil_loadState', file)
    const refusal = (message: string) => ({
      code: -32000,
      message: `the chain cannot be exported: ${message}`,
    })
    await expect((await forkOf(chain.standard)).export()).rejects.toMatchObject(
      refusal('it is a fork, whose state before its blocks is elsewhere'),
    )
    await expect(loaded.export()).rejects.toMatchObject(
      refusal('its blocks come from a state file and cannot be executed; use anvil_dumpState'),
    )
    await expect(short.export()).rejects.toMatchObject(
      refusal('its history does not reach back to block 0; set history.blocks higher'),
    )
    await chain.close()
    await expect(chain.export()).rejects.toMatchObject({ code: 4900 })
  })

  it('that was changed starts no chain', async () => {
    const exported = asJson(await (await filled()).export())
    const { settings } = exported
    const notes = settings['blocks'] as object[]
    const wrong: readonly (readonly [options: object, message: string])[] = [
      [{ settings: 5 }, 'invalid option options: expected an object'],
      [{ settings: {} }, 'invalid option settings.version: expected 1'],
      [{ settings: { ...settings, version: 2 } }, 'invalid option version: expected 1, the version that'],
      [{ settings: { ...settings, other: 1 } }, 'invalid option other: expected one of version,'],
      [{ settings: { ...settings, options: { clock: {} } } }, 'invalid option settings.options.clock'],
      [{ settings: { ...settings, options: { mining: 'x' } } }, 'invalid option mining'],
      [{ settings: { ...settings, next: { gasLimit: '1' } } }, 'invalid option gasLimit'],
      [{ settings: { ...settings, blocks: [{ number: 1, unsigned: [[0, '0x']] }] } }, 'settings.blocks'],
      [{ settings: { ...settings, blocks: [{ number: 1, patch: [['0x', {}]] }] } }, 'settings.blocks'],
      [{ settings: { ...settings, blocks: notes.slice(1) } }, 'block 1 cannot be imported'],
      [{ settings: { ...settings, blocks: [] } }, 'block 1 cannot be imported'],
      [{ blocks: exported.blocks.slice(0, -2) }, 'block 2 cannot be imported: its RLP is truncated'],
      [{ blocks: '0x0' }, 'invalid option blocks: expected a Uint8Array, or its hex'],
      [{ genesis: undefined }, 'invalid option settings'],
      [{ genesis: { ...exported.genesis, timestamp: '0x1' } }, 'block 1 cannot be imported'],
      [{ database: new MemoryLevel({ storeEncoding: 'view' }) }, 'invalid option settings'],
    ]
    for (const [options, message] of wrong) {
      await expect(createChain({ ...exported, ...options } as never), message).rejects.toThrow(message)
    }
  })
})

async function checkExport(
  { options }: Configuration,
  steps: Parameters<typeof perform>[1][],
): Promise<void> {
  const chain = await startChain(options, {}, ORACLE)
  for (const step of steps) await perform(chain, step, options).catch(() => {})
  const exported = asJson(await chain.export().catch(() => chain as never))
  // The history of some is too short.
  if (exported.blocks === undefined) return
  const { hardfork: _, chainId: __, initialBaseFeePerGas: ___, predeploys: ____, ...others } = options
  const clock = createManualClock(chain.clock.now())
  const other = await startChain({ ...others, ...exported, clock } as never, {}, ORACLE)
  expect(sorted(await everythingOf(other))).toEqual(sorted(await everythingOf(chain)))
  await cheat(chain, 'anvil_dropAllTransactions')
  const next = async (one: TestChain) => (await one.seal()).block
  expect(await next(other)).toEqual(await next(chain))
}
