import { describe, expect, it } from 'vitest'
import { buildGenesis } from '../../src/chain/genesis.ts'
import { loadCrypto } from '../../src/crypto/crypto.ts'
import { createPresealEngine } from '../../src/evm/preseal/presealEngine.ts'
import { createExecutor } from '../../src/evm/transition.ts'
import { simulate } from '../../src/payload/simulate.ts'
import { systemClock } from '../../src/primitives/clock.ts'
import { DEPOSIT_CONTRACT } from '../../src/protocol/depositContract.ts'
import { createChainRules } from '../../src/protocol/rules.ts'
import { EMPTY_STATE } from '../../src/state/account.ts'
import { Layer } from '../../src/state/layer.ts'
import { GENESIS } from '../import/externalChain.ts'
import { NEVER_DUE } from '../suspending.ts'

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
        revertReason: false,
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
