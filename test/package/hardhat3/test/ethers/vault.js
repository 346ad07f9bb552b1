/** A contract of hardhat-ethers, tested with hardhat-ethers-chai-matchers; also deployed by Ignition. */
import { anyValue } from '@nomicfoundation/hardhat-ethers-chai-matchers/withArgs'
import { buildModule } from '@nomicfoundation/hardhat-ignition/modules'
import { expect } from 'chai'
import { network } from 'hardhat'

const { ethers, ignition, networkHelpers, provider } = await network.create()
const { loadFixture, time } = networkHelpers

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
    const deposit = vault.connect(other).deposit({ value: 6n })
    await expect(deposit).to.changeEtherBalances(ethers, [other, vault], [-6n, 6n])
  })

  it('reverts with a custom error, with its arguments', async () => {
    const { vault, unlockTime } = await loadFixture(deployVault)
    await expect(vault.withdraw())
      .to.be.revertedWithCustomError(vault, 'TooEarly')
      .withArgs(unlockTime, anyValue)
    await expect(vault.withdraw.staticCall()).to.be.revertedWithCustomError(vault, 'TooEarly')
    // Sent with a gas limit, it is included and fails.
    await expect(vault.withdraw({ gasLimit: 100_000n })).to.revert(ethers)
  })

  it('has the revert data in the error', async () => {
    const { vault, unlockTime } = await loadFixture(deployVault)
    const call = { to: await vault.getAddress(), data: vault.interface.encodeFunctionData('withdraw') }
    const error = await provider.request({ method: 'eth_call', params: [call, 'latest'] }).catch((it) => it)
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
    await expect(vault.withdraw()).to.changeEtherBalance(ethers, owner, 9n)
  })

  it('is deployed by Ignition', async () => {
    const module = buildModule('Vault', (builder) => ({ vault: builder.contract('Vault', [7]) }))
    const { vault } = await ignition.deploy(module)
    expect(await vault.unlockTime()).to.equal(7n)
  })
})
