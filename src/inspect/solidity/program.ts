/** A code with its source map: the definition and the position of each instruction. */

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

/** Where an instruction is in the sources. */
export interface Place {
  readonly file: SourceFile
  /** In bytes. */
  readonly start: number
  /** The definition that contains it; undefined outside of all. */
  readonly definition: Definition | undefined
  /** Whether it is a part of the definition, and not all of it. */
  readonly isInside: boolean
  /** Whether it is a `require`, or a `revert` or a part of one. */
  readonly throws: boolean
}

/** PUSH20 of an address that the deployment fills in, ADDRESS, EQ. */
const OWN_ADDRESS = /^730{40}3014/

/** See the file's header. */
export class Program {
  readonly contract: Contract
  /** Undefined if its build info lacks it. */
  readonly file: SourceFile | undefined
  readonly isCreation: boolean
  readonly isExact: boolean
  readonly isViaIR: boolean
  /** The number of instructions that the source map describes. */
  readonly mapped: number
  readonly #crypto: Crypto
  readonly #sources: Sources
  /** Whether the optimiser or via-IR may have moved instructions: unless the settings say otherwise. */
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

  /** Which definitions run which; undefined for code without the optimiser, whose places say it. */
  get calls(): CallGraph | undefined {
    return this.#mayBeMoved ? this.#callGraph : undefined
  }

  get #callGraph(): CallGraph | undefined {
    if (this.#graph === null) {
      const { file } = this
      const range = this.#range
      const isKnown = file !== undefined && range !== undefined
      this.#graph = isKnown ? new CallGraph(file, range, this.#files()) : undefined
    }
    return this.#graph
  }

  /** The function that a call with this data enters; undefined if it is not known, or if the places of the code say it. */
  entryOf(input: Uint8Array): Place | undefined {
    const { calls } = this
    if (calls === undefined) return undefined
    const method = methodsOf(this.contract, this.#crypto).get(bytesToHex(input.subarray(0, 4)))
    const names = [method?.entry.name, input.length === 0 ? 'receive' : undefined, 'fallback']
    const name = method === undefined ? names.find((one) => one !== undefined && calls.entry(one)) : names[0]
    const entry = name === undefined ? undefined : calls.entry(name)
    return entry && toPlace(entry)
  }

  #files(): SourceFile[] {
    const indices = new Set(this.#locations.map(({ source }) => source))
    return [...indices].flatMap((index) => this.#sources.byIndex.get(index) ?? [])
  }

  /** The location of an instruction; undefined beyond the source map. */
  locationOf(pc: number): Location | undefined {
    return this.#locations[this.#indices[pc]!]
  }

  /** The place of an instruction; undefined if it is in no source, or in one without a text. */
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

  /** Without its source, by the comparison with its own address that its code begins with. */
  get isLibrary(): boolean {
    return this.#range?.isLibrary ?? OWN_ADDRESS.test(this.contract.runtime?.object ?? '')
  }

  get #range(): ContractRange | undefined {
    const { name } = this.contract
    return this.file?.outline?.contracts.find((one) => one.name === name)
  }

  /**
   * The place of a definition by name: of the contract, else of one that it inherits from.
   *
   * @param owner - the only contract whose definition is looked for.
   */
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
    const isInside = definition !== undefined && start > definition.start
    if (definition?.kind === 'variable') return { file, start, definition, isInside: true, throws: false }
    const throws = isThrown(outline, start, length)
    return { file, start, definition, isInside, throws }
  }
}

/** The place of a whole definition. */
function toPlace({ file, definition }: Pick<Place, 'file'> & { readonly definition: Definition }): Place {
  return { file, start: definition.start, definition, isInside: false, throws: false }
}

/** What a call of a contract enters by a name; undefined if its own source has no such definition of it. */
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
 * Which definitions can run which, by the names in their texts. The optimiser inlines functions and shares equal code between them, so that
 * the places of instructions alone do not tell what called what.
 *
 * Owns: the words of definitions, and what they reach, of one contract.
 */
export class CallGraph {
  readonly #files: readonly SourceFile[]
  /** The contract, and those that it inherits from, from the most derived one on. */
  readonly #lineage: readonly (readonly [SourceFile, ContractRange])[]
  readonly #words = new Map<Definition, ReadonlySet<string>>()
  readonly #reached = new Map<Definition, ReadonlySet<string>>()
  #byName: ReadonlyMap<string, readonly Located[]> | undefined

  constructor(file: SourceFile, contract: ContractRange, files: Iterable<SourceFile>) {
    this.#files = [...new Set([file, ...files])]
    this.#lineage = this.#inherited(file, contract)
  }

  /** The definition that a call of the contract enters by its name. */
  entry(name: string): Located | undefined {
    for (const [file, { name: owner }] of this.#lineage) {
      const definition = definitionOf(file, name, owner)
      if (definition !== undefined) return { file, definition }
    }
    return undefined
  }

  /** Whether the text of a definition has a name. */
  mentions(located: Located, name: string): boolean {
    return this.#wordsOf(located).has(name)
  }

  /** Whether the text of a definition has a name, or that of one which it can run. */
  reaches(located: Located, name: string): boolean {
    return getOrInsert(this.#reached, located.definition, () => this.#reach(located)).has(name)
  }

  #reach(located: Located): ReadonlySet<string> {
    const words = new Set(this.#wordsOf(located))
    // What is added while the set is walked is walked too.
    for (const word of words) {
      for (const one of this.#named(word)) for (const further of this.#wordsOf(one)) words.add(further)
    }
    return words
  }

  #wordsOf({ file, definition }: Located): ReadonlySet<string> {
    return getOrInsert(this.#words, definition, () => {
      const text = file.outline!.code.slice(definition.start, definition.end)
      // Its own name in its head is no call of it.
      const head = /^(?:function|modifier)\s+[\w$]+/.exec(text)?.[0].length ?? 0
      return new Set(text.slice(head).match(/[\w$]+/g))
    })
  }

  /** The functions and modifiers of a name which the code of the contract may have. */
  #named(name: string): readonly Located[] {
    this.#byName ??= this.#index()
    return this.#byName.get(name) ?? []
  }

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
    // What is added while the list is walked is walked too; of bases the last is the most derived.
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

/** The names after `is` in a contract's head. */
function basesIn(contract: string): string[] {
  const [, list = ''] = /^[^{]*?\sis\s([^{]*)\{/.exec(contract) ?? []
  let flat = list
  // The arguments of constructors.
  for (let before = ''; before !== flat; ) {
    before = flat
    flat = flat.replace(/\([^()]*\)/g, '')
  }
  return flat.split(',').flatMap((base) => /[\w$]+(?=\s*$)/.exec(base)?.[0] ?? [])
}
