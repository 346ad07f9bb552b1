/** Options as a table: names and defaults from their declarations, meanings from the comments above those. */
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import ts from 'typescript'
import type { Options } from '../src/base/options/option.ts'

/**
 * The table of options that are declared in a file as a constant.
 *
 * @param file - from the root of the repository.
 * @param isExpanded - whether the options of a group follow its row; by default of every group.
 */
export function optionsTable(
  options: Options,
  file: string,
  constant: string,
  isExpanded: (group: string) => boolean = () => true,
): string {
  const comments = new Map<string, string>()
  collectComments(file, constant, comments)
  const rowsOf = (options: Options, path: string): string[] =>
    Object.entries(options).flatMap(([name, option]) => {
      const at = path + name
      const row = `| \`${at}\` | ${showDefault(option)} | ${comments.get(at) ?? ''} |`
      return [row, ...(option.fields !== undefined && isExpanded(at) ? rowsOf(option.fields, `${at}.`) : [])]
    })
  return ['| option | default | meaning |', '| --- | --- | --- |', ...rowsOf(options, '')].join('\n')
}

/** The options that databases or exports keep, by name. */
export function keptOptions(options: Options, place: 'database' | 'export'): string {
  const kept = Object.entries(options).filter(([, { keptIn }]) => keptIn === place || keptIn === 'both')
  return namesOf(Object.fromEntries(kept))
}

export function namesOf(options: Options): string {
  return Object.keys(options)
    .map((name) => `\`${name}\``)
    .join(', ')
}

function showDefault({ default: fallback, flag, fields }: Options[string]): string {
  if (fields !== undefined) return ''
  if (typeof fallback === 'bigint') return `\`${grouped(fallback)}n\``
  if (typeof fallback === 'number') return `\`${grouped(fallback)}\``
  if (typeof fallback === 'boolean') return `\`${fallback}\``
  // The flag's text, if the value is not readable or depends on other options.
  if (flag?.default !== undefined) return flag.default
  if (typeof fallback === 'string') return `\`'${fallback}'\``
  return fallback === undefined ? '' : '`systemClock`'
}

function grouped(value: number | bigint): string {
  return value < 10_000 ? `${value}` : value.toLocaleString('en-US').replaceAll(',', '_')
}

/**
 * The comment above each property of a constant, by its path; spreads and references are followed. A property without a
 * comment has the comment of the constant that it refers to.
 */
function collectComments(file: string, constant: string, comments: Map<string, string>, path = ''): void {
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true)
  const collect = (node: ts.Node, path: string): void => {
    const [comment] = ts.getJSDocCommentsAndTags(node)
    if (comment === undefined) return
    const text = ts.getTextOfJSDocComment(comment.comment as string) ?? ''
    comments.set(path, text.replace(/\s*\n\s*/g, ' '))
  }
  const declared = (name: string, path: string): ts.Expression | undefined => {
    for (const statement of source.statements) {
      if (!ts.isVariableStatement(statement)) continue
      const found = statement.declarationList.declarations.find(({ name: id }) => id.getText() === name)
      if (found?.initializer === undefined) continue
      if (path !== '' && !comments.has(path)) collect(statement, path)
      return found.initializer
    }
    return undefined
  }
  const importedFrom = (name: string): string | undefined => {
    for (const statement of source.statements) {
      if (!ts.isImportDeclaration(statement) || !ts.isStringLiteral(statement.moduleSpecifier)) continue
      const names = statement.importClause?.namedBindings
      if (
        names !== undefined &&
        ts.isNamedImports(names) &&
        names.elements.some((one) => one.name.text === name)
      ) {
        return join(dirname(file), statement.moduleSpecifier.text)
      }
    }
    return undefined
  }
  const follow = (name: string, path: string): void => {
    const value = declared(name, path)
    if (value !== undefined) visit(value, path)
    else {
      const from = importedFrom(name)
      if (from !== undefined) collectComments(from, name, comments, path)
    }
  }
  /** Visits the object literal in an expression: `{…}`, `group({…})`, `{ ...option(…), fields: NAME }`. */
  const visit = (expression: ts.Expression, path: string): void => {
    if (ts.isIdentifier(expression)) {
      follow(expression.text, path)
      return
    }
    if (ts.isCallExpression(expression)) {
      if (expression.expression.getText() === 'group') visit(expression.arguments[0]!, path)
      return
    }
    if (!ts.isObjectLiteralExpression(expression)) return
    for (const property of expression.properties) {
      if (ts.isSpreadAssignment(property)) {
        if (ts.isIdentifier(property.expression)) follow(property.expression.text, path)
        continue
      }
      const name = property.name?.getText() ?? ''
      if (name === 'fields' && ts.isPropertyAssignment(property)) {
        visit(property.initializer, path)
        continue
      }
      const at = path === '' ? name : `${path}.${name}`
      collect(property, at)
      if (ts.isPropertyAssignment(property)) visit(property.initializer, at)
      else if (ts.isShorthandPropertyAssignment(property)) follow(name, at)
    }
  }
  follow(constant, path)
}
