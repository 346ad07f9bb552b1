/** The command line of a script. */
import { type ParseArgsConfig, parseArgs } from 'node:util'

type Options = NonNullable<ParseArgsConfig['options']>

/** Reads the options; ends the process with the usage where one is not known, has no value, or `--help` is asked for. */
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

/** Says how the script is called, and ends the process as a mistake does. */
export function refuse(usage: string): never {
  console.error(usage)
  process.exit(2)
}
