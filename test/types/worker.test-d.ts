import { MemoryLevel } from 'memory-level'
import { custom } from 'viem'
import { describe, expectTypeOf, test } from 'vitest'
import {
  createChain,
  type PreconfBlock,
  type PresealChain,
  type SealedBlock,
  systemClock,
} from '../../src/index.ts'
import { PresealProvider } from '../../src/kits/ethers/index.ts'
import { chainTransport } from '../../src/kits/viem/index.ts'
import { connectChain, exposeChain, type RemoteChain } from '../../src/kits/worker/index.ts'

declare const chain: PresealChain
declare const remote: RemoteChain
const { port1, port2 } = new MessageChannel()

describe('types of preseal/worker', () => {
  test('a chain, or a function that creates one, is exposed at a port', () => {
    expectTypeOf(exposeChain(chain)).toEqualTypeOf<() => void>()
    exposeChain(createChain, port2)
    exposeChain((options) => createChain({ ...options, clock: systemClock }), port2)
    // @ts-expect-error an endpoint without postMessage
    exposeChain(chain, { addEventListener() {}, removeEventListener() {} })
  })

  test('a page connects to it, with options that a message can carry', () => {
    expectTypeOf(connectChain(port1)).resolves.toEqualTypeOf<RemoteChain>()
    connectChain(port1, { options: { chainId: 1, gasLimit: 30_000_000n } })
    // @ts-expect-error a message cannot carry a clock
    connectChain(port1, { options: { clock: systemClock } })
    connectChain(port1, { options: { fork: { url: 'https://node.example', block: 1n, cache: 'forked' } } })
    connectChain(port1, { options: { fork: { offline: true, cache: { text: '' } } } })
    // @ts-expect-error a message cannot carry a provider
    connectChain(port1, { options: { fork: { provider: chain.standard } } })
    // @ts-expect-error a message cannot carry an open database
    connectChain(port1, { options: { fork: { cache: new MemoryLevel() } } })
  })

  test('the chain is used like one of this process, except that calls return promises', () => {
    expectTypeOf(remote.preconf).toEqualTypeOf<PresealChain['preconf']>()
    expectTypeOf(remote.tick()).resolves.toEqualTypeOf<PreconfBlock>()
    expectTypeOf(remote.start()).resolves.toEqualTypeOf<void>()
    expectTypeOf(remote.advance(200)).resolves.toEqualTypeOf<void>()
    remote.on('block', (block) => expectTypeOf(block).toEqualTypeOf<SealedBlock>()).once('preconf', () => {})
    custom(remote.standard)
    chainTransport(remote)
    chainTransport(remote, { view: 'standard' })
    new PresealProvider(remote)
  })
})
