import { patchAccount } from '../../core/cheats/accounts.ts'
import { defineCheat } from '../method.ts'
import { integer } from '../params/dev.ts'
import { address } from '../params/params.ts'

/**
 * Sets the nonce of an account at the head.
 *
 * @group Dev chain: accounts and state
 * @example ["$nobody", "0x1"]
 */
export const anvil_setNonce = defineCheat('setNonce', {
  aliases: ['evm_setAccountNonce'],
  params: [address, integer],
  returns: true,
  handler: ({ control }, account, nonce) =>
    patchAccount(control.cheats, account, () => ({ nonce: BigInt(nonce) })),
})
