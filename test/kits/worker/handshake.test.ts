/** Attempts to connect that are given up. */
import { describe, expect, it } from 'vitest'
import type { PresealChain } from '../../../src/index.ts'
import { InvalidOptionError } from '../../../src/index.ts'
import { connectChain, exposeChain } from '../../../src/kits/worker/index.ts'
import { startChain } from '../../harness.ts'

/** A channel that ends with the test. */
function openChannel() {
  const { port1, port2 } = new MessageChannel()
  return { port1, port2, close: () => port1.close() }
}

describe('an attempt to connect', () => {
  it('ends with its signal, before the worker listens and while it creates the chain', async () => {
    const silent = openChannel()
    const early = new AbortController()
    const waiting = connectChain(silent.port1, { signal: early.signal })
    early.abort(new Error('unmounted'))
    const ended = { name: 'DisconnectedError', code: 4900, cause: { message: 'unmounted' } }
    await expect(waiting).rejects.toMatchObject(ended)
    await expect(connectChain(silent.port1, { signal: early.signal })).rejects.toMatchObject(ended)
    silent.close()

    const slow = openChannel()
    let onAsked = () => {}
    const asked = new Promise<void>((resolve) => {
      onAsked = resolve
    })
    const stop = exposeChain(() => {
      onAsked()
      return new Promise<PresealChain>(() => {})
    }, slow.port2)
    const late = new AbortController()
    const connecting = connectChain(slow.port1, { signal: late.signal })
    await asked
    late.abort()
    await expect(connecting).rejects.toMatchObject({ code: 4900, cause: { name: 'AbortError' } })
    stop()
    slow.close()
  })

  it('is not affected by its signal once it has succeeded', async () => {
    const { port1, port2, close } = openChannel()
    const stop = exposeChain(await startChain(), port2)
    const controller = new AbortController()
    const remote = await connectChain(port1, { signal: controller.signal })
    controller.abort()
    expect(await remote.standard.request({ method: 'eth_chainId' })).toBe('0x7a69')
    await remote.close()
    stop()
    close()
  })

  it('refuses a signal that is none', async () => {
    const { port1, close } = openChannel()
    await expect(connectChain(port1, { signal: {} as AbortSignal })).rejects.toThrow(
      new InvalidOptionError('signal', 'an AbortSignal'),
    )
    close()
  })
})
