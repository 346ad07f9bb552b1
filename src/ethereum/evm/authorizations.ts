import { bigintToBytes, concatBytes, hexToBytes, ZERO_ADDRESS } from '../../base/bytes.ts'
import type { Crypto } from '../../base/crypto/crypto.ts'
import { PresealError } from '../../base/errors.ts'
import { encodeRlp } from '../../base/rlp.ts'
import type { Address } from '../../base/types.ts'
import { EMPTY_ACCOUNT, EMPTY_CODE_HASH, NO_CODE } from '../state/account.ts'
import type { Overlay } from '../state/overlay.ts'
import { type Authorization, MAX_NONCE, type TxEnv } from '../transaction.ts'
import { isDelegation } from './validate.ts'

/** The gas refunded per applied authorisation whose authority's account exists (EIP-7702). */
const EMPTY_ACCOUNT_REFUND = 12_500n

/** Applies a transaction's valid authorisations. @returns the signers, which become warm, and the gas to refund. */
export function applyAuthorizations(
  tx: TxEnv,
  chainId: bigint,
  overlay: Overlay,
  crypto: Crypto,
): { readonly authorities: readonly Address[]; readonly refund: bigint } {
  const authorities: Address[] = []
  let refund = 0n
  for (const { authorization, authority } of signedAuthorizations(tx, chainId, crypto)) {
    // Warm from now on, even if the authorisation turns out to be invalid.
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

const MAGIC = 0x05

/** The authorisations for this chain with a usable nonce and a recoverable signer. */
export function signedAuthorizations(
  { authorizationList = [] }: TxEnv,
  chainId: bigint,
  crypto: Crypto,
): { readonly authorization: Authorization; readonly authority: Address }[] {
  const signed = []
  for (const authorization of authorizationList) {
    if (authorization.chainId !== 0n && authorization.chainId !== chainId) continue
    if (authorization.nonce >= MAX_NONCE) continue
    const authority = recoverAuthority(authorization, crypto)
    if (authority !== undefined) signed.push({ authorization, authority })
  }
  return signed
}

function recoverAuthority(
  { chainId, address, nonce, yParity, r, s }: Authorization,
  crypto: Crypto,
): Address | undefined {
  const message = encodeRlp([bigintToBytes(chainId), hexToBytes(address), bigintToBytes(nonce)])
  try {
    const hash = crypto.keccak256(concatBytes(Uint8Array.of(MAGIC), message))
    return crypto.addressOf(crypto.recover(hash, r, s, yParity))
  } catch (error) {
    if (error instanceof PresealError) return undefined
    throw error
  }
}
