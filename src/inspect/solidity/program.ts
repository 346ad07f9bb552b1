/** Maps the instructions of a code to definitions and positions in its sources. */

import { bytesToHex } from '../../base/bytes.ts'
import { getOrInsert } from '../../base/collections.ts'
import type { Crypto } from '../../base/crypto/crypto.ts'
import { methodsOf } from '../explain/abi.ts'
import type { CompiledCode, Contract } from '../explain/artifacts.ts'
import type { Identified } from '../explain/identify.ts'
import {
  type ContractRange,
  type Definition,
  decodeSourceMap,
  findDefinition,
  indexInstructions,
  isThrown,
  type Location,
  type SourceFile,
  type Sources,
  settingsOf,
  sourceOf,
  sourcesOf,
} from './sources.ts'

/** The place of an instruction in the sources. */
export interface Place {
  readonly file: SourceFile
  /** In bytes. */
  readonly start: number
  /** Undefined outside all definitions. */
  readonly definition: Definition | undefined
  /** Whether the instruction's range is a part of the definition, not the whole. */
  readonly isInside: boolean
  /** Whether the instruction's range is a `require`, a `revert`, or a part of a `revert`. */
  readonly throws: boolean
}

/** PUSH20 of an address that the deployment fills in, ADDRESS, EQ. */
const OWN_ADDRESS = /^730{40}3014/

/** A code with its source map. */
export class Program {
  readonly contract: Contract
  /** The source of the contract; undefined if the build info lacks it. */
  readonly file: SourceFile | undefined
  readonly isCreation: boolean
  readonly isExact: boolean
  readonly isViaIR: boolean
  /** The number of instructions in the source map. */
  readonly mapped: number
  readonly #crypto: Crypto
  readonly #sources: Sources
  /** Whether the optimiser or via-IR may have moved instructions; true if the settings are unknown. */
  readonly #mayBeMoved: boolean
  #graph: CallGraph | undefined | null = null
  readonly #indices: Int32Array
  readonly #locations: readonly Location[]
  readonly #places = new Map<Location, Place | undefined>()

  constructor({ contract, isExact }: Identified, code: Uint8Array, isCreation: boolean, crypto: Crypto) {
    this.#crypto = crypto
    const { isViaIr = false, isOptimized = true } = settingsOf(contract) ?? {}
    this.isViaIR = isViaIr
    this.#mayBeMoved = isViaIr || isOptimized
    this.contract = contract
    this.isCreation = isCreation
    this.isExact = isExact
    this.#indices = indexInstructions(code)
    this.#sources = sourcesOf(contract)
    this.file = sourceOf(contract)
    const compiled: CompiledCode | undefined = isCreation ? contract.creation : contract.runtime
    this.#locations = decodeSourceMap(compiled?.sourceMap ?? '', code.length)
    this.mapped = this.#locations.length
  }

  /**
   * The calls between definitions. Undefined if the source is unknown, or if the code was not optimised: the places of
   * instructions then tell the caller.
   */
  get calls(): CallGraph | undefined {
    return this.#mayBeMoved ? this.#callGraph : undefined
  }

  get #callGraph(): CallGraph | undefined {
    if (this.#graph === null) {
      const { file } = this
      const range = this.#range
      const isKnown = file !== undefined && range !== undefined
      const indices = new Set(this.#locations.map(({ source }) => source))
      const files = [...indices].flatMap((index) => this.#sources.byIndex.get(index) ?? [])
      this.#graph = isKnown ? new CallGraph(file, range, files) : undefined
    }
    return this.#graph
  }

  /** Returns the function that a call enters. Undefined if it is unknown, or if the places of instructions tell it. */
  entryOf(input: Uint8Array): Place | undefined {
    const { calls } = this
    if (calls === undefined) return undefined
    const method = methodsOf(this.contract, this.#crypto).get(bytesToHex(input.subarray(0, 4)))
    const names = [method?.entry.name, input.length === 0 ? 'receive' : undefined, 'fallback']
    const name = method === undefined ? names.find((one) => one !== undefined && calls.entry(one)) : names[0]
    const entry = name === undefined ? undefined : calls.entry(name)
    return entry && toPlace(entry)
  }

  /** Returns the location of an instruction; undefined beyond the source map. */
  locationOf(pc: number): Location | undefined {
    return this.#locations[this.#indices[pc]!]
  }

  /** Returns the place of an instruction; undefined without a source or its text. */
  placeOf(pc: number): Place | undefined {
    const location = this.locationOf(pc)
    if (location === undefined || location.source < 0) return undefined
    if (!this.#places.has(location)) this.#places.set(location, this.#find(location))
    return this.#places.get(location)
  }

  /** The place of the contract itself. */
  get declaration(): Place | undefined {
    const { file } = this
    const range = this.#range
    if (file === undefined || range === undefined) return undefined
    return { file, start: range.start, definition: undefined, isInside: false, throws: false }
  }

  /** Without the source, the code decides: a library first compares its own address with the running account's. */
  get isLibrary(): boolean {
    return this.#range?.isLibrary ?? OWN_ADDRESS.test(this.contract.runtime?.object ?? '')
  }

  get #range(): ContractRange | undefined {
    const { name } = this.contract
    return this.file?.outline?.contracts.find((one) => one.name === name)
  }

  /** Returns the place of a definition of the contract or, without `owner`, of an inherited one. */
  placeOfDefinition(name: string, owner?: string): Place | undefined {
    const { file } = this
    if (file === undefined) return undefined
    const own = definitionOf(file, name, this.contract.name)
    if (own !== undefined) return toPlace({ file, definition: own })
    const entry = owner === undefined ? this.#callGraph?.entry(name) : undefined
    return entry && toPlace(entry)
  }

  #find({ source, start, length }: Location): Place | undefined {
    const file = this.#sources.byIndex.get(source)
    const outline = file?.outline
    if (file === undefined || outline === undefined) return undefined
    const definition = findDefinition(outline, start, length)
    if (definition?.kind === 'variable') return { file, start, definition, isInside: true, throws: false }
    const isInside = definition !== undefined && start > definition.start
    return { file, start, definition, isInside, throws: isThrown(outline, start, length) }
  }
}

function toPlace({ file, definition }: Located): Place {
  return { file, start: definition.start, definition, isInside: false, throws: false }
}

/** Returns the definition that a call of a contract enters by name, if it is in this source. */
function definitionOf({ outline }: SourceFile, name: string, contract: string): Definition | undefined {
  return outline?.definitions.find(
    (one) => one.name === name && one.kind !== 'modifier' && one.contract === contract,
  )
}

interface Located {
  readonly file: SourceFile
  readonly definition: Definition
}

/**
 * Estimates the calls between definitions: a definition can run all definitions whose names are in its source text.
 * Source maps cannot tell the caller, since the optimiser inlines functions and shares equal code.
 *
 * Owns: per definition of one contract, the words in its text, and the words that it reaches through other definitions.
 */
export class CallGraph {
  readonly #files: readonly SourceFile[]
  /** The contract and its bases, the most derived first. */
  readonly #lineage: readonly (readonly [SourceFile, ContractRange])[]
  readonly #words = new Map<Definition, ReadonlySet<string>>()
  readonly #reached = new Map<Definition, ReadonlySet<string>>()
  #byName: ReadonlyMap<string, readonly Located[]> | undefined

  constructor(file: SourceFile, contract: ContractRange, files: Iterable<SourceFile>) {
    this.#files = [...new Set([file, ...files])]
    this.#lineage = this.#inherited(file, contract)
  }

  /** Returns the definition that a call of the contract enters by name. */
  entry(name: string): Located | undefined {
    for (const [file, { name: owner }] of this.#lineage) {
      const definition = definitionOf(file, name, owner)
      if (definition !== undefined) return { file, definition }
    }
    return undefined
  }

  mentions(located: Located, name: string): boolean {
    return this.#wordsOf(located).has(name)
  }

  /** Returns whether a definition, or one that it can run, contains a name. */
  reaches(located: Located, name: string): boolean {
    return getOrInsert(this.#reached, located.definition, () => this.#reach(located)).has(name)
  }

  #reach(located: Located): ReadonlySet<string> {
    this.#byName ??= this.#index()
    const words = new Set(this.#wordsOf(located))
    // The loop visits the words that it adds too.
    for (const word of words) {
      const named = this.#byName.get(word) ?? []
      for (const one of named) for (const further of this.#wordsOf(one)) words.add(further)
    }
    return words
  }

  #wordsOf({ file, definition }: Located): ReadonlySet<string> {
    return getOrInsert(this.#words, definition, () => {
      const text = file.outline!.code.slice(definition.start, definition.end)
      // Leaves out the definition's own name, which would count as a mention of itself.
      const head = /^(?:function|modifier)\s+[\w$]+/.exec(text)?.[0].length ?? 0
      return new Set(text.slice(head).match(/[\w$]+/g))
    })
  }

  /** Returns the functions and modifiers of the contract, its bases and libraries, and free functions, by name. */
  #index(): ReadonlyMap<string, readonly Located[]> {
    const byName = new Map<string, Located[]>()
    const own = new Set(this.#lineage.map(([, { name }]) => name))
    for (const file of this.#files) {
      const { definitions = [], contracts = [] } = file.outline ?? {}
      const libraries = new Set(contracts.filter(({ isLibrary }) => isLibrary).map(({ name }) => name))
      for (const definition of definitions) {
        const { kind, name, contract } = definition
        if (kind !== 'function' && kind !== 'modifier') continue
        if (contract !== undefined && !own.has(contract) && !libraries.has(contract)) continue
        getOrInsert(byName, name, () => []).push({ file, definition })
      }
    }
    return byName
  }

  #inherited(file: SourceFile, contract: ContractRange): [SourceFile, ContractRange][] {
    const found: [SourceFile, ContractRange][] = [[file, contract]]
    // The loop visits the bases that it adds too. The last base is the most derived.
    for (const [at, { start, end }] of found) {
      for (const name of basesIn(at.outline!.code.slice(start, end)).reverse()) {
        for (const other of this.#files) {
          const base = other.outline?.contracts.find((one) => one.name === name)
          if (base !== undefined && !found.some(([, one]) => one === base)) found.push([other, base])
        }
      }
    }
    return found
  }
}

/** Returns the names of a contract's bases, which follow `is`. */
function basesIn(contract: string): string[] {
  const [, list = ''] = /^[^{]*?\sis\s([^{]*)\{/.exec(contract) ?? []
  let flat = list
  // Removes the arguments of constructors.
  for (let before = ''; before !== flat; ) {
    before = flat
    flat = flat.replace(/\([^()]*\)/g, '')
  }
  return flat.split(',').flatMap((base) => /[\w$]+(?=\s*$)/.exec(base)?.[0] ?? [])
}
