/** Transactions whose gas is measured: of two connections, one of which stays open, and of a fixture. */
import { expect } from 'chai'
import { network } from 'hardhat'

const { ethers, networkHelpers } = await network.create()

async function deployVault() {
  return ethers.deployContract('Vault', [1])
}

describe('the gas of Vault', () => {
  for (const amount of [1n, 1n << 200n]) {
    it(`is measured for a note of ${amount}`, async () => {
      const vault = await networkHelpers.loadFixture(deployVault)
      await vault.write(amount)
      await vault.deposit({ value: 5n })
      expect(await vault.note()).to.equal(amount)
    })
  }

  it('is measured on a connection that is closed', async () => {
    const other = await network.create()
    const vault = await other.ethers.deployContract('Vault', [1])
    await vault.write(3n)
    const [, stranger] = await other.ethers.getSigners()
    await expect(vault.connect(stranger).write(4n, { gasLimit: 100_000 })).to.be.revertedWith('not the owner')
    await other.ethers.provider.send('evm_mine', [])
    expect(await vault.note()).to.equal(3n)
    await other.close()
  })
})
