/** The signers of a transaction's authorisations (EIP-7702). */

import { bigintToBytes, concatBytes, hexToBytes } from '../../base/bytes.ts'
import type { Crypto } from '../../base/crypto/crypto.ts'
import { PresealError } from '../../base/errors.ts'
import { encodeRlp } from '../../base/rlp.ts'
import type { Address } from '../../base/types.ts'
import { type Authorization, MAX_NONCE, type TxEnv } from '../transaction.ts'

const MAGIC = 0x05

/** An authorisation with its signer. */
export interface SignedAuthorization {
  readonly authorization: Authorization
  readonly authority: Address
}

/** The authorisations for this chain that have a usable nonce and a recoverable signer. */
export function signedAuthorizations(
  { authorizationList = [] }: TxEnv,
  chainId: bigint,
  crypto: Crypto,
): SignedAuthorization[] {
  const signed: SignedAuthorization[] = []
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
