import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { systemClock } from '../../src/index.ts'
import { startChain } from '../harness.ts'

describe('uncaught errors in a page', () => {
  it('include errors without a listener, and those that an error listener throws', async () => {
    const page = globalThis as unknown as EventTarget
    const uncaught: string[] = []
    const onError = (event: Event) => {
      event.preventDefault()
      uncaught.push((event as Event & { readonly error: Error }).error.message)
    }
    // Vitest prints uncaught errors that a listener has handled.
    vi.spyOn(console, 'error').mockImplementation(() => {})
    page.addEventListener('error', onError)
    onTestFinished(() => {
      page.removeEventListener('error', onError)
      vi.restoreAllMocks()
    })
    const chain = await startChain()
    chain.on('preconf', () => {
      throw new Error('of a listener')
    })
    await chain.tick()
    chain.on('error', () => {
      throw new Error('of an error listener')
    })
    await chain.tick()
    await systemClock.yield()
    expect(uncaught).toEqual(['of a listener', 'of an error listener'])
  })
})
