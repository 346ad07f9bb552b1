/** What requests have changed survives reverts, restarts and exports, and a reset sets it back, whichever setting it is. */
import { describe, expect, it } from 'vitest'
import { SETTINGS, type Settings } from '../../../src/core/block/settings.ts'
import type { Core } from '../../../src/core/open/core.ts'
import type { ChainOptions } from '../../../src/index.ts'
import { startChain } from '../../harness.ts'
import { STRANGER } from '../../operations.ts'
import { ask } from '../../rpc/scene.ts'
import { memoryLevel } from '../ledger/failingDatabase.ts'

type Name = keyof typeof SETTINGS

/** A value of each setting. */
const VALUES: { readonly [One in Name]: NonNullable<Settings[One]> } = {
  timeOffset: 5000,
  chainId: 7n,
  timestampInterval: 3n,
  nextTimestamp: 1_800_000_000n,
  nextByTime: true,
  nextBaseFee: 9n,
  nextPrevRandao: `0x${'11'.repeat(32)}`,
  gasLimit: 20_000_000n,
  coinbase: STRANGER,
  minGasPrice: 5n,
  impersonated: [STRANGER],
  autoImpersonate: true,
  modes: { automine: true, isRunning: false, blockTime: 1000 },
}

let core: Core

function open(options: ChainOptions): ReturnType<typeof startChain> {
  const inspect = (opened: Core): void => {
    core = opened
  }
  return startChain(options, { inspect }, { skipHeaderValidation: true })
}

const change = (to: (settings: Settings) => Settings) => core.sequencer.exclusive(({ set }) => set(to))

describe('a setting', () => {
  it.each(Object.keys(SETTINGS) as Name[])('lasts until a reset: %s', async (name) => {
    const value = VALUES[name]
    const first = name === 'timeOffset' ? 0 : undefined
    const stays = (SETTINGS[name] as { readonly stays?: boolean }).stays === true
    const found = () => core.sequencer.tip.settings[name]
    const options = { database: memoryLevel() as never }
    let chain = await open(options)
    expect(found()).toEqual(first)
    await change((settings) => ({ ...settings, [name]: value }))
    const id = await chain.snapshot()
    await change((settings) => ({ ...settings, [name]: first }))
    await chain.revert(id)
    expect(found()).toEqual(stays ? first : value)
    await change((settings) => ({ ...settings, [name]: value }))
    const exported = await chain.export()
    await chain.finish()

    chain = await open(options)
    expect(found()).toEqual(value)
    await ask(chain.standard, 'anvil_reset')
    expect(found()).toEqual(stays ? value : first)
    await chain.finish()

    await open({ mining: undefined, ...JSON.parse(JSON.stringify(exported)) })
    expect(found()).toEqual(value)
  })
})
