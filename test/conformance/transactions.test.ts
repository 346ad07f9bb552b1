import { beforeAll, describe, expect, it } from 'vitest'
import { hexToBytes, quantity } from '../../src/base/bytes.ts'
import { type Crypto, loadCrypto } from '../../src/base/crypto/crypto.ts'
import { TransactionRejectedError } from '../../src/base/errors.ts'
import type { Address, Hash, Hex } from '../../src/base/types.ts'
import { decodeTransaction } from '../../src/ethereum/decodeTransaction.ts'
import { upfrontGas } from '../../src/ethereum/gas.ts'
import type { Rules } from '../../src/ethereum/rules.ts'
import { checkUpfrontGas, refuse } from '../../src/ethereum/validity.ts'
import { rulesOf } from '../forks.ts'
import { readJson } from './folder.ts'
import { TRANSACTION_TESTS } from './served.ts'

/** The transactions of a file by name, with the result on each fork. */
type TransactionTests = Readonly<
  Record<string, { readonly txbytes: Hex; readonly result: Readonly<Record<string, Result>> }>
>

/** Of a valid transaction, or of one that must be refused. */
type Result =
  | { readonly hash: Hash; readonly sender: Address; readonly intrinsicGas: Hex }
  | { readonly exception: string; readonly intrinsicGas: Hex }

/** The names of forks that are not those of {@link rulesOf} with a capital letter. */
const FORK_NAMES: Readonly<Record<string, string>> = {
  Frontier: 'chainstart',
  EIP150: 'tangerineWhistle',
  EIP158: 'spuriousDragon',
  ConstantinopleFix: 'petersburg',
}

/** The rules of a fork on mainnet, by the name that the tests have for it. */
function rulesByName(fork: string): Rules {
  return rulesOf(FORK_NAMES[fork] ?? fork[0]!.toLowerCase() + fork.slice(1), 1)
}

const folder = TRANSACTION_TESTS
let crypto: Crypto

describe('transaction tests', () => {
  beforeAll(async () => {
    crypto = await loadCrypto()
  })

  /** The result in the form of the tests; without the intrinsic gas of what cannot be decoded. */
  function resultOf(txbytes: Hex, rules: Rules): Partial<Result> {
    let intrinsicGas: Hex | undefined
    try {
      const tx = decodeTransaction(hexToBytes(txbytes), rules, crypto)
      const gas = upfrontGas(tx, rules.fork)
      intrinsicGas = quantity(gas.intrinsic)
      refuse(checkUpfrontGas(tx, gas))
      return { hash: tx.hash, sender: tx.from, intrinsicGas }
    } catch (error) {
      if (!(error instanceof TransactionRejectedError)) throw error
      return { exception: error.message, ...(intrinsicGas && { intrinsicGas }) }
    }
  }

  if (folder === undefined) {
    it.skip('gives the results of ethereum/tests: PRESEAL_ETHEREUM_TESTS names no folder', () => {})
  } else {
    it('gives the results of ethereum/tests', async () => {
      const expected: Record<string, Result> = {}
      const got: Record<string, Partial<Result>> = {}
      for (const file of await folder.list()) {
        const tests = await readJson<TransactionTests>(folder, file)
        for (const [name, { txbytes, result }] of Object.entries(tests)) {
          for (const [fork, wanted] of Object.entries(result)) {
            const own = resultOf(txbytes, rulesByName(fork))
            const areRefused = 'exception' in own && 'exception' in wanted
            expected[`${file} ${name} ${fork}`] = wanted
            // Exceptions have words of their own in the tests.
            got[`${file} ${name} ${fork}`] = areRefused
              ? { ...wanted, ...own, exception: wanted.exception }
              : own
          }
        }
      }
      expect(Object.values(expected).some((result) => 'exception' in result)).toBe(true)
      expect(Object.values(expected).some((result) => 'hash' in result)).toBe(true)
      expect(got).toEqual(expected)
    })
  }
})
