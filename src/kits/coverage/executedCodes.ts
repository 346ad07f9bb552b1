/** What was executed, as processes write it for the report. */
import { isObject } from '../../base/schema.ts'
import type { Hex } from '../../base/types.ts'

/** A code, and how often its instructions were executed. */
export interface ExecutedCode {
  readonly code: Hex
  /** Whether it creates a contract; such a code ends with the constructor's arguments. */
  readonly isCreation: boolean
  /** Positions with the number of executions; the others are 0. */
  readonly hits: readonly (readonly [pc: number, count: number])[]
}

/** The version of the form of files. */
const VERSION = 1

/** What one process wrote. */
export interface ExecutedCodes {
  readonly codes: readonly ExecutedCode[]
  /** The frames that were not counted, as there were too many codes. */
  readonly omitted: number
}

/** The text of a file. */
export function stringifyExecuted({ codes, omitted }: ExecutedCodes): string {
  return JSON.stringify({ version: VERSION, omitted, codes })
}

/** Reads the text of a file. @throws SyntaxError, TypeError if it is none. */
export function parseExecuted(text: string): ExecutedCodes {
  const file: unknown = JSON.parse(text)
  if (!isObject(file) || file['version'] !== VERSION || !Array.isArray(file['codes']))
    throw new TypeError(`expected counts of version ${VERSION}`)
  const codes = file['codes'].filter(isExecutedCode)
  if (codes.length < file['codes'].length) throw new TypeError('expected codes with their hits')
  return { codes, omitted: Number(file['omitted']) || 0 }
}

const HEX = /^0x(?:[0-9a-f]{2})*$/

function isExecutedCode(value: unknown): value is ExecutedCode {
  if (!isObject(value)) return false
  const { code, isCreation, hits } = value
  return (
    typeof code === 'string' &&
    HEX.test(code) &&
    typeof isCreation === 'boolean' &&
    Array.isArray(hits) &&
    hits.every(isHit)
  )
}

function isHit(value: unknown): boolean {
  return (
    Array.isArray(value) && value.length === 2 && value.every((one) => Number.isSafeInteger(one) && one >= 0)
  )
}
