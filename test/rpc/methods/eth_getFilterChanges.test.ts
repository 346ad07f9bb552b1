import { expect, it } from 'vitest'
import { ask, startScene } from '../scene.ts'

it('gives what is new since the last look, and nothing where nothing is', async () => {
  const { chain } = await startScene()
  const id = await chain.preconf.request({ method: 'eth_newBlockFilter' })
  const changes = () => ask(chain.preconf, 'eth_getFilterChanges', [id])
  expect(await changes()).toEqual([])
  const { block } = await chain.seal()
  expect(await changes()).toEqual([block.hash])
  expect(await changes()).toEqual([])
})

it('refuses an id it does not know', async () => {
  const { chain } = await startScene()
  expect(await ask(chain.preconf, 'eth_getFilterChanges', ['0x1'])).toBe('error -32000 filter not found')
  expect(await ask(chain.preconf, 'eth_getFilterChanges', [1])).toBe(
    'error -32602 invalid argument 0: expected the id of a filter or a subscription',
  )
})
