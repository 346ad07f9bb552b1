import { describe, expect, it } from 'vitest'
import type { OtterscanTrace } from '../../../src/index.ts'
import { FACTORY, RECEIVER, startFactory } from '../factory.ts'
import { ask, startScene } from '../scene.ts'

describe('ots_getContractCreator', () => {
  it('returns the transaction and the account that created a contract', async () => {
    const { chain, token, accounts, first } = await startScene()
    await chain.tick()
    const creation = first.receipts.find(({ contractAddress }) => contractAddress === token)
    for (const provider of [chain.standard, chain.preconf]) {
      expect(await ask(provider, 'ots_getContractCreator', [token])).toEqual({
        hash: creation!.transactionHash,
        creator: accounts[0],
      })
      expect(await ask(provider, 'ots_getContractCreator', [accounts[0]])).toBeNull()
      expect(await ask(provider, 'ots_getContractCreator', [RECEIVER])).toBeNull()
    }
  })

  it('finds a contract that another contract created', async () => {
    const { chain, hash } = await startFactory()
    const traces = (await ask(chain.standard, 'ots_traceTransaction', [hash])) as readonly OtterscanTrace[]
    await chain.mine(5)
    expect(await ask(chain.standard, 'ots_getContractCreator', [traces[2]!.to])).toEqual({
      hash,
      creator: FACTORY,
    })
    // Code that no transaction created: set by a cheat, and of genesis.
    expect(await ask(chain.standard, 'ots_getContractCreator', [FACTORY])).toBeNull()
    const proxy = '0x4e59b44847b379578588920ca78fbf26c0b4956c'
    expect(await ask(chain.standard, 'ots_getContractCreator', [proxy])).toBeNull()
  })

  it('does not find one that is older than the history', async () => {
    const { chain, token } = await startScene({ history: { blocks: 3 } })
    await chain.mine(9)
    expect(await ask(chain.standard, 'ots_getContractCreator', [token])).toMatch(/^error -32000 /)
  })
})
