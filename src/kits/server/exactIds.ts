/** Reads ids as they were written. Owns nothing. */

/**
 * The numeric ids of a message's requests as they were written: `JSON.parse` rounds those that a double cannot hold,
 * but an answer must have the exact id.
 *
 * @param text - a message of valid JSON: a request, or a batch of them
 * @returns the ids by their requests' places in the batch; undefined for ids that are not numbers.
 */
export function readExactIds(text: string): (string | undefined)[] {
  const ids: (string | undefined)[] = []
  const isBatch = /^\s*\[/.test(text)
  /** The depth of a request's own keys, which excludes its params. */
  const requestDepth = isBatch ? 2 : 1
  let depth = 0
  let request = 0
  let key = ''
  for (let at = 0; at < text.length; at++) {
    const char = text[at]
    if (char === '"') {
      const end = endOfString(text, at)
      if (depth === requestDepth) key = text.slice(at, end + 1)
      at = end
    } else if (char === '{' || char === '[') depth += 1
    else if (char === '}' || char === ']') depth -= 1
    else if (char === ',' && isBatch && depth === 1) request += 1
    else if (char === ':' && depth === requestDepth && JSON.parse(key) === 'id') {
      NUMBER.lastIndex = at + 1
      ids[request] = NUMBER.exec(text)?.[1]
    }
  }
  return ids
}

const NUMBER = /\s*(-?\d[\d.eE+-]*)/y

/** The index of the closing quote of the string that begins at `start`. */
function endOfString(text: string, start: number): number {
  let at = start + 1
  while (text[at] !== '"') at += text[at] === '\\' ? 2 : 1
  return at
}
