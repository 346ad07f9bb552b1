/** Transactions whose gas is measured, as in `test/gas/vault.js`, with viem in Node's test runner; a test fails if `FAIL` is true. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { network } from 'hardhat'

const { viem, networkHelpers } = await network.create()

async function deployVault() {
  return viem.deployContract('Vault', [1n])
}

describe('the gas of Vault', () => {
  for (const amount of [1n, 1n << 200n]) {
    it(`is measured for a note of ${amount}`, async () => {
      const vault = await networkHelpers.loadFixture(deployVault)
      await vault.write.write([amount])
      await vault.write.deposit({ value: 5n })
      assert.equal(await vault.read.note(), amount)
    })
  }

  it('is measured on a connection that is closed', async () => {
    const other = await network.create()
    const vault = await other.viem.deployContract('Vault', [1n])
    await vault.write.write([3n])
    const [, { account }] = await other.viem.getWalletClients()
    const failing = vault.write.write([4n], { account, gas: 100_000n })
    await other.viem.assertions.revertWith(failing, 'not the owner')
    assert.equal(await vault.read.note(), 3n)
    await other.close()
  })

  it('is compared if all tests pass', () => assert.notEqual(process.env.FAIL, 'true'))
})
