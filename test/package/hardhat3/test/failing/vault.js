/** Tests that fail in Solidity: a call, a send that is estimated first, and a send with a gas limit. */
import { network } from 'hardhat'

const { ethers } = await network.create()

describe('a test fails', () => {
  let vault
  before(async () => {
    vault = await ethers.deployContract('Vault', [4_000_000_000])
  })

  it('in a call', () => vault.divide(0))

  it('in a send', async () => {
    const [, other] = await ethers.getSigners()
    await vault.connect(other).write(1)
  })

  it('in a send with a gas limit', () => vault.withdraw({ gasLimit: 100_000n }))
})
