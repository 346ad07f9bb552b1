/** web3.js runs the story of all clients, in process by its support of EIP-1193 and over the server. */
import { describe } from 'vitest'
import { PRECONF, tellStory } from '../../clients/story.ts'
import { connectWeb3 } from '../../clients/storyWeb3.ts'
import { startServer } from './support.ts'

describe.each(['in process', 'by HTTP', 'by WebSocket'] as const)('web3.js %s', (transport) => {
  describe.each(['standard', 'preconf'] as const)('on %s', (view) => {
    const setUp = async () => {
      const { chain, server } = await startServer({ preconf: PRECONF })
      if (transport === 'in process') {
        return { chain, place: chain.provider(view, view === 'preconf' ? PRECONF : {}) }
      }
      const url = view === 'standard' ? server.url : server.preconfUrl
      return { chain, place: transport === 'by HTTP' ? url : url.replace('http', 'ws') }
    }
    // By HTTP web3.js neither subscribes nor polls.
    tellStory(view, connectWeb3, setUp, { watches: transport !== 'by HTTP' })
  })
})
