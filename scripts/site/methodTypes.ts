/** What the sources say of each method: its comment, the names of its params, and the types of params and result. */
import ts from 'typescript'

/** A method as declared. */
export interface MethodFacts {
  /** The comment without its tags. */
  readonly meaning: string
  /** The texts of its `@throws` tags. */
  readonly throws: readonly string[]
  readonly params: readonly { readonly name: string; readonly type: string }[]
  readonly result: string
}

const TABLE = 'src/rpc/table.ts'

/** The facts of all methods by their first names; reads and checks the sources, which takes some seconds. */
export function readMethods(names: readonly string[]): ReadonlyMap<string, MethodFacts> {
  const { config } = ts.readConfigFile('tsconfig.json', ts.sys.readFile)
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, '.')
  const program = ts.createProgram([TABLE], options)
  const checker = program.getTypeChecker()
  const source = program.getSourceFile(TABLE)!
  const alias = source.statements
    .filter(ts.isTypeAliasDeclaration)
    .find(({ name }) => name.text === 'PresealRpcSchema')!
  const schema = checker.getTypeAtLocation(alias.name)
  const member = (type: ts.Type, name: string) => checker.getTypeOfSymbol(type.getProperty(name)!)
  const format =
    ts.TypeFormatFlags.NoTruncation |
    ts.TypeFormatFlags.UseSingleQuotesForStringLiteralType |
    ts.TypeFormatFlags.OmitParameterModifiers
  const show = (type: ts.Type) => checker.typeToString(type, alias, format)

  return new Map(
    names.map((name) => {
      const declaration = declarationOf(program, name)
      const entry = member(schema, name)
      const params = member(entry, 'params')
      // Of a method whose params clients may also send without an array, the array.
      const tuple = params.isUnion() ? params.types.find((type) => checker.isTupleType(type))! : params
      const types = checker.getTypeArguments(tuple as ts.TypeReference)
      const paramNames = handlerParams(checker, declaration)
      const comments = ts.getJSDocCommentsAndTags(declaration.parent.parent)
      const comment = comments.find(ts.isJSDoc)
      return [
        name,
        {
          meaning: ts.getTextOfJSDocComment(comment?.comment) ?? '',
          throws: (comment?.tags ?? [])
            .filter((tag) => tag.tagName.text === 'throws')
            .map((tag) => ts.getTextOfJSDocComment(tag.comment) ?? ''),
          params: types.map((type, at) => ({ name: paramNames[at] ?? 'value', type: readable(show(type)) })),
          result: readable(show(member(entry, 'result'))),
        },
      ]
    }),
  )
}

function declarationOf(program: ts.Program, name: string): ts.VariableDeclaration {
  const source = program.getSourceFile(`src/rpc/methods/${name}.ts`)!
  for (const statement of source.statements.filter(ts.isVariableStatement)) {
    const found = statement.declarationList.declarations.find((one) => one.name.getText() === name)
    if (found !== undefined) return found
  }
  throw new Error(`src/rpc/methods/${name}.ts declares no ${name}`)
}

/** Names of params that the code does not have, or that say too little on their own. */
const PARAM_NAMES: Readonly<Record<string, readonly string[]>> = {
  miner_start: ['threads'],
  personal_sign: ['message', 'account', 'password'],
  wallet_requestPermissions: ['permissions'],
  wallet_revokePermissions: ['permissions'],
}
const CLEARER: Readonly<Record<string, string>> = {
  at: 'index',
  full: 'fullTransactions',
  header: 'blockOverrides',
  on: 'enabled',
  position: 'block',
  reference: 'block',
  state: 'stateOverrides',
  wanted: 'percentiles',
}

/** The names of the params of a method's handler, without its context. */
function handlerParams(
  checker: ts.TypeChecker,
  { name, initializer }: ts.VariableDeclaration,
): readonly string[] {
  const given = PARAM_NAMES[name.getText()]
  if (given !== undefined) return given
  if (initializer === undefined || !ts.isCallExpression(initializer)) return []
  const definition = initializer.arguments[0]
  if (definition === undefined || !ts.isObjectLiteralExpression(definition)) return []
  const handler = definition.properties.find((property) => property.name?.getText() === 'handler')
  if (handler === undefined) return []
  const [signature] = checker.getTypeAtLocation(handler).getCallSignatures()
  return (signature?.getParameters() ?? [])
    .slice(1)
    .map(({ name }) => (name.startsWith('__') ? 'request' : (CLEARER[name] ?? name)))
}

/** A type as a reader needs it: named types by name, hex strings as `Hex`, absent as a question mark. */
function readable(type: string): string {
  return type
    .replace(/import\("[^"]*"\)\./g, '')
    .replaceAll('`0x$' + '{string}`', 'Hex')
    .replace(/\breadonly /g, '')
    .replace(/ \| null \| undefined/g, '')
}

/** A type over several lines, indented, if it is long. */
export function multiline(type: string, width = 90): string {
  if (type.length <= width) return type
  let depth = 0
  let text = ''
  for (let at = 0; at < type.length; at++) {
    const char = type[at]!
    const indent = () => `\n${'  '.repeat(depth)}`
    if (char === '{') {
      const end = closing(type, at)
      const whole = type.slice(at, end + 1)
      if (whole.length <= width - 2 * depth && !whole.slice(1).includes('{')) {
        text += whole.replace(/; \}$/, ' }')
        at = end
        continue
      }
      depth++
      text += `{${indent()}`
      if (type[at + 1] === ' ') at++
    } else if (char === '}') {
      depth--
      text = `${text.trimEnd()}${indent()}}`
    } else if (char === ';' && type[at + 1] === ' ') {
      text += indent()
      at++
    } else text += char
  }
  return text
}

function closing(type: string, from: number): number {
  let depth = 0
  for (let at = from; at < type.length; at++) {
    if (type[at] === '{') depth++
    if (type[at] === '}' && --depth === 0) return at
  }
  return type.length
}
