/** The accounts that random programs meet. */

import fc from 'fast-check'
import { privateKeyToAddress } from 'viem/accounts'
import { bigintToBytes, bytesToHex, hexToBytes, MAX_UINT256 } from '../../../../src/base/bytes.ts'
import type { Crypto } from '../../../../src/base/crypto/crypto.ts'
import { encodeRlp } from '../../../../src/base/rlp.ts'
import type { Address, Hex } from '../../../../src/base/types.ts'
import { activePrecompiles } from '../../../../src/ethereum/evm/precompiles.ts'
import type { ForkRules } from '../../../../src/ethereum/forks.ts'
import { address } from '../../../words.ts'
import { type Code, hex } from '../programs.ts'
import type { StartingAccount } from '../setup.ts'
import { program } from './programs.ts'
import type { Scope } from './scope.ts'
import { DEEP, LONG, longCode, TOOLS } from './tools.ts'

export const SENDER = address(0xaa00000000)
/** Contracts with random code. Each calls mostly those after it. */
export const CONTRACTS = [0, 1, 2, 3].map((i) => address(0xcc00000000 + i))
export const ABSENT = address(0xab00000000)
export const COINBASE = address(0xcb00000000)
const EMPTY = address(0xeb00000000)
const POOR = address(0xbb00000000)
/** Holds all but little of the ether that a balance can hold. */
const RICH = address(0xbc00000000)
const STORAGE_ONLY = address(0xbd00000000)
/** Delegations to a contract, to a precompile, to another delegation, to nothing and to itself. */
export const DELEGATORS = [0, 1, 2, 3, 4].map((i) => address(0xde00000000 + i))
const DELEGATES: readonly Address[] = [CONTRACTS[2]!, address(4), DELEGATORS[0]!, ABSENT, DELEGATORS[4]!]

/** The keys that sign authorisations; the first account exists. */
export const KEYS: readonly Hex[] = [`0x${'11'.repeat(32)}`, `0x${'22'.repeat(32)}`]
export const AUTHORITIES = KEYS.map((key) => privateKeyToAddress(key).toLowerCase() as Address)

/** The address of the contract that an account creates with this nonce (Yellow Paper, section 7). */
function createdAddress(creator: Address, nonce: bigint, crypto: Crypto): Address {
  const hash = crypto.keccak256(encodeRlp([hexToBytes(creator), bigintToBytes(nonce)]))
  return bytesToHex(hash.subarray(12))
}

/** The addresses that code, and transactions, refer to. */
export function targetsOf(fork: ForkRules, isLimited: boolean): readonly Address[] {
  const precompiles = activePrecompiles(fork)
    // Gas alone limits how long this one runs.
    .filter(([name]) => isLimited || name !== 'modexp')
    .map(([, at]) => address(at))
  return [
    ...[...CONTRACTS, ...(Object.keys(TOOLS) as Address[])].flatMap((at) => [at, at]),
    ...[ABSENT, EMPTY, POOR, RICH, STORAGE_ONLY, COINBASE, SENDER],
    ...DELEGATORS,
    ...AUTHORITIES,
    ...precompiles.slice(0, 6),
    ...[0, 3, 0x0a, 0x12, 0x13, 0x100, 0x101].map(address),
  ]
}

/** Code of the contracts: each calls itself and those before it seldom, so that most calls end. */
export function contractCodes(fork: ForkRules, isLimited: boolean): fc.Arbitrary<readonly Code[]> {
  const targets = targetsOf(fork, isLimited)
  return fc.tuple(
    ...CONTRACTS.map((_, i) => {
      const before = new Set(CONTRACTS.slice(0, i + 1))
      const others = targets.filter((at) => !before.has(at))
      const scope: Scope = {
        fork,
        targets: isLimited ? [...others, ...others, ...before, CONTRACTS[i]!] : others,
        isLimited,
      }
      return program(scope)
    }),
  )
}

const balances = fc.constantFrom(
  ...[0n, 0n, 10n ** 18n, MAX_UINT256],
  ...Array.from({ length: 12 }, () => 1000n),
)
const nonces = fc.constantFrom(
  ...[0n, 2n ** 64n - 3n, 2n ** 64n - 2n, 2n ** 64n - 1n],
  ...Array.from({ length: 12 }, () => 1n),
)
const storages = fc.constantFrom({}, { 0: 1n, 1: 2n }, { 0: 1n, 1: 2n, 2: MAX_UINT256, 3: 2n ** 53n })

/** What is at the address of a contract that is created later. */
const leftovers = fc.constantFrom<StartingAccount | undefined>(
  undefined,
  undefined,
  { balance: 5n },
  { nonce: 1n },
  { storage: { 0: 1n } },
  { code: '0x00' },
)

/** The accounts before a transaction. */
export function startingAccounts(
  fork: ForkRules,
  isLimited: boolean,
  crypto: Crypto,
): fc.Arbitrary<Readonly<Record<Address, StartingAccount>>> {
  return fc
    .record({
      codes: contractCodes(fork, isLimited),
      fields: fc.tuple(
        ...CONTRACTS.map(() => fc.record({ balance: balances, nonce: nonces, storage: storages })),
      ),
      sender: fc.record({
        nonce: fc.constantFrom(0n, 0n, 1n, 2n ** 64n - 2n),
        balance: fc.constantFrom(10n ** 20n, 10n ** 20n, MAX_UINT256),
      }),
      leftover: leftovers,
      authority: fc.constantFrom<StartingAccount>(
        { balance: 3n },
        { nonce: 1n, code: delegation(CONTRACTS[3]!) },
      ),
    })
    .map(({ codes, fields, sender, leftover, authority }) => {
      const accounts: Record<Address, StartingAccount> = {
        [SENDER]: sender,
        [EMPTY]: {},
        [address(3)]: {},
        [POOR]: { balance: 1n },
        [RICH]: { balance: MAX_UINT256 - 3n },
        [STORAGE_ONLY]: { storage: { 1: 1n } },
        [AUTHORITIES[0]!]: authority,
      }
      for (const [i, at] of CONTRACTS.entries()) {
        accounts[at] = { ...fields[i]!, code: hex(codes[i]!) }
        if (leftover !== undefined) accounts[createdAddress(at, fields[i]!.nonce, crypto)] = leftover
      }
      if (leftover?.balance !== undefined) accounts[createdAddress(SENDER, sender.nonce, crypto)] = leftover
      for (const [i, at] of DELEGATORS.entries())
        accounts[at] = { nonce: 1n, code: delegation(DELEGATES[i]!) }
      for (const [at, code] of Object.entries({ ...TOOLS, ...DEEP })) {
        accounts[at as Address] = { nonce: 1n, balance: 9n, code: hex(code), storage: { 5: 1n } }
      }
      return accounts
    })
}

/** The contract at {@link LONG}, which is part of the state only if it is called, for its size. */
export const longContract = (): StartingAccount => ({ nonce: 1n, code: hex(longCode()) })

function delegation(to: Address): Hex {
  return `0xef0100${to.slice(2)}`
}
