/** The arguments of `chain.reorg`, `chain.retract` and `chain.importBlocks`, and their checks. */

import { hexToBytes } from '../bytes.ts'
import type { Hash, Hex } from '../types.ts'
import { check, type OptionsInput, type OptionsValue, option, parseOption, parseOptions } from './option.ts'
import { choice, integer, isHexOf } from './optionSchemas.ts'

/** A request to replace sealed blocks. */
export interface ReorgRequest {
  /** The number of latest blocks to replace: from 1 to 1,000. */
  readonly depth: number
  /** Raw transactions for each new block, oldest first; blocks beyond the list are empty. */
  readonly replace?: readonly (readonly Hex[])[] | undefined
}

/** A request to withdraw pre-confirmed transactions, or a number of the latest preconf blocks. */
export type RetractRequest = { readonly transactions: readonly Hash[] } | { readonly preconfBlocks: number }

/** Checks a {@link ReorgRequest} and decodes its transactions. @throws InvalidOptionError */
export function resolveReorg(request: ReorgRequest): {
  readonly depth: number
  readonly replace: readonly (readonly Uint8Array[])[]
} {
  check(isObject(request), 'request', 'an object with a depth')
  const { replace = [] } = request
  const depth = parseOption(integer(1), request.depth, 'depth')
  const isRaw = (raw: unknown) => typeof raw === 'string' && /^0x([0-9a-f]{2})+$/i.test(raw)
  const isList = Array.isArray(replace) && replace.every((raws) => Array.isArray(raws) && raws.every(isRaw))
  check(isList, 'replace', 'lists of raw transactions, one per block')
  return { depth, replace: replace.map((raws) => raws.map((raw: Hex) => hexToBytes(raw))) }
}

/** Checks a {@link RetractRequest}. @returns the hashes, or the number of preconf blocks. @throws InvalidOptionError */
export function resolveRetract(request: RetractRequest): readonly Hash[] | number {
  check(
    isObject(request) && ('transactions' in request || 'preconfBlocks' in request),
    'request',
    'an object with transactions or preconfBlocks, such as { transactions: [hash] }',
  )
  if ('preconfBlocks' in request) return parseOption(integer(1), request.preconfBlocks, 'preconfBlocks')
  const { transactions } = request
  const isList = Array.isArray(transactions) && transactions.every((hash) => isHexOf(hash, 32))
  check(isList, 'transactions', 'a list of transaction hashes')
  return transactions.map((hash) => hash.toLowerCase() as Hash)
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

/** The options of an import. */
export const IMPORT_OPTIONS = {
  /** A second implementation that executes each block for comparison: `'ethereumjs'`, that library's `runBlock`. */
  verify: option(choice(['ethereumjs'])),
}

/** The options of `chain.importBlocks`. */
export interface ImportOptions extends OptionsInput<typeof IMPORT_OPTIONS> {}

/** {@link ImportOptions}, checked. */
export type ResolvedImportOptions = Partial<OptionsValue<typeof IMPORT_OPTIONS>>

/** Checks the options of an import. @throws InvalidOptionError for the first invalid value. */
export function resolveImportOptions(options: ImportOptions | undefined): ResolvedImportOptions {
  return parseOptions(IMPORT_OPTIONS, options)
}
