import { describe, expect, it } from 'vitest'
import { ask, startScene } from '../scene.ts'

describe('eth_unsubscribe', () => {
  it('ends a subscription of its own connection, and is true once', async () => {
    const { chain } = await startScene()
    const messages: unknown[] = []
    chain.preconf.on('message', (message) => messages.push(message))
    const id = await chain.preconf.request({ method: 'eth_subscribe', params: ['newHeads'] })
    expect(await ask(chain.provider('preconf'), 'eth_unsubscribe', [id])).toBe(false)
    expect(await ask(chain.preconf, 'eth_unsubscribe', [id])).toBe(true)
    expect(await ask(chain.preconf, 'eth_unsubscribe', [id])).toBe(false)
    await chain.seal()
    expect(messages).toEqual([])
  })

  it('does not end filters', async () => {
    const { chain } = await startScene()
    const id = await chain.preconf.request({ method: 'eth_newBlockFilter' })
    expect(await ask(chain.preconf, 'eth_unsubscribe', [id])).toBe(false)
    expect(await ask(chain.preconf, 'eth_getFilterChanges', [id])).toEqual([])
  })
})
