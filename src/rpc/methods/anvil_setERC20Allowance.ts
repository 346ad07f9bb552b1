import { setERC20Allowance } from '../../core/cheats/accounts.ts'
import { defineCheat } from '../method.ts'
import { amount } from '../params/dev.ts'
import { address } from '../params/params.ts'

/**
 * Sets an ERC-20 allowance. Parameters: owner, spender, token, allowance in the token's smallest unit.
 *
 * @throws SlotNotFoundError
 * @group Dev chain: accounts and state
 * @example ["$bob", "$alice", "$token", "0x7"]
 */
export const anvil_setERC20Allowance = defineCheat('setERC20Allowance', {
  params: [address, address, address, amount],
  returns: null,
  handler: ({ control }, owner, spender, token, allowance) =>
    setERC20Allowance(control.cheats, owner, spender, token, allowance),
})
