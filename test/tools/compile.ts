/** Compiles small contracts for a test. */
import { createRequire } from 'node:module'
import { encodeFunctionData, type Hex } from 'viem'
import type { ChainOptions, Provider } from '../../src/index.ts'
import { startChain } from '../harness.ts'

/** The compiler. */
export const solc = createRequire(import.meta.url)('solc') as { compile(input: string): string }

const OUTPUTS = ['abi', 'evm.bytecode', 'evm.deployedBytecode', 'evm.methodIdentifiers']

/** A compiled contract. */
export interface Compiled {
  readonly abi: readonly object[]
  readonly evm: { readonly bytecode: Code; readonly deployedBytecode: Code }
}

interface Code {
  readonly object: string
}

/** The build info of a source, `A.sol`, and its contracts by name. @param outputs - of the compiler, for each contract. */
export function compileSource(content: string, settings: object = {}, outputs: readonly string[] = OUTPUTS) {
  const input = {
    language: 'Solidity',
    sources: {
      'A.sol': { content: `// SPDX-License-Identifier: MIT\npragma solidity ^0.8.24;\n${content}` },
    },
    settings: { ...settings, outputSelection: { '*': { '*': outputs } } },
  }
  const output = JSON.parse(solc.compile(JSON.stringify(input))) as {
    readonly contracts: Readonly<Record<string, Readonly<Record<string, Compiled>>>>
    readonly errors?: readonly { readonly severity: string; readonly formattedMessage: string }[]
  }
  const error = output.errors?.find(({ severity }) => severity === 'error')
  if (error !== undefined) throw new Error(error.formattedMessage)
  return { buildInfo: { input, output }, contracts: output.contracts['A.sol']! }
}

/** A chain that includes each transaction at once, and what deploys and calls contracts on it. */
export async function startCompiled(options: ChainOptions = {}) {
  const chain = await startChain({ mining: 'auto', ...options })
  const from = chain.accounts[0]!.address
  const send = async (tx: {
    readonly to?: Hex
    readonly data?: Hex
    readonly value?: Hex
    readonly from?: Hex
  }) => {
    const provider: Provider = chain.standard
    const hash = await provider.request({
      method: 'eth_sendTransaction',
      params: [{ from, gas: '0x200000', ...tx }],
    })
    return (await provider.request({ method: 'eth_getTransactionReceipt', params: [hash] }))!
  }
  /** @param args - what follows the code, in hex without a prefix. */
  const deploy = async ({ evm }: Compiled, args = ''): Promise<Hex> =>
    (await send({ data: `0x${evm.bytecode.object}${args}` })).contractAddress!
  return { chain, from, send, deploy }
}

/** The calldata of a function. */
export function encodeCall({ abi }: Compiled, functionName: string, ...args: readonly unknown[]): Hex {
  return encodeFunctionData({ abi, functionName, args } as never)
}

/** An address as a word, without a prefix. */
export const wordOf = (address: Hex): string => address.slice(2).padStart(64, '0')
