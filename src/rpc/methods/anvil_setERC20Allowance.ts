import { setERC20Allowance } from '../../core/cheats/accounts.ts'
import { devNames } from '../devChain.ts'
import { changeMethod } from '../method.ts'
import { amount } from '../params/dev.ts'
import { address } from '../params/params.ts'

/**
 * Sets an ERC-20 allowance. Parameters: owner, spender, token, allowance in the token's smallest unit.
 *
 * @throws SlotNotFoundError
 */
export const anvil_setERC20Allowance = changeMethod(
  [address, address, address, amount],
  async ({ control }, owner, spender, token, allowance) => {
    await setERC20Allowance(control.cheats, owner, spender, token, allowance)
    return null
  },
  { aliases: devNames('setERC20Allowance') },
)
