/** What is wrong with a command line, said by its flags. Pure. */

import { closestName } from '../../base/closestName.ts'
import { InvalidOptionError, type PresealError } from '../../base/errors.ts'
import { PortInUseError } from '../server/errors.ts'
import { SERVE_OPTIONS, type ServeOptions } from '../server/options.ts'
import { FileError } from './files.ts'
import { OPTIONS, OTHER_NAMES } from './flags.ts'

/** The error of `parseArgs` for an unknown option. */
const UNKNOWN = /^Unknown option '([^']*)'/

/** Its error for an option whose value is left out, or begins with a dash. */
const WITHOUT_VALUE = /^Option '(?:-\w, )?(--[\w-]+)[^']*' argument (?:missing|is ambiguous)/

/** The fork options of other dev chains that are unknown here. */
const FORKING = /^(--fork(-.*)?|-f)$/

/** Says in this command's words what `parseArgs` has refused. */
export function explainRefusal(message: string, argv: readonly string[]): string {
  const [, valued] = WITHOUT_VALUE.exec(message) ?? []
  if (valued !== undefined) {
    const next = argv[argv.indexOf(valued) + 1]
    return `option ${valued}: expected a value${next === undefined ? '' : `, not '${next}'`}`
  }
  const unknown = UNKNOWN.exec(message)?.[1]
  // The first sentence says what is wrong; the rest is advice.
  if (unknown === undefined) return lowerFirst(message.split(/\.(?:\s|$)/)[0]!)
  if (Object.hasOwn(OTHER_NAMES, unknown)) return `option ${unknown}: expected ${OTHER_NAMES[unknown]}`
  const names = Object.keys(OPTIONS)
  const meant = closestName(unknown.replace(/^--/, ''), names)
  if (meant !== undefined) return `unknown option '${unknown}'; did you mean --${meant}?`
  if (FORKING.test(unknown)) {
    const ofForks = names.filter((name) => OPTIONS[name]!.path?.[0] === 'fork')
    return `option ${unknown}: expected one of ${ofForks.map((name) => `--${name}`).join(', ')}`
  }
  return `unknown option '${unknown}'`
}

const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1)

/** The error of an option, said by its flag; undefined for an option without one. */
export function flagError({ option, expected }: InvalidOptionError): string | undefined {
  const path = option.split('.')
  for (let length = path.length; length > 0; length--) {
    const flag = flagOf(path.slice(0, length).join('.'))
    if (flag === undefined) continue
    const rest = path.slice(length).join('.')
    return `option ${flag}: expected ${withFlags(expected)}${rest === '' ? '' : ` at ${rest}`}`
  }
  return undefined
}

/** The options that a text names, by their flags. */
function withFlags(text: string): string {
  return text.replace(/\b(unless|if|that of|than|most) (\w+)/g, (whole, word: string, name: string) => {
    const flag = flagOf(name) ?? flagOf(`fork.${name}`)
    return flag === undefined ? whole : `${word} ${flag}`
  })
}

function flagOf(path: string): string | undefined {
  const name = Object.keys(OPTIONS).find((one) => OPTIONS[one]!.path?.join('.') === path)
  return name && `--${name}`
}

/** The message of an error that the user can mend, with the flag that it is about. */
export function withFlag(error: PresealError, { port, preconfPort }: ServeOptions): string {
  if (error instanceof InvalidOptionError) return flagError(error) ?? error.message
  if (error instanceof FileError && error.flag !== undefined) return `${error.message} (${error.flag})`
  if (!(error instanceof PortInUseError)) return error.message
  const isStandard = error.port === (port ?? SERVE_OPTIONS.port.default)
  const isPreconf = error.port === (preconfPort ?? SERVE_OPTIONS.preconfPort.default)
  return isStandard || isPreconf
    ? `${error.message} (${isStandard ? '--port' : '--preconf-port'})`
    : error.message
}
