/** Headers as @ethereumjs has them. */
import { type BlockHeader, createBlockHeaderFromBytesArray } from '@ethereumjs/block'
import type { Crypto } from '../crypto/crypto.ts'
import { commonOf } from '../evm/ethereumjs/common.ts'
import { type Header, headerItems } from '../protocol/header.ts'
import type { Rules } from '../protocol/rules.ts'

/** A header under these rules; what consensus says of it is not checked. */
export function toEthereumjsHeader(header: Header, rules: Rules, crypto: Crypto): BlockHeader {
  return createBlockHeaderFromBytesArray(headerItems(header), {
    common: commonOf(rules, crypto),
    skipConsensusFormatValidation: true,
  })
}
