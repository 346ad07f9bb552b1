/** What the suite over OpenZeppelin's contracts requires, in the forms of Hardhat 2, on a connection of Hardhat 3. */
import { PANIC_CODES } from '@nomicfoundation/hardhat-ethers-chai-matchers/panic'
import { anyValue } from '@nomicfoundation/hardhat-ethers-chai-matchers/withArgs'
import { Assertion, expect } from 'chai'
import { network as networks } from 'hardhat'

export { anyValue, expect, PANIC_CODES }

const connection = await networks.create()

export const { ethers } = connection
export const network = { name: connection.networkName, provider: connection.provider }
export const {
  impersonateAccount,
  loadFixture,
  mine,
  setBalance,
  setCode,
  stopImpersonatingAccount,
  takeSnapshot,
  time,
} = connection.networkHelpers

// Hardhat 3 has many connections in a process, so these take the one they ask.
for (const name of [
  'changeEtherBalances',
  'changeTokenBalance',
  'changeTokenBalances',
  'revertedWithoutReason',
]) {
  Assertion.overwriteMethod(
    name,
    (assert) =>
      function (...args) {
        return assert.call(this, ethers, ...args)
      },
  )
}
Assertion.addProperty('reverted', function () {
  return this.revert(ethers)
})
