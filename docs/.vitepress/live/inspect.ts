/** Values as the console of Node prints them, on one line if they are short. */

const MAX_DEPTH = 4
const MAX_ITEMS = 100
const LINE_LENGTH = 72

/** The arguments of a call of the console, as a line. */
export function toLine(values: readonly unknown[]): string {
  return values.map((value) => (typeof value === 'string' ? value : inspect(value))).join(' ')
}

function inspect(value: unknown, parents: readonly unknown[] = []): string {
  if (typeof value === 'string') return `'${value}'`
  if (typeof value === 'bigint') return `${value}n`
  if (typeof value === 'function') return `[Function: ${value.name || '(anonymous)'}]`
  if (typeof value !== 'object' || value === null) return String(value)
  if (value instanceof Error) return toErrorText(value)
  if (value instanceof Date) return value.toISOString()
  if (parents.includes(value)) return '[Circular]'
  if (parents.length >= MAX_DEPTH) return Array.isArray(value) ? '[Array]' : '[Object]'
  const inner = (item: unknown) => inspect(item, [...parents, value])
  if (Array.isArray(value) || ArrayBuffer.isView(value)) {
    const name = Array.isArray(value) ? '' : `${value.constructor.name} `
    return `${name}${inBrackets('[]', itemsOf(value as readonly unknown[], inner))}`
  }
  if (value instanceof Set) return `Set ${inBrackets('{}', itemsOf([...value], inner))}`
  if (value instanceof Map) {
    return `Map ${inBrackets(
      '{}',
      itemsOf([...value], ([key, item]) => `${inner(key)} => ${inner(item)}`),
    )}`
  }
  const fields = Object.entries(value)
  return inBrackets(
    '{}',
    itemsOf(fields, ([key, item]) => `${/^[\w$]+$/.test(key) ? key : `'${key}'`}: ${inner(item)}`),
  )
}

function itemsOf<Item>(items: ArrayLike<Item>, toText: (item: Item) => string): string[] {
  const shown = Array.from({ length: Math.min(items.length, MAX_ITEMS) }, (_, i) => toText(items[i]!))
  return items.length > MAX_ITEMS ? [...shown, `… ${items.length - MAX_ITEMS} more`] : shown
}

function inBrackets(brackets: string, items: readonly string[]): string {
  const [open, close] = [brackets[0]!, brackets[1]!]
  if (items.length === 0) return brackets
  const line = items.join(', ')
  if (line.length <= LINE_LENGTH && !line.includes('\n')) {
    return open === '[' ? `[${line}]` : `{ ${line} }`
  }
  const indented = items.map((item) => `  ${item.replaceAll('\n', '\n  ')}`)
  return `${open}\n${indented.join(',\n')}\n${close}`
}

/** The name, the message and the causes of an error. Its stack would show lines of the compiled code. */
export function toErrorText(error: unknown): string {
  if (!(error instanceof Error)) return `thrown: ${inspect(error)}`
  const { name, message, cause } = error
  return `${name}: ${message}${cause instanceof Error ? `\n  caused by ${toErrorText(cause).replaceAll('\n', '\n  ')}` : ''}`
}
