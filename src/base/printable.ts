/** Text of others, shown in a terminal or in a line of a log. */

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is escaped
const SPECIAL = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g

/**
 * Escapes what would change how other text is shown: control characters, such as those of terminals' sequences, and
 * directions of writing.
 */
export function printable(text: string): string {
  return text.replace(SPECIAL, escaped)
}

/** The same for a text of several lines, which stay. */
export function printableLines(text: string): string {
  return text.replace(SPECIAL, (character) =>
    character === '\n' || character === '\t' ? character : escaped(character),
  )
}

function escaped(character: string): string {
  return character === '\n' ? '\\n' : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}
