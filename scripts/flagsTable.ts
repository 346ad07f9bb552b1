/** The flags of the command line as a table, from its schema. */
import { OPTIONS } from '../src/cli/arguments.ts'
import { code, table } from './site/markdown.ts'

/** The kinds of values that the meaning of a flag does not tell. */
const KINDS: Readonly<Record<string, string>> = {
  ether: 'with up to 18 decimals',
  names: 'separated by commas',
}

/** Each flag with its meaning, its default, and the option that it sets. */
export function flagsTable(): string {
  const rows = Object.entries(OPTIONS).map(([name, { value, of, default: fallback, help, target, path }]) => {
    const option = path?.join('.')
    const link = target === 'serve' ? '#options-of-a-server' : '#options-of-a-chain'
    return [
      `<a id="${name}"></a>${code(value === undefined ? `--${name}` : `--${name} ${value}`)}`,
      KINDS[of] === undefined ? help : `${help}; ${KINDS[of]}`,
      fallback ?? '',
      option === undefined ? '' : `[\`${option}\`](/reference/options${link})`,
    ]
  })
  return table(['flag', 'meaning', 'default', 'option'], rows)
}
