/** A contract of hardhat-viem, tested with hardhat-viem-assertions. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { network } from 'hardhat'
import { getAddress } from 'viem'

const { networkHelpers, viem } = await network.create()
const { loadFixture, time } = networkHelpers

async function deployVault() {
  const unlockTime = BigInt(await time.latest()) + 3600n
  const vault = await viem.deployContract('Vault', [unlockTime])
  const [owner, other] = (await viem.getWalletClients()).map(({ account }) => account)
  return { vault, unlockTime, owner, other }
}

describe('Vault', () => {
  it('is deployed with its arguments', async () => {
    const { vault, unlockTime, owner } = await loadFixture(deployVault)
    assert.equal((await vault.read.owner()).toLowerCase(), owner.address)
    assert.equal(await vault.read.unlockTime(), unlockTime)
    await vault.write.write([42n])
    assert.equal(await vault.read.note(), 42n)
  })

  it('is as it was deployed, regardless of the test before', async () => {
    const { vault } = await loadFixture(deployVault)
    assert.equal(await vault.read.note(), 0n)
  })

  it('emits an event for a deposit, and moves ether', async () => {
    const { vault, other } = await loadFixture(deployVault)
    const deposit = () => vault.write.deposit({ account: other, value: 5n })
    await viem.assertions.emitWithArgs(deposit(), vault, 'Deposited', [getAddress(other.address), 5n])
    await viem.assertions.balancesHaveChanged(deposit(), [
      { address: vault.address, amount: 5n },
      { address: other.address, amount: -5n },
    ])
  })

  it('reverts with a custom error, with its arguments', async () => {
    const { vault, unlockTime } = await loadFixture(deployVault)
    await time.setNextBlockTimestamp(unlockTime - 10n)
    await viem.assertions.revertWithCustomError(vault.write.withdraw(), vault, 'TooEarly')
    await viem.assertions.revertWithCustomErrorWithArgs(vault.write.withdraw(), vault, 'TooEarly', [
      unlockTime,
      unlockTime - 10n,
    ])
  })

  it('reverts with a reason', async () => {
    const { vault, other } = await loadFixture(deployVault)
    await viem.assertions.revertWith(vault.write.write([1n], { account: other }), 'not the owner')
  })

  it('opens in the first block after the unlock time', async () => {
    const { vault, unlockTime, owner } = await loadFixture(deployVault)
    await vault.write.deposit({ value: 9n })
    await time.setNextBlockTimestamp(unlockTime)
    await viem.assertions.balancesHaveChanged(vault.write.withdraw(), [
      { address: owner.address, amount: 9n },
    ])
  })

  it("works with viem's test client", async () => {
    const { vault } = await loadFixture(deployVault)
    const [client, publicClient] = [await viem.getTestClient(), await viem.getPublicClient()]
    await client.setBalance({ address: vault.address, value: 3n })
    assert.equal(await publicClient.getBalance({ address: vault.address }), 3n)
  })
})
