/** The command line of a script. */
import { type ParseArgsConfig, parseArgs } from 'node:util'

type Options = NonNullable<ParseArgsConfig['options']>

/** Reads the options. Prints the usage and ends the process if `--help` is given, or an option is invalid. */
export function readArguments<const T extends Options>(
  usage: string,
  options: T,
): ReturnType<typeof parseArgs<{ options: T }>>['values'] {
  if (process.argv.includes('--help')) {
    console.log(usage)
    process.exit(0)
  }
  try {
    return parseArgs({ options }).values
  } catch (error) {
    return refuse(`${(error as Error).message}\n${usage}`)
  }
}

/** Prints the usage, and ends the process with exit code 2. */
export function refuse(usage: string): never {
  console.error(usage)
  process.exit(2)
}
