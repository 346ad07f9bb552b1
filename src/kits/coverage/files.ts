/** The files of coverage: build info, and the counts that processes write for the report. */

import { moduleOfNode } from '../../base/nodeModule.ts'
import { toObject } from '../../base/schema.ts'
import type { Hex } from '../../base/types.ts'
import { listJson, type Read, readNoted } from '../../inspect/solidity/folder.ts'
import { CoverageFilesError } from './errors.ts'

interface NodeFiles {
  existsSync(path: string): boolean
  mkdirSync(path: string, options: { readonly recursive: true }): void
  readdirSync(path: string): string[]
  readFileSync(path: string, encoding: 'utf8'): string
  renameSync(from: string, to: string): void
  rmSync(path: string, options: { readonly recursive: true; readonly force: true }): void
  writeFileSync(path: string, text: string): void
}

/** The name under which vitest provides the folder of reports to tests. */
export const FOLDER = 'presealCoverageFolder'

/** The subfolder that processes write to. */
const EXECUTED = '.executed'

/** Returns the absolute path. @throws CoverageFilesError without Node */
export function resolvePath(...parts: string[]): string {
  return need<{ resolve(...parts: string[]): string }>('path').resolve(...parts)
}

/**
 * Removes the counts of all processes, so that the report in `folder` begins anew.
 *
 * @param folder - by default 'coverage'.
 * @throws CoverageFilesError without Node 20.16 or newer
 */
export function clearCoverage(folder = 'coverage'): void {
  nodeFiles().rmSync(`${resolvePath(folder)}/${EXECUTED}`, { recursive: true, force: true })
}

/** Writes the counts of a process, and replaces its earlier counts. @throws CoverageFilesError without Node */
export function writeExecuted(folder: string, name: string, executed: ExecutedCodes): void {
  const fs = nodeFiles()
  fs.mkdirSync(`${folder}/${EXECUTED}`, { recursive: true })
  const path = `${folder}/${EXECUTED}/${name}`
  // Renamed when complete, as the process may end at any time.
  fs.writeFileSync(`${path}.part`, JSON.stringify({ version: VERSION, ...executed }))
  fs.renameSync(`${path}.part`, `${path}.json`)
}

/** Reads the counts of all processes. @throws CoverageFilesError without Node */
export function readExecuted(folder: string): Read<ExecutedCodes> {
  const fs = nodeFiles()
  const notes: string[] = []
  const paths = listJson(fs, `${folder}/${EXECUTED}`)
  return { values: paths.flatMap((path) => readNoted(fs, path, notes, parseExecuted) ?? []), notes }
}

/** Whether a source belongs to the project, not to an installed package. */
export function isOwnSource(root: string, path: string): boolean {
  if (/(?:^|\/)node_modules\//.test(path) || path.startsWith('lib/')) return false
  return !nodeFiles().existsSync(`${root}/node_modules/${path}`)
}

const nodeFiles = (): NodeFiles => need('fs')

function need<Module>(name: string): Module {
  const module = moduleOfNode<Module>(name)
  if (module === undefined) throw new CoverageFilesError()
  return module
}

/** A code with the counts of its instructions. */
export interface ExecutedCode {
  readonly code: Hex
  /** Whether the code creates a contract. The constructor's arguments then follow it. */
  readonly isCreation: boolean
  /** The positions of executed instructions, with their counts. */
  readonly hits: readonly (readonly [pc: number, count: number])[]
}

const VERSION = 1

/** The counts of one process. */
export interface ExecutedCodes {
  readonly codes: readonly ExecutedCode[]
  /** How many frames were not counted because of the limit on codes. */
  readonly omitted: number
}

/** @throws SyntaxError, TypeError if the text is no file of counts */
function parseExecuted(text: string): ExecutedCodes {
  const { version, codes: listed, omitted } = toObject(JSON.parse(text))
  if (version !== VERSION || !Array.isArray(listed))
    throw new TypeError(`expected counts of version ${VERSION}`)
  const codes = listed.filter(isExecutedCode)
  if (codes.length < listed.length) throw new TypeError('expected codes with their hits')
  return { codes, omitted: Number(omitted) || 0 }
}

const HEX = /^0x(?:[0-9a-f]{2})*$/

function isExecutedCode(value: unknown): value is ExecutedCode {
  const { code, isCreation, hits } = toObject(value)
  const isCode = typeof code === 'string' && HEX.test(code) && typeof isCreation === 'boolean'
  return isCode && Array.isArray(hits) && hits.every((hit) => Array.isArray(hit) && isHit(hit))
}

function isHit(hit: readonly unknown[]): boolean {
  return hit.length === 2 && hit.every((one) => Number.isSafeInteger(one) && Number(one) >= 0)
}
