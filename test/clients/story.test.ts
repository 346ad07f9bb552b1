import { describe } from 'vitest'
import { startChain } from '../harness.ts'
import { PRECONF, tellStory } from './story.ts'
import { connectEthers, connectViem } from './storyClients.ts'

describe.each([
  ['viem', connectViem],
  ['ethers', connectEthers],
] as const)('%s in process', (_name, connect) => {
  describe.each(['standard', 'preconf'] as const)('on %s', (view) => {
    tellStory(view, connect, async () => {
      const chain = await startChain()
      return { chain, place: chain.provider(view, view === 'preconf' ? PRECONF : {}) }
    })
  })
})
