/** The sources of contracts, as their build info has them. */

import { isObject } from '../../base/schema.ts'
import type { Contract } from '../explain/artifacts.ts'
import { type Outline, readOutline } from './functions.ts'
import { SourceText } from './positions.ts'

/** A source of a compilation; its text and its outline are read when they are needed. */
export class SourceFile {
  /** Its path as stack traces show it. */
  readonly path: string
  /** Its text; undefined if the build info does not have it. */
  readonly content: string | undefined
  #text: SourceText | undefined
  #outline: Outline | undefined

  constructor(path: string, content: string | undefined) {
    this.path = path
    this.content = content
  }

  /** Undefined if the build info does not have it. */
  get text(): SourceText | undefined {
    if (this.content !== undefined) this.#text ??= new SourceText(this.content)
    return this.#text
  }

  /** Undefined if the build info does not have the text. */
  get outline(): Outline | undefined {
    const { text } = this
    if (text !== undefined) this.#outline ??= readOutline(text.characters)
    return this.#outline
  }
}

/** The sources of one compilation. */
export interface Sources {
  /** By the index that source maps use. */
  readonly byIndex: ReadonlyMap<number, SourceFile>
  /** By the name that the compiler has. */
  readonly byName: ReadonlyMap<string, SourceFile>
}

type Build = NonNullable<Contract['build']>

const known = new WeakMap<Build, Sources>()
const NONE: Sources = { byIndex: new Map(), byName: new Map() }

/** The sources of a contract's compilation; none if it has no build info. */
export function sourcesOf({ build }: Contract): Sources {
  if (build === undefined) return NONE
  let sources = known.get(build)
  if (sources === undefined) {
    sources = readSources(build)
    known.set(build, sources)
  }
  return sources
}

/** The source of a contract; undefined if its build info lacks it. */
export function sourceOf(contract: Contract): SourceFile | undefined {
  return sourcesOf(contract).byName.get(contract.source ?? '')
}

function readSources(build: Build): Sources {
  const { input, output, userSourceNameMap } = build
  const { sources: given } = toObject(input)
  const { sources: compiled } = toObject(output)
  const contents = toObject(given)
  const names = new Map(Object.entries(toObject(userSourceNameMap)).map(([user, name]) => [name, user]))
  const byIndex = new Map<number, SourceFile>()
  const byName = new Map<string, SourceFile>()
  for (const [name, source] of Object.entries(toObject(compiled))) {
    const { content } = toObject(contents[name])
    const { id } = toObject(source)
    const path = toPath(names.get(name) ?? name)
    const file = new SourceFile(path, typeof content === 'string' ? content : undefined)
    byName.set(name, file)
    if (Number.isSafeInteger(id)) byIndex.set(id as number, file)
  }
  return { byIndex, byName }
}

/** The path of a source in its project: Hardhat 3 puts the name and the version of the package before it. */
function toPath(name: string): string {
  return name.replace(/^project\//, '').replace(/^npm\/((?:@[^/]+\/)?[^/@]+)@[^/]+\//, '$1/')
}

function toObject(value: unknown): Readonly<Record<string, unknown>> {
  return isObject(value) ? value : {}
}
