import { dealERC20 } from '../../core/cheats/accounts.ts'
import { devNames } from '../devChain.ts'
import { changeMethod } from '../method.ts'
import { amount } from '../params/dev.ts'
import { address } from '../params/params.ts'

/**
 * Sets the ERC-20 balance of an account. Parameters: owner, token, balance in the token's smallest unit.
 *
 * @throws SlotNotFoundError
 */
export const anvil_dealERC20 = changeMethod(
  [address, address, amount],
  async ({ control }, owner, token, balance) => {
    await dealERC20(control.cheats, owner, token, balance)
    return null
  },
  { aliases: devNames('dealERC20') },
)
