/** The rules by which blocks were executed, as a database states them: JSON of the fields of a geth genesis that give them. */
import type { GethGenesis, Hardfork } from '../../../base/types.ts'
import { type ChainRules, createChainRules, type Rules, TIME_FORKS } from '../../../ethereum/rules.ts'
import type { BytesDatabase } from '../bytesDatabase.ts'
import { DatabaseCorruptError } from '../errors.ts'
import { decodeIndex, KIND, numberedKey, numberOfKey, verified } from './records.ts'

/** Key prefix, before their number, of rules by which blocks were executed. */
export const RULES_KEY = 'preseal:rules:'

interface StoredRules {
  readonly config: Readonly<Record<string, unknown>>
  readonly difficulty?: string
  readonly allowUnlimitedContractSize?: true
  readonly transactionGasCap?: false
}

/** The rules of all blocks of a chain, without its chain id. Equal rules have equal texts. */
export function rulesToText({ schedule, allowUnlimitedContractSize, transactionGasCap }: Rules): string {
  const { forks, blobs, depositContract, terminalTotalDifficulty } = schedule
  const starts = forks.flatMap(({ field, at }) => (at === undefined ? [] : [[field, at] as const]))
  const merge = forks.find(({ name }) => name === 'paris')
  const stored: StoredRules = {
    config: {
      ...Object.fromEntries(starts),
      ...(forks.some(({ name }) => name === 'dao') && { daoForkSupport: true }),
      ...(terminalTotalDifficulty !== undefined && { terminalTotalDifficulty: `${terminalTotalDifficulty}` }),
      blobSchedule: Object.fromEntries(
        [...blobs].map(([name, { target, max, updateFraction }]) => [
          name,
          { target, max, baseFeeUpdateFraction: updateFraction },
        ]),
      ),
      depositContractAddress: depositContract,
    },
    // With forks after the merge and no block of it, a genesis without difficulty would be after the merge.
    ...(merge !== undefined && merge.at === undefined && { difficulty: '0x1' }),
    ...(allowUnlimitedContractSize && { allowUnlimitedContractSize }),
    ...(!transactionGasCap && { transactionGasCap }),
  }
  return JSON.stringify(stored)
}

/**
 * Reads the text of {@link rulesToText}.
 *
 * @param chainId - the chain id with which the chain began.
 * @throws DatabaseCorruptError if it has no such rules.
 */
export function textToRules(text: string, chainId: bigint, name: string): ChainRules {
  try {
    const { config, difficulty, ...lifted } = JSON.parse(text) as StoredRules
    const genesis: GethGenesis = {
      config: { ...config, chainId: Number(chainId) },
      alloc: {},
      gasLimit: '0x0',
      ...(difficulty !== undefined && { difficulty }),
    }
    return createChainRules(genesis, lifted)
  } catch {
    throw new DatabaseCorruptError(name)
  }
}

/** The newest hardfork of the texts of {@link rulesToText}. */
export function newestHardfork(texts: readonly string[]): Hardfork {
  const configs = texts.map((text) => (JSON.parse(text) as StoredRules).config)
  return TIME_FORKS.findLast((name) => configs.some((config) => `${name}Time` in config)) ?? 'paris'
}

/** The numbers of all rules, by their texts. @throws DatabaseCorruptError */
export async function readRules(db: BytesDatabase): Promise<Map<string, number>> {
  const entries = await db.entriesOf(RULES_KEY)
  return new Map(
    entries.map(([key, bytes]) => [
      new TextDecoder().decode(verified(key, bytes, `the entry ${key}`)),
      Number(key.slice(RULES_KEY.length)),
    ]),
  )
}

/**
 * A number for further rules. No block names it, even if the entry that blocks name was lost: they would be executed by
 * other rules when the database is checked.
 *
 * @param stored - what {@link readRules} returned.
 * @throws DatabaseCorruptError
 */
export async function unusedNumber(db: BytesDatabase, stored: ReadonlyMap<string, number>): Promise<number> {
  let highest = Math.max(-1, ...stored.values())
  const end = numberedKey(KIND.index, Number.MAX_SAFE_INTEGER)
  for await (const part of db.range(numberedKey(KIND.index, 0), end)) {
    for (const { key, value } of part) {
      const name = `the index of block ${numberOfKey(key as Uint8Array)}`
      highest = Math.max(highest, decodeIndex(verified(key, value, name)).rules ?? -1)
    }
  }
  return highest + 1
}
