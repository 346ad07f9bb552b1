/** Converts headers to @ethereumjs. */
import { type BlockHeader, createBlockHeaderFromBytesArray } from '@ethereumjs/block'
import type { Crypto } from '../../base/crypto/crypto.ts'
import { commonOf } from '../../ethereum/evm/ethereumjs/common.ts'
import { type Header, headerItems } from '../../ethereum/header.ts'
import type { Rules } from '../../ethereum/rules.ts'

/** Converts a header. Does not check consensus rules. */
export function toEthereumjsHeader(header: Header, rules: Rules, crypto: Crypto): BlockHeader {
  return createBlockHeaderFromBytesArray(headerItems(header), {
    common: commonOf(rules, crypto),
    skipConsensusFormatValidation: true,
  })
}
