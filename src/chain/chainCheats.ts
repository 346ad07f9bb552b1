/** The cheats that are methods of a chain. Arguments are parsed by the schemas of the wire methods. */

import { quantity } from '../base/bytes.ts'
import type { SealedBlock } from '../base/eventTypes.ts'
import type { Schema } from '../base/schema.ts'
import { dealERC20, patchAccount } from '../core/cheats/accounts.ts'
import { increaseTime, mine } from '../core/cheats/blocks.ts'
import { amount, integer } from '../rpc/params/dev.ts'
import { parseParam } from '../rpc/params/parseParams.ts'
import { address, data, storageKey } from '../rpc/params/scalars.ts'
import type { RpcServices } from '../rpc/services.ts'
import type { ChainCheats } from './cheatMethods.ts'

/** @param head - returns the newest sealed block. */
export function createChainCheats(
  { control: { cheats }, send: { signers } }: RpcServices,
  head: () => SealedBlock,
): ChainCheats {
  const readAddress = (value: unknown) => parseParam(value, 'address', address)
  return {
    async mine(blocks = 1) {
      await mine(cheats, { blocks: parseParam(blocks, 'blocks', integer) })
      return head()
    },
    async increaseTime(seconds) {
      await increaseTime(cheats, parseParam(seconds, 'seconds', integer))
    },
    async setBalance(of, wei) {
      const [account, balance] = [readAddress(of), readNumber(wei, 'wei', amount)]
      await patchAccount(cheats, account, () => ({ balance }))
    },
    async setCode(of, hex) {
      const [account, code] = [readAddress(of), parseParam(hex, 'code', data)]
      await patchAccount(cheats, account, () => ({ code }))
    },
    async setStorageAt(of, slot, value) {
      const account = readAddress(of)
      const entry = [readNumber(slot, 'slot', storageKey), readNumber(value, 'value', storageKey)] as const
      await patchAccount(cheats, account, () => ({ stateDiff: new Map([entry]) }))
    },
    async impersonateAccount(account) {
      await signers.impersonate(readAddress(account))
    },
    async stopImpersonatingAccount(account) {
      await signers.stopImpersonating(readAddress(account))
    },
    async deal(token, owner, units) {
      const contract = parseParam(token, 'token', address)
      await dealERC20(cheats, readAddress(owner), contract, readNumber(units, 'amount', amount))
    },
  }
}

/** Parses a number, given as a bigint or in the forms that the wire accepts. */
function readNumber<T>(value: unknown, name: string, schema: Schema<T>): T {
  return parseParam(typeof value === 'bigint' ? quantity(value) : value, name, schema)
}
