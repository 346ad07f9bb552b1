/** Chains in workers of a browser. */
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { type ConnectOptions, connectChain, type RemoteChain } from '../../../src/kits/worker/index.ts'
import { ask, sign } from '../../rpc/scene.ts'

/** Terminates a worker at the end of the test. Vite detects workers by the text `new Worker(new URL(`. */
function temporary(worker: Worker): Worker {
  onTestFinished(() => worker.terminate())
  return worker
}

async function start(options: ConnectOptions = {}): Promise<{ worker: Worker; remote: RemoteChain }> {
  const worker = temporary(new Worker(new URL('./manual.worker.ts', import.meta.url), { type: 'module' }))
  const remote = await connectChain(worker, options)
  return { worker, remote }
}

describe('a chain in a worker of a browser', () => {
  it('works as in the example', async () => {
    const log = vi.spyOn(console, 'log').mockImplementation(() => {})
    onTestFinished(() => void vi.restoreAllMocks())
    await import('../../../examples/worker/page.ts')
    expect(log.mock.calls.flat()).toEqual([
      expect.stringMatching(/^pre-confirmed in block \d: bob has 10001 ether$/),
      'sealed with the pre-confirmed hash: true',
    ])
  })

  it('answers, emits events and is advanced', async () => {
    const { remote } = await start({ options: { mining: 'interval', chainId: 7 } })
    const order: unknown[] = []
    remote.on('preconf', ({ index }) => order.push(index))
    remote.on('block', ({ block }) => order.push(block.number))
    await remote.advance(2000)
    order.push('advanced')
    expect(order).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, '0x1', 0, 'advanced'])
    expect(await ask(remote.standard, 'eth_chainId')).toBe('0x7')
  })

  it('ends with its worker', async () => {
    const { worker, remote } = await start()
    const disconnected = new Promise((resolve) => remote.preconf.on('disconnect', resolve))
    const transfer = await sign(remote, 0, { nonce: 0, to: remote.accounts[1]!.address })
    const waiting = remote.preconf.request({ method: 'eth_sendRawTransactionSync', params: [transfer] })
    worker.terminate()
    const ended = { code: 4900, cause: { message: 'the worker failed: it was terminated' } }
    await expect(waiting).rejects.toMatchObject(ended)
    expect(await disconnected).toMatchObject(ended)
    await expect(remote.tick()).rejects.toMatchObject({ code: 4900 })
    await remote.close()
  })

  it('ends with its page', async () => {
    const worker = temporary(
      new Worker(new URL('./handshake.worker.ts', import.meta.url), { type: 'module' }),
    )
    const page = temporary(new Worker(new URL('./page.worker.ts', import.meta.url), { type: 'module' }))
    const messageOf = (from: Worker, what: string) =>
      new Promise<string>((resolve) =>
        from.addEventListener('message', (event) => (event as MessageEvent).data === what && resolve(what)),
      )
    const { port1, port2 } = new MessageChannel()
    const connected = messageOf(page, 'connected')
    worker.postMessage(port1, [port1])
    page.postMessage(port2, [port2])
    await connected
    const closed = messageOf(worker, 'closed')
    page.terminate()
    expect(await closed).toBe('closed')
  })

  it('fails to connect if the worker cannot be loaded', async () => {
    const connecting = connectChain(
      temporary(new Worker(new URL('data:text/javascript,nope()'), { type: 'module' })),
    )
    await expect(connecting).rejects.toMatchObject({ code: 4900, cause: { name: 'WorkerFailedError' } })
  })

  it.each([
    ['once the worker listens', 'ready'],
    ['while the worker creates the chain', 'heard'],
  ])('fails to connect if the worker is terminated %s', async (_, message) => {
    const worker = temporary(new Worker(new URL('./slow.worker.ts', import.meta.url), { type: 'module' }))
    const arrived = new Promise((resolve) =>
      worker.addEventListener(
        'message',
        (event) => (event as MessageEvent).data.preseal === message && resolve(message),
      ),
    )
    const connecting = connectChain(worker)
    await arrived
    worker.terminate()
    await expect(connecting).rejects.toMatchObject({
      code: 4900,
      cause: { name: 'WorkerFailedError', message: 'the worker failed: it was terminated' },
    })
  })

  it('is found if the worker creates it before it listens', async () => {
    const worker = temporary(new Worker(new URL('./shared.worker.ts', import.meta.url), { type: 'module' }))
    const [one, two] = await Promise.all([connectChain(worker), connectChain(worker)])
    await one.seal()
    expect(await ask(two.standard, 'eth_blockNumber')).toBe('0x1')
    await one.close()
    expect(await ask(two.standard, 'eth_blockNumber')).toBe('0x1')
    await two.closeChain()
  })
})
