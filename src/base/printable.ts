// biome-ignore lint/suspicious/noControlCharactersInRegex: escaped below
const SPECIAL = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g

/** Escapes control characters, such as terminal sequences, and marks of text direction. */
export function printable(text: string): string {
  return text.replace(SPECIAL, escaped)
}

/** {@link printable} for several lines: keeps line breaks and tabs. */
export function printableLines(text: string): string {
  return text.replace(SPECIAL, (character) =>
    character === '\n' || character === '\t' ? character : escaped(character),
  )
}

function escaped(character: string): string {
  return character === '\n' ? '\\n' : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}
