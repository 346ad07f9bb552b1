/** Stock clients on the page of a chain in a worker, with the same story as in process. */
import { describe } from 'vitest'
import { PRECONF, tellStory } from '../../clients/story.ts'
import { connectEthers, connectViem } from '../../clients/storyClients.ts'
import { startRemote } from './support.ts'

describe.each([
  ['viem', connectViem],
  ['ethers', connectEthers],
] as const)('%s across a channel', (_name, connect) => {
  describe.each(['standard', 'preconf'] as const)('on %s', (view) => {
    tellStory(view, connect, async () => {
      const { chain, remote } = await startRemote()
      return { chain, place: remote.provider(view, view === 'preconf' ? PRECONF : {}) }
    })
  })
})
