import { expect, it } from 'vitest'
import { VERSION } from '../../../src/version.ts'
import { askBoth, startScene } from '../scene.ts'

it('names the library and its version', async () => {
  const { chain } = await startScene()
  expect(await askBoth(chain, 'web3_clientVersion')).toEqual({ both: `preseal/v${VERSION}` })
})
