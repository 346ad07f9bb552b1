/** Compiles the corpus with each compiler and setting. */
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { CASES, sourceFor } from './cases.ts'

/** A compiler with its settings. */
export interface Setting {
  readonly minor: number
  readonly optimizes: boolean
  readonly viaIR: boolean
}

export const SETTINGS: readonly Setting[] = [5, 6, 7, 8].flatMap((minor) =>
  [false, true].flatMap((optimizes) =>
    (minor === 8 ? [false, true] : [false]).map((viaIR) => ({ minor, optimizes, viaIR })),
  ),
)

/** A setting as a text, such as `0.8 via IR, optimised`. */
export function nameOf({ minor, optimizes, viaIR }: Setting): string {
  return `0.${minor}${viaIR ? ' via IR' : ''}${optimizes ? ', optimised' : ''}`
}

/** Solc's input and output for the whole corpus, as `createChain` takes it. */
export interface Compiled {
  readonly solcVersion: string
  readonly input: object
  readonly output: {
    readonly errors?: readonly { readonly severity: string; readonly formattedMessage: string }[]
    readonly contracts: Readonly<Record<string, Readonly<Record<string, CompiledContract>>>>
  }
}

interface CompiledContract {
  readonly evm: {
    readonly bytecode: { readonly object: string }
    readonly methodIdentifiers: Readonly<Record<string, string>>
  }
}

/** Compiles all cases that a setting accepts. @param folder - whose node_modules has the compilers. */
export function compile({ minor, optimizes, viaIR }: Setting, folder: string): Compiled {
  const solc = createRequire(join(folder, 'package.json'))(`solc-0.${minor}`) as {
    version(): string
    compile(input: string): string
  }
  const sources = CASES.flatMap((one) => {
    const content = sourceFor(one, minor)
    return content === undefined ? [] : [[`contracts/${one.name}.sol`, { content }] as const]
  })
  const input = {
    language: 'Solidity',
    sources: Object.fromEntries(sources),
    settings: {
      optimizer: { enabled: optimizes, runs: 200 },
      ...(viaIR && { viaIR }),
      outputSelection: {
        // Hardhat needs the syntax trees.
        '*': {
          '': ['ast'],
          '*': ['abi', 'evm.bytecode', 'evm.deployedBytecode', 'evm.methodIdentifiers'],
        },
      },
    },
  }
  const output = JSON.parse(solc.compile(JSON.stringify(input))) as Compiled['output']
  const failures = output.errors?.filter(({ severity }) => severity === 'error') ?? []
  if (failures.length > 0)
    throw new Error(failures.map(({ formattedMessage }) => formattedMessage).join('\n'))
  return { solcVersion: solc.version().split('+')[0]!, input, output }
}
