/** The compilations of a project, with what coverage needs of them. */

import { isObject } from '../../base/schema.ts'
import { type Contract, readArtifacts } from '../../inspect/explain/artifacts.ts'
import { type SourceFile, sourcesOf } from '../../inspect/solidity/sources.ts'
import { readSourceParts, type SourceParts } from './sourceParts.ts'

/** A compilation. */
export interface Compilation {
  readonly contracts: readonly Contract[]
  readonly files: readonly SourceFile[]
  /** Whether solc compiled by its intermediate language. */
  readonly isViaIr: boolean
  readonly isOptimized: boolean
  /** The parts of a file; undefined without an AST. */
  partsOf(file: SourceFile): SourceParts | undefined
}

/** Reads a build info; what is missing or malformed is left out. */
export function readCompilation(info: unknown): Compilation {
  const build = toObject(info)
  // Without its own build info, a contract has no sources.
  const contracts = readArtifacts([build]).contracts.filter((one) => one.build === build)
  const { input, output } = build
  const { viaIR, optimizer } = toObject(toObject(input)['settings'])
  const compiled = toObject(toObject(output)['sources'])
  const asts = new Map<SourceFile, unknown>()
  const sources = contracts[0] && sourcesOf(contracts[0])
  for (const [name, file] of sources?.byName ?? []) asts.set(file, toObject(compiled[name])['ast'])
  const read = new Map<SourceFile, SourceParts | undefined>()
  return {
    contracts,
    files: [...asts.keys()],
    isViaIr: viaIR === true,
    isOptimized: toObject(optimizer)['enabled'] === true,
    partsOf(file) {
      if (!read.has(file)) read.set(file, readSourceParts(asts.get(file)))
      return read.get(file)
    },
  }
}

function toObject(value: unknown): Readonly<Record<string, unknown>> {
  return isObject(value) ? value : {}
}
