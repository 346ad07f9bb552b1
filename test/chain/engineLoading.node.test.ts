/** The EVM, which the first message of a process or thread loads: whatever it comes from, it gets the same result as later ones. */
import { MessageChannel, Worker } from 'node:worker_threads'
import { expect, it, onTestFinished } from 'vitest'
import type { Provider } from '../../src/index.ts'
import { connectChain } from '../../src/kits/worker/index.ts'
import { startChain } from '../harness.ts'
import { ask } from '../rpc/scene.ts'
import { bundleProgram } from '../tools/program.ts'

const program = bundleProgram('test/kits/worker/thread.ts')

/** Returns 42. */
const RUNTIME = '602a60005260206000f3'
const INITCODE = `0x69${RUNTIME}600052600a6016f3`
const CONTRACT = `0x${'99'.repeat(20)}`
const CALL = { to: CONTRACT }

/** What the test uses of a chain, in this thread or in another. */
interface Used {
  readonly standard: Provider
  readonly preconf: Provider
  advance(ms: number): Promise<void>
}

/** What runs code first, and the answer in which its result shows. */
const USES: Record<string, (chain: Used) => Promise<unknown>> = {
  'a call': ({ standard }) => ask(standard, 'eth_call', [CALL, 'latest']),
  'an estimate': ({ standard }) => ask(standard, 'eth_estimateGas', [CALL]),
  'an access list': ({ standard }) => ask(standard, 'eth_createAccessList', [CALL]),
  'a simulation': ({ preconf }) => ask(preconf, 'eth_simulateV1', [{ blockStateCalls: [{ calls: [CALL] }] }]),
  'a trace': ({ standard }) => ask(standard, 'debug_traceCall', [CALL, 'latest']),
  async 'a tick of the timer'(chain) {
    await deploy(chain)
    await chain.advance(200)
    return ask(chain.preconf, 'eth_getBlockByNumber', ['pending', true])
  },
  async 'a block on request'(chain) {
    await deploy(chain)
    await ask(chain.standard, 'evm_mine')
    return ask(chain.standard, 'eth_getBlockByNumber', ['latest', true])
  },
  async 'a transaction that is mined when it is sent'(chain) {
    await ask(chain.standard, 'evm_setAutomine', [true])
    await deploy(chain)
    return ask(chain.standard, 'eth_getBlockReceipts', ['latest'])
  },
}

async function deploy({ standard }: Used): Promise<void> {
  const [from] = (await ask(standard, 'eth_accounts')) as string[]
  const hash = await ask(standard, 'eth_sendTransaction', [{ from, data: INITCODE, gas: '0x186a0' }])
  expect(hash).toMatch(/^0x[0-9a-f]{64}$/)
}

async function run(use: string, chain: Used): Promise<unknown> {
  await ask(chain.standard, 'anvil_setCode', [CONTRACT, `0x${RUNTIME}`])
  return USES[use]!(chain)
}

it.each(Object.keys(USES))('is loaded by %s', async (use) => {
  const { port1, port2 } = new MessageChannel()
  const thread = new Worker(program.file, { workerData: port2, transferList: [port2] })
  onTestFinished(async () => void (await thread.terminate()))
  const first = await run(use, await connectChain(port1))
  expect(String(first)).not.toMatch(/^error/)

  const chain = await startChain({ mining: 'interval' })
  await ask(chain.standard, 'eth_call', [{ data: INITCODE }, 'latest'])
  const { standard, preconf, clock } = chain
  expect(first).toEqual(await run(use, { standard, preconf, advance: (ms) => clock.advance(ms) }))
})
