/** The flags of the command line as a table, from its schema. */
import { OPTIONS } from '../src/kits/cli/flags.ts'
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
    const flag = `<a id="${name}"></a>${code(value === undefined ? `--${name}` : `--${name} ${value}`)}`
    return [
      // In one column, so that the table is as wide as a page.
      option === undefined ? flag : `${flag}<br>[\`${option}\`](/reference/options${link})`,
      KINDS[of] === undefined ? help : `${help}; ${KINDS[of]}`,
      fallback ?? '',
    ]
  })
  return table(['flag, and the option that it sets', 'meaning', 'default'], rows)
}
