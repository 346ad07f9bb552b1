/** Headers in the form of @ethereumjs. */
import { type BlockHeader, createBlockHeaderFromBytesArray } from '@ethereumjs/block'
import type { Crypto } from '../crypto/crypto.ts'
import { commonOf } from '../evm/ethereumjs/common.ts'
import { type Header, headerItems } from '../protocol/header.ts'
import type { Rules } from '../protocol/rules.ts'

/** Converts a header, without checking the rules of consensus. */
export function toEthereumjsHeader(header: Header, rules: Rules, crypto: Crypto): BlockHeader {
  return createBlockHeaderFromBytesArray(headerItems(header), {
    common: commonOf(rules, crypto),
    skipConsensusFormatValidation: true,
  })
}
