/** Every helper of @nomicfoundation/hardhat-network-helpers 3.x, over HTTP. */
import assert from 'node:assert/strict'
import { network } from 'hardhat'
import { helperStories } from '../../hardhatHelpers.js'

const { networkHelpers: helpers, provider } = await network.create()

describe('network helpers', () => {
  for (const [name, story] of Object.entries(helperStories)) it(name, () => story({ helpers, provider }))

  it('are all tested', () => {
    const names = ({ time, ...others }) => [
      ...Object.keys(others),
      ...Object.keys(time).map((name) => `time.${name}`),
    ]
    assert.deepEqual(names(helpers).sort(), Object.keys(helperStories).sort())
  })
})
