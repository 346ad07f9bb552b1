import { dealERC20 } from '../../core/cheats/accounts.ts'
import { defineCheat } from '../method.ts'
import { amount } from '../params/dev.ts'
import { address } from '../params/params.ts'

/**
 * Sets the ERC-20 balance of an account. Parameters: owner, token, balance in the token's smallest unit.
 *
 * @throws SlotNotFoundError
 * @group Dev chain: accounts and state
 * @example ["$bob", "$token", "0x63"]
 */
export const anvil_dealERC20 = defineCheat('dealERC20', {
  params: [address, address, amount],
  returns: null,
  handler: ({ control }, owner, token, balance) => dealERC20(control.cheats, owner, token, balance),
})
