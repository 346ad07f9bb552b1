/**
 * Which definitions can run which, by the names in their texts. The optimiser inlines functions and shares equal code between them, so that
 * the places of instructions alone do not tell what called what.
 *
 * Owns: the words of definitions, and what they reach, of one contract.
 */
import type { ContractRange, Definition } from './functions.ts'
import type { SourceFile } from './sources.ts'

/** A definition in its file. */
interface Located {
  readonly file: SourceFile
  readonly definition: Definition
}

/** See the file's header. */
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
      const definition = file.outline!.definitions.find(
        (one) => one.name === name && one.contract === owner && one.kind !== 'modifier',
      )
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
    let found = this.#reached.get(located.definition)
    if (found === undefined) {
      found = this.#reach(located)
      this.#reached.set(located.definition, found)
    }
    return found.has(name)
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
    let words = this.#words.get(definition)
    if (words === undefined) {
      const text = file.outline!.code.slice(definition.start, definition.end)
      // Its own name in its head is no call of it.
      const head = /^(?:function|modifier)\s+[\w$]+/.exec(text)?.[0].length ?? 0
      words = new Set(text.slice(head).match(/[\w$]+/g))
      this.#words.set(definition, words)
    }
    return words
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
        const known = byName.get(name)
        if (known === undefined) byName.set(name, [{ file, definition }])
        else known.push({ file, definition })
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
