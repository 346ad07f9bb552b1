/** Chains in threads of Node, whose message ports are endpoints, unlike its `Worker`. */
import { MessageChannel, Worker } from 'node:worker_threads'
import { describe, expect, it, onTestFinished } from 'vitest'
import { connectChain } from '../../../src/kits/worker/index.ts'
import { ask } from '../../rpc/scene.ts'
import { bundleProgram } from '../../tools/program.ts'

const program = bundleProgram('test/kits/worker/thread.ts')

async function start() {
  const { port1, port2 } = new MessageChannel()
  const thread = new Worker(program.file, { workerData: port2, transferList: [port2] })
  onTestFinished(async () => void (await thread.terminate()))
  return { thread, endpoint: port1, remote: await connectChain(port1, { options: { blockTime: 1000 } }) }
}

describe('a chain in a worker thread', () => {
  it('answers requests, and disconnects when the thread ends', async () => {
    const { thread, remote } = await start()
    await remote.advance(3000)
    expect(await ask(remote.standard, 'eth_blockNumber')).toBe('0x3')
    const gone = new Promise((resolve) => remote.standard.on('disconnect', resolve))
    await thread.terminate()
    expect(await gone).toMatchObject({ code: 4900 })
    await expect(remote.tick()).rejects.toMatchObject({ code: 4900 })
  })

  it('lets the thread end once its endpoint is closed', async () => {
    const { thread, endpoint, remote } = await start()
    const ended = new Promise((resolve) => thread.once('exit', resolve))
    await remote.close()
    endpoint.close()
    expect(await ended).toBe(0)
  })
})
