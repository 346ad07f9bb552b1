/** TypeScript files as text, for tests of the structure. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'

export const ROOT = join(import.meta.dirname, '../..')

/** The TypeScript files in a folder of the repository, at any depth, relative to it, sorted. */
export function filesIn(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.d.ts'))
    .map((file) => file.replaceAll('\\', '/'))
    .sort()
}

/** Whether a specifier is a built-in module of Node. */
export function isBuiltin(specifier: string): boolean {
  return /^(node:|(assert|buffer|crypto|events|fs|http|net|os|path|stream|url|util|worker_threads|zlib)$)/.test(
    specifier,
  )
}

/** A source without its comments. */
export function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\/|(?<!:)\/\/.*/g, '')
}

/** A source without its comments and the contents of its strings. */
export function codeOf(text: string): string {
  return withoutComments(text).replace(/'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`/g, "''")
}

/** All specifiers of `from '…'`, `import '…'` and `import('…')` in a source, including types. */
export function specifiersOf(text: string): string[] {
  const source = text.replace(/\/\*[\s\S]*?\*\//g, '')
  return [...source.matchAll(/(?:\bfrom|\bimport)\s*\(?\s*'([^']+)'/g)].map((match) => match[1]!)
}

/** The specifiers that a source loads when it is loaded: neither types nor dynamic imports. */
export function loadedBy(text: string): string[] {
  const types = /^(import|export) type\b[^']*'[^']+'$/gm
  const onDemand = /\bimport\('[^']+'\)/g
  return specifiersOf(text.replace(types, '').replace(onDemand, ''))
}
