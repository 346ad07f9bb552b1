/** The classes of errors as tables, by room: name, code, message and meaning come from their declarations. */
import { readdirSync, readFileSync } from 'node:fs'
import ts from 'typescript'
import * as exported from '../src/kits/errors/index.ts'
import { DIALECTS } from '../src/rpc/dialect.ts'
import { FLOORS, roomOf } from './rooms.ts'

/** Errors that no caller gets, and what a caller gets instead. */
const INTERNAL: Readonly<Record<string, string>> = {
  SchemaError: 'an `InvalidOptionError` or an `InvalidParamsError` with its text',
  InvalidHexError: 'the error of the schema that checked the value before',
  InvalidRlpError: 'an `ImportError`, a `ReplayError` or a `TransactionDecodeError`',
  InvalidHashError: 'nothing: every hash is computed',
  HostFeatureMissingError: 'a `DatabaseOpenError` with its text',
  ForeignDatabaseError: 'a `DatabaseOpenError` with its text',
  WalletScriptError: 'nothing: the built package has the script',
  InvalidPrivateKeyError: 'an `InvalidOptionError`: keys are checked if they are given',
}

/** A class of errors, as declared. */
interface ErrorClass {
  readonly name: string
  readonly room: string
  readonly parent: string
  readonly meaning: string
  /** As a number, or in words if it is a parameter of the constructor. */
  readonly code: string | undefined
  /** All forms of the message, with `<name>` for inserted values; empty without a constructor of its own. */
  readonly messages: readonly string[]
}

/** Every file of `src/`. */
const files = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .map((file) => file.replaceAll('\\', '/'))
  .sort()

const textOf = (file: string): string => readFileSync(`src/${file}`, 'utf8')

/** Every class that an `errors.ts` declares, by name. */
function errorClasses(): ReadonlyMap<string, ErrorClass> {
  const found = files.filter((file) => /(^|\/)errors\.ts$/.test(file)).flatMap(classesIn)
  return new Map(found.map((one) => [one.name, one]))
}

function classesIn(file: string): ErrorClass[] {
  const source = ts.createSourceFile(file, textOf(file), ts.ScriptTarget.Latest, true)
  return source.statements.filter(ts.isClassDeclaration).map((declaration) => {
    const parent = declaration.heritageClauses?.[0]?.types[0]?.expression.getText() ?? ''
    return {
      name: declaration.name!.text,
      room: roomOf(file),
      parent,
      meaning: meaningOf(declaration),
      ...constructionOf(declaration, parent),
    }
  })
}

/** The first paragraph of the comment. */
function meaningOf(declaration: ts.ClassDeclaration): string {
  const [comment] = ts.getJSDocCommentsAndTags(declaration)
  const text = comment === undefined ? '' : (ts.getTextOfJSDocComment(comment.comment) ?? '')
  return text.split('\n\n')[0]!.replace(/\s*\n\s*/g, ' ')
}

/** The code, which is a property or an argument of the base class's constructor, and the message. */
function constructionOf(
  declaration: ts.ClassDeclaration,
  parent: string,
): Pick<ErrorClass, 'code' | 'messages'> {
  const property = declaration.members.find(
    (member) => ts.isPropertyDeclaration(member) && member.name.getText() === 'code',
  ) as ts.PropertyDeclaration | undefined
  const constructorNode = declaration.members.find(ts.isConstructorDeclaration)
  const passed = constructorNode === undefined ? undefined : superArguments(constructorNode)
  const [code, message] = parent === 'PresealRpcError' ? (passed ?? []) : [property?.initializer, passed?.[0]]
  return {
    code: code === undefined ? undefined : codeOf(code),
    messages: message === undefined ? [] : formsOf(message, constructorNode!),
  }
}

function superArguments(constructorNode: ts.ConstructorDeclaration): readonly ts.Expression[] | undefined {
  for (const statement of constructorNode.body?.statements ?? []) {
    if (!ts.isExpressionStatement(statement) || !ts.isCallExpression(statement.expression)) continue
    const { expression, arguments: passed } = statement.expression
    if (expression.kind === ts.SyntaxKind.SuperKeyword) return passed
  }
  return undefined
}

function codeOf(expression: ts.Expression): string {
  const code = Number(expression.getText().replaceAll('_', ''))
  return Number.isNaN(code) ? 'depends on the reason' : `${code}`
}

/** All texts that an expression can result in, with `<name>` for values that only the caller determines. */
function formsOf(expression: ts.Expression, constructorNode: ts.ConstructorDeclaration): string[] {
  if (ts.isStringLiteral(expression) || ts.isNoSubstitutionTemplateLiteral(expression)) {
    return [expression.text]
  }
  if (ts.isConditionalExpression(expression)) {
    return [expression.whenTrue, expression.whenFalse].flatMap((branch) => formsOf(branch, constructorNode))
  }
  if (ts.isTemplateExpression(expression)) {
    return expression.templateSpans.reduce(
      (forms, { expression: inserted, literal }) =>
        forms.flatMap((form) =>
          formsOf(inserted, constructorNode).map((text) => `${form}${text}${literal.text}`),
        ),
      [expression.head.text],
    )
  }
  if (ts.isIdentifier(expression)) {
    const local = localValue(expression.text, constructorNode)
    return local === undefined ? [`<${expression.text}>`] : formsOf(local, constructorNode)
  }
  return [`<${nameOf(expression)}>`]
}

/** The value of a constant in a constructor, if it is a text that depends on other values. */
function localValue(name: string, constructorNode: ts.ConstructorDeclaration): ts.Expression | undefined {
  const statements = constructorNode.body?.statements.filter(ts.isVariableStatement) ?? []
  const declarations = statements.flatMap((statement) => statement.declarationList.declarations)
  const value = declarations.find((declaration) => declaration.name.getText() === name)?.initializer
  const isText = value !== undefined && (ts.isConditionalExpression(value) || ts.isTemplateExpression(value))
  return isText ? value : undefined
}

/** The name of a value: `limit`, `gap.nonce` as `nonce`, `chainId.toString(16)` as `chainId`. */
function nameOf(expression: ts.Expression): string {
  if (ts.isCallExpression(expression) && ts.isPropertyAccessExpression(expression.expression)) {
    return nameOf(expression.expression.expression)
  }
  if (ts.isBinaryExpression(expression)) return nameOf(expression.left)
  return ts.isPropertyAccessExpression(expression) ? expression.name.text : expression.getText()
}

/** Where each class is constructed: a method if it is in the method's file, a room otherwise. */
function throwers(classes: ReadonlyMap<string, ErrorClass>): ReadonlyMap<string, readonly string[]> {
  const places = (pattern: RegExp): ReadonlyMap<string, ReadonlySet<string>> => {
    const found = new Map<string, Set<string>>()
    for (const file of files.filter((file) => !/(^|\/)(errors|index)\.ts$/.test(file))) {
      const method = /^rpc\/methods\/(\w+)\.ts$/.exec(file)?.[1]
      for (const [, name] of textOf(file).matchAll(pattern)) {
        found.set(name!, (found.get(name!) ?? new Set()).add(method ?? `${roomOf(file)}/`))
      }
    }
    return found
  }
  const constructed = places(/\bnew (\w+Error)\b/g)
  // Some classes are constructed through a table, and only named there.
  const named = places(/\b(\w+Error)\b/g)
  const parents = new Set([...classes.values()].map(({ parent }) => parent))
  return new Map(
    [...classes.keys()].map((name) => {
      const where = constructed.get(name) ?? (parents.has(name) ? undefined : named.get(name))
      return [name, [...(where ?? [])].sort()]
    }),
  )
}

/** The code of a class or its base class, and the codes that the geth dialect has instead. */
function codeCell(one: ErrorClass, classes: ReadonlyMap<string, ErrorClass>): string {
  let declaring: ErrorClass | undefined = one
  while (declaring !== undefined && declaring.code === undefined) declaring = classes.get(declaring.parent)
  const value = (exported as Readonly<Record<string, unknown>>)[one.name]
  const { codes, simulation } = DIALECTS.geth
  const inGeth = codes.get(value)
  const simulated = simulation.refusals?.get(value)
  return [
    declaring?.code,
    inGeth === undefined ? undefined : `${inGeth} in the geth dialect`,
    simulated === undefined ? undefined : `${simulated} in eth_simulateV1 of the geth dialect`,
  ]
    .filter((text) => text !== undefined)
    .join('; ')
}

/** The tables of `docs/reference/errors.md`: one per room, from the lowest floor up, and one for servers. */
export function errorsSection(): string {
  const classes = errorClasses()
  const thrown = throwers(classes)
  const rowOf = (one: ErrorClass): string => {
    const cells = [
      `<a id="${one.name}"></a>\`${one.name}\``,
      codeCell(one, classes),
      one.messages.map((message) => `\`${message}\``).join(' or '),
      one.meaning,
      (thrown.get(one.name) ?? []).map((place) => `\`${place}\``).join(', ') || 'its subclasses',
    ]
    return `| ${cells.join(' | ')} |`
  }
  const table = (title: string, rows: readonly ErrorClass[]): string =>
    [
      `## ${title}`,
      '',
      '| error | code | message | meaning | thrown by |',
      '| --- | --- | --- | --- | --- |',
      ...rows.map(rowOf),
    ].join('\n')
  const all = [...classes.values()]
  const isExported = ({ name, room }: ErrorClass) => room === 'kits/viem' || name in exported
  const rooms = FLOORS.flat().map(({ name }) => name)
  const tables = rooms
    .map((room) => ({ room, rows: all.filter((one) => one.room === room && isExported(one)) }))
    .filter(({ rows }) => rows.length > 0)
    .map(({ room, rows }) =>
      table(room === 'kits/viem' ? '`kits/viem/`, exported from `preseal/viem`' : `\`${room}/\``, rows),
    )
  const onTheWire = all.filter((one) => !isExported(one) && INTERNAL[one.name] === undefined)
  return [...tables, table('Answers of servers, on the wire only', onTheWire)].join('\n\n')
}

/** The errors that no caller gets, and what a caller gets instead. */
export function internalSection(): string {
  const rows = Object.entries(INTERNAL).map(
    ([name, instead]) => `| <a id="${name}"></a>\`${name}\` | ${instead} |`,
  )
  return ['| error | what a caller gets instead |', '| --- | --- |', ...rows].join('\n')
}
