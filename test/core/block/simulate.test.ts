import { describe, expect, it } from 'vitest'
import { systemClock } from '../../../src/base/clock.ts'
import { loadCrypto } from '../../../src/base/crypto/crypto.ts'
import { simulate } from '../../../src/core/block/simulate.ts'
import { buildGenesis } from '../../../src/core/open/genesis.ts'
import { resolveOptions } from '../../../src/core/options.ts'
import { DEPOSIT_CONTRACT } from '../../../src/ethereum/depositContract.ts'
import { createPresealEngine } from '../../../src/ethereum/evm/engine/presealEngine.ts'
import { createExecutor } from '../../../src/ethereum/evm/transition.ts'
import { createChainRules } from '../../../src/ethereum/rules.ts'
import { EMPTY_STATE } from '../../../src/ethereum/state/account.ts'
import { Layer } from '../../../src/ethereum/state/layer.ts'
import { NEVER_DUE } from '../../suspending.ts'
import { GENESIS } from '../import/externalChain.ts'

describe('simulate', () => {
  it('has no extra data even at the DAO fork, which requires it of blocks', async () => {
    const config = { ...GENESIS.config, daoForkBlock: 1, daoForkSupport: true }
    const crypto = await loadCrypto()
    const rules = createChainRules({ ...GENESIS, config })
    const { block, changes, stateTrie } = buildGenesis({ ...GENESIS, config }, rules, crypto)
    const blocks = await simulate(
      {
        executor: createExecutor(createPresealEngine(crypto), crypto),
        crypto,
        rules,
        depositContract: DEPOSIT_CONTRACT.address,
        options: resolveOptions(),
        clock: systemClock,
      },
      { block, state: new Layer(EMPTY_STATE, changes), stateTrie, hashAt: () => undefined },
      [{}, {}],
      {
        chainId: rules.chainId,
        validation: false,
        traceTransfers: false,
        strict: false,
        gasCap: 50_000_000n,
        maxBlocks: 256,
        nextBaseFee: () => 0n,
      },
      NEVER_DUE,
    )
    expect(blocks.map((one) => one.block.rules.hardfork)).toEqual(['dao', 'tangerineWhistle'])
    expect(blocks.map((one) => one.block.header.extraData)).toEqual(['0x', '0x'])
  })
})
