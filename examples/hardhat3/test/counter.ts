/** A contract on a chain that makes a block for each transaction, and on one with pre-confirmations. */
import { expect } from 'chai'
import { network } from 'hardhat'

describe('Counter', () => {
  it('counts, and emits an event', async () => {
    const { ethers } = await network.create()
    const counter = await ethers.deployContract('Counter')
    await expect(counter.increase()).to.emit(counter, 'Increased').withArgs(1n)
    expect(await counter.count()).to.equal(1n)
  })

  it('shows a count in 200 ms, and seals it later', async () => {
    const { ethers, preseal: chain } = await network.create('live')
    const counter = await ethers.deployContract('Counter')
    await chain.advance(2000)

    const transaction = await counter.increase()
    await chain.advance(200)
    expect((await transaction.wait())?.status).to.equal(1)
    expect(await counter.count({ blockTag: 'pending' })).to.equal(1n)
    expect(await counter.count({ blockTag: 'latest' })).to.equal(0n)

    await chain.advance(2000)
    expect(await counter.count({ blockTag: 'latest' })).to.equal(1n)
  })
})
