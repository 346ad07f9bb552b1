/** Clients of a chain whose process or thread is killed at random moments of `close()`. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { MessageChannel, Worker } from 'node:worker_threads'
import fc from 'fast-check'
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { systemClock } from '../../src/index.ts'
import { connectChain } from '../../src/kits/worker/index.ts'
import { runs } from '../full.ts'
import { bundleProgram } from '../tools/program.ts'
import { collectUncaught } from '../tools/uncaught.ts'
import { type Client, connectRemote, connectServed, type Place } from './clients.ts'
import type { Moment } from './die.ts'

/** Many of the first turns, some of the later ones: closing waits for clients for thousands of turns. */
const moments: fc.Arbitrary<Moment> = fc.record({
  turns: fc.nat(13).chain((exponent) => fc.nat(2 ** exponent)),
  microtasks: fc.nat(60),
})
const RUNS = { ...runs(3, 40), endOnFailure: true }

const serverProgram = bundleProgram('test/kill/server.ts')
const threadProgram = bundleProgram('test/kill/thread.ts')

/** Kills the chain while its clients have calls under way; resolves once they have handled the disconnection. */
async function survive(clients: readonly Client[], kill: () => Promise<unknown>): Promise<void> {
  await Promise.all(clients.map(({ listening }) => listening))
  const acts = clients.flatMap((client) => client.act())
  const outcomes = Promise.allSettled(acts)
  await kill()
  await drain()
  for (const client of clients) await client.end()
  await drain()
  void outcomes
}

async function drain(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await systemClock.yield()
}

/** The pollers of ethers do not catch errors of Node's sockets, with any server. */
function isOfSocket(error: unknown): boolean {
  return /^(ECONNREFUSED|ECONNRESET|EPIPE)$/.test((error as { readonly code?: string }).code ?? '')
}

/** Defines a test of many kills, each at another moment. */
function itSurvives(
  name: string,
  killAt: (moment: Moment, uncaught: readonly unknown[]) => Promise<void>,
): void {
  const kills = async () => {
    const uncaught = collectUncaught()
    await fc.assert(
      fc.asyncProperty(moments, (moment) => killAt(moment, uncaught)),
      RUNS,
    )
  }
  it(name, kills)
}

describe('a killed process', () => {
  beforeEach(() => {
    // ethers prints the errors of its pollers.
    const log = vi.spyOn(console, 'log').mockImplementation(() => {})
    return () => log.mockRestore()
  })

  itSurvives(
    'leaves clients of a server that is killed while it closes with nothing uncaught',
    async (moment, uncaught) => {
      const child: ChildProcess = spawn(process.execPath, [serverProgram.file], {
        stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      })
      onTestFinished(() => void child.kill('SIGKILL'))
      const [{ url, preconfUrl, accounts }] = (await once(child, 'message')) as [
        Place & { readonly preconfUrl: string },
      ]
      const places = [url, preconfUrl].map((one) => ({ url: one, accounts }))
      await survive(places.flatMap(connectServed), async () => {
        const gone = once(child, 'exit')
        child.send(moment)
        expect(await gone).toEqual([null, 'SIGKILL'])
      })
      expect(uncaught.filter((error) => !isOfSocket(error))).toEqual([])
    },
  )

  itSurvives(
    'leaves clients of a thread that ends while its chain closes with nothing uncaught',
    async (moment, uncaught) => {
      const { port1, port2 } = new MessageChannel()
      const workerData = { port: port2, moment }
      const thread = new Worker(threadProgram.file, { workerData, transferList: [port2] })
      onTestFinished(async () => void (await thread.terminate()))
      const remote = await connectChain(port1)
      remote.on('error', () => {})
      await survive(connectRemote(remote), async () => {
        const gone = once(thread, 'exit')
        await remote.closeChain()
        await gone
      })
      expect(uncaught).toEqual([])
    },
  )
})
