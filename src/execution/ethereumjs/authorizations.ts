/** EIP-7702: accounts that lend their address to another's code. */
import { RLP } from '@ethereumjs/rlp'
import { bigintToBytes, concatBytes, hexToBytes } from '../../bytes.ts'
import type { Crypto } from '../../crypto.ts'
import { PresealError } from '../../errors.ts'
import { EMPTY_ACCOUNT, EMPTY_CODE_HASH, NO_CODE } from '../../state/account.ts'
import type { Overlay } from '../../state/overlay.ts'
import { type Authorization, MAX_NONCE, type TxEnv } from '../../transaction.ts'
import type { Address } from '../../types.ts'
import { isDelegation } from '../validate.ts'

const MAGIC = 0x05
const ZERO_ADDRESS: Address = `0x${'00'.repeat(20)}`

/** What an authorisation costs beyond its base where the account does not exist yet; refunded where it does. */
const EMPTY_ACCOUNT_REFUND = 12_500n

/** Applies the authorisations that hold, skipping those that do not. */
export function applyAuthorizations(
  tx: TxEnv,
  chainId: bigint,
  overlay: Overlay,
  crypto: Crypto,
): { readonly authorities: readonly Address[]; readonly refund: bigint } {
  const authorities: Address[] = []
  let refund = 0n
  for (const authorization of tx.authorizationList ?? []) {
    if (authorization.chainId !== 0n && authorization.chainId !== chainId) continue
    if (authorization.nonce >= MAX_NONCE) continue
    const authority = recoverAuthority(authorization, crypto)
    if (authority === undefined) continue
    // Warm from here on, even where the authorisation turns out not to hold.
    authorities.push(authority)
    const account = overlay.account(authority)
    const code = account === undefined ? NO_CODE : overlay.code(account.codeHash)
    if (code.length > 0 && !isDelegation(code)) continue
    if ((account?.nonce ?? 0n) !== authorization.nonce) continue
    if (account !== undefined) refund += EMPTY_ACCOUNT_REFUND
    const { balance, codeHash } = account ?? EMPTY_ACCOUNT
    overlay.setAccount(authority, { nonce: authorization.nonce + 1n, balance, codeHash })
    if (authorization.address === ZERO_ADDRESS) {
      overlay.setCode(authority, EMPTY_CODE_HASH, NO_CODE)
    } else {
      const delegation = concatBytes(Uint8Array.of(0xef, 0x01, 0x00), hexToBytes(authorization.address))
      overlay.setCode(authority, crypto.keccak256Hex(delegation), delegation)
    }
  }
  return { authorities, refund }
}

function recoverAuthority(
  { chainId, address, nonce, yParity, r, s }: Authorization,
  crypto: Crypto,
): Address | undefined {
  const message = RLP.encode([bigintToBytes(chainId), hexToBytes(address), bigintToBytes(nonce)])
  try {
    const hash = crypto.keccak256(concatBytes(Uint8Array.of(MAGIC), message))
    return crypto.addressOf(crypto.recover(hash, r, s, yParity))
  } catch (error) {
    if (error instanceof PresealError) return undefined
    throw error
  }
}
