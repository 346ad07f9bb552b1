/** State tests in the format of ethereum/tests: accounts, a transaction, and the root and logs it must give. */
import type { Address, Hash, Hex } from '../../src/base/types.ts'
import { type Folder, readJson, type Sample } from './folder.ts'
import type { NetworkConfig } from './networks.ts'

/** A test of a file on a fork: a block context, accounts, and the transactions that are executed on them. */
export interface StateTest {
  /** Such as `stExample/add11.json add11 Cancun`. */
  readonly name: string
  /** The file, relative to the folder. */
  readonly file: string
  /** As the file spells it, such as `ConstantinopleFix`. */
  readonly fork: string
  readonly config: NetworkConfig
  readonly env: StateTestEnv
  readonly pre: PreState
  readonly cases: readonly StateTestCase[]
}

/** One transaction of a test. */
export interface StateTestCase {
  /** Such as `stExample/add11.json add11 Cancun d0g0v0`. */
  readonly name: string
  /** The signed transaction. */
  readonly txbytes: Hex
  /** The expected state root. */
  readonly hash: Hash
  /** keccak256 of the RLP of the logs. */
  readonly logs: Hash
  /** Why it must be rejected; absent if it is valid. */
  readonly expectException?: string
}

/** Accounts by address, as tests write them. */
export type PreState = Readonly<Record<Address, PreAccount>>

/** An account of a test; all fields in hex. */
export interface PreAccount {
  readonly balance: Hex
  readonly code: Hex
  readonly nonce: Hex
  readonly storage: Readonly<Record<Hex, Hex>>
}

/** The block that a transaction is executed in. */
export interface StateTestEnv {
  readonly currentCoinbase: Address
  readonly currentNumber: Hex
  readonly currentTimestamp: Hex
  readonly currentGasLimit: Hex
  readonly currentDifficulty: Hex
  readonly currentBaseFee?: Hex
  readonly currentRandom?: Hash
  readonly currentExcessBlobGas?: Hex
}

/** The outcome of a transaction. */
export interface StateTestOutcome {
  /** The state root, and keccak256 of the RLP of the logs. */
  readonly hash: Hash
  readonly logs: Hash
  /** Why it was rejected; absent if it was included. */
  readonly rejected?: string
}

type TestInFile = Pick<StateTest, 'env' | 'pre'> & {
  readonly config?: NetworkConfig
  readonly post: Readonly<
    Record<string, readonly (Omit<StateTestCase, 'name'> & { readonly indexes: Indexes })[]>
  >
}

interface Indexes {
  readonly data: number
  readonly gas: number
  readonly value: number
}

/** The tests of a folder on every fork, in lexical order of their files. */
export async function* readStateTests(folder: Folder): AsyncGenerator<StateTest> {
  const files = (await folder.list()).filter((file) => file.endsWith('.json'))
  for (const file of files) {
    const tests = await readJson<Record<string, TestInFile>>(folder, file)
    for (const [title, { config = {}, env, pre, post }] of Object.entries(tests)) {
      for (const [fork, entries] of Object.entries(post)) {
        const name = `${file} ${title} ${fork}`
        const cases = entries.map(({ indexes, ...rest }) => ({
          ...rest,
          name: `${name} d${indexes.data}g${indexes.gas}v${indexes.value}`,
        }))
        yield { name, file, fork, config, env, pre, cases }
      }
    }
  }
}

/** Some of the cases of the tests; tests without such a case are omitted. */
export async function* sampleCases(
  tests: AsyncIterable<StateTest>,
  [k, n]: Sample,
): AsyncGenerator<StateTest> {
  let index = 0
  for await (const test of tests) {
    const cases = test.cases.filter(() => index++ % n === k)
    if (cases.length > 0) yield { ...test, cases }
  }
}

/** How an outcome, or the error thrown instead, differs from the expected one; undefined if it does not. */
export function differenceOf(expected: StateTestCase, got: StateTestOutcome | string): string | undefined {
  if (typeof got === 'string') return `threw ${got}`
  const differences: string[] = []
  if (expected.expectException === undefined && got.rejected !== undefined)
    differences.push(`rejected: ${got.rejected}`)
  if (expected.expectException !== undefined && got.rejected === undefined) {
    differences.push(`not rejected: ${expected.expectException}`)
  }
  if (got.hash !== expected.hash) differences.push(`state root ${got.hash}, not ${expected.hash}`)
  if (got.logs !== expected.logs) differences.push(`logs hash ${got.logs}, not ${expected.logs}`)
  return differences.length === 0 ? undefined : differences.join('; ')
}
