/** Every helper of @nomicfoundation/hardhat-network-helpers 1.x, on the network that Hardhat was started with. */
const assert = require('node:assert/strict')
const helpers = require('@nomicfoundation/hardhat-network-helpers')
const { network } = require('hardhat')
const { helperStories } = require('../hardhatHelpers.cjs')

const send = (method, ...params) => network.provider.send(method, params)
const scene = { helpers, provider: network.provider }

describe('network helpers', () => {
  for (const [name, story] of Object.entries(helperStories)) it(name, () => story(scene))

  it('time.advanceBlock and time.advanceBlockTo', async () => {
    const { time } = helpers
    const before = await time.latestBlock()
    assert.equal(await time.advanceBlock(2), before + 2)
    await time.advanceBlockTo(before + 5)
    assert.equal(await time.latestBlock(), before + 5)
  })

  it('reset', async () => {
    const genesis = await send('eth_getBlockByNumber', '0x0', false)
    await helpers.mine(3)
    await helpers.reset()
    assert.equal(await helpers.time.latestBlock(), 0)
    assert.deepEqual(await send('eth_getBlockByNumber', 'latest', false), genesis)
  })

  it('come with a provider that forwards notifications', async () => {
    const subscription = await send('eth_subscribe', 'newHeads')
    const message = new Promise((resolve) => network.provider.once('message', resolve))
    await helpers.mine()
    const { hash } = await send('eth_getBlockByNumber', 'latest', false)
    const { type, data } = await message
    assert.deepEqual([type, data.subscription, data.result.hash], ['eth_subscription', subscription, hash])
    await send('eth_unsubscribe', subscription)
  })

  it('are all tested', () => {
    const names = ({ time, ...others }) => [
      ...Object.keys(others),
      ...Object.keys(time).map((name) => `time.${name}`),
    ]
    const tested = [...Object.keys(helperStories), 'time.advanceBlock', 'time.advanceBlockTo', 'reset']
    assert.deepEqual(names(helpers).sort(), tested.sort())
  })
})
