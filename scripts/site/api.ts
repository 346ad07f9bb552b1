/** The exports of the package's entries, and where the pages that typedoc makes of them declare each. */
import { existsSync, readFileSync } from 'node:fs'
import ts from 'typescript'

/**
 * The entries of the package by the names of their folders in `src/`; that of the package itself is empty. An entry without
 * a folder, which a test runner loads by itself, has no exports.
 */
export const ENTRIES: readonly string[] = Object.keys(
  (JSON.parse(readFileSync('package.json', 'utf8')) as { exports: Record<string, unknown> }).exports,
)
  .filter((path) => path !== './package.json')
  .map((path) => path.slice(2))
  .filter((entry) => existsSync(entryFile(entry)))
  .sort()

/** The file of an entry. `preseal/explain` is below the wire, which uses it; the others are kits. */
export function entryFile(entry: string): string {
  if (entry === '') return 'src/index.ts'
  return `src/${entry === 'explain' ? 'inspect' : 'kits'}/${entry}/index.ts`
}

/** The names that an entry exports, apart from a default export. */
export function exportsOf(entry: string): readonly string[] {
  const file = entryFile(entry)
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest)
  return source.statements.flatMap((statement): readonly string[] => {
    if (
      ts.isExportDeclaration(statement) &&
      statement.exportClause &&
      ts.isNamedExports(statement.exportClause)
    ) {
      return statement.exportClause.elements.map(({ name }) => name.text)
    }
    return []
  })
}

let anchors: ReadonlyMap<string, string> | undefined

/** The address of each name that `preseal` exports. */
export function apiAnchors(): ReadonlyMap<string, string> {
  anchors ??= new Map(exportsOf('').map((name) => [name, `/reference/api/preseal#${name.toLowerCase()}`]))
  return anchors
}
