/**
 * Key recipes: the state that calls of a function touched at other blocks, to be loaded at once when it is called again.
 *
 * Owns: the recipes of one chain in memory, within limits of their number and size. Does not own the place that they are
 * written to. They are hints: a wrong one costs requests, and never changes a value.
 */
import { isObject } from '../../base/schema.ts'
import type { Address, Hex } from '../../base/types.ts'
import type { StateKey } from './stateReads.ts'

/** Keys of one recipe. */
const MAX_KEYS = 512

/** Keys of all recipes of a chain; the recipe that was noted first is removed. */
const MAX_ALL_KEYS = 16_384

/** Chains whose recipes the process keeps without a cache. */
const MAX_CHAINS = 16

/** Characters of the lines beyond which they are written anew, without those that were replaced. */
export const MAX_RECIPE_TEXT = 2 ** 22

const VERSION = 1
const RECIPE = 'preseal_recipe'

/** The called account and the function's selector, or `0x` without calldata. */
export interface RecipeName {
  readonly to: Address
  readonly selector: Hex
}

/** See the file's header. */
export class Recipes {
  readonly #recipes = new Map<string, readonly StateKey[]>()
  readonly #write: (line: string) => void
  #count = 0
  /** The functions whose keys were noted since the start. */
  readonly #noted = new Set<string>()

  /** @param text - lines of earlier recipes. @param write - receives the line of each recipe that is new or changed. */
  constructor(text = '', write: (line: string) => void = () => {}) {
    this.#write = write
    for (const line of text.split('\n')) {
      const recipe = decodeLine(line)
      if (recipe !== undefined) this.#keep(recipe.name, recipe.keys)
    }
  }

  /** Whether a function's keys were noted since the start. */
  isNoted(name: RecipeName): boolean {
    return this.#noted.has(keyOf(name))
  }

  /** The keys that calls of a function touched; none if that is not known. */
  keysOf(name: RecipeName): readonly StateKey[] {
    return this.#recipes.get(keyOf(name)) ?? []
  }

  /** Adds the keys that a call of a function touched, in the place of the oldest if they are too many. */
  note(name: RecipeName, keys: readonly StateKey[]): void {
    const own = keyOf(name)
    // Functions without keys are not counted elsewhere.
    if (this.#noted.size > MAX_ALL_KEYS) this.#noted.clear()
    this.#noted.add(own)
    const known = this.#recipes.get(own) ?? []
    const names = new Set(known.map(nameOf))
    const added = keys.slice(0, MAX_KEYS).filter((key) => !names.has(nameOf(key)))
    if (added.length === 0) return
    const recipe = [...added, ...known].slice(0, MAX_KEYS)
    this.#keep(name, recipe)
    this.#write(encodeLine(name, recipe))
  }

  /** All recipes as lines. */
  toText(): string {
    return [...this.#recipes].map(([own, keys]) => encodeLine(nameFrom(own), keys)).join('')
  }

  #keep(name: RecipeName, keys: readonly StateKey[]): void {
    const own = keyOf(name)
    this.#count += keys.length - (this.#recipes.get(own)?.length ?? 0)
    // Moved to the end: the first is the oldest.
    this.#recipes.delete(own)
    this.#recipes.set(own, keys)
    for (const [oldest, { length }] of this.#recipes) {
      if (this.#count <= MAX_ALL_KEYS) return
      this.#recipes.delete(oldest)
      this.#noted.delete(oldest)
      this.#count -= length
    }
  }
}

/** By chain id: what forks without a cache share, in the order of their last use. */
const ofProcess = new Map<bigint, Recipes>()

/** The recipes of a chain that last as long as the process. */
export function recipesOfProcess(chainId: bigint): Recipes {
  const recipes = ofProcess.get(chainId) ?? new Recipes()
  ofProcess.delete(chainId)
  ofProcess.set(chainId, recipes)
  for (const oldest of ofProcess.keys()) {
    if (ofProcess.size <= MAX_CHAINS) break
    ofProcess.delete(oldest)
  }
  return recipes
}

const keyOf = ({ to, selector }: RecipeName): string => `${to}${selector}`
const nameFrom = (own: string): RecipeName => {
  return { to: own.slice(0, 42) as Address, selector: own.slice(42) as Hex }
}
const nameOf = ({ address, slot }: StateKey): string => `${address}${slot ?? ''}`

/** `[1, "preseal_recipe", [to, selector], { address: [slot, …], … }]` and a line's end. */
function encodeLine({ to, selector }: RecipeName, keys: readonly StateKey[]): string {
  const slots: Record<Address, Hex[]> = {}
  for (const { address, slot } of keys) {
    slots[address] ??= []
    if (slot !== undefined) slots[address].push(slot)
  }
  return `${JSON.stringify([VERSION, RECIPE, [to, selector], slots])}\n`
}

/** Undefined for a line that is not whole, or of another form: a hint that is lost. */
function decodeLine(line: string): { readonly name: RecipeName; readonly keys: StateKey[] } | undefined {
  if (line === '') return undefined
  let parts: unknown
  try {
    parts = JSON.parse(line)
  } catch {
    return undefined
  }
  if (!Array.isArray(parts) || parts[0] !== VERSION || parts[1] !== RECIPE) return undefined
  const [to, selector] = Array.isArray(parts[2]) ? parts[2] : []
  if (!isHex(to, 20) || !(selector === '0x' || isHex(selector, 4)) || !isObject(parts[3])) return undefined
  const keys: StateKey[] = []
  for (const [address, slots] of Object.entries(parts[3])) {
    if (!isHex(address, 20) || !Array.isArray(slots)) return undefined
    keys.push({ address })
    for (const slot of slots) {
      if (!isHex(slot, 32)) return undefined
      keys.push({ address, slot })
    }
  }
  return { name: { to, selector }, keys: keys.slice(0, MAX_KEYS) }
}

function isHex(value: unknown, bytes: number): value is Hex {
  return typeof value === 'string' && value.length === 2 + 2 * bytes && /^0x[0-9a-f]*$/.test(value)
}
