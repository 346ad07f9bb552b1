/** Waits and events that end with the pre-confirmation: the contract is called through PresealProvider. */
import { expect } from 'chai'
import { network } from 'hardhat'
import { PresealProvider } from 'preseal/ethers'

describe('Counter, pre-confirmed', () => {
  it('emits an event in 200 ms', async () => {
    const { ethers, preseal: chain } = await network.create('live')
    const provider = new PresealProvider(chain)
    const Counter = await ethers.getContractFactory('Counter', await provider.getSigner())
    const counter = await Counter.deploy()
    await chain.advance(200)
    await counter.waitForDeployment()

    const transaction = await counter.increase()
    await chain.advance(200)
    await expect(transaction).to.emit(counter, 'Increased').withArgs(1n)
    expect(await provider.getBlockNumber()).to.equal(0)
    provider.destroy()
  })
})
