/** Members of interfaces as tables: names, types and meanings come from the declarations. */
import { readdirSync, readFileSync } from 'node:fs'
import ts from 'typescript'
import { code, linkErrors, prose, table } from './site/markdown.ts'

/** A member as declared. */
interface Member {
  readonly name: string
  readonly optional: boolean
  readonly type: string
  readonly meaning: string
}

/** The members of an interface, or of a type that is an object, in a file; overloads are listed once. */
export function membersOf(file: string, name: string): readonly Member[] {
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true)
  const declaration = source.statements.find(
    (one): one is ts.InterfaceDeclaration | ts.TypeAliasDeclaration =>
      (ts.isInterfaceDeclaration(one) || ts.isTypeAliasDeclaration(one)) && one.name.text === name,
  )
  if (declaration === undefined) throw new Error(`${file} declares no ${name}`)
  const members = ts.isInterfaceDeclaration(declaration)
    ? declaration.members
    : (declaration.type as ts.TypeLiteralNode).members
  const found = new Map<string, Member>()
  for (const member of members) {
    if (member.name === undefined || found.has(member.name.getText())) continue
    found.set(member.name.getText(), {
      name: member.name.getText(),
      optional: member.questionToken !== undefined,
      type: typeOf(member),
      meaning: meaningOf(member),
    })
  }
  return [...found.values()]
}

function typeOf(member: ts.TypeElement): string {
  const oneLine = (text: string) =>
    text
      .replace(/\/\*\*[\s\S]*?\*\//g, '')
      .replace(/\breadonly /g, '')
      .replace(/\s+/g, ' ')
      .trim()
  if (ts.isMethodSignature(member)) {
    const params = member.parameters.map((one) => oneLine(one.getText()))
    return `(${params.join(', ')}) => ${oneLine(member.type?.getText() ?? 'void')}`
  }
  return ts.isPropertySignature(member) ? oneLine(member.type?.getText() ?? '') : ''
}

/** The comment of a declaration without its tags. */
function meaningOf(node: ts.Node): string {
  const comment = ts.getJSDocCommentsAndTags(node).find(ts.isJSDoc)
  return prose(ts.getTextOfJSDocComment(comment?.comment) ?? '')
}

/** The events of an interface: each with what its listeners are called with. */
export function eventsTable(file: string, name: string): string {
  const rows = membersOf(file, name).map(({ name: event, type, meaning }) => {
    const carried = /^\( ?(?:\w+: )?([\s\S]*?),? ?\) => void$/.exec(type)?.[1] ?? type
    return [`<a id="${event}"></a>${code(event)}`, carried && code(carried), meaning]
  })
  return table(['event', 'carries', 'when'], rows)
}

/** The fields of an interface. */
export function fieldsTable(file: string, name: string): string {
  const rows = membersOf(file, name).map(({ name: field, optional, type, meaning }) => [
    code(optional ? `${field}?` : field),
    code(type),
    meaning,
  ])
  return table(['field', 'type', 'meaning'], rows)
}

/** The methods and properties of an interface, in one line each. */
export function membersTable(file: string, name: string): string {
  const rows = membersOf(file, name).map(({ name: member, type, meaning }) => [
    code(type.includes('=>') ? `${member}(${paramNames(type)})` : member),
    linkErrors(sentence(meaning)),
  ])
  return table(['member', 'meaning'], rows)
}

const paramNames = (type: string): string =>
  [...(/^\((.*)\) =>/.exec(type)?.[1] ?? '').matchAll(/(?:^|, )(\w+\??):/g)]
    .map(([, name]) => name)
    .join(', ')

/** The first sentence of a text. */
const sentence = (text: string): string => /^[\s\S]*?\.(?=\s+[A-Z]|\s*$)/.exec(text)?.[0] ?? text

/** The actions of `preseal/viem`: each with the meaning that its declaration states. */
export function actionsTable(): string {
  const folder = 'src/kits/viem/actions'
  const statements = readdirSync(folder).flatMap((name) => {
    const text = readFileSync(`${folder}/${name}`, 'utf8')
    return ts.createSourceFile(name, text, ts.ScriptTarget.Latest, true).statements
  })
  const rows = membersOf('src/kits/viem/preconfActions.ts', 'PreconfActions').map(({ name }) => {
    const declaration = statements.find(
      (one) =>
        (ts.isFunctionDeclaration(one) && one.name?.text === name) ||
        (ts.isVariableStatement(one) &&
          one.declarationList.declarations.some((variable) => variable.name.getText() === name)),
    )
    if (declaration === undefined) throw new Error(`${folder} declares no ${name}`)
    return [`[\`${name}\`](/reference/api/viem#${name.toLowerCase()})`, sentence(meaningOf(declaration))]
  })
  return table(['action', 'meaning'], rows)
}
