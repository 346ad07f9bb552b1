/** TypeScript files as text, for tests of where things stand. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'

export const ROOT = join(import.meta.dirname, '../..')

/** The TypeScript files of a folder of the repository and of those in it, relative to it, sorted. */
export function filesIn(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.d.ts'))
    .map((file) => file.replaceAll('\\', '/'))
    .sort()
}

/** Whether what is imported is a module of Node's own. */
export function isBuiltin(specifier: string): boolean {
  return /^(node:|(assert|buffer|crypto|events|fs|http|net|os|path|stream|url|util|worker_threads|zlib)$)/.test(
    specifier,
  )
}

/** A source without its comments. */
export function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\/|(?<!:)\/\/.*/g, '')
}

/** A source without its comments, and without what its strings say. */
export function codeOf(text: string): string {
  return withoutComments(text).replace(/'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`/g, "''")
}

/** Everything a source names in `from '…'`, `import '…'` or `import('…')`, types included. */
export function specifiersOf(text: string): string[] {
  const source = text.replace(/\/\*[\s\S]*?\*\//g, '')
  return [...source.matchAll(/(?:\bfrom|\bimport)\s*\(?\s*'([^']+)'/g)].map((match) => match[1]!)
}

/** What a source loads when it is loaded itself: neither types nor what it imports on demand. */
export function loadedBy(text: string): string[] {
  const types = /^(import|export) type\b[^']*'[^']+'$/gm
  const onDemand = /\bimport\('[^']+'\)/g
  return specifiersOf(text.replace(types, '').replace(onDemand, ''))
}
