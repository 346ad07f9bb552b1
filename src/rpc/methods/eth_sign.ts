import { method } from '../method.ts'
import { address, data } from '../params/scalars.ts'
import { signMessage } from '../wallet/signMessage.ts'

/**
 * Signs a message (EIP-191) with an account of the chain; personal_sign with its parameters the other way round.
 *
 * @throws UnknownAccountError
 */
export const eth_sign = method([address, data], signMessage)
