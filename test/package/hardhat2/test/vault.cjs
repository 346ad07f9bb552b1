/** A contract of hardhat-ethers, tested with hardhat-chai-matchers. */
const { loadFixture, time } = require('@nomicfoundation/hardhat-network-helpers')
const { anyValue } = require('@nomicfoundation/hardhat-chai-matchers/withArgs')
const { expect } = require('chai')
const { ethers, network } = require('hardhat')

async function deployVault() {
  const unlockTime = (await time.latest()) + 3600
  const vault = await ethers.deployContract('Vault', [unlockTime])
  const [owner, other] = await ethers.getSigners()
  return { vault, unlockTime, owner, other }
}

describe('Vault', () => {
  it('is deployed with its arguments', async () => {
    const { vault, unlockTime, owner } = await loadFixture(deployVault)
    expect(await vault.owner()).to.equal(owner.address)
    expect(await vault.unlockTime()).to.equal(unlockTime)
    await vault.write(42)
    expect(await vault.note()).to.equal(42n)
  })

  it('is as it was deployed, regardless of the test before', async () => {
    const { vault } = await loadFixture(deployVault)
    expect(await vault.note()).to.equal(0n)
  })

  it('emits an event for a deposit, and moves ether', async () => {
    const { vault, other } = await loadFixture(deployVault)
    await expect(vault.connect(other).deposit({ value: 5n }))
      .to.emit(vault, 'Deposited')
      .withArgs(other.address, 5n)
    await expect(vault.connect(other).deposit({ value: 6n })).to.changeEtherBalances(
      [other, vault],
      [-6n, 6n],
    )
  })

  it('reverts with a custom error, with its arguments', async () => {
    const { vault, unlockTime } = await loadFixture(deployVault)
    await expect(vault.withdraw())
      .to.be.revertedWithCustomError(vault, 'TooEarly')
      .withArgs(unlockTime, anyValue)
    await expect(vault.withdraw.staticCall()).to.be.revertedWithCustomError(vault, 'TooEarly')
    // Sent with a gas limit, it is included and fails.
    await expect(vault.withdraw({ gasLimit: 100_000n })).to.be.reverted
  })

  it('has the revert data in the error', async () => {
    const { vault, unlockTime } = await loadFixture(deployVault)
    const call = { to: await vault.getAddress(), data: vault.interface.encodeFunctionData('withdraw') }
    const error = await network.provider
      .request({ method: 'eth_call', params: [call, 'latest'] })
      .catch((it) => it)
    expect(error.data).to.equal(
      vault.interface.encodeErrorResult('TooEarly', [unlockTime, await time.latest()]),
    )
  })

  it('reverts with a reason, and with a panic', async () => {
    const { vault, other } = await loadFixture(deployVault)
    await expect(vault.connect(other).write(1)).to.be.revertedWith('not the owner')
    await expect(vault.divide(0)).to.be.revertedWithPanic(0x12)
  })

  it('opens in the first block after the unlock time', async () => {
    const { vault, unlockTime, owner } = await loadFixture(deployVault)
    await vault.deposit({ value: 9n })
    await time.setNextBlockTimestamp(unlockTime)
    await expect(vault.withdraw()).to.changeEtherBalance(owner, 9n)
  })
})
